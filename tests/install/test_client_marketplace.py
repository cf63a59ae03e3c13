"""From a marketplace by the client's own commands, and both at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.client.model import ScriptedModel
from tests.client.session import Client
from tests.install.samples import ID, Machine, listed, snapshot
from tests.kit.files import write_tree
from tests.kit.names import BUILT, NAME, ROOT, SUITE


def marketplace(folder: Path, bundle: Path) -> Path:
    """Write a marketplace that offers a bundle."""
    entry = {"name": "sample", "source": "./sample", "description": "A sample"}
    value = {"name": "market", "owner": {"name": "Test"}, "plugins": [entry]}
    write_tree(folder, {".claude-plugin/marketplace.json": json.dumps(value)})
    files = {path: one[1] for path, one in snapshot(bundle).items() if (bundle / path).is_file()}
    write_tree(folder / "sample", files)
    return folder


def add(client: Client, market: Path) -> Path:
    """Install the sample from a marketplace."""
    assert client.run("plugin", "marketplace", "add", str(market)).status == 0
    assert client.run("plugin", "install", "sample@market").status == 0
    return market


@pytest.mark.soak
def test_marketplace_route_by_the_clients_own_commands(
    user: Machine, client: Client, model: ScriptedModel, bundle: Path, newer: Path, tmp_path: Path, project: Path
) -> None:  # fmt: skip
    market = add(client, marketplace(tmp_path / "market", bundle))
    (one,) = listed(client)
    assert (one["id"], one["version"], one.get("errors")) == ("sample@market", "1.0.0", None)
    assert client.ask("hi", model, cwd=project).init.plugins == ("sample",)
    assert "sample@market 1.0.0" in user.ok("--status", "sample").stdout
    marketplace(market, newer)
    assert client.run("plugin", "update", "sample@market").status == 0
    assert [one["version"] for one in listed(client)] == ["1.1.0"]
    client.ask("/sample:brief tea", model, cwd=project)
    assert "Brief by sample 1.1.0 about tea" in model.text
    assert client.run("plugin", "uninstall", "sample@market").status == 0
    assert client.run("plugin", "marketplace", "remove", "market").status == 0
    assert listed(client) == []


def test_both_present(
    user: Machine, client: Client, model: ScriptedModel, bundle: Path, newer: Path, tmp_path: Path, project: Path
) -> None:  # fmt: skip
    """A marketplace's copy wins, even while it is disabled: the installer says so."""
    add(client, marketplace(tmp_path / "market", newer))
    said = user.ok("--from", bundle, "--yes").stdout
    assert "sample@market 1.1.0 in " in said
    assert "is loaded, not this copy (claude plugin uninstall sample@market changes that)" in said
    session = client.ask("/sample:brief tea", model, cwd=project)
    assert "Brief by sample 1.1.0 about tea" in model.text
    assert len(session.init.plugin_errors) == 1
    assert "sample@market 1.1.0" in user.ok("--status").stdout
    (said,) = user.ok("--status", "--json").json()["plugins"]
    assert [copy["id"] for copy in said["copies"]] == ["sample@market", ID]

    client.run("plugin", "disable", "sample@market", cwd=project)
    assert "sample@market is disabled" in user.ok("--status").stdout
    assert client.run("plugin", "uninstall", "sample@market").status == 0
    assert "in force" not in user.ok("--verify").stdout
    assert client.ask("hi", model, cwd=project).init.plugin_errors == ()


def test_the_repository_is_a_marketplace(
    user: Machine, client: Client, model: ScriptedModel, project: Path
) -> None:
    if not (ROOT / ".claude-plugin/marketplace.json").is_file() or not BUILT.is_dir():
        pytest.skip("the plugin is not built")
    assert client.run("plugin", "marketplace", "add", str(ROOT)).status == 0
    assert client.run("plugin", "install", f"{NAME}@{SUITE}").status == 0
    init = client.ask("hi", model, cwd=project).init
    assert (init.plugins, init.plugin_errors) == ((NAME,), ())
    assert f"{NAME}@{SUITE}" in user.ok("--status").stdout
    assert client.run("plugin", "uninstall", f"{NAME}@{SUITE}").status == 0
    assert listed(client) == []
