"""What the browser tests share: the rendered pages, their documents, and one browser for all of them."""

import base64
import json
import os
import struct
import tempfile
import unittest
from pathlib import Path

from driver import Browser

ROOT = Path(os.environ.get("REPORT_PAGES", Path(__file__).resolve().parents[4] / "target/report"))
PICTURES = ROOT.parent / "screenshots"
PANELS = ["warnings", "clusters", "markers", "heat", "map", "views", "corruption", "convergence", "scores", "sure", "samples"]


def document(name):
    return json.loads((ROOT / f"documents/{name}.json").read_text(encoding="utf-8"))


def unpacked(packed):
    letter, size = {"u8": ("B", 1), "u16": ("H", 2)}[packed["type"]]
    data = base64.b64decode(packed["data"])
    return struct.unpack(f"<{len(data) // size}{letter}", data)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = Browser(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def open(self, name, width=1280, height=900, shade="light"):
        self.browser.size(width, height)
        self.browser.media("", prefers_color_scheme=shade, prefers_reduced_motion="reduce")
        return self.browser.open(ROOT / f"pages/{name}.html")

    def quiet(self):
        """No message on the console and no request but for the file itself."""
        self.assertEqual(self.browser.problems(), [])

    def text(self, selector):
        return self.browser.script("return document.querySelector(arguments[0]).textContent", selector)

    def texts(self, selector):
        return self.browser.script("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def count(self):
        """The number of rows that the table of samples says it shows."""
        return int(self.browser.script("return document.querySelector('#samples table').getAttribute('aria-rowcount')")) - 1

    def said(self):
        """What screen readers were told last."""
        return self.text("#announcer")

    def fingerprint(self, selector):
        """The pixels of a canvas, short: equal when the picture is equal."""
        return self.browser.script("""
            const canvas = document.querySelector(arguments[0]);
            const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {willReadFrequently: true});
            copy.drawImage(canvas, 0, 0);
            const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
            let hash = 7, colours = new Set();
            for (const word of new Uint32Array(data.buffer)) { hash = (hash * 31 + word) | 0; colours.add(word); }
            return [hash, colours.size];""", selector)

    def settle(self):
        """Waits until what was asked to be drawn is drawn."""
        self.browser.post("/execute/async", {"script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))", "args": []})

    def choose(self, legend, title):
        """Picks a choice by the words on it."""
        self.browser.script("""
            const set = [...document.querySelectorAll('fieldset.choices')].find(f => f.querySelector('legend').textContent === arguments[0]);
            [...set.querySelectorAll('label')].find(l => l.textContent === arguments[1]).querySelector('input').click();""", legend, title)
        self.settle()

    def map_box(self):
        self.browser.script("document.querySelector('#map canvas').scrollIntoView({block: 'center', behavior: 'instant'})")
        return self.browser.box("#map canvas")
