"""SubagentStop: take the task-result of an agent; send it back, once, if it does not have the required form.

If this hook fails, the conversation passes the answer on itself.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Keep the answer, or print what is wrong with it."""
    data = sys.stdin.buffer.read()
    hooks = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, os.path.dirname(os.path.dirname(hooks)))
    reason = take(data)
    if reason:
        from ultra_runtime.text.jsontext import write

        sys.stdout.write(write({"decision": "block", "reason": reason}) + "\n")
        sys.stdout.flush()


def take(data: bytes) -> str:
    """Keep an answer of an agent of this plugin; return what the agent must fix, empty if nothing."""
    from ultra_runtime.answer import RefusedError
    from ultra_runtime.rendered import names
    from ultra_runtime.text.jsontext import read_object
    from ultra_runtime.works.answers import note_end, store_answer
    from ultra_runtime.works.messages import dispatch_of, work_of
    from ultra_runtime.works.work_place import find_work

    values = read_object(data).values
    agent, answer = values.get("agent_type"), values.get("last_assistant_message")
    if (
        not isinstance(agent, str)
        or not agent.startswith(f"{names().plugin}:")
        or not isinstance(answer, str)
    ):
        return ""
    number, work = dispatch_of(values.get("agent_transcript_path"))
    try:
        store_answer(find_work(work or work_of(answer) or None), answer, agent.partition(":")[2], number)
    except RefusedError as problem:
        if not values.get("stop_hook_active"):
            return f"{problem.error}. {problem.next_step}"
        if number:
            note_end(find_work(work), number)
    return ""


if __name__ == "__main__":
    try:
        main()
    except Exception as problem:
        from ultra_runtime.files.unexpected import keep_of_hook

        keep_of_hook(problem, "agent_result")
    finally:
        # Not sys.exit: a traceback would be an error in the session.
        os._exit(0)
