"""Check Markdown whose fields are `> Name: value` lines below the title, and whose sections have names per language."""

from __future__ import annotations

from ultra_runtime.contract.body import check_parts
from ultra_runtime.contract.field_types import FieldCheck, line_by_name
from ultra_runtime.contract.result import Subject
from ultra_runtime.text.markdown import parse
from ultra_runtime.typed import Any, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.model import Contract
    from ultra_runtime.contract.result import Report
    from ultra_runtime.text.markdown import Document, TextSection

ENGLISH = "en"
ID, TITLE = "id", "title"
QUOTE = ">"


def check_quoted(report: Report, data: bytes) -> Mapping[str, Any] | None:
    """Report every fault of a text and return what it says."""
    subject = read_quoted(report, data)
    return None if subject is None else subject.parsed()


def read_quoted(report: Report, data: bytes, language: str = "") -> Subject | None:
    """Return what a text says after reporting its faults; None if it cannot be read at all.

    Its sections are named in English or in the language of the work, if that is given.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        report.add("PARSE_ERROR", "it is not UTF-8", data.count(b"\n", 0, problem.start) + 1)
        return None
    document = parse(text.replace("\r\n", "\n"), 1)
    titles = [section for section in document.headings if section.level == 1]
    if not titles:
        report.add("PARSE_ERROR", "it has no title: the first line must be `# ` and the title", 1)
        return None
    values, lines = _fields(report.contract, document, titles[0])
    line_of = line_by_name(lines)
    FieldCheck(report, line_of).check_all(report.contract.fields, values)
    subject = Subject(values, line_of)
    subject.texts = _sections(report, document, language, lines)
    subject.sections = list(subject.texts)
    subject.parts = check_parts(report, document, values, lines)
    for rule in report.contract.rules:
        rule(report, subject)
    return subject


def _fields(
    contract: Contract, document: Document, title: TextSection
) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the fields and their lines: the id and the words of the title, and the quoted lines below it."""
    name, colon, words = title.title.partition(":")
    known = {field.name.casefold(): field for field in contract.fields}
    values: dict[str, Any] = {ID: name.strip(), TITLE: words.strip()} if colon else {TITLE: title.title}
    values = {name: value for name, value in values.items() if name in known}
    lines = dict.fromkeys(values, title.line)
    for at in range(title.line, min(_end(document, title), len(document.lines))):
        text = document.lines[at].strip()
        if not text.startswith(QUOTE):
            continue
        word, colon, value = text[1:].replace("*", "").partition(":")
        field = known.get(word.strip().casefold())
        if colon and field and field.name not in values:
            values[field.name] = value.strip(" `")
            lines[field.name] = at + 1
    return values, lines


def _end(document: Document, title: TextSection) -> int:
    """Return the number of lines before the first section."""
    return next((one.line - 1 for one in document.headings if one.line > title.line), len(document.lines))


def _sections(report: Report, document: Document, language: str, lines: dict[str, int]) -> dict[str, str]:
    """Return section -> text, note their lines, and report those that are missing in the language of the text."""
    there = [section for section in document.headings if section.level == 2]
    wanted = report.contract.sections
    languages = [
        ENGLISH,
        *dict.fromkeys(name for one in wanted for name in one.names if name == (language or name)),
    ]

    def called(language: str) -> dict[str, TextSection]:
        names = {one.name: one.names.get(language, one.name) for one in wanted}
        return {
            name: found
            for name, spelled in names.items()
            for found in there[::-1]
            if found.is_called(spelled)
        }

    spoken = max(languages, key=lambda one: len(called(one)))
    found = called(spoken)
    for one in wanted:
        if one.required and one.name not in found:
            words = f"there is no section ## {one.names.get(spoken, one.name)}"
            report.add("MISSING_SECTION", words, len(document.lines), one.name, mild=one.mild)
    lines.update({name: section.line for name, section in found.items()})
    return {
        name: "\n".join(document.lines[section.line : section.end - 1]).strip()
        for name, section in found.items()
    }
