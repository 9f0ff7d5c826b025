"""Searches that share kernels give scikit-learn's numbers on the same splits."""

from __future__ import annotations

import json
import os
import subprocess
import warnings
from pathlib import Path
from typing import Any

import cokernel
import numpy as np
import pytest
from cokernel import (
    GridSearchBank,
    LpNormMKLClassifier,
    SimpleMKLClassifier,
    Splits,
    SurfaceSearchBank,
    cross_validate_bank,
    gaussian,
    linear,
    precomputed,
)
from sklearn.base import clone
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_validate,
)


@pytest.fixture
def table() -> tuple[Any, Any]:
    X, y = cokernel.datasets.make_gaussian_views(
        150, n_classes=3, separations=[2.5, 1.5, 0.0], random_state=2
    )
    return np.hstack(list(X.values())), y


VIEWS = {"a": slice(0, 3), "b": slice(3, 6), "c": slice(6, 9)}


def test_cross_validation(table: Any) -> None:
    X, y = table
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    made = {
        m: cokernel.MKLClassifier(m, views=VIEWS, random_state=0)
        for m in ("mean", "simple_mkl", "concat", "two_stage")
    }
    found = cross_validate_bank(made, X, y, cv=cv, return_train_score=True)
    for name, clf in made.items():
        theirs = cross_validate(clf, X, y, cv=cv, return_train_score=True)
        assert (found[name]["test_score"] == theirs["test_score"]).all()
        assert (found[name]["train_score"] == theirs["train_score"]).all()


def test_grid(table: Any) -> None:
    X, y = table
    clf = cokernel.SimpleMKLClassifier(views=VIEWS, tol=1e-6, machine_tol=1e-8, random_state=0)
    grid = {"C": [0.1, 1.0, 10.0], "kernels": [[gaussian()], [gaussian(), linear()]]}
    cv = StratifiedKFold(3)
    ours = GridSearchBank(clf, grid, cv=cv, scoring="balanced_accuracy").fit(X, y)
    theirs = GridSearchCV(clf, grid, cv=cv, scoring="balanced_accuracy").fit(X, y)
    for key in ("mean_test_score", "std_test_score", "split1_test_score"):
        np.testing.assert_allclose(ours.cv_results_[key], theirs.cv_results_[key], atol=1e-12)
    assert (ours.cv_results_["rank_test_score"] == theirs.cv_results_["rank_test_score"]).all()
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    assert ours.best_params_ == theirs.best_params_
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert set(ours.cv_results_) == set(theirs.cv_results_)


def test_numbers_and_outliers(table: Any) -> None:
    X, y = table
    numbers = X[:, 0] + np.sin(X[:, 4])
    reg = cokernel.SimpleMKLRegressor(views=VIEWS, tol=1e-6, machine_tol=1e-8)
    grid = {"C": [1.0, 10.0], "epsilon": [0.01, 0.5]}
    cv = KFold(3)
    scoring = "neg_mean_absolute_error"
    ours = GridSearchBank(reg, grid, cv=cv, scoring=scoring).fit(X, numbers)
    theirs = GridSearchCV(reg, grid, cv=cv, scoring=scoring).fit(X, numbers)
    mean = "mean_test_score"
    np.testing.assert_allclose(ours.cv_results_[mean], theirs.cv_results_[mean], rtol=1e-5)
    assert ours.best_params_ == theirs.best_params_ and not hasattr(ours, "classes_")
    assert not hasattr(ours, "decision_function") and ours.score(X, numbers) <= 0
    r2 = cross_validate_bank(reg, X, numbers, cv=cv)["test_score"]
    np.testing.assert_allclose(r2, cross_validate(reg, X, numbers, cv=cv)["test_score"], rtol=1e-5)
    # What is unlike the rest; the labels are for the score alone.
    odd = np.vstack([X, 8 * np.random.default_rng(0).normal(size=(15, 9))])
    inside = np.r_[np.ones(len(X)), -np.ones(15)]
    detector = cokernel.MeanMKLOutlierDetector(views=VIEWS)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    search = GridSearchBank(detector, {"nu": [0.1, 0.5]}, cv=folds, scoring="roc_auc")
    search.fit(odd, inside)
    theirs = GridSearchCV(detector, {"nu": [0.1, 0.5]}, cv=folds, scoring="roc_auc")
    theirs.fit(odd, inside)
    np.testing.assert_allclose(search.cv_results_[mean], theirs.cv_results_[mean])
    assert search.best_score_ > 0.9 and set(search.predict(odd)) == {-1, 1}


def test_warm_starts_change_nothing(table: Any) -> None:
    """The last of a chain of fits has the objective of a fit from nothing."""
    X, y = table
    settings = {"views": VIEWS, "tol": 1e-7, "machine_tol": 1e-9, "random_state": 0}
    search = GridSearchBank(
        cokernel.SimpleMKLClassifier(**settings), {"C": [0.3, 3.0, 30.0]}, cv=2, refit=False
    )
    seen: list[Any] = []

    def keep(estimator: Any, X: Any, y: Any) -> float:
        seen.append(estimator.report_)
        return float(estimator.score(X, y))

    search.set_params(scoring=keep).fit(X, y)
    train, _ = next(StratifiedKFold(2).split(X, y))
    cold = cokernel.SimpleMKLClassifier(C=30.0, **settings).fit(X[train], y[train])
    assert seen[2].objective[-1] == pytest.approx(cold.report_.objective[-1], rel=1e-6)
    assert seen[2].duality_gap < 1e-7


def test_warm_starts_converge() -> None:
    """A start on a face of the simplex, from a tenth of the cost, once came to a halt."""
    digits = cokernel.datasets.load_digits_views()
    every = slice(0, 2000, 8)
    y = digits.target[every]
    X = {name: digits.views[name][every] for name in ("fou", "mor", "zer")}
    kernel = gaussian("median*0.5,1,2", normalize="center_unit_variance")
    clf = cokernel.SimpleMKLClassifier(kernels=[kernel], scale="standard", random_state=0)
    folds = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
    seen: list[Any] = []

    def keep(estimator: Any, X: Any, y: Any) -> float:
        seen.append(estimator.report_)
        return float(estimator.score(X, y))

    search = GridSearchBank(clf, {"C": [1.0, 10.0]}, cv=3, scoring=keep, refit=False)
    for train, _ in list(folds.split(y, y))[2:5]:
        search.fit({name: table[train] for name, table in X.items()}, y[train])
    assert len(seen) == 18
    assert max(report.iterations for report in seen) < 40
    assert all(report.status == "converged" for report in seen)


def test_weights_are_learned_once_for_all_costs(table: Any) -> None:
    """Those of two-stage MKL do not depend on C."""
    X, y = table
    kernel = gaussian("median", normalize="center_unit_variance")
    clf = cokernel.TwoStageMKLClassifier(views=VIEWS, kernels=[kernel], random_state=0)
    grid = {"C": [0.1, 1.0, 10.0]}
    ours = GridSearchBank(clf, grid, cv=StratifiedKFold(3)).fit(X, y)
    theirs = GridSearchCV(clf, grid, cv=StratifiedKFold(3)).fit(X, y)
    assert (ours.cv_results_["mean_test_score"] == theirs.cv_results_["mean_test_score"]).all()
    assert list(ours.best_estimator_.weights_) == list(theirs.best_estimator_.weights_)


def test_warnings_of_the_library(table: Any) -> None:
    """Kernels that are not centred can mislead two-stage MKL: that was a note among others."""
    X, y = table
    clf = cokernel.TwoStageMKLClassifier(views=VIEWS, random_state=0)
    with pytest.warns(UserWarning, match="TwoStageMKLClassifier: .*not centred"):
        clf.fit(X, y)
    assert any("not centred" in warning for warning in clf.report_.warnings)
    centred = gaussian("median", normalize="center_unit_variance")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.set_params(kernels=[centred]).fit(X, y)


def test_precomputed(table: Any) -> None:
    X, y = table
    grams = np.stack([X[:, s] @ X[:, s].T for s in VIEWS.values()])
    clf = cokernel.MeanMKLClassifier(kernels="precomputed")
    features = cokernel.MeanMKLClassifier(views=VIEWS, kernels=[linear()])
    expected = cross_validate_bank(features, X, y, cv=3)["test_score"]
    for given in (grams, list(grams), dict(zip("abc", grams, strict=True))):
        assert (cross_validate_bank(clf, given, y, cv=3)["test_score"] == expected).all()
    one = cross_validate(clf, grams.mean(axis=0), y, cv=3)["test_score"]
    assert (one == expected).all()


def test_precomputed_beside_features(table: Any) -> None:
    X, y = table
    mixed = {"a": X[:, :3], "K": X[:, 3:6] @ X[:, 3:6].T}
    kernels = [linear(view="a"), precomputed(view="K")]
    clf = cokernel.MeanMKLClassifier(kernels=kernels)
    features = cokernel.MeanMKLClassifier(
        views={"a": slice(0, 3), "b": slice(3, 6)}, kernels=[linear()]
    )
    expected = cross_validate_bank(features, X, y, cv=3)["test_score"]
    assert (cross_validate_bank(clf, mixed, y, cv=3)["test_score"] == expected).all()


def test_misuse(table: Any) -> None:
    X, y = table
    with pytest.raises(ValueError, match="scoring: expected one score"):
        cross_validate_bank(cokernel.MeanMKLClassifier(), X, y, scoring=["accuracy"])
    with pytest.raises(ValueError, match="expected a classifier, regressor or outlier detector of this"):
        cross_validate_bank(3, X, y)
    other = {"a": cokernel.MeanMKLClassifier(), "b": cokernel.MeanMKLRegressor()}
    with pytest.raises(ValueError, match="for one task, found classify and regress"):
        cross_validate_bank(other, X, y)
    both = {
        "a": cokernel.MeanMKLClassifier(),
        "b": cokernel.MeanMKLClassifier(kernels="precomputed"),
    }
    with pytest.raises(ValueError, match="some of the estimators expect precomputed"):
        cross_validate_bank(both, X, y)


def test_a_surface_is_searched_as_on_the_command_line(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y = np.arange(120) % 2
    X = {"a": rng.normal(size=(120, 3)) + 0.7 * y[:, None], "b": rng.normal(size=(120, 2)) + 0.4 * y[:, None]}
    grid = {"C": [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3]}
    folds = Splits.k_fold(y, folds=3, random_state=5)
    clf = SimpleMKLClassifier(random_state=5)
    search = SurfaceSearchBank(clf, grid, cv=folds).fit(X, y)
    tried = search.cv_results_
    points = [p["C"] for p in tried["params"]]
    assert points[0] == 1.0 and 4 <= len(points) <= 7 and all(1e-3 <= c <= 1e3 for c in points)
    assert np.isnan(tried["predicted_score"][:3]).all() and np.isfinite(tried["predicted_score"][3:]).all()
    assert search.best_score_ == tried["mean_test_score"].max() and search.n_splits_ == 3
    assert search.best_estimator_.C == search.best_params_["C"]
    # The score of each point is that of fits from nothing.
    alone = clone(clf).set_params(C=points[-1])
    assert np.allclose(cross_validate_bank(alone, X, y, cv=folds)["test_score"].mean(), tried["mean_test_score"][-1])
    # Two parameters, and what is no range.
    both = SurfaceSearchBank(LpNormMKLClassifier(), {"C": [0.1, 1, 10], "p": [1.2, 1.6, 2.0]}, cv=3, refit=False).fit(X, y)
    assert len(both.cv_results_["params"]) >= 6 and not hasattr(both, "best_estimator_")
    assert both.ended_ in ("settled", "flat", "limit")
    with pytest.raises(ValueError, match="C: a surface needs two numbers or more"):
        SurfaceSearchBank(clf, {"C": [1.0]}).fit(X, y)
    with pytest.raises(ValueError, match="words are for GridSearchBank"):
        SurfaceSearchBank(clf, {"method": ["mean", "sum"]}).fit(X, y)
    with pytest.raises(ValueError, match="C: expected a number above 0"):
        SurfaceSearchBank(clf, {"C": [-1.0, 1.0]}).fit(X, y)
    program = os.environ.get("COKERNEL_PROGRAM")
    if program is None:
        pytest.skip("COKERNEL_PROGRAM does not name the command line")
    for name, view in X.items():
        np.savetxt(tmp_path / f"{name}.csv", view, delimiter=",", fmt="%.17g")
    (tmp_path / "y.csv").write_text("\n".join(map(str, y)) + "\n")
    data = ["--view", "a=a.csv", "--view", "b=b.csv", "--labels", "y.csv", "--seed", "5", "--json"]
    tune = ["--tune", "c=1e-3..1e3", "--tune-search", "surface", "--tune-folds", "3", "--method", "simple_mkl"]
    call = [program, "fit", *data, *tune, "-o", "m.ck"]
    told = json.loads(subprocess.run(call, cwd=tmp_path, check=True, capture_output=True).stdout)["tuned"]
    theirs = [dict(t["values"])["c"] for t in told["tried"]]
    assert theirs == points and told["best"] == search.best_index_
    assert np.allclose([t["score"]["mean"] for t in told["tried"]], tried["mean_test_score"], atol=1e-12)
    said = np.array([np.nan if t.get("predicted") is None else t["predicted"] for t in told["tried"]])
    assert np.allclose(said, tried["predicted_score"], atol=1e-9, equal_nan=True)
