"""Find what runs by itself here: the plugin's own hooks, those in the client's settings, and git's."""

from __future__ import annotations

import os

from ultra_runtime.files.regular_file import UnreadableError, read_regular, read_text
from ultra_runtime.typed import Any, Iterator, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.follower import Follower
    from ultra_runtime.guard.shell.syntax import Script


def hook_files(root: str, git_dir: str, home: str) -> tuple[str, ...]:
    """Return the files and folders, relative to the root, that only a person may change."""
    from ultra_runtime.rendered import BUNDLE

    own = (os.path.join(BUNDLE, "hooks"), os.path.join(BUNDLE, "runtime"))
    return (*own, *_of_client(root, home), *_of_git(git_dir, home))


def _of_client(root: str, home: str) -> Iterator[str]:
    """Yield the files that the active settings name as hooks."""
    from ultra_runtime.text.jsontext import JsonError, read_object

    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    for folder in (config, os.path.join(root, ".claude")):
        for name in ("settings.json", "settings.local.json"):
            try:
                settings = read_object(read_regular(os.path.join(folder, name))).values
            except (UnreadableError, JsonError):
                continue
            if settings.get("hooks"):
                yield from named_files(settings, {"CLAUDE_PROJECT_DIR": root})


def _of_git(git_dir: str, home: str) -> Iterator[str]:
    """Yield the folders that core.hooksPath names, in the settings of the repository and of the user."""
    common = os.path.join(git_dir, read_text(git_dir + "/commondir").strip())
    own = (common + "/config", git_dir + "/config.worktree")
    for file in (*own, home + "/.gitconfig", home + "/.config/git/config"):
        text = read_text(file)
        for line in text.splitlines() if "hookspath" in text.lower() else ():
            name, equals, value = line.partition("=")
            if equals and name.rpartition("]")[2].strip().lower() == "hookspath":
                path = value.strip().strip('"')
                yield home + path[1:] if path.startswith("~/") else path


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
    from ultra_runtime.guard.follow.follower import Follower
    from ultra_runtime.guard.shell.marks import clean
    from ultra_runtime.guard.shell.reader import read

    follower = Follower(None, len(text))
    for name, value in variables.items():
        follower.shell.set(name, clean(value))
    return _of_script(follower, read(clean(text))[0])


def _of_script(follower: Follower, script: Script) -> list[str]:
    from ultra_runtime.guard.follow import expand
    from ultra_runtime.guard.shell.syntax import SimpleCommand

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
    from ultra_runtime.guard.shell.marks import known

    if not known(word) or word.startswith("-") or "\n" in word:
        return False
    return "/" in word or word.endswith(
        (".sh", ".py", ".js", ".ts", ".mjs", ".cjs", ".rb", ".pl", ".bash", ".zsh")
    )
