"""Load the modules that the generator renders into `ultra_runtime/tables/`."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

# The launcher and the hooks put a real path first on sys.path, so this one is real too.
BUNDLE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))


class Names:
    """The names and versions of the bundle."""

    __slots__ = ("branches", "granted", "oldest_client", "plugin", "programs", "reading", "version")

    def __init__(self, module: ModuleType) -> None:
        self.plugin: str = module.PLUGIN
        self.branches: str = module.BRANCHES  # what the branches of sessions begin with
        self.version: str = module.VERSION
        self.oldest_client: str = module.OLDEST_CLIENT
        self.reading: tuple[str, ...] = module.READING  # verbs that write nothing
        self.programs: dict[str, tuple[str, ...]] = module.PROGRAMS  # what each agent may run
        self.granted: dict[str, tuple[str, ...]] = (
            module.GRANTED
        )  # verbs that write and that an agent may call


def table(name: str) -> ModuleType:
    """Return the rendered module of that name."""
    # importlib.import_module does the same, but imports importlib, types and warnings.
    return __import__("ultra_runtime.tables." + name, fromlist=["*"])


def names() -> Names:
    """Return the names of this bundle."""
    return Names(table("names"))


def has_verb(words: str) -> bool:
    """Tell whether this bundle carries a verb, which is a file, or one that the plugin offers instead."""
    name = _offered(words).replace(" ", "_").replace("-", "_")
    path = os.path.join(BUNDLE, "runtime", "ultra_runtime", "verbs", name)
    return os.path.exists(f"{path}.py") or os.path.exists(f"{path}_.py")


def launcher() -> str:
    """Return the name of the plugin's program, which is also that of its folder in the git dir and of its refs."""
    # In the package itself, so that a hook need not read a second file before every tool call.
    name: str = __import__("ultra_runtime.tables", fromlist=["*"]).LAUNCHER
    return name


def verb(words: str) -> str:
    """Return the call of a verb as a person types it.

    The build refuses a verb that a bundle with this code lacks, unless its stage is lacking too or the code asks has_verb.
    """
    return f"{launcher()} {_offered(words)}"


def _offered(words: str) -> str:
    """Return the verb that the plugin offers for one of the runtime."""
    instead: dict[str, str] = __import__("ultra_runtime.tables", fromlist=["*"]).VERBS
    for name, own in instead.items():
        if f"{words} ".startswith(f"{name} "):
            return own + words[len(name) :]
    return words


def table_names() -> list[str]:
    """Return the names of all rendered modules."""
    folder = __import__("ultra_runtime.tables", fromlist=["*"]).__path__[0]
    return sorted(entry[:-3] for entry in os.listdir(folder) if entry.endswith(".py") and entry[0] != "_")
