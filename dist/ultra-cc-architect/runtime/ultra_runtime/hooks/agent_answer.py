"""SubagentStop: keep an answer of a plugin agent for the verb that needs it; send it back, once, if its form is wrong.

If this hook fails, the conversation passes the answer on as it is.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Print what is wrong with the answer, if anything."""
    data = sys.stdin.buffer.read()
    reason = judge(data)
    if reason:
        from ultra_runtime.text.jsontext import write

        sys.stdout.write(write({"decision": "block", "reason": reason}) + "\n")
        sys.stdout.flush()


def judge(data: bytes) -> str:
    """Return what the agent must fix; empty if nothing."""
    hooks = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, os.path.dirname(os.path.dirname(hooks)))
    from ultra_runtime.contract.agent_output import bare_name, known_outputs, output_faults
    from ultra_runtime.rendered import names
    from ultra_runtime.text.jsontext import read_object

    values = read_object(data).values
    agent, answer = values.get("agent_type"), values.get("last_assistant_message")
    is_ours = isinstance(agent, str) and agent.startswith(f"{names().plugin}:")
    if not is_ours or not isinstance(answer, str):
        return ""
    name = bare_name(str(agent))
    output = known_outputs().get(name)
    faults = output_faults(output, answer) if output else []
    if output and not faults:
        from ultra_runtime.files.kept_answers import keep_answer

        keep_answer(str(values.get("cwd") or os.getcwd()), str(values.get("session_id") or ""), name, answer)
    if not faults or values.get("stop_hook_active"):
        return ""
    problems = "; ".join(faults[:5])
    return f"Your answer does not have the required form: {problems}. Give the whole answer again, ending in the json block."


if __name__ == "__main__":
    try:
        main()
    except Exception as problem:
        from ultra_runtime.files.unexpected import keep_of_hook

        keep_of_hook(problem, "agent_answer")
    finally:
        # Not sys.exit: a traceback would be an error in the session.
        os._exit(0)
