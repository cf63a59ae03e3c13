"""Let stories use the repositories of the executor's tests, which read the policy with the runtime."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "plugin_src" / "runtime"))
