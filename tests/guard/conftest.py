"""Let the tests import the runtime from its sources."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "plugin_src" / "runtime"))
