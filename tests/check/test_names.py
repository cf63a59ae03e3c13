"""Faults of names: the plugin's and those of its components."""

from __future__ import annotations

import pytest

from tests.check.plugins import CRITIC, GOOD, MANIFEST, REVIEW, Case, bundle_of, changed, edit
from ultra_plugin.check import check_bundle
from ultra_plugin.check.names import is_reserved

NAME = '"name": "pipe"'
COMMAND = "---\ndescription: Does another thing that people want\n---\nDo it.\n"
AGENT = "---\nname: %s\ndescription: Reads what another agent has read\n---\nRead it.\n"

CASES = (
    Case(edit(MANIFEST, NAME, '"name": "my_pipe"'), "not-kebab-case", MANIFEST, 2),
    Case(edit(MANIFEST, NAME, '"name": "claude-pipe"'), "reserved-name", MANIFEST, 2, "error"),
    Case(edit(MANIFEST, NAME, '"name": "my-claude"'), "reserved-name", MANIFEST, 2),
    Case(edit(CRITIC, "name: critic\n", ""), "no-name", CRITIC, 2),
    Case(edit(REVIEW, "name: review", "name: second"), "name-mismatch", REVIEW, 2),
    Case({"commands/my cmd.md": COMMAND}, "bad-name", "commands/my cmd.md", 1),
    Case({"commands/review.md": COMMAND}, "duplicate-name", REVIEW, 2),
    Case({"agents/judge.md": AGENT % "critic"}, "duplicate-name", "agents/judge.md", 2),
    Case({"skills/plan/references/x.md": "x"}, "skill-missing", "skills/plan", 0),
    Case({"skills/plan/plan.md": COMMAND}, "skill-missing", "skills/plan", 0),
    Case({"skills/more/plan/SKILL.md": COMMAND}, "skill-missing", "skills/more", 0),
    Case({"skills/plan/skill.md": COMMAND}, "skill-case", "skills/plan/skill.md", 1),
    Case({"commands/notes.txt": COMMAND}, "not-a-component", "commands/notes.txt", 0),
    Case({"skills/plan.md": COMMAND}, "not-a-component", "skills/plan.md", 0),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fault(case: Case) -> None:
    case.assert_found_in(check_bundle(bundle_of(changed(case.change))))


@pytest.mark.parametrize(
    "name",
    ["claude", "claude-x", "Claude_X", "anthropic", "anthropics-y", "cla-ude-x", "cc-plugin-x", "ccplugin-x",
     "claude-code", "claudecode", "claude-mods", "official-claude", "x-claude-official", "my-official.anthropic"],
)  # fmt: skip
def test_reserved(name: str) -> None:
    assert is_reserved(name)


@pytest.mark.parametrize(
    "name", ["pipe", "claudex", "my-claude", "cc-plugin", "cc-plug", "officialx-claude", "", "-"]
)
def test_not_reserved(name: str) -> None:
    assert not is_reserved(name)


def test_folders_of_commands_are_part_of_their_names() -> None:
    files = changed({"commands/a/go.md": COMMAND, "commands/b/go.md": COMMAND})
    assert check_bundle(bundle_of(files)) == []


def test_a_default_folder_that_the_manifest_replaces_is_not_loaded() -> None:
    """Its commands are no duplicates, and mentions of them lead nowhere."""
    change = edit(MANIFEST, NAME, f'{NAME}, "commands": "./other"') | {"other/review.md": COMMAND}
    problems = check_bundle(bundle_of(changed(change)))
    assert {(found.code, found.path) for found in problems} == {
        ("dangling-command", "README.md"),
        ("duplicate-name", REVIEW),
    }


def test_the_good_plugin_is_good() -> None:
    assert check_bundle(bundle_of(GOOD)) == []
