"""Check the texts of programs and settings: syntax of hook scripts, secrets, unfinished merges."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from functools import lru_cache
from posixpath import dirname, join, normpath

from ultra_plugin.check.codes import printable, quote, warning
from ultra_plugin.check.components import inner_path, without_fences
from ultra_plugin.check.hooks import declared_hooks
from ultra_plugin.check.servers import declared_servers
from ultra_plugin.check.subject import MANIFEST, Subject
from ultra_plugin.errors import Problem
from ultra_plugin.model import BundleFile

_ROOT = re.compile(r"\$\{?CLAUDE_PLUGIN_ROOT\}?[\"']?/([\w./@%+-]+)")
_SOURCED = re.compile(
    r"^\s*(?:source|\.)\s+[\"']?(\$\([^)\n]*\)|\$\{?\w+\}?)?[\"']?/?([\w.@%+/-]+)", re.MULTILINE
)
"""A file that is sourced, in its second group; a variable or command before it is the folder of the script."""
_TIME_LIMIT = 10
_LARGEST = 200_000
"""Bytes; a larger file is data, not a configuration."""
_SECRET = re.compile(
    r"sk-ant-[\w-]{20,}|\bsk-(?:proj-)?[A-Za-z0-9]{32,}|\bgh[pousr]_[A-Za-z0-9]{36,}|\bgithub_pat_\w{40,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\bxox[baprs]-[\w-]{20,}|\bAIza[\w-]{35}\b|\bglpat-[\w-]{20,}|\bnpm_[A-Za-z0-9]{36}\b"
    r"|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:\\n|\s)+[A-Za-z0-9+/=]{40}|https://hooks\.slack\.com/services/T\w{7,}/B\w{7,}/\w{20,}|\bsk_live_[A-Za-z0-9]{20,}|\bhf_[A-Za-z0-9]{30,}"
)
_PASSWORD = re.compile(r"://([^\s/:@\"'`<>{}$]{1,64}):([^\s/:@\"'`<>{}$*%]{6,128})@([\w.-]+)")
"""An address with a user, a password and a host."""
_COMMON_PASSWORD = re.compile(
    r"pass(?:word|wd|w)?\d*|secret|token|changeme|admin\d*|postgres|(?:my|db|api).*", re.IGNORECASE
)
_NEAR = re.compile(
    r"(?:localhost|127\.|0\.0\.0\.0|host\.docker|example\.|(?:db|postgres|redis|mysql|mongo|database)(?![\w.-]))"
)
"""Hosts of samples and of containers."""
_SETTINGS = (".json", ".yaml", ".yml", ".toml", ".env", ".cfg", ".ini", ".conf", ".properties")
_SECRET_MARKS = (
    b"sk-", b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"github_pat_", b"AKIA", b"xox", b"AIza", b"glpat-", b"npm_",
    b"PRIVATE KEY-----", b"hooks.slack.com", b"sk_live_", b"hf_",
)  # fmt: skip
"""One of these is in every secret that the pattern finds."""
_CONFIGURATION = (
    ".pem",
    ".key",
    ".cfg",
    ".ini",
    ".conf",
    ".properties",
    "id_rsa",
    "id_ed25519",
    ".json",
    ".yaml",
    ".yml",
    ".toml",
    ".env",
    ".sh",
    ".py",
    ".js",
    ".mjs",
    ".ts",
    ".md",
)
_SAMPLE = re.compile(r"(.)\1{5}|example|placeholder|your[-_]?|xxxx|1234567890|abcdef", re.IGNORECASE)
_NOT_OURS = re.compile(r"(?:^|/)(?:tests?|__tests__|fixtures?|testdata|test-files|node_modules|\.venv|venv)/")
_CONFLICT = re.compile(r"^<<<<<<< .+?^=======$.+?^>>>>>>> ", re.DOTALL | re.MULTILINE)


def check_sources(subject: Subject) -> Iterator[Problem]:
    """Find scripts that do not parse, programs of servers that do not exist, secrets and markers."""
    yield from _servers(subject)
    for path in hook_scripts(subject):
        yield from _syntax(subject.files[path])
    for path, file in subject.files.items():
        if (
            file.symlink
            or file.left_out
            or not path.lower().endswith(_CONFIGURATION)
            or _NOT_OURS.search(path)
        ):
            continue
        if not path.endswith(".md") and file.size <= _LARGEST:
            yield from _secret(path, file)
        yield from _conflict(path, file)


def _servers(subject: Subject) -> Iterator[Problem]:
    """Find programs of MCP servers that should be in the plugin but do not exist."""
    place = ".mcp.json" if ".mcp.json" in subject.files else MANIFEST
    text = subject.files[place].text if place in subject.files else ""
    for name, config in declared_servers(subject):
        args = config.get("args")
        words = [config.get("command"), *(args if isinstance(args, list) else ())]
        for word in words:
            for match in _ROOT.finditer(word) if isinstance(word, str) else ():
                inner = normpath(match.group(1))
                if subject.has(inner) or re.search(
                    r"(?:^|/)(?:dist|build|target|node_modules|out|bin|\.venv)/", inner
                ):
                    continue
                line = text.count("\n", 0, max(0, text.find(match.group(1)))) + 1
                message = f"the server {quote(name)} runs {quote(inner)}, which does not exist"
                yield warning(place, line, "script-missing", message)


def hook_scripts(subject: Subject) -> list[str]:
    """Return the scripts that hooks run, and what these source."""
    waiting: list[str] = []
    found: dict[str, None] = {}
    for hook in declared_hooks(subject):
        args = hook.handler.get("args")
        words = [hook.handler.get("command"), *(args if isinstance(args, list) else ())]
        waiting += [inner_path(one) for word in words if isinstance(word, str) for one in _ROOT.findall(word)]
    while waiting:
        path = waiting.pop()
        file = subject.files.get(path)
        if file is None or file.symlink or path in found:
            continue
        found[path] = None
        for folder, name in _SOURCED.findall(file.text) if is_shell(file) else ():
            root = "" if "PLUGIN_ROOT" in folder else dirname(path)
            waiting.append(normpath(join(root, name.lstrip("/"))))
    return sorted(found)


def is_shell(file: BundleFile) -> bool:
    """Say whether a file is a script of sh or bash."""
    first = file.content[:60].partition(b"\n")[0]
    if first.startswith(b"#!"):
        return first.rstrip().endswith((b"/sh", b"bash", b" sh", b"dash"))
    return file.path.endswith((".sh", ".bash"))


def _syntax(file: BundleFile) -> Iterator[Problem]:
    fault: tuple[int, str] | None = None
    if file.path.endswith(".py") or b"python" in file.content[:60].partition(b"\n")[0]:
        fault = _python_fault(file.text)
    elif is_shell(file):
        fault = shell_fault(file.content.replace(b"\r\n", b"\n"))
    if fault:
        yield warning(file.path, fault[0], "script-syntax", f"does not parse: {printable(fault[1])}")


def _python_fault(text: str) -> tuple[int, str] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text.removeprefix("\ufeff"))
        except SyntaxError as error:
            return error.lineno or 1, error.msg
        except (ValueError, RecursionError, MemoryError):
            return None
    return None


@lru_cache(maxsize=512)
def shell_fault(content: bytes) -> tuple[int, str] | None:
    """Ask bash whether it can read a text; it runs nothing."""
    bash = shutil.which("bash")
    if bash is None:
        return None
    try:
        done = subprocess.run(
            [bash, "--norc", "--noprofile", "-n"],
            input=content,
            capture_output=True,
            timeout=_TIME_LIMIT,
            check=False,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(rb"line (\d+): (.*)", done.stderr)
    if done.returncode == 0 or match is None:
        return None
    return int(match.group(1)), match.group(2).decode("utf-8", "replace")


def _secret(path: str, file: BundleFile) -> Iterator[Problem]:
    is_setting = path.endswith(_SETTINGS) and b"://" in file.content and b"@" in file.content
    for match in _PASSWORD.finditer(file.text) if is_setting else ():
        user, password, host = match.groups()
        if password == user or _COMMON_PASSWORD.fullmatch(password) or _SAMPLE.search(match.group()):
            continue
        if not _NEAR.match(host):
            line = file.text.count("\n", 0, match.start()) + 1
            message = f"has an address with a password, for {quote(host)}"
            yield warning(
                path, line, "secret", message, "take it from the environment, or from a userConfig option"
            )
            return
    if not any(mark in file.content for mark in _SECRET_MARKS):
        return  # far quicker than the pattern
    for match in _SECRET.finditer(file.text):
        if not _SAMPLE.search(match.group()):
            line = file.text.count("\n", 0, match.start()) + 1
            message = f"has what looks like a secret: '{match.group()[:8]}...'"
            yield warning(path, line, "secret", message)
            return


def _parses(file: BundleFile) -> bool:
    """Say whether a script parses, so that the markers in it are ordinary text."""
    if file.path.endswith(".py"):
        return _python_fault(file.text) is None
    return is_shell(file) and shell_fault(file.content.replace(b"\r\n", b"\n")) is None


def _conflict(path: str, file: BundleFile) -> Iterator[Problem]:
    if b"<<<<<<< " not in file.content:
        return
    text = without_fences(file.text) if path.endswith(".md") else file.text
    if (match := _CONFLICT.search(text)) and not _parses(file):
        line = text.count("\n", 0, match.start()) + 1
        yield warning(path, line, "conflict-marker", "has the conflict markers of an unfinished merge")
