#!/usr/bin/env python3
"""Draw icon.png beside this file: one box that two others rest on. Run it after a change and commit both."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
flagship = next(path.parents[1] for path in HERE.parents[1].glob("*/templates/brief.md.j2"))
sys.path.insert(0, str(flagship / "icon"))
from draw import pixels, png, rounded_box, stroke  # noqa: E402

LINE = (255, 255, 255)
SHAPES = [
    (stroke(((176.0, 196.0), (176.0, 316.0)), 20.0), LINE),
    (stroke(((336.0, 196.0), (336.0, 316.0)), 20.0), LINE),
    (rounded_box((176.0, 156.0), (64.0, 52.0), 18.0), (124, 196, 255)),
    (rounded_box((336.0, 156.0), (64.0, 52.0), 18.0), (140, 240, 208)),
    (rounded_box((256.0, 356.0), (144.0, 52.0), 18.0), (109, 129, 255)),
]

if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "icon.png"
    target.write_bytes(png(pixels(SHAPES)))
    print(target)
