"""What is written into a project besides its artifacts: folders, and the list of files that git ignores."""

from __future__ import annotations

import os

from ultra_runtime.files.atomic import Folder, WriteError
from ultra_runtime.files.project import GATE_FILE, IGNORE_FILE, Project, subfolder
from ultra_runtime.files.run_files import BROKEN, LOGS, PREVIOUS
from ultra_runtime.rendered import table

IGNORED = (f"/{GATE_FILE}", f"/{LOGS}/", "*.log", "*.draft", f"*{PREVIOUS}", f"*{BROKEN}", ".*.tmp")


def ignore_own_files(project: Project) -> None:
    """Let git ignore the runtime's own files; an existing .gitignore stays as it is."""
    if not os.path.lexists(project.path(IGNORE_FILE)):
        with Folder(project.folder) as folder:
            folder.write(IGNORE_FILE, ignore_text().encode())


def ignore_text() -> str:
    """Return the .gitignore of a project: files that the runtime alone writes, logs and drafts."""
    stages = table("stages")
    own = [
        "/" + "*".join(part.rpartition("}")[2] for part in pattern.split("{"))
        for kind, patterns in stages.FILES.items()
        for pattern in patterns
        if kind not in stages.TEXTS and not pattern.endswith("/")
    ]
    return "\n".join(["# Files of the runtime; the artifacts are yours to commit.", *own, *IGNORED, ""])


def make_subfolder(project: Project, name: str) -> None:
    """Create a folder of the project, if it does not exist."""
    try:
        os.makedirs(subfolder(project, name), exist_ok=True)
    except OSError as problem:
        raise WriteError(f"{project.show(name)} cannot be created: {problem.strerror}") from None
