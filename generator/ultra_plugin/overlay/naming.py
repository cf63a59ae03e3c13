"""The names of a fork: what they change, and old names that are left."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem, problem
from ultra_plugin.model import Bundle, branches_of
from ultra_plugin.overlay.settings import Names
from ultra_plugin.overlay.values import Place, Value

_UNTOUCHED = ("LICENSE",)
_BINARY = (".png",)


def name_patches(overlay: Value, plugin: Value, off: Collection[str]) -> Iterator[tuple[str, Value]]:
    """Yield "plugin" or "suite" and what overlay.yaml changes in its settings; stages that are off have no names."""
    names = overlay.pairs.get("names", Value({}, overlay.place))
    suite = _picked(names, {"suite": "name"}) | _picked(overlay, {"version": "version"})
    if owner := names.pairs.get("owner"):
        suite["owner"] = Value({"name": owner}, owner.place)
    own = _picked(names, {"plugin": "name", "title": "title"})
    own |= _picked(overlay, {"allow": "allow", "deny": "deny"})
    if launcher := names.pairs.get("launcher"):
        if "runtime" not in plugin.pairs:
            message = "names a launcher, but the plugin has no runtime"
            raise problem(*launcher.place, "bad-name", message, "remove 'launcher'")
        own["runtime"] = Value({"launcher": launcher}, launcher.place)
    if commands := names.pairs.get("commands"):
        stages = plugin.pairs["pipeline"].pairs if "pipeline" in plugin.pairs else {}
        for stage, command in commands.pairs.items():
            if stage not in stages and stage not in off:
                message = f"'commands' names '{stage}', which is not a stage"
                raise problem(*command.place, "bad-stage", message, nearest(stage, stages))
        rows = {
            stage: Value({"command": command}, command.place)
            for stage, command in commands.pairs.items()
            if stage not in off
        }
        own["pipeline"] = Value(rows, commands.place)
    yield "suite", Value(suite, overlay.place)
    yield "plugin", Value(own, overlay.place)


def _picked(value: Value, keys: Mapping[str, str]) -> dict[str, Value]:
    return {new: value.pairs[old] for old, new in keys.items() if old in value.pairs}


def with_discriminators(path: str, content: bytes, renamed: Mapping[str, str]) -> bytes:
    """Return a file of the upstream with the fork's discriminators; lines stay the same."""
    if path.endswith(_BINARY):
        return content
    for old, new in renamed.items():
        pattern, word = rf"(?<![\w-]){re.escape(old)}(?![\w-])", new
        if path.endswith(".py"):  # Python names a value by the constant of its field: TYPE_ULTRABRIEF
            pattern, word = rf"(?<=[A-Z]_){_constant(old)}\b", _constant(new)
        content = re.sub(pattern.encode(), word.encode(), content)
    return content


def _constant(value: str) -> str:
    return value.upper().replace("-", "_")


def old_names(names: Names, suite: Value, plugin: Value, own: Value) -> list[str]:
    """Return the names of the upstream that the fork changes and does not keep."""
    rows = _stages(plugin)
    titles = {plugin.pairs["title"].text: names.title} if "title" in plugin.pairs else {}
    changed = {
        suite.pairs["name"].text: names.suite,
        branches_of(plugin.pairs["name"].text): names.plugin and branches_of(names.plugin),
        plugin.pairs["name"].text: names.plugin,
        **titles,
        **{rows[stage].pairs["command"].text: new for stage, new in names.commands.items()},
        **names.discriminators,
    }
    if "runtime" in plugin.pairs:
        changed[plugin.pairs["runtime"].pairs["launcher"].text] = names.launcher
    kept = {*names.keep, *(row.pairs["command"].text for row in _stages(own).values())}
    return [old for old, new in changed.items() if new and new != old and old not in kept]


def _stages(plugin: Value) -> Mapping[str, Value]:
    return plugin.pairs["pipeline"].pairs if "pipeline" in plugin.pairs else {}


def left_names(names: Sequence[str], bundles: Sequence[Bundle], place: Place) -> Iterator[Problem]:
    """Yield each file of a bundle that still has an old name."""
    if not names:
        return
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    # The client's data folder of a plugin has the plugin's name and "-inline".
    pattern = re.compile(rf"(?<![\w.-])(?:{words})(?=-inline\b|(?![\w{{-]))".encode())
    for bundle in bundles:
        for path, file in bundle.files.items():
            if path in _UNTOUCHED or not (found := pattern.search(file.content)):
                continue
            line = file.content.count(b"\n", 0, found.start()) + 1
            message = f"{bundle.name}/{path}:{line} still has the old name '{found.group().decode()}'"
            remedy = "change it in the overlay, or list it under names: keep:"
            yield Problem(*place, "old-name", message, remedy)
