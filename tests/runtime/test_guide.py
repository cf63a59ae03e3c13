"""`ultra guide` prints what the bundle holds and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.conftest import Runner, write_files


@pytest.fixture
def guides(own_bundle: Path, repo: Path, python: Path) -> Runner:
    files = {
        "guides/short.md": "# Short é\n",
        "guides/long/one.md": "# One\n",
        "guides/long/two.md": "# Two\n",
    }
    write_files(
        own_bundle, {**files, "guides/long/notes.txt": "", "secret.md": "no", "guides/empty/x.txt": ""}
    )
    return Runner(own_bundle, repo, python)


def test_a_guide_and_its_phases(guides: Runner) -> None:
    assert guides("guide", "short").out == "# Short é\n"
    assert guides("guide", "short", "--json").data == {"ok": True, "command": "short", "text": "# Short é\n"}
    assert guides("guide", "long", "two").out == "# Two\n"
    assert guides("guide", "long", "two", "--json").data["phase"] == "two"
    told = guides("guide", "long", "--json")
    assert (told.status, told.data["phases"]) == (0, ["one", "two"])
    assert guides("guide", "long").out.startswith("The phases of long are one and two")


def test_the_cases_of_continue_are_there(ultra: Runner) -> None:
    for phase in ("none", "broken", "ambiguous"):
        assert ultra("guide", "continue", phase).out.startswith("# ")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["x"], "there is no guide x: there are guides for "),
        (["long", "three"], "there is no guide long three: the phases of long are one and two"),
        (["long", "notes"], "there is no guide long notes: the phases of long are one and two"),
        (["short", "one"], "there is no guide short one: "),
        (["empty"], "there is no guide empty: "),
        ([".."], "there is no guide ..: "),
        (["../secret"], "there is no guide ../secret: "),
        (["..", "secret"], "there is no guide .. secret: "),
        (["long", "../short"], "there is no guide long ../short: "),
        (["long", "../../secret"], "there is no guide long ../../secret: "),
        (["/etc", "passwd"], "there is no guide /etc passwd: "),
        ([".", "short"], "there is no guide . short: "),
        (["", "short"], "there is no guide  short: "),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(guides: Runner, words: list[str], error: str) -> None:
    told = guides("guide", *words, "--json")
    assert told.status == 1
    assert told.data["ok"] is False
    assert told.data["error"].startswith(error)


def test_a_bundle_without_guides(own_bundle: Path, repo: Path, python: Path) -> None:
    (own_bundle / "guides").rename(own_bundle / "moved")
    told = Runner(own_bundle, repo, python)("guide", "continue", "--json")
    assert (told.status, told.data["error"]) == (
        1,
        "there is no guide continue: there are guides for nothing, and `agent NAME`",
    )
