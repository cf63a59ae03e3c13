"""The merge rules of data: mappings by key, rules by id, lists as a whole or edited."""

from __future__ import annotations

import pytest
import yaml

from ultra_plugin.errors import ProblemsFound
from ultra_plugin.overlay.patch import Merge
from ultra_plugin.overlay.values import read_value, written

BASE = """\
title: Brief
fields:
  task: {type: text, means: The task.}
  mood: {type: text, values: {calm: There is time.}}
places: [a, b]
mixed: [a, [b], {c: d}]
none: []
rules:
  - {id: first, why: one}
  - {id: second, why: two}
"""


def merge(patch: str) -> Merge:
    return Merge(read_value("upstream.yaml", BASE.encode()), read_value("own.yaml", patch.encode()))


def changed(patch: str) -> dict[str, object]:
    """Return the top keys that a patch changes, with their new values."""
    found = merge(patch)
    assert found.problems == []
    before, after = yaml.safe_load(BASE), yaml.safe_load(written(found.value)[0])
    assert list(after)[: len(before)] == [key for key in before if key in after]
    return {key: value for key, value in after.items() if before.get(key) != value}


@pytest.mark.parametrize(
    ("patch", "key", "value"),
    [
        ("title: Order", "title", "Order"),
        ("added: 5", "added", 5),
        ("places: [c]", "places", ["c"]),
        ("places: {$before: [z], $after: [c, d], $remove: [a]}", "places", ["z", "b", "c", "d"]),
        ("places: {$after: c}", "places", ["a", "b", "c"]),
        ("rules: [{id: second, why: zwei}]", "rules", [{"id": "first", "why": "one"}, {"id": "second", "why": "zwei"}]),
        ("rules: [{id: second, $remove: true}]", "rules", [{"id": "first", "why": "one"}]),
        ("rules: [{id: new, $before: second}]", "rules", [{"id": "first", "why": "one"}, {"id": "new"}, {"id": "second", "why": "two"}]),
        ("rules: [{id: second, $before: first}]", "rules", [{"id": "second", "why": "two"}, {"id": "first", "why": "one"}]),
        ("rules: [{id: new, $after: first}]", "rules", [{"id": "first", "why": "one"}, {"id": "new"}, {"id": "second", "why": "two"}]),
        ("rules: [{id: new}]", "rules", [{"id": "first", "why": "one"}, {"id": "second", "why": "two"}, {"id": "new"}]),
        ("fields: {mood: {values: {tense: None left.}}}", "fields", {"task": {"type": "text", "means": "The task."}, "mood": {"type": "text", "values": {"calm": "There is time.", "tense": "None left."}}}),
        ("fields: {$remove: [task]}", "fields", {"mood": {"type": "text", "values": {"calm": "There is time."}}}),
        ("rules: [plain]", "rules", ["plain"]),
        ("rules: [{why: one}]", "rules", [{"why": "one"}]),
        ("mixed: {$remove: a}", "mixed", [["b"], {"c": "d"}]),
        ("mixed: {other: 1}", "mixed", {"other": 1}),
        ("added: {a: {$before: x, b: [{$after: y, c: 1}]}}", "added", {"a": {"b": [{"c": 1}]}}),
        ("none: [{id: a, $after: b}]", "none", [{"id": "a"}]),
        ("fields: {mood: {values: {$remove: calm, tense: x}}}", "fields", {"task": {"type": "text", "means": "The task."}, "mood": {"type": "text", "values": {"tense": "x"}}}),
    ],
)  # fmt: skip
def test_a_patch_changes_what_it_names(patch: str, key: str, value: object) -> None:
    assert changed(patch) == {key: value}


@pytest.mark.parametrize(("patch", "order"), [("{$before: task, type: date}", "due task mood"), ("{$after: task, type: date}", "task due mood"), ("{type: date}", "task mood due")])  # fmt: skip
def test_a_new_key_stands_where_the_patch_says(patch: str, order: str) -> None:
    fields = changed(f"fields: {{due: {patch}}}")["fields"]
    assert isinstance(fields, dict)
    assert " ".join(fields) == order
    assert fields["due"] == {"type": "date"}


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        ("title: x\nfields:\n  $remove: [mod]", "own.yaml:3: unknown-key: the patch removes 'mod', which upstream does not have in 'fields' (did you mean 'mood'?)"),
        ("fields: {due: {$after: tsk}}", "own.yaml:1: unknown-key: the patch puts 'due' after 'tsk', which upstream does not have in 'fields' (did you mean 'task'?)"),
        ("rules:\n  - {id: frist, $remove: true}", "own.yaml:2: unknown-key: the patch removes 'frist', which upstream does not have in 'rules' (did you mean 'first'?)"),
        ("places: {$remove: [c]}", "own.yaml:1: unknown-key: the patch removes 'c', which upstream does not have in 'places' (known: a, b)"),
        ("mixed: {$remove: [b]}", "own.yaml:1: unknown-key: the patch removes 'b', which upstream does not have in 'mixed' (known: a)"),
        ("mixed: {$remove: ['']}", "own.yaml:1: unknown-key: the patch removes '', which upstream does not have in 'mixed' (known: a)"),
        ("$remove: tile", "own.yaml:1: unknown-key: the patch removes 'tile', which upstream does not have (did you mean 'title'?)"),
        ("rules: [{id: new, why: {$remove: x}}]", "own.yaml:1: unknown-key: '$remove' has nothing to remove here (name a key that upstream has)"),
        ("added: {$remove: [x]}", "own.yaml:1: unknown-key: '$remove' has nothing to remove here (name a key that upstream has)"),
    ],
)  # fmt: skip
def test_a_name_that_is_not_there_is_a_problem(patch: str, told: str) -> None:
    assert [str(one) for one in merge(patch).problems] == [told]


def test_the_parts_below_a_patch_are_known() -> None:
    found = merge(
        "title: x\nadded: 1\nfields: {$remove: [task], mood: {type: date, new: 1}}\nplaces: {$after: c}\nnone: [{id: a}]\n"
        "rules: [{id: first, why: x}, {id: second, $remove: true}, {id: third}]"
    )
    below = {part: yaml.safe_load(written(value)[0]) for part, value in found.overridden.items()}
    assert below == {
        "title": "Brief",
        "fields/task": {"type": "text", "means": "The task."},
        "fields/mood/type": "text",
        "places": ["a", "b"],
        "none": [],
        "rules/first/why": "one",
        "rules/second": {"id": "second", "why": "two"},
    }


def test_each_line_knows_its_layer() -> None:
    text, places = written(merge("\n\ntitle: Order\nfields: {due: {type: date}}").value)
    lines = dict(zip(text.decode().split("\n"), places, strict=False))
    assert lines['title: "Order"'] == ("own.yaml", 3)
    assert lines["  due:"] == ("own.yaml", 4)
    assert lines["  mood:"] == ("upstream.yaml", 4)
    assert lines["fields:"] == ("upstream.yaml", 2)


@pytest.mark.parametrize("order", ["$before", "$after"])
@pytest.mark.parametrize("moved", "abcd")
@pytest.mark.parametrize("anchor", "abcd")
@pytest.mark.parametrize("kind", ["mapping", "rules"])
def test_only_the_key_that_an_order_names_is_moved(order: str, moved: str, anchor: str, kind: str) -> None:
    """Whatever is moved stands right beside its anchor; the others keep their order."""
    if moved == anchor:
        return
    base, patch = ("{a: {}, b: {}, c: {}}", f"{{{moved}: {{{order}: {anchor}}}}}") if kind == "mapping" else (
        "{r: [{id: a}, {id: b}, {id: c}]}", f"{{r: [{{id: {moved}, {order}: {anchor}}}]}}")  # fmt: skip
    found = Merge(read_value("upstream.yaml", base.encode()), read_value("own.yaml", patch.encode()))
    value = yaml.safe_load(written(found.value)[0])
    names = [*value] if kind == "mapping" else [rule["id"] for rule in value["r"]]
    rest = [name for name in "abc" if name != moved]
    if anchor in rest:
        rest.insert(rest.index(anchor) + (order == "$after"), moved)
    else:
        rest = [name for name in "abcd" if name in ("a", "b", "c", moved)]
    assert (names, len(found.problems)) == (rest, anchor == "d")


def test_a_text_comes_back_as_it_was() -> None:
    base = 'a: "x: #y\\n z"\nb: "2.0"\nc: 2.0\n"on": true\nd: \'it is "so"\'\ne: []\nf: {}\ng: null\n"h i": [[1], {j: k}]\n'
    assert yaml.safe_load(written(read_value("x", base.encode()))[0]) == yaml.safe_load(base)


def test_a_limit_stays_as_it_is_written() -> None:
    base = "a: {{ limit.attempts }}\nb: \"{{ limit.attempts }}\"\nc: At most {{ limit_word('attempts') }} times.\n"
    text = written(read_value("x", base.encode()))[0].decode()
    assert written(read_value("x", '"ü": "é"\n'.encode()))[0].decode() == '"ü": "é"\n'
    assert text == base.replace("At most", '"At most').replace("times.", 'times."')


def test_a_key_that_is_there_twice_is_refused() -> None:
    with pytest.raises(
        ProblemsFound, match=r"own\.yaml:2: duplicate-key: 'a' is listed twice, first in line 1"
    ):
        read_value("own.yaml", b"a: 1\na: 2\n")
