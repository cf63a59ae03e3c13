"""Find files that two sessions both touch.

Paths are compared without case and without `./`, `//` and `..`. A path touches itself and, as a folder, everything
below it. A glob (`*`, `?`, `[`; `**` over folders) touches what it can match. Two globs overlap unless their fixed
parts differ: a doubt counts as an overlap. Compared with a glob, a name without a dot counts as a folder.
"""

from __future__ import annotations

from ultra_runtime.typed import Iterator, Sequence
from ultra_runtime.words import listed, one_line

WILD = "*?["
ANY_DEPTH = "**"
MOST_COMPARED = 300_000
MOST_SEGMENTS = 40


def find_overlaps(touched: Sequence[tuple[int, Sequence[str]]]) -> Iterator[tuple[int, int, str]]:
    """Yield session, session and the path they share, once for each pair of sessions."""
    known: set[tuple[int, int]] = set()
    for first, second, path in [*_plain_overlaps(touched), *_glob_overlaps(touched)]:
        pair = (min(first, second), max(first, second))
        if first != second and pair not in known:
            known.add(pair)
            yield (*pair, path)


def normal(path: str) -> str:
    """Return a path as it is compared."""
    parts: list[str] = []
    for part in path.casefold().split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    return "/".join(parts)


def _is_glob(path: str) -> bool:
    return any(sign in path for sign in WILD)


def _plain_overlaps(touched: Sequence[tuple[int, Sequence[str]]]) -> list[tuple[int, int, str]]:
    """Find equal paths, and paths below a folder that another session names."""
    owner: dict[str, int] = {}
    shared: list[tuple[int, int, str]] = []
    own = [
        (session, normal(path), path) for session, paths in touched for path in paths if not _is_glob(path)
    ]
    for session, path, spelled in own:
        if owner.setdefault(path, session) != session:
            shared.append((owner[path], session, one_line(spelled)))
    for session, path, spelled in own:
        parts = path.split("/")[:MOST_SEGMENTS]
        for count in range(len(parts)):
            folder = "/".join(parts[:count])
            if owner.get(folder, session) != session:
                what = f"{one_line(spelled)}, which is below {one_line(folder or '.')}"
                shared.append((owner[folder], session, what))
    return shared


def _glob_overlaps(touched: Sequence[tuple[int, Sequence[str]]]) -> list[tuple[int, int, str]]:
    """Compare every glob with the paths of the other sessions."""
    everything = [
        (session, normal(path).split("/"), path)
        for session, paths in touched
        for path in dict.fromkeys(paths)
    ]
    globs = [entry for entry in everything if _is_glob(entry[2])]
    if _size(globs) * _size(everything) > MOST_COMPARED:
        first = globs[0][0]
        second = next((session for session, _, _ in everything if session != first), first)
        return [(first, second, "the files of too many globs to compare: name the files instead")]
    shared = []
    for session, glob, spelled in globs:
        for other, path, other_spelled in everything:
            if other != session and can_share(glob, path):
                names = dict.fromkeys([one_line(spelled), one_line(other_spelled)])
                shared.append((session, other, f"what {listed(names)} can match"))
    return shared


def _size(entries: Sequence[tuple[int, list[str], str]]) -> int:
    return sum(len(parts) for _, parts, _ in entries)


def can_share(one: Sequence[str], two: Sequence[str]) -> bool:
    """Return whether one path can match both, part by part, or be below a folder that one of them names."""
    if len(one) > MOST_SEGMENTS or len(two) > MOST_SEGMENTS:
        return True
    # reach[j]: the parts of `one` so far and the first j parts of `two` can mean the same folders.
    reach = [True]
    for part in two:
        reach.append(reach[-1] and part == ANY_DEPTH)
    below_two = False
    for part in one:
        before = reach
        below_two = below_two or before[-1]
        reach = [before[0] and part == ANY_DEPTH]
        for column, other in enumerate(two):
            reach.append(
                (before[column] and parts_meet(part, other))
                or (ANY_DEPTH in (part, other) and (before[column + 1] or reach[column]))
            )
    return reach[-1] or (below_two and _is_folder(two)) or (any(reach) and _is_folder(one))


def _is_folder(parts: Sequence[str]) -> bool:
    """Return whether a name can be a folder: a name with a dot counts as a file."""
    return "." not in parts[-1]


def parts_meet(one: str, two: str) -> bool:
    """Return whether two names can be the same, judged by their fixed ends before and after wildcards."""
    if ANY_DEPTH in (one, two):
        return True
    if one == two or not (_is_glob(one) or _is_glob(two)):
        return one == two
    for plain, glob in ((one, two), (two, one)):
        if not _is_glob(plain):
            head, tail = _until_wild(glob), _until_wild(glob[::-1])[::-1]
            return len(plain) >= len(head) + len(tail) and plain.startswith(head) and plain.endswith(tail)
    heads = _until_wild(one), _until_wild(two)
    tails = _until_wild(one[::-1]), _until_wild(two[::-1])
    return all(a.startswith(b) or b.startswith(a) for a, b in (heads, tails))


def _until_wild(text: str) -> str:
    """Return the part of a name before its first wildcard; a closing bracket counts as one from the end."""
    for place, sign in enumerate(text):
        if sign in "*?[]":
            return text[:place]
    return text
