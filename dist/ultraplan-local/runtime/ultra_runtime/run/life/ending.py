"""Write the session state: the status of the run, and what the next session does."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.model import current_version, load_contract
from ultra_runtime.contract.stages import file_of, placed_kinds
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.run.life.sessions import session_after
from ultra_runtime.run.state.run_place import SESSIONS
from ultra_runtime.run.state.session_state import KIND, LAST_SESSION, SAME_SESSION
from ultra_runtime.run.state.statuses import COMPLETED
from ultra_runtime.run.tree.workspace import replace
from ultra_runtime.tables.fields import brief_fields
from ultra_runtime.tables.fields import session_state_fields as fields
from ultra_runtime.text.jsontext import write
from ultra_runtime.text.timestamp import now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.run_place import RunPlace


def write_session_state(git: Git, place: RunPlace, status: str) -> str:
    """Write the session state and return what is wrong with it; an error here never stops the run."""
    brief, label = _next(git, place, status)
    state = {
        fields.SCHEMA_VERSION: current_version(KIND),
        fields.PROJECT: place.show(place.folder),
        fields.NEXT_SESSION_BRIEF_PATH: brief,
        fields.NEXT_SESSION_LABEL: label,
        fields.STATUS: status,
        fields.UPDATED_AT: now(),
    }
    try:
        replace(place.state, (write(state) + "\n").encode("utf-8", "surrogateescape"))
    except RefusedError as problem:
        return problem.error
    result = validate_file(load_contract(KIND), place.state)
    return str(result.errors[0]) if result.errors else ""


def _next(git: Git, place: RunPlace, status: str) -> tuple[str, str]:
    """Return the brief and the label of the session that comes next."""
    if status != COMPLETED:
        return _brief(place, place.session), SAME_SESSION
    following = session_after(git, place)
    if following is None:
        return _brief(place, place.session), LAST_SESSION
    return _brief(place, following.number), f"Session {following.number}: {following.title}"


def _brief(place: RunPlace, session: int | None) -> str:
    """Return what a session reads first: its spec, the brief of the project, or the plan."""
    if session is not None:
        path = os.path.join(place.folder, SESSIONS, f"session-{session}.md")
        if os.path.isfile(path) or place.session != session:
            return place.show(path)
    if place.project and brief_fields.KIND in placed_kinds():
        brief = os.path.join(place.folder, file_of(brief_fields.KIND))
        if os.path.isfile(brief):
            return place.show(brief)
    return place.shown
