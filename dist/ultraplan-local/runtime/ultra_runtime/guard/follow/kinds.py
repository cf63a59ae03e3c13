"""The kind of command that a name is, so that only the modules it needs are loaded."""

from __future__ import annotations

SHELLS = frozenset(
    (
        "sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "pdksh", "lksh", "ash", "hush", "rbash", "rzsh", "yash",
        "posh", "fish", "csh", "tcsh", "elvish", "nu", "xonsh", "rsh", "oil", "osh",
    )
)  # fmt: skip
POWERSHELLS = frozenset(("pwsh", "powershell"))

# Builtins and launchers that make words that are not in the text, so the first look cannot see them.
WORD_MAKERS = frozenset(
    ("cmd", "function", "gxargs", "iex", "invoke-expression", "parallel", "printf", "rush", "sem", "xargs")
)

# Events that a rule can check: how many arguments its function gets.
EVENTS = {
    "assign": 2,
    "code_fork": 0,
    "code_kill": 0,
    "code_mode": 0,
    "code_remove": 0,
    "decoded_text": 0,
    "fetched_text": 0,
    "fork_bomb": 0,
    "write": 1,
}

# name: function of builtin.py; they change what later commands see
BUILTINS = {
    ".": "source",
    "alias": "alias",
    "cd": "cd",
    "chdir": "cd",
    "declare": "declare",
    "eval": "evaluate",
    "export": "declare",
    "getopts": "getopts",
    "local": "declare",
    "mapfile": "mapfile",
    "popd": "cd",
    "printf": "printf",
    "pushd": "cd",
    "read": "read",
    "readarray": "mapfile",
    "readonly": "declare",
    "set": "set_arguments",
    "shift": "shift",
    "source": "source",
    "trap": "trap",
    "typeset": "declare",
    "unset": "unset",
}

# name: function of launch.py; they run other commands
LAUNCHERS = {
    "cmd": "cmd",
    "ex": "editor",
    "fd": "fd",
    "fdfind": "fd",
    "find": "find",
    "gfind": "find",
    "gxargs": "xargs",
    "iex": "expression",
    "invoke-expression": "expression",
    "Invoke-Expression": "expression",
    "nvim": "editor",
    "parallel": "parallel",
    "rush": "parallel",
    "runuser": "su",
    "script": "script",
    "sem": "parallel",
    "ssh": "ssh",
    "su": "su",
    "tmux": "tmux",
    "vi": "editor",
    "vim": "editor",
    "watch": "watch",
    "xargs": "xargs",
}

# name: function of writes.py; plain writers
WRITERS = {
    "aria2c": "save",
    "bmaptool": "image",
    "cp": "copy",
    "curl": "save",
    "dc3dd": "dd",
    "dcfldd": "dd",
    "dd": "dd",
    "ddrescue": "image",
    "fetch": "save",
    "gcp": "copy",
    "gdd": "dd",
    "ginstall": "copy",
    "gln": "copy",
    "gmv": "move",
    "gsed": "sed",
    "http": "save",
    "https": "save",
    "install": "copy",
    "ln": "copy",
    "mv": "move",
    "qemu-img": "image",
    "rsync": "copy",
    "scp": "copy",
    "sed": "sed",
    "sponge": "tee",
    "tee": "tee",
    "touch": "files",
    "truncate": "files",
    "wget": "save",
}

# name: function of writes.py; what removes files or changes their mode
CHANGERS = {
    "chattr": "changed",
    "chgrp": "changed",
    "chmod": "changed",
    "chown": "changed",
    "gchmod": "changed",
    "gchown": "changed",
    "grm": "removed",
    "gshred": "removed",
    "rm": "removed",
    "rmdir": "removed",
    "setfacl": "changed",
    "shred": "removed",
    "srm": "removed",
    "unlink": "removed",
}

# name: function of outputs.py; their output is known
PRINTERS = {
    "awk": "awk",
    "basename": "last_component",
    "echo": "echo",
    "find": "find",
    "gawk": "awk",
    "gfind": "find",
    "gsed": "sed",
    "mawk": "awk",
    "print": "echo",
    "printf": "printf",
    "pwd": "pwd",
    "readlink": "last_operand",
    "realpath": "last_operand",
    "rev": "rev",
    "sed": "sed",
    "tee": "tee",
    "tr": "tr",
    "type": "last_operand",
    "whereis": "last_operand",
    "which": "last_operand",
    **dict.fromkeys(
        (
            "cat", "tac", "head", "tail", "sort", "uniq", "grep", "egrep", "fgrep", "rg", "nl", "pv", "strings", "fold",
            "less", "more", "dos2unix", "iconv", "expand", "unexpand", "column", "fmt", "sponge", "buffer", "mbuffer",
            "zcat", "gunzip", "gzip", "bat", "batcat",
        ),
        "cat",
    ),
}  # fmt: skip
SILENT = frozenset(
    (
        ":", "true", "false", "cd", "pushd", "popd", "export", "set", "unset", "local", "declare", "typeset", "readonly",
        "shopt", "alias", "unalias", "test", "[", "sleep", "wait", "trap", "mkdir", "touch", "rm", "chmod", "chown",
        "mv", "cp", "ln", "read", "mapfile", "readarray", "kill", "exit", "return", "break", "continue", "shift", "umask",
    )
)  # fmt: skip
VERIFIERS = frozenset(
    ("sha256sum", "sha512sum", "sha1sum", "shasum", "md5sum", "b2sum", "gpg", "cosign", "minisign", "openssl")
)

# Interpreters by their name without a version: the letters and the long options that take a
# program, the letters and the long options that take another value.
LANGUAGES: dict[str, tuple[str, str, str, str]] = {
    "awk": ("", "", "fvFiEl", "file assign field-separator include load"),
    "bun": ("ep", "eval print", "r", "preload require cwd config"),
    "deno": ("", "", "", ""),
    "julia": ("eE", "eval print", "LHpt", "load project threads"),
    "lua": ("e", "", "l", ""),
    "luajit": ("e", "", "l", ""),
    "node": ("ep", "eval print", "rC", "require import loader conditions"),
    "nodejs": ("ep", "eval print", "rC", "require import loader conditions"),
    "osascript": ("e", "", "l", ""),
    "perl": ("eE", "", "ImM", ""),
    "php": ("rBRE", "run", "dczFfS", "define php-ini"),
    "pypy": ("c", "", "WXQm", ""),
    "python": ("c", "", "WXQm", ""),
    "r": ("e", "", "f", "file"),
    "rscript": ("e", "", "", ""),
    "ruby": ("e", "", "IrCEFKTWx", "encoding"),
    "tclsh": ("", "", "", ""),
    "ts-node": ("ep", "eval print", "rP", "require project"),
    "tsx": ("ep", "eval print", "r", "require import"),
}
ALIASES = {
    "gawk": "awk",
    "mawk": "awk",
    "nawk": "awk",
    "original-awk": "awk",
    "pythonw": "python",
    "ipython": "python",
}
MODULES = frozenset(("pip", "pip3", "pipx", "uv"))  # python -m runs them as commands
PROGRAM_FIRST = frozenset(("awk",))  # the first operand is the program, standard input is data
EXIT_FLAGS = frozenset(("h", "V", "help", "version"))


def language(name: str) -> str:
    """Return the language that a command of that name runs, or nothing."""
    bare = name.rstrip("0123456789.").lower()
    if bare in LANGUAGES:
        return bare
    return ALIASES.get(bare, "")
