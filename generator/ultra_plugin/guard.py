"""Read the functions and events that the policy may name from the guard's source, without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem, ProblemsFound, refuse
from ultra_plugin.rules import Guard, Logic, Rule, RuleFunction
from ultra_plugin.source import SourceTree
from ultra_plugin.syntax import Python, parse

ROOM = "runtime/ultra_runtime/guard"
RULES = f"{ROOM}/rules"
KINDS, WRAPPERS = f"{ROOM}/follow/kinds.py", f"{ROOM}/follow/wrappers.py"
COMMAND, SOURCE = "command", "source"
NEEDS = "NEEDS"
_PARAMETERS = {COMMAND: 2, SOURCE: 1}
_CODE = "rule-function"


def read_guard(tree: SourceTree) -> Guard:
    """Return the rule functions, the events and the tables of command names of the guard in this tree."""
    functions: list[RuleFunction] = []
    problems: list[Problem] = []
    for path in tree.files(RULES):
        found, faults = _functions(tree, path)
        functions += found
        problems += faults
    tables = {**_tables(tree, KINDS), **_tables(tree, WRAPPERS)}
    refuse(problems)
    return Guard(tuple(functions), _events(tables.pop("EVENTS", {})), tables, tuple(tree.files(RULES)))


def _functions(tree: SourceTree, path: str) -> tuple[list[RuleFunction], list[Problem]]:
    """Return the public functions of a rules module, each with its NEEDS."""
    module = _parsed(tree, path)
    needs = module.constants().get(NEEDS)
    needed = _needed(needs)
    stem = path.rpartition("/")[2].removesuffix(".py")
    found = [
        RuleFunction(node.name, stem, path, node.lineno, len(node.args.args), needed.get(node.name, ()))
        for node in module.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    names, line = [one.name for one in found], needs.lineno if needs else 0
    problems = []
    for name in needed.keys() - {*names}:
        message = f"{NEEDS} names '{name}', which is not a function of this file"
        problems.append(tree.problem(path, line, _CODE, message, nearest(name, names)))
    return found, problems


def _needed(needs: ast.expr | None) -> dict[str, tuple[str, ...]]:
    found = _literal(needs) if needs is not None else {}
    pairs = found.items() if isinstance(found, dict) else ()
    return {str(name): tuple(map(str, texts)) for name, texts in pairs}


def _events(table: Mapping[str, object]) -> dict[str, int]:
    return {name: count for name, count in table.items() if isinstance(count, int)}


def _tables(tree: SourceTree, path: str) -> dict[str, Mapping[str, object]]:
    """Return the literal tables of names in a data module."""
    if tree.find(path) is None:
        return {}
    tables: dict[str, Mapping[str, object]] = {}
    for name, value in _parsed(tree, path).constants().items():
        try:
            found = _literal(value)
        except ValueError:
            continue
        if isinstance(found, (dict, frozenset, tuple)):
            tables[name] = found if isinstance(found, dict) else dict.fromkeys(found)
    return tables


def _parsed(tree: SourceTree, path: str) -> Python:
    try:
        return parse(tree.text(path))
    except SyntaxError as error:
        message = f"is not Python: {error.msg}"
        problem = tree.problem(path, error.lineno or 1, _CODE, message, "fix the syntax of this line")
        raise ProblemsFound([problem]) from None


def _literal(value: ast.expr) -> object:
    """Evaluate a literal, a frozenset of one or a call of by_name, or raise ValueError."""
    made_by = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    if isinstance(value, ast.Call) and made_by == "frozenset" and len(value.args) == 1:
        return frozenset(ast.literal_eval(value.args[0]))
    if isinstance(value, ast.Call) and made_by == "by_name":
        names = {str(one.arg): str(ast.literal_eval(one.value)).split() for one in value.keywords}
        return {name: function for function, each in names.items() for name in each}
    return ast.literal_eval(value)


def resolve(
    tree: SourceTree, path: str, rules: Iterable[Rule], guard: Guard
) -> tuple[dict[tuple[str, str], RuleFunction], list[Problem]]:
    """Return the function of every (when, use) of the rules, and the problems of rules and functions."""
    places: dict[tuple[str, str], RuleFunction] = {}
    problems: list[Problem] = []
    for rule in rules:
        for logic in rule.logic:
            found = _function(logic, guard)
            if isinstance(found, RuleFunction):
                places[logic.when, logic.use] = found
            elif found:
                message, remedy = found
                problems.append(tree.problem(path, logic.line, _CODE, f"rule '{rule.id}': {message}", remedy))
    return places, [*problems, *_unused(tree, guard, places.values())]


def _function(logic: Logic, guard: Guard) -> RuleFunction | tuple[str, str] | None:
    """Return the function that a rule names, message and remedy if it is wrong, or None if it needs none."""
    counts = {**_PARAMETERS, **guard.events}
    if logic.when not in counts:
        return f"the guard has no event '{logic.when}'", nearest(logic.when, counts)
    if not logic.use:
        remedy = "name a function of guard/rules, such as 'use: always'"
        return (f"'when: {logic.when}' needs 'use:'", remedy) if logic.when in _PARAMETERS else None
    named = [one for one in guard.functions if one.name == logic.use]
    count = counts[logic.when]
    fitting = [one for one in named if one.parameters == count]
    if not named:
        known = {one.name for one in guard.functions if one.parameters == count}
        return f"'use: {logic.use}' names no function of guard/rules", nearest(logic.use, known)
    if not fitting:
        one = named[0]
        message = f"takes {one.parameters} parameters, but 'when: {logic.when}' gives {count}"
        remedy = f"use a function that takes {count}, or change {one.module}.py line {one.line}"
        return f"'use: {logic.use}' {message}", remedy
    if len(fitting) > 1:
        files = " and ".join(f"{one.module}.py" for one in fitting)
        return f"'use: {logic.use}' names functions in {files}", "rename one"
    return fitting[0]


def _unused(tree: SourceTree, guard: Guard, used: Iterable[RuleFunction]) -> Iterator[Problem]:
    known = {(one.module, one.name) for one in used}
    for one in guard.functions:
        if (one.module, one.name) not in known and tree.owns(one.path):
            message = f"no rule of the policy uses the function '{one.name}'"
            remedy = "name it in a rule's 'use:', begin its name with an underscore, or remove it"
            yield tree.problem(one.path, one.line, _CODE, message, remedy)
