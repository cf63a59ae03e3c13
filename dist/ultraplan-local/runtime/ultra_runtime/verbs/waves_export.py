"""Print a file that another program needs: the workflow of a plan for GitHub Actions, or the update hook of a hub.

`github` renders one job per wave with a matrix over its sessions; our tests check it against the public schema and do
not run it. `hub` renders the hook that keeps workers from everything but their own results.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.usage import Args
from ultra_runtime.waves.github_workflow import BUNDLE_REF, workflow_text
from ultra_runtime.waves.hub import bundle_commit
from ultra_runtime.waves.hub_rules import hub_hook
from ultra_runtime.waves.wave_answers import read_options
from ultra_runtime.waves.wave_run import find_wave_run
from ultra_runtime.words import one_line

USAGE = (
    "waves export WHAT [PLAN] [--project DIR] [--jobs N] [--budget-usd X] [--model M] [--permission-mode M]"
    " [--session-minutes N] [--json]"
)
FOR_PEOPLE = "look"
STAGE = "execute"
GITHUB, HUB = "github", "hub"


def run(args: Args) -> Answer:
    """Answer with the text of the file."""
    what, plan = args.need("WHAT"), args.get("PLAN")
    if what == HUB:
        text = hub_hook()
        words = "save it as hooks/update of the bare repository, and make it executable"
        return Answer({"ok": True, "text": text, "next": words}, text.rstrip("\n"))
    if what != GITHUB:
        raise args.usage.error(f"WHAT must be {GITHUB} or {HUB}, not {one_line(what)}")
    if not plan:
        raise RefusedError("the workflow needs a plan", "name it after `github`")
    found = find_wave_run(plan, args.get("--project"))
    text = workflow_text(found, read_options(args))
    found.git.ask("update-ref", BUNDLE_REF, bundle_commit(found.git))
    words = f"save it below .github/workflows/, commit it, and `git push origin {BUNDLE_REF}`, which has the plugin"
    return Answer({"ok": True, "text": text, "next": words}, text.rstrip("\n"))
