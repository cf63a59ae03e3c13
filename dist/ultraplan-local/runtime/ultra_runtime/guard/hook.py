"""Answer the client before it runs a tool: deny, ask, or say nothing. Never allow.

The option `guard` decides how far it reaches:

    run      a run's own calls are denied what the policy blocks; elsewhere silent (the default)
    ask      in a run as above; elsewhere what is blocked is asked about, where somebody can answer
    always   in a run as above; elsewhere what is blocked is denied
    off      silent
"""

from __future__ import annotations

import os
import sys

from ultra_runtime.guard.site import find_site, run_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ultra_runtime.guard.policy import Verdict
    from ultra_runtime.guard.site import Site

    Judge = Callable[[dict[str, Any], str, "Site | None"], Verdict]

BLOCKING = 2


def main(judge: Judge) -> int:
    """Look at one call; return the exit status for the client."""
    option = os.environ.get("CLAUDE_PLUGIN_OPTION_GUARD", "").lower() or "run"
    in_run = False
    try:
        if option == "off" or (option not in ("ask", "always") and run_file(os.getcwd()) is None):
            return 0
        in_run = run_file(os.getcwd()) is not None  # until the session is known, the stricter way
        payload = _payload()
        site = find_site(os.getcwd(), str(payload.get("session_id") or ""))
        in_run = site is not None
        if site is None and option not in ("ask", "always"):
            return 0
        verdict = judge(payload, str(payload.get("cwd") or os.getcwd()), site)
        if verdict.verdict == "block":
            _answer(verdict, option, in_run)
        return 0
    except Exception as problem:
        sys.stderr.write(f"ultra guard: {type(problem).__name__}: {problem}; run `ultra doctor`\n")
        return BLOCKING if in_run else 1


def _payload() -> dict[str, Any]:
    from ultra_runtime.jsontext import read_object

    return read_object(sys.stdin.buffer.read()).values


def _answer(verdict: Verdict, option: str, in_run: bool) -> None:
    """Tell the client; asking makes sense only where somebody can answer."""
    decision = "deny" if in_run or option == "always" else "ask"
    if decision == "ask" and os.environ.get("CLAUDE_CODE_SESSION_ATTENDED") == "0":
        return
    from ultra_runtime.jsontext import write

    reason = f"ultra guard, rule {verdict.rule}: {verdict.reason}. Instead: {verdict.instead}."
    output = {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    }
    sys.stdout.write(write({"hookSpecificOutput": output}) + "\n")


def of_command(payload: dict[str, Any], cwd: str, site: Site | None) -> Verdict:
    """Judge a call of a shell."""
    from ultra_runtime.guard.judge import judge_command

    return judge_command(str(payload["tool_input"]["command"]), cwd, site)


def of_write(payload: dict[str, Any], cwd: str, site: Site | None) -> Verdict:
    """Judge a call that writes one file."""
    from ultra_runtime.guard.judge import judge_path, place_of

    given = payload["tool_input"]
    path = given.get("file_path") or given.get("notebook_path")
    if not isinstance(path, str):
        raise ValueError("the call names no file")
    return judge_path(path, place_of(cwd, site), site)
