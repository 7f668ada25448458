"""Which number finds wrong samples best? The area under the curve of each, over runs with known classes.

    scripts/doubt.py RUN.. > experiments/facts/doubt.csv

Every RUN is a folder that `consilience cluster FILE -k K --truth .. -o RUN --report` wrote. A sample is wrong when its class is
not the one that its cluster was matched to. 0.5 is what chance finds, 1 puts every wrong sample before every right one. Sets
with fewer than five wrong or right samples say nothing and are left out. Standard library only.
"""

import base64
import json
import struct
import sys
from pathlib import Path


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
        rows.append((Path(folder).name, len(wrong), sum(wrong), areas))
    names = list(rows[0][3])
    print(",".join(["set", "samples", "wrong", *names]))
    for name, n, wrong, areas in rows:
        print(",".join([name, str(n), str(wrong), *(f"{areas[c]:.3f}" for c in names)]))
    print(",".join(["mean", "", "", *(f"{sum(row[3][c] for row in rows) / len(rows):.3f}" for c in names)]))


if __name__ == "__main__":
    main()
