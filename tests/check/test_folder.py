"""Reading plugin folders from disk."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.check.plugins import GOOD, MANIFEST, Link, bundle_of, changed, write
from tests.modes import modes_obeyed
from ultra_plugin import folder as folder_module
from ultra_plugin.check import check_bundle
from ultra_plugin.errors import ProblemsFound, UltraError
from ultra_plugin.folder import read_folder


def test_a_folder_is_read_as_it_is(tmp_path: Path) -> None:
    bundle = read_folder(write(tmp_path / "plugin", GOOD))
    assert (bundle.name, bundle.version) == ("pipe", "1.2.3")
    assert bundle.files == dict(sorted(bundle_of(GOOD).files.items()))
    assert list(bundle.files) == sorted(bundle.files)
    assert check_bundle(bundle) == []


@pytest.mark.parametrize(
    "manifest", [None, "{", "[]", "5", '{"name": 5, "version": []}', "[" * 99999, b"\xff"]
)
def test_without_a_readable_manifest_the_name_is_the_folder_s(
    tmp_path: Path, manifest: str | bytes | None
) -> None:
    bundle = read_folder(write(tmp_path / "plugin", changed({MANIFEST: manifest})))
    assert (bundle.name, bundle.version) == ("plugin", "")


def test_symlinks_are_recorded_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "outside", {"secret.md": "x"})
    files = {"here.md": Link("../outside/secret.md"), "there": Link("../outside"), "round/round": Link("..")}
    bundle = read_folder(write(tmp_path / "plugin", files))
    assert {path: (file.symlink, file.text) for path, file in bundle.files.items()} == {
        "here.md": (True, "../outside/secret.md"),
        "there": (True, "../outside"),
        "round/round": (True, ".."),
    }


def test_a_link_to_a_folder_is_read(tmp_path: Path) -> None:
    write(tmp_path / "plugin", GOOD)
    (tmp_path / "link").symlink_to("plugin")
    assert check_bundle(read_folder(tmp_path / "link")) == []


def test_what_is_skipped(tmp_path: Path) -> None:
    files = changed({".git/config": "x", "lib/__pycache__/x.pyc": "x"})
    assert check_bundle(read_folder(write(tmp_path / "plugin", files))) == []


def test_pipes_and_names_that_are_not_text_do_no_harm(tmp_path: Path) -> None:
    folder = write(tmp_path / "plugin", GOOD)
    os.mkfifo(folder / "pipe")
    (folder / "two\nlines.md").write_text("# Lines\n")
    expected = {"two\\nlines.md"}
    if sys.platform == "linux":
        (folder / os.fsdecode(b"caf\xe9.md")).write_text("# Coffee\n")
        expected.add("caf\\xe9.md")
    assert set(read_folder(folder).files) - set(GOOD) == expected


def test_a_deep_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "plugin", GOOD)
    here = os.open(folder, os.O_RDONLY)
    try:
        for _ in range(500):
            os.mkdir("d", dir_fd=here)
            inner = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
    finally:
        os.close(here)
    assert read_folder(folder).name == "pipe"


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("gone", "{path} does not exist; name a plugin folder or a marketplace."),
        ("file", "{path} is not a folder; name a plugin folder or a marketplace."),
    ],
)
def test_a_wrong_path_is_one_sentence(tmp_path: Path, path: str, sentence: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UltraError) as raised:
        read_folder(tmp_path / path)
    assert str(raised.value) == sentence.format(path=tmp_path / path)


def test_a_file_that_may_not_be_read_is_one_sentence(tmp_path: Path) -> None:
    folder = write(tmp_path / "plugin", GOOD)
    (folder / "README.md").chmod(0)
    with modes_obeyed(), pytest.raises(UltraError, match=r"^Cannot read .*README\.md: Permission denied\.$"):
        read_folder(folder)


def test_too_many_files_are_one_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_module, "MOST_FILES", 30)
    folder = write(tmp_path / "plugin", GOOD)
    for number in range(30):
        (folder / f"{number}.md").touch()
    with pytest.raises(ProblemsFound) as raised:
        read_folder(folder)
    assert str(raised.value).startswith(f"{folder}: oversize: has more than 30 files and folders")


def test_an_empty_folder_is_a_problem(tmp_path: Path) -> None:
    (problem,) = check_bundle(read_folder(tmp_path))
    assert (problem.code, problem.severity) == ("no-manifest", "error")
