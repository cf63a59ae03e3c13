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

# Filters that print other words than they read, which a shell behind them may run.
REWRITERS = frozenset(("rev", "tr"))

# Verbs of git that change files which they name; `rm` and `mv` are names of writers anyway.
GIT_WRITERS = frozenset(("checkout", "config", "restore"))

# Events that a rule can check: how many arguments its function gets.
EVENTS = {
    "assign": 2, "write": 1, "code_fork": 0, "code_kill": 0, "code_mode": 0, "code_remove": 0, "decoded_text": 0,
    "fetched_text": 0, "fork_bomb": 0,
}  # fmt: skip


def by_name(**functions: str) -> dict[str, str]:
    """Return name -> function, given the names of the commands that each function follows."""
    return {name: function for function, names in functions.items() for name in names.split()}


# Variables of this name in capitals hold a program of the name: $SED is sed, whatever its options.
TOOLS = frozenset(
    (
        "ar", "awk", "bison", "cargo", "cc", "cmake", "curl", "cxx", "diff", "egrep", "flex", "gcc", "gawk", "grep", "jq",
        "ld", "make", "nm", "npm", "objdump", "pkg_config", "python", "python3", "ranlib", "rsync", "sed", "sort", "strip",
        "tar",
    )
)  # fmt: skip
# Functions of builtin.py; they change what later commands see.
BUILTINS = by_name(
    alias="alias",
    cd="cd chdir popd pushd",
    declare="declare export local readonly typeset",
    evaluate="eval",
    getopts="getopts",
    let="let",
    mapfile="mapfile readarray",
    printf="printf",
    read="read",
    remember="hash",
    set_arguments="set",
    shift="shift",
    source=". source",
    trap="trap",
    unset="unset",
)
# Functions of launch.py; they run other commands.
LAUNCHERS = by_name(
    cmd="cmd",
    editor="ex nvim vi vim",
    expression="iex invoke-expression Invoke-Expression",
    fd="fd fdfind",
    find="find gfind",
    parallel="parallel rush sem",
    script="script",
    ssh="ssh",
    su="runuser su",
    tmux="tmux",
    watch="watch",
    xargs="gxargs xargs",
)
# Functions of hosts.py; what else these run is in their options, their input or a file.
HOSTS = by_name(
    commands="dc ed gdb lldb mysql mariadb psql sqlite3",
    emacs="emacs",
    expect="expect",
    m4="m4",
    make="gmake make",
    npm="bun npm pnpm yarn",
    sed="gsed sed",
    socat="socat",
    split="gsplit split",
    ssh="scp sftp",
    tar="bsdtar gtar tar",
)
# Variables whose text a command runs when it starts.
_PAGERS, _EDITORS = ("PAGER",), ("VISUAL", "EDITOR")
STARTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("aws", "bat", "gh", "journalctl", "mysql", "psql", "systemctl"), _PAGERS),
    **dict.fromkeys(("crontab", "fc", "kubectl", "sudoedit", "vipw", "visudo"), (*_EDITORS, "KUBE_EDITOR")),
    "git": (
        "GIT_PAGER", "PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", *_EDITORS, "GIT_SSH_COMMAND", "GIT_SSH",
        "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_PROXY_COMMAND",
    ),
    "less": ("LESSOPEN", "LESSCLOSE", *_EDITORS),
    "man": ("MANPAGER", "PAGER"),
    "rsync": ("RSYNC_RSH",),
    "cargo": ("RUSTC_WRAPPER", "RUSTC"),
}  # fmt: skip
# Functions of writes.py; plain writers.
WRITERS = by_name(
    by_option="c++ cc clang clang++ cpio dot g++ gcc gpg gpg2 iconv openssl pandoc patch rustc sort tcpdump unzip"
    " xmllint xsltproc yq",
    copy="cp gcp ginstall gln install ln rsync scp",
    dd="dc3dd dcfldd dd gdd",
    files="touch truncate",
    image="bmaptool ddrescue qemu-img",
    in_place="awk ex gawk perl ruby",
    move="gmv mv",
    save="aria2c curl fetch http https wget",
    sed="gsed sed",
    split="csplit gsplit split",
    tee="sponge tee",
    unpack="bsdtar gtar tar",
)
# Functions of writes.py; what removes files or changes their mode.
CHANGERS = by_name(
    changed="chattr chgrp chmod chown gchmod gchown setfacl", removed="grm gshred rm rmdir shred srm unlink"
)
# Functions of outputs.py; the output of these is known.
PRINTERS = by_name(
    awk="awk gawk mawk",
    cat="cat tac head tail sort uniq grep egrep fgrep rg nl pv strings fold less more dos2unix iconv expand"
    " unexpand column fmt sponge buffer mbuffer zcat gunzip gzip bat batcat",
    cut="cut",
    echo="echo print",
    find="find gfind",
    jq="gojq jq",
    last_component="basename",
    paste="paste",
    last_operand="readlink realpath type whereis which",
    printf="printf",
    pwd="pwd",  # noqa: S106
    rev="rev",
    sed="gsed sed",
    tee="tee",
    tr="tr",
)
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
ALIASES = by_name(awk="gawk mawk nawk original-awk", python="pythonw ipython")
MODULES = frozenset(("pip", "pip3", "pipx", "uv"))  # python -m runs them as commands
PROGRAM_FIRST = frozenset(("awk",))  # the first operand is the program, standard input is data
EXIT_FLAGS = frozenset(("h", "V", "help", "version"))


def language(name: str) -> str:
    """Return the language that a command of that name runs, or nothing."""
    bare = name.rstrip("0123456789.").lower()
    if bare in LANGUAGES:
        return bare
    return ALIASES.get(bare, "")
