"""Packages: the same bytes whatever the clock, zone, umask, locale, hash seed, folder or Python."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import ultra_plugin
from tests.generator.sample import write_sample
from tests.interpreters import interpreters, sampled
from tests.kit.quick import SOAK
from ultra_plugin.errors import UltraError
from ultra_plugin.model import Bundle, BundleFile
from ultra_plugin.package import archive, zip_bundle

NAME = "acme-plan-1.2.3.zip"
CIRCUMSTANCES: dict[str, dict[str, str]] = {
    "plain": {},
    "another clock and zone": {"TZ": "Pacific/Chatham", "FAKE": "1"},
    "another locale": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"},
    "hash seed 1": {"PYTHONHASHSEED": "1"},
    "hash seed 2": {"PYTHONHASHSEED": "2"},
    "a folder with spaces": {},
    "umask 077": {},
}


def build(
    folder: Path, python: Path | str = sys.executable, umask: int = 0o022, **env: str
) -> dict[str, str]:
    """Build the sample and return the digest of every file that came out, with its mode."""
    write_sample(folder)
    modules = os.pathsep.join([str(Path(ultra_plugin.__file__).parent.parent), *_third_party()])
    subprocess.run(
        [python, "-m", "ultra_plugin", "build"], cwd=folder, check=True, capture_output=True, umask=umask,
        env={**os.environ, "PYTHONPATH": modules, **env},
    )  # fmt: skip
    files = [path for path in folder.rglob("*") if path.is_file() and "plugin_src" not in path.parts]
    return {
        str(
            path.relative_to(folder)
        ): f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.stat().st_mode & 0o777:o}"
        for path in files
        if path.name not in (".lock", ".build.json", ".parts.json", ".seen.json")
    }


def _third_party() -> list[str]:
    """Jinja, click and PyYAML are pure Python where they must be, so one folder serves every interpreter."""
    return [path for path in sys.path if path.endswith("site-packages")]


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return build(tmp_path_factory.mktemp("reference"))


@pytest.mark.parametrize("circumstance", CIRCUMSTANCES)
def test_the_same_bytes_under_other_circumstances(
    tmp_path: Path, reference: dict[str, str], circumstance: str
) -> None:
    folder = tmp_path / ("with spaces and ü" if "spaces" in circumstance else "x")
    folder.mkdir()
    umask = 0o077 if "umask" in circumstance else 0o022
    assert build(folder, umask=umask, **CIRCUMSTANCES[circumstance]) == reference


@pytest.mark.parametrize(
    "python",
    sampled((3, 10)) if SOAK else [interpreters((3, 10))[0]],
    ids=lambda path: path.parent.parent.name,
)
def test_the_same_bytes_from_every_python(tmp_path: Path, reference: dict[str, str], python: Path) -> None:
    assert build(tmp_path, python) == reference


def test_there_is_more_than_one_python_to_compare() -> None:
    assert len(interpreters((3, 10))) >= 2


def test_the_zip_holds_the_folder_with_its_modes_and_its_checksum(tmp_path: Path) -> None:
    build(tmp_path)
    with zipfile.ZipFile(tmp_path / "dist" / NAME) as opened:
        members = {info.filename: info for info in opened.infolist()}
        folder = tmp_path / "dist" / "acme-plan"
        assert list(members) == sorted(
            str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()
        )
        for name, info in members.items():
            assert opened.read(name) == (folder / name).read_bytes()
            assert info.external_attr >> 16 == (folder / name).stat().st_mode
            assert (info.compress_type, info.create_system, info.date_time) == (
                zipfile.ZIP_STORED,
                3,
                (1980, 1, 1, 0, 0, 0),
            )
    checked = subprocess.run(
        ["sha256sum", "-c", f"{NAME}.sha256"], cwd=tmp_path / "dist", capture_output=True, check=False
    )
    assert checked.returncode == 0


def test_source_date_epoch_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    with zipfile.ZipFile(io.BytesIO(archive([("a", b"1", False)]))) as opened:
        assert opened.infolist()[0].date_time == (2001, 9, 9, 1, 46, 40)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(UltraError, match="SOURCE_DATE_EPOCH"):
        archive([("a", b"1", False)])


def test_a_zip_that_did_not_change_is_not_written_again(tmp_path: Path) -> None:
    bundle = Bundle("p", "1.0.0", {"a": BundleFile("a", b"1")})
    path = zip_bundle(bundle, tmp_path)
    before = path.stat().st_mtime_ns
    zip_bundle(bundle, tmp_path)
    assert path.stat().st_mtime_ns == before
