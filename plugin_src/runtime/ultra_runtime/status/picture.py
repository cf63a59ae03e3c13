"""The pipeline of a project as a picture: inline SVG, coloured by the page's own style sheet."""

from __future__ import annotations

from ultra_runtime.status.lines import STATES
from ultra_runtime.status.markup import tag, text
from ultra_runtime.status.next_command import STAGES
from ultra_runtime.status.project_facts import BROKEN, DRAFT, MISSING, THERE
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.status.next_command import Next
    from ultra_runtime.status.project_facts import ProjectFacts
    from ultra_runtime.status.run_facts import RunFacts, StepFacts

DONE, NOW, WAIT, BAD, WARN = "done", "now", "wait", "bad", "warn"
OF_ARTIFACT = {MISSING: WAIT, DRAFT: NOW, BROKEN: BAD, THERE: DONE}
OF_RUN = {
    "completed": DONE,
    "in_progress": NOW,
    "partial": WARN,
    "stopped": WARN,
    "failed": BAD,
    "blocked": BAD,
}
OF_STEP = {"completed": DONE, "in_progress": NOW, "skipped": WARN, "failed": BAD, "blocked": BAD}
OF_VERDICT = {"BLOCK": BAD, "WARN": WARN}
WIDTH, HEIGHT, GAP, TOP = 172, 88, 30, 8
FITS = 20
SIGNS = {
    DONE: "M-5 0 L-1.5 4 L5 -4",
    NOW: "M-3.5 -5 L5 0 L-3.5 5 Z",
    WAIT: "M-5 0 L-4.9 0 M0 0 L0.1 0 M5 0 L5.1 0",
    BAD: "M-4 -4 L4 4 M4 -4 L-4 4",
    WARN: "M0 -5 L0 1 M0 5 L0 5.1",
}


def step_colour(step: StepFacts) -> str:
    """Return the colour of a step; one that git does not know is not done."""
    return BAD if step.note and step.state == "completed" else OF_STEP.get(step.state, WAIT)


def pipeline(facts: ProjectFacts, coming: Next) -> str:
    """Return the five stages with their state, the one at hand marked."""
    parts = []
    for index, stage in enumerate(STAGES):
        left = 4 + index * (WIDTH + GAP)
        if index:
            middle = TOP + HEIGHT / 2
            parts.append(
                tag("path", class_="link", d=f"M{left - GAP + 5} {middle} h{GAP - 15} m-6 -5 l6 5 l-6 5")
            )
        colour, caption = _stage(facts, stage)
        parts.append(_node(left, stage, colour, caption, stage == coming.stage))
    wide = 8 + len(STAGES) * WIDTH + (len(STAGES) - 1) * GAP
    label = "; ".join(f"{stage}: {_stage(facts, stage)[1]}" for stage in STAGES)
    box = f"0 0 {wide} {TOP * 2 + HEIGHT}"
    return tag("svg", *parts, viewBox=box, role="img", aria_label=f"Pipeline. {label}", class_="pipeline")


def _node(left: int, stage: str, colour: str, caption: str, here: bool) -> str:
    shape = tag("rect", x=left, y=TOP, width=WIDTH, height=HEIGHT, rx=12)
    sign = tag("path", d=SIGNS[colour], transform=f"translate({left + 24} {TOP + 27})", class_="sign")
    disc = tag("circle", cx=left + 24, cy=TOP + 27, r=11, class_="disc")
    name = text("text", stage.capitalize(), x=left + 43, y=TOP + 33, class_="name")
    first, second = _two_lines(caption)
    lines = [text("text", line, x=left + 14, y=TOP + y) for line, y in ((first, 59), (second, 76)) if line]
    return tag("g", shape, disc, sign, name, *lines, class_=f"{colour} here" if here else colour)


def _two_lines(caption: str) -> tuple[str, str]:
    """Break a caption at its comma, and cut what does not fit the box."""
    first, _, second = one_line(caption, 100).partition(", ")
    return _fitted(first), _fitted(second)


def _fitted(words: str) -> str:
    return words if len(words) <= FITS else words[: FITS - 1] + "…"


def _stage(facts: ProjectFacts, stage: str) -> tuple[str, str]:
    """Return colour and caption of a stage."""
    if stage == "brief":
        return OF_ARTIFACT[facts.brief], STATES[facts.brief]
    if stage == "research":
        return _research(facts)
    if stage == "plan":
        return OF_ARTIFACT[facts.plan], f"{len(facts.steps)} steps" if facts.steps else STATES[facts.plan]
    if stage == "execute":
        return _execute(facts.run)
    if facts.review != THERE:
        return OF_ARTIFACT[facts.review], STATES[facts.review]
    count = len(facts.findings)
    return OF_VERDICT.get(facts.verdict, DONE), f"{facts.verdict or 'no verdict'}, {count or 'no'} findings"


def _research(facts: ProjectFacts) -> tuple[str, str]:
    if not facts.topics:
        files = len(facts.research_files)
        return (DONE, f"{files} files") if files else (WAIT, "no topics")
    caption = f"{facts.answered} of {len(facts.topics)} topics"
    if facts.answered == len(facts.topics):
        return DONE, caption
    if facts.research_status == "skipped":
        return WARN, f"{caption}, rest skipped"
    return (NOW if facts.answered or facts.research_status == "in_progress" else WAIT), caption


def _execute(run: RunFacts | None) -> tuple[str, str]:
    if run is None:
        return WAIT, "not started"
    colour = WARN if run.status == "completed" and run.audit == "drift" else OF_RUN.get(run.status, BAD)
    how = f"audit {run.audit}" if run.status == "completed" and run.audit else run.status or "unreadable"
    return colour, f"{run.over} of {len(run.own)} steps, {how.replace('_', ' ')}"


def track(run: RunFacts) -> str:
    """Return the steps of a run as a row of boxes."""
    steps = run.own
    each = 1000 / max(len(steps), 1)
    gap = min(4.0, each / 5)
    boxes = []
    for index, step in enumerate(steps):
        hint = text("title", f"Step {step.number}: {step.title} ({step.state})")
        box = tag("rect", hint, x=f"{index * each:.2f}", y=0, width=f"{each - gap:.2f}", height=14, rx=3)
        boxes.append(tag("g", box, class_=step_colour(step)))
    label = f"{run.over} of {len(steps)} steps are over"
    return tag(
        "svg",
        *boxes,
        viewBox="0 0 1000 14",
        preserveAspectRatio="none",
        role="img",
        aria_label=label,
        class_="track",
    )
