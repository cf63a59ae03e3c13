"""The root of a repository and its git dir, found without git, are those that git names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.kit.repository import git, make_repository
from ultra_runtime.answer import RefusedError
from ultra_runtime.files.project import Project, find_project, subfolder
from ultra_runtime.files.root import (
    current_folder,
    find_root,
    from_here,
    git_dir_around,
    names_in,
    seen_from,
    working_root,
)

PROJECTS = ".claude/projects"


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """Return a folder with a repository, a worktree, a submodule, a project without git, and nothing."""
    top = tmp_path.resolve()
    repo = make_repository(top / "repo", {"deep/er/a.txt": "a\n"})
    git(repo, "worktree", "add", "--quiet", "--detach", str(top / "tree with space"))
    inner = make_repository(top / "inner", {"b.txt": "b\n"})
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "module")
    (top / "without/.claude/projects/p").mkdir(parents=True)
    (top / "without/below").mkdir()
    (top / "settings/.claude/commands").mkdir(parents=True)
    (top / "nothing/at/all").mkdir(parents=True)
    return top


def said(folder: Path, option: str) -> str:
    done = subprocess.run(
        ["git", "rev-parse", option], cwd=folder, capture_output=True, text=True, check=False
    )
    return "" if done.returncode else done.stdout.strip()


def test_what_git_names_is_found_without_it(places: Path) -> None:
    for name in ("repo", "repo/deep/er", "tree with space", "tree with space/deep", "repo/module", "inner"):
        folder = places / name
        assert find_root(str(folder)) == said(folder, "--show-toplevel"), name
        found = git_dir_around(str(folder))
        assert os.path.realpath(found) == os.path.realpath(said(folder, "--absolute-git-dir")), name
    nowhere = places / "nothing/at/all"
    assert said(nowhere, "--absolute-git-dir") == git_dir_around(str(nowhere)) == ""


def test_without_git_projects_and_then_settings_make_a_root(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("without", "without/below", f"without/{PROJECTS}/p"):
        assert find_root(str(places / name)) == str(places / "without")
        assert git_dir_around(str(places / name)) == ""
    assert find_root(str(places / "settings/.claude/commands")) == str(places / "settings")
    monkeypatch.chdir(places / "without/below")
    assert working_root() == str(places / "without")
    monkeypatch.chdir(places / "nothing/at")
    if find_root(str(places)) is None:
        assert working_root() == current_folder() == str(places / "nothing/at")


def test_a_path_is_taken_from_here_before_the_root(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = places / "repo"
    monkeypatch.chdir(repo / "deep")
    (repo / "top.txt").touch()
    (repo / "both.txt").touch()
    (repo / "deep/both.txt").touch()
    assert from_here("top.txt") == str(repo / "top.txt")
    assert from_here("both.txt") == "both.txt"
    assert from_here("nowhere.txt") == "nowhere.txt"
    assert from_here(str(repo / "gone")) == str(repo / "gone")
    monkeypatch.chdir(repo)
    gone = repo / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    with pytest.raises(RefusedError, match="the current folder no longer exists"):
        current_folder()


def test_a_path_is_shown_from_the_root_when_it_is_inside(places: Path) -> None:
    root = str(places / "repo")
    (places / "link").symlink_to("repo/deep")
    assert seen_from(root, f"{root}/deep/x") == "deep/x"
    Path(root, "out").symlink_to("/usr")
    assert seen_from(root, f"{root}/out/x") == "out/x"
    assert seen_from(root, str(places / "link/x")) == "deep/x"
    assert seen_from(root, str(places / "repository")) == str(places / "repository")
    assert names_in(root) == sorted(os.listdir(root))
    assert names_in(f"{root}/missing") == names_in("a\0b") == []


def test_a_project_is_named_from_here_or_from_the_root(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = places / "repo"
    (repo / PROJECTS / "2026-01-31-x/research").mkdir(parents=True)
    (places / "outside").mkdir()
    (repo / PROJECTS / "2026-01-31-x/link").symlink_to(places / "outside")
    (repo / PROJECTS / "2026-01-31-x/file").touch()
    name = f"{PROJECTS}/2026-01-31-x"
    calls = ((repo, name), (repo / "deep", name), (repo / PROJECTS, "2026-01-31-x"), (repo, str(repo / name)))
    for here, given in calls:
        monkeypatch.chdir(here)
        found = find_project(given)
        assert (found.root, found.shown, found.slug) == (str(repo), name, "x")
    for wrong, why in ((f"{PROJECTS}/gone", "there is no project directory"), ("deep", "is not a project directory"),
                       (f"{name}/research", "is not a project directory"), ("a\0b", "there is no project directory"),
                       (str(places / "outside"), "is outside the repository")):  # fmt: skip
        monkeypatch.chdir(repo)
        with pytest.raises(RefusedError, match=why):
            find_project(wrong)
    monkeypatch.chdir(places / "nothing")
    if find_root(str(places)) is None:
        with pytest.raises(RefusedError, match="is not in a repository"):
            find_project(name)
    project = Project(str(repo), "2026-01-31-x")
    assert subfolder(project, "research") == project.path("research")
    assert subfolder(project, "new") == project.path("new")
    for wrong in ("link", "file"):
        with pytest.raises(RefusedError, match=f"{wrong} is not a folder of the project"):
            subfolder(project, wrong)
