"""Run the cases in tests/*.yaml: an event for a plugin's hooks, and the answer that they must give."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ultra_plugin.check.hooks import declared_hooks
from ultra_plugin.document import nearest, read_document
from ultra_plugin.errors import problem
from ultra_plugin.exercise.hooks import ALLOWED, matcher_of, not_run, run_hook
from ultra_plugin.exercise.outcome import Outcome, Place
from ultra_plugin.source import SourceTree

FOLDER = "tests"


@dataclass(frozen=True, slots=True)
class Case:
    """One event and the answer that is expected."""

    name: str
    event: str
    input: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the event, such as `tool_name` and `tool_input`."""
    status: int = 0
    """The exit status: 0 lets the client go on, 2 blocks."""
    says: str = ""
    """Text that the answer must contain."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class _Cases:
    plugin: str
    cases: tuple[Case, ...]


def case_outcomes(tree: SourceTree, places: Mapping[str, Place]) -> Iterator[Outcome]:
    """Run every case of the source tree."""
    for shown, cases in _read(tree, places):
        for case in cases.cases:
            yield _tried(places[cases.plugin], case, shown)


def refuse_faulty_cases(tree: SourceTree, names: Collection[str]) -> None:
    """Raise the problem of a file of cases that cannot be used, before anything runs."""
    for _ in _read(tree, names):
        pass


def _read(tree: SourceTree, names: Collection[str]) -> Iterator[tuple[str, _Cases]]:
    for path in tree.files(FOLDER):
        if path.endswith(".yaml"):
            cases = read_document(tree.shown(path), tree.read(path), _Cases)
            if cases.plugin not in names:
                message = f"there is no plugin '{cases.plugin}'"
                raise problem(tree.shown(path), 1, "unknown-plugin", message, nearest(cases.plugin, names))
            yield tree.shown(path), cases


def _tried(place: Place, case: Case, path: str) -> Outcome:
    what = f"case {path}:{case.line} {case.name}"
    tool = str(case.input.get("tool_name", ""))
    hooks = [hook for hook in declared_hooks(place.subject) if hook.event == case.event]
    hooks = [hook for hook in hooks if _matches(matcher_of(hook), tool)]
    if not hooks:
        return place.outcome(what, f"no hook of the plugin answers {case.event} {tool}".rstrip())
    for reason in (not_run(place, hook) for hook in hooks):
        if reason:
            return place.outcome(what, reason, ran=False)
    answers = [run_hook(place, hook, case.input) for hook in hooks]
    wrong = [status for status, _, _ in answers if status not in ALLOWED]
    status = wrong[0] if wrong else max(status for status, _, _ in answers)
    said = "".join(f"{output}{errors}" for _, output, errors in answers)
    if status != case.status:
        return place.outcome(what, f"must end with status {case.status}, not {status}{_quoted(said)}")
    return place.outcome(what, "" if case.says in said else f"must say '{case.says}', not '{said.strip()}'")


def _quoted(said: str) -> str:
    return f": {said.strip()[-200:]}" if said.strip() else ""


def _matches(matcher: str, tool: str) -> bool:
    if matcher in ("", "*") or not tool:
        return True
    try:
        return re.fullmatch(matcher, tool) is not None
    except re.error:
        return matcher == tool
