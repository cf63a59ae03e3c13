"""End the run: prove it in a clean checkout, and write result, session state, statistics and final report.

Only this verb can set a run to `completed`: every step is completed or skipped, and the proof holds. A proof that takes
longer than --wait continues in the background; the answer reports its progress, and the same call asks again.
With --mine the user claims the commits that were made after the last step; the report lists them. With --short the
answer has what to tell the user, without the summary that the progress file keeps.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.contract.stages import stage_that_makes
from ultra_runtime.proof.drift import CLEAN, NOT_MADE
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.finish import Proving, finish
from ultra_runtime.run.life.report import PROOF, SUMMARY, summary_line, used
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.state.statuses import COMPLETED, FAILED, PARTIAL
from ultra_runtime.run.step.numbers import seconds
from ultra_runtime.standing.project_standing import after
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import shell_word

USAGE = "run finish [--mine] [--plan PATH] [--project DIR] [--data DIR] [--wait SECONDS] [--short] [--json]"
STAGE = "execute"
PLAN_STAGE = stage_that_makes(plan_fields.KIND)
FIX_FIRST = "what `why` says must be fixed first"


def run(args: Args) -> Answer:
    """Answer with what to tell the user, and the next command."""
    wait = seconds(args, "--wait", 0)
    busy, live = open_live("run finish", args.get("--plan"), args.get("--project"))
    with busy:
        done = finish(live, args.get("--data"), wait or None, args.flag("--mine"))
    if isinstance(done, Proving):
        words, again = (
            f"{done.standing} have run",
            f"call `{verb('run finish')}` again; the proof continues in the background",
        )
        return Answer(
            {"ok": True, "proof": words, "next": again}, f"The proof is not finished: {words}.\n{again}"
        )
    result = done.summary[fields.STATS_RESULT]
    data: dict[str, Any] = {"ok": True, "result": result}
    if done.summary[PROOF] not in (CLEAN, NOT_MADE):
        data[PROOF] = done.summary[PROOF]
    data["steps"] = done.steps
    optional = (
        ("why", done.why),
        ("to_check", done.to_check),
        ("findings", done.findings),
        ("notes", done.warnings),
    )
    data.update({name: list(rows) for name, rows in optional if rows})
    data.update(report=done.path, **{SUMMARY: done.summary}, next="tell the user")
    if args.flag("--short"):
        data["used"] = used(live)
        data["last_line"] = summary_line(data.pop(SUMMARY), short=True)
    project = live.place.project
    if project:
        data["next"] = after(project)
    elif result != COMPLETED:
        data["next"] += f"; to continue: {live.command('--resume')}"
    if project and PLAN_STAGE and (result == FAILED or (result == PARTIAL and done.why)):
        amend = f"{verb('plan amend')} --project {shell_word(project.shown)}"
        data["next"] += f"; if the plan is wrong: `{amend}`"
    if result == PARTIAL and done.why:
        data["next"] = data["next"].replace("tell the user", f"tell the user; {FIX_FIRST}", 1)
    return Answer(data, "\n".join([done.report, *done.warnings, summary_line(done.summary)]))
