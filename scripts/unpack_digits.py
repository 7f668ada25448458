"""Takes the digits out of crates/consilience/assets/digits.bin: the inverse of pack_digits.py, for `make bench`.

    python scripts/unpack_digits.py digits.npz
"""

import sys
import zlib
from pathlib import Path

import numpy as np


def joined(planes, columns):
    """Whole numbers from their byte planes, 2000 x columns."""
    planes = planes.reshape(-1, columns, 2000).astype(np.int64)
    return sum(plane << (8 * place) for place, plane in enumerate(planes)).T


packed = Path(__file__).parent.parent / "crates/consilience/assets/digits.bin"
data = np.frombuffer(zlib.decompress(packed.read_bytes()), np.uint8)
fou, codes = joined(data[: 4 * 2000 * 76], 76) / 1e8, joined(data[4 * 2000 * 76 :], 216)
fac = np.cumsum((codes >> 1) ^ -(codes & 1), axis=0)
np.savez_compressed(sys.argv[1], fou=fou, fac=fac.astype(float), labels=np.repeat(np.arange(10), 200))
