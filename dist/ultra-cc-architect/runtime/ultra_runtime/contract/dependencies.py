"""The graph of a work's tasks: their order, a cycle, and which of them can be done now."""

from __future__ import annotations

from ultra_runtime.typed import Collection, Mapping, Sequence

DONE, READY, BLOCKED = "DONE", "READY", "BLOCKED"
NOTHING = ("", "none", "-", "n/a")


def read_ids(text: str) -> tuple[str, ...]:
    """Return the tasks that a text lists, separated by commas; none for `none`."""
    words = [word.strip(" `") for word in text.replace("\n", ",").split(",")]
    return tuple(word for word in words if word.casefold() not in NOTHING)


def in_order(graph: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the tasks so that each comes after those that it depends on; those of a cycle are left out."""
    order: list[str] = []
    waiting = sorted(graph)
    while ready := [one for one in waiting if all(other in order for other in graph[one])]:
        order.append(ready[0])
        waiting.remove(ready[0])
    return order


def find_cycle(graph: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the tasks of one cycle in their order, the first again at the end; nothing if there is none."""
    known = {one: [other for other in graph[one] if other in graph] for one in graph}
    order = in_order(known)  # what is left has only ways that lead round
    left = {one: [other for other in known[one] if other not in order] for one in known if one not in order}
    for start in sorted(left):
        path = [start]
        while left[path[-1]]:
            following = min(left[path[-1]])
            if following in path:
                return [*path[path.index(following) :], following]
            path.append(following)
    return []


def states(graph: Mapping[str, Sequence[str]], done: Collection[str]) -> dict[str, str]:
    """Return each task as DONE, READY or BLOCKED, in the order of the graph."""
    return {
        one: DONE if one in done else READY if all(other in done for other in graph[one]) else BLOCKED
        for one in in_order(graph)
    }


def distances(graph: Mapping[str, Sequence[str]], task: str) -> dict[str, int]:
    """Return how many steps back along the dependencies every earlier task is, the nearest way."""
    found: dict[str, int] = {}
    level, steps = [*graph.get(task, ())], 1
    while level:
        new = [one for one in level if one not in found]
        found.update(dict.fromkeys(new, steps))
        level, steps = [other for one in new for other in graph.get(one, ())], steps + 1
    return found
