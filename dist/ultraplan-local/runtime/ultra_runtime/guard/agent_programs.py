"""Sub-agents of the plugin look and answer: what they find out enters the disk by the one who asked them.

Of programs they run the verbs of the launcher that only read, and each the one program that its own text names, in one
plain call. That holds in every permission mode, whatever the user has allowed elsewhere.
"""

from __future__ import annotations

from ultra_runtime.guard.policy import Verdict
from ultra_runtime.guard.shell.marks import known
from ultra_runtime.rendered import launcher, names, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.watch import Watcher

WRITES, PROGRAM = "agent_writes", "agent_program"
HELP = ("-h", "--help")
HISTORY, GIT_READS = "local-history", ("log", "show", "blame", "diff")
# Options, from where they can be told from others, by which git writes a file or runs another program.
GIT_DOES_MORE = ("--ou", "--ext", "--textc")
BRIDGE = "gemini-bridge"
GRANTED = {
    HISTORY: f"`git {'`, `git '.join(GIT_READS)}`",
    BRIDGE: "`gemini -p 'QUESTION'` and `gemini --version`",
}


def verdict_for_agent(command: str, agent: str) -> Verdict | None:
    """Return the refusal of what a sub-agent of this plugin has no business running."""
    table = names()
    if not agent.startswith(f"{table.plugin}:"):
        return None
    from ultra_runtime.guard.follow.watch import watch

    watcher = watch(command)
    for words in watcher.words:
        if words[0] == launcher() and (written := _writing_verb(words[1:], table.reading)):
            instead = "put what is to be written into your answer; the conversation that asked you writes it"
            return Verdict("block", WRITES, f"{agent} only reads, and `{verb(written)}` writes", instead)
    name = agent.partition(":")[2]
    if _is_one_plain_call(command, watcher) and _is_granted(name, command, watcher.words[0]):
        return None
    granted = GRANTED.get(name) or f"nothing but the verbs of `{launcher()}` that read"
    instead = f"run {granted}, one a call and with nothing beside it, or answer without"
    return Verdict("block", PROGRAM, f"{agent} runs {granted}", instead)


def _is_one_plain_call(command: str, watcher: Watcher) -> bool:
    """Tell whether this is one program by its bare name: no path, no variable, no pipe, nothing written."""
    if watcher.unread or len(watcher.words) != 1 or watcher.changed():
        return False
    words = watcher.words[0]
    return command.strip().split(None, 1)[0] == words[0] and all(known(word) for word in words)


def _is_granted(agent: str, command: str, words: list[str]) -> bool:
    program, rest = words[0], words[1:]
    if program == launcher():
        return True
    if agent == HISTORY and program == "git":
        return rest[:1] != [] and rest[0] in GIT_READS and not any(w.startswith(GIT_DOES_MORE) for w in rest)
    if agent == BRIDGE and program == "gemini":
        return rest == ["--version"] or (rest[:1] == ["-p"] and len(rest) == 2 and _is_literal(command))
    return False


def _is_literal(command: str) -> bool:
    """Tell whether the shell puts nothing of its own into the text, which leaves this machine."""
    outside = command.split("'")[::2]
    return not any(sign in part for part in outside for sign in '"$`~*')


def _writing_verb(words: list[str], reading: tuple[str, ...]) -> str:
    """Return the verb of a call unless it only reads; what is not known until it runs does not."""
    if not words or words[0].startswith("-") or any(word in HELP for word in words):
        return ""
    if not known(words[0]):
        return "VERB"
    spelled = words[0], " ".join(words[:2])
    return "" if any(verb in reading for verb in spelled) else " ".join(w for w in words[:2] if w.isalpha())
