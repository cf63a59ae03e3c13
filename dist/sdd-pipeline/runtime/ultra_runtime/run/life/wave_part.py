"""What the status of a project says of its waves; from small files alone."""

from __future__ import annotations

import os

from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.guard.site import FOLDER, trees
from ultra_runtime.run.state.statuses import IN_PROGRESS
from ultra_runtime.struct import Struct
from ultra_runtime.words import counted, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.project import Project
    from ultra_runtime.run.state.wave_state import WaveState

WAVES = "waves"


class WavesSeen(Struct):
    """The waves of a project, and whether a supervisor serves them."""

    state: WaveState
    lives: bool

    @property
    def has(self) -> frozenset[int]:
        """The sessions that the journal knows."""
        return frozenset(self.state.sessions)

    @property
    def merged(self) -> frozenset[int]:
        """The sessions that are on the user's branch."""
        from ultra_runtime.run.state.wave_state import MERGED

        return frozenset(number for number, one in self.state.sessions.items() if one.state == MERGED)

    @property
    def status(self) -> str:
        """How they ended, or whether somebody serves them."""
        return self.state.result or (IN_PROGRESS if self.lives else "interrupted")

    @property
    def words(self) -> str:
        """How they stand, in one line."""
        how = self.status.replace("_", " ")
        why = f": {one_line(self.state.why[0], 200)}" if self.state.why else ""
        if not self.state.begun:
            return f"not started{why}"
        return f"{how}, {len(self.merged)} of {counted(len(self.has), 'session')} merged{why}"


def waves_of(project: Project) -> WavesSeen | None:
    """Return the waves of a project, if any have been asked for."""
    common = _common(project.root)
    if not common or not os.path.isdir(os.path.join(common, FOLDER, WAVES)):
        return None
    from ultra_runtime.run.state.run_place import ref_name
    from ultra_runtime.run.state.wave_journal import Journal
    from ultra_runtime.run.state.wave_state import read_wave_state

    journal = Journal(common, ref_name(os.path.basename(project.folder)))
    return WavesSeen(read_wave_state(journal), journal.lives()) if journal.exists() else None


def _common(root: str) -> str:
    """Return the git dir that all working trees of a repository share."""
    git_dir = next((found for tree, found in trees(root) if tree == root), "")
    try:
        shared = os.fsdecode(read_regular(os.path.join(git_dir, "commondir"))).strip() if git_dir else ""
    except UnreadableError:
        return git_dir
    return os.path.normpath(os.path.join(git_dir, shared))
