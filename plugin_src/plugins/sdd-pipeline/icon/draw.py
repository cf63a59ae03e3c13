#!/usr/bin/env python3
"""Draw icon.png beside this file: the flagship's drawing, with tasks side by side instead of steps that climb."""

from __future__ import annotations

import runpy
from pathlib import Path

flagship = next(path.parent for path in Path(__file__).parents[2].glob("*/templates/brief.md.j2"))
drawing = runpy.run_path(str(flagship.parent / "icon/draw.py"))
drawing["pixels"].__globals__.update(
    NIGHT=(20, 40, 36),
    DUSK=(30, 92, 74),
    STEPS=(
        ((112.0, 224.0), (255, 196, 109)),
        ((212.0, 224.0), (255, 228, 140)),
        ((312.0, 320.0), (140, 240, 208)),
    ),
)
Path(__file__).with_name("icon.png").write_bytes(
    drawing["png"](drawing["pixels"](drawing["steps_and_tick"]()))
)
