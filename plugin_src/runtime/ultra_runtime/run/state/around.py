"""Keep the surroundings that a run is pinned to in git, beside its plan."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.surroundings import Surroundings, conversions
from ultra_runtime.files.git import GitError
from ultra_runtime.files.run_refs import AROUND
from ultra_runtime.rendered import verb
from ultra_runtime.text.jsontext import JsonError, read_object, write
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.live import Live


def keep_around(git: Git, around: Surroundings) -> str:
    """Write the surroundings into the object store and return the object."""
    text = write(around.as_data()).encode("utf-8", "surrogateescape")
    return git.ask("hash-object", "-w", "--stdin", given=text).decode().strip()


def read_around(git: Git, refs: Mapping[str, str]) -> Surroundings | None:
    """Return what a run is pinned to, None for a run of an earlier version; refuse when git has lost it."""
    if AROUND not in refs:
        return None
    try:
        return Surroundings.of(read_object(git.blob(refs[AROUND])).values)
    except (GitError, JsonError, KeyError) as problem:
        error = f"what the run was pinned to at its start cannot be read: {one_line(str(problem), 200)}"
        hint = f"restore object {refs[AROUND]}, or `{verb('run abort')}` and start over with --restart"
        raise RefusedError(error, hint) from None


def same_conversions(live: Live) -> bool:
    """Tell whether git converts files as it did when the run started, as far as that is recorded."""
    around = read_around(live.git, live.git.refs(live.place.slug))
    return around is None or around.reading == conversions(live.git)
