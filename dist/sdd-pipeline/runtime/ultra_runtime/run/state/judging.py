"""Judge the commands and paths of a plan before the runtime runs or changes them."""

from __future__ import annotations

import os

from ultra_runtime.guard.judge import Judge, load_policy
from ultra_runtime.guard.paths import protected_name
from ultra_runtime.guard.policy import BLOCK
from ultra_runtime.guard.site import site_of_plan
from ultra_runtime.plan.covering import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.run_place import RunPlace


def judge_of(place: RunPlace) -> Judge:
    """Return the judge of a run, with the same facts that the hook has in that run."""
    project = place.project.shown if place.project else ""
    return judge_of_plan(place.root, place.plan, project)


def judge_of_plan(root: str, plan: str, project: str = "") -> Judge:
    """Return the judge of what a run of a plan would do; its commands are run from the root."""
    return Judge(root, site_of_plan(root, plan, project))


def why_blocked(place: RunPlace, command: str) -> str:
    """Return why a command of the plan must not be run; empty when it may."""
    verdict = judge_of(place).command(command)
    return verdict.reason if verdict.verdict == BLOCK else ""


def path_problem(judge: Judge, path: str) -> str:
    """Return why a step must not change a path of its plan; empty when it may."""
    if os.path.isabs(path) or path.startswith("~"):
        return "it must be a path below the root of the repository"
    verdict = judge.path(plain(path) or path)
    return verdict.reason if verdict.verdict == BLOCK else ""


def protected(path: str) -> str:
    """Return the name of the rule that protects a path from being committed; empty if there is none."""
    return protected_name(path, load_policy())
