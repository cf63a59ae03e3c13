"""The run that the page on waves shows: two waves, in which one session says that it is done and is not."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.flagship.recording import Recording
from tests.flagship.test_whole_way import agrees_with
from tests.kit.names import ROOT
from tests.waves.sample import PLAN, TWO_WAVES, Waves

Make = Callable[..., Waves]
PLACE = ROOT / "plugin_src/fragments/waves-session.md.j2"
HEAD = (
    "{# Recorded by tests/waves/test_recording.py; `make tutorial` records it anew. Not edited by hand. #}\n"
)
TITLES = {"Part 1": "The limiter", "Part 2": "The admin panel", "Part 3": "The handbook"}


@pytest.mark.soak
def test_the_page_on_waves_shows_what_happens(make: Make) -> None:
    text = TWO_WAVES
    for old, new in TITLES.items():
        text = text.replace(old, new)
    repo = make(text)
    repo.play({"1": ["gate"], "2": ["gate", "honest"]})
    gate = repo.play_file.with_name("gate")
    told = {
        "show": say(repo, f"waves show {PLAN} --jobs 2"),
        "start": say(repo, f"waves start {PLAN} --jobs 2"),
    }
    repo.eventually(lambda: repo.say("waves", "wait", "--seconds", "0.1").out.count("step 1/1") == 2)
    told["running"] = say(repo, "waves wait --seconds 0.1")
    gate.write_text("open\n")
    assert repo.wait()["result"] == "completed"
    told["over"], _, coming = say(repo, "waves wait").rpartition("\nNext: ")
    assert coming == f"tell the user; to continue: {repo.ok('status')['next']}\n"
    told["log"] = "$ git log --first-parent --format=%s\n" + repo.git("log", "--first-parent", "--format=%s")
    told["report"] = repo.read(repo.ok("waves wait")["report"])
    rows = [row.partition(" ") for row in repo.git("log", "--format=%H %s").split("\n")]
    recording = Recording(repo.folder, {name: subject for name, _, subject in rows})
    for name, words in told.items():
        recording.keep(name, without_times(words))
    agrees_with(recording.template(HEAD), PLACE)


def without_times(words: str) -> str:
    """Return a text in which everything took a minute."""
    words = re.sub(r"\b\d+ (s|min)\b", "1 min", words)
    words = re.sub(r"\b\d+\.\d minutes\b", "1.0 minutes", words)
    return re.sub(r"(?m)^(\|(?: [^|]+ \|){4}) \d+\.\d \|", r"\1 1.0 |", words)


def say(repo: Waves, line: str) -> str:
    """Return what a person types and reads."""
    told = repo.say(*line.split())
    assert told.status == 0, told.err
    return f"$ ultra {line}\n{told.out}"
