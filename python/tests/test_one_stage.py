"""Methods that learn weights and machine together, from outside: what a reader once found wrong."""

from __future__ import annotations

import numpy as np
import pytest

import cokernel


def kernels(n: int = 50, seed: int = 1) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 6))
    y = (x[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)
    return {f"k{j}": np.exp(-np.subtract.outer(x[:, j], x[:, j]) ** 2) for j in range(6)}, y


@pytest.mark.parametrize("unit", ["mean", "one"])
def test_a_penalty_punishes_where_the_objective_is_negative(unit: str) -> None:
    """The objective of a one-class machine is negative, and λ counted it with its sign."""
    given, _ = kernels()
    options = {"lambda": 100.0, "lambda_unit": unit}
    even = cokernel.MKLOutlierDetector(
        "regularized_simple_mkl", method_params=options, kernels="precomputed"
    ).fit(given)
    assert even.report_.status == "converged"
    assert np.allclose(even.weights_, 1 / 6, atol=1e-3)
    sparse = cokernel.MKLOutlierDetector(
        "log_penalty", method_params=options, kernels="precomputed"
    ).fit(given)
    assert np.count_nonzero(sparse.weights_) == 1


@pytest.mark.parametrize("lam", [1.0, 1e4, 1e8])
def test_a_large_log_penalty_keeps_one_kernel(lam: float) -> None:
    """The penalty once hid the machine, so that the start was the end."""
    given, y = kernels()
    model = cokernel.MKLClassifier(
        "log_penalty", method_params={"lambda": lam}, kernels="precomputed"
    ).fit(given, y)
    assert np.count_nonzero(model.weights_) == 1


def test_coefficients_prove_the_gap() -> None:
    """With instances enough for a start from a sample: primal and dual from what the model shows."""
    given, y = kernels(900, 3)
    model = cokernel.MKLClassifier("simple_mkl", kernels="precomputed", C=1.0).fit(given, y)
    coef, signs = np.zeros(len(y)), 2.0 * y - 1.0
    coef[model.support_] = np.asarray(model.dual_coef_)[0]
    stack = np.stack(list(given.values()))
    combined = np.tensordot(model.weights_, stack, 1)
    values = combined @ coef + np.ravel(model.intercept_)[0]
    signs = signs if values @ signs > 0 else -signs
    primal = 0.5 * coef @ combined @ coef + np.maximum(0, 1 - signs * values).sum()
    dual = np.abs(coef).sum() - 0.5 * max(coef @ k @ coef for k in stack)
    assert model.report_.duality_gap <= 1e-3
    assert (primal - dual) / primal == pytest.approx(model.report_.duality_gap, abs=1e-5)
