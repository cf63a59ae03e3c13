"""Judge what a clean checkout got that differs from what the run was pinned to at its start."""

from __future__ import annotations

import os

from ultra_runtime.checkout.carried import PACKAGES
from ultra_runtime.checkout.surroundings import READING
from ultra_runtime.proof.drift import BROUGHT, CONVERTED, FORGED, Drift
from ultra_runtime.proof.objects import Between
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.files.git import Git

# Files that say which dependencies there are: a run that commits a change of one has a reason to change the folder.
DECLARING = (
    "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bower.json", "pyproject.toml",
    "setup.py", "setup.cfg", "uv.lock", "poetry.lock", "Pipfile", "pixi.toml", "Gemfile", "composer.json", "go.mod",
    "mix.exs", "Podfile", "Cartfile", "elm.json",
)  # fmt: skip
REQUIREMENTS, OF_REQUIREMENTS = "requirements", (".txt", ".in")


def judge_changed(
    git: Git, start: str, end: str, changed: Sequence[Sequence[str]]
) -> tuple[list[Drift], list[str]]:
    """Return what speaks against the proof, and notes on dependencies that the run had a reason to change."""
    if not changed:
        return [], []
    between = Between(git, start, end)
    declared = {os.path.dirname(one.path) for one in between.changes if _declares(one.path)}
    drifts, notes = [], []
    for kind, name in changed:
        shown = one_line(name, 120)
        if kind == FORGED:
            drifts.append(
                Drift(FORGED, f"{shown} as git made it", "other content; `git fsck` lists such objects")
            )
        elif kind == READING:
            drifts.append(Drift(CONVERTED, f"{shown} as at the start of the run", "it changed since"))
        elif not os.path.isabs(name) and between.end.entry(name) is not None:
            continue  # the commit has it, and nothing was brought
        elif os.path.dirname(name) in declared or (declared and name.endswith(PACKAGES)):
            notes.append(f"{shown} changed during the run, and so did the file that declares what is in it")
        else:
            drifts.append(Drift(BROUGHT, f"{shown} as at the start of the run", "it changed since"))
    return drifts, notes


def _declares(path: str) -> bool:
    name = os.path.basename(path)
    return name in DECLARING or (name.startswith(REQUIREMENTS) and name.endswith(OF_REQUIREMENTS))
