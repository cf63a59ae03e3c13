"""What a snapshot remembers saves time and hides nothing: it has the tree that git finds without any memory."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.files import write_tree
from tests.kit.quick import times
from tests.kit.repository import ENVIRONMENT, git, make_repository
from ultra_runtime.files.git import find_git
from ultra_runtime.files.project import Project
from ultra_runtime.run.state.run_place import RunPlace
from ultra_runtime.run.tree.ignored import Ignored
from ultra_runtime.run.tree.snapshot import A_HANDFUL, CACHED, STATUS, Snapshots
from ultra_runtime.run.tree.workspace import Workspace

SEEDS = range(times(4, 200))
ROUNDS = 12
FILES = {
    ".gitignore": "*.log\nbuild/\n", "README.md": "# Parts\n", "src/a.py": "a\n", "src/b.py": "b\n",
    "src/deep/er/c.py": "c\n", "docs/d.md": "d\n", "bin/run.sh": "#!/bin/sh\n",
}  # fmt: skip
NAMES = (
    *FILES, "src/new.py", "src/[x].py", "src/deep", "new/f.txt", "new/g.log", "build/out", "a b", "h\xe9", ".claude/x",
    "*.py", ":(top)odd", "docs",
)  # fmt: skip


class Scene:
    """A repository, its snapshots, and an index of git's own that follows the tree without any memory of ours."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.oracle = str(root.parent / "oracle")
        shutil.copy2(root / ".git/index", self.oracle)
        self.workspace = Workspace(find_git(str(root)))
        project = Project(str(root), "p")
        self.place = RunPlace(str(root), project.path("plan.md"), project, None)
        self.snapshots = Snapshots(self.workspace, self.place)
        self.index = Path(self.snapshots.index)

    def take(self) -> str:
        """Take a snapshot as a verb does, which knows only what is on the disk."""
        self.snapshots = Snapshots(self.workspace, self.place)
        return self.snapshots.take()

    def expected(self) -> str:
        """Return the tree that git makes, without the files of the runtime."""
        env = {**ENVIRONMENT, "GIT_INDEX_FILE": self.oracle}
        own = [f":(exclude,top,literal){path.rstrip('/')}" for path in self.place.own_files()]
        git(self.root, "add", "-A", "--ignore-errors", "--", ".", *own, env=env, check=False)
        return git(self.root, "write-tree", env=env)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(make_repository(tmp_path / "repo", FILES))


def clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif path.is_symlink() or path.exists():
        path.unlink()


def make_room(root: Path, path: Path) -> None:
    for above in reversed(path.relative_to(root).parents):
        if (root / above).is_symlink() or (root / above).is_file():
            (root / above).unlink()
    clear(path)
    path.parent.mkdir(parents=True, exist_ok=True)


def write(root: Path, name: str, chance: random.Random) -> None:
    make_room(root, root / name)
    (root / name).write_text(chance.choice(["", "a\n", "other\n", "*.py\n"]))


def remove(root: Path, name: str, chance: random.Random) -> None:
    clear(root / name)


def link(root: Path, name: str, chance: random.Random) -> None:
    make_room(root, root / name)
    (root / name).symlink_to("README.md")


def change_mode(root: Path, name: str, chance: random.Random) -> None:
    if (root / name).is_file() and not (root / name).is_symlink():
        (root / name).chmod(chance.choice([0o644, 0o755, 0o600]))


def keep_times(root: Path, name: str, chance: random.Random) -> None:
    """Change a file or a folder, and put its times back."""
    if not (root / name).exists():
        return
    found = (root / name).stat()
    if (root / name).is_dir():
        (root / name / "hidden.py").write_text("hidden\n")
    else:
        data = (root / name).read_bytes()
        (root / name).write_bytes(bytes(one ^ 1 for one in data))
    os.utime(root / name, ns=(found.st_atime_ns, found.st_mtime_ns))


def many(root: Path, name: str, chance: random.Random) -> None:
    make_room(root, root / "many")
    write_tree(root, {f"many/{number}.txt": f"{chance.random()}\n" for number in range(A_HANDFUL + 5)})


def commit(root: Path, name: str, chance: random.Random) -> None:
    git(root, "add", "-A", "--ignore-errors", check=False)
    git(root, "commit", "--quiet", "--allow-empty", "-m", "more")


def nest(root: Path, name: str, chance: random.Random) -> None:
    """Make a repository in the repository, with a commit or without."""
    make_room(root, root / "nested")
    (root / "nested").mkdir()
    git(root / "nested", "init", "--quiet")
    (root / "nested/n.txt").write_text("n\n")
    if chance.random() < 0.5:
        git(root / "nested", "add", "-A")
        git(root / "nested", "commit", "--quiet", "-m", "n")


def exclude(root: Path, name: str, chance: random.Random) -> None:
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text(chance.choice(["", "new/\n", "*.py\n"]))


Act = Callable[[Path, str, random.Random], None]
ACTS: tuple[Act, ...] = (
    write, write, write, remove, remove, link, change_mode, keep_times, keep_times, many, commit, nest, exclude,
)  # fmt: skip


@pytest.mark.soak
@pytest.mark.parametrize("seed", SEEDS)
def test_a_snapshot_is_what_git_finds(scene: Scene, seed: int) -> None:
    chance, done = random.Random(seed), []  # noqa: S311 - the same acts every time
    assert scene.take() == scene.expected()
    for _ in range(ROUNDS):
        for _ in range(chance.randrange(4)):
            act, name = chance.choice(ACTS), chance.choice(NAMES)
            act(scene.root, name, chance)
            done.append((act.__name__, name))
        assert scene.take() == scene.expected(), done


def opened_folders(scene: Scene) -> int:
    """Return how many folders git reads for a snapshot, by its own count."""
    trace = scene.root.parent / "trace"
    trace.unlink(missing_ok=True)
    nested = {"GIT_TRACE2_EVENT": str(trace), "GIT_TRACE2_EVENT_NESTING": "9", "GIT_OPTIONAL_LOCKS": "0"}
    git(scene.root, *CACHED, *STATUS, env={**ENVIRONMENT, **nested, "GIT_INDEX_FILE": str(scene.index)})
    rows = [json.loads(line) for line in trace.read_text().splitlines()]
    (found,) = [row["value"] for row in rows if row.get("key") == "opendir"]
    return int(found)


def test_a_third_snapshot_reads_only_folders_that_changed(scene: Scene) -> None:
    for folder, _, _ in os.walk(scene.root):
        os.utime(folder, (1, 1))  # git reads a folder again that changed in the second of its last look
    scene.take()
    scene.take()
    assert opened_folders(scene) == 0
    write_tree(scene.root, {"src/deep/new.py": "new\n"})
    assert opened_folders(scene) == 1


def test_an_index_of_somebody_else_is_not_used(scene: Scene) -> None:
    before = scene.take()
    assert not scene.snapshots.own_index.is_foreign()
    env = {**ENVIRONMENT, "GIT_INDEX_FILE": str(scene.index)}
    git(scene.root, "update-index", "--assume-unchanged", "src/a.py", env=env)
    write_tree(scene.root, {"src/a.py": "cheat\n"})
    assert scene.snapshots.own_index.is_foreign()
    found = scene.take()
    assert [one.path for one in scene.snapshots.changes(before, found)] == ["src/a.py"]
    assert not scene.snapshots.own_index.is_foreign()


@pytest.mark.parametrize("part", ["the index", "its record"])
def test_a_kill_while_the_index_is_replaced_loses_nothing(
    scene: Scene, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that the index has stays part of the snapshots although a rule ignores it: so the index must live on."""
    scene.take()
    write_tree(scene.root, {"src/new.py": "new\n"})
    before = scene.take()
    write_tree(scene.root, {".gitignore": "*.py\n"})
    kept = {path: path.read_bytes() for path in (scene.index, Path(f"{scene.index}.json"))}
    times = scene.index.stat()
    after = scene.take()
    if part == "the index":  # the record was written, the index not yet
        scene.index.write_bytes(kept[scene.index])
        os.utime(scene.index, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert not scene.snapshots.own_index.is_foreign()
    assert scene.take() == after
    assert [one.path for one in scene.snapshots.changes(before, after)] == [".gitignore"]


def test_an_ignored_file_is_noticed_although_its_folder_has_its_old_time(scene: Scene) -> None:
    write_tree(scene.root, {"build/out": "out\n"})
    os.utime(scene.root / "build", (1, 1))
    ignored = Ignored(scene.workspace, scene.place, scene.snapshots)
    scene.take()
    ignored.look()
    old = (scene.root / "build").stat().st_ctime_ns
    while (scene.root / "build").stat().st_ctime_ns == old:
        write_tree(scene.root, {"build/pass": ""})
        os.utime(scene.root / "build", (1, 1))
    assert ignored.look() == ["build/pass"]
    assert ignored.look() == []


def test_the_record_of_ignored_files_is_not_taken_from_somebody_else(scene: Scene) -> None:
    write_tree(scene.root, {"build/out": "out\n"})
    scene.take()
    ignored = Ignored(scene.workspace, scene.place, scene.snapshots)
    ignored.look()
    assert ignored.is_first
    ignored.look()
    assert not ignored.is_first
    path = Path(ignored.path)
    path.write_bytes(path.read_bytes().replace(b"build/out", b"build/pas"))
    ignored.look()
    assert ignored.is_first


@pytest.mark.parametrize("counted", [True, False], ids=["links are counted", "links are not counted"])
def test_ignored_files_of_every_folder_are_noticed(
    scene: Scene, counted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system that counts no links makes the first look read every folder, and none is missed."""
    names = ["g.log", "src/deep/er/g.log", "build/deep/out", "new/only.log", "new/deep/er/only.log"]
    write_tree(scene.root, {**dict.fromkeys(names, "old\n"), "node_modules/x.log": "not watched\n"})
    (scene.root / "hollow/er").mkdir(parents=True)
    if not counted:
        monkeypatch.setattr("ultra_runtime.files.subfolders.NONE", -1)
    scene.take()
    ignored = Ignored(scene.workspace, scene.place, scene.snapshots)
    assert ignored.look() == []
    late = ["hollow/er/h.log", "src/deep/h.log", "build/deep/er/out"]
    write_tree(scene.root, {**dict.fromkeys([*names, *late], "another\n"), "node_modules/x.log": "changed\n"})
    assert ignored.look() == sorted([*names, *late])
    assert ignored.look() == []


def test_a_tree_is_written_again_if_it_is_gone_or_if_nothing_holds_what_it_needs(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = scene.root.parent / "trace"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))

    def writes(expected: str) -> bool:
        trace.unlink(missing_ok=True)
        assert scene.take() == expected
        return '"name":"write-tree"' in trace.read_text()

    write_tree(scene.root, {"src/new.py": "new\n"})
    tree = scene.take()
    assert not writes(tree)
    (Path(scene.snapshots.objects) / tree[:2] / tree[2:]).unlink()
    assert [writes(tree), writes(tree)] == [True, False]
    git(scene.root, "commit", "--quiet", "--amend", "--message=another")
    assert [writes(tree), writes(tree)] == [True, False]
