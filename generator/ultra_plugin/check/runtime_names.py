"""Check the runtime against the tables: every name that it takes exists, and no name of a contract is spelled out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle, Suite
from ultra_plugin.source import SourceTree
from ultra_plugin.tables import FOLDER
from ultra_plugin.tables.fields import END, clashes, field_names

RUNTIME = "runtime/ultra_runtime"
NOT_CONVERTED = (
    "artifacts/consistency.py",
    "hooks/session_start.py",
    "run/",
    "status/",
    "verbs/put.py",
    "verbs/run_finish.py",
)
"""Rooms and modules that still spell names of contracts; take one out when it is converted."""
_PACKAGE = "ultra_runtime.tables"
_FIELDS = f"{_PACKAGE}.fields"
_DISTINCTIVE = re.compile(r"[_ A-Z]")
_FUNCTIONS = frozenset(("load_contract", "set_field", "replace_section"))
_METHODS = frozenset(("text", "count", "line", "field", "part", "block"))
"""What takes a name of a contract: functions of the runtime, and methods of its contracts and subjects."""
_KEPT = ("__slots__", "__all__")


class _Found(NamedTuple):
    line: int
    message: str
    remedy: str


def runtime_problems(tree: SourceTree, suite: Suite, bundles: Iterable[Bundle]) -> Iterator[Problem]:
    """Yield every name that a table lacks, and every literal that spells a name of a contract or a limit."""
    for contract in suite.contracts.values():
        path = tree.shown(f"contracts/{contract.artifact}.yaml")
        for constant, first, second in clashes(contract):
            message = f"'{first}' and '{second}' would both be {constant} in the runtime"
            yield Problem(path, contract.line, "runtime-name", message, "rename one, or give it `as:`")
    carriers = [(bundle.files, _tables(bundle)) for bundle in bundles]
    names = _spelled(suite)
    limits = {name.upper() for name in suite.limits}
    for path in tree.files(RUNTIME):
        module = _parsed(tree.text(path)) if path.endswith(".py") else None
        if module is None:
            continue
        found = [one for files, tables in carriers if path in files for one in _missing(module, tables)]
        if not path.removeprefix(f"{RUNTIME}/").startswith(NOT_CONVERTED):
            found += [*_literals(module, names), *_numbers(module, limits)]
        for line, message, remedy in dict.fromkeys(found):
            yield Problem(tree.shown(path), line, "runtime-name", message, remedy)


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):  # told by the check of the verbs, or by the linter
        return None


# --- names that the runtime takes ---------------------------------------------------------------------------------


def _tables(bundle: Bundle) -> dict[str, frozenset[str] | None]:
    """Return table -> the names that it has; None for one that stands in for a contract which is not there."""
    found: dict[str, frozenset[str] | None] = {}
    for path, file in bundle.files.items():
        if path.startswith(f"{FOLDER}/") and path.endswith(".py"):
            body = ast.parse(file.text).body
            found[path[len(FOLDER) + 1 : -len(".py")]] = _assigned(body)
            for node in body:
                if isinstance(node, ast.ClassDef):
                    found[node.name] = None if node.keywords else _assigned(node.body)
    return found


def _assigned(body: Iterable[ast.stmt]) -> frozenset[str]:
    targets = (target for node in body if isinstance(node, ast.Assign) for target in node.targets)
    return frozenset(target.id for target in targets if isinstance(target, ast.Name))


def _missing(module: ast.Module, tables: Mapping[str, frozenset[str] | None]) -> Iterator[_Found]:
    """Yield the names that a module takes from tables and that they do not have."""
    called: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module in (_PACKAGE, _FIELDS):
            called |= {alias.asname or alias.name: alias.name for alias in node.names}
            for alias in node.names:
                if alias.name not in tables:
                    yield _Found(
                        node.lineno, f"there is no table '{alias.name}'", nearest(alias.name, tables)
                    )
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{_PACKAGE}."):
            table = str(node.module).rpartition(".")[2]
            for alias in node.names:
                yield from _lacks(tables, table, alias.name, node.lineno)
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in called:
            yield from _lacks(tables, called[node.value.id], node.attr, node.lineno)


def _lacks(tables: Mapping[str, frozenset[str] | None], table: str, name: str, line: int) -> Iterator[_Found]:
    known = tables.get(table, frozenset())
    if known is None or name in known:
        return
    remedy = nearest(name, known)
    if table.endswith(END):
        artifact = table.removesuffix(END).replace("_", "-")
        was = name.removeprefix("SECTION_").lower()
        remedy = f"keep it with `as: {was}` on the renamed field of contracts/{artifact}.yaml; {remedy}"
    yield _Found(line, f"the table '{table}' has no {name}", remedy)


# --- names that the runtime spells --------------------------------------------------------------------------------


def _spelled(suite: Suite) -> dict[str, str]:
    """Return what contracts call something -> the constant that holds it."""
    names: dict[str, str] = {}
    for contract in suite.contracts.values():
        for constant, word in field_names(contract).items():
            names.setdefault(word, f"{contract.key}{END}.{constant}")
    return names


def _literals(module: ast.Module, names: Mapping[str, str]) -> Iterator[_Found]:
    """Yield literals that spell a name: distinctive ones anywhere, common words where a name is asked for."""
    passed = {id(word) for word in _passed(module)}
    kept = {id(word) for word in _kept(module)}
    for node in ast.walk(module):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in kept:
            continue
        word = node.value
        if word in names and (_DISTINCTIVE.search(word) or id(node) in passed):
            yield _Found(
                node.lineno,
                f"'{word}' is a name of a contract",
                f"take {names[word]} from {_FIELDS}, or rename yours",
            )


def _passed(module: ast.Module) -> Iterator[ast.expr]:
    """Yield what is passed to functions that take a name of a contract."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            function = node.func
            takes = isinstance(function, ast.Attribute) and function.attr in _METHODS
            if takes or getattr(function, "id", "") in _FUNCTIONS:
                yield from node.args


def _kept(module: ast.Module) -> Iterator[ast.AST]:
    """Yield what may be spelled: docstrings, keys of an answer, attributes of a class, parts of a sentence."""
    for node in ast.walk(module):
        if isinstance(node, ast.Expr):
            yield node.value
        elif isinstance(node, ast.Dict):
            yield from filter(None, node.keys)
        elif isinstance(node, ast.JoinedStr):
            yield from node.values
        elif isinstance(node, ast.Assign) and any(getattr(name, "id", "") in _KEPT for name in node.targets):
            yield from ast.walk(node.value)


def _numbers(module: ast.Module, limits: Iterable[str]) -> Iterator[_Found]:
    """Yield constants that have the name of a limit and a number of their own."""
    for node in module.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
            continue
        for target in node.targets:
            name = re.sub(r"^(?:MOST|LONGEST)_", "", getattr(target, "id", ""))
            if name in limits and isinstance(node.value.value, (int, float)):
                message = f"{getattr(target, 'id', '')} is a limit with a number of its own"
                yield _Found(node.lineno, message, f"take {name} from {_PACKAGE}.limits")
