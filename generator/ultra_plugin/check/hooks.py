"""Check hooks: where they are declared, their shape, events, matchers and time-outs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, join

from ultra_plugin.check.client import HOOK_EVENTS, HOOK_KEYS, HOOKS_FILE_KEYS, LONGEST_TIMEOUT
from ultra_plugin.check.codes import problem, quote, suggest, warning
from ultra_plugin.check.components import inner_path
from ultra_plugin.check.hooks_shape import HookFault, event_faults, file_faults, holds_guard_outside
from ultra_plugin.check.jsontext import Json, Path, read_json
from ultra_plugin.check.listing import has_privacy_policy
from ultra_plugin.check.manifest_paths import DEFAULT_HOOKS, manifest_paths
from ultra_plugin.check.matchers import matcher_findings
from ultra_plugin.check.subject import MANIFEST, Subject, client_json
from ultra_plugin.check.yamlvalue import read_yaml
from ultra_plugin.errors import Problem, Severity

_UNSCANNED_FIELDS = frozenset({"metadata", "mcpServers", "lspServers"})


@dataclass(frozen=True, slots=True)
class Declaration:
    """A table of hooks by event, in a file or in the manifest."""

    path: str
    document: Json
    where: Path
    events: dict[str, object]
    is_file: bool

    def line_of(self, *inside: str | int) -> int:
        """Return the line of something inside the table."""
        return self.document.line_of(*self.where, *inside)


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook that the client would run, with the place where it is declared."""

    declaration: Declaration
    where: Path
    event: str
    handler: dict[str, object]

    @property
    def path(self) -> str:
        """The file that declares it."""
        return self.declaration.path

    def line_of(self, *inside: str | int) -> int:
        """Return the line of one of its keys, or its own."""
        return self.declaration.line_of(*self.where, *inside)


def check_hooks(subject: Subject) -> Iterator[Problem]:
    """Find the faults of the declared hooks, without their scripts."""
    for path in hook_files(subject):
        yield from _file(subject, path)
    yield from _manifest(subject)
    for declaration in header_hooks(subject):
        faults = event_faults(declaration.events, declaration.where)
        yield from _told(declaration.path, declaration.document, "warning", faults)
    for declaration in declarations(subject):
        for event, matchers in declaration.events.items():
            if event in HOOK_EVENTS and isinstance(matchers, list):
                yield from _event(declaration, event, matchers)
    for hook in declared_hooks(subject):
        yield from _handler(subject, hook)


def declarations(subject: Subject) -> Iterator[Declaration]:
    """Return every readable table of hooks."""
    for path in hook_files(subject):
        document = read_json(subject.files[path].text)
        value = document.value
        if isinstance(value, dict) and isinstance(value.get("hooks"), dict):
            yield Declaration(path, document, ("hooks",), value["hooks"], True)
    for where, events in _inline(subject):
        if subject.manifest is not None:
            yield Declaration(MANIFEST, subject.manifest, where, events, False)
    yield from header_hooks(subject)


def header_hooks(subject: Subject) -> Iterator[Declaration]:
    """Return the hooks in headers of commands and skills; the client ignores those of agents."""
    for component in subject.components:
        header = component.header
        if component.kind == "agent" or "hooks" not in header.values:
            continue
        lines = component.file.text.split("\n")[1 : header.body_line - 2]
        document = read_yaml("\n".join(lines), 2)
        events = document.value.get("hooks") if isinstance(document.value, dict) else None
        if isinstance(events, dict):
            yield Declaration(component.path, document, ("hooks",), events, False)


def declared_hooks(subject: Subject) -> Iterator[Hook]:
    """Return every hook that is an object, whatever its shape."""
    for declaration in declarations(subject):
        for event, matchers in declaration.events.items():
            for index, matcher in enumerate(matchers) if isinstance(matchers, list) else ():
                handlers = matcher.get("hooks") if isinstance(matcher, dict) else None
                for number, handler in enumerate(handlers) if isinstance(handlers, list) else ():
                    if isinstance(handler, dict):
                        yield Hook(declaration, (event, index, "hooks", number), event, handler)


def hook_files(subject: Subject) -> list[str]:
    """Return the files of hooks that the client reads."""
    named = [inner_path(path) for where, path in manifest_paths(subject.fields) if where[0] == "hooks"]
    return [
        path
        for path in dict.fromkeys([DEFAULT_HOOKS, *named])
        if (file := subject.files.get(path)) and not file.symlink
    ]


def _inline(subject: Subject) -> Iterator[tuple[Path, dict[str, object]]]:
    hooks = subject.fields.get("hooks")
    if isinstance(hooks, dict):
        yield ("hooks",), hooks
    for index, item in enumerate(hooks) if isinstance(hooks, list) else ():
        if isinstance(item, dict):
            yield ("hooks", index), item


def _file(subject: Subject, path: str) -> Iterator[Problem]:
    document, refused, severity = client_json(subject, path, "hooks-json")
    yield from refused
    if refused:
        return
    yield from _told(path, document, severity, file_faults(document.value))
    yield from _modules(subject, path, document, severity)
    for key in document.value if isinstance(document.value, dict) else ():
        if key not in HOOKS_FILE_KEYS and key not in HOOK_EVENTS and key != "surface":
            message = f"the client does not know the key {quote(key)} in a hooks file"
            remedy = suggest(key, HOOKS_FILE_KEYS)
            yield warning(path, document.line_of(key), "unknown-key", message, remedy)


def _modules(subject: Subject, path: str, document: Json, severity: Severity) -> Iterator[Problem]:
    """Find hooks modules, named relative to their hooks file, that do not exist."""
    modules = document.value.get("modules") if isinstance(document.value, dict) else None
    for index, module in enumerate(modules) if isinstance(modules, list) else ():
        if isinstance(module, str) and not subject.has(join(dirname(path), module)):
            line = document.line_of("modules", index)
            yield problem(severity, path, line, "path-missing", f"the module {quote(module)} does not exist")


def _manifest(subject: Subject) -> Iterator[Problem]:
    if subject.manifest is None:
        return
    if holds_guard_outside(subject.fields, _UNSCANNED_FIELDS):
        message = "has PreToolUse or PermissionRequest hooks outside 'hooks'"
        yield problem("error", MANIFEST, 1, "hooks-wrapper", message)
    for where, events in _inline(subject):
        yield from _told(MANIFEST, subject.manifest, "error", event_faults(events, where))


def _told(path: str, document: Json, worst: Severity, faults: Iterator[HookFault]) -> Iterator[Problem]:
    for severity, code, where, what in faults:
        remedy = suggest(str(where[-1]), HOOK_EVENTS) if code == "unknown-event" else ""
        severity = severity if worst == "error" else "warning"
        yield problem(severity, path, document.line_of(*where), code, what, remedy)


def _event(declaration: Declaration, event: str, matchers: list[object]) -> Iterator[Problem]:
    for index, item in enumerate(matchers):
        if not isinstance(item, dict):
            continue
        line = declaration.line_of(event, index, "matcher")
        matcher = item.get("matcher")
        for code, message, remedy in matcher_findings(event, matcher) if isinstance(matcher, str) else ():
            yield warning(declaration.path, line, code, message, remedy)
        for key in item:
            if key not in ("matcher", "hooks"):
                message = f"the client does not know the key {quote(key)} beside a matcher"
                line = declaration.line_of(event, index, key)
                yield warning(
                    declaration.path, line, "unknown-key", message, suggest(key, ("matcher", "hooks"))
                )


def _handler(subject: Subject, hook: Hook) -> Iterator[Problem]:
    kind, timeout = hook.handler.get("type"), hook.handler.get("timeout")
    keys = HOOK_KEYS.get(kind) if isinstance(kind, str) else None
    for key in hook.handler if keys else ():
        if keys and key not in keys:
            message = f"the client does not know the key {quote(key)} in a {kind} hook"
            yield warning(hook.path, hook.line_of(key), "unknown-key", message, suggest(key, keys))
    if isinstance(timeout, int | float) and not isinstance(timeout, bool) and timeout > LONGEST_TIMEOUT:
        message = f"{timeout} seconds is {timeout / 3600:.1f} hours"
        yield warning(hook.path, hook.line_of("timeout"), "long-timeout", message)
    if kind == "command" and hook.handler.get("command") == "":
        yield warning(hook.path, hook.line_of("command"), "hooks-value", "'command' is empty")
    if kind == "http" and not has_privacy_policy(subject):
        message = "an http hook sends data away, and the manifest has no privacyPolicyUrl"
        yield warning(hook.path, hook.line_of("url"), "no-privacy-policy", message)
