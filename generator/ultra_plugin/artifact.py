"""Typed values of contracts/*.yaml and outputs/*.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# The project directory in the places of an artifact.
_PROJECT = ("{project_dir}/", ".claude/projects/{date}-{slug}/")
# Placeholder of a place -> the option of `put` that fills it in.
GAPS = {"{NN}": "{topic}", "{topic-slug}": "{slug}", "{N}": "{session}"}
FieldType = Literal[
    "text", "integer", "number", "boolean", "list", "commands", "object", "date", "timestamp", "any"
]
Form = Literal[
    "slug", "file-name", "project-dir", "question", "commit", "sha1", "sha256", "step-number", "version", "location",
    "pattern", "work-id", "task-id",
]  # fmt: skip
"""A required form of text; the runtime has one function per form."""
Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Field:
    """One field: of an artifact, of an object inside it, or of a list of `- name: value` items."""

    type: FieldType
    means: str
    required: bool = True
    values: Mapping[str, str] | None = None
    """Allowed value -> meaning; None allows any value of the type."""
    values_of: str | None = None
    """The part of a contract, `artifact.part`, whose sections name the values: `Findings (MINOR)` gives MINOR."""
    default: int | tuple[str, ...] | str | None = None
    """What holds when an optional field is missing."""
    example: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    form: Form | None = None
    items: FieldType | None = None
    """Type of the items of a list; form and fields then describe the items."""
    nullable: bool = False
    """Null is allowed."""
    code: str | None = None
    """The code for a wrong value, instead of <A>_BAD_VALUE."""
    type_code: str | None = None
    """The code for a wrong type; default: `code`, if any."""
    missing: str | None = None
    """The code for a missing field; default: <A>_MISSING_FIELD if it is required."""
    legacy: Mapping[str, str] = field(default_factory=dict)
    """Older spelling -> current value; read with a warning, never written."""
    moves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Value -> allowed next values, if the field is a state machine."""
    fields: Mapping[str, Field] = field(default_factory=dict)
    """The fields of an object, or of each item of a list of objects."""
    entries: Mapping[str, Field] = field(default_factory=dict)
    """The fields of each value of an object whose keys have the `form`."""
    as_: str | None = None
    """The runtime's name of a renamed field."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of an artifact's body, with its fields, which are list items."""

    means: str
    required: bool = True
    fields: Mapping[str, Field] = field(default_factory=dict)
    mild: bool = False
    """Required, but its lack is only a warning."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Language -> the section's name in it; English is the name itself."""
    as_: str | None = None
    """The runtime's name of a renamed section."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part that a body repeats under headings of one form: topics, findings, steps, sessions."""

    heading: str
    """The heading, with {number}, {title} or {id} for the variable part."""
    under: tuple[str, ...]
    """The sections that hold it."""
    means: str
    fields: Mapping[str, Field]
    level: int = 3
    code: str | None = None
    """The code for a missing field or a value outside its set."""
    counted_by: str | None = None
    """The field of the front matter with their count."""
    count_code: str | None = None
    listed_by: str | None = None
    """The field of the front matter with their ids."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of YAML, named by its top key."""

    means: str
    fields: Mapping[str, Field]


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file of an artifact that is a directory."""

    role: Literal["canonical", "tolerated", "optional"]
    means: str


@dataclass(frozen=True, slots=True)
class Code:
    """One error code of a validator."""

    severity: Severity
    means: str
    remedy: str
    soft: bool = False
    """A warning under --soft and for a draft."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Version:
    """The version field of an artifact, and the versions that can be read."""

    field: str
    current: int | str
    accepts: tuple[int | str, ...] = ()
    """Older versions that are read with a warning: the previous one, for one minor version."""
    legacy: bool = False
    """Older versions, and files without a version, are read as legacy."""
    block: str | None = None
    """The block that holds the field; default: the front matter or the object."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place of an artifact."""

    path: str
    when: str

    @property
    def file(self) -> str:
        """The path inside a project directory, with the options that fill it in; empty for a place elsewhere."""
        start = next((start for start in _PROJECT if self.path.startswith(start)), None)
        file = self.path[len(start) :] if start else ""
        for gap, option in GAPS.items():
            file = file.replace(gap, option)
        return file


@dataclass(frozen=True, slots=True)
class Mode:
    """How an artifact is validated at one end of the handover."""

    mode: Literal["strict", "soft", "runtime", "resume", "discovery", "none"]
    means: str
    """Words that follow "Written" or "Read"."""
    soft_when: Mapping[str, str] = field(default_factory=dict)
    """Field -> value that makes this end soft."""
    draft: bool = False
    """A draft makes this end soft."""


@dataclass(frozen=True, slots=True)
class Modes:
    """How an artifact is validated when it is written and when it is read."""

    write: Mode
    read: Mode


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension that a gate scores."""

    means: str
    detail: str
    """The list of faults."""
    passes_at: int | None = None
    """The least passing score, if not the gate's."""
    detail_fields: tuple[str, ...] = ()
    """Keys of the detail's items, if they are objects."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The thresholds at which a reviewer's scores pass a draft."""

    dimensions: Mapping[str, Dimension]
    tie_order: tuple[str, ...]
    """The order of dimensions with equal scores, weakest first."""
    verdicts: Mapping[str, str]
    lowest: int
    highest: int
    passes_at: int
    detail_at: int
    """A score at or below this must have entries in its detail list."""
    rounds: int
    degraded_score: int
    degraded_verdict: str
    hard: tuple[str, ...] = ()
    """Dimensions that must pass, even after the last round."""
    rework_at: int | None = None
    """A score at or below this sends the draft back."""
    scale: Mapping[str, str] = field(default_factory=dict)
    """What each score means."""


@dataclass(frozen=True, slots=True)
class Stability:
    """How stable a handover is."""

    strength: str
    owner: str
    risk: str


@dataclass(frozen=True, slots=True)
class CommonCodes:
    """common.yaml: codes shared by several artifacts."""

    codes: Mapping[str, Code]


@dataclass(frozen=True, slots=True)
class Contract:
    """One artifact that a stage hands to another; its fields and codes are defined only here."""

    artifact: str
    title: str
    handover: int
    prefix: str
    format: Literal["json", "yaml", "frontmatter", "quoted", "markdown", "directory"]
    """`quoted` is Markdown whose fields are `> Name: value` lines below its title."""
    producer: str
    consumer: str | tuple[str, ...]
    summary: str
    places: tuple[Place, ...]
    modes: Modes
    fields: Mapping[str, Field]
    codes: Mapping[str, Code]
    stability: Stability
    failure_modes: str
    version: Version | None = None
    versioning: str = ""
    """Notes on versions."""
    sections: Mapping[str, Section] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    blocks: Mapping[str, Block] = field(default_factory=dict)
    files: Mapping[str, KnownFile] = field(default_factory=dict)
    forbidden_headings: tuple[str, ...] = ()
    """Words that no heading may begin with when a number follows."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """Function of the runtime -> what it checks, for checks that data cannot express."""
    stats: Mapping[str, Field] = field(default_factory=dict)
    """Fields of the producing stage's stats line."""
    gate: Gate | None = None
    reader: str | None = None
    """The module of the runtime that checks the body, for a body with its own grammar."""
    line: int = 0

    @property
    def consumers(self) -> tuple[str, ...]:
        """The stages that read the artifact."""
        return (self.consumer,) if isinstance(self.consumer, str) else self.consumer

    @property
    def is_text(self) -> bool:
        """Whether it is Markdown that a model fills in and `put` writes."""
        return self.format in ("frontmatter", "markdown")

    @property
    def project_files(self) -> tuple[str, ...]:
        """The paths inside a project directory, the usual one first."""
        return tuple(place.file for place in self.places if place.file)

    @property
    def key(self) -> str:
        """The name as templates and Python modules spell it."""
        return self.artifact.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Output:
    """outputs/*.yaml: the JSON block at the end of an agent's answer; its keys are defined only here."""

    output: str
    means: str
    fields: Mapping[str, Field] = field(default_factory=dict)
    gate: str | None = None
    """The artifact whose gate reads the block, instead of fields."""
    scores: Gate | None = None
    """The agent's own gate, instead of fields."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """Value -> its weight in the runtime, in percent."""
    line: int = 0
