"""What is committed and what ships: dist/ is what the sources render to, the wheel holds exactly what it should."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest
import yaml

from tests.built import made_once
from tests.interpreters import interpreters
from tests.kit.names import BUILT, LAUNCHER, NAME, PLUGIN_SOURCE, ROOT
from ultra_plugin import __version__
from ultra_plugin.package import build_distributions
from ultra_plugin.pipeline import checked
from ultra_plugin.source import SourceTree
from ultra_plugin.tree import changes

WHEEL = f"ultra_suite-{__version__}-py3-none-any.whl"
PLUGINS = {
    path.parent.name: yaml.safe_load(path.read_text())["runtime"]["launcher"]
    for path in sorted((ROOT / "plugin_src/plugins").glob("*/plugin.yaml"))
}
JUNK = (
    "plugin_src/.DS_Store",
    "plugin_src/fragments/x.md.j2~",
    f"dist/{NAME}/runtime/__pycache__/x.pyc",
)


def test_dist_is_what_the_sources_render_to() -> None:
    bundles, offer = checked(SourceTree(ROOT / "plugin_src"), "dist")
    left = {bundle.name: changes(bundle, ROOT / "dist" / bundle.name) for bundle in bundles}
    assert left == {name: [] for name in PLUGINS}, "run make plugin and commit dist/"
    assert (ROOT / ".claude-plugin/marketplace.json").read_bytes() == offer


def test_the_committed_modes_are_the_built_ones() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-s", "dist"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    modes = {line.split("\t")[1]: line.split()[0] for line in listed.stdout.splitlines()}
    executable = {path for path, mode in modes.items() if mode == "100755"}
    assert executable == {f"dist/{name}/bin/{launcher}" for name, launcher in PLUGINS.items()}
    assert not [path for path in modes if path.endswith((".zip", ".whl", ".tar.gz", ".pyc"))]


def test_the_two_licences_are_one() -> None:
    assert (ROOT / "LICENSE").read_bytes() == (ROOT / "plugin_src/LICENSE").read_bytes()


@pytest.mark.soak
def test_the_icon_is_the_picture_that_the_script_draws(tmp_path: Path) -> None:
    folder = PLUGIN_SOURCE / "icon"
    subprocess.run(
        [sys.executable, folder / "draw.py", tmp_path / "icon.png"], check=True, capture_output=True
    )
    assert _pixels(tmp_path / "icon.png") == _pixels(folder / "icon.png")


def _pixels(path: Path) -> bytes:
    """Return the unpacked picture: two libraries may pack the same one differently."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        packed += data[at + 8 : at + 8 + length] if data[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + length
    return zlib.decompress(packed)


@pytest.fixture
def copy(pytestconfig: pytest.Config) -> Path:
    """Return a checkout with junk in it, built with wheel and sdist."""
    return made_once(pytestconfig, "a checkout with spaces", _build)


def _build(folder: Path) -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in (*tracked.stdout.splitlines(), *JUNK):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target) if (ROOT / name).exists() else target.write_bytes(b"junk")
    command = [sys.executable, "-m", "ultra_plugin", "build", "--wheel"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.mark.soak
def test_the_packages_lie_beside_each_other(copy: Path) -> None:
    assert {path.name for path in (copy / "dist").iterdir() if not path.name.startswith(".")} == {
        *PLUGINS,
        *(f"{name}-{__version__}.zip" for name in PLUGINS),
        *(f"{name}-{__version__}.zip.sha256" for name in PLUGINS),
        WHEEL,
        f"ultra_suite-{__version__}.tar.gz",
    }


def test_the_wheel_holds_exactly_generator_sources_and_bundles(copy: Path) -> None:
    with zipfile.ZipFile(copy / "dist" / WHEEL) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in wheel.infolist()}
    generator = {
        str(path.relative_to(ROOT / "generator")) for path in (ROOT / "generator/ultra_plugin").rglob("*.py")
    }
    sources = {f"ultra_plugin/plugin_src/{path}" for path in SourceTree(ROOT / "plugin_src").files()}
    bundles = {
        f"ultra_plugin/bundles/{name}/{path}"
        for name in PLUGINS
        for path in (*json.loads((ROOT / "dist" / name / "bundle.json").read_text())["files"], "bundle.json")
    }
    programs = (*PLUGINS.values(), "ultra-install", "ultra-plugin")
    manual = {f"ultra_suite-{__version__}.data/data/share/man/man1/{name}.1" for name in programs}
    assert names == generator | sources | bundles | manual
    assert modes[f"ultra_plugin/bundles/{NAME}/bin/{LAUNCHER}"] == 0o755


def test_the_sdist_holds_what_it_takes_to_build_again(copy: Path) -> None:
    with tarfile.open(copy / "dist" / f"ultra_suite-{__version__}.tar.gz") as sdist:
        names = {name.split("/", 1)[1] for name in sdist.getnames()}
    assert {
        "pyproject.toml",
        "Makefile",
        "plugin_src/suite.yaml",
        f"dist/{NAME}/bundle.json",
    } <= names
    assert not [name for name in names if name in JUNK or name.endswith((".zip", ".whl", ".pyc"))]


@pytest.mark.soak
def test_the_wheel_is_the_same_bytes_again(copy: Path, tmp_path: Path) -> None:
    again = shutil.copytree(copy, tmp_path / "elsewhere", copy_function=shutil.copy)  # with other times
    (again / "dist" / WHEEL).unlink()
    build_distributions(again, again / "dist")
    assert (again / "dist" / WHEEL).read_bytes() == (copy / "dist" / WHEEL).read_bytes()


@pytest.mark.soak
@pytest.mark.parametrize("python", interpreters((3, 10))[:1], ids=["oldest"])
def test_installed_from_the_wheel_it_renders_the_same_bundle(
    copy: Path, tmp_path: Path, python: Path
) -> None:
    """Nothing of the checkout: the package alone, unpacked, with byte code in it as pip leaves it."""
    with zipfile.ZipFile(copy / "dist" / WHEEL) as wheel:
        wheel.extractall(tmp_path / "site")
    words = ("-m", "compileall", "-q", "-x", "/bundles/", "site")  # a build reads no bundle
    subprocess.run([python, *words], cwd=tmp_path, check=True, capture_output=True)
    third_party = [path for path in sys.path if path.endswith("site-packages")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), *third_party])}
    subprocess.run(
        [python, "-m", "ultra_plugin", "build"], cwd=tmp_path, env=env, check=True, capture_output=True
    )
    for path in (copy / f"dist/{NAME}").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert (
                tmp_path / f"dist/{NAME}" / path.relative_to(copy / f"dist/{NAME}")
            ).read_bytes() == path.read_bytes()


def test_the_one_version_is_everywhere() -> None:
    manifest = json.loads((BUILT / ".claude-plugin/plugin.json").read_text())
    offer = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text())
    listing = json.loads((BUILT / "bundle.json").read_text())
    told = subprocess.run([BUILT / "bin" / LAUNCHER, "--version"], capture_output=True, text=True, check=True)
    assert {
        manifest["version"],
        offer["plugins"][0]["version"],
        listing["version"],
        listing["generator"],
    } == {__version__}
    assert __version__ in told.stdout
