"""Searches that share kernels give scikit-learn's numbers on the same splits."""

from __future__ import annotations

from typing import Any

import cokernel
import numpy as np
import pytest
from cokernel import GridSearchBank, cross_validate_bank, gaussian, linear
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate


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


def test_misuse(table: Any) -> None:
    X, y = table
    with pytest.raises(ValueError, match="expected a classifier of this package, found int"):
        cross_validate_bank(3, X, y)
    both = {
        "a": cokernel.MeanMKLClassifier(),
        "b": cokernel.MeanMKLClassifier(kernels="precomputed"),
    }
    with pytest.raises(ValueError, match="some of the classifiers expect precomputed"):
        cross_validate_bank(both, X, y)
