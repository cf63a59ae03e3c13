"""The named forms of text that a contract can ask for, each a function in one table."""

from __future__ import annotations

from ultra_runtime.text.timestamp import is_date
from ultra_runtime.typed import Callable

HEX = frozenset("0123456789abcdef")
SLUG_SIGNS = "-_.~"
LONGEST_SLUG = 100
LONGEST_NUMBER = 9
NAMED_LOGINS = frozenset(["ssh", "git+ssh", "ssh+git"])
PROJECTS = ".claude/projects/"


def is_number(text: str) -> bool:
    """Tell whether the text is a whole number without sign or leading zero of usual length."""
    return (
        text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER and (text[0] != "0" or text == "0")
    )


def holds_login(address: str) -> bool:
    """Tell whether an address has a password or a token in front of its host; a name alone is part of ssh's."""
    kind, found, rest = address.partition("://")
    login, at, _ = rest.partition("/")[0].rpartition("@")
    return bool(found and at) and (":" in login or kind not in NAMED_LOGINS)


def is_slug(text: str) -> bool:
    """Tell whether the text is safe in a URL and as the name of a file: letters, digits, and signs between them."""
    plain = "".join(letter for letter in text[: LONGEST_SLUG + 1] if letter not in SLUG_SIGNS)
    ends = text[:1] + text[-1:]
    return (
        0 < len(text) <= LONGEST_SLUG
        and ends.isalnum()
        and plain.isascii()
        and plain.isalnum()
        and ".." not in text
    )


def is_file_name(text: str) -> bool:
    """Tell whether the text is the name of a Markdown file without its folder, not a sentence."""
    return is_slug(text) and text.endswith(".md")


def is_project_dir(text: str) -> bool:
    """Tell whether the text is `.claude/projects/{YYYY-MM-DD}-{slug}/`; the last slash may be left out."""
    name = text[len(PROJECTS) :]
    name = name[:-1] if name.endswith("/") else name
    return text.startswith(PROJECTS) and is_date(name[:10]) and name[10:11] == "-" and is_slug(name[11:])


def is_question(text: str) -> bool:
    """Tell whether the text ends in a question mark."""
    return text.rstrip(" \t\n*_`\"'").endswith("?")


def is_commit(text: str) -> bool:
    """Tell whether the text is the name of a commit, whole or short."""
    return 7 <= len(text) <= 64 and HEX.issuperset(text)


def is_sha1(text: str) -> bool:
    """Tell whether the text is a SHA-1 in lower case."""
    return len(text) == 40 and HEX.issuperset(text)


def is_sha256(text: str) -> bool:
    """Tell whether the text is a SHA-256 in lower case."""
    return len(text) == 64 and HEX.issuperset(text)


def is_version(text: str) -> bool:
    """Tell whether the text is two numbers separated by a dot."""
    major, _, minor = text.partition(".")
    return is_number(major) and is_number(minor)


def is_location(text: str) -> bool:
    """Tell whether the text is a path and a line, or a range of lines, separated by a colon."""
    path, _, lines = text.rpartition(":")
    first, dash, last = lines.partition("-")
    return bool(path.strip()) and is_number(first) and first != "0" and (is_number(last) if dash else True)


def is_work_id(text: str) -> bool:
    """Tell whether the text is WORK- and two to four digits."""
    digits = text[5:]
    return text.startswith("WORK-") and 2 <= len(digits) <= 4 and digits.isascii() and digits.isdigit()


def is_task_id(text: str) -> bool:
    """Tell whether the text is TASK- and two digits."""
    digits = text[5:]
    return text.startswith("TASK-") and len(digits) == 2 and digits.isascii() and digits.isdigit()


FORMS: dict[str, tuple[Callable[[str], bool], str]] = {
    "slug": (is_slug, "a short name of letters, digits and hyphens"),
    "file-name": (is_file_name, "the name of a Markdown file without its folder"),
    "project-dir": (is_project_dir, "a folder such as .claude/projects/2026-01-31-rate-limit/"),
    "question": (is_question, "a question that ends in ?"),
    "commit": (is_commit, "a commit in hexadecimal digits"),
    "sha1": (is_sha1, "40 hexadecimal digits in lower case"),
    "sha256": (is_sha256, "64 hexadecimal digits in lower case"),
    "step-number": (is_number, "the number of a step"),
    "version": (is_version, "two numbers separated by a dot"),
    "location": (is_location, "path:line"),
    "work-id": (is_work_id, "WORK- and two to four digits"),
    "task-id": (is_task_id, "TASK- and two digits"),
}
