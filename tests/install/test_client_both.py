"""Both plugins of the suite, installed for a person together and removed one after the other."""

from __future__ import annotations

from pathlib import Path

from tests.client.fixtures import ModelFactory
from tests.client.session import Client
from tests.install.samples import Machine, snapshot
from tests.kit.files import write_tree
from tests.kit.model import bash
from tests.kit.names import BUILT, LAUNCHER, NAME

SECOND, SECOND_LAUNCHER = "sdd-pipeline", "sdd"


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
