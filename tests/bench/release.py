"""Start-up of verbs and hooks against the last release: both bundles in turn, so that load falls on both alike."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copytree, ignore_patterns, rmtree

from tests.bench.measure import processor_time, show
from tests.bench.runtime import STATE
from tests.executor.sample import FILES, PLAN, plan, step
from tests.kit.repository import ENVIRONMENT, make_repository
from tests.released.record import ROOT, extract, first_bundle, read_baseline

ROUNDS = 15
PROJECT = ".claude/projects/2026-01-31-rate-limit"
SESSION = "bench"
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
    brief = next(ROOT.glob(f"dist/*/docs/examples/{Path(PROJECT).name}/brief.md")).read_text()
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
        _verb("run finish --data data"),
        _verb(f"audit {PLAN}"),
    ]


def main() -> None:
    """Print the ratio of processor time, sources to release, for each kind of verb and for each hook."""
    ref, _ = read_baseline()
    with tempfile.TemporaryDirectory(prefix="ultra-bench-") as name:
        folder = Path(name)
        bundles = [_copy_of(first_bundle(ROOT / "dist"), folder / "new"), extract(ref, folder / "old")]
        stopped = _stopped(bundles[0], folder / "stopped")
        planned = make_repository(folder / "planned", FILES)
        (planned / PLAN).parent.mkdir(parents=True)
        (planned / PLAN).write_text(plan(step(1), step(2), verification="true"))
        rows = [*_compare(stopped, _anywhere(), bundles), *_compare(planned, _run(), bundles)]
    show(f"Processor time of a call (the release at {ref[:10]} = 1, least of {ROUNDS} rounds)", rows)


def _copy_of(bundle: Path, folder: Path) -> Path:
    """Copy a bundle without byte code, so that both begin alike."""
    return Path(copytree(bundle, folder, ignore=ignore_patterns("__pycache__")))


def _stopped(bundle: Path, folder: Path) -> Path:
    """Make a repository with the example project and a run that was stopped."""
    copytree(next(bundle.glob("docs/examples/*")), folder / PROJECT)
    state = {**STATE, "project": PROJECT, "next_session_brief_path": f"{PROJECT}/brief.md"}
    (folder / PROJECT / ".session-state.local.json").write_text(json.dumps(state))
    return make_repository(folder)


def _compare(start: Path, calls: Sequence[Call], bundles: Sequence[Path]) -> list[tuple[str, str]]:
    """Make the calls in a fresh copy of a repository per bundle and round; the first round writes the byte code."""
    rounds = [[_play(start, calls, bundle) for bundle in bundles] for _ in range(ROUNDS + 1)][1:]
    rows = []
    for at, call in enumerate(calls):
        new, old = (min(one[side][at] for one in rounds) for side in range(len(bundles)))
        rows.append((call.title, f"{new / old:.2f}"))
    return rows


def _play(start: Path, calls: Sequence[Call], bundle: Path) -> list[float]:
    folder = start.parent / "work" / start.name
    copytree(start, folder)
    taken = []
    for call in calls:
        for path, text in call.files.items():
            (folder / path).write_text(text)
        env = {**ENVIRONMENT, "HOME": str(folder.parent), "CLAUDE_CODE_SESSION_ID": SESSION}
        taken.append(processor_time(call.command(bundle), folder, call.text(folder), env))
    rmtree(folder.parent)
    return taken
