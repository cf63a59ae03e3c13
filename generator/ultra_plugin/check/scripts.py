"""Check the programs that a plugin runs: those that hooks name and those in bin/."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from ultra_plugin.check.codes import quote, warning
from ultra_plugin.check.components import inner_path
from ultra_plugin.check.hooks import Hook, declared_hooks
from ultra_plugin.check.sources import shell_fault
from ultra_plugin.check.subject import Subject
from ultra_plugin.errors import Problem
from ultra_plugin.model import BundleFile

_ROOT = re.compile(r"\$(?:\{CLAUDE_PLUGIN_ROOT\}|CLAUDE_PLUGIN_ROOT\b)")
_FOLDERS = re.compile(
    r"\$(?:\{CLAUDE_(?:PLUGIN_ROOT|PLUGIN_DATA|PROJECT_DIR)\}|CLAUDE_(?:PLUGIN_ROOT|PLUGIN_DATA|PROJECT_DIR)\b)"
)
"""What the client fills in and asks to be quoted."""
_ABSOLUTE = re.compile(r"/(?!bin/|usr/bin/|usr/local/bin/|dev/null)|[A-Za-z]:[\\/]|~")
_OF_THE_PROJECT = re.compile(
    r"(?:\./)?(?:vendor/bin|node_modules/\.bin|\.?venv/bin|\.claude|bin/(?:rails|rake|rspec|console))\b"
    r"|\./(?:gradlew|mvnw|artisan|manage\.py)\b"
)
"""Tools that a hook means to find in the user's project."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&", "then", "do", "else", "{", "("})
_NATIVE = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa\xcf", b"MZ")
_INTERPRETERS = frozenset(
    {"bash", "sh", "zsh", "dash", "python", "python3", "node", "bun", "deno", "ruby", "perl", "php", "tsx"}
)
_NOT_PROGRAMS = (
    ".js", ".mjs", ".cjs", ".ts", ".py", ".md", ".txt", ".json", ".cmd", ".bat", ".ps1", ".exe", ".dll",
)  # fmt: skip


def check_scripts(subject: Subject) -> Iterator[Problem]:
    """Find programs that are missing or cannot run."""
    for hook in declared_hooks(subject):
        command = hook.handler.get("command")
        if hook.handler.get("type") != "command" or not isinstance(command, str):
            continue
        args = hook.handler.get("args")
        if isinstance(args, list):
            yield from _program(subject, hook, command, hook.line_of("command"))
            is_interpreter = command.rpartition("/")[2] in _INTERPRETERS
            for index, arg in enumerate(args):
                if isinstance(arg, str):
                    is_script = is_interpreter and index == 0
                    yield from _argument(subject, hook, arg, hook.line_of("args", index), is_script)
        elif hook.handler.get("shell") != "powershell":
            yield from _shell(subject, hook, command)
    for file in subject.files.values():
        if file.path.startswith("bin/") and file.path.count("/") == 1:
            yield from _bin(file)


def _program(subject: Subject, hook: Hook, word: str, line: int) -> Iterator[Problem]:
    """Check the program of a command."""
    if _ROOT.match(word):
        yield from _argument(subject, hook, word, line)
        file = subject.files.get(inner_path(_below_root(word)))
        if file is not None and not file.symlink and not word.lower().endswith((".cmd", ".bat", ".ps1")):
            for code, message in _run_faults(file):
                yield warning(hook.path, line, code, f"{quote(file.path)} {message}")
    elif _ABSOLUTE.match(word):
        yield warning(hook.path, line, "absolute-path", f"{quote(word)} exists on one machine only")
    elif "/" in word and not word.startswith(("/", "$", "-")) and not _OF_THE_PROJECT.match(word):
        message = f"{quote(word)} is relative, so the client looks in the user's project"
        yield warning(hook.path, line, "relative-command", message)


def _argument(
    subject: Subject, hook: Hook, word: str, line: int, is_script: bool = False
) -> Iterator[Problem]:
    if _ROOT.match(word):
        inner = _below_root(word)
        if inner and not _is_pattern(inner) and not subject.has(inner):
            yield warning(hook.path, line, "script-missing", f"{quote(inner)} does not exist")
    elif is_script and "/" in word and not word.startswith(("/", "$")) and inner_path(word) in subject.files:
        message = f"{quote(word)} is relative, so the client looks in the user's project"
        yield warning(hook.path, line, "relative-command", message)


def _shell(subject: Subject, hook: Hook, command: str) -> Iterator[Problem]:
    line = hook.line_of("command")
    if found := unquoted_folders(command):
        what = "the plugin's path" if "ROOT" in found else "the path"
        message = f"{quote(command)} breaks if {what} contains a space"
        yield warning(hook.path, line, "unquoted-root", message)
    try:
        words = shlex.split(command)
    except ValueError:  # a quote that is open, or one in a comment or a here-document
        if shell_fault(command.encode("utf-8", "replace")):
            yield warning(hook.path, line, "shell-syntax", f"{quote(command)} has an open quote")
        return
    program = ""
    for word in words:
        if word in _SEPARATORS:
            program = ""
        elif not program and not _ASSIGNMENT.match(word):
            yield from _program(subject, hook, word.rstrip(";"), line)
            program = "" if word.endswith(";") else word
        elif program:
            is_script = program.rpartition("/")[2] in _INTERPRETERS and not word.startswith("-")
            yield from _argument(subject, hook, word.rstrip(";)"), line, is_script)
            program = "-" if is_script or word in ("-c", "-e", "-m") or program == "cd" else program


def unquoted_folders(command: str) -> str:
    """Return the first variable with a folder that is outside quotes, or ""."""
    places = {match.start(): match.group() for match in _FOLDERS.finditer(command)}
    quoted_by = ""
    skip = False
    for index, letter in enumerate(command) if places else ():
        if skip:
            skip = False
        elif letter == "\\" and quoted_by != "'":
            skip = True
        elif letter == quoted_by:
            quoted_by = ""
        elif not quoted_by and letter in "\"'":
            quoted_by = letter
        elif index in places and not quoted_by:
            return places[index]
    return ""


def _below_root(word: str) -> str:
    return _ROOT.sub("", word, count=1).lstrip("/")


def _is_pattern(path: str) -> bool:
    return any(letter in path for letter in "*?$`[{<")


def _bin(file: BundleFile) -> Iterator[Problem]:
    name = file.path.rpartition("/")[2]
    if file.symlink or name.startswith(".") or name.lower().endswith(_NOT_PROGRAMS):
        return
    for code, message in _run_faults(file):
        yield warning(file.path, 1, code, message)


def _run_faults(file: BundleFile) -> Iterator[tuple[str, str]]:
    if not file.executable:
        yield "script-not-executable", "is not executable"
    if not file.content.startswith((b"#!", *_NATIVE)):
        yield "no-shebang", "does not start with '#!'"
