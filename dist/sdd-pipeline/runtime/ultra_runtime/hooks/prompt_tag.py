"""UserPromptSubmit: a message that begins with a tag such as [new-feature], or says resume WORK-01, starts the pipeline.

Any other message costs one look at its bytes, and nothing is printed.
"""

from __future__ import annotations

import os
import sys

STARTING, RESUMING = "sdd", "resume"


def main() -> None:
    """Print which command the message means, if it means one."""
    data = sys.stdin.buffer.read()
    if b"[" not in data and b"ork-" not in data.lower():
        return
    hooks = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, os.path.dirname(os.path.dirname(hooks)))
    line = meant(data)
    if line:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def meant(data: bytes) -> str:
    """Return what to tell the conversation about a message; empty for most."""
    from ultra_runtime.contract.stages import command
    from ultra_runtime.text.jsontext import read_object
    from ultra_runtime.works.tags import resumed_work, tag_of

    prompt = read_object(data).values.get("prompt")
    if not isinstance(prompt, str):
        return ""
    work = resumed_work(prompt)
    if work and command(RESUMING):
        skill = command(RESUMING)[1:]
        return f"This message resumes a work: call the Skill tool with skill {skill} and args {work}."
    if tag_of(prompt) and command(STARTING):
        skill = command(STARTING)[1:]
        return f"This message starts a work: call the Skill tool with skill {skill} and the message as args."
    return ""


if __name__ == "__main__":
    try:
        main()
    except Exception as problem:
        from ultra_runtime.files.unexpected import keep_of_hook

        keep_of_hook(problem, "prompt_tag")
    finally:
        os._exit(0)  # exit status 2 would erase the message
