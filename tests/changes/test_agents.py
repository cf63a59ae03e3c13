"""An agent's role and the form of its answer stand in its own file; a new reviewer is one file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.changes.conftest import PLUGIN, Fork
from tests.kit.calls import Ultra
from tests.kit.names import EXAMPLE, NAME, PROJECT
from tests.kit.repository import git

AGENTS = f"{PLUGIN}/agents"
NEW = "performance-reviewer"
EXPLORER = "build-explorer"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the plugin with one more reviewer and explorer, a quick researcher and another order of explorers."""
    fork = Fork(tmp_path_factory.mktemp("agents"))
    for old, new in (("test-reviewer", NEW), ("task-finder", EXPLORER)):
        text = (fork.sources / AGENTS / f"{old}.md.j2").read_text().replace(old, new)
        order = "order: 8\nprograms: [make lint, make test ...]" if new == NEW else "order: 8"
        fork.write(f"{AGENTS}/{new}.md.j2", re.sub(r"^order: .*$", order, text, flags=re.MULTILINE))
    assert fork.changed == {f"{AGENTS}/{NEW}.md.j2", f"{AGENTS}/{EXPLORER}.md.j2"}
    fork.change(f"{AGENTS}/web-issues.md.j2", {"scope: external\n": "scope: external\nquick: true\n"})
    fork.change(f"{AGENTS}/risk-assessor.md.j2", {"order: 6": "order: 0"})
    return fork.build()


def test_a_new_reviewer_is_one_file(bundle: Path, repo: Path, python: Path) -> None:
    prompt = (bundle / "commands/ultrareview-local.md").read_text()
    assert f"- `ultraplan-local:{NEW}`" in prompt
    assert len(re.findall(r"^- `ultraplan-local:[a-z-]+-reviewer`", prompt, re.MULTILINE)) == 6
    assert f"| `{NEW}`" in (bundle / "docs/PIPELINE.md").read_text()
    header = (bundle / f"agents/{NEW}.md").read_text().split("---")[1]
    assert not [key for key in ("role:", "order:", "output:", "budget:") if key in header]

    (repo / "a.py").write_text("x = 1\n")
    git(repo, "add", "a.py")
    git(repo, "commit", "--quiet", "--message=begin")
    (repo / "a.py").write_text("x = 2\n" * 100)
    (repo / PROJECT / "brief.md").write_bytes((EXAMPLE / "brief.md").read_bytes())
    ultra = Ultra(bundle, repo, python)
    assert ultra("triage", "--project", PROJECT, "--since", "HEAD").data["agents"] == 7
    one = {
        "severity": "MAJOR",
        "rule": "slow",
        "path": "a.py",
        "line": 1,
        "evidence": "x = 2",
        "message": "m",
        "fix": "f",
    }
    block = f"```json\n{json.dumps({'findings': [one], 'looked_at': []})}\n```"
    told = ultra("review", "add", NEW, "--project", PROJECT, given=block).data
    assert (told["ok"], told["kept"]) == (True, 1)
    assert NEW not in told["missing"]
    assert hook(ultra, "agent_answer", {"last_assistant_message": "no block"})["decision"] == "block"
    call = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "touch b.py"},
        "agent_id": "a",
    }
    denied = hook(ultra, "guard", {**call, "cwd": str(repo), "session_id": "s"})["hookSpecificOutput"]
    assert denied["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    ("command", "allowed"),
    [("make lint", True), ("make test K=a", True), ("make lint all", False), ("make", False)],
)
def test_an_agents_own_file_lists_the_programs_that_it_may_run(
    bundle: Path, repo: Path, python: Path, command: str, allowed: bool
) -> None:
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
    given = {**call, "agent_id": "a", "agent_type": f"{NAME}:{NEW}", "cwd": str(repo), "session_id": "s"}
    said = Ultra(bundle, repo, python).hook("guard", given).out
    assert ("`make lint`, `make test ...`" in said) is not allowed
    assert f"{NEW} `make lint`, `make test ...`" in (bundle / "docs/GUARD.md").read_text()
    assert "programs:" not in (bundle / f"agents/{NEW}.md").read_text()


def test_a_program_that_is_not_a_plain_call_stops_the_build(fork: Fork) -> None:
    path = f"{AGENTS}/local-history.md.j2"
    fork.change(path, {"git log ...": "git log | head"})
    (fault,) = fork.faults()
    assert "'programs' lists 'git log | head', which is not a call of a program" in fault
    assert fault.startswith(path)


def hook(ultra: Ultra, name: str, given: dict[str, object]) -> dict[str, Any]:
    """Return what a hook answers to something that the new reviewer does."""
    return ultra.hook(name, {"agent_type": f"{NAME}:{NEW}", **given}).data


@pytest.mark.soak
def test_a_researcher_and_an_explorer_are_asked_by_their_own_files(
    bundle: Path, repo: Path, python: Path
) -> None:
    ultra = Ultra(bundle, repo, python)
    told = ultra("research", "begin", "--quick", "--external").data
    assert [name.rpartition(":")[2] for name in told["agents"]] == ["web-docs", "web-issues"]
    assert "two local agents and two external" in (bundle / "guides/research/usage.md").read_text()
    (repo / PROJECT / "brief.md").write_bytes((EXAMPLE / "brief.md").read_bytes())
    told = ultra("plan", "begin", "--project", PROJECT, "--quick").data
    assert told["explorers"] == [f"{NAME}:risk-assessor", f"{NAME}:task-finder"]


@pytest.mark.soak
def test_a_new_explorer_is_one_file(bundle: Path, repo: Path, python: Path) -> None:
    (repo / PROJECT / "brief.md").write_bytes((EXAMPLE / "brief.md").read_bytes())
    for number in range(601):
        (repo / f"{number}.py").touch()
    git(repo, "add", "--all")
    told = Ultra(bundle, repo, python)("plan", "begin", "--project", PROJECT).data
    assert told["explorers"][-1] == f"{NAME}:{EXPLORER}"
    assert f"| `{NAME}:{EXPLORER}`" in (bundle / "guides/plan/explorers.md").read_text()
    assert f"| `{EXPLORER}`" in (bundle / "docs/PIPELINE.md").read_text()


@pytest.mark.parametrize(
    ("agent", "old", "new", "expected"),
    [
        ("test-reviewer", "role: reviewer", "role: reviwer", "'role' cannot be 'reviwer' (did you mean 'reviewer'?)"),
        (
            "test-reviewer",
            "output: findings",
            "output: finding",
            "outputs/finding.yaml does not exist (did you mean 'findings'?)",
        ),
        ("test-reviewer", "order: 4", "order: last", "'order' must be a whole number"),
        ("web-docs", "scope: external\n", "", "a researcher needs a scope (add 'scope: local' or 'scope: external')"),
        ("web-docs", "scope: external\n", "scope: web\n", "'scope' cannot be 'web'"),
    ],
)  # fmt: skip
def test_a_header_that_does_not_resolve_is_refused(
    fork: Fork, agent: str, old: str, new: str, expected: str
) -> None:
    path = f"{AGENTS}/{agent}.md.j2"
    fork.change(path, {old: new})
    found = [fault for fault in fork.faults() if expected in fault]
    assert found
    assert found[0].startswith(f"{path}:")
    assert int(found[0].split(":")[1]) > 0


@pytest.mark.soak
def test_a_role_that_a_verb_needs_and_nobody_has_is_refused(fork: Fork) -> None:
    fork.change(f"{AGENTS}/review-coordinator.md.j2", {"role: coordinator\n": ""})
    (fault,) = fork.faults()
    path = f"{PLUGIN}/commands/review.md.j2"
    line = fork.line(path, "verb('review verdict')")
    assert fault == (
        f"{path}:{line}: role-without-agent: `ultra review verdict` needs an agent with the role 'coordinator', but none"
        " has it (add 'role: coordinator' to the header of an agent, or drop the call)"
    )


@pytest.mark.soak
def test_forms_and_agents_without_each_other_do_not_build(fork: Fork) -> None:
    fork.change(f"{AGENTS}/review-coordinator.md.j2", {"output: coordination\n": ""})
    found = fork.faults()
    assert any("no agent 'review-coordinator' has an 'output:' in its header" in fault for fault in found)
    (fork.sources / "outputs/spare.yaml").write_text(
        "output: spare\nmeans: Nothing.\nfields: {a: {type: text, means: b}}\n"
    )
    fork.change(
        f"{AGENTS}/review-coordinator.md.j2",
        {"role: coordinator\n": "role: coordinator\noutput: coordination\n"},
    )
    (fault,) = fork.faults()
    assert (
        fault
        == "outputs/spare.yaml: unused-output: no agent uses this output (name it in an agent, or delete it)"
    )
