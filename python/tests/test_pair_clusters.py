"""Clusterings and embeddings on kernels whose weights come from pairs, recomputed with numpy."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import cokernel
import numpy as np
import pandas as pd
import pytest
from cokernel import (
    CCASpectralClustering,
    MultiViewEmbedding,
    MultiViewSpectralClustering,
    PairLearner,
    SpectralClustering,
    TwoStageMKLClassifier,
    pairs_of_tasks,
)
from cokernel.datasets import make_gaussian_views
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

GAMMAS = (0.1, 1.0)


def data() -> tuple[dict[str, Any], Any, list[tuple[int, int, str]]]:
    X, y = make_gaussian_views(80, n_classes=3, separations=[4.0, 0.0, 0.0], random_state=2)
    rng = np.random.default_rng(0)
    drawn = (rng.choice(80, 2, replace=False).tolist() for _ in range(200))
    return dict(X), y, [(i, j, "must" if y[i] == y[j] else "cannot") for i, j in drawn]


def clusterer(**others: Any) -> MultiViewSpectralClustering:
    kernels = [cokernel.gaussian(gamma=g) for g in GAMMAS]
    given = {"method": "spectral", "random_state": 0, **others}
    return MultiViewSpectralClustering(3, kernels=kernels, **given)


def test_the_kernel_of_the_clusters_is_the_one_that_was_learned() -> None:
    X, y, pairs = data()
    found = clusterer().fit(X, pairs=pairs)
    assert adjusted_rand_score(y, found.labels_) > 0.9 > adjusted_rand_score(y, clusterer().fit(X).labels_)
    weights = np.array(found.report_.details["pair_weights"])
    total = np.zeros((80, 80))
    # The weights in the order of the kernels, which is kernel by kernel and then view by view.
    kernels = [np.exp(-g * ((x[:, None] - x[None]) ** 2).sum(axis=2)) for g in GAMMAS for x in X.values()]
    for k, w in zip(kernels, weights, strict=True):
        total += w / (np.trace(k) / 80 - k.mean()) * k
    root = 1 / np.sqrt(total.sum(axis=1))
    values = np.linalg.eigvalsh(root[:, None] * total * root)[::-1][:3]
    assert found.eigenvalues_[0] == pytest.approx(values, abs=1e-9)
    # The same weights as those of a classifier from the same pairs on centred kernels.
    centred = [cokernel.gaussian(gamma=g, normalize="center_unit_variance") for g in GAMMAS]
    same = TwoStageMKLClassifier(kernels=centred, random_state=0).fit(X, y, pairs=pairs)
    assert weights == pytest.approx([w.weight for w in same.weights_], abs=1e-9)


def test_new_rows_tables_with_an_index_and_embeddings() -> None:
    X, y, pairs = data()
    found = clusterer(pair_learner=PairLearner(penalty="l1")).fit(X, pairs=pairs)
    assert found.predict(X).tolist() == found.labels_.tolist()
    ids = [f"p{i}" for i in range(80)]
    tables = {name: pd.DataFrame(x, index=ids) for name, x in X.items()}
    named = [(ids[i], ids[j], link) for i, j, link in pairs]
    again = clusterer(pair_learner=PairLearner(penalty="l1")).fit(tables, pairs=named)
    assert again.labels_.tolist() == found.labels_.tolist()
    kernels = [cokernel.gaussian(gamma=g) for g in GAMMAS]
    embedding = MultiViewEmbedding(3, method="spectral", kernels=kernels, random_state=0)
    rows = embedding.fit_transform(X, pairs=pairs)
    assert embedding.transform(X) == pytest.approx(rows, abs=1e-8)
    views = SpectralClustering(3, kernels=kernels, random_state=0, pair_learner=PairLearner(combine="views"))
    assert adjusted_rand_score(views.fit_predict(X, pairs=pairs), y) > 0.9


def test_learners_are_parameters() -> None:
    learner = PairLearner("polynomial_two_stage", degree=2)
    assert repr(learner) == "PairLearner('polynomial_two_stage', combine='sum', degree=2)"
    copied = clone(clusterer(pair_learner=learner))
    assert copied.pair_learner == learner and copied.pair_learner != PairLearner()
    X, _, pairs = data()
    for made, given, said in [
        (clusterer(pair_learner="two_stage"), pairs, "expected a PairLearner or None"),
        (clusterer(pair_learner=PairLearner("mean")), pairs, "does not learn from pairs"),
        (clusterer(pair_learner=PairLearner(nope=1)), pairs, "nope"),
        (clusterer(pair_learner=PairLearner(combine="both")), pairs, "expected sum or views"),
        (clusterer(), [(0, 1, "must")], "no cannot-link pair"),
        (clusterer(), [(0, 1, "must", -1.0)], "its weight is -1.0"),
        (clusterer(), [(0, 1, "must", 1.0), (1, 0, "must", 2.0)], "have weight 2 here, but 1 in"),
        (clusterer(), np.zeros((2, 5)), "three columns"),
        (CCASpectralClustering(3), pairs, "works on features"),
    ]:
        with pytest.raises((ValueError, TypeError), match=said):
            made.fit(X, pairs=given)


def test_pairs_of_several_tasks() -> None:
    rng = np.random.default_rng(1)
    tasks = np.array(
        [[rng.choice(["a", "b", "c"]), rng.choice(["x", "y"])] for _ in range(40)], dtype=object
    )
    tasks[rng.random(tasks.shape) < 0.4] = None
    found = pairs_of_tasks(tasks, random_state=0)
    expected: dict[tuple[int, int, int], float] = {}
    sides: list[dict[tuple[int, int], int]] = []
    for task in tasks.T:
        known = [i for i in range(40) if task[i] is not None]
        sides.append({(i, j): 1 if task[i] == task[j] else -1 for i in known for j in known if i > j})
    for own in sides:
        for sign in (1, -1):
            pairs = [p for p, s in own.items() if s == sign]
            pairs = [p for p in pairs if all(other.get(p, sign) == sign for other in sides)]
            for p in pairs:
                expected[(*p, sign)] = expected.get((*p, sign), 0.0) + 1 / len(pairs)
    got = {(int(i), int(j), int(s)): w for i, j, s, w in found}
    assert got.keys() == expected.keys()
    assert [got[p] for p in expected] == pytest.approx(list(expected.values()))
    with pytest.raises(ValueError, match="no cannot-link pair"):
        pairs_of_tasks(["a", "a", None])


def signs(y: object) -> dict[tuple[object, object], float]:
    return {(i, j): sign for i, j, sign, _ in pairs_of_tasks(y).tolist()}


def test_classes_of_tasks_are_the_same_where_they_are_equal() -> None:
    assert signs([1, 1.0, 2, 2]) == signs([1.0, 1, 2, 2, np.nan]) == signs(np.array([1, 1, 2, 2]))
    assert signs([1, 1.0, 2, 2])[1, 0] == 1
    assert signs([1, "1", 1])[1, 0] == -1
    assert signs(pd.Series([1, 1, 2, None], dtype="Int64")) == signs([1, 1, 2, None])
    for y, said in [
        ([], "no must-link pair"),
        ([["a"], ["a", "b"]], "as many for each"),
        (np.zeros((2, 2, 2)), "expected shape"),
    ]:
        with pytest.raises(ValueError, match=said):
            pairs_of_tasks(y)
    assert len(pairs_of_tasks(["a", "a", "b"], most=10**30)) == 3
    days = np.array(["2020", "2020", "2021", "NaT", "NaT"], "M8[ns]")
    assert signs(days) == signs(["a", "a", "b", None, None])


def test_lambda_has_one_name() -> None:
    learner = PairLearner(lam=0.1)
    assert learner == PairLearner(**{"lambda": 0.1}) and "lam=0.1" in repr(learner)
    with pytest.raises(TypeError, match="one parameter"):
        PairLearner(lam=0.1, **{"lambda": 0.2})


def test_pairs_of_tasks_have_the_ids_of_their_table() -> None:
    X, y, _ = data()
    order = np.random.default_rng(0).permutation(len(y))
    table = pd.DataFrame(np.hstack(list(dict(X).values()))).iloc[order]
    shown = pd.Series(y)[table.index]
    found = pairs_of_tasks(shown)
    assert all((shown[i] == shown[j]) == (sign == 1) for i, j, sign, _ in found.tolist())
    clf = TwoStageMKLClassifier(random_state=0).fit(table, shown, pairs=found)
    assert not any("contradict" in note for note in clf.report_.notes)


def test_new_rows_without_a_place_are_told_why(tmp_path: Path) -> None:
    X, _, pairs = data()
    learner = PairLearner("forest_two_stage", trees=20)
    found = clusterer(pair_learner=learner).fit(X, pairs=pairs)
    found.save(tmp_path / "forest.ck")
    for model in (found, cokernel.load(tmp_path / "forest.ck")):
        with pytest.raises(ValueError, match="learned from pairs by 'forest_two_stage' is no weighted"):
            model.predict(X)
    # Similarities for graphs are not to be centred, and no advice says so.
    products = clusterer(pair_learner=PairLearner("polynomial_two_stage", lam=0.01))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        products.fit(X, pairs=pairs)
