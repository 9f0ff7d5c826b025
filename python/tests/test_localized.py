"""Gates, against a transcription in numpy with scikit-learn's machine."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.decomposition import PCA
from sklearn.svm import SVC, SVR

import cokernel

Reals = npt.NDArray[np.float64]
LINEAR = ["linear"]


def crossed(n: int = 200, seed: int = 3) -> tuple[Reals, npt.NDArray[np.int64]]:
    """Two classes with a boundary like a roof."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, size=(n, 2))
    return x, (x[:, 1] > np.abs(x[:, 0]) - 0.7).astype(int)


def localised(kernels: list[Reals], left: Reals, right: Reals) -> Reals:
    """K_η of LMKA (3.9)."""
    parts = [np.outer(left[:, m], right[:, m]) * k for m, k in enumerate(kernels)]
    return np.sum(parts, axis=0)


@pytest.mark.parametrize("gating", ["softmax", "sigmoid", "gaussian"])
def test_the_machine_is_that_of_scikit_learn_on_the_localised_kernel(gating: str) -> None:
    x, y = crossed()
    train, new = x[:150], x[150:]
    model = cokernel.LocalizedMKLClassifier(
        gating=gating, copies=3, kernels=LINEAR, C=10.0, machine_tol=1e-8, scale=None, random_state=0
    ).fit(train, y[:150])
    left, right = model.gate(train), model.gate(new)
    assert left.shape == (150, 3) and model.gate_names_ == [f"linear@X#{p}" for p in (1, 2, 3)]
    assert np.allclose(model.gate_, left.mean(axis=0))
    linear = train @ train.T
    own = SVC(C=10.0, kernel="precomputed", tol=1e-8).fit(
        localised([linear] * 3, left, left), y[:150]
    )
    cross = localised([new @ train.T] * 3, right, left)
    assert np.allclose(own.decision_function(cross), model.decision_function(new), atol=1e-4)
    assert model.score(new, y[150:]) > 0.9
    back = pickle.loads(pickle.dumps(model))
    assert np.array_equal(back.decision_function(new), model.decision_function(new))
    assert np.array_equal(back.gate(new), right)


def softmax(scores: Reals) -> Reals:
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def by_the_source(
    kernels: list[Reals], z: Reals, y: npt.NDArray[np.int64], c: float
) -> tuple[float, float]:
    """The loop of LMKA Figure 3.1 with sums over pairs (§3.3): the first and the last objective."""
    n, signs, p = len(y), 2.0 * y - 1.0, len(kernels)
    inputs = np.column_stack([z, np.ones(n)])
    rng = np.random.default_rng(0)

    def solve(v: Reals) -> tuple[float, Reals, Reals]:
        gates = softmax(inputs @ v.T)
        k = localised(kernels, gates, gates)
        own = SVC(C=c, kernel="precomputed", tol=1e-6).fit(k, y)
        alpha = np.zeros(n)
        alpha[own.support_] = np.abs(own.dual_coef_[0])
        beta = alpha * signs
        return float(alpha.sum() - 0.5 * beta @ k @ beta), beta, gates

    v = rng.uniform(-0.01, 0.01, size=(p, inputs.shape[1]))
    value, beta, gates = solve(v)
    first, step = value, 1.0
    for _ in range(200):
        gradient = np.zeros_like(v)
        pairs = np.outer(beta, beta)
        for h, kernel in enumerate(kernels):
            weight = pairs * np.outer(gates[:, h], gates[:, h]) * kernel
            for m in range(p):
                part = float(m == h) - gates[:, m]
                gradient[m] -= 0.5 * ((weight * part[:, None]).sum(axis=1) @ inputs)
                gradient[m] -= 0.5 * ((weight * part[None, :]).sum(axis=0) @ inputs)
        gradient /= np.linalg.norm(gradient)
        step *= 2.0
        while step > 1e-3:
            moved = solve(v - step * gradient)
            if moved[0] < value:
                break
            step /= 2.0
        else:
            break
        decrease = value - moved[0]
        v, (value, beta, gates) = v - step * gradient, moved
        if decrease <= 1e-3 * value:
            break
    return first, value


def test_the_objective_is_not_worse_than_that_of_the_source() -> None:
    x, y = crossed(150)
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    linear, square = x @ x.T, (x @ x.T + 1) ** 2
    first, last = by_the_source([linear, square], z, y, 10.0)
    for search in ("lbfgs", "gradient"):
        model = cokernel.LocalizedMKLClassifier(
            search=search,
            kernels=["linear", "polynomial:degree=2"],
            C=10.0,
            scale=None,
        ).fit(x, y)
        trace = model.report_.objective
        # Equal gates, where the source begins nearly.
        assert trace[0] == pytest.approx(first, rel=2e-2)
        assert np.all(np.diff(trace) <= 1e-9)
        assert trace[-1] <= 1.1 * last


def test_other_machines_have_gates_too() -> None:
    x, y = crossed()
    curve = np.where(x[:, 0] > 0, x[:, 0], -2 * x[:, 0])
    fit = cokernel.LocalizedMKLRegressor(copies=2, kernels=LINEAR, C=100.0, epsilon=0.01, starts=3)
    fit.fit(x, curve)
    plain = SVR(kernel="linear", C=100.0, epsilon=0.01).fit(x, curve)
    assert fit.score(x, curve) > 0.95 > plain.score(x, curve)
    inside = cokernel.LocalizedMKLOutlierDetector(copies=2).fit(x)
    assert inside.gate(x).shape == (200, 2)
    several = np.digitize(x[:, 0], [-0.7, 0.7])
    model = cokernel.LocalizedMKLClassifier(copies=2, kernels=LINEAR).fit(x, several)
    assert model.gate(x).sum(axis=1) == pytest.approx(np.ones(200), abs=1e-5)


@pytest.mark.parametrize("p", [1.2, 2.0])
def test_regions_have_the_gap_of_their_raw_kernels(p: float) -> None:
    x, y = crossed()
    kernels = [x @ x.T, (x @ x.T + 1) ** 2]
    train = slice(0, 150)
    model = cokernel.ConvexLocalizedMKLClassifier(
        regions=4,
        p=p,
        tol=1e-6,
        kernels=["linear", "polynomial:degree=2"],
        C=10.0,
        machine_tol=1e-9,
        scale=None,
        random_state=0,
    ).fit(x[train], y[train])
    # As the gates: the regions of the first kernel, those of the second.
    beta = np.reshape(model.report_.details["region_weights"], (2, 4)).T
    assert np.allclose((beta**p).sum(axis=1), 1.0)
    gates = model.gate(x)
    # c_j by k-means and the definition, whatever the order of the regions.
    inside = gates[:, :4] / np.sqrt(beta[:, 0])
    assert np.allclose(inside, gates[:, 4:] / np.sqrt(beta[:, 1]), atol=1e-6)
    assert np.allclose(inside.sum(axis=1), 1.0, atol=1e-4)
    weighted = np.einsum("ig,gij,jg->ij", gates, np.repeat(kernels, 4, axis=0), gates)
    own = SVC(C=10.0, kernel="precomputed", tol=1e-9).fit(weighted[train, train], y[train])
    assert np.allclose(
        own.decision_function(weighted[150:, train]), model.decision_function(x[150:]), atol=1e-4
    )
    coef = np.zeros(150)
    coef[own.support_] = own.dual_coef_[0]
    total = np.abs(coef).sum()
    primal = total - 0.5 * coef @ weighted[train, train] @ coef
    shares = coef[:, None] * inside[train]
    forms = np.array([[v @ k[train, train] @ v for k in kernels] for v in shares.T])
    bound = total - 0.5 * ((forms ** (p / (p - 1))).sum(axis=1) ** ((p - 1) / p)).sum()
    assert primal == pytest.approx(model.report_.objective[-1], rel=1e-5)
    assert (primal - bound) / primal < 1e-5
    back = pickle.loads(pickle.dumps(model))
    assert np.array_equal(back.decision_function(x), model.decision_function(x))


@pytest.mark.parametrize("tol", [1e-3, 1e-4])
def test_a_search_on_kernels_of_different_sizes_ends_where_it_is_flat(tol: float) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 2))
    y = x[:, 1] > np.abs(x[:, 0]) - 0.7 + 0.3 * rng.normal(size=40)
    kernels = [cokernel.linear(), cokernel.gaussian(gamma=0.5 / 900)]
    report = (
        cokernel.LocalizedMKLClassifier(
            kernels=kernels, C=10, gating="gaussian", random_state=0, tol=tol
        )
        .fit(30 * x, y)
        .report_
    )
    assert report.status == "converged" and report.details["slope"][0] < 0.1
    # By units and order of rows ends of 22.8, 39.6, 42.4 and 45.5 have been seen.
    assert report.objective[-1] < 50.0 and not report.notes


def test_no_step_closes_a_gate_for_good() -> None:
    for seed, reached in [(9, 210.0), (16, 100.0), (22, 150.0)]:
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(50, 4))
        y = x[:, 1] * x[:, 0] > 0.3 * rng.normal(size=50)
        kernels = [cokernel.linear(), cokernel.gaussian()]
        model = cokernel.LocalizedMKLClassifier(
            kernels=kernels, C=10, gating="gaussian", random_state=0
        ).fit(x, y)
        # 228 to 240 with the second kernel alone.
        assert model.report_.objective[-1] < reached and np.min(model.gate_) > 0.01


def test_without_gates_it_is_said() -> None:
    x, y = crossed(40)
    plain = cokernel.MeanMKLClassifier().fit(x, y)
    with pytest.raises(ValueError, match="method 'mean' has no gates"):
        plain.gate(x)
    assert plain.gate_names_ == [] and len(plain.gate_) == 0
    with pytest.raises(ValueError, match="unknown view 'nowhere'"):
        cokernel.LocalizedMKLClassifier(gate_views="nowhere").fit(x, y)
    with pytest.raises(ValueError, match="'gate_views': expected all, or names of views"):
        cokernel.LocalizedMKLClassifier(gate_views=",").fit(x, y)
    with pytest.raises(ValueError, match="has no gates"):
        plain.plot_gates(x)


def test_views_of_the_gates_are_named_once() -> None:
    x, y = crossed(40)
    views = {"u": x, "v": x[:, :1]}
    gates = [
        cokernel.LocalizedMKLClassifier(gate_views=given).fit(views, y).gate(views)
        for given in ("u", "u,u", ["u"], "u,v", ["u", "v"])
    ]
    assert np.array_equal(gates[0], gates[1]) and np.array_equal(gates[0], gates[2])
    assert np.array_equal(gates[3], gates[4]) and not np.array_equal(gates[0], gates[3])


@pytest.mark.parametrize("gating", ["softmax", "sigmoid", "gaussian"])
def test_gates_see_columns_as_they_are_where_they_are_not_scaled(gating: str) -> None:
    x, y = crossed(120)
    standard = (x - x.mean(axis=0)) / x.std(axis=0)
    params: dict[str, Any] = {"gating": gating, "copies": 2, "C": 10.0, "random_state": 0, "max_iterations": 3}
    # Rounding takes the machine other ways, which lead to the same where it is exact.
    params["tol"] = 1e-8
    views = {"x": x, "raw": 3.0 * standard + 1.0, "standard": standard}
    both = [
        cokernel.LocalizedMKLClassifier(
            kernels=["linear@x"], gate_views=view, gate_scale=scale, scale=None, **params
        )
        .fit(views, y)
        .gate(views)
        for view, scale in (("raw", "standard"), ("standard", "none"), ("raw", "none"))
    ]
    assert np.allclose(both[0], both[1], atol=1e-4)
    assert not np.allclose(both[0], both[2], atol=1e-3)
    # Moved, other gates are learned, but of distances and of components.
    moved = {**views, "raw": views["raw"] + 5.0}
    for dimensions, same in ((0, gating == "gaussian"), (2, True)):
        a, b = (
            cokernel.LocalizedMKLClassifier(
                kernels=["linear@x"],
                gate_views="raw",
                gate_scale="none",
                gate_dimensions=dimensions,
                scale=None,
                **params,
            )
            .fit(given, y)
            .gate(given)
            for given in (views, moved)
        )
        assert np.allclose(a, b, atol=1e-4) == same
    with pytest.raises(ValueError, match="gate_scale"):
        cokernel.LocalizedMKLClassifier(gate_scale="unit").fit(x, y)


@pytest.mark.parametrize("gating", ["softmax", "gaussian"])
def test_reduced_columns_are_those_of_scikit_learn(gating: str) -> None:
    x, y = crossed(120)
    rng = np.random.default_rng(0)
    wide = np.column_stack([x, x[:, :1] + 0.3 * rng.normal(size=(120, 5))]) * np.arange(1, 8)
    scaled = (wide - wide.mean(axis=0)) / wide.std(axis=0)
    pca = PCA(2).fit(scaled)
    views = {"x": x, "wide": wide, "scores": pca.transform(scaled)}
    models = [
        cokernel.LocalizedMKLClassifier(
            gating=gating,
            gate_views=view,
            gate_dimensions=dimensions,
            kernels=["linear@x", "gaussian@x"],
            C=10.0,
            scale=None,
            max_iterations=4,
        ).fit(views, y)
        for view, dimensions in (("wide", 2), ("scores", 0))
    ]
    a, b = (model.gate(views) for model in models)
    assert np.allclose(a, b, atol=1e-5)
    kept = models[0].report_.details["gate_variance"]
    assert np.allclose(kept, pca.explained_variance_ratio_.sum())
    again = pickle.loads(pickle.dumps(models[0]))
    assert np.array_equal(again.gate(views), a)
    assert np.array_equal(again.decision_function(views), models[0].decision_function(views))


def test_own_gates_are_those_of_binary_machines() -> None:
    x, _ = crossed(150)
    y = np.array(["a", "b", "c"])[(x[:, 0] > 0).astype(int) + (x[:, 1] > np.abs(x[:, 0]))]
    params = {"kernels": LINEAR, "copies": 2, "C": 5.0, "random_state": 0}
    own = cokernel.LocalizedMKLClassifier(gates="own", **params).fit(x, y)
    values, gates = own.decision_function(x), own.gate(x)
    assert own.gate_names_[:2] == ["a vs rest: linear@X#1", "a vs rest: linear@X#2"]
    assert gates.shape == (150, 6) and np.allclose(own.gate_, gates.mean(axis=0))
    for t, name in enumerate("abc"):
        alone = cokernel.LocalizedMKLClassifier(**params).fit(x, y == name)
        assert np.allclose(gates[:, 2 * t : 2 * t + 2], alone.gate(x), atol=1e-12)
        assert np.allclose(values[:, t], alone.decision_function(x), atol=1e-9)
    assert np.array_equal(own.predict(x), np.array(["a", "b", "c"])[values.argmax(axis=1)])
    common = cokernel.LocalizedMKLClassifier(**params).fit(x, y)
    assert common.gate(x).shape == (150, 2)
    again = pickle.loads(pickle.dumps(own))
    assert np.array_equal(again.decision_function(x), values)
    assert np.array_equal(again.gate(x), gates)


def test_pictures_of_gates() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    x, y = crossed(60)
    model = cokernel.LocalizedMKLClassifier(kernels=LINEAR, copies=2, scale=None, C=10.0).fit(x, y)
    axes = model.plot_gates(x)
    assert [ax.get_title() for ax in axes] == model.gate_names_
    for ax, gates in zip(axes, model.gate(x).T):
        drawn = ax.collections[0]
        assert np.allclose(drawn.get_offsets(), x) and np.allclose(drawn.get_array(), gates)
    assert axes[0].get_xlabel() == "X: column 1" and axes[0].get_ylabel() == "X: column 2"
    wide = np.column_stack([x, x**2])
    other = cokernel.LocalizedMKLClassifier(kernels=LINEAR, copies=2).fit(wide, y)
    axes = other.plot_gates(wide)
    places = np.asarray(axes[0].collections[0].get_offsets())
    assert places.shape == (60, 2) and np.allclose(places.mean(axis=0), 0, atol=1e-9)
    assert axes[0].get_xlabel().startswith("principal component 1")
    axes = other.plot_gates(wide, embedding=x)
    assert np.allclose(axes[1].collections[0].get_offsets(), x)
    with pytest.raises(ValueError, match="embedding: expected 2 numbers for each of 60 instances"):
        other.plot_gates(wide, embedding=wide)
    with pytest.raises(ValueError, match="embedding: a place is NaN or infinite"):
        other.plot_gates(wide, embedding=np.full((60, 2), np.nan))
    with pytest.raises(ValueError, match="axes: expected 2, one for each gate, found 1"):
        other.plot_gates(wide, axes=[axes[0]])
    plt.close("all")


def test_regions_that_nothing_opens_are_told() -> None:
    x = np.random.default_rng(2).normal(size=(80, 5)) * [1, 10, 0.1, 3, 1] + [0, 100, 0, 2, -5]
    model = cokernel.LPKOutlierDetector(
        nu=0.3, kernels=["gaussian:gamma=0.1"], scale="standard", regions=3, dimensions=2, starts=2,
        max_iterations=40, random_state=1,
    ).fit(x)
    kept, gates = len(model.projections_), len(model.gate_names_)
    assert gates == 3 and kept == int((model.gate(x).max(axis=0) > 0).sum())
    said = [note for note in model.report_.notes if "gates are open for no training instance" in note]
    assert len(said) == int(kept < gates)
    assert not said or said[0].startswith(f"{gates - kept} of {gates} ")


def test_directions_of_classes_want_classes() -> None:
    x, _ = crossed(60)
    with pytest.raises(ValueError, match="'start': fda looks at classes, and there are none"):
        cokernel.MKLRegressor("gpk", method_params={"start": "fda"}, kernels=["linear"]).fit(x, x[:, 0])
