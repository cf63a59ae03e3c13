"""The check beside the client's validator, agnix and skillsaw: processor time of each plugin, and which defects each finds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench import recall
from tests.bench.measure import show
from tests.check import test_files, test_frontmatter, test_hooks, test_manifest, test_names, test_promises
from tests.check import test_references as references
from tests.check.plugins import changed, write
from tests.client.fixtures import require_client
from tests.client.session import Client, Home

TABLES = (test_files, test_frontmatter, test_hooks, test_manifest, test_names, test_promises, references)
PLUGINS = 20
"""Good plugins whose processor time is compared."""


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory(prefix="ultra-bench-") as place:
        root = Path(place)
        client = Client(require_client(), Home.create(root / "home"))
        folders = [str(write(root / f"good/{number}", changed({}))) for number in range(PLUGINS)]
        compared = recall.tools(client.binary)
        taken = {
            name: recall.processor_time(tool, list(map(Path, folders))) for name, tool in compared.items()
        }
        found = _recall(root, client)
        recall.recall(root, compared)
    ours = taken.pop("ours")
    rows = [(f"of the processor time of {name} a plugin", f"{ours / one:.3f}") for name, one in taken.items()]
    rows += [
        (f"classes of defects that {who} finds", f"{count} of {len(found)}") for who, count in _counts(found)
    ]
    rows += [
        ("not found by us", ", ".join(sorted(code for code, pair in found.items() if not pair[0])) or "none")
    ]
    show(f"The check of {PLUGINS} plugins in one process, and one defect of each class", rows)


def _counts(found: dict[str, tuple[bool, bool]]) -> list[tuple[str, int]]:
    return [
        ("the check", sum(pair[0] for pair in found.values())),
        ("the client", sum(pair[1] for pair in found.values())),
    ]


def _checked(folders: list[str]) -> list[dict[str, str]]:
    command = [sys.executable, "-m", "ultra_plugin", "check", "--client", "off", "--json", "-"]
    done = subprocess.run(
        command, input="\n".join(folders), text=True, capture_output=True, env=dict(os.environ), check=False
    )
    problems: list[dict[str, str]] = json.loads(done.stdout)["problems"]
    return problems


def _validated(client: Client, folder: Path) -> bool:
    """Say whether the client's validator has anything to say."""
    done = client.run("plugin", "validate", "--strict", "--profile", "directory", str(folder))
    return done.status != 0


def _recall(root: Path, client: Client) -> dict[str, tuple[bool, bool]]:
    """Return code -> found by us, found by the client, for the first defect of every class."""
    first = {case.code: case for table in reversed(TABLES) for case in reversed(table.CASES)}
    folders = {code: write(root / f"bad/{code}", changed(case.change)) for code, case in first.items()}
    ours = {
        (problem["path"].split("/bad/")[1].split("/")[0], problem["code"])
        for problem in _checked(list(map(str, folders.values())))
    }
    asked = recall.counted("client, a defect of each code", folders.items(), len(folders))
    return {code: ((code, code) in ours, _validated(client, folder)) for code, folder in asked}
