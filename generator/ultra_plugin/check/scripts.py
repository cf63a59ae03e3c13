"""Check the programs that a plugin runs: those that hooks name and those in bin/."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from ultra_plugin.check.codes import quote, warning
from ultra_plugin.check.components import inner_path
from ultra_plugin.check.hooks import Hook, declared_hooks
from ultra_plugin.check.subject import Subject
from ultra_plugin.errors import Problem
from ultra_plugin.model import BundleFile

_ROOT = re.compile(r"\$(?:\{CLAUDE_PLUGIN_ROOT\}|CLAUDE_PLUGIN_ROOT\b)")
_ABSOLUTE = re.compile(r"/(?!bin/|usr/bin/|usr/local/bin/|dev/null)|[A-Za-z]:[\\/]|~")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&", "then", "do", "else", "{", "("})
_NATIVE = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa\xcf", b"MZ")
_NOT_PROGRAMS = (".md", ".txt", ".json", ".cmd", ".bat", ".ps1", ".exe", ".dll")


def check_scripts(subject: Subject) -> Iterator[Problem]:
    """Find programs that are missing or cannot run."""
    for hook in declared_hooks(subject):
        command = hook.handler.get("command")
        if hook.handler.get("type") != "command" or not isinstance(command, str):
            continue
        args = hook.handler.get("args")
        if isinstance(args, list):
            yield from _program(subject, hook, command, hook.line_of("command"))
            for index, arg in enumerate(args):
                if isinstance(arg, str):
                    yield from _argument(subject, hook, arg, hook.line_of("args", index))
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
        if file is not None and not file.symlink:
            for code, message in _run_faults(file):
                yield warning(hook.path, line, code, f"{quote(file.path)} {message}")
    elif _ABSOLUTE.match(word):
        yield warning(hook.path, line, "absolute-path", f"{quote(word)} exists on one machine only")
    elif "/" in word and not word.startswith(("/", "$", "-")):
        message = f"{quote(word)} is relative, so the client looks in the user's project"
        yield warning(hook.path, line, "relative-command", message)


def _argument(subject: Subject, hook: Hook, word: str, line: int) -> Iterator[Problem]:
    if _ROOT.match(word):
        inner = _below_root(word)
        if inner and not _is_pattern(inner) and not subject.has(inner):
            yield warning(hook.path, line, "script-missing", f"{quote(inner)} does not exist")
    elif "/" in word and not word.startswith(("/", "$", "-")) and inner_path(word) in subject.files:
        message = f"{quote(word)} is relative, so the client looks in the user's project"
        yield warning(hook.path, line, "relative-command", message)


def _shell(subject: Subject, hook: Hook, command: str) -> Iterator[Problem]:
    line = hook.line_of("command")
    if _has_unquoted_root(command):
        message = f"{quote(command)} breaks if the plugin's path contains a space"
        yield warning(hook.path, line, "unquoted-root", message)
    try:
        words = shlex.split(command)
    except ValueError:
        yield warning(hook.path, line, "shell-syntax", f"{quote(command)} has an open quote")
        return
    is_program = True
    for word in words:
        if word in _SEPARATORS:
            is_program = True
        elif is_program and not _ASSIGNMENT.match(word):
            yield from _program(subject, hook, word.rstrip(";"), line)
            is_program = word.endswith(";")
        else:
            yield from _argument(subject, hook, word.rstrip(";)"), line)


def _has_unquoted_root(command: str) -> bool:
    """Say whether the root is outside quotes."""
    places = {match.start() for match in _ROOT.finditer(command)}
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
            return True
    return False


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
