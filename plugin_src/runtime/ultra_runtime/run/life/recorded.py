"""Read the facts of a past run from git: its start and end, and each step's range of commits."""

from __future__ import annotations

from ultra_runtime.run.state.progress import read_progress
from ultra_runtime.run.state.repair import BEGIN, DONE, SKIP
from ultra_runtime.run.state.statuses import COMPLETED, SKIPPED
from ultra_runtime.tables.fields import progress_fields as fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.run_place import RunPlace

REFS_SOURCE, FILE_SOURCE = "git refs", "progress.json"


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
        self.plan = ""


def read_facts(git: Git, place: RunPlace) -> Facts | None:
    """Return the facts of a run from the git refs, else from the progress file, else None."""
    refs = git.refs(place.slug)
    if "start" in refs:
        facts = Facts(REFS_SOURCE, refs["start"], refs.get("end") or git.head(), "end" in refs)
        facts.plan = refs.get("plan", "")
        for name, commit in refs.items():
            number = name[len(DONE) :]
            if name.startswith(DONE) and number.isdigit():
                facts.ranges[int(number)] = (refs.get(f"{BEGIN}{number}", commit), commit)
            elif name.startswith(SKIP) and number.isdigit():
                facts.skipped.add(int(number))
        return facts
    return _from_file(git, place)


def _from_file(git: Git, place: RunPlace) -> Facts | None:
    progress, _ = read_progress(place.progress)
    start = progress.values.get(fields.SESSION_START_SHA) if progress else None
    if progress is None or not isinstance(start, str):
        return None
    end = progress.values.get(fields.SESSION_END_SHA)
    has_ended = isinstance(end, str)
    facts = Facts(FILE_SOURCE, start, str(end) if has_ended else git.head(), has_ended)
    for number, step in progress.steps.items():
        if number.isdigit() and step.get(fields.STEPS_STATUS) == SKIPPED:
            facts.skipped.add(int(number))
        elif number.isdigit() and step.get(fields.STEPS_STATUS) == COMPLETED:
            begin = step.get(fields.STEPS_START_COMMIT)
            commit = step.get(fields.STEPS_COMMIT) or begin
            if isinstance(commit, str):
                facts.ranges[int(number)] = (begin if isinstance(begin, str) else commit, commit)
    return facts
