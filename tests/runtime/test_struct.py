"""Plain values: the constructor that a type checker and a reader see is the one that runs."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

from tests.kit.names import RUNTIME
from tests.kit.table import each
from ultra_runtime import Finder
from ultra_runtime.struct import Struct


class Point(Struct):
    """A point."""

    x: int
    y: int = 2
    name: str = ""


def test_values_come_in_order_or_by_name() -> None:
    point = Point(1, name="a")
    assert (point.x, point.y, point.name) == (1, 2, "a")
    point.y = 3
    assert (point.y, Point(1).y) == (3, 2)


def test_a_type_checker_refuses_a_wrong_call(tmp_path: Path) -> None:
    script = tmp_path / "wrong.py"
    script.write_text(
        "from ultra_runtime.struct import Struct\n\n\nclass Point(Struct):\n    x: int\n    y: int = 2\n\n\n"
        "Point(1)\nPoint()\nPoint('a')\nPoint(1, z=3)\n"
    )
    call = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script)]
    done = subprocess.run(
        call, env={"MYPYPATH": str(RUNTIME)}, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert [line.split(":")[1] for line in done.stdout.splitlines() if "error:" in line] == ["10", "11", "12"]


MODULES = [
    path.relative_to(RUNTIME).with_suffix("").as_posix() for path in RUNTIME.glob("ultra_runtime/**/*.py")
]


@each(name.removesuffix("/__init__") for name in MODULES if name != "ultra_runtime/__init__")
def test_a_module_of_the_runtime_is_found_where_python_finds_it(name: str) -> None:
    folder, dotted = str(RUNTIME / Path(name).parent), name.replace("/", ".")
    ours, theirs = Finder.find_spec(dotted, [folder]), PathFinder.find_spec(dotted, [folder])
    assert ours
    assert theirs
    for part in ("name", "origin", "cached", "has_location", "parent", "submodule_search_locations"):
        assert getattr(ours, part) == getattr(theirs, part), part
    is_bare = ours.submodule_search_locations is not None and dotted != "ultra_runtime.tables"
    assert type(ours.loader) is (type(None) if is_bare else type(theirs.loader))
    assert Finder.find_spec(f"{dotted}_", [folder]) is None
    assert (
        Finder.find_spec(dotted) is Finder.find_spec("json", [folder]) is Finder.find_spec(dotted, []) is None
    )
