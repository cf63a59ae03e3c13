"""Record the session for the README: python -m tests.recording [FILE]."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.built import rendered
from tests.client.binary import PINNED, find
from tests.client.session import Client, Home
from tests.kit.names import ROOT, SOURCES
from tests.recording.film import paced, svg
from tests.recording.session import COLUMNS, ROWS, record

PLACE = ROOT / "docs" / "session.svg"
TITLE = "A recorded session: step 2 fails three times and is undone; the next session resumes the run and completes it"


def main() -> int:
    """Record, write the picture, and return the exit status."""
    binary = find(PINNED)
    if binary is None:
        print(f"recording: client {PINNED} is missing: python tests/client/binary.py fetch", file=sys.stderr)
        return 1
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else PLACE
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bundle = rendered(SOURCES, folder / "rendered")
        _, screens = record(Client(binary, Home.create(folder / "home")), bundle, folder / "greet")
    place.write_text(svg(paced(screens), COLUMNS, ROWS, TITLE).replace(str(folder), "~"), encoding="utf-8")
    print(f"recording: {place}, {place.stat().st_size // 1000} kB", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
