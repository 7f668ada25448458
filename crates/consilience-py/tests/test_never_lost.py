"""Nothing lost, nothing silently wrong: what a demanding user found, each as a test."""

import multiprocessing
import warnings

import numpy as np
import pytest

from consilience import SLRMF, Average, datasets

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def views():
    return list(datasets.make_blobs(60, 3, (4, 5), separation=12.0)[0].values())


def _labels(job):
    views, jobs = job
    return Average(3, n_jobs=jobs, random_state=0).fit(views).predict(views)


@pytest.mark.parametrize("jobs", [1, None])
def test_a_forked_child_fits_after_its_parent(jobs):
    views, _ = datasets.make_blobs(3200, 3, (3, 4), separation=12.0)
    expected = _labels((views, jobs))
    with multiprocessing.get_context("fork").Pool(1) as pool:
        found = pool.map_async(_labels, [(views, jobs)]).get(timeout=120)[0]
    assert (found == expected).all()


def test_a_warning_that_is_an_error_leaves_the_estimator_unfitted(views):
    constant = [views[0], np.ones((60, 2))]
    estimator = SLRMF(3, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            estimator.fit(constant)
    assert not hasattr(estimator, "labels_")


def test_repeated_names_of_observations_are_refused_before_the_fit(views):
    anndata = pytest.importorskip("anndata")
    from consilience import tl

    data = anndata.AnnData(np.asarray(views[0]), obs=pd.DataFrame(index=["a", "a", *map(str, range(58))]))
    with pytest.raises(ValueError, match="obs_names_make_unique"):
        tl.cluster(data, 3)
    assert "consilience" not in data.obs


def test_prediction_does_what_missing_says(views):
    estimator = SLRMF(3, random_state=0, missing="impute").fit(views)
    holes = [np.array(view) for view in views]
    holes[0][5, 1] = np.nan
    assert (estimator.predict(holes) == estimator.labels_).mean() > 0.95
    dropping = SLRMF(3, random_state=0, missing="drop-samples").fit(views)
    labels = dropping.predict(holes)
    assert labels[5] == -1 and (np.delete(labels, 5) == np.delete(dropping.labels_, 5)).all()
    with pytest.raises(ValueError, match="missing"):
        SLRMF(3, random_state=0).fit(views).predict(holes)


def test_columns_of_one_name_are_told_apart(views):
    table = pd.DataFrame(np.asarray(views[0]), columns=["x", "x", "y", "z"])
    with pytest.warns(UserWarning, match="2 columns are called `x`: they are `x` and `x.2` now"):
        estimator = Average(3, random_state=0).fit({"a": table, "b": views[1]})
    assert (estimator.predict({"a": table, "b": views[1]}) == estimator.labels_).all()
    with pytest.raises(ValueError, match="lacks"):
        estimator.predict({"a": table.iloc[:, 1:], "b": views[1]})


def test_tables_of_genes_by_samples_are_recognised(views):
    names = [f"s{i}" for i in range(60)]
    table = pd.DataFrame(np.asarray(views[0]), index=names)
    genes = pd.DataFrame(np.asarray(views[1]).T, columns=names, index=[f"g{i}" for i in range(5)])
    for given in ({"a": table, "b": genes}, {"b": genes, "a": table}):
        with pytest.raises(ValueError, match=r"samples are columns|\.T\b"):
            Average(3, random_state=0).fit(given)


def test_a_page_is_written_whole_and_a_run_is_not_written_twice(views, tmp_path):
    estimator = Average(3, random_state=0).fit(views)
    page = estimator.report(views, tmp_path / "page.html", resamples=0)
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
    run = estimator.write_run(tmp_path / "run")
    (run / "report.html").write_text("mine")
    estimator.write_run(run, force=True)
    assert (run / "report.html").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "run"]
