"""The guard: what it catches of the corpus, what it costs before every call, and how it grows on hard text."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

from tests.bench import guard_corpus
from tests.bench.guard_texts import ordinary, rates
from tests.bench.measure import show
from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.kit.names import NAME
from tests.kit.repository import make_repository
from ultra_plugin.pipeline import checked
from ultra_plugin.source import SourceTree
from ultra_plugin.tree import write

PEER = "cc-safety-net"
PEER_VERSION = "2.4.5"
PEERS = Path(".bench/npm")
ROUNDS = 41
SESSION = "bench"
HARMLESS = "git status --short && npm test"
DANGEROUS = "rm -rf ~/data"  # a guard that lets a folder of the project go stops this one too
LARGE_SIZE = 100_000
LARGE = "in a run, 100 kB of ordinary shell code"
NESTED = "cd build && bash -c 'rm -rf out'"
SIZES = (25_000, 100_000)
HARD: dict[str, Callable[[int], str]] = {
    "many nested $( )": lambda size: "echo " + "$(" * (size // 3) + ")" * (size // 3),
    "10,000 and more ;": lambda size: "ls;" * (size // 3),
    "a long quote": lambda size: "echo '" + "x" * size + "'",
    "a quote without an end": lambda size: 'echo "' + "$x " * (size // 3),
    "many pipes": lambda size: "cat | " * (size // 6) + "cat",
    "many here-documents": lambda size: "cat <<A\nx\nA\n" * (size // 12),
    "many assignments": lambda size: "a=1;" * (size // 4),
    "many braces": lambda size: "{a,b}" * (size // 5),
    "many redirections": lambda size: "echo x > y;" * (size // 11),
}


def main() -> None:
    """Print the corpus, the latency and the growth."""
    guard_corpus.main()
    show("Commands in disguise, and harmless ones", rates())
    with tempfile.TemporaryDirectory(prefix="ultra-bench-") as folder:
        _latency(Path(folder).resolve())
    _growth()


class _Cell:
    """One command line with its standard input, started in one folder."""

    def __init__(self, command: Sequence[str | Path], cwd: Path, stdin: bytes = b"", guard: str = "") -> None:
        self.command = [str(word) for word in command]
        self.cwd = cwd
        self.stdin = stdin
        self.guard = guard
        self.wall: list[float] = []
        self.processor: list[float] = []
        self.said = b""

    def run(self, env: Mapping[str, str]) -> None:
        """Run it once; processor time is what a busy machine does not change."""
        changes = {"PWD": str(self.cwd), "CLAUDE_PROJECT_DIR": str(self.cwd)}
        changes |= {"CLAUDE_PLUGIN_OPTION_GUARD": self.guard} if self.guard else {}
        used, start = _processor(), time.perf_counter()
        done = subprocess.run(
            self.command,
            input=self.stdin,
            cwd=self.cwd,
            env={**env, **changes},
            capture_output=True,
            check=True,
        )
        self.wall.append(time.perf_counter() - start)
        self.processor.append(_processor() - used)
        self.said = done.stdout


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _latency(folder: Path) -> None:
    bundles, _ = checked(SourceTree(Path("plugin_src")), "dist")
    write(bundles, folder / "dist")
    runs, free = _repository(folder / "runs"), _repository(folder / "free")
    lock = {"root": str(runs), "plan": "plan.md", "project": None, "owner": {"session": SESSION}}
    (runs / ".git/ultra").mkdir()
    (runs / ".git/ultra/run.json").write_text(json.dumps(lock))
    python = str(Path(sys.executable).resolve())
    hook: list[str | Path] = [
        python,
        "-I",
        "-S",
        "-X",
        "utf8",
        folder / f"dist/{NAME}/runtime/ultra_runtime/hooks/guard.py",
    ]
    peer: list[str | Path] = ["node", _peer(), "hook", "--claude-code"]
    cells = {
        "python3 -I -S -c pass": _Cell([python, "-I", "-S", "-c", "pass"], free),
        "outside a run, harmless": _Cell(hook, free, _call(HARMLESS, free)),
        "outside a run, dangerous": _Cell(hook, free, _call(DANGEROUS, free)),
        "in a run, harmless": _Cell(hook, runs, _call(HARMLESS, runs)),
        "in a run, dangerous": _Cell(hook, runs, _call(DANGEROUS, runs)),
        LARGE: _Cell(hook, runs, _call(ordinary(LARGE_SIZE), runs)),
        "in a run, dangerous and nested": _Cell(hook, runs, _call(NESTED, runs)),
        "guard=always, harmless": _Cell(hook, free, _call(HARMLESS, free), "always"),
        "guard=always, dangerous": _Cell(hook, free, _call(DANGEROUS, free), "always"),
        "node -e 0": _Cell(["node", "-e", "0"], free),
        f"{PEER}, harmless": _Cell(peer, free, _call(HARMLESS, free)),
        f"{PEER}, dangerous": _Cell(peer, free, _call(DANGEROUS, free)),
    }
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "CLAUDE_CODE_SESSION_ID": SESSION}
    for _ in range(ROUNDS + 1):  # in turns, so that a busy moment of the machine meets all of them
        for cell in cells.values():
            cell.run(env)
    stopped = [name for name, cell in cells.items() if b'"deny"' in cell.said]
    if stopped != [
        "in a run, dangerous",
        "in a run, dangerous and nested",
        "guard=always, dangerous",
        f"{PEER}, dangerous",
    ]:
        sys.exit(f"bench: the wrong calls were denied: {stopped}")
    bare = cells["python3 -I -S -c pass"]
    rows = []
    for name, cell in cells.items():
        ratios = [
            median(mine[1:]) / median(theirs[1:])
            for mine, theirs in ((cell.processor, bare.processor), (cell.wall, bare.wall))
        ]
        rows.append((name, f"{ratios[0]:5.2f} x bare by processor time, {ratios[1]:5.2f} by the clock"))
    show(f"Before every call: median of {ROUNDS} in turns, {PEER} {PEER_VERSION} on the same", rows)


def _repository(folder: Path) -> Path:
    return make_repository(folder)


def _call(command: str, cwd: Path) -> bytes:
    payload = {
        "session_id": SESSION,
        "transcript_path": "/home/user/.claude/projects/x/t.jsonl",
        "cwd": str(cwd),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "Run it"},
        "tool_use_id": "toolu_01",
    }
    return json.dumps(payload).encode()


def _peer() -> Path:
    """Return the program of the peer, fetched once by name."""
    program = PEERS.absolute() / "node_modules" / PEER / "dist/bin/cc-safety-net.js"
    if not program.exists():
        print(f"fetching {PEER} into {PEERS} ...", file=sys.stderr)
        PEERS.mkdir(parents=True, exist_ok=True)
        words = ["npm", "install", "--silent", "--no-save", "--no-audit", "--no-fund", "--prefix", str(PEERS)]
        subprocess.run([*words, f"{PEER}@{PEER_VERSION}"], check=True)
    return program


def _growth() -> None:
    table = policy()
    rows = []
    for name, make in HARD.items():
        times = []
        for size in SIZES:
            text = make(size)
            start = time.perf_counter()
            verdict_for(text, table)
            times.append(time.perf_counter() - start)
        rows.append(
            (name, f"{times[1] / times[0]:4.1f} times, {times[1] * 1000:6.0f} ms for {SIZES[1] // 1000} kB")
        )
    show(f"Hard text, {SIZES[1] // SIZES[0]} times as long, takes", rows)
