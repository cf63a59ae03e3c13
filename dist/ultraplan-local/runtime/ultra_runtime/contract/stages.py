"""The stages of the pipeline and where their artifacts are in a project, from plugin.yaml and the contracts."""

from __future__ import annotations

import os

from ultra_runtime.files.root import names_in
from ultra_runtime.rendered import table
from ultra_runtime.struct import Struct
from ultra_runtime.typed import Iterator
from ultra_runtime.words import one_line, shell_word

DRAFT = ".draft"


class Stage(Struct):
    """One stage: the command of the client, the artifact that it makes, and the stage that follows."""

    name: str
    command: str
    makes: str
    following: str


class Next(Struct):
    """The stage at hand, the reason, and the command; empty when there is none to give."""

    stage: str
    reason: str
    command: str = ""


def unfinished_line(where: str, coming: Next) -> str:
    """Return the line about unfinished work that is shown when a session starts."""
    more = f". To continue: {coming.command}" if coming.command else ""
    return f"Unfinished, {coming.stage} of {where}: {one_line(coming.reason, 200)}{more}"


def stages() -> list[Stage]:
    """Return the stages that make an artifact, in their order."""
    every = [Stage(name, *row) for name, row in table("stages").STAGES.items()]
    return [stage for stage in every if stage.makes]


def stage_that_makes(kind: str) -> str:
    """Return the name of the stage that makes an artifact; empty when no stage does."""
    return next((stage.name for stage in stages() if stage.makes == kind), "")


def command(stage: str, project: str = "", flags: str = "") -> str:
    """Return the command of a stage as a person types it; empty when the plugin has no such stage."""
    row = table("stages").STAGES.get(stage)
    words = [row[0] if row else "", f"--project {shell_word(project)}" if project else "", flags]
    return " ".join(word for word in words if word) if row else ""


def command_for(kind: str, project: str = "", flags: str = "") -> str:
    """Return the command of the stage that makes an artifact; empty when no stage does."""
    return command(stage_that_makes(kind), project, flags)


def placed_kinds() -> list[str]:
    """Return the artifacts of a project, in the order of the stages."""
    return list(table("stages").FILES)


def text_kinds() -> list[str]:
    """Return the artifacts that a model writes."""
    return list(table("stages").TEXTS)


def files_of(kind: str) -> tuple[str, ...]:
    """Return the places of an artifact in a project directory, the usual one first."""
    found: tuple[str, ...] | None = table("stages").FILES.get(kind)
    if found is None:
        from ultra_runtime.contract.model import UnknownKindError

        raise UnknownKindError(kind)
    return found


def need(kind: str) -> None:
    """Refuse a verb of a stage that this plugin does not have."""
    files_of(kind)


def file_of(kind: str) -> str:
    """Return the usual place of an artifact, such as `sessions/session-{session}.md`."""
    return files_of(kind)[0]


def draft_of(kind: str) -> str:
    """Return the place of an artifact's draft."""
    return file_of(kind) + DRAFT


def file_if_any(kind: str) -> str:
    """Return the usual place of an artifact; empty when the plugin has no such artifact."""
    return file_of(kind) if kind in table("stages").FILES else ""


def folder_of(kind: str) -> str:
    """Return the folder of a project that holds an artifact's files; empty for the project's own folder."""
    return file_of(kind).rpartition("/")[0]


def gaps_of(pattern: str) -> list[str]:
    """Return the names of the gaps to fill in: `topic` and `slug` of `research/{topic}-{slug}.md`."""
    return [part.partition("}")[0] for part in pattern.split("{")[1:]]


def find_files(folder: str, kind: str) -> Iterator[str]:
    """Yield the files of an artifact in a project, relative to its folder, sorted; none if the artifact has no place."""
    found = set()
    for pattern in table("stages").FILES.get(kind, ()):
        parent, _, name = pattern.rpartition("/")
        start, end = name.partition("{")[0], name.rpartition("}")[2]
        for entry in names_in(os.path.join(folder, parent)):
            is_match = entry.startswith(start) and entry.endswith(end) and entry[0] != "."
            if is_match if "{" in name else entry == name:
                found.add(f"{parent}/{entry}" if parent else entry)
    yield from sorted(found)
