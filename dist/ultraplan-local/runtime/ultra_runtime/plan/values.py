"""The content of plans and session specs: plain values with their lines."""

from __future__ import annotations

from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import plan_fields, progress_fields, session_spec_fields
from ultra_runtime.typed import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.inline import InlineCommand
    from ultra_runtime.text.markdown import Document, TextSection

PLAN: str = plan_fields.KIND
SESSION_SPEC: str = session_spec_fields.KIND
# The kinds of entry conditions; only a person can check any other.
NO_ENTRY, CLEAN_ENTRY, COMMAND_ENTRY, SESSIONS_ENTRY = "none", "git-clean", "command", "sessions"
OTHER_ENTRY = "other"


class Problem(Struct):
    """One problem with its code; in a legacy plan a mild one is a warning."""

    code: str
    message: str
    line: int | None = None
    step: int | None = None
    field: str = ""
    mild: bool = False


class Manifest:
    """What must be true when a step is done; `made_up` if it was generated for a legacy plan."""

    __slots__ = (
        "bash_syntax_check", "commit_message_pattern", "expected_paths", "forbidden_paths", "line", "made_up",
        "min_file_count", "must_contain", "sandbox_preflight",
    )  # fmt: skip

    def __init__(self, line: int, values: dict[str, Any], made_up: bool = False) -> None:
        self.line = line
        self.made_up = made_up
        self.expected_paths: tuple[str, ...] = tuple(values[plan_fields.MANIFEST_EXPECTED_PATHS])
        self.min_file_count: int = values[plan_fields.MANIFEST_MIN_FILE_COUNT]
        self.commit_message_pattern: str = values[plan_fields.MANIFEST_COMMIT_MESSAGE_PATTERN]
        self.bash_syntax_check: tuple[str, ...] = tuple(values[plan_fields.MANIFEST_BASH_SYNTAX_CHECK])
        self.forbidden_paths: tuple[str, ...] = tuple(values[plan_fields.MANIFEST_FORBIDDEN_PATHS])
        self.must_contain: tuple[tuple[str, str], ...] = tuple(
            (item[plan_fields.MANIFEST_MUST_CONTAIN_PATH], item[plan_fields.MANIFEST_MUST_CONTAIN_PATTERN])
            for item in values[plan_fields.MANIFEST_MUST_CONTAIN]
        )
        self.sandbox_preflight: bool = values.get(plan_fields.MANIFEST_SANDBOX_PREFLIGHT, False)

    def as_data(self) -> dict[str, Any]:
        """Return the manifest as data for an answer."""
        path, pattern = plan_fields.MANIFEST_MUST_CONTAIN_PATH, plan_fields.MANIFEST_MUST_CONTAIN_PATTERN
        data: dict[str, Any] = {
            plan_fields.MANIFEST_EXPECTED_PATHS: list(self.expected_paths),
            plan_fields.MANIFEST_MIN_FILE_COUNT: self.min_file_count,
            plan_fields.MANIFEST_COMMIT_MESSAGE_PATTERN: self.commit_message_pattern,
            plan_fields.MANIFEST_BASH_SYNTAX_CHECK: list(self.bash_syntax_check),
            plan_fields.MANIFEST_FORBIDDEN_PATHS: list(self.forbidden_paths),
            plan_fields.MANIFEST_MUST_CONTAIN: [
                {path: one, pattern: text} for one, text in self.must_contain
            ],
        }
        if self.sandbox_preflight:
            data[plan_fields.MANIFEST_SANDBOX_PREFLIGHT] = True
        return data


class Step(Struct):
    """One step: what to change, how to verify it, what to do if it fails."""

    number: int
    title: str
    section: TextSection
    files: tuple[str, ...] = ()
    new_files: tuple[str, ...] = ()
    changes: str = ""
    reuses: str = ""
    test_first: InlineCommand | None = None
    verify: InlineCommand | None = None
    on_failure: str = ""
    on_failure_text: str = ""
    checkpoint: str | None = None
    """The message of the commit."""
    commit: InlineCommand | None = None
    """The Checkpoint as the plan has it; a run uses only its message."""
    manifest: Manifest | None = None

    @property
    def line(self) -> int:
        """The line of its heading."""
        return self.section.line

    @property
    def end(self) -> int:
        """The line after its last one."""
        return self.section.end

    @property
    def is_tried_once(self) -> bool:
        """Whether its first failed attempt is final."""
        return self.on_failure in (plan_fields.STEPS_ON_FAILURE_SKIP, plan_fields.STEPS_ON_FAILURE_ESCALATE)

    def as_data(self) -> dict[str, Any]:
        """Return the step as data for an answer."""
        verify, test = self.verify, self.test_first
        return {
            "number": self.number,
            "title": self.title,
            "line": self.line,
            "files": list(self.files),
            "test_first": {"command": test.command, "text": test.text} if test else None,
            "verify": {"command": verify.command, "expected": verify.expected, "literal": verify.literal}
            if verify
            else None,
            "on_failure": self.on_failure,
            "checkpoint": self.checkpoint,
            "manifest": self.manifest.as_data() if self.manifest else None,
        }


class Fence(Struct):
    """The paths that a session may change and those that it must not."""

    touch: tuple[str, ...] = ()
    never_touch: tuple[str, ...] = ()

    def as_data(self) -> dict[str, list[str]]:
        """Return the fence as data for an answer."""
        return {"touch": list(self.touch), "never_touch": list(self.never_touch)}


class Session(Struct):
    """One session of the Execution Strategy."""

    number: int
    title: str
    line: int
    steps: tuple[int, ...]
    wave: int
    depends_on: tuple[int, ...]
    fence: Fence

    def as_data(self) -> dict[str, Any]:
        """Return the session as data for an answer."""
        data = {name: value for name, value in self.__dict__.items() if name != "fence"}
        return {
            **data,
            "steps": list(self.steps),
            "depends_on": list(self.depends_on),
            **self.fence.as_data(),
        }


class EntryCondition(Struct):
    """What must be true before a session starts."""

    kind: str
    text: str
    line: int
    command: str = ""
    sessions: tuple[int, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return the condition as data for an answer."""
        data: dict[str, Any] = {"kind": self.kind, "text": self.text, "line": self.line}
        if self.command:
            data["command"] = self.command
        if self.sessions:
            data["sessions"] = list(self.sessions)
        return data


class Recovery(Struct):
    """Why a recovery spec exists."""

    line: int
    depth: int


class Plan:
    """A plan or a session spec with its problems."""

    __slots__ = (
        "digest", "document", "entry_condition", "exit_conditions", "fence", "front_matter", "kind", "legacy", "lenient", "lines", "problems",
        "recovery", "sessions", "steps", "verification", "version",
    )  # fmt: skip

    def __init__(self, kind: str, document: Document) -> None:
        self.kind = kind
        self.document = document
        self.digest = ""
        """The SHA-256 of its bytes."""
        self.front_matter: dict[str, Any] = {}
        self.lines: dict[str, int] = {}
        """Field of the front matter -> its line."""
        self.version = ""
        self.legacy = False
        self.lenient = False
        """Missing manifests are generated: the plan is legacy and --strict was not given."""
        self.steps: list[Step] = []
        self.sessions: list[Session] = []
        self.verification: list[InlineCommand] = []
        self.fence = Fence()
        self.entry_condition: EntryCondition | None = None
        self.exit_conditions: list[InlineCommand] = []
        self.recovery: Recovery | None = None
        self.problems: list[Problem] = []

    @property
    def waves(self) -> list[tuple[int, list[Session]]]:
        """The sessions by wave, in order."""
        waves: dict[int, list[Session]] = {}
        for session in self.sessions:
            waves.setdefault(session.wave, []).append(session)
        return sorted(waves.items())

    def summary(self) -> dict[str, Any]:
        """Return the plan as a validator's result shows it."""
        return {
            **self.front_matter,
            "type": self.kind,
            plan_fields.PLAN_VERSION: self.version,
            progress_fields.LEGACY_PLAN: self.legacy,
            "steps": [{"number": step.number, "title": step.title, "line": step.line} for step in self.steps],
            "sessions": [session.as_data() for session in self.sessions],
            "waves": [[session.number for session in sessions] for _, sessions in self.waves],
        }

    def add(
        self,
        code: str,
        message: str,
        line: int | None = None,
        step: int | None = None,
        field: str = "",
        mild: bool = False,
    ) -> None:
        """Add a problem."""
        self.problems.append(Problem(code, message, line, step, field, mild))
