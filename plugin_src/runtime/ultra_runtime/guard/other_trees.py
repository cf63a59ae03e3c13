"""What a session must not change: the main tree and the other worktrees, by programs that say where they work.

Only places inside another working tree of the same repository count, so nothing else is refused here. `TABLE` says of
each program which options and operands name such a place.
"""

from __future__ import annotations

import os

from ultra_runtime.guard.follow.follower import Ran
from ultra_runtime.guard.follow.kinds import language
from ultra_runtime.guard.follow.wrappers import SCANNED
from ultra_runtime.guard.follow.writes import TAR_VALUES, with_dashes
from ultra_runtime.guard.realpath import inside, real_place
from ultra_runtime.guard.shell.calls import HELP as TELLS
from ultra_runtime.guard.shell.calls import options
from ultra_runtime.guard.shell.marks import HOME, base_name, known
from ultra_runtime.guard.site import shared_git_dir
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NONE, _ALL, _FIRST, _SECOND = slice(0, 0), slice(None), slice(0, 1), slice(1, 2)


class Working(Struct):
    """How a program says what it changes; words are separated by blanks."""

    short: str = ""
    """Letters of options with a value."""
    long: str = ""
    """Long names of options with a value."""
    where: str = ""
    """Which of both name a place that it changes."""
    operands: slice = _NONE
    """Which of its operands name one."""
    edits: str = ""
    """The options or first words of which it needs one to change anything."""
    reads: str = ""
    """The options or first words with which it changes nothing."""
    here: bool = True
    """Whether it works in the present folder when it names no other place."""


def _edits(
    short: str = "", long: str = "", edits: str = "", reads: str = "", operands: slice = _ALL
) -> Working:
    return Working(short, long, operands=operands, edits=edits, reads=reads, here=False)


def _output(short: str, long: str) -> Working:
    return Working(short, long, f"{' '.join(short)} {long}", here=False)


_PACKER = _edits("S", "suffix", reads="c stdout to-stdout l list t test")
_NODE = Working(
    "Cw", "prefix cwd dir workspace filter", "C prefix cwd dir", reads="ls list view info why outdated"
)
_MAKE = Working(
    "fCIjloW", "file makefile directory include-dir jobs", "C directory", reads="n dry-run q question"
)
_PIP = Working(
    "trce", "target root prefix requirement constraint editable", "t target root prefix", here=False
)
_TAR = Working(TAR_VALUES, "file directory", here=False)
TABLE: dict[str, Working] = {
    **dict.fromkeys(("bsdtar", "gtar", "tar"), _TAR),
    **dict.fromkeys(("bunzip2", "bzip2", "gunzip", "gzip", "unxz", "unzstd", "xz", "zstd"), _PACKER),
    **dict.fromkeys(("bun", "npm", "pnpm", "yarn"), _NODE),
    **dict.fromkeys(("gmake", "make"), _MAKE),
    "7z": Working("o", "", "o", reads="l t"),
    "autopep8": _edits("j", "", "i in-place"),
    "biome": _edits(edits="write apply", operands=slice(1, None)),
    "black": _edits("ltCW", "line-length target-version config", reads="check diff"),
    "cargo": Working(
        "CpFj", "manifest-path package features target-dir", "C manifest-path", reads="tree metadata search"
    ),
    "clang-format": _edits("", "style", "i"),
    "cmake": Working("SBGDPE", "build install", "B build", here=False),
    "composer": Working("d", "working-dir", "d working-dir", reads="show"),
    "curl": Working("oHdAubeFTXxUmwEKCcDQrtyYz", "output-dir", "output-dir", here=False),
    "eslint": _edits("co", "config ext format", "fix"),
    "git apply": Working("pC", "directory", "directory", here=False),
    "git archive": _output("o", "output"),
    "git bundle": _edits(edits="create", operands=_SECOND),
    "git checkout-index": _output("", "prefix"),
    "git clone": _edits("bojcu", "branch origin depth jobs config reference", operands=_SECOND),
    "git diff": _output("", "output"),
    "git format-patch": _output("o", "output-directory"),
    "git init": _edits("b", "initial-branch template", operands=_FIRST),
    "git log": _output("", "output"),
    "git show": _output("", "output"),
    "go": Working("C", "", "C", reads="version env list doc"),
    "gofmt": _edits("r", "", "w"),
    "gradle": Working("pbcgIPD", "project-dir", "p project-dir", reads="tasks projects dependencies"),
    "isort": _edits("l", "profile", reads="c check check-only diff"),
    "mkdir": _edits("m", "mode"),
    "mvn": Working("fpPDs", "file", "f file"),
    "ninja": Working("Cfjkl", "", "C", reads="n t"),
    "patch": Working("ipdrBDFYzV", "input directory", "d directory", operands=_FIRST, reads="dry-run"),
    "perl": _edits("eEImM", "", "i"),
    "pip": _PIP,
    "poetry": Working("CP", "directory project", "C directory P project", reads="show check"),
    "prettier": _edits("", "config parser", "w write"),
    "rubocop": _edits("c", "config", "a A autocorrect autocorrect-all"),
    "ruby": _edits("eIrCEFKTWx", "", "i"),
    "ruff": _edits("", "config select ignore", "format fix", "diff check-only", slice(1, None)),
    "rustfmt": _edits("", "config edition", reads="check"),
    "shfmt": _edits("i", "", "w"),
    "split": _edits("abCnlt", "bytes lines number", operands=_SECOND),
    "stylelint": _edits("", "config", "fix"),
    "unzip": Working("dxP", "", "d", reads="l t p v Z z"),
    "uv": Working("p", "directory project python", "directory project"),
    "wget": Working("OoaiPUetTwQBDAR", "directory-prefix", "P directory-prefix", here=False),
    "yapf": _edits("", "style", "i in-place"),
    "zip": _edits("nixtb", "", operands=_FIRST),
}


def places(ran: Ran) -> Iterator[str]:
    """Yield the places that a command changes, as they are written; the folder where it runs is `.`."""
    name, args = base_name(ran.args[0]), ran.args[1:]
    if args in TELLS:
        return
    tongue = language(name)
    if tongue:
        yield from _of_program(args, tongue, ran.stdin)
    if name in SCANNED and (not SCANNED[name] or args[:1] in ([word] for word in SCANNED[name])):
        at = next((at for at, word in enumerate(args) if word in TABLE), len(args))
        behind = [word for word in args[at:] if word != "--"]
        yield from places(Ran(behind, ran.cwd, ran.stdin)) if behind else ()
    if name == "git" or name.startswith("git-"):
        from ultra_runtime.guard.rules.git_use import GitCall

        verb, args = GitCall(name, args).resolved()
        name = f"git {verb}"
    row = TABLE.get(name) or TABLE.get(name.rstrip("0123456789."))
    if row is _TAR:
        yield from _of_tar(args)
    elif row is not None:
        yield from _of(row, args)


def _of(row: Working, args: list[str]) -> list[str]:
    found = options(args, row.short, row.long)
    said = {*found.flags, *(name for name, _ in found.values), *found.operands[:1]}
    if said.intersection(row.reads.split()) or (row.edits and not said.intersection(row.edits.split())):
        return []
    named = [value for name, value in found.values if name in row.where.split()]
    return [*(named or ["."] * row.here), *found.operands[row.operands]]


def _of_tar(args: list[str]) -> list[str]:
    """Return where tar unpacks to, or the archive that it writes."""
    found = options(with_dashes(args), _TAR.short, _TAR.long)
    if found.has("x", "extract", "get"):
        return [value for name, value in found.values if name in ("C", "directory")] or ["."]
    writes = found.has("c", "create", "r", "append", "u", "update", "A", "catenate", "concatenate")
    return [value for name, value in found.values if writes and name in ("f", "file") and value != "-"]


def _of_program(args: list[str], tongue: str, stdin: str) -> list[str]:
    """Return the paths that a program in the arguments or the input of an interpreter changes."""
    from ultra_runtime.guard.follow.code_paths import changed_paths
    from ultra_runtime.guard.follow.interpret import program_of

    codes, operands, module, leaves = program_of(args, tongue)
    if module or leaves:
        return _of(TABLE[module], operands) if module in TABLE else []
    if not codes and operands[:1] in ([], ["-"]):
        codes = [stdin]
    return [path for text in codes for path in changed_paths(text, tongue)]


def changed_elsewhere(commands: Iterable[Ran], root: str, cwd: str, home: str) -> Iterator[tuple[str, str]]:
    """Yield the programs that change another working tree of the repository of a root, with the place."""
    trees: list[str] = []
    for ran in commands:
        for path in places(ran):
            whole = path if path.startswith(("/", HOME)) or not ran.cwd else f"{ran.cwd}/{path}"
            if not known(whole):
                continue
            real = real_place(whole, cwd, home)
            if real is None or inside(real, root):
                continue
            trees = trees or other_trees(root)
            if any(inside(real, tree) for tree in trees):
                yield base_name(ran.args[0]), whole


def other_trees(root: str) -> list[str]:
    """Return the real paths of the other working trees of a repository."""
    common = os.path.realpath(shared_git_dir(root))
    found = [os.path.dirname(common)] if os.path.basename(common) == ".git" else []
    listed = os.path.join(common, "worktrees")
    for name in os.listdir(listed) if os.path.isdir(listed) else ():
        try:
            with open(
                os.path.join(listed, name, "gitdir"), encoding="utf-8", errors="surrogateescape"
            ) as file:
                found.append(os.path.realpath(os.path.dirname(file.read().strip())))
        except OSError:  # it is being removed
            continue
    return [tree for tree in found if tree != root]
