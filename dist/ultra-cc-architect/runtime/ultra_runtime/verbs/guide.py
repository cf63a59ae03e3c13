"""Print the guide of a command, or of one of its phases.

Without COMMAND it lists the guides; without PHASE it lists the phases of a command that has several. `guide agent NAME`
prints the instructions of an agent, for a session that has to do the agent's work itself.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.files.guides import GUIDES, guide_text
from ultra_runtime.files.root import names_in
from ultra_runtime.rendered import verb
from ultra_runtime.usage import Args
from ultra_runtime.words import listed, one_line

USAGE = "guide [COMMAND] [PHASE] [--json]"
READ_ONLY = True

AGENT = "agent"
HEAD = "---\n"


def run(args: Args) -> Answer:
    """Answer with the text of a guide, or with the phases that have one."""
    command, phase = args.get("COMMAND"), args.get("PHASE")
    if command == AGENT:
        return _agent(phase)
    folders, files = _guides("")
    if command is None:
        return _list(sorted({*folders, *files}))
    # Only a name that the folder itself lists becomes a path: `..` and `/` never do.
    phases = _guides(command)[1] if command in folders else []
    if phase is not None and phase in phases:
        text = guide_text(command, phase)
        return Answer({"ok": True, "command": command, "phase": phase, "text": text}, text)
    if phase is None and command in files:
        text = guide_text(command)
        return Answer({"ok": True, "command": command, "text": text}, text)
    if phase is None and phases:
        call = f"{verb('guide')} {command} PHASE"
        data = {"ok": True, "command": command, "phases": phases, "next": f"run `{call}`"}
        return Answer(data, f"The phases of {command} are {listed(phases)}; print one with: {call}")
    asked = one_line(command if phase is None else f"{command} {phase}")
    hint = (
        f"the phases of {command} are {listed(phases)}"
        if phases
        else f"there are guides for {listed(sorted({*folders, *files}))}, and `{AGENT} NAME`"
    )
    raise RefusedError(f"there is no guide {asked}: {hint}", f"run `{verb('guide')}` with one of these names")


def _list(commands: list[str]) -> Answer:
    call = f"{verb('guide')} COMMAND"
    data = {"ok": True, "commands": commands, "agents": _agents(), "next": f"run `{call}`"}
    lines = [f"There are guides for {listed(commands)}; print one with: {call}"] if commands else []
    lines.append(f"Agents: {listed(_agents())}; print one with: {verb('guide')} {AGENT} NAME")
    return Answer(data, "\n".join(lines))


def _agents() -> list[str]:
    return _guides(os.path.join(os.pardir, "agents"))[1]


def _agent(name: str | None) -> Answer:
    """Answer with an agent's text, without the header that only the client reads."""
    agents = _agents()
    if name not in agents:
        error = f"there is no agent {one_line(name or '')}: there are {listed(agents)}"
        raise RefusedError(error, f"run `{verb('guide')} agent` with one of these names")
    text = guide_text(os.pardir, "agents", name)
    body = text.partition(f"\n{HEAD}")[2] if text.startswith(HEAD) else text
    return Answer({"ok": True, "agent": name, "text": body}, body)


def _guides(command: str) -> tuple[list[str], list[str]]:
    """Return the names of the folders and of the files that are guides."""
    folder = os.path.normpath(os.path.join(GUIDES, command))  # a plugin may have agents and no guides
    entries = names_in(folder)
    folders = [entry for entry in entries if os.path.isdir(os.path.join(folder, entry))]
    return folders, [entry[:-3] for entry in entries if entry.endswith(".md")]
