"""List and suggest verbs: what a call for help, or one that names no verb, is answered with."""

from __future__ import annotations

from ultra_runtime.answer import Answer, UsageError
from ultra_runtime.rendered import launcher, names, table, verb
from ultra_runtime.struct import Struct
from ultra_runtime.typed import Mapping, Sequence
from ultra_runtime.words import close_words, one_line

LISTS = f"usage: {launcher()} --help lists the verbs"
STATUSES = (
    "Exit status: 0 done or answered, 1 refused or not valid, 2 wrong usage, 3 an unexpected error (logged)."
)
LOOK, OTHERS = "look", "Others"
FOR_PEOPLE = {LOOK: "For you, to look", "act": "For you, to act"}


class Listed(Struct):
    """A verb as it is listed; `use` is what people do with it, or its stage."""

    usage: str
    summary: str
    use: str


def all_verbs() -> dict[str, Listed]:
    """Return every verb as it is spelled."""
    return {name: Listed(*row) for name, row in table("help").VERBS.items()}


def family(word: str) -> dict[str, Listed]:
    """Return the verbs whose first of two words this is; none if it is a verb by itself."""
    verbs = all_verbs()
    return {} if word in verbs else {name: verbs[name] for name in verbs if name.startswith(f"{word} ")}


def list_verbs() -> Answer:
    """Answer with every verb by task, those for people first."""
    titles = {**FOR_PEOPLE, **{stage: stage.capitalize() for stage in table("stages").STAGES}}
    groups: dict[str, dict[str, Listed]] = {title: {} for title in (*titles.values(), OTHERS)}
    for name, one in all_verbs().items():
        groups[titles.get(one.use, OTHERS)][name] = one
    lines = [f"usage: {launcher()} VERB ...", ""]
    for title, verbs in groups.items():
        lines += [f"{title}:", *_lines(verbs), ""] if verbs else []
    lines += [f"{launcher()} VERB --help explains a verb; --json prints JSON.", STATUSES]
    rows = {one.usage: one.summary for verbs in groups.values() for one in verbs.values()}
    return Answer({"ok": True, "verbs": rows}, "\n".join(lines))


def list_family(verbs: Mapping[str, Listed]) -> Answer:
    """Answer with the verbs of one family."""
    return Answer(
        {"ok": True, "verbs": {one.usage: one.summary for one in verbs.values()}}, _family_text(verbs)
    )


def unknown(argv: Sequence[str]) -> UsageError:
    """Return the error for words that name no verb."""
    if not argv:
        return UsageError("missing verb", list_verbs().text)
    near = family(argv[0])
    words = [word for word in argv if not word.startswith("-")]
    if near and not words[1:]:
        return UsageError(f"{one_line(argv[0])} is not a verb by itself", _family_text(near))
    tried = [" ".join(words[:2]), argv[0]]
    spelled = one_line(tried[0] if near else argv[0])
    return UsageError(f"unknown verb: {spelled}{_nearest(tried, near or all_verbs())}", LISTS)


def _nearest(tried: Sequence[str], known: Mapping[str, Listed]) -> str:
    """Return the verb that has one of the words, or looks most like it; of several, one that changes nothing.

    A family, such as `run`, changes nothing: it lists its verbs.
    """
    families = {one.partition(" ")[0] for one in known if " " in one}
    for word in tried:
        close = [one for one in known if word in one.split(" ")] or close_words(word, [*families, *known])
        harmless = [
            one for one in close if one in families or one in names().reading or known[one].use == LOOK
        ]
        if close:
            return f" (did you mean {(harmless or close)[0]}?)"
    return ""


def _lines(verbs: Mapping[str, Listed]) -> list[str]:
    return [f"  {verb(one.usage)}\n      {one.summary}" for one in verbs.values()]


def _family_text(verbs: Mapping[str, Listed]) -> str:
    word = next(iter(verbs)).partition(" ")[0]
    lines = [f"usage: {launcher()} {word} VERB ...", "", *_lines(verbs), ""]
    return "\n".join([*lines, f"{launcher()} {word} VERB --help explains one of them."])
