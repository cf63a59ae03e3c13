"""Read the facts of a past run from git: its start and end, and each step's range of commits."""

from __future__ import annotations

from ultra_runtime.files.run_refs import BEGIN, DONE, SKIP
from ultra_runtime.proof.objects import Lineage
from ultra_runtime.run.state.claims import claims_in
from ultra_runtime.words import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.run_place import RunPlace

REFS_SOURCE = "git refs"
MOST_STRAYS = 5


class Facts:
    """The facts of a run, and their source; a run that has not ended has the commit of HEAD as its end."""

    def __init__(self, source: str, start: str, end: str, has_ended: bool) -> None:
        self.source = source
        self.start = start
        self.end = end
        self.has_ended = has_ended
        self.ranges: dict[int, tuple[str, str]] = {}
        """Completed step -> the commit it began on, and its own; the same commit when it made none."""
        self.skipped: set[int] = set()
        self.claims: list[tuple[str, str]] = []
        """Ranges of commits that the user claims."""
        self.plan = ""
        self.problems: list[str] = []
        """Records that the runtime did not write."""


def read_facts(git: Git, place: RunPlace) -> Facts | None:
    """Return the facts of a run from the git refs; None when it has none."""
    found = git.run_refs(place.slug)
    refs = found.refs
    if "start" in refs:
        facts = Facts(REFS_SOURCE, refs["start"], refs.get("end") or git.head(), "end" in refs)
        facts.claims = claims_in(refs)
        facts.plan, facts.problems = refs.get("plan", ""), found.problems
        for name, commit in refs.items():
            number = name[len(DONE) :]
            if name.startswith(DONE) and number.isdigit():
                facts.ranges[int(number)] = (refs.get(f"{BEGIN}{number}", commit), commit)
            elif name.startswith(SKIP) and number.isdigit():
                facts.skipped.add(int(number))
        return facts
    return None


def stray_commits(git: Git, facts: Facts, lineage: Lineage | None = None) -> list[str]:
    """Name the commits between start and end that no step made; what they changed is judged with the rest."""
    subjects = (lineage or Lineage(git, facts.start, facts.end)).subjects
    known = {commit for _, commit in facts.ranges.values()}
    strays = [commit for commit in subjects if commit not in known]
    rows = [
        f"no step made the commit {commit[:12]} {subjects[commit][:80]}" for commit in strays[:MOST_STRAYS]
    ]
    more = len(strays) - MOST_STRAYS
    return [*rows, *([f"no step made {counted(more, 'more commit')}"] if more > 0 else [])]
