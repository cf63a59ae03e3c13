"""Repair what is mechanical: byte order marks, line ends, modes, names and quotes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import basename, dirname
from types import MappingProxyType

from ultra_plugin.check.header import read_header
from ultra_plugin.check.yamltext import repaired
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle

_FOLDER = re.compile(
    r"(?P<before>(?:^|[\s;&|(=]|\\\"(?=\s))*)"
    r"(?P<word>\$(?:\{CLAUDE_(?:PLUGIN_ROOT|PLUGIN_DATA|PROJECT_DIR)\}|CLAUDE_(?:PLUGIN_ROOT|PLUGIN_DATA|PROJECT_DIR))"
    r"(?:/[\w./@%+-]*)?)"
)
_NAME_LINE = re.compile(r"^name:[^\n]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Change:
    """A file with its new bytes, its new name or its executable bit."""

    path: str
    old: bytes
    new: bytes
    becomes: str = ""
    executable: bool = False

    def diff(self, folder: Path) -> str:
        """Return the change as a diff for people."""
        name = str(folder / self.path)
        after = str(folder / (self.becomes or self.path))
        lines = [f"rename {name} to {after}\n"] if self.becomes else []
        lines += [f"mode of {name}: executable\n"] if self.executable else []
        if self.old != self.new:
            old, new = (_shown(one) for one in (self.old, self.new))
            lines += difflib.unified_diff(old, new, name, after, n=1)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def changes(bundle: Bundle, problems: Iterable[Problem]) -> list[Change]:
    """Return what repairs the problems that have a mechanical remedy."""
    by_path: dict[str, set[str]] = {}
    for problem in problems:
        for path in _place(bundle, problem):
            by_path.setdefault(path, set()).add(problem.code)
    found = []
    for path, codes in sorted(by_path.items()):
        file = bundle.files.get(path)
        if file is None or file.symlink or file.left_out:
            continue
        new = file.content
        for code in sorted(codes & _REPAIRS.keys()):
            new = _REPAIRS[code](path, new)
        becomes = f"{dirname(path)}/SKILL.md" if "skill-case" in codes else ""
        executable = "script-not-executable" in codes and not file.executable
        if new != file.content or becomes or executable:
            found.append(Change(path, file.content, new, becomes, executable))
    return found


def apply(folder: Path, found: Iterable[Change]) -> None:
    """Write changes."""
    for change in found:
        path = folder / change.path
        if change.new != change.old:
            path.write_bytes(change.new)
        if change.executable:
            path.chmod(path.stat().st_mode | 0o111)
        if change.becomes:
            path.rename(folder / change.becomes)


def _place(bundle: Bundle, problem: Problem) -> Iterator[str]:
    """Return the file to repair; for a program, that is not the file that names it."""
    if problem.code != "script-not-executable" or (
        problem.path in bundle.files and problem.path.startswith("bin/")
    ):
        yield problem.path
    elif match := re.match(r"'([^']+)' is not executable", problem.message):
        yield match.group(1)


def _without_mark(_path: str, content: bytes) -> bytes:
    return content.removeprefix(b"\xef\xbb\xbf")


def _line_ends(_path: str, content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


def _quoted(_path: str, content: bytes) -> bytes:
    """Quote the folders of shell commands in JSON."""
    text = content.decode("utf-8", "surrogateescape")
    command = re.compile(r'("command"\s*:\s*")((?:\\.|[^"\\\n])*)(")')
    return command.sub(
        lambda match: match.group(1) + _quoted_words(match.group(2)) + match.group(3), text
    ).encode("utf-8", "surrogateescape")


def _quoted_words(command: str) -> str:
    out, at, quoted_by = [], 0, ""
    while at < len(command):
        match = _FOLDER.match(command, at) if not quoted_by and command[at] == "$" else None
        if match and match.group("word"):
            out.append(f'\\"{match.group("word")}\\"')
            at = match.end()
            continue
        step = 2 if command[at] == "\\" else 1
        part = command[at : at + step]
        if part in ('\\"', "'"):
            quoted_by = "" if quoted_by == part else quoted_by or part
        out.append(part)
        at += step
    return "".join(out)


def _header_quotes(_path: str, content: bytes) -> bytes:
    """Quote the values that the client quotes before it reads a header."""
    text = content.decode("utf-8", "surrogateescape")
    head, mark, rest = text.partition("\n")
    body = rest.find("\n---")
    if head.strip() != "---" or body < 0:
        return content
    return f"{head}{mark}{repaired(rest[:body])}{rest[body:]}".encode("utf-8", "surrogateescape")


def _name(path: str, content: bytes) -> bytes:
    """Give a skill the name of its folder, and an agent that of its file."""
    text = content.decode("utf-8", "surrogateescape")
    name = basename(dirname(path)) if basename(path) == "SKILL.md" else basename(path)[:-3]
    head = text.partition("\n")[0]
    if "name" in read_header(text).values:
        return _NAME_LINE.sub(f"name: {name}", text, count=1).encode("utf-8", "surrogateescape")
    return text.replace(f"{head}\n", f"{head}\nname: {name}\n", 1).encode("utf-8", "surrogateescape")


def _shown(content: bytes) -> list[str]:
    text = content.decode("utf-8", "replace").replace("\ufeff", "<U+FEFF>").replace("\r\n", "<CR>\n")
    return text.splitlines(keepends=True)


_REPAIRS: Mapping[str, Callable[[str, bytes], bytes]] = MappingProxyType(
    {
        "bom": _without_mark,
        "crlf": _line_ends,
        "unquoted-root": _quoted,
        "yaml-repaired": _header_quotes,
        "name-mismatch": _name,
        "no-name": _name,
    }
)
FIXABLE = frozenset({*_REPAIRS, "skill-case", "script-not-executable"})
