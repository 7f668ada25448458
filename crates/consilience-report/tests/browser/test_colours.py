"""The page's colours: told apart by colour-blind readers, and readable on their ground. Needs no browser."""

import itertools
import re
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "page"

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB
BLINDNESS = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour):
    values = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def seen(colour, matrix):
    rgb = linear(colour)
    return [min(1, max(0, sum(m * v for m, v in zip(row, rgb)))) for row in matrix]


def lab(rgb):
    """Oklab of linear RGB, times 100."""
    r, g, b = rgb
    l, m, s = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b, 0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b,
               0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    l, m, s = (v ** (1 / 3) for v in (l, m, s))
    return (100 * (0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s), 100 * (1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s),
            100 * (0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s))


def luminance(colour):
    r, g, b = linear(colour)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def palette(name):
    source = (PAGE / "script/palette.js").read_text()
    return re.findall(r"#[0-9a-f]{6}", re.search(rf"const {name} = \[(.*?)\]", source, re.S).group(1))


def on_dark(colours):
    source = (PAGE / "script/palette.js").read_text()
    black, instead = re.search(r'colour === "(#[0-9a-f]{6})" && shade === "dark" \? "(#[0-9a-f]{6})"', source).groups()
    return [instead if colour == black else colour for colour in colours]


def variables(selector):
    source = (PAGE / "style/base.css").read_text()
    block = source[source.index(selector):]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block[:block.index("}")]))


class Colours(unittest.TestCase):
    def least_distance(self, colours, matrix):
        points = [lab(seen(colour, matrix)) for colour in colours]
        return min(sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5 for a, b in itertools.combinations(points, 2))

    def test_up_to_eight_groups_differ_in_colour_alone(self):
        for name, matrix in BLINDNESS.items():
            for colours in (palette("OKABE_ITO"), on_dark(palette("OKABE_ITO"))):
                self.assertGreater(self.least_distance(colours, matrix), 7, name)

    def test_beyond_eight_near_colours_differ_in_shape(self):
        colours = palette("PETROFF")
        for name, matrix in BLINDNESS.items():
            points = [lab(seen(colour, matrix)) for colour in colours]
            for (i, a), (j, b) in itertools.combinations(enumerate(points), 2):
                near = sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5 < 7
                self.assertFalse(near and i % 7 == j % 7, f"groups {i} and {j} under {name}")
        self.assertEqual(len({(g % 10, g % 7) for g in range(70)}), 70)

    def test_scales_change_lightness_in_one_direction(self):
        source = (PAGE / "script/palette.js").read_text()
        scales = re.findall(r"(?:light|dark): \[(.*?)\]", source, re.S)
        self.assertEqual(len(scales), 4)
        for stops in scales:
            light = [luminance(colour) for colour in re.findall(r"#[0-9a-f]{6}", stops)]
            self.assertIn(light, (sorted(light), sorted(light, reverse=True)), stops)

    def test_text_can_be_read_in_both_themes(self):
        for theme in (":root {", ':root[data-shade="dark"] {'):
            colours = variables(theme)
            for ground in ("ground", "surface", "faint", "raised"):
                for text in ("text", "muted"):
                    self.assertGreater(contrast(colours[text], colours[ground]), 4.5, f"{theme} {text} on {ground}")
            self.assertGreater(contrast(colours["accent"], colours["accent-soft"]), 4.5, theme)
            for level in ("good", "fair", "doubtful"):
                self.assertGreater(contrast(colours[level], colours[f"{level}-soft"]), 4.5, f"{theme} {level}")


if __name__ == "__main__":
    unittest.main()
