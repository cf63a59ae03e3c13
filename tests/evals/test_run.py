"""What `make eval` says and asks before it lets the client spend anything."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.client.session import Completed, Home, run
from tests.evals.cases import Case, read_cases, selected, why_no_bash
from tests.evals.plays import GUARDS
from tests.evals.run import SCRATCH
from tests.evals.test_evals import evaluate
from tests.evals.theatre import Theatre
from tests.kit.names import ROOT

CASES = (
    Case("brief-usage", ("command",), ("Read",), 1),
    Case("guard-paths", ("guard",), ("Write",), 1),
    Case("guard-commands", ("guard-shell",), ("Bash",), 2),
)


@pytest.fixture
def without_sandbox(tmp_path: Path) -> str:
    """Return a PATH on which everything is but the two programs of the sandbox."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for place in reversed(os.environ["PATH"].split(os.pathsep)):
        for program in Path(place).glob("*"):
            link = folder / program.name
            link.unlink(missing_ok=True)
            if program.name not in ("bwrap", "socat"):
                link.symlink_to(program)
    return str(folder)


def make_eval(home: Home, plugin: Path, *words: str, **variables: str) -> Completed:
    """Run it with a client that only says how it was called, and a model that is not on this machine."""
    client = home.root / "client"
    client.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\ncommand -v ultra\n')
    client.chmod(0o755)
    environment = {**home.environment(), "ANTHROPIC_BASE_URL": "https://example.invalid", **variables}
    command = [sys.executable, "-m", "tests.evals.run", "--plugin", str(plugin), "--client", str(client)]
    return run([*command, "--scratch", str(home.root / "scratch"), *words], environment, ROOT, 60)


def test_nothing_is_spent_without_a_yes(home: Home, bundle: Path) -> None:
    told = make_eval(home, bundle, "--case", "*-usage")
    assert (told.status, told.stdout) == (1, "")
    assert told.stderr.splitlines() == [
        "6 cases, 6 runs in all: roughly 0.2 million tokens read (most of them from the cache) and 12,000 written,"
        " on your account; no run is begun beyond 10 USD.",
        "Nothing was run. `make eval ARGS=--yes` runs it without a question.",
    ]


def test_the_client_gets_the_bundle_on_its_path_and_what_was_asked_for(home: Home, bundle: Path) -> None:
    words = ["--yes", "--case", "*-usage", "--runs", "3", "--ablation", "with-without", "--model", "haiku"]
    told = make_eval(home, bundle, *words)
    assert told.status == 0
    assert "6 cases, 36 runs in all" in told.stderr
    said = told.stdout.splitlines()
    plugin = Path(said[2])
    assert (plugin.name, Path(said[-1])) == (bundle.name, plugin / "bin/ultra")
    assert " ".join(said[3:-1]) == (
        f"--trust-plugin --scaffold --no-publish --ablation with-without --max-cost-usd 10 --concurrency 2"
        f" --output-dir {ROOT}/.evals --case *-usage --tag command --runs 3 --allow-tools Write Edit"
        f"{' Bash' if not why_no_bash(home.root) else ''} --model haiku"
    )
    assert not plugin.exists()


def test_what_fits_nothing_is_a_sentence(home: Home, bundle: Path) -> None:
    told = make_eval(home, bundle, "--case", "guard-nothing")
    assert (told.status, told.stderr) == (1, f"No case of {bundle} fits what was asked for.\n")


@pytest.mark.soak
def test_without_a_sandbox_the_cases_that_need_bash_are_skipped_and_the_others_pass(
    bundle: Path, home: Home, client_binary: Path, without_sandbox: str
) -> None:
    with Theatre(bundle, GUARDS) as theatre:
        told = evaluate(theatre, bundle, home, client_binary, "--case", "guard-*s", PATH=without_sandbox)
    skipped = "guard-commands, guard-run-files"
    assert f"Skipped, since they need Bash and bwrap is not installed: {skipped}.\n" in told.completed.stderr
    assert told.scores == {"guard-agent-answers": 1.0, "guard-paths": 1.0}, str(told)
    assert told.completed.status == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has its sandbox from elsewhere")
def test_why_there_is_no_bash(monkeypatch: pytest.MonkeyPatch, without_sandbox: str) -> None:
    monkeypatch.setenv("PATH", without_sandbox)
    assert why_no_bash(SCRATCH) == "bwrap is not installed"
    for program in ("bwrap", "socat"):
        (Path(without_sandbox) / program).symlink_to(shutil.which("false") or "/bin/false")
    assert why_no_bash(Path("/tmp/evals")) == "/tmp/evals lies where the client's sandbox cannot write"
    assert why_no_bash(Path("/srv/evals")).startswith("bwrap does not work here")


@pytest.mark.parametrize(
    ("glob", "tags", "names"),
    [
        ("*", (), "brief-usage guard-paths guard-commands"),
        ("guard-*", (), "guard-paths guard-commands"),
        ("guard-path?", (), "guard-paths"),
        ("*", ("guard", "guard-shell"), "guard-paths guard-commands"),
        ("*-usage", ("guard",), ""),
        ("brief.usage", (), ""),
    ],
)
def test_cases_are_chosen_as_the_client_does(glob: str, tags: tuple[str, ...], names: str) -> None:
    assert [case.name for case in selected(CASES, glob, tags)] == names.split()


def test_the_readme_says_what_it_costs(bundle: Path) -> None:
    cases = read_cases(bundle)
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert f"login: {len(cases)} cases" in readme
    assert f"roughly {sum(case.runs * case.tokens for case in cases) / 1e6:.1f} million tokens" in readme


def test_tags_say_which_cases_need_bash(bundle: Path) -> None:
    kinds = {"command", "guard"}
    for case in read_cases(bundle):
        kind = case.name.partition("-")[0]
        kind = kind if kind in kinds else "command"
        assert case.tags == (f"{kind}-shell" if case.needs_bash else kind,), case
