"""The state of a project's plan: its steps and its sessions."""

from __future__ import annotations

from ultra_runtime.contract.stage_part import BROKEN, DRAFT, MISSING, STATES, StagePart
from ultra_runtime.contract.stages import Next, file_of
from ultra_runtime.errors import UltraError
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import LOGS, SENTENCE, TASK_FILE
from ultra_runtime.plan.again import plan_again
from ultra_runtime.tables.fields import brief_fields, plan_fields, session_spec_fields
from ultra_runtime.typed import Any
from ultra_runtime.words import counted, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.values import Plan, Session

SESSION_SPEC: str = session_spec_fields.KIND


class PlanPart(StagePart):
    """The plan, parsed as far as it can be read."""

    def read(self) -> None:
        """Read the plan itself."""
        self.plan = _plan(self.raw(), self.kind)
        self.version = self.plan.version if self.plan else ""
        self.steps = [(step.number, step.title) for step in self.plan.steps] if self.plan else []
        self.sessions = self.plan.sessions if self.plan else []
        self.waves = (
            [[session.number for session in sessions] for _, sessions in self.plan.waves] if self.plan else []
        )
        begun = {} if self.plan else read_json(self.project.path(LOGS, TASK_FILE))
        self.task = text_of(
            self.plan.front_matter.get(plan_fields.TASK) if self.plan else begun.get(SENTENCE)
        )

    def what_is_left(self) -> Next | None:
        """Return the plan as the next thing to do; a small task without one is begun again."""
        if self.state in (MISSING, DRAFT) and self.is_small_task:
            again = plan_again(self.project.folder, self.project.shown)
            return Next(self.stage, "the small task has no plan yet", again)
        return super().what_is_left()

    @property
    def has_begun(self) -> bool:
        """Whether there is a plan, or the sentence of a small task to make one from."""
        return super().has_begun or self.is_small_task

    def raw(self) -> bytes | None:
        """Return the bytes of the plan, if it exists."""
        return _bytes(self.project.path(file_of(self.kind)))

    def spec(self, session: int) -> tuple[str, bytes | None]:
        """Return the path of a session's spec and its bytes, if it exists."""
        name = file_of(SESSION_SPEC).replace("{session}", str(session))
        return name, _bytes(self.project.path(name))

    def has_stale_spec(self, session: Session) -> bool:
        """Return whether a session has a spec whose steps no longer match the plan."""
        _, data = self.spec(session.number)
        if data is None or self.plan is None:
            return False
        spec = _plan(data, SESSION_SPEC)
        return spec is None or is_stale(self.plan, spec, session, self.project.show(file_of(self.kind)))

    @property
    def is_small_task(self) -> bool:
        """Whether the plan was made from a sentence: no other stage belongs to it, and its own commands judge the work."""
        brief = self.other(brief_fields.KIND)
        return bool(self.task) and (brief is None or brief.state == MISSING)

    @property
    def caption(self) -> str:
        """Return the number of steps."""
        return counted(len(self.steps), "step") if self.steps else STATES[self.state]

    def rows(self) -> list[tuple[str, str]]:
        """Return the plan in one row."""
        title = self.stage.capitalize()
        if self.state in (MISSING, DRAFT):
            return [(title, STATES[self.state])]
        parts = [counted(len(self.steps), "step"), f"version {self.version}" if self.version else ""]
        if self.waves:
            parts.append(f"{counted(len(self.sessions), 'session')} in {counted(len(self.waves), 'wave')}")
        parts.append(STATES[BROKEN] if self.state == BROKEN else "")
        return [(title, ", ".join(part for part in parts if part))]

    def data(self) -> dict[str, Any]:
        """Return the same as data."""
        return {self.stage: {"state": self.state, "version": self.version, "steps": len(self.steps)}}


def is_stale(plan: Plan, spec: Plan, session: Session, shown: str) -> bool:
    """Return whether a spec has other steps than the plan, or was made from another plan that divided the work otherwise."""
    if any(not same_step(plan, spec, number) for number in session.steps):
        return True
    from ultra_runtime.plan.spec_text import DIGEST_LINE, kept_sections, spec_text, without_digest

    made = next((line for line in spec.document.lines if line.startswith(DIGEST_LINE)), "")
    if not made or plan.digest in made:
        return False
    now = spec_text(plan, session, shown, kept_sections(spec))
    return without_digest(now) != without_digest("\n".join(spec.document.lines).rstrip() + "\n")


def same_step(plan: Plan, other: Plan, number: int) -> bool:
    """Return whether a step is the same in both; a spec of a legacy plan adds a manifest to it."""
    lines = _lines(plan, number)
    return bool(lines) and _lines(other, number)[: len(lines)] == lines


def _lines(plan: Plan, number: int) -> list[str]:
    found = next((step for step in plan.steps if step.number == number), None)
    if found is None:
        return []
    return [line.rstrip() for line in plan.document.slice(found.line, found.end) if line.strip()]


def _bytes(path: str) -> bytes | None:
    try:
        return read_regular(path)
    except UnreadableError:
        return None


def _plan(data: bytes | None, kind: str) -> Plan | None:
    from ultra_runtime.plan.reading import read

    try:
        return read(data, kind) if data is not None else None
    except UltraError:
        return None
