"""How well models place samples: those they were made of, and a fifth that was held out.

    python3 scripts/score_predictions.py [METHOD [LARGEST_SET]]
        needs numpy and scikit-learn, target/release/consilience (or $CONSILIENCE), ../shared/data (or $CONSILIENCE_DATA)

For every set: the share of its own samples to which a model gives the fit's labels; NMI of the labels predicted for the
held-out samples, and of a fit on everything on the same samples.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.metrics import normalized_mutual_info_score as nmi

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("CONSILIENCE", os.path.join(ROOT, "target/release/consilience"))
DATA = os.environ.get("CONSILIENCE_DATA", os.path.join(ROOT, "../shared/data"))


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


def labels_of(text):
    return np.array([line.split(",")[1] for line in text.splitlines()[1:]])


def score(name, method, folder):
    arrays = np.load(f"{DATA}/{name}.npz")
    views = {view: arrays[view] for view in arrays.files if view != "labels"}
    truth = np.unique(arrays["labels"], return_inverse=True)[1]
    held_out = np.random.default_rng(0).permutation(len(truth))[: len(truth) // 5]
    rest = np.setdiff1d(np.arange(len(truth)), held_out)
    for part, rows in (("all", slice(None)), ("rest", rest), ("new", held_out)):
        np.savez(f"{folder}/{part}.npz", **{view: data[rows] for view, data in views.items()})
    fit = ["-k", str(len(np.unique(truth))), "--method", method]
    everything = labels_of(run("cluster", f"{folder}/all.npz", *fit))
    run("cluster", f"{folder}/rest.npz", *fit, "-o", f"{folder}/run")
    fitted = labels_of(open(f"{folder}/run/labels.csv").read())
    again = labels_of(run("predict", f"{folder}/run", f"{folder}/rest.npz"))
    table = run("predict", f"{folder}/run", f"{folder}/new.npz")
    unlike = np.mean([line.endswith(",1") for line in table.splitlines()[1:]])
    return (again == fitted).mean(), nmi(truth[held_out], labels_of(table)), nmi(truth[held_out], everything[held_out]), unlike


def main():
    method, largest = (sys.argv[1:] + ["slrmf", "1000000000"][len(sys.argv) - 1 :])[:2]
    rows = []
    print(f"{'set':16s}  same  held out  fit on all  unlike")
    for name in sorted(file[:-4] for file in os.listdir(DATA) if file.endswith(".npz")):
        if len(np.load(f"{DATA}/{name}.npz")["labels"]) > int(largest):
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows.append(score(name, method, folder))
        print("{:16s} {:5.1f} {:9.1f} {:11.1f} {:7.1f}".format(name, *(100 * np.array(rows[-1]))), flush=True)
    print("{:16s} {:5.1f} {:9.1f} {:11.1f} {:7.1f}".format("mean", *(100 * np.mean(rows, 0))))


if __name__ == "__main__":
    main()
