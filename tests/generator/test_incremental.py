"""A build after one change builds the plugins that depend on it, and gives what a full build gives."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.generator.sample import write_sample
from tests.kit.files import tree_of, write_tree
from ultra_plugin import templates
from ultra_plugin.errors import UltraError
from ultra_plugin.pipeline import build
from ultra_plugin.source import SourceTree
from ultra_plugin.stamp import kept_plugins

COMMAND = '---\ndescription: Do part of the work\n---\n# Part\n\n{% include "fragments/NAME.md.j2" %}\n'


def tree(root: Path) -> Path:
    files = {
        "suite.yaml": "name: many\ndescription: Many plugins.\nowner: {name: Ann}\nversion: 1.0.0\nprofile: client\n",
        "fragments/one.md.j2": "First.\n",
        "fragments/two.md.j2": "Second.\n",
    }
    for name in ("one", "two", "three"):
        files[f"plugins/{name}/plugin.yaml"] = (
            f"name: {name}\ntitle: {name}\ndescription: Does {name} and says why.\n"
        )
        files[f"plugins/{name}/commands/go.md.j2"] = COMMAND.replace(
            "NAME", "one" if name == "one" else "two"
        )
        files[f"plugins/{name}/run"] = "echo\n"
    return write_tree(root / "plugin_src", files)


def edit(path: str, text: str) -> Callable[[Path], object]:
    return lambda source: write_tree(source, {path: text})


def run_bit(source: Path) -> None:
    (source / "plugins/two/run").chmod(0o755)


def gone(source: Path) -> None:
    (source / "plugins/two/run").unlink()


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        (edit("plugins/two/commands/go.md.j2", COMMAND.replace("NAME", "one")), {"one", "three"}),
        (edit("plugins/two/plugin.yaml", "name: two\ntitle: Two\ndescription: Does two otherwise.\n"), {"one", "three"}),
        (edit("plugins/two.yaml", "name: two\ndescription: Does two otherwise.\n"), {"one", "three"}),
        (edit("plugins/two/new.txt", "new\n"), {"one", "three"}),
        (edit("fragments/one.md.j2", "Changed.\n"), {"two", "three"}),
        (edit("fragments/two.md.j2", "Changed.\n"), {"one"}),
        (edit("suite.yaml", "name: many\ndescription: Others.\nowner: {name: Bo}\nversion: 1.0.0\nprofile: client\n"), set()),
        (edit("contracts/common.yaml", "codes: {}\n"), set()),
        (run_bit, {"one", "three"}),
        (gone, {"one", "three"}),
    ],
)  # fmt: skip
def test_a_change_builds_what_depends_on_it_and_nothing_differs_from_a_full_build(
    tmp_path: Path, change: Callable[[Path], object], kept: set[str]
) -> None:
    source = tree(tmp_path / "a")
    build(source, tmp_path / "a/dist")
    change(source)
    assert {*kept_plugins(SourceTree(source), tmp_path / "a/dist")} == kept
    if (source / "contracts").exists():
        return
    again = build(source, tmp_path / "a/dist")
    full = build(source, tmp_path / "b/dist")
    assert _bundles(tmp_path / "a") == _bundles(tmp_path / "b")
    assert [(one.name, one.costs, one.files) for one in again.plugins] == [
        (one.name, one.costs, one.files) for one in full.plugins
    ]
    assert (again.warnings, again.unshipped) == (full.warnings, full.unshipped)


def _bundles(root: Path) -> dict[str, tuple[bytes, int]]:
    files = tree_of(root / "dist")
    return {
        path: (content, os.stat(root / "dist" / path).st_mode)
        for path, content in files.items()
        if not path.startswith(".")
    }


OPENED: list[str] = []
"""The files that this process opens."""


@pytest.fixture(scope="module")
def watched() -> list[str]:
    def note(event: str, words: tuple[Any, ...]) -> None:
        if event == "open":
            OPENED.append(os.fsdecode(words[0]) if isinstance(words[0], (str, bytes)) else "")

    sys.addaudithook(note)
    return OPENED


def test_of_a_plugin_without_a_change_only_its_settings_are_read(tmp_path: Path, watched: list[str]) -> None:
    source = tree(tmp_path)
    time.sleep(0.15)  # until the files are old enough for their status to tell of every change
    build(source, tmp_path / "dist")
    with (source / "plugins/two/run").open("a") as run:
        run.write("more\n")
    watched.clear()
    assert build(source, tmp_path / "dist").written == 2
    read = {path for path in watched if "/one/" in path or "/three/" in path}
    assert read == {f"{source}/plugins/{name}/plugin.yaml" for name in ("one", "three")}
    watched.clear()
    assert build(source, tmp_path / "dist").written == 0
    assert [path for path in watched if str(source) in path] == [f"{source}/plugins/two/run"]


@pytest.mark.parametrize("pause", [0, 0.15])
def test_a_change_is_seen_although_size_and_time_of_the_file_are_the_same(
    tmp_path: Path, pause: float
) -> None:
    source = tree(tmp_path)
    run = source / "plugins/two/run"
    for text in ("one\n", "two\n", "six\n"):
        run.write_text(text)
        os.utime(run, (1, 1))
        time.sleep(pause)
        build(source, tmp_path / "dist")
        assert (tmp_path / "dist/two/run").read_text() == text


def test_warnings_of_plugins_without_a_change_are_still_counted(tmp_path: Path) -> None:
    source = write_tree(
        tree(tmp_path),
        {
            "plugins/one/commands/spelled.md.j2": "---\ndescription: Say more\n---\n# More\n\nIt is 1.0.0 now.\n",
            "plugins/own.yaml": "name: own\nexact: true\n",
            "plugins/own/.claude-plugin/plugin.json": '{"name": "other"}',
        },
    )
    first = build(source, tmp_path / "dist").warnings
    assert (first["spelled-by-hand"], first["entry-mismatch"]) == (1, 1)
    write_tree(source, {"plugins/two/run": "more\n"})
    assert build(source, tmp_path / "dist").warnings == first
    assert build(source, tmp_path / "other").warnings == first


@pytest.mark.parametrize("name", [".build.json", ".parts.json", ".seen.json"])
@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"one": 1}', '{"one": ["a", "b", 5, 6]}', '{"suite.yaml": [[1], 2]}']
)
def test_damaged_notes_of_the_last_build_do_not_matter(tmp_path: Path, name: str, text: str) -> None:
    source = tree(tmp_path)
    build(source, tmp_path / "dist")
    (tmp_path / "dist" / name).write_text(text)
    write_tree(source, {"plugins/two/run": "more\n"})
    assert build(source, tmp_path / "dist").written == 2
    assert (tmp_path / "dist/two/run").read_text() == "more\n"


def test_a_plugin_that_was_changed_on_disk_is_built_again(tmp_path: Path) -> None:
    source = tree(tmp_path)
    build(source, tmp_path / "dist")
    (tmp_path / "dist/two/commands/go.md").write_text("edited by hand\n")
    (tmp_path / "dist/three-1.0.0.zip").unlink()
    assert {*kept_plugins(SourceTree(source), tmp_path / "dist")} == {"one"}
    build(source, tmp_path / "dist")
    assert "Second." in (tmp_path / "dist/two/commands/go.md").read_text()
    assert (tmp_path / "dist/three-1.0.0.zip").is_file()


def test_a_fault_is_found_however_much_is_kept(tmp_path: Path) -> None:
    source = tree(tmp_path)
    build(source, tmp_path / "dist")
    write_tree(source, {"plugins/two/hooks/hooks.json": "{"})
    with pytest.raises(UltraError, match="hooks-json"):
        build(source, tmp_path / "dist")
    write_tree(
        source, {"plugins/two/hooks/hooks.json": '{"hooks": {}}', "fragments/three.md.j2": "Unused.\n"}
    )
    assert build(source, tmp_path / "dist").warnings["unused-fragment"] == 1


@pytest.mark.parametrize("touched", [False, True])
def test_a_plugin_that_left_the_sources_leaves_the_output_unless_somebody_changed_it(
    tmp_path: Path, touched: bool
) -> None:
    """Also a plugin without a listing, which ships exactly its own files."""
    source = tree(tmp_path)
    write_tree(source, {"plugins/own/.claude-plugin/plugin.json": '{"name": "own"}'})
    build(source, tmp_path / "dist")
    assert (tmp_path / "dist/own.zip").is_file()
    if touched:
        write_tree(tmp_path / "dist/own", {"mine.txt": "x"})
    shutil.rmtree(source / "plugins/own")
    assert build(source, tmp_path / "dist").removed == (() if touched else ("own",))
    assert bool([*(tmp_path / "dist").glob("own*")]) == touched


def test_compiled_templates_are_kept_in_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write_sample(tmp_path)
    source = tmp_path / "plugin_src"
    real = templates._made

    def compiled() -> int:
        """Build, and return how many templates were compiled."""
        made = []

        def noted(*words: Any) -> Any:
            made.append(words)
            return real(*words)

        monkeypatch.setattr(templates, "_made", noted)
        build(source, tmp_path / "dist")
        return len(made)

    whole = compiled()
    before = {path: path.read_bytes() for path in (tmp_path / "dist/acme-plan").rglob("*.md")}
    command = next((source / "plugins/acme-plan/commands").glob("*.j2"))
    text = command.read_text()
    command.write_text(f"{text}\nMore.\n")
    assert (whole > 2, compiled()) == (True, 1)
    command.write_text(text)
    shutil.rmtree(tmp_path / "dist")
    (cache,) = (tmp_path / "cache/ultra-plugin").iterdir()
    assert stat.S_IMODE(cache.stat().st_mode) == 0o600
    assert compiled() == 1
    assert before == {path: path.read_bytes() for path in (tmp_path / "dist/acme-plan").rglob("*.md")}
    cache.write_bytes(b"garbage")
    shutil.rmtree(tmp_path / "dist")
    assert compiled() == whole
    cache.chmod(0o666)
    shutil.rmtree(tmp_path / "dist")
    assert compiled() == whole
