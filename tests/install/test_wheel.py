"""From the wheel alone, offline, and from a clone by make."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.install.samples import Machine, snapshot
from tests.interpreters import python_on_path
from tests.kit.names import NAME, ROOT

PLUGIN = NAME


def run(*words: str | Path, **extra: str) -> str:
    """Run a command that must succeed and return what it says."""
    command = [str(word) for word in words]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, cwd=extra.get("cwd")
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def built() -> None:
    """Skip unless the plugin is built."""
    if not (ROOT / "dist" / PLUGIN / "bundle.json").is_file():
        pytest.skip("the plugin is not built")


@pytest.mark.soak
@pytest.mark.usefixtures("built")
def test_wheel_alone_is_enough(machine: Machine, tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path / "out", ROOT)
    (wheel,) = (tmp_path / "out").glob("*.whl")
    venv = tmp_path / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv)
    python = venv / "bin/python"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python))
    run(*pip, "install", "--quiet", "--no-index", wheel)
    for page, said in {
        "ultra": "ultra board",
        "ultra-install": "--permissions",
        "ultra-plugin": "build",
    }.items():
        text = (venv / f"share/man/man1/{page}.1").read_text().replace("\\-", "-")
        assert text.startswith(f'.TH "{page.upper()}" "1"')
        assert said in text
    alone = subprocess.run([str(python), "-c", "import click"], capture_output=True, check=False)
    assert alone.returncode == 1, "the environment holds more than the wheel"

    def install(*words: str) -> subprocess.CompletedProcess[str]:
        environment = {key: value for key, value in machine.environment().items() if key != "PYTHONPATH"}
        command = [str(venv / "bin/ultra-install"), *words]
        return subprocess.run(
            command,
            env=environment,
            cwd=machine.home,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    done = install("--yes", "--short-names", "--permissions", "minimal")
    assert done.returncode == 0, done.stderr
    assert f"installed {PLUGIN} " in done.stdout
    assert install("--verify").returncode == 0
    shipped = snapshot(ROOT / "dist" / PLUGIN)
    ours = {path: one for path, one in snapshot(machine.plugin(PLUGIN)).items() if "receipt" not in path}
    assert ours == {path: one for path, one in shipped.items() if "__pycache__" not in path}
    assert install("--uninstall", "--yes").returncode == 0
    assert snapshot(machine.home) == {}


@pytest.mark.usefixtures("built")
def test_make_install_in_a_clone_by_a_python_with_a_space_in_its_path(
    machine: Machine, tmp_path: Path
) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not here")
    environment = machine.environment()
    del environment["PYTHONPATH"]
    (tmp_path / "a python").mkdir()
    python = python_on_path(Path(sys.executable).resolve(), tmp_path / "a python") / "python3"

    def make(arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["make", "-C", str(ROOT), "install", f"PYTHON={python}", f"ARGS={arguments}"]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=False
        )

    done = make("--yes")
    assert done.returncode == 0, done.stderr
    assert f"installed {PLUGIN} " in done.stdout
    assert make("--uninstall --yes").returncode == 0
    assert snapshot(machine.home) == {}
