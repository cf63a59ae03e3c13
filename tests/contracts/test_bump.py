"""A real bump of every contract: the version before it is read with a warning, the one before that is not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.built import rendered
from tests.contracts.conftest import codes, place
from tests.executor.sample import PLAN, PROGRESS, STATE, Repo, plan, step
from tests.kit.calls import Ultra
from tests.kit.sources import copy_of_sources

# Artifact -> the version now, after the bump, and one that is too old.
BUMPS = {
    "brief": ('"2.0"', '"2.1"', '"1.9"'),
    "review": ('"1.0"', '"1.1"', '"0.9"'),
    "plan": ('"1.7"', '"1.8"', '"1.6"'),
    "session-spec": ('"1.7"', '"1.8"', '"1.6"'),
    "progress": ('"1"', '"2"', '"0"'),
    "session-state": ("1", "2", "0"),
}


@pytest.fixture(scope="module")
def bumped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle in which every contract has its next version and accepts the one before."""
    sources = copy_of_sources(tmp_path_factory.mktemp("bumped"))
    for artifact, (now, after, _) in BUMPS.items():
        path = sources / "contracts" / f"{artifact}.yaml"
        text, bumps = re.subn(
            rf"(\n  current: ){now}\n", rf"\g<1>{after}\n  accepts: [{now}]\n", path.read_text()
        )
        assert bumps == 1
        field = re.search(r"\nversion:\n  field: (\w+)\n", text)
        assert field
        path.write_text(
            re.sub(rf"(\b{field[1]}:.*?\bexample: ){now}", rf"\g<1>{after}", text, flags=re.DOTALL)
        )
    return rendered(sources, tmp_path_factory.mktemp("bundle"))


@pytest.mark.parametrize("artifact", sorted(BUMPS))
def test_the_window(bumped: Path, repository: Path, python: Path, artifact: str) -> None:
    ultra, path = Ultra(bumped, repository, python), place(repository, artifact, "valid")
    told = ultra("validate", artifact, path)
    assert (codes(told.data)["errors"], told.status) == ([], 0)
    assert [code for code in codes(told.data)["warnings"] if code.endswith("_VERSION_MISMATCH")], told.data
    if artifact in ("plan", "session-spec"):
        shown = ultra("plan", "show", path).data
        assert shown["plan_version"] == "1.7", "an accepted version is not legacy"
        return
    now, _, older = BUMPS[artifact]
    text = path.read_text()
    assert re.search(rf'_version"?: {now}', text)
    path.write_text(re.sub(rf'(_version"?: ){now}', rf"\g<1>{older}", text))
    assert ultra("validate", artifact, path).status == 1


def test_what_the_runtime_writes_has_the_new_version(bumped: Path, tmp_path: Path, python: Path) -> None:
    repo = Repo(tmp_path / "repo", bumped, python).create(plan(step(1)))
    repo.start()
    assert (repo.progress()["schema_version"], json.loads(repo.read(STATE))["schema_version"]) == ("2", 2)
    repo.write({PROGRESS: repo.read(PROGRESS).replace('"schema_version": "2"', '"schema_version": "1"')})
    repo.ok("run abort")
    repo.ok(f"run start {PLAN} --mode resume")
    assert repo.progress()["schema_version"] == "2"
