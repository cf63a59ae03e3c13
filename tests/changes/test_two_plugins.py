"""Two plugins with different stages in one suite: each has its own contracts, verbs and launcher."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changes.conftest import PLUGIN, Fork
from tests.changes.test_new_stage import COMMAND, RETRO, TEXT
from tests.kit.calls import Ultra
from tests.kit.names import EXAMPLE, LAUNCHER, NAME, PROJECT

SMALL = "plugins/retro-local"
FILES = {
    f"{SMALL}/plugin.yaml": """\
name: retro-local
title: Retro Local
description: Write down what the next project should do otherwise.
keywords: [retrospective]
pipeline:
  retro: {command: ultraretro-local, makes: retro}
runtime:
  launcher: retro
  rooms: [standing, status, doctor, artifacts, planning, brief, run, contract, files]
""",
    f"{SMALL}/README.md.j2": "# {{ plugin.title }}\n\n    /plugin install {{ plugin.name }}@{{ suite.name }}\n\n{{ commands_table() }}\n\n{{ verbs_table() }}\n",
    f"{SMALL}/commands/retro.md.j2": COMMAND,
    f"{SMALL}/docs/commands/retro.md.j2": "# The retrospective\n\n{{ command_page('retro').usage() }}\n",
    f"{SMALL}/templates/retro.md.j2": "{{ contract.retro.skeleton() }}",
    "contracts/retro.yaml": RETRO.replace("consumer: brief", "consumer: retro"),
    "contracts/fixtures/retro/valid.md": TEXT,
}


@pytest.mark.soak
def test_two_plugins_work_side_by_side(fork: Fork, repo: Path, python: Path) -> None:
    for path, text in FILES.items():
        fork.write(path, text)
    icon = fork.sources / SMALL / "icon/icon.png"
    icon.parent.mkdir()
    icon.write_bytes((fork.sources / PLUGIN / "icon/icon.png").read_bytes())
    assert fork.changed == {*FILES, f"{SMALL}/icon/icon.png"}
    flagship = fork.build()
    small = flagship.parent / "retro-local"
    assert {path.name for path in (small / "schemas").iterdir()} == {"retro.schema.json"}
    assert not (flagship / "schemas/retro.schema.json").exists()
    assert not (small / "runtime/ultra_runtime/verbs/plan_begin.py").exists()

    (repo / PROJECT / "brief.md").write_bytes((EXAMPLE / "brief.md").read_bytes())
    first, second = Ultra(flagship, repo, python, LAUNCHER), Ultra(small, repo, python, "retro")
    assert second("status").data["next"] == "/retro-local:ultraretro-local"
    assert second("put", "retro", "--project", PROJECT, given=TEXT).data["path"] == f"{PROJECT}/retro.md"
    assert (
        second("validate", "project", PROJECT, "--parsed").data["parsed"]["artifacts"][0]["kind"] == "retro"
    )
    assert second("validate", "brief", f"{PROJECT}/brief.md").status == 2
    assert second("status").data["stage"] == "done"
    status = first("status").data
    assert "retro" not in status
    assert status["next"].startswith(f"/{NAME}:")
    assert first("put", "retro", "--project", PROJECT, given=TEXT).status == 2
    assert "brief" not in second.say("--help").out.replace("brief status", "")
