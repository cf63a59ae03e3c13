"""Check the cases of `claude plugin eval`, because a faulty case costs a paid run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import basename, dirname, join, normpath

from ultra_plugin.check.codes import quote, suggest, warning
from ultra_plugin.check.evals_shape import BODY_KEYS, CASE, KEYS, PROMPT_HEADER, grader
from ultra_plugin.check.header import Value
from ultra_plugin.check.jsontext import Json
from ultra_plugin.check.matchers import pattern_fault
from ultra_plugin.check.shapes import UNKNOWN_KEY, Shape
from ultra_plugin.check.subject import Subject
from ultra_plugin.check.tools import tool_findings
from ultra_plugin.check.yamlvalue import read_yaml
from ultra_plugin.errors import Problem

FOLDER = "evals"
CASE_FILE, PROMPT = "case.yaml", "prompt.md"
GRANTED = frozenset({"Read", "Glob", "Grep", "Skill", "Agent", "Task", "ToolSearch", "TaskStop"})
"""Tools that are always allowed in a case [measured]."""
_HEADER = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_PATTERNS = ("pattern", "input_match")


@dataclass(frozen=True, slots=True)
class _Part:
    """A file of a case: its values and their lines."""

    path: str
    document: Json
    body: str = ""

    @property
    def fields(self) -> Mapping[str, object]:
        return self.document.value if isinstance(self.document.value, dict) else {}


def check_evals(subject: Subject) -> Iterator[Problem]:
    """Find values that the client would refuse or ignore, and cases that cannot pass."""
    root = _root(subject.fields)
    folders = {
        dirname(path)
        for path, file in subject.files.items()
        if path.startswith(f"{root}/") and basename(path) in (CASE_FILE, PROMPT) and not file.symlink
    }
    if not any(basename(path) == CASE_FILE or "/graders/" in path for path in subject.files):
        return  # cases of another program
    graders: dict[str, list[str]] = {}
    for path in sorted(subject.files):
        folder, found, name = path.partition("/graders/")
        if found and name.endswith(".md"):
            graders.setdefault(folder, []).append(path)
    for folder in sorted(folders):
        if "/mocks/" not in f"/{folder}/":
            yield from _case(subject, folder, graders.get(folder, ()))


def _root(fields: Mapping[str, object]) -> str:
    experimental = fields.get("experimental")
    named = experimental.get("evals") if isinstance(experimental, dict) else None
    return normpath(named) if isinstance(named, str) and named else FOLDER


def _case(subject: Subject, folder: str, files: Sequence[str]) -> Iterator[Problem]:
    case = _read(subject, f"{folder}/{CASE_FILE}")
    prompt = _read(subject, f"{folder}/{PROMPT}")
    graders = [part for path in files if (part := _read(subject, path)) is not None]
    parts = [part for part in (case, prompt, *graders) if part is not None]
    for part in parts:
        if part.document.fault:
            yield warning(part.path, part.document.line, "eval-yaml", f"is not YAML: {part.document.fault}")
        for key, line in part.document.repeated:
            yield warning(
                part.path, line, "duplicate-key", f"{quote(key)} is listed twice; the last one counts"
            )
    if any(part.document.fault for part in parts):
        return
    for shaped, shape in ((case, CASE), (prompt, PROMPT_HEADER)):
        if shaped is not None:
            yield from _shaped(shaped, shaped.document.value, shape)
    for part in graders:
        yield from _shaped(part, _whole_grader(part), grader)
    yield from _complete(parts[0], case, prompt, graders)
    for part in (part for part in (case, prompt) if part is not None):
        yield from _tools(part)
    if case is not None:
        yield from _files(subject, folder, case)
    tools = _allowed(case) | _allowed(prompt)
    for part, where, one in _graders(case, graders):
        yield from _patterns(part, where, one)
        yield from _granted(part, where, one, tools)


def _read(subject: Subject, path: str) -> _Part | None:
    file = subject.files.get(path)
    if file is None or file.symlink:
        return None
    text = file.text.removeprefix("\ufeff").replace("\r\n", "\n")
    if path.endswith(".yaml"):
        return _Part(path, read_yaml(text))
    header = _HEADER.match(text)
    if header is None:
        return _Part(path, Json({}), text)
    document = read_yaml(header.group(1), 2)
    empty = document.value is None and not document.fault
    return _Part(path, Json({}) if empty else document, text[header.end() :])


def _whole_grader(part: _Part) -> Mapping[str, object]:
    """Return a grader from a separate file, named by the file; the body may be its main text."""
    fields = {"name": basename(part.path)[:-3], **part.fields}
    body, key = part.body.strip(), BODY_KEYS.get(str(fields.get("type")))
    return {key: body, **fields} if key and body else fields


def _shaped(part: _Part, value: object, shape: Shape) -> Iterator[Problem]:
    for where, what in shape(value):
        shown = ".".join(map(str, where)) or basename(part.path)
        line = part.document.line_of(*where)
        if what == UNKNOWN_KEY:
            message = f"the client does not know {quote(shown)}"
            yield warning(part.path, line, "eval-key", message, suggest(str(where[-1]), KEYS))
        else:
            yield warning(part.path, line, "eval-value", f"{quote(shown)} {what}")


def _complete(
    first: _Part, case: _Part | None, prompt: _Part | None, graders: list[_Part]
) -> Iterator[Problem]:
    if not (prompt and prompt.body.strip()) and not _inner(case, "execution").get("prompt"):
        yield warning(first.path, 1, "eval-incomplete", "the case has no prompt")
    names: set[str] = set()
    for part, where, one in _graders(case, graders):
        name = str(one.get("name"))
        if name in names:
            line = part.document.line_of(*where, "name")
            yield warning(part.path, line, "duplicate-name", f"two graders are called {quote(name)}")
        names.add(name)
    if not names:
        yield warning(first.path, 1, "eval-incomplete", "the case has no grader")


def _graders(
    case: _Part | None, files: list[_Part]
) -> Iterator[tuple[_Part, tuple[str | int, ...], Mapping[str, object]]]:
    """Yield every grader that is a table, with its file and path."""
    listed = case.fields.get("graders") if case else None
    if case and isinstance(listed, list):
        for number, one in enumerate(listed):
            if isinstance(one, dict):
                yield case, ("graders", number), one
    for part in files:
        yield part, (), _whole_grader(part)


def _inner(part: _Part | None, key: str) -> Mapping[str, object]:
    value = part.fields.get(key) if part else None
    return value if isinstance(value, dict) else {}


def _execution(part: _Part) -> tuple[tuple[str, ...], Mapping[str, object]]:
    """Return the path and the values of a file's run settings."""
    return (("execution",), _inner(part, "execution")) if part.path.endswith(".yaml") else ((), part.fields)


def _allowed(part: _Part | None) -> frozenset[str]:
    named = _execution(part)[1].get("allowed_tools") if part else None
    return frozenset(str(one).partition("(")[0] for one in named) if isinstance(named, list) else frozenset()


def _tools(part: _Part) -> Iterator[Problem]:
    above, fields = _execution(part)
    for key in ("allowed_tools", "disallowed_tools"):
        named = fields.get(key)
        for number, one in enumerate(named if isinstance(named, list) else ()):
            line = part.document.line_of(*above, key, number)
            for _, code, message, remedy in tool_findings(Value(line, "string", str(one))):
                yield warning(part.path, line, code, message, remedy)


def _files(subject: Subject, folder: str, case: _Part) -> Iterator[Problem]:
    """Find missing files that a case names."""
    named: list[tuple[tuple[str | int, ...], object]] = [
        (("context", key), _inner(case, "context").get(key)) for key in ("scaffold_script", "history_file")
    ]
    for _, where, one in _graders(case, []):
        named.append(((*where, "baseline_file"), one.get("baseline_file")))
    for where, path in named:
        if isinstance(path, str) and path and not subject.has(join(folder, path)):
            line = case.document.line_of(*where)
            yield warning(case.path, line, "dangling-file", f"{quote(path)} does not exist next to the case")


def _patterns(part: _Part, where: tuple[str | int, ...], one: Mapping[str, object]) -> Iterator[Problem]:
    calls = [(("before",), one.get("before")), (("after",), one.get("after"))]
    tables: list[tuple[tuple[str | int, ...], object]] = [
        (where, one),
        *(((*where, *at), call) for at, call in calls),
    ]
    for at, values in tables:
        for key in _PATTERNS if isinstance(values, dict) else ():
            pattern = values.get(key) if isinstance(values, dict) else None
            if isinstance(pattern, str) and (fault := pattern_fault(pattern)):
                line = part.document.line_of(*at, key)
                yield warning(part.path, line, "eval-value", f"{quote(key)} {fault}")


def _granted(
    part: _Part, where: tuple[str | int, ...], one: Mapping[str, object], allowed: frozenset[str]
) -> Iterator[Problem]:
    """Find a required tool that is not allowed."""
    tool = one.get("tool")
    if one.get("type") != "tool_used" or not isinstance(tool, str) or one.get("min") == 0:
        return
    if tool not in allowed | GRANTED:
        line = part.document.line_of(*where, "tool")
        yield warning(part.path, line, "eval-ungranted", f"the case does not allow {quote(tool)}")
