"""Check the runtime against the tables: every imported name exists, and no contract's name, command or limit is spelled out."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle, Suite
from ultra_plugin.source import SourceTree
from ultra_plugin.syntax import Python, parse, try_parse
from ultra_plugin.tables import FOLDER
from ultra_plugin.tables.fields import END, MODULE, clashes, field_names

RUNTIME = "runtime/ultra_runtime"
_PACKAGE = "ultra_runtime.tables"
_DISTINCTIVE = re.compile(r"[_ A-Z]")
_UNDERSCORED = re.compile(r"(?<![\w./-])[a-z]+(?:_[a-z]+)+(?![\w(./=-])")
"""A name that is no English word."""
_FUNCTIONS = frozenset((
    "load_contract", "set_field", "replace_section", "command", "command_for", "stage_that_makes", "file_of", "files_of",
    "file_if_any", "find_files", "folder_of", "draft_of", "need",
))  # fmt: skip
_METHODS = frozenset(("text", "count", "line", "field", "part", "block"))
"""Functions and methods of the runtime that take the name of a contract, a field or a stage."""
_HOLDERS = frozenset(("artifact", "kind", "makes", "stage", "following"))
"""Variables and attributes of the runtime that hold the name of a contract or a stage."""
_KEPT = ("__slots__", "__all__")
_WORD = re.compile(r"[a-z]+")
_NOT_THE_SUBJECT = frozenset(("least", "longest", "max", "most", "told"))
"""Words in the name of a limit or a constant that say only that it is one."""


class _Found(NamedTuple):
    line: int
    message: str
    remedy: str


def runtime_problems(tree: SourceTree, suite: Suite, bundles: Sequence[Bundle]) -> Iterator[Problem]:
    """Yield every name that a table lacks, and every literal that spells out a contract's name or a limit."""
    for contract in suite.contracts.values():
        path = tree.shown(f"contracts/{contract.artifact}.yaml")
        for constant, first, second in clashes(contract):
            message = f"'{first}' and '{second}' would both be {constant} in the runtime"
            yield Problem(path, contract.line, "runtime-name", message, "rename one, or give it `as:`")
    bundles = [bundle for bundle in bundles if bundle.has_runtime]
    tables = [(bundle.files, _tables(bundle, suite)) for bundle in bundles]
    limits = {name: one.value for name, one in suite.limits.items()}
    called = {name for plugin in suite.plugins for name in plugin.commands.values()}
    commands = _commands_of(suite)
    stages = {stage for plugin in suite.plugins for stage in plugin.settings.pipeline}
    constants = {key: field_names(contract) for key, contract in suite.contracts.items()}
    spelled = {bundle.name: _spelled(constants, bundle) for bundle in bundles}
    for path in tree.files(RUNTIME):
        module = try_parse(tree.text(path)) if path.endswith(".py") else None
        if module is None:
            continue
        found = [one for files, table in tables if path in files for one in _missing(module, table)]
        names = {
            word: name
            for bundle in bundles
            if path in bundle.files
            for word, name in spelled[bundle.name].items()
        }
        found += [*_literals(module, names, stages), *_numbers(module, limits)]
        if any(word in tree.text(path) for word in called):  # far quicker than the pattern
            found += _commands(module, commands)
        for line, message, remedy in dict.fromkeys(found):
            yield tree.problem(path, line, "runtime-name", message, remedy)


# --- names that the runtime imports -------------------------------------------------------------------------------


def _tables(bundle: Bundle, suite: Suite) -> dict[str, frozenset[str]]:
    """Return table -> the names that it has; a contract has more of them than are rendered."""
    found: dict[str, frozenset[str]] = {}
    for path, file in bundle.files.items():
        if path.startswith(f"{FOLDER}/") and path.endswith(".py"):
            body = parse(file.text).body
            found[path[len(FOLDER) + 1 : -len(".py")]] = _assigned(body)
            found |= _namespaces(body)
    return found | {f"{key}{END}": frozenset(field_names(one)) for key, one in suite.contracts.items()}


def _assigned(body: Iterable[ast.stmt]) -> frozenset[str]:
    targets = (target for node in body if isinstance(node, ast.Assign) for target in node.targets)
    return frozenset(target.id for target in targets if isinstance(target, ast.Name))


def _namespaces(body: Iterable[ast.stmt]) -> dict[str, frozenset[str]]:
    """Return name -> the names in it, for each `brief_fields = Names(KIND="brief")`."""
    return {
        target.id: frozenset(word.arg for word in node.value.keywords if word.arg)
        for node in body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.endswith(END)
    }


def _missing(module: Python, tables: Mapping[str, frozenset[str]]) -> Iterator[_Found]:
    """Yield the names that a module imports from tables that lack them."""
    called: dict[str, str] = {}
    for node in module.every(ast.ImportFrom):
        if node.module in (_PACKAGE, MODULE):
            called |= {alias.asname or alias.name: alias.name for alias in node.names}
            for alias in node.names:
                if alias.name not in tables and alias.name not in tables.get("__init__", ()):
                    yield _Found(node.lineno, f"unknown table '{alias.name}'", nearest(alias.name, tables))
        elif (node.module or "").startswith(f"{_PACKAGE}."):
            table = str(node.module).rpartition(".")[2]
            for alias in node.names:
                yield from _lacks(tables, table, alias.name, node.lineno)
    for taken in module.every(ast.Attribute) if called else ():
        if isinstance(taken.value, ast.Name) and taken.value.id in called:
            yield from _lacks(tables, called[taken.value.id], taken.attr, taken.lineno)


def _lacks(tables: Mapping[str, frozenset[str]], table: str, name: str, line: int) -> Iterator[_Found]:
    known = tables.get(table, frozenset())
    if name in known:
        return
    remedy = nearest(name, known)
    if table.endswith(END):
        artifact = table.removesuffix(END).replace("_", "-")
        was = name.removeprefix("SECTION_").lower()
        remedy = f"keep it with `as: {was}` on the renamed field of contracts/{artifact}.yaml; {remedy}"
    yield _Found(line, f"the table '{table}' has no {name}", remedy)


# --- names that the runtime spells out-----------------------------------------------------------------------------


def _spelled(constants: Mapping[str, Mapping[str, str]], bundle: Bundle) -> dict[str, str]:
    """Return a name of the contracts that a bundle carries -> its constant."""
    names: dict[str, str] = {}
    for key, words in constants.items():
        if f"{FOLDER}/{key}.py" in bundle.files:
            for constant, word in words.items():
                names.setdefault(word, f"{key}{END}.{constant}")
    return names


def _literals(module: Python, names: Mapping[str, str], stages: Container[object]) -> Iterator[_Found]:
    """Yield literals that spell out a name: distinctive ones anywhere, common words only where a name is expected."""
    texts = [node for node in module.every(ast.Constant) if isinstance(node.value, str)]
    spelled = [node for node in texts if node.value in names or node.value in stages]
    said = [(node, word) for node in texts for word in _UNDERSCORED.findall(str(node.value)) if word in names]
    if not spelled and not said:
        return
    passed = {id(word) for word in _expected(module)}
    kept = {id(word) for word in _kept(module)}
    for node, word in said:
        if node.value not in names and id(node) not in kept:
            remedy = f"put {names[word]} from {MODULE} into the sentence"
            yield _Found(node.lineno, f"a sentence spells out '{word}', a name from a contract", remedy)
    for node in spelled:
        word = str(node.value)
        if id(node) in passed and word not in names:
            message = f"'{word}' spells out a stage"
            yield _Found(
                node.lineno, message, "ask contract/stages.py: stage_that_makes(KIND of its artifact)"
            )
        elif word in names and id(node) not in kept and (_DISTINCTIVE.search(word) or id(node) in passed):
            yield _Found(
                node.lineno,
                f"'{word}' spells out a name from a contract",
                f"import {names[word]} from {MODULE}, or use another name",
            )


def _expected(module: Python) -> Iterator[ast.expr]:
    """Yield the literals in places of names: arguments of functions that take a name, and what is compared with one."""
    for call in module.every(ast.Call):
        takes = isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS
        if takes or getattr(call.func, "id", "") in _FUNCTIONS:
            yield from call.args
    for compared in module.every(ast.Compare):
        sides = [compared.left, *compared.comparators]
        if any(getattr(side, "attr", getattr(side, "id", "")) in _HOLDERS for side in sides):
            for side in sides:
                yield from side.elts if isinstance(side, (ast.Tuple, ast.Set, ast.List)) else [side]


def _kept(module: Python) -> Iterator[ast.AST]:
    """Yield literals that are allowed: docstrings, common words as keys of an answer, attributes of a class."""
    yield from (node.value for node in module.every(ast.Expr))
    keys = (key for node in module.every(ast.Dict) for key in node.keys if isinstance(key, ast.Constant))
    yield from (key for key in keys if not _UNDERSCORED.fullmatch(str(key.value)))
    for node in module.every(ast.Assign):
        if any(getattr(name, "id", "") in _KEPT for name in node.targets):
            yield from ast.walk(node.value)


def _commands_of(suite: Suite) -> re.Pattern[str]:
    """Return what finds the name of a command: after a colon, or anywhere if it begins with the launcher's name."""
    forms = {
        rf"(?:(?<![\w-])(?:{re.escape(plugin.settings.name)})?|^):{re.escape(name)}(?![\w-])"
        for plugin in suite.plugins
        for name in plugin.commands.values()
    } | {
        rf"(?<![\w-]){re.escape(name)}(?![\w-])"
        for plugin in suite.plugins
        for name in plugin.commands.values()
        if plugin.launcher and name.startswith(plugin.launcher) and name != plugin.launcher
    }
    return re.compile("|".join(sorted(forms)))


def _commands(module: Python, commands: re.Pattern[str]) -> Iterator[_Found]:
    """Yield literals that spell out a command of a plugin."""
    kept = {id(word) for word in _kept(module)}
    for node in module.every(ast.Constant):
        match = commands.search(node.value) if isinstance(node.value, str) else None
        if match and id(node) not in kept:
            remedy = "ask contract/stages.py: command(STAGE) or command_for(KIND)"
            yield _Found(node.lineno, f"'{match.group()}' spells out a command", remedy)


def _numbers(module: Python, limits: Mapping[str, float]) -> Iterator[_Found]:
    """Yield numbers that repeat a limit: in a constant of its name, or the same number beside a name that means it."""
    for node in module.body:
        if isinstance(node, ast.Assign) and _number(node.value) is not None:
            for target in node.targets:
                name = re.sub(r"^(?:MOST|LONGEST)_", "", getattr(target, "id", "")).lower()
                if name in limits:
                    yield _repeated(node, f"{getattr(target, 'id', '')} repeats a limit as a number", name)
    for at, said, value in _numbers_beside_names(module):
        for name, limit in limits.items():
            if value == limit and _subject(name) <= _subject(said):
                yield _repeated(at, f"{value:g} beside '{said}' repeats a limit as a number", name)


def _repeated(node: ast.AST, message: str, name: str) -> _Found:
    return _Found(getattr(node, "lineno", 0), message, f"import {name.upper()} from {_PACKAGE}.limits")


def _numbers_beside_names(module: Python) -> Iterator[tuple[ast.AST, str, float]]:
    """Yield each number that is assigned to, passed as, compared with or cut from a name, with that name."""
    pairs: list[tuple[ast.AST, ast.expr | str, ast.expr | None]] = []
    for one in module.every(ast.Assign):
        pairs += [(one, target, one.value) for target in one.targets]
    pairs += [(one, one.target, one.value) for one in module.every(ast.AnnAssign)]
    pairs += [(one.value, one.arg or "", one.value) for one in module.every(ast.keyword)]
    for args in module.every(ast.arguments):
        taken = [*args.posonlyargs, *args.args]
        pairs += [(arg, arg.arg, value) for arg, value in zip(taken[::-1], args.defaults[::-1], strict=False)]
        pairs += [(arg, arg.arg, value) for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    for compared in module.every(ast.Compare):
        sides = [compared.left, *compared.comparators]
        numbers = [side for side in sides if isinstance(side, ast.Constant)]
        pairs += [(compared, name, value) for value in numbers for name in sides if name is not value]
    for loop in module.every(ast.For):
        if isinstance(loop.iter, ast.Call) and getattr(loop.iter.func, "id", "") == "range":
            pairs += [(loop, loop.target, value) for value in loop.iter.args]
    for cut in module.every(ast.Subscript):
        if isinstance(cut.slice, ast.Slice):
            pairs.append((cut, cut.value, cut.slice.upper))
    for at, name, value in pairs:
        number = _number(value)
        if number is not None and (said := _said(name)):
            yield at, said, number


def _said(node: ast.expr | str) -> str:
    """Return the name of a variable or an attribute, or of what len() counts; "" for anything else."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and node.args:
        node = node.args[0]
    return node if isinstance(node, str) else str(getattr(node, "attr", getattr(node, "id", "")))


def _number(node: ast.expr | None) -> float | None:
    value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _subject(name: str) -> frozenset[str]:
    """Return the words of a name, in the singular, that say what it is about."""
    words = frozenset(word.removesuffix("s") for word in _WORD.findall(name.lower()))
    return words - _NOT_THE_SUBJECT or words
