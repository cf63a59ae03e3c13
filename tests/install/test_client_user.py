"""Installed for a person: what the real client makes of it, from the first run to the last."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory
from tests.client.model import Call, ScriptedModel
from tests.client.session import Client
from tests.install.samples import ID, Machine, listed, plugin_files, snapshot, write_bundle
from tests.kit.files import write_tree
from tests.kit.model import bash
from tests.kit.names import BUILT, NAME
from tests.kit.quick import later


def test_first_run_loads_everything(
    user: Machine, client: Client, scripted: ModelFactory, bundle: Path, project: Path
) -> None:
    write_tree(user.config, {"settings.json": '{"cleanupPeriodDays": 30.0}\r\n'})
    said = user.ok("--from", bundle, "--yes", "--json").json()
    told = ["type one of: /sample:brief, /sample:plan"]
    assert (said["client"], said["problems"], said["notes"][1:]) == ("2.1.325", [], told)
    assert snapshot(user.config).keys() - {"settings.json", "skills"} == {
        path for path in snapshot(user.config) if path.startswith("skills/sample")
    }, "asking the client leaves no trace"

    model = scripted(bash("ultra verb"), bash("touch forbidden"))
    session = client.ask("/sample:brief tea", model, cwd=project)
    assert session.init.plugins == ("sample",)
    assert session.init.plugin_errors == ()
    assert {"sample:brief", "sample:plan"} <= set(session.init.slash_commands)
    assert "sample:critic" in session.init.agents
    assert "hook of 1.0.0 fired" in model.text
    assert "Brief by sample 1.0.0 about tea" in model.text
    allowed, refused = model.tool_results()
    assert (allowed.text, allowed.is_error, refused.is_error) == ("ultra 1.0.0 verb", False, True)
    assert user.settings.read_bytes() == b'{"cleanupPeriodDays": 30.0}\r\n'
    user.ok("--verify")


def test_listed_counted_disabled_and_enabled(
    user: Machine, client: Client, model: ScriptedModel, bundle: Path, project: Path
) -> None:
    user.ok("--from", bundle, "--yes")
    (one,) = listed(client)
    assert (one["id"], one["version"], one["enabled"], one.get("errors")) == (ID, "1.0.0", True, None)
    assert "Skills (2)  brief, plan" in client.run("plugin", "details", "sample").stdout
    assert client.run("plugin", "disable", ID).status == 0
    assert client.ask("hi", model, cwd=project).init.plugins == ()
    assert f"{ID} is disabled; to load it: claude plugin enable {ID}" in user.ok("--status").stdout
    assert client.run("plugin", "enable", ID).status == 0
    assert client.ask("hi", model, cwd=project).init.plugins == ("sample",)


def test_upgrade_reaches_the_client_and_kept_files_do_not(
    user: Machine, client: Client, model: ScriptedModel, bundle: Path, newer: Path, project: Path
) -> None:
    user.ok("--from", bundle, "--yes")
    client.ask("hi", model, cwd=project)
    write_tree(user.plugin(), {"commands/plan.md": "---\ndescription: Mine\n---\nMine.\n"})
    assert "kept your commands/plan.md" in user.ok("--from", newer, "--upgrade", "--yes").stdout
    session = client.ask("/sample:brief tea", model, cwd=project)
    assert sorted(name for name in session.init.slash_commands if ":" in name) == [
        "sample:brief",
        "sample:plan",
    ]
    assert session.init.plugin_errors == ()
    assert "Brief by sample 1.1.0 about tea" in model.text
    assert "hook of 1.1.0 fired" in model.text


def test_uninstalled_is_gone_with_its_byte_code(
    user: Machine, client: Client, model: ScriptedModel, bundle: Path, project: Path
) -> None:
    user.ok("--from", bundle, "--yes")
    client.ask("hi", model, cwd=project)
    user.ok("--uninstall", "--yes", "--purge")
    assert not user.plugin().parent.exists()
    assert not list(user.config.glob("plugins/data/*"))
    session = client.ask("hi", model, cwd=project)
    assert (session.init.plugins, session.init.plugin_errors) == ((), ())
    assert listed(client) == []


@pytest.mark.parametrize("agreed", [True, False])
def test_minimal_permissions_allow_the_programs_and_nothing_else(
    user: Machine, client: Client, scripted: ModelFactory, bundle: Path, project: Path, agreed: bool
) -> None:
    user.ok("--from", bundle, "--yes", "--permissions", "minimal" if agreed else "none")
    model = scripted(bash("ultra verb"), bash("touch forbidden"))
    client.ask("hi", model, cwd=project)
    assert [result.is_error for result in model.tool_results()] == [not agreed, True]
    assert not (project / "forbidden").exists()


@pytest.mark.soak
def test_short_names_hand_over_to_the_plugin(
    user: Machine, client: Client, scripted: ModelFactory, bundle: Path, project: Path
) -> None:
    write_tree(user.config, {"commands/plan.md": "My own plan.\n"})
    user.ok("--from", bundle, "--yes", "--short-names")
    model = scripted(Call("Skill", {"skill": "sample:brief", "args": 'green "tea"'}), bash("ultra verb"))
    session = client.ask('/brief green "tea"', model, cwd=project)
    assert {"brief", "plan", "sample:brief"} <= set(session.init.slash_commands)
    assert "Call the Skill tool with skill `sample:brief`" in model.text
    assert 'green "tea"\n' in model.text
    assert 'Brief by sample 1.0.0 about green "tea"' in model.text
    assert [result.is_error for result in model.tool_results()] == [False, False]
    assert model.main.requests[0].system.count("Short for /sample:brief") == 0, "the model need not know"
    user.ok("--uninstall", "--yes")
    left = client.ask("/plan", model, cwd=project).init.slash_commands
    assert "brief" not in left
    assert "plan" in left


BROKEN = {
    "manifest": {".claude-plugin/plugin.json": '{"name": "sample", "version": "1.0.0", "author": 1}'},
    "hooks": {"hooks/hooks.json": '{"SessionStart": []}'},
    "hooks that are no JSON": {"hooks/hooks.json": "{"},
}


@pytest.mark.parametrize("case", BROKEN)
def test_plugin_that_the_client_refuses_is_a_failure(user: Machine, tmp_path: Path, case: str) -> None:
    files = {**plugin_files(), **BROKEN[case]}
    done = user.run("--from", write_bundle(tmp_path / "broken", files=files), "--yes")
    assert done.status == 1
    assert "the client says:" in done.stdout


KILL = """
import os, signal, sys
def watch(event, details):
    if event == {event!r} and any(str(one).endswith({name!r}) for one in details[:2]):
        os.kill(os.getpid(), signal.SIGKILL)
from ultra_plugin.install import report
from ultra_plugin.install.main import main
sys.addaudithook(watch)
main(sys.argv[1:])
"""
MOMENTS = {
    "while staging": ("os.chmod", "new-sample/README.md", ("sample",), "1.0.0"),
    "before the swap": ("os.rename", "/old-sample", ("sample",), "1.1.0"),
    "within the swap": ("os.rename", "/new-sample", (), "1.1.0"),
    "while clearing up": ("os.remove", "README.md", ("sample",), "1.1.0"),
}


@pytest.mark.parametrize("moment", [one if one == "within the swap" else later(one) for one in MOMENTS])
def test_client_starts_after_a_kill_and_never_loads_a_half(
    user: Machine, client: Client, model: ScriptedModel, bundle: Path, newer: Path, project: Path, moment: str
) -> None:
    event, name, loaded, version = MOMENTS[moment]
    user.ok("--from", bundle, "--yes")
    user.path = "/usr/bin:/bin"
    command = [sys.executable, "-c", KILL.format(event=event, name=name), "--from", str(newer), "--yes"]
    done = subprocess.run(command, env=user.environment(), capture_output=True, check=False)
    assert done.returncode == -9
    assert (user.config / "skills/.ultra-install").is_dir()
    init = client.ask("hi", model, cwd=project).init
    assert (init.plugins, init.plugin_errors) == (loaded, ())
    if loaded:
        assert {"sample:brief", "sample:plan"} <= set(init.slash_commands)
    said = user.ok("--status").stdout
    assert f"sample {version} (user)" in said
    assert "an interrupted call was" in said
    user.ok("--verify")


def test_work_under_way_is_not_loaded(user: Machine, client: Client) -> None:
    """Staged folders lie in a dotted folder, and the client passes over these."""
    for place in ("skills/.ultra-install/new-sample", "skills/.ultra-install-4711", "skills/.ultra-install"):
        write_tree(user.config / place, plugin_files())
    write_tree(user.config, {"commands/.brief.md.ultra-new": "x", "commands/.brief.md.ultra-old": "x"})
    assert listed(client) == []


@pytest.mark.soak
def test_real_plugin_out_of_the_clone(
    user: Machine, client: Client, scripted: ModelFactory, project: Path
) -> None:
    if not (BUILT / "bundle.json").is_file():
        pytest.skip("the plugin is not built")
    before = snapshot(user.config)
    done = user.ok("--yes", "--permissions", "minimal")
    assert f"/{NAME}:" in done.stdout
    model = scripted(bash("ultra --help"))
    init = client.ask("hi", model, cwd=project).init
    every = {path.parent.name for path in BUILT.parent.glob("*/bundle.json")}
    assert ({*init.plugins}, init.plugin_errors) == (every, ())
    (result,) = model.tool_results()
    assert not result.is_error, result
    user.ok("--verify")
    user.ok("--uninstall", "--yes", "--purge")
    left = {
        path
        for path in snapshot(user.config).keys() - before.keys()
        if "skills" in path or "settings" in path
    }
    assert left == set()
