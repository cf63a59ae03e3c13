"""Check an architecture overview beyond its fields: claims, options, components and the diagram."""

from __future__ import annotations

import os

from ultra_runtime.architecture.citations import GONE, NEW, Places, claims_of
from ultra_runtime.architecture.structure import (
    DIAGRAM,
    Component,
    components_of,
    diagram,
    diagrams_in,
    files_in,
)
from ultra_runtime.contract.forms import is_commit
from ultra_runtime.contract.result import Report, parsed_key
from ultra_runtime.contract.validation import check_front_matter
from ultra_runtime.files.git import ask_git
from ultra_runtime.files.root import current_folder, find_root
from ultra_runtime.tables.fields import overview_fields as fields
from ultra_runtime.text import frontmatter, markdown
from ultra_runtime.text.document_edit import EditError, set_field
from ultra_runtime.text.markdown import Document
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.words import listed, one_line

CLAIMED = (
    fields.SECTION_CONTEXT, fields.SECTION_FORCES, fields.SECTION_INTERFACES, fields.SECTION_TRACEABILITY,
)  # fmt: skip
FEWEST_OPTIONS = 2


def check(report: Report, data: bytes, strict: bool) -> Mapping[str, Any] | None:
    """Report every fault of an overview and return its content."""
    parsed = check_front_matter(report, data)
    found = frontmatter.parse(data)
    if parsed is None or any(one.code.endswith("_WRONG_TYPE") for one in report.errors):
        return parsed
    document = markdown.parse(found.body, found.body_line)
    folder = os.path.dirname(os.path.abspath(report.path))
    root = os.path.realpath(find_root(folder) or os.path.dirname(folder))
    places = Places(root, os.path.realpath(os.path.dirname(folder)))
    _check_title(report, document)
    claims = _check_claims(report, document, places)
    options = _check_options(report, document, parsed)
    components = _check_structure(report, document, places)
    if components:
        _check_covered(report, options, components)
    return {**parsed, "claims": claims, "components": [one.name for one in components]}


def _check_title(report: Report, document: Document) -> None:
    titles = [heading for heading in document.headings if heading.level == 1]
    if len(titles) != 1:
        line = titles[1].line if titles else document.first_line
        report.add("TITLE", f"there are {len(titles)} first-level headings", line)


def _check_claims(report: Report, document: Document, places: Places) -> int:
    """Report claims without a source and sources that do not say it; return how many claims there are."""
    count = 0
    for name in CLAIMED:
        section = document.section(name)
        for claim in claims_of(document, section) if section else ():
            count += 1
            sources = list(claim.citations())
            if not sources and not claim.is_new:
                report.add("NO_SOURCE", f"{name}: {one_line(claim.text, 80)} names no source", claim.line)
            for source in sources if not claim.is_new else ():
                kind, fault = places.fault(source)
                if fault:
                    report.add("SOURCE_GONE" if kind == GONE else "SOURCE_MOVED", fault, claim.line)
    return count


def _check_options(report: Report, document: Document, parsed: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    options: list[Mapping[str, Any]] = parsed[fields.PART_OPTIONS]
    section = document.section(fields.SECTION_OPTIONS)
    if section and len(options) < FEWEST_OPTIONS:
        report.add(
            "OPTION", f"there must be at least {FEWEST_OPTIONS} options, not {len(options)}", section.line
        )
    decision = document.section(fields.SECTION_DECISION)
    chosen = decision.field(fields.DECISION_CHOSEN) if decision else None
    if decision and chosen is None:
        report.add(
            "MISSING_FIELD", f"{fields.SECTION_DECISION}: {fields.DECISION_CHOSEN} is missing", decision.line
        )
    elif chosen:
        known = [f"option {one['number']}" for one in options if "number" in one]
        if not any(_begins_with(chosen.value.casefold(), name) for name in known):
            message = (
                f"{fields.DECISION_CHOSEN} is {one_line(chosen.value)}, but the options are {listed(known)}"
            )
            report.add("OPTION", message, chosen.line)
    fit = document.section(fields.SECTION_CLAUDE_CODE_FIT)
    if fit and not parsed[fields.PART_FITS]:
        report.add("FIT", "no part has a feature", fit.line)
    return options


def _begins_with(text: str, name: str) -> bool:
    bare = text.strip("*_` ")
    return bare.startswith(name) and not bare[len(name) : len(name) + 1].isdigit()


def _check_structure(report: Report, document: Document, places: Places) -> list[Component]:
    section = document.section(fields.SECTION_STRUCTURE)
    if section is None:
        return []
    components = components_of(document, section)
    if not components:
        report.add("TABLE", "there is no table of components", section.line)
    names = [one.name for one in components]
    for one in components:
        if names.count(one.name) > 1:
            report.add("TABLE", f"the component {one_line(one.name)} is listed twice", one.line)
        if not one.files:
            report.add("TABLE", f"{one_line(one.name)} has no files in backticks", one.line)
        for file in one.files:
            if not file.new and not places.exists(file.path):
                message = f"{one_line(one.name)} has {one_line(file.path, 200)}, which does not exist; {NEW} marks one to be made"
                report.add("TABLE", message, one.line)
        for used in one.uses:
            if used not in names:
                message = f"{one_line(one.name)} uses {one_line(used)}, which is not a component"
                report.add("TABLE", message, one.line)
    drawn = diagrams_in(section)
    if components and [block.lines for block in drawn] != [diagram(components)]:
        report.add("DIAGRAM", "the diagram differs from the table", drawn[0].line if drawn else section.line)
    return components


def _check_covered(report: Report, options: list[Mapping[str, Any]], components: list[Component]) -> None:
    for option in options:
        for file in files_in(str(option.get(parsed_key(fields.OPTIONS_FILES), ""))):
            if not any(one.has(file.path) for one in components):
                message = f"Option {option.get('number')} touches {one_line(file.path, 200)}, which no component has"
                report.add("UNCOVERED", message, option["line"])


def fill(data: bytes) -> bytes:
    """Return the overview with the commit that it describes and with the diagram of its table."""
    found = frontmatter.parse(data)
    if found.problem or found.values is None:
        return data
    data = _with_diagram(data, markdown.parse(found.body, found.body_line))
    commit = ask_git(current_folder(), ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
    try:
        return set_field(data, fields.COMMIT, commit.decode().strip()) if commit else data
    except EditError:
        return data


def commits_since(root: str, commit: str) -> int | None:
    """Return how many commits were made after this one; None when it is not an ancestor."""
    said = ask_git(root, ["rev-list", "--count", f"{commit}..HEAD"]) if is_commit(commit) else None
    return int(said) if said else None


def _with_diagram(data: bytes, document: Document) -> bytes:
    section = document.section(fields.SECTION_STRUCTURE)
    components = components_of(document, section) if section else []
    if not section or not components:
        return data
    lines = data.split(b"\n")
    for block in reversed(diagrams_in(section)):
        del lines[block.line - 1 : block.end_line]
    last = components[-1].line
    drawn = ["", f"```{DIAGRAM}", *diagram(components), "```"]
    while lines[last : last + 1] == [b""] and lines[last + 1 : last + 2] == [b""]:
        del lines[last]
    return b"\n".join([*lines[:last], *(line.encode() for line in drawn), *lines[last:]])
