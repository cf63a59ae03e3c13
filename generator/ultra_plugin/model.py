"""The values that flow through the pipeline: frozen, typed, made once while loading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# --- what the sources say -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who answers for a plugin."""

    name: str
    email: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class SuiteSettings:
    """suite.yaml: what all plugins of a suite share."""

    name: str
    description: str
    owner: Person
    license: str
    oldest_client: str
    version: str | None = None
    """Left out, the generator's own version is the suite's: one version in one place."""


@dataclass(frozen=True, slots=True)
class PluginSettings:
    """plugin.yaml: what the manifest says, and how the stages of the pipeline are called."""

    name: str
    title: str
    description: str
    keywords: tuple[str, ...] = ()
    pipeline: Mapping[str, str] = field(default_factory=dict)
    """Stage -> command name, in the order of the pipeline; a stage's prompt is commands/<stage>.md.j2."""


FieldType = Literal["text", "integer", "number", "boolean", "list", "date", "timestamp"]
Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an artifact."""

    type: FieldType
    means: str
    required: bool = True
    values: Mapping[str, str] | None = None
    """Allowed value -> what it means; left out, any value of the type."""
    example: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """One section of an artifact's body."""

    means: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class Code:
    """One error code of a validator."""

    severity: Severity
    means: str
    remedy: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Version:
    """The field that carries an artifact's version, and which versions are read."""

    field: str
    current: int | str
    accepts: tuple[int | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where an artifact lies."""

    path: str
    when: str


@dataclass(frozen=True, slots=True)
class Modes:
    """How an artifact is validated when it is written and when it is read."""

    write: str
    read: str


@dataclass(frozen=True, slots=True)
class Contract:
    """One artifact that a stage hands to another: the only place where its fields and codes are spelled."""

    artifact: str
    title: str
    handover: int
    prefix: str
    format: Literal["json", "frontmatter", "markdown"]
    producer: str
    consumer: str
    summary: str
    places: tuple[Place, ...]
    version: Version
    modes: Modes
    fields: Mapping[str, Field]
    codes: Mapping[str, Code]
    sections: Mapping[str, Section] = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    """Named functions of the runtime for what data cannot say."""
    line: int = 0

    @property
    def key(self) -> str:
        """The name as templates and Python modules spell it."""
        return self.artifact.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of the bundled runtime, as its module declares it."""

    name: str
    summary: str
    usage: str
    flags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Plugin:
    """One plugin of a suite: its settings and the keys of its commands and agents."""

    settings: PluginSettings
    folder: str
    """Source folder, relative to the tree."""
    commands: Mapping[str, str]
    """Key of the source file -> command name in the client."""
    agents: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Suite:
    """Everything that the sources say, loaded and checked for shape."""

    settings: SuiteSettings
    version: str
    plugins: tuple[Plugin, ...]
    contracts: Mapping[str, Contract]
    verbs: Mapping[str, Verb]


# --- what is made of them -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Budget:
    """The most tokens a command or agent may cost; what is left out is not bounded."""

    always_on: int | None = None
    on_invoke: int | None = None
    closure: int | None = None


@dataclass(frozen=True, slots=True)
class BundleFile:
    """One file of a plugin folder: where it goes, what it holds and what it was made from."""

    path: str
    """Relative to the plugin folder, forward slashes."""
    content: bytes
    executable: bool = False
    sources: tuple[str, ...] = ()
    """Source files that it was rendered from, the template first; empty in a folder we did not make."""
    symlink: bool = False
    """True only in folders that we did not make: we never write one."""
    budget: Budget | None = None
    source_lines: tuple[int, ...] = ()
    """For rendered text: the line of the raw rendering behind each line, where the two differ."""

    @property
    def text(self) -> str:
        """The content as text; what is not UTF-8 shows as replacement characters."""
        return self.content.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A plugin folder in memory."""

    name: str
    version: str
    files: Mapping[str, BundleFile] = field(default_factory=dict)
