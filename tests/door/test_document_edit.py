"""One field, section or step changes and nothing else does."""

from __future__ import annotations

import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.door.samples import BRIEF, plan, step
from tests.kit.table import each
from ultra_runtime.text import frontmatter
from ultra_runtime.text.document_edit import (
    EditError,
    remove_section,
    replace_section,
    replace_step,
    set_field,
)

ORDER = [
    "Intent", "Goal", "Success Criteria", "Non-Goals", "Research Plan", "Brief Quality", "How to continue",
]  # fmt: skip


def changed_lines(before: bytes, after: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the lines that differ, without what is equal at both ends."""
    old, new = before.split(b"\n"), after.split(b"\n")
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return old, new


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("status: pending", "status: done"),
        ("status:   pending", "status: done"),
        ("status: pending # why: not", "status: done # why: not"),
        ("status: pending   # why", "status: done   # why"),
        ("status: 'pending'  # why", "status: done  # why"),
        ('status: "pend#ing"', "status: done"),
        ('status: "a # b"  # c', "status: done  # c"),
        ("status: 'a'' # b'  # c", "status: done  # c"),
        ('"status": pending', '"status": done'),
        ("'status': \"a: b\"  ", "'status': done  "),
        ("status:", "status: done"),
        ("status: # none yet", "status: done # none yet"),
        ("status: pending#not", "status: done"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_value_changes_in_its_line(line: str, changed: str, ending: str) -> None:
    text = f"---\ntype: x\n{line}\nlast: [a, b]\n---\n\nstatus: pending\n---\n"
    data = text.replace("\n", ending).encode()
    expected = text.replace(line + "\n", changed + "\n", 1).replace("\n", ending).encode()
    assert set_field(data, "status", "done") == expected


@pytest.mark.parametrize("head", ["", "\ufeff"])
@pytest.mark.parametrize("indent", ["", "  "])
def test_a_new_field_comes_last(head: str, indent: str) -> None:
    data = f"{head}---\n{indent}a: 1\n{indent}b:\n{indent}  - x\n---\nbody\n".encode()
    expected = f"{head}---\n{indent}a: 1\n{indent}b:\n{indent}  - x\n{indent}c: done\n---\nbody\n".encode()
    assert set_field(data, "c", "done") == expected


@pytest.mark.parametrize(
    "text", ["no front matter", "---\na: 1\n", "---\na: [x]\n---\n", "---\na: {b: c}\n---\n", ""]
)
def test_what_cannot_be_changed_is_said(text: str) -> None:
    with pytest.raises(EditError):
        set_field(text.encode(), "a", "done")


KEYS = st.text(string.ascii_lowercase + "_", min_size=2, max_size=8).map(lambda name: f"k{name}")
VALUES = st.sampled_from(
    ["x", "'a: b'", '"#"', "1", "", "[a, b]", "two words", "a#b", "x # note", "2026-01-31"]
)


@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=6), st.data(), st.sampled_from(["\n", "\r\n"]))
def test_whatever_the_front_matter_only_that_field_changes(
    entries: dict[str, str], data: st.DataObject, end: str
) -> None:
    name = data.draw(st.sampled_from([*entries, "fresh"]))
    text = "---\n" + "".join(f"{key}: {value}\n" for key, value in entries.items()) + "---\nbody\n\n---\n"
    before = text.replace("\n", end).encode()
    if entries.get(name, "").startswith("["):
        with pytest.raises(EditError):
            set_field(before, name, "done")
        return
    after = set_field(before, name, "done")
    old, new = frontmatter.parse(before), frontmatter.parse(after)
    assert new.values == {**(old.values or {}), name: "done"}
    assert new.body == old.body
    assert len(changed_lines(before, after)[1]) <= 1
    assert set_field(after, name, "done") == after


def test_a_section_is_replaced_and_the_rest_stays() -> None:
    before = BRIEF.encode()
    after = replace_section(before, "Goal", "New goal.\n\n### Part\n\n```\n## Intent\n```\n", ORDER)
    old, new = changed_lines(before, after)
    assert old == [b'Every user has a limit of their own, "quoted", with $HOME and `ticks`.']
    assert new == [b"New goal.", b"", b"### Part", b"", b"```", b"## Intent", b"```"]
    assert after.count(b"## Goal") == 2, "the one in the code block is no heading"


@pytest.mark.parametrize(
    "given_text",
    ["Text.", "\n\nText.\n\n\n", "## Goal\n\nText.\n", "\n## goal\nText.", "##  GOAL ##\n\nText."],
)
@pytest.mark.parametrize("name", ["Goal", "goal", "## Goal"])
def test_the_heading_may_come_with_the_text(given_text: str, name: str) -> None:
    after = replace_section(BRIEF.encode(), name, given_text, ORDER).decode()
    between = after.partition("## Intent")[2].partition("## Success Criteria")[0]
    heading = next((line for line in given_text.splitlines() if line.startswith("##")), "## Goal")
    assert between.endswith(f"too much.\n\n{heading}\n\nText.\n\n")


def test_the_last_section_keeps_the_end_of_the_file() -> None:
    for end in ("\n", "", "\n\n\n"):
        before = (BRIEF.rstrip("\n") + end).encode()
        after = replace_section(before, "How to continue", "Go.", ORDER)
        assert after == before[: before.index(b"    /ultraplan")] + b"Go." + before[len(before.rstrip()) :]


@each(itertools.product((BRIEF, "## Goal\n\nx\n", "Words.\n\n## Goal\nx\n"), ORDER))
def test_a_file_with_carriage_returns_keeps_them(text: str, name: str) -> None:
    plain, returns = (
        replace_section(one.encode(), name, "One.\nTwo.\n", ORDER)
        for one in (text, text.replace("\n", "\r\n"))
    )
    assert returns == plain.replace(b"\n", b"\r\n")


def test_a_section_that_is_not_there_finds_its_place() -> None:
    after = replace_section(BRIEF.encode(), "non-goals", "Nothing.", ORDER).decode()
    assert after == BRIEF.replace("## Research Plan", "## Non-Goals\n\nNothing.\n\n## Research Plan")
    last = replace_section(b"## Intent\n\nx", "How to continue", "## How to continue\nGo.", ORDER)
    assert last == b"## Intent\n\nx\n\n## How to continue\n\nGo."
    assert remove_section(after.encode(), "Non-Goals") == BRIEF.encode()


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("Goals", "x", "there is no section Goals; the sections are Intent, Goal, Success Criteria"),
        ("Goal", "x\n\n## Other\n", "line 3 of the text starts another part"),
        ("Goal", "### Part\n\n## Other\n", "line 3 of the text starts another part"),
        ("Goal", "\n## Goal\n\n### Part\n\n# Other\n", "line 6 of the text starts another part"),
        ("Goal", "# Other\n\nx", "begins with the heading Other, which is that of another part"),
        ("Goal", "# Goal\n\nx", "begins with the heading Goal, which is that of another part"),
        ("Goal", "## Intent\n\nx", "begins with the heading Intent, which is that of another part"),
        ("Goal", "x\n```\ncode\n", "the code block that begins on line 2 of the text does not end"),
        ("Non-Goals", "x\n# Other\n", "line 2 of the text starts another part"),
        ("Non-Goals", "~~~\n", "the code block that begins on line 1 of the text does not end"),
    ],
)
def test_what_would_reach_beyond_the_section_is_refused(name: str, text: str, reason: str) -> None:
    with pytest.raises(EditError) as refused:
        replace_section(BRIEF.encode(), name, text, ORDER)
    assert reason in str(refused.value)


def test_a_section_that_stands_twice_is_refused() -> None:
    with pytest.raises(EditError, match="occurs twice"):
        replace_section(b"## Goal\n\na\n\n## goal\n\nb\n", "Goal", "x", ORDER)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_step_is_replaced_and_the_rest_stays(number: int) -> None:
    before = plan(3)
    new = step(number, "Count better", "src/better.py")
    after = replace_step(before.encode(), number, new, "Step", 3).decode()
    assert after == before.replace(step(number), new)


@pytest.mark.parametrize("end", ["\n## Verification\n\n- `true`\n", "\n", ""])
def test_the_next_step_is_added_after_the_last(end: str) -> None:
    """So a plan too long for one call of the client can be built up."""
    before = plan(2).partition("\n## Verification")[0].rstrip("\n") + "\n" * bool(end) + end
    after = replace_step(before.encode(), 3, step(3), "Step", 3).decode()
    expected = plan(3).partition("\n## Verification")[0].rstrip("\n") + "\n" * bool(end) + end
    assert after.rstrip("\n") == expected.rstrip("\n")


@pytest.mark.parametrize(
    "title",
    ["", ":", "2", "Phase 2", "Step two", "Step ２", "Step 2b", "My Step 2", "Step 1 2", "Step 0000000002"],
)
def test_a_heading_that_only_looks_like_a_step_is_none(title: str) -> None:
    before = plan(1).replace("\n## Verification", f"\n### {title}\n\nx\n\n## Verification", 1)
    with pytest.raises(EditError, match="Step 2 is new"):
        replace_step(before.encode(), 2, "x", "Step", 3)
    after = replace_step(before.encode(), 1, step(1, "Other"), "Step", 3).decode()
    assert after == before.replace(step(1), step(1, "Other"))
    with pytest.raises(EditError, match="there is no Step 0"):
        replace_step(before.encode(), 0, step(0), "Step", 3)


def test_a_step_keeps_its_heading_when_none_is_given() -> None:
    body = step(2, "Count", "src/other.py").partition("\n")[2]
    after = replace_step(plan(2).encode(), 2, body, "Step", 3).decode()
    assert after == plan(2).replace(step(2), step(2, "Count", "src/other.py"))


@pytest.mark.parametrize(
    ("number", "text", "reason"),
    [
        (7, "x", "there is no Step 7"),
        (3, "x", "Step 3 is new: begin it with the heading ### Step 3: title"),
        (0, step(0), "there is no Step 0"),
        (1, "### Step 2: other\n\nx", "begins with the heading Step 2: other"),
        (1, "### Step 1: a\n\n### Step 2: b\n", "line 3 of the text"),
        (1, "## Verification\n", "begins with the heading Verification"),
    ],
)
def test_a_text_that_is_not_that_step_is_refused(number: int, text: str, reason: str) -> None:
    with pytest.raises(EditError) as refused:
        replace_step(plan(2).encode(), number, text, "Step", 3)
    assert reason in str(refused.value)


@given(
    st.text(st.characters(blacklist_characters="\r#`~", blacklist_categories=("Cs", "Cc"))),
    st.sampled_from(ORDER),
)
def test_whatever_the_text_the_other_sections_stay(text: str, name: str) -> None:
    after = replace_section(BRIEF.encode(), name, text, ORDER)
    others = [one for one in ORDER if one != name and f"\n## {one}\n" in BRIEF]
    for other in others:
        start = (
            BRIEF.rindex(f"\n## {other}\n") if other == "How to continue" else BRIEF.index(f"\n## {other}\n")
        )
        body = BRIEF[start + 1 :].partition("\n\n")[2][:20]
        assert f"\n## {other}\n\n{body}".encode() in after
    assert replace_section(after, name, text, ORDER) == after
