"""Write the decomposer's sessions into the plan of a project, as its Execution Strategy, if they are valid.

The answer of session-decomposer comes from standard input and ends in a json block. With --export it also writes the
spec of each session, with the context and handoff that the decomposer gave it. With --kept the answer is the one that
the plugin has kept from this session.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.contract.agent_output import answer_block
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.stages import draft_of, folder_of
from ultra_runtime.contract.write_check import check_write, refused, short
from ultra_runtime.files.atomic import WriteError, locked
from ultra_runtime.files.given_text import as_text, read_given
from ultra_runtime.files.kept_answers import need_answers
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import PLAN_FILE
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.spec_text import CONTEXT, HANDOFF
from ultra_runtime.plan.values import PLAN, SESSION_SPEC
from ultra_runtime.planning import gate as plan_gate
from ultra_runtime.planning.session_files import folder_of_specs, make_specs, spec_faults, write_specs
from ultra_runtime.rendered import verb
from ultra_runtime.tables.agents import DECOMPOSER
from ultra_runtime.tables.fields import plan_fields, session_spec_fields
from ultra_runtime.text.document_edit import EditError, replace_section
from ultra_runtime.typed import Any, Mapping, Sequence
from ultra_runtime.usage import Args
from ultra_runtime.words import one_line

USAGE = "sessions put --project DIR [--export] [--kept] [--json]"
STAGE = "plan"
HINT = "let the decomposer fix its block, once, and pass it on standard input; if that fails, the plan stays one session"
WRONG = "would not follow its contract; nothing was written"


def run(args: Args) -> Answer:
    """Answer with the sessions in the plan, and with the specs."""
    project = find_project(args.need("--project"))
    given = need_answers([DECOMPOSER]) if args.flag("--kept") else as_text(read_given(None, HINT), HINT)
    answer = answer_block(DECOMPOSER, given, HINT)
    sessions = answer["sessions"]
    if not answer["split"] or len(sessions) < 2:
        why = one_line(answer["why"], 300)
        next_step = f"the plan stays one session ({why}); with --export, tell the user why there are no specs"
        return Answer({"ok": True, "sessions": 1, "specs": [], "next": next_step}, next_step)
    try:
        with locked(project.folder) as folder:
            data = _with_sessions(project, sessions)
            result = check_write(load_contract(PLAN), data, project.path(PLAN_FILE))
            if result.errors:
                return refused(f"the plan with these sessions {WRONG}", result.errors, HINT)
            words = _words(sessions)
            target = folder_of_specs(PLAN_FILE, project.shown)
            specs = make_specs(read(data, PLAN), project.show(PLAN_FILE), target, words)
            faults = spec_faults(target, specs) if args.flag("--export") else []
            if faults:
                return refused(f"a spec of these sessions {WRONG}", faults, HINT)
            folder.write(PLAN_FILE, data)
        if args.flag("--export"):
            write_specs(target, specs)
    except (WriteError, EditError, OSError) as problem:
        raise RefusedError(str(problem), "fix this and retry") from None
    shown = [project.show(folder_of(SESSION_SPEC), name) for name in specs] if args.flag("--export") else []
    next_step = "name the specs in the summary" if shown else "continue: the sessions are in the plan"
    values = {"ok": True, "sessions": len(sessions), "specs": shown, "warnings": short(result.warnings)}
    return Answer({**values, "next": next_step}, "\n".join([project.show(PLAN_FILE), *shown]))


def _with_sessions(project: Project, sessions: Sequence[Mapping[str, Any]]) -> bytes:
    if plan_gate.read_draft(project) is not None:
        error = f"the critics' gate is open: {project.show(draft_of(PLAN))} exists"
        hint = f"wait until `{verb('gate plan')}` ends: sessions divide the steps of the plan"
        raise RefusedError(error, hint)
    try:
        old = read_regular(project.path(PLAN_FILE))
    except UnreadableError as problem:
        raise RefusedError(f"{project.show(PLAN_FILE)}: {problem}", "write the plan first") from None
    order = [one.name for one in load_contract(PLAN).sections]
    text = "\n\n".join(_session(number, one) for number, one in enumerate(sessions, 1))
    return replace_section(old, plan_gate.STRATEGY, text, order)


def _session(number: int, one: Mapping[str, Any]) -> str:
    needs = ", ".join(f"Session {other}" for other in one["depends_on"])
    return "\n".join(
        [
            f"### Session {number}: {one_line(one['title'], 120)}",
            "",
            f"- **{plan_fields.SESSIONS_STEPS}:** {', '.join(map(str, one['steps']))}",
            f"- **{plan_fields.SESSIONS_WAVE}:** {one['wave']}",
            f"- **{plan_fields.SESSIONS_DEPENDS_ON}:** {needs or 'none'}",
            f"- **{plan_fields.SESSIONS_SCOPE_FENCE}:**",
            f"  - {session_spec_fields.SCOPE_FENCE_TOUCH}: {_paths(one['touch'])}",
            f"  - {session_spec_fields.SCOPE_FENCE_NEVER_TOUCH}: {_paths(one['never_touch'])}",
        ]
    )


def _paths(paths: Sequence[str]) -> str:
    return ", ".join(f"`{one_line(path, 500)}`" for path in paths) or "none"


def _words(sessions: Sequence[Mapping[str, Any]]) -> dict[int, dict[str, str]]:
    """Return the decomposer's text for the two sections of each spec, without headings, which would end a section."""
    return {
        number: {
            name: "\n".join(line.lstrip("#").lstrip() for line in one[key].strip().split("\n"))
            for name, key in ((CONTEXT, "context"), (HANDOFF, "handoff"))
        }
        for number, one in enumerate(sessions, 1)
    }
