#!/usr/bin/env python3
"""Draw icon.png beside this file: three steps that climb to a tick. Standard library only.

Run it after a change and commit both; the picture is a source, so that every build ships the same bytes.
"""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

SIZE = 512
Point = tuple[float, float]
Colour = tuple[int, int, int]
Distance = Callable[[float, float], float]

NIGHT: Colour = (24, 28, 46)
DUSK: Colour = (58, 47, 107)
STEPS: tuple[tuple[Point, Colour], ...] = (
    ((112.0, 344.0), (109, 129, 255)),
    ((212.0, 284.0), (124, 196, 255)),
    ((312.0, 224.0), (140, 240, 208)),
)
TICK: tuple[Point, ...] = ((300.0, 136.0), (338.0, 172.0), (408.0, 96.0))


def rounded_box(centre: Point, half: Point, radius: float) -> Distance:
    """Return the signed distance to a box with round corners: negative inside."""

    def distance(x: float, y: float) -> float:
        dx = abs(x - centre[0]) - half[0] + radius
        dy = abs(y - centre[1]) - half[1] + radius
        outside = (max(dx, 0.0) ** 2 + max(dy, 0.0) ** 2) ** 0.5
        return outside + min(max(dx, dy), 0.0) - radius

    return distance


def stroke(points: tuple[Point, ...], width: float) -> Distance:
    """Return the signed distance to a line through points with round ends."""

    def to_segment(x: float, y: float, a: Point, b: Point) -> float:
        ax, ay, bx, by = x - a[0], y - a[1], b[0] - a[0], b[1] - a[1]
        along = min(1.0, max(0.0, (ax * bx + ay * by) / (bx * bx + by * by)))
        return float(((ax - bx * along) ** 2 + (ay - by * along) ** 2) ** 0.5)

    def distance(x: float, y: float) -> float:
        return min(to_segment(x, y, a, b) for a, b in pairwise(points)) - width / 2

    return distance


def blend(under: Colour, over: Colour, share: float) -> Colour:
    """Mix two colours."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(under, over, strict=True))
    return red, green, blue


def pixels(shapes: Sequence[tuple[Distance, Colour]]) -> bytes:
    """Return the picture row by row, RGBA: the shapes on a dark card."""
    card = rounded_box((256.0, 256.0), (248.0, 248.0), 104.0)
    rows = bytearray()
    for row in range(SIZE):
        y = row + 0.5
        for column in range(SIZE):
            x = column + 0.5
            cover = min(1.0, max(0.0, 0.5 - card(x, y)))
            colour = blend(DUSK, NIGHT, y / SIZE)
            for distance, paint in shapes if cover else ():
                share = min(1.0, max(0.0, 0.5 - distance(x, y)))
                if share:
                    colour = blend(colour, paint, share)
            rows += bytes((*colour, round(255 * cover)))
    return bytes(rows)


def png(rgba: bytes) -> bytes:
    """Return a PNG file of the picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    width = SIZE * 4
    # Filter 1 (difference to the pixel on the left) turns flat areas into zeros.
    lines = bytearray()
    for start in range(0, len(rgba), width):
        line = rgba[start : start + width]
        lines += b"\1" + line[:4] + bytes((line[n] - line[n - 4]) & 255 for n in range(4, width))
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(lines), 9))
        + chunk(b"IEND", b"")
    )


def steps_and_tick() -> list[tuple[Distance, Colour]]:
    """Return the shapes of this icon."""
    steps = [
        (rounded_box((x + 44, (y + 424) / 2), (44.0, (424 - y) / 2), 16.0), colour)
        for (x, y), colour in STEPS
    ]
    return [*steps, (stroke(TICK, 34.0), (255, 255, 255))]


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("icon.png")
    target.write_bytes(png(pixels(steps_and_tick())))
    print(target)
