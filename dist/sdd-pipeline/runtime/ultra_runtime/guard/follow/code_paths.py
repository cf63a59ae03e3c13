"""Find the paths that a program of another language plainly changes, by calls with literal arguments."""

from __future__ import annotations

from ultra_runtime.guard.follow.code import NAME, SIGN, STRING, arguments_at, opened, tokens_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    Tokens = list[tuple[int, str]]

# Functions by name, whatever they are called on -> which of their strings they change.
_FIRST, _LAST, _ALL = slice(0, 1), slice(-1, None), slice(None)
_FUNCTIONS: dict[str, slice] = {
    **dict.fromkeys(
        (
            "appendFile", "appendFileSync", "chmodSync", "createWriteStream", "file_put_contents", "makedirs", "mkdirSync",
            "rmSync", "rmdirSync", "rmtree", "truncateSync", "unlinkSync", "writeFile", "writeFileSync", "write_file",
        ),
        _FIRST,
    ),
    **dict.fromkeys(("copyFile", "copyFileSync", "copyfile", "copytree", "cpSync", "linkSync", "symlinkSync"), _LAST),
    "renameSync": _ALL,
}  # fmt: skip
# Functions whose names mean many things: only as functions of these.
_OWNERS = frozenset(("os", "shutil", "fs", "promises", "File", "FileUtils", "IO", "Deno", "Bun"))
_OWNED: dict[str, slice] = {
    **dict.fromkeys(
        (
            "binwrite", "chmod", "delete", "mkdir", "remove", "rm", "rm_f", "rm_r", "rmdir", "touch", "truncate", "unlink",
            "write",
        ),
        _FIRST,
    ),
    **dict.fromkeys(("copy", "copy2", "cp", "cp_r", "link", "symlink", "ln_s"), _LAST),
    **dict.fromkeys(("rename", "renames", "replace", "move", "mv"), _ALL),
}  # fmt: skip
_BARE = frozenset(("unlink", "rename", "rmdir", "mkdir"))
"""What perl and php call without an owner."""
# Methods of a path.
_METHODS = frozenset(
    (
        "write_text",
        "write_bytes",
        "unlink",
        "touch",
        "rename",
        "replace",
        "rmdir",
        "mkdir",
        "symlink_to",
        "chmod",
    )
)
_PATHS = frozenset(("Path", "PosixPath", "Pathname"))
_LONGEST = 32  # tokens of an expression that makes a path


def changed_paths(code: str, language: str) -> list[str]:
    """Return the paths that a program changes, relative to the folder that it goes to."""
    tokens = tokens_of(code, language)
    tokens = [one for one, after in zip(tokens, [*tokens[1:], (SIGN, "")]) if not _is_prefix(one, after)]
    values = _values(tokens)
    bare = {*(_BARE if language in ("perl", "php") else ()), *_imported(tokens)}
    found: list[str] = []
    folder = ""
    for at, (kind, name) in enumerate(tokens):
        if kind != NAME:
            continue
        owner = _owner(tokens, at)
        if name == "chdir" or (name == "cwd" and tokens[at + 1 : at + 2] in ([(SIGN, "=")], [(SIGN, ":")])):
            folder = "".join(text for _, text in tokens[at + 2 : at + 3]) + "/"
            found += [folder] if name == "cwd" else []
        elif name == "open":
            strings = _strings(tokens, at, values)
            made = _path_before(tokens, at, values) if owner else []
            found += [folder + text for text in opened([*made, *strings])]
        elif name in _FUNCTIONS:
            found += [folder + text for text in _strings(tokens, at, values)[_FUNCTIONS[name]]]
        elif name in _OWNED and (owner in _OWNERS or (name in bare and not owner)):
            found += [folder + text for text in _strings(tokens, at, values)[_OWNED[name]]]
        elif name in _METHODS and owner:
            found += [folder + text for text in _path_before(tokens, at, values)]
    return found


def _is_prefix(token: tuple[int, str], after: tuple[int, str]) -> bool:
    """Tell whether a name is the letters in front of a string of Python."""
    return token[0] == NAME and after[0] == STRING and not token[1].lower().strip("bfru")


def _owner(tokens: Tokens, at: int) -> str:
    """Return what the name at a place is a member of: a name, or the module of `require("fs")`."""
    if at < 2 or tokens[at - 1] != (SIGN, "."):
        return ""
    kind, text = tokens[at - 3] if tokens[at - 2] == (SIGN, ")") and at > 2 else tokens[at - 2]
    return text.removeprefix("node:").partition("/")[0] if kind == STRING else tokens[at - 2][1]


def _imported(tokens: Tokens) -> set[str]:
    """Return the names that may be functions of the owners: `from os import remove`, `{ rm } = require("fs")`."""
    if _OWNERS.isdisjoint(text for _, text in tokens):
        return set()
    before = ((NAME, "import"), (SIGN, ","), (SIGN, "{"))
    return {
        text
        for last, (kind, text), after in zip(tokens, tokens[1:], [*tokens[2:], (SIGN, ";")])
        if kind == NAME and last in before and after not in ((SIGN, "("), (SIGN, ":"))
    }


def _values(tokens: Tokens) -> dict[str, str]:
    """Return the names whose value is a string, or a path made of one."""
    found: dict[str, str] = {}
    for at, (kind, text) in enumerate(tokens):
        if kind != STRING:
            continue
        before = at - 1
        if tokens[max(before - 1, 0) : at] and before > 0 and tokens[before] == (SIGN, "("):
            before -= 1 if tokens[before - 1][1] in _PATHS else 0
            while before > 1 and tokens[before][0] == NAME and tokens[before - 1] == (SIGN, "."):
                before -= 2
            before -= 1
        if before > 0 and tokens[before] == (SIGN, "=") and tokens[before - 1][0] == NAME:
            found[tokens[before - 1][1]] = text
    return found


def _strings(tokens: Tokens, at: int, values: dict[str, str]) -> list[str]:
    """Return the strings that are given to the name at a place."""
    given = arguments_at(tokens, at)
    return [
        values.get(text, "") if kind == NAME else text
        for kind, text in given
        if kind == STRING or text in values
    ]


def _path_before(tokens: Tokens, at: int, values: dict[str, str]) -> list[str]:
    """Return the path whose method is called: `Path("x").unlink()`, `(Path("a") / "x").unlink()`, or that of a name."""
    kind, text = tokens[at - 2]
    if kind == NAME:
        return [values[text]] if text in values else []
    first, level = at - 2, 0
    while text == ")" and first >= max(0, at - _LONGEST):
        level += (tokens[first] == (SIGN, ")")) - (tokens[first] == (SIGN, "("))
        if not level:
            break
        first -= 1
    made = tokens[max(first - 1, 0) : at - 2]
    if level or _PATHS.isdisjoint(text for _, text in made):
        return []
    return ["/".join(values.get(text, text) for kind, text in made if kind == STRING or text in values)]
