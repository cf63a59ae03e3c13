"""Find codes that the runtime raises but the contract does not list, that nothing raises, or that no fixture shows.

The runtime is read, not run. The place of a call says for which contract it raises a code: in a rule, for
the contracts that name it; in the room `contract`, for those with the feature that `_NEEDED` names; in a module that
loads contracts by name, for these; in the room of an artifact, for that artifact. The trial covers the rest.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ultra_plugin.artifact import Contract, Field
from ultra_plugin.check.codes import warning
from ultra_plugin.check.protocol import FIXTURES
from ultra_plugin.document import line_of, nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import Suite
from ultra_plugin.ranges import walk, walk_fields
from ultra_plugin.source import SourceTree
from ultra_plugin.syntax import Python, try_parse
from ultra_plugin.tables.fields import END, MODULE, used_names

PACKAGE = "runtime/ultra_runtime"
ROOM = f"{PACKAGE}/contract"
RULES = f"{ROOM}/rules.py"
_EXECUTOR = f"{PACKAGE}/run/"  # raises codes about a run, not about a file
_COMMON = "contracts/common.yaml"
_CALLS = frozenset({"add", "code", "_note", "_add", "_warn"})
_RAISES = re.compile(rf"\b(?:{'|'.join(sorted(_CALLS))})\(")
_WORD = re.compile(r"(?<=[\"|])[A-Z][A-Z0-9_]+(?=[\"|])")
_CODES = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*(?:\|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)*")
_OF_ALL = re.compile(r"(?:FM|SECRET)_[A-Z0-9_]+")
_RULE = ["report", "subject"]
_OF_FILE = ("_NOT_FOUND", "_READ_ERROR")
"""Codes of a file that is missing or cannot be read, which no fixture can be."""


@dataclass(frozen=True, slots=True)
class _Raised:
    """Codes, separated by `|`, of which the first listed one is raised; and the place."""

    codes: str
    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class _Module:
    raised: tuple[_Raised, ...]
    rules: Mapping[str, ast.FunctionDef] = field(default_factory=dict)
    """Rule -> its function, in the module of rules."""
    contracts: frozenset[str] = frozenset()
    """The contracts that it loads by name."""
    kinds: frozenset[str] = frozenset()
    """The contracts whose names it uses."""
    is_given_one: bool = False
    """Whether one of its functions takes a contract as an argument."""
    words: frozenset[str] = frozenset()
    """Its quoted words that could be a code."""


def code_problems(tree: SourceTree, suite: Suite) -> Iterator[Problem]:
    """Yield every missing or unused code of a contract, and every unknown or unused rule."""
    if tree.find(RULES) is None:
        return
    modules = {
        path: _read(tree, path)
        for path in tree.files(PACKAGE)
        if path.endswith(".py") and "/tables/" not in path
    }
    contracts = {contract.artifact: contract for contract in suite.contracts.values()}
    yield from _rule_problems(tree, contracts.values(), modules[RULES])
    lacking: dict[str, Problem] = {}  # each code once, however often it is raised
    checked: dict[str, set[str]] = {}
    """Artifact -> the codes that its validation can raise."""
    for path, module in modules.items():
        for raised in module.raised:
            if path.startswith(f"{ROOM}/") and path != RULES and not _is_known(raised.codes, suite):
                message = f"the build does not know which contracts need the code {raised.codes}"
                remedy = "add it to _NEEDED in check/raised.py"
                yield tree.problem(path, raised.line, "code-unknown", message, remedy)
            groups = _scope(path, raised, modules, contracts)
            lacking |= dict(_lacking(tree, suite, raised, groups))
            if not path.startswith(_EXECUTOR):
                for contract in (one for group in groups for one in group):
                    names = {f"{contract.prefix}_{name}" for name in raised.codes.split("|")}
                    checked.setdefault(contract.artifact, set()).update(names, raised.codes.split("|"))
    yield from lacking.values()
    yield from _untried(tree, suite, checked)
    yield from _idle_codes(tree, suite, {word for module in modules.values() for word in module.words})


def _read(tree: SourceTree, path: str) -> _Module:
    text = tree.text(path)
    words = frozenset(_WORD.findall(text))
    module = try_parse(text) if _RAISES.search(text) else None
    if module is None:  # raises nothing, or is not Python, which the verbs or the trial report
        return _Module((), words=words)
    kinds = _kinds(module)
    constants = module.constants() | kinds
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    raised = tuple(
        _Raised(codes, path, call.lineno, function.name)
        for call in module.every(ast.Call)
        if call.args and _called(call) in _CALLS
        for function in functions
        if function.lineno <= call.lineno <= (function.end_lineno or 0)
        for codes in _codes(call.args[0], constants)
    )
    rules = {
        function.name: function
        for function in functions
        if isinstance(function, ast.FunctionDef) and [one.arg for one in function.args.args] == _RULE
    }
    loaded = [call.args[0] for call in module.every(ast.Call) if _called(call) == "load_contract"]
    names = frozenset(name for node in loaded for name in _texts(node, constants))
    used = frozenset(str(one.value) for one in kinds.values())
    is_given_one = len(names) < len(loaded) or any(node.arg == "contract" for node in module.every(ast.arg))
    return _Module(raised, rules, names, used, is_given_one, words)


def _kinds(module: Python) -> dict[str, ast.Constant]:
    """Return the contract of each class of names that a module imports, as a literal."""
    aliases = [
        alias for node in module.every(ast.ImportFrom) if node.module == MODULE for alias in node.names
    ]
    return {
        alias.asname or alias.name: ast.Constant(alias.name.removesuffix(END).replace("_", "-"))
        for alias in aliases
    }


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _codes(node: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[str]:
    """Yield the possible codes of an argument: a text, a constant of the module, or a choice of these."""
    choices: list[ast.expr] = [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]
    choices = node.values if isinstance(node, ast.BoolOp) else choices
    for choice in choices:
        yield from (text for text in _texts(choice, constants) if _CODES.fullmatch(text))


def _texts(node: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[str]:
    """Yield the text of a literal, a constant of the module, or the KIND of a contract's names."""
    node = constants.get(node.id, node) if isinstance(node, ast.Name) else node
    if isinstance(node, ast.Attribute) and node.attr == "KIND" and isinstance(node.value, ast.Name):
        node = constants.get(node.value.id, node)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _rule_problems(tree: SourceTree, contracts: Collection[Contract], rules: _Module) -> Iterator[Problem]:
    """Yield rules that are no function, and functions that no contract names; those of a removed contract may stay."""
    followed = [contract for contract in contracts if contract.format != "markdown"]
    for contract in followed:
        path = f"contracts/{contract.artifact}.yaml"
        for name in contract.rules:
            if name not in rules.rules:
                message = f"the rule '{name}' is not a function of {tree.shown(RULES)}"
                line = line_of(tree.read(path), "rules", name)
                yield tree.problem(path, line, "unknown-rule", message, nearest(name, rules.rules))
    named = {name for contract in followed for name in contract.rules}
    known = {contract.key for contract in contracts}
    gone = {f"{key}{END}" for key in used_names(tree) if key not in known}
    for name, function in rules.rules.items():
        used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        if name not in named and not gone & used and tree.owns(RULES):
            message, remedy = f"no contract names the rule '{name}'", "name it under 'rules:', or delete it"
            yield tree.problem(RULES, function.lineno, "unused-rule", message, remedy)


def _scope(
    path: str, raised: _Raised, modules: Mapping[str, _Module], contracts: Mapping[str, Contract]
) -> list[list[Contract]]:
    """Return groups of contracts; one of each group must list the code."""
    if path == RULES:
        return [[contract] for contract in contracts.values() if raised.function in contract.rules]
    if path.startswith(f"{ROOM}/"):
        needed = _NEEDED.get(raised.codes)
        return [[contract] for contract in contracts.values() if needed and needed(contract)]
    room = path.removeprefix(f"{PACKAGE}/").partition("/")[0]
    module = modules[path]
    read_here = {
        name for name, one in contracts.items() if one.reader and one.reader.partition(".")[0] == room
    }
    names = module.contracts | read_here
    names |= {room} if module.is_given_one or not names else set()
    if not names | module.kinds <= contracts.keys():
        return []
    return [[contracts[name] for name in sorted(names, key=lambda name: (name != room, name))]]


def _lacking(
    tree: SourceTree, suite: Suite, raised: _Raised, groups: Iterable[list[Contract]]
) -> Iterator[tuple[str, Problem]]:
    """Yield a key of file and code, and the problem, for each code that is not listed."""
    names = raised.codes.split("|")
    for group in groups:
        listed = {code for contract in group for code in contract.codes} | {*suite.common_codes}
        wanted = [f"{contract.prefix}_{name}" for name in names for contract in group]
        if not listed & {*names, *wanted}:
            path = f"contracts/{group[0].artifact}.yaml"
            place = f"{raised.path.removeprefix('runtime/')}:{raised.line}"
            message = f"neither {names[0]} nor {wanted[0]} is listed, but {place} raises it for this artifact"
            remedy = "add it under 'codes:', with severity, means and remedy"
            line = line_of(tree.read(path), "codes")
            yield path + raised.codes, tree.problem(path, line, "missing-code", message, remedy)


def _untried(tree: SourceTree, suite: Suite, checked: Mapping[str, set[str]]) -> Iterator[Problem]:
    """Yield the codes of validation without a fixture, of contracts that have a fixture for another code."""
    of_room = {name for codes in _NEEDED for name in codes.split("|")}
    listed = {"common": (suite.common_codes, set(suite.common_codes))}
    for one in suite.contracts.values():
        raised = checked.get(one.artifact, set()) | _named_codes(one)
        listed[one.artifact] = one.codes, raised | {f"{one.prefix}_{name}" for name in of_room}
    for artifact, (codes, raised) in listed.items():
        folder = f"{FIXTURES}/{artifact}"
        shown = {path[len(folder) + 1 :].partition("/")[0].partition(".")[0] for path in tree.files(folder)}
        for name, code in codes.items() if shown & codes.keys() else ():
            if name in raised and name not in shown and not name.endswith(_OF_FILE):
                path, message = tree.shown(f"contracts/{artifact}.yaml"), f"no fixture shows the code {name}"
                yield warning(path, code.line, "untested-contract", message, f"add {folder}/{name}.*")


def _named_codes(contract: Contract) -> set[str]:
    """Return the codes that the fields and parts of a contract name."""
    named = {getattr(one, key) for _, one in walk(contract) for key in ("code", "type_code", "missing")}
    named |= {code for part in contract.parts.values() for code in (part.code, part.count_code)}
    return {code for code in named if code}


def _idle_codes(tree: SourceTree, suite: Suite, words: set[str]) -> Iterator[Problem]:
    """Yield codes that the runtime never names, and common ones that it raises but nobody lists."""
    listed = [(_COMMON, "", suite.common_codes, set[str]())]
    for contract in suite.contracts.values():
        path = f"contracts/{contract.artifact}.yaml"
        listed.append((path, f"{contract.prefix}_", contract.codes, _named_codes(contract)))
    for path, prefix, codes, named_here in listed:
        for name, code in codes.items():
            if not {name, name.removeprefix(prefix)} & words and name not in named_here:
                yield tree.problem(
                    path, code.line, "unused-code", f"nothing raises the code {name}", "delete it"
                )
    if any(contract.is_text for contract in suite.contracts.values()):
        for name in sorted({*filter(_OF_ALL.fullmatch, words)} - suite.common_codes.keys()):
            message = f"the code {name} is not listed, but the runtime raises it"
            remedy = "add it, with severity, means and remedy"
            yield tree.problem(_COMMON, 1, "missing-code", message, remedy)


def _is_known(codes: str, suite: Suite) -> bool:
    return codes in _NEEDED or codes in suite.common_codes or _OF_ALL.fullmatch(codes) is not None


# --- features of a contract that make the validator raise a code ----------------------------------------------


def _fields(contract: Contract) -> list[Field]:
    """Return the fields that the validator checks, without the version, which has its own codes."""
    version = contract.version.field if contract.version else ""
    found = walk_fields(("fields",), contract.fields) if contract.format in _READ else ()
    return [field for keys, field in found if keys != ("fields", version)]


def _parts(contract: Contract) -> list[Field]:
    """Return the fields of repeated parts without their own code."""
    parts = contract.parts.values() if contract.format in _BODIES else ()
    return [field for part in parts if not part.code for field in part.fields.values()]


def _lacks_field(contract: Contract) -> bool:
    needed = [field for field in _fields(contract) if not field.missing] + _parts(contract)
    return any(field.required for field in needed)


def _has_wrong_value(contract: Contract) -> bool:
    return bool(_parts(contract)) or any(_bounded(field) and not field.code for field in _fields(contract))


def _bounded(field: Field) -> bool:
    bounds = (field.values, field.minimum, field.maximum, field.form, field.items)
    is_filled = field.type in ("date", "timestamp") or (field.type == "text" and field.required)
    return is_filled or any(bound is not None for bound in bounds)


def _needs_section(contract: Contract) -> bool:
    return contract.format in _BODIES and any(one.required for one in contract.sections.values())


_BODIES = ("frontmatter", "quoted")
_READ = ("json", "yaml", "frontmatter", "quoted")
_NEEDED: Mapping[str, Callable[[Contract], object]] = {
    "NOT_FOUND": lambda one: one.format != "directory",
    "READ_ERROR": lambda one: one.format != "directory",
    "PARSE_ERROR": lambda one: one.format in ("json", "yaml", "quoted"),
    "MISSING_FIELD": _lacks_field,
    "BAD_TYPE": lambda one: (
        one.format != "quoted"
        and any(field.type != "any" and not (field.type_code or field.code) for field in _fields(one))
    ),
    "BAD_VALUE": _has_wrong_value,
    "LEGACY_VALUE": lambda one: any(field.legacy for field in _fields(one)),
    "MISSING_SECTION": _needs_section,
    "VERSION_MISMATCH": lambda one: one.format in _READ and one.version and one.version.accepts,
    "SCHEMA_MISMATCH|VERSION_UNSUPPORTED": lambda one: one.format in _READ and one.version,
    "NON_CANONICAL_OVERVIEW": lambda one: any(file.role == "tolerated" for file in one.files.values()),
    "LOOSE_FILES": lambda one: one.format == "directory",
    # Raised only where the contract lists them.
    "UNKNOWN_FIELD": lambda one: False,
    "VERSION_FORMAT": lambda one: False,
}
"""Code of the room `contract` -> whether a contract can get it."""
