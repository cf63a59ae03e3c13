"""Compile and search regular expressions that a model wrote, within a time limit.

A pattern that is plain enough to be fast is searched here. Every other one goes to a child process
that the kernel ends when its processor time is used up, so that a hostile pattern costs an error, not a hang.
"""

from __future__ import annotations

import os
import sys

from ultra_runtime.errors import UltraError
from ultra_runtime.files.process import NotStartedError, capture
from ultra_runtime.typed import Iterable, Sequence

SECONDS = 0.5
# Extra time per pattern for a plan with many good ones, several times what one needs.
SECONDS_EACH = 0.0002
# A busy machine gets so many times as much wall-clock time as processor time, but not forever.
PATIENCE = 15.0
CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pattern_child.py")
LONGEST = 10_000
LONGEST_PLAIN = 1_000
MOST_STEPS = 4_000_000
OVER = f"it takes longer than {SECONDS} seconds"
SPECIAL = "\\^$.|?*+()[]{}"
CLASSES = "dDwWsSbB"


class PatternError(UltraError):
    """A pattern that does not compile, with the reason."""


class PatternTimeoutError(PatternError):
    """A pattern that took too long."""

    def __init__(self) -> None:
        super().__init__(OVER)


def search(pattern: str, text: str, multiline: bool = False) -> bool:
    """Tell whether the pattern is found in the text; raise a PatternError when it does not compile or takes too long."""
    weight = weigh(pattern)
    if weight is not None and (len(text) + 1) ** (1 + weight[0]) * 2 ** weight[1] <= MOST_STEPS:
        import re

        return re.search(pattern, text, re.MULTILINE if multiline else 0) is not None
    _refuse_long(pattern)
    (answer,) = _ask("multiline" if multiline else "search", [pattern, text])
    if answer is None:
        raise PatternTimeoutError
    if answer.startswith("-"):
        raise PatternError(answer[1:])
    return answer == "found"


def check(patterns: Iterable[str]) -> dict[str, str]:
    """Return the patterns that do not compile, each with the reason.

    Plain ones always compile. The others share one child and its time limit; the pattern that reaches the
    limit ends the check, so that many hostile ones cost no more than one.
    """
    faults: dict[str, str] = {}
    others = []
    for pattern in dict.fromkeys(patterns):
        try:
            _refuse_long(pattern)
        except PatternError as problem:
            faults[pattern] = str(problem)
        else:
            if weigh(pattern) is None:
                others.append(pattern)
    return {**faults, **_check_in_child(others)} if others else faults


def _check_in_child(patterns: list[str]) -> dict[str, str]:
    try:
        answers = _ask("compile", patterns)
    except PatternError as problem:
        return dict.fromkeys(patterns, str(problem))
    reasons = [OVER if answer is None else answer[1:] for answer in answers]
    return {pattern: reason for pattern, reason in zip(patterns, reasons) if reason}


def weigh(pattern: str) -> tuple[int, int] | None:
    """Count the loops and the choices of a plain pattern; nothing for one that is not plain.

    Plain is: literals, escaped punctuation, classes such as \\d, anchors, dots, groups that are not repeated,
    alternatives, and single characters with * + or ?. What is plain always compiles.
    """
    if len(pattern) > LONGEST_PLAIN:
        return None
    loops = choices = depth = at = 0
    repeatable = False
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if sign == "\\":
            escaped = pattern[at : at + 1]
            if not escaped or (escaped.isalnum() and escaped not in CLASSES):
                return None
            repeatable = escaped not in "bB"
            at += 1
        elif sign in "*+?":
            if not repeatable:
                return None
            loops += sign != "?"
            choices += sign == "?"
            repeatable = False
        elif sign == "(":
            depth += 1
            repeatable = False
            if pattern[at : at + 2] == "?:":
                at += 2
        elif sign == ")":
            depth -= 1
            repeatable = False
            if depth < 0:
                return None
        elif sign in "|^$":
            choices += sign == "|"
            repeatable = False
        elif sign in SPECIAL and sign != ".":
            return None
        else:
            repeatable = True
    return (loops, choices) if depth == 0 else None


def _refuse_long(pattern: str) -> None:
    if len(pattern) > LONGEST:
        raise PatternError(f"it is longer than {LONGEST} characters")


def _ask(task: str, texts: Sequence[str]) -> list[str | None]:
    """Let a child do the task and return its answers; None for the one it did not finish."""
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    seconds = SECONDS + SECONDS_EACH * len(texts)
    head = " ".join([task, str(seconds), *(str(len(part)) for part in parts)]) + "\n"
    command = [sys.executable, "-I", "-S", "-W", "ignore", CHILD]
    try:
        done = capture(command, os.environ, head.encode() + b"".join(parts), PATIENCE * seconds)
    except (NotStartedError, OSError) as problem:
        raise PatternError(f"it cannot be checked: {problem}") from None
    answers: list[str | None] = list(done.out.decode("utf-8", "replace").split("\n")[:-1])
    expected = len(texts) if task == "compile" else 1
    return answers if len(answers) == expected else [*answers, None]
