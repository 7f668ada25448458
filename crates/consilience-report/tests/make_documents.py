"""Makes report documents of invented runs for the browser tests. Standard library only.

    python make_documents.py FOLDER

The clusters are round clouds; every number that a document derives from its samples (sizes, confusion, heat) is derived
here too, so that panels can be checked against each other.
"""

import base64
import json
import math
import random
import struct
import sys
from pathlib import Path

HOSTILE = [
    "<script>window.pwned = 1; alert(1)</script>",
    '"><img src=x onerror="window.pwned = 2; alert(1)">',
    "</script><script>window.pwned = 3</script>",
    "<!--<script>",
    "=1+1",
    "@SUM(A1:A9)",
    "-2+3",
    "long " * 400,
    "מזהה מימין לשמאל",
    "\u202eright-to-left override",
    "",
    "comma, quote \" and\nnew line",
    "line\u2028separator\u2029paragraph",
    "javascript:window.pwned=4",
    "{{script}} ${window.pwned = 5}",
]


def packed(kind, values):
    letter = {"u8": "B", "u16": "H"}[kind]
    return {"type": kind, "data": base64.b64encode(struct.pack(f"<{len(values)}{letter}", *values)).decode()}


def byte(share):
    return max(0, min(255, round(255 * share)))


class Invented:
    """Samples of a run: clouds around centres, some of them doubtful, some of them in the wrong cluster."""

    def __init__(self, n, k, classes, seed):
        self.n, self.k, self.random = n, k, random.Random(seed)
        draw = self.random
        share = [0.5 + draw.random() for _ in range(k)]
        total = sum(share)
        self.cluster = [c for c in range(k) for _ in range(max(1, int(n * share[c] / total)))][:n]
        while len(self.cluster) < n:
            self.cluster.append(draw.randrange(k))
        draw.shuffle(self.cluster)
        centres = [self.centre(c) for c in range(k)]
        self.x, self.y, self.confidence = [], [], []
        for c in self.cluster:
            spread = abs(draw.gauss(0, 1))
            angle = 2 * math.pi * draw.random()
            self.x.append(centres[c][0] + 0.055 * spread * math.cos(angle))
            self.y.append(centres[c][1] + 0.045 * spread * math.sin(angle))
            self.confidence.append(max(0.02, min(1, 1.02 - 0.16 * spread**2 + draw.gauss(0, 0.04))))
        self.truth = None
        if classes:
            wrong = [draw.random() > 0.35 + 0.65 * sure for sure in self.confidence]
            self.truth = [draw.randrange(classes) if w else c % classes for c, w in zip(self.cluster, wrong)]

    def centre(self, c):
        if self.k == 1:
            return 0.5, 0.5
        angle = 2 * math.pi * c / self.k
        radius = 0.36 if c % 2 == 0 else 0.25
        return 0.5 + radius * math.cos(angle), 0.5 + radius * math.sin(angle)

    def column(self, base, width):
        return [byte(base * (1 - sure) + width * self.random.random()) for sure in self.confidence]


def heat(groups, count, limit, draw):
    sizes = [groups.count(g) for g in range(count)]
    blocks = min(len(groups), limit)
    widths = [min(size, max(1, round(blocks * size / len(groups)))) if size else 0 for size in sizes]
    bounds = [0]
    for width in widths:
        bounds.append(bounds[-1] + width)
    of = [g for g, width in enumerate(widths) for _ in range(width)]
    near = [[draw.random() ** 4 * 0.12 for _ in range(count)] for _ in range(count)]
    values = []
    for a in of:
        for b in of:
            level = 0.55 + 0.3 * draw.random() if a == b else (near[a][b] + near[b][a]) / 2 + 0.01 * draw.random()
            values.append(byte(level))
    return {"size": len(of), "values": packed("u8", values), "max": 0.0123, "bounds": bounds}


def scores(accuracy):
    return {"acc": accuracy, "nmi": accuracy - 0.04, "ari": accuracy - 0.05, "purity": accuracy, "fscore": accuracy - 0.04}


def truth_of(samples, classes):
    if not classes:
        return None
    confusion = [[0] * classes for _ in range(samples.k)]
    for c, t in zip(samples.cluster, samples.truth):
        confusion[c][t] += 1
    matched = [c if c < classes else None for c in range(samples.k)]
    right = sum(confusion[c][c] for c in range(min(samples.k, classes)))
    names = [f"digit {t}" for t in range(classes)]
    remarks = [f"No cluster stands for class “digit {t}” ({sum(row[t] for row in confusion)} samples)."
               for t in range(samples.k, classes)]
    remarks += ["Class “digit 0” is split: 60 in cluster 0, 40 in cluster 1."] if samples.k > 1 and classes > 1 else []
    return {"classes": names, "confusion": confusion, "matched": matched, "scores": scores(right / samples.n), "remarks": remarks}


def views_of(samples, names, corrupted, truth):
    draw, views = samples.random, []
    weights = [0.4 + draw.random() for _ in names]
    for v, name in enumerate(names):
        found = None
        if corrupted:
            worst = sorted(({"name": f"pixel {f}", "share": draw.random() * 0.6} for f in range(20)), key=lambda w: -w["share"])
            rows = sorted(({"index": draw.randrange(samples.n), "share": draw.random()} for _ in range(20)), key=lambda w: -w["share"])
            share = 0.02 + 0.08 * draw.random()
            found = {"share": share, "range": [0.0, share + 0.04], "features": worst, "samples": rows}
        own = 0.55 + 0.35 * draw.random()
        without = None
        if len(names) > 1:
            lowers = v == len(names) - 1 and len(names) > 2
            silhouette = 0.66 if lowers else 0.5 + 0.1 * draw.random()
            without = {"silhouette": silhouette, "nmi": 0.9, "scores": scores(0.9) if truth else None}
            influence = "lowers" if lowers else "raises" if v == 0 else "unclear"
            change = {"lowers": -0.08, "raises": 0.05, "unclear": 0.002}[influence]
        views.append({"name": name, "d": 76 + 50 * v, "weight": weights[v] / sum(weights), "own_nmi": own,
                      "own_scores": scores(own) if truth else None, "without": without,
                      "effect": {"change": change, "margin": 0.01, "runs": 5} if without else None,
                      "influence": influence if without else None, "corruption": found})
    return views


def agreement(count, base, draw):
    table = [[1.0] * count for _ in range(count)]
    for a in range(count):
        for b in range(a):
            table[a][b] = table[b][a] = min(0.99, base + 0.25 * draw.random())
    return table


def trace(names, iterations, draw):
    rows = []
    for i in range(1, iterations + 1):
        for v, name in enumerate(names):
            fall = math.exp(-i / (6 + 3 * v))
            rows.append({"iteration": i, "view": name, "objective": 0.03 + 0.05 * (v + 1) * fall,
                         "residual": 0.2 * fall * (1 + 0.1 * draw.random()), "change": 0.05 * fall})
    return rows


def warning(message):
    return {"kind": "other", "view": None, "detail": message, "message": message}


def cluster_states(state, k):
    """What clusters are of which the whole is `state`."""
    if state == "untested":
        return [(None, [])] * k
    states = [("fragile" if state == "unstable" else "solid", [])] * k
    if state in ("touching", "pieces") and k > 1:
        states[:2] = [("touching", [1]), ("touching", [0])]
    return states


def verdict(state, samples, truth):
    head = {"separate": f"All {samples.k} clusters are solid.",
            "touching": f"{samples.k - 2} of {samples.k} clusters are solid; 0 and 1 touch.",
            "pieces": f"These {samples.k} clusters are pieces of something continuous: the cuts come back, but nothing lies between the pieces.",
            "unstable": f"{samples.k} of {samples.k} clusters do not come back when samples are left out.",
            "untested": "The clusters were not tested: whether they come back when samples are left out is not known."}[state]
    low = sum(c < 0.5 for c in samples.confidence)
    lines = [f"{low} of {samples.n} samples have a confidence below one half.",
             "The mean silhouette of the embedding is 0.58; above one half speaks for separate groups."]
    if truth:
        lines.append(f"Against the given classes the accuracy is {truth['scores']['acc']:.3f}.")
    parts = [{"question": "stability", "sentence": "Clustered again 8 times on a random 50 % of the samples, 98 % of them come into the same cluster."},
             {"question": "borders", "sentence": "There is a gap around every cluster."},
             {"question": "agreement", "sentence": "Views `a` and `b` agree."}]
    return {"state": state, "headline": head, "parts": parts if samples.k > 1 else [], "sentences": lines}


def markers_of(samples, views):
    """Three markers of every cluster, the first one clear."""
    draw = samples.random
    return [{"cluster": c, "view": views[m % len(views)], "feature": f"gene {3 * c + m}", "column": 3 * c + m,
             "auc": 0.99 - 0.1 * m, "inside": 5 + draw.random(), "outside": draw.random(), "p": 10.0 ** (-20 + 4 * m)}
            for c in range(samples.k) for m in range(3)] if samples.k > 1 else []


def marker_picture(samples, markers):
    if not markers:
        return None
    chosen = [place for place, marker in enumerate(markers) if marker["column"] % 3 == 0][:60]
    return {"markers": chosen, "means": [[1.8 if markers[m]["cluster"] == c else -0.3 for m in chosen] for c in range(samples.k)]}


def origin(name):
    return {"date": "2026-11-16T04:24:03Z", "command": f"consilience cluster a.csv b.csv -k 3 -o {name}", "directory": "/data/study",
            "machine": "linux x86_64, Example CPU, 2 cores",
            "files": [{"path": "/data/study/a.csv", "bytes": 12345, "sha256": "ba" * 32}, {"path": "/dev/stdin", "bytes": None, "sha256": None}]}


def with_metadata(made):
    """A document with two columns of metadata: groups that follow the clusters, and ages."""
    n, k = made["run"]["n"], made["run"]["k"]
    cluster = struct.unpack(f"<{n}H", base64.b64decode(made["samples"]["cluster"]["data"]))
    sites = [65535 if s % 10 == 0 else c % 3 for s, c in enumerate(cluster)]
    counts = [[sum(1 for s in range(n) if cluster[s] == c and sites[s] == g) for g in range(3)] for c in range(k)]
    ages = [65535 if s % 7 == 0 else (s * 331) % 65535 for s in range(n)]
    made["metadata"] = [
        {"name": "age", "effect": 0.02, "values": {"kind": "numbers", "range": [20.0, 80.0], "codes": packed("u16", ages), "means": [50.0 + c for c in range(k)]}},
        {"name": "site <b>", "effect": 0.91, "values": {"kind": "groups", "names": ["north", "south", "<i>west"], "codes": packed("u16", sites), "counts": counts}},
    ]
    return made


def document(name, n, k, views=("fou", "fac", "pix"), classes=0, seed=0, ids=None, corrupted=False, stable=False,
             iterations=36, converged=True, state="separate", warnings=(), heat_size=150):
    samples = Invented(n, k, classes, seed)
    draw = samples.random
    truth = truth_of(samples, classes)
    described = views_of(samples, views, corrupted, truth)
    members = [[s for s in range(n) if samples.cluster[s] == c] for c in range(k)] if n <= 2000 else None
    sizes, sums = [0] * k, [0.0] * k
    for c, sure in zip(samples.cluster, samples.confidence):
        sizes[c] += 1
        sums[c] += sure
    assert members is None or [len(m) for m in members] == sizes
    several = len(views) > 1
    markers = markers_of(samples, views)
    return {
        "format": 4,
        "name": name,
        "run": {
            "version": "0.1.0", "method": "slrmf", "method_title": "Sparse and low-rank matrix factorisation",
            "citation": "A. Author and B. Author. A method for several views. Journal of Examples 1 (2025).",
            "n": n, "k": k, "seed": seed, "scale": "auto",
            "corruption": {"fraction": 0.2, "mode": "replace", "seed": 0, "amplitude": 5.0} if corrupted else None, "origin": origin(name) if classes else None,
            "parameters": {"own_share": 0.7, "robust": "auto", "neighbours": 0,
                           "multi_scale": True, "epsilon1": 0.001, "max_iterations": 100, "seed_offset": seed},
            "seconds": {"load": 0.012, "prepare": 0.001, "graph": 0.283, "solve": 0.282, "assign": 0.0023, "total": 0.581},
            "peak_rss_mb": 87.3, "termination": {"reason": "converged" if converged else "iteration limit", "iterations": iterations} if iterations else {"reason": "direct"},
            "warnings": [warning(message) for message in warnings], "eigenvalues": [1 - 0.01 * i for i in range(k)] + [0.62],
        },
        "samples": {
            "ids": ids, "cluster": packed("u16", samples.cluster),
            "confidence": packed("u8", [byte(c) for c in samples.confidence]),
            "doubt": packed("u8", [byte(0.7 * (1 - c)) for c in samples.confidence]),
            "silhouette": packed("u8", [byte(0.5 + 0.5 * c) for c in samples.confidence]),
            "disagreement": packed("u8", samples.column(0.9, 0.1)) if several else None,
            "stability": packed("u8", [255 - c for c in samples.column(0.7, 0.1)]) if stable else None,
            "corruption": packed("u8", samples.column(0.3, 0.05)) if corrupted else None,
            "truth": packed("u16", samples.truth) if classes else None,
            "x": packed("u16", [max(0, min(65535, round(65535 * x))) for x in samples.x]),
            "y": packed("u16", [max(0, min(65535, round(65535 * y))) for y in samples.y]),
        },
        "truth": truth,
        "clusters": [{"size": sizes[c], "state": cluster_states(state, k)[c][0], "touches": cluster_states(state, k)[c][1], "confidence": sums[c] / max(1, sizes[c]), "inside": 0.7 + 0.25 * draw.random(),
                      "stability": 0.6 + 0.4 * draw.random() if stable else None, "leak": 0.1 * draw.random()} for c in range(k)],
        "heat": heat(samples.cluster, k, heat_size, draw),
        "heat_by_class": heat(samples.truth, classes, heat_size, draw) if classes else None,
        "agreement": {"before": agreement(len(views), 0.5, draw), "after": agreement(len(views), 0.72, draw) if several else None},
        "views": described,
        "silhouette": 0.58 if k > 1 else 0.0,
        "structure": {"leaks": [0.05] * k, "apart": 1.0, "borders": [], "density": None, "null": None, "samples": n, "overlap": {"ratio": 12.5, "deviations": 40.0} if several else None} if k > 1 else None,
        "markers": markers,
        "marker_picture": marker_picture(samples, markers),
        "metadata": [],
        "stability": {"runs": 20, "share_of_samples": 0.5, "mean": 0.91} if stable else None,
        "trace": trace(views, iterations, draw),
        "verdict": verdict(state, samples, truth),
    }


def choice(best, views, found=True):
    """How a number of clusters from 2 to 9 was chosen: `best` stands out."""
    def point(k):
        near = max(0.0, 1 - 0.3 * abs(k - best))
        return {"k": k, "eigenvalue": 0.97 if k <= best else 0.7, "null_eigenvalue": 0.72 - 0.01 * k,
                "gap": 0.25 if k == best else 0.01, "stability": 0.5 + 0.4 * near, "null_stability": 0.3,
                "agreement": 0.4 + 0.3 * near if len(views) > 1 else None, "score": near}
    reason = "the views do not agree which samples are near each other"
    answer = {"kind": "clusters", "clusters": best, "message": f"{best} clusters stand out"} if found else {
        "kind": "no_structure", "reason": reason, "clusters": 1,
        "message": f"no structure found, so all samples are in one cluster: {reason}"}
    evidence = ["Halves of the samples agree by 0.90.", "The drop after it is the largest of 8."]
    return {"asked": "2-9", "samples": 200, "answer": answer,
            "candidates": [{"k": best, "evidence": evidence}, {"k": best + 3, "evidence": evidence[:1]}],
            "overlap": {"ratio": 12.5, "deviations": 40.0} if len(views) > 1 else None,
            "curves": [point(k) for k in range(2, 10)]}


def bare(made):
    """A document without anything that may be missing."""
    made["samples"]["disagreement"] = made["agreement"]["after"] = None
    for view in made["views"]:
        view.update(without=None, effect=None, influence=None)
    made["run"].update(parameters={}, peak_rss_mb=None, eigenvalues=[])
    return made


def incomplete(made):
    """A document of a run whose last view lacks every third sample, and its second every fifth."""
    n, count = made["run"]["n"], len(made["views"])
    lacks = {count - 1: set(range(0, n, 3)), 1: set(range(1, n, 5))}
    groups = {}
    for i in range(n):
        views = tuple(v for v in range(count) if i not in lacks.get(v, ()))
        groups[views] = groups.get(views, 0) + 1
    made["presence"] = {
        "known": [n - len(lacks.get(v, ())) for v in range(count)],
        "groups": [{"views": list(views), "samples": size, "confidence": 0.4 + 0.5 * len(views) / count, "stability": None}
                   for views, size in sorted(groups.items(), key=lambda group: -group[1])],
        "others": 0,
    }
    return made


def empty(made, k):
    """A document of a run that was asked for `k` clusters and found fewer."""
    more = k - made["run"]["k"]
    made["run"]["k"] = k
    made["clusters"] += [{"size": 0, "state": None, "touches": [], "confidence": 0.0, "inside": 0.0, "stability": None, "leak": None}] * more
    if made["marker_picture"]:
        made["marker_picture"]["means"] += [[0.0] * len(made["marker_picture"]["markers"])] * more
    made["heat"]["bounds"] += [made["heat"]["size"]] * more
    made["truth"]["confusion"] += [[0, 0]] * more
    made["truth"]["matched"] += [None] * more
    return made


def hostile(n):
    ids = HOSTILE + [f"sample {i}" for i in range(n - len(HOSTILE))]
    made = document("<script>window.pwned = 6</script>", n, 3, views=HOSTILE[:3], classes=3, ids=ids, corrupted=True,
                    warnings=["view `<img src=x onerror=window.pwned=7>` is odd", "& < > \u2028"])
    made["truth"]["classes"] = ["<b>bold</b>", "=cmd|' /C calc'!A0", "x" * 300]
    made["run"]["parameters"]["<i>"] = "<img src=x onerror=window.pwned=8>"
    made["run"]["citation"] = '<a href="javascript:alert(1)">cite</a>'
    made["views"][0]["corruption"]["features"][0]["name"] = "<img src=x onerror=window.pwned=9>"
    made["verdict"]["headline"] = "<em onclick=alert(1)>Fine</em>"
    made["verdict"]["sentences"].append("View `<img src=x onerror=window.pwned=10>` is odd.")
    made["markers"][0]["feature"] = "<img src=x onerror=window.pwned=11>"
    made["run"]["origin"]["command"] = "<img src=x onerror=window.pwned=12>"
    return made


def documents():
    digits = dict(views=("fou", "fac", "pix"), classes=10, corrupted=True, stable=True)
    yield document("digits", 2000, 10, **digits)
    yield moved(document("digits_seed", 2000, 10, **digits), 90)
    yield moved(document("digits_average", 2000, 10, state="touching", views=("fou", "fac", "pix"), classes=10), 400)
    for name, restarts in (("few_restarts", 10), ("many_restarts", 50)):
        yield same_files(document(name, 90, 3, views=("a", "b"), classes=3), restarts)
    yield document("plain", 300, 4, state="touching", views=("a", "b"))
    yield document("five", 5, 2, views=("a", "b"), iterations=3, state="unstable")
    yield document("one_sample", 1, 1, views=("a",), iterations=1, state="untested", classes=1)
    yield document("each_its_own", 5, 5, views=("a", "b"), iterations=2, state="untested", classes=2)
    yield bare(document("bare", 40, 3, views=("a", "b"), iterations=0))
    yield empty(document("empty_cluster", 40, 3, views=("a", "b"), classes=2), 4)
    yield document("one_cluster", 60, 1, iterations=0, state="untested")
    yield document("one_view", 400, 3, views=("only",), iterations=0)
    yield {**document("chosen", 300, 4, views=("a", "b")), "choice": choice(4, ("a", "b"))}
    yield {**document("no_structure", 300, 1, views=("only",), iterations=0), "choice": choice(3, ("only",), found=False)}
    yield document("not_converged", 300, 4, converged=False, iterations=100, state="pieces",
                   warnings=["the method met its limit of 100 iterations before it converged: the residual is 0.02; raise max_iterations"])
    yield document("many_clusters", 6000, 64, views=tuple(f"view {v}" for v in range(12)), classes=40, state="touching")
    yield with_metadata(document("metadata", 300, 4, views=("a", "b"), stable=True))
    yield document("clusters_150", 4500, 150, views=("a", "b"), classes=150, stable=True)
    yield incomplete(document("incomplete", 300, 3, views=("rna", "protein", "methylation")))
    yield hostile(60)
    yield document("n20000", 20_000, 12, classes=12, corrupted=True, stable=True, ids=[f"cell_{i:06d}" for i in range(20_000)])
    yield document("n100000", 100_000, 15, classes=15, corrupted=True, stable=True, heat_size=256,
                   ids=[f"GSM{(i * 7919) % 1000003:07d}" for i in range(100_000)])


def same_files(made, restarts):
    """A run on a file that the other such run read too, with a setting that has no field of its own."""
    made["run"]["origin"]["files"] = made["run"]["origin"]["files"][:1]
    made["run"]["other_settings"] = {"restarts": restarts}
    return made


def moved(made, count):
    """The same run with the clusters renamed and `count` samples put elsewhere."""
    draw, n, k = random.Random(5), made["run"]["n"], made["run"]["k"]
    labels = list(struct.unpack(f"<{n}H", base64.b64decode(made["samples"]["cluster"]["data"])))
    labels = [(c + 1) % k for c in labels]
    for s in draw.sample(range(n), count):
        labels[s] = draw.randrange(k)
    truth = struct.unpack(f"<{n}H", base64.b64decode(made["samples"]["truth"]["data"]))
    confusion = [[0] * k for _ in range(k)]
    for c, t in zip(labels, truth):
        confusion[c][t] += 1
    made["samples"]["cluster"] = packed("u16", labels)
    made["truth"].update(confusion=confusion, matched=[(c - 1) % k for c in range(k)], scores=scores(0.93))
    for c, cluster in enumerate(made["clusters"]):
        cluster["size"] = labels.count(c)
    made["run"].update(seed=1)
    made["run"]["parameters"].update(lambda1=4.0)
    return made


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for made in documents():
        name = "hostile" if "<" in made["name"] else made["name"]
        (folder / f"{name}.json").write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")
