"""Data-dependent weights, against a transcription in numpy with scikit-learn's machine and neighbours."""

from __future__ import annotations

import pickle

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import SVC

import cokernel

Reals = npt.NDArray[np.float64]
NEAREST = 9


def halves(n: int = 160) -> tuple[Reals, npt.NDArray[np.int64]]:
    """The first two columns tell the class where the last is below 0, the next two elsewhere."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, size=n)
    side = rng.uniform(-1, 1, size=n)
    x = rng.normal(size=(n, 4))
    x[:, :2] += np.where(side < 0, 3.0 * y, 1.5)[:, None]
    x[:, 2:] += np.where(side < 0, 1.5, 3.0 * y)[:, None]
    return np.column_stack([x, side]), y


def goodness(features: Reals, y: npt.NDArray[np.int64]) -> Reals:
    """How much more often than chance the neighbours of an instance have its class."""
    found = NearestNeighbors(n_neighbors=NEAREST).fit(features)
    near = found.kneighbors(return_distance=False)
    same = (y[near] == y[:, None]).mean(axis=1)
    chance = np.bincount(y)[y] / len(y)
    return np.asarray(np.maximum((same - chance) / (1 - chance), 0.0))


def test_the_machine_is_that_of_scikit_learn_on_the_weighed_kernels() -> None:
    x, y = halves()
    train, new = x[:120], x[120:]
    views = {"a": [0, 1], "b": [2, 3], "side": [4]}
    model = cokernel.NeighbourWeightsMKLClassifier(
        neighbours=NEAREST, gate_views="side", views=views, kernels=["linear@a", "linear@b"],
        C=2.0, machine_tol=1e-8, scale=None,
    ).fit(train, y[:120])  # fmt: skip
    good = np.column_stack([goodness(train[:, part], y[:120]) for part in (views["a"], views["b"])])

    def weights(rows: Reals) -> Reals:
        far = np.abs(rows[:, 4][:, None] - train[:, 4])
        near = np.argsort(far, axis=1, kind="stable")[:, :NEAREST]
        sums = good[near].sum(axis=1)
        return np.asarray(sums / sums.sum(axis=1, keepdims=True))

    def kernel(rows: Reals) -> Reals:
        left, right = np.sqrt(weights(rows)), np.sqrt(weights(train))
        parts = [
            np.outer(left[:, m], right[:, m]) * (rows[:, v] @ train[:, v].T)
            for m, v in enumerate((views["a"], views["b"]))
        ]
        return np.asarray(parts[0] + parts[1])

    own = SVC(C=2.0, kernel="precomputed", tol=1e-8).fit(kernel(train), y[:120])
    assert np.allclose(own.decision_function(kernel(new)), model.decision_function(new), atol=1e-4)
    assert np.allclose(model.report_.details["mean_weights"], weights(train).mean(axis=0))
    back = pickle.loads(pickle.dumps(model))
    assert np.array_equal(back.decision_function(new), model.decision_function(new))


def test_a_view_that_is_not_there_is_told() -> None:
    x, y = halves()
    with pytest.raises(ValueError, match="nowhere"):
        cokernel.NeighbourWeightsMKLClassifier(gate_views="nowhere").fit(x, y)
