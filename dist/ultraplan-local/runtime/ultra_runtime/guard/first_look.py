"""A cheap first look: may any rule match this command at all?

It must never be wrong when it says no, and it may be wrong when it says yes: then the
command is read properly.  So it says no only to short and plain commands in which no
word, however it is quoted, is one that a rule looks for.
"""

from __future__ import annotations

LONGEST = 1000
MOST_WORDS = 32

_SUBSTITUTIONS = ("$(", "${", "$'", '$"', "`", "<(", ">(", "\0")
_QUOTES = {ord("'"): None, ord('"'): None, ord("\\"): None}
_BREAKS = dict.fromkeys(map(ord, ";&|()<>{}[]=:!@#%^*?~+,/\t\n\r"), " ")
_GLUED = str.maketrans({**_BREAKS, **_QUOTES})
_APART = str.maketrans({**_BREAKS, **dict.fromkeys(_QUOTES, " ")})

_WORDS = frozenset(
    (
        # shells, and what builds commands out of pieces
        "sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "pdksh", "lksh", "ash", "hush", "rbash", "rzsh", "yash",
        "posh", "fish", "csh", "tcsh", "elvish", "nu", "xonsh", "rsh", "oil", "osh", "sh.exe", "bash.exe", "pwsh",
        "powershell", "cmd", "eval", "iex", "xargs", "gxargs", "parallel", "rush", "sem", "printf", "function",
        # power, processes, later
        "shutdown", "reboot", "halt", "poweroff", "pm-hibernate", "systemctl", "loginctl", "telinit", "dbus-send",
        "gdbus", "busctl", "kexec", "pkill", "killall", "killall5", "skill", "slay", "at", "batch", "systemd-run",
        "launchctl", "schtasks", "schtasks.exe",
        # disks
        "mkfs", "mke2fs", "mkswap", "mkntfs", "mkdosfs", "mkexfatfs", "mkreiserfs", "newfs", "diskutil", "nvme",
        "cryptsetup", "zpool", "hdparm", "asr", "vgremove", "pvremove", "lvremove", "diskpart",
    )
)  # fmt: skip
_TEXTS = (
    "hist", "cron", "sysrq", "mkfs", "newfs", "launch", "timer", "spool", "private", "invoke-", "-computer",
    "-volume", "clear-disk", "scheduledtask", "remove-item", "sudo_", "_sudo", "$sudo",
)  # fmt: skip
_REMOVERS = frozenset(("rm", "grm", "srm", "rd", "rmdir", "del", "erase", "ri"))
_MODES = frozenset(
    ("chmod", "gchmod", "install", "ginstall", "mkdir", "gmkdir", "mkfifo", "mknod", "rsync", "tar")
)
_SOURCES = frozenset(
    (
        "curl", "wget", "wget2", "fetch", "aria2c", "http", "https", "httpie", "xh", "curlie", "lynx", "w3m", "links",
        "elinks", "axel", "ftp", "tftp", "lftp", "grpcurl", "websocat", "wscat", "iwr", "irm", "gopher", "s3cmd",
        "youtube-dl", "nc", "ncat", "netcat", "socat", "telnet", "base64", "gbase64", "base32", "basenc", "uudecode",
        "base58", "ascii2uni", "xxd", "gpg", "openssl", "jq", "gojq", "jaq",
    )
)  # fmt: skip
_ADDERS = frozenset(
    (
        "npm", "pnpm", "yarn", "bun", "deno", "jsr", "bower", "volta", "pip", "pipx", "uv", "poetry", "pdm", "rye",
        "pixi", "pipenv", "conda", "mamba", "micromamba", "easy_install", "cargo", "go", "gem", "bundle", "bundler",
        "composer", "dotnet", "nuget", "dart", "flutter", "swift", "cabal", "stack", "opam", "luarocks", "cpan",
        "cpanm", "elm", "vcpkg", "apt", "apt-get", "aptitude", "dnf", "yum", "zypper", "apk", "pacman", "yay", "paru",
        "brew", "port", "snap", "flatpak", "nix-env", "nix", "choco", "winget", "scoop",
    )
)  # fmt: skip
_ADDING = frozenset(
    (
        "install", "i", "add", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall",
        "install-test", "it", "a", "inject", "get", "require", "add-dependency", "cpan", "cpanm", "easy_install",
        "-S", "-i", "--install", "-iA",
    )
)  # fmt: skip
_GIT = frozenset(("push", "reset", "bisect", "rebase", "submodule", "filter-branch", "git-push", "git-reset"))
_LANGUAGES = (
    "awk", "gawk", "mawk", "nawk", "original-awk", "bun", "deno", "julia", "lua", "node", "osascript", "perl", "php",
    "pypy", "python", "ipython", "rscript", "ruby", "tclsh", "ts-node", "tsx",
)  # fmt: skip
_IN_CODE = (
    "rm",
    "remove",
    "kill",
    "chmod",
    "fork",
    "exec",
    "eval",
    "system",
    "Function",
    "popen",
    "spawn",
    "\\",
)
_SETTERS = frozenset(
    (
        "read", "for", "set", "select", "mapfile", "readarray", "getopts", "declare", "typeset", "local", "export",
        "readonly", "unset", "shift", "let",
    )
)  # fmt: skip


def may_match(command: str) -> bool:
    """Tell whether a rule could match; no means that none can."""
    if len(command) > LONGEST:
        return True
    for text in _SUBSTITUTIONS:
        if text in command:
            return True
    if not command.isascii():
        return True
    plain = (command + " ").replace("\\\n", "").replace("/dev/null ", " ")
    words = plain.translate(_GLUED).split()
    quoted = "'" in command or '"' in command
    if quoted or "\\" in command:
        if _may_be_unclosed(command, quoted):
            return True
        words += plain.translate(_APART).split()
    if len(words) > MOST_WORDS * (2 if quoted else 1):
        return True
    return _dynamic(command, words) or _named(command, frozenset(words))


def _may_be_unclosed(command: str, quoted: bool) -> bool:
    """Tell whether a quote may be open at the end, or escapes be resolved by what prints them."""
    if "\\" in command and ("|" in command or ">" in command):
        return True
    if not quoted:
        return False
    if "#" in command or "<<" in command:
        return True
    at, end = 0, len(command)
    while at < end:
        char = command[at]
        if char == "\\":
            at += 2
            continue
        at += 1
        if char == "'":
            at = command.find("'", at) + 1
            if not at:
                return True
        elif char == '"':
            while at < end and command[at] != '"':
                at += 2 if command[at] == "\\" else 1
            if at >= end:
                return True
            at += 1
    return False


def _dynamic(command: str, words: list[str]) -> bool:
    """Tell whether words may be made that are not written: by braces, variables, globs, functions."""
    if "{" in command and ("," in command or ".." in command):
        return True
    if "(" in command and "()" in command.replace(" ", "").replace("\t", ""):
        return True
    variable = "$" in command
    if not variable and "*" not in command and "?" not in command and "[" not in command:
        return False
    if "=" in command or "+" in command or "777" in command or _tells(words):
        return True
    if variable:
        if not _SETTERS.isdisjoint(words):
            return True
        for word in words:
            at = word.find("$")
            if at > 0 or (at == 0 and not (word[1:2].isalpha() or word[1:2] == "_")):
                return True
    return any(_is_pattern(word) for word in command.split())


def _tells(words: list[str]) -> bool:
    """Tell whether the options could be those of rm, kill or git, whatever the name in front of them."""
    options = "".join(word for word in words if word[0] == "-")
    return ("r" in options.lower() and "f" in options) or "-1" in options or "-ha" in options


def _is_pattern(word: str) -> bool:
    """Tell whether a word with a glob could stand for the name of a command."""
    at = max(word.rfind("*"), word.rfind("?"), word.rfind("["))
    # no command that a rule looks for has a dot in its name
    return at > 0 and (word[at - 1].isalnum() or word[at - 1] in "'\"\\_-.") and "." not in word[at:]


def _named(command: str, words: frozenset[str]) -> bool:
    """Tell whether a word is there that a rule looks for, and what that rule needs besides."""
    if not _WORDS.isdisjoint(words):
        return True
    lower = command.lower()
    for text in _TEXTS:
        if text in lower:
            return True
    if "dev" in words or "proc" in words:
        return True
    dashed = any(word[0] == "-" for word in words)
    if not _REMOVERS.isdisjoint(words) and (dashed or ("s" in words and "q" in words)):
        return True
    if ("kill" in words and dashed) or ("init" in words and ("0" in words or "6" in words)):
        return True
    if not _MODES.isdisjoint(words) and ("777" in command or "+" in command or "=" in command):
        return True
    if not _SOURCES.isdisjoint(words) and any(char in command for char in "|;&\n<>("):
        return True
    if not _GIT.isdisjoint(words) or ("git" in words and any(word[:2] == "-c" for word in words)):
        return True
    bare = {word.rstrip("0123456789.") for word in words}
    if not _ADDERS.isdisjoint(bare) and (
        not _ADDING.isdisjoint(words) or any(w[:2] in ("-S", "-i") for w in words)
    ):
        return True
    if any(word.lower().startswith(_LANGUAGES) for word in words) or "R" in bare or "r" in bare:
        return any(text in command for text in _IN_CODE)
    return False
