"""The page of a command: made from its prompt and its contracts, whatever the plugin calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generator.sample import COMMAND, PLUGIN, write_sample
from ultra_plugin.config import load
from ultra_plugin.errors import ProblemsFound, UltraError
from ultra_plugin.model import Bundle
from ultra_plugin.pipeline import checked
from ultra_plugin.render import render
from ultra_plugin.source import SourceTree
from ultra_plugin.views import heading_anchor

FOLDER = "plugins/acme-plan"
BRIEF = f"{FOLDER}/commands/brief.md.j2"
PAGE = f"{FOLDER}/docs/commands/brief.md.j2"
USAGE = """
## 1. Arguments

    Usage: {{ command('brief') }} [--long] <task>
      --long  {{ plugin.title }} takes its time

Then go on.

## 2. Ask

Ask `{{ agent('critic') }}`.
"""
SHOW = """\
# {{ command_page('brief').typed }}

{{ command_page('brief').usage() }}

{{ command_page('brief').artifacts() }}

{{ command_page('brief').phases() }}

{{ command_page('brief').agents_table() }}

{{ command_page('brief').cost_table() }}
"""


def rendered(tmp_path: Path, changes: dict[str, str | bytes | None]) -> Bundle:
    tree = SourceTree(write_sample(tmp_path, {BRIEF: COMMAND + USAGE, PAGE: SHOW} | changes))
    return render(tree, load(tree))[0]


def test_a_page_stands_under_the_name_of_its_command(tmp_path: Path) -> None:
    renamed = PLUGIN.replace("acmebrief", "begin-here")
    files = rendered(tmp_path, {f"{FOLDER}/plugin.yaml": renamed}).files
    assert "docs/commands/acmebrief.md" not in files
    text = files["docs/commands/begin-here.md"].text
    assert text.startswith("# /acme-plan:begin-here\n")
    assert (
        "```text\nUsage: /acme-plan:begin-here [--long] <task>\n  --long  Acme Plan takes its time\n```\n"
        in text
    )


def test_a_page_says_what_prompt_and_contract_say(tmp_path: Path) -> None:
    text = rendered(tmp_path, {}).files["docs/commands/acmebrief.md"].text
    assert (
        "- [Work order](../HANDOVER-CONTRACTS.md#1-work-order) (`works/order.json`): written strictly.\n"
        in text
    )
    assert "is read" not in text, "another command reads it"
    assert "\n1. Arguments\n2. Ask\n" in text
    assert "| `critic` |" in text
    assert "| in every conversation" in text


def test_another_file_in_the_folder_keeps_its_name(tmp_path: Path) -> None:
    files = rendered(tmp_path, {f"{FOLDER}/docs/commands/other.md.j2": "# Other\n"}).files
    assert files["docs/commands/other.md"].text == "# Other\n"


@pytest.mark.parametrize(
    ("page", "command", "expected"),
    [
        (
            SHOW,
            COMMAND,
            f"{BRIEF}:1: no-usage: has a page but prints no usage (add an indented block that begins with 'Usage: '",
        ),
        (
            SHOW.replace("'brief'", "'breif'"),
            COMMAND + USAGE,
            f"{PAGE}:1: render: unknown command 'breif'",
        ),
    ],
)
def test_what_a_page_cannot_say_is_told_at_its_line(
    tmp_path: Path, page: str, command: str, expected: str
) -> None:
    with pytest.raises(UltraError) as caught:
        rendered(tmp_path, {PAGE: page, BRIEF: command})
    assert expected in str(caught.value)


def test_a_fault_of_a_prompt_is_told_once_although_a_page_shows_the_prompt(tmp_path: Path) -> None:
    with pytest.raises(ProblemsFound) as caught:
        rendered(tmp_path, {BRIEF: COMMAND + USAGE + "{{ nope }}\n"})
    assert [problem.code for problem in caught.value.problems] == ["undefined"]


def test_a_problem_of_a_page_has_its_source_line(tmp_path: Path) -> None:
    """The page is rendered once more to find the line, with everything that it may ask for."""
    tree = SourceTree(
        write_sample(tmp_path, {BRIEF: COMMAND + USAGE, PAGE: SHOW + "\nSee /acme-plan:gone.\n"})
    )
    with pytest.raises(ProblemsFound) as caught:
        checked(tree, "dist")
    found = [(problem.code, problem.line) for problem in caught.value.problems if problem.path.endswith(PAGE)]
    assert ("dangling-command", SHOW.count("\n") + 2) in found


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [("4. Plan", "4-plan"), ("The set-up", "the-set-up"), ("`guard`: why?", "guard-why"), ("A & B", "a--b")],
)
def test_anchors_are_those_that_readers_make(heading: str, anchor: str) -> None:
    assert heading_anchor(heading) == anchor
