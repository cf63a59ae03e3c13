"""Open a session by hand: create its worktree and branch, and say what to type there.

It refuses settings of the project or of git, included files or dependencies that changed since the first session was
opened, unless the user accepts them with --accept-settings-change.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import BUNDLE, verb
from ultra_runtime.run.step.numbers import step_number
from ultra_runtime.usage import Args
from ultra_runtime.waves.by_hand import begin_by_hand, open_session
from ultra_runtime.waves.wave_answers import default_options
from ultra_runtime.waves.wave_around import ACCEPT
from ultra_runtime.waves.wave_run import find_for_hand
from ultra_runtime.words import shell_word

USAGE = "session open N [--plan PATH] [--project DIR] [--accept-settings-change] [--json]"
FOR_PEOPLE = "act"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with the worktree and the command."""
    number, path, project = step_number(args), args.get("--plan"), args.get("--project")
    found = find_for_hand(path, project)
    begin_by_hand(found, default_options(), args.flag(ACCEPT))
    typed = open_session(found, number)
    tree = found.tree_of(number)
    client = f"cd {shell_word(tree)} && claude --plugin-dir {shell_word(BUNDLE)} {shell_word(typed)}"
    next_step = f"run `command` in a terminal; when the session has ended: `{verb('session close')} {number}`"
    data = {
        "ok": True,
        "worktree": tree,
        "branch": found.branch_of(number),
        "command": client,
        "next": next_step,
    }
    return Answer(data, f"{client}\nThen: {verb('session close')} {number}")
