"""What a worker on another machine is told: the commit to start from, the prompt, the limits, and files that git has not."""

from __future__ import annotations

from ultra_runtime.files.run_refs import BEGIN, DONE, SKIP
from ultra_runtime.plan.values import SESSIONS_ENTRY
from ultra_runtime.run.life.wave_lines import place_in_tree
from ultra_runtime.waves.attempts import prompt_of, start_of
from ultra_runtime.waves.recovery import recovery_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ultra_runtime.waves.local_engine import Attempt
    from ultra_runtime.waves.wave_run import WaveRun


def job_of(run: WaveRun, attempt: Attempt) -> dict[str, Any]:
    """Return everything that the worker of an attempt must know; no part of it is a secret."""
    one = run.state.sessions[attempt.session]
    begin, depth = run.state.begin, one.depth
    place = place_in_tree(run.state, one, depth)
    author = run.git.line("var", "GIT_AUTHOR_IDENT").rpartition(" <")
    return {
        "session": one.number, "attempt": attempt.number, "mark": attempt.mark, "name": attempt.name,
        "slug": place.slug, "branch": run.branch_of(one.number), "base": run.state.waves[one.wave].base,
        "start": start_of(run, one), "prompt": prompt_of(run, one), "mode": begin["mode"], "model": begin["model"],
        "dollars": one.lease.get("dollars"), "seconds": attempt.seconds,
        "author": {"user.name": author[0], "user.email": author[2].partition(">")[0]},
        "files": {run.spec_of(one.number, depth): recovery_text(run, one)} if depth else {},
        "facts": {slug: facts_of(run.git.refs(slug)) for slug in map(run.place.slug_of, _needed(run, one.number))},
        "progress": [place.show(place.progress)],
    }  # fmt: skip


def _needed(run: WaveRun, session: int) -> Sequence[int]:
    """Return the sessions whose commits must be there before a session starts."""
    entry = run.assignment(session).entry
    return entry.sessions if entry.kind == SESSIONS_ENTRY else ()


def facts_of(refs: Mapping[str, str]) -> dict[str, str]:
    """Return the refs of a run that name commits of its steps."""
    return {name: commit for name, commit in refs.items() if _is_fact(name)}


def _is_fact(name: str) -> bool:
    number = next((name[len(start) :] for start in (BEGIN, DONE, SKIP) if name.startswith(start)), "")
    return name in ("start", "end") or number.isdigit()
