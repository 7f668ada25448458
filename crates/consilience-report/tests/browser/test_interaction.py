"""Hover, selection, search, sort, export, keyboard and touch; hostile names do nothing."""

import csv
import io
import unittest

from pages import PICTURES, PageTest, document, unpacked


class Interaction(PageTest):
    def hover_some_sample(self):
        """Moves over the map until a sample answers; returns the place."""
        box = self.map_box()
        for step in range(12, 400):
            x, y = box["x"] + box["width"] * ((step * 0.381966) % 1), box["y"] + box["height"] * (0.1 + 0.8 * ((step * 0.7548) % 1))
            self.browser.move(x, y)
            if not self.browser.script("return document.querySelector('#tooltip').hidden"):
                return x, y
        self.fail("no sample was found on the map")

    def test_hover_shows_the_sample(self):
        self.open("digits")
        self.hover_some_sample()
        made = document("digits")
        sample = int(self.text("#tooltip .first")) - 1
        facts = dict(zip(self.texts("#tooltip dt"), self.texts("#tooltip dd")))
        self.assertEqual(facts["cluster"], str(unpacked(made["samples"]["cluster"])[sample]))
        self.assertEqual(facts["class"], made["truth"]["classes"][unpacked(made["samples"]["truth"])[sample]])
        self.assertAlmostEqual(float(facts["confidence"]), unpacked(made["samples"]["confidence"])[sample] / 255, delta=0.006)
        self.quiet()

    def test_cluster_filters_everything(self):
        self.open("digits")
        sizes = [cluster["size"] for cluster in document("digits")["clusters"]]
        heat, points = self.fingerprint("#heat canvas"), self.fingerprint("#map canvas")
        self.browser.click(".group[data-cluster='3']")
        self.settle()
        self.assertEqual(self.count(), sizes[3])
        self.assertEqual(set(self.texts("#samples tbody tr:not(.spacer) td:nth-child(2)")), {"3"})
        self.assertIn(f"{sizes[3]} of 2,000 samples selected", self.said())
        self.assertNotEqual(self.fingerprint("#heat canvas"), heat)
        self.assertNotEqual(self.fingerprint("#map canvas"), points)
        self.assertIn(f"0 of {sizes[0]}", self.text(".group[data-cluster='0']"))
        self.assertEqual(self.texts("#map .legend [aria-pressed=true]"), ["Cluster 3"])
        self.browser.click(".group[data-cluster='5']", shift=True)
        self.assertEqual(self.count(), sizes[3] + sizes[5])
        self.map_box()
        self.settle()
        self.browser.picture(PICTURES / "digits_selection.png", whole=False)
        self.browser.keys("Escape")
        self.settle()
        self.assertEqual(self.count(), 2000)
        self.assertEqual(self.fingerprint("#heat canvas"), heat)
        self.quiet()

    def test_click_on_the_map_selects_the_cluster(self):
        self.open("digits")
        place = self.hover_some_sample()
        cluster = int(self.text("#tooltip dd"))
        self.browser.drag([place])
        self.settle()
        self.assertEqual(self.count(), document("digits")["clusters"][cluster]["size"])

    def test_rectangle_and_lasso(self):
        self.open("digits")
        made = document("digits")["samples"]
        middle = (min(unpacked(made["x"])) + max(unpacked(made["x"]))) / 2
        box = self.map_box()
        left, top, right, low = box["x"] + 2, box["y"] + 2, box["x"] + box["width"] / 2, box["y"] + box["height"] - 2
        for mode, path in (("select a rectangle", [(left, top), (right, low)]), ("lasso", [(left, top), (right, top), (right, low), (left, low)])):
            self.choose("Drag to", mode)
            self.map_box()
            self.browser.drag(path)
            self.settle()
            # the left half of the picture is the left half of the layout, up to a pixel
            self.assertAlmostEqual(self.count(), sum(x < middle for x in unpacked(made["x"])), delta=12)
            self.assertIn("selected", self.said())
            self.browser.keys("Escape")
        self.quiet()

    def test_zoom_by_wheel_buttons_keys_and_pinch(self):
        self.open("digits")
        box = self.map_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        home = self.fingerprint("#map canvas")
        self.browser.wheel(x, y, -200)
        self.settle()
        self.assertEqual(self.fingerprint("#map canvas"), home, "the wheel scrolls the page until the map is clicked")
        self.map_box()
        self.browser.script("document.querySelector('#map canvas').focus()")
        for act in (lambda: self.browser.wheel(x, y, -300), lambda: self.browser.keys("+", "ArrowLeft"), lambda: self.browser.click("#map .zoom button"), self.pinch):
            act()
            self.settle()
            self.assertNotEqual(self.fingerprint("#map canvas"), home)
            self.browser.script("document.querySelector('#map canvas').focus()")
            self.browser.keys("0")
            self.settle()
            self.assertEqual(self.fingerprint("#map canvas"), home)
        self.browser.keys("+", "+", "+", "v")
        self.assertLess(self.count(), 2000)
        self.quiet()

    def pinch(self):
        box = self.map_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        points = lambda spread: [{"x": x - spread, "y": y, "id": 1}, {"x": x + spread, "y": y, "id": 2}]
        self.browser.devtools("Input.dispatchTouchEvent", type="touchStart", touchPoints=points(40))
        for spread in (60, 90, 130):
            self.browser.devtools("Input.dispatchTouchEvent", type="touchMove", touchPoints=points(spread))
        self.browser.devtools("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def test_colours_of_the_map(self):
        self.open("digits")
        seen = {self.fingerprint("#map canvas")[0]}
        for title in ("class", "view disagreement", "doubt"):
            self.choose("Colour by", title)
            seen.add(self.fingerprint("#map canvas")[0])
        self.assertEqual(len(seen), 4)
        before = self.fingerprint("#heat canvas")
        self.choose("Order", "by class")
        self.assertNotEqual(self.fingerprint("#heat canvas"), before)
        self.quiet()

    def test_confusion_and_histogram_select(self):
        self.open("digits")
        confusion = document("digits")["truth"]["confusion"]
        self.browser.click("#scores tbody tr:nth-child(3) td:nth-child(4) button, #scores tbody tr:nth-child(3) td:nth-of-type(3) button")
        self.assertEqual(self.count(), confusion[2][2])
        self.browser.click("#select-doubtful")
        self.assertEqual(self.count(), sum(value >= 77 for value in unpacked(document("digits")["samples"]["doubt"])))
        self.browser.click("#select-unstable")
        self.assertEqual(self.count(), sum(value < 153 for value in unpacked(document("digits")["samples"]["stability"])))

    def test_search_sort_export(self):
        self.open("n20000")
        made = document("n20000")["samples"]
        self.browser.type("#search", "cell_0123")
        self.browser.until("document.querySelector('#samples table').getAttribute('aria-rowcount') === '101'")
        for direction in ("ascending", "descending"):
            self.browser.click("#samples thead th:nth-child(4) button")
            self.assertEqual(self.browser.script("return document.querySelector('#samples thead th:nth-child(4)').getAttribute('aria-sort')"), direction)
            shown = [float(text) for text in self.texts("#samples tbody tr:not(.spacer) td:nth-child(4)")]
            self.assertEqual(shown, sorted(shown, reverse=direction == "descending"))
        self.browser.click("#export")
        rows = list(csv.DictReader(io.StringIO(self.browser.downloaded("n20000_samples.csv").decode(), newline="")))
        self.assertEqual(len(rows), 100)
        for row in rows:
            sample = made["ids"].index(row["sample"])
            self.assertEqual(int(row["cluster"]), unpacked(made["cluster"])[sample])
            self.assertAlmostEqual(float(row["confidence"]), unpacked(made["confidence"])[sample] / 255, delta=0.001)
        self.quiet()

    def test_long_table_scrolls_to_its_end(self):
        self.open("n100000")
        self.assertLess(len(self.texts("#samples tbody tr")), 60)
        self.browser.click("#samples thead th:nth-child(1) button")
        self.browser.script("document.querySelector('#samples .rows').scrollTop = 1e9")
        self.settle()
        last = max(document("n100000")["samples"]["ids"])
        self.assertEqual(self.texts("#samples tbody tr:not(.spacer) td:nth-child(1)")[-1], last)
        self.quiet()

    def test_keyboard(self):
        self.open("digits")
        sizes = [cluster["size"] for cluster in document("digits")["clusters"]]
        self.browser.keys("Tab")
        self.assertEqual(self.browser.script("return document.activeElement.className"), "skip")
        self.browser.script("document.querySelector('.group').focus()")
        self.browser.keys("ArrowDown", "ArrowDown", "Enter")
        self.assertEqual(self.count(), sizes[2])
        self.assertNotEqual(self.browser.script("return getComputedStyle(document.activeElement).outlineStyle"), "none")
        self.browser.keys("Escape")
        self.browser.script("document.querySelector('#heat canvas').focus()")
        self.browser.keys("ArrowRight")
        self.assertIn("Clusters 0 and 1: mean affinity", self.said())
        self.browser.keys("Enter")
        self.assertEqual(self.count(), sizes[0] + sizes[1])
        self.browser.keys("Escape")
        self.browser.script("document.querySelector('#map canvas').focus()")
        self.browser.keys(".", ".")
        self.assertIn("Sample 2: cluster", self.said())
        self.browser.keys("Enter")
        self.assertEqual(self.count(), sizes[unpacked(document("digits")["samples"]["cluster"])[1]])
        self.browser.keys("Escape")
        self.browser.script("document.querySelector('#samples table').focus()")
        self.browser.keys("End")
        self.assertEqual(self.text("#samples tbody tr[aria-selected=true] td"), "2000")
        self.browser.script("document.querySelector('#sure .bin').focus()")
        self.browser.keys("ArrowRight", "Enter")
        self.assertIn("doubt 0.05 to 0.10", self.said())
        self.quiet()

    def test_every_control_is_reached_by_tab(self):
        self.open("digits")
        reached = set()
        for _ in range(160):
            self.browser.keys("Tab")
            reached.add(self.browser.script("const e = document.activeElement; return e.closest('.panel')?.id ?? e.closest('[id]')?.id ?? e.tagName"))
        for panel in ("theme", "clusters", "heat", "map", "corruption", "convergence", "scores", "sure", "samples"):
            self.assertIn(panel, reached)

    def test_hostile_names_do_nothing(self):
        self.open("hostile")
        made = document("hostile")
        self.assertIsNone(self.browser.dialog())
        self.assertIsNone(self.browser.script("return window.pwned"))
        self.assertEqual(self.browser.script("return document.querySelectorAll('main img, main script, main em, main a, main i:not(.track > i)').length"), 0)
        self.assertEqual(self.text("h1"), made["name"])
        shown = self.texts("#samples tbody tr:not(.spacer) td:nth-child(1)")
        self.assertEqual([text if text != "(empty)" else "" for text in shown][:15], made["samples"]["ids"][:15])
        self.hover_some_sample()
        self.choose("Colour by", "class")
        self.choose("Order", "by class")
        for guarded in (True, False):
            self.browser.click("#export")
            rows = list(csv.reader(io.StringIO(self.browser.downloaded("_script_window.pwned_6_script__samples.csv").decode(), newline="")))
            ids = [row[0] for row in rows[1:]]
            plain = made["samples"]["ids"]
            self.assertEqual(ids, [f"'{i}" if guarded and i[:1] in ("=", "@", "-", "+") else i for i in plain])
            self.browser.click("#guard")
        self.browser.script("document.querySelectorAll('details').forEach(d => d.open = true); document.querySelectorAll('.group, .legend button').forEach(b => b.click())")
        self.assertIsNone(self.browser.script("return window.pwned"))
        self.assertIsNone(self.browser.dialog())
        self.browser.picture(PICTURES / "hostile_light.png")
        self.quiet()


class Comparison(PageTest):
    def test_runs_side_by_side(self):
        self.open("comparison")
        self.assertEqual(self.browser.script("return [...document.querySelectorAll('main > .panel')].map(p => p.id)"), ["samples-differ", "measures", "pairwise", "flow", "moved", "settings"])
        self.assertIn("lambda1", self.text("#settings"))
        self.assertIn("have no ids", self.text("#samples-differ"))
        self.assertEqual(self.texts("#pairwise .matrix tbody tr:nth-child(2) td")[1], "1.000")
        for words in ("noise added", "content of the files", "bababababa"):
            self.assertIn(words, self.text("#settings"))
        first, second = (unpacked(document(name)["samples"]["cluster"]) for name in ("digits", "digits_seed"))
        moved = sum((a + 1) % 10 != b for a, b in zip(first, second))
        self.assertIn(f"{moved} samples of 2,000", self.text("#flow li"))
        self.assertGreater(len(self.texts("#flow path.ribbon")), 20)
        rows = int(self.browser.script("return document.querySelector('#moved table').getAttribute('aria-rowcount')")) - 1
        self.assertGreaterEqual(rows, moved)
        self.browser.picture(PICTURES / "comparison_light.png")
        self.browser.click("#export")
        exported = self.browser.downloaded("moved_samples.csv").decode().splitlines()
        self.assertEqual(len(exported), rows + 1)
        self.quiet()

    def test_tabs_open_the_runs(self):
        self.open("comparison")
        self.browser.script("[...document.querySelectorAll('.tabs button')].find(b => b.textContent === 'digits_seed').click()")
        self.settle()
        self.assertEqual(self.text("h1"), "digits_seed")
        self.browser.click(".group[data-cluster='1']")
        self.assertEqual(self.count(), document("digits_seed")["clusters"][1]["size"])
        self.browser.script("[...document.querySelectorAll('.tabs button')].find(b => b.textContent === 'Comparison').click()")
        self.assertIn("3 runs side by side", self.text("h1"))
        self.quiet()

    def test_runs_on_the_same_files_need_no_ids(self):
        self.open("same_files")
        self.assertEqual(self.texts("#samples-differ"), [])
        self.assertIn("1 setting differs", self.text("#settings"))
        self.assertIn("restarts", self.text("#settings table"))
        self.quiet()

    def test_runs_that_cannot_be_paired(self):
        self.open("unpaired")
        self.assertIn("cannot be paired", self.text("#moved"))
        self.quiet()


if __name__ == "__main__":
    unittest.main()
