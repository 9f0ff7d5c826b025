"""The Laplacian SVM beside Newton's method in numpy, and instances without a class."""

from __future__ import annotations

import pickle
from typing import Any

import cokernel
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, StratifiedKFold

KERNELS = ["gaussian:gamma=2", "gaussian:gamma=8"]


def moons(n: int = 80, labels: int = 4) -> tuple[Any, Any, Any]:
    """Two half circles; integers of which all but some are -1, and all of them."""
    rng = np.random.default_rng(1)
    place = np.pi * (np.arange(n) // 2) / (n // 2)
    upper = np.arange(n) % 2 == 0
    X = np.where(
        upper[:, None],
        np.c_[np.cos(place), np.sin(place)],
        np.c_[1 - np.cos(place), 0.5 - np.sin(place)],
    )
    X = X + 0.05 * rng.normal(size=(n, 2))
    truth = upper.astype(int)
    y = np.full(n, -1)
    known = np.linspace(n // 4, 3 * n // 4, labels).astype(int)
    known = np.concatenate([known, known + 1])
    y[known] = truth[known]
    return X, y, truth


def combined(X: Any, Z: Any) -> Any:
    return (rbf_kernel(X, Z, gamma=2.0) + rbf_kernel(X, Z, gamma=8.0)) / 2


def laplacian(K: Any, k: int, heat: bool, normalized: bool) -> Any:
    squares = np.diag(K)[:, None] + np.diag(K)[None] - 2 * K
    n = len(K)
    np.fill_diagonal(squares, 0)
    sigma = np.sqrt(np.maximum(squares, 0)).sum() / (n * (n - 1))
    W = np.zeros((n, n))
    for i in range(n):
        others = squares[i].copy()
        others[i] = np.inf
        for j in np.argsort(others, kind="stable")[:k]:
            W[i, j] = W[j, i] = np.exp(-squares[i, j] / (2 * sigma**2)) if heat else 1.0
    D = W.sum(axis=1)
    L = np.diag(D) - W
    return L / np.sqrt(np.outer(D, D)) if normalized else L


def newton(K: Any, L: Any, y: Any, gamma_a: float, gamma_i: float) -> tuple[Any, float]:
    """The paper's: (I_E K + gamma_A I + gamma_I L K) a + (I_E + gamma_I L) 1 b = I_E y, sum a = 0."""
    n = len(K)
    a, b, E = np.zeros(n), 0.0, y != 0
    for _ in range(100):
        I = np.diag(E.astype(float))
        M = np.block(
            [
                [I @ K + gamma_a * np.eye(n) + gamma_i * L @ K, (I + gamma_i * L).sum(axis=1)[:, None]],
                [np.ones((1, n)), np.zeros((1, 1))],
            ]
        )
        found = np.linalg.solve(M, np.r_[E * y, 0.0])
        # Half of a step where the whole one goes back and forth.
        a, b = (a + found[:n]) / 2, (b + found[n]) / 2
        now = (y != 0) & (y * (K @ found[:n] + found[n]) < 1)
        if (now == E).all():
            return found[:n], float(found[n])
        E = (y != 0) & (y * (K @ a + b) < 1) if _ > 20 else now
    raise AssertionError("no end")


@pytest.mark.parametrize("solver", ["newton", "conjugate_gradients"])
@pytest.mark.parametrize(("edges", "kind", "k"), [("heat", "normalized", 5), ("binary", "plain", 3)])
@pytest.mark.parametrize(("C", "gamma_i"), [(1.0, 1.0), (100.0, 0.01), (10.0, 5.0)])
def test_it_is_the_machine_of_the_paper(
    solver: str, edges: str, kind: str, k: int, C: float, gamma_i: float, tmp_path: Any
) -> None:
    X, y, truth = moons()
    machine = f"laplacian_svm:gamma_i={gamma_i}:neighbours={k}:edges={edges}:laplacian={kind}:solver={solver}"
    clf = cokernel.MeanMKLClassifier(kernels=KERNELS, C=C, machine=machine, machine_tol=1e-10)
    clf.fit(X, y)
    K = combined(X, X)
    L = laplacian(K, k, edges == "heat", kind == "normalized")
    signs = np.where(y == -1, 0, np.where(y == 1, 1.0, -1.0))
    a, b = newton(K, L, signs, 1 / C, gamma_i)
    assert list(clf.classes_) == [0, 1]
    new = X + 0.01
    np.testing.assert_allclose(clf.decision_function(new), combined(new, X) @ a + b, atol=1e-4)

    def primal(a: Any, b: float) -> float:
        f = K @ a + b
        loss = np.maximum(0, 1 - signs * f)[signs != 0] ** 2
        return float(0.5 * a @ K @ a + 0.5 * C * (loss.sum() + gamma_i * f @ L @ f))

    coef = np.zeros(len(X))
    coef[clf.support_] = clf.dual_coef_[0]
    assert primal(coef, clf.intercept_[0]) == pytest.approx(primal(a, b), rel=1e-7)
    assert clf.dual_objectives_[0] == pytest.approx(primal(a, b), rel=1e-7)
    assert coef.sum() == pytest.approx(0, abs=1e-9 * np.abs(coef).sum())
    # The classes of all instances, and files.
    expected = np.where(y == -1, (K @ a + b > 0).astype(int), y)
    np.testing.assert_array_equal(clf.transduction_, expected)
    assert clf.transduction_.dtype == clf.classes_.dtype
    path = tmp_path / "l.ck"
    clf.save(path)
    np.testing.assert_array_equal(cokernel.load(path).predict(X), clf.predict(X))
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.transduction_, clf.transduction_)
    assert clf.score(X, y) == np.mean(clf.predict(X)[y != -1] == y[y != -1])
    assert clf.score(X, truth) > 0.9


def test_missing_classes_of_every_kind() -> None:
    pandas = pytest.importorskip("pandas")
    X, y, _ = moons()
    clf = cokernel.MeanMKLClassifier(kernels=KERNELS, machine="laplacian_svm", C=10.0)
    expected = clone(clf).fit(X, y)
    known = y != -1
    texts = [["no", "yes"][c] if c != -1 else None for c in y]
    numbers = np.where(known, y, np.nan)
    ids = [f"i{k}" for k in range(len(y))]
    order = np.random.default_rng(0).permutation(len(y))
    for target, X_given in [
        (list(y), X),
        (numbers, X),
        (list(numbers), X),
        (texts, X),
        (np.array(texts, dtype=object), X),
        ([t if t else np.nan for t in texts], X),
        (np.ma.masked_array(np.where(known, y, 0), mask=~known), X),
        (pandas.Series(y).mask(~known).astype("Int64"), X),
        (pandas.Series(texts, dtype="string"), X),
        (pandas.Series(texts, dtype="category"), X),
        (pandas.Series(texts, index=ids).iloc[order], pandas.DataFrame(X, index=ids, columns=["u", "v"])),
    ]:
        found = clone(clf).fit(X_given, target)
        np.testing.assert_allclose(
            found.decision_function(X_given), expected.decision_function(X), atol=1e-12
        )
        names = found.classes_
        assert len(names) == 2
        codes = np.searchsorted(names, found.transduction_)
        np.testing.assert_array_equal(codes, expected.transduction_)
    # Instances of weight 0 take no part, and are predicted all the same.
    weights = np.ones(len(y))
    weights[::3] = 0.0
    weights[known] = 1.0
    some = clone(clf).set_params(machine_tol=1e-9).fit(X, y, sample_weight=weights)
    kept = weights > 0
    few = clone(some).fit(X[kept], y[kept])
    np.testing.assert_allclose(some.decision_function(X), few.decision_function(X), atol=1e-6)
    assert len(some.transduction_) == len(y) and set(some.support_) <= set(np.flatnonzero(kept))
    # All labelled, no label to spare; and kernels that are given.
    everything = clone(clf).fit(X, np.where(y == -1, 0, y))
    np.testing.assert_array_equal(everything.transduction_, np.where(y == -1, 0, y))
    K = np.array([rbf_kernel(X, gamma=g) for g in (2.0, 8.0)])
    given = cokernel.MeanMKLClassifier(kernels="precomputed", machine="laplacian_svm", C=10.0)
    np.testing.assert_array_equal(given.fit(K, y).transduction_, expected.transduction_)


@pytest.mark.filterwarnings("ignore:.*at their bound")
def test_others_refuse_missing_classes() -> None:
    X, y, _ = moons()
    texts = [["no", "yes"][c] if c != -1 else None for c in y]
    with pytest.raises(ValueError, match="leave instances without a class out, or choose .*laplacian_svm"):
        cokernel.MeanMKLClassifier().fit(X, texts)
    # There -1 is a class like another.
    assert list(cokernel.MeanMKLClassifier().fit(X, y).classes_) == [-1, 0, 1]
    with pytest.raises(ValueError, match="the machine goes with best_single, concat, mean"):
        cokernel.MKLClassifier("simple_mkl", machine="laplacian_svm").fit(X, y)
    clf = cokernel.MeanMKLClassifier(machine="laplacian_svm")
    for target, said in [
        (np.where(y == 0, -1, y), "-1, None and NaN say .* all others are in class .*1"),
        (np.full(len(y), -1), "no other is there"),
        (y[:-1], "inconsistent numbers of samples"),
        (None, "requires y to be passed"),
        (["a", 1, None] + [None] * (len(y) - 3), "several types"),
        (np.where(y == -1, np.nan, y + 0.5), "continuous"),
    ]:
        with pytest.raises(ValueError, match=said):
            clf.fit(X, target)
    told = {m["id"]: m["unlabelled"] for m in cokernel.machines()}
    assert told["laplacian_svm"] and not told["svc"]


def test_unlabelled_instances_are_in_every_fold_and_never_tested() -> None:
    X, y, _ = moons(labels=8)
    clf = cokernel.MeanMKLClassifier(kernels=KERNELS, machine="laplacian_svm:neighbours=4", C=10.0)
    found = cokernel.cross_validate_bank(clf, X, y, cv=StratifiedKFold(4), return_estimator=True)
    rows = np.flatnonzero(y != -1)
    for (train, test), score in zip(
        StratifiedKFold(4).split(X[rows], y[rows]), found["test_score"]
    ):
        learned = np.union1d(rows[train], np.flatnonzero(y == -1))
        alone = clone(clf).fit(X[learned], y[learned])
        assert score == alone.score(X[rows[test]], y[rows[test]])
    assert all(len(e.transduction_) == len(y) - 4 for e in found["estimator"])
    # Pairs of rows of all instances, of which the unlabelled are not tested.
    pairs = [(np.delete(np.arange(len(X)), slice(k, None, 4)), np.arange(k, len(X), 4)) for k in range(4)]
    again = cokernel.cross_validate_bank(clf, X, y, cv=pairs, return_estimator=True)
    for (train, test), score, fitted in zip(pairs, again["test_score"], again["estimator"]):
        learned = np.union1d(train, np.flatnonzero(y == -1))
        assert score == clone(clf).fit(X[learned], y[learned]).score(X[test], y[test])
        assert len(fitted.transduction_) == len(learned)
    with pytest.raises(ValueError, match="cv: no instance of a test set has a class"):
        cokernel.cross_validate_bank(clf, X, y, cv=list(KFold(4).split(X)))
    search = cokernel.GridSearchBank(clf, {"C": [0.1, 10.0]}, cv=4).fit(X, y)
    assert search.best_score_ >= 0.75 and len(search.best_estimator_.transduction_) == len(y)
    both = {"a": clf, "b": cokernel.MeanMKLClassifier(kernels=KERNELS)}
    with pytest.raises(ValueError, match="some of the estimators learn from instances without a class"):
        cokernel.cross_validate_bank(both, X, y, cv=4)
    assert set(cokernel.cross_validate_bank(both, X[rows], y[rows], cv=4)) == {"a", "b"}


def test_probabilities_from_few_labels() -> None:
    X, y, truth = moons(labels=8)
    clf = cokernel.MeanMKLClassifier(
        kernels=KERNELS, machine="laplacian_svm", C=10.0, probability="sigmoid", calibration_folds=4
    ).fit(X, y)
    sure = clf.predict_proba(X)
    np.testing.assert_allclose(sure.sum(axis=1), 1.0)
    assert (sure.argmax(axis=1) == truth).mean() > 0.9


def test_semi_supervised_medfc_is_the_papers() -> None:
    """(16) on the labelled instances with the values of Laplacian SVMs in numpy, minimised by scipy; the decision function."""
    from scipy.optimize import minimize

    X, y, truth = moons(60, 6)
    C, lam, gamma, gamma_i = 3.0, 2.0, 5.0, 0.5
    machine = f"laplacian_svm:gamma_i={gamma_i}"
    clf = cokernel.MEDFCClassifier(
        kernels=KERNELS, C=C, machine=machine, machine_tol=1e-11, lam=lam, gamma=gamma, values="in_sample", tol=1e-9
    )
    clf.fit(X, y)
    kernels = [rbf_kernel(X, X, gamma=g) for g in (2.0, 8.0)]
    signs = np.where(y == -1, 0, np.where(y == 1, 1.0, -1.0))
    views = []
    for K in kernels:
        a, b = newton(K, laplacian(K, 5, True, True), signs, 1 / C, gamma_i)
        views.append((a, b, K @ a + b))
    known = y != -1
    s = signs[known]
    Q = [(K + 1)[np.ix_(known, known)] * np.outer(s, s) for K in kernels]
    u = [f[known] * s for _, _, f in views]

    def g(alpha: Any) -> float:
        inside = [1 - alpha @ q @ alpha / (2 * lam) for q in Q] + [1 - alpha @ v / gamma for v in u]
        return 1e9 if min(inside) <= 1e-12 else float(-np.log(inside).sum() - alpha.sum())

    def slope(alpha: Any) -> Any:
        parts = [q @ alpha / (lam - alpha @ q @ alpha / 2) for q in Q] + [v / (gamma - alpha @ v) for v in u]
        return sum(parts) - 1

    best = minimize(g, np.full(known.sum(), 1e-3), jac=slope, bounds=[(0, C)] * known.sum(), options={"ftol": 1e-14, "gtol": 1e-9})
    assert clf.report_.objective[-1] == pytest.approx(-best.fun, rel=1e-6)
    alpha = best.x
    sigma = [1 / (lam - alpha @ q @ alpha / 2) for q in Q]
    mu = [1 / (gamma - alpha @ v) for v in u]
    new = X + 0.02
    expected = np.zeros(len(new))
    for width, weight, share, (a, b, _) in zip((2.0, 8.0), sigma, mu, views):
        across = rbf_kernel(new, X, gamma=width)
        expected += weight * (across[:, known] + 1) @ (alpha * s) + share * (across @ a + b)
    np.testing.assert_allclose(clf.decision_function(new), expected, atol=2e-4)
    assert (clf.transduction_ == truth).mean() > 0.85 and clf.score(new, truth) > 0.85
