"""Mean ranks of methods over data sets, whether they differ beyond chance, and the diagram of it.

Friedman's test and Nemenyi's critical difference: J. Demsar. Statistical comparisons of classifiers over multiple data
sets. JMLR 7, 2006.
"""

import math
from html import escape

from results import TITLES, mean

# critical values of the studentised range over sqrt(2) at 0.05, for 2 to 30 methods
# (scipy.stats.studentized_range.ppf(.95, k, inf) / sqrt(2))
NEMENYI = (1.959964, 2.343701, 2.569032, 2.727774, 2.849705, 2.948320, 3.030878, 3.101730, 3.163684, 3.218654, 3.268004,
           3.312739, 3.353618, 3.391230, 3.426041, 3.458425, 3.488685, 3.517073, 3.543799, 3.569040, 3.592946, 3.615646,
           3.637252, 3.657861, 3.677556, 3.696413, 3.714498, 3.731869, 3.748578)


def average_ranks(scores):
    """Ranks from 1 for the largest; equal scores share their mean rank, those without a score share the last."""
    values = [-math.inf if score is None else score for score in scores]
    return [sum(other > own for other in values) + (values.count(own) + 1) / 2 for own in values]


def chi_squared_tail(x, freedom):
    """The probability of more than `x`, by its recurrence in steps of two degrees from the closed forms at one and two."""
    half = x / 2
    if freedom % 2 == 0:
        degrees, tail, term = 2, math.exp(-half), half * math.exp(-half)
    else:
        degrees, tail, term = 1, math.erfc(math.sqrt(half)), 2 * math.sqrt(half / math.pi) * math.exp(-half)
    while degrees < freedom:
        tail += term
        degrees += 2
        term *= half / (degrees / 2)
    return min(tail, 1.0)


def friedman(ranks):
    """The statistic, corrected for shared ranks, and its p; a row of ranks per data set. None when it says nothing."""
    n, k = len(ranks), len(ranks[0]) if ranks else 0
    within = sum((rank - (k + 1) / 2) ** 2 for row in ranks for rank in row)
    if n < 2 or k < 2 or within == 0:
        return None
    between = sum((sum(column) - n * (k + 1) / 2) ** 2 for column in zip(*ranks))
    statistic = (k - 1) * between / within
    return statistic, chi_squared_tail(statistic, k - 1)


def critical_difference(methods, sets):
    """Mean ranks must differ by this much to differ at 0.05; None beyond the 30 methods of the table."""
    if not 0 <= methods - 2 < len(NEMENYI) or sets == 0:
        return None
    return NEMENYI[methods - 2] * math.sqrt(methods * (methods + 1) / (6 * sets))


def groups(places, difference):
    """The largest groups of methods whose mean ranks (ascending) lie within `difference`, as pairs of first and end."""
    found = []
    for first, start in enumerate(places):
        end = first + sum(place - start < difference for place in places[first:])
        if not found or found[-1][1] < end:
            found.append((first, end))
    return found


class Ranking:
    """Methods ranked by one score under one condition, over the sets on which some method has a score, or over `sets`."""

    def __init__(self, results, condition, metric, sets=None):
        self.condition, self.metric = condition, metric
        score = lambda name, label: results.mean(name, condition, label, metric)
        some = lambda name: any(score(name, label) is not None for label in results.labels)
        self.sets = [name for name in results.sets if some(name)] if sets is None else sets
        self.left_out, labels = {}, []
        for label in results.labels:
            cells = {name: results.cell(name, condition, label) for name in self.sets}
            # neither does a run count whose score is from before the metric existed
            missing = [name for name, cell in cells.items()
                       if cell is None or cell.score(metric) is None and (cell.of("done") or cell.of("left out"))]
            if not missing:
                labels.append(label)
            elif len(missing) < len(self.sets):
                whys = {cells[name] and cells[name].reason("left out") for name in missing}
                self.left_out[label] = missing, whys.pop() if len(whys) == 1 else None
        table = [[score(name, label) for label in labels] for name in self.sets]
        ranks = [average_ranks(row) for row in table]
        scored = lambda at: [row[at] for row in table if row[at] is not None]
        failed = lambda at: [name for name, row in zip(self.sets, table) if row[at] is None]
        ranked = [(mean([row[at] for row in ranks]), at) for at in range(len(labels))] if self.sets else []
        # label, mean rank, mean score, sets on which it failed and shares the last rank
        self.methods = [(labels[at], rank, mean(scored(at)), failed(at)) for rank, at in sorted(ranked)]
        self.friedman = friedman(ranks)
        self.difference = critical_difference(len(labels), len(self.sets))
        self.groups = groups([rank for _, rank, _, _ in self.methods], self.difference) if self.difference else []

    def on_common_sets(self, results):
        """All methods on the sets that each of them was run on; None when those are all sets, or fewer than two."""
        missing = {name for names, _ in self.left_out.values() for name in names}
        common = [name for name in self.sets if name not in missing]
        return Ranking(results, self.condition, self.metric, common) if missing and len(common) > 1 else None

    def sentences(self):
        """What the tests say."""
        said = []
        if self.friedman:
            statistic, p = self.friedman
            p = "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"
            said.append(f"Friedman's test over {len(self.sets)} sets: chi-squared {statistic:.2f} with "
                        f"{len(self.methods) - 1} degrees of freedom, {p}.")
        if self.difference and len(self.sets) > 1:
            said.append(f"Nemenyi's critical difference of mean ranks at 0.05: {self.difference:.2f}.")
            first, end = self.groups[0]
            if end - first > 1:
                names = ", ".join(label for label, *_ in self.methods[first + 1:end])
                said.append(f"Not distinguished from the first: {names}.")
        said += [f"{label} failed on {', '.join(failed)}: last there." for label, _, _, failed in self.methods if failed]
        for label, (sets, why) in self.left_out.items():
            said.append(f"{label} is not ranked: no run on {', '.join(sets)}{f' ({why})' if why else ''}.")
        return said

    def title(self):
        return f"Mean rank by {TITLES[self.metric]} over {len(self.sets)} sets, {self.condition}"

    def svg(self):
        """The critical-difference diagram: the best rank is on the right, thick bars join methods that do not differ."""
        left, right, line = 150, 560, 84
        worst = max(2, len(self.methods))
        x = lambda rank: round(right - (rank - 1) / (worst - 1) * (right - left), 1)
        drawn = []
        text = lambda x, y, words, anchor="middle": drawn.append(
            f'<text x="{x}" y="{y}" font-size="13" text-anchor="{anchor}">{escape(words)}</text>')
        path = lambda d, width=1.2: drawn.append(f'<path d="{d}" fill="none" stroke="#222" stroke-width="{width}"/>')
        text(14, 26, self.title(), "start")
        if self.difference:
            end = x(worst - self.difference)
            path(f"M{left} 52V60M{left} 56H{end}M{end} 52V60")
            text(round((left + end) / 2, 1), 46, f"CD = {self.difference:.2f}")
        path(f"M{left} {line}H{right}" + "".join(f"M{x(rank)} {line}v-5" for rank in range(1, worst + 1)))
        for rank in range(1, worst + 1):
            text(x(rank), line - 9, str(rank))
        joined = [span for span in self.groups if span[1] - span[0] > 1]
        for level, (first, end) in enumerate(joined):
            path(f"M{x(self.methods[first][1])} {line + 12 + 9 * level}H{x(self.methods[end - 1][1])}", 4.5)
        half, below = (len(self.methods) + 1) // 2, line + 22 + 9 * len(joined)
        for place, (label, rank, _, _) in enumerate(self.methods):
            best = place < half
            y = below + 20 * (place if best else len(self.methods) - 1 - place)
            to = right + 10 if best else left - 10
            path(f"M{x(rank)} {line}V{y}H{to}")
            text(to + 5 if best else to - 5, y + 4, f"{label} ({rank:.2f})", "start" if best else "end")
        height = below + 20 * half
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{height}" viewBox="0 0 720 {height}" role="img" '
                'font-family="Arimo, \'Liberation Sans\', Arial, Helvetica, sans-serif" fill="#222">')
        title = f'<title>{escape(self.title())}</title>\n<rect width="720" height="{height}" fill="#fff"/>'
        return "\n".join([head, title, *drawn, "</svg>\n"])
