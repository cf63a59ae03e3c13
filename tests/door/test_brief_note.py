"""The interview is kept question by question, counted, and set aside with the brief that came of it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.door.samples import BRIEF, answer
from tests.kit.calls import Ultra
from tests.kit.names import PROJECT
from ultra_runtime.brief.interview import AskedQuestion, open_sections

NOTE = ("brief", "note", "--project", PROJECT)
DRAFT = ("put", "brief", "--project", PROJECT, "--draft")
GATE = ("gate", "brief", "--project", PROJECT)


def test_each_answer_is_kept_and_what_is_open_is_said(ultra: Ultra, project: Path) -> None:
    told = ultra(*NOTE, "--section", "intent", given="Why?\nOne script takes all down.\n\nEvery week.\n").data
    assert (told["questions"], told["asked"], told["repeated"]) == (1, {"Intent": 1}, False)
    assert told["open"] == ["Goal", "Success Criteria", "Research Plan"]
    told = ultra(*NOTE, "--section", "Goal,## Success Criteria", given="What then?\nA budget.\n").data
    assert (told["questions"], told["open"]) == (2, ["Research Plan"])
    told = ultra(*NOTE, "--section", "Goal", given="what   then\nThe same.\n").data
    assert (told["repeated"], told["asked"]["Goal"], "asked before" in told["next"]) == (True, 2, True)
    shown = ultra(*NOTE).data
    assert [one["answer"] for one in shown["interview"]] == [
        "One script takes all down.\n\nEvery week.", "A budget.", "The same.",
    ]  # fmt: skip
    assert len((project / "logs/interview.jsonl").read_text().splitlines()) == 3


def test_four_sections_are_required_and_the_others_keep_nothing_open() -> None:
    required = ["Intent", "Goal", "Success Criteria", "Research Plan"]
    optional = ["Non-Goals", "Constraints", "Preferences", "Non-Functional Requirements", "Prior Attempts"]
    asked = [AskedQuestion([name], f"{name}?", "None.") for name in optional]
    assert open_sections(asked) == required
    assert open_sections([*asked, AskedQuestion(required, "All of it?", "Yes: because of x.")]) == []


@pytest.mark.parametrize(("answer", "full"), [("I don't know", False), ("Fewer outages", True)])
def test_one_word_and_not_knowing_leave_a_section_open(ultra: Ultra, answer: str, full: bool) -> None:
    sections = ["Intent", "Goal", "Success Criteria", "Research Plan"]
    told = ultra(*NOTE, "--section", ",".join(sections), given=f"What?\n{answer}").data
    assert told["open"] == ([] if full else sections[:3]), "the topics may be none, in a word"
    said = ultra(*NOTE, "--section", "Goal", "--short", given="What exactly?\nThat it is there.").data
    rest = {"line": "2 questions about 4 sections"} if full else {"open": ["Intent", "Success Criteria"]}
    assert said == {"ok": True, **rest}


@pytest.mark.parametrize(
    ("section", "given", "status", "said"),
    [
        ("Goals", "Why?\nx", 2, "did you mean Goal?"),
        ("Goal", "Why?\n", 1, "no answer below it"),
        ("Goal", "", 1, "no input"),
        ("Goal", "Which key?\nghp" + "_3Kq" + "a7Xb2Zc9Yd4We6Vf8Ug1Th5Si0Rj3Qk7P", 1, "looks like a secret"),
    ],
)
def test_what_is_no_note_is_not_kept(
    ultra: Ultra, project: Path, section: str, given: str, status: int, said: str
) -> None:
    told = ultra(*NOTE, "--section", section, given=given)
    assert (told.status, said in told.data["error"]) == (status, True)
    assert list(project.iterdir()) == []


def test_the_gate_counts_the_questions_and_begins_a_new_interview(ultra: Ultra, project: Path) -> None:
    ultra(*NOTE, "--section", "Intent", given="Why?\nSo.")
    ultra(*DRAFT, given=BRIEF)
    told = ultra(*GATE, given=answer({"testability": 2})).data
    assert told["interview_file"] == f"{PROJECT}/logs/interview.jsonl"
    ultra(*NOTE, "--section", "Success Criteria", given="Which number?\n100.")
    ultra(*DRAFT, "--section", "Goal", given="Another.")
    told = ultra(*GATE, given=answer()).data
    assert (told["passed"], told["interview_turns"], "interview_file" in told) == (True, 2, False)
    text = (project / "brief.md").read_text()
    assert "\ninterview_turns: 2\n" in text
    assert "\nsource: interview\n" in text
    assert ultra(*NOTE).data["questions"] == 0
    assert len((project / "logs/interview.jsonl.prev").read_text().splitlines()) == 2


def test_an_interview_that_was_cut_off_is_offered(ultra: Ultra, repo: Path) -> None:
    new = ("project", "new", "rate-limit", "--date", "2026-01-31")
    assert ultra(*new).data["ok"] is True
    ultra(*NOTE, "--section", "Intent", given="Why?\nSo.")
    told = ultra(*new).data
    assert (told["ok"], told["interview_turns"]) == (False, 1)
    assert f"`ultra brief note --project {PROJECT}`" in told["next"]


def test_a_new_interview_may_begin_in_the_place_of_one_that_was_cut_off(ultra: Ultra, project: Path) -> None:
    ultra(*NOTE, "--section", "Intent", given="Why?\nSo.")
    told = ultra(*NOTE, "--section", "Goal", "--anew", given="What?\nThat.").data
    assert (told["questions"], told["asked"]) == (1, {"Goal": 1})
    assert "So." in (project / "logs/interview.jsonl.prev").read_text()


def test_notes_at_once_are_all_kept(ultra: Ultra, project: Path) -> None:
    calls = [
        subprocess.Popen(
            [ultra.command, *NOTE, "--section", "Goal", "--json"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ultra.folder, env=ultra.env,
        )
        for _ in range(5)
    ]  # fmt: skip
    told = [json.loads(call.communicate(f"Question {n}?\nx".encode(), 60)[0]) for n, call in enumerate(calls)]
    assert sorted(one["questions"] for one in told) == [1, 2, 3, 4, 5]
