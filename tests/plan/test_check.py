"""What is checked around a plan: counts that are filled in, findings of the review, names of recoveries, commands."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.plan.texts import manifest, plan, session, step, strategy
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Report, Result
from ultra_runtime.plan.check import check, fill
from ultra_runtime.plan.commands import commands_to_run, plan_commands
from ultra_runtime.plan.manifest import BlockReader
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.session_spec import version_parts
from ultra_runtime.plan.values import PLAN, Plan
from ultra_runtime.text import markdown
from ultra_runtime.text.yaml_mapping import MappingError

FIXTURES = Path(__file__).parents[2] / "plugin_src/contracts/fixtures/session-spec"
COUNT = "min_file_count"
PATHS = st.lists(st.sampled_from(["a.py", "b.py", "c/d.py"]), min_size=1, max_size=3, unique=True)
MANIFESTS = st.lists(st.tuples(PATHS, st.booleans(), st.booleans()), min_size=1, max_size=3)


def checked(path: Path, kind: str = "plan") -> Result:
    report = Report(load_contract(kind), str(path))
    check(report, path.read_bytes(), False)
    return report.result()


@given(MANIFESTS, st.sampled_from(["\n", "\r\n"]))
def test_a_count_that_is_missing_is_that_of_the_paths(
    made: list[tuple[list[str], bool, bool]], end: str
) -> None:
    blocks = []
    for paths, has_count, is_long in made:
        lines = manifest(paths).split("\n")
        listed = [f"      - {one}" for one in paths]
        lines = [line for line in lines if has_count or COUNT not in line]
        at = next(at for at, line in enumerate(lines) if "expected_paths" in line)
        lines[at : at + 1] = ["    expected_paths:", *listed] if is_long else [lines[at]]
        blocks.append("\n".join(lines))
    text = plan(*(step(number, block=one) for number, one in enumerate(blocks, 1))).replace("\n", end)
    found = fill(text.encode()).decode()
    assert fill(found.encode()) == found.encode()
    kept = text.split(end)
    added = [line for line in found.split(end) if COUNT in line]
    assert added == [f"    {COUNT}: {len(paths)}" for paths, _, _ in made]
    assert [line for line in found.split(end) if COUNT not in line] == [
        line for line in kept if COUNT not in line
    ]
    parts = found.replace("\r\n", "\n").split("  ```yaml\n")[1:]
    assert [yaml.safe_load(part.partition("  ```")[0])["manifest"][COUNT] for part in parts] == [
        len(paths) for paths, _, _ in made
    ]


@pytest.mark.parametrize("review", ["open", "settled", "other", "none"])
def test_a_finding_is_in_the_review_as_open_or_settled(tmp_path: Path, review: str) -> None:
    wanted, other = "b" * 40, "c" * 40
    texts = {
        "open": f"---\nfindings: [{other}, {wanted}]\n---\n",
        "settled": f"---\nfindings: []\n---\nSettled: `{wanted[:8]}`\n",
        "other": f"---\nfindings: [{other}]\n---\n",
    }
    if review in texts:
        (tmp_path / "review.md").write_text(texts[review])
    for named in ([], [wanted], [wanted, wanted]):
        text = plan(step(1)).replace("1.7\n", f"1.7\nsource_findings: [{', '.join(named)}]\n", 1)
        (tmp_path / "plan.md").write_text(text)
        found = checked(tmp_path / "plan.md")
        is_told = bool(named) and review in ("other", "none")
        assert found.errors == []
        assert [(one.code, one.line, one.field) for one in found.warnings] == [
            ("PLAN_UNKNOWN_FINDING", 3, "source_findings")
        ] * is_told
        if is_told:
            said = "there is no review.md next to it" if review == "none" else f"{wanted} is not in review.md"
            assert said in found.warnings[0].message


@pytest.mark.parametrize(
    "name", ["session-2", "session-2-recovery-1", "session-2-recovery-2", "my-recovery-1"]
)
@pytest.mark.parametrize("fixture", ["valid", "valid-recovery"])
def test_a_recovery_is_named_after_its_depth(tmp_path: Path, name: str, fixture: str) -> None:
    path = tmp_path / f"{name}.md"
    path.write_bytes((FIXTURES / f"{fixture}.md").read_bytes())
    depth = name.partition("session-2-recovery-")[2]
    is_wrong = bool(depth) and depth != ("1" if fixture == "valid-recovery" else "")
    report = Report(load_contract("session-spec"), str(path))
    summary = check(report, path.read_bytes(), False)
    assert [one.code for one in report.result().errors] == ["SPEC_RECOVERY"] * is_wrong
    assert summary
    numbers = [
        int(line.split()[2][:-1]) for line in path.read_text().split("\n") if line.startswith("### Step ")
    ]
    assert [one["number"] for one in summary["steps"]] == numbers


@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=4), st.lists(st.integers(0, 12), min_size=1, max_size=4)
)
def test_versions_compare_as_numbers_and_zeros_at_the_end_do_not_count(
    one: list[int], two: list[int]
) -> None:
    parts = [version_parts(".".join(map(str, numbers))) for numbers in (one, two)]
    padded = [tuple(numbers + [0] * (4 - len(numbers))) for numbers in (one, two)]
    assert (parts[0] == parts[1]) == (padded[0] == padded[1])
    assert parts[0] is not None
    assert parts[1] is not None
    assert (parts[0] < parts[1]) == (padded[0] < padded[1])


@pytest.mark.parametrize(
    ("text", "is_one"), [("123456789", True), ("1234567890", False), ("1.1.1.1", True), ("1.1.1.1.1", False), ("1.", False)]
)  # fmt: skip
def test_a_version_has_up_to_four_numbers_of_nine_digits(text: str, is_one: bool) -> None:
    assert (version_parts(text) is not None) == is_one


def test_the_commands_of_a_plan_are_listed_in_the_order_of_a_run() -> None:
    steps = [
        step(1).replace("- **Verify", "- **Test first:** `test one`\n- **Verify"),
        step(2).replace("`pytest -q` → expected: `passed`", "look at it").replace("`git commit", "`echo"),
        step(3).replace('`git commit -m "feat: part 3"`', "none"),
        step(4).replace('`git commit -m "feat: part 4"`', "commit it"),
    ]
    after = "## Verification\n\n- `make all`\n- Read it.\n"
    found = read(plan(*steps, after=after).encode())
    commit = 'git commit -m "feat: part 1"'
    listed = [(one.field, one.step, one.command) for one in plan_commands(found)]
    assert listed == [
        ("Test first", 1, "test one"), ("Verify", 1, "pytest -q"), ("Checkpoint", 1, commit),
        ("Checkpoint", 2, 'echo -m "feat: part 2"'), ("Verify", 3, "pytest -q"), ("Verify", 4, "pytest -q"),
        ("Verification", None, "make all"),
    ]  # fmt: skip
    run = [(one.field, one.step, one.command) for one in commands_to_run(found)]
    assert run == [one for one in listed if one[0] != "Checkpoint"]
    assert [one.where for one in plan_commands(found)][-2:] == ["Step 4, Verify", "Verification"]


@pytest.mark.parametrize("wave", ["1-2", "1, 2", "0", "none", "one"])
def test_a_wave_is_one_number_of_at_least_1(wave: str) -> None:
    text = session(1, "1").replace("- Wave: 1", f"- Wave: {wave}")
    found = read(plan(step(1), after=strategy(text)).encode())
    assert [(one.code, one.field) for one in found.problems] == [("BAD_VALUE", "Wave")]


@pytest.mark.parametrize(
    ("sessions", "said"),
    [
        ([(1, "1-3")], []),
        ([(1, "3"), (2, "1, 2")], []),
        ([(1, "1-2")], ["step 3 is in no session"]),
        ([(1, "1")], ["steps 2 and 3 are in no session"]),
        ([(1, "1, 2, 1")], ["step 1 is in session 1 twice"]),
        ([(1, "1-2"), (2, "2")], ["step 2 is in session 1 and in session 2"]),
        ([(1, "1"), (2, "4")], ["session 2 names step 4, which the plan does not have"]),
        ([(1, "1-3"), (2, "none")], ["session 2 has no steps"]),
        ([(1, "1"), (1, "2")], ["there are two sessions 1", "steps 2 and 3 are in no session"]),
    ],
)
def test_every_step_is_in_one_session_and_else_only_the_cause_is_told(
    sessions: list[tuple[int, str]], said: list[str]
) -> None:
    after = strategy(*(session(number, steps) for number, steps in sessions))
    found = read(plan(*map(step, (1, 2, 3)), after=after).encode())
    assert [one.message for one in found.problems] == said


@pytest.mark.parametrize(
    ("lines", "row", "said"),
    [
        ("# all\n\nmanifest: # it\n a: 1", None, ""),
        ("", 1, "must begin with the key manifest:"),
        ("# a\n\n# b", 3, "must begin with the key manifest:"),
        ("\n# a\nother:\n a: 1", 2, "must begin with the key manifest:"),
        ("# a\nmanifest: x\n a: 1", 1, "must be on the lines below it, indented"),
        ("manifest:\na: 1", 1, "must be indented below it"),
        ("\n manifest:\n a: 1", 2, "must be indented below it"),
    ],
)
def test_where_a_block_is_no_mapping_under_its_name_is_told(lines: str, row: int | None, said: str) -> None:
    (block,) = markdown.parse(f"```yaml\n{lines}\n```\n").blocks
    reader = BlockReader(Plan(PLAN, markdown.parse("")), load_contract(PLAN).block("manifest"))
    if row is None:
        assert list(reader.mapping(block).values) == ["a"]
        return
    with pytest.raises(MappingError, match=said) as told:
        reader.mapping(block)
    assert told.value.row == row


def test_the_first_command_of_a_checkpoint_counts() -> None:
    text = step(1).replace(
        '`git commit -m "feat: part 1"`', '`git commit -m "feat: one"`, not `git commit -m "two"`'
    )
    assert read(plan(text).encode()).steps[0].checkpoint == "feat: one"


@pytest.mark.parametrize(("name", "bad"), [("bash_syntax_check", "[a*.sh]"), (COUNT, "9")])
def test_a_value_that_nothing_satisfies_is_told_on_the_line_of_its_manifest(name: str, bad: str) -> None:
    text = plan(step(1))
    line = next(line for line in text.split("\n") if name in line)
    text = text.replace(line, f"    {name}: {bad}")
    (problem,) = read(text.encode()).problems
    assert (problem.code, problem.field) == ("PLAN_BAD_VALUE", name)
    assert problem.line
    assert "```yaml" in text.split("\n")[problem.line - 1]
