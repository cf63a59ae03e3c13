"""What stands in one line of a plan: code spans, commands, numbers, paths, messages, versions."""

from __future__ import annotations

import pytest

from ultra_runtime.plan.inline import is_nothing, new_paths, numbers, paths, read_command, spans
from ultra_runtime.plan.session_spec import version_parts
from ultra_runtime.plan.steps import commit_message
from ultra_runtime.text import markdown
from ultra_runtime.text.markdown import Item


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a `b` c `d`", ["b", "d"]),
        ("`` a ` b ``", ["a ` b"]),
        ("`a", []),
        ("``a`", []),
        ("``` `` ```", ["``"]),
        ("` `", [" "]),
        ("`a\nb`", ["a b"]),
        ("no code", []),
    ],
)
def test_code_spans(text: str, found: list[str]) -> None:
    assert [span.text for span in spans(text)] == found


@pytest.mark.parametrize(
    ("value", "command", "expected", "literal"),
    [
        ("`pytest` -> expected: `3 passed`", "pytest", "3 passed", True),
        ("`pytest` → expected: `3 passed`", "pytest", "3 passed", True),
        ("`pytest` → **Expected:** all pass", "pytest", "all pass", False),
        ("`pytest`", "pytest", "", False),
        ("`a -> expected: b` -> expected: `c`", "a -> expected: b", "c", True),
        ("look at the page", None, "", False),
        ("-> expected: `x`", None, "x", True),
        ("``echo `date` `` -> expected: no `error` in it", "echo `date` ", "no `error` in it", False),
        ("`a` -> then look", "a", "", False),
        ("", None, "", False),
    ],
)
def test_commands(value: str, command: str | None, expected: str, literal: bool) -> None:
    found = read_command(value, 1)
    assert (found.command, found.expected, found.literal) == (command and command.strip(), expected, literal)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("1", [(1, 1)]),
        ("1, 2 and 3", [(1, 1), (2, 2), (3, 3)]),
        ("1-3, 5", [(1, 3), (5, 5)]),
        ("1–3", [(1, 3)]),
        ("Steps 1 to 3", [(1, 3)]),
        ("Session 1, Session 4", [(1, 1), (4, 4)]),
        ("1..4", [(1, 4)]),
        ("1 (it makes 3 files), 2", [(1, 1), (2, 2)]),
        ("Session 1 - it has 3 steps", [(1, 1)]),
        ("none", []),
        ("none — can run beside 2", []),
        ("[1, 2]", [(1, 1), (2, 2)]),
        ("3-1", [(3, 3), (1, 1)]),
        ("12345678901", []),
        ("²", []),
    ],
)
def test_numbers(value: str, found: list[tuple[int, int]]) -> None:
    assert numbers(value) == found


@pytest.mark.parametrize(
    ("value", "nothing"),
    [
        ("none", True),
        ("None - no file", True),
        ("`none`", True),
        ("", True),
        ("-", True),
        ("nonesuch.py", False),
        ("none.py", False),
        ("_", False),
        ("_-", False),
        ("_none_", True),
        ("none (yet)", True),
        ("a", False),
    ],
)
def test_nothing(value: str, nothing: bool) -> None:
    assert is_nothing(value) == nothing


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("`a.py`, `b.py` and `c.py`", ["a.py", "b.py", "c.py"]),
        ("`a.py` (new, with `x()`), `b.py`", ["a.py", "b.py"]),
        ("`a.py` — add `x()`", ["a.py"]),
        ("create `a.py`; change `b.py`", ["a.py", "b.py"]),
        ("a.py (new), b.py - as before", ["a.py", "b.py"]),
        ("`a.py`\n`b.py`", ["a.py", "b.py"]),
        ("`a b.py`", ["a b.py"]),
        ("none", []),
        ("", []),
    ],
)
def test_paths(value: str, found: list[str]) -> None:
    assert list(paths(Item(0, 1, f"Files: {value}"))) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("`a.py` (new), `b.py`", ["a.py"]),
        ("a.py, b/c.py (new), d.py (new: the rest)", ["b/c.py", "d.py"]),
        ("`a.py`\n`b.py` (new)", ["b.py"]),
        ("`a.py`, `b.py`", []),
        ("none", []),
    ],
)
def test_new_paths_are_those_that_say_so(value: str, found: list[str]) -> None:
    assert list(new_paths(Item(0, 1, f"Files: {value}"))) == found
    assert new_paths(None) == ()


def test_the_first_block_of_a_shell_with_a_command_is_the_command() -> None:
    blocks = markdown.parse(
        "".join(f"```{one}\n```\n" for one in ("python\nx", "sh\n", "console\nls", "sh\nid"))
    ).blocks
    assert read_command("", 1, blocks).command == "ls"
    assert read_command("`pwd`", 1, blocks).command == "pwd"
    assert read_command("", 1, blocks[:2]).command is None


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('git commit -m "feat: a"', "feat: a"),
        ("git commit -m 'feat: \"a\"'", 'feat: "a"'),
        ('git commit -m "say \\"a\\" \\$5"', 'say "a" $5'),
        ('git add x && git commit -m "a"', "a"),
        ('git commit --message="a b"', "a b"),
        ('git commit -am "a"', "a"),
        ("git commit -m word", "word"),
        ('git commit -m "a\nb"', "a"),
        ('git commit -m "$(date)"', None),
        ('git commit -m "open', None),
        ("git commit", None),
        ("commit it", None),
        ("git add -m 'a'", None),
        ("-m 'a' git commit", None),
        ("git commit -mword", "word"),
        ('git commit -m ""', None),
    ],
)
def test_messages_of_a_checkpoint(command: str, message: str | None) -> None:
    assert commit_message(command) == message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1.7", (1, 7)),
        ("1.10", (1, 10)),
        ("1.7.0", (1, 7)),
        ("2", (2,)),
        ("1.x", None),
        ("", None),
        ("1.7.0.0.0", None),
    ],
)
def test_versions_compare_by_their_numbers(text: str, parts: tuple[int, ...] | None) -> None:
    assert version_parts(text) == parts
