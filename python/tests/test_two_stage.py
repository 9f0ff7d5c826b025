"""Two-stage MKL: (5.2) of Kumar's thesis against independent solvers, over all pairs and with products."""

from __future__ import annotations

from typing import Any

import cokernel
import numpy as np
import pytest
from cokernel import PolynomialTwoStageMKLClassifier, TwoStageMKLClassifier
from cokernel.datasets import make_gaussian_views
from scipy.optimize import linprog, minimize

N = 50
GAMMAS = (0.1, 1.0)


def data(seed: int = 5) -> tuple[dict[str, Any], Any]:
    X, y = make_gaussian_views(N, n_classes=3, separations=[3.0, 1.0, 0.0], random_state=seed)
    return dict(X), y


def grams(X: dict[str, Any]) -> list[Any]:
    squares = [((x[:, None] - x[None]) ** 2).sum(axis=2) for x in X.values()]
    return [np.exp(-g * s) for g in GAMMAS for s in squares]


def examples(kernels: list[Any], y: Any) -> tuple[Any, Any]:
    """t z of all pairs i >= j, and their weights: one half for each sign."""
    i, j = np.tril_indices(len(y))
    same = y[i] == y[j]
    z = np.stack([k[i, j] for k in kernels], axis=1)
    weights = np.where(same, 0.5 / same.sum(), 0.5 / (~same).sum())
    return np.where(same, 1.0, -1.0)[:, None] * z, weights


def fitted(cls: Any, X: Any, y: Any, **others: Any) -> Any:
    kernels = [cokernel.gaussian(gamma=g) for g in GAMMAS]
    return cls(kernels=kernels, **others).fit(X, y)


@pytest.mark.parametrize("lam", [1e-7, 1e-3, 1e-1, 10.0])
@pytest.mark.filterwarnings("ignore:.*not centred")
def test_weights_and_gap_over_all_pairs(lam: float) -> None:
    X, y = data()
    report = fitted(TwoStageMKLClassifier, X, y, lam=lam, tol=1e-8).report_
    rows, w = examples(grams(X), y)
    mu = np.array(report.details["mu"])
    assert report.details["pairs"] == [len(w)]

    def dual(a: Any) -> tuple[float, Any]:
        v = np.maximum(rows.T @ a, 0)
        return v @ v / (2 * lam) - a.sum(), rows @ v / lam - 1

    value = 0.5 * lam * mu @ mu + w @ np.maximum(0, 1 - rows @ mu)
    assert value == pytest.approx(report.objective[-1], rel=1e-9)
    # The best multipliers that another solver finds: no weights are below.
    options = {"maxiter": 3000, "ftol": 1e-15, "gtol": 1e-12}
    bounds = np.stack([0 * w, w], axis=1)
    found = minimize(dual, 0.5 * w, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    assert -1e-9 <= value + found.fun <= (1e-6 if lam > 1e-5 else 0.05) * value
    assert report.duality_gap <= 1e-8


@pytest.mark.parametrize("lam", [1e-6, 1e-3, 0.03])
@pytest.mark.filterwarnings("ignore:.*not centred")
def test_sparse_weights_are_a_linear_program(lam: float) -> None:
    X, y = data()
    report = fitted(TwoStageMKLClassifier, X, y, lam=lam, penalty="l1", tol=1e-8).report_
    rows, w = examples(grams(X), y)
    kernels = rows.shape[1]
    cost = np.concatenate([np.full(kernels, lam), w])
    at_least = np.concatenate([-rows, -np.eye(len(w))], axis=1)
    best = linprog(cost, A_ub=at_least, b_ub=-np.ones(len(w)))
    assert report.objective[-1] == pytest.approx(best.fun, rel=1e-7)
    assert report.duality_gap <= 1e-8


@pytest.mark.filterwarnings("ignore:.*not centred")
def test_the_path_and_what_is_chosen() -> None:
    X, y = data()
    for validation in ("pairs", "instances"):
        clf = fitted(TwoStageMKLClassifier, X, y, random_state=3, validation=validation)
        details = clf.report_.details
        path, loss = details["path_lambda"], np.array(details["path_loss"])
        assert len(path) == len(loss) == 17
        # Of pairs the least loss, of instances the largest lambda within a standard error of it.
        near = loss <= loss.min() + np.array(details["path_error"])[int(np.argmin(loss))]
        assert details["lambda"][0] == path[int(np.argmax(near))]
    assert all(0 <= a <= 1 for a in details["path_accuracy"])
    # Less is asked of the weights: the objective falls with lambda.
    assert np.all(np.diff(details["path_objective"]) <= 1e-4)
    with pytest.raises(ValueError, match="l1 needs solver = exact"):
        fitted(TwoStageMKLClassifier, X, y, solver="pegasos", penalty="l1")


@pytest.mark.parametrize("products", ["distinct", "ordered"])
@pytest.mark.filterwarnings("ignore:.*not centred")
def test_products_are_kernels(products: str) -> None:
    X, y = data()
    options = {"lam": 0.01, "tol": 1e-9, "products": products, "degree": 2}
    clf = fitted(PolynomialTwoStageMKLClassifier, X, y, **options)
    single = grams(X)
    pairs = [(a, b) for a in range(len(single)) for b in range(a, len(single))]
    factor = [2**0.5 if products == "ordered" and a != b else 1.0 for a, b in pairs]
    kernels = single + [f * single[a] * single[b] for f, (a, b) in zip(factor, pairs, strict=True)]
    rows, w = examples(kernels, y)
    mu = np.array(clf.report_.details["mu"])
    value = 0.5 * 0.01 * mu @ mu + w @ np.maximum(0, 1 - rows @ mu)
    assert value == pytest.approx(clf.report_.objective[-1], rel=1e-9)
    # The same machine on the learned kernel, of mean diagonal 1, and on its values for new rows.
    learned = sum(m * k for m, k in zip(mu, kernels, strict=True))
    size = np.diag(learned).mean()
    svc = cokernel.MeanMKLClassifier(kernels=[cokernel.precomputed()]).fit({"k": learned / size}, y)
    decisions = svc.decision_function({"k": learned / size})
    np.testing.assert_allclose(clf.decision_function(X), decisions, atol=2e-3)


def circles(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.repeat([1.0, 2.0], n // 2)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1) * radius[:, None], radius


@pytest.mark.filterwarnings("ignore:.*at their bound")
def test_two_circles_need_products() -> None:
    """LMS §6.2.1.1: weights of two linear kernels leave 54 % of the training set, products part it."""
    X, y = circles(200)
    options: dict[str, Any] = {"kernels": [cokernel.linear(per_feature=True)], "lam": 1e-4, "C": 10.0}
    plain = TwoStageMKLClassifier(**options).fit(X, y).score(X, y)
    products = PolynomialTwoStageMKLClassifier(**options).fit(X, y).score(X, y)
    assert plain < 0.7 and products == 1.0



def by_sign(y: Any) -> Any:
    return np.where(y[:, None] == y[None], 1.0, -1.0)


@pytest.mark.filterwarnings("ignore:.*not centred")
def test_a_kernel_of_zeros_has_no_weight() -> None:
    X, y = data()
    one, two = grams(X)[:2]
    clf = TwoStageMKLClassifier(kernels=[cokernel.precomputed()], lam=1e-12, random_state=0)
    clf.fit({"a": one, "zero": 0 * one, "b": two}, y)
    weights = {w.view: w.weight for w in clf.weights_}
    assert weights["zero"] == 0.0 and weights["a"] + weights["b"] == pytest.approx(1.0)


@pytest.mark.filterwarnings("ignore:.*not centred")
def test_a_gap_is_relative_to_a_small_objective_too() -> None:
    X, y = data()
    clf = TwoStageMKLClassifier(kernels=[cokernel.precomputed()], lam=1e-12, random_state=0)
    clf.fit({"sign": by_sign(y), "a": grams(X)[0]}, y)
    # The best has half of lambda; what is found is above by what the gap says.
    above = 1 - 5e-13 / clf.report_.objective[-1]
    assert clf.report_.objective[-1] < 1e-6 and above <= clf.report_.duality_gap + 1e-6


@pytest.mark.filterwarnings("ignore:.*not centred")
def test_a_lambda_that_leaves_no_weight_is_said_to_be_large() -> None:
    X, y = data()
    clf = TwoStageMKLClassifier(kernels=[cokernel.precomputed()], penalty="l1", lam=1.5)
    clf.fit({"sign": by_sign(y), "a": grams(X)[0]}, y)
    assert any("try a smaller lambda" in note for note in clf.report_.notes)


def test_what_is_too_large_is_refused() -> None:
    X, y = data()
    many = {f"k{k}": np.eye(N) * (k + 1) for k in range(40)}
    wide = PolynomialTwoStageMKLClassifier(kernels=[cokernel.precomputed()], degree=3, solver="exact")
    with pytest.raises(ValueError, match="exact needs 12340 × 12340 numbers"):
        wide.fit(many, y)
    huge = PolynomialTwoStageMKLClassifier(kernels=[cokernel.precomputed()], degree=3)
    with pytest.raises(ValueError, match="products of 3 of them are no numbers"):
        huge.fit({"a": 1e120 * grams(X)[0]}, y)


@pytest.mark.filterwarnings("ignore:.*not centred")
def test_pairs_with_weights_are_a_linear_program() -> None:
    X, y = data()
    rng = np.random.default_rng(3)
    i, j = np.triu_indices(N, 1)
    some = rng.permutation(len(i))[:300]
    i, j, weight = i[some], j[some], rng.uniform(0, 5, 300)
    same = y[i] == y[j]
    lam = 0.003
    pairs = np.stack([i, j, np.where(same, 1, -1), weight], axis=1)
    kernels = [cokernel.gaussian(gamma=g) for g in GAMMAS]
    learner = TwoStageMKLClassifier(kernels=kernels, lam=lam, penalty="l1", tol=1e-8)
    report = learner.fit(X, y, pairs=pairs).report_
    z = np.stack([k[i, j] for k in grams(X)], axis=1)
    rows = np.where(same, 1.0, -1.0)[:, None] * z
    w = np.where(same, 0.5 * weight / weight[same].sum(), 0.5 * weight / weight[~same].sum())
    cost = np.concatenate([np.full(rows.shape[1], lam), w])
    at_least = np.concatenate([-rows, -np.eye(len(w))], axis=1)
    best = linprog(cost, A_ub=at_least, b_ub=-np.ones(len(w)))
    assert report.objective[-1] == pytest.approx(best.fun, rel=1e-7)
