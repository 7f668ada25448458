"""One capability of one library, tried: `python peer_trials.py LIBRARY CAPABILITY`. Run by try_peers.py in the library's environment.

Prints "yes", "no: why" or "wrong in silence"; an exception is a no. Data are Gaussian clusters in several views, and an answer is
right when its NMI with the clusters is above 0.8. Where a library has several clusterers, each stands for what it does best: any of
them may say yes.
"""

import os
import pickle
import resource
import sys
import tempfile
import warnings

import numpy as np

K = 4
GIGABYTES = 8


def blobs(n=300, views=2, seed=0, apart=6.0, noise=()):
    """Views of the same clusters; those in `noise` know nothing of them."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % K
    rng.shuffle(truth)
    made = []
    for v in range(views):
        centres = rng.normal(size=(K, 10)) * (0.0 if v in noise else apart / 2)
        made.append(centres[truth] + rng.normal(size=(n, 10)))
    return made, truth


def nmi(a, b):
    """Normalised by the mean of the entropies."""
    a, b = np.unique(np.asarray(a).astype(str), return_inverse=True)[1], np.unique(b, return_inverse=True)[1]
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1)
    table /= table.sum()
    rows, cols = table.sum(1), table.sum(0)
    inside = table > 0
    shared = (table[inside] * np.log(table[inside] / np.outer(rows, cols)[inside])).sum()
    entropy = lambda p: -(p[p > 0] * np.log(p[p > 0])).sum()
    return 2 * shared / max(entropy(rows) + entropy(cols), 1e-12)


def judged(labels, truth, wrong="wrong in silence"):
    found = nmi(labels, truth)
    return "yes" if found > 0.8 else f"{wrong} (NMI {found:.2f})"


class Library:
    """What is asked of a library; `labels` is the least, and what is not overridden it cannot do."""

    def labels(self, views, k=K):
        raise NotImplementedError

    def two(self):
        views, truth = blobs()
        return judged(self.labels(views), truth)

    def third(self):
        views, truth = blobs(views=3, noise=(0, 1), apart=9.0)
        found = nmi(self.labels(views), truth)
        # half of what is there is noise: what the first two views alone have is 0.0
        return "yes" if found > 0.3 else f"wrong in silence (NMI {found:.2f})"

    def frames(self):
        import pandas as pd

        views, truth = blobs()
        names = [f"s{i}" for i in range(len(truth))]
        first, second = (pd.DataFrame(view, index=names, columns=[f"f{j}" for j in range(10)]) for view in views)
        second = second.sample(frac=1.0, random_state=1)
        return judged(self.labels([first, second]), truth)

    def shuffled(self):
        views, _ = blobs()
        order = np.random.default_rng(1).permutation(len(views[0]))
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            self.labels([views[0], views[1][order]])
        told = [w for w in found if "order" in str(w.message) or "agree" in str(w.message)]
        return "yes" if told else "no: not a word"

    def sparse(self):
        import scipy.sparse as sp

        rng = np.random.default_rng(0)
        truth = np.arange(300) % K
        words = [rng.poisson(0.02 + 0.6 * (np.arange(80)[None] // 20 == truth[:, None])) for _ in range(2)]
        return judged(self.labels([sp.csr_matrix(view.astype(float)) for view in words]), truth)

    def lost(self):
        views, truth = blobs()
        rng = np.random.default_rng(2)
        gone = rng.random(len(truth))
        views[0][gone < 0.2], views[1][gone > 0.8] = np.nan, np.nan
        return judged(self.labels(views), truth)

    def affinity(self):
        return "no: not offered"

    number = weights_found = weights_given = predict = saved = report = affinity

    def many(self):
        resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES << 30, GIGABYTES << 30))
        views, truth = blobs(n=20_000)
        return judged(self.labels(views), truth)


def graph(view):
    from sklearn.neighbors import kneighbors_graph

    found = kneighbors_graph(view, 15)
    return 0.5 * (found + found.T)


class Consilience(Library):
    def estimator(self, k=K, **parameters):
        import consilience

        return consilience.SLRMF(k, random_state=0, **parameters)

    def labels(self, views, k=K):
        # matched by the index where there is one
        fitted = self.estimator(k).fit(views)
        labels = np.empty(len(fitted.labels_), dtype=int)
        labels[fitted.samples_] = fitted.labels_
        return labels

    def affinity(self):
        views, truth = blobs()
        fitted = self.estimator(precomputed={"b": "affinity"}).fit({"a": views[0], "b": graph(views[1])})
        return judged(fitted.labels_, truth)

    def number(self):
        views, _ = blobs()
        found = self.estimator("auto").fit(views).n_clusters_
        return "yes" if found == K else f"wrong: {found}"

    def weights_found(self):
        views, _ = blobs(noise=(1,))
        weights = self.estimator().fit(views).view_weights_
        return "yes" if weights[0] > weights[1] else "wrong"

    def weights_given(self):
        views, _ = blobs()
        weights = self.estimator(view_weights=[3, 1]).fit(views).view_weights_
        return "yes" if np.allclose(weights, [0.75, 0.25]) else "ignored"

    def predict(self):
        (views, truth), half = blobs(n=600), slice(0, 300)
        fitted = self.estimator().fit([view[half] for view in views])
        return judged(fitted.predict([view[300:] for view in views]), truth[300:])

    def saved(self):
        import consilience

        views, _ = blobs()
        fitted = self.estimator().fit(views)
        path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        again = consilience.load(fitted.save(path))
        same = (again.labels_ == fitted.labels_).all() and (pickle.loads(pickle.dumps(fitted)).labels_ == fitted.labels_).all()
        return "yes: pickle, and a file without code" if same else "wrong"

    def report(self):
        views, _ = blobs()
        path = os.path.join(tempfile.mkdtemp(), "page.html")
        self.estimator().fit(views).report(views, path, resamples=3)
        return "yes: a page and tables" if os.path.getsize(path) > 10_000 else "no"


class Estimators(Library):
    """Libraries whose estimators can be pickled and have no model of their own."""

    def fitted(self, views):
        raise NotImplementedError

    def saved(self):
        views, _ = blobs()
        fitted = self.fitted(views)
        again = pickle.loads(pickle.dumps(fitted))
        return "yes: pickle" if (again.labels_ == fitted.labels_).all() else "wrong"


class Mvlearn(Estimators):
    def fitted(self, views, k=K):
        from mvlearn.cluster import MultiviewSpectralClustering

        estimator = MultiviewSpectralClustering(n_clusters=k, random_state=0)
        estimator.fit_predict(views)
        return estimator

    def labels(self, views, k=K):
        return self.fitted(views, k).labels_

    def predict(self):
        from mvlearn.cluster import MultiviewKMeans

        views, truth = blobs(n=600)
        fitted = MultiviewKMeans(n_clusters=K, random_state=0)
        fitted.fit_predict([view[:300] for view in views])
        found = judged(fitted.predict([view[300:] for view in views]), truth[300:])
        return "yes: k-means, of two views" if found == "yes" else found


class Snfpy(Library):
    def labels(self, views, k=K):
        import snf
        from sklearn.cluster import spectral_clustering

        fused = snf.snf(snf.make_affinity(views, K=20, mu=0.5), K=20) if len(views) > 1 else snf.make_affinity(views)[0]
        return spectral_clustering(fused, n_clusters=k, random_state=0)

    def affinity(self):
        import snf
        from sklearn.cluster import spectral_clustering

        views, truth = blobs()
        given = [snf.make_affinity(views[0], K=20), graph(views[1]).toarray()]
        found = judged(spectral_clustering(snf.snf(given, K=20), n_clusters=K, random_state=0), truth)
        return "yes: dense" if found == "yes" else found

    def number(self):
        import snf

        views, _ = blobs()
        first, second = snf.get_n_clusters(snf.snf(snf.make_affinity(views, K=20), K=20))
        return "yes: two candidates by eigengaps" if K in (first, second) else f"wrong: {first}, {second}"

    def predict(self):
        from snf.compute import group_predict

        views, truth = blobs(n=600)
        train, test = [view[:300] for view in views], [view[300:] for view in views]
        found = group_predict(train, test, truth[:300])
        return "yes: labels propagated from the training samples" if nmi(found, truth[300:]) > 0.8 else "wrong in silence"


class Imml(Estimators):
    def fitted(self, views, k=K):
        from imml.cluster import NEMO

        estimator = NEMO(n_clusters=k, random_state=0)
        estimator.fit(views)
        return estimator

    def labels(self, views, k=K):
        import pandas as pd

        frames = [view if hasattr(view, "index") or hasattr(view, "tocsr") else pd.DataFrame(view) for view in views]
        return self.fitted(frames, k).labels_

    def number(self):
        import pandas as pd
        from imml.cluster import NEMO

        views, _ = blobs()
        estimator = NEMO(n_clusters=list(range(2, 9)), random_state=0)
        labels = estimator.fit_predict([pd.DataFrame(view) for view in views])
        found = len(set(labels))
        return "yes: NEMO, among given numbers" if found == K else f"wrong: {found}"

    def predict(self):
        from imml.cluster import NEMO

        return "yes" if hasattr(NEMO, "predict") else "no: there is no predict"


class Muon(Library):
    def data(self, views):
        import muon as mu
        from anndata import AnnData

        names = [f"s{i}" for i in range(views[0].shape[0])]
        parts = {}
        for place, view in enumerate(views):
            values, index = (view.to_numpy(), list(view.index)) if hasattr(view, "index") else (view, names)
            part = AnnData(X=values)
            part.obs_names = index
            parts[f"v{place}"] = part
        return mu.MuData(parts)

    def joined(self, views):
        import muon as mu
        import scanpy as sc

        data = self.data(views)
        for part in data.mod.values():
            if hasattr(part.X, "tocsr"):
                # neighbours of sparse features are an error; its users take principal components first
                sc.pp.pca(part, n_comps=20)
            sc.pp.neighbors(part, use_rep="X_pca" if "X_pca" in part.obsm else "X")
        mu.pp.neighbors(data)
        return data

    def labels(self, views, k=K):
        import muon as mu

        data = self.joined(views)
        # Leiden takes a resolution, not a number of clusters
        for resolution in (0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0):
            mu.tl.leiden(data, resolution=resolution, random_state=0)
            if data.obs["leiden"].nunique() >= k:
                break
        names = list(data.obs_names)
        return data.obs["leiden"].to_numpy()[[names.index(f"s{i}") for i in range(len(names))]]

    def sparse(self):
        found = super().sparse()
        return "yes: by principal components" if found == "yes" else found

    def lost(self):
        """As MuData has it: a modality does not have the observations that were not measured."""
        import pandas as pd

        views, truth = blobs()
        gone = np.random.default_rng(2).random(len(truth))
        frames = [pd.DataFrame(view, index=[f"s{i}" for i in range(len(truth))]) for view in views]
        return judged(self.labels([frames[0][gone >= 0.2], frames[1][gone <= 0.8]]), truth)

    def number(self):
        import muon as mu

        data = self.joined(blobs()[0])
        mu.tl.leiden(data, random_state=0)
        found = data.obs["leiden"].nunique()
        return f"no: by the resolution (here {found} at its default)"

    def weights_found(self):
        data = self.joined(blobs()[0])
        weights = [name for name in data.obs if "weight" in name]
        return "yes: of every sample" if weights else "no: none in obs"

    def saved(self):
        import muon as mu

        data = self.joined(blobs()[0])
        path = os.path.join(tempfile.mkdtemp(), "data.h5mu")
        data.write(path)
        return "yes: .h5mu, data and results" if mu.read(path).n_obs == data.n_obs else "wrong"


class ScikitLearn(Estimators):
    """One view: the z-scored features of all, side by side."""

    def fitted(self, views, k=K):
        import scipy.sparse as sp
        from sklearn.cluster import SpectralClustering
        from sklearn.preprocessing import scale

        joined = sp.hstack(views).tocsr() if sp.issparse(views[0]) else np.hstack([scale(view) for view in views])
        return SpectralClustering(n_clusters=k, affinity="nearest_neighbors", random_state=0).fit(joined)

    def labels(self, views, k=K):
        return self.fitted(views, k).labels_

    def affinity(self):
        return "no: as the only view (affinity='precomputed')"

    def predict(self):
        from sklearn.cluster import SpectralClustering

        return "yes" if hasattr(SpectralClustering, "predict") else "no: SpectralClustering has no predict"


LIBRARIES = {
    "consilience": Consilience, "mvlearn": Mvlearn, "snfpy": Snfpy, "imml": Imml, "muon": Muon, "scikit-learn": ScikitLearn,
}

if __name__ == "__main__":
    print(getattr(LIBRARIES[sys.argv[1]](), sys.argv[2])())
