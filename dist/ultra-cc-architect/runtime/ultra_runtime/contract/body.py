"""Check the body of an artifact against the sections and repeated parts that its contract lists."""

from __future__ import annotations

from ultra_runtime.contract.field_types import shown, value_fault
from ultra_runtime.contract.forms import is_number
from ultra_runtime.contract.result import parsed_key
from ultra_runtime.typed import Any, Iterator, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.model import Contract, Field, Part
    from ultra_runtime.contract.result import Report
    from ultra_runtime.text.markdown import Document, Item, TextSection

AROUND_A_VALUE = "*_`\"'"


class FoundPart:
    """One repeated part of a body: what its heading and its list items say, and where."""

    __slots__ = ("line", "lines", "section", "values")

    def __init__(self, section: str, line: int, values: dict[str, Any]) -> None:
        self.section = section
        self.line = line
        self.lines: dict[str, int] = {}
        self.values = values

    def as_data(self) -> dict[str, Any]:
        """Return the part as `parsed` shows it."""
        named = {parsed_key(name): value for name, value in self.values.items()}
        return {"line": self.line, "section": self.section, **named}


def check_sections(report: Report, document: Document) -> list[str]:
    """Report missing required sections and return the titles of the others."""
    there = [section for section in document.headings if section.level == 2]
    last = document.first_line + len(document.lines) - 1
    for wanted in report.contract.sections:
        if wanted.required and not any(section.is_called(wanted.name) for section in there):
            message = f"there is no section ## {wanted.name}"
            report.add("MISSING_SECTION", message, last, wanted.name, mild=wanted.mild)
    return [section.title for section in there]


def check_parts(
    report: Report, document: Document, values: Mapping[str, Any], lines: Mapping[str, int]
) -> dict[str, list[FoundPart]]:
    """Check the repeated parts and return them by the name of their kind."""
    found = {part.name: list(_read_parts(report, document, part)) for part in report.contract.parts}
    for part in report.contract.parts:
        count, wanted = len(found[part.name]), values.get(part.counted_by)
        if part.counted_by and type(wanted) is int and wanted >= 0 and wanted != count:
            message = f"{part.counted_by} is {wanted}, but there are {count} {part.name}"
            report.add(part.count_code, message, lines.get(part.counted_by), part.counted_by)
    return found


def _read_parts(report: Report, document: Document, part: Part) -> Iterator[FoundPart]:
    numbers: dict[object, int] = {}
    for name, heading in _headings(report.contract, document, part):
        values = match_heading(part.heading, heading.title)
        found = FoundPart(name, heading.line, values or {})
        if values is None:
            message = f"the heading must be {part.heading}, not {shown(heading.title)}"
            report.add(part.code or "BAD_VALUE", message, heading.line)
        else:
            number = values.get("number")
            if number is not None and number in numbers:
                message = f"the number {number} is already used on line {numbers[number]}"
                report.add(part.code or "BAD_VALUE", message, heading.line)
            numbers.setdefault(number, heading.line)
            for field in part.fields:
                _read_field(report, part, field, heading, found)
        yield found


def _headings(contract: Contract, document: Document, part: Part) -> Iterator[tuple[str, TextSection]]:
    """Yield section and heading of each part, and of what looks like one; a section may have names in more languages."""
    looks_like = part.heading.partition("{")[0].strip().casefold()
    names = {
        spelled: one.name
        for one in contract.sections
        if one.name in part.under
        for spelled in (one.name, *one.names.values())
    }
    for section in document.headings:
        name = next((names[one] for one in names if section.level == 2 and section.is_called(one)), "")
        for heading in document.below(section) if name else ():
            if heading.level == part.level and heading.title.casefold().startswith(looks_like):
                yield name, heading


def match_heading(form: str, title: str) -> dict[str, Any] | None:
    """Return what a heading has in place of {number}, {title} or {id}, or None when it has another form."""
    values: dict[str, Any] = {}
    literal, _, form = form.partition("{")
    while True:
        if not title.startswith(literal):
            return None
        title = title[len(literal) :]
        if not form:
            return values if not title else None
        name, _, form = form.partition("}")
        literal, _, form = form.partition("{")
        end = title.find(literal) if literal else len(title)
        value = title[: max(end, 0)].strip(" `")
        if not value or (name == "number" and not is_number(value)):
            return None
        values[name] = int(value) if name == "number" else value
        title = title[end:]


def _read_field(report: Report, part: Part, field: Field, heading: TextSection, found: FoundPart) -> None:
    item = heading.field(field.name)
    value = item_value(item) if item else ""
    place = f"{shown(heading.title)}: {field.name}"
    line = item.line if item else heading.line
    found.values[field.name] = value
    found.lines[field.name] = line
    if not value:
        if field.required:
            message = f"{place} is {'empty' if item else 'missing'}"
            report.add(part.code or "MISSING_FIELD", message, line, field.name)
        return
    fault = value_fault(field, value)
    if fault:
        report.add(field.code or part.code or "BAD_VALUE", f"{place} {fault}", line, field.name)


def item_value(item: Item) -> str:
    """Return the value of a list item without quotes and emphasis; it may be a block or nested items."""
    value = _bare(item.value)
    blocks = "\n".join(block.text for block in item.blocks)
    if not value:
        value = _bare("\n".join([blocks, *(child.text for child in item.children)]))
    is_placeholder = value.startswith("{") and value.endswith("}") and "\n" not in value
    return blocks.strip() if is_placeholder or not value else value  # a block is what it says


def _bare(text: str) -> str:
    """Return a text without the marks that surround all of it; marks around a part stay."""
    text = text.strip()
    while text.startswith(tuple(AROUND_A_VALUE)):
        sign = text[0]
        inner = text.strip(sign)
        around = len(text) - len(text.lstrip(sign))
        if inner and (not text.endswith(sign * around) or sign in inner):
            break
        text = inner.strip()
    return text
