"""Check names: the plugin's own, and those of its commands, agents and skills."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename, dirname

from ultra_plugin.check.client import OWN_MARKS
from ultra_plugin.check.codes import error, quote, warning
from ultra_plugin.check.components import Component
from ultra_plugin.check.subject import MANIFEST, Subject
from ultra_plugin.errors import Problem

KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TYPEABLE = re.compile(r"[\w.-]+(?::[\w.-]+)*")
_OFFICIAL = re.compile(r"official[^a-z0-9]*(?:anthropic|claude)|(?:anthropic|claude)[^a-z0-9]*official")
_RESERVED_STARTS = OWN_MARKS | {"ccplugin"}
_RESERVED_NAMES = OWN_MARKS | {"claudecode", "claudemods"}
LONGEST_START = 12


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
    expected = basename(dirname(path)) if component.kind == "skill" else basename(path)[:-3]
    if component.kind == "agent" and given is None and header.state == "mapping":
        yield warning(path, header.line, "no-name", "this agent has no name; the client takes the file's")
    if given is not None and given.kind == "string" and given.text != expected and expected:
        message = f"the name {quote(given.text)} is not {quote(expected)}, as the path says"
        yield warning(path, given.line, "name-mismatch", message)
    if not _TYPEABLE.fullmatch(component.name):
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
    """Find folders below skills/ that the client does not load as a skill."""
    for folder in sorted(subject.folders):
        if folder.startswith("skills/") and folder.count("/") == 1 and not subject.has(f"{folder}/SKILL.md"):
            lower = next((path for path in _spellings(folder) if path in subject.files), None)
            if lower:
                yield warning(lower, 1, "skill-case", "must be spelled SKILL.md")
            else:
                yield warning(folder, 0, "skill-missing", "has no SKILL.md, so there is no such skill")


def _spellings(folder: str) -> Iterator[str]:
    for name in ("skill.md", "Skill.md", "SKILL.MD", "skill.MD"):
        yield f"{folder}/{name}"


def _strays(subject: Subject) -> Iterator[Problem]:
    """Find files in component folders that are not components."""
    for path in subject.files:
        top, _, rest = path.partition("/")
        is_stray = (top in ("commands", "agents") and not path.lower().endswith(".md")) or (
            top == "skills" and rest and "/" not in rest
        )
        if is_stray and not subject.files[path].symlink and not basename(path).startswith("."):
            yield warning(path, 0, "not-a-component", f"the client loads nothing from this file in {top}/")
