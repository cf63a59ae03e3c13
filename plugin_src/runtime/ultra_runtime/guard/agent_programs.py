"""Judge the commands of the plugin's sub-agents: they read and answer, and the conversation that asked them writes.

They may run the verbs of the launcher that only read, and the programs that the header of their own file lists
(`programs:`), in one plain call. This applies in every permission mode, whatever else the user allows.
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
REST, QUOTED = "...", "'"
# Shortest spellings of the options with which git writes a file or runs another program.
GIT_DOES_MORE = ("--ou", "--ext", "--textc")


def verdict_for_agent(command: str, agent: str) -> Verdict | None:
    """Return the refusal of a command that a sub-agent of this plugin may not run."""
    table = names()
    if not agent.startswith(f"{table.plugin}:"):
        return None
    from ultra_runtime.guard.follow.watch import watch

    watcher = watch(command)
    name = agent.partition(":")[2]
    allowed = table.reading + table.granted.get(name, ())
    for words in watcher.commands():
        if words[0] == launcher() and (written := _writing_verb(words[1:], allowed)):
            instead = "put the text into your answer; the conversation that asked you writes it"
            return Verdict("block", WRITES, f"{agent} only reads, and `{verb(written)}` writes", instead)
    forms = table.programs.get(name, ())
    if _is_one_plain_call(command, watcher) and _is_granted(forms, command, watcher.commands()[0]):
        return None
    granted = f"`{'`, `'.join(forms)}`" if forms else f"the verbs of `{launcher()}` that read"
    instead = f"run one of these per call, with nothing added: {granted}; or answer without it"
    return Verdict("block", PROGRAM, f"{agent} may run only {granted}", instead)


def _is_one_plain_call(command: str, watcher: Watcher) -> bool:
    """Tell whether this is one program by its bare name: no path, no variable, no pipe, nothing written."""
    if watcher.unread or len(watcher.commands()) != 1 or watcher.changed():
        return False
    (words,) = watcher.commands()
    return command.strip().split(None, 1)[0] == words[0] and all(known(word) for word in words)


def _is_granted(forms: tuple[str, ...], command: str, words: list[str]) -> bool:
    if words[0] == "git" and any(word.startswith(GIT_DOES_MORE) for word in words):
        return False
    return words[0] == launcher() or any(_fits(form.split(), command, words) for form in forms)


def _fits(form: list[str], command: str, words: list[str]) -> bool:
    """Tell whether a call has a listed form: `...` stands for any arguments, 'TEXT' for one quoted text."""
    *fixed, last = form
    if last == REST:
        return words[: len(fixed)] == fixed
    if last[0] == QUOTED:
        return words[:-1] == fixed and _is_literal(command)
    return words == form


def _is_literal(command: str) -> bool:
    """Tell whether the shell adds nothing to the text, which may leave this machine."""
    outside = command.split("'")[::2]
    return not any(sign in part for part in outside for sign in '"$`~*')


def _writing_verb(words: list[str], reading: tuple[str, ...]) -> str:
    """Return the verb of a call unless it only reads; a verb that a variable names counts as writing."""
    if not words or words[0].startswith("-") or any(word in HELP for word in words):
        return ""
    if not known(words[0]):
        return "VERB"
    spelled = words[0], " ".join(words[:2])
    return "" if any(verb in reading for verb in spelled) else " ".join(w for w in words[:2] if w.isalpha())
