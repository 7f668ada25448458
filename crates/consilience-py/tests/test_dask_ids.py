"""Estimators on Dask: samples with names, in dask dataframes and Parquet."""

from __future__ import annotations

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import consilience
from consilience.dask import SLRMF

N = 900

pytestmark = pytest.mark.filterwarnings("ignore:.*was counted:consilience.ConsilienceWarning")


@pytest.fixture(scope="module")
def data():
    """Clusters that overlap, under names."""
    views, _ = consilience.datasets.make_blobs(N, 3, (5, 7), separation=4.0, random_state=3)
    ids = pd.Index([f"s{row}" for row in range(N)], name="sample")
    return {
        name: pd.DataFrame(view, index=ids, columns=[f"{name}{at}" for at in range(view.shape[1])])
        for name, view in zip("ab", views.values())
    }


@pytest.fixture(scope="module")
def whole(data):
    return consilience.SLRMF(3, random_state=0, landmarks=200).fit(data)


def model(**more):
    return SLRMF(3, random_state=0, landmarks=200, **more)


def lazy(data, parts=4):
    return {name: dd.from_pandas(frame, npartitions=parts, sort=False) for name, frame in data.items()}


def test_names_of_samples_and_features_are_kept(data, whole):
    frames = lazy(data)
    fitted = model().fit(frames)
    assert np.array_equal(fitted.labels_.compute(), whole.labels_)
    assert fitted.ids_.compute().tolist() == whole.ids_.tolist()
    assert fitted.labels_.chunks == fitted.ids_.chunks
    turned = {"b": frames["b"][[f"b{at}" for at in reversed(range(7))]]}
    assert np.array_equal(fitted.predict(turned).compute(), whole.predict({"b": data["b"]})), "columns are matched by name"


def test_partitions_of_other_sizes_and_empty_ones(data, whole):
    frames = {"a": lazy(data)["a"], "b": dd.concat([dd.from_pandas(data["b"][:0], npartitions=1), lazy(data, 7)["b"]])}
    with pytest.warns(consilience.ConsilienceWarning, match="view `b`: its blocks are not those of view `a`"):
        fitted = model().fit(frames)
    assert np.array_equal(fitted.labels_.compute(), whole.labels_)


def test_samples_in_another_order_are_refused_with_counts(data):
    frames = {"a": data["a"], "b": data["b"].iloc[np.r_[1, 0, 2:N]]}
    with pytest.raises(ValueError, match="2 of 900 rows of view `b` have other ids than view `a`, the first `s1` instead of `s0`: it has the same"):
        model().fit(lazy(frames))
    frames["b"] = data["b"].rename(index={"s5": "t5"})
    with pytest.raises(ValueError, match="1 of 900 rows of view `b` .* `t5` instead of `s5`: it has other samples\nhint: join="):
        model().fit(lazy(frames))
    frames["b"] = data["b"][:800]
    with pytest.raises(ValueError, match='view `b` has 800 samples and view `a` has 900: .*join="inner"'):
        model().fit(lazy(frames))


@pytest.mark.filterwarnings("ignore::consilience.MissingSamplesWarning")
@pytest.mark.parametrize("how", ["inner", "outer"])
def test_samples_are_joined_when_asked(data, how):
    order = np.random.default_rng(0).permutation(N)
    frames = {"a": data["a"][:850], "b": data["b"].iloc[order][:870]}
    expected = frames["a"].join(frames["b"], how=how)
    with pytest.warns(consilience.AlignmentWarning, match="views were joined by ids: .* samples, of 850 of view `a`, 870 of view `b`"):
        fitted = model(join=how).fit(lazy(frames))
    ids = fitted.ids_.compute()
    assert sorted(ids) == sorted(expected.index)
    # one machine on the rows in the same order
    rows = expected.loc[ids]
    views = {"a": rows[data["a"].columns].to_numpy(), "b": rows[data["b"].columns].to_numpy()}
    ordinary = consilience.SLRMF(3, random_state=0, landmarks=200).fit(views)
    assert np.array_equal(fitted.labels_.compute(), ordinary.labels_)
    assert [view for view in fitted.view_widths_] == [5, 7]


def test_what_cannot_be_joined(data):
    twice = {"a": data["a"], "b": pd.concat([data["b"], data["b"][:3]])}
    with pytest.raises(ValueError, match="3 of the joined samples have an id that another one has"):
        model(join="inner").fit(lazy(twice))
    frames = lazy(data)
    frames["b"] = frames["b"].to_dask_array(lengths=True)
    with pytest.raises(ValueError, match=r"matches samples by their ids, and view\(s\) b have none"):
        model(join="inner").fit(frames)
    with pytest.raises(ValueError, match="parameter `join` = `left`"):
        model(join="left").fit(frames)


def test_text_is_no_feature(data):
    frames = {"a": data["a"].assign(kind="x")}
    with pytest.raises(ValueError, match=r"view `a` has 1 column\(s\) that are no numbers: `kind`; make the one with ids the index"):
        model().fit(lazy(frames))


def test_parquet(data, whole, tmp_path):
    for name, frame in lazy(data).items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
    fitted = model().fit([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    assert np.array_equal(fitted.labels_.compute(), whole.labels_)
    assert fitted.ids_.compute().tolist() == whole.ids_.tolist()
    # written by somebody who knows no index: one column of text
    data["b"].reset_index().to_parquet(tmp_path / "plain.parquet", index=False)
    with pytest.warns(consilience.ConsilienceWarning, match="its blocks are not those"):
        fitted = model().fit({"a": tmp_path / "a.parquet", "b": tmp_path / "plain.parquet"})
    assert np.array_equal(fitted.labels_.compute(), whole.labels_)
