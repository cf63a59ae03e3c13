"""Decide whether the draft of a plan becomes the plan: first by its contract, then by its critics' scores.

With --self-check the draft is only checked against the contract, until it passes or fails too often. Otherwise
standard input has the answers of plan-critic and scope-guardian, each with its json block. When the draft passes, plan.md.draft becomes the
plan; after the last round (the only one with --quick) it also does, unless a hard dimension fails. With --degraded
the plan says that no agents were available. A plan made from a partial brief must state its assumptions. With --task
the plan of a small task becomes the plan if code finds nothing wrong with it: no critic is asked. With --kept the
answers are those that the plugin has kept from this session. With --data a line of statistics is written.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError, Refusing, brief_answer
from ultra_runtime.contract.agent_output import known_outputs
from ultra_runtime.contract.gates import Gate
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Result
from ultra_runtime.contract.scores import json_blocks, judge, read_review
from ultra_runtime.contract.stages import draft_of, file_if_any, file_of
from ultra_runtime.contract.write_check import check_write, in_words, short
from ultra_runtime.files.atomic import Folder, locked
from ultra_runtime.files.given_text import as_text, read_given
from ultra_runtime.files.kept_answers import drop_answers, need_answers
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.plan.again import plan_again
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import PLAN
from ultra_runtime.planning import gate as plan_gate
from ultra_runtime.planning.basis import ASSUMPTIONS, states_assumptions, weak_dimensions
from ultra_runtime.planning.small_task import (
    NOTE,
    faults,
    shown_steps,
    task_of,
    too_large,
    whole_way,
    with_task,
)
from ultra_runtime.rendered import verb
from ultra_runtime.review.remediation import taken_up
from ultra_runtime.run.life.stats import count
from ultra_runtime.standing.project_standing import ProjectStanding
from ultra_runtime.tables.agents import CRITICS
from ultra_runtime.tables.fields import brief_fields, progress_fields
from ultra_runtime.tables.fields import plan_fields as fields
from ultra_runtime.tables.limits import SELF_CHECKS, SESSIONS_FROM
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import counted, listed, shell_word

USAGE = "gate plan --project DIR [--self-check|--quick|--task] [--kept] [--degraded] [--data DIR] [--json]"
STAGE = "plan"
HINT = f"give the answers of {' and '.join(CRITICS)} on standard input, each with its json block in a fence"
DEGRADED = "Degraded: no agent could be spawned, so one model did the work of the explorers and the critics."


def run(args: Args) -> Answer:
    """Answer whether the draft passes, and what to do if it does not."""
    project = find_project(args.need("--project"))
    alone = args.flag("--self-check") or args.flag("--task")
    given = (
        ""
        if alone
        else need_answers(CRITICS)
        if args.flag("--kept")
        else as_text(read_given(None, HINT), HINT)
    )
    with Refusing("fix this and retry; nothing was decided"), locked(project.folder) as folder:
        draft = plan_gate.read_draft(project)
        if draft is None:
            put = f"{verb('put')} {PLAN} --project {shell_word(project.shown)} --draft"
            raise RefusedError(f"there is no {project.show(draft_of(PLAN))}", f"put one with `{put}`")
        if args.flag("--task"):
            return _small(project, folder, with_task(draft, task_of(project)), args.get("--data"))
        result = check_write(load_contract(PLAN), draft, project.path(draft_of(PLAN)))
        _refuse_without_assumptions(project, draft)
        if args.flag("--self-check"):
            return _self_check(project, result)
        if result.errors:
            error = f"the draft does not follow its contract: {counted(len(result.errors), 'error')}; no round was counted"
            raise RefusedError(error, f"fix it until `{verb('gate plan')} --self-check` passes")
        most = 1 if args.flag("--quick") else None
        answer = _criticised(project, folder, given, most, args)
        drop_answers(CRITICS)
        return _short(answer) if args.flag("--kept") else answer


def _short(answer: Answer) -> Answer:
    """Return the answer without what the conversation has seen: the verdicts of the critics, and the rounds."""
    known = ("verdicts", "round", fields.STATS_SELF_CHECK_ROUNDS)
    told = {name: value for name, value in answer.data.items() if name not in known}
    return brief_answer(Answer(told, answer.text))


def _refuse_without_assumptions(project: Project, draft: bytes) -> None:
    """Refuse a plan that says nothing about the weak dimensions of its brief."""
    weak = weak_dimensions(project.path(file_if_any(brief_fields.KIND)))
    if not weak or states_assumptions(draft):
        return
    error = f"the brief is partial, but ## {ASSUMPTIONS} says nothing about it; no round was counted"
    put = f'{verb("put plan")} --project {shell_word(project.shown)} --draft --section "{ASSUMPTIONS}"'
    raise RefusedError(error, f"state with `{put}` what you assume about each of these: {'; '.join(weak)}")


def _self_check(project: Project, result: Result) -> Answer:
    counts = plan_gate.count_check(project, not result.errors)
    number = counts[plan_gate.CHECKS]
    exhausted = counts[plan_gate.FAILED] >= SELF_CHECKS
    if exhausted:
        plan_gate.forget(project)
    data = {
        "ok": True,
        "passed": not result.errors,
        "round": number,
        "left": SELF_CHECKS - counts[plan_gate.FAILED],
        "exhausted": exhausted,
        "errors": short(result.errors),
        "warnings": short(result.warnings),
        "next": _after_check(project, exhausted) if result.errors else "spawn the critics",
    }
    lines = [f"Self-check {number}: {'passed' if not result.errors else 'not passed'}"]
    return Answer(data, "\n".join([*lines, *in_words(result.errors), str(data["next"])]))


def _after_check(project: Project, exhausted: bool) -> str:
    """Return what follows a draft with errors."""
    if exhausted:
        draft = project.show(draft_of(PLAN))
        return (
            f"stop: tell the user these errors, that the text is in {draft} and there is no {file_of(PLAN)} from it,"
            f" and that `{plan_again(project.folder, project.shown)}` tries again"
        )
    put = f"{verb('put')} {PLAN} --project {shell_word(project.shown)} --draft"
    return f"fix every error with `{put} --step N` or `--section NAME`, then check again"


def _count(project: Project, steps: int, checks: int, source: str, data: str | None) -> None:
    """Write a line of statistics; a plan that is divided among sessions has more than one."""
    values = {
        fields.STATS_SLUG: project.slug,
        fields.STATS_STEPS: steps,
        fields.STATS_SELF_CHECK_ROUNDS: checks,
        fields.STATS_SOURCE: source,
    }
    count(PLAN, values if steps >= SESSIONS_FROM else {**values, fields.STATS_SESSIONS: 1}, data)


def _small(project: Project, folder: Folder, draft: bytes, data_folder: str | None) -> Answer:
    """Decide by code alone, for a plan of few steps."""
    plan, path = read(draft, PLAN), project.path(draft_of(PLAN))
    large = too_large(plan)
    if large:
        offered = whole_way(shell_word(task_of(project)))
        next_step = f"stop: tell the user that this is too large for a small task, and offer `{offered}`"
        data = {"ok": True, "passed": False, "too_large": large, "next": next_step}
        return Answer(data, f"Too large for a small task: {large}\n{next_step}")
    result = check_write(load_contract(PLAN), draft, path)
    wrong = [] if result.errors else faults(project, plan, path)
    counts = plan_gate.count_check(project, not (result.errors or wrong))
    if result.errors or wrong:
        exhausted = counts[plan_gate.FAILED] >= SELF_CHECKS
        if exhausted:
            plan_gate.forget(project)
        rest = _after_check(project, exhausted)
        errors = [*short(result.errors), *({"message": one} for one in wrong)]
        data = {"ok": True, "passed": False, "exhausted": exhausted, "errors": errors, "next": rest}
        return Answer(data, "\n".join(["Not passed", *in_words(result.errors), *wrong, rest]))
    folder.write(draft_of(PLAN), draft)
    plan_gate.end(project, folder, [NOTE])
    _count(project, len(plan.steps), counts[plan_gate.CHECKS], fields.STATS_SOURCE_TASK, data_folder)
    steps = shown_steps(plan)
    data = {
        "ok": True,
        "passed": True,
        "path": project.show(file_of(PLAN)),
        "steps": steps,
        **_coming(project, "show the user `steps`; run the plan if they say yes"),
    }
    return Answer(data, "\n".join([str(data["path"]), *steps, str(data["run"])]))


def _coming(project: Project, next_step: str) -> dict[str, Any]:
    """Return the command that runs the plan; a run of the plan that it replaces is named."""
    standing = ProjectStanding(project)
    run = standing.part(progress_fields.KIND)
    begun = f"; tell the user: {standing.coming.reason}" if run is not None and run.has_begun else ""
    return {"run": standing.coming.command, "next": next_step + begun}


def _criticised(project: Project, folder: Folder, given: str, most: int | None, args: Args) -> Answer:
    outputs = known_outputs()
    failing: list[dict[str, Any]] = []
    hard: list[str] = []
    verdicts: dict[str, str] = {}
    missing, rounds = [], 1
    blocks = json_blocks(given)
    for critic in CRITICS:
        gate = outputs[critic].scores
        assert gate is not None  # noqa: S101 - its output file has scores
        rounds = most or gate.rounds
        keys = [one.name for one in gate.dimensions]
        own = [values for values, _ in blocks if any(key in values for key in keys)]
        if not own:
            missing.append(critic)
            continue
        told = next(text for values, text in reversed(blocks) if values is own[-1])
        _score(gate, critic, told, failing, hard, verdicts)
    if CRITICS[0] in missing:
        error = f"the input has no block of {CRITICS[0]}, which every round needs; no round was counted"
        hint = f"{HINT}; if it failed, do its work with `{verb('guide')} agent {CRITICS[0]}` and say so"
        raise RefusedError(error, hint)
    steps = len(read(plan_gate.read_draft(project) or b"", PLAN).steps)
    counts = plan_gate.count_round(project)
    number = counts[plan_gate.ROUNDS]
    exhausted = bool(failing) and number >= rounds
    written = not failing or (exhausted and not hard)
    if written:
        notes = [DEGRADED] if args.flag("--degraded") else []
        notes += [f"Reviewed without {listed(missing)}, which gave no answer."] if missing else []
        plan_gate.end(project, folder, notes)
        source = fields.STATS_SOURCE_REVIEW if taken_up(project) else fields.STATS_SOURCE_BRIEF
        _count(project, steps, counts[plan_gate.CHECKS], source, args.get("--data"))
    elif exhausted:
        plan_gate.forget(project)
    data = {
        "ok": True,
        "passed": not failing,
        "round": number,
        "exhausted": exhausted,
        "verdicts": verdicts,
        "missing": missing,
        "failing": failing,
        "hard": hard,
        fields.STATS_SELF_CHECK_ROUNDS: counts[plan_gate.CHECKS],
        "path": project.show(file_of(PLAN) if written else draft_of(PLAN)),
        "steps": steps if written else None,
        "sessions": steps >= SESSIONS_FROM if written else None,
        "run": None,
        "next": _next(project, failing, hard, exhausted),
    }
    if written:
        data.update(_coming(project, str(data["next"])))
    lines = [f"Round {number} of {rounds}: {'passed' if not failing else 'not passed'}"]
    lines += [
        f"  {one['critic']}: {one['dimension']} {one['score']}; {'; '.join(one['detail'])}" for one in failing
    ]
    lines += [f"without {listed(missing)}"] if missing else []
    return Answer(data, "\n".join([*lines, str(data["next"])]))


def _score(
    gate: Gate,
    critic: str,
    told: str,
    failing: list[dict[str, Any]],
    hard: list[str],
    verdicts: dict[str, str],
) -> None:
    review = read_review(gate, told)
    ruling = judge(gate, review.scores)
    verdicts[critic] = review.verdict
    hard += [name for name in ruling.failing if name in gate.hard]
    failing += [
        {"critic": critic, "dimension": name, "score": review.scores[name], "detail": review.details[name]}
        for name in ruling.failing
    ]


def _next(project: Project, failing: list[dict[str, Any]], hard: list[str], exhausted: bool) -> str:
    plan = project.show(file_of(PLAN))
    if not failing:
        return f"{file_of(PLAN)} is in place: continue"
    if exhausted and hard:
        return (
            f"stop: {listed(hard)} still fails, so there is no {plan}; tell the user what fails, where the draft is,"
            f" and that `{plan_again(project.folder, project.shown)}` tries again"
        )
    if exhausted:
        return f"{file_of(PLAN)} is in place: tell the user each remaining weakness, then continue"
    return "fix what `detail` says, the hard ones first, put it, then spawn the critics again"
