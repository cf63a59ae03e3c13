"""Sub-agents of the plugin look and answer: what they find out enters the disk by the one who asked them."""

from __future__ import annotations

from ultra_runtime.guard.marks import known
from ultra_runtime.guard.policy import Verdict
from ultra_runtime.rendered import names

RULE = "agent_writes"
PROGRAM = "ultra"
HELP = ("-h", "--help")


def verdict_for_agent(command: str, agent: str) -> Verdict | None:
    """Return the refusal of a verb that writes, when a sub-agent of this plugin calls it."""
    table = names()
    if not agent.startswith(f"{table.plugin}:"):
        return None
    from ultra_runtime.guard.watch import watch

    for words in watch(command).words:
        if words[0] == PROGRAM and (verb := _writing_verb(words[1:], table.reading)):
            instead = "put what is to be written into your answer; the conversation that asked you writes it"
            return Verdict("block", RULE, f"{agent} only reads, and `ultra {verb}` writes", instead)
    return None


def _writing_verb(words: list[str], reading: tuple[str, ...]) -> str:
    """Return the verb of a call unless it only reads; what is not known until it runs does not."""
    if not words or words[0].startswith("-") or any(word in HELP for word in words):
        return ""
    if not known(words[0]):
        return "VERB"
    spelled = words[0], " ".join(words[:2])
    return "" if any(verb in reading for verb in spelled) else " ".join(w for w in words[:2] if w.isalpha())
