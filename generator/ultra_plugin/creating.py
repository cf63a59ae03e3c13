"""Build a new plugin once in memory, then write its whole source tree or nothing."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ultra_plugin.check.unused import asked_limits
from ultra_plugin.config import NAME, load
from ultra_plugin.document import nearest
from ultra_plugin.errors import UltraError
from ultra_plugin.limits import LIMITS
from ultra_plugin.model import Plugin, PluginSettings, RuntimeSettings
from ultra_plugin.parts import FOLDER, LAUNCHER, carried_verbs, module_of, rooms_of
from ultra_plugin.pipeline import checked
from ultra_plugin.reference import schemas
from ultra_plugin.render import runtime_of
from ultra_plugin.scaffold import SCHEMAS, Wanted, scaffold
from ultra_plugin.source import PLUGINS, SourceTree
from ultra_plugin.tree import staged_for

SOURCES = "plugin_src"
_IGNORED = "dist/*.zip\ndist/*.sha256\ndist/.*\n__pycache__/\n"


def create(wanted: Wanted, target: Path, packaged: Path) -> None:
    """Write the tree to a new or empty folder; `packaged` is the source tree that has the runtime."""
    if not NAME.fullmatch(wanted.name):
        raise UltraError(f"'{wanted.name}' cannot be the name of a plugin; use a-z, 0-9 and single hyphens")
    if target.is_symlink() or (target.exists() and (not target.is_dir() or any(target.iterdir()))):
        raise UltraError(f"{target}: is not an empty folder; name another one with --to")
    with staged_for(target) as staged:
        _write(wanted, staged, packaged)
        checked(SourceTree(staged / SOURCES), "dist")


def _write(wanted: Wanted, staged: Path, packaged: Path) -> None:
    sources = staged / SOURCES
    files = {f"{SOURCES}/{path}": content for path, content in scaffold(wanted).items()}
    files |= {f"{SOURCES}/{SCHEMAS}/{name}": content for name, content in schemas().items()}
    files[".gitignore"] = _IGNORED.encode()
    for path, content in files.items():
        place = staged / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    if wanted.rooms:
        tree = SourceTree(packaged)
        copied = [*_runtime_files(tree, wanted)]
        for path in copied:
            place = sources / path
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(packaged / path, place)
        (sources / LIMITS).write_text(_used_limits(tree.text(LIMITS), asked_limits(tree, copied)))


def _used_limits(text: str, used: set[str]) -> str:
    """Return the file of limits with only those in use; each begins with its name, indented by two."""
    head, *limits = re.split(r"(?m)^(?=  \w+:)", text)
    kept = [limit for limit in limits if limit[2:].partition(":")[0] in used]
    return head + "".join(kept) if kept else f"{head.rstrip()} {{}}\n"


def _runtime_files(tree: SourceTree, wanted: Wanted) -> Iterator[str]:
    """Yield the sources of the rooms, of what they import, and of the rules that they read."""
    suite = load(tree)
    settings = PluginSettings(wanted.name, runtime=RuntimeSettings(wanted.name, wanted.rooms))
    if unknown := {*wanted.rooms} - rooms_of(suite.modules):
        room = min(unknown)
        raise UltraError(f"the runtime has no room '{room}' ({nearest(room, rooms_of(suite.modules))})")
    plugin = Plugin(settings, f"{PLUGINS}/{wanted.name}", "", {}, {})
    verbs = carried_verbs(suite.modules, settings.runtime, (), suite.verbs)
    made, carried = runtime_of(tree, suite, replace(plugin, verbs=verbs))
    needed = [file.path for file in made if file.path.startswith("schemas/")]
    if needed:
        names = ", ".join(sorted(path.split("/")[1].partition(".")[0] for path in needed))
        raise UltraError(
            f"these rooms need the contracts {names}, whose stages a new plugin lacks; name other rooms"
        )
    yield LAUNCHER
    yield from (path for path in tree.files(FOLDER) if module_of(path) in carried)
    if any(file.path.endswith("/policy.py") for file in made):
        yield from tree.files("policy")
