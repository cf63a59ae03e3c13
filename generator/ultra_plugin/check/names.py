"""Check names: the plugin's own, and those of its commands, agents and skills."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import basename, dirname

from ultra_plugin.check.client import OWN_MARKS
from ultra_plugin.check.codes import error, quote, warning
from ultra_plugin.check.components import Component
from ultra_plugin.check.header import read_header
from ultra_plugin.check.subject import MANIFEST, Subject
from ultra_plugin.errors import Problem

KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TYPEABLE = re.compile(r"[\w.-]+(?::[\w.-]+)*")
_OFFICIAL = re.compile(r"official[^a-z0-9]*(?:anthropic|claude)|(?:anthropic|claude)[^a-z0-9]*official")
_RESERVED_STARTS = OWN_MARKS | {"ccplugin"}
_RESERVED_NAMES = OWN_MARKS | {"claudecode", "claudemods"}
LONGEST_START = 12
_SHARED = frozenset({
    "shared", "common", "lib", "references", "templates", "assets", "scripts", "examples", "metadata", "docs", "tests",
    "utils", "data", "resources",
})  # fmt: skip
"""Folders beside skills for what several of them use."""


def check_names(subject: Subject) -> Iterator[Problem]:
    """Find names that are reserved, cannot be typed, differ or are used twice."""
    name = subject.fields.get("name")
    if isinstance(name, str) and name and subject.manifest is not None:
        line = subject.manifest.line_of("name")
        if not KEBAB.fullmatch(name):
            yield warning(MANIFEST, line, "not-kebab-case", f"the name {quote(name)} is not kebab-case")
        if is_reserved(name):
            yield error(MANIFEST, line, "reserved-name", f"the name {quote(name)} is Anthropic's own")
        elif OWN_MARKS & set(_words(name)):
            message = f"the name {quote(name)} looks like one of Anthropic's own"
            yield warning(MANIFEST, line, "reserved-name", message)
    for component in subject.components:
        yield from _component(component)
    yield from _duplicates(subject)
    if subject.is_plugin:
        yield from _skills(subject)
        yield from _strays(subject)


def is_reserved(name: str) -> bool:
    """Say whether a name is reserved for Anthropic; look-alike letters are not detected."""
    lower = name.lower()
    words = _words(lower)
    joined = ""
    for index, word in enumerate(words):
        joined += word
        if joined in (_RESERVED_NAMES if index == len(words) - 1 else _RESERVED_STARTS):
            return True
        if len(joined) > LONGEST_START:
            break
    return bool(_OFFICIAL.search(lower) or _OFFICIAL.search("".join(words)))


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]


def _component(component: Component) -> Iterator[Problem]:
    header, path = component.header, component.path
    given = header.values.get("name")
    expected = basename(dirname(path)) if component.kind == "skill" and path.count("/") > 1 else ""
    if component.kind == "agent" and given is None and header.state == "mapping":
        yield warning(path, header.line, "no-name", "this agent has no name; the client takes the file's")
    if given is not None and given.kind == "string" and given.text != expected and expected:
        message = f"the name {quote(given.text)} is not {quote(expected)}, as the path says"
        yield warning(path, given.line, "name-mismatch", message)
    if component.kind != "agent" and not _TYPEABLE.fullmatch(component.name):
        line = given.line if given else 1
        message = f"the {component.kind} {quote(component.name)} cannot be typed or called by that name"
        yield warning(path, line, "bad-name", message)


def _duplicates(subject: Subject) -> Iterator[Problem]:
    """Find commands and skills, or agents, of one name: one of them silently wins."""
    first: dict[tuple[bool, str], Component] = {}
    for component in subject.components:
        if component.is_loaded:
            key = (component.kind == "agent", component.name.casefold())
            other = first.setdefault(key, component)
            if other.path != component.path:
                value = component.header.values.get("name")
                message = f"{other.path} is also named {quote(component.name)}"
                yield warning(component.path, value.line if value else 1, "duplicate-name", message)


def _skills(subject: Subject) -> Iterator[Problem]:
    """Find folders below skills/ that are meant as skills and that the client does not load."""
    loaded = {item.path for item in subject.components if item.kind == "skill"}
    below: dict[str, list[str]] = {}
    for path in subject.files:
        parts = path.split("/")
        if parts[0] == "skills" and len(parts) > 2 and not parts[1].startswith(("_", ".")):
            below.setdefault(f"skills/{parts[1]}", []).append(path)
    for folder, paths in sorted(below.items()):
        if f"{folder}/SKILL.md" in subject.files or loaded.intersection(paths):
            continue
        lower = next((path for path in _spellings(folder) if path in subject.files), None)
        deep = next((path for path in paths if basename(path) == "SKILL.md"), None)
        if lower:
            yield warning(lower, 1, "skill-case", "must be spelled SKILL.md")
        elif deep:
            message = f"has no SKILL.md; {quote(deep)} is too deep to be loaded"
            yield warning(folder, 0, "skill-missing", message)
        elif _is_like_a_skill(subject, folder, paths):
            yield warning(folder, 0, "skill-missing", "has no SKILL.md, so there is no such skill")


def _spellings(folder: str) -> Iterator[str]:
    for name in ("skill.md", "Skill.md", "SKILL.MD", "skill.MD"):
        yield f"{folder}/{name}"


def _is_like_a_skill(subject: Subject, folder: str, paths: Sequence[str]) -> bool:
    """Say whether a folder has the parts of a skill: its folders, or a text with a header."""
    if basename(folder).lower() in _SHARED:
        return False
    tops = {path[len(folder) + 1 :].partition("/")[0] for path in paths}
    return not tops.isdisjoint(("references", "scripts", "assets")) or any(
        _has_header(subject, path) for path in paths if dirname(path) == folder
    )


def _has_header(subject: Subject, path: str) -> bool:
    if not path.lower().endswith((".md", ".markdown", ".mdx", ".txt")) or subject.files[path].symlink:
        return False
    return not {"name", "description"}.isdisjoint(read_header(subject.files[path].text).values)


def _strays(subject: Subject) -> Iterator[Problem]:
    """Find files in component folders that are meant as components and are not."""
    for path in subject.files:
        top, _, rest = path.partition("/")
        if top == "skills":
            is_stray = bool(rest) and "/" not in rest
        else:
            is_stray = top in ("commands", "agents") and not path.lower().endswith(".md")
        if is_stray and basename(path) != "SKILL.md" and _has_header(subject, path):
            yield warning(path, 0, "not-a-component", f"the client loads nothing from this file in {top}/")
