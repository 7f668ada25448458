"""What the Python packages for multi-view clustering can do, by trying. Writes a row for the package of this environment.

    python benches/peers.py LIBRARY FILE.csv      LIBRARY: consilience, scikit-learn, mvlearn, snfpy, imml or muon

`benches/peers.sh` makes an environment per package and calls this in each. The task is easy (three clear clusters in two views), so
"yes" means that the package took the input and found the clusters (NMI above 0.9 on the samples it was asked about), "no" that it
refused, failed or found something else. Each package is called as its documentation does, with its defaults and k = 3.
"""

import csv
import sys
import time
import warnings
from pathlib import Path

import numpy as np

K = 3


def blobs(n=240, seed=0):
    rng = np.random.default_rng(seed)
    target = np.arange(n) % K
    views = []
    for width in (8, 12):
        centres = rng.normal(size=(K, width)) * 6
        views.append(centres[target] + rng.normal(size=(n, width)))
    return views, target


def nmi(a, b):
    from sklearn.metrics import normalized_mutual_info_score

    return normalized_mutual_info_score(a, b)


# --- how every package is called: views in, labels out ---


def consilience(views):
    from consilience import SLRMF

    return SLRMF(K, random_state=0).fit_predict(views)


def scikit_learn(views):
    from sklearn.cluster import SpectralClustering
    from sklearn.preprocessing import StandardScaler

    table = np.hstack([StandardScaler().fit_transform(view) for view in views])
    return SpectralClustering(K, affinity="nearest_neighbors", random_state=0).fit_predict(table)


def mvlearn(views):
    from mvlearn.cluster import MultiviewSpectralClustering

    return MultiviewSpectralClustering(n_clusters=K, random_state=0).fit_predict(views)


def snfpy(views):
    import snf
    from sklearn.cluster import spectral_clustering

    fused = snf.snf(snf.make_affinity(views, metric="euclidean", K=20, mu=0.5), K=20)
    return spectral_clustering(fused, n_clusters=K, random_state=0)


def imml(views):
    from imml.cluster import NEMO

    return NEMO(n_clusters=K, random_state=0).fit_predict(views)


def muon(views):
    import anndata
    import muon as mu
    import scanpy as sc

    parts = {f"view{i}": view if hasattr(view, "obs") else anndata.AnnData(view) for i, view in enumerate(views)}
    for part in parts.values():
        sc.pp.neighbors(part, use_rep="X", random_state=0)
    data = mu.MuData(parts)
    mu.pp.neighbors(data, random_state=0)
    mu.tl.leiden(data, random_state=0)
    return data.obs["leiden"].to_numpy()


CALLS = {"consilience": consilience, "scikit-learn": scikit_learn, "mvlearn": mvlearn, "snfpy": snfpy, "imml": imml, "muon": muon}


# --- what is tried ---


def right(labels, target):
    return len(labels) == len(target) and nmi(np.asarray(labels), target) > 0.9


def arrays(call):
    views, target = blobs()
    return right(call(views), target)


def three_views(call):
    views, target = blobs()
    return right(call([*views, views[0] + 0.1]), target)


def frames_in_other_order(call):
    """DataFrames whose rows are in different orders, labels in the order of the first."""
    import pandas as pd

    views, target = blobs()
    names = [f"s{i}" for i in range(len(target))]
    order = np.random.default_rng(1).permutation(len(target))
    frames = [pd.DataFrame(views[0], index=names), pd.DataFrame(views[1], index=names).iloc[order]]
    return right(call(frames), target)


def sparse(call):
    import scipy.sparse as sp

    views, target = blobs()
    return right(call([sp.csr_matrix(view) for view in views]), target)


def missing_samples(call):
    """A fifth of the samples without the first view, another fifth without the second: rows of NaN."""
    views, target = blobs()
    views = [view.copy() for view in views]
    views[0][::5], views[1][1::5] = np.nan, np.nan
    return right(call(views), target)


def shuffled_is_told(call):
    """A warning or an error when the rows of one view are in another order."""
    views, target = blobs()
    views[1] = np.random.default_rng(2).permutation(views[1])
    with warnings.catch_warnings(record=True) as before:
        warnings.simplefilter("always")
        call(blobs()[0])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call(views)
    usual = {str(warning.message) for warning in before}
    return any("order" in str(w.message) or "chance" in str(w.message) for w in found if str(w.message) not in usual)


def same_again(call):
    views, _ = blobs()
    return np.array_equal(call(views), call(views))


def twenty_thousand(call):
    """20,000 samples in a minute."""
    views, target = blobs(20_000)
    started = time.monotonic()
    return right(call(views), target) and time.monotonic() - started < 60


TRIALS = {
    "two views": arrays,
    "three views": three_views,
    "DataFrames in other orders": frames_in_other_order,
    "sparse": sparse,
    "samples missing from views": missing_samples,
    "tells of shuffled rows": shuffled_is_told,
    "same labels again": same_again,
    "n = 20,000 in a minute": twenty_thousand,
}


def attempt(trial, call):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "yes" if trial(call) else "no"
    except MemoryError:
        return "no (memory)"
    except Exception as error:  # whatever a package raises is its answer
        print(f"  {trial.__name__}: {type(error).__name__}: {str(error).splitlines()[0][:150] if str(error) else ''}")
        return "no"


def attributes(library):
    """What an estimator offers besides labels: by asking the object, not the documentation."""
    from sklearn.base import BaseEstimator

    makers = {
        "consilience": lambda: __import__("consilience").SLRMF(K),
        "scikit-learn": lambda: __import__("sklearn.cluster", fromlist=["x"]).SpectralClustering(K),
        "mvlearn": lambda: __import__("mvlearn.cluster", fromlist=["x"]).MultiviewSpectralClustering(K),
        "imml": lambda: __import__("imml.cluster", fromlist=["x"]).NEMO(K),
    }
    if library not in makers:
        return {"scikit-learn estimator": "no", "predict": "no"}
    estimator = makers[library]()
    views, target = blobs()
    train, new = [view[:180] for view in views], [view[180:] for view in views]
    try:
        estimator.fit(train)
        predicts = right(estimator.predict(new), target[180:])
    except Exception as error:
        print(f"  predict: {type(error).__name__}: {str(error).splitlines()[0][:150] if str(error) else ''}")
        predicts = False
    return {"scikit-learn estimator": "yes" if isinstance(estimator, BaseEstimator) else "no", "predict": "yes" if predicts else "no"}


def main(library, file):
    from importlib.metadata import version

    row = {"package": f"{library} {version(library)}", "Python": ".".join(map(str, sys.version_info[:2]))}
    for name, trial in TRIALS.items():
        row[name] = attempt(trial, CALLS[library])
        print(name, row[name], flush=True)
    row.update(attributes(library))
    path = Path(file)
    new = not path.exists()
    with path.open("a", newline="") as out:
        writer = csv.DictWriter(out, list(row), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    main(*sys.argv[1:])
