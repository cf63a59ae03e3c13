"""The schema of the messages says what the code makes and accepts."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.works.conftest import Office
from tests.works.crew import SIX, Order

XS = "{http://www.w3.org/2001/XMLSchema}"
Node = ElementTree.Element


class Schema:
    """The part of XML Schema that messages.xsd uses: names, how often, attributes, enumerations."""

    def __init__(self, file: Path) -> None:
        self.top = ElementTree.fromstring(file.read_text())  # noqa: S314  # our own schema
        self.types = {one.get("name"): one for one in self.top if one.tag != f"{XS}element"}

    def faults(self, text: str) -> list[str]:
        """Return what is wrong with a message."""
        node = ElementTree.fromstring(text)  # noqa: S314  # our own message
        (declared,) = [one for one in self.top.findall(f"{XS}element") if one.get("name") == node.tag]
        return [*self._faults(node, declared)]

    def _faults(self, node: Node, declared: Node) -> Iterator[str]:
        kind = declared.find(f"{XS}complexType")
        kind = kind if kind is not None else self.types.get(declared.get("type"))
        if kind is None:
            yield from [f"{node.tag} has elements"] if len(node) else []
            return
        inner = {one.get("name"): one for one in self._inner(kind)}
        for child in node:
            if child.tag not in inner:
                yield f"{node.tag} has {child.tag}"
            else:
                yield from self._faults(child, inner[child.tag])
        for name, one in inner.items():
            count = len([child for child in node if child.tag == name])
            most = one.get("maxOccurs", "1")
            if count < int(one.get("minOccurs", "1")) or (most != "unbounded" and count > int(most)):
                yield f"{node.tag} has {count} of {name}"
        known = {one.get("name"): one for one in kind.iter(f"{XS}attribute")} if not inner else {
            one.get("name"): one for one in kind.findall(f"{XS}attribute")
        }  # fmt: skip
        yield from (f"{node.tag} has the attribute {name}" for name in node.attrib if name not in known)
        for name, one in known.items():
            if one.get("use") == "required" and name not in node.attrib:
                yield f"{node.tag} lacks the attribute {name}"
            kinds = [one, *([self.types[one.get("type")]] if one.get("type") in self.types else [])]
            values = {value.get("value") for kind in kinds for value in kind.iter(f"{XS}enumeration")}
            if values and name in node.attrib and node.attrib[str(name)] not in values:
                yield f"{name} of {node.tag} is {node.attrib[str(name)]}"

    def _inner(self, kind: Node) -> Iterator[Node]:
        for group in (f"{XS}sequence", f"{XS}all"):
            found = kind.find(group)
            if found is not None:
                yield from found.findall(f"{XS}element")


@pytest.fixture
def schema(works_bundle: Path) -> Schema:
    return Schema(works_bundle / "schemas/messages.xsd")


def test_every_dispatch_of_a_work_follows_the_schema(office: Office, schema: Schema) -> None:
    order = Order({name: SIX.jobs[name] for name in ("TASK-01", "TASK-02", "TASK-03")})
    office.new("auto: greet <everybody> & me")
    office.finish(order)
    texts = [path.read_text() for path in (office.repo / ".git/sdd/works/WORK-01").glob("*-dispatch.xml")]
    assert len(texts) == 8
    for text in texts:
        assert schema.faults(text) == []


def test_the_schema_and_the_code_refuse_the_same_answers(office: Office, schema: Schema) -> None:
    office.new("auto: greet")
    office.next()
    good = SIX.answer("specifier+planner")
    assert schema.faults(good) == []
    for old, new in (
        ("<why>why</why>", ""),
        ("<what>what of specifier+planner</what>", ""),
        ('status="PASS">\n<summary>', 'status="GREAT">\n<summary>'),
        (' agent="specifier+planner"', ""),
        ("<summary>specifier+planner is done</summary>", ""),
    ):
        wrong = good.replace(old, new)
        assert wrong != good
        assert schema.faults(wrong), wrong
        assert office("work", "result", given=wrong, status=1)["ok"] is False
    office("work", "result", given=good)
