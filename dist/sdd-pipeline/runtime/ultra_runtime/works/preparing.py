"""Prepare a repository for works: folder, router settings and permissions; what is there stays as it is."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.root import PROJECTS
from ultra_runtime.rendered import launcher
from ultra_runtime.run.tree.workspace import find_workspace, make_folder, replace
from ultra_runtime.struct import Struct
from ultra_runtime.text.jsontext import JsonError, read_object, write
from ultra_runtime.typed import Any
from ultra_runtime.works.specified import MOST_FILES, ROUTER, USUAL
from ultra_runtime.works.work_place import IGNORE_FILE, IGNORED, works_folder

SETTINGS = os.path.join(".claude", "settings.local.json")
PERMISSIONS, ALLOW = "permissions", "allow"


class Preparation(Struct):
    """What was made, what was there, and the permissions that are still missing."""

    made: list[str]
    kept: list[str]
    missing: list[str]
    settings: str = SETTINGS


def needed() -> list[str]:
    """Return the least that the pipeline needs: its own program, and the files of the works."""
    return [f"Bash({launcher()}:*)", f"Edit({PROJECTS}/**)", f"Write({PROJECTS}/**)"]


def prepare(permitted: bool) -> Preparation:
    """Make what is missing; permissions are added only if the user said so."""
    root = find_workspace().root
    works_folder(root)
    done = Preparation([], [], [])
    files = {
        os.path.join(PROJECTS, IGNORE_FILE): IGNORED,
        ROUTER: write({MOST_FILES: USUAL}) + "\n",
    }
    for name, text in files.items():
        path = os.path.join(root, name)
        if os.path.lexists(path):
            done.kept.append(name)
            continue
        make_folder(os.path.dirname(path))
        replace(path, text.encode())
        done.made.append(name)
    _permit(root, done, permitted)
    return done


def _permit(root: str, done: Preparation, permitted: bool) -> None:
    path = os.path.join(root, SETTINGS)
    settings = _settings(path)
    allowed = settings.setdefault(PERMISSIONS, {}).setdefault(ALLOW, [])
    done.missing = [one for one in needed() if one not in allowed]
    if not done.missing:
        done.kept.append(SETTINGS)
    elif permitted:
        allowed += done.missing
        make_folder(os.path.dirname(path))
        import json

        replace(path, (json.dumps(settings, indent=2, ensure_ascii=False) + "\n").encode())
        done.made.append(f"{SETTINGS} ({len(done.missing)} permissions)")
        done.missing = []


def _settings(path: str) -> dict[str, Any]:
    """Return the settings of the client in this project, or refuse a file that would lose something."""
    try:
        values = read_object(read_regular(path)).values
        rules = values.get(PERMISSIONS, {})
        if isinstance(rules, dict) and isinstance(rules.get(ALLOW, []), list):
            return values
        reason = f"{PERMISSIONS}.{ALLOW} must be a list"
    except UnreadableError as problem:
        if problem.missing:
            return {}
        reason = str(problem)
    except JsonError as problem:
        reason = f"line {problem.line}: {problem}"
    raise RefusedError(f"{SETTINGS} cannot be read: {reason}", "fix it by hand; nothing was changed in it")
