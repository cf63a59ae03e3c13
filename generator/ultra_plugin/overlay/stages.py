"""What goes with a stage that a fork switches off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from ultra_plugin.document import nearest
from ultra_plugin.errors import problem
from ultra_plugin.overlay.values import Place, Value, as_value, read_value

_REFERENCES = {
    "agent": re.compile(r"\bagent\(['\"]([\w-]+)['\"]\)"),
    "role": re.compile(r"\bagents_with\(['\"]([\w-]+)['\"]\)"),
    "fragment": re.compile(r"\{%-?\s*(?:include|extends|import|from)\s+['\"]([^'\"]+)['\"]"),
    "command": re.compile(r"\bcommand\(['\"]([\w-]+)['\"]\)"),
}
_HEADER = {key: re.compile(rf"^{key}: *\[?([^\]\n]*)", re.MULTILINE) for key in ("role", "output")}
_PROMPTS = ("commands/", "agents/", "skills/", "guides/")


class Cut:
    """The files that go with some stages, and the patches for what stays."""

    def __init__(self, files: Mapping[str, bytes], folder: str, stages: Iterable[Value]) -> None:
        self._files = files
        self._folder = folder
        self.stages = {stage.text: stage.place for stage in stages}
        self.removed: set[str] = set()
        self.patches: dict[str, Value] = {}
        if self.stages:
            self._cut_pipeline()
            self._cut_contracts()
            for stage in self.stages:
                self._drop(
                    f"{folder}/commands/{stage}.md.j2",
                    f"{folder}/docs/commands/{stage}.md.j2",
                    f"{folder}/evals/{stage}-*",
                    f"{folder}/guides/{stage}/*",
                )
            self._cut_unused()

    def _drop(self, *patterns: str) -> None:
        self.removed |= {path for path in self._files for pattern in patterns if fnmatchcase(path, pattern)}

    def _cut_pipeline(self) -> None:
        path = f"{self._folder}/plugin.yaml"
        rows = read_value(path, self._files[path]).pairs["pipeline"].pairs
        for stage, place in self.stages.items():
            if stage not in rows:
                message = f"'stages_off' names '{stage}', which is not a stage"
                raise problem(*place, "bad-stage", message, nearest(stage, rows))
        changes: dict[str, Value] = {"$remove": as_value([*self.stages], _first(self.stages))}
        for name, row in rows.items():
            following = old = row.pairs["next"].text if "next" in row.pairs else ""
            while following in self.stages:
                after = rows[following].pairs.get("next")
                following = after.text if after else ""
            if following != old and name not in self.stages:
                place = self.stages[old]
                changes[name] = as_value({"next": following} if following else {"$remove": ["next"]}, place)
        self.patches[path] = Value({"pipeline": Value(changes, _first(self.stages))}, _first(self.stages))

    def _cut_contracts(self) -> None:
        for path, content in self._files.items():
            if not fnmatchcase(path, "contracts/*.yaml") or path.count("/") > 1:
                continue
            contract = read_value(path, content).pairs
            artifact = path.removeprefix("contracts/").removesuffix(".yaml")
            if "producer" in contract and contract["producer"].text in self.stages:
                self._drop(
                    path,
                    f"contracts/fixtures/{artifact}/*",
                    f"{self._folder}/templates/{artifact}.md.j2",
                    f"{self._folder}/docs/examples/*/{artifact}.md*",
                    f"{self._folder}/docs/examples/*/{artifact}/*",
                )
            elif "consumer" in contract:
                readers = [item.text for item in contract["consumer"].items]
                kept = [reader for reader in readers if reader not in self.stages]
                if kept and kept != readers:
                    place = self.stages[next(reader for reader in readers if reader in self.stages)]
                    self.patches[path] = as_value({"consumer": kept}, place)

    def _cut_unused(self) -> None:
        """Drop the agents, outputs, fragments and evals that only dropped files used."""
        used_before = self._used()
        while gone := {
            path for path in used_before - self._used() if path in self._files and path not in self.removed
        }:
            self.removed |= gone
        agents = {path.rpartition("/")[2].partition(".")[0] for path in self.removed if "/agents/" in path}
        for path in self._files:
            if path.startswith(f"{self._folder}/evals/"):
                text = self._text(path)
                if agents & {*_REFERENCES["agent"].findall(text)} or {*self.stages} & {
                    *_REFERENCES["command"].findall(text)
                }:
                    self._drop(f"{path.rpartition('/')[0]}/*")

    def _used(self) -> set[str]:
        """Return the paths of agents, outputs and fragments that the remaining files use."""
        kept = {path: self._text(path) for path in self._files if path not in self.removed and ".j2" in path}
        roles: dict[str, set[str]] = {}
        used: set[str] = set()
        for path, text in kept.items():
            if path.startswith(f"{self._folder}/agents/"):
                for role in _words(_HEADER["role"], text):
                    roles.setdefault(role, set()).add(path)
                used |= {f"outputs/{name}.yaml" for name in _words(_HEADER["output"], text)}
        for path, text in kept.items():
            used |= {*_REFERENCES["fragment"].findall(text)}
            if path.startswith(tuple(f"{self._folder}/{prompts}" for prompts in _PROMPTS)):
                used |= {f"{self._folder}/agents/{key}.md.j2" for key in _REFERENCES["agent"].findall(text)}
                used |= {agent for role in _REFERENCES["role"].findall(text) for agent in roles.get(role, ())}
        return used

    def _text(self, path: str) -> str:
        return self._files[path].decode("utf-8", "replace")


def _words(pattern: re.Pattern[str], text: str) -> list[str]:
    found = pattern.search(text)
    return [word.strip() for word in found.group(1).split(",")] if found else []


def _first(stages: Mapping[str, Place]) -> Place:
    return next(iter(stages.values()))
