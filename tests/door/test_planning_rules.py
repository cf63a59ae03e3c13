"""What a plan is made from: each answer is one function of the files of the project."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from ultra_runtime.tables.agents import EXPLORERS, REMEDIATION_EXPLORERS
from ultra_runtime.tables.limits import EXPLORERS_FEW, EXPLORERS_SOME, MIDDLING_REPOSITORY, SMALL_REPOSITORY

from tests.door.samples import BRIEF, plan
from tests.kit.table import each
from ultra_runtime.brief.draft import fill_in
from ultra_runtime.brief.gate import is_marked_reviewed, with_digest
from ultra_runtime.contract.model import load_contract
from ultra_runtime.files.project import Project
from ultra_runtime.planning import basis
from ultra_runtime.planning.gate import read_counts
from ultra_runtime.text import frontmatter


@pytest.fixture
def here(repo: Path, project: Path) -> Project:
    """Return the project."""
    return Project(str(repo), project.name)


def test_the_size_of_a_repository_decides_who_explores(
    here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = [at + more for at in (SMALL_REPOSITORY, MIDDLING_REPOSITORY) for more in (0, 1)]

    @each(product(sizes, ("brief", "review"), (True, False)))
    def check(size: int, kind: str, quick: bool) -> None:
        paths = [*(f"{number}.py" for number in range(size)), ".claude/a", ".claude/b"]
        monkeypatch.setattr(basis, "ask_git", lambda root, words: "\0".join([*paths, ""]).encode())
        wanted = EXPLORERS if kind == "brief" else REMEDIATION_EXPLORERS
        many = EXPLORERS_SOME if size <= MIDDLING_REPOSITORY else len(wanted)
        few = quick or size <= SMALL_REPOSITORY
        assert basis.explorers(here, kind, quick) == (size, [*wanted][: EXPLORERS_FEW if few else many])

    check()


@pytest.mark.parametrize(
    "status", ["pending", "in_progress", "completed", "failed", "stopped", "partial", None]
)
def test_a_run_that_has_not_ended_is_told(here: Project, project: Path, status: str | None) -> None:
    (project / "progress.json").write_text(json.dumps({"status": status}))
    assert bool(basis.under_way(here)) == (status in ("pending", "in_progress"))


def test_a_plan_states_an_assumption_unless_it_says_that_there_is_none() -> None:
    @each(
        [
            ("", False),
            ("None.", False),
            ("- none", False),
            ("**None**", False),
            ("NONE", False),
            ("None left.", True),
        ]
    )
    def check(words: str, states: bool) -> None:
        assert basis.states_assumptions(f"{plan(1)}\n## Assumptions\n\n{words}\n".encode()) == states

    check()
    assert not basis.states_assumptions(plan(1).encode())


def test_a_count_that_is_none_is_zero(here: Project, project: Path) -> None:
    (project / "logs").mkdir()

    @each([(3, 3), (1, 1), (0, 0), (-1, 0), (True, 0), ("2", 0), (2.0, 0), (None, 0)])
    def check(value: object, count: int) -> None:
        (project / "logs/plan-gate.json").write_text(json.dumps({"self_checks": value}))
        assert read_counts(here) == {"self_checks": count, "failed_in_a_row": 0, "rounds": 0}

    check()


def test_a_draft_with_topics_has_open_research_and_one_without_keeps_how_it_ended(here: Project) -> None:
    contract = load_contract("brief")

    @each(product(("pending", "in_progress", "complete", "skipped"), (True, False)))
    def check(status: str, topics: bool) -> None:
        text = BRIEF.replace("research_status: pending", f"research_status: {status}")
        if not topics:
            text = text[: text.index("### Topic 1")] + "None.\n\n" + text[text.index("## Prior Attempts") :]
        values = frontmatter.parse(fill_in(contract, here, text.encode())).values or {}
        ended = status if status in ("complete", "skipped") else "skipped"
        assert values["research_status"] == ("pending" if topics else ended)
        assert str(values["research_topics"]) == str(int(topics))

    check()


def test_a_reviewed_brief_may_change_its_line_ends_and_its_status_and_nothing_else() -> None:
    reviewed = with_digest(BRIEF.encode())
    assert not is_marked_reviewed(BRIEF.encode())
    for same in (
        reviewed,
        reviewed.replace(b"\n", b"\r\n"),
        reviewed.replace(b"research_status: pending", b"research_status: complete"),
    ):
        assert is_marked_reviewed(same)
    for old, new in (
        (b"too much", b"too little"),
        (b"slug: rate-limit", b"slug: other"),
        (b"\n## Goal", b"\n\n## Goal"),
    ):
        assert not is_marked_reviewed(reviewed.replace(old, new, 1))
