"""Kernels for normalised cuts, recomputed from the raw matrices."""

from __future__ import annotations

import numpy as np
import pytest
from cokernel import NormalizedCutMKLClassifier


def problem(rng: np.random.Generator, n: int = 90) -> tuple[dict[str, np.ndarray], np.ndarray]:
    y = np.arange(n) % 3
    kernels = {}
    for name, apart in (("good", 2.0), ("fair", 1.0), ("noise", 0.0)):
        x = rng.standard_normal((n, 3)) + apart * y[:, None]
        kernels[name] = np.exp(-((x[:, None] - x[None]) ** 2).sum(2) / 6.0)
    return kernels, y


def program(kernels: list[np.ndarray], y: np.ndarray) -> tuple[np.ndarray, ...]:
    """Q of (13) and the ratios (7) for one group of all instances, each class against the rest."""
    u, v = [], []
    for c in np.unique(y):
        a, b = y == c, y != c
        u.append([k[np.ix_(a, b)].mean() for k in kernels])
        v.append([k[np.ix_(a, a)].mean() + k[np.ix_(b, b)].mean() for k in kernels])
    u, v = np.array(u), np.array(v)
    q = np.zeros((len(kernels), len(kernels)))
    for g in range(len(u)):
        for h in range(len(u)):
            if g != h:
                j = np.outer(u[g], v[h]) + np.outer(u[h], v[g]) - np.outer(v[g], v[h])
                q += 0.5 * (j + j.T)
    return q, u, v


def test_weights_are_the_best_of_the_program() -> None:
    rng = np.random.default_rng(0)
    kernels, y = problem(rng)
    clf = NormalizedCutMKLClassifier(
        kernels="precomputed", groups=1, unit="diagonal", random_state=0
    )
    clf.fit(kernels, y)
    q, u, v = program(list(kernels.values()), y)
    weights = np.array([w.weight for w in clf.weights_])
    report = clf.report_
    assert report.details["optimal"] == [1.0]
    assert weights @ q @ weights == pytest.approx(report.objective[-1], rel=1e-9)
    assert report.details["relaxation"][0] <= weights @ q @ weights
    points = rng.dirichlet(np.full(3, 0.5), 5000)
    assert np.einsum("pi,ij,pj->p", points, q, points).min() >= weights @ q @ weights - 1e-9
    ratio = (u @ weights / (v @ weights)).sum()
    assert ratio == pytest.approx(report.details["ratio"][0], rel=1e-9)
    assert weights[2] < 0.05


def test_the_unit_is_the_sum_within_classes() -> None:
    kernels, y = problem(np.random.default_rng(1))
    fitted = NormalizedCutMKLClassifier(kernels="precomputed", groups=1, random_state=0)
    weights = np.array([w.weight for w in fitted.fit(kernels, y).weights_])
    within = program(list(kernels.values()), y)[2].mean(0)
    by_hand = {name: k / s for (name, k), s in zip(kernels.items(), within, strict=True)}
    same = NormalizedCutMKLClassifier(
        kernels="precomputed", groups=1, unit="none", random_state=0
    ).fit(by_hand, y)
    others = np.array([w.weight for w in same.weights_]) / within
    np.testing.assert_allclose(weights / weights.sum(), others / others.sum(), atol=1e-9)
    assert weights[2] < 0.05 * weights.sum()


def test_units_of_kernels_move_into_the_weights() -> None:
    rng = np.random.default_rng(0)
    kernels, y = problem(rng)
    fit = NormalizedCutMKLClassifier(kernels="precomputed", random_state=0).fit
    plain = np.array([w.weight for w in fit(kernels, y).weights_])
    scaled = {name: k * s for (name, k), s in zip(kernels.items(), (1e-6, 1.0, 1e6), strict=True)}
    weights = np.array([w.weight for w in fit(scaled, y).weights_]) * [1e-6, 1.0, 1e6]
    np.testing.assert_allclose(weights / weights.sum(), plain, atol=1e-6)
