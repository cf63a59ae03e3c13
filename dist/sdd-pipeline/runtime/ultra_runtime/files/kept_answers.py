"""Answers of agents that a hook has kept, so that nobody has to type them again for the verb that needs them.

They are in the git dir, by the session of the client that spawned the agents. A verb drops what it has used, and every
verb that begins something drops all, so that no answer is taken for one about something else.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.atomic import WriteError, write_file
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.root import git_dir_around, names_in
from ultra_runtime.rendered import launcher
from ultra_runtime.typed import Sequence
from ultra_runtime.words import listed

FOLDER = "answers"
SESSION = "CLAUDE_CODE_SESSION_ID"
LONGEST = 1024 * 1024
MOST_SESSIONS = 20
END = ".md"


def keep_answer(start: str, session: str, agent: str, answer: str) -> None:
    """Keep the answer of an agent for the verbs of its session; a later one replaces it."""
    folder = _folder(start, session)
    data = answer.encode("utf-8", "replace")
    if not folder or len(data) > LONGEST:
        return
    os.makedirs(folder, exist_ok=True)
    try:
        write_file(os.path.join(folder, agent + END), data)
    except WriteError:
        return  # the conversation passes it on itself
    _drop_old(os.path.dirname(folder))


def kept_answer(agent: str) -> str:
    """Return the answer of an agent of this session; empty when none is kept."""
    folder = _folder(os.getcwd(), os.environ.get(SESSION, ""))
    try:
        return read_regular(os.path.join(folder, agent + END)).decode() if folder else ""
    except (UnreadableError, UnicodeDecodeError):
        return ""


def need_answers(agents: Sequence[str]) -> str:
    """Return the answers that these agents have given, one after the other; refuse if there is none."""
    found = [answer for answer in map(kept_answer, agents) if answer]
    if not found:
        error = f"no answer of {listed(agents, 'or')} is kept in this session"
        hint = "spawn it again; if its answer is here, give it on standard input, without --kept"
        raise RefusedError(error, hint)
    return "\n".join(found)


def drop_answers(agents: Sequence[str] = ()) -> None:
    """Drop the answers of these agents in this session, or all of them."""
    folder = _folder(os.getcwd(), os.environ.get(SESSION, ""))
    if not folder:
        return
    there = names_in(folder)
    for name in [agent + END for agent in agents] or there:
        if name in there:
            os.unlink(os.path.join(folder, name))


def _folder(start: str, session: str) -> str:
    """Return the folder of a session; empty outside a repository or without a session."""
    plain = session.replace("-", "").replace("_", "")
    git_dir = git_dir_around(start) if plain.isalnum() and len(session) <= 100 else ""
    return os.path.join(git_dir, launcher(), FOLDER, session) if git_dir else ""


def _drop_old(parent: str) -> None:
    """Drop what the oldest sessions have left."""
    folders = [os.path.join(parent, name) for name in names_in(parent)]
    try:
        folders.sort(key=os.path.getmtime, reverse=True)
        for folder in folders[MOST_SESSIONS:]:
            for name in names_in(folder):
                os.unlink(os.path.join(folder, name))
            os.rmdir(folder)
    except OSError:  # the hook of another agent drops them at the same time
        return
