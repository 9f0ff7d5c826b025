"""Measures of kernels and the weights by them, recomputed in numpy from raw data."""

from __future__ import annotations

from typing import Any

import cokernel
import numpy as np
import numpy.typing as npt
import pytest
from cokernel.metrics import kernel_scores

_Reals = npt.NDArray[np.float64]
GAMMAS = (0.05, 0.3, 2.0)


def data(n: int = 60, classes: int = 3) -> tuple[_Reals, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(5)
    y = np.arange(n) % classes
    x = rng.normal(size=(n, 4))
    x[:, 0] += 2.0 * y
    return x, y


def gaussians(x: _Reals) -> list[_Reals]:
    square = ((x[:, None] - x[None]) ** 2).sum(2)
    return [np.exp(-gamma * square) for gamma in GAMMAS]


def centred(k: _Reals) -> _Reals:
    h = np.eye(len(k)) - 1.0 / len(k)
    return h @ k @ h


def alignment(k: _Reals, t: _Reals) -> float:
    return float((k * t).sum() / np.sqrt((k * k).sum() * (t * t).sum()))


def ideal(y: Any) -> _Reals:
    k = len(np.unique(y))
    return np.where(y[:, None] == y[None], 1.0, -1.0 / (k - 1))


KERNELS = [cokernel.gaussian(gamma=gamma) for gamma in GAMMAS]


def weights(method: str, x: _Reals, y: Any, **params: Any) -> _Reals:
    found = cokernel.MKLClassifier(method, method_params=params, kernels=KERNELS).fit(x, y)
    return np.array([w.weight for w in found.weights_])


@pytest.mark.parametrize("centered", [True, False])
def test_weights_are_alignments(centered: bool) -> None:
    x, y = data()
    of = centred if centered else lambda k: k
    expected = np.array([alignment(of(k), of(ideal(y))) for k in gaussians(x)])
    found = weights("align", x, y, centered=centered)
    assert found == pytest.approx(expected / expected.sum(), abs=1e-10)


def test_joint_alignment_is_best() -> None:
    x, y = data()
    found = weights("alignf", x, y)
    kernels, target = [centred(k) for k in gaussians(x)], centred(ideal(y))
    best = alignment(sum(w * k for w, k in zip(found, kernels, strict=True)), target)
    rng = np.random.default_rng(0)
    for other in rng.dirichlet(np.ones(len(kernels)), size=500):
        mixed = sum(w * k for w, k in zip(other, kernels, strict=True))
        assert alignment(mixed, target) <= best + 1e-12


def test_scores_are_those_of_numpy() -> None:
    x, y = data(classes=2)
    target = ideal(y)
    for found, k in zip(kernel_scores(x, y, kernels=KERNELS), gaussians(x), strict=True):
        assert found["alignment"] == pytest.approx(alignment(k, target), abs=1e-12)
        assert found["centered_alignment"] == pytest.approx(
            alignment(centred(k), centred(target)), abs=1e-10
        )
        distance = np.linalg.norm(k - target) / np.linalg.norm(target)
        assert found["ideal_distance"] == pytest.approx(distance, abs=1e-12)
        a, b = (np.flatnonzero(y == c) for c in (0, 1))
        apart = k[np.ix_(a, a)].mean() + k[np.ix_(b, b)].mean() - 2 * k[np.ix_(a, b)].mean()
        wide = [
            np.std(k[np.ix_(own, other)].mean(1) - k[np.ix_(own, own)].mean(1), ddof=1)
            for own, other in ((a, b), (b, a))
        ]
        assert found["fsm"] == pytest.approx(sum(wide) / apart, rel=1e-9)
        eye = np.eye(len(y))
        ratio = np.linalg.solve(target + eye, k + eye)
        divergence = 0.5 * (np.trace(ratio) - np.linalg.slogdet(ratio)[1] - len(y)) / len(y)
        assert found["divergence"] == pytest.approx(divergence, rel=1e-9)


def test_scores_of_numbers() -> None:
    x, _ = data()
    t = x[:, 0] - x[:, 0].mean()
    for found, k in zip(
        kernel_scores(x, x[:, 0], task="regress", kernels=KERNELS), gaussians(x), strict=True
    ):
        assert found["alignment"] == pytest.approx(alignment(k, np.outer(t, t)), abs=1e-12)
        assert found["fsm"] is None
    with pytest.raises(ValueError, match="task: expected 'classify' or 'regress'"):
        kernel_scores(x, t, task="cluster")


def test_easy_mkl_weighs_by_margins() -> None:
    """At lambda = 1 the margins are the squared distances between the class means."""
    x, y = data(classes=2)
    a, b = y == 0, y == 1
    margins = np.array(
        [
            k[np.ix_(a, a)].mean() + k[np.ix_(b, b)].mean() - 2 * k[np.ix_(a, b)].mean()
            for k in gaussians(x)
        ]
    )
    found = weights("easy_mkl", x, y, **{"lambda": 1.0})
    assert found == pytest.approx(margins / margins.sum(), abs=1e-10)


def test_kernels_of_pairs() -> None:
    """They are those of x_a x_b' + x_b x_a', up to a factor."""
    x, _ = data(6)
    pairs = np.array([[0, 1], [2, 2], [4, 3], [1, 0]])
    both = np.stack([np.outer(x[a], x[b]) + np.outer(x[b], x[a]) for a, b in pairs])
    expected = 0.5 * np.einsum("iab,jab->ij", both, both)
    assert cokernel.pairwise(x @ x.T, pairs) == pytest.approx(expected)
    assert cokernel.pairwise(x @ x.T, pairs[:2], pairs) == pytest.approx(expected[:2])
    with pytest.raises(ValueError, match=r"pairs: row 1 is \(2, 6\); expected two of 0 to 5"):
        cokernel.pairwise(x @ x.T, [[0, 1], [2, 6]])
    with pytest.raises(ValueError, match="expected whole numbers of shape"):
        cokernel.pairwise(x @ x.T, [[0.5, 1.0]])


def test_a_null_vector_that_all_kernels_share_cuts_nothing_off() -> None:
    """Centred kernels share one; what is allowed was cut away there, with a gap of 0 told."""
    n = 24
    for seed in (15, 16, 22):
        rng = np.random.default_rng(seed)
        y, centre = np.arange(n) % 2, np.eye(n) - 1 / n
        given = []
        for gamma in (0.05, 0.2, 1):
            x = rng.normal(size=(n, 3)) + y[:, None] * rng.uniform(0, 1)
            square = ((x[:, None] - x[None]) ** 2).sum(-1)
            k = centre @ np.exp(-gamma * square) @ centre
            given.append((k + k.T) / 2)
        found = [
            cokernel.MKLClassifier(
                "lanckriet_alignment", kernels="precomputed", method_params={"centered": "yes"}
            )
            .fit({f"k{i}": k + add for i, k in enumerate(given)}, y)
            .report_.objective[-1]
            for add in (0.0, 1e-6)
        ]
        assert found[0] == pytest.approx(found[1], rel=3e-6)


def test_scores_do_not_know_the_unit_of_numbers() -> None:
    y = np.random.default_rng(1).normal(size=30)
    k = np.exp(-np.subtract.outer(y, y) ** 2)

    def score(unit: float) -> dict:
        return cokernel.metrics.kernel_scores(
            {"a": k}, y * unit, task="regress", kernels="precomputed"
        )[0]

    for unit in (1e3, 1e-3, 1e200):
        for name, value in score(1.0).items():
            if isinstance(value, float):
                assert score(unit)[name] == pytest.approx(value, rel=1e-9)
