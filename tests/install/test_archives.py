"""Archives and folders from strangers: refused before anything is written, with the reason."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
import zipfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.install.samples import Machine, listing, plugin_files, snapshot, write_bundle, zip_of
from tests.kit.files import write_tree
from tests.kit.names import BUILT
from ultra_plugin.errors import UltraError
from ultra_plugin.install.archive import read
from ultra_plugin.install.names import collision, refusal, version_order

FILES = plugin_files()
Members = list[tuple[str | zipfile.ZipInfo, str | bytes]]


def good() -> Members:
    """Return the members of a zip that is accepted."""
    return [*FILES.items(), ("bundle.json", listing(FILES))]


def with_file(name: str) -> Members:
    """Return members with one more file, listed like the others."""
    files = {**FILES, name: "x"}
    return [*files.items(), ("bundle.json", listing(files))]


def with_listing(**changes: Any) -> Members:
    """Return members whose bundle.json says something else."""
    return [*FILES.items(), ("bundle.json", listing(FILES, **changes))]


def with_entry(path: str, **changes: object) -> Members:
    """Return members whose bundle.json says something else about one file."""
    value = json.loads(listing(FILES))
    value["files"][path] = {**value["files"].get(path, {}), **changes}
    return [*FILES.items(), ("bundle.json", json.dumps(value))]


def link() -> Members:
    """Return members with a symbolic link."""
    info = zipfile.ZipInfo("runtime/link.py")
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return [*good(), (info, "/etc/passwd")]


def device() -> Members:
    """Return members with a device."""
    info = zipfile.ZipInfo("runtime/device")
    info.create_system = 3
    info.external_attr = (stat.S_IFCHR | 0o666) << 16
    return [*good(), (info, "")]


def lying(members: Members) -> bytes:
    """Return a zip whose directory claims 4 GB for its first member."""
    data = bytearray(zip_of(members))
    entry = data.index(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = struct.pack("<L", 0xFFFFFFF0)
    return bytes(data)


def spoiled(members: Members) -> bytes:
    """Return a zip with one changed byte in the content of a file."""
    data = bytearray(zip_of(members))
    data[data.index(b"Sample 1.0.0")] ^= 1
    return bytes(data)


def cut_name() -> Members:
    """Return a zip in which the library cuts the name of a file at a NUL."""
    named = zipfile.ZipInfo("README.md")
    named.filename = "README.md\0.sh"
    return [*(one for one in good() if one[0] != "README.md"), (named, FILES["README.md"])]


BOMB = zipfile.ZipInfo("runtime/bomb")
BOMB.compress_type = zipfile.ZIP_DEFLATED
HOSTILE: dict[str, tuple[Callable[[], Members | bytes], str]] = {
    "parent folder": (lambda: with_file("../evil"), "leaves the folder"),
    "parent folder inside": (lambda: with_file("a/../../evil"), "leaves the folder"),
    "absolute": (lambda: with_file("/tmp/evil"), "is an absolute path"),
    "drive letter": (lambda: with_file("C:/evil"), "starts with a drive letter"),
    "backslash": (lambda: with_file("..\\evil"), "has a backslash"),
    "control character": (lambda: with_file("a\nb"), "has a control character"),
    "name with a NUL": (cut_name, "has a control character"),
    "dot": (lambda: with_file("./evil"), "has an empty part"),
    "empty part": (lambda: with_file("a//evil"), "has an empty part"),
    "long name": (lambda: with_file("a" * 300), "is too long"),
    "symbolic link": (link, "is a symbolic link"),
    "device": (device, "is a special file"),
    "two of one name": (lambda: [*good(), ("README.md", "again")], "is in the bundle twice"),
    "case collision": (lambda: with_file("readme.MD"), "are the same file on some systems"),
    "folder case collision": (lambda: with_file("Runtime/x"), "are the same file on some systems"),
    "Unicode collision": (
        lambda: [*with_file("\u00e9"), ("e\u0301", "x")],
        "are the same file on some systems",
    ),
    "folder entry that leaves": (lambda: [*good(), ("../x/", "")], "leaves the folder"),
    "file inside a file": (lambda: with_file("README.md/x"), "are the same file on some systems"),
    "absurd size": (lambda: [*good(), (BOMB, b"\0" * (65 << 20))], "more than 64 MB"),
    "absurd claim": (lambda: lying(good()), "more than 64 MB"),
    "absurd number": (lambda: [*good(), *((f"x/{n}", "") for n in range(5001))], "more than 5000 files"),
    "spoiled": (lambda: spoiled(good()), "this zip cannot be read"),
    "cut off": (lambda: zip_of(good())[:-40], "this zip cannot be read"),
    "no zip": (lambda: b"hello", "this zip cannot be read"),
    "wrong SHA-256": (lambda: with_entry("README.md", sha256="0" * 64), "its SHA-256 or size differs"),
    "wrong size": (lambda: with_entry("README.md", size=1), "its SHA-256 or size differs"),
    "no SHA-256": (lambda: with_entry("README.md", sha256=None), "has no SHA-256"),
    "setuid": (lambda: with_entry("README.md", mode="4755"), "must have mode 644 or 755"),
    "file that is not listed": (lambda: [*good(), ("extra.txt", "x")], "has no SHA-256 in bundle.json"),
    "listed file that is not there": (
        lambda: with_entry("gone.md", sha256="0" * 64, size=0, mode="644"),
        "but not in the bundle",
    ),
    "a receipt of its own": (lambda: with_file(".ultra-receipt.json"), "installer's own receipt"),
    "not a plugin": (lambda: [("hello.txt", "hello")], "not a plugin bundle: it has no bundle.json"),
    "no manifest": (
        lambda: [("a", "x"), ("bundle.json", listing({"a": "x"}))],
        "it has no .claude-plugin/plugin.json",
    ),
    "bundle.json is no JSON": (lambda: [*FILES.items(), ("bundle.json", "{")], "is not a JSON object"),
    "newer format": (lambda: with_listing(format=2), "install a newer ultra-suite"),
    "no format": (lambda: with_listing(format=None), "build the plugin again"),
    "plugin name that is a path": (lambda: with_listing(plugin="../../x"), "names no plugin"),
    "manifest of another": (lambda: with_listing(plugin="other"), "its manifest says sample 1.0.0"),
    "manifest of another version": (lambda: with_listing(version="2.0.0"), "its manifest says sample 1.0.0"),
    "version that is none": (lambda: with_listing(version="new"), "names no plugin and version"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_zip_is_refused_before_anything_is_written(
    machine: Machine, tmp_path: Path, case: str
) -> None:
    make, reason = HOSTILE[case]
    made = make()
    archive = tmp_path / "evil.zip"
    archive.write_bytes(made if isinstance(made, bytes) else zip_of(made))
    before = snapshot(tmp_path)
    said = machine.refused("--from", archive, "--yes", "--permissions", "minimal", "--short-names")
    assert reason in said
    assert len(said.splitlines()) == 1
    assert snapshot(tmp_path) == before


def test_good_zip_is_installed(machine: Machine, tmp_path: Path) -> None:
    archive = tmp_path / "sample-1.0.0.zip"
    archive.write_bytes(zip_of(good()))
    machine.ok("--from", archive, "--yes")
    assert (machine.plugin() / "bin/ultra").stat().st_mode & 0o777 == 0o755
    machine.ok("--verify")


def test_zip_with_entries_for_folders_is_installed(machine: Machine, tmp_path: Path) -> None:
    archive = tmp_path / "sample-1.0.0.zip"
    archive.write_bytes(zip_of([("commands/", ""), ("runtime/", ""), *good()]))
    machine.ok("--from", archive, "--yes")


@pytest.mark.parametrize(
    ("said", "fits"),
    [
        *((text, True) for text in ("{0}  sample.zip\n", "{0}", "{1} *other.zip\n")),
        *((text, False) for text in ("", "\n", "  sample.zip\n", "{2}  sample.zip\n", "sample.zip  {0}\n")),
    ],
)
def test_checksum_beside_a_zip_is_compared(tmp_path: Path, said: str, fits: bool) -> None:
    archive = tmp_path / "sample.zip"
    archive.write_bytes(zip_of(good()))
    right = hashlib.sha256(archive.read_bytes()).hexdigest()
    (tmp_path / "sample.zip.sha256").write_text(said.format(right, right.upper(), "0" * 64))
    with nullcontext() if fits else pytest.raises(UltraError, match=r"does not match sample\.zip\.sha256"):
        assert read(archive).plugin == "sample"


def test_folder_with_a_link_is_refused(machine: Machine, bundle: Path) -> None:
    (bundle / "runtime/link.py").symlink_to("/etc/passwd")
    assert "is a link or a special file" in machine.refused("--from", bundle, "--yes")


def test_folder_that_is_a_link_inside_is_refused(machine: Machine, bundle: Path, tmp_path: Path) -> None:
    (bundle / "linked").symlink_to(tmp_path)
    assert "is a link or a special file" in machine.refused("--from", bundle, "--yes")


def test_pipe_in_a_folder_is_refused(machine: Machine, bundle: Path) -> None:
    os.mkfifo(bundle / "pipe")
    assert "is a link or a special file" in machine.refused("--from", bundle, "--yes")


def test_changed_file_in_a_folder_is_refused(machine: Machine, bundle: Path) -> None:
    write_tree(bundle, {"README.md": "other"})
    assert "its SHA-256 or size differs" in machine.refused("--from", bundle, "--yes")


def test_byte_code_in_a_folder_does_not_matter(machine: Machine, bundle: Path) -> None:
    write_tree(bundle, {"runtime/__pycache__/said.cpython-311.pyc": b"x"})
    machine.ok("--from", bundle, "--yes")
    assert not (machine.plugin() / "runtime/__pycache__").exists()


def test_other_plugin_than_the_one_named_is_refused(machine: Machine, bundle: Path) -> None:
    assert "contains sample, not other" in machine.refused("other", "--from", bundle, "--yes")


def test_source_that_is_not_there_is_a_sentence(machine: Machine) -> None:
    assert "no such zip or folder" in machine.refused("--from", "gone.zip", "--yes")
    assert snapshot(machine.home) == {}


@pytest.mark.parametrize(
    ("client", "oldest", "refused"),
    [
        ("2.1.100", None, True),
        ("2.1.197", None, False),
        ("2.1.325", "2.2.0", True),
        ("2.10.0", "2.2.0", False),
    ],
)
def test_client_that_is_too_old_is_refused(
    machine: Machine, tmp_path: Path, client: str, oldest: str | None, refused: bool
) -> None:
    script = f'#!/bin/sh\n[ "$1" = --version ] && echo "{client} (Claude Code)"\nexit 0\n'
    write_tree(tmp_path / "bin", {"claude": script})
    machine.path = f"{tmp_path / 'bin'}:{machine.path}"
    changes = {"oldest_client": oldest} if oldest else {}
    bundle = write_tree(tmp_path / "b", {**FILES, "bundle.json": listing(FILES, **changes)})
    done = machine.run("--from", bundle, "--yes")
    assert done.status == int(refused), done
    assert machine.plugin().exists() is not refused
    assert not refused or f"is version {client}, but {oldest or '2.1.197'} is needed" in done.stderr


def test_program_that_is_no_client_is_passed_over(machine: Machine, tmp_path: Path, bundle: Path) -> None:
    write_tree(tmp_path / "bin", {"claude": "#!/bin/sh\nexit 3\n"})
    machine.path = f"{tmp_path / 'bin'}:{machine.path}"
    assert "did not say whether" in machine.ok("--from", bundle, "--yes").stdout


# --- names and versions


@given(st.text(max_size=20))
def test_accepted_name_never_leaves_its_folder(name: str) -> None:
    if refusal(name) is None:
        place = os.path.normpath(os.path.join("/root/folder", name))
        assert place == f"/root/folder/{name}"


@given(st.lists(st.sampled_from(["a", "A", "a/b", "A/b", "a/B", "b", "é", "É", "ss", "ß"]), unique=True))
def test_collisions_are_those_of_a_file_system_without_case(names: list[str]) -> None:
    folded = [name.casefold() for name in names]
    parents = {name.casefold().rpartition("/")[0] for name in names if "/" in name}
    spelled = {name.rpartition("/")[0] for name in names if "/" in name}
    clash = len(set(folded)) < len(folded) or bool(parents & set(folded)) or len(spelled) > len(parents)
    assert (collision(names) is not None) is clash


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        ("1.0.0", "1.0.1"),
        ("1.9.0", "1.10.0"),
        ("1.0.0-rc.1", "1.0.0"),
        ("1.0.0-rc.2", "1.0.0-rc.10"),
        ("0.9.9", "1.0.0"),
    ],
)
def test_versions_are_in_order(lower: str, higher: str) -> None:
    low, high = version_order(lower), version_order(higher)
    assert low is not None
    assert high is not None
    assert low < high


def test_write_bundle_helper_makes_what_the_generator_makes(tmp_path: Path) -> None:
    """The samples have the format of the real bundle, or all of this proves nothing."""
    real = BUILT / "bundle.json"
    if not real.is_file():
        pytest.skip("the plugin is not built")
    value, sample = (
        json.loads(real.read_text()),
        json.loads((write_bundle(tmp_path / "b") / "bundle.json").read_text()),
    )
    assert value["format"] == sample["format"]
    assert sample.keys() <= value.keys()
    assert {frozenset(one) for one in value["files"].values()} == {
        frozenset(next(iter(sample["files"].values())))
    }
