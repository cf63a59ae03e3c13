"""What a sub-agent of the plugin may run: looking at git, asking the runtime, nothing that writes.

A command's Bash grant reaches the agents that it spawns, so without this every reviewer could write what it reviews.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

GIT_LOOKS = (
    "blame", "cat-file", "describe", "diff", "grep", "log", "ls-files", "ls-tree", "merge-base", "name-rev", "rev-list",
    "rev-parse", "shortlog", "show", "status",
)  # fmt: skip
# Options that make a git command which looks write a file or start a program.
GIT_ACTS = ("--output", "--ext-diff", "--textconv", "--open-files-in-pager", "-O", "--exec", "--upload-pack")
ULTRA_LOOKS = (
    "architecture", "audit", "check-command", "check-output", "check-path", "confidence", "continue", "doctor",
    "finding-id", "frontmatter", "guide", "scan", "validate",
)  # fmt: skip
BRIDGE = "gemini-bridge"
BRIDGE_CALLS = ("-p", "--prompt", "--version")
SHELL = "();<>|&"


def refusal(agent: str, command: str) -> str:
    """Return why this agent may not run this command, or nothing; the agent's name has no prefix."""
    words = _words(command)
    if words is None:
        return "an agent runs one plain command: no pipe, redirection, substitution or second command"
    if words[:1] == ["git"] and words[1:2] == ["--no-pager"]:
        del words[1]
    program, first, second = [*words, "", "", ""][:3]
    if program == "git" and first in GIT_LOOKS:
        acts = [word for word in words[2:] if word.startswith(GIT_ACTS)]
        return f"{acts[0]} does more than look" if acts else ""
    if program == "ultra" and (first in ULTRA_LOOKS or (first, second) == ("plan", "show")):
        return ""
    if program == "gemini" and agent == BRIDGE and first in BRIDGE_CALLS and len(words) <= 3:
        return ""
    return "agents of this plugin look and report; the conversation that spawned you writes and runs things"


def _words(command: str) -> list[str] | None:
    """Return the words of one plain command, of which the text in a quoted here-document is none."""
    import shlex

    head, _, rest = command.strip().partition("\n")
    before, here, mark = head.rpartition("<<")
    if here:
        quoted = mark.strip()
        if len(quoted) < 3 or quoted[0] not in "'\"" or quoted[-1] != quoted[0]:
            return None
        if rest.split("\n")[-1].strip() != quoted[1:-1] or quoted[1:-1] in rest.split("\n")[:-1]:
            return None
        head = before
    elif rest:
        return None
    if "`" in head or "$" in head:
        return None
    lexer = shlex.shlex(head, posix=True, punctuation_chars=SHELL)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        return None
    bare = any(word and set(word) <= set(SHELL) for word in words)
    return None if bare else words


def called(values: Mapping[str, object], plugin: str) -> tuple[str, str] | None:
    """Return agent and command of a hook's input, when it is a Bash call of one of the plugin's agents."""
    agent, given = values.get("agent_type"), values.get("tool_input")
    if not isinstance(agent, str) or not agent.startswith(f"{plugin}:"):
        return None
    command = given.get("command") if isinstance(given, dict) else None
    return agent[len(plugin) + 1 :], command if isinstance(command, str) else ""
