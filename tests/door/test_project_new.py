"""A new project: its directory, what git sees of it, and what is said when something is in the way."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.door.samples import BRIEF
from tests.kit.calls import Ultra
from tests.kit.repository import git

NEW = ".claude/projects/2026-02-03-new-thing"


def test_it_makes_the_directory_and_answers_its_path(ultra: Ultra, repo: Path) -> None:
    told = ultra("project", "new", "new-thing", "--date", "2026-02-03")
    assert (told.status, told.data["ok"], told.data["path"]) == (0, True, NEW)
    assert told.data["next"].startswith("hold the interview")
    assert sorted(path.name for path in (repo / NEW).iterdir()) == [".gitignore", "research"]
    assert (
        ultra.say("project", "new", "other", "--date", "2026-02-03").out
        == ".claude/projects/2026-02-03-other\n"
    )


def test_it_says_who_pays_for_agents(ultra: Ultra) -> None:
    assert (
        ultra("project", "new", "one").data["billing"]
        == "agents use the account that this client is logged in with"
    )
    ultra.env["ANTHROPIC_API_KEY"] = "dummy"
    for slug in ("two", "one"):
        told = ultra("project", "new", slug)
        assert told.data["billing"] == "agents are billed to ANTHROPIC_API_KEY"


def test_the_date_is_todays(ultra: Ultra) -> None:
    days = {time.strftime("%Y-%m-%d")}
    path = ultra("project", "new", "x").data["path"]
    days.add(time.strftime("%Y-%m-%d"))
    assert path in {f".claude/projects/{day}-x" for day in days}


def test_from_a_folder_further_down_it_is_the_same_place(ultra: Ultra, repo: Path) -> None:
    (repo / "src/deep").mkdir(parents=True)
    told = ultra("project", "new", "new-thing", "--date", "2026-02-03", cwd=repo / "src/deep")
    assert told.data["path"] == NEW
    assert (repo / NEW / "research").is_dir()


def test_the_homes_own_folder_of_the_client_is_left_alone(ultra: Ultra, repo: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".claude/projects").mkdir(parents=True)
    (home / "work").mkdir()
    ultra.env["HOME"] = str(home)
    ultra("project", "new", "new-thing", "--date", "2026-02-03", cwd=home / "work")
    assert (home / "work" / NEW / "research").is_dir()
    assert list((home / ".claude/projects").iterdir()) == []


def test_one_that_is_not_empty_is_named_and_left_alone(ultra: Ultra, repo: Path) -> None:
    (repo / NEW).mkdir()
    assert ultra("project", "new", "new-thing", "--date", "2026-02-03").status == 0
    (repo / NEW / "brief.md").write_text("mine")
    told = ultra("project", "new", "new-thing", "--date", "2026-02-03")
    assert (told.status, told.data["ok"], told.data["path"]) == (1, False, NEW)
    assert told.data["error"] == f"{NEW} exists and is not empty: it has .gitignore, brief.md and research"
    assert "another slug" in told.data["next"]
    assert (repo / NEW / "brief.md").read_text() == "mine"


@pytest.mark.parametrize("slug", ["", "-", "a b", "../x", "a/b", "ä", "a--", "-a", "a\nb", "x" * 101])
def test_what_is_no_slug_is_refused(ultra: Ultra, repo: Path, slug: str) -> None:
    told = ultra("project", "new", "--date", "2026-02-03", "--", slug)
    told = told if told.out else ultra("project", "new", slug)
    assert told.status == 2
    assert [path.name for path in (repo / ".claude/projects").iterdir()] == ["2026-01-31-rate-limit"]


@pytest.mark.parametrize("date", ["2026-02-30", "today", "2026-2-3", "../../../x"])
def test_what_is_no_date_is_refused(ultra: Ultra, date: str) -> None:
    told = ultra("project", "new", "x", "--date", date)
    assert (told.status, told.data["error"]) == (2, f"--date must be a date such as 2026-01-31, not {date}")


def test_a_link_or_a_file_in_the_way_is_a_sentence(ultra: Ultra, repo: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repo / NEW).symlink_to(tmp_path / "elsewhere")
    told = ultra("project", "new", "new-thing", "--date", "2026-02-03")
    assert (told.status, told.data["error"]) == (
        1,
        f"{NEW} cannot be created: {NEW} is outside the repository",
    )
    assert list((tmp_path / "elsewhere").iterdir()) == []
    (repo / NEW).unlink()
    (repo / NEW).write_text("a file")
    told = ultra("project", "new", "new-thing", "--date", "2026-02-03")
    assert (told.status, told.data["error"]) == (1, f"{NEW} cannot be used: Not a directory")


def test_git_sees_what_is_the_users_and_nothing_else(ultra: Ultra, repo: Path) -> None:
    ultra("project", "new", "new-thing", "--date", "2026-02-03")
    project = repo / NEW
    ours = [
        "progress.json", "progress-session-2.json", ".session-state.local.json", "logs/step-1.log", "run.log",
        "brief.md.draft", "brief.md.prev", "research/01-x.md.prev", ".brief.md.0a1b.tmp", ".brief-gate.local.json",
        "sessions/.session-1.md.00ff.tmp",
    ]  # fmt: skip
    theirs = [
        "brief.md", "plan.md", "review.md", "research/01-x.md", "sessions/session-1.md",
        "architecture/overview.md",
    ]  # fmt: skip
    for name in ours + theirs:
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("x")
    seen = git(repo, "status", "--porcelain", "--untracked-files=all", NEW)
    found = {line[3:].removeprefix(f"{NEW}/") for line in seen.splitlines()}
    assert found == {*theirs, ".gitignore"}


def test_what_the_runtime_really_leaves_is_not_seen_by_git(ultra: Ultra, repo: Path, project: Path) -> None:
    """The list and the names are written in two places: here they meet."""
    ultra("put", "brief", "--project", project, "--draft", given=BRIEF)
    ultra("gate", "brief", "--project", project, given="no block")
    assert len(list(project.iterdir())) == 3
    seen = git(repo, "status", "--porcelain", "--untracked-files=all")
    assert [line[3:].rpartition("/")[2] for line in seen.splitlines()] == [".gitignore"]
