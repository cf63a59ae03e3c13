"""Run the fixtures of contracts: artifacts that must get exactly the code in their name.

`<CODE>.*` gets that code alone, `valid*` gets none, and `old-*` no error. A fixture that is a folder is a project.
The folder `project` next to the fixtures holds the files that they quote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ultra_plugin.artifact import Contract
from ultra_plugin.check.protocol import COMMON, FIXTURES
from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import Suite
from ultra_plugin.source import SourceTree

PROJECT = ".claude/projects/2026-01-31-rate-limit"
VALID, OLD = "valid", "old-"
QUOTED = "project"
SECRET = "AKIA" + "Z7QK2M5XW9RT4BVN"
"""Replaces @SECRET@: a host that scans for keys would refuse the file with the real text."""
_BRIEF = f"{FIXTURES}/brief/{VALID}.md"
_PLACEHOLDER = re.compile(r"\{[^}]*\}")
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the runtime, and the function that checks its answers."""

    modules: tuple[str, ...]
    """The modules that a bundle needs for it."""
    words: tuple[str, ...]
    problems: Callable[[list[Answer]], Iterable[Problem]]
    given: str = ""
    """Standard input."""
    folder: str = ""
    """The working directory."""


@dataclass(frozen=True, slots=True)
class _Fixture:
    path: str
    contract: Contract

    @property
    def word(self) -> str:
        """The code in its name, or `valid` or `old`."""
        name = self.path.rpartition("/")[2].partition(".")[0]
        return next((kind for kind in (VALID, OLD) if name.startswith(kind)), name)


def _fixtures(tree: SourceTree, suite: Suite) -> Iterator[_Fixture | str]:
    """Yield every fixture, or its path if it has no contract."""
    contracts = {contract.artifact: contract for contract in suite.contracts.values()}
    of_all = next((one for one in contracts.values() if one.format == "frontmatter"), None)
    for artifact in tree.folders(FIXTURES):
        contract = of_all if artifact == COMMON else contracts.get(artifact)
        folder = f"{FIXTURES}/{artifact}"
        inner = (path[len(folder) + 1 :].partition("/")[0] for path in tree.files(folder))
        for name in dict.fromkeys(name for name in inner if name != QUOTED):
            yield _Fixture(f"{folder}/{name}", contract) if contract else f"{folder}/{name}"


def fixture_problems(tree: SourceTree, suite: Suite) -> Iterator[Problem]:
    """Yield fixtures that name no contract or no code."""
    for fixture in _fixtures(tree, suite):
        if isinstance(fixture, str):
            message = "no contract has this fixture's name"
            yield tree.problem(
                fixture, 0, "fixture", message, "delete it, or name its folder after an artifact"
            )
            continue
        if fixture.word not in (known := _names(fixture.contract, suite)):
            message = f"'{fixture.word}' is not a code of {fixture.contract.artifact}"
            yield tree.problem(fixture.path, 0, "fixture", message, nearest(fixture.word, known))


def _names(contract: Contract, suite: Suite) -> list[str]:
    return [*contract.codes, *suite.common_codes, VALID, OLD]


def fixture_calls(tree: SourceTree, suite: Suite, place: Path) -> Iterator[Call]:
    """Yield the calls that validate every fixture, each in its own repository."""
    for number, fixture in enumerate(_fixtures(tree, suite)):
        if not isinstance(fixture, str) and fixture.word in _names(fixture.contract, suite):
            repository = place / f"fixture-{number}"
            path = _put(tree, fixture, repository)
            words = ("validate", fixture.contract.artifact, str(path), "--json")
            modules = ("verbs/validate.py", f"tables/{fixture.contract.key}.py")
            yield Call(modules, words, _compared(tree, fixture), folder=str(repository))


def _put(tree: SourceTree, fixture: _Fixture, repository: Path) -> Path:
    """Write a fixture to the place of its artifact, next to a brief and what it quotes; return the path to validate."""
    project = repository / PROJECT
    place = fixture.contract.places[0].path
    inner = _PLACEHOLDER.sub("1", place.partition("}/")[2] or place)
    quoted = f"{fixture.path.rpartition('/')[0]}/{QUOTED}"
    files = {"brief.md": _BRIEF} | {path[len(quoted) + 1 :]: path for path in tree.files(quoted)}
    target = project / inner
    if tree.find(fixture.path):
        files[inner] = fixture.path
    else:
        files |= {path[len(fixture.path) + 1 :]: path for path in tree.files(fixture.path)}
        folder = project if fixture.contract.format == "directory" else target.parent
        target = target if inner in files else folder
    for name, source in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        # A plugin without briefs may still have artifacts that name the file.
        data = tree.read(source) if tree.find(source) else b""
        (project / name).write_bytes(data.replace(b"@SECRET@", SECRET.encode()))
    return target


def _compared(tree: SourceTree, fixture: _Fixture) -> Callable[[list[Answer]], Iterator[Problem]]:
    """Return the function that yields a problem if the fixture gets another code."""

    def problems(answers: list[Answer]) -> Iterator[Problem]:
        (answer,) = answers
        if "valid" not in answer:
            right, got, is_right = "a result", str(answer.get("error", answer)), False
        else:
            errors, warnings = ([issue["code"] for issue in answer[kind]] for kind in ("errors", "warnings"))
            right, got, is_right = _judged(fixture, errors, warnings)
        if not is_right:
            message = f"the fixture must get {right}, but gets {got or 'no code'}"
            yield tree.problem(fixture.path, 0, "fixture", message, "fix the contract or the fixture")

    return problems


def _judged(fixture: _Fixture, errors: list[str], warnings: list[str]) -> tuple[str, str, bool]:
    """Return the expected codes, the actual codes, and whether they match."""
    got = errors + warnings
    if fixture.word == OLD:
        return "no error", ", ".join(errors), not errors
    if fixture.word == VALID:
        return "no code", ", ".join(got), not got
    right = [fixture.word]
    prefix, version = fixture.contract.prefix, fixture.contract.version
    if fixture.word == f"{prefix}_VERSION_MISMATCH" and version and not (version.accepts or version.legacy):
        # No older version can be read now, so an older one is like any other.
        right = [f"{prefix}_SCHEMA_MISMATCH", f"{prefix}_VERSION_UNSUPPORTED"]
    return f"{' or '.join(right)} alone", ", ".join(got), len(got) == 1 and got[0] in right
