"""A contract does not change its shape unnoticed: version, fixtures of both shapes and a MIGRATION entry, or red."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.contracts.conftest import FIXTURES, Validate, codes, place
from tests.kit.names import SOURCES
from ultra_plugin.artifact import Code, CommonCodes, Contract
from ultra_plugin.check.protocol import Release, common_faults, protocol_faults, protocol_problems
from ultra_plugin.config import load
from ultra_plugin.document import read_document
from ultra_plugin.source import SourceTree

RELEASED = SOURCES / "contracts/released"
OLD_SHAPES = [(path.parent.name, path.stem) for path in sorted(FIXTURES.glob("*/old-[0-9]*"))]
BRIEF = (SOURCES / "contracts/brief.yaml").read_text()


def faults(old: Contract, new: Contract, release: Release) -> list[str]:
    return [message for message, _ in protocol_faults(old, new, release)]


def released(artifact: str) -> Contract:
    path = RELEASED / f"{artifact}.yaml"
    return read_document(str(path), path.read_bytes(), Contract)


def test_the_contracts_follow_the_protocol() -> None:
    tree = SourceTree(SOURCES)
    assert list(protocol_problems(tree, load(tree))) == []


def test_old_shapes_are_read_with_a_warning(repository: Path, validate: Validate) -> None:
    for artifact, fixture in OLD_SHAPES:
        answer, status = validate(artifact, place(repository, artifact, fixture))
        assert (codes(answer)["errors"], status) == ([], 0), fixture
        assert [code for code in codes(answer)["warnings"] if code.endswith("_VERSION_MISMATCH")], fixture


def test_there_is_something_to_compare_with() -> None:
    assert len(list(RELEASED.glob("*.yaml"))) >= 7


# --- the test of the test -------------------------------------------------------------------------------------


def brief(*changes: tuple[str, str], text: str = BRIEF) -> Contract:
    """Return the brief's contract with parts of its text replaced."""
    for old, new in changes:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    return read_document("brief.yaml", text.encode(), Contract)


SHAPES = {
    "a new field": ("fields:\n", "fields:\n  mood: {type: text, means: Mood.}\n"),
    "a field less": ("  task:\n    type: text\n    means: The task in one line.\n    example: Limit the rate of requests to the public API\n", ""),
    "another type": ("type: integer\n    means: How many topics", "type: number\n    means: How many topics"),
    "a value more": ("      pending: Not started.\n", "      pending: Not started.\n      paused: Later.\n"),
    "a field that may be left out": ("    means: The task in one line.\n", "    means: The task in one line.\n    required: false\n"),
    "another range": ("minimum: 0", "minimum: 1"),
    "another form": ("form: slug", "form: version"),
    "a section that may be left out": ("  Goal:\n", "  Goal:\n    required: false\n"),
    "a section less": ("  Prior Attempts:\n    means: What was tried before, and the result.\n    required: false\n", ""),
    "a code that is not soft": ("    soft: true\n", ""),
    "a code of another severity": ("  BRIEF_NOT_FOUND:\n    severity: error", "  BRIEF_NOT_FOUND:\n    severity: warning"),
    "a code renamed": ("  BRIEF_NOT_FOUND:", "  BRIEF_GONE:"),
    "a heading of another form": ("Topic {number}: {title}", "Theme {number}: {title}"),
    "a value of a topic less": ("          low: A hint is enough.\n", ""),
    "another place": ("{date}-{slug}/brief.md", "{date}-{slug}/the-brief.md"),
    "another mode": ("    mode: soft\n", "    mode: strict\n"),
    "another move": ("in_progress: [complete, skipped]", "in_progress: [complete]"),
    "a rule less": ("rules:\n  research_state: A brief with skipped topics must be marked partial.\n", ""),
}  # fmt: skip
WORDS = {
    "a meaning": ("The task in one line.", "What is to be done."),
    "a remedy": ("Add the field to the front matter.", "Add it."),
    "an example": ("example: rate-limit", "example: limits"),
    "a summary": ("summary: What is wanted", "summary: What we want"),
    "a failure mode": ("A reader stops at", "Nobody reads"),
    "a meaning of a value": ("Not started.", "Still to do."),
    "a threshold of the gate": ("  passes_at: 4", "  passes_at: 3"),
    "the order of ties": ("tie_order: [research_plan, testability", "tie_order: [testability, research_plan"),
    "a placeholder": ("{date}-{slug}/brief.md", "{day}-{name}/brief.md"),
}


@pytest.mark.parametrize("change", sorted(SHAPES))
def test_a_change_of_shape_alone_is_seen(tmp_path: Path, change: str) -> None:
    new = brief(SHAPES[change])
    (tmp_path / "brief").mkdir()
    assert faults(brief(), new, Release(tmp_path, "", "0.1.0", "0.1.0")) == [
        "its shape changed, but brief_version is still 2.0",
        "brief/old-2.0, the fixture of the old shape, is missing",
        "brief/valid, the fixture of the new shape, must have version 2.0",
        "MIGRATION.md has no '## brief 2.0'",
    ]


@pytest.mark.parametrize("change", sorted(WORDS))
def test_words_may_change(tmp_path: Path, change: str) -> None:
    assert faults(brief(), brief(WORDS[change]), Release(tmp_path, "", "0.1.0", "0.1.1")) == []


OPTIONAL = {
    "any text": "  mood: {type: text, means: Mood., required: false}\n",
    "some values": "  mood: {type: text, means: Mood., required: false, values: {good: Good., bad: Bad.}}\n",
}


@pytest.mark.parametrize("field", sorted(OPTIONAL))
@pytest.mark.parametrize("place", ["fields:\n", "    count_code: BRIEF_TOPIC_COUNT\n    fields:\n"])
def test_a_new_optional_field_needs_no_version(tmp_path: Path, field: str, place: str) -> None:
    indent = " " * (len(place.splitlines()[-1]) - len("fields:"))
    new = brief((place, place + indent + OPTIONAL[field]))
    assert faults(brief(), new, Release(tmp_path, "", "0.1.0", "0.1.1")) == []
    assert faults(new, brief(), Release(tmp_path, "", "0.1.0", "0.2.0")) != []


BUMP = ('current: "2.0"', 'current: "2.1"\n  accepts: ["2.0"]')
PIECES = {
    "fixture of the old shape": "brief/old-2.0, the fixture of the old shape, is missing",
    "fixture of the new shape": "brief/valid, the fixture of the new shape, must have version 2.1",
    "entry": "MIGRATION.md has no '## brief 2.1'",
    "accepts": "accepts does not list 2.0",
    "minor version": "the plugin's version goes from 0.1.0 to 0.1.1",
    "nothing": "",
}


@pytest.mark.parametrize("missing", sorted(PIECES))
def test_each_piece_of_the_protocol_is_missed(tmp_path: Path, missing: str) -> None:
    (tmp_path / "brief").mkdir()
    if missing != "fixture of the old shape":
        (tmp_path / "brief/old-2.0.md").write_text("brief_version: 2.0")
    if missing != "fixture of the new shape":
        (tmp_path / "brief/valid.md").write_text("brief_version: 2.1")
    migration = "" if missing == "entry" else "# Migration\n\n## brief 2.1\n\nSay your mood.\n"
    bump = ('current: "2.0"', 'current: "2.1"') if missing == "accepts" else BUMP
    plugin = "0.1.1" if missing == "minor version" else "0.2.0"
    new = brief(SHAPES["a new field"], bump)
    found = faults(brief(), new, Release(tmp_path, migration, "0.1.0", plugin))
    assert found == [PIECES[missing]] * (missing != "nothing")


def test_the_window_closes_with_an_entry(tmp_path: Path) -> None:
    wide, narrow = brief(BUMP), brief(('current: "2.0"', 'current: "2.1"'))
    assert faults(wide, narrow, Release(tmp_path, "", "0.2.0", "0.3.0")) == [
        "MIGRATION.md has no '## brief drops 2.0'"
    ]
    entry = "## brief drops 2.0\n"
    assert faults(wide, narrow, Release(tmp_path, entry, "0.2.0", "0.3.0")) == []


def test_what_has_no_version_needs_another_type(tmp_path: Path) -> None:
    old = released("research")
    new = replace(old, sections={name: old.sections[name] for name in list(old.sections)[1:]})
    found = faults(old, new, Release(tmp_path, "## research in 0.1.0\n", "0.1.0", "0.2.0"))
    assert found == [
        "its shape changed, but it has no version field",
        "MIGRATION.md has no '## research in x.y.z' for a version after 0.1.0",
    ]
    other = {**new.fields, "type": replace(new.fields["type"], values={"ultraresearch-2": "New."})}
    entry = Release(tmp_path, "## research in 0.2.0\n", "0.1.0", "0.2.0")
    assert faults(old, replace(new, fields=other), entry) == []


def test_a_common_code_needs_an_entry(tmp_path: Path) -> None:
    old = CommonCodes({"FM_MISSING": Code("error", "No front matter.", "Add it.")})
    new = CommonCodes({**old.codes, "FM_MOOD": Code("error", "Bad mood.", "Cheer up.")})
    assert len(list(common_faults(old, new, Release(tmp_path, "", "0.1.0", "0.2.0")))) == 1
    assert list(common_faults(old, new, Release(tmp_path, "## common in 0.2.0\n", "0.1.0", "0.2.0"))) == []
