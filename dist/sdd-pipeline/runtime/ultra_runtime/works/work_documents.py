"""Read what the specifier and the planner wrote: the plan of a work and its tasks, checked against their contracts."""

from __future__ import annotations

from ultra_runtime.contract.dependencies import in_order, read_ids
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.quoted import ID, TITLE, read_quoted
from ultra_runtime.contract.result import Report
from ultra_runtime.contract.rows import read_code, read_rows
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import requirement_fields, task_fields, work_plan_fields
from ultra_runtime.words import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.result import Subject
    from ultra_runtime.works.work_place import WorkOrder


class Task(Struct):
    """One task: what it may change, and the commands that decide whether it is done."""

    name: str
    title: str
    depends_on: tuple[str, ...]
    files: dict[str, str]
    """Path -> CREATE, MODIFY or DELETE."""
    verify: list[str]

    @property
    def command(self) -> str:
        """One command that passes if all of them do; none of them changes the folder or the variables of the next."""
        return self.verify[0] if len(self.verify) == 1 else " && ".join(f"( {one} )" for one in self.verify)


class WorkPlan(Struct):
    """A plan and its tasks, in the order in which they are executed."""

    title: str
    mode: str
    language: str
    project: str
    tasks: list[Task]

    @property
    def graph(self) -> dict[str, tuple[str, ...]]:
        """Task -> the tasks that it depends on."""
        return {task.name: task.depends_on for task in self.tasks}

    def task(self, name: str) -> Task:
        """Return the task of that name."""
        return next(task for task in self.tasks if task.name == name)

    def number(self, name: str) -> int:
        """Return the step of the run that executes a task."""
        return [task.name for task in self.tasks].index(name) + 1


def read_document(
    work: WorkOrder, kind: str, problems: list[str], task: str = "", language: str = ""
) -> Subject | None:
    """Return one file of a work, and add what is wrong with it to the problems."""
    report = Report(load_contract(kind), work.show(kind, task))
    subject = None
    try:
        subject = read_quoted(report, read_regular(work.path(kind, task)), language)
    except UnreadableError as problem:
        report.add("NOT_FOUND" if problem.missing else "READ_ERROR", str(problem))
    problems += map(str, report.errors)
    return subject


def digests(work: WorkOrder, plan: WorkPlan) -> dict[str, str]:
    """Return the files that the user approves, each with the digest of its bytes."""
    kinds = [(requirement_fields.KIND, ""), (work_plan_fields.KIND, "")]
    kinds += [(task_fields.KIND, task.name) for task in plan.tasks]
    return {work.show(*one): sha256(read_regular(work.path(*one))) for one in kinds}


def read_work(work: WorkOrder) -> tuple[WorkPlan | None, list[str]]:
    """Return the plan of a work, if it can be executed, and everything that is wrong with its files."""
    problems: list[str] = []
    required = read_document(work, requirement_fields.KIND, problems)
    plan = read_document(work, work_plan_fields.KIND, problems)
    for kind, found in ((requirement_fields.KIND, required), (work_plan_fields.KIND, plan)):
        if found and found.text(ID) not in ("", work.name):
            problems.append(f"{work.show(kind)}: its title must begin with {work.name}")
    if plan is None or problems:
        return None, problems
    tasks = {}
    for part in plan.parts[work_plan_fields.PART_TASKS]:
        name = f"TASK-{part.values['id']}"
        depends = read_ids(part.values[work_plan_fields.TASKS_DEPENDS_ON])
        tasks[name] = _read_task(work, name, depends, problems, plan.text(work_plan_fields.LANGUAGE))
    if problems:
        return None, problems
    order = in_order({name: task.depends_on for name, task in tasks.items()})
    return WorkPlan(
        plan.text(TITLE),
        plan.text(work_plan_fields.EXECUTION_MODE),
        plan.text(work_plan_fields.LANGUAGE),
        plan.text(work_plan_fields.PROJECT),
        [tasks[name] for name in order],
    ), []


def _read_task(
    work: WorkOrder, name: str, depends: tuple[str, ...], problems: list[str], language: str
) -> Task:
    found = read_document(work, task_fields.KIND, problems, name, language)
    if found is None:
        return Task(name, "", depends, {}, [])
    shown = work.show(task_fields.KIND, name)
    own = read_ids(found.text(task_fields.DEPENDENCIES))
    if found.text(ID) not in ("", name):
        problems.append(f"{shown}: its title must begin with {name}")
    if found.text(task_fields.WORK) not in ("", work.name):
        problems.append(f"{shown}: {task_fields.WORK} must be {work.name}")
    if sorted(own) != sorted(depends):
        problems.append(f"{shown}: it depends on {listed(own)}, but in the plan on {listed(depends)}")
    files = {row[0]: row[1] for row in read_rows(found.texts.get(task_fields.SECTION_FILES, "")) if row[1:]}
    commands = read_code(found.texts.get(task_fields.SECTION_VERIFY, ""))
    return Task(name, found.text(TITLE), depends, files, commands)
