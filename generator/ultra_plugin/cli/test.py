"""ultra-plugin test: check the source tree, and run what its plugins ship."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

from ultra_plugin.cli.options import default_source, json_option, progress, source_option
from ultra_plugin.overlay.layers import open_tree
from ultra_plugin.pipeline import judged


@click.command("test")
@source_option
@json_option
def test_command(source: Path | None, as_json: bool) -> int:
    """Check the source tree and run what its plugins ship; exit 1 if anything fails or nothing could run.

    Runs the examples of the policy, the fixtures of the contracts, each hook with a sample of its event, each MCP
    server, each verb's help, and the cases in tests/*.yaml. Nothing needs the client or a network.
    """
    from ultra_plugin.exercise import exercise  # late: a build with nothing to do does not need it

    tree = open_tree(source or default_source())
    bundles, _, _ = judged(tree, "dist", progress)
    outcomes = []
    for outcome in exercise(tree, bundles):
        outcomes.append(outcome)
        if not as_json:
            reason = f": {outcome.reason}" if outcome.reason else ""
            click.echo(f"{outcome.result:8}{outcome.plugin} {outcome.what}{reason}")
    passed, failed, left = (
        sum(one.result == result for one in outcomes) for result in ("passed", "failed", "not run")
    )
    ok = not failed and (passed > 0 or not left)
    if as_json:
        told = [dataclasses.asdict(outcome) for outcome in outcomes]
        click.echo(json.dumps({"ok": ok, "outcomes": told}, ensure_ascii=False))
    else:
        none = "" if outcomes else "; the sources are right, and no plugin ships anything that runs"
        click.echo(f"{tree.root}: {passed} passed, {failed} failed, {left} not run{none}")
    return 0 if ok else 1
