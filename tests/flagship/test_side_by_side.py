"""In the real client: two plugins with launchers of their own in one session, each answering for itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory
from tests.client.model import Call
from tests.client.session import Client
from tests.fence import NAME, build, copy_sources


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return the flagship and a plugin that has the guard alone."""
    folder = tmp_path_factory.mktemp("both")
    out = build(copy_sources(folder), folder / "dist")
    flagship = next(path.parent.parent for path in out.glob("*/bin/ultra"))
    return [flagship, out / NAME]


def bash(command: str) -> Call:
    return Call("Bash", {"command": command, "description": "test"})


@pytest.mark.soak
def test_two_launchers_never_meet_on_the_path(
    client: Client, scripted: ModelFactory, plugins: list[Path], tmp_path: Path
) -> None:
    work = tmp_path / "work"
    subprocess.run(["git", "init", "--quiet", work], check=True, timeout=30)
    model = scripted(
        bash("ultra --version"),
        bash("fence --version"),
        bash("command -v ultra fence"),
        bash("fence check-command 'rm -rf ~'"),
    )
    session = client.ask(
        "go", model, cwd=work.resolve(), plugin_dirs=plugins, extra=["--allowedTools", "Bash"]
    )
    assert (session.init.plugin_errors, model.finished) == ((), True)
    flagship, fence, found, verdict = (result.text for result in model.tool_results())
    assert flagship.startswith(f"{plugins[0].name} ")
    assert fence.startswith("fence ")
    assert found.split() == [
        str(plugin / "bin" / name) for plugin, name in zip(plugins, ("ultra", "fence"), strict=True)
    ]
    assert verdict.startswith("block (recursive_force_delete)")
