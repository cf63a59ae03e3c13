"""Read the Execution Strategy: sessions with their steps, waves, dependencies and scope fences."""

from __future__ import annotations

from ultra_runtime.plan.inline import numbers, paths
from ultra_runtime.plan.overlap import find_overlaps
from ultra_runtime.plan.steps import LEVEL, begins_numbered, numbered
from ultra_runtime.plan.values import Fence, Plan, Session
from ultra_runtime.tables.fields import plan_fields, session_spec_fields
from ultra_runtime.typed import Iterable
from ultra_runtime.words import listed, one_line, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.text import markdown

ORDER = "Execution Order"
SCOPE_FENCE: str = plan_fields.SESSIONS_SCOPE_FENCE
TOUCH: str = session_spec_fields.SCOPE_FENCE_TOUCH
NEVER_TOUCH: str = session_spec_fields.SCOPE_FENCE_NEVER_TOUCH
MOST_NAMED = 20


def read_strategy(plan: Plan, section: markdown.TextSection) -> None:
    """Read the sessions into the plan and report their problems."""
    reader = _Reader(plan, _execution_order(plan, section))
    seen: set[int] = set()
    for heading in plan.document.below(section):
        found = numbered(heading.title, "Session") if heading.level == LEVEL else None
        if found and found[0] in seen:
            plan.add("BAD_VALUE", f"there are two sessions {found[0]}", heading.line)
        elif found:
            seen.add(found[0])
            plan.sessions.append(reader.session(found[0], found[1], heading))
        elif begins_numbered(heading.title, ["Session"]):
            message = f'"{one_line(heading.title)}" must have the form ### Session N: title'
            plan.add("BAD_VALUE", message, heading.line)
    if not plan.sessions:
        message = f"the {plan_fields.SECTION_EXECUTION_STRATEGY} has no session: write ### Session N: title"
        plan.add("BAD_VALUE", message, section.line)
        return
    reader.check_steps(section.line)
    _check_dependencies(plan)
    for wave, sessions in plan.waves:
        _check_overlap(plan, wave, sessions)


def read_fence(items: Iterable[markdown.Item]) -> Fence:
    """Read Touch and Never touch, which are list items or below a field Scope fence."""
    touch, never = TOUCH.casefold(), NEVER_TOUCH.casefold()
    lists: dict[str, tuple[str, ...]] = {touch: (), never: ()}
    queue = list(items)
    for item in queue:
        name = " ".join(item.name.split()).casefold()
        if name in lists:
            lists[name] += paths(item)
        elif name == SCOPE_FENCE.casefold():
            queue += item.children
    return Fence(lists[touch], lists[never])


class _Reader:
    """Read sessions one by one and track which steps they take."""

    def __init__(self, plan: Plan, waves: list[tuple[int, int, int]]) -> None:
        self.plan = plan
        self.waves = waves
        self.known = {step.number for step in plan.steps}
        self.owner: dict[int, int] = {}
        self.sound = True

    def session(self, number: int, title: str, heading: markdown.TextSection) -> Session:
        steps = self._steps(number, heading)
        needs = self._needs(number, heading)
        fence = read_fence(heading.items)
        wave = self._wave(number, heading)
        return Session(number, title, heading.line, steps, wave, tuple(dict.fromkeys(needs)), fence)

    def _needs(self, number: int, heading: markdown.TextSection) -> list[int]:
        """Return the sessions that must be done first, all of a range; a long range is a problem."""
        item = heading.field(plan_fields.SESSIONS_DEPENDS_ON)
        needs: list[int] = []
        for first, last in numbers(_with_children(item)):
            if item and last - first > MOST_NAMED:
                message = f"session {number} depends on {first}-{last}: name each of these sessions"
                self.plan.add("BAD_VALUE", message, item.line, field=plan_fields.SESSIONS_DEPENDS_ON)
                break
            needs += range(first, last + 1)
        return needs

    def _steps(self, number: int, heading: markdown.TextSection) -> tuple[int, ...]:
        """Return the steps that no earlier session has; the others are a problem."""
        item = heading.field(plan_fields.SESSIONS_STEPS)
        line = item.line if item else heading.line
        own: list[int] = []
        for first, last in numbers(_with_children(item)):
            unknown = [step for step in (first, last) if step not in self.known]
            if unknown:
                message = f"session {number} names step {unknown[0]}, which the plan does not have"
                self._add(message, line)
                break
            taken = next((step for step in range(first, last + 1) if step in self.owner), None)
            if taken is not None:
                other = self.owner[taken]
                where = (
                    f"session {other} twice"
                    if other == number
                    else f"session {other} and in session {number}"
                )
                self._add(f"step {taken} is in {where}", line, taken)
                break
            span = [step for step in range(first, last + 1) if step in self.known]
            self.owner.update(dict.fromkeys(span, number))
            own += span
        else:
            if not own:
                self._add(f"session {number} has no steps", line)
        return tuple(own)

    def check_steps(self, line: int) -> None:
        """Report the steps that are in no session, unless a session's list is broken anyway."""
        lost = [step.number for step in self.plan.steps if step.number not in self.owner]
        if lost and self.sound:
            verb = "is" if len(lost) == 1 else "are"
            self._add(f"{_named(lost, 'step')} {verb} in no session", line, lost[0])

    def _add(self, message: str, line: int, step: int | None = None) -> None:
        self.sound = False
        self.plan.add("SESSION_STEPS", message, line, step, plan_fields.SESSIONS_STEPS)

    def _wave(self, number: int, heading: markdown.TextSection) -> int:
        item = heading.field(plan_fields.SESSIONS_WAVE)
        line = item.line if item else heading.line
        said = numbers(item.value) if item else []
        ordered = next((wave for first, last, wave in self.waves if first <= number <= last), None)
        if item is None and ordered:
            return ordered
        if len(said) != 1 or said[0][0] != said[0][1] or said[0][0] < 1:
            message = f"session {number} has no wave: give it the field {plan_fields.SESSIONS_WAVE} with a number of at least 1"
            self.plan.add("BAD_VALUE", message, line, field=plan_fields.SESSIONS_WAVE)
            return 1
        wave = said[0][0]
        if ordered not in (None, wave):
            message = f"session {number} says wave {wave}, the {ORDER} says wave {ordered}"
            self.plan.add("BAD_VALUE", message, line, field=plan_fields.SESSIONS_WAVE)
        return wave


def _execution_order(plan: Plan, section: markdown.TextSection) -> list[tuple[int, int, int]]:
    """Return first session, last session and wave for each entry in the list of waves."""
    waves = []
    for heading in plan.document.below(section):
        if not heading.is_called(ORDER):
            continue
        for item in heading.items:
            wave = numbers(item.name)
            if item.name.casefold().startswith("wave") and wave:
                waves += [(first, last, wave[0][0]) for first, last in numbers(_with_children(item))]
    return waves


def _with_children(item: markdown.Item | None) -> str:
    return ", ".join([item.value, *(child.text for child in item.children)]) if item else ""


def _check_dependencies(plan: Plan) -> None:
    """Report dependencies on sessions that do not exist, come later, or form a cycle."""
    sessions = {session.number: session for session in plan.sessions}
    for session in plan.sessions:
        lost = [number for number in session.depends_on if number not in sessions]
        if lost:
            what = f"{_named(lost, 'session')}, which the plan does not have"
            message = f"session {session.number} depends on {what}"
            plan.add("BAD_VALUE", message, session.line, field=plan_fields.SESSIONS_DEPENDS_ON)
    cycle = _find_cycle(sessions)
    if cycle:
        path = " -> ".join(f"session {number}" for number in cycle[:MOST_NAMED])
        plan.add("CYCLE", f"the dependencies form a cycle: {path}", sessions[cycle[0]].line)
        return
    for session in plan.sessions:
        for number in session.depends_on:
            if number in sessions and sessions[number].wave >= session.wave:
                message = (
                    f"session {session.number} of wave {session.wave} depends on session {number} of wave "
                    f"{sessions[number].wave}: give it a later wave"
                )
                plan.add("BAD_VALUE", message, session.line, field=plan_fields.SESSIONS_WAVE)


def _find_cycle(sessions: dict[int, Session]) -> list[int]:
    """Return the sessions of one cycle of dependencies, with the first again at the end; empty if none."""
    waiting = {
        number: {other for other in session.depends_on if other in sessions}
        for number, session in sessions.items()
    }
    needed_by: dict[int, list[int]] = {}
    for number, others in waiting.items():
        for other in others:
            needed_by.setdefault(other, []).append(number)
    free = [number for number, others in waiting.items() if not others]
    while free:
        done = free.pop()
        del waiting[done]
        for number in needed_by.get(done, ()):
            waiting[number].discard(done)
            if not waiting[number]:
                free.append(number)
    if not waiting:
        return []
    # Every session left depends on another one left: following the dependencies reaches a session twice.
    place: dict[int, int] = {}
    path: list[int] = []
    number = next(iter(waiting))
    while number not in place:
        place[number] = len(path)
        path.append(number)
        number = min(waiting[number])
    return [*path[place[number] :], number]


def _check_overlap(plan: Plan, wave: int, sessions: list[Session]) -> None:
    if len(sessions) < 2:
        return
    steps = {step.number: step for step in plan.steps}
    touched = []
    for session in sessions:
        own = list(session.fence.touch)
        for number in session.steps:
            own += steps[number].files
            manifest = steps[number].manifest
            own += manifest.expected_paths if manifest else ()
        touched.append((session.number, own))
    lines = {session.number: session.line for session in sessions}
    for first, second, what in find_overlaps(touched):
        message = f"sessions {first} and {second} of wave {wave} both touch {what}"
        plan.add("SCOPE_OVERLAP", message, lines[second])


def _named(found: Iterable[int], noun: str) -> str:
    names = shortened(map(str, found), MOST_NAMED)
    return f"{noun}{'s' if len(names) > 1 else ''} {listed(names)}"
