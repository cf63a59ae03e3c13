"""Match a call with the rules that packs and people list as text: `git push --delete`, `psql 'drop table'`."""

from __future__ import annotations

from ultra_runtime.guard.shell.marks import HOME, base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.policy import Policy
    from ultra_runtime.guard.shell.calls import Call

ANY = "..."
MAX_INPUT = 64 * 1024


def split_call(text: str) -> list[str]:
    """Split the text of a call into words; what is in quotes is one word that begins with a blank."""
    words: list[str] = []
    for at, part in enumerate(text.replace('"', "'").split("'")):
        words += [" " + part] if at % 2 else part.split()
    return words


def rules_for(call: Call, policy: Policy) -> list[str]:
    """Return the listed rules that a call matches."""
    listed = policy.listed.get(call.name, ())
    args = _plain(call) if listed else []
    return [
        rule for rule, words, unless in listed if _matches(call, args, words) and not _given(args, unless)
    ]


def _plain(call: Call) -> list[str]:
    """Return the arguments as the rules spell them; for git, only those from the subcommand on."""
    args = [arg.replace(HOME, "~") for arg in call.args]
    if call.name == "git":
        from ultra_runtime.guard.rules.git_use import GitCall

        verb, rest = GitCall("git", args).resolved()
        return [verb, *rest]
    return args


def _given(args: list[str], words: tuple[str, ...]) -> bool:
    return any(
        _option(args, word) if word[0] == "-" else any(_fits(arg, word) for arg in args) for word in words
    )


def _matches(call: Call, args: list[str], words: list[str]) -> bool:
    """Tell whether the words of a listed call are in the arguments of a call."""
    wanted = []
    for word in words:
        if word[0] == " ":
            if not _says(call, args, word[1:]):
                return False
        elif word == "--" or word[0] == "-":
            if not _option(args, word):
                return False
        else:
            wanted.append(word)
    return _in_order(args, wanted)


def _in_order(args: list[str], wanted: list[str]) -> bool:
    """Tell whether operands follow each other as listed; what follows an option may be its value."""
    at, skips, valued = 0, False, False
    for arg in args:
        while at < len(wanted) and wanted[at] == ANY:
            at, skips = at + 1, True
        if at == len(wanted):
            return True
        if arg[:1] == "-" and len(arg) > 1:
            valued = "=" not in arg and arg != "--"
        elif _fits(arg, wanted[at]):
            at, skips, valued = at + 1, False, False
        elif not skips and not valued:
            return False
        else:
            valued = False
    return at == len(wanted) or wanted[at:] == [ANY]


def _option(args: list[str], option: str) -> bool:
    """Tell whether an option is given: by its name, as letters that are joined, or with a value."""
    before = args[: args.index("--")] if "--" in args and option != "--" else args
    if option[:2] == "--" or option[-1] == "*":
        return any(_fits(arg, option) or arg.partition("=")[0] == option for arg in before)
    if option in before:
        return True
    letters = {letter for arg in before if arg[:1] == "-" != arg[1:2] for letter in arg[1:]}
    return len(option) == 2 and option[1] in letters


def _fits(arg: str, word: str) -> bool:
    """Compare an operand, or the last component of a path, with a word that may have a star."""
    head, star, tail = word.casefold().partition("*")
    for text in (arg.casefold(), base_name(arg).casefold()):
        if (
            text == head
            if not star
            else len(text) >= len(head + tail) and text.startswith(head) and text.endswith(tail)
        ):
            return True
    return False


def _says(call: Call, args: list[str], phrase: str) -> bool:
    """Tell whether an argument or the input contains words, ignoring case and the number of blanks."""
    words = " ".join(phrase.casefold().split()) + (" " if phrase[-1:] == " " else "")
    return any(words in " ".join(text.casefold().split()) for text in (*args, call.stdin[:MAX_INPUT]))
