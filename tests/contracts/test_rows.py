"""Tables and lists in the files of a work: what was written is what is read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.kit.table import each
from ultra_runtime.contract.rows import ACTIONS, file_fault, read_code, read_rows

CELL = st.text("abc/._ -:1", min_size=1, max_size=8).map(lambda text: f"x{text}x")
PROSE = st.sampled_from(["", "Some words.", "- no code here", "-`x`", "1. `x`", "`x` alone"])


@given(st.lists(st.lists(CELL, min_size=1, max_size=4), max_size=4), st.booleans(), PROSE)
def test_a_table_is_read_as_it_was_written(rows: list[list[str]], quoted: bool, prose: str) -> None:
    mark = "`" if quoted else ""
    lines = [" | ".join(f"{mark}{cell}{mark}" for cell in row) for row in rows]
    table = ["| Path | Action |", "|:--|---|", *(f"  | {line} |" for line in lines)]
    assert read_rows("\n".join([prose, *table, prose])) == rows


@given(st.lists(CELL, max_size=4), st.sampled_from(["-", "*"]), st.sampled_from(["`", "``"]), PROSE)
def test_the_first_code_of_each_item_is_read(items: list[str], sign: str, mark: str, prose: str) -> None:
    lines = [f"  {sign}  {mark} {item} {mark} and `more`" for item in items]
    assert read_code("\n".join([prose, *lines, prose])) == items


GOOD = ("a", "a/b.py", ".env", "a..b", "a/.b/c")
BAD = ("", "/a", "~/a", "../a", "a/../b", "a\\b", "a/", "a*", "a?b")


@each([*((path, "") for path in GOOD), *((path, "path file") for path in BAD)])
def test_a_row_of_files_names_one_file_and_what_happens_to_it(path: str, fault: str) -> None:
    for action in ACTIONS:
        said = file_fault([path, action])
        assert bool(said) == bool(fault)
        assert not said or any(word in said for word in fault.split())
    for row in ([path], [path, "COPY"], [path, ""]):
        assert file_fault(row)


def test_a_table_may_have_no_line_below_its_head() -> None:
    assert read_rows("| File |\n| a |\n| b |") == [["a"], ["b"]]
    assert read_rows("| File |") == []
