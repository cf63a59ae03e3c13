"""What `make mutants` reads: every module has one room, and every excuse belongs to a line that exists."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.kit.names import ROOT
from tests.mutants.rooms import PLACES, equivalents, files_of, rooms
from tests.mutants.swap import swap, swapped_codes


def test_every_module_is_in_one_room_and_every_room_has_tests() -> None:
    found = Counter(path for room in rooms() for path in room.files())
    assert set(found) == {path for place in PLACES.values() for path in (ROOT / place).rglob("*.py")}
    assert set(found.values()) == {1}
    for room in rooms():
        assert room.killed >= 90
        assert all(files_of(name) for name in room.tests), room


def test_tests_with_the_name_of_a_module_come_first() -> None:
    (room,) = [room for room in rooms() if room.name == "run"]
    first = room.noticing("plugin_src/runtime/ultra_runtime/run/tree/undo.py")[0]
    assert first == "tests/executor/test_undo_exact.py"
    assert set(room.noticing()) == set(room.noticing("x/undo.py"))


def test_tests_that_decide_in_the_process_come_before_those_that_need_a_bundle() -> None:
    (room,) = [room for room in rooms() if room.name == "guard"]
    order = room.noticing("plugin_src/runtime/ultra_runtime/guard/follow/launch.py")
    assert order.index("tests/guard/test_verdict.py") < order.index("tests/guard/test_added_rules.py")
    assert order.index("tests/guard/test_carriers.py") < order.index("tests/guard/test_hook.py")


def test_loaded_functions_get_the_code_of_a_faulty_module() -> None:
    before = "def f():\n    return [x for x in (1, 2)]\n\n\nclass A:\n    def g(self):\n        return 1\n\n\nB = 1\n"
    path = "/nowhere/m.py"
    space: dict[str, Any] = {}
    exec(compile(before, path, "exec", dont_inherit=True), space)  # noqa: S102
    after = before.replace("(1, 2)", "\\\n(1, 3)").replace("return 1", "return 2")
    codes = swapped_codes(before, after, path)
    assert {name for name, _ in codes} == {"f", "g"}
    assert swap(codes, path) == set(codes)
    assert (space["f"](), space["A"]().g()) == ([1, 3], 2)
    assert swapped_codes(before, before.replace("B = 1", "B = 2"), path) == {}
    assert swapped_codes(before, before.replace("B = 1", "B = True"), path) == {}


def test_every_fault_that_is_excused_is_of_a_line_that_exists() -> None:
    texts = {path.as_posix(): path.read_text() for room in rooms() for path in room.files()}
    for one in equivalents():
        assert set(one) == {"file", "was", "now", "because"}
        assert len(one["because"]) > 20
        assert isinstance(one["now"], list)
        assert one["was"] not in one["now"]
        (text,) = [text for path, text in texts.items() if path.endswith(f"/{one['file']}")]
        assert " ".join(one["was"].split()) in " ".join(text.split()), one
