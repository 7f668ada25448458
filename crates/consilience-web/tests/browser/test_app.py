"""The page that `make app` makes, in Chromium, from its file: what a person does with it, and what it says when something is wrong."""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "crates/consilience-report/tests/browser"))

from driver import ELEMENT, Browser  # noqa: E402

APP = Path(os.environ.get("APP", ROOT / "target/app/consilience.html"))
PROGRAM = os.environ.get("CONSILIENCE", str(ROOT / "target/debug/consilience"))
PICTURES = ROOT / "target/screenshots"


def table(path, seed, width, order, shift):
    """A CSV of 60 samples in three groups, in the order given."""
    draw = random.Random(seed)
    rows = {i: [draw.gauss(shift * (i % 3) * (1 if j % 2 else -1), 1) for j in range(width)] for i in range(60)}
    lines = ["patient," + ",".join(f"f{j}" for j in range(width))]
    lines += [f"p{i:02d}," + ",".join(f"{x:.4f}" for x in rows[i]) for i in order]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


class App(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.place = Path(cls.folder.name)
        (cls.place / "downloads").mkdir()
        cls.browser = Browser(cls.place / "downloads")
        table(cls.place / "rna.csv", 1, 8, range(60), 3)
        table(cls.place / "protein.csv", 2, 5, reversed(range(60)), 3)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def setUp(self):
        self.browser.size(1280, 900)
        self.browser.media("", prefers_color_scheme="light", prefers_reduced_motion="reduce")
        self.browser.open(APP)

    def text(self, selector):
        return self.browser.script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def give(self, zone, *paths):
        self.browser.type(f"#{zone}-input", "\n".join(str(path) for path in paths))

    def drop(self, *paths):
        """Drops files onto the zone, as the mouse does."""
        files = [[path.name, path.read_text(encoding="utf-8")] for path in paths]
        self.browser.script("""
            const data = new DataTransfer();
            for (const [name, text] of arguments[0]) data.items.add(new File([text], name));
            document.querySelector('#files-drop').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));""", files)

    def looked(self, count):
        self.browser.until(f"document.querySelectorAll('.file').length === {count} && document.querySelectorAll('.file p, .file li').length >= {count}")

    def k(self, number, selector="#k"):
        self.browser.script("document.querySelector(arguments[0]).value = arguments[1]", selector, str(number))

    def run_it(self, k, button="#run"):
        self.browser.click(button)
        self.browser.until(f"/^{k} clusters? of/.test(document.querySelector('#summary h2')?.textContent ?? '')", 120)

    def examined(self):
        self.browser.until("document.querySelector('#report[data-shown]')", 180)

    def in_report(self, code):
        """What a script says inside the frame of the report, once that is drawn."""
        # a frame that is out of sight is not drawn
        self.browser.script("document.querySelector('#report').scrollIntoView()")
        self.browser.post("/frame", {"id": {ELEMENT: self.browser.find("#report")}})
        try:
            self.browser.until("performance.getEntriesByName('ready').length === 1")
            return self.browser.script(code)
        finally:
            self.browser.post("/frame", {"id": None})

    def labels(self):
        self.browser.click("[data-file='labels.csv']")
        rows = self.browser.downloaded("labels.csv").decode().strip().split("\n")[1:]
        return [(row.split(",")[0], int(row.split(",")[1])) for row in rows]

    def quiet(self):
        self.assertEqual(self.browser.problems(), [])

    def test_two_tables_from_drop_to_folder(self):
        self.drop(self.place / "rna.csv", self.place / "protein.csv")
        self.looked(2)
        self.assertIn("60 samples × 8 features", self.text("[data-name='rna.csv']"))
        self.assertIn("ids such as p59", self.text("[data-name='protein.csv']"))
        self.k(3)
        self.run_it(3)
        found = self.labels()
        # samples of one group are those whose numbers leave the same rest
        self.assertEqual(len({(int(sample[1:]) % 3, label) for sample, label in found}), 3)
        self.examined()
        self.browser.picture(PICTURES / "app_result.png", whole=False)
        self.assertEqual(self.in_report("return document.querySelectorAll('#clusters .group').length"), 3)
        # another k by the button beside the answer, without a view
        self.k(2, "#again-k")
        self.browser.script("[...document.querySelectorAll('#again label')].find(l => l.textContent.includes('protein')).querySelector('input').click()")
        self.run_it(2, "#again button")
        self.assertEqual({label for _, label in self.labels()}, {0, 1})
        self.assertIn("Views: rna (weight 1.00)How", self.text("#summary"))
        self.examined()
        # what the page gives is a run that the program reads
        self.browser.click("[data-file='run.zip']")
        archive = self.place / "run.zip"
        archive.write_bytes(self.browser.downloaded("run.zip"))
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(self.place / "unpacked")
        folder = self.place / "unpacked/run"
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        self.assertEqual((record["k"], [view["name"] for view in record["views"]]), (2, ["rna"]))
        for words in (["report", folder], ["cut", folder, "-k", "1"], ["predict", folder, self.place / "rna.csv"]):
            subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, cwd=self.place)
        # and everything works again after a reload
        self.browser.open(APP)
        self.assertEqual(self.text(".file"), "")
        self.give("files", self.place / "rna.csv", self.place / "protein.csv")
        self.looked(2)
        self.k(3)
        self.run_it(3)
        self.assertEqual(self.labels(), found)
        self.examined()
        self.quiet()

    def test_example_groups_and_new_samples(self):
        self.browser.click("#example-tumours")
        self.looked(4)
        self.browser.picture(PICTURES / "app_files.png", whole=False)
        self.run_it(4)
        self.examined()
        self.browser.script("const level = document.querySelector('#level'); level.value = '3'; level.dispatchEvent(new Event('change'))")
        self.browser.until("document.querySelectorAll('table.groups tbody tr').length === 3")
        self.browser.script("[...document.querySelectorAll('table.groups input[type=checkbox]')].slice(0, 2).forEach(box => box.click())")
        self.browser.click("#join-groups")
        self.browser.script("const name = document.querySelector('table.groups input[type=text]'); name.value = '=mine'; name.dispatchEvent(new Event('input'))")
        self.browser.script("document.querySelector('#groups').scrollIntoView()")
        self.browser.picture(PICTURES / "app_groups.png", whole=False)
        self.browser.click("#save-groups")
        rows = [row.split(",") for row in self.browser.downloaded("groups.csv").decode().strip().split("\r\n")]
        self.assertEqual((rows[0], len(rows), {row[1] for row in rows[1:]}), (["sample", "group", "label", "confidence"], 241, {"'=mine", rows[-1][1]} | {row[1] for row in rows[1:]}))
        self.assertEqual(len({row[1] for row in rows[1:]}), 2)
        self.assertIn("'=mine", {row[1] for row in rows[1:]})
        table(self.place / "expression.csv", 5, 120, range(60), 1)
        text = (self.place / "expression.csv").read_text(encoding="utf-8").split("\n")
        text[0] = "sample," + ",".join(f"gene-{j + 1:03d}" for j in range(120))
        (self.place / "expression.csv").write_text("\n".join(text), encoding="utf-8")
        self.give("place", self.place / "expression.csv")
        self.browser.until("document.querySelector('#placing .file')")
        self.browser.click("#place")
        self.browser.until("document.querySelector('#save-places')")
        self.assertIn("60 samples placed", self.text("#placed"))
        self.browser.click("#save-places")
        self.assertEqual(len(self.browser.downloaded("predictions.csv").decode().strip().split("\n")), 61)
        self.quiet()

    def test_what_is_wrong_is_said(self):
        (self.place / "broken.npz").write_bytes(b"PK\x03\x04 this is no archive")
        (self.place / "words.csv").write_text("id,colour\na,red\nb,blue\n", encoding="utf-8")
        (self.place / "holes.csv").write_text("patient,x,y\n" + "".join(f"p{i:02d},{i},{'' if i == 3 else i * i}\n" for i in range(30)), encoding="utf-8")
        (self.place / "empty.csv").write_text("", encoding="utf-8")
        self.give("files", self.place / "broken.npz", self.place / "words.csv", self.place / "holes.csv", self.place / "empty.csv")
        self.looked(4)
        self.assertIn("broken.npz", self.text("[data-name='broken.npz'] .problem"))
        self.assertIn("the file is empty", self.text("[data-name='empty.csv'] .problem"))
        self.assertIn("about the samples", self.browser.script("return document.querySelector(\"[data-name='words.csv'] select\").selectedOptions[0].textContent"))
        self.assertIn("1 missing value", self.text("[data-name='holes.csv']"))
        self.k(3)
        self.browser.click("#run")
        self.browser.until("document.querySelector('#options .problem')")
        said = self.text("#options .problem")
        self.assertIn("What to do: under “Missing values”", said)
        self.browser.picture(PICTURES / "app_wrong.png")
        # a number that is none, and then the way that was named
        self.k("many")
        self.browser.click("#run")
        self.browser.until("/is no range/.test(document.querySelector('#options .problem')?.textContent)")
        self.k(3)
        self.browser.script("document.querySelector('#missing').value = 'impute'")
        self.browser.script("for (const name of ['words.csv']) { const s = document.querySelector(`[data-name='${name}'] select`); s.value = 'off'; s.dispatchEvent(new Event('change')); }")
        self.run_it(3)
        self.quiet()

    def test_stop_and_run_again(self):
        self.browser.click("#example-digits")
        self.looked(1)
        self.browser.click("#run")
        self.browser.until("document.querySelector('.stop')")
        time.sleep(0.3)
        self.browser.click(".stop")
        self.browser.until("/Stopped/.test(document.querySelector('#options').textContent)")
        began = time.monotonic()
        self.run_it(10)
        seconds = self.browser.script("return document.querySelector('#summary p').textContent")
        print(f"digits in Chromium: {seconds[:24]}; {time.monotonic() - began:.1f} s with everything but the report")
        # the examination can be stopped too: what was there before it is still there
        self.browser.until("document.querySelector('#report-panel .stop')")
        self.browser.click("#report-panel .stop")
        self.browser.until("/Stopped/.test(document.querySelector('#report-panel').textContent)")
        self.assertEqual(len(self.labels()), 2000)
        self.assertTrue(self.browser.script("return document.querySelector(\"[data-file='run.zip']\").disabled"))
        self.quiet()


if __name__ == "__main__":
    unittest.main()
