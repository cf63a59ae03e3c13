"""Find what runs by itself here: the plugin's own hooks, those in the client's settings, and git's."""

from __future__ import annotations

import os

from ultra_runtime.files.regular_file import UnreadableError, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def hook_files(root: str, git_dir: str, home: str) -> tuple[str, ...]:
    """Return the files and folders, relative to the root, that only a person may change."""
    from ultra_runtime.rendered import BUNDLE

    own = (os.path.join(BUNDLE, "hooks"), os.path.join(BUNDLE, "runtime"))
    return (*own, *_of_client(root, home), *_of_git(git_dir, home))


def _of_client(root: str, home: str) -> Iterator[str]:
    """Yield the files that settings in force name as hooks."""
    from ultra_runtime.text.jsontext import JsonError, read_object

    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    for folder in (config, os.path.join(root, ".claude")):
        for name in ("settings.json", "settings.local.json"):
            try:
                settings = read_object(read_regular(os.path.join(folder, name))).values
            except (UnreadableError, JsonError):
                continue
            if settings.get("hooks"):
                from ultra_runtime.guard.hookfiles import named_files

                yield from named_files(settings, {"CLAUDE_PROJECT_DIR": root})


def _of_git(git_dir: str, home: str) -> Iterator[str]:
    """Yield the folders that core.hooksPath names, in the settings of the repository and of the user."""
    common = os.path.join(git_dir, _text(git_dir + "/commondir").strip())
    own = (common + "/config", git_dir + "/config.worktree")
    for file in (*own, home + "/.gitconfig", home + "/.config/git/config"):
        text = _text(file)
        for line in text.splitlines() if "hookspath" in text.lower() else ():
            name, equals, value = line.partition("=")
            if equals and name.rpartition("]")[2].strip().lower() == "hookspath":
                path = value.strip().strip('"')
                yield home + path[1:] if path.startswith("~/") else path


def _text(path: str) -> str:
    try:
        return read_regular(path).decode("utf-8", "replace") if os.path.exists(path) else ""
    except UnreadableError:
        return ""
