"""What the worktrees of a repository share: branches, settings, objects and the list of worktrees itself."""

from __future__ import annotations

from ultra_runtime.guard.rules.git_use import GitCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SUBCOMMANDS = {
    "worktree": ("list",), "remote": ("show", "get-url"), "reflog": ("show", "list", "exists"), "replace": ("-l", "--list"),
    "notes": ("list", "show"),
}  # fmt: skip
"""Verb -> how it only reads; without words it reads, too."""
FORCING = {
    "branch": ("-d", "-D", "-m", "-M", "-f", "-C", "--delete", "--move", "--force"),
    "tag": ("-d", "-f", "--delete", "--force"),
    "checkout": ("-B", "--ignore-other-worktrees"),
    "switch": ("-C", "--force-create", "--ignore-other-worktrees"),
}
"""Verb -> the options with which it takes what is there away from others."""
ALWAYS = ("update-ref", "prune", "pack-refs", "filter-branch")
READS_CONFIG = (
    "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool", "--list", "-l", "get", "list",
)  # fmt: skip
FETCHING = ("fetch", "pull")
NEW = ("init", "clone")
NAMES = (*SUBCOMMANDS, *FORCING, *ALWAYS, *FETCHING, "config", "symbolic-ref", "gc", "push")
"""Every verb that is looked at."""


def reaches_others(commands: Sequence[Sequence[str]]) -> str:
    """Return the git command that changes what worktrees share; nothing if there is none."""
    calls = [GitCall(words[0], list(words[1:])).resolved() for words in commands if _is_git(words[0])]
    fresh = any(verb in NEW for verb, _ in calls)  # settings may be those of a new repository
    for verb, args in calls:
        if _changes_shared(verb, args) and not (fresh and verb in ("config", "remote")):
            return f"git {verb}"
    return ""


def _is_git(word: str) -> bool:
    return word == "git" or word.startswith("git-")


def _changes_shared(verb: str, args: list[str]) -> bool:
    named = [word for word in args if not word.startswith("-")]
    if verb in SUBCOMMANDS:
        return bool(args) and args[0] not in SUBCOMMANDS[verb] and (bool(named) or verb == "replace")
    if verb in FORCING:
        return any(_is_option(word, FORCING[verb]) for word in args)
    if verb == "config":
        return _sets(args, named)
    if verb == "symbolic-ref":
        return len(named) > 1 or "-d" in args or "--delete" in args
    if verb == "gc":
        return any(word.startswith("--prune") for word in args)
    if verb in FETCHING:
        return any(":" in word for word in named[1:])
    if verb == "push":
        return named[:1] == ["."]
    return verb in ALWAYS


def _sets(args: list[str], named: list[str]) -> bool:
    """Tell whether `git config` changes the settings of the repository or of the user; a named file is neither."""
    options = [word.partition("=")[0] for word in args]
    if not args or any(word in (*READS_CONFIG, "-f", "--file", "--blob") for word in options):
        return False
    return len(named) != 1 or any(
        word.startswith(("--un", "--re", "--ed", "-e", "--add")) for word in options
    )


def _is_option(word: str, options: Sequence[str]) -> bool:
    """Tell whether a word is one of the options; a short one may be among others, as in -fd."""
    if word.startswith("--") or not word.startswith("-"):
        return word in options
    return any(len(option) == 2 and option[1] in word[1:] for option in options)
