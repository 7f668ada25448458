"""How often is the verdict wrong? Runs the program on made-up families and on sets with classes, and counts what its reports say.

    cargo build -p consilience-cli && python3 scripts/score_verdict.py [SEEDS] > experiments/facts/verdict.csv      # 3 seeds

The classes are only compared with what came out. A cluster is true when its Jaccard index with a class is .7 or more. Families are
named `chosen` where the thresholds were chosen on them, `kept` where not; the prototype behind the thresholds had seen some of the kept ones.
Sets with classes are `seen`: the comparison of valleys with clouds was added after two of them had been called pieces. Sets are read from
`../shared/data` and left out, with a word on stderr, where they are not there. `--raw FILE` keeps a line for every run. Needs numpy.
"""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from families import CLOUDS, FAMILIES, even, two_views

ROOT = Path(__file__).resolve().parent.parent
BINARY = next((file for file in (ROOT / "target/release/consilience", ROOT / "target/debug/consilience") if file.exists()), None)
DATA = ROOT.parent / "shared/data"
SETS = "mfeat hw2sources ngs bbcsport_2view breast_tcga150 msrcv1_6view aloi10 3sources reuters_1200 wikipedia landuse21 100leaves".split()
# the thresholds were chosen on these
CHOSEN = {"gradient", "blob", "swiss_roll", "time_points", "skewed", "likert", "sheet", "touching", "overlapping", "easy", "spreads", "moons", "gaussians, 3 sd, k = 3"}
STATES = ["separate", "touching", "pieces", "unstable", "untested"]


def gaussians(seed, k):
    rng = np.random.default_rng(seed)
    y = even(rng, 300, k)
    return two_views(rng, y, (6, 10), 3.0), y, k


def adjusted_rand_index(a, b):
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1)
    pairs = lambda sizes: (sizes * (sizes - 1) / 2).sum()
    both, first, second, all_pairs = pairs(table), pairs(table.sum(1)), pairs(table.sum(0)), len(a) * (len(a) - 1) / 2
    expected, most = first * second / all_pairs, (first + second) / 2
    return (both - expected) / (most - expected) if most > expected else 1.0


def mutual_information(a, b):
    """Normalised by the geometric mean of the entropies."""
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1 / len(a))
    entropy = lambda p: -(p[p > 0] * np.log(p[p > 0])).sum()
    rows, columns = entropy(table.sum(1)), entropy(table.sum(0))
    return (rows + columns - entropy(table.ravel())) / np.sqrt(rows * columns) if rows * columns > 0 else 0.0


def best_jaccard(labels, truth):
    table = np.zeros((labels.max() + 1, truth.max() + 1))
    np.add.at(table, (labels, truth), 1)
    either = table.sum(1)[:, None] + table.sum(0)[None, :] - table
    return (table / either).max(1)


def judged(views, truth, k, folder):
    """What the program says of these views."""
    file, out = Path(folder) / "views.npz", Path(folder) / "run"
    np.savez(file, **views)
    words = [BINARY, "cluster", file, "-k", k, "-o", out, "--report", "--force", "--quiet"]
    subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
    report, record = json.loads((out / "report.json").read_text()), json.loads((out / "run.json").read_text())
    labels, structure = np.array(record["labels"]), report["structure"] or {}
    found = {
        "k": report["run"]["k"], "state": report["verdict"]["state"], "density": structure.get("density"),
        "null": (structure.get("null") or {}).get("density"),
        "stability": [cluster["stability"] for cluster in report["clusters"]], "states": [cluster["state"] for cluster in report["clusters"]],
        "borders": [border["density"] for border in structure.get("borders", [])], "sizes": [cluster["size"] for cluster in report["clusters"]],
    }
    if truth is not None:
        found |= {"ari": adjusted_rand_index(labels, truth), "nmi": mutual_information(labels, truth), "jaccard": best_jaccard(labels, truth).tolist()}
    return found


def cases(seeds):
    for seed in range(seeds):
        for name, family in CLOUDS.items():
            views, _, _ = family(seed)
            yield "no clusters", name, seed, views, None, 3
            yield "no clusters, k by auto", name, seed, views, None, "auto"
        for name, family in FAMILIES.items():
            views, truth, k = family(seed)
            yield "clusters", name, seed, views, truth, k
        for k in (3, 5):
            views, truth, k = gaussians(seed, k)
            yield "clusters", f"gaussians, 3 sd, k = {k}", seed, views, truth, k
    for name in SETS:
        if not (DATA / f"{name}.npz").exists():
            print(f"left out: {name}, which is not in {DATA}", file=sys.stderr)
            continue
        views = dict(np.load(DATA / f"{name}.npz"))
        truth = views.pop("labels").astype(int)
        yield "sets with classes", name, 0, views, truth, int(truth.max()) + 1


def area(scores, right):
    """The chance that a true one has the larger score; equal ones count half."""
    yes, no = scores[right], scores[~right]
    if len(yes) == 0 or len(no) == 0:
        return float("nan")
    return float(((yes[:, None] > no[None, :]) + 0.5 * (yes[:, None] == no[None, :])).mean())


def main(seeds, raw):
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, name, seed, views, truth, k in cases(seeds):
            found = judged(views, truth, k, folder) | {"kind": kind, "name": name, "seed": seed}
            runs.append(found)
            if raw:
                print(json.dumps(found), file=raw, flush=True)
    table = csv.writer(sys.stdout)
    table.writerow(["what", "half", "runs", *STATES])

    def row(what, half, chosen):
        table.writerow([what, half, len(chosen), *(sum(run["state"] == state for run in chosen) for state in STATES)])

    halves = (("chosen", lambda run: run["name"] in CHOSEN), ("kept", lambda run: run["name"] not in CHOSEN))
    for half, within in halves:
        of = [run for run in runs if within(run)]
        row("no clusters, k = 3", half, [run for run in of if run["kind"] == "no clusters"])
        row("no clusters, k by auto above 1", half, [run for run in of if run["kind"] == "no clusters, k by auto" and run["k"] > 1])
        clusters = [run for run in of if run["kind"] == "clusters"]
        row("clusters found (ARI .8 and more)", half, [run for run in clusters if run["ari"] >= 0.8])
        row("clusters not found (ARI below .5)", half, [run for run in clusters if run["ari"] < 0.5])
    row("Gaussians 3 sd apart", "both", [run for run in runs if run["name"].startswith(("gaussians", "touching"))])
    classes = [run for run in runs if run["kind"] == "sets with classes"]
    row("sets with classes, NMI .8 and more", "seen", [run for run in classes if run["nmi"] >= 0.8])
    row("sets with classes, NMI below .8", "seen", [run for run in classes if run["nmi"] < 0.8])
    table.writerow([])
    table.writerow(["clusters by state", "half", "state", "clusters", "true"])
    known = [run for run in runs if "jaccard" in run]
    for what, half, of in (
        ("made up", "chosen", [run for run in known if run["name"] in CHOSEN]),
        ("made up", "kept", [run for run in known if run["kind"] == "clusters" and run["name"] not in CHOSEN]),
        ("sets with classes", "seen", [run for run in known if run["kind"] == "sets with classes"]),
    ):
        each = [(state, stability, jaccard >= 0.7) for run in of for state, stability, jaccard in zip(run["states"], run["stability"], run["jaccard"])]
        for state in ("solid", "touching", "fragile"):
            true = [right for found, _, right in each if found == state]
            table.writerow([what, half, state, len(true), sum(true)])
        scored = [(stability, right) for _, stability, right in each if stability is not None]
        scores, right = np.array([score for score, _ in scored]), np.array([right for _, right in scored], bool)
        table.writerow([what, half, "area under the curve of the stability", len(scored), f"{area(scores, right):.3f}"])


words = sys.argv[1:]
raw = open(words.pop(words.index("--raw") + 1), "w") if "--raw" in words else None
words = [word for word in words if word != "--raw"]
main(int(words[0]) if words else 3, raw)
