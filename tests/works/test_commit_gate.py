"""The commit gate as a function: what a builder says, what changed and what the task names must be the same."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from pathlib import Path

from tests.kit.names import SOURCES
from tests.kit.repository import make_repository

# Runs in the bundle of the plugin, whose contracts the tests of the flagship do not load.
SCRIPT = """
import json, sys
from ultra_runtime.run.tree.snapshot import Change, Entry
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.works.tasks import gate_faults
from ultra_runtime.works.work_documents import Task
from ultra_runtime.works.work_place import WorkOrder
work, entry, told = WorkOrder(find_workspace(), "WORK-01"), Entry("100644", "1" * 40), []
sides = {"CREATE": (None, entry), "MODIFY": (entry, entry), "DELETE": (entry, None)}
for text, files, done in json.load(sys.stdin):
    with open(work.path("task-progress", "TASK-01"), "w") as file:
        file.write(text)
    task = Task("TASK-01", "A task", (), files, ["true"])
    told.append(gate_faults(work, task, [Change(path, *sides[how]) for path, how in done.items()]))
print(json.dumps(told))
"""
ACTIONS = ("", "CREATE", "MODIFY", "DELETE")


def test_a_task_is_committed_if_and_only_if_it_is_what_it_says(
    works_bundle: Path, tmp_path: Path, python: Path
) -> None:
    repo = make_repository(tmp_path / "repo", {"works/WORK-01/x": ""})
    text = (SOURCES / "contracts/fixtures/task-progress/valid.md").read_text()
    head, _, rest = text.partition("## Files changed\n")
    after = rest[rest.find("\n## ") :] if "\n## " in rest else ""
    rows, expected = [], []
    for named, done, said, title, status in itertools.product(
        ACTIONS[1:],
        ACTIONS,
        ((), ("a.py",), ("a.py", "b.py"), ("b.py",)),
        ("TASK-01", "TASK-02"),
        ("COMPLETED", "IN_PROGRESS"),
    ):
        listed = "".join(f"- `{path}`\n" for path in said)
        made = head.replace("# TASK-01", f"# {title}", 1).replace("COMPLETED", status, 1)
        rows.append(
            (f"{made}## Files changed\n\n{listed}{after}", {"a.py": named}, {"a.py": done} if done else {})
        )
        changed = {"a.py"} if done else set()
        expected.append(
            {
                "its title must begin with": title != "TASK-01",
                "must be COMPLETED, not": status != "COMPLETED",
                "lists no file in backticks": not said,
                "which did not change": bool({*said} - changed),
                "which changed": bool(said and changed - {*said}),
                "a.py must be": done != named,
            }
        )
    told = subprocess.run(
        [python / "python3", "-c", SCRIPT], cwd=repo, input=json.dumps(rows), text=True, check=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(works_bundle / "runtime")},
    ).stdout  # fmt: skip
    for row, faults, wrong in zip(rows, json.loads(told), expected, strict=True):
        assert {words for words, holds in wrong.items() if holds} == {
            words for words in wrong if any(words in fault for fault in faults)
        }, (row, faults)
