"""Read and write small XML messages: no document type, no entities of their own, bounded in size and depth."""

from __future__ import annotations

from ultra_runtime.errors import UltraError
from ultra_runtime.struct import Struct
from ultra_runtime.tables.limits import MESSAGE_KILOBYTES
from ultra_runtime.typed import Any, Iterable, Mapping
from ultra_runtime.words import one_line

DEEPEST = 8
NAMED = {"&": "&amp;", "<": "&lt;", "]]>": "]]&gt;"}
"""What a text must not have, as XML writes it; a `>` elsewhere stays, because quoted lines begin with it."""


class XmlError(UltraError):
    """A message that is not XML of the accepted kind, and the line."""

    def __init__(self, words: str, line: int = 1) -> None:
        super().__init__(f"line {line}: {words}")


class Element(Struct):
    """One element: its name, attributes, the elements in it and its text."""

    name: str
    attributes: dict[str, str]
    inner: list[Element]
    text: str = ""

    def find(self, name: str) -> Element | None:
        """Return the first inner element of that name."""
        return next((one for one in self.inner if one.name == name), None)

    def inside(self, name: str) -> list[Element]:
        """Return the elements in the first inner element of that name."""
        found = self.find(name)
        return found.inner if found else []

    def words(self, name: str) -> str:
        """Return the text of the first inner element of that name, or nothing."""
        found = self.find(name)
        return found.text.strip() if found else ""


def read_xml(text: str) -> Element:
    """Return the one element of a message."""
    from xml.parsers.expat import ExpatError, ParserCreate

    if len(text) > MESSAGE_KILOBYTES * 1024:
        raise XmlError(f"the message has more than {MESSAGE_KILOBYTES} KiB")
    top = Element("", {}, [])
    stack = [top]
    parser = ParserCreate("utf-8")

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(stack) > DEEPEST:
            raise XmlError(f"elements are nested deeper than {DEEPEST}", parser.CurrentLineNumber)
        stack.append(Element(name, attributes, []))
        stack[-2].inner.append(stack[-1])

    def end(_name: str) -> None:
        stack.pop()

    def characters(data: str) -> None:
        stack[-1].text += data

    def refuse(*_: Any) -> None:
        raise XmlError("a document type or an entity is not allowed", parser.CurrentLineNumber)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.ProcessingInstructionHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except ExpatError as problem:
        raise XmlError(one_line(str(problem).partition(": line")[0]), problem.lineno) from None
    return top.inner[0]


def element(name: str, attributes: Mapping[str, str], inner: str | Iterable[str] = ()) -> str:
    """Return an element: with a text, which is escaped, or with elements, one per line."""
    words = "".join(f' {key}="{escape(value, True)}"' for key, value in attributes.items())
    if isinstance(inner, str):
        return f"<{name}{words}>{escape(inner)}</{name}>" if inner else f"<{name}{words}/>"
    rows = [*inner]
    return "\n".join([f"<{name}{words}>", *rows, f"</{name}>"]) if rows else f"<{name}{words}/>"


def verbatim(name: str, text: str) -> str:
    """Return an element with a text that is read as it is."""
    return f"<{name}><![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]></{name}>"


def escape(text: str, quoted: bool = False) -> str:
    """Return a text as XML; characters that XML does not have are left out."""
    plain = "".join(sign for sign in text if sign >= " " or sign in "\n\t")
    plain = plain.replace("\ufffe", "").replace("\uffff", "")
    for sign, name in NAMED.items():
        plain = plain.replace(sign, name)
    return plain.replace('"', "&quot;").replace("\n", " ") if quoted else plain
