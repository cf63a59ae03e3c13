"""The values that flow through the pipeline: frozen, typed, made once while loading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# --- what the sources say -------------------------------------------------------------------------------------
from ultra_plugin.declared import Agent, Limit
from ultra_plugin.rules import Policy


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
class UserOption:
    """Something that a user can set in the client: only keys that every supported client knows."""

    type: Literal["string", "number", "boolean", "directory", "file"]
    title: str
    description: str
    default: str | int | bool | None = None


@dataclass(frozen=True, slots=True)
class RuntimeSettings:
    """`runtime:` of plugin.yaml: how the plugin's program is called, and which rooms of the runtime it uses."""

    launcher: str
    """The name of the program on the PATH: bin/<launcher>."""
    rooms: tuple[str, ...] = ()
    """Folders of runtime/ultra_runtime/; what they import comes along."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the pipeline: its prompt is commands/<stage>.md.j2, its page docs/commands/<stage>.md.j2."""

    command: str
    """How the command is called in the client."""
    makes: str | None = None
    """The artifact that the stage makes; a stage that makes none has no place in the order."""
    next: str | None = None
    """The stage that follows; left out, this is the last one."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class PluginSettings:
    """plugin.yaml: what the manifest says, and the stages of the pipeline."""

    name: str
    title: str
    description: str
    keywords: tuple[str, ...] = ()
    options: Mapping[str, UserOption] = field(default_factory=dict)
    pipeline: Mapping[str, Stage] = field(default_factory=dict)
    """Stages by name, in the order of the pipeline."""
    runtime: RuntimeSettings | None = None
    """Left out, the plugin carries no runtime."""


# How the places of an artifact name a project directory.
_PROJECT = ("{project_dir}/", ".claude/projects/{date}-{slug}/")
# What a place leaves open, and the option of `put` that fills it in.
GAPS = {"{NN}": "{topic}", "{topic-slug}": "{slug}", "{N}": "{session}"}
FieldType = Literal["text", "integer", "number", "boolean", "list", "object", "date", "timestamp", "any"]
Form = Literal[
    "slug",
    "file-name",
    "project-dir",
    "question",
    "commit",
    "sha1",
    "sha256",
    "step-number",
    "version",
    "location",
    "pattern",
]
"""A form that text has to have beyond its type; the runtime has one function for each."""
Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Field:
    """One field: of an artifact, of an object inside it, or of a list of `- name: value` items."""

    type: FieldType
    means: str
    required: bool = True
    values: Mapping[str, str] | None = None
    """Allowed value -> what it means; left out, any value of the type."""
    values_of: str | None = None
    """The part of a contract, `artifact.part`, whose sections name the values: `Findings (MINOR)` gives MINOR."""
    example: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    form: Form | None = None
    items: FieldType | None = None
    """Type of the items of a list; form and fields then speak of the items."""
    nullable: bool = False
    """Null may stand where a value of the type would."""
    code: str | None = None
    """The more special code for a value outside the set, the range or the form."""
    type_code: str | None = None
    """The more special code for a value of the wrong type; left out, `code` when there is one."""
    missing: str | None = None
    """The code when the field is not there; left out, <A>_MISSING_FIELD when it is required."""
    legacy: Mapping[str, str] = field(default_factory=dict)
    """Older spelling -> the value it is read as, with a warning; never written."""
    moves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Value -> the values that may follow it, where the field is a state machine."""
    fields: Mapping[str, Field] = field(default_factory=dict)
    """The fields of an object, or of each item of a list of objects."""
    entries: Mapping[str, Field] = field(default_factory=dict)
    """The fields of each value of an object whose keys have the `form`."""
    as_: str | None = None
    """The name by which the runtime knows the field, where it was renamed."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of an artifact's body, with the fields that stand in it as list items."""

    means: str
    required: bool = True
    fields: Mapping[str, Field] = field(default_factory=dict)
    mild: bool = False
    """Its lack is a warning, although it is required."""
    as_: str | None = None
    """The name by which the runtime knows the section, where it was renamed."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece that a body repeats under headings of one form: topics, findings, steps, sessions."""

    heading: str
    """As written, with {number}, {title} or {id} for what differs."""
    under: tuple[str, ...]
    """The sections that hold it."""
    means: str
    fields: Mapping[str, Field]
    level: int = 3
    code: str | None = None
    """The code when one of its fields is missing or outside its set."""
    counted_by: str | None = None
    """The field of the front matter that says how many there are."""
    count_code: str | None = None
    listed_by: str | None = None
    """The field of the front matter that lists the id of each."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of YAML, named by its top key."""

    means: str
    fields: Mapping[str, Field]


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file that is looked for in an artifact which is a directory."""

    role: Literal["canonical", "tolerated", "optional"]
    means: str


@dataclass(frozen=True, slots=True)
class Code:
    """One error code of a validator."""

    severity: Severity
    means: str
    remedy: str
    soft: bool = False
    """Under --soft, and when the artifact is a draft, a warning."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Version:
    """The field that carries an artifact's version, and which versions are read."""

    field: str
    current: int | str
    accepts: tuple[int | str, ...] = ()
    """Older versions that read with a warning: the one before the current, for one minor version."""
    legacy: bool = False
    """Whatever is older, or has no version at all, is read as legacy."""
    block: str | None = None
    """The block that holds the field; left out, the front matter or the object itself."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an artifact lies."""

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
    """In words, to follow "Written" or "Read"."""
    soft_when: Mapping[str, str] = field(default_factory=dict)
    """Field -> value that makes this end soft."""
    draft: bool = False
    """The artifact may be written as a draft, which makes this end soft."""


@dataclass(frozen=True, slots=True)
class Modes:
    """How an artifact is validated when it is written and when it is read."""

    write: Mode
    read: Mode


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that a gate scores."""

    means: str
    detail: str
    """The list that says what is wrong."""
    passes_at: int | None = None
    """The least score that passes, where it is not the gate's own."""
    detail_fields: tuple[str, ...] = ()
    """Keys of the detail's items, where they are objects."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The arithmetic by which a reviewer's scores let a draft through."""

    dimensions: Mapping[str, Dimension]
    tie_order: tuple[str, ...]
    """Which dimension is the weakest when scores are equal, first to last."""
    verdicts: Mapping[str, str]
    lowest: int
    highest: int
    passes_at: int
    detail_at: int
    """A score of this or less fills its detail list."""
    rounds: int
    degraded_score: int
    degraded_verdict: str
    hard: tuple[str, ...] = ()
    """Dimensions that have to pass, however many rounds were had."""
    rework_at: int | None = None
    """A score of this or less asks for the verdict that the draft has to be mended."""
    scale: Mapping[str, str] = field(default_factory=dict)
    """What each score means."""


@dataclass(frozen=True, slots=True)
class Stability:
    """How far a handover can be relied on."""

    strength: str
    owner: str
    risk: str


@dataclass(frozen=True, slots=True)
class CommonCodes:
    """common.yaml: the codes that more than one artifact can get."""

    codes: Mapping[str, Code]


@dataclass(frozen=True, slots=True)
class Contract:
    """One artifact that a stage hands to another: the only place where its fields and codes are spelled."""

    artifact: str
    title: str
    handover: int
    prefix: str
    format: Literal["json", "frontmatter", "markdown", "directory"]
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
    """What there is to say about versions beyond the field."""
    sections: Mapping[str, Section] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    blocks: Mapping[str, Block] = field(default_factory=dict)
    files: Mapping[str, KnownFile] = field(default_factory=dict)
    forbidden_headings: tuple[str, ...] = ()
    """Words that no heading may begin with when a number follows."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """Named function of the runtime -> what it checks, for what data cannot say."""
    stats: Mapping[str, Field] = field(default_factory=dict)
    """What the stats line of the producing stage may hold."""
    gate: Gate | None = None
    line: int = 0

    @property
    def consumers(self) -> tuple[str, ...]:
        """The stages that read the artifact."""
        return (self.consumer,) if isinstance(self.consumer, str) else self.consumer

    @property
    def is_text(self) -> bool:
        """Whether it is Markdown, which a model fills in from a template and `put` writes."""
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
    """outputs/*.yaml: the json block in which some agents end, the only place where its keys are spelled."""

    output: str
    means: str
    fields: Mapping[str, Field] = field(default_factory=dict)
    gate: str | None = None
    """The artifact whose gate reads the block, in place of fields."""
    scores: Gate | None = None
    """A gate of the agent's own, in place of fields."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """What a value counts in an arithmetic of the runtime, in percent."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of the bundled runtime, as its module declares it."""

    name: str
    summary: str
    usage: str
    flags: frozenset[str]
    reads_only: bool = False
    """Whether its module says so; a verb that says nothing counts as one that writes."""
    module: str = ""
    """The module that holds it, named without the package."""
    stage: str | None = None
    """The stage whose plugin carries it, where its module names one."""


@dataclass(frozen=True, slots=True)
class Module:
    """One module of the runtime, and the modules that it uses."""

    imports: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()
    """Those that it names in data and imports when it comes to that; they may be of a room above."""

    @property
    def uses(self) -> frozenset[str]:
        """All of them."""
        return self.imports | self.late


@dataclass(frozen=True, slots=True)
class Plugin:
    """One plugin of a suite: its settings and the keys of its commands and agents."""

    settings: PluginSettings
    folder: str
    """Source folder, relative to the tree."""
    commands: Mapping[str, str]
    """Key of the source file -> command name in the client."""
    agents: Mapping[str, str]
    roles: Mapping[str, Agent] = field(default_factory=dict)
    """Key of an agent's source file -> what its header declares for the generator."""
    verbs: Mapping[str, Verb] = field(default_factory=dict)
    """The verbs of the runtime that it carries."""

    @property
    def launcher(self) -> str:
        """The name of its program; empty where it carries no runtime."""
        return self.settings.runtime.launcher if self.settings.runtime else ""

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages of its pipeline, in order."""
        return tuple(self.settings.pipeline or self.commands)


@dataclass(frozen=True, slots=True)
class Suite:
    """Everything that the sources say, loaded and checked for shape."""

    settings: SuiteSettings
    version: str
    plugins: tuple[Plugin, ...]
    contracts: Mapping[str, Contract]
    verbs: Mapping[str, Verb]
    common_codes: Mapping[str, Code] = field(default_factory=dict)
    """Codes that more than one artifact can get."""
    policy: Policy | None = None
    limits: Mapping[str, Limit] = field(default_factory=dict)
    outputs: Mapping[str, Output] = field(default_factory=dict)
    """Agent -> the block in which its answer ends."""
    modules: Mapping[str, Module] = field(default_factory=dict)
    """The modules of the runtime, named without the package."""


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
    budget_line: int = 0
    """The line of the raw rendering on which the budget began that was taken out."""
    unfilled: BundleFile | None = None
    """For filled text: the file before, in which every line is one of a template."""

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
