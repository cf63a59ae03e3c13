"""Sessions on other machines in the real client: each worker starts a client of its own, with the bundle from the hub."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.conversation import Say
from tests.client.fixtures import ModelFactory
from tests.client.script import Acting, Part
from tests.client.session import Client
from tests.kit.model import answered, bash, ultra, write
from tests.waves.conftest import cluster, elsewhere, engine, hosts, machines
from tests.waves.elsewhere import Machines
from tests.waves.sample import PLAN, PROJECT, Waves, part
from tests.waves.test_elsewhere import merged_once

__all__ = ["cluster", "elsewhere", "hosts", "machines"]
Make = Callable[..., Waves]
VARIABLES = (
    "CLAUDE_CONFIG_DIR",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_API_KEY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "BUN_JSC_useDFGJIT",
)


def sessions() -> Part:
    """Return the part of every client: it does its session, wherever that is."""

    def act(opening: str) -> Acting:
        found = re.search(r"--session (\d+)", opening)
        assert found, opening
        return session(int(found[1]))

    def session(number: int) -> Acting:
        (begun,) = yield ultra(f'run start "{PLAN}" --project {PROJECT} --session {number}')
        (place,) = yield bash("pwd")
        for one in [0, number] if answered(begun)["first"] == 0 else [number]:
            yield ultra(f"step begin {one}")
            if one:
                yield write(Path(place.text.strip()) / part(one), f"part {one}\n")
            yield ultra(f"step verify {one}")
            yield ultra(f"step commit {one}")
        yield ultra("run finish")
        yield Say("The session is completed.")

    return act


@pytest.mark.soak
@engine("slurm")
@pytest.mark.timeout(600)
def test_two_waves(
    machines: Machines, elsewhere: Make, client: Client, scripted: ModelFactory, tmp_path: Path
) -> None:
    repo = elsewhere(machines)
    program = tmp_path / "programs/claude"
    program.unlink()
    program.symlink_to(client.binary)
    own = client.home.environment(scripted(sessions()))
    with (tmp_path / "worker.sh").open("a") as file:
        file.write("".join(f"export {name}='{own[name]}'\n" for name in VARIABLES))
        file.write(
            "export DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 GIT_ALLOW_PROTOCOL=file\n"
        )
        file.write("export CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1\n")
    end = repo.waves(f"--on {machines.on} --jobs 2")
    assert end["result"] == "completed", (end, repo.journal())
    rows = end["ultraexecute_summary"]["sessions"]
    assert [row["attempts"] for row in rows] == [1, 1, 1]
    assert all(row["tokens"] > 0 for row in rows)
    assert [repo.read(part(number)) for number in (1, 2, 3)] == [f"part {number}\n" for number in (1, 2, 3)]
    merged_once(repo)
