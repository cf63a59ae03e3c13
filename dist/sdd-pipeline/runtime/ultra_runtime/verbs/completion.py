"""Print completions of verbs, options and values for your shell: bash, zsh or fish.

Save them where the shell loads completions, or evaluate them in its start-up file.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.help_text import all_verbs
from ultra_runtime.rendered import launcher
from ultra_runtime.usage import Args, Usage
from ultra_runtime.words import listed, one_line

USAGE = "completion SHELL [--json]"
FOR_PEOPLE = "look"
READ_ONLY = True

# What a shell needs around the rows, and one row: the words before the cursor, as a pattern, and what may follow.
BASH = (
    """\
_%(name)s() {
    local words= before="${COMP_WORDS[*]:1:COMP_CWORD-1} "
    case "$before" in
%(rows)s
    esac
    COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _%(name)s %(name)s
""",
    "        %s) words=%s ;;",
    '"%s"%s',
)
ZSH = (
    """\
_%(name)s() {
    local words_before="${(j: :)words[2,CURRENT-1]} "
    local -a found
    case "$words_before" in
%(rows)s
    esac
    (( $#found )) && compadd -- $found || _files
}
compdef _%(name)s %(name)s
""",
    "        %s) found=(%s) ;;",
    '"%s"%s',
)
FISH = (
    """\
function __%(name)s_words
    set -l before (commandline -opc)
    set -e before[1]
    switch "$before "
%(rows)s
    end
end
complete -c %(name)s -a '(__%(name)s_words)'
""",
    "        case %s\n            printf '%%s\\n' %s",
    "'%s%s'",
)
SHELLS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def run(args: Args) -> Answer:
    """Answer with the script."""
    shell = args.need("SHELL")
    if shell not in SHELLS:
        raise args.usage.error(f"SHELL must be {listed(SHELLS, 'or')}, not {one_line(shell)}")
    frame, row, pattern = SHELLS[shell]
    rows = []
    for before, anything, words in _rows():
        joined = " ".join(words)
        shown = f'"{joined}"' if shell == "bash" else joined
        rows.append(row % (pattern % (before, _wild(anything, shell)), shown))
    script = frame % {"name": launcher(), "rows": "\n".join(rows)}
    return Answer({"ok": True, "script": script}, script)


def _wild(text: str, shell: str) -> str:
    """Return `*`, then a text that ends the words; outside quotes a shell takes the star for a pattern."""
    if not text:
        return ""
    return text if shell == "fish" else f'*"{text[1:]}"' if text[1:] else "*"


def _rows() -> list[tuple[str, str, list[str]]]:
    """Return what may follow: after nothing, after a family, after an option with choices, after a verb."""
    usages = [Usage(one.usage) for one in all_verbs().values()]
    rows = [(" ", "", sorted({usage.verb[0] for usage in usages} | {"help"}))]
    for first in sorted({usage.verb[0] for usage in usages if len(usage.verb) > 1}):
        seconds = sorted(usage.verb[1] for usage in usages if usage.verb[0] == first and len(usage.verb) > 1)
        alone = [usage for usage in usages if usage.verb == [first]]
        rows.append((f"{first} ", "", seconds + [name for usage in alone for name in usage.options]))
    for usage in sorted(usages, key=lambda one: -len(one.verb)):
        spelled = " ".join(usage.verb) + " "
        chosen = [option for option in usage.options.values() if option.choices]
        rows += [(spelled, f"*{option.name} ", option.choices) for option in chosen]
        rows.append((spelled, "*", [*usage.options, "--help"]))
    return rows
