"""The places that programs change, by what they say in options and operands, or plainly in code.

`TABLE` says of each program which options and operands name such a place.
"""

from __future__ import annotations

from ultra_runtime.guard.follow.follower import Ran
from ultra_runtime.guard.follow.kinds import language
from ultra_runtime.guard.follow.wrappers import PLAIN, SCANNED
from ultra_runtime.guard.follow.writes import TAR_VALUES, with_dashes
from ultra_runtime.guard.shell.calls import HELP as TELLS
from ultra_runtime.guard.shell.calls import options
from ultra_runtime.guard.shell.marks import HOME, base_name
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
_TAR = Working(TAR_VALUES, "file directory exclude", here=False)
_GIT_DIFFS = ("diff", "diff-files", "diff-index", "diff-tree", "log", "reflog", "show", "whatchanged")
TABLE: dict[str, Working] = {
    **dict.fromkeys(("bsdtar", "gtar", "tar"), _TAR),
    **dict.fromkeys(("bunzip2", "bzip2", "gunzip", "gzip", "unxz", "unzstd", "xz", "zstd"), _PACKER),
    **dict.fromkeys(("bun", "npm", "pnpm", "yarn"), _NODE),
    **dict.fromkeys(("gmake", "make"), _MAKE),
    **dict.fromkeys((f"git {verb}" for verb in _GIT_DIFFS), _output("", "output")),
    **dict.fromkeys(("dos2unix", "link", "mkfifo", "unix2dos"), _edits("m", "mode")),
    **dict.fromkeys(("file-rename", "prename", "rename"), _edits("e", "", reads="n nono no-act")),
    **{
        name: Working(*PLAIN[name][:2], "o output log-file", here=False)
        for name in ("gtime", "ltrace", "strace", "time", "valgrind")
    },
    "7z": Working("o", "", "o", operands=slice(2, None), reads="l t"),
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
    "esbuild": _output("", "outfile outdir"),
    "eslint": _edits("co", "config ext format", "fix"),
    "git apply": Working("pC", "directory", "directory", here=False),
    "git archive": _output("o", "output"),
    "git bundle": _edits(edits="create", operands=_SECOND),
    "git checkout-index": Working("", "prefix", "prefix", operands=_ALL, here=False),
    "git clean": _edits("e", "exclude", "f force", "n dry-run"),
    "git clone": _edits("bojcu", "branch origin depth jobs config reference", operands=_SECOND),
    "git format-patch": _output("o", "output-directory"),
    "git init": _edits("b", "initial-branch template", operands=_FIRST),
    "git interpret-trailers": _edits("", "trailer where if-exists if-missing", "in-place"),
    "git merge-file": _edits("L", "", reads="p stdout", operands=_FIRST),
    "git submodule": _edits("b", "branch name reference depth", "add", operands=slice(2, None)),
    "git worktree": _edits("bB", "reason", "add", operands=_SECOND),
    "go": Working("Co", "", "C o", reads="version env list doc"),
    "gofmt": _edits("r", "", "w"),
    "gradle": Working("pbcgIPD", "project-dir", "p project-dir", reads="tasks projects dependencies"),
    "isort": _edits("l", "profile", reads="c check check-only diff"),
    "ld": _output("o", "output"),
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
    "script": _edits("cEIOBTomt", "command", operands=_FIRST),
    "sd": _edits("fn", "flags", reads="p preview", operands=slice(2, None)),
    "shfmt": _edits("i", "", "w"),
    "shuf": Working("onire", "output head-count input-range random-source", "o output", here=False),
    "split": _edits("abCnlt", "bytes lines number", operands=_SECOND),
    "stylelint": _edits("", "config", "fix"),
    "uniq": _edits("fsw", "skip-fields skip-chars check-chars", operands=_SECOND),
    "unzip": Working("dxP", "", "d", operands=slice(1, None), reads="l t p v Z z"),
    "uv": Working("p", "directory project python", "directory project"),
    "wget": Working("OoaiPUetTwQBDAR", "directory-prefix", "P directory-prefix", here=False),
    "yapf": _edits("", "style", "i in-place"),
    "zip": _edits("nixtb", "", operands=_FIRST),
}


def places(ran: Ran) -> Iterator[str]:
    """Yield the places that a command changes, relative to where the text starts; most often its folder is one."""
    for path in _named(ran):
        yield path if path.startswith(("/", HOME)) or not ran.cwd else f"{ran.cwd}/{path}"


def _named(ran: Ran) -> Iterator[str]:
    """Yield the places as they are written; the folder where the command runs is `.`."""
    name, args = base_name(ran.args[0]), ran.args[1:]
    if args in TELLS:
        return
    tongue = language(name)
    if tongue:
        yield from _of_program(args, tongue, ran.stdin)
    if name in SCANNED and (not SCANNED[name] or args[:1] in ([word] for word in SCANNED[name])):
        at = next((at for at, word in enumerate(args) if word in TABLE), len(args))
        behind = [word for word in args[at:] if word != "--"]
        yield from _named(Ran(behind, ran.cwd, ran.stdin)) if behind else ()
    folder = ""
    if name == "git" or name.startswith("git-"):
        from ultra_runtime.guard.rules.git_use import GitCall

        call = GitCall(name, args)
        verb, args = call.resolved()
        # the folders of --git-dir are not those to which paths are relative
        if not any(word.startswith(("--git-dir", "--work-tree")) for word in ran.args):
            folder = "".join(f"{one}/" for one in call.directories)
        name = f"git {verb}"
    row = TABLE.get(name) or TABLE.get(name.rstrip("0123456789."))
    if row is _TAR:
        yield from _of_tar(args)
    elif row is not None:
        for path in _of(row, args, name in PLAIN):
            yield path if path.startswith(("/", HOME)) else folder + path


def _of(row: Working, args: list[str], is_wrapper: bool = False) -> list[str]:
    found = options(args, row.short, row.long, is_wrapper)
    said = {*found.flags, *(name for name, _ in found.values), *found.operands[:1]}
    if said.intersection(row.reads.split()) or (row.edits and not said.intersection(row.edits.split())):
        return []
    named = [value for name, value in found.values if name in row.where.split()]
    return [*(named or ["."] * row.here), *found.operands[row.operands]]


def _of_tar(args: list[str]) -> list[str]:
    """Return where tar unpacks to, with the members that are named, or the archive that it writes."""
    found = options(with_dashes(args), _TAR.short, _TAR.long)
    if found.has("x", "extract", "get"):
        folders = [value for name, value in found.values if name in ("C", "directory")] or ["."]
        return [*folders, *(f"{folders[-1]}/{member}" for member in found.operands)]
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
