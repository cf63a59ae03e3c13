"""What the status of a project says of its waves; from small files alone."""

from __future__ import annotations

import os

from ultra_runtime.run.state.run_place import ref_name
from ultra_runtime.run.state.wave_journal import Journal
from ultra_runtime.run.state.wave_state import MERGED, read_wave_state
from ultra_runtime.struct import Struct
from ultra_runtime.words import counted, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.project import Project
    from ultra_runtime.run.state.wave_state import WaveState


class WavesSeen(Struct):
    """The waves of a project, and whether a supervisor serves them."""

    state: WaveState
    lives: bool

    @property
    def words(self) -> str:
        """How they stand, in one line."""
        stands = self.state.sessions.values()
        merged = sum(one.state == MERGED for one in stands)
        how = self.state.result or ("in progress" if self.lives else "interrupted")
        why = f": {one_line(self.state.why[0], 200)}" if self.state.why else ""
        if not self.state.begun:
            return f"not started{why}"
        return f"{how}, {merged} of {counted(len(stands), 'session')} merged{why}"


def waves_of(project: Project, common: str) -> WavesSeen | None:
    """Return the waves of a project in the git dir that its working trees share."""
    journal = Journal(common, ref_name(os.path.basename(project.folder)))
    return WavesSeen(read_wave_state(journal), journal.lives()) if journal.exists() else None
