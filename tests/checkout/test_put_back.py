"""After a command the committed files and the repository of a copy are as before, and what was built stays."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.checkout.source import Bytes, Source, every_byte
from tests.kit.files import write_tree
from tests.kit.quick import examples
from tests.kit.repository import git
from ultra_runtime.checkout.put_back import KeptCheckout
from ultra_runtime.checkout.ready import NotReady

SETUP = {"generated.txt": "by the setup\n", "built/by-setup": "x\n", ".git/info/exclude": "*.made\n"}
PIPES = (".git/daemon.ipc", ".git/info/daemon.ipc")
FILES = ["a.txt", "src/b.sh", "src/c.txt", "generated.txt"]
COMMANDS = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(
                ["echo more >>", "rm -f", "chmod 755", "chmod 600", "printf 'a\\r\\n' >", "touch -d @1", "git rm -qf --cached",
                 "git update-index --assume-unchanged", "git update-index --skip-worktree", "rm -f x; mkdir -p x; mv -f x"]
            ),
            st.sampled_from(FILES),
        ).map(" ".join),
        st.sampled_from(
            ["rm -rf src", "rm -rf src; echo file > src", "git commit -qam own", "git tag own; git branch -q own", "git add -A",
             "git config core.autocrlf true", "echo '*.txt eol=crlf' > .git/info/attributes", "rm -f a.txt; ln -s src/b.sh a.txt",
             "rm -f .git/index", "mkfifo .git/pipe", "rm -f .git/HEAD; echo junk > .git/packed-refs", "touch .git/index.lock",
             "git tag -d by-setup", "rm -rf .git/refs .git/info", "rm -f .git/link; echo file > .git/link"]
        ),
    ),
    min_size=1,
    max_size=4,
)  # fmt: skip


@pytest.fixture
def room(source: Source) -> Iterator[Path]:
    """Return the root of a copy; `src/c.txt` was committed too."""
    source.commit({"src/c.txt": "c\n", "generated.txt": "committed\n", "src/m.py": "x = 1\n"})
    yield Path(source.make().root)
    source.remove()


def kept_bytes(root: Path) -> Bytes:
    """Return everything below a folder; of the permissions of a file only whether it is a program, as git has them."""
    found = every_byte(root)
    return {name: (stat.S_IFMT(mode) | mode & 0o100, data) for name, (mode, data) in found.items()}


@pytest.mark.parametrize("has_setup", [False, True])
def test_commands_leave_committed_files_and_the_repository(
    room: Path, source: Source, tmp_path: Path, has_setup: bool
) -> None:
    if has_setup:
        write_tree(room, SETUP)
        git(room, "add", "generated.txt")
        git(room, "tag", "by-setup")
        for name in (".git/link", ".git/info/link"):
            (room / name).symlink_to("HEAD")
    number = 0

    @settings(max_examples=examples(30))
    @given(COMMANDS)
    def check(commands: list[str]) -> None:
        nonlocal number
        number += 1
        root = tmp_path / f"room-{number}"
        shutil.copytree(room, root, symlinks=True)
        git(root, "update-index", "-q", "--refresh", check=False)
        for name in PIPES if has_setup else ():
            os.mkfifo(root / name)
        kept = KeptCheckout(str(root), source.head, str(tmp_path / "kept"), has_setup)
        for name in PIPES if has_setup else ():
            (root / name).unlink()
        before = {name: one for name, one in kept_bytes(root).items() if not name.startswith(".git/objects")}
        write_tree(root, {"built/new": "built\n"})
        for command in commands:
            subprocess.run(["bash", "-c", command], cwd=root, check=False, capture_output=True)
        kept.put_back()
        after = kept_bytes(root)
        assert {name: one for name, one in after.items() if name in before} == before
        added = {name for name in after if name not in before and not name.startswith(".git/objects")}
        assert {one for one in added if one.startswith(".git")} == set()
        assert "built/new" in added
        shutil.rmtree(root)

    check()


def test_files_that_the_setup_changed_are_put_back_as_it_left_them(
    room: Path, source: Source, tmp_path: Path
) -> None:
    write_tree(room, SETUP)
    (room / "src/c.txt").unlink()
    kept = KeptCheckout(str(room), source.head, str(tmp_path / "kept"), has_setup=True)
    write_tree(room, {"generated.txt": "by a command\n", "a.txt": "by a command\n"})
    kept.put_back()
    assert (room / "generated.txt").read_text() == "by the setup\n"
    assert (room / "a.txt").read_text() == "a\n"
    assert not (room / "src/c.txt").exists()


def test_byte_code_of_what_a_command_changed_is_not_that_of_the_commit(
    room: Path, source: Source, tmp_path: Path
) -> None:
    kept = KeptCheckout(str(room), source.head, str(tmp_path / "kept"), has_setup=False)
    for fix in ("sed -i s/1/2/ m.py", "true"):
        shown = subprocess.run(
            ["bash", "-c", f"cd src; {fix}; python3 -c 'import m; print(m.x)'"], cwd=room, capture_output=True, text=True, check=True
        )  # fmt: skip
        kept.put_back()
    assert shown.stdout == "1\n"


def test_a_repository_that_cannot_be_kept_is_named(room: Path, source: Source, tmp_path: Path) -> None:
    write_tree(tmp_path, {"file": ""})
    with pytest.raises(NotReady, match="the repository of the checkout cannot be kept: Not a directory"):
        KeptCheckout(str(room), source.head, str(tmp_path / "file/kept"), has_setup=False)


def test_a_repository_that_a_command_removed_is_named(room: Path, source: Source, tmp_path: Path) -> None:
    kept = KeptCheckout(str(room), source.head, str(tmp_path / "kept"), has_setup=False)
    shutil.rmtree(room / ".git")
    with pytest.raises(NotReady, match="its repository is gone"):
        kept.put_back()
