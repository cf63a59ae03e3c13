"""A cheap first look: may any rule match this command at all?

It must never be wrong when it says no, and it may be wrong when it says yes: then the
command is read properly.  So it says no only to short and plain commands in which no
word, however it is quoted, is one that a rule looks for.
"""

from __future__ import annotations

LONGEST = 1000
MOST_WORDS = 32

_SUBSTITUTIONS = ("$(", "${", "$'", '$"', "`", "<(", ">(", "\0", "\\\\\n")
_QUOTES = {ord("'"): None, ord('"'): None, ord("\\"): None}
_BREAKS = dict.fromkeys(map(ord, ";&|()<>{}=:!@#%^~+,/\t\n\r"), " ")
_APART = {**_BREAKS, **dict.fromkeys(_QUOTES, " ")}

_WORDS = frozenset(
    (
        # shells, and what builds commands out of pieces
        "sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "pdksh", "lksh", "ash", "hush", "rbash", "rzsh", "yash",
        "posh", "fish", "csh", "tcsh", "elvish", "nu", "xonsh", "rsh", "oil", "osh", "sh.exe", "bash.exe", "pwsh",
        "powershell", "cmd", "eval", "iex", "xargs", "gxargs", "parallel", "rush", "sem", "printf", "function",
        "su", "runuser", "script", "sg", "flock", "vagrant", "chokidar", "nodemon",
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
_ATTACHED = frozenset(("env", "genv", "cargo", "npx"))  # -cTEXT hides the first word of the text
_REMOVERS = frozenset(("rm", "grm", "srm", "rd", "rmdir", "del", "erase", "ri"))
_MODES = frozenset(
    ("chmod", "gchmod", "install", "ginstall", "mkdir", "gmkdir", "mkfifo", "mknod", "rsync", "tar")
)
_SOURCES = frozenset(
    (
        "curl", "wget", "wget2", "fetch", "aria2c", "http", "https", "httpie", "xh", "curlie", "lynx", "w3m", "links",
        "elinks", "axel", "ftp", "tftp", "lftp", "grpcurl", "websocat", "wscat", "iwr", "irm", "gopher", "s3cmd",
        "lwp-request", "lwp-download", "dig", "drill", "nslookup",
        "aws", "gsutil", "rclone", "gh", "nc", "ncat", "netcat", "socat", "telnet", "base64", "gbase64", "base32", "basenc", "uudecode",
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
_MODULES = ("pip", "pip3", "pipx", "uv")  # python -mpip
_GIT = frozenset(("push", "reset", "bisect", "rebase", "submodule", "filter-branch", "git-push", "git-reset"))
_LANGUAGES = (
    "awk", "gawk", "mawk", "nawk", "original-awk", "bun", "deno", "julia", "lua", "node", "osascript", "perl", "php",
    "pypy", "python", "ipython", "rscript", "ruby", "tclsh", "ts-node", "tsx",
)  # fmt: skip
_IN_CODE = ("rm", "remove", "kill", "chmod", "fork", "exec", "eval", "system", "Function", "popen", "spawn")
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
    text = (command + " ").replace("\\\n", "").replace("/dev/null ", " ").replace(".exe", " ")
    quoted = "'" in command or '"' in command
    words: list[str] = []
    if quoted or "\\" in command:
        if _may_be_unclosed(command, quoted):
            return True
        words = text.translate(_APART).split()
        text = text.translate(_QUOTES)
    words += text.translate(_BREAKS).split()
    if len(words) > MOST_WORDS * (2 if quoted else 1):
        return True
    return _dynamic(text, words, quoted) or _named(text, frozenset(words), "\\" in command)


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


def _dynamic(text: str, words: list[str], quoted: bool) -> bool:
    """Tell whether words may be made that are not written: by braces, variables, globs, functions."""
    if "{" in text and ("," in text or ".." in text):
        return True
    if "(" in text and "()" in text.replace(" ", "").replace("\t", ""):
        return True
    variable = "$" in text
    if not variable and "*" not in text and "?" not in text and "[" not in text:
        return False
    if "=" in text or "+" in text or "777" in text or _tells(text, quoted):
        return True
    if variable and ("SHELL" in text or "BASH" in text or not _SETTERS.isdisjoint(words)):
        return True
    return any(_is_made(word) for word in words)


def _tells(text: str, quoted: bool) -> bool:
    """Tell whether the options could be those of rm, kill or git, whatever the name in front of them."""
    if "-" not in text:
        return False
    options = text if quoted else "".join(word for word in text.split() if word[0] == "-")
    return ("r" in options.lower() and "f" in options) or "-1" in options or "-ha" in options


def _is_made(word: str) -> bool:
    """Tell whether a word could become the name of a command by a variable or a glob in it."""
    at = word.find("$")
    if at > 0 or (at == 0 and not (word[1:2].isalpha() or word[1:2] == "_")):
        return True
    at = min((word.find(char) for char in "*?[" if char in word), default=0)
    return at > 0 and "." not in word[at:]  # no command that a rule looks for has a dot in its name


def _named(text: str, words: frozenset[str], escaped: bool) -> bool:
    """Tell whether a word is there that a rule looks for, and what that rule needs besides."""
    if not _WORDS.isdisjoint(words):
        return True
    lower = text.lower()
    for part in _TEXTS:
        if part in lower:
            return True
    if "dev" in words or "proc" in words:
        return True
    dashed = any(word[0] == "-" for word in words)
    if not _REMOVERS.isdisjoint(words) and (dashed or ("s" in words and "q" in words)):
        return True
    if ("kill" in words and dashed) or ("init" in words and ("0" in words or "6" in words)):
        return True
    if not _ATTACHED.isdisjoint(words) and any(
        word[0] == "-" != word[1:2] and len(word) > 2 for word in words
    ):
        return True
    if not _MODES.isdisjoint(words) and ("777" in text or "+" in text or "=" in text):
        return True
    if not _SOURCES.isdisjoint(words) and any(char in text for char in "|;&\n<>("):
        return True
    if not _GIT.isdisjoint(words) or ("git" in words and any(word[:2] == "-c" for word in words)):
        return True
    bare = {word.rstrip("0123456789.") for word in words}
    if not _ADDERS.isdisjoint(bare) or any(word[0] == "-" and word.endswith(_MODULES) for word in words):
        adding = any(word[:2] in ("-S", "-i") for word in words)
        if adding or not _ADDING.isdisjoint(words) or not _ADDING.isdisjoint(bare):
            return True
    if any(word.lower().startswith(_LANGUAGES) for word in words) or "R" in bare or "r" in bare:
        return escaped or any(part in text for part in _IN_CODE)
    return False
