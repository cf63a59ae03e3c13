"""Start-up of verbs and hooks against the last release: both bundles in turn, so that load falls on both alike."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import copytree, ignore_patterns

from tests.bench.measure import processor_time, show
from tests.bench.runtime import STATE
from tests.released.record import ROOT, extract, first_bundle, read_baseline

ROUNDS = 31
UNFINISHED = "unfinished run"
PROJECT = ".claude/projects/2026-01-31-rate-limit"
PYTHON = str(Path(sys.executable).resolve())
# One call per kind of verb: what it imports is what it costs.
VERBS = {
    "ultra --help": ["--help"],
    "ultra --version": ["--version"],
    "ultra guide": ["guide", "continue", "none"],
    "ultra continue": ["continue"],
    "ultra continue, unfinished run": ["continue"],
    "ultra status": ["status", "--project", PROJECT],
    "ultra validate brief": ["validate", "brief", f"{PROJECT}/brief.md"],
    "ultra validate plan": ["validate", "plan", f"{PROJECT}/plan.md"],
    "ultra validate project": ["validate", "project", PROJECT],
    "ultra plan show": ["plan", "show", f"{PROJECT}/plan.md"],
    "ultra scan": ["scan", f"{PROJECT}/plan.md"],
    "ultra check-command": ["check-command", "sudo bash -c 'cd lib && rm -rf out'"],
    "ultra check-path": ["check-path", ".env"],
    "ultra run dry-run": ["run", "dry-run", f"{PROJECT}/plan.md"],
    "ultra step verify, no run": ["step", "verify", "1"],
    "ultra put, nothing given": ["put", "brief", "--project", PROJECT],
    "ultra doctor": ["doctor"],
}
HOOKS: dict[str, tuple[str, dict[str, object]]] = {
    "guard, harmless command": ("guard", {"tool_name": "Bash", "tool_input": {"command": "git status"}}),
    "guard, dangerous command": ("guard", {"tool_name": "Bash", "tool_input": {"command": "rm -rf out"}}),
    "guard, a file": ("guard", {"tool_name": "Write", "tool_input": {"file_path": "/tmp/a"}}),
    "session_start": ("session_start", {"source": "startup"}),
    "session_start, unfinished run": ("session_start", {"source": "startup"}),
    "pre_compact": ("pre_compact", {"trigger": "auto"}),
    "stop": ("stop", {"stop_hook_active": False}),
    "agent_answer": ("agent_answer", {"agent_type": "x:brief-reviewer", "last_assistant_message": "Done."}),
}  # fmt: skip


def main() -> None:
    """Print the ratio of processor time, sources to release, for each kind of verb and for each hook."""
    ref, _ = read_baseline()
    with tempfile.TemporaryDirectory(prefix="ultra-bench-") as name:
        folder = Path(name)
        bundles = [_copy_of(first_bundle(ROOT / "dist"), folder / "new"), extract(ref, folder / "old")]
        stopped = _workspace(bundles[0], folder / "stopped")
        unfinished = _unfinished(bundles[0], folder / "unfinished")
        rows = []
        for title, words in VERBS.items():
            work = unfinished if UNFINISHED in title else stopped
            rows.append((title, _ratio([_verb(one, words) for one in bundles], work, "")))
        for title, (hook, payload) in HOOKS.items():
            work = unfinished if UNFINISHED in title else stopped
            given = json.dumps({"session_id": "bench", "cwd": str(work), **payload})
            rows.append((f"hook {title}", _ratio([_hook(one, hook) for one in bundles], work, given)))
    show(f"Processor time of a call (the release at {ref[:10]} = 1, median of {ROUNDS} pairs)", rows)


def _copy_of(bundle: Path, folder: Path) -> Path:
    """Copy a bundle without byte code, so that both begin alike."""
    return Path(copytree(bundle, folder, ignore=ignore_patterns("__pycache__")))


def _workspace(bundle: Path, folder: Path) -> Path:
    """Make a repository with the example project and a run that was stopped."""
    copytree(next(bundle.glob("docs/examples/*")), folder / PROJECT)
    state = {**STATE, "project": PROJECT, "next_session_brief_path": f"{PROJECT}/brief.md"}
    (folder / PROJECT / ".session-state.local.json").write_text(json.dumps(state))
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


def _unfinished(bundle: Path, folder: Path) -> Path:
    """Make a repository in which a run has begun its first step and was left."""
    copytree(next(bundle.glob("docs/examples/*")), folder / PROJECT)
    git = ["git", "-C", str(folder), "-c", "user.name=Bench", "-c", "user.email=bench@example.com"]
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    for words in (["add", "-A"], ["commit", "--quiet", "-m", "Begin"]):
        subprocess.run([*git, *words], check=True)
    for verb in (["run", "start", f"{PROJECT}/plan.md"], ["step", "begin", "1"]):
        subprocess.run(_verb(bundle, verb), cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder


def _verb(bundle: Path, words: list[str]) -> list[str]:
    launcher = next(path for path in (bundle / "bin").iterdir() if path.is_file())
    return [PYTHON, "-I", "-S", "-X", "utf8", str(launcher), *words]


def _hook(bundle: Path, name: str) -> list[str]:
    return [PYTHON, "-I", "-S", "-X", "utf8", str(bundle / f"runtime/ultra_runtime/hooks/{name}.py")]


def _ratio(calls: list[list[str]], cwd: Path, given: str) -> str:
    """Time both calls in turn and return the ratio of their medians; the first round writes the byte code."""
    taken = [[processor_time(call, cwd, given) for call in calls] for _ in range(ROUNDS + 1)][1:]
    new, old = (statistics.median(times) for times in zip(*taken, strict=True))
    return f"{new / old:.2f}"
