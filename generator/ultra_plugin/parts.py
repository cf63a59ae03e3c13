"""Decide which modules of the runtime a plugin carries: its rooms, their verbs and hooks, and all their imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import Module, Plugin, RuntimeSettings, Verb
from ultra_plugin.source import SourceTree
from ultra_plugin.syntax import try_parse

PACKAGE = "ultra_runtime"
FOLDER = f"runtime/{PACKAGE}"
LAUNCHER = "runtime/bin/launcher"
TABLES, VERBS, HOOKS = "tables", "verbs", "hooks"
ANY_CONTRACT = f"{TABLES}.*"
"""Stands for the table of any contract, for a module that computes a table's name."""
Modules = Mapping[str, Module]


def read_modules(tree: SourceTree) -> Modules:
    """Return every module of the runtime; invalid Python, which another check reports, uses nothing."""
    texts = {module_of(path): tree.text(path) for path in tree.files(FOLDER) if path.endswith(".py")}
    return {name: read_module(name, text, frozenset(texts)) for name, text in texts.items()}


def module_of(path: str) -> str:
    """Return the name of a module without the package; the package itself is ""."""
    name = path[len(FOLDER) + 1 :].removesuffix(".py").replace("/", ".")
    return name.removesuffix("__init__").removesuffix(".")


@lru_cache(maxsize=2048)  # one process may load a tree many times
def read_module(name: str, text: str, known: frozenset[str]) -> Module:
    """Return the modules that a module imports anywhere, or names for a late import.

    A late import is named by data: "plan.check" and "ultra_runtime.plan.check" are a module, "ultra_runtime.guard.rules." every module of a folder,
    "child.py" the file next to this one, and table("policy") a rendered module.
    """
    parsed = try_parse(text)
    if parsed is None:
        return Module()
    room = name.rpartition(".")[0]
    imports: set[str] = set()
    late: set[str] = set()
    for_types = {
        id(inner)
        for node in parsed.body
        if isinstance(node, ast.If) and _is(node.test, "TYPE_CHECKING")
        for inner in node.body
    }
    for node in parsed.every(ast.ImportFrom):
        if id(node) not in for_types:
            imports.update(_imported(node, known))
    for text in {node.value for node in parsed.every(ast.Constant) if isinstance(node.value, str)}:
        late.update(_named(text, room, known))
    for call in parsed.every(ast.Call):
        if _is(call.func, "table") and call.args:
            asked = call.args[0]
            late.add(f"{TABLES}.{asked.value!s}" if isinstance(asked, ast.Constant) else ANY_CONTRACT)
    return Module(frozenset(imports), frozenset(late))


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _imported(node: ast.ImportFrom, known: frozenset[str]) -> Iterator[str]:
    package, _, module = (node.module or "").partition(".")
    if package == PACKAGE:
        yield module
        inner = {f"{module}.{alias.name}".lstrip(".") for alias in node.names}
        yield from inner if module == TABLES else inner & known


def _named(text: str, room: str, known: frozenset[str]) -> Iterator[str]:
    if text.startswith(f"{PACKAGE}.") and text.endswith("."):
        folder = text[len(PACKAGE) + 1 :]
        if folder.strip(".") not in ("", TABLES, VERBS):
            yield from (name for name in known if name.startswith(folder))
    elif text.startswith(f"{PACKAGE}.") and " " not in text:
        yield text[len(PACKAGE) + 1 :]
    elif text.endswith(".py") and f"{room}.{text[:-3]}" in known:
        yield f"{room}.{text[:-3]}"
    elif text in known and "." in text:
        yield text


def rooms_of(modules: Modules) -> set[str]:
    """Return the rooms that a plugin may name."""
    return {_room(name) for name in modules} - {"", TABLES, VERBS, HOOKS}


def _room(module: str) -> str:
    return module.partition(".")[0] if "." in module else ""


def room_problems(tree: SourceTree, modules: Modules, plugin: Plugin) -> Iterator[Problem]:
    """Yield each room of plugin.yaml that the runtime does not have."""
    settings, known = plugin.settings.runtime, rooms_of(modules)
    path = plugin.file
    for room in settings.rooms if settings else ():
        if room not in known:
            line, message = _line_of(tree, plugin, room), f"the runtime has no room '{room}'"
            yield tree.problem(path, line, "unknown-room", message, nearest(room, known))


def same_launcher_problems(tree: SourceTree, plugins: Iterable[Plugin]) -> Iterator[Problem]:
    """Yield each plugin whose launcher another plugin has too: the PATH would decide which one runs."""
    owners: dict[str, str] = {}
    for plugin in plugins:
        name, launcher = plugin.settings.name, plugin.launcher
        if launcher and owners.setdefault(launcher, name) != name:
            message = f"the plugin {owners[launcher]} has the launcher '{launcher}' too"
            path, remedy = plugin.file, "choose another name under runtime: launcher:"
            yield tree.problem(path, _line_of(tree, plugin, launcher), "same-launcher", message, remedy)


def _line_of(tree: SourceTree, plugin: Plugin, word: str) -> int:
    """Return the line of plugin.yaml that has a word under `runtime:`."""
    settings = plugin.settings.runtime
    first = settings.line if settings else 1
    lines = tree.text(plugin.file).split("\n")
    spelled = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    return next(
        (number for number, line in enumerate(lines, 1) if number >= first and spelled.search(line)), first
    )


def carried_verbs(
    modules: Modules, settings: RuntimeSettings | None, stages: Iterable[str], verbs: Mapping[str, Verb]
) -> dict[str, Verb]:
    """Return the verbs of a plugin: those of its rooms, without verbs of stages that it lacks."""
    if settings is None:
        return {}
    doors, known = carried_doors(modules, settings.rooms), {*stages}
    return {
        name: verb
        for name, verb in verbs.items()
        if verb.module in doors and (verb.stage is None or verb.stage in known)
    }


def carried_doors(modules: Modules, rooms: Iterable[str]) -> set[str]:
    """Return the verbs and hooks that belong to some rooms.

    A verb or hook belongs to the topmost rooms that it imports: those that no other one of them imports. Of two rooms
    that import each other, as `proof` and the folders of `run` do, neither is below the other.
    """
    below = _rooms_below(modules)
    named = {*rooms}
    doors = set()
    for name, module in modules.items():
        if _room(name) in (VERBS, HOOKS):
            own = {_room(used) for used in module.imports} & below.keys()
            if {room for room in own if not _is_below_one(room, own, below)} <= named:
                doors.add(name)
    return doors


def _is_below_one(room: str, rooms: Iterable[str], below: Mapping[str, set[str]]) -> bool:
    return any(room in below[other] and other not in below[room] for other in rooms)


def _rooms_below(modules: Modules) -> dict[str, set[str]]:
    """Return for each room all rooms that it imports, directly or indirectly."""
    below: dict[str, set[str]] = {room: set() for room in rooms_of(modules)}
    for name, module in modules.items():
        if (room := _room(name)) in below:
            below[room] |= {_room(used) for used in module.imports} & below.keys() - {room}
    for middle in below:
        for rooms in below.values():
            if middle in rooms:
                rooms |= below[middle]
    return below


def carried_modules(
    modules: Modules, plugin: Plugin, tables: Mapping[str, str], contracts: Iterable[str]
) -> set[str]:
    """Return every module of a plugin's bundle: shell, rooms, verbs, hooks and all their imports.

    `tables` maps rendered modules to their texts; `contracts` names those that hold a contract.
    """
    settings = plugin.settings.runtime
    if settings is None:
        return set()
    known = frozenset(modules)
    whole = {name: module.uses for name, module in modules.items()}
    whole |= {name: read_module(name, text, known).uses for name, text in tables.items()}
    whole[ANY_CONTRACT] = frozenset(contracts)
    hooks = {door for door in carried_doors(modules, settings.rooms) if _room(door) == HOOKS}
    rooms = {module for module in modules if module.partition(".")[0] in settings.rooms}
    verbs = (verb.module for verb in plugin.verbs.values())
    waiting = ["", "__main__", VERBS, TABLES, *hooks, *rooms, *verbs]
    carried: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module not in carried:
            carried.add(module)
            # The __init__ of each folder above comes with a module.
            waiting += [*whole.get(module, ()), *([module.rpartition(".")[0]] if module else [])]
    return carried & whole.keys()
