"""Python and the command line are one program: the same labels, the same words."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

import consilience
from consilience import SLRMF, Average, Single


def run(binary, *arguments):
    return subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, views):
    folder = tmp_path_factory.mktemp("views")
    np.savez(folder / "both.npz", view1=views[0], view2=views[1])
    return folder


def test_labels_are_the_command_lines(estimator_class, binary, folder, views):
    estimator = estimator_class(n_clusters=3, random_state=7).fit(views)
    done = run(binary, "cluster", folder / "both.npz", "-k", 3, "--method", estimator._method, "--seed", 7, "--json")
    record = json.loads(done.stdout)
    assert record["labels"] == estimator.labels_.tolist()
    assert np.allclose([view["weight"] for view in record["views"]], estimator.view_weights_, rtol=0, atol=1e-12)
    ended = record["termination"]
    assert (ended.get("iterations", 0), ended["reason"]) == (estimator.n_iter_, estimator.stop_reason_)
    given = {name: getattr(estimator, name if hasattr(estimator, name) else name + "_") for name in record["parameters"]}
    assert record["parameters"] == given


def test_labels_are_the_command_lines_where_clusters_overlap(estimator_class, binary, tmp_path):
    """No two ways of computing would agree here by luck."""
    random = np.random.default_rng(5)
    truth = np.arange(120) % 5
    hard = [random.normal(size=(5, d))[truth] + random.normal(size=(120, d)) for d in (4, 7)]
    np.savez(tmp_path / "hard.npz", view1=hard[0], view2=hard[1])
    changed = {"neighbours": 9} if "neighbours" in estimator_class(5).get_params() else {}
    estimator = estimator_class(5, random_state=3, **changed).fit(hard)
    settings = [word for name, value in changed.items() for word in ("--set", f"{name}={value}")]
    method = ["--method", estimator._method, "--seed", 3, *settings]
    done = run(binary, "cluster", tmp_path / "hard.npz", "-k", 5, *method, "--json")
    assert json.loads(done.stdout)["labels"] == estimator.labels_.tolist()
    assert 0 < consilience.metrics.nmi(truth, estimator.labels_) < 0.95


def test_parameters_scale_and_precision_arrive(binary, folder, views):
    path = folder / "single.npy"
    np.save(path, views[1].astype(np.float32))
    arguments = ["--method", "single", "--scale", "minmax", "--set", "neighbours=7", "--set", "weights=binary", "--seed", 1]
    done = run(binary, "cluster", path, "-k", 5, *arguments, "--json")
    estimator = Single(5, scale="minmax", neighbours=7, weights="binary", random_state=1)
    assert json.loads(done.stdout)["labels"] == estimator.fit_predict(views[1].astype(np.float32)).tolist()


def test_corruption_is_the_command_lines(binary, folder, views):
    noise = ["--corrupt", 0.3, "--corrupt-mode", "add", "--corrupt-seed", 4]
    done = run(binary, "cluster", folder / "both.npz", "-k", 3, "--method", "average", *noise, "--json")
    named = {"view1": views[0], "view2": views[1]}
    noisy = consilience.corrupt(named, 0.3, mode="add", scale="auto", random_state=4)
    assert json.loads(done.stdout)["labels"] == Average(3, scale="none", random_state=0).fit_predict(noisy).tolist()


# what is wrong, on either side
WRONG = [
    (["-k", "0"], {"n_clusters": 0}),
    (["-k", "91"], {"n_clusters": 91}),
    (["-k", "3", "--method", "average", "--set", "neighbours=0"], {"neighbours": 0}),
    (["-k", "3", "--method", "average", "--set", "neighbours=2.5"], {"neighbours": 2.5}),
    (["-k", "3", "--method", "average", "--set", "weights=none"], {"weights": "none"}),
    (["-k", "3", "--method", "slrmf", "--set", "beta=-1"], {"beta": -1}),
    (["-k", "3", "--method", "slrmf", "--set", "hellinger=maybe"], {"hellinger": "maybe"}),
    (["-k", "3", "--method", "single", "--set", "view=hog"], {"view": "hog"}),
]


@pytest.mark.parametrize(("arguments", "wrong"), WRONG)
def test_messages_are_the_command_lines(arguments, wrong, binary, folder, views):
    done = run(binary, "cluster", folder / "both.npz", *arguments)
    assert done.returncode == 2
    method = arguments[3] if "--method" in arguments else "average"
    made = {"average": Average, "slrmf": SLRMF, "single": Single}[method](**{"n_clusters": 3, **wrong})
    with pytest.raises(ValueError) as error:
        made.fit(views)
    assert done.stderr == f"error: {error.value}\n"
    assert not hasattr(made, "labels_") and not hasattr(made, "n_features_in_")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_bad_numbers_are_named_like_on_the_command_line(value, binary, folder, views):
    broken = views[0].copy()
    broken[4, 2] = value
    np.savez(folder / "broken.npz", a=broken)
    words = run(binary, "cluster", folder / "broken.npz", "-k", "3").stderr.replace(f" (`{folder / 'broken.npz'}`)", "")
    with pytest.raises(ValueError) as error:
        Average(3).fit({"a": broken})
    # options are named as each of them takes them
    assert words.replace("--missing impute", 'missing="impute"') == f"error: {error.value}\n"
    assert "row 5, column 3" in words


def test_arguments_of_all_estimators_are_checked(views):
    for wrong, words in [
        ({"n_clusters": 2.0}, "parameter `n_clusters` = `2.0`: must be a whole number"),
        ({"n_clusters": "three"}, "parameter `n_clusters` = `three`: must be a whole number"),
        ({"n_init": 0}, "parameter `n_init` = `0`: must be a whole number"),
        ({"n_jobs": 0}, "parameter `n_jobs` = `0`: must be a whole number, from 1 to 1024, or -1 for all cores"),
        ({"scale": "log"}, "unknown scale `log`\nhint: known: auto"),
        ({"memory_limit": 0}, "a number of gigabytes from 0.001"),
        ({"random_state": -1}, "parameter `random_state` = `-1`"),
        ({"random_state": "now"}, "cannot be used to seed"),
    ]:
        with pytest.raises(ValueError) as error:
            Average(**{"n_clusters": 3, **wrong}).fit(views)
        assert words in str(error.value)
    Average(3, n_jobs=-2, memory_limit=1.5).fit(views)


def test_python_writes_the_folder_that_the_command_line_writes(binary, folder, views, tmp_path):
    ids = [f"sample {i}" for i in range(len(views[0]))]
    estimator = SLRMF(3, random_state=4).fit({"view1": views[0], "view2": views[1]})
    estimator.write_run(tmp_path / "python", ids=ids)
    done = run(binary, "cluster", folder / "both.npz", "-k", 3, "--seed", 4, "-o", tmp_path / "program")
    assert done.returncode == 0, done.stderr
    ours, theirs = (json.loads((tmp_path / name / "run.json").read_text()) for name in ("python", "program"))
    # the program knows the files and its own command, and looks at the features once more; `markers()` does so in Python
    assert ours.keys() | {"origin", "markers"} == theirs.keys() and ours["ids"] == ids
    for name in ("labels", "method", "parameters", "k", "seed", "scale", "views", "termination", "findings", "eigenvalues"):
        assert ours[name] == theirs[name], name
    assert np.array_equal(np.load(tmp_path / "python/embedding.npy"), np.load(tmp_path / "program/embedding.npy"))
    assert (tmp_path / "python/labels.csv").read_text().splitlines()[1].startswith("sample 0,")
