"""Scores methods on the real data sets beside the checkout (../shared/data), through the release binary.

    cargo build --release && python3 scripts/score_sets.py slrmf mfmsc average          # clean, 17 sets
    python3 scripts/score_sets.py --noise 0,1,2 slrmf                                    # 9 dense sets, 20 % replaced
    python3 scripts/score_sets.py --folder FOLDER slrmf                                  # others: scripts/make_other_sets.py

Labels are used for the scores only. Prints ACC / NMI per set and the means; needs nothing but Python.
"""

import json
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared/data"
BINARY = ROOT / "target/release/consilience"
SETS = {
    "digits2": ("mfeat", "fou,fac", 10), "digits6": ("mfeat", None, 10), "100leaves": ("100leaves", None, 100),
    "3sources": ("3sources", None, 6), "bbcsport_2view": ("bbcsport_2view", None, 5), "hw2sources": ("hw2sources", None, 10),
    "landuse21": ("landuse21", None, 21), "msrcv1_6view": ("msrcv1_6view", None, 7), "reuters_1200": ("reuters_1200", None, 6),
    "wikipedia": ("wikipedia", None, 10), "ngs": ("ngs", None, 5), "breast_tcga150": ("breast_tcga150", None, 3),
    "movies617": ("movies617", None, 17), "pie_face_10": ("pie_face_10", None, 68), "aloi10": ("aloi10", None, 10),
    "bdgp": ("bdgp", None, 5), "cora": ("cora", None, 7),
}
SETS = {name: (DATA / f"{file}.npz", views, k) for name, (file, views, k) in SETS.items()}
DENSE = "digits2 digits6 100leaves landuse21 msrcv1_6view wikipedia breast_tcga150 pie_face_10 aloi10".split()


def classes(file):
    """The largest of the labels, which are int32 from 0 on, and one more."""
    labels = zipfile.ZipFile(file).read("labels.npy")
    start = 10 + struct.unpack("<H", labels[8:10])[0]
    return 1 + max(number for number, in struct.iter_unpack("<i", labels[start:]))


def score(name, method, draw, more):
    file, views, k = SETS[name]
    command = [BINARY, "cluster", file, "-k", k, "--json", "--method", method, *more]
    command += ["--views", views] if views else []
    command += ["--scale", "zscore", "--corrupt", 0.2, "--corrupt-seed", draw] if draw is not None else []
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    run = json.loads(done.stdout)
    return 100 * run["scores"]["acc"], 100 * run["scores"]["nmi"], run["seconds"]["total"]


def main(arguments):
    draws, more, sets = [None], [], list(SETS)
    while arguments and arguments[0].startswith("--"):
        option, value = arguments[0], arguments[1]
        arguments = arguments[2:]
        if option == "--noise":
            draws, sets = [int(draw) for draw in value.split(",")], DENSE
        elif option == "--sets":
            sets = value.split(",")
        elif option == "--folder":
            SETS.update({file.stem: (file, None, classes(file)) for file in sorted(Path(value).glob("*.npz"))})
            sets = [file.stem for file in sorted(Path(value).glob("*.npz"))]
        else:
            more += [option, value]
    table = {}
    for name in sets:
        row = []
        for method in arguments:
            runs = [score(name, method, draw, more) for draw in draws]
            mean = [sum(column) / len(runs) for column in zip(*runs)]
            table.setdefault(method, []).append(mean)
            row.append(f"{mean[0]:5.1f} / {mean[1]:5.1f} {mean[2]:6.2f} s")
        print(f"{name:16s} " + "   ".join(row), flush=True)
    for method, rows in table.items():
        acc, nmi, _ = (sum(column) / len(rows) for column in zip(*rows))
        print(f"MEAN {method}: {acc:.2f} / {nmi:.2f} over {len(rows)} sets")


main(sys.argv[1:])
