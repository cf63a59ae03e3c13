"""Start the sessions of a plan side by side, in working trees of their own, and answer at once.

The pre-flight says everything that is wrong in one answer. Then a supervisor in a process of its own runs wave after
wave, audits each session, merges it, and moves the branch by fast-forward; `waves wait` shows its progress.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.engines.choosing import LOCAL
from ultra_runtime.usage import Args
from ultra_runtime.waves.wave_answers import ceiling, data_folder, read_options, started
from ultra_runtime.waves.wave_run import find_wave_run
from ultra_runtime.waves.wave_start import begin, launch_supervisor

USAGE = (
    "waves start PLAN [--project DIR] [--on local|ssh|slurm] [--jobs N] [--budget-usd X] [--model M] [--permission-mode M]"
    " [--session-minutes N] [--accept-api-billing] [--data DIR] [--json]"
)
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with what was started, or with every reason why nothing was."""
    found = find_wave_run(args.need("PLAN"), args.get("--project"))
    options = read_options(args, args.get("--on") or LOCAL)
    options.data = data_folder(args)
    begin(found, options, args.flag("--accept-api-billing"))
    launch_supervisor(found)
    return started(found, ceiling(len(found.state.sessions), options), "started")
