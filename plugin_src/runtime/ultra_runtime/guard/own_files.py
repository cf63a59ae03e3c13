"""The files of a run that only the runtime may change: its plan, its records, its folder in the git dir."""

from __future__ import annotations

import os

from ultra_runtime.files.run_files import ALONE, END, PLAN_FILE, PREVIOUS, SESSION_STATE, START
from ultra_runtime.guard.policy import Verdict
from ultra_runtime.guard.realpath import components, real_path
from ultra_runtime.guard.shell.marks import HOME, known
from ultra_runtime.guard.site import FOLDER, Site
from ultra_runtime.rendered import has_verb, verb
from ultra_runtime.tables import RECORDS

RULE = "run_file"
REPORTED = "_progress.md"
"""The end of the files in which builders report: the only ones of a work that agents write during its run."""


class OwnFiles:
    """The files of the run of a site; real paths are compared, without case."""

    def __init__(self, site: Site, cwd: str, home: str) -> None:
        self._cwd = cwd
        self._home = home
        self._ours = components(os.path.join(site.git_dir, FOLDER))
        plan, project, progress = (_text(site.lock.get(name)) for name in ("plan", "project", "progress"))
        self._plan = _below(site.root, plan) if plan else None
        self._whole = _below(site.root, os.path.join(project, PLAN_FILE)) if project else None
        self._progress = _below(site.root, progress) if progress else None
        named = [project, os.path.dirname(plan) if plan else ""]
        self._records = [_below(site.root, folder) for folder in RECORDS]
        self._folders = [_below(site.root, folder) for folder in named if folder or plan]

    def verdict(self, path: str) -> Verdict | None:
        """Return the refusal to write a path, if it is one of the run."""
        names = self._real(path)
        what = names and self._what(names)
        return _refusal(path, what) if what else None

    def verdict_of_removing(self, path: str) -> Verdict | None:
        """Return the refusal to remove or move a path, if it is or contains a file of the run."""
        names = self._real(path)
        if names is None:
            return None
        for kept in (self._ours, self._plan, self._whole, self._progress, *self._records):
            if kept and kept[: len(names)] == names:
                return _refusal(path, "is or contains a file that the run in progress needs")
        return self.verdict(path)

    def _real(self, path: str) -> list[str] | None:
        """Return the components of the real path; nothing for an unknown one."""
        if not path or "\0" in path or not known(path):
            return None
        for spelling in (HOME, "~", "$HOME", "${HOME}"):
            rest = path[len(spelling) :]
            if path.startswith(spelling) and rest[:1] in ("", "/"):
                path = self._home + rest
        real = real_path(os.path.join(self._cwd, path))
        return components(real) if real else None

    def _what(self, names: list[str]) -> str:
        if names in (self._plan, self._whole):
            return "is the plan of the run in progress, which follows it"
        if names[: len(self._ours)] == self._ours:
            return "belongs to the runtime, which stores the run in it"
        if any(names[: len(folder)] == folder for folder in self._records):
            return "" if names[-1].endswith(REPORTED) else "belongs to the work in progress, which follows it"
        name = names[-1].removesuffix(PREVIOUS)
        is_record = name == SESSION_STATE or (name.endswith(END) and name.startswith((START, ALONE)))
        if names == self._progress or (is_record and names[:-1] in self._folders):
            return "is written only by the runtime"
        return ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _below(root: str, path: str) -> list[str]:
    return components(real_path(os.path.join(root, path)) or "")


def _refusal(path: str, what: str) -> Verdict:
    return Verdict(
        "block", RULE, f"{path.replace(HOME, '~')} {what}", f"{ways_to_end()}; then it can be changed"
    )


def ways_to_end() -> str:
    """Return how the run in progress is ended."""
    if not has_verb("run finish"):
        return "end the run"
    return f"finish the run with `{verb('run finish')}` or end it with `{verb('run abort')}`"
