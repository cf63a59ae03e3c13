"""A limit is one line of limits.yaml: the runtime, the prompts, the docs and the messages follow it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.changes.conftest import PLUGIN, Fork
from tests.executor.sample import Repo, plan, step
from tests.kit.calls import Ultra
from ultra_plugin.declared import Limit
from ultra_plugin.errors import ProblemsFound
from ultra_plugin.limits import with_limits

LIMITS = "limits.yaml"
# The tutorial shows a recorded session, which says what was true when it was recorded.
RECORDED = "docs/TUTORIAL.md"
OLD = re.compile(
    r"\bthree (?:\w+ )?attempts|\bfailed three times|\bthree failures in a row|\bATTEMPTS = 3", re.I
)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the plugin with other limits, each changed in its one line."""
    fork = Fork(tmp_path_factory.mktemp("limits"))
    for name, old, new in (("attempts", 3, 4), ("self_checks", 3, 5), ("findings", 15, 2)):
        fork.change(LIMITS, {f"  {name}:\n    value: {old}\n": f"  {name}:\n    value: {new}\n"})
    fork.change("contracts/brief.yaml", {"      passes_at: 5\n": "      passes_at: 3\n"})
    fork.change("contracts/brief.yaml", {"  rounds: 3\n": "  rounds: 2\n"})
    return fork.build()


def test_attempts_are_one_line_of_yaml(bundle: Path, tmp_path: Path, python: Path) -> None:
    repository = Repo(tmp_path / "work", bundle, python).create(plan(step(1, verify="false")))
    repository.start()
    assert repository.ok("step begin 1")["attempts"] == 4
    repository.write({"src/part1.py": "print(1)\n"})
    told = [repository.ok("step verify 1") for _ in range(4)]
    assert [(one["attempt"], one["of"]) for one in told] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert repository.has("src/part1.py") is False, "the fourth failure undoes the step, not the third"
    assert "4 of 4 attempts" in repository.say("run", "finish").out
    said = {
        "docs/commands/ultraexecute-local.md": "A step has four attempts",
        "runtime/ultra_runtime/tables/plan.py": "Four attempts in all",
        "docs/PIPELINE.md": "4 attempts",
    }
    for path, words in said.items():
        assert words in " ".join((bundle / path).read_text().split()), path
    left = {
        str(path.relative_to(bundle)): OLD.findall(" ".join(path.read_text().split()))
        for path in bundle.rglob("*")
        if path.suffix in (".md", ".py", ".json", ".yaml") and str(path.relative_to(bundle)) != RECORDED
    }
    assert {path: words for path, words in left.items() if words} == {}


def test_a_limit_of_an_answer_is_that_of_its_check_and_of_its_prompt(
    bundle: Path, repo: Path, python: Path
) -> None:
    one = {
        "severity": "MAJOR",
        "rule": "r",
        "path": "a.py",
        "line": 1,
        "evidence": "x",
        "message": "m",
        "fix": "f",
    }
    ultra = Ultra(bundle, repo, python)
    faults = {}
    for number in (2, 3):
        block = f"```json\n{json.dumps({'findings': [one] * number, 'looked_at': []})}\n```"
        faults[number] = ultra("check-output", "test-reviewer", given=block).data["faults"]
    assert faults == {2: [], 3: ["findings must have at most 2 entries, not 3"]}
    assert "At most 2 findings" in (bundle / "agents/test-reviewer.md").read_text()


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        (LIMITS, "value: 3\n", "value: 0\n", "out-of-range: 'attempts' must be from 2 to 9, not 0"),
        (
            LIMITS, "value: 60\n    minimum: 1\n", "value: 601\n    minimum: 1\n",
            "out-of-range: 'small_repository' must not be above 'middling_repository', which is 600; it is 601",
        ),
        (
            LIMITS, "not_above: port_last", "not_above: port_lats",
            "unknown-limit: 'port_first' must not be above 'port_lats', which is not a limit (did you mean 'port_last'?)",
        ),
        (LIMITS, "value: 3\n", "value: three\n", "wrong-type: 'value' must be a whole number"),
        (
            "contracts/plan.yaml",
            "limit_word('attempts')",
            "limit_word('atempts')",
            "unknown-limit: unknown limit 'atempts' (did you mean 'attempts'?)",
        ),
        (
            "contracts/plan.yaml",
            "{{ limit_word('attempts') | capitalize }}",
            "{{ attempts }}",
            "unknown-limit: double braces can hold only limits here",
        ),
        (f"{PLUGIN}/docs/commands/execute.md.j2", "limit_word('attempts')", "limit_word('tries')", "unknown limit 'tries'"),
        ("contracts/brief.yaml", "  passes_at: 4\n", "  passes_at: 9\n", "passes_at must be from 1 to 5, not 9"),
        ("contracts/brief.yaml", "  rounds: 3\n", "  rounds: 0\n", "rounds must be from 1 to 9, not 0"),
    ],
)  # fmt: skip
def test_a_number_outside_its_range_does_not_build(
    fork: Fork, path: str, old: str, new: str, expected: str
) -> None:
    fork.change(path, {old: new})
    found = [fault for fault in fork.faults() if expected in fault]
    assert found
    assert found[0].startswith(f"{path}:")
    assert int(found[0].split(":")[1]) > 0


def test_gate_numbers_are_those_of_the_prompt(bundle: Path) -> None:
    assert "a research_plan below 3" in " ".join((bundle / "agents/brief-reviewer.md").read_text().split())
    assert "at most 2" in " ".join((bundle / "commands/ultrabrief-local.md").read_text().split())


@pytest.mark.soak
def test_a_limit_that_nothing_uses_does_not_build(fork: Fork) -> None:
    new = "  spare: {value: 4, minimum: 1, maximum: 9, unit: words, means: How long a word is.}\n"
    fork.change(LIMITS, {"limits:\n": f"limits:\n{new}"})
    (fault,) = fork.faults()
    remedy = "import it from ultra_runtime.tables.limits, name it in a text, or delete it"
    assert fault == f"{LIMITS}:4: unused-limit: nothing uses the limit 'spare' ({remedy})"
    fork.change(
        f"{PLUGIN}/commands/plan.md.j2", {"# Make a plan": "# Make a plan in {{ limit.spare }} words"}
    )
    assert fork.problems() == []


PIECES = {
    "a: {{ limit.attempts }} and {{ limit_word('attempts') }}": "a: 3 and three",
    "b: plain": "b: plain",
    "c: {{ other }}": None,
    "d: {{ limit.atempts }}": None,
}


@given(lines=st.lists(st.sampled_from([*PIECES]), max_size=6))
def test_limits_are_filled_in_line_by_line_and_each_fault_has_its_line(lines: list[str]) -> None:
    limits = {"attempts": Limit(3, 1, 9, "attempts", "x")}
    wrong = [number for number, line in enumerate(lines, 1) if PIECES[line] is None]
    data = "\n".join(lines).encode()
    if not wrong:
        assert with_limits("x.yaml", data, limits).decode().split("\n") == (
            [PIECES[line] for line in lines] or [""]
        )
        return
    with pytest.raises(ProblemsFound) as caught:
        with_limits("x.yaml", data, limits)
    assert [(one.path, one.line) for one in caught.value.problems] == [("x.yaml", number) for number in wrong]
