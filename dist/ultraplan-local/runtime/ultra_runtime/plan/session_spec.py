"""Read the parts of a session spec besides its steps: conditions, scope fence, session manifest, recovery."""

from __future__ import annotations

from ultra_runtime.plan.inline import (
    SHELLS,
    InlineCommand,
    is_nothing,
    numbers,
    read_command,
    read_if_command,
    spans,
)
from ultra_runtime.plan.manifest import BlockReader, is_manifest
from ultra_runtime.plan.strategy import read_fence
from ultra_runtime.plan.values import (
    CLEAN_ENTRY,
    COMMAND_ENTRY,
    NO_ENTRY,
    OTHER_ENTRY,
    SESSIONS_ENTRY,
    EntryCondition,
    Plan,
    Recovery,
)
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.tables.fields import session_spec_fields as spec
from ultra_runtime.tables.limits import RECOVERY_DEPTH
from ultra_runtime.typed import Iterable
from ultra_runtime.words import listed, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract import model as contract
    from ultra_runtime.text import markdown

DEPENDENCIES, SCOPE_FENCE = spec.SECTION_DEPENDENCIES, spec.SECTION_SCOPE_FENCE
EXIT_CONDITION, SESSION_MANIFEST = spec.SECTION_EXIT_CONDITION, spec.SECTION_SESSION_MANIFEST
STEPS, RECOVERY = spec.SECTION_STEPS, spec.SECTION_RECOVERY_METADATA
ENTRY_CONDITION = spec.DEPENDENCIES_ENTRY_CONDITION
LEGACY = "legacy"
BOXES = ("[ ]", "[x]", "[X]")


def is_session_spec(document: markdown.Document) -> bool:
    """Return whether a document has the parts that make it a session spec."""
    dependencies = document.section(DEPENDENCIES)
    if dependencies is None or dependencies.field(ENTRY_CONDITION) is None:
        return False
    return document.section(SCOPE_FENCE) is not None and document.section(EXIT_CONDITION) is not None


def read_session_spec(plan: Plan, table: contract.Contract) -> None:
    """Read the parts of a session spec; its steps are already read."""
    document = plan.document
    for section in table.sections:
        if section.required and document.section(section.name) is None:
            message, last = f"missing section: ## {section.name}", max(document.sections[0].end - 1, 1)
            plan.add("MISSING_SECTION", message, last, field=section.name, mild=section.mild)
    if dependencies := document.section(DEPENDENCIES):
        item = dependencies.field(ENTRY_CONDITION)
        if item:
            plan.entry_condition = read_entry_condition(item)
        else:
            message = f"{DEPENDENCIES} has no {ENTRY_CONDITION}: write `none` if there is none"
            plan.add("BAD_VALUE", message, dependencies.line, field=ENTRY_CONDITION)
    if fence := document.section(SCOPE_FENCE):
        plan.fence = read_fence(fence.items)
    if exit_condition := document.section(EXIT_CONDITION):
        plan.exit_conditions = read_conditions(document, exit_condition)
    _check_step_zero(plan)
    if section_found := document.section(SESSION_MANIFEST):
        _read_session_manifest(plan, table, section_found)
    if recovery := document.section(RECOVERY):
        _read_recovery(plan, table, recovery)


def judge_version(plan: Plan, version: contract.Version, value: object, line: int) -> None:
    """Set the plan's version; a missing or older one is legacy, with a warning."""
    name = version.field
    if value is None:
        plan.legacy, plan.version = True, LEGACY
        plan.add("VERSION_MISMATCH", f"missing {name}: the plan is read as legacy", line, field=name)
        return
    if not isinstance(value, str):
        plan.add("BAD_TYPE", f"{name} must be text", line, field=name)
        return
    shown = one_line(value)
    said, current = version_parts(value), version_parts(str(version.current))
    if said is None or current is None:
        message = f'{name} must be a version such as {version.current}, not "{shown}"'
        plan.add("BAD_VALUE", message, line, field=name)
    elif value in version.accepts:
        plan.version = value
        message = f"{name} {shown} is old; the current version is {version.current}"
        plan.add("VERSION_MISMATCH", message, line, field=name)
    elif said > current:
        message = f"{name} is {shown}; this bundle reads {version.current} and older"
        plan.add("VERSION_UNSUPPORTED", message, line, field=name)
    elif said < current:
        plan.legacy, plan.version = True, LEGACY
        plan.add("VERSION_MISMATCH", f"{name} is {shown}: the plan is read as legacy", line, field=name)
    else:
        plan.version = value


def version_parts(text: str) -> tuple[int, ...] | None:
    """Return the numbers of a version such as 1.7 for comparison, without trailing zeros."""
    parts = text.split(".", 4)
    if len(parts) > 4 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        return None
    numbers = [int(part) for part in parts]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def read_entry_condition(item: markdown.Item) -> EntryCondition:
    """Return the kind of an entry condition; what code cannot check is left to a person."""
    text = " ".join(item.value.split())
    line = item.line
    if is_nothing(text):
        return EntryCondition(NO_ENTRY, text, line)
    bare = text.strip("`.").strip()
    if bare.casefold() == "git clean":
        return EntryCondition(CLEAN_ENTRY, text, line)
    found = spans(text)
    if len(found) == 1 and found[0].start == 0 and found[0].end == len(text.rstrip(".")):
        return EntryCondition(COMMAND_ENTRY, text, line, command=found[0].text.strip())
    sessions = [number for first, last in numbers(bare) for number in (first, last)]
    if sessions and _names_sessions_only(bare):
        return EntryCondition(SESSIONS_ENTRY, text, line, sessions=tuple(dict.fromkeys(sessions)))
    return EntryCondition(OTHER_ENTRY, text, line)


def _names_sessions_only(text: str) -> bool:
    words = text.casefold().replace(",", " ").split()
    return words[0] in ("session", "sessions") and all(
        word in ("session", "sessions", "and") or word.isdigit() for word in words
    )


NO_CHANGES = "no uncommitted changes"
"""How an exit condition begins that code decides: nothing that changed since the run began is left uncommitted."""


def read_conditions(document: markdown.Document, section: markdown.TextSection) -> list[InlineCommand]:
    """Return the conditions of a section and its subsections, item by item and block by block.

    An item that begins with a command in backticks, or in a fenced block, is run; a person checks the others.
    """
    conditions = []
    for part in [section, *document.below(section)]:
        conditions += [_condition(item) for item in part.items]
        owned = {block.line for item in part.items for block in item.blocks}
        conditions += [
            read_command("", block.line, [block])
            for block in part.blocks
            if block.line not in owned and block.language in SHELLS and block.info
        ]
    return conditions


def _condition(item: markdown.Item) -> InlineCommand:
    value = item.value
    for box in BOXES:
        value = value[len(box) :].lstrip() if value.startswith(box) else value
    return read_if_command(value, item.line, item.blocks)


def _check_step_zero(plan: Plan) -> None:
    first = plan.steps[0] if plan.steps else None
    section = plan.document.section(STEPS)
    if section is None:
        return
    if first is None or first.number != 0:
        plan.add("NO_STEP_ZERO", "the first step is not Step 0, the sandbox pre-flight", section.line, 0)
    elif first.manifest and not first.manifest.sandbox_preflight:
        message = f"the manifest of Step 0 must have {plan_fields.MANIFEST_SANDBOX_PREFLIGHT}: true"
        plan.add("NO_STEP_ZERO", message, first.manifest.line, 0, plan_fields.MANIFEST_SANDBOX_PREFLIGHT)
    for before, step in zip(plan.steps, plan.steps[1:]):
        if step.number <= before.number:
            message = f"step {step.number} is after step {before.number}"
            plan.add("BAD_VALUE", message, step.line, step.number)


def _read_session_manifest(plan: Plan, table: contract.Contract, section: markdown.TextSection) -> None:
    block_table = table.block(spec.BLOCK_SESSION_MANIFEST)
    blocks = [block for block in section.blocks if is_manifest(block, block_table.name)] or section.blocks[:1]
    if not blocks:
        message = f"{section.title} has no block with the key {block_table.name}"
        plan.add("MISSING_SECTION", message, section.line, mild=True)
        return
    reader = BlockReader(plan, block_table)
    if not reader.read(blocks[0]):
        return
    if table.version:
        judge_version(plan, table.version, reader.values.get(table.version.field), blocks[0].line)
    differing = _differences(plan, reader.values)
    if differing:
        verb = "does" if len(differing) == 1 else "do"
        message = (
            f"{listed(differing)} of the session manifest {verb} not match the steps and the scope fence"
        )
        plan.add("SPEC_MANIFEST_MISMATCH", message, blocks[0].line, field=differing[0])


def _differences(plan: Plan, said: dict[str, object]) -> list[str]:
    """Return the keys whose values differ from the union of the steps' manifests."""
    if any(step.manifest is None for step in plan.steps):
        return []
    return [name for name, value in union(plan).items() if _sorted(value) != _sorted(said.get(name))]


def _sorted(value: object) -> object:
    return sorted(map(str, value)) if isinstance(value, list) else value


def union(plan: Plan) -> dict[str, list[str] | int]:
    """Return the session manifest that follows from the steps, without Step 0."""
    manifests = [step.manifest for step in plan.steps if step.number and step.manifest]
    touch, forbidden = plan.fence.touch, [path for one in manifests for path in one.forbidden_paths]
    return {
        spec.SESSION_MANIFEST_EXPECTED_PATHS: _once(path for one in manifests for path in one.expected_paths),
        spec.SESSION_MANIFEST_COMMIT_COUNT: len(manifests),
        spec.SESSION_MANIFEST_COMMIT_MESSAGE_PATTERNS: [one.commit_message_pattern for one in manifests],
        spec.SESSION_MANIFEST_BASH_SYNTAX_CHECK: _once(
            path for one in manifests for path in one.bash_syntax_check
        ),
        spec.SESSION_MANIFEST_SCOPE_TOUCH: list(touch),
        # A path that one step must not change may be the task of another step of the session.
        spec.SESSION_MANIFEST_SCOPE_FORBIDDEN: _once(
            path for path in [*plan.fence.never_touch, *forbidden] if path not in touch
        ),
    }


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _read_recovery(plan: Plan, table: contract.Contract, section: markdown.TextSection) -> None:
    wanted = next(part.fields for part in table.sections if part.name == RECOVERY)
    said = {_key(item.name): item for item in section.items if item.name}
    missing = [field.name for field in wanted if _key(field.name) not in said]
    if missing:
        plan.add("RECOVERY", f"{RECOVERY} has no {listed(missing)}", section.line, field=missing[0])
        return
    lines = {field.name: said[_key(field.name)].line for field in wanted}
    values = {field.name: said[_key(field.name)].value.strip().strip("`\"'").strip() for field in wanted}
    depth = values[spec.RECOVERY_METADATA_RECOVERY_DEPTH]
    depths = [str(number) for number in range(1, RECOVERY_DEPTH + 1)]
    steps = [number for ends in numbers(values[spec.RECOVERY_METADATA_MISSING_STEPS]) for number in ends]
    lost = [number for number in steps if number not in {step.number for step in plan.steps}]
    name = fault = ""
    if depth not in depths:
        name = spec.RECOVERY_METADATA_RECOVERY_DEPTH
        fault = f"must be {listed(depths, 'or')}, not {one_line(depth) or 'empty'}"
    elif not steps or lost:
        name = spec.RECOVERY_METADATA_MISSING_STEPS
        fault = f"names step {lost[0]}, which the spec does not have" if lost else "names no step"
    if fault:
        plan.add("RECOVERY", f"{name} {fault}", lines[name], field=name)
        return
    plan.recovery = Recovery(section.line, int(depth))


def _key(name: str) -> str:
    return "_".join(name.casefold().replace("_", " ").replace("-", " ").split())
