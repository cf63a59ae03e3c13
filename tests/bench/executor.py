"""What each verb of a run costs: against the bare interpreter, against the git commands inside it, and in tokens."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.measure import SIZES, many_files, show
from tests.built import rendered
from tests.executor.sample import PLAN, Repo, plan, step
from tests.interpreters import interpreters, python_on_path
from tests.kit.names import SOURCES

STEPS = 3
CHARACTERS_A_TOKEN = 4
VERIFICATION = "true"


def main() -> None:
    """Print the cost of an honest run of three steps in a small repository and in a large one."""
    with tempfile.TemporaryDirectory(prefix="ultra-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        bundle = rendered(SOURCES, folder / "bundle")
        (folder / "python").mkdir()
        python = python_on_path(interpreters()[-1], folder / "python")
        bare = _bare(python / "python3")
        _run(_repository(Repo(folder / "warm", bundle, python), 1))  # so that every module is compiled
        for size in SIZES:
            print(f"a run in a repository with {size} files ...", file=sys.stderr)
            _measure(_repository(Repo(folder / f"repo-{size}", bundle, python), size), size, bare)


def _bare(interpreter: Path) -> float:
    """Return the processor's seconds of an interpreter that does nothing; the clock's depend on who else is here."""
    return sorted(_processor([interpreter, "-I", "-S", "-c", "pass"]) for _ in range(15))[7]


def _processor(command: list[str | Path]) -> float:
    before = _children()
    subprocess.run(command, check=True)
    return _children() - before


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _repository(repo: Repo, size: int) -> Repo:
    text = plan(*(step(number) for number in range(1, STEPS + 1)), verification=VERIFICATION)
    repo.create(text, files=many_files(size))
    repo.git("status")
    return repo


def _measure(repo: Repo, size: int, bare: float) -> None:
    times = _run(repo)
    rows = []
    for verb, (used, seconds, git, count) in times.items():
        figures = f"{used * 1000:5.0f} ms of the processor, {used / bare:5.1f} x bare, git's included"
        rows.append((verb, f"{figures}; {count} calls of git take {git / seconds:4.0%} of its time"))
    for name, command in (("status", ["status", "--porcelain"]), ("add -A", ["add", "-A", "--dry-run"])):
        before = _children()
        repo.git(*command)
        used = _children() - before
        rows.append(
            (
                f"git {name}, for comparison",
                f"{used * 1000:5.0f} ms of the processor, {used / bare:5.1f} x bare",
            )
        )
    rows += _cost_of_proof(repo, times["run finish"][1])
    show(f"Verbs in a repository with {size} files (bare interpreter {bare * 1000:.0f} ms = 1)", rows)
    if size == SIZES[0]:
        _show_tokens(repo)


def _cost_of_proof(repo: Repo, finish: float) -> list[tuple[str, str]]:
    """Return what the end of a run costs by the clock, beside its Verification by hand and a checkout by git."""
    by_hand = _by_clock(["bash", "-c", VERIFICATION], repo)
    copy = str(repo.folder.parent / "copy")
    checkout = _by_clock(["git", "worktree", "add", "--quiet", "--detach", copy], repo)
    repo.git("worktree", "remove", "--force", copy)
    figures = f"{finish * 1000:5.0f} ms by the clock; Verification by hand {by_hand * 1000:.0f} ms, checkout by git {checkout * 1000:.0f} ms"
    return [("run finish with its proof", figures)]


def _by_clock(command: list[str], repo: Repo) -> float:
    began = time.perf_counter()
    subprocess.run(command, cwd=repo.folder, env=repo.env, check=True)
    return time.perf_counter() - began


def _run(repo: Repo) -> dict[str, tuple[float, float, float, int]]:
    """Do an honest run and return verb -> seconds of the processor and the clock, in git, calls of git; of several calls the middle one."""
    found: dict[str, list[tuple[float, float, float, int]]] = {}
    calls = [f"run start {PLAN}"]
    for number in range(1, STEPS + 1):
        calls += [f"step begin {number}", f"step verify {number}", f"step commit {number}"]
    for call in [*calls, "run finish", f"audit {PLAN}"]:
        if call.startswith("step verify"):
            step_of_call = call.rpartition(" ")[2]
            repo.write({f"src/part{step_of_call}.py": f"part {step_of_call}\n"})
        found.setdefault(" ".join(call.split()[:2]) if call[0] != "a" else "audit", []).append(
            _timed(repo, call)
        )
    return {verb: sorted(runs)[len(runs) // 2] for verb, runs in found.items()}


def _timed(repo: Repo, call: str) -> tuple[float, float, float, int]:
    trace = repo.folder.parent / "trace"
    trace.unlink(missing_ok=True)
    before, began = _children(), time.perf_counter()
    repo.ultra(call, env={"GIT_TRACE2_EVENT": str(trace)})
    used, seconds = _children() - before, time.perf_counter() - began
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    ends = [event["t_abs"] for event in events if event["event"] == "atexit" and "/" not in event["sid"]]
    return used, seconds, sum(ends), len(ends)


def _show_tokens(repo: Repo) -> None:
    into = sum(len(f"ultra {' '.join(words)} --json") for words, _ in repo.answers)
    out = sum(len(text) for _, text in repo.answers)
    steps = [(words, text) for words, text in repo.answers if words[0] == "step"]
    each = sum(len(f"ultra {' '.join(words)} --json") + len(text) for words, text in steps) / STEPS
    whole = (into + out) / STEPS
    show(
        "Tokens of an honest run of three steps (characters / 4), without the model's own edits",
        [
            ("a step: begin, verify, commit", f"{each / CHARACTERS_A_TOKEN:.0f} in and out"),
            (
                "the whole run by its steps",
                f"{whole / CHARACTERS_A_TOKEN:.0f} a step, start, finish and audit included",
            ),
            ("of that finish", f"{len(repo.answers[-2][1]) / CHARACTERS_A_TOKEN:.0f}"),
        ],
    )
