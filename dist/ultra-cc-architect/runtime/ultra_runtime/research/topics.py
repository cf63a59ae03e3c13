"""The topics of a brief and the research files that answer them.

File NN answers topic N when its `question` has the words of the topic. A file about another question, such as one of
an earlier brief, leaves the topic open.
"""

from __future__ import annotations

import os

from ultra_runtime.contract.result import parsed_key
from ultra_runtime.files.regular_file import read_if_any
from ultra_runtime.files.root import names_in
from ultra_runtime.research.evidence import ENOUGH
from ultra_runtime.tables.fields import brief_fields, research_fields
from ultra_runtime.text import frontmatter
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.words import bare_words, text_of

SUFFIX = ".md"


class Topic:
    """One topic: what the brief asks, and the file with its number, if any."""

    __slots__ = (
        "confidence", "cost", "file", "fits", "needed", "number", "question", "scope", "steps", "title",
    )  # fmt: skip

    def __init__(self, number: int, values: Mapping[str, Any]) -> None:
        self.number = number
        self.title = text_of(values.get("title"))
        self.question = text_of(values.get(parsed_key(brief_fields.TOPICS_RESEARCH_QUESTION)))
        self.steps = text_of(values.get(parsed_key(brief_fields.TOPICS_REQUIRED_FOR_PLAN_STEPS)))
        self.scope = text_of(values.get(parsed_key(brief_fields.TOPICS_SCOPE)))
        self.needed = text_of(values.get(parsed_key(brief_fields.TOPICS_CONFIDENCE_NEEDED)))
        self.cost = text_of(values.get(parsed_key(brief_fields.TOPICS_ESTIMATED_COST)))
        self.file = ""
        self.fits = False
        self.confidence: float | None = None

    @property
    def enough(self) -> bool:
        """Return whether the confidence is as high as the brief asks; an answer without a number passes."""
        return self.confidence is None or self.confidence >= ENOUGH.get(self.needed, 0)


def topics_of(brief: Mapping[str, Any] | None, folder: str) -> list[Topic]:
    """Return the topics of a brief, each with its research file in a folder."""
    names = research_files(folder)
    found = []
    for values in (brief or {}).get(brief_fields.PART_TOPICS, ()):
        number = values.get("number")
        if number is not None:
            topic = Topic(number, values)
            for name in names:
                if file_number(name) == number and not topic.fits:
                    _look(topic, folder, name)
            found.append(topic)
    return found


def _look(topic: Topic, folder: str, name: str) -> None:
    """Note a file with the topic's number and whether it answers the question; a file without a question does."""
    topic.file = name
    values = frontmatter.parse(read_if_any(os.path.join(folder, name))).values or {}
    question, confidence = values.get(research_fields.QUESTION), values.get(research_fields.CONFIDENCE)
    topic.fits = not isinstance(question, str) or bare_words(question) == bare_words(topic.question)
    topic.confidence = confidence if topic.fits and isinstance(confidence, (int, float)) else None


def unanswered(topics: list[Topic]) -> list[Topic]:
    """Return the topics that no file answers."""
    return [topic for topic in topics if not topic.fits]


def research_files(folder: str) -> list[str]:
    """Return the names of the research files in a folder, sorted."""
    return [name for name in names_in(folder) if name.endswith(SUFFIX) and name[0] != "."]


def file_number(name: str) -> int | None:
    """Return the number at the start of a file name."""
    digits = name.partition("-")[0]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None
