"""What is removed with a stage that a fork switches off, and with the upstream's other plugins."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase

from ultra_plugin.document import nearest
from ultra_plugin.errors import problem
from ultra_plugin.overlay.values import Value, as_value, read_value

_AGENT = re.compile(r"\bagent\(['\"]([\w-]+)['\"]\)")
_ROLE = re.compile(r"\bagents_with\(['\"]([\w-]+)['\"]\)")
_COMMAND = re.compile(r"\bcommand\(['\"]([\w-]+)['\"]\)")
_HEADER_ROLE = re.compile(r"^role: *\[?([^\]\n]*)", re.MULTILINE)
_ANOTHER = "another plugin"
_PROMPTS = ("commands", "agents", "skills", "guides")


class Cut:
    """The files that are removed with stages and other plugins, and patches for contracts that stay."""

    def __init__(self, files: Mapping[str, bytes], folder: str, stages: Iterable[Value]) -> None:
        self._files = files
        self._folder = folder
        self.off = {stage.text: stage.place for stage in stages}
        others = {path for path in files if path.startswith("plugins/") and not path.startswith(f"{folder}/")}
        self.removed = set(others)
        self.patches: dict[str, Value] = {}
        own = self._stages(f"{folder}/plugin.yaml")
        settings = [path for path in others if path.count("/") == 2 and path.endswith("/plugin.yaml")]
        self._elsewhere = {stage for path in settings for stage in self._stages(path)} - {*own}
        self._cut_contracts()
        if self.off:
            self._cut_pipeline(own)
            for stage in self.off:
                self._drop(
                    f"{folder}/commands/{stage}.md.j2",
                    f"{folder}/docs/commands/{stage}.md.j2",
                    f"{folder}/evals/{stage}-*",
                    f"{folder}/guides/{stage}/*",
                )
            self._cut_agents()

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
        """Drop the artifacts of stages that are off; what a stage elsewhere makes or reads is another plugin's."""
        for path, content in self._files.items():
            if not fnmatchcase(path, "contracts/*.yaml") or path.count("/") > 1:
                continue
            contract = read_value(path, content).pairs
            artifact = path.removeprefix("contracts/").removesuffix(".yaml")
            if "producer" in contract and contract["producer"].text in self.off:
                self._drop(
                    path,
                    f"contracts/fixtures/{artifact}/*",
                    f"{self._folder}/templates/{artifact}.md.j2",
                    f"{self._folder}/docs/examples/*/{artifact}.md*",
                    f"{self._folder}/docs/examples/*/{artifact}/*",
                )
                continue
            changes = {
                key: self._present(contract[key]) for key in ("producer", "consumer") if key in contract
            }
            if kept := {key: value for key, value in changes.items() if value}:
                self.patches[path] = Value(kept, next(iter(kept.values())).place)

    def _present(self, stages: Value) -> Value | None:
        """Return the stages that make or read an artifact as the fork has them; None if nothing changes."""
        before = [stage.text for stage in stages.items] or [stages.text]
        kept = [stage for stage in before if stage not in self.off] or before
        after = [*dict.fromkeys(_ANOTHER if stage in self._elsewhere else stage for stage in kept)]
        if after == before:
            return None
        return as_value(after if stages.items else after[0], stages.place)

    def _cut_agents(self) -> None:
        """Drop the agents that only dropped prompts spawn, and the evals that name dropped agents or stages."""
        gone = self._spawned(()) - self._spawned(self.removed)
        while gone - self.removed:
            self.removed |= gone
            gone = self._spawned(()) - self._spawned(self.removed)
        agents = {path.rpartition("/")[2].removesuffix(".md.j2") for path in gone}
        for path in self._files:
            if path.startswith(f"{self._folder}/evals/"):
                text = self._text(path)
                if {*_AGENT.findall(text)} & agents or {*_COMMAND.findall(text)} & {*self.off}:
                    self._drop(f"{path.rpartition('/')[0]}/*")

    def _spawned(self, without: Collection[str]) -> set[str]:
        """Return the sources of the agents that the plugin's other prompts spawn by name or by role."""
        start = f"{self._folder}/"
        prompts = {
            path: self._text(path)
            for path in self._files
            if path not in without
            and path.startswith(start)
            and path[len(start) :].partition("/")[0] in _PROMPTS
        }
        names = {name for text in prompts.values() for name in _AGENT.findall(text)}
        roles = {role for text in prompts.values() for role in _ROLE.findall(text)}
        return {
            path
            for path, text in prompts.items()
            if path.startswith(f"{start}agents/")
            and (path.rpartition("/")[2].removesuffix(".md.j2") in names or _roles(text) & roles)
        }

    def _text(self, path: str) -> str:
        return self._files[path].decode("utf-8", "replace")


def _roles(text: str) -> set[str]:
    """Return the roles in the header of an agent's source."""
    found = _HEADER_ROLE.search(text)
    return {role.strip() for role in found.group(1).split(",")} if found else set()
