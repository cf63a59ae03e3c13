"""The topics of a brief and the files that answer them: by number, by question, and with enough confidence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ultra_runtime.tables.fields import brief_fields

from tests.kit.quick import examples
from ultra_runtime.contract.result import parsed_key
from ultra_runtime.research.evidence import ENOUGH
from ultra_runtime.research.topics import Topic, file_number, topics_of, unanswered

QUESTION, NEEDED = brief_fields.TOPICS_RESEARCH_QUESTION, brief_fields.TOPICS_CONFIDENCE_NEEDED


@pytest.mark.parametrize("needed", [*ENOUGH, "", "odd"])
@given(confidence=st.none() | st.floats(0, 1))
def test_an_answer_is_enough_from_the_number_on_that_the_brief_asks_for(
    needed: str, confidence: float | None
) -> None:
    topic = Topic(1, {parsed_key(NEEDED): needed})
    topic.confidence = confidence
    least = {"high": 0.75, "medium": 0.5, "low": 0.25}.get(needed, 0.0)
    assert topic.enough == (confidence is None or confidence >= least)


@given(number=st.integers(0, 10**6), zeros=st.integers(0, 2), rest=st.text("ab-.", max_size=5))
@settings(max_examples=examples(300))
def test_the_number_of_a_file_is_what_comes_before_its_first_hyphen(
    number: int, zeros: int, rest: str
) -> None:
    digits = "0" * zeros + str(number)
    assert file_number(f"{digits}-{rest}") == number
    for other in (f"x{digits}-{rest}", f"{digits}x-{rest}", f"-{digits}", f"{digits}²-x", "9" * 5000 + "-x"):
        assert file_number(other) is None


def test_a_file_answers_the_topic_with_its_number_and_its_question(tmp_path: Path) -> None:
    texts = {
        "01-old.md": "question: Another?\nconfidence: 0.9",
        "01-why.md": "question: '**Why**  now?'\nconfidence: 0.6",
        "01-zero.md": "question: Another?\nconfidence: 0.9",
        "02-how.md": "question: Another?\nconfidence: 0.9",
        "03-bare.md": "confidence: high",
        ".04-hidden.md": "confidence: 0.9",
        "04-note.txt": "confidence: 0.9",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(f"---\n{text}\n---\n")
    rows = [{"number": number, parsed_key(QUESTION): "Why now?"} for number in (1, 2, 3, 4)]
    topics = topics_of({brief_fields.PART_TOPICS: [*rows, {"title": "without a number"}]}, str(tmp_path))
    assert [(one.number, one.file, one.fits, one.confidence) for one in topics] == [
        (1, "01-why.md", True, 0.6),
        (2, "02-how.md", False, None),
        (3, "03-bare.md", True, None),
        (4, "", False, None),
    ]
    assert [one.number for one in unanswered(topics)] == [2, 4]
    assert topics_of(None, str(tmp_path)) == []
