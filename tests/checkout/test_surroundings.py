"""What a run is pinned to beside its commit: what is seen of it, and what is not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.files import write_tree
from tests.kit.repository import git, make_repository
from ultra_runtime.checkout import surroundings
from ultra_runtime.checkout.settings import settings_of
from ultra_runtime.checkout.surroundings import (
    LARGEST_READ,
    MOST_ENTRIES,
    OTHERS,
    Surroundings,
    added_conversions,
    changed_names,
    conversions,
    differences,
    look_around,
)
from ultra_runtime.checkout.variables import paths_in, replace_paths
from ultra_runtime.files.git import Git, find_git

SETTINGS = settings_of({})
ENV = {"GIT_CONFIG_NOSYSTEM": "1", "PATH": "/usr/bin:/bin:/usr/local/bin"}
Change = Callable[[Path], object]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with installed dependencies and an included file."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    folder = tmp_path / "repo"
    make_repository(
        folder,
        {"README.md": "x\n", ".gitignore": "node_modules/\n*.env\n"},
        "first",
        ENV | {"HOME": str(tmp_path)},
    )
    write_tree(
        folder,
        {
            "node_modules/.bin/check": "one\n",
            "node_modules/lib/deep/index.js": "one\n",
            "node_modules/lib/large.js": "x" * (LARGEST_READ + 1),
            "node_modules/.cache/x": "one\n",
            "a/b/c/d/e/node_modules/x": "one\n",
            "a/b/c/d/e/f/node_modules/x": "one\n",
            ".hidden/node_modules/x": "one\n",
            "other/.git/node_modules/x": "one\n",
            "other/node_modules/x": "one\n",
            "local.env": "one\n",
            "src/a.py": "",
            ".worktreeinclude": "*.env\n",
        },
    )
    for name in ("node_modules/lib/link", "link.env"):
        (folder / name).symlink_to("nowhere")
    return folder


def pinned(root: Path) -> tuple[Git, Surroundings]:
    found = find_git(str(root))
    return found, Surroundings.of(look_around(found, {}, SETTINGS).as_data())


def rewrite(name: str, text: str) -> Change:
    return lambda root: write_tree(root, {name: text})


def lead(name: str, target: str) -> Change:
    def change(root: Path) -> None:
        (root / name).unlink()
        (root / name).symlink_to(target)

    return change


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        (rewrite("node_modules/.bin/check", "two\n"), ["node_modules"]),
        (rewrite("node_modules/lib/deep/index.js", "longer\n"), ["node_modules"]),
        (rewrite("node_modules/lib/deep/index.js", "two\n"), []),  # deeper down only the size is seen
        (rewrite("node_modules/lib/large.js", "y" * (LARGEST_READ + 1)), []),
        (rewrite("node_modules/lib/large.js", "x" * LARGEST_READ), ["node_modules"]),
        (rewrite("node_modules/new/index.js", ""), ["node_modules"]),
        (rewrite("node_modules/.cache/x", "another\n"), []),
        (rewrite("node_modules/.bin/check", "one\n"), []),  # installed again
        (lambda root: (root / "node_modules/link").symlink_to("lib"), ["node_modules"]),
        (rewrite("a/b/c/d/e/node_modules/x", "two\n"), ["a/b/c/d/e/node_modules"]),
        (rewrite("a/b/c/d/e/f/node_modules/x", "two\n"), []),  # too deep to be looked for, and to be brought
        (rewrite(".hidden/node_modules/x", "two\n"), [".hidden/node_modules"]),
        (rewrite("other/node_modules/x", "two\n"), []),  # in another repository
        (lambda root: (root / "src/node_modules").symlink_to("../node_modules"), ["src/node_modules"]),
        (rewrite("local.env", "two\n"), ["local.env"]),
        (rewrite("new.env", ""), ["new.env"]),
        (lead("link.env", "to here"), ["link.env"]),  # as long as before, and just as broken
        (lead("node_modules/lib/link", "to here"), ["node_modules"]),
        (lambda root: (root / "local.env").unlink(), ["local.env"]),
        (rewrite(".worktreeinclude", ""), []),  # the lines of the start count
        (rewrite("src/new.py", ""), []),
    ],
)  # fmt: skip
def test_what_is_brought_is_compared(root: Path, change: Change, seen: list[str]) -> None:
    found, was = pinned(root)
    change(root)
    assert differences(found, was, SETTINGS) == [["carried", name] for name in seen]


def test_what_variables_lead_to_is_compared(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(root, {"tools/run": "one\n", "a.conf": "one\n", "folder/x": "one\n"})
    (root / "b.conf").symlink_to("folder/x")
    link = root.parent / "a link"
    link.symlink_to(root)
    monkeypatch.setenv("PATH", f"{root}/node_modules/.bin:{root}:{link}/tools:/usr/bin")
    conf = [
        ("CONF", f"{root}/a.conf"),
        ("LINK", f"-c {root}/b.conf"),
        ("NONE", f"{root}/none"),
        ("OUT", f"{link}/folder"),
    ]
    for name, value in conf:
        monkeypatch.setenv(name, value)
    found, was = pinned(root)
    assert differences(found, was, SETTINGS) == []
    write_tree(root, {"tools/run": "two\n", "folder/x": "two\n"})
    (root / "a.conf").unlink()
    names = ["a.conf", "b.conf", "tools"]
    assert differences(found, was, SETTINGS) == [["searched", name] for name in names]
    for name, _ in conf:  # what no variable names has no effect
        monkeypatch.delenv(name)
    assert differences(found, was, SETTINGS) == [["searched", "tools"]]


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONUSERBASE", "HOME", "PATH"])
def test_what_is_installed_in_an_environment_elsewhere_is_compared(
    root: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    inside = {"HOME": ".local/"}.get(variable, "")
    far, other = (root.parent / name / f"{inside}lib/python3/site-packages" for name in ("far", "other"))
    write_tree(far, {"x.py": "one\n"})
    write_tree(other, {"x.py": "one\n"})
    for name in ("far", "other"):
        program = write_tree(root.parent, {f"{name}/bin/python3": ""}) / f"{name}/bin/python3"
        program.chmod(0o755)
    more = f"/bin:{os.environ['PATH']}" if variable == "PATH" else ""
    monkeypatch.setenv(variable, f"{root.parent}/far{more}")
    found, was = pinned(root)
    write_tree(far, {"x.py": "two\n", "__pycache__/x.pyc": ""})
    assert differences(found, was, SETTINGS) == []
    write_tree(far, {"y-1.0.dist-info/METADATA": ""})
    assert differences(found, was, SETTINGS) == [["searched", str(far)]]
    monkeypatch.setenv(variable, f"{root.parent}/other{more}")
    assert differences(found, was, SETTINGS) == []


def test_paths_into_the_tree_are_found_in_values_of_any_form(tmp_path: Path) -> None:
    root = str(tmp_path)
    write_tree(tmp_path, {"a b": ""})
    for value, found in {
        "": [], "/usr/bin": [], root: [root], f"{root}/x": [f"{root}/x"], f"{root}x": [], f"{root}-x/y": [],
        f"/usr/bin:{root}/bin:{root}": [f"{root}/bin", root], f"-I{root}/x -L{root}/y": [f"{root}/x", f"{root}/y"],
        f"{root}/a b": [f"{root}/a b"], f"{root}/c d": [f"{root}/c"], f"x={root}/y,'{root}/z'": [f"{root}/y", f"{root}/z"],
    }.items():  # fmt: skip
        assert paths_in(value, root) == found, value
        moved = replace_paths(value, root, lambda path: f"/new{path[len(root) :]}")
        assert paths_in(moved, "/new") == [f"/new{path[len(root) :]}" for path in found] or " " in value, (
            value
        )


def test_what_tools_find_above_a_working_copy_is_compared(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = root.parent / "above/room"
    write_tree(room, {"notes.txt": ""})
    monkeypatch.setenv("TMPDIR", str(room))
    found, was = pinned(root)
    write_tree(room, {"notes.txt": "x", "pytest.ini": "", "../node_modules/x/index.js": ""})
    names = [str(room.parent / "node_modules"), str(room / "pytest.ini")]
    assert differences(found, was, SETTINGS) == [["searched", name] for name in names]


def test_settings_for_working_copies_alone_are_compared(root: Path, tmp_path: Path) -> None:
    found, was = pinned(root)
    write_tree(tmp_path, {"settings": '[filter "x"]\n\tsmudge = cat\n'})
    git(root, "config", "includeIf.gitdir:**/worktrees/**.path", str(tmp_path / "settings"))
    git(root, "worktree", "add", "--quiet", str(tmp_path / "copy"))
    assert differences(found, was, SETTINGS) == []
    assert added_conversions(was, conversions(find_git(str(tmp_path / "copy")))) == [
        ["reading", "filter.x.smudge"]
    ]
    assert added_conversions(was, conversions(found)) == []


@pytest.mark.parametrize(("size", "most", "by"), [
    (10, 10, "content"), (11, 10, "time"), (5, 5, "content"), (6, 5, "size"), (11, 5, "size"),
])  # fmt: skip
def test_a_file_is_compared_by_its_content_unless_it_is_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, most: int, by: str
) -> None:
    """One that is too large to read is compared by its size and time, one of many only by its size."""
    monkeypatch.setattr(surroundings, "LARGEST", 10)
    path, found = tmp_path / "file", []
    for letter, moment in ((b"a", 1), (b"b", 1), (b"b", 2)):
        path.write_bytes(letter * size)
        os.utime(path, (moment, moment))
        found.append(surroundings._file_digest(str(path), most))
    assert (found[0] != found[1], found[1] != found[2]) == (by == "content", by == "time")


def test_a_large_folder_is_compared_near_its_top(root: Path) -> None:
    for name in range(MOST_ENTRIES + 1):
        (root / f"node_modules/{name:05}").mkdir()
    write_tree(root, {"node_modules/00000/x": ""})
    found, was = pinned(root)
    write_tree(root, {"node_modules/00000/x": "not seen"})
    assert differences(found, was, SETTINGS) == []
    (root / "node_modules/zzzzz").mkdir()
    assert differences(found, was, SETTINGS) == [["carried", "node_modules"]]


@pytest.mark.parametrize(
    ("key", "value"),
    [("filter.x.smudge", "cat"), ("core.autocrlf", "input"), ("core.eol", "crlf"), ("core.attributesFile", "/nowhere")],
)  # fmt: skip
def test_settings_of_git_that_convert_files_are_compared(root: Path, key: str, value: str) -> None:
    found, was = pinned(root)
    git(root, "config", key, value)
    assert differences(found, was, SETTINGS) == [["reading", key.lower()]]
    git(root, "config", "--unset", key)
    git(root, "config", "user.name", "another")
    assert differences(found, was, SETTINGS) == []


def test_local_attributes_are_compared(root: Path, tmp_path: Path) -> None:
    found, was = pinned(root)
    write_tree(tmp_path, {".config/git/attributes": "* text\n"})
    write_tree(root, {".git/info/attributes": "* text\n"})
    names = [name for _, name in differences(found, was, SETTINGS)]
    assert names == [str(root / ".git/info/attributes"), "~/.config/git/attributes"]


def test_names_of_all_that_changed_are_told_together(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONF", f"{root}/src/a.py")
    found, was = pinned(root)
    write_tree(root, {"local.env": "two\n", ".worktreeinclude": "*.env\n*.other\n", "src/a.py": "two\n"})
    git(root, "config", "core.eol", "lf")
    now = look_around(found, {"proof": "off"}, SETTINGS)
    assert changed_names(was, now) == ["`proof`", ".worktreeinclude", "core.eol", "local.env", "src/a.py"]
    assert changed_names(was, was) == []


def test_of_many_included_files_the_last_are_compared_together(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surroundings, "MOST_ENTRIES", 2)
    names = [f"{letter}.env" for letter in "abcd"]
    write_tree(root, dict.fromkeys(names, "one\n"))
    (root / "link.env").unlink()
    (root / "local.env").unlink()
    found, was = pinned(root)
    assert differences(found, was, SETTINGS) == []
    for at, name in enumerate(names):
        write_tree(root, {name: "two\n"})
        assert differences(found, was, SETTINGS) == [["carried", name if at < 2 else OTHERS]]
        write_tree(root, {name: "one\n"})


def test_every_value_of_a_setting_counts(root: Path, tmp_path: Path) -> None:
    """One that is given twice has both, such as what an address stands for."""
    values = '[url "x"]\n\tinsteadOf = {}\n\tinsteadOf = {}\n'
    write_tree(tmp_path, {".gitconfig": values.format("a", "b")})
    found, was = pinned(root)
    for first, second, same in (("a", "b", True), ("c", "b", False), ("a", "c", False), ("b", "a", False)):
        write_tree(tmp_path, {".gitconfig": values.format(first, second)})
        assert differences(found, was, SETTINGS) == ([] if same else [["reading", "url.x.insteadof"]])


def test_what_dependencies_lead_to_is_compared_unless_a_working_copy_has_its_own(root: Path) -> None:
    names = {
        "kept/lib": True,
        "kept": True,
        "loose/lib": False,
        "tool.js": True,
        "loose.js": False,
        "kept2": False,
    }
    for name in names:
        write_tree(root, {name if name.endswith(".js") else f"{name}/index.js": "one\n"})
        link = root / "node_modules" / ("@own" if name.startswith("kept") else "") / name.replace("/", "-")
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(root / name)
    git(root, "add", "kept", "tool.js")
    found, was = pinned(root)
    assert differences(found, was, SETTINGS) == []
    for name, is_tracked in names.items():
        path = name if name.endswith(".js") else f"{name}/index.js"
        write_tree(root, {path: "two\n"})
        assert differences(found, was, SETTINGS) == ([] if is_tracked else [["carried", name]]), name
        write_tree(root, {path: "one\n"})
