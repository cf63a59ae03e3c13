"""What the status of a project says about its waves; from small files alone."""

from __future__ import annotations

import os

from ultra_runtime.run.state.run_place import ref_name
from ultra_runtime.run.state.statuses import IN_PROGRESS
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
    def has(self) -> frozenset[int]:
        """The sessions that the journal knows."""
        return frozenset(self.state.sessions)

    @property
    def merged(self) -> frozenset[int]:
        """The sessions that are on the user's branch."""
        return frozenset(number for number, one in self.state.sessions.items() if one.state == MERGED)

    @property
    def status(self) -> str:
        """How they ended, or whether a supervisor is working on them."""
        return self.state.result or (IN_PROGRESS if self.lives else "interrupted")

    @property
    def words(self) -> str:
        """How they stand, in one line."""
        how = self.status.replace("_", " ")
        why = f": {one_line(self.state.why[0], 200)}" if self.state.why else ""
        if not self.state.begun:
            return f"not started{why}"
        return f"{how}, {len(self.merged)} of {counted(len(self.has), 'session')} merged{why}"


def waves_of(project: Project, common: str) -> WavesSeen | None:
    """Return the waves of a project in the git dir that its working trees share."""
    journal = Journal(common, ref_name(os.path.basename(project.folder)))
    return WavesSeen(read_wave_state(journal), journal.lives()) if journal.exists() else None
