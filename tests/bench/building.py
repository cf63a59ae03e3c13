"""Rendering many commands: ours against copier and cookiecutter on the same files, and a build with nothing to do."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from statistics import median

from tests.bench.measure import Run, run, show
from tests.generator.sample import sample
from tests.kit.files import write_tree

ENVIRONMENT = Path(".bench/venv")
PEERS = ("copier==9.19.1", "cookiecutter==2.7.1")
SIZES = (1_000, 5_000)
ROUNDS = 5
"""Runs of each program, in turns, of which the median counts."""
TEXT = """\
---
description: Command number NUMBER of the tools that {{ %(name)s }} offers to its people
allowed-tools: Read
---
# Command NUMBER

This is {{ %(title)s }}, and it does what number NUMBER does.
{%% if %(name)s %%}

## How

{%% for word in ("read", "think", "write") %%}
- {{ word }} about number NUMBER for {{ %(name)s }}
{%% endfor %%}
{%% endif %%}

Ask {{ %(title)s }} when something is not clear, and stop when it is done.
"""


def main() -> None:
    """Print the figures for every size."""
    peers = _peers()
    whole = []
    for count in SIZES:
        with tempfile.TemporaryDirectory(prefix="ultra-bench-") as folder:
            several = [_compare(Path(folder) / str(turn), count, peers, turn) for turn in range(ROUNDS)]
        full, again, copier, cookiecutter, changed = (_median(one) for one in zip(*several, strict=True))
        whole.append(full)
        show(
            f"{count} commands, a whole build: load, render, check, write, zip ({full.seconds:.2f} s here, medians of {ROUNDS})",
            [
                ("against copier", _ratio(full, copier)),
                ("against cookiecutter", _ratio(full, cookiecutter)),
                ("with nothing to do", f"{again.processor / full.processor:.2f} of a full build"),
                ("with one template changed", f"{changed.processor / full.processor:.2f} of a full build"),
                ("memory", f"{full.peak_mb:.0f} MB, {full.peak_mb * 1000 / count:.0f} kB a command"),
            ],
        )
    small, large = whole
    show(
        f"From {SIZES[0]} to {SIZES[1]} commands",
        [("processor time grows", f"{large.processor / small.processor:.1f} times")],
    )


def _median(runs: Sequence[Run]) -> Run:
    return Run(*(median(values) for values in zip(*map(astuple, runs), strict=True)))


def _ratio(ours: Run, theirs: Run) -> str:
    by_clock, by_processor = ours.seconds / theirs.seconds, ours.processor / theirs.processor
    return f"{by_clock:.2f} of its time, {by_processor:.2f} of its processor time"


def _compare(folder: Path, count: int, peers: Path, turn: int) -> tuple[Run, Run, Run, Run, Run]:
    print(f"rendering {count} commands three ways, {turn + 1} of {ROUNDS} ...", file=sys.stderr)
    _write_ours(folder / "ours", count)
    _write_copier(folder / "copier", count)
    _write_cookiecutter(folder / "cookie", count)
    ours = [sys.executable, "-m", "ultra_plugin", "build"]
    own_cache = {"XDG_CACHE_HOME": str(folder / "cache")}
    full, again = (run(ours, folder / "ours", own_cache) for _ in range(2))
    copier = run([peers / "copier", "copy", "--quiet", "--defaults", "copier", "out-copier"], folder)
    cookiecutter = run([peers / "cookiecutter", "--no-input", "cookie"], folder)
    made = [_rendered(folder / name) for name in ("ours/dist/acme-plan", "out-copier", "acme-plan")]
    if len(made[0]) != count or made[1:] != made[:1] * 2:
        sys.exit("bench: they did not render the same files")
    command = folder / "ours/plugin_src/plugins/acme-plan/commands/c7.md.j2"
    command.write_text(f"{command.read_text()}\nMore.\n")
    changed = run(ours, folder / "ours", own_cache)
    shutil.rmtree(folder)
    return full, again, copier, cookiecutter, changed


def _rendered(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "commands").glob("c[0-9]*.md")}


def _text(number: int, name: str, title: str) -> str:
    return (TEXT % {"name": name, "title": title}).replace("NUMBER", str(number))


def _write_ours(root: Path, count: int) -> None:
    commands = {
        f"plugins/acme-plan/commands/c{n}.md.j2": _text(n, "plugin.name", "plugin.title")
        for n in range(count)
    }
    write_tree(root / "plugin_src", {**sample(), **commands})


def _write_copier(root: Path, count: int) -> None:
    commands = {f"commands/c{n}.md.jinja": _text(n, "name", "title") for n in range(count)}
    settings = "_envops: {trim_blocks: true, lstrip_blocks: true, keep_trailing_newline: true}\n"
    settings += "name: {type: str, default: acme-plan}\ntitle: {type: str, default: Acme Plan}\n"
    write_tree(root, {"copier.yml": settings, **commands})


def _write_cookiecutter(root: Path, count: int) -> None:
    commands = {
        f"{{{{cookiecutter.name}}}}/commands/c{n}.md": _text(n, "cookiecutter.name", "cookiecutter.title")
        for n in range(count)
    }
    settings = {
        "name": "acme-plan",
        "title": "Acme Plan",
        "_jinja2_env_vars": {"trim_blocks": True, "lstrip_blocks": True},
    }
    write_tree(root, {"cookiecutter.json": json.dumps(settings), **commands})


def _peers() -> Path:
    """Return the bin folder of an environment of the bench's own that holds the peers."""
    if not (ENVIRONMENT / "ready").exists():
        print(f"fetching {', '.join(PEERS)} into {ENVIRONMENT} ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
        pip: list[str | Path] = [
            ENVIRONMENT / "bin/python",
            "-m",
            "pip",
            "--quiet",
            "--disable-pip-version-check",
            "install",
            *PEERS,
        ]
        subprocess.run(pip, check=True)
        (ENVIRONMENT / "ready").touch()
    return (ENVIRONMENT / "bin").absolute()
