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
            "appendFile", "appendFileSync", "createWriteStream", "file_put_contents", "rmSync", "rmtree", "unlinkSync",
            "writeFile", "writeFileSync", "write_file", "makedirs", "mkdirSync",
        ),
        _FIRST,
    ),
    **dict.fromkeys(("copyFile", "copyFileSync", "copyfile", "copytree", "cpSync", "symlinkSync"), _LAST),
    "renameSync": _ALL,
}  # fmt: skip
# Functions whose names mean many things: only as functions of these.
_OWNERS = frozenset(("os", "shutil", "fs", "promises", "File", "FileUtils", "IO", "Deno", "Bun"))
_OWNED: dict[str, slice] = {
    **dict.fromkeys(("remove", "unlink", "rm", "rmdir", "mkdir", "delete", "write", "binwrite", "truncate", "touch"), _FIRST),
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


def changed_paths(code: str, language: str) -> list[str]:
    """Return the paths that a program changes, relative to the folder that it goes to."""
    tokens = tokens_of(code, language)
    values = _values(tokens)
    found: list[str] = []
    folder = ""
    for at, (kind, name) in enumerate(tokens):
        if kind != NAME:
            continue
        strings = _strings(tokens, at, values)
        owner = tokens[at - 2][1] if tokens[max(at - 1, 0) : at] == [(SIGN, ".")] and at > 1 else ""
        if name == "chdir" or (name == "cwd" and tokens[at + 1 : at + 2] in ([(SIGN, "=")], [(SIGN, ":")])):
            folder = "".join(text for _, text in tokens[at + 2 : at + 3]) + "/"
            found += [folder] if name == "cwd" else []
        elif name == "open":
            found += [folder + text for text in opened(strings)]
        elif name in _FUNCTIONS:
            found += [folder + text for text in strings[_FUNCTIONS[name]]]
        elif name in _OWNED and (owner in _OWNERS or (name in _BARE and language in ("perl", "php"))):
            found += [folder + text for text in strings[_OWNED[name]]]
        elif name in _METHODS and owner:
            found += [folder + text for text in _path_before(tokens, at, values)]
    return found


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
    """Return the path whose method is called: `Path("x").unlink()`, or that of a name."""
    kind, text = tokens[at - 2]
    if kind == NAME:
        return [values[text]] if text in values else []
    if text == ")" and at > 4 and tokens[at - 3][0] == STRING and tokens[at - 5][1] in _PATHS:
        return [tokens[at - 3][1]]
    return []
