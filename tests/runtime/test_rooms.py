"""The rooms of the runtime: what stands where, which way imports point, and that no name means two things."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from tests.kit.imports import PACKAGE, imports, module_name, runtime_graph
from tests.kit.table import each

SHELL = (
    "__init__",
    "__main__",
    "answer",
    "errors",
    "help_text",
    "rendered",
    "struct",
    "typed",
    "usage",
    "words",
)
# From the top of the house to its cellar: a room imports only rooms further down this list.
ROOMS = (
    "__main__", "verbs", "hooks", "waves", "status", "doctor", "engines", "standing", "artifacts", "planning", "research", "review", "brief",
    "architecture", "works",
    "run.life", "run.step", "proof", "run.state", "run.tree", "checkout", "plan",
    "guard", "guard.follow", "guard.rules", "guard.shell", "guard.policy", "contract", "files", "text",
    "help_text", "usage", "answer", "rendered", "words", "errors", "struct", "typed",
)  # fmt: skip
# A verb and an event have the names that users and the client give them.
DOORS = ("verbs", "hooks")
# Imports for annotations count too, except these: run/tree works on the records that run/state keeps, and gets
# them as arguments.
NAMED_ABOVE = {("run.tree", "run.state")}
# What every stage may have of its own.
ROLES = {"gate", "standing"}


def room(module: str) -> str:
    """Return the room of a module, named without the package."""
    parts = module.split(".")[1:]
    return next(name for name in (".".join(parts[:2]), parts[0]) if name in ROOMS)


FILES = [path for path in PACKAGE.rglob("*.py") if "tables" not in path.parts and path.stem != "__init__"]
MODULES = sorted(module_name(path) for path in FILES)


def test_nothing_but_the_shell_is_at_the_top() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} == set(SHELL)
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()} - {"__pycache__", "tables"}
    assert folders == {name.partition(".")[0] for name in ROOMS} - set(SHELL)


@each(MODULES)
def test_a_room_imports_only_rooms_below_it(module: str) -> None:
    here = room(module)
    named = imports(PACKAGE / f"{module.replace('.', '/')[14:]}.py", typing=True)
    for name in named:
        if name.startswith("ultra_runtime.") and not name.startswith("ultra_runtime.tables"):
            is_named = name not in runtime_graph()[module] and (here, room(name)) in NAMED_ABOVE
            assert is_named or ROOMS.index(room(name)) >= ROOMS.index(here), f"{here} imports {name}"


def test_no_module_name_exists_twice() -> None:
    stems = Counter(
        name.rpartition(".")[2] for name in MODULES if room(name) not in DOORS and "__" not in name
    )
    assert [stem for stem, count in stems.items() if count > 1 and stem not in ROLES] == []


def classes(path: Path) -> list[str]:
    """Return the public classes of a module."""
    body = ast.parse(path.read_text()).body
    return [node.name for node in body if isinstance(node, ast.ClassDef) and node.name[0] != "_"]


def test_no_class_name_exists_twice() -> None:
    counts = Counter(name for path in PACKAGE.rglob("*.py") for name in classes(path))
    assert [name for name, count in counts.items() if count > 1] == []
