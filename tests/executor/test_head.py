"""The commit of HEAD, in every form in which git keeps it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.repository import git, make_repository
from ultra_runtime.files.git import Git, find_git

FORMS: dict[str, Callable[[Path], object]] = {
    "a branch with a file of its own": lambda folder: None,
    "packed refs": lambda folder: git(folder, "pack-refs", "--all"),
    "a newer file beside packed refs": lambda folder: (
        git(folder, "pack-refs", "--all"),
        git(folder, "commit", "--quiet", "--allow-empty", "--message=second"),
    ),
    "a detached HEAD": lambda folder: git(folder, "checkout", "--quiet", "--detach"),
    "a branch with slashes": lambda folder: git(folder, "checkout", "--quiet", "-b", "feature/a/b"),
    "a symbolic branch": lambda folder: (
        git(folder, "symbolic-ref", "refs/heads/alias", "refs/heads/main"),
        git(folder, "symbolic-ref", "HEAD", "refs/heads/alias"),
    ),
    "a ref outside the branches": lambda folder: (
        git(folder, "update-ref", "refs/notes/here", "HEAD"),
        git(folder, "symbolic-ref", "HEAD", "refs/notes/here"),
    ),
}


def _opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return find_git(str(folder))


@pytest.mark.parametrize("form", FORMS)
def test_the_head_is_what_git_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    folder = make_repository(tmp_path / "repo", {"a": "1\n"})
    FORMS[form](folder)
    found = _opened(folder, monkeypatch)
    assert found.head() == git(folder, "rev-parse", "HEAD")
    assert (not found.branch()) == (form == "a detached HEAD")


def test_a_linked_worktree_has_a_head_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_repository(tmp_path / "repo", {"a": "1\n"})
    linked = tmp_path / "linked"
    git(folder, "worktree", "add", "--quiet", "-b", "other", linked)
    git(linked, "commit", "--quiet", "--allow-empty", "--message=second")
    heads = [_opened(one, monkeypatch).head() for one in (folder, linked)]
    assert heads == [git(one, "rev-parse", "HEAD") for one in (folder, linked)]
    assert heads[0] != heads[1]


def test_refs_in_tables_are_read_by_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the file say what it says there; git that can read such tables is not on every machine."""
    folder = make_repository(tmp_path / "repo", {"a": "1\n"})
    opened = _opened(folder, monkeypatch)
    (folder / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    assert opened.head() == ""
    assert (not opened.branch()) == (git(folder, "symbolic-ref", "HEAD", check=False) == "")
