"""The pages about other machines: their commands are run as they stand, against the stand-ins."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.waves.elsewhere import Cluster, Hosts, Machines
from tests.waves.sample import WITHOUT_VERBS, Waves

Make = Callable[..., Waves]


def blocks(bundle: Path, page: str) -> list[tuple[str, str]]:
    """Return the examples of a page: language and text."""
    text = (bundle / "docs" / page).read_text()
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def follow(repo: Waves, page: str, instead: dict[str, str]) -> None:
    """Do what a page says: write its settings, run its commands; `instead` is what differs on this machine."""
    own = repo.folder.parent
    env = {**repo.env, "HOME": str(own), "PATH": f"{repo.bundle}/bin:{repo.env['PATH']}"}
    for language, text in blocks(repo.bundle, page):
        for old, new in instead.items():
            text = text.replace(old, new)
        if language == "yaml":
            repo.write({".claude/ultra.yaml": f"proof: off\n{text}"})
            continue
        assert language == "sh"
        done = subprocess.run(
            ["bash", "-e", "-c", text], cwd=repo.folder, env=env, capture_output=True, text=True, check=False, timeout=240
        )  # fmt: skip
        assert done.returncode == 0, (text, done.stdout, done.stderr)
    end = repo.wait()
    assert end["result"] == "completed", end


def prepared(machines: Machines, elsewhere: Make) -> Waves:
    repo = elsewhere(machines, without_verbs=WITHOUT_VERBS)
    repo.git("rm", "--quiet", ".claude/ultra.yaml")
    repo.git("commit", "--quiet", "--message=chore: no settings yet")
    return repo


@pytest.mark.soak
def test_two_spare_machines(hosts: Hosts, elsewhere: Make) -> None:
    repo = prepared(hosts, elsewhere)
    own = repo.folder.parent
    instead = {
        "ssh://you@laptop.example/home/you/waves.git": f"{own}/waves.git",
        ". ~/.profile": f". {own}/worker.sh",
        "hosts: [alpha, beta]": f"hosts: [one, two]\n  options: [-F, {hosts.config}]",
    }
    follow(repo, "TWO-MACHINES.md", instead)


@pytest.mark.soak
def test_on_a_cluster(cluster: Cluster, elsewhere: Make) -> None:
    repo = prepared(cluster, elsewhere)
    own = repo.folder.parent
    instead = {
        "module load git python": f". {own}/worker.sh",
        "partition: short": "partition: work",
        "--mem=4G": "--mem=1M",
    }
    follow(repo, "CLUSTER.md", instead)


def test_a_page_without_commands_would_be_noticed(bundle: Path) -> None:
    for page in ("TWO-MACHINES.md", "CLUSTER.md"):
        found = [language for language, _ in blocks(bundle, page)]
        assert found.count("sh") >= 3
        assert found.count("yaml") == 1
