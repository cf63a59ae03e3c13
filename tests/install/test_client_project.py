"""Installed for a team: what the real client makes of a repository's plugin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.client.model import ScriptedModel
from tests.client.session import Client
from tests.client.terminal import skip_first_run
from tests.install.samples import ID, Machine
from tests.kit.files import write_tree
from tests.kit.names import NAME, ROOT
from ultra_plugin.install.marketplace import settings_for


def test_project_scope_is_for_those_who_trust_the_folder(
    user: Machine, client: Client, model: ScriptedModel, bundle: Path, project: Path
) -> None:
    user.cwd = project
    said = user.ok("--from", bundle, "--yes", "--scope", "project", "--short-names", "--json").json()
    assert said["problems"] == []
    assert client.ask("hi", model, cwd=project).init.plugins == ()
    skip_first_run(client.home, project)
    init = client.ask("/sample:brief tea", model, cwd=project).init
    assert (init.plugins, init.plugin_errors) == (("sample",), ())
    assert {"brief", "sample:brief"} <= set(init.slash_commands)
    assert "Brief by sample 1.0.0 about tea" in model.text
    user.ok("--verify", "--scope", "project")


def test_settings_that_name_the_marketplace_are_enough(
    client: Client, model: ScriptedModel, project: Path
) -> None:
    settings = json.loads(settings_for([NAME]))
    (name,) = settings["extraKnownMarketplaces"]
    settings["extraKnownMarketplaces"][name]["source"] = {"source": "directory", "path": str(ROOT)}
    write_tree(project, {".claude/settings.json": json.dumps(settings)})
    skip_first_run(client.home, project)
    init = client.ask("hi", model, cwd=project).init
    assert (init.plugins, init.plugin_errors) == ((NAME,), ())


@pytest.mark.soak
def test_own_copy_wins_over_the_projects(
    user: Machine, client: Client, model: ScriptedModel, bundle: Path, newer: Path, project: Path
) -> None:
    user.cwd = project
    user.ok("--from", bundle, "--yes")
    said = user.ok("--from", newer, "--yes", "--scope", "project").stdout
    assert f"{ID} 1.0.0 in {user.plugin()} is loaded, not this copy" in said
    skip_first_run(client.home, project)
    client.ask("/sample:brief tea", model, cwd=project)
    assert "Brief by sample 1.0.0 about tea" in model.text
