"""Find the files that the hooks of a settings file run."""

from __future__ import annotations

from ultra_runtime.guard.follow import expand
from ultra_runtime.guard.follow.follower import Follower
from ultra_runtime.guard.shell.marks import clean, known
from ultra_runtime.guard.shell.reader import read
from ultra_runtime.guard.shell.syntax import Script, SimpleCommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


def named_files(settings: Mapping[str, Any], variables: Mapping[str, str]) -> list[str]:
    """Return the paths in the hooks of parsed settings, with variables such as CLAUDE_PROJECT_DIR resolved."""
    found: list[str] = []
    for hook in _hooks(settings):
        words = _words(str(hook.get("command", "")), variables)
        for arg in hook.get("args") or ():
            words += _words(str(arg), variables)
        found += [word for word in words if _is_path(word) and word not in found]
    return found


def _hooks(settings: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the hooks of all events; values of another shape are skipped."""
    events = settings.get("hooks")
    for groups in events.values() if isinstance(events, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            hooks = group.get("hooks") if isinstance(group, dict) else None
            for hook in hooks if isinstance(hooks, list) else ():
                if isinstance(hook, dict):
                    yield hook


def _words(text: str, variables: Mapping[str, str]) -> list[str]:
    """Return the words of all simple commands in a text."""
    follower = Follower(None, len(text))
    for name, value in variables.items():
        follower.shell.set(name, clean(value))
    return _of_script(follower, read(clean(text))[0])


def _of_script(follower: Follower, script: Script) -> list[str]:
    out: list[str] = []
    for pipeline in script.pipelines:
        for command in pipeline.commands:
            if isinstance(command, SimpleCommand):
                out += expand.words(follower, command.words)
            else:
                for inner in command.scripts:
                    out += _of_script(follower, inner)
    return out


def _is_path(word: str) -> bool:
    """Tell whether a word names a file: it has a slash, or an extension of a script."""
    if not known(word) or word.startswith("-") or "\n" in word:
        return False
    return "/" in word or word.endswith(
        (".sh", ".py", ".js", ".ts", ".mjs", ".cjs", ".rb", ".pl", ".bash", ".zsh")
    )
