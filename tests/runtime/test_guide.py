"""`ultra guide` prints what the bundle holds and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.calls import Ultra
from tests.kit.files import write_tree


@pytest.fixture
def guides(own_bundle: Path, repo: Path, python: Path) -> Ultra:
    files = {
        "guides/short.md": "# Short é\n",
        "guides/long/one.md": "# One\n",
        "guides/long/two.md": "# Two\n",
    }
    write_tree(
        own_bundle, {**files, "guides/long/notes.txt": "", "secret.md": "no", "guides/empty/x.txt": ""}
    )
    return Ultra(own_bundle, repo, python)


def test_a_guide_and_its_phases(guides: Ultra) -> None:
    assert guides.say("guide", "short").out == "# Short é\n"
    assert guides("guide", "short").data == {"ok": True, "command": "short", "text": "# Short é\n"}
    assert guides.say("guide", "long", "two").out == "# Two\n"
    assert guides("guide", "long", "two").data["phase"] == "two"
    told = guides("guide", "long")
    assert (told.status, told.data["phases"]) == (0, ["one", "two"])
    assert guides.say("guide", "long").out.startswith("The phases of long are one and two")


def test_without_a_name_the_guides_and_agents_are_listed(guides: Ultra) -> None:
    data = guides("guide").data
    assert {"short", "long"} <= set(data["commands"])
    assert "brief-reviewer" in data["agents"]
    assert "; print one with: ultra guide COMMAND\n" in guides.say("guide").out


def test_the_cases_of_continue_are_there(ultra: Ultra) -> None:
    for phase in ("none", "broken", "ambiguous"):
        assert ultra.say("guide", "continue", phase).out.startswith("# ")


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
def test_what_is_not_there_is_refused_with_what_is(guides: Ultra, words: list[str], error: str) -> None:
    told = guides("guide", *words)
    assert told.status == 1
    assert told.data["ok"] is False
    assert told.data["error"].startswith(error)


def test_a_bundle_without_guides(own_bundle: Path, repo: Path, python: Path) -> None:
    (own_bundle / "guides").rename(own_bundle / "moved")
    told = Ultra(own_bundle, repo, python)("guide", "continue")
    assert (told.status, told.data["error"]) == (
        1,
        "there is no guide continue: there are guides for nothing, and `agent NAME`",
    )
