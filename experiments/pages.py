"""The ledger of the paper's numbers, and every number that pages take from committed results and facts.

    cargo run -p consilience-lab -- reproduction [--check] [--fresh]     docs/reproduction.md, its figures, README.md, docs/**/*.md
    cargo run -p consilience-lab -- tables FILE.csv                      one file of results, on stdout

The lab's program tells on stdin what methods there are; nothing but Python 3.11 is needed.
"""

import argparse
import collections
import json
import re
import sys
import tomllib
from pathlib import Path

from ranks import Ranking
from results import TITLES, Mistake, Results, read_csv
from tables import Sources, content, grid, headline, pairs, ranks, study

ROOT = Path(__file__).resolve().parent.parent
LEDGER = "docs/reproduction.md"
VERDICTS = ("reproduced", "exceeded", "not reproduced", "data not available", "failed", "not run")
# fenced code, a block, or what begins one and does not end it
PART = re.compile(r"^[ \t]*```|<!-- results: ((?:(?! -->)[^\n])*) -->(?:(?!<!-- results: ).)*?<!-- end -->|<!-- results: ", re.M | re.S)


def fill(page, text, sources):
    """The page with every block made again. Fenced code is left alone."""
    fenced = False

    def again(match):
        nonlocal fenced
        if match[0].lstrip().startswith("```"):
            fenced = not fenced
            return match[0]
        if fenced:
            return match[0]
        try:
            if match[1] is None:
                raise Mistake("the results block does not end: <!-- end -->")
            return f"<!-- results: {match[1]} -->{content(match[1], sources)}<!-- end -->"
        except Mistake as mistake:
            line = text.count("\n", 0, match.start()) + 1
            raise Mistake(f"{page}:{line}: {mistake} (docs/experiments.md lists the kinds of blocks)") from None

    return PART.sub(again, text)


def typed_scores(text):
    """`x.y / x.y` outside of blocks and fenced code: scores that were typed, and grow old unseen."""
    own = "".join(re.split(r"<!-- results: .*?<!-- end -->", text, flags=re.S))
    return [score for part in own.split("```")[::2] for score in re.findall(r"(?<![\w.])\d+\.\d+ / \d+\.\d+", part)]


class Paper:
    """The published numbers, how they are judged, and what is believed to be the reason where ours differ."""

    def __init__(self, experiments):
        head, rows = read_csv(experiments / "paper-numbers.csv")
        self.cells = [dict(zip(head, row)) for row in rows]
        self.reasons = tomllib.loads((experiments / "reasons.toml").read_text())

    def verdict(self, published, ours):
        """What became of a published number, given our runs."""
        if ours is None:
            return "not run"
        score = ours.score(published["metric"])
        if score is None:
            if ours.of("absent"):
                return "data not available"
            return "not run" if ours.of("done") or ours.of("left out") else "failed"
        difference = 100 * score.mean - float(published["value"])
        if abs(difference) <= max(self.reasons["tolerance"], 100 * (score.spread or 0)):
            return "reproduced"
        return "exceeded" if difference > 0 else "not reproduced"

    def reason(self, published, verdict):
        """The reason that says most about a cell: of those that fit the first of those that name most."""
        cell = published | {"verdict": verdict}
        names = lambda reason: [name for name in ("set", "method", "metric", "verdict") if name in reason]
        fitting = [reason for reason in self.reasons["reason"] if all(reason[name] == cell[name] for name in names(reason))]
        return max(fitting, key=lambda reason: len(names(reason)))["text"] if fitting else None

    def account(self, results):
        """How many cells have which verdict."""
        judge = lambda cell: self.verdict(cell, results.cell(cell["set"], self.reasons["condition"], cell["method"]))
        counts = collections.Counter(map(judge, self.cells))
        words = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
        return f"\nOf {len(self.cells)} cells: {words}.\n"

    def section(self, results, of_set, metric):
        """One set by one score: every published number, ours, and the verdict."""
        judged, beside, name = self.reasons["condition"], self.reasons["beside"], of_set["name"]

        def shown(cell):
            score = cell and cell.score(metric)
            spread = f" ± {100 * score.spread:.2f}" if score and score.spread is not None else ""
            return f"{100 * score.mean:.2f}{spread}" if score else "-"

        rows, whys = [], []
        for published in self.cells:
            if (published["set"], published["metric"]) != (name, metric):
                continue
            ours, clean = (results.cell(name, noise, published["method"]) for noise in (judged, beside))
            score, verdict = ours and ours.score(metric), self.verdict(published, ours)
            why = self.reason(published, verdict)
            if why and why not in whys:
                whys.append(why)
            rows.append([f"{published['name']} (`{published['method']}`)", published["value"], shown(ours), shown(clean),
                         f"{score.draws} draws, {score.runs} runs" if score else "-", f"**{verdict}**",
                         f"({whys.index(why) + 1})" if why else ""])
        head = ["method", "paper", f"ours, {judged}", f"ours, {beside}", "repeats", "verdict", "why"]
        text = f"\n### {of_set['title']}\n\n{of_set['text'].strip()}{self.protocol(results, name)}\n\n{grid(head, rows)}"
        return text + ("\n" if whys else "") + "".join(f"({at}) {why.strip()}\n" for at, why in enumerate(whys, 1))

    def protocol(self, results, name):
        """What all runs on a set share, from the results themselves; the command where there are none."""
        for label in results.labels:
            cell = results.cell(name, self.reasons["condition"], label)
            if cell and cell.rows[-1]["n"]:
                row = cell.rows[-1]
                return (f" Run with n = {row['n']}, k = {row['k']}, views {row['views'].replace('+', ', ')}, "
                        f"scaling {row['scale']}, version {row['version']}.")
        return f" To run it: `{self.reasons['command']}`."


def leaderboard(results, registry):
    """The section of the ledger, and its figures by name."""
    rankings = [Ranking(results, "clean", metric) for metric in ("acc", "nmi")]
    default = next(name for name, method in registry.items() if method["default"])
    run = {label for (_, noise, label), cell in results.cells.items() if noise == "clean" and cell.of("done")}
    missing = [f"`{name}`" for name, method in registry.items() if not method["study"] and name not in run]
    methods = f"All methods but {', '.join(missing)}" if missing else "All methods"
    text = (f"\n## Leaderboard\n\n{methods} at their defaults on {len(rankings[0].sets)} data sets, clean; rank 1 is the best "
            f"method of a set.\n\n{headline(results, {})}")
    figures = {}
    for ranking in rankings:
        best = ranking.methods[0][0]
        standing = f"`{best}` has the best mean rank" + ("." if best == default else f", NOT `{default}`.")
        name = f"figures/leaderboard-ranks-{ranking.metric}-clean.svg"
        figures[f"docs/{name}"] = ranking.svg()
        text += (f"\n### By {TITLES[ranking.metric]}\n\n{standing}\n\n{ranks(ranking)}\n"
                 f"![{ranking.title()}]({name})\n")
    for ranking in rankings:
        if common := ranking.on_common_sets(results):
            text += (f"\n### By {TITLES[ranking.metric]}, the {len(common.sets)} sets that every method was run on\n\n"
                     f"{ranks(common)}")
    return f"{text}\n### Set by set, ACC / NMI in %\n\n{pairs(results, {'across': 'sets'})}", figures


def ledger(paper, sources):
    """The whole page, and its figures by name."""
    text = ("<!-- made by `make reproduction`; do not edit -->\n\n# The paper's numbers, and ours\n\n"
            f"{paper.reasons['introduction'].strip()}\n")
    if stale := sources.stale():
        text += ("\n## Stale\n\nMade by older code than this, and to be run again ([experiments.md](experiments.md)):\n\n"
                 + "".join(f"- `{name}.csv`: {words}\n" for name, words in stale.items()))
    results = sources.results("paper")
    text += paper.account(results)
    for metric in ("acc", "nmi"):
        text += f"\n## {TITLES[metric]} in %\n"
        text += "".join(paper.section(results, of_set, metric) for of_set in paper.reasons["set"])
    text += "\n## Parameter study\n\nACC / NMI in % over two parameters (`experiments/parameters.toml`).\n"
    text += "".join(f"\n{title}:\n\n{table}" for title, table in study(sources.results("parameters")))
    board, figures = leaderboard(sources.results("leaderboard"), sources.registry)
    return text + board, figures


def tables(path, registry):
    """One file of results: scores, and ranks where there are enough sets."""
    results = Results.read(path)
    stale = results.stale(registry)
    text = (f"Made by older code, to be run again: {stale}.\n\n" if stale else "") + pairs(results, {"across": "sets"})
    rankings = [Ranking(results, noise, metric) for noise in results.conditions for metric in ("acc", "nmi")]
    ranked = [ranking for ranking in rankings if len(ranking.sets) > 1 and len(ranking.methods) > 1]
    return text + "".join(f"\n{ranking.title()}\n\n{ranks(ranking)}" for ranking in ranked)


def made(sources):
    """Every page that comes from results, as it should be, by its path."""
    text, figures = ledger(Paper(sources.folder), sources)
    pages = {LEDGER: text, **figures}
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        name = path.relative_to(ROOT).as_posix()
        if name != LEDGER:
            pages[name] = fill(name, path.read_text(), sources)
            if typed := typed_scores(pages[name]):
                raise Mistake(f"{name}: {typed[0]} was typed; scores belong in results blocks (docs/experiments.md)")
    return pages


def main():
    parser = argparse.ArgumentParser(prog="consilience-lab reproduction", description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=Path, metavar="FILE.csv", help=argparse.SUPPRESS)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when something would change")
    parser.add_argument("--fresh", action="store_true", help="fail when results were made by older code than this")
    options = parser.parse_args()
    registry = {method["id"]: method for method in json.load(sys.stdin)}
    if options.tables:
        print(tables(options.tables, registry), end="")
        return
    sources = Sources(ROOT / "experiments", registry)
    for name, words in (stale := sources.stale()).items():
        print(f"{name}.csv was made by older code: {words}", file=sys.stderr)
    if options.fresh and stale:
        raise Mistake("results are stale; docs/experiments.md says how every file is made again")
    before = lambda name: (ROOT / name).read_text() if (ROOT / name).is_file() else None
    changed = {name: text for name, text in made(sources).items() if before(name) != text}
    if options.check and changed:
        raise Mistake(f"not what the results give: {', '.join(changed)}; `make reproduction` writes them again")
    for name, text in changed.items():
        (ROOT / name).write_text(text)
        print(f"wrote {name}", file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except (Mistake, OSError, tomllib.TOMLDecodeError) as error:
        sys.exit(f"error: {error}")
