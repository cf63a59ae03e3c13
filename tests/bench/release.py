"""Verbs and hooks against the last release: both bundles in turn, so that load falls on both alike."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from shutil import copytree, ignore_patterns, rmtree

from tests.bench.measure import SIZES, many_files, processor_time, show
from tests.bench.runtime import STATE
from tests.executor.sample import FILES, PLAN, plan, step
from tests.kit.files import write_tree
from tests.kit.names import BUILT, EXAMPLE, LAUNCHER
from tests.kit.repository import ENVIRONMENT, git, make_repository
from tests.released.record import extract, read_baseline

ROUNDS, A_FEW_ROUNDS = 15, 3
PROJECT = ".claude/projects/2026-01-31-rate-limit"
SESSION = "bench"
PROVED = ", with its proof"
BOTH = "run start and step begin 1"
PYTHON = str(Path(sys.executable).resolve())


@dataclass(frozen=True)
class Call:
    """One call of a verb or a hook, and the files that somebody wrote before it."""

    title: str
    words: Sequence[str] = ()
    hook: str = ""
    payload: Mapping[str, object] = field(default_factory=dict)
    given: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    def command(self, bundle: Path) -> list[str]:
        """Return the program and its arguments."""
        launcher = next(path for path in (bundle / "bin").iterdir() if path.is_file())
        path = bundle / f"runtime/ultra_runtime/hooks/{self.hook}.py" if self.hook else launcher
        return [PYTHON, "-I", "-S", "-X", "utf8", str(path), *self.words]

    def text(self, folder: Path) -> str:
        """Return what the call reads from standard input."""
        return (
            json.dumps({"session_id": SESSION, "cwd": str(folder), **self.payload})
            if self.hook
            else self.given
        )


def _verb(line: str, note: str = "", **more: object) -> Call:
    return Call(f"ultra {line}{note}", line.split(), **more)  # type: ignore[arg-type]


def _hook(name: str, note: str = "", **payload: object) -> Call:
    return Call(f"hook {name}{note}", hook=name, payload=payload)


def _bash(command: str, note: str) -> Call:
    return _hook("guard", note, tool_name="Bash", tool_input={"command": command})


def _anywhere() -> list[Call]:
    """Return the calls in a project whose run was stopped: one per kind of verb, since what it imports is what it costs."""
    brief = (EXAMPLE / "brief.md").read_text()
    return [
        _verb("--help"),
        _verb("--version"),
        _verb("guide continue none"),
        _verb("continue"),
        _verb("status"),
        _verb(f"validate brief {PROJECT}/brief.md"),
        _verb(f"validate plan {PROJECT}/plan.md"),
        _verb(f"validate project {PROJECT}"),
        _verb(f"plan show {PROJECT}/plan.md"),
        _verb(f"scan {PROJECT}/plan.md"),
        _verb(f"run dry-run {PROJECT}/plan.md"),
        Call("ultra check-command", ["check-command", "sudo bash -c 'cd lib && rm -rf out'"]),
        _verb("check-path .env"),
        _verb(f"frontmatter {PROJECT}/brief.md"),
        _verb("doctor"),
        _verb("step verify 1", ", no run"),
        _verb(f"put brief --project {PROJECT}", ", nothing given"),
        _verb("project new another"),
        _verb("stats brief a=1 --data data"),
        _verb(f"plan begin --project {PROJECT}"),
        _verb(f"research begin --project {PROJECT}"),
        _verb(f"put brief --draft --project {PROJECT}", given=brief),
        _bash("git status", ", harmless command"),
        _bash("rm -rf out", ", dangerous command"),
        _hook("guard", ", a file", tool_name="Write", tool_input={"file_path": "/tmp/a"}),
        _hook("session_start", source="startup"),
        _hook("pre_compact", trigger="auto"),
        _hook("stop", stop_hook_active=False),
        _hook("agent_answer", agent_type="x:brief-reviewer", last_assistant_message="Done."),
    ]


def _run() -> list[Call]:
    """Return the calls of a run of two steps, with what other calls cost in the middle of it."""
    unfinished = ", unfinished run"
    return [
        _verb(f"run start {PLAN}"),
        _verb("step begin 1"),
        _verb("continue", unfinished),
        _verb("status", unfinished),
        _bash("git status", ", harmless command in a run"),
        _bash("cd lib && rm -rf out", ", dangerous command in a run"),
        _hook("session_start", unfinished, source="startup"),
        _hook("pre_compact", unfinished, trigger="auto"),
        _hook("stop", unfinished, stop_hook_active=False),
        _verb("step verify 1", files={"src/part1.py": "part 1\n"}),
        _verb("step commit 1"),
        _verb("step begin 2"),
        _verb("step verify 2", ", which fails"),
        _verb("step verify 2", ", again", files={"src/part2.py": "part 2\n"}),
        _verb("step commit 2"),
        _verb("run finish --data data", PROVED),
        _verb(f"audit {PLAN}", PROVED),
    ]


def main() -> None:
    """Print the ratio of processor time, sources to release, for each kind of verb and for each hook."""
    ref, _ = read_baseline()
    with tempfile.TemporaryDirectory(prefix="ultra-bench-") as name:
        folder = Path(name)
        bundles = [_copy_of(BUILT, folder / "new"), extract(ref, folder / "old")]
        stopped = _stopped(folder / "stopped")
        before = f"(the release at {ref[:10]} = 1, least of"
        rows = _compare(lambda: _copy_of(stopped, folder / "work"), _anywhere(), bundles, ROUNDS)
        show(f"Processor time of a call outside a run {before} {ROUNDS} rounds)", _ratios(rows))
        for size, rounds in zip(SIZES, (ROUNDS, A_FEW_ROUNDS), strict=True):
            planned = _planned(folder / f"planned-{size}", size)
            fresh = partial(_as_planned, planned)
            rows = _with_sums(_compare(fresh, _run(), bundles, rounds))
            together = min(
                _play(fresh(), [_verb(f"run start {PLAN} --go-on")], bundles[0])[0] for _ in range(rounds)
            )
            rows["run start --go-on, to both calls"] = [together, rows[BOTH][1]]
            show(f"Processor time in a run in {size} files {before} {rounds} rounds)", _ratios(rows))


def _copy_of(source: Path, folder: Path) -> Path:
    """Copy a folder without byte code, so that both begin alike."""
    rmtree(folder, ignore_errors=True)
    return Path(copytree(source, folder, ignore=ignore_patterns("__pycache__")))


def _stopped(folder: Path) -> Path:
    """Make a repository with the example project and a run that was stopped."""
    copytree(EXAMPLE, folder / PROJECT)
    state = {**STATE, "project": PROJECT, "next_session_brief_path": f"{PROJECT}/brief.md"}
    (folder / PROJECT / ".session-state.local.json").write_text(json.dumps(state))
    return make_repository(folder)


def _planned(folder: Path, size: int) -> Path:
    """Make a repository of this many files with a plan, all of it committed."""
    text = plan(step(1), step(2), verification="true")
    return make_repository(folder, {**FILES, **many_files(size), PLAN: text})


def _as_planned(folder: Path) -> Path:
    """Take back all that a run did, and have git know which files are unchanged, as it does after a commit."""
    first = git(folder, "rev-list", "--max-parents=0", "HEAD")
    git(folder, "reset", "--quiet", "--hard", first)
    git(folder, "clean", "-ffdxq")
    for ref in git(folder, "for-each-ref", "--format=%(refname)", f"refs/{LAUNCHER}").splitlines():
        git(folder, "update-ref", "-d", ref)
    rmtree(folder / ".git" / LAUNCHER, ignore_errors=True)
    git(folder, "reflog", "expire", "--expire=now", "--all")
    git(folder, "prune", "--expire=now")  # else the next run finds its objects made
    git(folder, "status", "--short")
    return folder


def _compare(
    fresh: Callable[[], Path], calls: Sequence[Call], bundles: Sequence[Path], rounds: int
) -> dict[str, Sequence[float]]:
    """Return the least seconds of each call per bundle; the first round, which writes the byte code, is not counted."""
    played = [[_play(fresh(), calls, bundle) for bundle in bundles] for _ in range(rounds + 1)][1:]
    return {
        call.title: [min(one[side][at] for one in played) for side in range(len(bundles))]
        for at, call in enumerate(calls)
    }


def _with_sums(rows: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """Add what the verbs of a run cost together; the proof is new, so the verbs that run it are left out.

    The tree as it was at the start is the user's, so the start looks at it too. The last release did not: its start is
    cheaper than one look of git at 100,000 files, so that there only the sum over a step can be compared.
    """
    titles = [title for title in rows if title.startswith("ultra ") and not title.endswith(PROVED)]
    one_step = [
        f"ultra {verb}" for verb in (f"run start {PLAN}", "step begin 1", "step verify 1", "step commit 1")
    ]
    parts = {
        BOTH: one_step[:2],
        "a run of one step, without its proof": one_step,
        "all verbs but those with a proof": titles,
    }
    return {
        **rows,
        **{
            name: [sum(side) for side in zip(*(rows[one] for one in of), strict=True)]
            for name, of in parts.items()
        },
    }


def _ratios(rows: Mapping[str, Sequence[float]]) -> list[tuple[str, str]]:
    return [(title, f"{new / old:.2f}  ({new * 1000:.0f} ms)") for title, (new, old) in rows.items()]


def _play(folder: Path, calls: Sequence[Call], bundle: Path) -> list[float]:
    taken = []
    for call in calls:
        write_tree(folder, call.files)
        env = {**ENVIRONMENT, "HOME": str(folder.parent), "CLAUDE_CODE_SESSION_ID": SESSION}
        taken.append(processor_time(call.command(bundle), folder, call.text(folder), env))
    return taken
