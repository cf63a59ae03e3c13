"""Protect the plan of a live run: no verb replaces it during the run."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.run_files import PLAN_FILE
from ultra_runtime.guard.site import run_file
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.owner import Owner
from ultra_runtime.words import one_line


def refuse_pinned(path: str) -> None:
    """Refuse to write a plan or session spec that a live run of this tree is pinned to."""
    found = run_file(os.path.dirname(os.path.abspath(path)))
    if found is None:
        return
    root, _, run = found
    lock = read_json(run)
    if os.path.realpath(str(lock.get("root"))) != root or not Owner.of(lock.get("owner")).lives():
        return
    plan, project = lock.get("plan"), lock.get("project")
    pinned = [str(plan)] if plan else []
    pinned += [os.path.join(str(project), PLAN_FILE)] if project else []
    if os.path.realpath(path) in [os.path.realpath(os.path.join(root, one)) for one in pinned]:
        error = f"{one_line(os.path.relpath(path, root))} is in use by the run in progress"
        hint = f"end the run first, with `{verb('run finish')}` or `{verb('run abort')}`; nothing was written"
        raise RefusedError(error, hint)
