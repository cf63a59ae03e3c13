"""Judge the commands that a plugin runs by itself with the guard of the runtime: hooks, servers and monitors."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

from ultra_plugin.check.codes import quote, warning
from ultra_plugin.check.hooks import header_hooks, hook_files
from ultra_plugin.check.jsontext import Json, Path, read_json
from ultra_plugin.check.manifest_paths import named_files
from ultra_plugin.check.promises import prompt_commands
from ultra_plugin.check.servers import server_files
from ultra_plugin.check.sources import hook_scripts, is_shell
from ultra_plugin.check.subject import MANIFEST, Subject
from ultra_plugin.errors import Problem, UltraError

_DECLARING = ("hooks", "mcpServers", "lspServers", "monitors", "experimental")
"""The keys of plugin.json below which there are commands."""
_RULES = frozenset({
    "recursive_force_delete", "chmod_777", "pipe_to_shell", "base64_to_shell", "disk_destruction", "shutdown",
    "fork_bomb", "cron_persistence", "kill_all", "history_destruction", "git_force_push", "git_reset_hard",
})  # fmt: skip
"""What is dangerous on any machine; the other rules are about runs."""
_LONGEST = 20_000
_SCRATCH = "/tmp/"  # noqa: S108 - a name in the texts that are judged
_FILLED = (
    (re.compile(r"\$\{?(?:CLAUDE_PLUGIN_(?:ROOT|DATA)|TMPDIR)\b(?::-[^}]*)?\}?"), f"{_SCRATCH}own"),
    (re.compile(r"\$\(mktemp[^()]*\)|`mktemp[^`]*`"), f"{_SCRATCH}own"),
    (re.compile(r"\$\{?CLAUDE_PROJECT_DIR\b(?::-[^}]*)?\}?"), "/project"),
    (re.compile(r"\$\{user_config\.\w+\}"), "option"),
)
"""What the client fills in; the plugin may delete what is in its own folders."""


def check_dangers(subject: Subject) -> Iterator[Problem]:
    """Find commands that a user would want to read before running them."""
    for path in dict.fromkeys((*_files(subject), MANIFEST)):
        file = subject.files.get(path)
        if file is None or file.symlink or '"command"' not in file.text:
            continue
        document = read_json(file.text)
        for where, command in _commands(document, path):
            if found := _judged(command):
                yield _told(path, document.line_of(*where), found)
    for declaration in header_hooks(subject):
        for where, command in _commands(Json(declaration.events), declaration.path):
            if found := _judged(command):
                yield _told(declaration.path, declaration.line_of(*where), found)
    for component in subject.components:
        for line, command in prompt_commands(component) if component.kind != "agent" else ():
            if found := _judged(_filled(command)):
                yield _told(component.path, line, found)
    for path in hook_scripts(subject):
        file = subject.files[path]
        if is_shell(file) and (found := _judged(_filled(file.text), is_script=True)):
            yield _told(path, _line_of(file.text, found.spelled), found)


def _told(path: str, line: int, found: _Danger) -> Problem:
    what = f"{quote(found.spelled)} runs" if found.spelled else "it runs"
    message = f"{what} without asking; the guard refuses {found.title} (rule {found.rule})"
    return warning(path, line, "dangerous-command", message)


def _line_of(text: str, spelled: str) -> int:
    """Return the first line with the name of a command, outside comments."""
    name = spelled.split(" ")[0]
    lines = enumerate(text.splitlines(), 1)
    return next((at for at, line in lines if name in line.partition("#")[0].split()), 1)


def _files(subject: Subject) -> Iterator[str]:
    yield from hook_files(subject)
    yield from server_files(subject)
    for key, default in (("monitors", "monitors/monitors.json"), ("lspServers", ".lsp.json")):
        yield from named_files(subject.fields, key, default)
    yield "settings.json"


def _commands(document: Json, path: str) -> Iterator[tuple[Path, str]]:
    """Return every command in a file, as a shell would get it."""
    value = document.value
    if path == MANIFEST and isinstance(value, dict):
        value = {key: value[key] for key in _DECLARING if key in value}
    waiting: list[tuple[Path, object]] = [((), value)]
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, list):
            waiting += (((*where, index), item) for index, item in enumerate(value))
        elif isinstance(value, dict):
            waiting += (((*where, key), item) for key, item in value.items())
            command, args = value.get("command"), value.get("args")
            if isinstance(command, str):
                words = [command, *map(str, args)] if isinstance(args, list) else []
                filled = shlex.join(map(_filled, words)) if words else _filled(command)
                yield (*where, "command"), filled


def _filled(text: str) -> str:
    """Return a text with the folders that the client fills in."""
    for pattern, instead in _FILLED:
        text = pattern.sub(instead, text)
    return text


class _Danger(NamedTuple):
    rule: str
    title: str
    spelled: str


@lru_cache(maxsize=4096)
def _judged(command: str, is_script: bool = False) -> _Danger | None:
    """Return the first rule that a command matches."""
    return _judge()(command, is_script) if len(command) <= _LONGEST else None


@lru_cache(maxsize=1)
def _judge() -> Callable[[str, bool], _Danger | None]:
    """Load the judge of the runtime, with the policy of this project."""
    from ultra_plugin.policy import load_policy  # late: most plugins run no command by themselves
    from ultra_plugin.source import SourceTree, packaged_source
    from ultra_plugin.tables.policy import policy_module

    sources = packaged_source().resolve()
    policy = load_policy(SourceTree(sources))
    if policy is None:
        raise UltraError(f"{sources}: has no policy; install this program again.")
    if (runtime := str(sources / "runtime")) not in sys.path:
        sys.path.append(runtime)
    from ultra_runtime.guard.follow.follower import walk  # it is part of the sources
    from ultra_runtime.guard.follow.watch import Watcher
    from ultra_runtime.guard.policy import Policy
    from ultra_runtime.guard.shell.marks import clean, known, show

    module = ModuleType("policy")
    exec(policy_module(policy), module.__dict__)  # noqa: S102 - literals that were just rendered
    commands, events = (_only_dangers(table) for table in (module.COMMANDS, module.EVENTS))
    rules = Policy(module.RULES, commands, events, module.SOURCES, {}, {})

    class _Lenient(Watcher):
        """A walk that lets a plugin delete its own files, and a script the files that its caller names."""

        is_script = False

        def hit(self, rule: str, found: str = "") -> None:
            words = self.ran[-1].args if self.ran else []
            paths = [word for word in words[1:] if not word.startswith("-")]
            is_own = paths and all(map(self._is_own, paths))
            if rule != "recursive_force_delete" or not is_own:
                super().hit(rule, found or " ".join(words[:1]))

        def _is_own(self, path: str) -> bool:
            if self.is_script and not known(path):
                return True
            return path.startswith(_SCRATCH) and ".." not in path

    def judge(command: str, is_script: bool) -> _Danger | None:
        text = clean(command)
        watcher = _Lenient(rules, len(text))
        watcher.is_script = is_script
        walk(watcher, text)
        blocked = watcher.blocked
        rule, found = (blocked.rule, blocked.found) if blocked else watcher.warning or ("", "")
        return _Danger(rule, rules.rules[rule][1], show(found)) if rule in _RULES else None

    return judge


def _only_dangers(table: dict[str, tuple[tuple[str, str], ...]]) -> dict[str, tuple[tuple[str, str], ...]]:
    return {name: tuple(use for use in uses if use[0] in _RULES) for name, uses in table.items()}
