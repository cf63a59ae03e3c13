"""The engines by name; another one is a file beside this one and a line here."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.engines.slurm import SlurmEngine
from ultra_runtime.engines.ssh import SshEngine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.checkout.settings import Settings
    from ultra_runtime.engines.engine import Engine

LOCAL = "local"
ENGINES = {"ssh": SshEngine, "slurm": SlurmEngine}


def engine_named(name: str, settings: Settings) -> Engine:
    """Return an engine that this machine can use."""
    engine: Engine = ENGINES[name](settings)
    lacking = engine.lacking()
    if lacking:
        raise RefusedError(lacking, "or start with --on local")
    return engine
