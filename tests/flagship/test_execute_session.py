"""`--session N` in the real client: one session at a time, in this tree and on this branch, or in a worktree of its own."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory
from tests.client.session import Client
from tests.executor.sample import PLAN, PROJECT, SLUG, STATE, Repo
from tests.flagship.greeting import (
    COMMITS,
    GREET,
    GREETING,
    TYPED,
    Played,
    Story,
    begin,
    commit,
    finish,
    greet_on_the_command_line,
    make_greeting,
    start,
    tell_how_it_is_used,
    verify,
)
from tests.interpreters import interpreters
from tests.kit.model import bash, edit, read, ultra, write
from tests.kit.names import BRANCHES

SESSIONS = """\
## Execution Strategy

### Session 1: The greeting

- **Steps:** 1-2
- **Wave:** 1
- **Depends on:** none
- **Scope fence:**
  - Touch: `src/greet.py`, `src/hello.py`
  - Never touch: `README.md`

### Session 2: The words about it

- **Steps:** 3
- **Wave:** 2
- **Depends on:** Session 1
- **Scope fence:**
  - Touch: `README.md`
  - Never touch: `src/greet.py`, `src/hello.py`

"""
GUIDE = bash("ultra guide execute session")
BRANCH = f"{BRANCHES}/{SLUG}/session-1"
TREE = ".claude/worktrees/session-1"


@pytest.fixture
def story(client: Client, scripted: ModelFactory, bundle: Path, tmp_path: Path) -> Story:
    """Return a repository whose plan has two sessions; the plan is committed, as a worktree needs it."""
    plan = GREETING.replace("## Verification", f"{SESSIONS}## Verification")
    story = Story(client, scripted, bundle, tmp_path / "repo", plan)
    story.repo.git("add", "--all")
    story.repo.git("commit", "--quiet", "--message=docs: plan")
    return story


def session_one(story: Story) -> Played:
    return story.claude(
        f"{TYPED} --session 1",
        GUIDE,
        start("--session 1"),
        make_greeting(),
        greet_on_the_command_line(),
        finish(),
    )


def session_two(story: Story, typed: str) -> Played:
    return story.claude(typed, GUIDE, start("--session 2"), tell_how_it_is_used(), finish())


def progress(repo: Repo, number: int) -> dict[str, str]:
    """Return the states of the steps as a session left them."""
    values = json.loads(repo.read(f"{PROJECT}/progress-session-{number}.json"))
    return {step: record["status"] for step, record in values["steps"].items()}


def refs(repo: Repo, number: int) -> set[str]:
    """Name the facts that git keeps of a session's run."""
    own = f"run/{SLUG}-session-{number}/"
    return {name.removeprefix(own) for name in repo.refs() if name.startswith(own)}


@pytest.mark.soak
def test_one_session_after_the_other_in_this_tree(story: Story) -> None:
    early = story.claude(f"{TYPED} --session 2", GUIDE, start("--session 2"))
    assert any(
        "the steps of session 1 are not all committed here" in said for said in early.refusals("run start")
    )
    assert story.commits() == ["docs: plan"]

    first = session_one(story)
    assert [one.text for one in first.results if one.is_error] == []
    assert first.results[0].text.strip() == (story.bundle / "guides/execute/session.md").read_text().strip()
    begun = first.answer("run start")
    assert [begun[key] for key in ("run", "mode", "strategy", "steps", "first")] == [
        "started", "session", "single", 2, 1,
    ]  # fmt: skip
    assert first.answer("step commit 2")["next"] == "ultra run finish"
    assert first.answer("run finish")["result"] == "completed"
    assert progress(story.repo, 1) == {"1": "completed", "2": "completed", "3": "deferred"}
    assert refs(story.repo, 1) >= {"start", "step-1", "step-2", "end"}
    assert refs(story.repo, 2) == set()
    state = json.loads(story.repo.read(STATE))
    assert (state["status"], state["next_session_label"]) == ("completed", "Session 2: The words about it")

    offered = story.repo.ok("continue")["command"]
    assert offered == f"{TYPED} --session 2" == story.repo.ok("status")["next"]
    second = session_two(story, offered)
    assert (second.answer("run start")["steps"], second.answer("run start")["first"]) == (1, 3)
    assert second.answer("run finish")["result"] == "completed"
    assert progress(story.repo, 2) == {"1": "deferred", "2": "deferred", "3": "completed"}
    assert story.repo.ok("status")["stage"] == "review"

    # No worktree, no branch and no merge: these belong to sessions that run side by side.
    assert len(story.repo.git("worktree", "list").splitlines()) == 1
    assert story.repo.git("branch", "--format=%(refname:short)") == "main"
    assert story.repo.git("log", "--merges", "--format=%s") == ""
    assert story.commits() == ["docs: plan", *COMMITS]
    assert (story.is_clean(), story.is_over(), story.is_valid_project()) == (True, True, True)
    for number in (1, 2):
        assert story.repo.ultra(f"audit {PLAN} --session {number}")["status"] == "pass"
        assert story.repo.has(f"{PROJECT}/logs/session-{number}/report.md")


@pytest.mark.soak
def test_what_another_session_owns_fails_the_attempt(story: Story) -> None:
    session_one(story)
    told = story.claude(
        f"{TYPED} --session 2",
        start("--session 2"),
        begin(1),
        begin(3),
        read("src/greet.py"),
        edit("src/greet.py", "Hello", "Hi"),
        read("README.md"),
        edit("README.md", "# Greet\n", "# Greet\n\nRun `python3 src/hello.py NAME`.\n"),
        verify(3),
        edit("src/greet.py", "Hi", "Hello"),
        verify(3),
        commit(3),
        finish(),
    )
    assert told.answer("step begin 1")["ok"] is False
    first, second = told.answers("step verify 3")
    assert (first["passed"], second["passed"]) == (False, True)
    assert any("src/greet.py" in reason and "fence" in reason for reason in first["why"]), first
    assert told.answer("run finish")["result"] == "completed"
    assert (story.repo.read("src/greet.py"), story.commits()[-1]) == (GREET, COMMITS[-1])


@pytest.mark.soak
def test_an_interrupted_session_goes_on_as_that_session(story: Story) -> None:
    story.claude(f"{TYPED} --session 1", start("--session 1"), make_greeting(), ultra("run abort"))
    assert progress(story.repo, 1) == {"1": "completed", "2": "pending", "3": "deferred"}
    waiting = story.claude(f"{TYPED} --session 2", start("--session 2"))
    assert any(
        "the steps of session 1 are not all committed here" in said for said in waiting.refusals("run start")
    )
    told = story.claude(
        f"{TYPED} --session 1 --resume",
        bash("ultra guide execute resume"),
        start("--mode resume --session 1"),
        greet_on_the_command_line(),
        finish(),
    )
    assert (told.answer("run start")["run"], told.answer("run start")["first"]) == ("resumed", 2)
    assert told.answer("run finish")["result"] == "completed"
    assert story.commits() == ["docs: plan", *COMMITS[:2]]


@pytest.mark.soak
def test_a_session_in_a_worktree_of_its_own_is_there_once_it_is_merged(story: Story) -> None:
    story.repo.git("worktree", "add", "--quiet", "-b", BRANCH, TREE)
    apart = copy.copy(story)
    apart.repo = Repo(story.repo.folder / TREE, story.bundle, interpreters()[-1].parent)
    before = story.repo.git("rev-parse", "main")
    first = apart.claude(
        f"{TYPED} --session 1",
        start("--session 1"),
        begin(1),
        write(str(story.repo.folder / "stray.txt"), "not here\n"),
        bash(f"git -C {story.repo.folder} commit --allow-empty -m 'feat: in the main tree'"),
        write("src/greet.py", GREET),
        verify(1),
        commit(1),
        greet_on_the_command_line(),
        finish(),
        may=("Bash", "Write", "Edit"),
    )
    assert "ultra guard" in first.refused("Write", "stray.txt")
    assert "ultra guard" in first.refused("Bash", "in the main tree")
    assert first.answer("run finish")["result"] == "completed"
    assert story.repo.git("log", "--format=%s", f"main..{BRANCH}").split("\n") == COMMITS[1::-1]
    assert [story.repo.has(name) for name in ("stray.txt", "src/greet.py")] == [False, False]

    assert story.repo.git("rev-parse", "main") == before

    # Its commits are known to git, and yet they are not here.
    early = story.claude(f"{TYPED} --session 2", start("--session 2"))
    assert any(
        "the steps of session 1 are not all committed here" in said for said in early.refusals("run start")
    )
    story.repo.git("merge", "--quiet", "--no-ff", "--message=merge session 1", BRANCH)
    second = session_two(story, f"{TYPED} --session 2")
    assert second.answer("run finish")["result"] == "completed"
    assert story.repo.git("log", "--first-parent", "--format=%s").split("\n") == [
        COMMITS[2], "merge session 1", "docs: plan", "first",
    ]  # fmt: skip
    for number in (1, 2):
        assert story.repo.ultra(f"audit {PLAN} --session {number}")["status"] == "pass"
