"""What goes with a stage that a fork switches off."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase

from ultra_plugin.document import nearest
from ultra_plugin.errors import problem
from ultra_plugin.overlay.values import Value, as_value, read_value

_REFERENCES = {
    "agent": re.compile(r"\bagent\(['\"]([\w-]+)['\"]\)"),
    "role": re.compile(r"\bagents_with\(['\"]([\w-]+)['\"]\)"),
    "fragment": re.compile(r"\{%-?\s*(?:include|extends|import|from)\s+['\"]([^'\"]+)['\"]"),
    "command": re.compile(r"\bcommand\(['\"]([\w-]+)['\"]\)"),
}
_HEADER = {key: re.compile(rf"^{key}: *\[?([^\]\n]*)", re.MULTILINE) for key in ("role", "output")}
_ANOTHER = "another plugin"
_RUNTIME = "runtime/ultra_runtime/"
_CALLED = (f"{_RUNTIME}verbs/", f"{_RUNTIME}hooks/")
_PROMPTS = ("commands", "agents", "skills", "guides")


class Cut:
    """The files that go with the stages that are off and with the upstream's other plugins, and patches for the rest."""

    def __init__(self, files: Mapping[str, bytes], folder: str, stages: Iterable[Value]) -> None:
        self._files = files
        self._folder = folder
        self.off = {stage.text: stage.place for stage in stages}
        self.removed = {
            path for path in files if path.startswith("plugins/") and not path.startswith(f"{folder}/")
        }
        self.patches: dict[str, Value] = {}
        others = [path for path in self.removed if path.count("/") == 2 and path.endswith("/plugin.yaml")]
        own = self._stages(f"{folder}/plugin.yaml")
        self._gone = {stage for path in others for stage in self._stages(path) if stage not in own}
        if not self.off and not self.removed:
            return
        if self.off:
            self._cut_pipeline(own)
        self._cut_contracts()
        self._cut_rooms(others)
        for stage in self.off:
            self._drop(
                f"{folder}/commands/{stage}.md.j2",
                f"{folder}/docs/commands/{stage}.md.j2",
                f"{folder}/evals/{stage}-*",
                f"{folder}/guides/{stage}/*",
            )
        self._cut_unused()

    def _stages(self, path: str) -> Mapping[str, Value]:
        settings = read_value(path, self._files[path]).pairs
        return settings["pipeline"].pairs if "pipeline" in settings else {}

    def _drop(self, *patterns: str) -> None:
        self.removed |= {path for path in self._files for pattern in patterns if fnmatchcase(path, pattern)}

    def _cut_pipeline(self, rows: Mapping[str, Value]) -> None:
        first = next(iter(self.off.values()))
        changes: dict[str, Value] = {"$remove": as_value([*self.off], first)}
        for stage, place in self.off.items():
            if stage not in rows:
                message = f"'stages_off' names '{stage}', which is not a stage"
                raise problem(*place, "bad-stage", message, nearest(stage, rows))
        for name, row in rows.items():
            following = old = row.pairs["next"].text if "next" in row.pairs else ""
            while following in self.off:
                after = rows[following].pairs.get("next")
                following = after.text if after else ""
            if following != old and name not in self.off:
                change = {"next": following} if following else {"$remove": ["next"]}
                changes[name] = as_value(change, self.off[old])
        self.patches[f"{self._folder}/plugin.yaml"] = Value({"pipeline": Value(changes, first)}, first)

    def _cut_contracts(self) -> None:
        """Drop the artifacts of stages that are gone; what the fork does not read is another plugin's to read."""
        for path, content in self._files.items():
            if not fnmatchcase(path, "contracts/*.yaml") or path.count("/") > 1:
                continue
            contract = read_value(path, content).pairs
            artifact = path.removeprefix("contracts/").removesuffix(".yaml")
            if "producer" in contract and contract["producer"].text in {*self.off, *self._gone}:
                self._drop(
                    path,
                    f"contracts/fixtures/{artifact}/*",
                    f"{self._folder}/templates/{artifact}.md.j2",
                    f"{self._folder}/docs/examples/*/{artifact}.md*",
                    f"{self._folder}/docs/examples/*/{artifact}/*",
                )
            elif "consumer" in contract and (readers := self._readers(contract["consumer"])):
                self.patches[path] = Value({"consumer": readers}, readers.place)

    def _readers(self, stages: Value) -> Value | None:
        """Return the stages that read an artifact without those that are gone; None if nothing changes."""
        before = [stage.text for stage in stages.items] or [stages.text]
        kept = [stage for stage in before if stage not in self.off] or before
        after = [*dict.fromkeys(_ANOTHER if stage in self._gone else stage for stage in kept)]
        return None if after == before else as_value(after, stages.place)

    def _cut_rooms(self, others: Iterable[str]) -> None:
        """Drop the rooms of the runtime that only other plugins use, with their verbs and hooks."""
        theirs = {room for path in others for room in self._rooms(path)}
        for room in theirs - self._rooms(f"{self._folder}/plugin.yaml"):
            named = re.compile(rf"\bultra_runtime\.{re.escape(room)}\b")
            users = [
                path
                for path in self._files
                if path.startswith(_RUNTIME)
                and not path.startswith(f"{_RUNTIME}{room}/")
                and named.search(self._text(path))
            ]
            if all(path.startswith(_CALLED) for path in users):
                self._drop(f"{_RUNTIME}{room}/*")
                self.removed |= {*users}

    def _rooms(self, path: str) -> set[str]:
        runtime = read_value(path, self._files[path]).pairs.get("runtime")
        return {room.text for room in runtime.pairs["rooms"].items} if runtime else set()

    def _cut_unused(self) -> None:
        """Drop the agents, outputs, fragments and evals that only dropped files used."""
        used_before = self._used(frozenset())
        while gone := {
            path
            for path in used_before - self._used(self.removed)
            if path in self._files and path not in self.removed
        }:
            self.removed |= gone
        start = f"{self._folder}/agents/"
        agents = {
            path.removeprefix(start).partition(".")[0] for path in self.removed if path.startswith(start)
        }
        for path in self._files:
            if path.startswith(f"{self._folder}/evals/"):
                text = self._text(path)
                named = {*_REFERENCES["agent"].findall(text)} & agents
                if named or {*_REFERENCES["command"].findall(text)} & {*self.off}:
                    self._drop(f"{path.rpartition('/')[0]}/*")

    def _used(self, without: Collection[str]) -> set[str]:
        """Return the paths of agents, outputs and fragments that the other files use."""
        kept = {path: self._text(path) for path in self._files if path not in without and ".j2" in path}
        roles: dict[tuple[str, str], set[str]] = {}
        used: set[str] = set()
        for path, text in kept.items():
            plugin, kind = _where(path)
            if kind == "agents":
                for role in _words(_HEADER["role"], text):
                    roles.setdefault((plugin, role), set()).add(path)
                used |= {f"outputs/{name}.yaml" for name in _words(_HEADER["output"], text)}
        for path, text in kept.items():
            used |= {*_REFERENCES["fragment"].findall(text)}
            plugin, kind = _where(path)
            if kind in _PROMPTS:
                used |= {f"{plugin}/agents/{key}.md.j2" for key in _REFERENCES["agent"].findall(text)}
                for role in _REFERENCES["role"].findall(text):
                    used |= roles.get((plugin, role), set())
        return used

    def _text(self, path: str) -> str:
        return self._files[path].decode("utf-8", "replace")


def _words(pattern: re.Pattern[str], text: str) -> list[str]:
    found = pattern.search(text)
    return [word.strip() for word in found.group(1).split(",")] if found else []


def _where(path: str) -> tuple[str, str]:
    """Return the plugin's folder and the kind of a file of a plugin."""
    parts = path.split("/")
    return ("/".join(parts[:2]), parts[2]) if parts[0] == "plugins" and len(parts) > 3 else ("", "")
