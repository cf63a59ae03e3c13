"""Add missing permission rules to settings.json and remove ours, without other changes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ultra_plugin.errors import UltraError
from ultra_plugin.install import jsontext
from ultra_plugin.install.archive import Package
from ultra_plugin.install.jsontext import Group, NotJsonError

Created = Literal["", "allow", "permissions", "file"]
NEW_FILE = "{\n}\n"


@dataclass(frozen=True)
class Granted:
    """The added rules, and the outermost value that was created for them."""

    rules: tuple[str, ...] = ()
    created: Created = ""


def needed(package: Package, plugin_folder: Path) -> tuple[str, ...]:
    """Return the rules that a run needs: one per program of the plugin, and one per command that edits files."""
    for shown in (*(f"bin/{one}" for one in package.programs), *package.editing_commands):
        name = shown.removeprefix("bin/")
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise UltraError(f"{shown}: no permission rule can name it safely; use --permissions none")
    for program in package.programs:
        found = shutil.which(program)
        if found and plugin_folder not in Path(os.path.realpath(found)).parents:
            raise UltraError(f"the rule Bash({program}:*) would also allow {found}; use --permissions none")
    calls = [f"Skill({package.plugin}:{command})" for command in package.editing_commands]
    return (*(f"Bash({program}:*)" for program in package.programs), *calls)


def meaning(rule: str) -> str:
    """Say what a rule allows."""
    program = rule.removeprefix("Bash(").removesuffix(":*)")
    if program != rule:
        return f"bin/{program} of the plugin runs without asking"
    command = rule.removeprefix("Skill(").removesuffix(")")
    return f"Claude calls /{command} again after a pause in a run, without asking"


class Draft:
    """Settings under edit: read once, changed as text, and compared in the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.before = path.read_bytes() if path.exists() else None
        self._checked = self.before is None
        self._text = ""
        self._gone = self.before is None

    @property
    def after(self) -> bytes | None:
        """Return the new settings; None means no file."""
        if self._gone:
            return None
        return self._text.encode() if self._text else self.before

    @property
    def changed(self) -> bool:
        """Say whether there is anything to write."""
        return self.after != self.before

    def missing(self, rules: Sequence[str]) -> tuple[str, ...]:
        """Return the rules that the settings neither allow nor deny yet."""
        if not rules:
            return ()
        permissions = self._permissions()
        spoken_for = [
            *permissions.get("allow", []),
            *permissions.get("deny", []),
            *permissions.get("ask", []),
        ]
        return tuple(rule for rule in rules if rule not in spoken_for)

    def forbidden(self, rules: Sequence[str]) -> tuple[str, ...]:
        """Return the rules that the owner denies or wants to be asked about."""
        permissions = self._permissions()
        return tuple(
            rule for rule in rules if rule in [*permissions.get("deny", []), *permissions.get("ask", [])]
        )

    def grant(self, rules: Sequence[str]) -> Granted:
        """Add the rules that are missing, and return what was added."""
        lacking = self.missing(rules)
        if not lacking:
            return Granted()
        expected = _with(self._value(), lacking)
        created: Created = "file" if self._gone else ""
        if self._gone:
            self._text, self._gone = NEW_FILE, False
        made: Created = ""
        for rule in lacking:
            self._text, outermost = _added(self._text, rule)
            made = made or outermost
        self._prove(expected)
        return Granted(lacking, created or made)

    def revoke(self, granted: Granted) -> None:
        """Remove what was added; keep the owner's entries next to it."""
        if self._gone or not granted.rules:
            return
        self._load()
        before = self._value()
        self._text = _taken(self._text, granted)
        if granted.created == "file" and not jsontext.load(self._bare()):
            self._gone = True
        elif _without(before, granted.rules) != _without(self._value(), granted.rules):
            raise UltraError(
                f"{self.path}: the rules cannot be removed without other changes; nothing was changed"
            )

    def _bare(self) -> str:
        return self._text.removeprefix("\ufeff")

    def _load(self) -> None:
        """Decode and parse once, only when there is something to change."""
        if self._checked:
            return
        raw = self.before or b""
        try:
            self._text = raw.decode("utf-8")
            value = jsontext.load(self._bare())
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            column = error.start - raw.rfind(b"\n", 0, error.start)
            raise self._refused(f"line {line}, column {column}: it is not UTF-8") from None
        except NotJsonError as error:
            raise self._refused(str(error)) from None
        if not isinstance(value, dict):
            raise self._refused("line 1, column 1: it is not an object")
        self._check_shape(value)
        self._checked = True

    def _check_shape(self, value: dict[str, Any]) -> None:
        permissions = value.get("permissions", {})
        if not isinstance(permissions, dict):
            raise self._refused(f"line {_line(self._text, 'permissions')}: 'permissions' is not an object")
        for key in ("allow", "deny", "ask"):
            if not isinstance(permissions.get(key, []), list):
                raise self._refused(f"line {_line(self._text, key)}: 'permissions.{key}' is not a list")

    def _refused(self, reason: str) -> UltraError:
        return UltraError(f"{self.path}: {reason}; fix it first; nothing was changed")

    def _value(self) -> dict[str, Any]:
        self._load()
        return {} if self._gone else jsontext.load(self._bare())

    def _permissions(self) -> dict[str, Any]:
        found: dict[str, Any] = self._value().get("permissions", {})
        return found

    def _prove(self, expected: dict[str, Any]) -> None:
        """Refuse an edit that changed anything but the list, before writing it."""
        if self._value() != expected:
            raise UltraError(
                f"{self.path}: the rules cannot be added without other changes; nothing was changed"
            )


def _line(text: str, key: str) -> int:
    return text.count("\n", 0, max(text.rfind(f'"{key}"'), 0)) + 1


def _with(value: dict[str, Any], rules: Sequence[str]) -> dict[str, Any]:
    permissions = value.get("permissions", {})
    return {**value, "permissions": {**permissions, "allow": [*permissions.get("allow", []), *rules]}}


def _without(value: dict[str, Any], rules: Sequence[str]) -> dict[str, Any]:
    permissions = dict(value.get("permissions", {}))
    permissions["allow"] = [rule for rule in permissions.get("allow", []) if rule not in rules]
    return {**value, "permissions": permissions}


def _root(text: str) -> Group:
    return jsontext.group(text, 1 if text.startswith("\ufeff") else 0)


def _added(text: str, rule: str) -> tuple[str, Created]:
    """Return the text with a rule, and what was created to hold it."""
    root = _root(text)
    unit = _unit(text, root)
    permissions = root.member("permissions")
    if permissions is None:
        child = _nested(jsontext.gap(text, root, unit), unit, ("permissions", "allow"), rule)
        return jsontext.insert(text, root, child, unit), "permissions"
    inner = jsontext.group(text, permissions.value)
    allow = inner.member("allow")
    if allow is None:
        child = _nested(jsontext.gap(text, inner, unit), unit, ("allow",), rule)
        return jsontext.insert(text, inner, child, unit), "allow"
    return jsontext.insert(text, jsontext.group(text, allow.value), json.dumps(rule), unit), ""


def _unit(text: str, root: Group) -> str:
    """Return one step of the file's indentation."""
    space = text[root.start : root.children[0].start] if root.children else ""
    return (jsontext.indentation(space) if "\n" in space else "") or "  "


def _nested(gap: str, unit: str, keys: Sequence[str], rule: str) -> str:
    """Return a member that holds the rule, on separate lines if its neighbours are."""
    lines = [
        f"{jsontext.newline(gap)}{jsontext.indentation(gap)}{unit * depth}" for depth in range(len(keys) + 1)
    ]
    if "\n" not in gap:
        lines = [""] * len(lines)
    text = json.dumps(rule)
    for depth, key in reversed(list(enumerate(keys))):
        opening, closing = "[]" if key == "allow" else "{}"
        text = f'"{key}": {opening}{lines[depth + 1]}{text}{lines[depth]}{closing}'
    return text


def _taken(text: str, granted: Granted) -> str:
    root = _root(text)
    permissions = root.member("permissions")
    inner = jsontext.group(text, permissions.value) if permissions else None
    allow = inner.member("allow") if inner else None
    if permissions is None or inner is None or allow is None:
        return text
    rules = [jsontext.load(text[one.start : one.end]) for one in jsontext.group(text, allow.value).children]
    only_ours = all(rule in granted.rules for rule in rules)
    if only_ours and granted.created in ("permissions", "file") and len(inner.children) == 1:
        return jsontext.remove(text, root, permissions)
    if only_ours and granted.created:
        return jsontext.remove(text, inner, allow)
    for rule in reversed(granted.rules):
        listed = jsontext.group(text, allow.value)  # before the rule, so it has not moved
        ours = [one for one in listed.children if jsontext.load(text[one.start : one.end]) == rule]
        text = jsontext.remove(text, listed, ours[-1]) if ours else text
    return text
