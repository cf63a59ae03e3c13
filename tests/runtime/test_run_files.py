"""The names of a run's files are known in one place."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.kit.imports import PACKAGE
from ultra_runtime.files.run_files import (
    ALONE,
    FOLDER,
    LOCK,
    PROGRESS,
    SESSION_STATE,
    STEP,
    lock_path,
    progress_files,
    progress_name,
)
from ultra_runtime.hooks.guard import run_text

HERE = PACKAGE / "files/run_files.py"
# The guard's hook looks before it imports anything.
FIRST = PACKAGE / "hooks/guard.py"


def test_the_files_of_a_project_are_found_with_their_sessions(tmp_path: Path) -> None:
    names = ["progress.json", "progress-session-10.json", "progress-session-2.json"]
    others = [
        "progress-session-.json",
        "progress-session-x.json",
        "progress-session-02.json",
        "progress-old.json",
    ]
    others += [
        "progress.json.prev",
        "progress-session-1.json.prev",
        "progress-session-\u0661.json",
        "plan.md",
    ]
    for name in names + others:
        (tmp_path / name).write_text("{}")
    assert list(progress_files(str(tmp_path)).items()) == [
        ("progress.json", None),
        ("progress-session-2.json", 2),
        ("progress-session-10.json", 10),
    ]
    assert progress_files(str(tmp_path / "none")) == {}


def test_a_progress_file_is_named_for_its_run() -> None:
    assert progress_name() == PROGRESS == "progress.json"
    assert progress_name(3) == "progress-session-3.json"
    assert progress_name(plan="greet") == ".ultraexecute-progress-greet.json"
    assert progress_name(3, "greet") == ".ultraexecute-progress-greet-session-3.json"


def test_the_guard_looks_at_the_lock_where_the_runtime_writes_it(tmp_path: Path) -> None:
    lock = Path(lock_path(str(tmp_path)))
    lock.parent.mkdir()
    lock.write_text("whose run it is")
    assert run_text(str(tmp_path), FOLDER) == "whose run it is"


def test_no_other_module_spells_a_name_of_the_git_dir() -> None:
    found = []
    for path in sorted(set(PACKAGE.rglob("*.py")) - {HERE, FIRST}):
        words = [
            node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)
        ]
        found += [(path.stem, word) for word in words if word in (LOCK, STEP, ALONE, SESSION_STATE)]
    assert found == []
