"""Write HTML in which only our own tags are markup, and the pipeline of a project as a picture (inline SVG)."""

from __future__ import annotations

from ultra_runtime.contract.stage_part import BAD, DONE, NOW, WAIT, WARN
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.life.run_facts import RunFacts, StepFacts
    from ultra_runtime.standing.project_standing import ProjectStanding

OF_STEP = {
    progress_fields.STEPS_STATUS_COMPLETED: DONE,
    progress_fields.STEPS_STATUS_IN_PROGRESS: NOW,
    progress_fields.STEPS_STATUS_SKIPPED: WARN,
    progress_fields.STEPS_STATUS_FAILED: BAD,
    progress_fields.STEPS_STATUS_BLOCKED: BAD,
}
ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#39;"}
LONGEST = 2000
WIDTH, HEIGHT, GAP, TOP = 172, 88, 30, 8
FITS = 20
SIGNS = {
    DONE: "M-5 0 L-1.5 4 L5 -4",
    NOW: "M-3.5 -5 L5 0 L-3.5 5 Z",
    WAIT: "M-5 0 L-4.9 0 M0 0 L0.1 0 M5 0 L5.1 0",
    BAD: "M-4 -4 L4 4 M4 -4 L-4 4",
    WARN: "M0 -5 L0 1 M0 5 L0 5.1",
}


def escaped(text: object, limit: int = LONGEST) -> str:
    """Return text that a browser shows as it is: escaped, on one line, control characters visible."""
    return one_line(str(text), limit).translate(ESCAPES)


def tag(name: str, *inner: str, **attributes: object) -> str:
    """Return an element; `inner` is already markup, attributes are escaped. `class_` writes `class`."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"' for key, value in attributes.items()
    )
    return f"<{name}{given}>{''.join(inner)}</{name}>"


def text(name: str, content: object, **attributes: object) -> str:
    """Return an element that contains only text."""
    return tag(name, escaped(content), **attributes)


def table(heads: tuple[str, ...], rows: list[list[str]], caption: str) -> str:
    """Return a table with a caption for screen readers; cells are already markup."""
    head = tag("thead", tag("tr", *(text("th", one, scope="col") for one in heads)))
    body = tag("tbody", *(tag("tr", *(tag("td", cell) for cell in row)) + "\n" for row in rows))
    name = text("caption", caption, class_="heard")
    return tag(
        "div", tag("table", name, head, body), class_="wide", tabindex=0, role="group", aria_label=caption
    )


def step_colour(step: StepFacts) -> str:
    """Return the colour of a step; a completed step without its commit in git is bad."""
    is_completed = step.state == progress_fields.STEPS_STATUS_COMPLETED
    return BAD if step.note and is_completed else OF_STEP.get(step.state, WAIT)


def pipeline(standing: ProjectStanding) -> str:
    """Return the stages with their state; the current one is marked."""
    parts = []
    for index, part in enumerate(standing.parts):
        left = 4 + index * (WIDTH + GAP)
        if index:
            middle = TOP + HEIGHT / 2
            parts.append(
                tag("path", class_="link", d=f"M{left - GAP + 5} {middle} h{GAP - 15} m-6 -5 l6 5 l-6 5")
            )
        is_here = part.stage == standing.coming.stage
        parts.append(_node(left, part.stage, part.mark, part.caption, is_here))
    count = len(standing.parts)
    wide = 8 + count * WIDTH + (count - 1) * GAP
    label = "; ".join(f"{part.stage}: {part.caption}" for part in standing.parts)
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
    """Split a caption at its comma, and cut each line to fit the box."""
    first, _, second = one_line(caption, 100).partition(", ")
    return _fitted(first), _fitted(second)


def _fitted(words: str) -> str:
    return words if len(words) <= FITS else words[: FITS - 1] + "…"


def track(run: RunFacts) -> str:
    """Return the steps of a run as a row of boxes."""
    steps = run.counted
    each = 1000 / max(len(steps), 1)
    gap = min(4.0, each / 5)
    boxes = []
    for index, step in enumerate(steps):
        hint = text("title", f"Step {step.number}: {step.title} ({step.state})")
        box = tag("rect", hint, x=f"{index * each:.2f}", y=0, width=f"{each - gap:.2f}", height=14, rx=3)
        boxes.append(tag("g", box, class_=step_colour(step)))
    label = f"{run.over} of {len(steps)} steps done"
    return tag(
        "svg",
        *boxes,
        viewBox="0 0 1000 14",
        preserveAspectRatio="none",
        role="img",
        aria_label=label,
        class_="track",
    )
