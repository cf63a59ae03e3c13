"""Submodules are filled from what the user has: no network, and nothing of theirs changes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.checkout.source import NotReady, Source
from tests.kit.files import write_tree
from tests.kit.repository import git, make_repository
from ultra_runtime.checkout.settings import settings_of
from ultra_runtime.checkout.submodules import submodule_notes
from ultra_runtime.checkout.trial import try_copy

LOCAL = ("-c", "protocol.file.allow=always")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with a submodule that has a submodule; where they came from is gone."""
    folder = tmp_path_factory.mktemp("submodules")
    inner = make_repository(folder / "inner", {"deep.txt": "deep\n"})
    outer = make_repository(folder / "outer", {"lib.txt": "lib\n"})
    git(outer, *LOCAL, "submodule", "--quiet", "add", inner, "in ner")
    git(outer, "commit", "--quiet", "--message=inner")
    root = make_repository(folder / "source", {"a.txt": "a\n"})
    git(root, *LOCAL, "submodule", "--quiet", "add", "--name", "some/name", outer, "third party/lib")
    git(root, "commit", "--quiet", "--message=lib")
    git(root, *LOCAL, "submodule", "--quiet", "update", "--init", "--recursive")
    shutil.rmtree(inner)
    shutil.rmtree(outer)
    return root


@pytest.fixture
def nested(template: Path, tmp_path: Path) -> Source:
    """Return a repository of its own with these submodules."""
    return Source(shutil.copytree(template, tmp_path / "source", symlinks=True).resolve())


def check(source: Source) -> None:
    """Make a copy and compare what its submodules have."""
    before = source.state()
    copy = source.make()
    assert copy.notes == []
    lib = Path(copy.root) / "third party/lib"
    assert (lib / "lib.txt").read_text() == "lib\n"
    assert (lib / "in ner/deep.txt").read_text() == "deep\n"
    assert git(Path(copy.root), "status", "--porcelain") == ""
    assert git(lib, "rev-parse", "HEAD") == git(Path(copy.root), "rev-parse", "HEAD:third party/lib")
    source.remove()
    assert source.state() == before


def test_submodules_in_submodules(nested: Source) -> None:
    check(nested)


def test_submodules_with_a_repository_of_their_own(nested: Source) -> None:
    """Before git moved them below .git/modules, and after `git clone` into the folder, they look like this."""
    lib = nested.root / "third party/lib"
    git(lib / "in ner", "config", "--unset", "core.worktree")
    git(lib, "config", "--unset", "core.worktree")
    (lib / "in ner/.git").unlink()
    shutil.move(nested.root / ".git/modules/some/name/modules/in ner", lib / "in ner/.git")
    (lib / ".git").unlink()
    shutil.move(nested.root / ".git/modules/some/name", lib / ".git")
    shutil.rmtree(nested.root / ".git/modules")
    check(nested)


def test_a_submodule_whose_folder_the_user_emptied(nested: Source) -> None:
    shutil.rmtree(nested.root / "third party")
    check(nested)


def test_a_submodule_in_a_linked_worktree(nested: Source, tmp_path: Path) -> None:
    git(nested.root, "worktree", "add", "--quiet", tmp_path / "linked", "-b", "other")
    check(Source(tmp_path / "linked"))


def test_settings_that_a_user_may_have(
    nested: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = "[submodule]\n\trecurse = true\n[protocol]\n\tallow = never\n[clone]\n\trejectShallow = true\n"
    (tmp_path / ".gitconfig").write_text(settings)
    write_tree(nested.root / ".git", {"info/attributes": "*.txt diff=words\n"})
    lib = nested.root / "third party/lib"
    git(lib, "commit", "--quiet", "--allow-empty", "--message=two")
    git(nested.root, "commit", "--quiet", "--all", "--message=two")
    own = nested.root / ".git/modules/some/name"
    (own / "shallow").write_text(git(lib, "rev-parse", "HEAD") + "\n")
    check(nested)


def test_what_the_user_did_in_a_submodule_stays_out(nested: Source) -> None:
    lib = nested.root / "third party/lib"
    write_tree(lib, {"lib.txt": "edited\n"})
    git(lib, "commit", "--quiet", "--all", "--message=ahead")
    root = Path(nested.make().root)
    assert (root / "third party/lib/lib.txt").read_text() == "lib\n"
    nested.remove()


def test_hooks_of_a_submodule_do_not_run(
    nested: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text(f"[init]\n\ttemplateDir = {tmp_path}/templates\n")
    for hooks in (nested.root / ".git/modules/some/name/hooks", tmp_path / "templates/hooks"):
        write_tree(hooks, {"post-checkout": f"#!/bin/sh\ntouch {tmp_path}/hook-ran\n"})
        (hooks / "post-checkout").chmod(0o755)
    nested.make()
    nested.remove()
    assert not (tmp_path / "hook-ran").exists()


def test_a_submodule_that_was_never_here_stays_empty_and_is_named(nested: Source, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", nested.root, "fresh")
    fresh = Source(tmp_path / "fresh")
    before = fresh.state()
    copy = fresh.make()
    wanted = "the submodule third party/lib is empty here, and so in a clean checkout: `git submodule update --init` fills it"
    assert copy.notes == [wanted]
    assert submodule_notes(fresh.git, fresh.head) == [wanted]
    assert try_copy(fresh.git, fresh.head, settings_of({})) == [wanted]
    assert list((Path(copy.root) / "third party/lib").iterdir()) == []
    fresh.remove()
    assert fresh.state() == before


def test_a_submodule_of_a_submodule_that_was_never_here_is_named_by_its_whole_path(nested: Source) -> None:
    shutil.rmtree(nested.root / "third party/lib/in ner")
    shutil.rmtree(nested.root / ".git/modules/some/name/modules")
    assert [note.partition(" is empty")[0] for note in nested.make().notes] == [
        "the submodule third party/lib/in ner"
    ]
    nested.remove()


def test_a_name_that_leaves_the_modules_finds_nothing(nested: Source) -> None:
    shutil.copytree(nested.root / ".git/modules/some/name", nested.root / "far.git")
    text = '[submodule "../../far.git"]\n\tpath = far\n'
    head = git(nested.root / "third party/lib", "rev-parse", "HEAD")
    git(nested.root, "update-index", "--add", "--cacheinfo", f"160000,{head},far")
    nested.commit({".gitmodules": text})
    assert [note.partition(" is empty")[0] for note in nested.make().notes] == ["the submodule far"]
    nested.remove()


def test_a_submodule_without_its_commit_is_refused(nested: Source) -> None:
    gone = "1" * 40
    git(nested.root, "update-index", "--cacheinfo", f"160000,{gone},third party/lib")
    git(nested.root, "commit", "--quiet", "--message=ahead of what is here")
    before = nested.state()
    for call in (nested.make, lambda: try_copy(nested.git, nested.head, settings_of({}))):
        with pytest.raises(NotReady) as told:
            call()
        assert told.value.reason == "the submodule third party/lib does not have its commit 111111111111"
        assert told.value.remedy == "run `git submodule update --init --recursive 'third party/lib'`"
    assert nested.state() == before
    assert not nested.folder.exists()


@pytest.mark.parametrize(
    "text",
    [
        '[submodule "x"]\n\tpath = nowhere\n',
        '[submodule "../../up"]\n\tpath = src\n',
        '[submodule "x"]\n\turl = u\n',
        "not [ a file of git",
    ],
)
def test_declared_without_a_submodule(source: Source, text: str) -> None:
    source.commit({".gitmodules": text})
    assert source.make().notes == []
    source.remove()
