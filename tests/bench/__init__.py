"""Benches: what pytest gives to tests (the runtime on the path, its tables rendered) they have from here."""

import atexit
import shutil
import sys
import tempfile
from pathlib import Path

from tests.built import use_tables, write_tables
from tests.kit.names import RUNTIME

_FOLDER = tempfile.mkdtemp(prefix="ultra-bench-tables-")
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)
sys.path.insert(0, str(RUNTIME))
write_tables(Path(_FOLDER))
use_tables(Path(_FOLDER))
