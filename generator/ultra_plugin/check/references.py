"""Check references in Markdown: files, commands and agents of this plugin, and machine-specific paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from ultra_plugin.check.client import BUILT_IN_COMMANDS
from ultra_plugin.check.codes import quote, suggest, warning
from ultra_plugin.check.components import Component
from ultra_plugin.check.subject import Subject
from ultra_plugin.errors import Problem
from ultra_plugin.model import BundleFile

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE = re.compile(r"`[^`]*`")
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")
_LINK_LINE = re.compile(r" {0,3}\[[^\]]{1,200}\]:\s*(\S+)")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ROOT_PATH = re.compile(r"\$\{CLAUDE_(PLUGIN_ROOT|SKILL_DIR)\}[\"']?/([\w./@%+-]*)([*?<{$\[]?)")
_BARE_ROOT = re.compile(r"\$CLAUDE_PLUGIN_(?:ROOT|DATA)\b")
_BARE_COMMAND = re.compile(r"(?<![\w./:~\-\\<>@})])/([A-Za-z][\w-]*)(?![\w/:-]|\.\w)")
_ABSOLUTE = re.compile(r"(?<![\w./\\$}-])(?:/(?:home|Users)/[\w.-]+/|[A-Z]:\\(?=\w))")
_SCRIPT_ENDS = (".sh", ".bash", ".py", ".js", ".mjs", ".ts", ".json")


@dataclass(frozen=True, slots=True)
class _Names:
    """The names that a text may call, and the pattern of such calls."""

    plugin: str
    calls: re.Pattern[str]
    commands: frozenset[str]
    agents: frozenset[str]


def check_references(subject: Subject) -> Iterator[Problem]:
    """Find unresolved references."""
    mention = re.compile(rf"(?<![\w./:@-])(/?){re.escape(subject.name)}:([A-Za-z0-9][\w:-]*)")
    loaded = (item for item in subject.components if item.kind == "agent" and item.is_loaded)
    agents = subject.names("agent") | {_stem(item) for item in loaded}
    names = _Names(subject.name, mention, subject.names("command", "skill"), agents)
    components = {item.path: item for item in subject.components}
    for file in subject.files.values():
        if file.symlink:
            continue
        if file.path.lower().endswith(".md"):
            yield from _markdown(subject, file, components.get(file.path), names)
        elif file.path.lower().endswith(_SCRIPT_ENDS):
            yield from _absolute_paths(file)
        elif file.path.lower().endswith((".yaml", ".yml")):
            for number, line in enumerate(file.text.split("\n"), 1):
                yield from _calls(file.path, number, line, names)


def _stem(component: Component) -> str:
    return component.path.partition("/")[2][:-3].replace("/", ":")


def _absolute_paths(file: BundleFile) -> Iterator[Problem]:
    text = file.text
    if match := _ABSOLUTE.search(text):
        line = text.count("\n", 0, match.start()) + 1
        yield warning(file.path, line, "absolute-path", f"{quote(match.group())} exists on one machine only")


def _markdown(
    subject: Subject, file: BundleFile, component: Component | None, names: _Names
) -> Iterator[Problem]:
    fence = ""
    for number, line in enumerate(file.text.split("\n"), 1):
        mark = _FENCE.match(line)
        if mark and (not fence or mark.group(1).startswith(fence)):
            fence = "" if fence else mark.group(1)
            continue
        yield from _calls(file.path, number, line, names)
        yield from _root_paths(subject, file.path, number, line, component)
        if not fence:
            yield from _links(subject, file.path, number, line)
        if component or not fence:
            for match in _ABSOLUTE.finditer(line):
                message = f"{quote(match.group())} exists on one machine only"
                yield warning(file.path, number, "absolute-path", message)
        if component:
            yield from _substitutions(component, number, line)


def _calls(path: str, number: int, line: str, names: _Names) -> Iterator[Problem]:
    for match in names.calls.finditer(line):
        name = match.group(2).rstrip(":-")
        if name in names.commands or (not match.group(1) and name in names.agents):
            continue
        if match.group(1):
            message = f"unknown command {quote(match.group())}"
            remedy = suggest(name, names.commands)
            yield warning(path, number, "dangling-command", message, remedy)
        else:
            message = f"unknown agent or command {quote(match.group())}"
            yield warning(
                path, number, "dangling-agent", message, suggest(name, names.agents | names.commands)
            )
    for match in _BARE_COMMAND.finditer(line):
        name = match.group(1)
        if name in names.commands and name not in BUILT_IN_COMMANDS:
            message = f"{quote(match.group())} is unknown without the plugin's prefix"
            yield warning(path, number, "bare-command", message, f"write {quote(f'/{names.plugin}:{name}')}")


def _root_paths(
    subject: Subject, path: str, number: int, line: str, component: Component | None
) -> Iterator[Problem]:
    for match in _ROOT_PATH.finditer(line):
        base, inner, pattern = match.groups()
        if base == "SKILL_DIR":
            if component is None or component.kind != "skill":
                continue
            inner = join(dirname(component.path), inner)
        target = inner.rpartition("/")[0] if pattern else inner.rstrip(".")
        if target and not subject.has(target):
            yield warning(path, number, "dangling-file", f"{quote(target)} does not exist in the plugin")


def _links(subject: Subject, path: str, number: int, line: str) -> Iterator[Problem]:
    if "]" not in line:
        return
    targets = [match.group(1) for match in _LINK.finditer(_CODE.sub("", line))]
    if match := _LINK_LINE.match(line):
        targets.append(match.group(1))
    for link in targets:
        target = unquote(re.split(r"[#?]", link, maxsplit=1)[0])
        if not target or _SCHEME.match(target) or target.startswith(("/", "$", "{", "<", "@")):
            continue
        if "${" in target or "{{" in target:
            continue
        inner = normpath(join(dirname(path), target))
        if inner.startswith(".."):
            yield warning(path, number, "dangling-file", f"the link {quote(link)} points outside the plugin")
        elif not subject.has(inner):
            yield warning(path, number, "dangling-file", f"the link {quote(link)} does not exist")


def _substitutions(component: Component, number: int, line: str) -> Iterator[Problem]:
    """Find placeholders that the client does not replace in this kind of text."""
    path = component.path
    if match := _BARE_ROOT.search(line):
        message = f"{quote(match.group())} is not replaced without braces"
        yield warning(path, number, "root-without-braces", message)
    if component.kind != "skill" and "${CLAUDE_SKILL_DIR}" in line:
        yield warning(path, number, "not-substituted", "'${CLAUDE_SKILL_DIR}' is replaced in skills only")
    if component.kind == "agent" and "$ARGUMENTS" in line:
        yield warning(path, number, "not-substituted", "'$ARGUMENTS' is not replaced in agents")
