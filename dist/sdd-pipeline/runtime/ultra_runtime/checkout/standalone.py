"""Give a working copy a repository of its own, as a clone has one.

A worktree shares settings, hooks, stash and all refs with the user's repository: a command could find there what no
commit has, or change what is the user's.
"""

from __future__ import annotations

import os
import re

from ultra_runtime.checkout.ready import git_failed, system_failed
from ultra_runtime.checkout.worktree import registered, remove_tree
from ultra_runtime.files.git import GitError, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ultra_runtime.files.git import Git

# Settings that say how to read the repository and its files, and where it comes from. A run is pinned to the filters.
KEPT = re.compile(
    r"core\.(repositoryformatversion|filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|safecrlf|longpaths)"
    r"|extensions\.(objectformat|partialclone|noop)|(filter|lfs|remote|user|submodule)\..*",
    re.DOTALL,
)
CLONED = ("refs/heads", "refs/tags", "refs/remotes")
ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"})
INDEX, SHALLOW = "index", "shallow"


def stand_alone(git: Git, commit: str, folder: str) -> None:
    """Turn a worktree into a repository that borrows the objects of the user's, with branches and tags as a clone."""
    made = os.path.join(folder, ".git.made")
    (own,) = registered(git, folder)
    try:
        refs = git.ask("for-each-ref", "--format=%(objectname) %(refname)", *CLONED)
        settings = fields(git.ask("config", "--local", "--includes", "-z", "--list"))
        os.makedirs(os.path.join(made, "objects", "info"))
        os.mkdir(os.path.join(made, "refs"))
        _write(made, "HEAD", f"{commit}\n".encode())
        _write(made, "config", os.fsencode("".join(_lines(settings))))
        _write(made, "packed-refs", refs)
        borrowed = os.path.join(git.common, "objects").translate(ESCAPED)
        _write(made, os.path.join("objects", "info", "alternates"), os.fsencode(f'"{borrowed}"\n'))
        shared = os.path.join(git.common, SHALLOW)
        if os.path.isfile(shared):
            _copy(shared, os.path.join(made, SHALLOW))
        _copy(os.path.join(own, INDEX), os.path.join(made, INDEX))
        os.unlink(os.path.join(folder, ".git"))
        os.rename(made, os.path.join(folder, ".git"))
    except GitError as problem:
        raise git_failed("the repository of the checkout cannot be made", problem) from None
    except OSError as problem:
        raise system_failed("the repository of the checkout cannot be made", problem) from None
    remove_tree(own)


def _lines(settings: list[str]) -> Iterator[str]:
    """Yield the lines of a file of settings: those that are kept."""
    for row in settings:
        name, has_value, value = row.partition("\n")
        if not KEPT.fullmatch(name):
            continue
        section, _, rest = name.partition(".")
        part, _, key = rest.rpartition(".")
        quoted = part.translate({ord("\\"): "\\\\", ord('"'): '\\"'})
        yield f'[{section} "{quoted}"]\n' if part else f"[{section}]\n"
        yield f'\t{key} = "{value.translate(ESCAPED)}"\n' if has_value else f"\t{key}\n"


def _write(folder: str, name: str, data: bytes) -> None:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def _copy(source: str, target: str) -> None:
    """Copy a file with its times, which git compares with those of an index."""
    from shutil import copy2

    copy2(source, target)
