"""The hub and its rules: what a worker may push to a bare repository, and what it may not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.repository import ENVIRONMENT, git, make_repository
from tests.waves.elsewhere import Hosts
from tests.waves.sample import PLAN, WITHOUT_VERBS, Waves
from tests.waves.test_elsewhere import merged_once

Make = Callable[..., Waves]
STEM = "refs/ultra/wave/greet/session-1"
WORKER = {**ENVIRONMENT, "ULTRA_HUB_WORKER": "1"}


def install_hook(repo: Waves, hub: Path) -> None:
    """Put the rendered hook into a hub."""
    hook = hub / "hooks/update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(repo.ok("waves export hub")["text"])
    hook.chmod(0o755)


def test_a_worker_adds_results_and_changes_nothing_else(make: Make, tmp_path: Path) -> None:
    hub, work = tmp_path / "hub.git", make_repository(tmp_path / "work", {"a": "a\n"})
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(hub))
    install_hook(make(), hub)
    head = git(work, "rev-parse", "HEAD")

    def commit(*parents: str) -> str:
        words = [word for parent in parents for word in ("-p", parent)]
        return git(work, "commit-tree", "-m", os.urandom(4).hex(), *words, "HEAD^{tree}")

    leases = {number: commit(head) for number in (1, 2)}
    result, ghost = commit(head, leases[1]), commit(head, leases[1])
    git(
        work,
        "push",
        str(hub),
        "HEAD:refs/heads/main",
        *(f"{one}:{STEM}/lease-{n}" for n, one in leases.items()),
    )
    git(work, "push", str(hub), f"{result}:{STEM}/attempt-1", f"{result}:{STEM}/beat-1", env=WORKER)
    before = git(hub, "for-each-ref")
    refused = {
        f"{ghost}:{STEM}/attempt-1": f"{STEM}/attempt-1 exists and is never changed",
        f"{result}:{STEM}/attempt-2": f"what is pushed to {STEM}/attempt-2 was not made for {STEM}/lease-2",
        f"{result}:{STEM}/beat-2": f"what is pushed to {STEM}/beat-2 was not made for {STEM}/lease-2",
        f"{result}:{STEM}/attempt-3": f"there is no {STEM}/lease-3",
        f":{STEM}/attempt-1": f"a worker may not delete {STEM}/attempt-1",
        f":{STEM}/lease-2": f"a worker may not change {STEM}/lease-2",
        f"{result}:refs/heads/main": "a worker may not change refs/heads/main",
        f"{result}:refs/heads/other": "a worker may not change refs/heads/other",
        f"{result}:refs/tags/v1": "a worker may not change refs/tags/v1",
        f"{result}:refs/ultra/wave/greet/base": "a worker may not change refs/ultra/wave/greet/base",
    }
    for what, why in refused.items():
        with pytest.raises(AssertionError, match=f"hub: {why}"):
            git(work, "push", "--force", str(hub), what, env=WORKER)
        assert git(hub, "for-each-ref") == before, what
    again = commit(result, leases[1])
    git(work, "push", "--force", str(hub), f"{again}:{STEM}/beat-1", env=WORKER)
    git(work, "push", str(hub), f":{STEM}/attempt-1", f":{STEM}/beat-1")  # who keeps the hub cleans it up


@pytest.mark.soak
def test_waves_run_with_a_hub_that_enforces_its_rules(hosts: Hosts, elsewhere: Make) -> None:
    repo = elsewhere(hosts, without_verbs=WITHOUT_VERBS)
    install_hook(repo, repo.hub)
    with (repo.machines / "worker.sh").open("a") as file:
        file.write("export ULTRA_HUB_WORKER=1\n")
    end = repo.waves(f"--on {hosts.on} --jobs 2")
    assert end["result"] == "completed", end
    merged_once(repo)


def test_a_hub_that_cannot_be_used_is_one_sentence(make: Make) -> None:
    repo = make(files={"README.md": "x\n", ".claude/ultra.yaml": "ssh:\n  hosts: [nowhere.invalid]\n"})
    said = repo.refused(f"waves start {PLAN} --on ssh")
    assert "the settings name no hub, through which machines exchange commits: make a bare repository" in said
    for hub, why in (
        ("nowhere.git", "the hub does not answer"),
        (".", "the hub is this repository itself"),
    ):
        repo.write({".claude/ultra.yaml": f"hub: {hub}\nssh:\n  hosts: [nowhere.invalid]\n"})
        repo.git("commit", "--quiet", "--message=chore: hub", "--", ".claude/ultra.yaml")
        assert why in repo.refused(f"waves start {PLAN} --on ssh")
    repo.write({".claude/ultra.yaml": "hub: nowhere.git\n"})
    repo.git("commit", "--quiet", "--message=chore: no hosts", "--", ".claude/ultra.yaml")
    assert "the settings name no hosts: list them as `hosts` under `ssh`" in repo.refused(
        f"waves start {PLAN} --on ssh"
    )


def test_an_engine_that_is_not_installed_is_one_sentence(make: Make, tmp_path: Path) -> None:
    repo = make(files={"README.md": "x\n", ".claude/ultra.yaml": "hub: ../hub.git\nssh:\n  hosts: [one]\n"})
    git(tmp_path, "init", "--quiet", "--bare", str(tmp_path / "hub.git"))
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("git", "bash", "sh", "env", "python3", "dirname", "readlink"):
        found = next(Path(one) / name for one in repo.env["PATH"].split(":") if (Path(one) / name).exists())
        (bare / name).symlink_to(found)
    repo.env["PATH"] = str(bare)
    for on, programs, package in (
        ("ssh", "parallel, ssh", "parallel"),
        ("slurm", "sbatch, squeue", "slurm-client"),
    ):
        said = repo.refused(f"waves start {PLAN} --on {on}")
        assert programs in said
        assert f"install {package}" in said
