"""Probabilities of classes, beside scikit-learn's calibration on the same folds."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import cokernel
import numpy as np
import pytest
from cokernel import MKLClassifier, MKLRegressor, SimpleMKLClassifier, _native
from cokernel._base import summary
from cokernel.datasets import make_gaussian_views
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import PredefinedSplit, cross_val_score

KERNEL = cokernel.gaussian(gamma=0.1)


def data(k: int, n: int = 90) -> tuple[Any, Any]:
    X, y = make_gaussian_views(n, n_classes=k, separations=[1.5, 0.5], random_state=k)
    return np.hstack(list(X.values())) if isinstance(X, dict) else np.hstack(X), y


def folds(y: Any, k: int = 5, seed: int = 0) -> Any:
    classes, codes = np.unique(y, return_inverse=True)
    return _native.calibration_folds(codes.astype(np.int64), len(classes), k, seed)


def made(**others: Any) -> MKLClassifier:
    return MKLClassifier("mean", kernels=[KERNEL], machine_tol=1e-8, random_state=0, **others)


@pytest.mark.parametrize("machine", ["svc", "squared_hinge_svc", "joint_svc"])
@pytest.mark.parametrize("shape", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_calibration_is_that_of_scikit_learn(
    machine: str, shape: str, k: int, weighted: bool
) -> None:
    X, y = data(k)
    weights = 0.5 + np.arange(len(y)) % 4 if weighted else None
    ours = made(machine=machine, probability=shape).fit(X, y, weights)
    cv = PredefinedSplit(folds(y))
    theirs = CalibratedClassifierCV(
        made(machine=machine), method=shape, ensemble=False, cv=cv
    ).fit(X, y, weights)
    new = data(k, 60)[0] + 0.1
    found, expected = ours.predict_proba(new), theirs.predict_proba(new)
    # Their sigmoid stops at a gradient of 1e-5 or so; ours is tested at its optimum.
    np.testing.assert_allclose(found, expected, atol=1e-9 if shape == "isotonic" else 1e-3)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-12)
    assert (ours.predict(new) == made(machine=machine).fit(X, y, weights).predict(new)).all()


def test_the_sigmoid_is_at_the_optimum_of_its_loss() -> None:
    from scipy.optimize import minimize

    X, y = data(2)
    clf = made(probability="sigmoid").fit(X, y)
    curve = summary(clf._model)["calibration"]["curves"][0]
    values, fold = np.zeros(len(y)), folds(y)
    for f in range(5):
        part = made().fit(X[fold != f], y[fold != f])
        values[fold == f] = part.decision_function(X[fold == f])
    positive = y == clf.classes_[1]
    yes, no = positive.sum(), (~positive).sum()
    t = np.where(positive, (yes + 1) / (yes + 2), 1 / (no + 2))

    def loss(ab: Any) -> Any:
        u = ab[0] * values + ab[1]
        return np.sum(t * np.logaddexp(0, u) + (1 - t) * np.logaddexp(0, -u))

    best = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    np.testing.assert_allclose([curve["slope"], curve["offset"]], best.x, rtol=1e-5, atol=1e-6)
    assert loss([curve["slope"], curve["offset"]]) <= best.fun * (1 + 1e-12)


def test_pairs_are_coupled() -> None:
    X, y = data(4, 120)
    clf = made(probability="sigmoid", decomposition="one_vs_one").fit(X, y)
    told = summary(clf._model)
    decisions = clf._columns(clf.decision_function(X))
    for values, p in zip(decisions[:10], clf.predict_proba(X)[:10]):
        q = np.zeros((5, 5))
        q[4, :4] = q[:4, 4] = 1.0
        for m, curve, f in zip(told["machines"], told["calibration"]["curves"], values):
            i, j = m["positive"], m["negative"]
            r = np.clip(1 / (1 + np.exp(curve["slope"] * f + curve["offset"])), 1e-7, 1 - 1e-7)
            q[i, i] += (1 - r) ** 2
            q[j, j] += r**2
            q[i, j] = q[j, i] = -r * (1 - r)
        expected = np.linalg.solve(q, [0, 0, 0, 0, 1])[:4]
        np.testing.assert_allclose(p, expected, atol=1e-10)


def test_the_path_through_a_graph_changes_no_probability() -> None:
    X, y = data(4, 120)
    votes, path = (
        made(probability="sigmoid", decomposition=d).fit(X, y) for d in ("one_vs_one", "dag")
    )
    np.testing.assert_array_equal(votes.predict_proba(X), path.predict_proba(X))


@pytest.mark.parametrize("weighted", [False, True])
def test_posteriors_go_into_the_folds(weighted: bool) -> None:
    X, y = data(3)
    codes = np.unique(y, return_inverse=True)[1]
    sure = 0.6 + 0.05 * (np.arange(len(y)) % 7)
    posteriors = np.repeat((1 - sure)[:, None] / 2, 3, axis=1)
    posteriors[np.arange(len(y)), codes] = sure
    weights = (np.arange(len(y)) % 4).astype(float) if weighted else np.ones(len(y))
    clf = made(machine="posterior_svm", probability="isotonic", calibration_folds=3)
    clf.fit(X, y, weights if weighted else None, posteriors=posteriors)
    kept = weights > 0
    X, y, weights, posteriors = X[kept], y[kept], weights[kept], posteriors[kept]
    fold = folds(y, 3)
    values = np.zeros((len(y), 3))
    for f in range(3):
        train = fold != f
        part = made(machine="posterior_svm")
        part.fit(X[train], y[train], weights[train], posteriors=posteriors[train])
        values[~train] = part.decision_function(X[~train])
    expected = np.empty((len(y), 3))
    for c in range(3):
        curve = IsotonicRegression(out_of_bounds="clip").fit(
            values[:, c], y == clf.classes_[c], weights
        )
        expected[:, c] = curve.predict(clf.decision_function(X)[:, c])
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(clf.predict_proba(X), expected, atol=1e-9)


@pytest.mark.parametrize("shape", ["sigmoid", "isotonic"])
def test_files_and_pickles_keep_probabilities(shape: str, tmp_path: Path) -> None:
    X, y = data(3)
    clf = SimpleMKLClassifier(random_state=0, probability=shape, calibration_folds=3).fit(X, y)
    p = clf.predict_proba(X)
    assert p.shape == (len(y), 3)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(clf.predict_log_proba(X), np.log(p))
    clf.save(tmp_path / "model.ck")
    again = cokernel.load(tmp_path / "model.ck")
    assert (again.probability, again.calibration_folds) == (shape, 3)
    for other in (again, pickle.loads(pickle.dumps(clf))):
        np.testing.assert_array_equal(other.predict_proba(X), p)
    same = clone(clf).fit(X, y)
    np.testing.assert_array_equal(same.predict_proba(X), p)


def test_instances_of_weight_0_take_no_part() -> None:
    X, y = data(2)
    weights = (np.arange(len(y)) % 4 > 0).astype(float)
    kept = weights > 0
    a = made(probability="isotonic").fit(X, y, weights).predict_proba(X)
    b = made(probability="isotonic").fit(X[kept], y[kept]).predict_proba(X)
    np.testing.assert_array_equal(a, b)


def test_only_where_it_is_asked_for() -> None:
    X, y = data(2)
    clf = made()
    for name in ("predict_proba", "predict_log_proba"):
        assert not hasattr(clf, name)
        assert hasattr(made(probability="sigmoid"), name)
    with pytest.raises(AttributeError, match="predict_proba"):
        clf.predict_proba  # noqa: B018
    with pytest.raises(NotFittedError):
        made(probability="sigmoid").predict_proba(X)
    clf.fit(X, y).set_params(probability="sigmoid")
    with pytest.raises(NotFittedError, match="fit it again with probability='sigmoid'"):
        clf.predict_proba(X)
    assert "probability" not in MKLRegressor().get_params()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"probability": "platt"}, "probability: expected 'sigmoid', 'isotonic' or None, found 'platt'"),
        ({"probability": True}, "expected 'sigmoid', 'isotonic' or None, found True"),
        ({"probability": "sigmoid", "calibration_folds": 1}, "expected 2 to 1000 folds, found 1"),
        ({"probability": "sigmoid", "calibration_folds": 2.5}, "calibration_folds: expected a whole"),
        ({"probability": "sigmoid", "calibration_folds": 46}, "has 45 instances.*use 45 folds"),
    ],
)
def test_refusals(given: dict[str, Any], sentence: str) -> None:
    X, y = data(2)
    with pytest.raises(ValueError, match=sentence):
        made(**given).fit(X, y)


def test_scores_that_need_probabilities() -> None:
    X, y = data(2)
    clf = made(probability="sigmoid", calibration_folds=3)
    bank = cokernel.cross_validate_bank(clf, X, y, cv=3, scoring="neg_log_loss")["test_score"]
    np.testing.assert_allclose(bank, cross_val_score(clf, X, y, cv=3, scoring="neg_log_loss"))
    search = cokernel.GridSearchBank(clf, {"C": [0.1, 1.0]}, cv=3, scoring="neg_brier_score")
    search.fit(X, y)
    p = search.predict_proba(X)
    np.testing.assert_array_equal(p, search.best_estimator_.predict_proba(X))
    assert log_loss(y, p) < np.log(2)
    assert not hasattr(cokernel.GridSearchBank(made(), {"C": [1.0]}), "predict_proba")
