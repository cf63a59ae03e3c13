"""The small decisions of a work, each on its own: graph, tables, XML, tags, batches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ultra_runtime.tables.limits import MESSAGE_KILOBYTES

from ultra_runtime.contract.dependencies import distances, find_cycle, in_order, read_ids, states
from ultra_runtime.contract.rows import file_fault, read_code, read_rows
from ultra_runtime.text.xmltext import DEEPEST, XmlError, element, read_xml, verbatim
from ultra_runtime.works.side_by_side import batch
from ultra_runtime.works.tags import TAGS, is_auto, resumed_work, tag_of, without_tag
from ultra_runtime.works.work_documents import Task

GRAPH = {"TASK-01": (), "TASK-02": ("TASK-01",), "TASK-03": ("TASK-02",), "TASK-04": ("TASK-03", "TASK-01")}


def test_states_of_tasks() -> None:
    assert states(GRAPH, ["TASK-01"]) == {
        "TASK-01": "DONE",
        "TASK-02": "READY",
        "TASK-03": "BLOCKED",
        "TASK-04": "BLOCKED",
    }
    assert distances(GRAPH, "TASK-04") == {"TASK-03": 1, "TASK-01": 1, "TASK-02": 2}


TASKS = ("A", "B", "C", "D")


@given(
    st.lists(st.tuples(st.sampled_from(TASKS), st.sampled_from(TASKS)), max_size=6),
    st.sets(st.sampled_from(TASKS)),
)
def test_a_task_is_ready_when_all_that_it_depends_on_is_done(
    pairs: list[tuple[str, str]], done: set[str]
) -> None:
    graph = {task: tuple(sorted({a for a, b in pairs if b == task and a < b})) for task in TASKS}
    found = states(graph, done)
    assert sorted(found) == sorted(TASKS)
    for task, state in found.items():
        lacking = [other for other in graph[task] if other not in done]
        assert state == ("DONE" if task in done else "BLOCKED" if lacking else "READY")
        assert all([*found].index(other) < [*found].index(task) for other in graph[task])


def test_a_cycle_is_named_and_what_leads_to_it_is_not() -> None:
    graph = {
        "TASK-01": ("TASK-03",),
        "TASK-02": ("TASK-01",),
        "TASK-03": ("TASK-02",),
        "TASK-04": ("TASK-01",),
    }
    assert find_cycle(graph) == ["TASK-01", "TASK-03", "TASK-02", "TASK-01"]
    assert (find_cycle(GRAPH), in_order(graph)) == ([], [])
    assert find_cycle({"TASK-01": ("TASK-01",)}) == ["TASK-01", "TASK-01"]


def test_lists_of_tasks() -> None:
    assert read_ids("TASK-01, `TASK-02`") == ("TASK-01", "TASK-02")
    assert [read_ids(text) for text in ("none", "", "-", "None")] == [()] * 4


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (["a/b.py", "CREATE", "x"], ""),
        (["a/b.py", "create"], "no action"),
        (["a/b.py"], "no action"),
        (["/etc/passwd", "MODIFY"], "no path"),
        (["a/../../b", "MODIFY"], "no path"),
        (["~/x", "MODIFY"], "no path"),
        (["a/*.py", "MODIFY"], "one file"),
        (["a/", "CREATE"], "one file"),
    ],
)
def test_rows_of_files(row: list[str], fault: str) -> None:
    assert fault in file_fault(row)
    assert bool(file_fault(row)) == bool(fault)


def test_tables_and_commands_are_read() -> None:
    table = "| Path | Action |\n|---|---|\n| `a.py` | CREATE |\n| b.py | DELETE |"
    assert read_rows(table) == [["a.py", "CREATE"], ["b.py", "DELETE"]]
    assert read_code("- `one` and `two`\n- ``a `b` c``\ntext `no`\n* `three`") == ["one", "a `b` c", "three"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<a><b></a>", "mismatched tag"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "document type or an entity"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "document type or an entity"),
        ("<a>&undefined;</a>", "undefined entity"),
        ("<?php x?><a/>", "document type or an entity"),
        ("<a>" * (DEEPEST + 1), f"deeper than {DEEPEST}"),
        ("", "no element found"),
        ("<a>" + "x" * (MESSAGE_KILOBYTES * 1024) + "</a>", f"more than {MESSAGE_KILOBYTES} KiB"),
    ],
)
def test_hostile_xml_is_one_sentence(text: str, fault: str) -> None:
    with pytest.raises(XmlError) as raised:
        read_xml(text)
    assert fault in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_is_written_is_read_again() -> None:
    text = 'a < b & "c" > d\x00\x1b\n ]]> é 한'
    found = read_xml(element("a", {"k": 'q"<\n'}, [element("b", {}, text)]))
    assert found.words("b") == text.replace("\x00", "").replace("\x1b", "")
    assert found.attributes == {"k": 'q"< '}
    shown = verbatim("a", "> `<b>` & ]]> so")
    assert ("> `<b>` &" in shown, read_xml(shown).text) == (True, "> `<b>` & ]]> so")
    nested = "<a>" * DEEPEST + "</a>" * DEEPEST
    assert read_xml(nested).name == "a"


def test_tags_and_words() -> None:
    assert [tag_of(f"[{tag}] x") for tag in TAGS] == list(TAGS)
    assert [tag_of(text) for text in ("[NEW-FEATURE] x", "x [bugfix]", "[link](x)", "[x")] == [
        "new-feature",
        "",
        "",
        "",
    ]
    assert without_tag(" [bugfix]  it ") == "it"
    assert [is_auto(text) for text in ("auto: x", "[docs] x, auto", "x 자동으로", "automatic", "auto-save x")] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert [resumed_work(text) for text in ("resume work-01.", "Resume WORK-12 please", "resume it", "WORK-01")] == [
        "WORK-01", "WORK-12", "", "",
    ]  # fmt: skip


def test_only_tasks_without_a_file_in_common_are_built_together() -> None:
    tasks = [
        Task(name, "", (), dict.fromkeys(files, "CREATE"), [])
        for name, files in (("1", "ab"), ("2", "bc"), ("3", "cd"))
    ]
    assert [task.name for task in batch(tasks)] == ["1", "3"]
