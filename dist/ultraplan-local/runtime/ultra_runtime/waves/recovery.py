"""Recovery: a spec of the steps that a session lacks, for another attempt from the branch as it is."""

from __future__ import annotations

import os

from ultra_runtime.plan.spec_text import spec_text
from ultra_runtime.plan.values import Session
from ultra_runtime.run.tree.workspace import make_folder, put
from ultra_runtime.tables.fields import session_spec_fields as spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.wave_state import SessionStand
    from ultra_runtime.waves.wave_run import WaveRun


def write_recovery(run: WaveRun, one: SessionStand) -> None:
    """Write the recovery spec into the tree of the session, where its run reads it."""
    path = os.path.join(run.tree_of(one.number), run.spec_of(one.number, one.depth))
    make_folder(os.path.dirname(path))
    put(path, recovery_text(run, one).encode())


def recovery_text(run: WaveRun, one: SessionStand) -> str:
    """Return the recovery spec: the missing steps word for word, and why they are done again."""
    session = next(found for found in run.plan.sessions if found.number == one.number)
    missing = tuple(step for step in session.steps if step in one.missing)
    part = Session(one.number, session.title, session.line, missing, session.wave, (), session.fence)
    tip = run.tip_of(one.number)
    rows = {
        spec.RECOVERY_METADATA_RECOVERY_OF: f"`{run.place.shown}`, session {one.number}",
        spec.RECOVERY_METADATA_RECOVERY_DEPTH: str(one.depth),
        spec.RECOVERY_METADATA_MISSING_STEPS: ", ".join(map(str, missing)),
        spec.RECOVERY_METADATA_ENTRY_CONDITION_OVERRIDE: f"previous partial session committed at {tip[:12]}",
        spec.RECOVERY_METADATA_PARENT_PROGRESS_FILE: f"`{run.place.show(run.place.of_session(one.number).progress)}`",
    }
    lines = [f"- **{name}:** {text}" for name, text in rows.items()]
    return (
        spec_text(run.plan, part, run.place.shown, {})
        + f"\n## {spec.SECTION_RECOVERY_METADATA}\n\n"
        + "\n".join([*lines, ""])
    )
