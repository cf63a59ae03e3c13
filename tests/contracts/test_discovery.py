"""Discovery of architecture notes: it never fails and reads not a byte past the first heading."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kit.calls import Ultra
from ultra_runtime.usage import Usage, parse
from ultra_runtime.verbs import architecture

Discover = Callable[..., dict[str, Any]]
BEHIND = b"What follows is none of our business.\n"


@pytest.fixture
def discover(tmp_path: Path) -> Discover:
    """Return a function that looks for notes below a folder and gives the answer of the verb."""

    def call(folder: Path = tmp_path) -> dict[str, Any]:
        return dict(architecture.run(parse(Usage(architecture.USAGE), [str(folder)])).data)

    return call


def test_the_launcher_gives_the_same_answer(
    discover: Discover, bundle: Path, tmp_path: Path, python: Path
) -> None:
    overview(tmp_path).write_text("# A heading\n")
    (tmp_path / "architecture/other.md").write_text("x")
    assert Ultra(bundle, tmp_path, python)("architecture", tmp_path).data == discover()


def overview(tmp_path: Path, name: str = "overview.md") -> Path:
    (tmp_path / "architecture").mkdir()
    return tmp_path / "architecture" / name


def test_a_pipe_keeps_all_that_stands_behind_the_heading(discover: Discover, tmp_path: Path) -> None:
    path = overview(tmp_path)
    os.mkfifo(path)
    ours = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        os.write(ours, b"---\n# not: this\n---\n\nText.\n\n```\n# nor this\n```\n# The shape\n" + BEHIND)
        assert discover()["title"] == "The shape"
        assert os.read(ours, 10_000) == BEHIND
    finally:
        os.close(ours)


def test_a_pipe_without_a_writer_is_found_and_not_waited_for(discover: Discover, tmp_path: Path) -> None:
    os.mkfifo(overview(tmp_path))
    answer = discover()
    assert (answer["found"], answer["title"]) == (True, None)


@pytest.mark.parametrize("head", [b"# The shape\n", b"", b"The shape\n=====\n"])
def test_a_file_larger_than_the_disk(discover: Discover, tmp_path: Path, head: bytes) -> None:
    path = overview(tmp_path)
    path.write_bytes(head)
    os.truncate(path, 2**42)
    assert discover()["title"] == ("The shape" if head else None)


def test_an_endless_device(discover: Discover, tmp_path: Path) -> None:
    overview(tmp_path).symlink_to("/dev/zero")
    assert discover()["title"] is None


@pytest.mark.parametrize(
    ("files", "found", "told"),
    [
        (None, None, []),
        ([], None, []),
        (["overview.md"], "overview.md", []),
        (["overview.md", "gaps.md", "README.md", "notes.txt"], "overview.md", []),
        (["architecture-overview.md", "README.md"], "architecture-overview.md", ["ARCH_NON_CANONICAL_OVERVIEW"]),
        (["overview.markdown"], "overview.markdown", ["ARCH_NON_CANONICAL_OVERVIEW"]),
        (["README.md"], "README.md", ["ARCH_NON_CANONICAL_OVERVIEW"]),
        (["other.md", "more.md"], None, ["ARCH_LOOSE_FILES"]),
        (["overview.md", "other.md"], "overview.md", ["ARCH_LOOSE_FILES"]),
    ],
)  # fmt: skip
def test_what_is_found(
    discover: Discover, tmp_path: Path, files: list[str] | None, found: str | None, told: list[str]
) -> None:
    if files is not None:
        folder = overview(tmp_path).parent
        for name in files:
            (folder / name).write_text("# A heading\n")
    answer = discover()
    assert answer["ok"] is True
    assert answer["found"] is (found is not None)
    assert answer["overview"] == (str(tmp_path / "architecture" / found) if found else None)
    assert [entry["code"] for entry in answer["warnings"]] == told
    assert (answer["gaps"] is not None) == (files is not None and "gaps.md" in files)


def test_the_folder_itself_may_be_named(discover: Discover, tmp_path: Path) -> None:
    overview(tmp_path).write_text("# A heading\n")
    assert discover(tmp_path / "architecture")["title"] == "A heading"


def test_names_that_lead_nowhere_are_no_files(discover: Discover, tmp_path: Path) -> None:
    path = overview(tmp_path)
    path.symlink_to("gone.md")
    (path.parent / "notes.md").mkdir()
    answer = discover()
    assert (answer["found"], answer["warnings"]) == (False, [])
