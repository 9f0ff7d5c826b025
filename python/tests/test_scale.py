"""Learning towards landmarks, from outside: what the model says is what numpy computes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import cokernel


def data(n: int = 1500, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    x = rng.normal(size=(n, 4)) * np.where(y == 1, 1.6, 0.8)[:, None]
    return x, y


GAMMAS = (0.1, 0.4, 1.6)
KERNELS = "gaussian:gamma=0.1,0.4,1.6"


def test_values_and_gap_are_those_of_the_features() -> None:
    x, y = data()
    signs = 2.0 * y - 1.0
    model = cokernel.MKLClassifier(
        "simple_mkl",
        method_params={"tol": 1e-4},
        kernels=[KERNELS],
        machine="squared_hinge_svc",
        C=0.5,
        storage="nystroem:rank=30",
        random_state=3,
    ).fit(x, y)
    weights = np.asarray(model.weights_)
    landmarks = x[model.support_]
    assert len(landmarks) == 30
    square = ((x[:, None] - landmarks) ** 2).sum(2)
    features = [np.exp(-gamma * square) for gamma in GAMMAS]
    own = [c[model.support_] for c in features]
    active = np.flatnonzero(weights)
    betas = np.asarray(model.dual_coef_)[0].reshape(len(active), 30)
    f = sum(features[m] @ b for m, b in zip(active, betas, strict=True)) + np.ravel(model.intercept_)[0]
    if f @ signs < 0:
        f = -f
    found = np.ravel(model.decision_function(x))
    assert np.allclose(np.abs(found), np.abs(f), atol=1e-8)
    assert np.mean(model.predict(x) == y) > 0.8
    primal = 0.25 * (np.maximum(0, 1 - signs * f) ** 2).sum()
    primal += sum(0.5 * b @ own[m] @ b / weights[m] for m, b in zip(active, betas, strict=True))
    c = signs * 0.5 * np.maximum(0, 1 - signs * f)
    least = min(c[c > 0].sum(), -c[c < 0].sum())
    c = np.where(c > 0, c * least / c[c > 0].sum(), c * least / -c[c < 0].sum())
    forms = [(k.T @ c) @ np.linalg.lstsq(w, k.T @ c, rcond=1e-12)[0] for k, w in zip(features, own, strict=True)]
    dual = np.abs(c).sum() - (c**2).sum() / (2 * 0.5) - 0.5 * max(forms)
    assert (primal - dual) / primal == pytest.approx(model.report_.duality_gap, abs=1e-4)
    assert model.report_.duality_gap <= 1e-4
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(x), model.decision_function(x))


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans", "leverage", "cholesky"])
def test_regression_is_near_the_exact_one(landmarks: str) -> None:
    rng = np.random.default_rng(5)
    x = rng.uniform(-2, 2, size=(800, 2))
    t = np.sin(2 * x[:, 0]) * x[:, 1] + 0.05 * rng.normal(size=800)
    train, test = slice(0, 600), slice(600, 800)
    options = {"method_params": {"tol": 1e-4}, "kernels": ["gaussian:gamma=0.5,2"], "machine": "kernel_ridge", "random_state": 0}
    exact = cokernel.MKLRegressor("lp_norm", **options).fit(x[train], t[train])
    near = cokernel.MKLRegressor("lp_norm", **options, storage=f"nystroem:rank=80:landmarks={landmarks}")
    near.fit(x[train], t[train])
    error = [np.sqrt(np.mean((m.predict(x[test]) - t[test]) ** 2)) for m in (exact, near)]
    assert error[1] < 1.1 * error[0] + 0.01
    assert any("80 landmarks" in note for note in near.report_.notes)


def test_refusals() -> None:
    x, y = data(60)
    with pytest.raises(ValueError, match="rank: expected a whole number above 0"):
        cokernel.MKLClassifier("simple_mkl", storage="nystroem:rank=no").fit(x, y)
    with pytest.raises(ValueError, match="methods that learn towards landmarks"):
        cokernel.MKLClassifier("easy_mkl", storage="nystroem").fit(x, y)
