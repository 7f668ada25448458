"""Which number finds wrong samples best? The area under the curve of each, over runs with known classes.

    scripts/doubt.py RUN.. > experiments/facts/doubt.csv

Every RUN is a folder that `consilience cluster FILE -k K --truth .. -o RUN --report` wrote. A sample is wrong when its class is
not the one that its cluster was matched to. 0.5 is what chance finds, 1 puts every wrong sample before every right one. Sets
with fewer than five wrong or right samples say nothing and are left out. A combination is chosen on every second set by name and
judged on the others, both ways. Of the samples that the page calls doubtful: how many there are, which share of them is wrong
(precision), which share of the wrong ones they are (recall), and how much more often they are wrong than any sample is (lift).
Standard library only.
"""

import base64
import json
import struct
import sys
from pathlib import Path


# parts of 255, as in the page's `sure.js`
DOUBTFUL = 77


def column(packed):
    if packed is None:
        return None
    letter, size = {"u8": ("B", 1), "u16": ("H", 2)}[packed["type"]]
    data = base64.b64decode(packed["data"])
    return struct.unpack(f"<{len(data) // size}{letter}", data)


def area(scores, wrong):
    """The chance that a wrong sample has the larger score than a right one; equal ones count half."""
    order = sorted(range(len(scores)), key=lambda s: scores[s])
    ranks, start = [0.0] * len(scores), 0
    while start < len(order):
        end = start
        while end < len(order) and scores[order[end]] == scores[order[start]]:
            end += 1
        for place in range(start, end):
            ranks[order[place]] = (start + end + 1) / 2
        start = end
    bad = sum(wrong)
    return (sum(rank for rank, w in zip(ranks, wrong) if w) - bad * (bad + 1) / 2) / (bad * (len(wrong) - bad))


def candidates(samples):
    sure = [1 - c / 255 for c in column(samples["confidence"])]
    unstable = [1 - s / 255 for s in column(samples["stability"])]
    elsewhere = column(samples["disagreement"])
    elsewhere = [d / 255 for d in elsewhere] if elsewhere else [0.0] * len(sure)
    inner = [1 - s / 255 for s in column(samples["silhouette"])]
    return {
        "confidence": sure,
        "stability": unstable,
        "disagreement": elsewhere,
        "silhouette": inner,
        "mean of three": [(a + b + c) / 3 for a, b, c in zip(sure, unstable, elsewhere)],
        "mean of four": [(a + b + c + d) / 4 for a, b, c, d in zip(sure, unstable, elsewhere, inner)],
        "largest of three": [max(parts) for parts in zip(sure, unstable, elsewhere)],
        "confidence and stability": [(a + b) / 2 for a, b in zip(sure, unstable)],
        "stability and disagreement": [(b + c) / 2 for b, c in zip(unstable, elsewhere)],
        "confidence and disagreement": [(a + c) / 2 for a, c in zip(sure, elsewhere)],
    }


def called_doubtful(doubt, wrong):
    called = [w for d, w in zip(doubt, wrong) if d >= DOUBTFUL]
    precision = sum(called) / len(called) if called else None
    lift = precision * len(wrong) / sum(wrong) if called else None
    return len(called), precision, sum(called) / sum(wrong), lift


def main():
    rows = []
    for folder in sorted(sys.argv[1:]):
        document = json.loads((Path(folder) / "report.json").read_text(encoding="utf-8"))
        matched = document["truth"]["matched"]
        pairs = list(zip(column(document["samples"]["cluster"]), column(document["samples"]["truth"])))
        wrong = [matched[cluster] != truth for cluster, truth in pairs]
        if min(sum(wrong), len(wrong) - sum(wrong)) < 5:
            continue
        areas = {name: area(scores, wrong) for name, scores in candidates(document["samples"]).items()}
        called = called_doubtful(column(document["samples"]["doubt"]), wrong)
        rows.append((Path(folder).name, len(wrong), sum(wrong), areas, called))
    names = list(rows[0][3])
    mean = lambda part, name: sum(row[3][name] for row in part) / len(part)
    shown = lambda number: "" if number is None else f"{number:.3f}"
    print(",".join(["set", "samples", "wrong", *names, "doubtful", "precision", "recall", "lift"]))
    for name, n, wrong, areas, (count, *shares) in rows:
        print(",".join([name, str(n), str(wrong), *(shown(areas[c]) for c in names), str(count), *map(shown, shares)]))
    means = []
    for share in (1, 2, 3):
        known = [row[4][share] for row in rows if row[4][share] is not None]
        means.append(shown(sum(known) / len(known)))
    print(",".join(["mean", "", "", *(shown(mean(rows, c)) for c in names), "", *means]))
    halves = rows[0::2], rows[1::2]
    for title, here, there in (("one half", *halves), ("the other", *reversed(halves))):
        print(",".join([title, "", "", *(shown(mean(here, c)) for c in names), "", "", "", ""]))
        best = max(names, key=lambda c: mean(here, c))
        print(f"{title}: {best} is best, {mean(here, best):.3f}; on the others it has {mean(there, best):.3f}", file=sys.stderr)


if __name__ == "__main__":
    main()
