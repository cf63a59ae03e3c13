"""Faults in the headers of commands, agents and skills."""

from __future__ import annotations

import pytest

from tests.check.plugins import BRIEF, CRITIC, MANIFEST, REVIEW, Case, bundle_of, changed, edit
from ultra_plugin.check import check_bundle
from ultra_plugin.check.yamltext import Unreadable, parse_as_it_stands

DESCRIPTION = "description: Write the brief of a project and ask for what is missing"
MODEL = "model: opus"
TOOLS = "tools: Read, Grep"
ALLOWED = "allowed-tools: Read, Write, Bash(pipe:*), Task"


def refused(old: str, new: str, code: str = "bad-type", line: int = 5) -> Case:
    """Expect that the client refuses a change to the command's header."""
    return Case(edit(BRIEF, old, new), code, BRIEF, line, "error")


CASES = (
    Case({BRIEF: "Write the brief.\n"}, "no-header", BRIEF, 1),
    Case({BRIEF: f"---\n{DESCRIPTION}\nWrite it.\n"}, "no-header", BRIEF, 1),
    Case({BRIEF: ""}, "no-header", BRIEF, 1),
    refused(MODEL, "model: 'opus", "yaml", 6),
    refused(MODEL, 'x: "a"b"', "yaml", 5),
    refused(MODEL, f"{MODEL}\n\tcolor: red", "yaml", 6),
    Case(edit(BRIEF, MODEL, ",x: y"), "yaml", BRIEF, 5),
    Case({BRIEF: f"---\n- {DESCRIPTION}\n---\nWrite it.\n"}, "header-not-a-mapping", BRIEF, 2, "error"),
    Case(edit(BRIEF, DESCRIPTION, f"{DESCRIPTION}: here"), "yaml-repaired", BRIEF, 2),
    Case(edit(BRIEF, MODEL, "when_to_use: first --- or last"), "header-cut", BRIEF, 5),
    Case(edit(BRIEF, MODEL, f"{MODEL}\n{MODEL}"), "duplicate-key", BRIEF, 6),
    refused(MODEL, "name: 5"),
    refused(MODEL, "name: true"),
    refused(MODEL, "shell: [bash]"),
    refused(MODEL, "shell: fish", "bad-value"),
    refused(ALLOWED, "allowed-tools: {a: b}", line=4),
    refused(ALLOWED, "allowed-tools: [Read, 5]", line=4),
    refused(DESCRIPTION, "description: [a, b]", line=2),
    Case(edit(CRITIC, TOOLS, "allowed-tools: 5"), "bad-type", CRITIC, 4, "error", ("unknown-key",)),
    Case(edit(BRIEF, MODEL, "modle: opus"), "unknown-key", BRIEF, 5),
    Case(edit(CRITIC, TOOLS, "allowed-tools: Read"), "unknown-key", CRITIC, 4),
    Case(edit(CRITIC, "color: red", "permissionMode: plan"), "ignored-key", CRITIC, 5),
    Case(edit(CRITIC, "color: red", "hooks:\n  Stop: []"), "ignored-key", CRITIC, 5),
    Case(edit(BRIEF, f"{DESCRIPTION}\n", ""), "no-description", BRIEF, 2),
    Case(edit(BRIEF, DESCRIPTION, "description:"), "no-description", BRIEF, 2),
    Case(edit(CRITIC, "description: Reads", "description: Read\n# Reads"), "short-description", CRITIC, 3),
    Case(edit(BRIEF, DESCRIPTION, f"description: {'long ' * 400}"), "long-description", BRIEF, 2),
    Case(
        {CRITIC: "---\nname: critic\ndescription: Reads a brief and says what is missing\n---\n"},
        "empty-body",
        CRITIC,
        4,
    ),
    Case(edit(BRIEF, "Bash(pipe:*)", "Bahs(pipe:*)"), "unknown-tool", BRIEF, 4),
    Case(edit(REVIEW, "  - Read", "  - Raed"), "unknown-tool", REVIEW, 5),
    Case(edit(CRITIC, "Grep", "grep"), "unknown-tool", CRITIC, 4),
    Case(edit(CRITIC, "color: red", "disallowedTools: Nope"), "unknown-tool", CRITIC, 5),
    Case(edit(BRIEF, MODEL, "disallowed-tools: Nope"), "unknown-tool", BRIEF, 5),
    Case(edit(BRIEF, "Bash(pipe:*)", "Bash(pipe:*"), "malformed-rule", BRIEF, 4),
    Case(edit(BRIEF, "Bash(pipe:*)", "Bash()"), "malformed-rule", BRIEF, 4),
    Case(edit(BRIEF, MODEL, "model: gpt-4"), "unknown-model", BRIEF, 5),
    Case(edit(BRIEF, MODEL, "effort: enormous"), "unknown-effort", BRIEF, 5),
    Case(edit(CRITIC, "color: red", "color: mauve"), "unknown-color", CRITIC, 5),
    Case(edit(BRIEF, MODEL, "context: sideways"), "bad-value", BRIEF, 5),
    Case(edit(CRITIC, "color: red", "isolation: vm"), "bad-value", CRITIC, 5),
    Case(edit(CRITIC, "color: red", "maxTurns: many"), "bad-value", CRITIC, 5),
    Case(edit(BRIEF, MODEL, "user-invocable: maybe"), "bad-value", BRIEF, 5),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fault(case: Case) -> None:
    case.assert_found_in(check_bundle(bundle_of(changed(case.change))))


@pytest.mark.parametrize(
    "header",
    [
        "model: claude-opus-4-5-20251101",
        "model: us.anthropic.claude-sonnet-4-5-v1:0",
        "model: inherit",
        "effort: high",
        "effort: 40",
        "allowed-tools: mcp__server__tool, mcp__plugin_other_x__y, *",
        "disallowed-tools: Bash(rm -rf (x):*)",
        "allowed-tools: [Read, 'Bash(git commit -m \"(x)\":*)']",
        "disable-model-invocation: true",
        "name: brief",
        "hooks:\n  Stop: []",
        "metadata: {a: b}",
        "shell: Bash",
        "paths: src/**",
        "when_to_use: |\n  First of all",
    ],
)
def test_no_fault(header: str) -> None:
    old = ALLOWED if header.startswith("allowed-tools") else MODEL
    assert check_bundle(bundle_of(changed(edit(BRIEF, old, header)))) == []


def test_a_header_outside_of_the_default_folders_is_never_an_error() -> None:
    """The client does not validate it there."""
    change = edit(MANIFEST, '"name": "pipe"', '"name": "pipe", "skills": "./more"')
    files = changed({**change, "more/x/SKILL.md": "---\n- a\n---\nText.\n"})
    (problem,) = check_bundle(bundle_of(files))
    assert (problem.code, problem.path, problem.severity) == (
        "header-not-a-mapping",
        "more/x/SKILL.md",
        "warning",
    )


def test_a_file_that_is_too_large_for_the_client_is_not_judged() -> None:
    files = changed({BRIEF: "---\n- a\n---\n" + "x" * 1024 * 1024})
    assert {(found.code, found.severity) for found in check_bundle(bundle_of(files))} == {
        ("oversize", "warning"),
        ("no-header", "warning"),
    }


def test_a_header_is_read_up_to_a_hundred_brackets_deep() -> None:
    assert parse_as_it_stands("[" * 100 + "]" * 100)
    for text in ("[" * 101 + "]" * 101, "[]" * 200 + "{" * 101):
        with pytest.raises(Unreadable, match="nested too deeply to be checked"):
            parse_as_it_stands(text)
