"""Weights from pairs of instances that must or cannot link."""

from __future__ import annotations

from typing import Any

import cokernel
import numpy as np
import pytest
from cokernel import MeanMKLClassifier, TwoStageMKLClassifier
from cokernel.datasets import make_gaussian_views
from scipy.optimize import minimize

pd = pytest.importorskip("pandas")
N = 60


def data() -> tuple[dict[str, Any], Any]:
    X, y = make_gaussian_views(N, n_classes=2, separations=[3.0, 0.0], random_state=3)
    return dict(X), y


def hidden(X: Any, count: int = 70, seed: int = 0) -> list[tuple[int, int, int]]:
    """Pairs by a grouping that the second view shows, and the labels do not."""
    group = next(iter(list(X.values())[1:]))[:, 0] > 0
    rng = np.random.default_rng(seed)
    rows = [rng.choice(N, 2, replace=False) for _ in range(count)]
    return [(int(i), int(j), 1 if group[i] == group[j] else -1) for i, j in rows]


def made(**others: Any) -> TwoStageMKLClassifier:
    return TwoStageMKLClassifier(kernels=[cokernel.gaussian(gamma=0.3)], lam=0.01, **others)


def test_weights_minimise_the_hinge_loss_of_the_pairs() -> None:
    X, y = data()
    pairs = hidden(X)
    clf = made().fit(X, y, pairs=pairs)
    grams = [np.exp(-0.3 * ((x[:, None] - x[None]) ** 2).sum(axis=2)) for x in X.values()]
    once = {(max(i, j), min(i, j)): s for i, j, s in pairs}
    z = np.array([[k[i, j] for k in grams] for i, j in once])
    t = np.array(list(once.values()))
    share = np.where(t > 0, 0.5 / (t > 0).sum(), 0.5 / (t < 0).sum())

    def objective(mu: Any) -> Any:
        return 0.005 * mu @ mu + share @ np.maximum(0, 1 - t * (z @ mu))

    mu = np.array(clf.report_.details["mu"])
    best = minimize(
        lambda m: objective(np.abs(m)), mu + 0.1, method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 10_000},
    )
    assert objective(mu) <= best.fun * (1 + 1e-5)
    np.testing.assert_allclose([w.weight for w in clf.weights_], mu / mu.sum())
    assert clf.weights_[1].weight > 0.6 > 0.5 > made().fit(X, y).weights_[1].weight
    assert clf.score(X, y) > 0.5


def test_every_form_of_pairs_means_the_same() -> None:
    X, y = data()
    pairs = hidden(X)
    expected = [w.weight for w in made().fit(X, y, pairs=pairs).weights_]
    word = {1: "must", -1: "cannot"}
    ids = [f"p{i}" for i in range(N)]
    named = {name: pd.DataFrame(x, index=ids) for name, x in X.items()}
    numbers = {name: pd.DataFrame(x, index=range(100, 100 + N)) for name, x in X.items()}
    for views, given in [
        (X, np.array(pairs)),
        (X, np.array(pairs, dtype=float)),
        (X, [(j, i, word[s]) for i, j, s in pairs]),
        (X, pd.DataFrame(pairs, columns=["i", "j", "link"])),
        (X, pairs + pairs[:3]),
        (named, [(ids[i], ids[j], s) for i, j, s in pairs]),
        (named, np.array([(ids[i], ids[j], word[s]) for i, j, s in pairs])),
        (numbers, [(100 + i, 100 + j, s) for i, j, s in pairs]),
        (numbers, np.array([(100.0 + i, 100 + j, s) for i, j, s in pairs])),
    ]:
        found = made().fit(views, y, pairs=given)
        np.testing.assert_allclose([w.weight for w in found.weights_], expected, atol=1e-12)


def test_pairs_of_instances_without_weight_are_left_out() -> None:
    X, y = data()
    pairs = hidden(X)
    weights = (np.arange(N) % 4 > 0).astype(float)
    kept = np.flatnonzero(weights)
    place = {int(i): p for p, i in enumerate(kept)}
    few = [(place[i], place[j], s) for i, j, s in pairs if i in place and j in place]
    a = made().fit(X, y, weights, pairs=pairs)
    b = made().fit({name: x[kept] for name, x in X.items()}, y[kept], pairs=few)
    np.testing.assert_allclose([w.weight for w in a.weights_], [w.weight for w in b.weights_])


def test_probabilities_beside_pairs() -> None:
    X, y = data()
    clf = made(probability="sigmoid", random_state=0).fit(X, y, pairs=hidden(X, 400))
    p = clf.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        ([(0, 60, 1)], "pairs: pair 0: there is no row 60; rows are numbered from 0 to 59"),
        ([(0, -1, 1)], "there is no row -1"),
        ([(0, 1, 1), (2, 2, -1)], "pairs: pair 1: instance 2 is paired with itself"),
        (
            [(0, 1, 1), (1, 0, -1)],
            "pair 1: 1 and 0 are cannot-link here, but must-link in pair 0; keep one",
        ),
        ([(0, 1, 0)], "pair 0: expected 1, -1, 'must' or 'cannot', found 0"),
        ([(0, 1, True)], "expected 1, -1, 'must' or 'cannot', found True"),
        ([(0, 1, "mst")], "expected 1, -1, 'must' or 'cannot', found 'mst'"),
        ([(0, 1.5, 1)], "expected a row number, because the instances have no index, found 1.5"),
        ([("a", "b", 1)], "expected a row number"),
        ([(0, 1)], "expected two instances, a link"),
        (np.zeros((4, 2)), r"expected an array with three columns .* found shape \(4, 2\)"),
        (5, "expected a list of"),
        ([], "expected at least one must-link and one cannot-link pair"),
        ([(0, 1, 1)], "expected at least one must-link and one cannot-link pair, found no cannot"),
    ],
)
def test_refusals(pairs: Any, sentence: str) -> None:
    X, y = data()
    with pytest.raises(ValueError, match=sentence):
        made().fit(X, y, pairs=pairs)


def test_other_methods_and_unknown_ids_are_refused() -> None:
    X, y = data()
    with pytest.raises(ValueError, match="does not learn from pairs; methods that do: .*two_stage"):
        MeanMKLClassifier().fit(X, y, pairs=hidden(X))
    named = {name: pd.DataFrame(x, index=[f"p{i}" for i in range(N)]) for name, x in X.items()}
    with pytest.raises(ValueError, match="pair 0: there is no instance 'q' in the index"):
        made().fit(named, y, pairs=[("p1", "q", 1)])
