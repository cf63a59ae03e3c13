"""Leave word for the next session: how the run stands, and what goes on from there."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.run.life.sessions import session_after
from ultra_runtime.run.state.progress import COMPLETED, now
from ultra_runtime.run.state.run_place import SESSIONS
from ultra_runtime.run.state.session_state import KIND, LAST_SESSION, SAME_SESSION
from ultra_runtime.run.tree.workspace import replace
from ultra_runtime.text.jsontext import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.run_place import RunPlace

BRIEF = "brief.md"


def write_session_state(git: Git, place: RunPlace, status: str) -> str:
    """Write the session state and return what is wrong with it; never a reason to stop."""
    brief, label = _next(git, place, status)
    state = {
        "schema_version": 1,
        "project": place.show(place.folder),
        "next_session_brief_path": brief,
        "next_session_label": label,
        "status": status,
        "updated_at": now(),
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
    brief = os.path.join(place.folder, BRIEF)
    return place.show(brief) if place.project and os.path.isfile(brief) else place.shown
