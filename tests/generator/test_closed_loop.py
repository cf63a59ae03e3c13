"""What the build refuses because the runtime could not carry it out: codes, rules, examples, fixtures, the protocol."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.generator.sample import write_sample
from tests.kit.generator import generator
from tests.kit.names import ROOT
from tests.kit.sources import change, copy_of_sources
from ultra_plugin.check.protocol import protocol_problems
from ultra_plugin.check.raised import code_problems
from ultra_plugin.check.trial import trial_problems
from ultra_plugin.config import load
from ultra_plugin.pipeline import build, checked
from ultra_plugin.render import render
from ultra_plugin.source import SourceTree

RULES = "runtime/ultra_runtime/contract/rules.py"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the sources, with MIGRATION.md beside it."""
    shutil.copy(ROOT / "MIGRATION.md", tmp_path)
    return copy_of_sources(tmp_path)


def without_code(copy: Path, artifact: str, code: str) -> None:
    path = copy / "contracts" / f"{artifact}.yaml"
    text, count = re.subn(rf"  {code}:\n(?:    .*\n)+", "", path.read_text())
    assert count == 1
    path.write_text(text)


def code_faults(copy: Path) -> list[str]:
    tree = SourceTree(copy)
    return [str(problem).replace(f"{copy}/", "") for problem in code_problems(tree, load(tree))]


def trial_faults(copy: Path) -> list[str]:
    tree = SourceTree(copy)
    suite = load(tree)
    found = trial_problems(tree, suite, render(tree, suite))
    return [str(problem).replace(f"{copy}/", "") for problem in found]


# --- codes and rules --------------------------------------------------------------------------------------------


RAISED = {
    "brief": {"NOT_FOUND", "BAD_VALUE", "MISSING_SECTION", "STATE_INCOHERENT"},
    "progress": {"PARSE_ERROR", "SCHEMA_MISMATCH|VERSION_UNSUPPORTED", "ALREADY_DONE"},
    "review": {"FINDING_ORPHAN", "BAD_TYPE", "MISSING_FIELD"},
    "architecture": {"LOOSE_FILES"},
    "plan": {"CYCLE", "NO_STEPS", "MANIFEST_PARSE"},
    "session-spec": {"NO_STEP_ZERO"},
    "research": {"TOPIC_UNANSWERED"},
}
FAULT = re.compile(
    r"contracts/([a-z-]+)\.yaml:\d+: missing-code: neither ([A-Z_]+) nor [A-Z_]+ is listed, but"
    r" ultra_runtime/[a-z_/]+\.py:\d+ raises it for this artifact \(add it under 'codes:', with"
)


def test_a_code_that_the_runtime_raises_has_to_be_listed(copy: Path) -> None:
    for artifact, codes in RAISED.items():
        text = (copy / f"contracts/{artifact}.yaml").read_text()
        prefix = re.search(r"^prefix: (\w+)$", text, re.MULTILINE)
        assert prefix
        for code in codes:
            code = code.partition("|")[0]
            without_code(copy, artifact, code if f"\n  {code}:" in text else f"{prefix[1]}_{code}")
    found = [FAULT.match(fault) for fault in code_faults(copy)]
    assert all(found)
    assert {(one[1], one[2]) for one in found if one} == {
        # The readers of plans and of their sessions are one, so its codes may be listed by either.
        (artifact if artifact != "session-spec" else "plan", code.partition("|")[0])
        for artifact, codes in RAISED.items()
        for code in codes
    }


def test_common_and_idle_codes_are_told(copy: Path) -> None:
    without_code(copy, "common", "FM_NESTED")
    new = "  BRIEF_TOO_SAD:\n    severity: error\n    means: It is sad.\n    remedy: Cheer up.\n  BRIEF_NOT_FOUND:\n"
    line = change(copy / "contracts/brief.yaml", "  BRIEF_NOT_FOUND:\n", new)
    idle, common = code_faults(copy)
    assert common.startswith("contracts/common.yaml:1: missing-code: the code FM_NESTED is not listed")
    assert idle == (
        f"contracts/brief.yaml:{line + 1}: unused-code: nothing raises the code BRIEF_TOO_SAD (delete it)"
    )


def test_a_rule_is_a_function_and_a_general_code_says_when_it_is_needed(copy: Path) -> None:
    line = change(copy / "contracts/brief.yaml", "  research_state:", "  research_sate:")
    change(copy / "runtime/ultra_runtime/contract/body.py", '"MISSING_SECTION"', '"SECTION_GONE"')
    unknown, unused, general, *_ = code_faults(copy)
    assert unknown == (
        f"contracts/brief.yaml:{line}: unknown-rule: the rule 'research_sate' is not a function of {RULES}"
        " (did you mean 'research_state'?)"
    )
    assert re.match(rf"{RULES}:\d+: unused-rule: no contract names the rule 'research_state'", unused)
    assert "the build does not know which contracts need the code SECTION_GONE" in general


def test_a_contract_that_is_gone_needs_no_codes() -> None:
    """What the runtime would raise for it is no fault of the others."""
    tree = SourceTree(ROOT / "plugin_src")
    suite = load(tree)
    for gone in ("research", "progress", "session_spec", "plan"):
        left = {key: one for key, one in suite.contracts.items() if key != gone}
        problems = code_problems(tree, replace(suite, contracts=left))
        assert [problem for problem in problems if problem.code == "missing-code"] == [], gone


def test_every_code_of_validation_needs_a_fixture(copy: Path) -> None:
    """Except of a file that is missing or unreadable, and of a run; a contract with `valid` alone is left alone."""
    fixtures = copy / "contracts/fixtures"
    gone = [
        "brief/BRIEF_STATE_INCOHERENT.md",  # a rule
        "brief/BRIEF_TOPIC_COUNT.md",  # the code of a part
        "progress/PROGRESS_UNKNOWN_FIELD.json",  # raised only where it is listed
        "plan/PLAN_CYCLE.md",  # a reader of its own
        "common/FM_NESTED.md",
    ]
    for path in gone:
        (fixtures / path).unlink()
    for review in (fixtures / "review").glob("REVIEW_*"):
        review.unlink()
    told = {fault.partition(" (")[0]: fault for fault in code_faults(copy)}
    assert sorted(words.rpartition(" ")[2] for words in told) == sorted(
        path.partition("/")[2].partition(".")[0] for path in gone
    )
    for words, fault in told.items():
        code = words.rpartition(" ")[2]
        assert re.match(
            rf"contracts/\w+\.yaml:\d+: untested-contract: no fixture shows the code {code}", words
        )
        assert "(add contracts/fixtures/" in fault


# --- examples and fixtures --------------------------------------------------------------------------------------


def test_examples_and_fixtures_that_do_something_else_are_told(copy: Path) -> None:
    commands, paths, fixtures = "policy/commands.yaml", "policy/paths.yaml", copy / "contracts/fixtures"
    pack = "policy/packs/git_discards.yaml"
    blocked = change(copy / commands, "        - chmod -R 0777 d\n", "        - chmod -R 0755 d\n")
    passed = change(copy / commands, "        - rm -f a.txt b.txt\n", "        - rm -rf a.txt b.txt\n")
    path = change(copy / paths, "pass: [.ssh/config,", 'pass: ["~/.ssh/config",')
    secret = change(copy / paths, "pass: [.env.example, id_rsa.pub,", "pass: [.env.example, id_rsa.key,")
    packed = change(copy / pack, "pass: [git clean -n,", "pass: [git clean -f,")
    (fixtures / "brief/BRIEF_BAD_TYPE.md").rename(fixtures / "brief/BRIEF_BAD_TYP.md")
    shutil.copy(fixtures / "brief/valid.md", fixtures / "brief/BRIEF_BAD_TYPE.md")
    shutil.copy(fixtures / "plan/PLAN_CYCLE.md", fixtures / "plan/valid-too.md")
    shutil.copytree(fixtures / "review", fixtures / "reviews")
    found = trial_faults(copy)
    assert len([fault for fault in found if "no contract has this fixture's name" in fault]) == 14
    assert sorted(fault for fault in found if "no contract has this" not in fault) == sorted(
        [
            "contracts/fixtures/brief/BRIEF_BAD_TYP.md: fixture: 'BRIEF_BAD_TYP' is not a code of brief"
            " (did you mean 'BRIEF_BAD_TYPE'?)",
            f"{commands}:{passed}: example: the example 'rm -rf a.txt b.txt' of 'recursive_force_delete' must get"
            " allow, but gets block (recursive_force_delete) (fix the rule or the example)",
            f"{commands}:{blocked}: example: the example 'chmod -R 0755 d' of 'chmod_777' must get block (chmod_777),"
            " but gets allow (fix the rule or the example)",
            f"{paths}:{path}: example: the example '~/.ssh/config' of 'secret_keys' must get allow, but gets block"
            " (secret_keys) (fix the rule or the example)",
            f"{pack}:{packed}: example: the example 'git clean -f' of 'git_clean' must get allow, but gets block"
            " (git_clean) (fix the rule or the example)",
            f"{commands}:{blocked}: example: the example 'chmod -R 0755 d' of 'chmod_777' must get yes, but gets no"
            " in guard/first_look.py (fix the rule or the example)",
            f"{paths}:{secret}: example: the example 'id_rsa.key' of 'secret_files' must get no, but gets yes"
            " in files/secret_files.py (fix the rule or the example)",
            "contracts/fixtures/brief/BRIEF_BAD_TYPE.md: fixture: the fixture must get BRIEF_BAD_TYPE alone, but gets"
            " no code (fix the contract or the fixture)",
            "contracts/fixtures/plan/valid-too.md: fixture: the fixture must get no code, but gets PLAN_CYCLE"
            " (fix the contract or the fixture)",
        ]
    )


def test_a_runtime_that_crashes_is_told_in_one_sentence(copy: Path) -> None:
    (copy / "runtime/ultra_runtime/words.py").write_text("raise RuntimeError('broken')\n")
    assert sorted(trial_faults(copy)) == [
        f"runtime: trial: the runtime of {path.name} cannot run: RuntimeError: broken"
        " (fix the runtime, then check again)"
        for path in sorted((copy / "plugins").iterdir())
    ]


def test_the_trial_is_part_of_check(copy: Path) -> None:
    line = change(copy / "policy/commands.yaml", "        - chmod -R 0777 d\n", "        - chmod -R 0755 d\n")
    done = generator(copy.parent, "check", "--client", "off")
    assert done.returncode == 1
    assert done.stdout.startswith(
        f"plugin_src/policy/commands.yaml:{line}: example: the example 'chmod -R 0755 d'"
    )
    assert done.stderr == ""


def test_a_build_tries_again_only_what_changed(tmp_path: Path) -> None:
    steps: list[str] = []
    fixture = "contracts/fixtures/work-order/valid.json"
    source = write_sample(tmp_path, {fixture: "{}"})
    build(source, tmp_path / "dist", progress=steps.append)
    assert steps == ["load", "render", "check", "try", "write", "package"]
    steps.clear()
    write_sample(tmp_path, {"plugins/acme-plan/docs/MORE.md": "# More\n"})
    build(source, tmp_path / "dist", progress=steps.append)
    assert steps == ["load", "render", "check", "write", "package"]
    steps.clear()
    write_sample(tmp_path, {fixture: "[]"})
    build(source, tmp_path / "dist", progress=steps.append)
    assert "try" in steps


def test_a_tree_without_fixtures_and_releases_is_no_fault(copy: Path) -> None:
    for folder in ("fixtures", "released"):
        shutil.rmtree(copy / "contracts" / folder)
    assert trial_faults(copy) == []
    tree = SourceTree(copy)
    assert list(protocol_problems(tree, load(tree))) == []


def test_a_tree_without_runtime_contracts_and_policy_has_nothing_to_try(tmp_path: Path) -> None:
    changes = {"contracts/work-order.yaml": None, "fragments/rules.md.j2": "Be good.\n"}
    bundles, _ = checked(SourceTree(write_sample(tmp_path, changes)), "dist")
    assert bundles


# --- the protocol -----------------------------------------------------------------------------------------------


def refusal(copy: Path) -> str:
    return generator(copy.parent, "check", "--client", "off").stdout


def test_a_breaking_change_is_refused_and_an_optional_field_is_not(copy: Path) -> None:
    field = "  mood: {type: text, means: The mood., required: false, values: {good: Good., bad: Bad.}}\n"
    change(copy / "contracts/brief.yaml", "\nfields:\n", f"\nfields:\n{field}")
    tree = SourceTree(copy)
    assert list(protocol_problems(tree, load(tree))) == []
    change(copy / "contracts/brief.yaml", "required: false, values: {good", "values: {good")
    line = (copy / "contracts/brief.yaml").read_text().split('  current: "2.0"')[0].count("\n") + 1
    said = refusal(copy)
    assert (
        f"plugin_src/contracts/brief.yaml:{line}: contract-protocol: its shape changed, but brief_version"
        in said
    )
    assert "MIGRATION.md has no '## brief 2.0' (add the entry:" in said
