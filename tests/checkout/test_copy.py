"""A working copy has what the commit has, whatever the user's repository is like, and takes nothing from it."""

from __future__ import annotations

import fcntl
import inspect
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.checkout.source import Source, ends, every_byte, lives
from tests.kit.files import write_tree
from tests.kit.names import LAUNCHER
from tests.kit.repository import ENVIRONMENT, git, make_repository
from ultra_runtime.checkout.copy import NotReady, copy_folder, make_copy
from ultra_runtime.checkout.register import claim, release
from ultra_runtime.checkout.settings import settings_of
from ultra_runtime.checkout.trial import try_copy
from ultra_runtime.checkout.worktree import remove_tree

Check = Callable[[], None]


def alone(source: Source, code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, with the same source and the same tables."""
    import ultra_runtime

    begin = (
        f"from pathlib import Path\nimport ultra_runtime\nultra_runtime.__path__.append({ultra_runtime.__path__[-1]!r})\n"
        f"from tests.checkout.source import NotReady, Source, settings_of\nsource = Source(Path({str(source.root)!r}))\n"
    )
    env = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": os.environ["TMPDIR"]}
    return subprocess.run(
        [sys.executable, "-c", begin + code], env=env, capture_output=True, text=True, check=False
    )


def test_a_copy_is_a_detached_checkout_of_the_commit(source: Source, unchanged: Check) -> None:
    copy = source.make()
    root = Path(copy.root)
    assert copy.notes == []
    assert {path.name for path in root.iterdir()} == {".git", ".gitignore", "a.txt", "src"}
    assert git(root, "rev-parse", "HEAD") == source.head
    assert git(root, "symbolic-ref", "--quiet", "HEAD", check=False) == ""
    assert git(root, "status", "--porcelain", "--ignored") == ""
    assert root.stat().st_mode & 0o777 == 0o700
    source.remove()
    assert not root.exists()
    unchanged()


def test_an_older_commit(source: Source) -> None:
    first = source.head
    source.commit({"a.txt": "changed\n", "c.txt": "new\n"})
    root = Path(source.make(commit=first).root)
    assert (root / "a.txt").read_text() == "a\n"
    assert not (root / "c.txt").exists()
    source.remove()


def test_a_dirty_tree_and_a_dirty_index_stay_out(source: Source) -> None:
    write_tree(source.root, {"a.txt": "dirty\n", "staged.txt": "staged\n"})
    git(source.root, "add", "staged.txt")
    git(source.root, "update-index", "--assume-unchanged", "src/b.sh")
    before = source.state()
    root = Path(source.make().root)
    assert (root / "a.txt").read_text() == "a\n"
    assert not (root / "staged.txt").exists()
    source.remove()
    assert source.state() == before


def test_replace_refs_do_not_count(source: Source) -> None:
    real = git(source.root, "rev-parse", "HEAD:a.txt")
    fake = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=source.root, input=b"forged\n", capture_output=True, check=True
    ).stdout  # fmt: skip
    git(source.root, "replace", real, fake.decode().strip())
    assert git(source.root, "cat-file", "blob", "HEAD:a.txt") == "forged"
    root = Path(source.make().root)
    assert (root / "a.txt").read_text() == "a\n"
    source.remove()


@pytest.mark.parametrize("where", ["hooks", "core.hooksPath"])
def test_no_hook_runs(source: Source, tmp_path: Path, where: str) -> None:
    hooks = source.root / ".git/hooks" if where == "hooks" else tmp_path / "own"
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        write_tree(hooks, {name: f"#!/bin/sh\ntouch '{tmp_path}/hook-ran'\n"})
        (hooks / name).chmod(0o755)
    if where != "hooks":
        git(source.root, "config", "core.hooksPath", hooks)
    (tmp_path / "hook-ran").unlink(missing_ok=True)
    source.make()
    source.remove()
    assert not (tmp_path / "hook-ran").exists()
    git(source.root, "checkout", "--quiet", "-b", "other")
    assert (tmp_path / "hook-ran").exists(), "the hook works for the user"


@pytest.mark.parametrize("shared", [True, False])
def test_a_sparse_cone_hides_nothing(source: Source, shared: bool) -> None:
    source.commit({"far/away.txt": "x\n"})
    git(source.root, "sparse-checkout", "set", "src")
    if shared:  # as before git had settings for each worktree
        git(source.root, "config", "--unset", "extensions.worktreeConfig")
        git(source.root, "config", "core.sparseCheckout", "true")
    assert not (source.root / "far").exists()
    before = source.state()
    root = Path(source.make().root)
    assert (root / "far/away.txt").read_text() == "x\n"
    git(root, "read-tree", "-m", "-u", "HEAD")
    git(root, "sparse-checkout", "reapply", check=False)
    assert git(root, "ls-files", "-t", "far") == "H far/away.txt"
    source.remove()
    assert source.state() == before


def test_a_copy_has_a_repository_of_its_own(source: Source) -> None:
    """What a command does to git there, or finds there, is neither the user's nor of the user's making."""
    tip = source.commit({"a.txt": "b\n"})
    for words in (["config", "test.skip", "1"], ["tag", "v1"], ["update-ref", "refs/own/x", "HEAD"]):
        git(source.root, *words)
    git(source.root, "config", "remote.origin.url", 'an "odd" \\ one')
    before = source.state()
    root = Path(source.make().root)
    assert git(root, "rev-parse", "HEAD", "v1", "main").split() == [tip] * 3
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "describe", "--tags") == "v1"
    assert git(root, "config", "remote.origin.url") == 'an "odd" \\ one'
    assert git(root, "config", "test.skip", check=False) == ""
    assert git(root, "rev-parse", "--verify", "--quiet", "refs/own/x", check=False) == ""
    git(root, "config", "alias.x", "status")
    git(root, "tag", "v2")
    git(root, "commit", "--quiet", "--allow-empty", "-m", "more")
    (root / "a.txt").write_text("c\n")
    git(root, "stash", "--quiet")
    git(root, "gc", "--quiet", "--prune=now")
    source.remove()
    assert source.state() == before


def test_a_sha256_repository(tmp_path: Path) -> None:
    root = tmp_path / "source"
    root.mkdir()
    git(root, "init", "--quiet", "--object-format=sha256")
    source = Source(root.resolve())
    commit = source.commit({"a.txt": "a\n"})
    assert len(commit) == 64
    before = source.state()
    assert (Path(source.make().root) / "a.txt").read_text() == "a\n"
    source.remove()
    assert source.state() == before


def test_filters_run_as_for_the_user(source: Source) -> None:
    source.commit({".gitattributes": "*.up filter=up\n", "x.up": "word\n"})
    git(source.root, "config", "filter.up.smudge", "tr a-z A-Z")
    root = Path(source.make().root)
    assert (root / "x.up").read_text() == "WORD\n"
    source.remove()


def test_a_filter_that_fails_is_named(source: Source) -> None:
    source.commit({".gitattributes": "*.up filter=up\n", "x.up": "word\n"})
    git(source.root, "config", "filter.up.smudge", "false")
    git(source.root, "config", "filter.up.required", "true")
    before = source.state()
    with pytest.raises(NotReady) as told:
        source.make()
    assert "x.up: smudge filter up failed" in told.value.reason
    assert "filter work in a fresh checkout" in told.value.remedy
    assert source.state() == before
    assert not source.folder.exists()


def test_a_filter_that_hangs_is_ended(source: Source, tmp_path: Path) -> None:
    source.commit({".gitattributes": "*.up filter=up\n", "x.up": "word\n"})
    git(source.root, "config", "filter.up.smudge", f"echo $$ > '{tmp_path}/pid'; sleep 600")
    before = source.state()
    settings = settings_of({})
    settings.limits = {"checkout_seconds": 1}
    with pytest.raises(NotReady, match="timed out"):
        source.make(settings)
    assert ends((tmp_path / "pid").read_text().strip())
    assert source.state() == before
    assert not source.folder.exists()


def test_a_linked_worktree_has_copies_too(source: Source, tmp_path: Path) -> None:
    git(source.root, "worktree", "add", "--quiet", tmp_path / "linked", "-b", "other")
    linked = Source(tmp_path / "linked")
    before = source.state()
    assert (Path(linked.make(settings_of({"setup": "touch b.txt"})).root) / "b.txt").exists()
    linked.remove()
    assert source.state() == before
    assert (tmp_path / "linked/a.txt").exists()


def test_the_users_own_worktrees_stay_registered(source: Source, tmp_path: Path) -> None:
    """One on a disk that is not there now would be lost to `git worktree prune`."""
    git(source.root, "worktree", "add", "--quiet", "--detach", tmp_path / "away")
    (tmp_path / "away").rename(tmp_path / "unplugged")
    before = source.state()
    source.make()
    source.remove()
    assert source.state() == before


def test_a_path_through_a_link_and_with_strange_signs(source: Source, tmp_path: Path) -> None:
    (tmp_path / "real 'x' \n").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real 'x' \n")
    source.folder = tmp_path / "link" / "-a copy"
    before = source.state()
    root = Path(source.make().root)
    assert root == tmp_path / "real 'x' \n" / "-a copy"
    assert (root / "a.txt").exists()
    source.remove()
    assert not root.exists()
    assert source.state() == before


# --- what cannot be copied ----------------------------------------------------------------------------------------


def test_no_commit(tmp_path: Path) -> None:
    source = Source(make_repository(tmp_path / "source"))
    with pytest.raises(NotReady, match="this repository has no commit yet"):
        make_copy(source.git, source.git.head(), str(source.folder), settings_of({}), ENVIRONMENT)
    assert not source.folder.exists()


def test_a_commit_that_is_not_there(source: Source) -> None:
    with pytest.raises(NotReady, match="commit 111111111111 is not in this repository"):
        source.make(commit="1" * 40)
    assert not source.folder.exists()


def test_a_shallow_clone_has_its_last_commit_only(source: Source, tmp_path: Path) -> None:
    first = source.head
    source.commit({"a.txt": "second\n"})
    git(tmp_path, "clone", "--quiet", "--depth=1", source.root.as_uri(), "shallow")
    shallow = Source(tmp_path / "shallow")
    assert git(Path(shallow.make().root), "log", "-p", "--format=", "a.txt").endswith("+second")
    shallow.remove()
    with pytest.raises(NotReady) as told:
        shallow.make(commit=first)
    assert told.value.reason == f"commit {first[:12]} is not in this shallow repository"
    assert told.value.remedy == "run `git fetch --unshallow`"


def test_a_folder_that_exists_is_left_alone(source: Source, unchanged: Check) -> None:
    write_tree(source.folder, {"mine.txt": "mine\n"})
    with pytest.raises(NotReady, match="exists already"):
        source.make()
    source.remove()
    assert (source.folder / "mine.txt").read_text() == "mine\n"


def test_a_folder_above_that_does_not_exist(source: Source, unchanged: Check) -> None:
    source.folder = source.folder / "no" / "where"
    with pytest.raises(NotReady, match="cannot be created: No such file"):
        source.make()


def test_a_full_disk_is_one_sentence(source: Source) -> None:
    """A limit on the size of files is what every system lets a test set."""
    source.commit({"large.bin": b"x" * 2_000_000})
    before = source.state()
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))"
    done = alone(source, f"{limit}\ntry: source.make()\nexcept NotReady as problem: print(problem.reason)")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("the commit cannot be checked out: "), done.stdout
    assert done.stdout.count("\n") == 1
    assert not source.folder.exists()
    assert source.state() == before


# --- what stays behind --------------------------------------------------------------------------------------------


def test_read_only_folders_inside_are_removed(source: Source, unchanged: Check) -> None:
    root = Path(source.make().root)
    (root / "locked/deep").mkdir(parents=True)
    (root / "locked/deep/file").write_text("x")
    (root / "locked/deep").chmod(0o500)
    (root / "locked").chmod(0)
    source.remove()
    assert not root.exists()


def test_more_folders_in_each_other_than_calls_are_removed(tmp_path: Path) -> None:
    """As a script makes them that copies a folder into itself."""
    folder, limit = tmp_path / "copy", sys.getrecursionlimit()
    (folder / "/".join(["d"] * 400)).mkdir(parents=True)
    (folder / "file").touch()
    sys.setrecursionlimit(len(inspect.stack()) + 200)
    try:
        remove_tree(str(folder))
    finally:
        sys.setrecursionlimit(limit)
    assert not folder.exists()


def test_removing_follows_no_link(source: Source, tmp_path: Path) -> None:
    write_tree(tmp_path / "mine", {"kept.txt": "kept\n", "folder/kept.txt": "kept\n"})
    (tmp_path / "mine/folder").chmod(0o500)
    before = every_byte(tmp_path / "mine")
    root = Path(source.make().root)
    (root / "link").symlink_to(tmp_path / "mine")
    (root / "shut").mkdir(mode=0o500)
    source.remove()
    assert every_byte(tmp_path / "mine") == before


def test_a_link_in_the_place_of_a_copy_goes_and_nothing_behind_it(source: Source, tmp_path: Path) -> None:
    write_tree(tmp_path / "mine", {"folder/kept.txt": "kept\n"})
    (tmp_path / "mine/folder").chmod(0o755)
    before = every_byte(tmp_path / "mine")
    root = Path(source.make().root)
    remove_tree(str(root))
    root.symlink_to(tmp_path / "mine")
    remove_tree(str(root))
    assert (root.is_symlink(), every_byte(tmp_path / "mine")) == (True, before)
    source.remove()
    assert (root.is_symlink(), every_byte(tmp_path / "mine")) == (False, before)


def test_removing_twice_or_nothing_is_fine_and_leaves_no_file_open(source: Source, unchanged: Check) -> None:
    source.remove()
    before = os.listdir("/proc/self/fd")
    source.make()
    source.remove()
    source.remove()
    assert os.listdir("/proc/self/fd") == before
    assert os.listdir(source.root / ".git" / LAUNCHER / "copies") == ["turn"], "no record is left"


@pytest.mark.parametrize("setup", ["true", "sleep 600 & echo $! > pid; kill -9 $PPID; sleep 600"])
def test_a_killed_process_leaves_nothing_once_the_next_copy_is_made(
    source: Source, tmp_path: Path, setup: str
) -> None:
    before = source.state()
    made = f"source.make(settings_of({{'setup': {setup!r}}}))"
    done = alone(source, f"import os\n{made}\nos.kill(os.getpid(), 9)")
    assert done.returncode == -9, done.stderr
    assert source.folder.is_dir()
    pid = (source.folder / "pid").read_text().strip() if "pid" in setup else ""
    assert not pid or lives(pid)
    stale, source.folder = source.folder, tmp_path / "next"
    root = Path(source.make().root)
    assert not stale.exists()
    assert (root / "a.txt").exists()
    assert not pid or ends(pid)
    source.remove()
    assert source.state() == before


def test_a_process_killed_before_it_made_anything(source: Source) -> None:
    records = source.root / ".git" / LAUNCHER / "copies"
    write_tree(
        records,
        {"0123456789abcdef": "", "fedcba9876543210": str(source.folder), "fedcba9876543210.patterns": "x"},
    )
    write_tree(source.folder, {"mine.txt": "mine\n"})
    with pytest.raises(NotReady, match="exists already"):
        source.make()
    assert (source.folder / "mine.txt").exists(), "a record whose name is not that of its folder was not ours"
    assert not (records / "0123456789abcdef").exists()


def test_a_copy_of_a_living_process_stays(source: Source, tmp_path: Path) -> None:
    first = Path(source.make().root)
    other = Source(source.root)
    other.folder = tmp_path / "second"
    other.make()
    assert (first / "a.txt").exists()
    assert (tmp_path / "second/a.txt").exists()
    other.remove()
    source.remove()


def test_copies_are_claimed_one_after_the_other(source: Source, tmp_path: Path) -> None:
    """Otherwise a second process could take the record of a first one for abandoned before it is locked."""
    write_tree(source.root / ".git" / LAUNCHER / "copies", {"turn": ""})
    with open(source.root / ".git" / LAUNCHER / "copies/turn") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        second = threading.Thread(target=claim, args=(source.git, str(source.folder), remove_tree))
        second.start()
        second.join(0.2)
        assert second.is_alive()
    second.join(60)
    assert not second.is_alive()
    release(source.git, str(source.folder))


def test_attributes_of_this_repository_alone_stay_out(source: Source, unchanged: Check) -> None:
    """No clone has them; `core.attributesFile` is left out too."""
    info = source.root / ".git/info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text("*.txt eol=crlf\n")
    try:
        root = Path(source.make().root)
        assert (root / "a.txt").read_bytes() == b"a\n"
        assert (root / "src/b.sh").read_bytes() == b"b\n"
        assert git(root, "status", "--porcelain", "--ignored") == ""
        source.remove()
    finally:
        (info / "attributes").unlink()


@pytest.mark.parametrize("name", ["inside", ".", "../with a blank"])
def test_a_copy_is_not_made_where_commands_would_run_otherwise(
    source: Source, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Below the tree, tools find its files; a blank is new to commands if the tree has none in its path."""
    monkeypatch.setenv("TMPDIR", os.path.join(source.git.root, name))
    odd = " " in source.git.root
    usual = Path(os.environ["TMPDIR"]).resolve() if odd and "blank" in name else Path("/tmp").resolve()
    assert Path(copy_folder(source.git)).parent == usual


def test_a_copy_is_made_where_programs_can_run(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on machines that mount /tmp with noexec; a tree in which none can run needs no such folder."""
    usual, real = os.path.realpath(os.environ["TMPDIR"]), os.statvfs
    barred: set[str] = set()

    def statvfs(folder: str) -> object:
        flag = real(folder).f_flag | (os.ST_NOEXEC if os.path.realpath(folder) in barred else 0)
        return SimpleNamespace(f_flag=flag, f_bavail=10**9, f_frsize=4096)

    monkeypatch.setattr(os, "statvfs", statvfs)
    for also, place in (("", usual), (usual, "/tmp"), ("/tmp", "/var/tmp"), ("/var/tmp", "/tmp")):
        barred.add(os.path.realpath(also or "/nowhere"))
        assert os.path.dirname(copy_folder(source.git)) == os.path.realpath(place)
    with pytest.raises(NotReady, match="no program can run in /tmp, because it is mounted with noexec"):
        try_copy(source.git, source.head, settings_of({}))
    barred.add(source.git.root)
    assert os.path.dirname(copy_folder(source.git)) == usual
    assert try_copy(source.git, source.head, settings_of({})) == []


def test_a_new_folder_is_among_the_temporary_ones(source: Source) -> None:
    folder = copy_folder(source.git)
    assert Path(folder).parent == Path(os.environ["TMPDIR"]).resolve()
    assert (folder.endswith("-source"), folder != copy_folder(source.git)) == (True, True)
