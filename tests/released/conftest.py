"""Let the comparison read usage lines as the runtime does."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "plugin_src" / "runtime"))
