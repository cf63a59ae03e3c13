"""Find the files that a command writes: redirections, and the targets of plain writers."""

from __future__ import annotations

from ultra_runtime.guard.follow.kinds import CHANGERS, LANGUAGES, WRITERS, language
from ultra_runtime.guard.shell.calls import MODE, REMOVE, Call, Write, is_assignment, options
from ultra_runtime.guard.shell.marks import base_name


def tee(call: Call) -> list[Write]:
    found = options(call.args)
    how = "append" if found.has("a", "append") else "truncate"
    return [Write(path, how, call.name) for path in found.operands if path != "-"]


# GNU accepts every beginning of a long name that no other option has.
_INTO = tuple("target-directory"[:end] for end in range(1, 17))


def copy(call: Call) -> list[Write]:
    """Find the target of cp, mv, install and ln: the last operand, or that of -t."""
    short = {"cp": "tS", "mv": "tS", "ln": "tS", "rsync": "eBTf", "scp": "cFiJloPS"}.get(call.name, "tSmog")
    found = options(
        call.args,
        short,
        f"{' '.join(_INTO)} suffix mode owner group sparse no-preserve strip-program rsh exclude include filter "
        "files-from chmod",
    )
    how = "link" if call.name == "ln" else "replace"
    directory = found.value("t", *_INTO) if call.name not in ("rsync", "scp") else None
    operands = found.operands
    if call.name == "install" and found.has("d", "directory"):
        return [Write(path, how, call.name) for path in operands]
    if directory is not None:
        return [Write(directory, how, call.name, tuple(map(_last, operands)))]
    if len(operands) == 1 and call.name == "ln":
        return [Write(_last(operands[0]), how, call.name)]
    if len(operands) < 2:
        return []
    target = operands[-1]
    if call.name in ("rsync", "scp") and ":" in target.split("/", 1)[0]:
        return []
    return [Write(target, how, call.name, tuple(map(_last, operands[:-1])))]


def move(call: Call) -> list[Write]:
    """Find the target of mv, and the files that it moves away."""
    found = options(call.args, "tS", f"{' '.join(_INTO)} suffix")
    into = found.value("t", *_INTO) is not None
    gone = found.operands if into else found.operands[:-1]
    return [*copy(call), *(Write(path, REMOVE, call.name) for path in gone)]


def removed(call: Call) -> list[Write]:
    """Find what rm and its like remove."""
    found = options(call.args, "ns", "iterations size")
    return [Write(path, REMOVE, call.name) for path in found.operands if not found.has("help", "version")]


_EXCEPTIONS = frozenset(("!", "-not", "-o", "-or", "-prune"))


def deleted(call: Call) -> list[Write]:
    """Find what find -delete removes: all in a folder, or what has a name, also in the hidden folders there."""
    args = call.args
    start = next((at for at, arg in enumerate(args) if arg[:1] in ("-", "(", "!")), len(args))
    names = [name for option, name in zip(args, args[1:]) if option in ("-name", "-iname")]
    if not _EXCEPTIONS.isdisjoint(args):
        names = []
    within = tuple(f"{folder}{name}" for name in names for folder in ("", ".*/", ".*/*/"))
    how = REMOVE if _takes_all(args[start:]) else MODE
    return [Write(path, how, call.name, within) for path in args[:start] or ["."]]


def _takes_all(args: list[str]) -> bool:
    """Tell whether no word of find chooses files, but for their kind: what is in a folder goes with all below it."""
    rest = iter(args)
    for arg in rest:
        if arg in ("-type", "-mindepth"):
            next(rest, "")
        elif arg not in ("-delete", "-depth", "-d", "-mount", "-xdev", "-print", "-print0"):
            return False
    return True


def changed(call: Call) -> list[Write]:
    """Find the files whose mode or owner changes; the mode counts as a file, which is harmless."""
    valued = "mxMX" if call.name == "setfacl" else ""
    found = options(call.args, valued, "")
    return [Write(path, MODE, call.name) for path in found.operands if not found.has("help", "version")]


def _last(path: str) -> str:
    return base_name(path.rstrip("/"))


def sed(call: Call) -> list[Write]:
    """Find the files that sed -i edits."""
    found = options(call.args, "efl", "expression file line-length")
    in_place = any(
        arg.startswith("--in-place") or (arg[:1] == "-" and arg[:2] != "--" and _edits(arg))
        for arg in call.args
    )
    if not in_place:
        return []
    operands = found.operands
    if found.value("e", "expression", "f", "file") is None:
        operands = operands[1:]
    return [Write(path, "replace", "sed") for path in operands if path]


def _edits(cluster: str, valued: str = "efl") -> bool:
    """Tell whether the letters of `-ni` contain the i of sed before a letter that takes a value."""
    for letter in cluster[1:]:
        if letter == "i":
            return True
        if letter in valued:
            return False
    return False


def in_place(call: Call) -> list[Write]:
    """Find the files that ex edits, and interpreters in place: `perl -pi`, `gawk -i inplace`."""
    if call.name == "ex":
        return [Write(path, "replace", call.name) for path in options(call.args, "cpTu", "cmd").operands]
    from ultra_runtime.guard.follow.interpret import program_of

    tongue = language(call.name)
    letters, _, valued, _ = LANGUAGES[tongue]
    codes, operands, _, leaves = program_of(call.args, tongue)
    if tongue == "awk":
        is_edited, has_program = "inplace" in call.args, not any(arg[:2] == "-f" for arg in call.args)
    else:
        own = call.args[: call.args.index(operands[0])] if operands else call.args
        clusters = [arg for arg in own if arg[:1] == "-" and arg[:2] != "--"]
        is_edited, has_program = any(_edits(arg, letters + valued) for arg in clusters), not codes
    files = operands[has_program:] if is_edited and not leaves else []
    return [Write(path, "replace", call.name) for path in files]


# Options that name a file to write: letters with a value, long names with a value, which of both write.
_COMPILER = ("oILDUWlfmxgOBTzX", "", ("o",))
_GPG = ("oruNk", "output recipient local-user homedir", ("o", "output"))
_BY_OPTION: dict[str, tuple[str, str, tuple[str, ...]]] = {
    **dict.fromkeys(("c++", "cc", "clang", "clang++", "g++", "gcc"), _COMPILER),
    "cpio": ("OFIDE", "file directory", ("O", "D", "directory")),
    "dot": ("oTKGNEAlsn", "", ("o",)),
    "gpg": _GPG,
    "gpg2": _GPG,
    "iconv": ("oft", "output from-code to-code", ("o", "output")),
    "pandoc": ("otfrwHBAcVM", "output to from", ("o", "output")),
    "patch": ("oipdrBDFYzV", "output input reject-file", ("o", "output")),
    "rustc": ("oLlCWADFO", "out-dir crate-type edition emit", ("o", "out-dir")),
    "sort": ("oktST", "output key field-separator buffer-size temporary-directory", ("o", "output")),
    "tcpdump": ("wicrsCWGFTyzEmMj", "", ("w",)),
    "unzip": ("dxP", "", ("d",)),
    "xmllint": ("o", "output schema xpath dtdvalid", ("o", "output")),
    "xsltproc": ("o", "output", ("o", "output")),
}


def by_option(call: Call) -> list[Write]:
    """Find the files that an option names: `sort -o FILE`, `openssl -out FILE`, `yq -i FILE`."""
    if call.name == "yq":
        edits = any(arg[:2] == "-i" or arg.startswith("--inplace") for arg in call.args)
        last = options(call.args, "e", "").operands[-1:]
        return [Write(path, "replace", call.name) for path in last if edits]
    if call.name == "openssl":
        found = [path for option, path in zip(call.args, call.args[1:]) if option in ("-out", "-keyout")]
    else:
        short, long, names = _BY_OPTION[call.name]
        found = [value for name, value in options(call.args, short, long).values if name in names]
    return [Write(path, "truncate", call.name) for path in found if path != "-"]


TAR_VALUES = "ICfbFKLNTVX"
"""The letters of tar that take a value."""


def unpack(call: Call) -> list[Write]:
    """Find the folder into which tar unpacks, if an option names it."""
    found = options(with_dashes(call.args), TAR_VALUES, "file directory")
    if not found.has("x", "extract", "get"):
        return []
    return [Write(path, "replace", call.name) for name, path in found.values if name in ("C", "directory")]


def with_dashes(args: list[str]) -> list[str]:
    """Return the arguments of tar with its first word, letters whose values follow in turn, as options."""
    if not args or args[0].startswith("-"):
        return args
    rest, found = args[1:], list[str]()
    for letter in args[0]:
        found.append(f"-{letter}")
        if letter in TAR_VALUES:
            found += rest[:1]
            rest = rest[1:]
    return found + rest


SPLIT_VALUES = (
    "abClnt",
    "suffix-length bytes line-bytes lines number separator filter additional-suffix prefix digits",
)


def split(call: Call) -> list[Write]:
    """Find the first files that split and csplit write; the names of the others begin like theirs."""
    if call.name == "csplit":
        prefix = options(call.args, "bfn", SPLIT_VALUES[1]).value("f", "prefix") or "xx"
        return [Write(prefix + end, "truncate", call.name) for end in ("00", "01")]
    found = options(call.args, *SPLIT_VALUES)
    prefix = found.operands[1] if len(found.operands) > 1 else "x"
    ends = ("aa", "ab") if found.value("filter") is None else ()
    return [Write(prefix + end, "truncate", call.name) for end in ends]


def dd(call: Call) -> list[Write]:
    return [Write(arg[3:], "truncate", "dd") for arg in call.args if arg.startswith("of=")]


def files(call: Call) -> list[Write]:
    """Find the operands of touch and truncate."""
    found = options(call.args, "rs" if call.name == "truncate" else "rdt", "reference size date time")
    how = "truncate" if call.name == "truncate" else "append"
    return [Write(path, how, call.name) for path in found.operands]


def image(call: Call) -> list[Write]:
    """Find the target of tools that write an image to a disk."""
    operands = [arg for arg in options(call.args).operands if not is_assignment(arg)]
    return [Write(operands[-1], "truncate", call.name)] if len(operands) > 1 else []


_TO_FILE = {
    "curl": ("oHdAubeFTXxUmwEKCcDQrtyYz", "output output-dir header data user-agent user request"),
    "wget": ("OoaiPUetTwQBDAR", "output-document output-file directory-prefix"),
    "aria2c": ("odx", "out dir"),
    "fetch": ("o", "output"),
    "http": ("o", "output"),
    "https": ("o", "output"),
}


def saved(call: Call) -> list[str]:
    """Return the files that a downloader or decoder saves to."""
    if call.name not in _TO_FILE:
        return []
    found = options(call.args, *_TO_FILE[call.name])
    names = ("O", "output-document") if call.name == "wget" else ("o", "output", "out")
    out = [value for name, value in found.values if name in names and value not in ("-", "/dev/stdout")]
    into = {"aria2c": ("d", "dir"), "curl": ("output-dir",)}.get(call.name, ())
    if not out and (call.name in ("wget", "aria2c") or found.has("O", "remote-name")):
        out = [base_name(operand.split("?", 1)[0]) for operand in found.operands if "/" in operand]
        into = ("P", "directory-prefix") if call.name == "wget" else into
    folder = found.value(*into)
    return [f"{folder}/{name}" if folder else name for name in out if name]


def save(call: Call) -> list[Write]:
    """Find the files that a downloader saves to."""
    return [Write(path, "truncate", call.name) for path in saved(call)]


def targets(call: Call) -> list[Write]:
    """Return what a command writes, removes or changes."""
    if call.name == "qemu-img" and call.args[:1] not in (["convert"], ["dd"]):
        return []
    function = WRITERS.get(call.name) or CHANGERS[call.name]
    found: list[Write] = globals()[function](call)
    return found
