"""Every statement of the seed documents has a row: it holds, and a test shows it, or it differs, for a reason."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.executor.sample import PROJECT, Repo, plan, step
from tests.executor.test_reports import SPEC, STRATEGY
from tests.kit.names import COMMANDS, ROOT
from tests.seeds_page import PAGE, page, read_rows

ROWS = read_rows()
EVERY = [(section, row) for section, rows in ROWS.items() for row in rows]
IDENTIFIERS = yaml.safe_load((ROOT / "tests/seed_identifiers.yaml").read_text())
FEWEST = 370
# Prompt -> what it says of the statements that a model carries out; code checks what it then writes.
SAID = {
    "commands/ultrabrief-local.md": (
        "ends the interview, never their number",
        "If `--quick` comes first, MODE is quick",
        "why, and what happens without it?", "what exists when it is done?", "what will you run, see or measure?",
        "what is new to you or to this code?", '"Stop", "skip", "enough", "just write it", also later',
        "A full sentence: the reason, and who is affected",
        "One concrete, decidable item",
        'One topic settled, or "no research" confirmed',
        "One word is never complete. \"I don't know\" is complete only with an assumption",
        "anchor (the opening question; with quick always the first)", "follow-up on a thin answer", "sharpen a vague word",
        "quantify, per-topic, confirm-none",
        "The first of `open`, or else the first required section that is not complete; then an optional one that the plan depends on",
        "ask about each optional part at most once; required parts are asked until they are complete",
        "then say the `line` of the last note",
        "unfamiliar technology, version upgrades, security decisions, architectural choices, unknown integrations and compliance",
        "*I know this* (drop it)",
        "write the draft at once and ask nothing more",
        "reduced confidence: the interview was stopped",
        "with the path of the draft alone; from round 2 on add the gate's `interview_file`",
        "every \"I don't know\" with what you assume",
        "Tell the user the gate's `report`",
    ),
    "guides/execute/waves.md": (
        "If `problems` says that ANTHROPIC_API_KEY is set, ask the user once",
        "**Run everything in this session**", "**Continue with API billing**", "**Stop**",
    ),
    "commands/ultraresearch-local.md": ('Name options; do not decide ("we will use X")',),
    "agents/brief-reviewer.md": ("each dimension with Pass (4 or 5), Weak (3) or Fail",),
    "commands/ultraexecute-local.md": (
        "the last line is `last_line`, unchanged",
        "Ask nothing unless `next` says so, and spawn no agent.",
        "Do what `changes` says in `files`, and nothing more.",
        "Run no Verify, do not commit, stage, stash, reset or switch branches",
        "the test of `test_first` first",
        "*stop*, *escalate*, *blocked*: go to 4 and repair nothing",
    ),
}  # fmt: skip


def test_there_is_a_row_for_every_statement() -> None:
    assert len(EVERY) >= FEWEST
    assert {section[:3] for section in ROWS} == {"000", "001", "002", "003"}
    for section, row in EVERY:
        assert set(row) in ({"says", "holds"}, {"says", "differs"}), (section, row)
        assert row["says"].strip(), section
        assert row.get("differs", "because").strip(), row
    said = [(section, row["says"]) for section, row in EVERY]
    assert len(said) == len(set(said))


@cache
def functions(path: str) -> frozenset[str]:
    """Return the names of the tests of a file."""
    tree = ast.parse((ROOT / path).read_text())
    return frozenset(one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef))


def test_the_test_of_every_statement_exists() -> None:
    for section, row in EVERY:
        if "holds" in row:
            path, _, name = row["holds"].partition("::")
            assert name.startswith("test_"), row
            assert name in functions(path), (section, row)


@pytest.mark.parametrize("seed", sorted(IDENTIFIERS))
def test_every_name_of_the_seeds_is_in_a_row(seed: str) -> None:
    rows = "\n".join(
        f"{section} {row['says']}"
        for section, members in ROWS.items()
        if section[:3] == seed
        for row in members
    )
    names = [
        name.replace("-", " ") if name[0].isupper() and "_" not in name else name
        for name in IDENTIFIERS[seed].split()
    ]
    names = [name.replace("Sub step", "Sub-step") for name in names]
    assert [name for name in names if not re.search(rf"(?<![\w.]){re.escape(name)}(?![\w])", rows)] == []


def test_the_page_is_made_from_the_rows() -> None:
    assert PAGE.read_text() == page(ROWS), "run `make seeds`"


def test_the_prompts_say_what_the_seeds_say(bundle: Path) -> None:
    guides = " ".join(path.read_text() for path in sorted(bundle.glob("guides/brief/*.md")))
    for prompt, parts in SAID.items():
        text = " ".join(f"{(bundle / prompt).read_text()} {guides}".split())
        for part in parts:
            assert part in text, (prompt, part)


def test_the_usage_lists_every_mode(bundle: Path) -> None:
    usage = (bundle / "guides/execute/usage.md").read_text()
    for flag in ("--project DIR", "--fg", "--resume", "--dry-run", "--validate", "--step N", "--session N"):
        assert f" {flag}" in usage, flag
    assert " [--quick] <task>" in (bundle / "guides/brief/usage.md").read_text()


def test_the_tools_of_a_command_end_at_its_task(bundle: Path) -> None:
    """The executor has no agents, and research and briefs have no tool that changes a file."""
    tools = {}
    for stage, name in COMMANDS.items():
        head = (bundle / f"commands/{name.partition(':')[2]}.md").read_text().split("---\n")[1]
        tools[stage] = set(re.findall(r"(\w+)(?:\([^)]*\))?", yaml.safe_load(head)["allowed-tools"]))
    assert "Agent" not in tools["execute"]
    assert {"Agent"} <= tools["brief"] & tools["research"] & tools["plan"] & tools["review"]
    assert not {"Write", "Edit", "NotebookEdit"} & (tools["brief"] | tools["research"])


def test_the_agents_that_the_seeds_name_are_there(bundle: Path) -> None:
    agents = [path.stem for path in (bundle / "agents").glob("*.md")]
    assert sum(name.startswith("local-") for name in agents) == 5
    assert sum(name.startswith("web-") for name in agents) == 4
    assert {"gemini-bridge", "brief-reviewer", "plan-critic", "scope-guardian", "session-decomposer"} <= set(
        agents
    )


def test_a_blocked_session_is_told_how_to_skip_the_pre_flight(
    tmp_path: Path, bundle: Path, python: Path
) -> None:
    repo = Repo(tmp_path / "repo", bundle, python).create(plan(step(1), step(2), strategy=STRATEGY))
    repo.git("remote", "add", "origin", str(tmp_path / "nowhere.git"))
    repo.ok(f"sessions write {PROJECT}/plan.md")
    repo.ok(f"run start {SPEC}")
    repo.ok("step begin 0")
    answer = repo.ok("step verify 0")
    assert answer["next"] == "blocked"
    assert "ULTRAEXECUTE_SKIP_PREFLIGHT=1" in str(answer["why"])
    assert repo.ok("run finish")["result"] == "blocked"
