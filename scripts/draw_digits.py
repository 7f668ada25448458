"""Draws the picture in README from the folder that `consilience demo` wrote.

    cargo run --release -- demo && python scripts/draw_digits.py consilience-demo docs/digits.png

Left, how similar the 2000 digits are to each other in random order; right, in the order of the
clusters found. Each pixel is the mean of 5 x 5 pairs; white is alike. Needs numpy.
"""

import struct
import sys
import zlib
from pathlib import Path

import numpy as np

BLOCK = 5


def heat_map(points):
    """Mean cosine similarity of blocks of rows, 0 to 255."""
    blocks = points.reshape(-1, BLOCK, points.shape[1]).mean(1)
    return np.rint(255 * np.clip(blocks @ blocks.T, 0, 1)).astype(np.uint8)


def png(pixels):
    height, width = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


folder, target = Path(sys.argv[1]), Path(sys.argv[2])
points = np.load(folder / "embedding.npy")
labels = np.loadtxt(folder / "labels.csv", delimiter=",", skiprows=1, usecols=1, dtype=int)
shuffled = np.random.default_rng(0).permutation(len(points))
gap = np.full((len(points) // BLOCK, 8), 255, np.uint8)
target.write_bytes(png(np.hstack([heat_map(points[shuffled]), gap, heat_map(points[np.argsort(labels, kind="stable")])])))
