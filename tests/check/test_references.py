"""Faults of what Markdown texts refer to."""

from __future__ import annotations

import pytest

from tests.check.plugins import BRIEF, CRITIC, REVIEW, Case, add, bundle_of, changed, edit
from ultra_plugin.check import check_bundle

README = "README.md"
DOCS = "docs/guide.md"
END = 11
"""The line that is added to the command."""

CASES = (
    Case(add(BRIEF, "Go on with /pipe:reveiw."), "dangling-command", BRIEF, END),
    Case(add(README, "```\n/pipe:reveiw\n```"), "dangling-command", README, 11),
    Case(edit(BRIEF, "Task\n", "Task, Skill(pipe:reveiw)\n"), "dangling-agent", BRIEF, 4),
    Case(add(BRIEF, "Ask `pipe:critik` about it."), "dangling-agent", BRIEF, END),
    Case(add(REVIEW, "Let pipe:nobody do it"), "dangling-agent", REVIEW, 9),
    Case(add(BRIEF, "Go on with /brief."), "bare-command", BRIEF, END),
    Case(add(README, "    /brief about it"), "bare-command", README, 10),
    Case(add(BRIEF, "See [it](../templates/gone.md#goal)."), "dangling-file", BRIEF, END),
    Case(add(BRIEF, "See [it](../../x.md)."), "dangling-file", BRIEF, END),
    Case(add(README, "[more]: gone.md"), "dangling-file", README, 10),
    Case(add(README, "![picture](<gone.png>)"), "dangling-file", README, 10),
    Case(add(BRIEF, "Read @${CLAUDE_PLUGIN_ROOT}/templates/gone.md."), "dangling-file", BRIEF, END),
    Case(add(BRIEF, '```\npython3 "${CLAUDE_PLUGIN_ROOT}/gone.py"\n```'), "dangling-file", BRIEF, END + 1),
    Case(add(BRIEF, 'Run python3 "${CLAUDE_PLUGIN_ROOT}"/gone.py'), "dangling-file", BRIEF, END),
    Case(add(REVIEW, "Read ${CLAUDE_SKILL_DIR}/gone.md"), "dangling-file", REVIEW, 9),
    Case(add(BRIEF, "Read $CLAUDE_PLUGIN_ROOT/templates/brief.md"), "root-without-braces", BRIEF, END),
    Case(add(BRIEF, "Read ${CLAUDE_SKILL_DIR}/x"), "not-substituted", BRIEF, END),
    Case(add(CRITIC, "Read $ARGUMENTS"), "not-substituted", CRITIC, 8),
    Case(add(BRIEF, "Look into /home/mkowalski/notes/x.md"), "absolute-path", BRIEF, END),
    Case(add(BRIEF, "Look into C:\\Users\\mkowalski"), "absolute-path", BRIEF, END),
    Case({"scripts/stop.sh": "true\ncat /Users/mkowalski/x\n"}, "absolute-path", "scripts/stop.sh", 2),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fault(case: Case) -> None:
    case.assert_found_in(check_bundle(bundle_of(changed(case.change))))


SENTENCES = [
    case
    for case in CASES
    if case.code.startswith("dangling") and "\n```" not in str(case.change.get(BRIEF, "\n```"))
]


@pytest.mark.parametrize("case", SENTENCES, ids=str)
def test_what_is_right_before_a_fault_hides_nothing(case: Case) -> None:
    *lines, last = str(case.change[BRIEF]).splitlines()
    right = "See [top](#goal), [web](https://example.org), ${CLAUDE_PLUGIN_ROOT}/templates/*.md, /pipe:review, pipe:critic."
    text = "\n".join([*lines, f"{right} {last}\n"])
    case.assert_found_in(check_bundle(bundle_of(changed({BRIEF: text}))))


@pytest.mark.parametrize(
    "text",
    [
        "Go on with /pipe:review, or `pipe:brief`; ask pipe:critic.",
        "All of them: /pipe:<command>, /pipe:*, https://example.org/pipe:x, see pipe: it is good",
        "either/or, and/brief/x, ./brief, docs/brief, /brief/x, /briefs, /plan, <brief/>",
        "See [it](../templates/brief.md), [top](#goal), [web](https://example.org), [root](/x), [mail](mailto:a@b.c)",
        "Code is no link: `[x](gone.md)`",
        "Read ${CLAUDE_PLUGIN_ROOT}/templates/brief.md. Then ${CLAUDE_PLUGIN_ROOT}/templates/*.md",
        "Read ${CLAUDE_PLUGIN_ROOT}/templates/<name>.md and ${CLAUDE_PLUGIN_ROOT}/ and ${CLAUDE_PLUGIN_DATA}/x",
        "Paths: /home, /home/, /Users, ~/x, ${HOME}/home/x/y, C:, http://host/home/x/y",
        "See [brief](../templates/brief.md \"The brief\") and [spaces](../templates/brief%2Emd)",
    ],
)  # fmt: skip
def test_no_fault(text: str) -> None:
    assert check_bundle(bundle_of(changed(add(BRIEF, text)))) == []


def test_examples_in_fences_of_documents_are_not_taken_for_links_or_paths() -> None:
    text = "# Guide\n\n````md\n```\n[x](gone.md) /home/mkowalski/x\n```\n````\n"
    assert check_bundle(bundle_of(changed({DOCS: text}))) == []


def test_a_remedy_names_what_was_meant() -> None:
    remedies = {
        problem.remedy
        for problem in check_bundle(bundle_of(changed(add(BRIEF, "/pipe:reveiw /brief pipe:critik"))))
    }
    assert remedies == {"did you mean 'review'?", "write '/pipe:brief'", "did you mean 'critic'?"}
