"""Write the session specs of a plan, with the steps word for word."""

from __future__ import annotations

from ultra_runtime.contract.model import current_version
from ultra_runtime.plan.inline import InlineCommand
from ultra_runtime.plan.session_spec import NO_CHANGES, SESSION_MANIFEST, union
from ultra_runtime.plan.spec_security import security_text
from ultra_runtime.plan.values import SESSION_SPEC, Fence, Manifest, Plan, Session, Step
from ultra_runtime.tables.fields import plan_fields as of_plan
from ultra_runtime.tables.fields import session_spec_fields as spec
from ultra_runtime.typed import Iterable, Mapping
from ultra_runtime.words import counted, listed

CONTEXT, HANDOFF = spec.SECTION_CONTEXT, spec.SECTION_HANDOFF_STATE
# Exits with 77 if nothing can be pushed from here, a rejected push included.
PREFLIGHT = (
    'if [ "$ULTRAEXECUTE_SKIP_PREFLIGHT" = 1 ]; then echo "pre-flight: skipped"; '
    'elif [ -z "$(git remote)" ]; then echo "pre-flight: no remote, nothing to try"; '
    'elif said=$(GIT_TERMINAL_PROMPT=0 git push --dry-run "$(git remote | grep -x origin || git remote | head -n 1)" HEAD 2>&1); '
    'then echo "pre-flight: push allowed"; else echo "$said"; exit 77; fi'
)
STEP_ZERO = f"""\
### Step 0: Sandbox pre-flight

- **{of_plan.STEPS_FILES}:** none
- **{of_plan.STEPS_CHANGES}:** none; this only checks, before any work, whether the sandbox allows a push.
- **{of_plan.STEPS_VERIFY}:** `{PREFLIGHT}` → expected: `pre-flight:`
- **{of_plan.STEPS_ON_FAILURE}:** {of_plan.STEPS_ON_FAILURE_ESCALATE} - exit status 77 means that the session is blocked: no step is attempted. ULTRAEXECUTE_SKIP_PREFLIGHT=1 skips this check.
- **{of_plan.STEPS_CHECKPOINT}:** none
- **{of_plan.STEPS_MANIFEST}:**

  ```yaml
  {of_plan.BLOCK_MANIFEST}:
    {of_plan.MANIFEST_EXPECTED_PATHS}: []
    {of_plan.MANIFEST_MIN_FILE_COUNT}: 0
    {of_plan.MANIFEST_COMMIT_MESSAGE_PATTERN}: ""
    {of_plan.MANIFEST_BASH_SYNTAX_CHECK}: []
    {of_plan.MANIFEST_FORBIDDEN_PATHS}: []
    {of_plan.MANIFEST_MUST_CONTAIN}: []
    {of_plan.MANIFEST_SANDBOX_PREFLIGHT}: true
  ```
"""
FAILURE_HANDLING = """\
- A step that fails its last attempt ends the session; no later step starts.
- Steps that passed stay committed, and the report names the failed step, its error and its attempts."""
SMALL, MIDDLING = 2, 5
DIGEST_LINE = f"- **{spec.METADATA_PLAN_DIGEST}:** "
DOES, LEAVES = "Session ", "This session leaves: "


def spec_text(plan: Plan, session: Session, plan_path: str, kept: Mapping[str, str]) -> str:
    """Return the spec of one session; `kept` has the sections that the model wrote before."""
    steps = {step.number: step for step in plan.steps}
    own = [steps[number] for number in session.steps]
    blocks = [other.number for other in plan.sessions if session.number in other.depends_on]
    count = len(plan.sessions)
    context = f"{DOES}{session.number} of {count} of {plan_path}: {session.title}. It does {_steps(own)}."
    sections = {
        CONTEXT: _own_words(kept, CONTEXT) or context,
        spec.SECTION_DEPENDENCIES: _items({
            spec.DEPENDENCIES_DEPENDS_ON: _sessions(session.depends_on),
            spec.DEPENDENCIES_BLOCKS: _sessions(blocks),
            spec.DEPENDENCIES_ENTRY_CONDITION: _sessions(session.depends_on).lower(),
        }),
        spec.SECTION_SCOPE_FENCE: _items({
            spec.SCOPE_FENCE_TOUCH: _paths(_touch(session, own)),
            spec.SCOPE_FENCE_NEVER_TOUCH: _paths(session.fence.never_touch),
        }),
        SESSION_MANIFEST: _session_manifest(plan, session, own),
        spec.SECTION_STEPS: "\n\n".join([STEP_ZERO.rstrip(), *(_step_text(plan, step) for step in own)]),
        spec.SECTION_EXIT_CONDITION: exit_condition(own),
        spec.SECTION_FAILURE_HANDLING: FAILURE_HANDLING,
        spec.SECTION_SECURITY_CONSTRAINTS: security_text(),
        HANDOFF: _own_words(kept, HANDOFF) or f"{LEAVES}{_paths(_expected(own))}.",
        spec.SECTION_METADATA: _items({
            spec.METADATA_MASTER_PLAN: _code(plan_path),
            spec.METADATA_PLAN_DIGEST: _code(plan.digest),
            spec.METADATA_STEPS: ", ".join(str(step.number) for step in own),
            spec.METADATA_COMPLEXITY: _complexity(own),
            spec.METADATA_MODEL: _model(own),
        }),
    }  # fmt: skip
    head = f"# Session {session.number}: {session.title}\n\nSession {session.number} of {count} of {_code(plan_path)}."
    return "\n\n".join([head, *(f"## {name}\n\n{text}" for name, text in sections.items())]) + "\n"


def kept_sections(old: Plan) -> dict[str, str]:
    """Return the sections that the model wrote in an existing spec."""
    found = {name: old.document.section(name) for name in (CONTEXT, HANDOFF)}
    return {name: "\n".join(old.document.body(section)).strip() for name, section in found.items() if section}


def without_digest(text: str) -> str:
    """Return a spec without the line that names the plan it was made from."""
    return "".join(line for line in text.splitlines(True) if not line.startswith(DIGEST_LINE))


def _items(fields: Mapping[str, str]) -> str:
    return "\n".join(f"- **{name}:** {text}" for name, text in fields.items())


def _own_words(kept: Mapping[str, str], name: str) -> str:
    """Return the text that the model wrote into a section; empty for a generated line."""
    text = kept.get(name, "")
    return "" if "\n" not in text and text.startswith((DOES, LEAVES)) else text


def _touch(session: Session, steps: list[Step]) -> tuple[str, ...]:
    """Return what a session may change: its fence, or the files of its steps if the plan has no fence."""
    return session.fence.touch or tuple(
        dict.fromkeys(path for step in steps for path in (*step.files, *_paths_of(step)))
    )


def _paths_of(step: Step) -> tuple[str, ...]:
    return step.manifest.expected_paths if step.manifest else ()


def _expected(steps: list[Step]) -> list[str]:
    return list(dict.fromkeys(path for step in steps for path in _paths_of(step)))


def _session_manifest(plan: Plan, session: Session, steps: list[Step]) -> str:
    part = Plan(SESSION_SPEC, plan.document)
    part.steps = steps
    part.fence = Fence(_touch(session, steps), session.fence.never_touch)
    lines = [
        "```yaml",
        f"{spec.BLOCK_SESSION_MANIFEST}:",
        f"  {spec.SESSION_MANIFEST_PLAN_VERSION}: {quoted(current_version(SESSION_SPEC))}",
        f"  {spec.SESSION_MANIFEST_LEGACY_SYNTHESIS}: {_bool(plan.legacy)}",
    ]
    for name, value in union(part).items():
        lines += [f"  {name}: {value}"] if isinstance(value, int) else _list(name, value, "  ")
    return "\n".join([*lines, "```"])


def _step_text(plan: Plan, step: Step) -> str:
    """Return the step as the plan has it, with a generated manifest as its last item."""
    lines = plan.document.slice(step.line, step.end)
    while lines and not lines[-1].strip():
        lines.pop()
    if step.manifest and step.manifest.made_up:
        lines += ["", f"- **{of_plan.STEPS_MANIFEST}:**", ""]
        lines += [f"  {line}" for line in manifest_lines(step.manifest)]
    return "\n".join(lines)


def manifest_lines(manifest: Manifest) -> list[str]:
    """Return a manifest as a fenced block."""
    lines = ["```yaml", f"{of_plan.BLOCK_MANIFEST}:"]
    for name, value in manifest.as_data().items():
        if name == of_plan.MANIFEST_MUST_CONTAIN:
            rows = [", ".join(f"{key}: {quoted(text)}" for key, text in one.items()) for one in value]
            pairs = [f"    - {{{row}}}" for row in rows]
            lines += [f"  {name}:", *pairs] if pairs else [f"  {name}: []"]
        elif isinstance(value, list):
            lines += _list(name, value, "  ")
        else:
            number = _bool(value) if isinstance(value, bool) else value
            lines.append(f"  {name}: {number if isinstance(value, int) else quoted(value)}")
    return [*lines, "```"]


def _list(name: str, items: list[str], indent: str) -> list[str]:
    if not items:
        return [f"{indent}{name}: []"]
    return [f"{indent}{name}:", *(f"{indent}  - {quoted(item)}" for item in items)]


def quoted(text: str) -> str:
    """Return text as a double-quoted YAML string."""
    letters = []
    for letter in text:
        if letter in '"\\':
            letters.append(f"\\{letter}")
        elif letter.isprintable():
            letters.append(letter)
        else:
            letters.append(f"\\U{ord(letter):08x}")
    return f'"{"".join(letters)}"'


def exit_condition(steps: list[Step]) -> str:
    """Return the commands that verify the steps, each once, and what only a person can check."""
    conditions = [_condition(step.verify) for step in steps if step.verify and step.verify.command]
    return "\n".join([*dict.fromkeys(conditions), f"- [ ] {NO_CHANGES.capitalize()} remain."])


def _condition(verify: InlineCommand) -> str:
    command = verify.command or ""
    expected = _code(verify.expected) if verify.literal else " ".join(verify.expected.split())
    tail = f"→ expected: {expected}" if expected else ""
    if "\n" not in command:
        return f"- [ ] {_code(command)} {tail}".rstrip()
    fence = "```"
    while fence in command:
        fence += "`"
    lines = [f"{fence}sh", *command.split("\n"), fence, *([tail] if tail else [])]
    return "\n".join(["- [ ]", *(f"  {line}" for line in lines)])


def _code(text: str) -> str:
    """Return text as a code span, with as many backticks as it needs."""
    if not text:
        return "none"
    ticks = "`"
    while ticks in text:
        ticks += "`"
    gap = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{gap}{text}{gap}{ticks}"


def _paths(paths: Iterable[str]) -> str:
    return ", ".join(map(_code, paths)) or "none"


def _steps(steps: list[Step]) -> str:
    noun = "step" if len(steps) == 1 else "steps"
    return f"{noun} {listed(f'{step.number} ({step.title})' for step in steps)}"


def _sessions(numbers: Iterable[int]) -> str:
    return ", ".join(f"Session {number}" for number in numbers) or "none"


def _complexity(steps: list[Step]) -> str:
    return "low" if len(steps) <= SMALL else "medium" if len(steps) <= MIDDLING else "high"


def _model(steps: list[Step]) -> str:
    """Return the model that is recommended for a session, and why; the user decides."""
    complexity = _complexity(steps)
    many = f"{counted(len(steps), 'step')}, complexity {complexity}"
    if complexity == "high":
        return f"opus - {many}: the whole session must stay in view"
    return f"sonnet - {many}: each step has its own files and its own Verify"


def _bool(value: bool) -> str:
    return "true" if value else "false"
