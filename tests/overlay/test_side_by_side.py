"""In the real client: a fork and its upstream in one session; commands, agents, hooks, programs and data stay apart."""

from __future__ import annotations

import json
import re
import uuid
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory
from tests.client.session import Client
from tests.guard.scene import PLAN
from tests.kit.model import bash
from tests.kit.names import COMMANDS, NAME, PIPELINE, PROJECT
from tests.kit.names import LAUNCHER as THEIRS
from tests.overlay.conftest import Told
from tests.overlay.story import FORK
from tests.overlay.story import LAUNCHER as OURS

DATA = re.compile(r"DATA is `([^`]+)`")


@pytest.mark.soak
def test_a_fork_and_its_upstream_do_not_mix(
    client: Client, scripted: ModelFactory, story: list[Told], bundle: Path, project: Path
) -> None:
    plugins = [story[-1].bundle, bundle]
    (project / PROJECT).mkdir(parents=True, exist_ok=True)
    (project / PLAN).write_text("x\n")
    session = str(uuid.uuid4())
    lock = project / f".git/{OURS}/run.json"
    lock.parent.mkdir()
    owner = {"session": session, "pid": 1, "started": "1", "host": "here"}
    run = {"root": str(project), "plan": PLAN, "project": PROJECT, "progress": f"{PROJECT}/progress.json"}
    lock.write_text(json.dumps({**run, "owner": owner}))
    model = scripted(
        bash(f"command -v {OURS} {THEIRS}"),
        bash(f"{OURS} --version; {THEIRS} --version"),
        bash("ansible-playbook apply"),
        bash("rm -rf src"),
        bash(f"{THEIRS} run finish"),
    )
    told = client.ask(
        f"/{FORK}:acme-plan-it --nothing",
        model,
        cwd=project,
        plugin_dirs=plugins,
        extra=["--allowedTools", "Bash", "--session-id", session],
    )
    assert (told.init.plugin_errors, model.finished) == ((), True)
    assert {*told.init.plugins} == {FORK, NAME}
    of = {
        name: {one for one in told.init.slash_commands if one.startswith(f"{name}:")} for name in (FORK, NAME)
    }
    assert of[NAME] == {f"{NAME}:{command}" for command in PIPELINE.values()}
    assert of[FORK] == {
        f"{FORK}:acme-{one}" for one in ("brief", "plan-it", "execute", "review", "retro", "continue")
    }
    agents = {
        name: {one.partition(":")[2] for one in told.init.agents if one.startswith(f"{name}:")}
        for name in (FORK, NAME)
    }
    assert "access-reviewer" in agents[FORK] - agents[NAME]
    assert {"maintainability-reviewer", "web-docs"} <= agents[NAME] - agents[FORK]

    found, versions, blocked, removed, finished = (result.text for result in model.tool_results())
    assert found.split() == [
        str(plugin / "bin" / name) for plugin, name in zip(plugins, (OURS, THEIRS), strict=True)
    ]
    assert [line.split()[0] for line in versions.splitlines()] == [FORK, NAME]
    assert f"{OURS} guard, rule infrastructure: " in blocked
    assert f"{OURS} guard, rule recursive_force_delete: " in removed
    assert f"{THEIRS} guard" not in blocked + removed, "the upstream's guard knows nothing of the fork's run"
    assert "no run" in finished.lower()

    ours = DATA.findall(model.text)
    model = scripted()
    client.ask(f"{COMMANDS['plan']} --nothing", model, cwd=project, plugin_dirs=plugins)
    theirs = DATA.findall(model.text)
    assert ours
    assert theirs
    assert not {*ours} & {*theirs}
