"""Estimators on Dask, by its threads: the labels of one machine, and every form of input."""

from __future__ import annotations

import doctest
import pickle
import warnings

import anndata
import dask.array as da
import dask.dataframe as dd
import mudata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import zarr
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import consilience
import consilience.dask as on_dask
from consilience import _native
from consilience.dask import SLRMF, Average, KMeans

N = 1_500
BLOCKS = (400, 1, 0, 700, 399)


@pytest.fixture(scope="module")
def data():
    """Clusters that overlap, so that the smallest difference changes labels."""
    views, target = consilience.datasets.make_blobs(N, 4, (6, 9), separation=4.0, random_state=3)
    return {"a": np.asarray(views["view1"], dtype=np.float32), "b": views["view2"]}


def lazy(data, blocks=BLOCKS):
    return {name: da.from_array(view, chunks=(blocks, -1)) for name, view in data.items()}


@pytest.fixture(scope="module")
def whole(data):
    return consilience.SLRMF(4, random_state=0, landmarks=300).fit(data)


def model():
    return SLRMF(4, random_state=0, landmarks=300)


def same(found, expected):
    assert isinstance(found, da.Array)
    assert np.array_equal(found.compute(), expected)


def test_labels_and_model_are_those_of_one_machine(data, whole, tmp_path):
    fitted = model().fit(lazy(data))
    same(fitted.labels_, whole.labels_)
    assert fitted.labels_.chunks == (BLOCKS,) and fitted.labels_.dtype == np.int64
    assert fitted.save(tmp_path / "blocks").read_bytes() == whole.save(tmp_path / "whole").read_bytes()
    for name in ("view_weights_", "eigenvalues_"):
        assert np.array_equal(getattr(fitted, name), getattr(whole, name))
    assert fitted.landmarks_.size == 300 and (np.diff(fitted.landmarks_) > 0).all() and fitted.tried_ == []
    assert fitted.centres_.shape == (4, whole.embedding_.shape[1])
    assert (fitted.view_names_, fitted.view_widths_, fitted.n_features_in_) == (["a", "b"], [6, 9], 15)
    assert fitted.seed_ == 0 and fitted.n_clusters_ == 4 and fitted.ids_ is None
    assert set(fitted.disagreements_) == set(whole.disagreements_)


def test_new_samples_get_the_places_of_one_machine(data, whole):
    fitted = model().fit(lazy(data))
    found, expected = fitted.predict_details(lazy(data)), whole.predict_details(data)
    for name in expected:
        same(found[name], expected[name])
    assert found.ids is None
    same(fitted.transform(lazy(data)), whole.transform(data))
    same(fitted.score_samples([None, lazy(data)["b"]]), whole.score_samples([None, data["b"]]))
    assert fitted.predict(lazy(data)).name == fitted.predict(lazy(data)).name, "the same question has the same name"
    same(model().fit_predict(lazy(data)), whole.labels_)
    assert fitted.fit_transform(lazy(data)).shape == whole.embedding_.shape


@pytest.mark.parametrize("blocks", [(N,), (1,) + (N - 1,), (0, N), (500,) * 3, (20,) * 75])
def test_labels_do_not_depend_on_blocks(data, whole, blocks):
    same(model().fit(lazy(data, blocks)).labels_, whole.labels_)


@pytest.mark.parametrize("estimator", [SLRMF, Average, KMeans])
def test_few_samples_are_clustered_in_full(data, estimator):
    fitted = estimator(4, random_state=0).fit(lazy(data))
    ordinary = getattr(consilience, estimator.__name__)(4, random_state=0).fit(data)
    same(fitted.labels_, ordinary.labels_)
    assert fitted.labels_.chunks == (BLOCKS,) and fitted.landmarks_ is None
    same(fitted.predict(lazy(data)), ordinary.predict(data))


def test_many_samples_are_clustered_by_landmarks(data):
    # what is made of them is the library's; labels of a million samples are compared in benches/dask_scale.py
    asked = SLRMF(4, random_state=0)._settings(["a"], {})
    assert _native.rows_read_first(50_000, asked) is None
    rows = _native.rows_read_first(50_001, asked)
    assert rows.size == 25_000 and (np.diff(rows) > 0).all() and rows[-1] <= 50_000


def test_the_number_of_clusters_is_found_as_on_one_machine(data):
    ordinary = consilience.KMeans((2, 5), random_state=0, landmarks=300).fit(data)
    fitted = KMeans((2, 5), random_state=0, landmarks=300).fit(lazy(data))
    same(fitted.labels_, ordinary.labels_)
    assert fitted.n_clusters_ == ordinary.n_clusters_ and fitted.choice_["candidates"] == ordinary.choice_["candidates"]


def test_every_estimator_is_here():
    assert set(on_dask.__all__) == {*consilience._names.ESTIMATORS, "load"}
    for name in consilience._names.ESTIMATORS:
        found, ordinary = getattr(on_dask, name)(), getattr(consilience, name)()
        assert found.get_params() == ordinary.get_params() and isinstance(found, type(ordinary))
        assert "dask array" in found.__doc__ and "n_clusters : int" in found.__doc__
        assert type(pickle.loads(pickle.dumps(clone(found)))) is getattr(on_dask, name)
    assert doctest.testmod(on_dask).failed == 0


def test_models_go_both_ways(data, whole, tmp_path):
    path = model().fit(lazy(data)).save(tmp_path / "cluster.safetensors")
    assert np.array_equal(consilience.load(path).predict(data), whole.labels_)
    whole.save(tmp_path / "laptop.safetensors")
    for loaded in (on_dask.load(tmp_path / "laptop.safetensors"), SLRMF.load(tmp_path / "laptop.safetensors")):
        assert type(loaded) is SLRMF and loaded.n_clusters_ == 4
        same(loaded.predict(lazy(data)), whole.labels_)
    with pytest.raises(ValueError, match="is a model of SLRMF, not of Average"):
        Average.load(path)
    again = pickle.loads(pickle.dumps(SLRMF.load(path)))
    same(again.predict(lazy(data)), whole.labels_)


def test_what_is_not_fitted_or_not_here_says_so(data):
    with pytest.raises(NotFittedError):
        model().predict(lazy(data))
    fitted = model().fit(lazy(data))
    for call in (
        lambda: fitted.examine(lazy(data)),
        lambda: fitted.report(lazy(data), "page.html"),
        lambda: fitted.markers(lazy(data)),
        lambda: fitted.write_run("folder"),
        lambda: fitted.set_output(transform="pandas"),
    ):
        with pytest.raises(NotImplementedError, match="needs samples in memory"):
            call()
    with pytest.raises(ValueError, match="parameter `missing` = `impute`"):
        model().set_params(missing="impute").fit(lazy(data))
    with pytest.raises(ValueError, match="cannot be cut into blocks"):
        model().set_params(precomputed="affinity").fit(lazy(data))
    with pytest.raises(ValueError, match="sample_weight is not supported"):
        model().fit_predict(lazy(data), sample_weight=np.ones(N))
    with pytest.raises(ValueError, match="at least 1 is needed"):
        fitted.set_params(n_clusters=0).fit(lazy(data))
    assert not hasattr(fitted, "labels_") and not hasattr(fitted, "_model")


def test_unknown_sizes_are_counted_with_a_word(data, whole):
    views = lazy(data, (500, 500, 500))
    views["b"] = views["b"][da.ones(N, chunks=500) > 0]
    assert np.isnan(views["b"].shape[0])
    with pytest.warns(consilience.ConsilienceWarning, match="view `b`: how many samples its 3 block.* counted"):
        fitted = model().fit(views)
    assert np.isnan(views["b"].shape[0]), "the user's array is left alone"
    same(fitted.labels_, whole.labels_)


def test_other_blocks_are_cut_anew_with_a_word(data, whole):
    views = {"a": da.from_array(data["a"], chunks=(500, 6)), "b": da.from_array(data["b"], chunks=(300, 4))}
    with pytest.warns(consilience.ConsilienceWarning, match="view `b`: its blocks are not those of view `a`"):
        fitted = model().fit(views)
    assert fitted.labels_.chunks == ((500, 500, 500),)
    same(fitted.labels_, whole.labels_)
    with pytest.warns(consilience.ConsilienceWarning, match="view `a`: its blocks do not hold whole rows"):
        model().fit({"a": da.from_array(data["a"], chunks=(500, 2))})


def test_blocks_that_fit_are_left_alone_in_silence(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error", consilience.ConsilienceWarning)
        warnings.filterwarnings("ignore", "the graph of")
        model().fit(lazy(data))


def test_rows_of_nan_are_missing_samples(data):
    gaps = {"a": data["a"].copy(), "b": data["b"]}
    gaps["a"][5::10] = np.nan
    with pytest.warns(consilience.MissingSamplesWarning) as expected:
        ordinary = consilience.SLRMF(4, random_state=0, landmarks=300).fit(gaps)
    with pytest.warns(consilience.MissingSamplesWarning, match="view `a` knows nothing of 150 samples") as found:
        fitted = model().fit(lazy(gaps))
    assert {str(word.message) for word in found} == {str(word.message) for word in expected}
    same(fitted.labels_, ordinary.labels_)
    assert [word.kind for word in fitted.warnings_].count("missing_samples") == 1


@pytest.mark.parametrize("where", ["landmark", "other"])
def test_values_that_are_missing_are_refused_with_their_sample(data, whole, where):
    landmarks = model().fit(lazy(data)).landmarks_
    row = int(landmarks[70]) if where == "landmark" else next(row for row in range(900, N) if row not in landmarks)
    holes = {"a": data["a"], "b": data["b"].copy()}
    holes["b"][row, 3] = np.nan
    with pytest.raises(ValueError, match=f"view `b`: sample {row}, counted from 0, has the value nan in column 3"):
        model().fit(lazy(holes))
    sparse = {name: view.map_blocks(sp.csr_matrix) for name, view in lazy(holes).items()}
    with pytest.raises(ValueError, match=f"view `b`: sample {row}, counted from 0, has the value nan in column 3"):
        model().fit(sparse)


def test_one_sample_and_none():
    one = {"a": da.ones((1, 3)), "b": da.ones((1, 2))}
    same(SLRMF(1, random_state=0).fit(one).labels_, [0])
    with pytest.raises(ValueError, match="X has no samples: every block of it is empty"):
        SLRMF(1).fit({"a": da.ones((0, 3))})
    with pytest.raises(ValueError, match="view `a` has no features"):
        SLRMF(1).fit({"a": da.ones((3, 0), chunks=(3, 1))})
    with pytest.raises(ValueError, match="X has no view"):
        SLRMF(1).fit({})


def test_what_is_not_lazy_is_refused(data):
    for wrong, words in (
        (data, "view `a` is a numpy.ndarray: consilience.dask takes dask arrays"),
        ({"a": pd.DataFrame(data["a"])}, "view `a` is a pandas"),
        ({"a": anndata.AnnData(data["a"])}, "AnnData whose X is in memory"),
    ):
        with pytest.raises(TypeError, match=words):
            model().fit(wrong)
    with pytest.raises(ValueError, match="1 dimension"):
        model().fit({"a": da.ones(5)})
    with pytest.raises(ValueError, match="view `b` has 9 samples and view `a` has 8"):
        model().fit({"a": da.ones((8, 2)), "b": da.ones((9, 2))})


@pytest.mark.filterwarnings("ignore::consilience.DisagreementWarning")
def test_sparse_blocks(data):
    counts = np.random.default_rng(0).poisson(0.3 + 2.0 * (np.arange(40) % 4 == np.arange(N)[:, None] % 4))
    table = sp.csr_matrix(counts.astype(np.float32))
    ordinary = consilience.SLRMF(4, random_state=0, landmarks=300).fit({"a": data["a"], "c": table})
    views = {"a": lazy(data)["a"], "c": da.from_array(counts.astype(np.float32), chunks=(BLOCKS, -1)).map_blocks(sp.csr_matrix)}
    same(model().fit(views).labels_, ordinary.labels_)


def test_one_table_with_view_columns(data):
    together = np.hstack([data["a"], data["b"]])
    ordinary = consilience.SLRMF(4, random_state=0, landmarks=300, view_columns={"a": slice(0, 6), "b": list(range(6, 15))})
    fitted = SLRMF(**ordinary.get_params())
    array = da.from_array(together, chunks=(500, 5))
    with pytest.warns(consilience.ConsilienceWarning, match="do not hold whole rows"):
        same(fitted.fit(array).labels_, ordinary.fit_predict(together))
    with pytest.warns(consilience.ConsilienceWarning, match="do not hold whole rows"):
        same(fitted.predict(array), ordinary.labels_)
    with pytest.raises(ValueError, match="the fit had 2 views"):
        model().fit(lazy(data)).predict(array)


def test_progress_is_told_when_asked_for(data, capsys):
    model().set_params(verbose=1).fit(lazy(data))
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "slrmf: 1500 samples in 5 blocks; clustering 300 at most" and len(told) == 3


def test_tasks_are_named_for_what_they_do(data):
    from dask.callbacks import Callback
    from dask.utils import key_split

    seen = set()
    with Callback(pretask=lambda key, *_: seen.add(key_split(key))):
        model().fit(lazy(data, (20,) * 75)).predict(lazy(data)).compute()
    names = {name for name in seen if name.startswith("consilience")}
    expected = "pick stack landmarks place account merge label labels"
    assert names >= {f"consilience-{name}" for name in expected.split()}


def test_files(data, whole, tmp_path, monkeypatch):
    monkeypatch.setattr("consilience.dask._paths.BLOCK_BYTES", 40_000)
    paths = {name: tmp_path / f"{name}.npy" for name in data}
    for name, path in paths.items():
        np.save(path, data[name])
    fitted = model().fit(list(paths.values()))
    same(fitted.labels_, whole.labels_)
    assert fitted.view_names_ == ["a", "b"] and len(fitted.labels_.chunks[0]) > 2
    kept = zarr.create_array(str(tmp_path / "b.zarr"), shape=(N, 9), chunks=(450, 9), dtype=np.float64)
    kept[:] = data["b"]
    mixed = {"a": paths["a"], "b": tmp_path / "b.zarr"}
    fitted = model().fit(mixed)
    same(fitted.labels_, whole.labels_)
    assert fitted.labels_.chunks == ((450, 450, 450, 150),), "the blocks of the array beside it"
    for wrong, error, words in (
        (tmp_path / "none.npy", FileNotFoundError, "does not exist"),
        (tmp_path, ValueError, "reads .npy, .parquet, .zarr"),
    ):
        with pytest.raises(error, match=words):
            model().fit([wrong])
    with pytest.raises(ValueError, match="two of the files are called `a`"):
        model().fit([paths["a"], tmp_path / "deeper" / "a.npy"])
    np.save(tmp_path / "flat.npy", np.ones(5))
    with pytest.raises(ValueError, match="has 1 dimension"):
        model().fit(tmp_path / "flat.npy")


def test_anndata_and_mudata(data, whole, tmp_path):
    names = [f"cell{row}" for row in range(N)]

    def annotated(view, rows=None):
        rows = np.arange(N) if rows is None else rows
        return anndata.AnnData(
            da.from_array(view[rows], chunks=(400, -1)), obs=pd.DataFrame(index=[names[row] for row in rows])
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        together = mudata.MuData({"a": annotated(data["a"]), "b": annotated(data["b"])})
    fitted = model().fit(together)
    same(fitted.labels_, whole.labels_)
    assert fitted.ids_[:2].compute().tolist() == ["cell0", "cell1"]
    shuffled = np.random.default_rng(0).permutation(N)
    other = {"a": annotated(data["a"]), "b": annotated(data["b"], shuffled)}
    with pytest.raises(ValueError, match="rows of view `b` have other ids .* the same samples in another order"):
        model().fit(other)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(model().set_params(join="inner").fit(other).labels_, whole.labels_)
    for name in data:
        anndata.AnnData(data[name], obs=pd.DataFrame(index=names)).write_zarr(tmp_path / f"{name}.zarr")
        anndata.AnnData(data[name], obs=pd.DataFrame(index=names)).write_h5ad(tmp_path / f"{name}.h5ad")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(model().fit([tmp_path / "a.zarr", tmp_path / "b.zarr"]).labels_, whole.labels_)
        same(model().fit([tmp_path / "a.h5ad", tmp_path / "b.h5ad"]).labels_, whole.labels_)


def test_frames_in_memory_sizes(data, whole):
    frames = {name: dd.from_pandas(pd.DataFrame(view), npartitions=4, sort=False) for name, view in data.items()}
    with pytest.warns(consilience.ConsilienceWarning, match="counted"):
        fitted = model().fit(frames)
    same(fitted.labels_, whole.labels_)
    assert fitted.ids_ is None, "row numbers are no ids"
