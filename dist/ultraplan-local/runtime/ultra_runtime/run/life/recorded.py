"""Read the facts of a past run from git: its start and end, and each step's range of commits."""

from __future__ import annotations

from ultra_runtime.files.run_refs import BEGIN, DONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.run_place import RunPlace

OWN = ("wip", "chore")
REFS_SOURCE = "git refs"


class Facts:
    """The facts of a run, and their source."""

    def __init__(self, source: str, start: str, end: str) -> None:
        self.source = source
        self.start = start
        self.end = end
        self.ranges: dict[int, tuple[str, str]] = {}
        """Completed step -> the commit it began on, and its own; the same commit when it made none."""
        self.own: set[str] = set()
        """Commits that the runtime made for itself."""
        self.plan = ""
        self.problems: list[str] = []
        """Records that the runtime did not write."""


def read_facts(git: Git, place: RunPlace) -> Facts | None:
    """Return the facts of a run from the git refs; None when it has none."""
    found = git.run_refs(place.slug)
    refs = found.refs
    if "start" in refs:
        facts = Facts(REFS_SOURCE, refs["start"], refs.get("end") or git.head())
        facts.plan, facts.problems = refs.get("plan", ""), found.problems
        for name, commit in refs.items():
            number = name[len(DONE) :]
            if name.startswith(DONE) and number.isdigit():
                facts.ranges[int(number)] = (refs.get(f"{BEGIN}{number}", commit), commit)
            elif name.startswith(OWN):
                facts.own.add(commit)
        return facts
    return None
