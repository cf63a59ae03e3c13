"""PreToolUse, Bash: a sub-agent of the plugin looks and writes nothing; everybody else is not looked at here."""

from __future__ import annotations

import os
import sys

LETS_THROUGH = 0
BLOCKS = 2


def main() -> int:
    """Print a refusal, if there is one; an agent's call that cannot be judged is blocked."""
    data = sys.stdin.buffer.read()
    if b'"agent_type"' not in data:  # the main conversation, which is nearly every call
        return LETS_THROUGH
    try:
        reason = judge(data)
    except Exception as problem:
        sys.stderr.write(f"the call of an agent could not be judged: {type(problem).__name__}\n")
        return BLOCKS
    if reason:
        from ultra_runtime.jsontext import write

        said = {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
        sys.stdout.write(write({"hookSpecificOutput": said}) + "\n")
        sys.stdout.flush()
    return LETS_THROUGH


def judge(data: bytes) -> str:
    """Return why the call is refused, or nothing."""
    hooks = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, os.path.dirname(os.path.dirname(hooks)))
    from ultra_runtime.agent_rights import called, refusal
    from ultra_runtime.jsontext import read_object
    from ultra_runtime.rendered import names

    call = called(read_object(data).values, names().plugin)
    return refusal(*call) if call else ""


if __name__ == "__main__":
    status = BLOCKS
    try:
        status = main()
    finally:
        os._exit(status)
