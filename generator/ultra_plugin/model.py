"""The frozen values that flow through the pipeline, made once while loading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from ultra_plugin import keys
from ultra_plugin.artifact import Code, Contract, Output
from ultra_plugin.declared import Agent, Limit
from ultra_plugin.rules import Policy


@dataclass(frozen=True, slots=True)
class Person:
    """The author of a plugin."""

    name: str
    email: str | None = None
    url: str | None = None


Profile = Literal["strict", "client"]


@dataclass(frozen=True, slots=True)
class SuiteSettings:
    """suite.yaml: settings that all plugins share, and the keys of the marketplace."""

    MORE: ClassVar[frozenset[str]] = frozenset(keys.MARKETPLACE) - {"plugins"}
    """Further keys, which go to marketplace.json as they are."""

    name: str
    description: str
    owner: Person
    license: str | None = None
    """The licence of every plugin that names no other; its text is the file LICENSE."""
    oldest_client: str = "2.1.197"
    """The oldest version of Claude Code that the plugins support."""
    version: str | None = None
    """Default: the generator's own version."""
    profile: Profile = "strict"
    """What fails a build: `strict`, every problem; `client`, what the client calls an error."""
    allow: tuple[str, ...] = ()
    """Codes that are not reported as problems."""
    deny: tuple[str, ...] = ()
    """Codes that fail the build in the profile `client` too."""
    offers: tuple[Mapping[str, Any], ...] = ()
    """Entries of the marketplace for plugins that are elsewhere."""
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UserOption:
    """An option that a user can set in the client; only keys that every supported client knows."""

    type: Literal["string", "number", "boolean", "directory", "file"]
    title: str
    description: str
    default: str | int | bool | None = None


@dataclass(frozen=True, slots=True)
class RuntimeSettings:
    """`runtime:` of plugin.yaml: the launcher's name, and the rooms of the runtime that it uses."""

    launcher: str
    """The name of the program on the PATH: bin/<launcher>."""
    rooms: tuple[str, ...] = ()
    """Folders of runtime/ultra_runtime/; the bundle also carries their imports."""
    projects: str = ".claude/projects"
    """The folder with one project folder per run, relative to the root of the repository."""
    records: tuple[str, ...] = ()
    """Folders that belong to the plugin as a whole: what changes there is never part of a step."""
    contracts: tuple[str, ...] = ()
    """Contracts that the rooms need although no stage of the plugin writes or reads them."""
    verbs: Mapping[str, str] = field(default_factory=dict)
    """Verb of a room -> the verb that this plugin offers instead; messages name that one."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the pipeline: its prompt is commands/<stage>.md.j2, its page docs/commands/<stage>.md.j2."""

    command: str
    """The command's name in the client."""
    makes: str | None = None
    """The artifact that the stage makes; a stage that makes none has no position in the order."""
    next: str | None = None
    """The next stage; the last one has none."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class PluginSettings:
    """plugin.yaml: keys of the manifest, what ships, which rules apply, and the stages of the pipeline."""

    MORE: ClassVar[frozenset[str]] = frozenset(keys.MANIFEST) - {"displayName"}
    """Further keys, which go to plugin.json as they are."""

    name: str
    title: str = ""
    """The name that people read: `displayName` of the manifest."""
    description: str = ""
    version: str | None = None
    """Default: the version of the suite."""
    keywords: tuple[str, ...] = ()
    options: Mapping[str, UserOption] = field(default_factory=dict)
    """Options that every supported client can ask for; `userConfig` takes all that the newest client knows."""
    manifest: Mapping[str, Any] = field(default_factory=dict)
    """Keys of plugin.json that this version does not know."""
    entry: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of the plugin's entry in the marketplace, such as `category`."""
    exact: bool = False
    """Whether the folder is the whole plugin: no manifest, licence, icon or listing is added."""
    fill: bool = False
    """Whether paragraphs are filled, tables aligned and blank lines removed in rendered Markdown."""
    copy: tuple[str, ...] = ()
    """Patterns of files that ship byte for byte, whatever their names."""
    skip: tuple[str, ...] = ()
    """Patterns of files that do not ship."""
    targets: tuple[Literal["agent-plugins", "codex"], ...] = ()
    """Other formats to render: `agent-plugins` (the open format 1.0.0) and `codex`, in <out>/targets/."""
    profile: Profile | None = None
    """Default: the profile of the suite."""
    allow: tuple[str, ...] = ()
    """Codes that are not reported as problems for this plugin."""
    deny: tuple[str, ...] = ()
    """Codes that fail the build in the profile `client` too."""
    pipeline: Mapping[str, Stage] = field(default_factory=dict)
    """Stages by name, in the order of the pipeline."""
    runtime: RuntimeSettings | None = None
    """The runtime that the plugin carries; without this key it carries none."""
    references: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Agent -> file of references/ -> the sections that its dispatch carries: numbers, ranges, names or `all`."""
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of the bundled runtime, as its module declares it."""

    name: str
    summary: str
    usage: str
    flags: frozenset[str]
    reads_only: bool = False
    """Whether it only reads, as its module says; default: it writes."""
    module: str = ""
    """Its module, without the package."""
    stage: str | None = None
    """The stage that it belongs to, if its module names one."""
    for_people: str = ""
    """`look` or `act` for a verb that people call, as its module says."""


@dataclass(frozen=True, slots=True)
class Module:
    """The modules that a module of the runtime uses."""

    imports: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()
    """Modules that it names in data and imports late; they may be in a room above."""

    @property
    def uses(self) -> frozenset[str]:
        """All of them."""
        return self.imports | self.late


def branches_of(plugin: str) -> str:
    """Return what the branches of a plugin's sessions begin with: its name, without the flagship's "-local"."""
    return plugin.removesuffix("-local")


@dataclass(frozen=True, slots=True)
class Plugin:
    """One plugin of a suite: its settings and the keys of its commands and agents."""

    settings: PluginSettings
    folder: str
    """Source folder, relative to the tree."""
    file: str
    """The file of its settings; its manifest, if it has no other."""
    commands: Mapping[str, str]
    """Key of the source file -> command name in the client."""
    agents: Mapping[str, str]
    roles: Mapping[str, Agent] = field(default_factory=dict)
    """Key of an agent's source file -> its declarations for the generator."""
    verbs: Mapping[str, Verb] = field(default_factory=dict)
    """The verbs of the runtime that it carries."""

    @property
    def launcher(self) -> str:
        """The name of its launcher; empty if it carries no runtime."""
        return self.settings.runtime.launcher if self.settings.runtime else ""

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages of its pipeline, in order."""
        return tuple(self.settings.pipeline or self.commands)


@dataclass(frozen=True, slots=True)
class Suite:
    """The loaded sources, checked for shape."""

    settings: SuiteSettings
    version: str
    plugins: tuple[Plugin, ...]
    contracts: Mapping[str, Contract]
    verbs: Mapping[str, Verb]
    common_codes: Mapping[str, Code] = field(default_factory=dict)
    """Codes shared by several artifacts."""
    policy: Policy | None = None
    limits: Mapping[str, Limit] = field(default_factory=dict)
    outputs: Mapping[str, Output] = field(default_factory=dict)
    """Agent -> its output block."""
    modules: Mapping[str, Module] = field(default_factory=dict)
    """The modules of the runtime, named without the package."""


# --- results --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Budget:
    """The most tokens that a command or agent may cost; None is unlimited."""

    always_on: int | None = None
    on_invoke: int | None = None
    closure: int | None = None


@dataclass(frozen=True, slots=True)
class BundleFile:
    """One file of a plugin folder: path, content and sources."""

    path: str
    """Relative to the plugin folder, forward slashes."""
    content: bytes
    executable: bool = False
    sources: tuple[str, ...] = ()
    """Source files that it was rendered from, template first; empty in a folder that we did not build."""
    symlink: bool = False
    """Whether it is a symlink; its content is then the path that it points to."""
    budget: Budget | None = None
    source_lines: tuple[int, ...] = ()
    """For rendered text: the rendered line behind each line, if they differ."""
    budget_line: int = 0
    """The rendered line where the removed budget began."""
    unfilled: BundleFile | None = None
    """For filled text: the file before filling, where every line is a template's."""
    left_out: int = 0
    """Bytes at the end that were not read, in a folder that is only checked."""

    @property
    def mode(self) -> int:
        """The permissions that it ships with; of those it had, only the owner's executable bit counts."""
        return 0o755 if self.executable else 0o644

    @property
    def size(self) -> int:
        """The number of its bytes, read or not."""
        return len(self.content) + self.left_out

    @property
    def text(self) -> str:
        """The content as text; invalid UTF-8 becomes replacement characters."""
        return self.content.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Around:
    """What the folders above a plugin say about it: its repository and the marketplace that offers it."""

    readme: str | None = None
    """The text of the repository's README, which counts for a plugin without its own."""
    has_licence: bool = False
    is_repository: bool = False
    """Whether the plugin is the top folder of a repository."""
    entry: Mapping[str, object] = field(default_factory=dict)
    """The marketplace's entry for the plugin."""
    marketplace: Path | None = None
    """The folder of that marketplace."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A plugin folder in memory."""

    name: str
    version: str
    files: Mapping[str, BundleFile] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    """Other formats to render it for."""
    kept: frozenset[str] | None = None
    """The sources of a bundle that was read back from the last build; it needs no check."""
    around: Around = field(default_factory=Around)

    @property
    def has_runtime(self) -> bool:
        """Whether it carries a part of the suite's runtime."""
        return any(source.startswith("runtime/") for source in self.sources)

    @property
    def sources(self) -> frozenset[str]:
        """The source files that it is made from."""
        if self.kept is not None:
            return self.kept
        return frozenset(source for file in self.files.values() for source in file.sources)
