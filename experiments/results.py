"""Committed results: a line of CSV per run, gathered into cells of one data set, condition and method."""

import collections
import csv
import functools
import math
import operator

TITLES = {"acc": "ACC", "nmi": "NMI", "ari": "ARI", "purity": "purity", "fscore": "F-score"}

Score = collections.namedtuple("Score", "mean spread draws runs")


class Mistake(Exception):
    """Something that a person has to mend; the text says what and where."""


def mean(numbers):
    """The mean; None of nothing. Added up in order: `sum` gives other last digits from Python 3.12 on."""
    return functools.reduce(operator.add, numbers) / len(numbers) if numbers else None


def deviation(numbers):
    """The standard deviation of a sample; None of fewer than two."""
    if len(numbers) < 2:
        return None
    middle = mean(numbers)
    return math.sqrt(mean([(x - middle) ** 2 for x in numbers]) * len(numbers) / (len(numbers) - 1))


def percent(share):
    """A share in %, with one digit."""
    return f"{100 * share:.1f}"


def condition(row):
    """What was done to the data of a run, as tables name it: `clean`, `20 % add`."""
    return f"{round(100 * float(row['noise']), 4):g} % {row['mode']}" if row["mode"] else "clean"


def read_csv(path):
    """The head and the rows of a file; every row must be as long as the head."""
    if not path.is_file():
        raise Mistake(f"there is no `{path.name}` in {path.parent.name}")
    with open(path, newline="") as file:
        head, *rows = csv.reader(file, strict=True)
    if any(len(row) != len(head) for row in rows):
        raise Mistake(f"{path}: a row is not as long as the head")
    return head, rows


def order_of(revision):
    return [int(part) for part in revision.split(".")]


class Cell:
    """All runs of one method on one set under one condition."""

    def __init__(self, rows):
        self.rows = rows

    def of(self, status):
        return [row for row in self.rows if row["status"] == status]

    def reason(self, status):
        """The note of the last row of a status, such as why a cell is left out; None where there is none."""
        rows = self.of(status)
        return rows[-1]["note"] if rows else None

    def score(self, metric):
        """Seeds averaged within each draw, then draws; the spread is that over draws, over seeds where there is one draw."""
        draws = collections.defaultdict(list)
        for row in self.of("done"):
            if row.get(metric):
                draws[int(row["draw"])].append(float(row[metric]))
        if not draws:
            return None
        by_draw = [mean(draws[draw]) for draw in sorted(draws)]
        seeds = [score for scores in draws.values() for score in scores]
        spread = deviation(by_draw if len(by_draw) > 1 else seeds)
        return Score(mean(by_draw), spread, len(by_draw), len(seeds))


class Results:
    """A file of results. Its sets, conditions and methods are in the order in which the file has them."""

    def __init__(self, rows):
        self.rows = rows
        grouped = collections.defaultdict(list)
        for row in rows:
            grouped[row["set"], condition(row), row["label"]].append(row)
        self.cells = {key: Cell(rows) for key, rows in grouped.items()}
        self.sets, self.conditions, self.labels = (list(dict.fromkeys(key[at] for key in grouped)) for at in range(3))

    @classmethod
    def read(cls, path):
        """Reads a file; one that mixes results of different code is refused."""
        head, rows = read_csv(path)
        results = cls([dict(zip(head, row)) for row in rows])
        if mixture := results.mixture():
            raise Mistake(f"{path} mixes results of different code: {mixture}; `bench PLAN -o DIR --with FILE "
                          "--export FILE` runs again what is stale")
        return results

    def cell(self, name, condition, label):
        return self.cells.get((name, condition, label))

    def mean(self, name, condition, label, metric):
        cell = self.cell(name, condition, label)
        score = cell and cell.score(metric)
        return score.mean if score else None

    def revisions(self):
        """How many runs of which method were made by which revision of the code."""
        made = ((row["method"], row["revision"] or "0.0") for row in self.rows if row["status"] in ("done", "failed"))
        counts = collections.Counter(made)
        return sorted(counts.items(), key=lambda item: (item[0][0], order_of(item[0][1])))

    def mixture(self):
        """What is mixed in results that should be of one code: revisions of a method, or of what methods share."""
        of = collections.defaultdict(list)
        for (method, revision), _ in self.revisions():
            of[method].append(revision)
        engines = {order_of(revisions[0])[0]: method for method, revisions in reversed(of.items())}
        mixed = [method for method, revisions in of.items() if len(revisions) > 1][:1]
        mixed = mixed or (sorted(engines.values()) if len(engines) > 1 else [])
        return " and ".join(f"`{method}` of revision {' and '.join(of[method])}" for method in mixed)

    def stale(self, registry):
        """What was made by older code, in words; results outlive methods, and of one that is gone nothing is newer."""
        old = [(count, method, made, registry[method]["revision"])
               for (method, made), count in self.revisions()
               if method in registry and made != registry[method]["revision"]]
        return ", ".join(f"{count} of `{method}` (revision {made}, now {now})" for count, method, made, now in old)
