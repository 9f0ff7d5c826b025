"""Numbers and outliers beside scikit-learn on the same combined kernel."""

from __future__ import annotations

import pickle
from typing import Any

import cokernel
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVR, OneClassSVM

VIEWS = {"a": slice(0, 2), "b": slice(2, 5)}


def problem(n: int = 90) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 5))
    y = 3.0 + np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 3] + 0.1 * rng.normal(size=n)
    return X, y


def grams(X: Any, Z: Any) -> list[Any]:
    return [rbf_kernel(X[:, VIEWS["a"]], Z[:, VIEWS["a"]], gamma=0.5)] + [
        rbf_kernel(X[:, VIEWS["b"]], Z[:, VIEWS["b"]], gamma=g) for g in (0.1, 0.4)
    ]


KERNELS = ["gaussian@a:gamma=0.5", "gaussian@b:gamma=0.1", "gaussian@b:gamma=0.4"]
REGRESSORS = [cokernel.MeanMKLRegressor, cokernel.ProductMKLRegressor, cokernel.SimpleMKLRegressor]


def combined(estimator: Any, X: Any, Z: Any) -> Any:
    if "Product" in type(estimator).__name__:
        return np.prod(grams(X, Z), axis=0)
    weights = [w.weight for w in estimator.weights_]
    return np.tensordot(weights, grams(X, Z), 1)


@pytest.mark.parametrize("kind", REGRESSORS)
def test_numbers_are_those_of_scikit_learn(kind: Any, tmp_path: Any) -> None:
    X, y = problem()
    train, test = np.arange(60), np.arange(60, 90)
    tight = {"tol": 1e-6} if kind is cokernel.SimpleMKLRegressor else {}
    reg = kind(
        views=VIEWS, kernels=KERNELS, C=5.0, epsilon=0.05, machine_tol=1e-9, **tight
    ).fit(X[train], y[train])
    peer = SVR(kernel="precomputed", C=5.0, epsilon=0.05, tol=1e-9)
    peer.fit(combined(reg, X[train], X[train]), y[train])
    K = combined(reg, X[test], X[train])
    np.testing.assert_allclose(reg.predict(X[test]), peer.predict(K), atol=2e-5)
    ours = K[:, reg.support_] @ reg.dual_coef_[0] + reg.intercept_
    np.testing.assert_allclose(reg.predict(X[test]), ours, atol=1e-10)
    assert reg.score(X[test], y[test]) == pytest.approx(peer.score(K, y[test]), abs=1e-4)
    # The gap, from the matrix.
    beta = np.zeros(60)
    beta[reg.support_] = reg.dual_coef_[0]
    f = combined(reg, X[train], X[train]) @ beta
    loss = np.maximum(0, np.abs(y[train] - f - reg.intercept_[0]) - 0.05).sum()
    primal = 0.5 * beta @ f + 5.0 * loss
    dual = y[train] @ beta - 0.05 * np.abs(beta).sum() - 0.5 * beta @ f
    assert dual <= primal + 1e-9 * abs(primal) and primal - dual <= 1e-8 * abs(primal)
    assert reg.dual_objectives_[0] == pytest.approx(dual, rel=1e-8)
    # Files and pickles.
    path = tmp_path / "r.ck"
    reg.save(path)
    again = cokernel.load(path)
    assert isinstance(again, cokernel.MKLRegressor)
    assert (again.C, again.epsilon, again.machine) == (5.0, 0.05, "svr")
    new = {name: X[test][:, columns] for name, columns in VIEWS.items()}
    np.testing.assert_array_equal(again.predict(new), reg.predict(X[test]))
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(reg)).predict(X[test]), reg.predict(X[test])
    )


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.9])
def test_outliers_are_those_of_scikit_learn(nu: float, tmp_path: Any) -> None:
    X, _ = problem()
    train, test = np.arange(60), np.arange(60, 90)
    found = cokernel.MeanMKLOutlierDetector(
        views=VIEWS, kernels=KERNELS, nu=nu, machine_tol=1e-10
    ).fit(X[train])
    peer = OneClassSVM(kernel="precomputed", nu=nu, tol=1e-10)
    peer.fit(combined(found, X[train], X[train]))
    K = combined(found, X[test], X[train])
    # Their coefficients sum to nu n, ours to 1.
    values = peer.decision_function(K) / (nu * 60)
    free = found.dual_coef_[0] < 1 / (nu * 60) * (1 - 1e-9)
    if free.any():
        np.testing.assert_allclose(found.decision_function(X[test]), values, atol=1e-6)
        assert (found.predict(X[test]) == peer.predict(K)).mean() >= 0.96
    assert found.dual_coef_.sum() == pytest.approx(1.0)
    samples = found.score_samples(X[test])
    np.testing.assert_allclose(samples - found.offset_, found.decision_function(X[test]))
    path = tmp_path / "d.ck"
    found.save(path)
    again = cokernel.load(path)
    assert isinstance(again, cokernel.MKLOutlierDetector) and again.nu == nu
    new = {name: X[test][:, columns] for name, columns in VIEWS.items()}
    np.testing.assert_array_equal(again.predict(new), found.predict(X[test]))


def test_simple_mkl_for_outliers_ends_at_its_gap() -> None:
    X, _ = problem()
    found = cokernel.SimpleMKLOutlierDetector(
        views=VIEWS, kernels=KERNELS, nu=0.2, tol=1e-6, random_state=0
    ).fit(X)
    assert found.report_.converged and found.report_.duality_gap <= 1e-6
    alpha = np.zeros(90)
    alpha[found.support_] = found.dual_coef_[0]
    worst = max(alpha @ K @ alpha for K in grams(X, X))
    combination = combined(found, X, X)
    f = combination @ alpha
    loss = np.maximum(0, found.offset_ - f).sum() / (0.2 * 90)
    primal = 0.5 * alpha @ f - found.offset_ + loss
    assert primal + 0.5 * worst <= 2e-6 * abs(primal)


def test_the_last_solve_keeps_the_certificate() -> None:
    """Machines solved to their own tolerance at the end once left a gap of 0.05, said converged."""
    X = np.random.default_rng(11).normal(size=(50, 3))
    squares = [((X[:, None, : m + 1] - X[None, :, : m + 1]) ** 2).sum(-1) for m in range(3)]
    kernels = 1e3 * np.array([np.exp(-d / (1 + m)) for m, d in enumerate(squares)])
    found = cokernel.SimpleMKLOutlierDetector(kernels="precomputed", nu=0.1, machine_tol=1e-6)
    found.fit(kernels)
    assert found.report_.converged and found.report_.duality_gap <= 1e-3


def test_machines_are_told_and_chosen() -> None:
    assert {"svc", "svr", "one_class_svm"} <= {m["id"] for m in cokernel.machines()}
    X, y = problem()
    reg = cokernel.MKLRegressor("mean", views=VIEWS, machine="svr:shrinking=no", machine_tol=1e-9).fit(X, y)
    same = cokernel.MKLRegressor("mean", views=VIEWS, machine_tol=1e-9).fit(X, y)
    np.testing.assert_allclose(reg.predict(X), same.predict(X), atol=1e-5)
    assert clone(reg).get_params()["machine"] == "svr:shrinking=no"
    # A text once beat an argument that equals its default: a grid over C was wrong at one point.
    for text, said in [
        ("svr:c=7", "machine: 'c' is the argument C of MKLRegressor; give it there"),
        ("svr:epsilon=0.2", "is the argument epsilon"),
        ("svr:cache=1:cache=2", "'cache' is given twice"),
        (None, "machine: expected a name such as 'svr', found None"),
    ]:
        with pytest.raises(ValueError, match=said):
            cokernel.MKLRegressor("mean", machine=text).fit(X, y)
    with pytest.raises(ValueError, match="C: machine 'kernel_ridge' has no such parameter"):
        cokernel.MKLRegressor("mean", machine="kernel_ridge", C=2.0).fit(X, y)
    # These once learned something else, silently.
    for kind, machine in [
        (cokernel.MKLRegressor, "one_class_svm"),
        (cokernel.MKLClassifier, "one_class_svm"),
        (cokernel.MKLRegressor, "svc"),
        (cokernel.MKLOutlierDetector, "svr"),
    ]:
        with pytest.raises(ValueError, match=f"'{machine}' is there to .*, not to .*; machines for"):
            kind("mean", machine=machine).fit(X, (y > 3).astype(int))
    constant = cokernel.MKLRegressor("mean", machine="kernel_ridge").fit(X, np.full(90, 0.1))
    assert constant.report_.converged and constant.report_.duality_gap == 0.0
    np.testing.assert_allclose(constant.predict(X), 0.1)
    with pytest.raises(ValueError, match="does not go with machine"):
        cokernel.MKLRegressor("two_stage", views=VIEWS).fit(X, y)
    with pytest.raises(ValueError, match="unknown machine 'svm'"):
        cokernel.MKLRegressor("mean", machine="svm").fit(X, y)


def test_bounds_of_weighted_outliers() -> None:
    """With nu n below 1 the bounds once were those of another problem."""
    K = np.array([[1, 0.9, 0.1], [0.9, 1, 0.1], [0.1, 0.1, 1]])
    found = cokernel.MKLOutlierDetector("mean", kernels="precomputed", nu=0.1, machine_tol=1e-9)
    found.fit(K[None], sample_weight=[1, 1, 0.01])
    alpha = np.zeros(3)
    alpha[found.support_] = found.dual_coef_[0]
    bound = 0.01 / (0.1 * 2.01)
    np.testing.assert_allclose(alpha, [(1 - bound) / 2, (1 - bound) / 2, bound], atol=1e-6)


def test_weights_and_indices_are_honoured() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = problem()
    weights = np.ones(90)
    weights[::4] = 0.0
    reg = cokernel.MeanMKLRegressor(views=VIEWS, kernels=KERNELS, machine_tol=1e-10)
    kept = weights > 0
    some = clone(reg).fit(X, y, sample_weight=weights)
    few = clone(reg).fit(X[kept], y[kept])
    np.testing.assert_allclose(some.predict(X), few.predict(X), atol=1e-6)
    assert set(some.support_) <= set(np.flatnonzero(kept))
    # Weights are repetitions.
    counts = np.random.default_rng(1).integers(0, 3, size=90).astype(float)
    copies = np.repeat(np.arange(90), counts.astype(int))
    for estimator, targets in [
        (reg, y),
        (cokernel.MeanMKLOutlierDetector(views=VIEWS, kernels=KERNELS, machine_tol=1e-12), None),
    ]:
        one = clone(estimator).fit(X, targets, sample_weight=counts)
        two = clone(estimator).fit(X[copies], None if targets is None else targets[copies])
        value = "predict" if targets is not None else "decision_function"
        np.testing.assert_allclose(getattr(one, value)(X), getattr(two, value)(X), atol=1e-6)
    # A target in another order is matched by its index.
    ids = [f"i{k}" for k in range(90)]
    order = np.random.default_rng(0).permutation(90)
    frame = pandas.DataFrame(X, index=ids, columns=list("abcde"))
    series = pandas.Series(y, index=ids).iloc[order]
    views = {"a": ["a", "b"], "b": ["c", "d", "e"]}
    named = cokernel.MeanMKLRegressor(views=views, kernels=KERNELS, machine_tol=1e-10)
    named.fit(frame, series)
    np.testing.assert_allclose(named.predict(frame), clone(reg).fit(X, y).predict(X), atol=1e-6)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (["a", "b"] * 45, "expected real numbers"),
        ([np.nan] + [1.0] * 89, "NaN"),
        ([1.0] * 89, "inconsistent numbers of samples"),
        (None, "requires y to be passed"),
        ([1.0 + 1.0j] * 90, "real numbers|Complex"),
    ],
)
def test_targets_that_are_no_numbers_are_refused(target: Any, said: str) -> None:
    X, _ = problem()
    with pytest.raises(ValueError, match=said):
        cokernel.MeanMKLRegressor().fit(X, target)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"C": -1.0}, "C: expected a number above 0"),
        ({"epsilon": -0.1}, "epsilon: expected a number at least 0"),
        ({"epsilon": "x"}, "epsilon: expected a number"),
        ({"machine_tol": 0.0}, "machine_tol"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters: Any, said: str) -> None:
    X, y = problem()
    with pytest.raises(ValueError, match=said):
        cokernel.MeanMKLRegressor(**parameters).fit(X, y)
    with pytest.raises(ValueError, match="nu: expected a number above 0 and at most 1"):
        cokernel.MeanMKLOutlierDetector(nu=1.5).fit(X)
