"""Numbers and outliers beside scikit-learn on the same combined kernel."""

from __future__ import annotations

import pickle
from typing import Any

import cokernel
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVR, OneClassSVM

VIEWS = {"a": slice(0, 2), "b": slice(2, 5)}


def problem(n: int = 90) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 5))
    y = 3.0 + np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 3] + 0.1 * rng.normal(size=n)
    return X, y


def grams(X: Any, Z: Any) -> list[Any]:
    return [rbf_kernel(X[:, VIEWS["a"]], Z[:, VIEWS["a"]], gamma=0.5)] + [
        rbf_kernel(X[:, VIEWS["b"]], Z[:, VIEWS["b"]], gamma=g) for g in (0.1, 0.4)
    ]


KERNELS = ["gaussian@a:gamma=0.5", "gaussian@b:gamma=0.1", "gaussian@b:gamma=0.4"]
REGRESSORS = [cokernel.MeanMKLRegressor, cokernel.ProductMKLRegressor, cokernel.SimpleMKLRegressor]


def combined(estimator: Any, X: Any, Z: Any) -> Any:
    if "Product" in type(estimator).__name__:
        return np.prod(grams(X, Z), axis=0)
    weights = [w.weight for w in estimator.weights_]
    return np.tensordot(weights, grams(X, Z), 1)


@pytest.mark.parametrize("kind", REGRESSORS)
def test_numbers_are_those_of_scikit_learn(kind: Any, tmp_path: Any) -> None:
    X, y = problem()
    train, test = np.arange(60), np.arange(60, 90)
    tight = {"tol": 1e-6} if kind is cokernel.SimpleMKLRegressor else {}
    reg = kind(
        views=VIEWS, kernels=KERNELS, C=5.0, epsilon=0.05, machine_tol=1e-9, **tight
    ).fit(X[train], y[train])
    peer = SVR(kernel="precomputed", C=5.0, epsilon=0.05, tol=1e-9)
    peer.fit(combined(reg, X[train], X[train]), y[train])
    K = combined(reg, X[test], X[train])
    np.testing.assert_allclose(reg.predict(X[test]), peer.predict(K), atol=2e-5)
    ours = K[:, reg.support_] @ reg.dual_coef_[0] + reg.intercept_
    np.testing.assert_allclose(reg.predict(X[test]), ours, atol=1e-10)
    assert reg.score(X[test], y[test]) == pytest.approx(peer.score(K, y[test]), abs=1e-4)
    # The gap, from the matrix.
    beta = np.zeros(60)
    beta[reg.support_] = reg.dual_coef_[0]
    f = combined(reg, X[train], X[train]) @ beta
    loss = np.maximum(0, np.abs(y[train] - f - reg.intercept_[0]) - 0.05).sum()
    primal = 0.5 * beta @ f + 5.0 * loss
    dual = y[train] @ beta - 0.05 * np.abs(beta).sum() - 0.5 * beta @ f
    assert dual <= primal + 1e-9 * abs(primal) and primal - dual <= 1e-8 * abs(primal)
    assert reg.dual_objectives_[0] == pytest.approx(dual, rel=1e-8)
    # Files and pickles.
    path = tmp_path / "r.ck"
    reg.save(path)
    again = cokernel.load(path)
    assert isinstance(again, cokernel.MKLRegressor)
    assert (again.C, again.epsilon, again.machine) == (5.0, 0.05, "svr")
    new = {name: X[test][:, columns] for name, columns in VIEWS.items()}
    np.testing.assert_array_equal(again.predict(new), reg.predict(X[test]))
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(reg)).predict(X[test]), reg.predict(X[test])
    )


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.9])
def test_outliers_are_those_of_scikit_learn(nu: float, tmp_path: Any) -> None:
    X, _ = problem()
    train, test = np.arange(60), np.arange(60, 90)
    found = cokernel.MeanMKLOutlierDetector(
        views=VIEWS, kernels=KERNELS, nu=nu, machine_tol=1e-10
    ).fit(X[train])
    peer = OneClassSVM(kernel="precomputed", nu=nu, tol=1e-10)
    peer.fit(combined(found, X[train], X[train]))
    K = combined(found, X[test], X[train])
    # Their coefficients sum to nu n, ours to 1.
    values = peer.decision_function(K) / (nu * 60)
    free = found.dual_coef_[0] < 1 / (nu * 60) * (1 - 1e-9)
    if free.any():
        np.testing.assert_allclose(found.decision_function(X[test]), values, atol=1e-6)
        assert (found.predict(X[test]) == peer.predict(K)).mean() >= 0.96
    assert found.dual_coef_.sum() == pytest.approx(1.0)
    samples = found.score_samples(X[test])
    np.testing.assert_allclose(samples - found.offset_, found.decision_function(X[test]))
    path = tmp_path / "d.ck"
    found.save(path)
    again = cokernel.load(path)
    assert isinstance(again, cokernel.MKLOutlierDetector) and again.nu == nu
    new = {name: X[test][:, columns] for name, columns in VIEWS.items()}
    np.testing.assert_array_equal(again.predict(new), found.predict(X[test]))


@pytest.mark.parametrize("nu", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("linear", [False, True])
def test_balls_are_smallest(nu: float, linear: bool, tmp_path: Any) -> None:
    """Centre, radius and gap from the matrix, whose diagonal varies under linear kernels."""
    X, _ = problem()
    train, test = np.arange(60), np.arange(50, 90)
    kernels = ["linear@a", "gaussian@b:gamma=0.1"] if linear else KERNELS
    found = cokernel.MeanMKLOutlierDetector(
        views=VIEWS, kernels=kernels, nu=nu, machine="svdd", machine_tol=1e-10
    ).fit(X[train])

    def gram(X: Any, Z: Any) -> Any:
        if linear:
            return (X[:, :2] @ Z[:, :2].T + rbf_kernel(X[:, 2:], Z[:, 2:], gamma=0.1)) / 2
        return np.mean(grams(X, Z), axis=0)

    K = gram(X[train], X[train])
    alpha = np.zeros(60)
    alpha[found.support_] = found.dual_coef_[0]
    assert alpha.min() >= 0 and alpha.sum() == pytest.approx(1.0)
    assert alpha.max() <= 1 / (nu * 60) * (1 + 1e-9)
    norm = alpha @ K @ alpha
    radius = norm + 2 * found.intercept_[0]
    distances = np.diag(K) - 2 * K @ alpha + norm
    primal = radius + np.maximum(0, distances - radius).sum() / (nu * 60)
    dual = alpha @ np.diag(K) - norm
    assert -1e-12 <= primal - dual <= 1e-9 * primal
    assert found.machine_gaps_[0] == pytest.approx((primal - dual) / primal, abs=1e-12)
    own = np.array([gram(x[None], x[None])[0, 0] for x in X[test]])
    far = own - 2 * gram(X[test], X[train]) @ alpha + norm
    np.testing.assert_allclose(found.decision_function(X[test]), (radius - far) / 2, atol=1e-9)
    if not linear and nu < 1:
        plane = clone(found).set_params(machine="one_class_svm").fit(X[train])
        np.testing.assert_allclose(
            found.decision_function(X[test]), plane.decision_function(X[test]), atol=1e-6
        )
    path = tmp_path / "d.ck"
    found.save(path)
    again = cokernel.load(path)
    assert again.machine == "svdd" and again.nu == nu
    new = {name: X[test][:, columns] for name, columns in VIEWS.items()}
    np.testing.assert_array_equal(again.predict(new), found.predict(X[test]))


def test_balls_want_features_and_fixed_rules() -> None:
    X, _ = problem()
    with pytest.raises(ValueError, match="does not go with machine 'svdd'.*the machine goes with .*mean"):
        cokernel.MKLOutlierDetector("simple_mkl", machine="svdd").fit(X)
    with pytest.raises(ValueError, match="compares new instances with themselves.*give features"):
        cokernel.MKLOutlierDetector("mean", machine="svdd", kernels="precomputed").fit(
            np.array(grams(X, X))
        )


def test_simple_mkl_for_outliers_ends_at_its_gap() -> None:
    X, _ = problem()
    found = cokernel.SimpleMKLOutlierDetector(
        views=VIEWS, kernels=KERNELS, nu=0.2, tol=1e-6, random_state=0
    ).fit(X)
    assert found.report_.converged and found.report_.duality_gap <= 1e-6
    alpha = np.zeros(90)
    alpha[found.support_] = found.dual_coef_[0]
    worst = max(alpha @ K @ alpha for K in grams(X, X))
    combination = combined(found, X, X)
    f = combination @ alpha
    loss = np.maximum(0, found.offset_ - f).sum() / (0.2 * 90)
    primal = 0.5 * alpha @ f - found.offset_ + loss
    assert primal + 0.5 * worst <= 2e-6 * abs(primal)


def test_the_last_solve_keeps_the_certificate() -> None:
    """Machines solved to their own tolerance at the end once left a gap of 0.05, said converged."""
    X = np.random.default_rng(11).normal(size=(50, 3))
    squares = [((X[:, None, : m + 1] - X[None, :, : m + 1]) ** 2).sum(-1) for m in range(3)]
    kernels = 1e3 * np.array([np.exp(-d / (1 + m)) for m, d in enumerate(squares)])
    found = cokernel.SimpleMKLOutlierDetector(kernels="precomputed", nu=0.1, machine_tol=1e-6)
    found.fit(kernels)
    assert found.report_.converged and found.report_.duality_gap <= 1e-3


def test_machines_are_told_and_chosen() -> None:
    assert {"svc", "svr", "one_class_svm"} <= {m["id"] for m in cokernel.machines()}
    X, y = problem()
    reg = cokernel.MKLRegressor("mean", views=VIEWS, machine="svr:shrinking=no", machine_tol=1e-9).fit(X, y)
    same = cokernel.MKLRegressor("mean", views=VIEWS, machine_tol=1e-9).fit(X, y)
    np.testing.assert_allclose(reg.predict(X), same.predict(X), atol=1e-5)
    assert clone(reg).get_params()["machine"] == "svr:shrinking=no"
    # A text once beat an argument that equals its default: a grid over C was wrong at one point.
    for text, said in [
        ("svr:c=7", "machine: 'c' is the argument C of MKLRegressor; give it there"),
        ("svr:epsilon=0.2", "is the argument epsilon"),
        ("svr:cache=1:cache=2", "'cache' is given twice"),
        (None, "machine: expected a name such as 'svr', found None"),
    ]:
        with pytest.raises(ValueError, match=said):
            cokernel.MKLRegressor("mean", machine=text).fit(X, y)
    with pytest.raises(ValueError, match="C: machine 'kernel_ridge' has no such parameter"):
        cokernel.MKLRegressor("mean", machine="kernel_ridge", C=2.0).fit(X, y)
    # These once learned something else, silently.
    for kind, machine in [
        (cokernel.MKLRegressor, "one_class_svm"),
        (cokernel.MKLClassifier, "one_class_svm"),
        (cokernel.MKLRegressor, "svc"),
        (cokernel.MKLOutlierDetector, "svr"),
    ]:
        with pytest.raises(ValueError, match=f"'{machine}' is there to .*, not to .*; machines for"):
            kind("mean", machine=machine).fit(X, (y > 3).astype(int))
    constant = cokernel.MKLRegressor("mean", machine="kernel_ridge").fit(X, np.full(90, 0.1))
    assert constant.report_.converged and constant.report_.duality_gap == 0.0
    np.testing.assert_allclose(constant.predict(X), 0.1)
    with pytest.raises(ValueError, match="does not go with machine"):
        cokernel.MKLRegressor("two_stage", views=VIEWS).fit(X, y)
    with pytest.raises(ValueError, match="unknown machine 'svm'"):
        cokernel.MKLRegressor("mean", machine="svm").fit(X, y)


def test_bounds_of_weighted_outliers() -> None:
    """With nu n below 1 the bounds once were those of another problem."""
    K = np.array([[1, 0.9, 0.1], [0.9, 1, 0.1], [0.1, 0.1, 1]])
    found = cokernel.MKLOutlierDetector("mean", kernels="precomputed", nu=0.1, machine_tol=1e-9)
    found.fit(K[None], sample_weight=[1, 1, 0.01])
    alpha = np.zeros(3)
    alpha[found.support_] = found.dual_coef_[0]
    bound = 0.01 / (0.1 * 2.01)
    np.testing.assert_allclose(alpha, [(1 - bound) / 2, (1 - bound) / 2, bound], atol=1e-6)


def test_weights_and_indices_are_honoured() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = problem()
    weights = np.ones(90)
    weights[::4] = 0.0
    reg = cokernel.MeanMKLRegressor(views=VIEWS, kernels=KERNELS, machine_tol=1e-10)
    kept = weights > 0
    some = clone(reg).fit(X, y, sample_weight=weights)
    few = clone(reg).fit(X[kept], y[kept])
    np.testing.assert_allclose(some.predict(X), few.predict(X), atol=1e-6)
    assert set(some.support_) <= set(np.flatnonzero(kept))
    # Weights are repetitions.
    counts = np.random.default_rng(1).integers(0, 3, size=90).astype(float)
    copies = np.repeat(np.arange(90), counts.astype(int))
    for estimator, targets in [
        (reg, y),
        (cokernel.MeanMKLOutlierDetector(views=VIEWS, kernels=KERNELS, machine_tol=1e-12), None),
    ]:
        one = clone(estimator).fit(X, targets, sample_weight=counts)
        two = clone(estimator).fit(X[copies], None if targets is None else targets[copies])
        value = "predict" if targets is not None else "decision_function"
        np.testing.assert_allclose(getattr(one, value)(X), getattr(two, value)(X), atol=1e-6)
    # A target in another order is matched by its index.
    ids = [f"i{k}" for k in range(90)]
    order = np.random.default_rng(0).permutation(90)
    frame = pandas.DataFrame(X, index=ids, columns=list("abcde"))
    series = pandas.Series(y, index=ids).iloc[order]
    views = {"a": ["a", "b"], "b": ["c", "d", "e"]}
    named = cokernel.MeanMKLRegressor(views=views, kernels=KERNELS, machine_tol=1e-10)
    named.fit(frame, series)
    np.testing.assert_allclose(named.predict(frame), clone(reg).fit(X, y).predict(X), atol=1e-6)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (["a", "b"] * 45, "expected real numbers"),
        ([np.nan] + [1.0] * 89, "NaN"),
        ([1.0] * 89, "inconsistent numbers of samples"),
        (None, "requires y to be passed"),
        ([1.0 + 1.0j] * 90, "real numbers|Complex"),
    ],
)
def test_targets_that_are_no_numbers_are_refused(target: Any, said: str) -> None:
    X, _ = problem()
    with pytest.raises(ValueError, match=said):
        cokernel.MeanMKLRegressor().fit(X, target)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"C": -1.0}, "C: expected a number above 0"),
        ({"epsilon": -0.1}, "epsilon: expected a number at least 0"),
        ({"epsilon": "x"}, "epsilon: expected a number"),
        ({"machine_tol": 0.0}, "machine_tol"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters: Any, said: str) -> None:
    X, y = problem()
    with pytest.raises(ValueError, match=said):
        cokernel.MeanMKLRegressor(**parameters).fit(X, y)
    with pytest.raises(ValueError, match="nu: expected a number above 0 and at most 1"):
        cokernel.MeanMKLOutlierDetector(nu=1.5).fit(X)


def classes_of(y: Any) -> Any:
    return np.where(y < 2.6, "a", np.where(y < 3.6, "b", "c"))


def nearest_shares(K: Any, codes: Any, k: int) -> Any:
    """Shares of the classes among the k nearest of each instance, itself included."""
    d = np.diag(K)[:, None] + np.diag(K)[None] - 2 * K
    order = np.argsort(d, axis=1, kind="stable")[:, :k]
    return np.stack([(codes[order] == c).mean(axis=1) for c in range(codes.max() + 1)], axis=1)


def optimum_of_soft_labels(K: Any, soft: Any, C: float) -> float:
    """The dual of the paper's (1.13) in its own variables by projected Newton steps of scipy."""
    optimize = pytest.importorskip("scipy.optimize")
    Q = soft[:, None] * soft[None] * K
    found = optimize.minimize(
        lambda a: 0.5 * a @ Q @ a - soft**2 @ a,
        np.zeros(len(soft)),
        jac=lambda a: Q @ a - soft**2,
        bounds=[(0, C / s**2 if s else 0) for s in soft],
        constraints={"type": "eq", "fun": lambda a: soft @ a, "jac": lambda a: soft},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert found.success
    return float(-found.fun)


@pytest.mark.parametrize("kind", [cokernel.MeanMKLClassifier, cokernel.SimpleMKLClassifier])
@pytest.mark.parametrize("given", [False, True])
def test_soft_labels(kind: Any, given: bool, tmp_path: Any) -> None:
    X, y = problem(60)
    y = np.where(y > 3, "yes", "no")
    codes = (y == "yes").astype(int)
    rng = np.random.default_rng(5)
    plus = np.clip(0.9 * codes + rng.uniform(-0.3, 0.4, size=60), 0, 1)
    posteriors = np.c_[1 - plus, plus]
    tight = {"tol": 1e-6} if kind is cokernel.SimpleMKLClassifier else {}
    clf = kind(
        views=VIEWS, kernels=KERNELS, C=2.0, machine="posterior_svm:neighbours=7", machine_tol=1e-9, **tight
    )
    clf.fit(X, y, posteriors=posteriors if given else None)
    if not given:
        # SimpleMKL, too, takes them from the mean of the kernels.
        posteriors = nearest_shares(np.mean(grams(X, X), axis=0), codes, 7)
    soft = posteriors[:, 1] - posteriors[:, 0]
    K = combined(clf, X, X)
    assert clf.dual_objectives_[0] == pytest.approx(optimum_of_soft_labels(K, soft, 2.0), rel=1e-5)
    c = np.zeros(60)
    c[clf.support_] = clf.dual_coef_[0]
    f = K @ c + clf.intercept_[0]
    np.testing.assert_allclose(clf.decision_function(X), f, atol=1e-9)
    assert (c * soft >= 0).all() and (c * soft <= 2.0 * (1 + 1e-9)).all()
    loss = np.maximum(0, 1 - f[soft != 0] / soft[soft != 0]).sum()
    primal, dual = 0.5 * c @ K @ c + 2.0 * loss, soft @ c - 0.5 * c @ K @ c
    assert primal - dual <= 1e-8 * primal
    if kind is cokernel.SimpleMKLClassifier:
        worst = max(c @ k @ c for k in grams(X, X))
        assert primal - (soft @ c - 0.5 * worst) <= 2e-6 * primal
    # Instances without weight have posteriors, too, and no influence.
    if given:
        weights = np.ones(60)
        weights[::5] = 0.0
        some = clone(clf).fit(X, y, sample_weight=weights, posteriors=posteriors)
        kept = weights > 0
        few = clone(clf).fit(X[kept], y[kept], posteriors=posteriors[kept])
        np.testing.assert_allclose(some.decision_function(X), few.decision_function(X), atol=1e-6)
    path = tmp_path / "p.ck"
    clf.save(path)
    new = {name: X[:, columns] for name, columns in VIEWS.items()}
    np.testing.assert_array_equal(cokernel.load(path).predict(new), clf.predict(X))


def test_wrong_posteriors_are_refused() -> None:
    X, y = problem(30)
    y = classes_of(y)
    clf = cokernel.MeanMKLClassifier(machine="posterior_svm")
    thirds = np.full((30, 3), 1 / 3)
    for posteriors, said in [
        (np.full((30, 2), 0.5), "posteriors: expected 30 × 3"),
        (thirds[:29], "posteriors: expected 30 × 3"),
        (2 * thirds, "the numbers of row 0 sum to 2; expected 1"),
        (thirds * np.nan, "posteriors contains NaN"),
        (thirds[0], "Expected 2D array"),
    ]:
        with pytest.raises(ValueError, match=said):
            clf.fit(X, y, posteriors=posteriors)
    with pytest.raises(ValueError, match="learns from classes, not from their posteriors"):
        cokernel.MeanMKLClassifier().fit(X, y, posteriors=thirds)


@pytest.mark.parametrize("decomposition", ["one_vs_rest", "one_vs_one"])
def test_fisher_is_that_of_numpy(decomposition: str) -> None:
    X, y = problem()
    y = classes_of(y)
    clf = cokernel.MeanMKLClassifier(
        views=VIEWS, kernels=KERNELS, machine="kernel_fisher:lambda=0.3", decomposition=decomposition
    ).fit(X, y)
    K = np.mean(grams(X, X), axis=0)
    pairs = [(0, None), (1, None), (2, None)]
    if decomposition == "one_vs_one":
        pairs = [(1, 0), (2, 0), (2, 1)]
    codes = np.searchsorted(clf.classes_, y)
    for (positive, negative), coef, bias in zip(pairs, clf.dual_coef_, clf.intercept_):
        here = np.ones(90, dtype=bool) if negative is None else np.isin(codes, (positive, negative))
        plus = here & (codes == positive)
        minus = here & ~plus
        # Mika et al.: a = (N + lambda K)^-1 (M+ - M-), up to a multiple; our f is that of K a.
        part = K[:, here]
        N = sum(
            (k - k.mean(axis=1, keepdims=True)) @ (k - k.mean(axis=1, keepdims=True)).T
            for k in (K[:, plus], K[:, minus])
        )[np.ix_(here, here)]
        M = (K[:, plus].mean(axis=1) - K[:, minus].mean(axis=1))[here]
        a = np.linalg.lstsq(N + 0.3 * K[np.ix_(here, here)], M, rcond=1e-13)[0]
        theirs = part @ a
        c = np.zeros(90)
        c[clf.support_] = coef
        ours = K @ c
        slope = (ours[plus].mean() - ours[minus].mean()) / (theirs[plus].mean() - theirs[minus].mean())
        spread = np.ptp(ours)
        np.testing.assert_allclose(
            ours - ours.mean(), slope * (theirs - theirs.mean()), atol=1e-4 * spread
        )
        assert ours[plus].mean() + ours[minus].mean() + 2 * bias == pytest.approx(0, abs=1e-9 * spread)
    assert clf.score(X, y) > 0.8


@pytest.mark.parametrize("machine", ["svr", "nu_svr", "kernel_ridge"])
@pytest.mark.parametrize("offset", [0.0, 7.0, 1e9])
def test_equal_numbers_are_predicted_as_they_are(machine: str, offset: float) -> None:
    """ν-SVR once counted the rounding of the number itself as a gap of 1."""
    X, _ = problem(30)
    reg = cokernel.MeanMKLRegressor(views=VIEWS, kernels=KERNELS, machine=machine).fit(X, np.full(30, offset))
    assert reg.report_.status == "converged" and reg.machine_gaps_[0] == 0.0
    assert reg.intercept_[0] == pytest.approx(offset, rel=1e-14) and not reg.dual_coef_.any()
    assert (reg.predict(X) == reg.intercept_[0]).all()


def test_a_constant_added_to_all_numbers_is_the_bias() -> None:
    X, y = problem(60)
    y = np.round(y * 1024) / 1024
    reg = cokernel.MeanMKLRegressor(views=VIEWS, kernels=KERNELS, machine="nu_svr", C=100.0, machine_tol=1e-6)
    near = clone(reg).fit(X, y)
    assert near.report_.status == "converged"
    for offset in (2.0**24, 2.0**30):
        far = clone(reg).fit(X, y + offset)
        # The rounding of a bias of 10⁹, times C, is more than the tolerance, and is told.
        assert far.report_.status == "converged" or offset > 1e9
        assert far.report_.duality_gap < 1e-5
        np.testing.assert_allclose(near.dual_coef_, far.dual_coef_, rtol=1e-6, atol=1e-6)
        assert far.intercept_[0] - offset == pytest.approx(near.intercept_[0], abs=1e-5)


@pytest.mark.parametrize("machine", ["kernel_ridge", "kernel_fisher"])
def test_instances_that_hardly_weigh_take_no_part(machine: str) -> None:
    """λ/v once had no room in f64, and the kernel was said not to be positive semi-definite."""
    X, y = problem(40)
    classes = machine == "kernel_fisher"
    kind: Any = cokernel.MeanMKLClassifier if classes else cokernel.MeanMKLRegressor
    target = (y > 3.0).astype(int) if classes else y
    weights = np.ones(40)
    weights[:5] = 1e-320
    made = kind(views=VIEWS, kernels=KERNELS, machine=machine)
    found = made.fit(X, target, sample_weight=weights)
    without = clone(made).fit(X, target, sample_weight=(weights == 1.0).astype(float))
    values = found.decision_function if classes else found.predict
    others = without.decision_function if classes else without.predict
    np.testing.assert_allclose(values(X), others(X), rtol=1e-12)


@pytest.mark.parametrize("C", [1e8, 1e10, 1e17])
def test_kernel_logistic_regression_at_large_costs(C: float) -> None:
    """It once ended with objectives of 1e35, or a gap of 0.5 where instances are on lines that cannot be separated."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(int)
    for K in (rbf_kernel(X, gamma=5.0), X @ X.T)[: 2 if C < 1e17 else 1]:
        clf = cokernel.MeanMKLClassifier(machine="kernel_logistic", C=C, kernels="precomputed").fit(K[np.newaxis], y)
        assert clf.report_.status == "converged"
        c = np.zeros(40)
        c[clf.support_] = clf.dual_coef_[0]
        margins = (2 * y - 1) * (K @ c + clf.intercept_[0])
        shares = np.clip(np.abs(c) / C, 0.0, 1.0)
        entropy = np.where(shares > 0, shares * np.log(np.maximum(shares, 1e-300)), 0.0)
        entropy += np.where(shares < 1, (1 - shares) * np.log1p(-np.minimum(shares, 1 - 1e-16)), 0.0)
        primal = 0.5 * c @ K @ c + C * np.logaddexp(0.0, -margins).sum()
        dual = -C * entropy.sum() - 0.5 * c @ K @ c
        assert abs(c.sum()) <= 1e-12 * np.abs(c).sum()
        assert -1e-6 <= (primal - dual) / primal <= 1e-3


def test_weights_beyond_f64_are_said() -> None:
    """Kernel logistic regression once ended in a panic."""
    X, y = problem(20)
    clf = cokernel.MeanMKLClassifier(views=VIEWS, kernels=KERNELS, machine="kernel_logistic")
    with pytest.raises(ValueError, match="beyond what f64 can hold"):
        clf.fit(X, y > 3.0, sample_weight=np.full(20, 1.7e308))


def test_words_about_parameters_are_plain() -> None:
    X, y = problem(20)
    with pytest.raises(ValueError, match="write ':c=' in place of ',c='"):
        cokernel.MKLOutlierDetector("mean", machine="svdd:max_steps=9,c=2").fit(X)
    with pytest.raises(ValueError, match="method: expected an id such as 'mean', found None"):
        cokernel.MKLRegressor(None).fit(X, y)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="real numbers, found <U1: '1'"):
        cokernel.MKLRegressor("mean").fit(X, np.full(20, "1"))
    with pytest.raises(ValueError, match="all others are in class 0;"):
        cokernel.MKLClassifier("mean", machine="laplacian_svm").fit(X, np.r_[np.zeros(10, int), -np.ones(10, int)])


@pytest.mark.parametrize("kind", REGRESSORS)
@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_without_their_instance_are_those_of_brute_force(kind: Any, weighted: bool) -> None:
    X, y = problem(30)
    weights = 0.5 + np.arange(30) % 3 if weighted else np.ones(30)
    machine = "kernel_ridge:lambda=0.3"
    tight = {"tol": 1e-6} if kind is cokernel.SimpleMKLRegressor else {}
    reg = kind(views=VIEWS, kernels=KERNELS, machine=machine + ":left_out=yes", **tight)
    reg.fit(X, y, sample_weight=weights)
    K = combined(reg, X, X)
    expected = np.empty(30)
    for i in range(30):
        rest = np.arange(30) != i
        one = cokernel.MeanMKLRegressor(kernels="precomputed", machine=machine)
        one.fit(K[np.newaxis][:, rest][:, :, rest], y[rest], sample_weight=weights[rest])
        expected[i] = one.predict(K[np.newaxis][:, i : i + 1, rest])[0]
    np.testing.assert_allclose(reg.report_.details["left_out"], expected, atol=1e-9)
    error = np.sqrt(np.average((y - expected) ** 2, weights=weights))
    assert any(f"root mean squared error {error:.4e}"[:-5] in note for note in reg.report_.notes)
    plain = kind(views=VIEWS, kernels=KERNELS, machine=machine, **tight).fit(X, y, sample_weight=weights)
    assert "left_out" not in plain.report_.details
    assert (plain.dual_coef_ == reg.dual_coef_).all()


def test_a_process_has_no_numbers_without_their_instance() -> None:
    """Its ridge is not that of the machine."""
    X, y = problem(30)
    reg = cokernel.GaussianProcessMKLRegressor(
        views=VIEWS, kernels=KERNELS, machine="kernel_ridge:left_out=yes"
    ).fit(X, y)
    assert "left_out" not in reg.report_.details
    assert any("is not one ridge regression" in note for note in reg.report_.notes)


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="no longer numbers to compute the gap with")
@pytest.mark.parametrize("scale", [1.0, 1e12])
@pytest.mark.parametrize("c", [1e14, 1e17])
def test_gaps_of_the_squared_hinge_count_what_rounding_hides(c: float, scale: float) -> None:
    """A kernel of large values and a C that forbids all losses: gaps of 0.03 were told as 4e-6, and converged."""
    wide = np.longdouble
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(50, 6))
        y = np.where(x[:, 0] + 0.7 * rng.normal(size=50) > 0, 1, -1)
        k = ((100 * x) @ (100 * x).T + 1) ** 3 * scale
        fitted = cokernel.MKLClassifier(
            "mean", kernels="precomputed", machine="squared_hinge_svc", C=c / scale, machine_tol=1e-5
        ).fit(k[None], y)
        a = np.zeros(50, wide)
        a[fitted.support_] = fitted.dual_coef_[0]
        f = k.astype(wide) @ a
        norm, own, signs, cost = a @ f, (a**2).sum(), y.astype(wide), wide(c) / wide(scale)
        losses = np.maximum(0, 1 - signs * (f + wide(fitted.intercept_[0])))
        primal = norm / 2 + cost / 2 * (losses**2).sum()
        dual = np.abs(a).sum() - norm / 2 - own / (2 * cost)
        true = float((primal - dual) / primal)
        if fitted.report_.machine["status"] == "converged":
            assert true <= 2e-5, (seed, true)
        assert true <= 2 * fitted.machine_gaps_[0] + 1e-5, (seed, true)
