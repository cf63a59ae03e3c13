"""Keep which commits made during a run are the user's, by the word of the user."""

from __future__ import annotations

from ultra_runtime.files.run_refs import CLAIM
from ultra_runtime.run.tree.snapshot import parse_raw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.tree.snapshot import Entry

    Claims = Sequence[tuple[str, str]]

FROM = "-from"


def add_claim(live: Live, since: str, head: str) -> None:
    """Record that the commits between these two are the user's."""
    number = len(claims_in(live.git.refs(live.place.slug))) + 1
    live.git.set_refs(live.place.slug, {f"{CLAIM}{number}": head, f"{CLAIM}{number}{FROM}": since})


def claims_in(refs: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the claimed ranges of commits, the oldest first."""
    names = sorted((name for name in refs if name.startswith(CLAIM) and not name.endswith(FROM)), key=_number)
    return [(refs[name + FROM], refs[name]) for name in names if name + FROM in refs]


def _number(name: str) -> int:
    number = name[len(CLAIM) :]
    return int(number) if number.isdigit() else 0


def claimed_entries(git: Git, claims: Claims) -> dict[str, Entry | None]:
    """Return the new state of each path that the user's commits changed."""
    found: dict[str, Entry | None] = {}
    for since, head in claims:
        words = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none", since, head)
        found.update(
            (one.path, one.new) for one in parse_raw(git.ask("--no-replace-objects", "diff-tree", *words))
        )
    return found
