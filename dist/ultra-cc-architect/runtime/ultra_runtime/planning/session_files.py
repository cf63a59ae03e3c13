"""Write the session specs of a plan: its steps, word for word, and two sections in the model's words."""

from __future__ import annotations

import os

from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Issue
from ultra_runtime.contract.stages import file_of, folder_of
from ultra_runtime.contract.write_check import check_write
from ultra_runtime.files.atomic import WriteError, locked
from ultra_runtime.files.project import Project, find_project, subfolder
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.spec_text import kept_sections, spec_text, without_digest
from ultra_runtime.plan.values import PLAN, SESSION_SPEC, Plan
from ultra_runtime.run.state.pinned import refuse_pinned
from ultra_runtime.typed import Mapping
from ultra_runtime.words import one_line

NO_WORDS: Mapping[str, str] = {}


def folder_of_specs(plan: str, project: str | None) -> str:
    """Return the folder for the specs, in the project or next to the plan; it may not exist yet."""
    if project:
        return subfolder(find_project(project), folder_of(SESSION_SPEC))
    target = os.path.join(os.path.dirname(os.path.abspath(plan)), folder_of(SESSION_SPEC))
    if os.path.islink(target):
        raise WriteError(f"{one_line(target)} is a symbolic link")
    return target


def make_specs(
    plan: Plan, shown: str, target: str, words: Mapping[int, Mapping[str, str]] | None = None
) -> dict[str, bytes]:
    """Return file name -> spec of every session; sections without new words keep those of the existing spec."""
    start, end = _name_parts()
    specs = {}
    for session in plan.sessions:
        name = f"{start}{session.number}{end}"
        old = _old(os.path.join(target, name))
        kept = kept_sections(read(old, SESSION_SPEC)) if old else {}
        text = spec_text(plan, session, shown, {**kept, **(words or {}).get(session.number, NO_WORDS)})
        same = without_digest(text) == without_digest(old.decode("utf-8", "replace"))
        specs[name] = old if same else text.encode()  # a change of other sessions leaves a spec as it is
    return specs


def spec_faults(target: str, specs: Mapping[str, bytes]) -> list[Issue]:
    """Return the errors of all specs."""
    contract = load_contract(SESSION_SPEC)
    return [
        issue
        for name, data in specs.items()
        for issue in check_write(contract, data, os.path.join(target, name)).errors
    ]


def write_specs(target: str, specs: Mapping[str, bytes]) -> list[str]:
    """Write the specs, unless a live run uses one; return the numbered names under which earlier ones are kept."""
    start, end = _name_parts()
    os.makedirs(target, exist_ok=True)
    present = [
        name
        for name in sorted(os.listdir(target))
        if name.startswith(start) and name.endswith(end) and name[len(start) : -len(end)].isdigit()
    ]
    for name in {*specs, *present}:
        refuse_pinned(os.path.join(target, name))
    with locked(target) as folder:
        kept = [folder.keep_earlier(name, specs.get(name, b"")) for name in present]
        for name in present:
            if name not in specs:
                folder.remove(name)
        for name, data in specs.items():
            folder.write(name, data)
    return [name for name in kept if name]


def write_again(project: Project) -> None:
    """Write the specs of a project again after its plan changed."""
    target = project.path(folder_of(SESSION_SPEC)) if folder_of(SESSION_SPEC) else ""
    if not target or not os.path.isdir(target):
        return
    plan = read(read_regular(project.path(file_of(PLAN))), PLAN)
    specs = make_specs(plan, project.show(file_of(PLAN)), target)
    if not spec_faults(target, specs):
        write_specs(target, specs)


def _name_parts() -> tuple[str, str]:
    """Return what comes before and after the number in the file name of a spec."""
    start, _, rest = file_of(SESSION_SPEC).rpartition("/")[2].partition("{")
    return start, rest.partition("}")[2]


def _old(path: str) -> bytes:
    try:
        return read_regular(path)
    except UnreadableError:
        return b""
