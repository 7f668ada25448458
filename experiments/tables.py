"""Tables in Markdown from results, facts and the registry: what a block `<!-- results: KIND FILE | name=value | .. -->` on
a page shows. docs/experiments.md lists the kinds and their options.
"""

import collections

from ranks import Ranking
from results import TITLES, Mistake, Results, mean, percent, read_csv


def grid(head, rows, ruler="---:|"):
    """Numbers in bars, the first column flush left; words with the ruler `---|`."""
    line = lambda cells: "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
    return line(head) + "|---|" + ruler * (len(head) - 1) + "\n" + "".join(map(line, rows))


class Sources:
    """The committed results and facts, read once each, and what the program says of its methods."""

    def __init__(self, experiments, registry):
        self.folder, self.registry, self.read = experiments, registry, {}

    def results(self, name):
        if name not in self.read:
            self.read[name] = Results.read(self.folder / "results" / f"{name}.csv")
        return self.read[name]

    def facts(self, name):
        """Numbers that no plan makes. The first column names the row."""
        return read_csv(self.folder / "facts" / f"{name}.csv")

    def stale(self):
        """The results that were made by older code, by file."""
        files = sorted(path.stem for path in (self.folder / "results").glob("*.csv"))
        found = ((name, self.results(name).stale(self.registry)) for name in files)
        return {name: stale for name, stale in found if stale}


def chosen(what, name, known):
    if name not in known:
        raise Mistake(f"unknown {what} `{name}`; known: {', '.join(known)}")
    return name


def value(results, options):
    """One score in %, or several as `ACC / NMI`: of one set, or the mean over sets that have it."""
    label, noise = options.get("method", ""), options.get("noise", "clean")
    sets = [options["set"]] if "set" in options else results.sets
    shown = []
    for metric in options.get("metric", "acc").split(","):
        scores = [results.mean(name, noise, label, chosen("metric", metric, TITLES)) for name in sets]
        scores = [score for score in scores if score is not None]
        if not scores:
            raise Mistake(f"there is no score of {label} on {options.get('set', 'any set')}, {noise}")
        shown.append(percent(mean(scores)))
    return " / ".join(shown)


def pairs(results, options):
    """`ACC / NMI` in %: methods (of one id, or all) by sets and conditions, or the other way round with `across=sets`."""
    if "method" in options:
        results = Results([row for row in results.rows if row["method"] == options["method"]])
    places = [(name, noise) for name in results.sets for noise in results.conditions
              if any(results.cell(name, noise, label) for label in results.labels)]

    def cell(label, place):
        scores = [results.mean(*place, label, metric) for metric in ("acc", "nmi")]
        if None not in scores:
            return " / ".join(map(percent, scores))
        found = results.cell(*place, label)
        return found and found.reason("left out") or "-"

    table = [["", *(f"{name}, {noise}" for name, noise in places)]]
    table += [[label, *(cell(label, place) for place in places)] for label in results.labels]
    turned = chosen("direction", options.get("across", "methods"), ["methods", "sets"]) == "sets"
    head, *rows = zip(*table) if turned else table
    return grid(head, rows)


def headline(results, options):
    """Mean score and mean rank of every ranked method, in the order of the first score."""
    metrics = [chosen("metric", name, TITLES) for name in options.get("metrics", "acc,nmi").split(",")]
    rankings = [Ranking(results, options.get("noise", "clean"), metric) for metric in metrics]
    head, rows = ["method"], {label: [label] for label, *_ in rankings[0].methods}
    for metric, ranking in zip(metrics, rankings):
        head += [f"mean {TITLES[metric]} %", f"mean rank by {TITLES[metric]}"]
        best = min((rank for _, rank, _, _ in ranking.methods), default=None)
        for label, rank, score, _ in ranking.methods:
            shown = f"**{rank:.2f}**" if rank == best else f"{rank:.2f}"
            rows.setdefault(label, [label]).extend(["-" if score is None else percent(score), shown])
    return grid(head, rows.values())


def ranks(ranking):
    """One ranking with its tests."""
    rows = [[label, f"{rank:.2f}", "-" if score is None else percent(score)] for label, rank, score, _ in ranking.methods]
    sentences = "".join(f"- {sentence}\n" for sentence in ranking.sentences())
    table = grid(["method", "mean rank", f"mean {TITLES[ranking.metric]} %"], rows)
    return f"{table}\n{sentences}" if sentences else table


def curves(results, name, mode, metric):
    """The score over the share of noise on one set, clean data at 0: of every method {share: (mean, spread)}."""
    found = collections.defaultdict(dict)
    for (own, _, label), cell in results.cells.items():
        row, score = cell.rows[-1], cell.score(metric)
        if own == name and row["mode"] in ("", mode) and score:
            found[label][float(row["noise"])] = score.mean, score.spread
    return found


def noise(results, options):
    """Methods by share of noise, or of samples lost (`mode=lose`), on one set or in the mean over all (`set=all`)."""
    mode, name = options.get("mode", "replace"), options.get("set", "digits")
    metric = chosen("metric", options.get("metric", "acc"), TITLES)
    by_set = [curves(results, each, mode, metric) for each in (results.sets if name == "all" else [name])]
    drawn = {}
    for label in results.labels:
        own = [of[label] for of in by_set if label in of]
        shares = [share for share in own[0] if all(share in curve for curve in own)] if own else []
        spread = lambda share: own[0][share][1] if len(own) == 1 else None
        drawn[label] = {share: (mean([curve[share][0] for curve in own]), spread(share)) for share in shares}
    if not any(drawn.values()):
        raise Mistake(f"there is no score on {name}, {mode}")
    shares = sorted({share for curve in drawn.values() for share in curve})

    def cell(curve, share):
        score, spread = curve.get(share, (None, None))
        return "-" if score is None else percent(score) + (f" ± {percent(spread)}" if spread is not None else "")

    rows = [[label, *(cell(curve, share) for share in shares)] for label, curve in drawn.items() if curve]
    return grid(["method", *(f"{100 * share:.0f} %" for share in shares)], rows)


def ablation(results, options):
    """Every variant's mean over sets, and what it loses against the whole, which is the first."""
    condition = options.get("noise", "clean")
    rows, whole = [], None
    for label in results.labels:
        found = [[results.mean(name, condition, label, metric) for name in results.sets] for metric in ("acc", "nmi")]
        found = [[100 * score for score in scores if score is not None] for scores in found]
        if not found[0]:
            continue
        means = [mean(scores) for scores in found]
        whole = whole or means
        changes = [f"{score - all:+.1f}" if means is not whole else "" for score, all in zip(means, whole)]
        rows.append([label, str(len(found[0])), f"{means[0]:.1f}", changes[0], f"{means[1]:.1f}", changes[1]])
    return grid(["variant", "sets", "mean ACC %", "change", "mean NMI %", "change"], rows)


def study(results):
    """A parameter study: for every method that was run over a grid of two parameters its title and `ACC / NMI` in %."""
    families = collections.defaultdict(dict)
    for (name, noise, label), cell in results.cells.items():
        set_ = dict(word.split("=", 1) for word in cell.rows[0]["parameters"].split())
        words = [word for word in label.split() if word.partition("=")[0] in set_]
        (x, across), (y, down) = (word.split("=") for word in words)
        title = f"{' '.join(word for word in label.split() if word not in words)}, {name}, {noise}"
        scores = " / ".join(percent(cell.score(metric).mean) for metric in ("acc", "nmi"))
        families[title, x, y][float(across), float(down)] = scores
    for (title, x, y), found in families.items():
        columns, lines = (sorted({point[at] for point in found}) for at in (0, 1))
        rows = [[f"{line:g}", *(found.get((column, line), "-") for column in columns)] for line in lines]
        yield title, grid([f"{y} \\ {x}", *(f"{column:g}" for column in columns)], rows)


# what blocks show, and the options of each
KINDS = {
    "value": (value, ("set", "method", "metric", "noise")),
    "pairs": (pairs, ("method", "across")),
    "headline": (headline, ("metrics", "noise")),
    "noise": (noise, ("set", "mode", "metric")),
    "ablation": (ablation, ("noise",)),
    "facts": (None, ()),
    "cell": (None, ("row", "column")),
    "parameters": (None, ()),
}


def content(head, sources):
    """What belongs between head and end of a block."""
    first, *rest = (part.strip() for part in head.split("|"))
    kind, _, name = first.partition(" ")
    show, known = KINDS[chosen("results block", kind, KINDS)]
    options = {}
    for part in rest:
        key, separator, text = part.partition("=")
        if not separator:
            raise Mistake(f"`{part}` is not name=value")
        options[chosen(f"option of `{kind}`", key.strip(), known)] = text.strip()
    if kind == "parameters":
        rows = sources.registry[chosen("method", name, sources.registry)]["parameters"]
        return "\n" + grid(["name", "letter", "default", "allowed", "what it does"], rows, "---|")
    if kind == "facts":
        return "\n" + grid(*sources.facts(name))
    if kind == "cell":
        columns, rows = sources.facts(name)
        at = columns.index(chosen("column", options.get("column", ""), columns))
        by_name = {row[0]: row for row in rows}
        return by_name[chosen("row", options.get("row", ""), by_name)][at]
    results = sources.results(name)
    text, stale = show(results, options), results.stale(sources.registry)
    if kind == "value":
        # a number in a line has no room for more; the ledger speaks of stale results all the same
        return text
    return f"\n{text}" + (f"\n**Made by older code, to be run again**: {stale}.\n" if stale else "")
