"""Names of fields: the runtime takes them from the tables, and the build checks that it does and that they exist."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from tests.changes.conftest import PLUGIN, Fork
from tests.kit.calls import Ultra
from tests.kit.names import COMMANDS, PIPELINE, PROJECT, ROOT
from ultra_plugin.config import load
from ultra_plugin.source import SourceTree
from ultra_plugin.tables.fields import clashes, field_names, fields_module, used_names

BRIEF = "contracts/brief.yaml"
EXAMPLE = f"{PLUGIN}/docs/examples/2026-01-31-rate-limit/brief.md.j2"
RUNTIME = "runtime/ultra_runtime"


def rename(fork: Fork, kept: str) -> None:
    """Rename a field and a section of the brief in its contract, and leave word of the old names or none."""
    section = kept.replace("research_status", "Success Criteria")
    fork.change(
        BRIEF,
        {
            "  research_status:\n    type: text\n": f"  looked_into:\n    type: text\n{kept}",
            "  Success Criteria:\n": f"  Done When:\n{section}",
        },
    )


def adapt(fork: Fork) -> None:
    """Name the new names in the prompts, in the example and in the fixtures."""
    fork.change(f"{PLUGIN}/guides/brief/draft.md.j2", {"'research_status'": "'looked_into'"})
    fork.change(f"{PLUGIN}/commands/brief.md.j2", {"'Success Criteria'": "'Done When'"})
    fork.change(EXAMPLE, {"research_status:": "looked_into:", "## Success Criteria": "## Done When"})
    for path in (fork.sources / "contracts/fixtures").rglob("*.md"):
        text = path.read_bytes().replace(b"research_status:", b"looked_into:")
        path.write_bytes(text.replace(b"## Success Criteria", b"## Done When"))


def test_a_field_is_renamed_in_its_contract_and_in_what_names_it(
    fork: Fork, repo: Path, python: Path
) -> None:
    rename(fork, "    as: research_status\n")
    named = {fault.partition(":")[0] for fault in fork.faults()}
    assert named == {f"{PLUGIN}/guides/brief/draft.md.j2", f"{PLUGIN}/commands/brief.md.j2"}
    adapt(fork)
    bundle = fork.build()
    ultra = Ultra(bundle, repo, python)
    brief = repo / PROJECT / "brief.md"
    text = (bundle / "docs/examples/2026-01-31-rate-limit/brief.md").read_text()
    brief.write_text(text.replace("looked_into: complete", "looked_into: in_progress"))
    assert ultra("validate", "brief", brief).data["valid"] is True
    assert ultra("brief", "status", PROJECT, "skipped").data["looked_into"] == "skipped"
    assert "looked_into: skipped" in brief.read_text()
    brief.write_text(text.replace("looked_into: complete", "looked_into: skipped"))
    (issue,) = ultra("validate", "brief", brief).data["errors"]
    assert issue["message"].startswith("looked_into is skipped with")
    brief.write_text(text.replace("looked_into:", "research_status:"))
    assert [one["field"] for one in ultra("validate", "brief", brief).data["errors"]] == ["looked_into"]


@pytest.mark.soak
def test_a_name_that_the_runtime_needs_cannot_go(fork: Fork) -> None:
    rename(fork, "")
    adapt(fork)
    found = [fault for fault in fork.faults() if "runtime-name" in fault]
    path = f"{RUNTIME}/contract/rules.py"
    line = fork.line(path, "brief_fields.RESEARCH_STATUS)")
    start = f"{path}:{line}: runtime-name: the table 'brief_fields' has no RESEARCH_STATUS "
    remedy = "(keep it with `as: research_status` on the renamed field of contracts/brief.yaml;"
    assert [fault for fault in found if fault.startswith(start + remedy)]
    assert [fault for fault in found if "has no SECTION_SUCCESS_CRITERIA" in fault]


FOUND = {
    'NAME = "research_status"': "'research_status' spells out a name from a contract (import brief_fields.RESEARCH_STATUS",
    'NAME = values.get("Success Criteria")': "'Success Criteria' spells out a name from a contract",
    'NAME = load_contract("brief")': "'brief' spells out a name from a contract (import brief_fields.KIND",
    'NAME = subject.text("slug")': "'slug' spells out a name from a contract",
    'NAME = contract.artifact == "research"': "'research' spells out a name from a contract",
    'NAME = stage in ("init", "other")': "'init' spells out a stage (ask contract/stages.py",
    'NAME = command("continue")': "'continue' spells out a stage",
    'OTHER = word == "continue"': "",
    "MOST_ATTEMPTS = 3": "MOST_ATTEMPTS repeats a limit as a number (import ATTEMPTS from",
    "MOST_ISSUES = 20": "20 beside 'MOST_ISSUES' repeats a limit as a number (import ISSUES_TOLD from",
    "LATE = attempt >= 3": "3 beside 'attempt' repeats a limit as a number (import ATTEMPTS from",
    "MANY = 15 < len(self.findings)": "15 beside 'findings' repeats a limit as a number (import FINDINGS from",
    "FIRST = findings[:15]": "15 beside 'findings' repeats a limit as a number",
    "DONE = tried(attempts=3)": "3 beside 'attempts' repeats a limit as a number",
    "for attempt in range(3): pass": "3 beside 'attempt' repeats a limit as a number",
    "def depth(recovery_depth=2): pass": "2 beside 'recovery_depth' repeats a limit as a number",
    "OTHER = attempt >= 2 or attempts[:1] or len(steps) > 3 or second > 15": "",
    f'TEXT = f"{{plugin}}:{PIPELINE["continue"]}"': f"':{PIPELINE['continue']}' spells out a command (ask contract/stages",
    f'TEXT = "type {COMMANDS["review"]} now"': "spells out a command",
    f'OTHER = "type:{PIPELINE["review"]}-like"': "",
    "from ultra_runtime.tables.limits import ATEMPTS": "'limits' has no ATEMPTS (did you mean 'ATTEMPTS'?)",
    "from ultra_runtime.tables.fields import brief_feilds": "unknown table 'brief_feilds' (did you mean 'brief_fields'?)",
    "from ultra_runtime.tables import agents": "",
    "from ultra_runtime.tables import LAUNCHER": "",
    "NAME = agents.REVIEWRS": "the table 'agents' has no REVIEWRS (did you mean 'REVIEWERS'?)",
    'ANSWER = {"research_status": 1}': "'research_status' spells out a name from a contract",
    'WORDS = f"the research_status is {1}"': "a sentence spells out 'research_status', a name from a contract (put brief_fields",
    'ANSWER = {"verdict": 1}': "",
    'OTHER = "brief"': "",
    '__slots__ = ("research_status",)': "",
    'OTHER = other("slug")': "",
}
"""A line of a module -> what is wrong with it, nothing when it may be written so."""


def test_what_the_runtime_spells_or_misspells_is_found(fork: Fork) -> None:
    path = f"{RUNTIME}/research/spelled.py"
    lines = ['"""A module of a fork: research_status."""', *FOUND]
    (fork.sources / path).write_text("\n".join(lines) + "\n")
    found = {int(fault.split(":")[1]): fault for fault in fork.faults() if fault.startswith(f"{path}:")}
    expected = {lines.index(line) + 1: words for line, words in FOUND.items() if words}
    assert sorted(found) == sorted(expected)
    for number, words in expected.items():
        assert words in found[number]


def test_names_of_one_contract_do_not_meet() -> None:
    suite = load(SourceTree(ROOT / "plugin_src"))
    brief = suite.contracts["brief"]
    doubled = replace(brief, fields={**brief.fields, "brief-quality": brief.fields["slug"]})
    assert clashes(doubled) == [("BRIEF_QUALITY", "brief_quality", "brief-quality")]
    assert [clashes(contract) for contract in suite.contracts.values() if clashes(contract)] == []
    names = field_names(brief)
    assert names["BRIEF_QUALITY"] == "brief_quality"
    assert names["SECTION_BRIEF_QUALITY"] == "Brief Quality"
    assert names["TOPICS_SCOPE_LOCAL"] == "local"


def test_the_table_has_the_names_in_use_and_no_others(fork: Fork) -> None:
    module = fork.sources / f"{RUNTIME}/research/taken.py"
    module.write_text(
        "from ultra_runtime.tables.fields import brief_fields, research_fields as of_research\n"
        "NAMES = brief_fields.PART_TOPICS, brief_fields.SECTION_PRIOR_ATTEMPTS, of_research.NOT_THERE\n"
    )
    tree = SourceTree(fork.sources)
    contracts, used = load(tree).contracts, used_names(tree)
    assert used["brief"] >= {"PART_TOPICS", "SECTION_PRIOR_ATTEMPTS", "KIND"}
    assert "NOT_THERE" in used["research"]
    fields = made(fields_module(contracts, used))
    assert fields.brief_fields.SECTION_PRIOR_ATTEMPTS == "Prior Attempts"
    assert not hasattr(fields.brief_fields, "SECTION_PREFERENCES")
    assert not hasattr(fields.research_fields, "NOT_THERE")


def test_names_of_a_contract_that_is_not_there_are_empty() -> None:
    """A plugin without reviews still carries modules that name one."""
    tree = SourceTree(ROOT / "plugin_src")
    contracts = {key: contract for key, contract in load(tree).contracts.items() if key != "review"}
    fields = made(fields_module(contracts, used_names(tree)))
    assert fields.review_fields.SCOPE_SHA_START == ""
    assert fields.review_fields.KIND == "review"
    assert fields.brief_fields.TASK == "task"


def made(text: str) -> ModuleType:
    """Return the module of a text."""
    module = ModuleType("fields")
    exec(text, module.__dict__)  # noqa: S102
    return module
