"""Which command comes next, by the order of the pipeline."""

from __future__ import annotations

from ultra_runtime.rendered import names
from ultra_runtime.review.remediation import MENDED, PLANNED, standing
from ultra_runtime.status.project_facts import BROKEN, MISSING, THERE
from ultra_runtime.status.run_facts import ELSEWHERE, LIVE
from ultra_runtime.words import shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.standing import Standing
    from ultra_runtime.status.project_facts import ProjectFacts
    from ultra_runtime.status.run_facts import RunFacts

STAGES = ("brief", "research", "plan", "execute", "review")


class Next:
    """The stage at hand, the command (nothing when there is none to give) and the reason for it."""

    __slots__ = ("command", "reason", "stage")

    def __init__(self, stage: str, reason: str, command: str = "") -> None:
        self.stage = stage
        self.reason = reason
        self.command = command


def next_command(facts: ProjectFacts) -> Next:
    """Decide what comes next."""
    return _before_the_run(facts) or _in_the_run(facts) or _after_the_run(facts)


def _command(facts: ProjectFacts, stage: str, flags: str = "") -> str:
    command = names().commands.get(stage, "")
    if not command or stage == "brief":
        return command
    return f"{command} --project {shell_word(facts.project.shown)} {flags}".rstrip()


def _before_the_run(facts: ProjectFacts) -> Next | None:
    if facts.runs:
        return None
    if facts.plan == MISSING:
        if facts.brief != THERE:
            reason = {MISSING: "there is no brief yet", BROKEN: "the brief has to be mended"}
            said = reason.get(facts.brief, "the brief is a draft, whose review is not over")
            return Next("brief", said, _command(facts, "brief"))
        open_topics = len(facts.topics) - facts.answered
        if open_topics and facts.research_status != "skipped":
            said = f"{open_topics} of {len(facts.topics)} topics have no answer"
            return Next("research", said, _command(facts, "research"))
        return Next("plan", "there is no plan yet", _command(facts, "plan"))
    if facts.plan != THERE:
        return Next("plan", "the plan has to be mended", _command(facts, "plan"))
    return Next("execute", "the plan waits to be executed", _command(facts, "execute"))


def _in_the_run(facts: ProjectFacts) -> Next | None:
    held = next((run for run in facts.runs if run.holder), None)
    if held is not None and held.standing is not None:
        return _held(held, held.standing)
    run = facts.run
    if run is None or run.status == "completed":
        return _next_session(facts)
    session = f"--session {run.session} " if run.session is not None else ""
    what = "was interrupted" if run.status == "in_progress" else f"is {run.status or 'unreadable'}"
    return Next("execute", f"the run {what}", _command(facts, "execute", f"{session}--resume"))


def _held(run: RunFacts, standing: Standing) -> Next:
    if run.holder == LIVE:
        return Next("execute", f"the run is in progress: {standing.words}", standing.next)
    if run.holder == ELSEWHERE:
        return Next("execute", f"the run is in progress in another session: {standing.words}")
    return Next("execute", f"the run was interrupted: {standing.words}", standing.resume)


def _next_session(facts: ProjectFacts) -> Next | None:
    """Return the first session without a completed run, when sessions are run one by one."""
    done = {run.session for run in facts.runs if run.status == "completed"}
    if None in done:
        return None
    order = [number for wave in facts.waves for number in wave]
    left = [number for number in order if number not in done]
    if not left:
        return None
    return Next(
        "execute", f"session {left[0]} comes next", _command(facts, "execute", f"--session {left[0]}")
    )


def _after_the_run(facts: ProjectFacts) -> Next:
    if facts.review in (MISSING, BROKEN):
        return Next("review", "the work waits for its review", _command(facts, "review"))
    if facts.verdict in ("BLOCK", "WARN") and facts.findings:
        far = standing(facts.project, facts.project.path("review.md"))
        if far == MENDED:
            said = (
                f"what the review ({facts.verdict}) asked for was done since: look at the work as it is now"
            )
            return Next("review", said, _command(facts, "review"))
        if far == PLANNED:
            return Next(
                "execute", "the plan that mends the review waits to be executed", _command(facts, "execute")
            )
        command = names().commands.get("plan", "")
        given = f"{command} --brief {shell_word(facts.project.show('review.md'))}" if command else ""
        return Next("plan", f"the review says {facts.verdict}: plan what it found", given)
    return Next("done", "the project is complete")
