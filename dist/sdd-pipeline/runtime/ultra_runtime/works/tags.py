"""The tags that start a work, and the words by which a request says that nobody is to be asked."""

from __future__ import annotations

TAGS = ("new-feature", "new-work", "bugfix", "enhancement", "refactor", "docs", "test", "chore")
AUTO = ("auto", "자동으로", "自動で")


def tag_of(text: str) -> str:
    """Return the tag that a message begins with, or nothing."""
    text = text.lstrip()
    tag = text[1:].partition("]")[0].strip().lower() if text.startswith("[") else ""
    return tag if tag in TAGS else ""


def without_tag(text: str) -> str:
    """Return a message without its tag."""
    return text.lstrip().partition("]")[2].strip() if tag_of(text) else text.strip()


def is_auto(text: str) -> bool:
    """Tell whether a request says that it needs no approval; `auto` counts only as a word of its own."""
    plain = text.lower()
    words = "".join(sign if sign.isalnum() or sign in "-_/." else " " for sign in plain).split()
    return AUTO[0] in words or any(word in plain for word in AUTO[1:])


def resumed_work(text: str) -> str:
    """Return the work that a message such as `resume WORK-01` names, or nothing."""
    from ultra_runtime.contract.forms import is_work_id

    words = text.strip().rstrip(".").split()[:3]
    if len(words) > 1 and words[0].lower() == "resume":
        return words[1].upper() if is_work_id(words[1].upper()) else ""
    return ""
