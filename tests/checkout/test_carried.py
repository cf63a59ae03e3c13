"""What is not committed and comes along: files of `.worktreeinclude`, and installed dependencies."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checkout.source import Source, every_byte
from tests.kit.files import write_tree
from tests.kit.repository import ENVIRONMENT, git
from ultra_runtime.checkout import copy as copies
from ultra_runtime.checkout import register
from ultra_runtime.checkout.carried import DEEPEST, MOST_FOLDERS, dependency_folders, entries_of, led_into
from ultra_runtime.checkout.copy import make_copy
from ultra_runtime.checkout.settings import settings_of
from ultra_runtime.checkout.worktree import _remove_one_by_one, runs_programs
from ultra_runtime.files.subfolders import Subfolders

Check = Callable[[], None]


def files_of(root: Path) -> set[str]:
    """Return the files of a copy that are not committed."""
    said = git(root, "ls-files", "-z", "--others")
    return {name for name in said.split("\0") if name}


# --- .worktreeinclude ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("committed", [True, False])
def test_ignored_files_that_match_are_copied(source: Source, committed: bool) -> None:
    include = "# secrets\n*.secret\n!other.secret\nleft.txt\n/conf/\n"
    source.commit(
        {".gitignore": "*.secret\n/conf/local/\n", **({".worktreeinclude": include} if committed else {})}
    )
    loose = {"other.secret": "x", "src/deep.secret": "deep", "conf/local/a": "a", "conf/shown": "not ignored"}
    write_tree(source.root, {**loose, **({} if committed else {".worktreeinclude": include})})
    (source.root / "key.secret").chmod(0o600)
    before = source.state()
    copy = source.make()
    root = Path(copy.root)
    assert files_of(root) == {"key.secret", "src/deep.secret", "conf/local/a"}
    assert (root / "key.secret").read_text() == "s3\n"
    assert stat.S_IMODE((root / "key.secret").stat().st_mode) == 0o600
    named = "conf/local/a, key.secret, src/deep.secret"
    assert copy.notes == [f"3 ignored files copied, as .worktreeinclude says: {named}"]
    source.remove()
    assert source.state() == before


def test_the_committed_list_counts_not_an_edit_of_it(source: Source) -> None:
    source.commit({".worktreeinclude": "*.nothing\n"})
    write_tree(source.root, {".worktreeinclude": "*.secret\n"})
    assert source.make().notes == []
    source.remove()


def test_the_lines_of_the_start_count_also_if_there_were_none(source: Source) -> None:
    write_tree(source.root, {".worktreeinclude": "*.secret\n"})
    for lines, copied in ((None, {"key.secret"}), (b"", set()), (b"*.secret\n", {"key.secret"})):
        given = (source.git, source.head, str(source.folder), settings_of({}), ENVIRONMENT, lines)
        assert files_of(Path(make_copy(*given).root)) == copied
        source.remove()


def test_what_is_copied_is_the_copys_own(source: Source) -> None:
    write_tree(source.root, {".worktreeinclude": "*.secret\n"})
    root = Path(source.make().root)
    (root / "key.secret").write_text("changed\n")
    source.remove()
    assert (source.root / "key.secret").read_text() == "s3\n"


def test_a_link_stays_a_link_and_a_pipe_stays_out(source: Source, tmp_path: Path) -> None:
    write_tree(source.root, {".worktreeinclude": "*.secret\n"})
    (source.root / "link.secret").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(source.root / "pipe.secret")
    root = Path(source.make().root)
    assert files_of(root) == {"key.secret", "link.secret"}
    assert os.readlink(root / "link.secret") == str(tmp_path / "elsewhere")
    source.remove()


def test_nothing_is_written_through_a_committed_link(source: Source, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (source.root / "out").symlink_to(tmp_path / "outside")
    git(source.root, "add", "out")
    git(source.root, "commit", "--quiet", "--message=link")
    (source.root / "out").unlink()
    write_tree(
        source.root, {"out/x.secret": "x", "out/node_modules/p/i.js": "x", ".worktreeinclude": "*.secret\n"}
    )
    git(source.root, "update-index", "--assume-unchanged", "out")
    source.make()
    assert list((tmp_path / "outside").iterdir()) == []
    source.remove()


# --- dependencies -------------------------------------------------------------------------------------------------


@pytest.fixture
def packages(source: Source) -> Source:
    """Return a workspace of two packages with what npm would have installed."""
    source.commit({"web/package.json": "{}", "web/index.js": "exports.own = 'committed'\n"})
    write_tree(
        source.root,
        {
            "node_modules/left-pad/index.js": "module.exports = 'left-pad'\n",
            "node_modules/@scope/tool/index.js": "x\n",
            "node_modules/.bin/tool": "#!/bin/sh\necho tool\n",
            "web/node_modules/inner/index.js": "x\n",
            "elsewhere/node_modules/x/index.js": "x\n",
        },
    )
    (source.root / "node_modules/.bin/tool").chmod(0o755)
    (source.root / "node_modules/web").symlink_to("../web")
    (source.root / "node_modules/@scope/web").symlink_to("../../web")
    write_tree(source.root.parent, {"far/tool/index.js": "far\n"})
    (source.root / "node_modules/@far").symlink_to(source.root.parent / "far")
    (source.root / "node_modules/loose").symlink_to(source.root / "elsewhere")
    return source


def test_node_modules_are_there_at_the_root_and_in_workspaces(packages: Source) -> None:
    before = packages.state()
    copy = packages.make()
    root = Path(copy.root)
    assert (root / "node_modules/left-pad/index.js").read_text() == "module.exports = 'left-pad'\n"
    assert (root / "node_modules/@scope/tool/index.js").exists()
    assert (root / "web/node_modules/inner/index.js").exists()
    assert not (root / "elsewhere").exists()
    assert (root / "node_modules/loose/node_modules/x/index.js").exists(), (
        "the commit has nothing in its place"
    )
    assert (
        subprocess.run([root / "node_modules/.bin/tool"], capture_output=True, check=True).stdout == b"tool\n"
    )
    assert git(root, "status", "--porcelain") == "", "the ignore rule `node_modules/` still fits"
    assert copy.notes == ["dependencies as you have them: node_modules, web/node_modules"]
    packages.remove()
    assert packages.state() == before


def test_a_workspace_package_is_that_of_the_commit(packages: Source) -> None:
    write_tree(packages.root, {"web/index.js": "exports.own = 'edited'\n"})
    (packages.root / "node_modules/full").symlink_to(packages.root / "web")
    root = Path(packages.make().root)
    for link in ("node_modules/web", "node_modules/@scope/web", "node_modules/full"):
        assert (root / link / "index.js").read_text() == "exports.own = 'committed'\n"
    packages.remove()


@pytest.mark.parametrize(
    "installs",
    [
        "rm -rf node_modules",  # `npm ci` begins so
        "rm -rf node_modules/* node_modules/.bin",
        "rm -rf node_modules/@*/* node_modules/left-pad",
        "echo own > node_modules/.package-lock.json",
        # `uv run` and `pip install -e .`, because the project is in another folder now
        "cd .venv/lib/python3.12/site-packages; pwd > own.pth; rm -r own-1.dist-info; touch new; echo own > ../../../bin/own",
        "cd .venv/lib/python3.12/site-packages/own-1.dist-info; echo own > direct_url.json; rm RECORD; touch new",
    ],
)
def test_an_installation_takes_nothing_from_the_user(packages: Source, installs: str) -> None:
    python = ".venv/lib/python3.12/site-packages"
    names = (".venv/pyvenv.cfg", ".venv/bin/own", f"{python}/own.pth", f"{python}/own-1.dist-info/RECORD")
    write_tree(packages.root, dict.fromkeys((*names, "node_modules/.package-lock.json"), "the user's\n"))
    write_tree(
        packages.root, {f"{python}/own-1.dist-info/direct_url.json": '{"dir_info": {"editable": true}}'}
    )
    before = packages.state()
    root = Path(packages.make().root)
    subprocess.run(["bash", "-e", "-c", installs], cwd=root, check=True)
    assert (packages.root / "node_modules/@far/tool/index.js").read_text() == "far\n"
    assert not installs.startswith("rm") or not (root / "node_modules/left-pad").exists()
    packages.remove()
    assert packages.state() == before


def test_only_what_the_settings_name(packages: Source) -> None:
    write_tree(packages.root, {"third_party/x/y": "y\n"})
    root = Path(packages.make(settings_of({"dependencies": ["third_party"]})).root)
    assert files_of(root) == set() or not (root / "node_modules").exists()
    assert (root / "third_party/x/y").read_text() == "y\n"
    packages.remove()
    root = Path(packages.make(settings_of({"dependencies": []})).root)
    assert not (root / "node_modules").exists()
    packages.remove()


def test_a_committed_folder_is_that_of_the_commit(source: Source) -> None:
    source.commit({"vendor/lib/lib.go": "committed\n"})
    write_tree(source.root, {"vendor/lib/lib.go": "edited\n", "vendor/more/x.go": "not committed\n"})
    root = Path(source.make().root)
    assert {str(path.relative_to(root)) for path in root.glob("vendor/*/*")} == {"vendor/lib/lib.go"}
    assert (root / "vendor/lib/lib.go").read_text() == "committed\n"
    source.remove()


def test_an_older_commit_that_has_something_else_there(source: Source, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (source.root / "out").symlink_to(tmp_path / "outside")
    git(source.root, "add", "out")
    older = source.commit({"node_modules/own.js": "committed\n", "key.secret": "committed\n"})
    git(source.root, "rm", "--quiet", "-r", "node_modules", "out", "key.secret")
    source.commit({"out/x": "x\n"})
    write_tree(
        source.root, {"out/node_modules/p/i.js": "x\n", "node_modules/p/i.js": "x\n", "key.secret": "s3\n"}
    )
    write_tree(source.root, {".worktreeinclude": "*.secret\n"})
    root = Path(source.make(commit=older).root)
    assert (root / "key.secret").read_text() == "committed\n"
    assert [path.name for path in (root / "node_modules").iterdir()] == ["own.js"]
    assert list((tmp_path / "outside").iterdir()) == []
    source.remove()


def test_attributes_stay_out_of_a_copy_for_a_linked_worktree(source: Source, tmp_path: Path) -> None:
    git(source.root, "worktree", "add", "--quiet", tmp_path / "linked", "-b", "other")
    write_tree(source.root, {".git/info/attributes": "*.txt eol=crlf\n"})
    linked = Source(tmp_path / "linked")
    assert (Path(linked.make().root) / "a.txt").read_bytes() == b"a\n"
    linked.remove()


def test_a_copy_that_cannot_be_removed_is_removed_with_the_next(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = Path(source.make().root)
    with monkeypatch.context() as patched:
        patched.setattr(copies, "remove_worktree", lambda *_: None)
        source.remove()
    assert left.exists()
    os.close(register._held.pop(str(left)))  # its process is gone
    source.folder = source.folder.with_name("next")
    source.make()
    assert not left.exists()
    source.remove()


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Python environment, without pip: that takes seconds."""
    folder = tmp_path_factory.mktemp("python") / ".venv"
    venv.create(folder, symlinks=True)
    return folder


def test_a_python_environment_works(
    source: Source, environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.rename(source.root / ".venv")
    try:
        packages = next((source.root / ".venv/lib").glob("python*/site-packages"))
        write_tree(packages, {"installed.py": f"name = 'installed'  # not {source.root}\n"})
        before = source.state()
        copy = source.make()
        said = subprocess.run(
            [".venv/bin/python", "-B", "-c", "import installed, sys; print(installed.name, sys.prefix)"],
            cwd=copy.root, env=ENVIRONMENT, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert said == f"installed {copy.root}/.venv\n"
        assert copy.notes == ["dependencies as you have them: .venv"]
        source.remove()
        write_tree(packages, {"__editable__.own-1.0.pth": f"{source.root}/src\n"})
        (source.root / ".venv").rename(tmp_path / "far")
        monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "far"))
        assert source.make().notes[0].startswith(f"{tmp_path}/far imports from your working tree")
        source.remove()
        (tmp_path / "far").rename(source.root / ".venv")
        copy = source.make()
        assert copy.notes[1].startswith(
            ".venv imports from your working tree: let `setup` install the project"
        )
        source.remove()
        (packages / "__editable__.own-1.0.pth").unlink()
        assert source.state() == before
    finally:
        (source.root / ".venv").rename(environment)


def test_what_a_tool_marks_as_its_cache_holds_no_dependencies(tmp_path: Path) -> None:
    write_tree(tmp_path, {"target/debug/deps/made.d": "", "app/deps/plug.ex": "", "app/other/deps/x.ex": ""})
    assert dependency_folders(str(tmp_path), ["deps"]) == ["app/deps", "app/other/deps", "target/debug/deps"]
    (tmp_path / "target/CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    assert dependency_folders(str(tmp_path), ["deps"]) == ["app/deps", "app/other/deps"]


def test_dependencies_are_found_down_to_the_deepest_level(tmp_path: Path) -> None:
    for depth in range(DEEPEST + 3):
        wanted = "/".join([*(f"{depth}" for _ in range(depth)), "deps"])
        (tmp_path / wanted).mkdir(parents=True)
        found = dependency_folders(str(tmp_path), ["deps"])
        assert (wanted in found) == (depth <= DEEPEST)
    assert dependency_folders(str(tmp_path), []) == []


def test_caches_of_tools_do_not_hide_dependencies(tmp_path: Path) -> None:
    for number in range(MOST_FOLDERS):
        (tmp_path / f".cache/{number}").mkdir(parents=True)
    (tmp_path / "packages/one/deps").mkdir(parents=True)
    (tmp_path / ".tools/deps").mkdir(parents=True)
    assert dependency_folders(str(tmp_path), ["deps"]) == [".tools/deps", "packages/one/deps"]


def test_what_is_brought_is_no_change_for_git_whatever_rule_ignores_it(source: Source) -> None:
    names = ["a [x].env", "#b.env", "sub/node_modules/x", "c*\\?.env"]
    write_tree(source.root, {**dict.fromkeys(names, ""), ".worktreeinclude": "*.env\n"})
    source.commit({"sub/kept": ""})
    write_tree(source.root / ".git/info", {"exclude": "*.env\nnode_modules\n.worktreeinclude\n"})
    try:
        root = Path(source.make().root)
        assert all((root / name).exists() for name in names)
        assert git(root, "status", "--short") == ""
        write_tree(root, {"other.env": ""})
        assert git(root, "status", "--short") == "?? other.env"
    finally:
        source.remove()


def test_a_folder_that_goes_meanwhile_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name / "deps").mkdir(parents=True)
    below = Subfolders.of

    def of(self: Subfolders, path: str, status: os.stat_result) -> list[str]:
        if path == str(tmp_path / "b"):
            shutil.rmtree(path)
        return below(self, path, status)

    monkeypatch.setattr(Subfolders, "of", of)
    assert dependency_folders(str(tmp_path), ["deps"]) == ["a/deps", "c/deps"]


def test_a_folder_that_has_gone_holds_nothing_and_bars_nothing(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for name in ("gone", "loop", "x" * 300):
        assert list(entries_of(str(tmp_path / name))) == []
        assert runs_programs(str(tmp_path / name))
    for name in ("b", "a", "c"):
        (tmp_path / "there" / name).mkdir(parents=True)
    assert [one.name for one in entries_of(str(tmp_path / "there"))] == ["a", "b", "c"]


def test_nothing_is_removed_through_a_link(tmp_path: Path) -> None:
    write_tree(tmp_path, {"mine/file": "x\n", "gone/deep/file": "y\n"})
    for name in ("gone/link", "gone/deep/link"):
        (tmp_path / name).symlink_to(tmp_path / "mine")
    _remove_one_by_one(str(tmp_path / "gone"))
    assert every_byte(tmp_path, "tmp").keys() == {"mine", "mine/file"}


def test_links_lead_into_the_tree_unless_a_copy_has_them_too(tmp_path: Path) -> None:
    links = {
        "own": tmp_path / "packages/own", "@team/one": tmp_path / "packages/one", "root": tmp_path,
        "near": Path("../packages/near"), "@team/near": Path("../../packages/near"), ".bin/near": Path("../../packages/near"),
        "beside": tmp_path.with_name(f"{tmp_path.name}-other"), "far": Path("/usr"), "same": tmp_path / "node_modules/own",
        "deep/two": Path("../../packages/two"), "@team/deep/three": Path("../../../packages/three"), "deep/same": Path("../own"),
    }  # fmt: skip
    folder = tmp_path / "node_modules"
    for name in (".bin", "@team/deep", "deep"):
        (folder / name).mkdir(parents=True)
    for name, target in links.items():
        (folder / name).symlink_to(target)
    wanted = [f"packages/{name}" for name in ("one", "own", "three", "two")]
    assert sorted(led_into(str(tmp_path), folder.name, links)) == wanted


def test_an_empty_or_a_broken_dependency_folder(source: Source, unchanged: Check) -> None:
    (source.root / ".venv").symlink_to("nowhere")
    (source.root / "node_modules").mkdir()
    before = every_byte(source.root, ".git")
    source.make()
    source.remove()
    assert every_byte(source.root, ".git") == before
    (source.root / ".venv").unlink()
    (source.root / "node_modules").rmdir()
