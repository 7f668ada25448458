"""Everything that can be clustered, and that it is the same data in every form."""

from __future__ import annotations

import anndata
import hypothesis.strategies as st
import mudata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp
from sklearn.metrics import adjusted_rand_score

import consilience
from consilience import (
    SLRMF,
    SNF,
    AlignmentWarning,
    Average,
    ConsilienceWarning,
    MissingValuesWarning,
    NoStructureWarning,
    Single,
    _native,
)
from consilience._views import views_of


def labels(X, **arguments):
    return Average(3, random_state=0, **arguments).fit_predict(X)


@pytest.fixture(scope="module")
def expected(views):
    return labels(views)


def test_lists_dicts_tuples_and_nested_lists(views, expected):
    assert np.array_equal(labels(tuple(views)), expected)
    assert np.array_equal(labels({"a": views[0], "b": views[1]}), expected)
    assert np.array_equal(labels([view.tolist() for view in views]), expected)


def test_one_array_with_view_columns(views, expected):
    table = np.hstack(views)
    frame = pd.DataFrame(table, columns=[f"x{place}" for place in range(15)])
    assert np.array_equal(labels(table, view_columns=[6, 9]), expected)
    assert np.array_equal(labels(table, view_columns=[slice(6), slice(6, None)]), expected)
    assert np.array_equal(labels(table, view_columns=[np.arange(15) < 6, list(range(-9, 0))]), expected)
    assert np.array_equal(labels(sp.csc_matrix(table), view_columns=[6, 9]), expected)
    names = {"first": [f"x{place}" for place in range(6)], "rest": slice(6, 15)}
    estimator = Average(3, random_state=0, view_columns=names).fit(frame)
    assert np.array_equal(estimator.labels_, expected)
    assert estimator.view_names_ == ["first", "rest"]
    assert list(estimator.feature_names_in_) == list(frame.columns)
    assert [names for _, _, names in views_of(frame, names).views][0] == list(frame.columns[:6])


@pytest.mark.parametrize(
    ("view_columns", "message"),
    [
        ([6, 8], "add up to the columns of X, which has 15 feature"),
        ([[0, 99]], "does not have"),
        ([slice(20, 30), [0]], "has no columns"),
        ([["a"]], "does not have"),
        ([[]], "at least one column"),
        ("abc", "must be a list"),
        (3, "must be a list"),
        ([], "there are no views"),
    ],
)
def test_wrong_view_columns(views, view_columns, message):
    with pytest.raises(ValueError, match=message):
        labels(np.hstack(views), view_columns=view_columns)
    with pytest.raises(ValueError, match="already several views"):
        labels(views, view_columns=[6, 9])


def test_frames_must_agree_on_their_samples(views, expected):
    names = [f"s{row}" for row in range(90)]
    frames = [pd.DataFrame(view, index=names) for view in views]
    assert np.array_equal(labels(frames), expected)
    assert np.array_equal(labels([frames[0], views[1]]), expected)
    swapped = frames[1].iloc[[1, 0, *range(2, 90)]]
    with pytest.warns(AlignmentWarning, match="the rows of `view2` were put into the order of `view1`"):
        assert np.array_equal(labels([frames[0], swapped]), expected)
    few = [frames[0], frames[1].iloc[:89]]
    with pytest.raises(ValueError, match='`view1` and `view2` have 89 samples in common, 1 only in `view1` .`s89`.') as refused:
        labels(few)
    assert 'join="inner"' in str(refused.value)
    with pytest.warns(AlignmentWarning, match="1 of 90 samples of `view1` are not in every table"):
        joined = Average(3, random_state=0, join="inner").fit(few)
    assert joined.labels_.shape == joined.samples_.shape == (89,) and joined.ids_[88] == "s88"
    with pytest.warns(ConsilienceWarning, match="view2"):
        outer = Average(3, random_state=0, join="outer").fit(few)
    assert outer.labels_.shape == (90,) and np.array_equal(outer.labels_, expected)
    with pytest.raises(ValueError, match="have 0 samples in common") as refused:
        labels([frames[0], frames[1].set_axis([f"t{row}" for row in range(90)])])
    assert "without an index of their own" in str(refused.value) and "id_column" not in str(refused.value)
    with pytest.raises(ValueError, match="the header of `view2` holds the sample ids of `view1`: .* x.T") as refused:
        labels([frames[0], frames[1].T])
    assert "--" not in str(refused.value)
    repeated = pd.DataFrame(views[1], index=[names[0], *names[:89]])
    with pytest.raises(ValueError, match="rows 1 and 2 have the same id `s0`"):
        labels([frames[0], repeated])


def test_missing_values(views, expected):
    holes = [views[0].copy(), views[1]]
    holes[0][4, 1] = holes[0][7, 2] = np.nan
    with pytest.raises(ValueError, match="2 of 540 values are missing") as refused:
        labels(holes)
    assert 'missing="impute"' in str(refused.value)
    with pytest.warns(MissingValuesWarning, match="2 missing values of 540 were filled in"):
        assert np.array_equal(labels(holes, missing="impute"), expected)
    with pytest.warns(MissingValuesWarning, match="2 of 90 samples were left out"):
        dropped = Average(3, random_state=0, missing="drop-samples").fit(holes)
    rows = [row for row in range(90) if row not in (4, 7)]
    assert dropped.samples_.tolist() == rows and dropped.labels_.shape == (88,) and dropped.ids_ is None
    with pytest.warns(MissingValuesWarning):
        assert Average(3, missing="drop-features").fit(holes).labels_.shape == (90,)


def test_samples_that_a_view_does_not_know(views, expected):
    gaps = [views[0].copy(), views[1].copy()]
    gaps[0][5::10], gaps[1][3::10] = np.nan, np.nan
    sparse = sp.csr_matrix(gaps[1])
    rows = [None if np.isnan(row).any() else list(row) for row in gaps[0]]
    names = [f"s{row}" for row in range(90)]
    frames = [pd.DataFrame(view, index=names).dropna() for view in gaps]
    for method in (SLRMF, Average, SNF):
        for given, how in ((gaps, "strict"), ([gaps[0], sparse], "strict"), ([rows, gaps[1]], "strict"), (frames, "outer")):
            with pytest.warns(ConsilienceWarning, match="knows nothing of"):
                fitted = method(3, random_state=0, join=how).fit(given)
            found = pd.Series(fitted.labels_, index=fitted.ids_ if how == "outer" else names)[names]
            assert adjusted_rand_score(found, expected) == 1
    with pytest.raises(ValueError, match="`comvsc` needs every sample in every view") as refused:
        consilience.CoMVSC(3).fit(gaps)
    assert "slrmf, snf, average" in str(refused.value)


def test_view_weights(views):
    for weights in ({"view1": 3, "view2": 1}, [3, 1], np.array([3.0, 1.0])):
        for method in (SLRMF, Average):
            fitted = method(3, random_state=0, view_weights=weights).fit(views)
            assert np.allclose(fitted.view_weights_, [0.75, 0.25])
    with pytest.raises(ValueError, match="view `view2` has no weight"):
        Average(3, view_weights={"view1": 3}).fit(views)
    with pytest.raises(ValueError, match="1 weights for 2 views"):
        Average(3, view_weights=[3]).fit(views)
    with pytest.raises(TypeError):
        SNF(3, view_weights=[3, 1])


def test_files_are_joined_and_nothing_is_overwritten(views, tmp_path):
    names = [f"s{row}" for row in range(90)]
    frames = [pd.DataFrame(view, index=pd.Index(names, name="sample")) for view in views]
    frames[0].to_csv(tmp_path / "a.csv")
    frames[1].iloc[::-1].to_csv(tmp_path / "b.csv")
    with pytest.warns(AlignmentWarning, match="put into the order of"):
        read = consilience.read([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert list(read.views) == ["a", "b"] and read.ids[3] == "s3"
    assert np.allclose(read.views["b"], views[1])
    frames[0].T.to_csv(tmp_path / "turned.csv")
    turned = consilience.read(tmp_path / "turned.csv", transpose=True)
    assert np.allclose(turned.views["turned"], views[0]) and turned.ids[5] == "s5"

    fitted = Average(3, random_state=0).fit(frames)
    folder = fitted.write_run(tmp_path / "run")
    assert (folder / "labels.csv").read_text().splitlines()[1].startswith("s0,")
    with pytest.raises(ValueError, match="already holds run.json, labels.csv"):
        fitted.write_run(folder)
    fitted.write_run(folder, force=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "labels.csv").write_text("mine")
    with pytest.raises(ValueError, match="which no run wrote"):
        fitted.write_run(tmp_path / "mine", force=True)


def test_constant_views_are_named(views):
    with pytest.warns(NoStructureWarning, match="view `view2` does not vary"):
        Average(3).fit([views[0], np.ones((90, 2))])


def test_sparse_matrices(views, expected):
    for form in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array):
        assert np.array_equal(labels([form(views[0]), views[1]]), expected)
    repeated = sp.csr_matrix((np.ones(4), [1, 0, 1, 0], [0, 3, 4]), shape=(2, 2))
    values, columns, starts, _ = views_of([repeated]).views[0][1]
    assert (values.tolist(), columns.tolist(), starts.tolist()) == ([1.0, 2.0, 1.0], [0, 1, 0], [0, 2, 3])
    assert not repeated.has_canonical_format


def test_memory_maps(views, expected, tmp_path):
    maps = []
    for place, view in enumerate(views):
        np.save(tmp_path / f"{place}.npy", view)
        maps.append(np.load(tmp_path / f"{place}.npy", mmap_mode="r"))
    assert np.array_equal(labels(maps), expected)
    assert _native.address(views_of(maps).views[0][1]) == maps[0].ctypes.data


def test_anndata_and_mudata(views, expected):
    names = [f"cell{row}" for row in range(90)]
    tables = [anndata.AnnData(view, obs=pd.DataFrame(index=names)) for view in views]
    estimator = Average(3, random_state=0).fit(mudata.MuData({"rna": tables[0], "atac": tables[1]}))
    assert np.array_equal(estimator.labels_, expected) and estimator.view_names_ == ["rna", "atac"]
    tables[1].X = sp.csr_matrix(tables[1].X)
    assert np.array_equal(labels(tables), expected)
    single = [Single(3, random_state=0).fit_predict(X) for X in (tables[0], views[0])]
    assert np.array_equal(*single)
    assert np.array_equal(
        Single(3, random_state=0).fit_predict(tables[1]), Single(3, random_state=0).fit_predict([views[1]])
    )
    other = tables[1][[1, 0, *range(2, 90)]].copy()
    with pytest.warns(AlignmentWarning, match="the rows of `atac` were put into the order of `rna`"):
        labels(mudata.MuData({"rna": tables[0], "atac": other}))


def test_contiguous_floats_are_read_where_they_lie(views):
    for dtype in (np.float32, np.float64):
        array = views[0].astype(dtype)
        array.flags.writeable = False
        numbers = views_of([array]).views[0][1]
        assert _native.address(numbers) == array.ctypes.data
        assert _native.address(views_of(array).views[0][1]) == array.ctypes.data
    fortran = np.asfortranarray(views[0])
    assert _native.address(views_of([fortran]).views[0][1]) != fortran.ctypes.data


@settings(max_examples=60, deadline=None)
@given(
    array=hnp.arrays(
        dtype=st.sampled_from(["f4", "f8", "f2", ">f8", "i1", "i4", "i8", "u2", "u8", "?"]),
        shape=hnp.array_shapes(min_dims=2, max_dims=2, max_side=9),
        elements={"min_value": 0, "max_value": 1},
    ),
    fortran=st.booleans(),
    step=st.sampled_from([1, -1, 2]),
    shifted=st.booleans(),
    locked=st.booleans(),
)
def test_any_dtype_order_and_stride_is_the_same_numbers(array, fortran, step, shifted, locked):
    array = np.asfortranarray(array) if fortran else array
    if shifted:
        # the same numbers at an address that is no multiple of their size
        memory = np.empty(array.nbytes + 1, np.uint8)
        moved = np.frombuffer(memory.data, array.dtype, array.size, offset=1).reshape(array.shape)
        moved[...] = array
        array = moved
    array = array[::step, ::step]
    array.flags.writeable = not locked
    before = array.copy()
    numbers = views_of([array]).views[0][1]
    assert numbers.dtype in (np.float32, np.float64) and numbers.flags.c_contiguous and numbers.flags.aligned
    assert np.array_equal(numbers, array.astype(np.float64))
    found = Average(1, random_state=0).fit([array])
    assert np.array_equal(found.labels_, np.zeros(len(array)))
    assert np.array_equal(array, before)


@settings(max_examples=20, deadline=None)
@given(rows=st.integers(0, 2), columns=st.integers(0, 2))
def test_empty_arrays_are_refused(rows, columns):
    array = np.ones((rows, columns))
    if rows and columns:
        assert Average(1).fit([array]).labels_.shape == (rows,)
    else:
        with pytest.raises(ValueError, match=f"view `view1` is empty: {rows} rows x {columns} columns"):
            Average(1).fit([array])
        with pytest.raises(ValueError, match=r"0 (sample|feature)\(s\)"):
            Average(1).fit(array)


def test_floats_keep_their_precision(views):
    assert views_of([views[0].astype("f4")]).views[0][1].dtype == np.float32
    assert views_of([views[0].astype("i2")]).views[0][1].dtype == np.float64
