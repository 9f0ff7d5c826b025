"""Boosting on columns of kernels, and kernels of all widths, from raw data by numpy and scipy."""

from __future__ import annotations

from typing import Any

import cokernel
import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import linprog
from sklearn.metrics.pairwise import rbf_kernel

Reals = npt.NDArray[np.float64]
WIDTHS = (0.3, 2.0)
KERNELS = [f"gaussian:gamma={w}" for w in WIDTHS]


def toy(n: int = 50, seed: int = 0) -> tuple[Reals, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0).astype(int)


def test_the_linear_program_over_all_columns() -> None:
    X, y = toy()
    n, nu, signs = len(y), 0.3, 2.0 * y - 1
    clf = cokernel.CGBoostMKLClassifier(kernels=KERNELS, nu=nu, tol=1e-8).fit(X, y)
    # Columns with both signs, and ones; variables: coefficients, rho, slack.
    columns = np.hstack([rbf_kernel(X, X, gamma=w) for w in WIDTHS] + [np.ones((n, 1))])
    columns = np.hstack([columns, -columns])
    count = columns.shape[1]
    below = np.hstack([-signs[:, None] * columns, np.ones((n, 1)), -np.eye(n)])
    cost = np.r_[np.zeros(count), -1.0, np.full(n, 1 / (nu * n))]
    bounds = [(0, None)] * count + [(None, None)] + [(0, None)] * n
    equal = np.r_[np.ones(count), np.zeros(n + 1)][None]
    best = linprog(cost, A_ub=below, b_ub=np.zeros(n), A_eq=equal, b_eq=[1.0], bounds=bounds)
    assert clf.report_.objective[-1] == pytest.approx(best.fun, rel=1e-6)
    rho = clf.report_.details["rho"][0]
    f = rho * clf.decision_function(X)
    value = -rho + np.maximum(0, rho - signs * f).sum() / (nu * n)
    assert value == pytest.approx(best.fun, rel=1e-6)
    # At most a part nu has less than the margin, and few columns are left.
    assert np.mean(signs * f < rho * (1 - 1e-6)) <= nu + 1e-9
    assert clf.report_.details["columns"][0] < n / 2
    few = cokernel.CGBoostMKLClassifier(kernels=KERNELS, nu=nu, max_columns=10).fit(X, y)
    assert few.report_.objective[-1] >= best.fun - 1e-9 and few.report_.details["columns"][0] <= 10


def test_ridge_regression_over_all_columns() -> None:
    X, _ = toy(40, 1)
    y = np.sin(2 * X[:, 0]) + 3.0
    lam, n = 0.7, len(y)
    reg = cokernel.MARKMKLRegressor(kernels=KERNELS, lam=lam, tol=1e-10).fit(X, y)
    kernels = [rbf_kernel(X, X, gamma=w) for w in WIDTHS]
    Q = sum(K @ K for K in kernels) / (n * len(kernels))
    system = np.block([[Q + lam * np.eye(n), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    c, b = np.split(np.linalg.solve(system, np.r_[y, 0.0]), [n])
    new = X + 0.1
    across = sum(rbf_kernel(new, X, gamma=w) @ K for w, K in zip(WIDTHS, kernels)) / (n * len(kernels))
    np.testing.assert_allclose(reg.predict(new), across @ c + b, atol=1e-5)
    sparse = cokernel.MARKMKLRegressor(kernels=KERNELS, lam=1e-3, max_columns=12).fit(X, y)
    assert sparse.report_.details["columns"][0] <= 12
    assert sparse.score(X, y) > 0.5


def test_kernel_boosting_beside_its_machine(tmp_path: Any) -> None:
    X, y = toy(60, 2)
    for loss in ("exponential", "logistic"):
        clf = cokernel.KernelBoostingMKLClassifier(kernels=KERNELS, rounds=20, pair_loss=loss).fit(X, y)
        assert (np.diff(clf.report_.objective) <= 0).all() and len(clf.report_.objective) > 5
        assert clf.score(X, y) > 0.8
        clf.save(tmp_path / "k.ck")
        np.testing.assert_array_equal(cokernel.load(tmp_path / "k.ck").predict(X), clf.predict(X))


@pytest.mark.parametrize("C", [0.5, 20.0])
def test_widths_beside_a_fine_grid(C: float, tmp_path: Any) -> None:
    X, y = toy(60, 3)
    tol = 1e-4
    clf = cokernel.InfiniteMKLClassifier(kernels=["gaussian:gamma=1"], C=C, span=50.0, tol=tol).fit(X, y)
    assert clf.report_.status == "converged" and clf.report_.duality_gap <= tol
    widths = np.geomspace(1 / 50, 50, 80)
    grid = cokernel.SimpleMKLClassifier(kernels=[f"gaussian:gamma={w}" for w in widths], C=C, tol=1e-5).fit(X, y)
    ours, theirs = clf.report_.objective[-1], grid.report_.objective[-1]
    assert ours <= theirs * (1 + 2 * tol)
    assert ours >= theirs * (1 - 5e-3)
    # The rule, by the widths and weights that it tells.
    told = clf.report_.details
    assert sum(told["weights"]) == pytest.approx(1) and min(told["exponents"]) >= 1 / 50
    new = X + 0.1
    across = sum(w * rbf_kernel(new, X, gamma=p) for w, p in zip(told["weights"], told["exponents"]))
    coef = np.zeros(len(X))
    coef[clf.support_] = clf.dual_coef_[0]
    np.testing.assert_allclose(clf.decision_function(new), across @ coef + clf.intercept_[0], atol=1e-9)
    clf.save(tmp_path / "i.ck")
    np.testing.assert_array_equal(cokernel.load(tmp_path / "i.ck").decision_function(new), clf.decision_function(new))
    # The bound: the dual of these coefficients over a fine grid of widths.
    values = np.geomspace(1 / 50, 50, 3000)
    squares = ((X[:, None] - X) ** 2).sum(-1)
    most = max(coef @ np.exp(-p * squares) @ coef for p in values)
    within = sum(w * np.exp(-p * squares) for w, p in zip(told["weights"], told["exponents"]))
    f = within @ coef + clf.intercept_[0]
    signs = np.where(y == clf.classes_[1], 1.0, -1.0)
    primal = 0.5 * coef @ within @ coef + C * np.maximum(0, 1 - signs * f).sum()
    assert primal == pytest.approx(ours, rel=1e-6)
    assert (primal - (np.abs(coef).sum() - 0.5 * most)) / primal <= 3 * tol
