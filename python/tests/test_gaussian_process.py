"""Gaussian processes beside scikit-learn's, scipy's optimiser and plain numpy, and on the command line."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from cokernel import GaussianProcessMKLRegressor, MKLRegressor, gaussian, load


GAMMA = 0.5


def data(n: int = 90) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(n, 3))
    y = 5 + np.sin(2 * X[:, 0]) + 0.4 * X[:, 1] + 0.2 * rng.normal(size=n)
    return X, y, {"a": [0], "b": [1], "c": [2]}


def fitted() -> tuple[np.ndarray, np.ndarray, GaussianProcessMKLRegressor]:
    X, y, views = data()
    reg = GaussianProcessMKLRegressor(views=views, kernels=[gaussian(gamma=GAMMA)], tol=1e-9)
    return X, y, reg.fit(X, y)


def grams(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    return np.array([np.exp(-GAMMA * (X[:, [m]] - Z[:, [m]].T) ** 2) for m in range(3)])


def cost(theta: np.ndarray, K: np.ndarray, y: np.ndarray) -> float:
    V = np.tensordot(theta[:-1], K, 1) + theta[-1] * np.eye(len(y))
    ones = np.ones(len(y))
    Vy, V1 = np.linalg.solve(V, y), np.linalg.solve(V, ones)
    fit = y @ (Vy - V1 * (ones @ Vy) / (ones @ V1))
    log = np.linalg.slogdet(V)[1] + np.log(ones @ V1) + (len(y) - 1) * np.log(2 * np.pi)
    return float(0.5 * (fit + log))


def test_the_likelihood_and_its_errors() -> None:
    X, y, reg = fitted()
    K = grams(X, X)
    noise = reg.report_.details["noise"][0]
    theta = np.append(np.asarray(reg.weights_), noise)
    assert cost(theta, K, y) == pytest.approx(reg.report_.objective[-1], abs=1e-6)
    free = theta > 0

    def of_free(log: np.ndarray) -> float:
        full = np.zeros(4)
        full[free] = np.exp(log)
        return cost(full, K, y)

    other = minimize(of_free, np.log(theta[free]) + 0.3, method="BFGS")
    assert other.fun >= reg.report_.objective[-1] - 1e-6
    assert np.exp(other.x) == pytest.approx(theta[free], rel=1e-2)
    # The information: ½ uᵀK_m P K_h u with u = Py.
    V = np.tensordot(theta[:-1], K, 1) + noise * np.eye(len(y))
    inverse = np.linalg.inv(V)
    P = inverse - np.outer(inverse.sum(0), inverse.sum(0)) / inverse.sum()
    sides = np.array([*(K @ (P @ y)), P @ y])[free]
    errors = np.sqrt(np.diag(np.linalg.inv(0.5 * sides @ P @ sides.T)))
    found = np.append(reg.report_.details["weight_errors"], reg.report_.details["noise_error"])
    assert found[free] == pytest.approx(errors, rel=1e-3)
    assert not found[~free].any()


def test_predictions_are_those_of_scikit_learn() -> None:
    X, y, reg = fitted()
    new = np.random.default_rng(8).uniform(-4, 4, size=(40, 3))
    mean, std = reg.predict(new, return_std=True)
    assert np.array_equal(mean, reg.predict(new))
    length = (2 * GAMMA) ** -0.5
    # One term for each column: the columns of the others have endless lengths.
    kernel = ConstantKernel(1e6) + WhiteKernel(reg.report_.details["noise"][0])
    for m, weight in enumerate(np.asarray(reg.weights_)):
        lengths = np.full(3, 1e12)
        lengths[m] = length
        kernel += ConstantKernel(max(weight, 1e-12)) * RBF(lengths)
    peer = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0).fit(X, y)
    want, spread = peer.predict(new, return_std=True)
    assert mean == pytest.approx(want, abs=2e-4)
    assert std == pytest.approx(spread, rel=1e-3)
    # Far away nothing is known but the mean.
    _, far = reg.predict(np.full((1, 3), 1e3), return_std=True)
    assert far[0] ** 2 > np.asarray(reg.weights_).sum()


def test_a_model_read_back_says_the_same(tmp_path: Path, command_line: str) -> None:
    X, y, reg = fitted()
    new = X[:7] + 0.1
    want = reg.predict(new, return_std=True)
    again = pickle.loads(pickle.dumps(reg)).predict(new, return_std=True)
    assert all(np.array_equal(a, b) for a, b in zip(want, again))
    reg.save(tmp_path / "model.ck")
    names = []
    for m, name in enumerate("abc"):
        np.savetxt(tmp_path / f"{name}.csv", new[:, [m]], fmt="%.17g")
        names += ["--view", f"{name}={tmp_path / f'{name}.csv'}"]
    command = [command_line, "predict", str(tmp_path / "model.ck"), *names, "--json"]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert np.array_equal(said["deviations"], want[1])
    tables = {name: new[:, [m]] for m, name in enumerate("abc")}
    read = load(tmp_path / "model.ck").predict(tables, return_std=True)
    assert all(np.array_equal(a, b) for a, b in zip(want, read))


def test_weights_of_instances_are_precisions() -> None:
    X, y, views = data()
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 4.0], size=len(y))
    reg = GaussianProcessMKLRegressor(views=views, kernels=[gaussian(gamma=GAMMA)], tol=1e-9)
    reg.fit(X, y, sample_weight=weights)
    kept = weights > 0
    K, noise = grams(X[kept], X[kept]), reg.report_.details["noise"][0]
    V = np.tensordot(np.asarray(reg.weights_), K, 1) + np.diag(noise / weights[kept])
    k = np.tensordot(np.asarray(reg.weights_), grams(X[kept], X[:5]), 1)
    ones, own = np.ones(kept.sum()), np.asarray(reg.weights_).sum()
    V1 = np.linalg.solve(V, ones)
    b = V1 @ y[kept] / V1.sum()
    mean, std = reg.predict(X[:5], return_std=True)
    assert mean == pytest.approx(b + k.T @ np.linalg.solve(V, y[kept] - b), rel=1e-6)
    rest = (1 - V1 @ k) ** 2 / V1.sum()
    variance = own - np.einsum("ij,ij->j", k, np.linalg.solve(V, k)) + rest + noise
    assert std == pytest.approx(np.sqrt(variance), rel=1e-6)


def test_threads_and_storage_change_nothing() -> None:
    X, y, reg = fitted()
    _, _, views = data()
    want = reg.predict(X[:9], return_std=True)
    for more, tol in [({"n_jobs": 2}, 0.0), ({"storage": "on_demand"}, 1e-7)]:
        other = GaussianProcessMKLRegressor(
            views=views, kernels=[gaussian(gamma=GAMMA)], tol=1e-9, **more
        ).fit(X, y)
        for a, b in zip(want, other.predict(X[:9], return_std=True)):
            assert b == pytest.approx(a, rel=tol, abs=tol)


def test_given_kernels_have_numbers_without_deviations() -> None:
    X, y, reg = fitted()
    K = np.array([*grams(X, X), np.zeros((len(y), len(y)))])
    own = GaussianProcessMKLRegressor(kernels="precomputed", tol=1e-9).fit(K, y)
    assert own.report_.status == "converged"
    assert own.predict(K[:, :5]) == pytest.approx(reg.predict(X[:5]), abs=1e-4)
    with pytest.raises(ValueError, match="how like itself"):
        own.predict(K[:, :5], return_std=True)
    with pytest.warns(ConvergenceWarning):
        GaussianProcessMKLRegressor(kernels="precomputed", time_limit=1e-9).fit(K, y)


def test_refusals() -> None:
    X, y, views = data(20)
    with pytest.raises(ValueError, match="all numbers are equal"):
        GaussianProcessMKLRegressor(views=views).fit(X, np.full(20, 2.0))
    with pytest.raises(ValueError, match="kernel_ridge"):
        MKLRegressor(method="gaussian_process", views=views).fit(X, y)
    with pytest.raises(ValueError, match="no standard deviations"):
        MKLRegressor(views=views).fit(X, y).predict(X, return_std=True)
    with pytest.raises(ValueError, match="3 instances"):
        GaussianProcessMKLRegressor(views=views).fit(X[:2], y[:2])
