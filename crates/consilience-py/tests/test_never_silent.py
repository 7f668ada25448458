"""Input that means something else than it seems is refused or warned of; nothing is wrong in silence."""

from __future__ import annotations

import warnings

import anndata
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from sklearn.exceptions import ConvergenceWarning

from consilience import SLRMF, Average, DisagreementWarning, MissingSamplesWarning, NotConvergedWarning, datasets, metrics, tl


@pytest.fixture
def shuffled(views):
    """The second view with its rows in another order."""
    return [views[0], views[1][np.random.default_rng(0).permutation(90)]]


def told(found, kind):
    return [str(warning.message) for warning in found if issubclass(warning.category, kind)]


def test_rows_that_do_not_belong_together_are_told(estimator_class, views, shuffled):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        estimator_class(3, random_state=0).fit(shuffled)
    # `single` looks at one view only
    expected = [] if estimator_class.__name__ == "Single" else [
        "views `view1` and `view2` agree no more than by chance: are their rows in the same order?"
    ]
    assert [words for words in told(found, DisagreementWarning) if "chance" in words] == expected
    with warnings.catch_warnings():
        warnings.simplefilter("error", DisagreementWarning)
        estimator_class(3, random_state=0).fit(views)


def test_the_digits_of_the_review():
    digits, rng = datasets.load_digits(), np.random.default_rng(0)
    fou, fac = digits.views["fou"], digits.views["fac"][rng.permutation(2000)]
    with pytest.warns(DisagreementWarning, match="views `fou` and `fac` agree no more than by chance") as found:
        model = SLRMF(10, random_state=0).fit({"fou": fou, "fac": fac})
    assert metrics.nmi(digits.target, model.labels_) < 0.05
    warning = next(warning.message for warning in found if issubclass(warning.category, DisagreementWarning))
    assert (warning.kind, warning.view) == ("unrelated_view", "fac")


def test_masked_entries_are_missing_values(views):
    masked = np.ma.MaskedArray(views[0], mask=False)
    masked[4, 2] = np.ma.masked
    for X in ([masked, views[1]], {"a": masked}, masked, [np.ma.MaskedArray(views[0].astype(int), masked.mask)]):
        with pytest.raises(ValueError, match="missing"):
            Average(3, random_state=0).fit(X)
    gaps = views[0].copy()
    gaps[4, 2] = np.nan
    arguments = {"random_state": 0, "missing": "impute"}
    with pytest.warns(UserWarning, match="missing|filled"):
        assert np.array_equal(Average(3, **arguments).fit([masked, views[1]]).labels_, Average(3, **arguments).fit([gaps, views[1]]).labels_)
    masked[:] = views[0]
    masked.mask = False
    assert np.array_equal(
        Average(3, random_state=0).fit_predict([masked, views[1]]), Average(3, random_state=0).fit_predict(views)
    )


def test_labelled_arrays_are_matched_by_their_coordinates(views):
    names, order = [f"s{i}" for i in range(90)], np.random.default_rng(1).permutation(90)
    first = xr.DataArray(views[0], dims=("cell", "gene"), coords={"cell": names, "gene": [f"g{j}" for j in range(6)]})
    second = xr.DataArray(views[1][order], dims=("cell", "protein"), coords={"cell": [names[i] for i in order]})
    expected = Average(3, random_state=0).fit(views)
    with pytest.warns(UserWarning, match="other order|reorder|order"):
        found = Average(3, random_state=0).fit({"rna": first, "prot": second})
    assert np.array_equal(found.labels_, expected.labels_) and found.ids_.tolist() == names
    # without coordinates rows are what they are, and one array has its names
    plain = Average(3, random_state=0).fit([first.drop_vars("cell"), xr.DataArray(views[1], dims=("cell", "protein"))])
    assert np.array_equal(plain.labels_, expected.labels_) and plain.ids_ is None
    alone = Average(3, random_state=0).fit(first)
    assert alone.ids_.tolist() == names and list(alone.feature_names_in_)[:2] == ["g0", "g1"]
    with pytest.raises(ValueError, match="the rows of view `prot` are `protein`"):
        Average(3).fit({"rna": first, "prot": second.T})


def test_arrays_of_one_dimension_are_no_table_of_few_samples(views):
    a, b = views
    with pytest.raises(ValueError, match=r"list of 2 arrays of 1 dimension: .*np.column_stack\(X\).*x\[:, None\]"):
        SLRMF(2).fit([a[:, 0], b[:, 0]])
    with pytest.raises(ValueError, match="list of 2 arrays of 1 dimension"):
        SLRMF(2).fit([pd.Series(a[:, 0]), pd.Series(b[:, 0])])
    with pytest.raises(ValueError, match=r"view `b` has 1 dimension: pass x\[:, None\]"):
        SLRMF(2).fit({"a": a, "b": b[:, 0]})
    with pytest.raises(ValueError, match="view `view1` has 3 dimensions: a view is a table"):
        SLRMF(2).fit([np.ones((9, 2, 2)), b])
    with pytest.raises(TypeError, match="generator"):
        SLRMF(2).fit(view for view in views)
    # rows of plain lists are a table, as everywhere in scikit-learn
    assert Average(3, random_state=0).fit(a.tolist()).labels_.shape == (90,)


def test_lazy_frames_say_what_to_do():
    class LazyFrame:
        def collect(self): ...

        def collect_schema(self): ...

    with pytest.raises(TypeError, match=r"lazy frame.*X.collect\(\)"):
        SLRMF(2).fit(LazyFrame())


def test_many_rows_of_zeros_are_told(views):
    holes = views[1].copy()
    holes[::3] = 0.0
    with pytest.warns(MissingSamplesWarning, match="view `view2` has nothing but zeros for 30 samples") as found:
        SLRMF(3, random_state=0).fit([views[0], holes])
    assert {warning.message.view for warning in found if warning.category is MissingSamplesWarning} == {"view2"}
    one = views[1].copy()
    one[5] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error", MissingSamplesWarning)
        SLRMF(3, random_state=0).fit([views[0], one])


def test_an_iteration_limit_is_a_convergence_warning(estimator_class):
    if "max_iterations" not in estimator_class._parameters:
        pytest.skip("it iterates as often as its definition says, or not at all")
    views, _ = datasets.make_blobs(90, 3, (6, 9), separation=3.0, random_state=1)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model = estimator_class(3, max_iterations=1, random_state=0).fit(views)
    limited = model.stop_reason_ == "iteration limit"
    assert limited, "one iteration is enough for no method here"
    assert bool(told(found, ConvergenceWarning)) == limited and bool(told(found, NotConvergedWarning)) == limited


def test_reports_are_of_the_fit_that_was_made(tmp_path, views):
    model, path = Average(3, random_state=0).fit(views), tmp_path / "page.html"
    with pytest.raises(ValueError, match="these are not the views that were fitted"):
        model.report([views[0], views[1] + 1e-9], path)
    with pytest.raises(ValueError, match="these are not the views that were fitted"):
        model.report([views[0][:80], views[1][:80]], path)
    model.set_params(n_clusters=4, neighbours=7)
    with pytest.raises(ValueError, match=r"parameters were changed after the fit \(n_clusters, neighbours\).*fit again"):
        model.report(views, path)
    model.set_params(n_clusters=3, neighbours=20, n_jobs=1)
    assert not path.exists() and model.report(views, path, resamples=0) == path


def test_a_loaded_model_is_not_reported_on_other_data(tmp_path, views):
    model = Average(3, random_state=0).fit(views)
    again = Average.load(model.save(tmp_path / "model.safetensors"))
    with pytest.raises(ValueError, match="other labels than the fit has"):
        again.examine([view[::-1].copy() for view in views], resamples=0)
    assert again.examine(views, resamples=0).verdict.headline


def test_what_cannot_be_written_is_refused_before_the_work(tmp_path, views, monkeypatch):
    model = Average(3, random_state=0).fit(views)
    monkeypatch.setattr(Average, "examine", lambda *_, **__: pytest.fail("work was done"))
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        model.report(views, tmp_path / "nowhere" / "page.html")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        model.report(views, tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        model.save(tmp_path / "nowhere" / "model.safetensors")


def test_indexes_that_mean_the_same_are_the_same(views):
    a, b = views
    expected = Average(3, random_state=0).fit(views)
    days = pd.date_range("2024-01-01", periods=90, freq="h", tz="UTC")
    numbers = pd.RangeIndex(90)
    for first, second in [
        (days, days.tz_convert("Asia/Tokyo")),
        (numbers, numbers.astype(str)),
        (numbers, numbers.astype(float)),
    ]:
        found = Average(3, random_state=0).fit([pd.DataFrame(a, index=first), pd.DataFrame(b, index=second)])
        assert np.array_equal(found.labels_, expected.labels_)
    with pytest.raises(ValueError) as refused:
        Average(3).fit([pd.DataFrame(a, index=days), pd.DataFrame(b, index=days.tz_localize(None))])
    assert "--" not in str(refused.value) and "join=" in str(refused.value)


def test_words_are_pythons(tmp_path, views):
    a, b = views
    messages = []
    for X in (
        [pd.DataFrame(a, index=range(90)), pd.DataFrame(b, index=range(50, 140))],
        [a, b[:50]],
        {"a": np.where(a > a.max() - 1e-9, np.nan, a), "b": b},
        {"a": a * 1e200, "b": b},
    ):
        with pytest.raises(ValueError) as refused:
            Average(3, scale="none").fit(X)
        messages.append(str(refused.value))
        assert "file" not in messages[-1]
    assert all("hint: " in message and "--" not in message and "inspect" not in message for message in messages)


def test_what_is_no_number_is_found(views):
    frame = pd.DataFrame(views[0], index=[f"s{row}" for row in range(90)]).assign(sex="male", age=pd.NA)
    where = "row `s0`, column `sex` holds 'male', which is no number; leave such columns out or encode them"
    for X, expected in ({"rna": frame, "b": views[1]}, f"view `rna`: {where}"), (frame, where):
        with pytest.raises((TypeError, ValueError), match=expected):
            Average(3).fit(X)
    text = views[0].astype(object)
    text[3, 2] = "-"
    with pytest.raises(ValueError, match="view `view2`: row 4, column 3 holds '-'"):
        Average(3).fit([views[1], text])
    with pytest.raises(ValueError, match="view `view1`: Complex data"):
        Average(3).fit([views[0].astype(complex), views[1]])


def test_samples_are_named(views):
    frame = pd.DataFrame(views[0], index=[f"s{row}" for row in range(90)])
    gaps, infinite = frame.copy(), frame.copy()
    gaps.iloc[4, 1], infinite.iloc[7, 2] = np.nan, np.inf
    for X, words in ((gaps, "row 5, column 2 .`1`.: sample `s4`\n"), (infinite, "holds an infinite value .inf.: sample `s7`\n")):
        with pytest.raises(ValueError, match=words):
            Average(3).fit({"rna": X, "b": views[1]})
        with pytest.raises(ValueError, match="row ") as without_names:
            Average(3).fit([X.to_numpy()])
        assert "sample `" not in str(without_names.value)
    nowhere = frame.copy()
    nowhere.iloc[3] = np.nan
    with pytest.raises(ValueError, match="row 4: sample `s3`"):
        Average(3).fit({"rna": nowhere})


def test_what_is_no_table_is_told(tmp_path):
    for X, words in ((None, "X is None"), ("rna.csv", r"consilience.read\('rna.csv'\).views"), (tmp_path, "name of a file")):
        with pytest.raises(TypeError, match=words):
            Average(3).fit(X)


def test_warnings_are_at_the_line_that_asked(shuffled):
    data = anndata.AnnData(shuffled[0], obsm={"other": shuffled[1]})
    for ask in (
        lambda: Average(3).fit(shuffled),
        lambda: Average(3).fit_predict(shuffled),
        lambda: tl.cluster(data, 3, views=["X", "other"], method="Average"),
    ):
        with pytest.warns(DisagreementWarning, match="chance") as found:
            ask()
        assert {warning.filename for warning in found if issubclass(warning.category, DisagreementWarning)} == {__file__}


def test_few_samples_that_overlap_are_seen_to_agree():
    """Neighbours alone would not show it."""
    for seed in range(5):
        views, _ = datasets.make_blobs(100, 3, (20, 30, 25), separation=3.0, random_state=seed)
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "views .* agree no more than by chance")
            Average(3, random_state=0).fit(views)
