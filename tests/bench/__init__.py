"""Benches: what pytest gives to tests (the runtime on the path, its tables rendered) they have from here."""

import atexit
import shutil
import sys
import tempfile
from pathlib import Path

from tests.built import add_tables
from tests.kit.names import RUNTIME

_FOLDER = tempfile.mkdtemp(prefix="ultra-bench-tables-")
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)
sys.path.insert(0, str(RUNTIME))
add_tables(Path(_FOLDER))
