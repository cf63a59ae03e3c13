"""Which layer a file of a fork comes from, and where each overridden part stands."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.kit.files import write_tree
from tests.kit.table import each
from tests.overlay.forks import PLUGIN, opened, write_fork, write_upstream
from ultra_plugin.errors import UltraError
from ultra_plugin.overlay.lock import Record, Standing, State, read_lock, standings
from ultra_plugin.overlay.lock import record as write_lock
from ultra_plugin.overlay.parts import Part
from ultra_plugin.overlay.upstream import open_source
from ultra_plugin.overlay.work import begin

UP = {
    f"{PLUGIN}/agents/one.md.j2": "one", f"{PLUGIN}/agents/one.md.j2x/two.md": "two", f"{PLUGIN}/agents/ones.md": "ones",
    f"{PLUGIN}/notes/a.yaml": "x: 1\ny: 2\n", f"{PLUGIN}/notes/b.md": "b",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of an upstream with a few files more."""
    write_upstream(tmp_path, changes=UP)
    return tmp_path


# A file of the overlay; what it leaves of the upstream's files, which of them are its own.
@pytest.mark.parametrize(("file", "text", "gone", "owned"), [
    ("agents/one.md.j2.remove", "", ["agents/one.md.j2"], "agents/one.md.j2"),
    ("agents/one.md.j2.remove", " \n", ["agents/one.md.j2"], "agents/one.md.j2"),
    ("notes.remove", "", ["notes/a.yaml", "notes/b.md"], "notes"),
    ("notes/b.md", "mine", [], "notes/b.md"),
    ("notes/c.md", "mine", [], "notes/c.md"),
    ("notes/a.patch.yaml", "y: 3\n", [], "notes/a.yaml"),
])  # fmt: skip
def test_the_overlay_wins_where_it_says_something_and_only_there(
    folder: Path, file: str, text: str, gone: list[str], owned: str
) -> None:
    plain = opened(write_fork(folder, {}))
    before = {path: plain.read(path) for path in plain.files()}
    tree = opened(write_fork(folder, {file: text}))
    after = {path: tree.read(path) for path in tree.files()}
    assert {*before} - {*after} == {f"{PLUGIN}/{path}" for path in gone}
    changed = {path for path in after if before.get(path) != after[path]}
    assert changed == ({f"{PLUGIN}/{owned}"} if text.strip() else set())
    assert tree.owns(f"{PLUGIN}/{owned}")
    assert not tree.owns(f"{PLUGIN}/agents/ones.md")
    assert tree.digest() != plain.digest() or not (gone or text)
    for path in after:
        is_own = path in changed and not file.endswith(".patch.yaml")
        assert ("fork/" in tree.shown(path)) == is_own, path
    if changed:
        below = tree.read(f"upstream:{owned}") if owned != "notes/c.md" else b""
        assert below == before.get(f"{PLUGIN}/{owned}", b"")


@pytest.mark.parametrize(("file", "text", "words"), [
    ("agents/one.md.j2.remove", "x", "must be empty"),
    ("agents/on.md.j2.remove", "", "removes 'agents/on.md.j2', which the upstream does not have"),
    ("note.remove", "", "removes 'note', which the upstream does not have"),
    ("notes/c.patch.yaml", "x: 1\n", "changes 'notes/c.yaml', which the upstream does not have"),
])  # fmt: skip
def test_a_marker_or_a_patch_without_its_file_is_refused(
    folder: Path, file: str, text: str, words: str
) -> None:
    root = write_fork(folder, {file: text})
    with pytest.raises(UltraError, match=words):
        opened(root)


@pytest.mark.parametrize("above", [False, True])
@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize(("file", "text", "is_own"), [
    ("notes/b.md", "mine", True), ("notes/a.patch.yaml", "y: 3\n", False),
])  # fmt: skip
def test_a_file_is_executable_in_the_layer_that_it_comes_from(
    folder: Path, above: bool, below: bool, file: str, text: str, is_own: bool
) -> None:
    target = file.replace(".patch", "")
    (folder / "upstream-1.2.3/plugin_src" / PLUGIN / target).chmod(0o755 if below else 0o644)
    root = write_fork(folder, {file: text})
    (root / file).chmod(0o755 if above else 0o644)
    assert opened(root).is_executable(f"{PLUGIN}/{target}") == (above if is_own else below)


def sha(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


# What the upstream has, the record of it, the recorded text with present names.
@pytest.mark.parametrize(("upstream", "recorded", "renamed", "state"), [
    (None, None, None, "added"),
    (b"a", None, None, "new"),
    (None, b"a", None, "orphaned"),
    (None, b"a", "a", "orphaned"),
    (b"a", b"a", None, "fresh"),
    (b"a", b"a", "b", "fresh"),
    (b"b", b"a", None, "stale"),
    (b"b", b"a", "a", "stale"),
    (b"b", b"a", "b", "fresh"),
    (b"", b"a", None, "stale"),
    (b"", b"", None, "fresh"),
    (b"\xff", b"a", "a", "stale"),
    (b"\xff", b"\xfe", None, "stale"),
    (b"\xff", b"\xff", None, "fresh"),
])  # fmt: skip
def test_a_part_is_fresh_while_the_upstream_has_what_was_overridden(
    upstream: bytes | None, recorded: bytes | None, renamed: str | None, state: State
) -> None:
    record = None if recorded is None else Record(sha(recorded), "1.0.0")
    assert Standing(Part("a", "", upstream, b"own"), record, renamed).state == state


def test_the_lock_changes_what_is_accepted_and_keeps_the_rest(folder: Path) -> None:
    root = write_fork(folder, {"notes/b.md": "mine", "agents/ones.md": "mine", "notes/c.md": "added"})
    write_lock(opened(root), {"notes/b.md", "agents/ones.md", "notes/c.md"}, "1.2.3")
    first = read_lock(root)
    assert first == {
        "notes/b.md": Record(sha(b"b"), "1.2.3", "b"), "agents/ones.md": Record(sha(b"ones"), "1.2.3", "ones"),
    }  # fmt: skip
    write_upstream(folder, changes=UP | {f"{PLUGIN}/notes/b.md": "c", f"{PLUGIN}/agents/ones.md": "twos"})
    write_fork(folder)
    states = {one.part.id: one.state for one in standings(opened(root))}
    assert states == {"notes/b.md": "stale", "agents/ones.md": "stale", "notes/c.md": "added"}
    write_lock(opened(root), {"notes/b.md"}, "2.0.0")
    assert read_lock(root) == {**first, "notes/b.md": Record(sha(b"c"), "2.0.0", "c")}
    (root / "agents/ones.md").unlink()
    write_lock(opened(root), set(), "2.0.0")
    assert [*read_lock(root)] == ["notes/b.md"]
    write_tree(root, {"notes/b.md": "mine still"})
    assert [one.state for one in standings(opened(root))] == ["fresh", "added"]


def test_a_file_of_another_plugin_may_be_the_overlays_too(tmp_path: Path) -> None:
    write_upstream(tmp_path, changes=UP | {"plugins/other/notes/b.md": "b", "plugins/other/notes/c.md": "c"})
    tree = opened(write_fork(tmp_path, {"plugins/other/notes/b.md": "mine"}, more="plugin: acme-plan\n"))
    assert [tree.read(f"plugins/other/notes/{name}.md") for name in "bc"] == [b"mine", b"c"]
    assert ["fork/" in tree.shown(f"plugins/other/notes/{name}.md") for name in "bc"] == [True, False]


def test_an_overlay_begins_with_a_name_for_all_that_its_upstream_names(tmp_path: Path) -> None:
    names = {"suite": "mine-too", "owner": "mine-too", "plugin": "mine-too", "title": "Mine Too"}
    commands: dict[str, Any] = {"commands": {"brief": "mine-too-brief", "review": "mine-too-review"}}
    for number, (plugins, asked, more) in enumerate((
        ({}, None, commands),
        ({"acme-plan": "runtime: {launcher: acme}\n"}, "acme-plan", {"launcher": "mt"}),
        ({"other": "title: Other\n"}, "other", {}),
    )):  # fmt: skip
        place = tmp_path / str(number)
        settings = {f"plugins/{name}/plugin.yaml": text for name, text in plugins.items()}
        upstream = write_upstream(place, changes=settings)
        folder = place / "fork"
        begin(folder, str(upstream), "mine-too", "mt", asked, b"{}")
        text = (folder / "overlay.yaml").read_text()
        assert text.startswith("# yaml-language-server: $schema=.schemas/overlay.schema.json\n")
        digest = open_source(place, "folder", str(upstream)).digest()
        source = {"folder": "../upstream-{version}", "version": "1.2.3", "sha256": digest}
        which = {"plugin": "other"} if "other" in plugins else {}
        assert yaml.safe_load(text) == {
            "upstream": source,
            **which,
            "version": "0.1.0",
            "names": {**names, **more},
        }
        assert {path.name for path in folder.iterdir()} == {
            "overlay.yaml",
            ".schemas",
            ".gitignore",
            ".gitattributes",
        }
        assert (folder / ".schemas/overlay.schema.json").read_bytes() == b"{}"


def test_an_overlay_of_nothing_does_not_begin(tmp_path: Path) -> None:
    upstream = write_upstream(tmp_path, changes={"plugins/other/plugin.yaml": "title: Other\n"})

    @each(
        [
            (("fork", "up", "Mine", "mt", None), "'Mine' cannot be a name; give one of a-z, 0-9 and single hyphens with --name"),
            (("fork", "up", "mine", "a b", None), "'a b' cannot be a name; give one of a-z, 0-9 and single hyphens with --launcher"),
            ((".", "up", "mine", "mt", None), f"{tmp_path}: exists already; name a new folder"),
            (("fork", "gone", "mine", "mt", None), f"{tmp_path}/gone: no such upstream; name a folder or a wheel with --upstream"),
            (("fork", "up", "mine", "mt", None), f"{upstream}: has several plugins; add --plugin with one of acme-plan, other"),
            (("fork", "up", "mine", "mt", "othr"), f"{upstream}: has no plugin 'othr'"),
        ]
    )  # fmt: skip
    def check(given: tuple[str, str, str, str, str | None], why: str) -> None:
        folder, source, name, launcher, plugin = given
        place = str(upstream) if source == "up" else str(tmp_path / source)
        with pytest.raises(UltraError) as refused:
            begin(tmp_path / folder, place, name, launcher, plugin, b"{}")
        assert str(refused.value).startswith(why)

    check()
    assert not (tmp_path / "fork").exists()
