"""Numbers by hand, or from scipy. python3 -m unittest, in this folder."""

import tempfile
import unittest
from pathlib import Path

import pages
import ranks
import results
import tables

HEAD = "set,n,k,views,scale,method,label,parameters,noise,mode,amplitude,draw,seed,status,acc,nmi,revision,note"
REGISTRY = {"m": {"revision": "1.2", "parameters": [["`x`", "X", "1", "a number", "it | is"]]}}


def row(label="m", acc="0.5", set="s", mode="", draw=0, seed=0, status="done", revision="1.2", **more):
    cells = {"n": "9", "method": label, "noise": "0.2" if mode else "0.0", "amplitude": "5.0", "nmi": "0.4", "parameters": ""}
    cells |= {"label": label, "acc": acc, "set": set, "mode": mode, "draw": draw, "seed": seed, "status": status}
    return dict.fromkeys(HEAD.split(","), "") | cells | {"revision": revision} | more


def of(*rows):
    return results.Results(list(rows))


class Numbers(unittest.TestCase):
    def test_seeds_are_averaged_within_draws_first(self):
        rows = [row(acc="0.6", mode="add"), row(acc="0.8", mode="add", seed=1), row(acc="0.9", mode="add", draw=1)]
        score = of(*rows).cell("s", "20 % add", "m").score("acc")
        self.assertAlmostEqual(score.mean, 0.8)
        self.assertAlmostEqual(score.spread, 0.02 ** 0.5)
        self.assertEqual(score[2:], (2, 3))
        # one draw: the spread is that of the seeds
        self.assertAlmostEqual(of(*rows[:2]).cell("s", "20 % add", "m").score("acc").spread, 0.02 ** 0.5)
        self.assertIsNone(results.deviation([4.0]))

    def test_friedman_equals_scipys(self):
        statistic, p = ranks.friedman([[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3], [1, 2, 3]])
        self.assertAlmostEqual(statistic, 6.4)
        self.assertAlmostEqual(p, 0.040762203978)
        statistic, p = ranks.friedman([[1, 2.5, 2.5, 4], [2.5, 2.5, 1, 4], [2, 2, 2, 4], [1, 3, 2, 4]])
        self.assertAlmostEqual(statistic, 9.6176470588)
        self.assertAlmostEqual(p, 0.0221121742)
        self.assertIsNone(ranks.friedman([[1.5, 1.5], [1.5, 1.5]]), "no rank differs")
        for x, freedom, p in [(0.5, 1, 0.47950012), (3.84, 1, 0.05004352), (20, 7, 0.00556968), (1, 4, 0.90979599)]:
            self.assertAlmostEqual(ranks.chi_squared_tail(x, freedom), p)

    def test_ranks_and_groups(self):
        self.assertEqual(ranks.average_ranks([0.9, 0.5, 0.9, None]), [1.5, 3, 1.5, 4])
        # Demsar's example: 4 methods, 14 sets
        self.assertAlmostEqual(ranks.critical_difference(4, 14), 1.2535, 3)
        self.assertIsNone(ranks.critical_difference(31, 5))
        self.assertEqual(ranks.groups([1.0, 1.8, 2.2, 4.0], 1.0), [(0, 2), (1, 3), (3, 4)])
        self.assertEqual(ranks.groups([1.0, 1.5, 1.9, 9.0], 1.0), [(0, 3), (3, 4)])

    def test_failures_rank_last_and_what_was_not_run_is_left_out(self):
        found = of(row("a", "0.9"), row("b", "0.5"), row("c", "0.9"), row("a", "0.7", "t"), row("c", "0.6", "t"),
                   row("b", "", "t", status="failed"), row("d", "1.0"),
                   row("d", "", "t", status="left out", note="n > 2,000"))
        ranking = ranks.Ranking(found, "clean", "acc")
        # s: a and c share 1.5, b 3; t: a 1, c 2, b last
        self.assertEqual([(label, rank) for label, rank, *_ in ranking.methods], [("a", 1.25), ("c", 1.75), ("b", 3)])
        said = " ".join(ranking.sentences())
        self.assertIn("b failed on t: last there.", said)
        self.assertIn("d is not ranked: no run on t (n > 2,000).", said)
        self.assertIn("b (3.00)", ranking.svg())
        self.assertIsNone(ranking.on_common_sets(found), "one set is no ranking")


class Code(unittest.TestCase):
    def test_what_is_of_other_code_is_counted_and_never_mixed(self):
        old = of(row(), row(revision="1.1"), row(revision="1.1"), row("gone", revision="9.9"), row("m", status="absent"))
        self.assertEqual(old.stale(REGISTRY), "2 of `m` (revision 1.1, now 1.2)")
        self.assertEqual(old.mixture(), "`m` of revision 1.1 and 1.2")
        self.assertEqual(of(row("a"), row("b", revision="2.1")).mixture(), "`a` of revision 1.2 and `b` of revision 2.1")
        self.assertEqual(of(row("a"), row("b", revision="1.7")).mixture(), "")


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, lines in [("results/toy", [HEAD, "toy,9,3,a,auto,m,m,,0.0,,0.0,0,0,done,0.75,0.5,1.2,"]),
                            ("facts/f", ["what,acc", "one,78.9", "two,90.1"])]:
            path = Path(folder.name, f"{name}.csv")
            path.parent.mkdir()
            path.write_text("\n".join(lines) + "\n")
        self.sources = tables.Sources(Path(folder.name), REGISTRY)

    def filled(self, text):
        return pages.fill("p.md", text, self.sources)

    def test_what_stands_between_the_marks_is_made_again(self):
        block = lambda head, body: f"x\n<!-- results: {head} -->{body}<!-- end -->\ny"
        for head, body in [
            ("value toy | set=toy | method=m | metric=acc,nmi", "75.0 / 50.0"),
            ("cell f | row=two | column=acc", "90.1"),
            ("facts f", "\n| what | acc |\n|---|---:|\n| one | 78.9 |\n| two | 90.1 |\n"),
            ("pairs toy", "\n|  | toy, clean |\n|---|---:|\n| m | 75.0 / 50.0 |\n"),
            ("parameters m", "\n| name | letter | default | allowed | what it does |\n|---|---|---|---|---|\n"
                             "| `x` | X | 1 | a number | it \\| is |\n"),
        ]:
            self.assertEqual(self.filled(block(head, "stale")), block(head, body))
            self.assertEqual(self.filled(block(head, body)), block(head, body))
        fenced = "```md\n<!-- results: value nothing -->1<!-- end -->\n```\n"
        self.assertEqual(self.filled(fenced), fenced)

    def test_mistakes_are_named_with_their_line(self):
        for head, what in [("value gone", "there is no `gone.csv` in results"), ("pie toy", "unknown results block `pie`"),
                           ("headline toy | colour=red", "unknown option of `headline` `colour`"),
                           ("value toy | set=mars | method=m", "there is no score of m on mars, clean"),
                           ("cell f | row=three | column=acc", "unknown row `three`")]:
            with self.assertRaisesRegex(results.Mistake, f"p.md:2: {what}"):
                self.filled(f"\n<!-- results: {head} -->1<!-- end -->")
        with self.assertRaisesRegex(results.Mistake, "p.md:1: the results block does not end"):
            self.filled("<!-- results: value toy -->1 <!-- results: facts f --><!-- end -->")

    def test_typed_scores_are_seen(self):
        typed = pages.typed_scores("a <!-- results: value x -->94.0 / 88.8<!-- end --> b 1 / 2 and (3.5 / 4.5),\n```\n1.0 / 2.0\n```")
        self.assertEqual(typed, ["3.5 / 4.5"])

    def test_verdicts_and_reasons(self):
        paper = object.__new__(pages.Paper)
        paper.reasons = {"tolerance": 2.0, "reason": [{"set": "s", "text": "a"},
                                                      {"set": "s", "verdict": "exceeded", "text": "b"}]}
        published = {"set": "s", "method": "m", "metric": "acc"}
        judge = lambda value, *rows: paper.verdict(published | {"value": value}, of(*rows).cell("s", "clean", "m"))
        steady, wide = [row(acc="0.8")], [row(acc="0.7"), row(acc="0.9", seed=1)]
        self.assertEqual([judge(value, *steady) for value in ("81.9", "82.1", "77.9")],
                         ["reproduced", "not reproduced", "exceeded"])
        self.assertEqual(judge("90", *wide), "reproduced", "within a standard deviation of 14")
        self.assertEqual([judge("90", row(acc="", status=status)) for status in ("absent", "left out", "failed")] + [judge("90")],
                         ["data not available", "not run", "failed", "not run"])
        self.assertEqual([paper.reason(published, verdict) for verdict in ("exceeded", "failed")], ["b", "a"])
