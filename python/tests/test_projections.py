"""Projections inside kernels, against a transcription in numpy with scikit-learn's machine."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

import cokernel

Reals = npt.NDArray[np.float64]
POWER = {"degree": 2, "gamma": 0.1, "coef0": 1.0}
KERNELS = {
    "linear": "linear",
    "polynomial": "polynomial:degree=2:gamma=0.1",
    "gaussian": "gaussian:gamma=0.1",
}


def bent(n: int = 120, d: int = 6, seed: int = 3) -> tuple[Reals, npt.NDArray[np.int64]]:
    """Two classes that two of the columns tell apart, by a curve."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    noise = 0.3 * rng.normal(size=n)
    return x, (x[:, 0] + 0.7 * x[:, 1] ** 2 - 0.7 + noise > 0).astype(int)


def crossed(n: int = 160, seed: int = 0) -> tuple[Reals, npt.NDArray[np.int64]]:
    """Four clusters at the corners of a rectangle, the classes across (LMKA Figure 4.3)."""
    rng = np.random.default_rng(seed)
    corner = np.arange(n) % 4
    centres = np.array([[-3.0, 1.5], [3.0, 1.5], [-3.0, -1.5], [3.0, -1.5]])
    return centres[corner] + 0.6 * rng.normal(size=(n, 2)), np.isin(corner, [0, 3]).astype(int)


def value(kind: str, a: Reals, b: Reals) -> Reals:
    dot = a @ b.T
    if kind == "linear":
        return np.asarray(dot)
    if kind == "polynomial":
        power = (POWER["gamma"] * dot + POWER["coef0"]) ** POWER["degree"]
        return np.asarray(power)
    far = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)[None, :] - 2 * dot
    return np.asarray(np.exp(-0.1 * np.maximum(far, 0)))


def slope(kind: str, x: Reals, w: Reals, weight: Reals) -> Reals:
    """-1/2 sum_ij weight_ij dk(z_i, z_j)/dW by the sums over pairs of LMKA section 4.1."""
    z = x @ w
    out = np.zeros_like(w)
    for i in range(len(x)):
        for j in np.flatnonzero(weight[i]):
            if kind == "gaussian":
                outer = np.outer(x[i] - x[j], z[i] - z[j])
                part = -2 * 0.1 * outer * np.exp(-0.1 * ((z[i] - z[j]) ** 2).sum())
            else:
                part = np.outer(x[i], z[j]) + np.outer(x[j], z[i])
                if kind == "polynomial":
                    base = POWER["gamma"] * z[i] @ z[j] + POWER["coef0"]
                    part = part * POWER["degree"] * POWER["gamma"] * base ** (POWER["degree"] - 1)
            out -= 0.5 * weight[i, j] * part
    return out


def by_the_source(
    kind: str, x: Reals, y: npt.NDArray[np.int64], w: Reals, c: float, length: float | None
) -> tuple[float, float, Reals]:
    """The loop of LMKA Figure 4.1: the first and the last objective, and W. With a length each W is brought to it."""
    signs = 2.0 * y - 1.0

    def solve(w: Reals) -> tuple[float, Reals]:
        k = value(kind, x @ w, x @ w)
        own = SVC(C=c, kernel="precomputed", tol=1e-6).fit(k, y)
        alpha = np.zeros(len(y))
        alpha[own.support_] = np.abs(own.dual_coef_[0])
        beta = alpha * signs
        return float(alpha.sum() - 0.5 * beta @ k @ beta), beta

    def brought(w: Reals) -> Reals:
        return w if length is None else w * (length / np.linalg.norm(w))

    found, beta = solve(w)
    first, step = found, 1.0
    for _ in range(100):
        gradient = slope(kind, x, w, np.outer(beta, beta))
        gradient /= np.linalg.norm(gradient)
        step *= 2.0
        while step > 1e-4:
            there = brought(w - step * gradient)
            moved = solve(there)
            if moved[0] < found:
                break
            step /= 2.0
        else:
            break
        decrease = found - moved[0]
        w, (found, beta) = there, moved
        if decrease <= 1e-3 * found:
            break
    return first, found, w


@pytest.mark.parametrize("kind", list(KERNELS))
def test_the_objective_is_not_worse_than_that_of_the_source(kind: str) -> None:
    x, y = bent()
    given: dict[str, Any] = {"kernels": [KERNELS[kind]], "C": 1.0, "machine_tol": 1e-6}
    start = cokernel.GPKClassifier(max_iterations=0, **given).fit(x, y)
    w = start.projections_["X"]
    # As long as the features, which are standardised.
    assert np.linalg.norm(w) == pytest.approx(np.sqrt(x.shape[1]))
    size = float(np.linalg.norm(w))
    first, last, _ = by_the_source(kind, x, y, w, 1.0, size)
    assert start.report_.objective == pytest.approx([first], rel=1e-4)
    for search in ("lbfgs", "gradient"):
        model = cokernel.GPKClassifier(search=search, **given).fit(x, y)
        trace = np.array(model.report_.objective)
        assert trace[0] == pytest.approx(first, rel=1e-2)
        assert np.all(np.diff(trace) <= 1e-9)
        assert trace[-1] <= 1.01 * last, search
        assert np.linalg.norm(model.projections_["X"]) == pytest.approx(size)
    if kind == "gaussian":
        first, last, _ = by_the_source(kind, x, y, w, 1.0, None)
        free = cokernel.GPKClassifier(lengths="free", **given).fit(x, y)
        assert free.report_.objective[-1] <= 1.01 * last < 0.9 * model.report_.objective[-1]
        assert np.linalg.norm(free.projections_["X"]) > 2 * size


def test_the_machine_is_that_of_scikit_learn_on_the_projection() -> None:
    x, y = bent(400)
    train, new = x[:150], x[150:]
    model = cokernel.GPKClassifier(kernels=[KERNELS["gaussian"]], machine_tol=1e-8)
    model.fit(train, y[:150])
    w = model.projections_["X"]
    own = SVC(C=1.0, gamma=0.1, tol=1e-8).fit(train @ w, y[:150])
    assert np.allclose(own.decision_function(new @ w), model.decision_function(new), atol=1e-4)
    # Two of the columns tell something.
    sizes = np.linalg.norm(w, axis=1)
    assert sizes[:2].min() > 2 * sizes[2:].max()
    plain = cokernel.MeanMKLClassifier(kernels=[KERNELS["gaussian"]]).fit(train, y[:150])
    assert model.score(new, y[150:]) > plain.score(new, y[150:]) + 0.02
    back = pickle.loads(pickle.dumps(model))
    assert np.array_equal(back.decision_function(new), model.decision_function(new))
    assert np.array_equal(back.projections_["X"], w)
    assert plain.projections_ == {}


def test_the_identity_is_the_plain_kernel() -> None:
    x, y = bent()
    for kernel in KERNELS.values():
        plain = cokernel.MeanMKLClassifier(kernels=[kernel], C=3.0, machine_tol=1e-8).fit(x, y)
        same = cokernel.GPKClassifier(
            start="identity",
            dimensions=6,
            max_iterations=0,
            kernels=[kernel],
            C=3.0,
            machine_tol=1e-8,
        ).fit(x, y)
        assert np.allclose(same.projections_["X"], np.eye(6))
        assert np.allclose(same.decision_function(x), plain.decision_function(x), atol=1e-5)


def test_regions_tell_apart_what_one_projection_does_not() -> None:
    x, y = crossed()
    line = cokernel.GPKClassifier(dimensions=1, kernels=["linear"]).fit(x, y)
    two = cokernel.LPKClassifier(
        dimensions=1, starts=4, kernels=["linear"], C=10.0, random_state=0
    ).fit(x, y)
    assert line.score(x, y) < 0.8 < 0.95 < two.score(x, y)
    assert sorted(two.projections_) == ["X#1", "X#2"]
    assert two.gate_names_ == ["linear@X#1", "linear@X#2"]
    # f by its definition.
    gates = two.gate(x)
    assert gates.sum(axis=1) == pytest.approx(np.ones(len(x)), abs=1e-5)
    parts = [gates[:, [p]] * (x @ two.projections_[f"X#{p + 1}"]) for p in range(2)]
    z = np.column_stack(parts)
    own = SVC(C=10.0, kernel="linear", tol=1e-8).fit(z, y)
    agree = np.corrcoef(own.decision_function(z), two.decision_function(x))[0, 1]
    assert agree > 0.999


def test_other_machines_have_projections_too() -> None:
    x, _ = bent()
    curve = np.sin(x[:, 0]) + 0.5 * x[:, 1]
    fit = cokernel.GPKRegressor(kernels=[KERNELS["gaussian"]], C=10.0, epsilon=0.01).fit(x, curve)
    assert fit.score(x, curve) > 0.95
    inside = cokernel.GPKOutlierDetector(dimensions=3).fit(x)
    assert np.linalg.norm(inside.projections_["X"]) == pytest.approx(np.sqrt(6))
    several = np.digitize(x[:, 0] + x[:, 1], [-0.8, 0.8])
    model = cokernel.LPKClassifier(kernels=["linear"], C=10.0).fit(x, several)
    assert model.score(x, several) > 0.9
    assert cokernel.LPKRegressor(kernels=["linear"]).fit(x, curve).gate(x).shape == (120, 2)
    assert cokernel.LPKOutlierDetector().fit(x).predict(x).shape == (120,)


def test_an_embedding_by_classes() -> None:
    x, y = bent(400)
    one = cokernel.MultiViewEmbedding(2, method="gpk", method_params={"embed_c": 2.0})
    rows = one.fit(x[:150], y[:150]).embedding_
    assert rows.shape == (150, 2)
    w = one.projection_
    assert w is not None and np.allclose(rows, x[:150] @ w)
    assert np.allclose(one.transform(x[150:]), x[150:] @ w)
    near = SVC().fit(rows, y[:150])
    assert near.score(one.transform(x[150:]), y[150:]) > 0.85
    back = pickle.loads(pickle.dumps(one))
    assert np.array_equal(back.transform(x), one.transform(x))
    with pytest.raises(ValueError, match="method 'gpk' learns from labels"):
        cokernel.MultiViewEmbedding(2, method="gpk").fit(x)
    graph = cokernel.MultiViewEmbedding(2, method="spectral").fit(x)
    assert graph.projection_ is None


def test_an_embedding_by_local_projections() -> None:
    rng = np.random.default_rng(0)
    corner = np.arange(300) % 4
    centres = np.array([[-3.0, 1.5], [3.0, 1.5], [-3.0, -1.5], [3.0, -1.5]])
    x = centres[corner] + 0.6 * rng.normal(size=(300, 2))
    y = np.isin(corner, [0, 3])
    params = {"starts": 4, "embed_c": 10.0}
    one = cokernel.MultiViewEmbedding(
        2, method="lpk", method_params=params, kernels=["linear"], scale=None, random_state=0
    ).fit(x[:200], y[:200])
    alone = cokernel.LPKClassifier(
        dimensions=1, starts=4, kernels=["linear"], C=10.0, scale=None, random_state=0
    ).fit(x[:200], y[:200])
    w = np.hstack(list(alone.projections_.values()))
    assert np.allclose(one.embedding_, alone.gate(x[:200]) * (x[:200] @ w))
    assert np.allclose(one.transform(x[200:]), alone.gate(x[200:]) * (x[200:] @ w))
    # It is the feature map of the machine.
    linear = SVC(C=10.0, kernel="linear").fit(one.embedding_, y[:200])
    assert linear.score(one.transform(x[200:]), y[200:]) > 0.95
    assert SVC(C=10.0, kernel="linear").fit(x[:200], y[:200]).score(x[200:], y[200:]) < 0.8
    back = pickle.loads(pickle.dumps(one))
    assert np.array_equal(back.transform(x), one.transform(x))
    with pytest.raises(ValueError, match="expected a multiple of 2"):
        cokernel.MultiViewEmbedding(3, method="lpk").fit(x, y)


def test_what_cannot_be_projected_is_refused() -> None:
    x, y = bent()
    with pytest.raises(ValueError, match="linear, polynomial and Gaussian"):
        cokernel.GPKClassifier(kernels=["laplacian"]).fit(x, y)
    with pytest.raises(ValueError, match="one value only; there is nothing to project"):
        cokernel.LPKClassifier(kernels=["linear"]).fit(np.ones((40, 3)), np.arange(40) % 2)
    with pytest.raises(ValueError, match="dimensions"):
        cokernel.GPKClassifier(dimensions=0).fit(x, y)
    with pytest.raises(ValueError, match="gives no weighted sum or product of the given kernels"):
        cokernel.KernelCombiner(cokernel.GPKClassifier()).fit(x, y)
    x[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        cokernel.GPKClassifier().fit(x, y)


def test_a_machine_without_a_slope_is_told() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 10 == 0
    X = rng.normal(size=(60, 5)) + 3 * y[:, None]
    for C, told in ((1e-10, True), (10.0, False)):
        clf = cokernel.GPKClassifier(dimensions=1, kernels=["linear"], C=C).fit(X, y)
        found = any("decides the same for all instances" in n for n in clf.report_.notes)
        assert found == told and clf.predict(X).any() != told, C


def test_a_column_that_does_not_vary_changes_nothing() -> None:
    x, y = bent()
    more = np.column_stack([x[:, :3], np.full(len(x), 7.0), x[:, 3:]])
    for one in (cokernel.LPKClassifier, cokernel.GPKClassifier):
        with pytest.warns(ConvergenceWarning):
            without, beside = (one(max_iterations=3, random_state=0).fit(t, y) for t in (x, more))
        # To the tolerance of machines.
        np.testing.assert_allclose(beside.report_.objective, without.report_.objective, rtol=1e-5)
        apart = beside.decision_function(more) - without.decision_function(x)
        assert np.abs(apart).max() < 1e-2


def test_the_start_by_classes_is_that_of_fisher() -> None:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    x, _ = bent()
    y = np.digitize(x[:, 0] + 0.5 * x[:, 3], [-0.5, 0.5])
    for labels, count in ((y, 2), (y == 1, 1)):
        model = cokernel.GPKClassifier(
            start="fda", dimensions=count, max_iterations=0, kernels=["linear"], scale=None
        ).fit(x, labels)
        w = model.projections_["X"]
        theirs = LinearDiscriminantAnalysis(solver="eigen", n_components=count).fit(x, labels)
        for own, other in zip(w.T, theirs.scalings_.T, strict=False):
            cosine = own @ other / np.linalg.norm(own) / np.linalg.norm(other)
            assert abs(cosine) > 0.999
    with pytest.raises(ValueError, match="class"):
        cokernel.GPKRegressor(start="fda").fit(x, x[:, 0])


@pytest.mark.parametrize("method", [cokernel.GPKClassifier, cokernel.LPKClassifier])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_without_a_slope_the_search_begins_where_the_classes_differ(method: Any) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 6)) * [9.0, 8.0, 7.0, 1.0, 1.0, 1.0]
    y = np.arange(200) % 10 == 0
    x[:, 5] = 0.3 * rng.normal(size=200)
    x[y, 5] += 3.0
    # The rare class is apart along the last of all principal components.
    x = x @ np.linalg.qr(rng.normal(size=(6, 6)))[0]
    params = {"kernels": ["linear"], "dimensions": 1, "C": 0.003, "scale": None, "random_state": 0}
    found = method(**params).fit(x, y)
    assert any("start=fda" in note for note in found.report_.notes)
    # A machine that decides the same for all pays 2 for each instance of the rare class.
    assert found.report_.details["objectives"][0] == pytest.approx(2 * 0.003 * y.sum(), rel=1e-3)
    assert found.report_.objective[-1] < 0.6 * 2 * 0.003 * y.sum()
    assert found.score(x, y) > 0.99
