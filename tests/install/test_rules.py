"""What the installer keeps on disk, called in this process: receipts, names, staged files and journals."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

from tests.install.receipts import RULE, SOUND, changed, command, put
from tests.kit.files import write_tree
from ultra_plugin.errors import UltraError
from ultra_plugin.install import receipt as receipts
from ultra_plugin.install.archive import PackedFile
from ultra_plugin.install.journal import interrupted, perform, recover
from ultra_plugin.install.names import RECEIPT, collision, refusal
from ultra_plugin.install.place import Place
from ultra_plugin.install.receipt import MOST_MADE
from ultra_plugin.install.staging import FolderContent, save_file, stage_file, stage_folder
from ultra_plugin.install.steps import Change, Step, discard, do, stage, undo
from ultra_plugin.install.survey import sha256

DIGEST = "0123456789abcdef" * 4


def made(above: object, commands: object = True, scope: str = "user") -> bytes:
    return changed(scope=scope, folders_made={"above": above, "commands": commands})


SOUND_ONES = [
    SOUND.dump(), made(0), made(MOST_MADE["user"]), made(MOST_MADE["project"], scope="project"), made(0, False),
    *(changed(permissions={"added": [], "created": name}) for name in ("", "permissions", "file")),
    changed(kept=[], short_names={}, files={}),
]  # fmt: skip
BROKEN_ONES = [
    changed(format=2), changed(scope="team"), changed(plugin="../up"), changed(version="1.0"), changed(version=1),
    changed(files={"../up": {"sha256": DIGEST, "mode": "644"}}), changed(files={"a": {"sha256": DIGEST, "mode": "9"}}),
    changed(files={"a": {"sha256": DIGEST[1:], "mode": "644"}}), changed(files={"a": {"sha256": f"{DIGEST}\n", "mode": "644"}}),
    changed(kept=["../up"]), changed(kept=["/etc/passwd"]), changed(short_names={"../up": DIGEST}), changed(short_names={"up": "x"}),
    changed(permissions={"added": [RULE], "created": "all"}), changed(permissions={"added": [1], "created": ""}),
    made(-1), made(MOST_MADE["user"] + 1), made(MOST_MADE["project"] + 1, scope="project"), made("1"), made(1, 1), made(1, "yes"),
    changed(installed_at=1), changed(**{"from": 1}), changed(installer=None), b"[]", b"{", b"",
]  # fmt: skip


@pytest.mark.parametrize("text", SOUND_ONES)
def test_a_sound_receipt_is_read(place: Place, text: bytes) -> None:
    write_tree(place.plugin("sample"), {RECEIPT: text})
    found = receipts.read(place.plugin("sample"))
    assert found is not None
    assert json.loads(found.dump()) == json.loads(text)


@pytest.mark.parametrize("text", BROKEN_ONES)
def test_every_value_of_a_receipt_is_checked(place: Place, text: bytes) -> None:
    write_tree(place.plugin("sample"), {RECEIPT: text})
    with pytest.raises(UltraError, match="this receipt cannot be read; move the folder away"):
        receipts.read(place.plugin("sample"))


def test_only_receipts_in_folders_of_their_own_name_count(place: Place, tmp_path: Path) -> None:
    elsewhere = put(Place.at("user", tmp_path / "other", tmp_path / "other"))
    assert receipts.installed(place) == []
    put(place, name="another")
    place.plugin("sample").symlink_to(elsewhere)
    place.plugin("linked").mkdir()
    (place.plugin("linked") / RECEIPT).symlink_to(elsewhere / RECEIPT)
    assert receipts.installed(place) == []
    assert [receipts.read(place.plugin(name)) for name in ("sample", "linked")] == [None, None]
    place.plugin("sample").unlink()
    put(place)
    assert receipts.installed(place) == [SOUND]


@pytest.mark.parametrize(("path", "why"), [
    ("a/b.md", None), ("a b/ä.md", None), ("x" * 200, None), ("ä" * 100, None), (f"{'x' * 199}/{'y' * 200}", None),
    ("x" * 201, "is too long"), ("ä" * 101, "is too long"), (f"{'x' * 200}/{'y' * 200}", "is too long"),
    (f"{'ä' * 100}/{'ä' * 100}", "is too long"),
    ("", "is an absolute path"), ("/a", "is an absolute path"), ("a\\b", "has a backslash"), ("C:a", "starts with a drive letter"),
    ("a\n", "has a control character"), ("a\udce4", "has a control character"), ("a/../b", "leaves the folder"),
    ("a//b", "has an empty part"), ("./a", "has an empty part"), ("a/", "has an empty part"), ("..a", None),
])  # fmt: skip
def test_names_are_measured_in_bytes_and_stay_below_their_folder(path: str, why: str | None) -> None:
    assert refusal(path) == why


@pytest.mark.parametrize(("paths", "found"), [
    (["a/b", "a/c", "b"], None), (["a", "A"], ("A", "a")), (["a/x", "A/y"], ("A", "a/x")), (["a", "a/b"], ("a", "a/")),
    (["ä", "a\u0308"], ("a\u0308", "ä")), (["ß", "ss"], ("ss", "ß")),
])  # fmt: skip
def test_names_that_are_the_same_somewhere_collide(paths: list[str], found: tuple[str, str] | None) -> None:
    assert collision(paths) == found


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


@pytest.mark.parametrize("bits", [0o600, 0o640, 0o664])
def test_a_file_that_replaces_another_has_its_mode_and_is_new(tmp_path: Path, bits: int) -> None:
    like, new, target = tmp_path / "like", tmp_path / "new", tmp_path / "target"
    like.write_bytes(b"old")
    like.chmod(bits)
    with suppress(OSError):  # not every file system has attributes
        os.setxattr(like, "user.note", b"mine")
    os.utime(like, (1, 1))
    target.write_bytes(b"mine")
    new.symlink_to(target)
    stage_file(b"new", like, new)
    assert (new.read_bytes(), mode(new), os.listxattr(new)) == (b"new", bits, os.listxattr(like))
    assert (new.is_symlink(), target.read_bytes(), like.read_bytes()) == (False, b"mine", b"old")
    assert (new.stat().st_mtime > 1, like.stat().st_mtime, mode(like)) == (True, 1, bits)
    stage_file(b"alone", tmp_path / "nothing", new)
    assert (new.read_bytes(), mode(new)) == (b"alone", 0o644)


def test_a_new_folder_has_our_files_and_the_very_files_of_the_owner(tmp_path: Path) -> None:
    present, new = tmp_path / "present", tmp_path / "new"
    write_tree(present, {"own.txt": "own", "deep/kept": "kept"})
    (present / "link").symlink_to("own.txt")
    files = {"a/b/run": PackedFile(b"run", True), "README.md": PackedFile(b"new")}
    before = os.umask(0o077)
    try:
        stage_folder(
            FolderContent(files, {"own.txt": "own.txt", "k/x": "deep/kept", "link": "link"}, ("e/f",)),
            present,
            new,
        )
    finally:
        os.umask(before)
    assert [mode(new / name) for name in (".", "a", "a/b", "a/b/run", "README.md")] == [0o755] * 4 + [0o644]
    assert (new / "own.txt").samefile(present / "own.txt")
    assert (new / "k/x").samefile(present / "deep/kept")
    assert (os.readlink(new / "link"), (new / "e/f").is_dir()) == ("own.txt", True)
    assert (new / "a/b/run").read_bytes() == b"run"


def test_a_saved_file_replaces_an_earlier_one(tmp_path: Path) -> None:
    write_tree(tmp_path, {"present": "now", "saved": "before"})
    save_file(tmp_path / "present", tmp_path / "saved")
    assert (tmp_path / "saved").samefile(tmp_path / "present")


@pytest.mark.parametrize("there", [False, True])
def test_only_a_folder_of_commands_that_the_call_made_goes_when_it_fails(place: Place, there: bool) -> None:
    if there:
        place.commands.mkdir()
    write_tree(place.config, {"settings.json": "{}"})
    wrong = Change(Step("settings", "", sha256(b"other"), sha256(b"new")), b"new")
    with pytest.raises(UltraError, match="was changed by another process"):
        perform(place, [command("plan", b"new"), wrong])
    assert (place.commands.exists(), place.settings.read_bytes()) == (there, b"{}")
    assert (interrupted(place), list(place.state.iterdir())) == (None, [])


@pytest.mark.parametrize(("phase", "ends"), [
    ("staging", "rolled back"), ("undoing", "rolled back"), ("committed", "finished"), ("done", "finished"),
])  # fmt: skip
@pytest.mark.parametrize("opens", [False, True])
@pytest.mark.parametrize("closes", [False, True])
def test_a_call_that_was_killed_ends_as_its_phase_says(
    place: Place, phase: str, ends: str, opens: bool, closes: bool
) -> None:
    place.commands.mkdir()
    listed = {"steps": [["command", "plan", None, sha256(b"new")]], "opens": opens, "closes": closes}
    done = phase in ("undoing", "done")
    name = "plan.md" if done else ".plan.md.ultra-new"
    write_tree(place.commands, {name: "new"})
    write_tree(place.state, {f"journal-{phase}.json": json.dumps(listed), "new-sample/left": "x"})
    assert recover(place) == f"an interrupted call was {ends}"
    finished = ends == "finished"
    assert (place.commands / "plan.md").exists() == finished
    assert place.commands.exists() == (finished or not opens)
    assert not (place.commands / ".plan.md.ultra-new").exists()
    write_tree(
        place.state, {"journal": "{", "new-sample/left": "x"}
    )  # a kill before the journal has its name
    assert (recover(place), list(place.state.iterdir())) == (None, [])


def test_undo_keeps_a_file_that_was_there_before(place: Place) -> None:
    write_tree(place.commands, {"plan.md": "same"})
    undo(place, Step("command", "plan", sha256(b"same"), sha256(b"same")))
    assert (place.commands / "plan.md").read_text() == "same"
    write_tree(place.commands, {".plan.md.ultra-new": "same"})  # not done yet: what is there is the owner's
    undo(place, Step("command", "plan", None, sha256(b"same")))
    assert (place.commands / "plan.md").read_text() == "same"
    (place.commands / ".plan.md.ultra-new").unlink()
    undo(place, Step("command", "plan", None, sha256(b"same")))
    assert not (place.commands / "plan.md").exists()


@pytest.mark.parametrize("times", [0, 1, 2])
@pytest.mark.parametrize(("before", "after"), [(None, b"new"), (b"old", None), (b"old", b"new")])
@pytest.mark.parametrize("kind", ["command", "plugin"])
def test_whatever_was_done_is_undone(
    place: Place, kind: str, before: bytes | None, after: bytes | None, times: int
) -> None:
    path, change = place.commands / "plan.md", command("plan", after, before)
    if kind == "plugin":
        path = place.plugin("sample") / "plan.md"
        content = FolderContent({"plan.md": PackedFile(after)}) if after else None
        change = Change(Step("plugin", "sample", before and "folder", after and "folder"), content)  # type: ignore[arg-type]
    place.commands.mkdir()
    if before:
        write_tree(path.parent, {path.name: before})
    stage(place, change)
    for _ in range(times):
        do(place, change.step)
    assert (path.read_bytes() if path.exists() else None) == (after if times else before)
    undo(place, change.step)
    assert (path.read_bytes() if path.exists() else None) == before
    discard(place, change.step)
    left = [one for folder in (place.commands, place.state) for one in folder.iterdir()]
    assert left == [path] * (before is not None and kind == "command")
