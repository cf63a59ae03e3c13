"""Answer the client before it runs a tool: deny, ask, or say nothing. Never allow.

The option `guard` decides where it applies:

    run      in a run deny what the policy blocks; elsewhere say nothing (the default)
    ask      in a run as above; elsewhere ask about what is blocked, if somebody can answer
    always   in a run as above; elsewhere deny what is blocked
    off      say nothing
"""

from __future__ import annotations

import os
import sys

from ultra_runtime.guard.site import LockError, Site, find_site, places, run_files
from ultra_runtime.tables import LAUNCHER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.guard.policy import Verdict

LET_THROUGH, BLOCKED = 0, 2
FAILED = 1  # the client reports this and runs the tool
SECONDS = 5  # for one verdict; the client waits ten, and then runs the tool
LONG = 4000
SPAWNING = (
    "Agent",
    "Task",
    "Workflow",
    "RemoteTrigger",
    "SendMessage",
)  # a message resumes an agent that has ended
SKILL = "Skill"
ASK, ALWAYS, OFF = "ask", "always", "off"
ACCEPTING = ("--accept-settings-change", "--accept-plan-change", "--accept-entry")
"""What starts or resumes a run in the name of the user: there is none yet."""


class OutOfTime(BaseException):
    """The verdict took too long; not an Exception, so that nothing on the way takes it for its own."""


def main() -> int:
    """Look at one call; return the exit status for the client."""
    option = os.environ.get("CLAUDE_PLUGIN_OPTION_GUARD", "").strip().lower()
    if option == OFF:
        return LET_THROUGH
    in_run = True  # the stricter case until it is known
    try:
        _start_clock()
        here = places()
        in_run = _may_be_ours(here)
        call = _Call(here)
        in_run = True
        site = find_site(call.folders, call.session)
        in_run = site is not None
        verdict = _of_agent(call)
        deny = verdict is not None or in_run or option != ASK
        if call.tool in SPAWNING:
            verdict = _of_spawning(call, site) if site else None
        elif call.tool == SKILL:
            verdict = _of_skill(call) if site else None
        elif verdict is None and (in_run or option in (ASK, ALWAYS)):
            verdict = _of_policy(call, site)
        if not in_run and (verdict is None or verdict.verdict != "block"):
            verdict = _of_claim(call)
        if verdict is not None and verdict.verdict in ("block", ASK):
            _answer(verdict, deny if verdict.verdict == "block" else _is_unattended())
        return LET_THROUGH
    except (Exception, OutOfTime) as problem:
        outcome = "the call was not run" if in_run else "the call was let through"
        sys.stderr.write(
            f"{LAUNCHER} guard: {outcome}: {type(problem).__name__}: {problem}{_kept(problem)}.\n"
        )
        return BLOCKED if in_run else FAILED


def _start_clock() -> None:
    """Raise OutOfTime when the verdict takes too long, wherever the guard is by then."""
    signals = __import__("_signal")  # the module around it imports slow ones
    if hasattr(signals, "setitimer"):

        def ring(*_: object) -> None:
            raise OutOfTime(f"no verdict after {SECONDS} seconds")

        signals.signal(signals.SIGALRM, ring)
        signals.setitimer(signals.ITIMER_REAL, SECONDS)


def _kept(problem: BaseException) -> str:
    """Return where the log of an error is; an expected error has none."""
    from ultra_runtime.answer import RefusedError
    from ultra_runtime.files.unexpected import keep

    if isinstance(problem, RefusedError):
        return f"; {problem.next_step}"
    log = "" if isinstance(problem, (LockError, OutOfTime)) else keep(problem, ["hook", "guard"])
    return f"; the log is {log}" if log else ""


def _may_be_ours(here: list[str]) -> bool:
    """Tell whether the call may belong to a run, by what is known before it is parsed."""
    session = os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    if session:
        return find_site(here, session) is not None
    return next(run_files(here), None) is not None


class _Call:
    """What the client says about the call."""

    def __init__(self, here: list[str]) -> None:
        from ultra_runtime.text.jsontext import read_object

        payload = read_object(_given()).values
        self.session = _text(payload, "session_id")
        self.tool = _text(payload, "tool_name")
        self.agent = _text(payload, "agent_type")
        cwd = _text(payload, "cwd")
        self.folders = [cwd, *here] if os.path.isabs(cwd) else here
        self.cwd = self.folders[0] if self.folders else "/"
        self.input: dict[str, Any] = payload["tool_input"]

    @property
    def command(self) -> str | None:
        """The command for the shell."""
        command = self.input.get("command")
        return command if isinstance(command, str) else None

    @property
    def path(self) -> str:
        """The file that is to be written."""
        for name in ("file_path", "notebook_path"):
            if isinstance(self.input.get(name), str):
                return str(self.input[name])
        raise ValueError("the call names neither a command nor a file")


def _text(payload: dict[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def _given() -> bytes:
    pieces = []
    while piece := os.read(0, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def _of_agent(call: _Call) -> Verdict | None:
    """Return the refusal of a sub-agent that would do more than read; only the option off lifts it."""
    command = call.command
    if command is None or ":" not in call.agent:
        return None
    from ultra_runtime.guard.agent_programs import verdict_for_agent

    return verdict_for_agent(command, call.agent)


def _of_spawning(call: _Call, site: Site) -> Verdict | None:
    """Return the refusal of a sub-agent in a run; a work spawns those that it has dispatched."""
    if site.lock.get("work"):
        from ultra_runtime.guard.dispatched import verdict_for_spawn

        return verdict_for_spawn(site, call.input)
    return _no_agent("a run starts no agents: the guard checks one session, which executes the steps itself")


def _of_skill(call: _Call) -> Verdict | None:
    """Return the refusal of a skill in a run that may be run as an agent."""
    from ultra_runtime.guard.skills import may_start_agent

    if not may_start_agent(_text(call.input, "skill"), call.folders):
        return None
    return _no_agent("a run starts no agents, and this skill has `context: fork`, or its text was not found")


def _no_agent(reason: str) -> Verdict:
    from ultra_runtime.guard.own_files import ways_to_end
    from ultra_runtime.guard.policy import Verdict

    return Verdict("block", "run_agent", reason, f"do the step here, or {ways_to_end()}")


def _of_policy(call: _Call, site: Site | None) -> Verdict:
    from ultra_runtime.guard.judge import Judge
    from ultra_runtime.guard.policy import ALLOW

    judge = Judge(call.cwd, site)
    if call.command is not None:
        if len(call.command) > LONG:
            __import__("gc").disable()  # one call, with bounded memory: collecting only takes time
        return judge.command(call.command)
    return ALLOW if "ws" in call.input else judge.path(call.path)  # Monitor may watch a socket instead


def _of_claim(call: _Call) -> Verdict | None:
    """Ask before a call that accepts something for the user, and nothing else: outside a run the guard has no say."""
    command = call.command or ""
    if not any(flag in command for flag in ACCEPTING):
        return None
    from ultra_runtime.guard.judge import Judge

    verdict = Judge(call.cwd, None).claim(command)
    return verdict if verdict.verdict == ASK else None


def _is_unattended() -> bool:
    return os.environ.get("CLAUDE_CODE_SESSION_ATTENDED") == "0"


def _answer(verdict: Verdict, deny: bool) -> None:
    """Print the decision; ask only where somebody can answer."""
    if not deny and _is_unattended():
        return
    from ultra_runtime.text.jsontext import write

    output = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny" if deny else "ask",
        "permissionDecisionReason": f"{LAUNCHER} guard, rule {verdict.rule}: {verdict.reason}. Instead: {verdict.instead}.",
    }
    sys.stdout.write(write({"hookSpecificOutput": output}) + "\n")
    sys.stdout.flush()
