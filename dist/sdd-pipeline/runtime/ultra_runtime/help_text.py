"""List and suggest verbs: what a call for help, or one that names no verb, is answered with."""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, UsageError
from ultra_runtime.rendered import launcher, names, table, verb
from ultra_runtime.typed import ModuleType, Sequence
from ultra_runtime.usage import Usage
from ultra_runtime.words import close_words, one_line

LISTS = f"usage: {launcher()} --help lists the verbs"
STATUSES = (
    "Exit status: 0 done or answered, 1 refused or not valid, 2 wrong usage, 3 an unexpected error (logged)."
)
LOOK, OTHERS = "look", "Others"
FOR_PEOPLE = {LOOK: "For you, to look", "act": "For you, to act"}


def verb_modules() -> dict[str, str]:
    """Return module names by verb; the final `_` of a keyword such as `continue_` is not part of the verb."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "verbs")
    found = sorted(entry[:-3] for entry in os.listdir(folder) if entry.endswith(".py") and entry[0] != "_")
    return {name.rstrip("_"): name for name in found}


def load_verb(name: str) -> ModuleType:
    """Return the module of a verb."""
    return __import__("ultra_runtime.verbs." + name, fromlist=["*"])


def all_verbs() -> dict[str, ModuleType]:
    """Return every verb as it is spelled, with its module."""
    modules = map(load_verb, verb_modules().values())
    return {" ".join(Usage(module.USAGE).verb): module for module in modules}


def family(word: str) -> dict[str, ModuleType]:
    """Return the verbs whose first of two words this is; none if it is a verb by itself."""
    verbs = all_verbs()
    return {} if word in verbs else {name: verbs[name] for name in verbs if name.startswith(f"{word} ")}


def list_verbs() -> Answer:
    """Answer with every verb by task, those for people first."""
    groups: dict[str, dict[str, ModuleType]] = {}
    for name, module in all_verbs().items():
        groups.setdefault(_task(module), {})[name] = module
    order = [*FOR_PEOPLE.values(), *_stage_titles().values(), OTHERS]
    lines = [f"usage: {launcher()} VERB ...", ""]
    for title in sorted(groups, key=order.index):
        lines += [f"{title}:", *_lines(groups[title]), ""]
    lines += [f"{launcher()} VERB --help explains a verb; --json prints JSON.", STATUSES]
    summaries = {name: row for title in sorted(groups, key=order.index) for name, row in _rows(groups[title])}
    return Answer({"ok": True, "verbs": summaries}, "\n".join(lines))


def list_family(verbs: dict[str, ModuleType]) -> Answer:
    """Answer with the verbs of one family."""
    return Answer({"ok": True, "verbs": dict(_rows(verbs))}, _family_text(verbs))


def unknown(argv: Sequence[str]) -> UsageError:
    """Return the error for words that name no verb."""
    if not argv:
        return UsageError("missing verb", list_verbs().text)
    known, near = all_verbs(), family(argv[0])
    words = [word for word in argv if not word.startswith("-")]
    if near and words[1:] == []:
        return UsageError(f"{one_line(argv[0])} is not a verb by itself", _family_text(near))
    tried = [" ".join(words[:2]), argv[0]] if near or len(words) > 1 else [argv[0]]
    spelled = one_line(tried[0] if near else argv[0])
    return UsageError(f"unknown verb: {spelled}{_nearest(tried, near or known)}", LISTS)


def _nearest(tried: Sequence[str], known: dict[str, ModuleType]) -> str:
    """Return the verb that looks most like one of the words; of several, one that changes nothing."""
    for word in tried:
        close = close_words(word, known)
        harmless = [one for one in close if one in names().reading or _for_people(known[one]) == LOOK]
        if close:
            return f" (did you mean {(harmless or close)[0]}?)"
    return ""


def _for_people(module: ModuleType) -> str:
    return getattr(module, "FOR_PEOPLE", "")


def _task(module: ModuleType) -> str:
    return FOR_PEOPLE.get(_for_people(module)) or _stage_titles().get(getattr(module, "STAGE", ""), OTHERS)


def _stage_titles() -> dict[str, str]:
    return {name: name.capitalize() for name in table("stages").STAGES}


def _rows(verbs: dict[str, ModuleType]) -> list[tuple[str, str]]:
    return [(one.USAGE, (one.__doc__ or "").strip().partition("\n")[0]) for one in verbs.values()]


def _lines(verbs: dict[str, ModuleType]) -> list[str]:
    return [f"  {verb(usage)}\n      {summary}" for usage, summary in _rows(verbs)]


def _family_text(verbs: dict[str, ModuleType]) -> str:
    word = next(iter(verbs)).partition(" ")[0]
    lines = [f"usage: {launcher()} {word} VERB ...", "", *_lines(verbs), ""]
    return "\n".join([*lines, f"{launcher()} {word} VERB --help explains one of them."])
