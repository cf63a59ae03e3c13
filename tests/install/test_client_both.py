"""The plugins of the suite, installed alone and together, by the installer and by the client, and removed again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory
from tests.client.model import ScriptedModel
from tests.client.session import Client
from tests.install.samples import Machine, listed, snapshot
from tests.kit.files import write_tree
from tests.kit.model import bash
from tests.kit.names import BUILT, LAUNCHER, NAME, ROOT, SUITE

SECOND, SECOND_LAUNCHER = "sdd-pipeline", "sdd"
ALL = {SECOND: "sdd", "ultra-cc-architect": "architect", NAME: LAUNCHER}


@pytest.mark.soak
def test_two_plugins_live_side_by_side_and_each_leaves_nothing_behind(
    user: Machine, client: Client, scripted: ModelFactory, project: Path
) -> None:
    write_tree(user.config, {"settings.json": '{"cleanupPeriodDays": 30}\n'})
    before = snapshot(user.config)
    user.ok(SECOND, "--from", BUILT.parent / SECOND, "--permissions", "minimal", "--yes")
    alone = snapshot(user.config)
    user.ok(NAME, "--from", BUILT, "--yes")
    model = scripted(bash(f"{SECOND_LAUNCHER} work status"), bash(f"{LAUNCHER} --version"))
    session = client.ask("hi", model, cwd=project)
    assert (set(session.init.plugins), session.init.plugin_errors) == ({NAME, SECOND}, ())
    typed = {f"{SECOND}:{name}" for name in ("sdd", "sdd-init", "sdd-resume", "sdd-status")}
    assert typed <= set(session.init.slash_commands)
    assert {f"{SECOND}:{name}" for name in ("specifier", "builder", "verifier")} <= set(session.init.agents)
    first = model.tool_results()[0]
    assert (first.text, first.is_error) == ("There is no work yet.", False)
    user.ok("--verify")
    user.ok(NAME, "--uninstall", "--yes")
    assert {path: row for path, row in snapshot(user.config).items() if path in alone} == alone
    user.ok(SECOND, "--uninstall", "--yes")
    assert {path: row for path, row in snapshot(user.config).items() if path in before} == before
    assert not (user.config / "skills").exists()


@pytest.mark.parametrize("plugin", ALL)
def test_the_client_finds_nothing_to_say_about_a_plugin(client: Client, plugin: str) -> None:
    words = ("plugin", "validate", "--strict", "--profile", "directory", "--json")
    told = client.run(*words, str(BUILT.parent / plugin))
    report = told.json()
    assert (told.status, report["contents"], report["directory"]["findings"]) == (0, [], []), told


@pytest.mark.soak
def test_every_plugin_alone_and_all_together_by_the_installer(
    user: Machine, client: Client, scripted: ModelFactory, project: Path
) -> None:
    write_tree(user.config, {"settings.json": "{}\n"})
    before = snapshot(user.config)
    for plugin, launcher in ALL.items():
        user.ok(plugin, "--from", BUILT.parent / plugin, "--yes")
        model = scripted(bash(f"{launcher} doctor" if launcher == "architect" else f"{launcher} --version"))
        session = client.ask("hi", model, cwd=project)
        assert (session.init.plugins, session.init.plugin_errors) == ((plugin,), ())
        user.ok(plugin, "--uninstall", "--yes")
        left = {path: row for path, row in snapshot(user.config).items() if path in before}
        assert (left, (user.config / "skills").exists()) == (before, False)
    for plugin in ALL:
        user.ok(plugin, "--from", BUILT.parent / plugin, "--yes")
    session = client.ask("hi", scripted(bash("true")), cwd=project)
    assert (set(session.init.plugins), session.init.plugin_errors) == (set(ALL), ())
    user.ok("--uninstall", "--yes")
    assert not (user.config / "skills").exists()


@pytest.mark.soak
def test_every_plugin_alone_and_all_together_by_the_client(
    client: Client, model: ScriptedModel, project: Path
) -> None:
    assert client.run("plugin", "marketplace", "add", str(ROOT)).status == 0
    for plugins in (*([one] for one in ALL), [*ALL]):
        for plugin in plugins:
            assert client.run("plugin", "install", f"{plugin}@{SUITE}").status == 0
        init = client.ask("hi", model, cwd=project).init
        assert (set(init.plugins), init.plugin_errors) == ({*plugins}, ())
        for plugin in plugins:
            assert client.run("plugin", "uninstall", f"{plugin}@{SUITE}").status == 0
        assert listed(client) == []


def test_an_installed_copy_prepares_a_repository_without_a_session(user: Machine, project: Path) -> None:
    user.ok(SECOND, "--from", BUILT.parent / SECOND, "--yes")
    (program,) = (user.config / f"skills/{SECOND}/bin").iterdir()
    for words in ((), ("--permissions",)) * 2:
        command = [program, "work", "init", *words]
        told = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    assert "made:" not in told.stdout
    assert told.stdout.count("already there:") == 3
