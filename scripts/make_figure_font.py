#!/usr/bin/env python3
"""Cut the fonts of crates/consilience-figures down to what charts need, and print the table of advance widths in text.rs.

    pip install fonttools
    apt-get download fonts-croscore && dpkg -x fonts-croscore_*.deb croscore
    scripts/make_figure_font.py croscore/usr/share/fonts/truetype/croscore crates/consilience-figures/assets

Hints, kerning and ligatures are dropped: pictures are drawn unhinted, and text.rs adds up advance widths only.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

SYMBOLS = "\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026\u2190\u2191\u2192\u2193\u2212\u221e\u2248\u2260\u2264\u2265\u25a0\ufffd"
CHARACTERS = [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x391, 0x3CA), *map(ord, SYMBOLS)]


def main(source: Path, target: Path) -> None:
    for weight in ("Regular", "Bold"):
        options = subset.Options(hinting=False, layout_features=[], notdef_outline=True)
        options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]  # the licence travels with the font
        options.drop_tables += ["GPOS", "GSUB", "GDEF", "kern", "DSIG", "FFTM", "meta"]
        font = subset.load_font(str(source / f"Arimo-{weight}.ttf"), options)
        cutter = subset.Subsetter(options)
        cutter.populate(unicodes=CHARACTERS)
        cutter.subset(font)
        path = target / f"Arimo-{weight}.ttf"
        subset.save_font(font, str(path), options)
        print(path, path.stat().st_size, "bytes")

    font = TTFont(target / "Arimo-Regular.ttf")
    widths, cmap, em = font["hmtx"], font.getBestCmap(), font["head"].unitsPerEm
    print([round(1000 * widths[cmap[code]][0] / em) for code in range(0x20, 0x7F)])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
