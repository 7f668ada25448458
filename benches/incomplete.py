"""Incomplete views against imml, the one Python library made for them. Run by `make bench` when the data sets are there.

    python benches/incomplete.py [DRAWS]

Every view loses each sample with the given chance, and every sample stays in one view at least; everybody gets the same
z-scored arrays, with NaN rows for what is lost, and the library's own defaults. The rows go to
experiments/facts/incomplete-peers.csv: the mean over sets and draws, ACC / NMI in %.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from compare import markdown, save

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared/data"
SETS = ("mfeat", "100leaves", "landuse21", "msrcv1_6view", "wikipedia", "breast_tcga150", "pie_face_10", "aloi10", "hw2sources")
SHARES = (0.1, 0.3, 0.5, 0.7)


def arrays(name):
    """The views of a set, and its classes as numbers."""
    if name == "digits":
        from consilience import datasets

        views, target = datasets.load_digits(return_X_y=True)
        return [np.asarray(view, float) for view in views.values()], np.unique(target, return_inverse=True)[1]
    stored = np.load(DATA / f"{name}.npz")
    views = [stored[key].astype(float) for key in stored.files if key != "labels"]
    return views, np.unique(stored["labels"], return_inverse=True)[1]


def lost(views, share, draw):
    """The same views without some samples, z-scored over those that are left."""
    random = np.random.default_rng(draw)
    gone = random.random((len(views[0]), len(views))) < share
    nowhere = np.where(gone.all(1))[0]
    gone[nowhere, random.integers(0, len(views), len(nowhere))] = False
    made = []
    for place, view in enumerate(views):
        view = view.copy()
        view[gone[:, place]] = np.nan
        spread = np.nanstd(view, 0)
        made.append((view - np.nanmean(view, 0)) / np.where(spread > 0, spread, 1))
    return made


def libraries():
    from consilience import SLRMF
    from imml.cluster import EEIMVC, NEMO

    yield "consilience SLRMF", lambda k: SLRMF(k, random_state=0)
    yield "imml NEMO", lambda k: NEMO(n_clusters=k, random_state=0)
    yield "imml EEIMVC", lambda k: EEIMVC(n_clusters=k, random_state=0)


def main():
    from consilience import metrics

    warnings.filterwarnings("ignore")
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    if not DATA.exists():
        print(f"incomplete views are not compared: there is no {DATA}")
        return
    found = {}
    for name in ("digits", *SETS):
        views, target = arrays(name)
        for share in SHARES:
            for draw in range(draws):
                given = lost(views, share, draw)
                for library, make in libraries():
                    labels = make(int(target.max()) + 1).fit_predict([view.copy() for view in given])
                    scores = metrics.scores(target, np.asarray(labels).astype(int))
                    found.setdefault((library, share), []).append((scores["accuracy"], scores["nmi"]))
                    print(name, share, draw, library, *(f"{100 * score:.1f}" for score in found[library, share][-1]), file=sys.stderr)
    means = {key: np.mean(values, 0) for key, values in found.items()}
    head = ("library", *(f"{100 * share:.0f} % lost" for share in SHARES))
    rows = [(library, *("{:.1f} / {:.1f}".format(*(100 * means[library, share])) for share in SHARES)) for library, _ in libraries()]
    print(markdown(head, rows))
    save("incomplete-peers", head, rows)


if __name__ == "__main__":
    main()
