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
from tests.kit.names import NAME, ROOT

PLUGIN = ROOT / "dist" / NAME
RESULTS = ROOT / ".evals"
OLDEST = (2, 1, 269)
"""The first client that has `plugin eval`."""
CEILING = "10"
SCRATCH = Path.home() / ".cache" / "ultra-suite" / "evals"
GRANTED = ("Write", "Edit")


class Refused(Exception):
    """Say in one sentence why nothing is run."""


def main(words: Sequence[str] | None = None) -> int:
    """Say what will run and what it costs, ask, and let the client run it."""
    options, rest = parser().parse_known_args(words)
    try:
        reason = why_no_bash(options.scratch)
        cases = choose(options, reason)
        client = options.client or find_client()
        say(cost(cases, options))
        ask(options)
        return evaluate(client, options, [*call(options, cases, not reason), *rest])
    except Refused as refusal:
        say(str(refusal))
        return 1
    except KeyboardInterrupt:
        return 130


def choose(options: argparse.Namespace, reason: str) -> list[Case]:
    """Return the cases that were asked for and can run here, and say which ones cannot."""
    chosen = selected(read_cases(options.plugin), options.case, options.tag)
    if not chosen:
        raise Refused(f"No case of {options.plugin} fits what was asked for.")
    skipped = [case.name for case in chosen if reason and case.needs_bash]
    if skipped:
        say(f"Skipped, since they need Bash and {reason}: {', '.join(skipped)}.")
    if len(skipped) == len(chosen):
        raise Refused("No case is left to run.")
    return [case for case in chosen if case.name not in skipped]


def evaluate(client: Path, options: argparse.Namespace, words: Sequence[str]) -> int:
    """Run the client and return its status."""
    try:
        options.scratch.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(
            f"{options.scratch} cannot be made: {error.strerror}; name another with --scratch."
        ) from None
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        # Of a copy, since the client keeps the transcript of a continued session beside the case's history.
        plugin = Path(shutil.copytree(options.plugin, Path(folder) / options.plugin.name))
        env = environment(plugin, Path(folder))
        # The client gives up if byte code is written while it looks at the plugin, and `python3 -I` writes it in any case.
        subprocess.run(["python3", "-m", "compileall", "-q", str(plugin)], env=env, check=False)
        command = [str(client), "plugin", "eval", str(plugin), *words]
        return subprocess.run(command, env=env, check=False).returncode


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


def call(options: argparse.Namespace, cases: Sequence[Case], has_sandbox: bool) -> list[str]:
    """Return the client's words for what was chosen."""
    words = ["--trust-plugin", "--scaffold", "--no-publish"]
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


def find_client() -> Path:
    """Return the person's own client when it is new enough, else the one of the tests."""
    own = shutil.which("claude")
    if own:
        told = subprocess.run([own, "--version"], capture_output=True, text=True, timeout=60, check=False)
        if tuple(map(int, re.findall(r"\d+", told.stdout)[:3])) >= OLDEST:
            return Path(own)
    fetched = find()
    if fetched is None:
        oldest = ".".join(map(str, OLDEST))
        raise Refused(
            f"No client {oldest} or newer is here: run `.venv/bin/python tests/client/binary.py fetch`."
        )
    return fetched


def is_loopback(environment: Mapping[str, str]) -> bool:
    """Tell whether the model is on this machine, where nothing is billed."""
    return urlsplit(environment.get("ANTHROPIC_BASE_URL", "")).hostname in ("127.0.0.1", "localhost", "::1")


def ask(options: argparse.Namespace) -> None:
    """Let nobody pay who did not say so."""
    if options.yes or is_loopback(os.environ):
        return
    if sys.stdin.isatty():
        print("Run it? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
    raise Refused("Nothing was run. `make eval ARGS=--yes` runs it without a question.")


def say(line: str) -> None:
    """Tell the person; the standard output is the client's."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
