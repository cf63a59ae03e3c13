"""Run the evals of the built plugin: `make eval` with a real model, the tests with a scripted one."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from tests.client.binary import find
from tests.evals.cases import Case, read_cases, selected, why_no_bash

ROOT = Path(__file__).parent.parent.parent
PLUGIN = ROOT / "dist" / "ultraplan-local"
RESULTS = ROOT / ".evals"
OLDEST = (2, 1, 269)
"""The first client that has `plugin eval`."""
CEILING = "10"
SCRATCH = Path.home() / ".cache" / "ultra-suite" / "evals"
GRANTED = ("Write", "Edit")


def main(words: Sequence[str] | None = None) -> int:
    """Say what will run and what it costs, ask, and let the client run it."""
    options, rest = parser().parse_known_args(words)
    chosen = selected(read_cases(options.plugin), options.case, options.tag)
    reason = why_no_bash(options.scratch)
    cases = [case for case in chosen if not (reason and case.needs_bash)]
    if len(cases) < len(chosen):
        names = ", ".join(case.name for case in chosen if case not in cases)
        say(f"Skipped, since they need Bash and {reason}: {names}.")
    if not cases:
        say("No case is left to run.")
        return 1
    client = options.client or find_client()
    if client is None:
        numbers = ".".join(map(str, OLDEST))
        say(
            f"There is no client {numbers} or newer: install one, or run `python tests/client/binary.py fetch`."
        )
        return 1
    say(cost(cases, options))
    if not (options.yes or is_loopback(os.environ) or agreed()):
        say("Nothing was run. `make eval ARGS=--yes` runs it without a question.")
        return 1
    options.scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        # Of a copy, since the client keeps the transcript of a continued session beside the case's history.
        plugin = Path(shutil.copytree(options.plugin, Path(folder) / options.plugin.name))
        command = [str(client), *call(options, plugin, cases, not reason), *rest]
        return subprocess.run(command, env=environment(plugin, Path(folder)), check=False).returncode


def parser() -> argparse.ArgumentParser:
    """Know the options that change what is run; all others go to the client as they are."""
    known = argparse.ArgumentParser(
        prog="make eval",
        description=__doc__,
        epilog="Every other option is the client's.",
        allow_abbrev=False,
    )
    known.add_argument("--yes", action="store_true", help="do not ask before tokens are spent")
    known.add_argument("--plugin", type=Path, default=PLUGIN, help="the plugin folder")
    known.add_argument("--client", type=Path, help="the client's binary")
    known.add_argument("--case", default="*", help="run the cases whose name matches")
    known.add_argument("--tag", nargs="+", default=[], help="run the cases that have one of the tags")
    known.add_argument("--runs", type=int, help="run each case so often")
    known.add_argument("--ablation", choices=["none", "with-without"], default="none")
    known.add_argument("--max-cost-usd", default=CEILING)
    known.add_argument("-j", "--concurrency", default="2")
    known.add_argument("--scratch", type=Path, default=SCRATCH, help="where the cases get their folders")
    known.add_argument("--output-dir", type=Path, default=RESULTS)
    return known


def call(options: argparse.Namespace, plugin: Path, cases: Sequence[Case], has_sandbox: bool) -> list[str]:
    """Return the client's words for what was chosen."""
    words = ["plugin", "eval", str(plugin), "--trust-plugin", "--scaffold", "--no-publish"]
    words += ["--ablation", options.ablation, "--max-cost-usd", options.max_cost_usd]
    words += ["--concurrency", options.concurrency, "--output-dir", str(options.output_dir)]
    words += ["--case", options.case, "--tag", *sorted({tag for case in cases for tag in case.tags})]
    words += ["--runs", str(options.runs)] if options.runs else []
    return [*words, "--allow-tools", *GRANTED, *(["Bash"] if has_sandbox else [])]


def environment(plugin: Path, scratch: Path) -> dict[str, str]:
    """Return the person's own environment, with the bundle's programs on the PATH as a session has them."""
    path = f"{plugin / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "TMPDIR": str(scratch)}


def cost(cases: Sequence[Case], options: argparse.Namespace) -> str:
    """Return one line about what the runs will take."""
    arms = 2 if options.ablation == "with-without" else 1
    runs = sum((options.runs or case.runs) * arms for case in cases)
    tokens = sum((options.runs or case.runs) * arms * case.tokens for case in cases)
    return (
        f"{len(cases)} cases, {runs} runs in all: roughly {tokens / 1e6:.1f} million tokens read (most of them from the"
        f" cache) and {runs * 2_000:,} written, on your account; no run is begun beyond {options.max_cost_usd} USD."
    )


def find_client() -> Path | None:
    """Return the person's own client when it is new enough, else the one of the tests."""
    own = shutil.which("claude")
    if own:
        told = subprocess.run(
            [own, "--version"], capture_output=True, text=True, timeout=60, check=False
        ).stdout
        if tuple(map(int, re.findall(r"\d+", told)[:3])) >= OLDEST:
            return Path(own)
    return find()


def is_loopback(environment: Mapping[str, str]) -> bool:
    """Tell whether the model is on this machine, where nothing is billed."""
    return urlsplit(environment.get("ANTHROPIC_BASE_URL", "")).hostname in ("127.0.0.1", "localhost", "::1")


def agreed() -> bool:
    """Ask, where somebody can answer."""
    if not sys.stdin.isatty():
        return False
    print("Run it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def say(line: str) -> None:
    """Tell the person; the standard output is the client's."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
