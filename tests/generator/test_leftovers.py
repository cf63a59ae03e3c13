"""A plugin that the sources no longer have: the build removes its own, and never what it did not make."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.generator.sample import PLUGIN, SUITE, sample, write_sample
from tests.kit.generator import generator as cli
from ultra_plugin.leftovers import leftovers


def built_and_renamed(root: Path) -> Path:
    """Build the sample, then call its plugin another name; return the output folder."""
    write_sample(root)
    assert cli(root, "build").returncode == 0
    shutil.rmtree(root / "plugin_src")
    renamed = {
        path.replace("plugins/acme-plan/", "plugins/acme-do/"): text for path, text in sample().items()
    }
    renamed["plugins/acme-do/plugin.yaml"] = PLUGIN.replace("name: acme-plan", "name: acme-do")
    write_sample(root, {**dict.fromkeys(sample(), None), **renamed})
    return root / "dist"


def there(out: Path) -> set[str]:
    return {name for name in os.listdir(out) if not name.startswith(".")}


NEW = {"acme-do", "acme-do-1.2.3.zip", "acme-do-1.2.3.zip.sha256"}
OLD = {"acme-plan", "acme-plan-1.2.3.zip", "acme-plan-1.2.3.zip.sha256"}


@pytest.mark.soak
def test_a_renamed_plugin_leaves_nothing_behind(tmp_path: Path) -> None:
    out = built_and_renamed(tmp_path)
    cache = out / "acme-plan/runtime/__pycache__"
    cache.mkdir(parents=True)
    (cache / "x.cpython-310.pyc").write_bytes(b"byte code")
    (out / "mine").mkdir()
    (out / "mine/notes.md").write_text("mine")
    (out / "acme-plan-1.0.0.zip").write_bytes(b"an older version is its owner's")
    done = cli(tmp_path, "build")
    assert done.returncode == 0
    assert "dist/acme-plan: removed, because the sources no longer have this plugin" in done.stdout
    assert there(out) == NEW | {"mine", "acme-plan-1.0.0.zip"}
    assert [name for name in os.listdir(out) if name.startswith((".staged-", ".old-"))] == []
    assert "removed" not in cli(tmp_path, "build").stdout


def edit(out: Path) -> None:
    (out / "acme-plan/README.md").write_text("mine")


def add(out: Path) -> None:
    (out / "acme-plan/notes.md").write_text("mine")


def link(out: Path) -> None:
    (out / "acme-plan/elsewhere").symlink_to(out.parent)


def take_away(out: Path) -> None:
    (out / "acme-plan/LICENSE").unlink()


def other_suite(out: Path) -> None:
    (out.parent / "plugin_src/suite.yaml").write_text(SUITE.replace("name: acme\n", "name: other\n"))


def no_marketplace(out: Path) -> None:
    (out.parent / ".claude-plugin/marketplace.json").unlink()


@pytest.mark.parametrize("change", [edit, add, link, take_away, other_suite, no_marketplace])
def test_what_is_not_certainly_its_own_is_named_and_stays(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    out = built_and_renamed(tmp_path)
    change(out)
    for _ in range(2):  # the second build has nothing to do, and says so again
        done = cli(tmp_path, "build")
        assert done.returncode == 0
        assert "dist/acme-plan: from an earlier build, not in these sources" in done.stdout
        assert "rm -r dist/acme-plan" in done.stdout
        assert there(out) == NEW | OLD
    shutil.rmtree(out / "acme-plan")
    assert "rm -r" not in cli(tmp_path, "build").stdout


def test_a_zip_that_is_not_what_its_checksum_says_stays(tmp_path: Path) -> None:
    out = built_and_renamed(tmp_path)
    (out / "acme-plan-1.2.3.zip").write_bytes(b"mine")
    cli(tmp_path, "build")
    assert there(out) == NEW | (OLD - {"acme-plan"})


@pytest.mark.parametrize(
    "listing", [None, "{", "[]", "{}", '{"plugin": "other", "generator": "1", "files": {}}']
)
def test_a_folder_that_no_build_made_is_not_even_named(tmp_path: Path, listing: str | None) -> None:
    (tmp_path / "mine").mkdir()
    if listing is not None:
        (tmp_path / "mine/bundle.json").write_text(listing)
    assert leftovers(tmp_path, set()) == ()


def test_a_link_to_a_plugin_elsewhere_is_not_followed(tmp_path: Path) -> None:
    out = built_and_renamed(tmp_path)
    (out / "acme-plan").rename(tmp_path / "elsewhere")
    (out / "acme-plan").symlink_to(tmp_path / "elsewhere")
    cli(tmp_path, "build")
    assert (out / "acme-plan/bundle.json").exists()
