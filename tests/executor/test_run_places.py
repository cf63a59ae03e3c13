"""Where a run keeps its files and what it is called in git: two runs never share a file, a log or a ref."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path

import pytest

from tests.executor.sample import PROJECT
from tests.kit.repository import make_repository
from ultra_runtime.answer import RefusedError
from ultra_runtime.files.git import find_git
from ultra_runtime.files.project import Project
from ultra_runtime.run.state.run_place import RunPlace, find_run_place, plan_at, ref_name
from ultra_runtime.run.tree.workspace import Workspace

NAME = PROJECT.rpartition("/")[2]
SPECS = {f"{PROJECT}/sessions/session-{one}.md": one for one in (1, 2)}
RECOVERY = f"{PROJECT}/sessions/session-1-recovery-2.md"
# Plan -> the name of its run in git, as far as the rule tells it.
ALONE = {
    ".claude/plans/one.md": "one",
    ".claude/plans/two.md": "two",
    "one.md": r"one-[0-9a-f]{6}",
    "docs/one.md": r"one-[0-9a-f]{6}",
    "docs/ö n.md": r"n-[0-9a-f]{6}-[0-9a-f]{6}|--n-[0-9a-f]{6}-[0-9a-f]{6}",
    f"{PROJECT}.md": NAME + r"-[0-9a-f]{6}",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with a project, its specs, and plans elsewhere."""
    folder = tmp_path_factory.mktemp("places").resolve() / "repo"
    make_repository(folder, {"README.md": "x\n"}, "first")
    for name in (f"{PROJECT}/plan.md", f"{PROJECT}/plan.2.md", f"{PROJECT}/sessions/session-1.3.md", RECOVERY,
                 "docs/plan.2.md", *SPECS, *ALONE):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("plan\n")
    return folder


@pytest.fixture(autouse=True)
def here(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def place_of(root: Path, plan: str, session: int | None = None) -> RunPlace:
    return find_run_place(Workspace(find_git(str(root))), plan, None, session)


def every_place(root: Path) -> list[RunPlace]:
    """Return the places of all runs that this repository can have, with two sessions of each plan."""
    plans = [
        place_of(root, name, session) for name in (f"{PROJECT}/plan.md", *ALONE) for session in (None, 1, 2)
    ]
    project = Project(str(root), NAME)
    return [*plans, RunPlace(str(root), str(root / RECOVERY), project, 1)]


def test_two_runs_share_neither_progress_nor_logs_nor_name(root: Path) -> None:
    for one, other in itertools.combinations(every_place(root), 2):
        for what in ("progress", "logs", "slug"):
            assert getattr(one, what) != getattr(other, what), (one.shown, other.shown, what)
        assert (one.base == other.base) == (one.folder == other.folder and one.all_logs == other.all_logs)


def test_a_name_in_git_follows_from_the_plan_and_the_session(root: Path) -> None:
    for name, known in {f"{PROJECT}/plan.md": re.escape(NAME), **ALONE}.items():
        whole = place_of(root, name)
        assert re.fullmatch(known, whole.base), (name, whole.base)
        assert (whole.slug, whole.slug_of(None), whole.session) == (whole.base, whole.base, None)
        for number in (1, 12):
            one = place_of(root, name, number)
            assert (
                one.slug
                == whole.slug_of(number)
                == whole.of_session(number).slug
                == f"{whole.base}-session-{number}"
            )
            assert one.logs == os.path.join(whole.all_logs, f"session-{number}")
            assert (one.state, one.all_logs, one.base) == (whole.state, whole.all_logs, whole.base)
        assert whole.logs == whole.all_logs


def test_a_spec_is_the_run_of_its_session(root: Path) -> None:
    for spec, number in SPECS.items():
        by_spec, by_plan = place_of(root, spec), place_of(root, PROJECT, number)
        assert by_plan.with_plan(by_spec.plan).plan == by_plan.spec() == by_spec.plan
        for what in ("session", "slug", "progress", "logs", "state", "folder", "name"):
            assert getattr(by_spec, what) == getattr(by_plan, what), what
        assert by_spec.call == f"ultra run start {spec}"
        assert by_plan.call == f"ultra run start {PROJECT}/plan.md --session {number}"
        assert place_of(root, spec, number).slug == by_spec.slug
        with pytest.raises(
            RefusedError, match=f"is the spec of session {number}, not of session {number + 1}"
        ):
            place_of(root, spec, number + 1)
    assert place_of(root, PROJECT).call == f"ultra run start {PROJECT}/plan.md"


@pytest.mark.soak
def test_the_second_attempt_at_a_session_has_files_of_its_own(root: Path) -> None:
    first, again = every_place(root)[1], every_place(root)[-1]
    assert (first.session, again.session) == (1, 1)
    assert again.slug == f"{first.slug}-recovery-2"
    assert again.progress == first.progress.replace("session-1", "session-1-recovery-2")
    assert again.logs == f"{first.logs}-recovery-2"
    for name in ("session-1-recovery-x.md", "plan-recovery-2.md", "session-1.md"):
        path = os.path.join(str(root), PROJECT, "sessions", name)
        assert RunPlace(str(root), path, Project(str(root), NAME), 1).slug == first.slug


def test_what_the_runtime_writes_is_its_own(root: Path) -> None:
    for place in every_place(root):
        own = {path for path in place.own_files() if not path.endswith("/")}
        files = {place.progress, place.state, place.all_logs}
        also = {place.progress + ".prev", place.progress + ".broken", place.state + ".prev"}
        if place.project:
            also.add(place.project.path(".gitignore"))
        assert own == {os.path.relpath(path, root) for path in files | also}
        assert place.shown not in own
        assert place.name == (PROJECT if place.project else place.shown)


@pytest.mark.parametrize("name", [f"{PROJECT}/plan.2.md", f"{PROJECT}/sessions/session-1.3.md"])
def test_a_plan_that_was_replaced_is_not_run(root: Path, name: str) -> None:
    with pytest.raises(RefusedError, match="is an earlier version") as refused:
        plan_at(name)
    assert re.sub(r"\.\d\.md$", ".md", name) in refused.value.next_step
    assert plan_at("docs/plan.2.md") == "docs/plan.2.md"
    assert plan_at(PROJECT) == f"{PROJECT}/plan.md"


def test_a_plan_outside_the_repository_is_refused(root: Path) -> None:
    (root.parent / "outside.md").write_text("plan\n")
    with pytest.raises(RefusedError, match="is outside the repository"):
        place_of(root, "../outside.md")


@pytest.mark.parametrize(
    "name", ["a b", "ä", "a/b", "-", "", "x" * 101, "a.b", "a~b", "@{", "a..b", "-a", ".lock"]
)
def test_a_changed_name_stays_different_from_every_other(name: str) -> None:
    made = ref_name(name)
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,107}", made)
    assert not made.startswith("-")
    assert ref_name(made[:100]) == made[:100], "a name that can be in a ref stays as it is"
    near = {name, f"{name}é", f"{name}ü", f"{name} ", f"{name}.", f" {name}"}
    assert len({ref_name(one) for one in near}) == len(near)
