"""Keep the surroundings that a run is pinned to in git, beside its plan."""

from __future__ import annotations

from ultra_runtime.checkout.surroundings import Surroundings, conversions
from ultra_runtime.files.run_refs import AROUND
from ultra_runtime.text.jsontext import JsonError, read_object, write

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
    """Return what a run is pinned to; None for a run of an earlier version, or when git has lost it."""
    if AROUND not in refs:
        return None
    try:
        return Surroundings.of(read_object(git.done("cat-file", "blob", refs[AROUND]).out).values)
    except (JsonError, KeyError):
        return None


def same_conversions(live: Live) -> bool:
    """Tell whether git converts files as it did when the run started, as far as that is recorded."""
    around = read_around(live.git, live.git.refs(live.place.slug))
    return around is None or around.reading == conversions(live.git)
