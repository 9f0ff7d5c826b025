"""Learning towards landmarks, from outside: what the model says is what numpy computes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

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


def hinge(signs: np.ndarray, f: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Loss, coefficient and dual term of each instance, C = 0.5; the coefficients are those of a hinge rounded by h."""
    u = 1 - signs * f
    alpha = 0.25 * (1 + u / np.sqrt(u * u + 4 * h * h))
    return 0.5 * np.maximum(0, u), signs * alpha, alpha


def squared_hinge(signs: np.ndarray, f: np.ndarray, _: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    u = np.maximum(0, 1 - signs * f)
    return 0.25 * u * u, 0.5 * signs * u, 0.5 * u - 0.25 * u * u


@pytest.mark.parametrize("method", ["simple_mkl", "lp_norm"])
@pytest.mark.parametrize(("machine", "loss"), [("svc", hinge), ("squared_hinge_svc", squared_hinge)])
def test_values_and_gap_are_those_of_the_features(method: str, machine: str, loss: Callable[..., tuple[np.ndarray, ...]]) -> None:
    x, y = data()
    signs = 2.0 * y - 1.0
    model = cokernel.MKLClassifier(
        method,
        method_params={"tol": 1e-4},
        kernels=[KERNELS],
        machine=machine,
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
    # Coefficients are those of the bias before its last move.
    before = f - model.report_.details.get("bias_shift", np.zeros(1))[0]
    if f @ signs < 0:
        f, before = -f, -before
    found = np.ravel(model.decision_function(x))
    assert np.allclose(np.abs(found), np.abs(f), atol=1e-8)
    assert np.mean(model.predict(x) == y) > 0.8
    h = model.report_.details.get("rounding", [0.0])[0]
    losses = loss(signs, f, h)[0]
    _, c, terms = loss(signs, before, h)
    primal = losses.sum() + sum(0.5 * b @ own[m] @ b / weights[m] for m, b in zip(active, betas, strict=True))
    plus, minus = c[c > 0].sum(), -c[c < 0].sum()
    # Coefficients that sum to 0; what is concave and 0 at 0 shrinks by no more than its argument.
    shrunk = np.where(c > 0, min(plus, minus) / plus, min(plus, minus) / minus)
    forms = []
    for k, w in zip(features, own, strict=True):
        values, vectors = np.linalg.eigh(w)
        kept = values > 1e-11 * values[-1]
        image = vectors[:, kept].T @ (k.T @ (shrunk * c))
        forms.append(image**2 @ (1 / values[kept]))
    conjugate = max(forms) if method == "simple_mkl" else np.linalg.norm(forms)
    dual = shrunk @ terms - 0.5 * conjugate
    assert (primal - dual) / primal == pytest.approx(model.report_.duality_gap, abs=1e-6)
    gap = model.report_.duality_gap
    assert gap is not None and 0 < gap <= 1e-4
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(x), model.decision_function(x))


@pytest.mark.parametrize("directions", ["orthogonal", "independent"])
def test_random_features_are_near_the_kernels(directions: str) -> None:
    """As near as their number says, and a model that is pickled, with coefficients of features along directions."""
    x, y = data(600)
    given = {"kernels": [KERNELS], "machine": "squared_hinge_svc", "random_state": 3}
    storage = f"fourier:rank=1000:directions={directions}"
    near = cokernel.MKLClassifier("lp_norm", storage=storage, **given).fit(x, y)
    exact = cokernel.MKLClassifier("lp_norm", **given).fit(x, y)
    assert np.median(near.report_.details["approximation"]) < 0.15
    assert np.allclose(np.asarray(near.weights_), np.asarray(exact.weights_), atol=0.1)
    assert np.mean(near.predict(x) == exact.predict(x)) > 0.95
    assert len(near.support_) == 0
    assert near.dual_coef_.shape == (1, 1000 * len(GAMMAS))
    again = pickle.loads(pickle.dumps(near))
    assert np.array_equal(again.decision_function(x), near.decision_function(x))
    with pytest.raises(ValueError, match="is not one of a difference"):
        cokernel.MKLClassifier(kernels=["linear"], machine="squared_hinge_svc", storage=storage).fit(x, y)


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans", "leverage", "cholesky"])
def test_regression_is_near_the_exact_one(landmarks: str) -> None:
    rng = np.random.default_rng(5)
    x = rng.uniform(-2, 2, size=(800, 2))
    t = np.sin(2 * x[:, 0]) * x[:, 1] + 0.05 * rng.normal(size=800)
    train, test = slice(0, 600), slice(600, 800)

    def learned(storage: str) -> cokernel.MKLRegressor:
        kernels = ["gaussian:gamma=0.5,2"]
        model = cokernel.MKLRegressor(
            "lp_norm", method_params={"tol": 1e-4}, kernels=kernels, machine="kernel_ridge", storage=storage, random_state=0
        )
        return model.fit(x[train], t[train])

    exact, near = learned("auto"), learned(f"nystroem:rank=80:landmarks={landmarks}")
    error = [np.sqrt(np.mean((m.predict(x[test]) - t[test]) ** 2)) for m in (exact, near)]
    assert error[1] < 1.1 * error[0] + 0.01
    assert any("80 landmarks" in note for note in near.report_.notes)


def test_refusals() -> None:
    x, y = data(60)
    with pytest.raises(ValueError, match="rank: expected a whole number above 0"):
        cokernel.MKLClassifier("simple_mkl", storage="nystroem:rank=no").fit(x, y)
    with pytest.raises(ValueError, match="methods that learn towards landmarks"):
        cokernel.MKLClassifier("silp", storage="nystroem").fit(x, y)
    with pytest.raises(ValueError, match='storage: expected a text such as "auto" or "nystroem:rank=200", found 5'):
        cokernel.MKLClassifier("simple_mkl", storage=5).fit(x, y)
    with pytest.raises(ValueError, match="scratch: expected a path, found ''"), cokernel.on_workers(2, scratch=""):
        pass
    with pytest.raises(ValueError, match="n_jobs: expected at most 1024, found 1000000000"):
        cokernel.MKLClassifier("simple_mkl", n_jobs=10**9).fit(x, y)
    with pytest.raises(ValueError, match="n_init: expected at most 10000, found 1000000000000"):
        cokernel.CoTrainedSpectralClustering(n_clusters=2, n_init=10**12).fit(x)


@pytest.mark.parametrize(("machine", "c"), [("kernel_logistic", 1e-4), ("svc", 1e-6), ("squared_hinge_svc", 1e-7)])
@pytest.mark.parametrize("method", ["simple_mkl", "mean"])
def test_small_costs_leave_more_than_the_zero_function(method: str, machine: str, c: float) -> None:
    """Zero is within any tolerance there, and tells every instance the same."""
    X, y = cokernel.datasets.make_gaussian_views(400, separations=[2.0, 1.0], random_state=0)
    near = ["gaussian:sigma=median*0.5", "gaussian:sigma=median"]
    fitted = cokernel.MKLClassifier(
        method, kernels=near, machine=machine, C=c, storage="nystroem:rank=40", random_state=0
    ).fit(X, y)
    assert fitted.report_.status == "converged"
    assert fitted.score(X, y) > 0.75


def test_clusters_towards_landmarks() -> None:
    """At full rank the eigenvalues of the mean kernel; with few landmarks the clusters that all instances give."""
    rng = np.random.default_rng(3)

    def views(n: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
        group = np.arange(n) % 4
        return {v: rng.normal(size=(n, 5)) + 3.0 * rng.normal(size=(4, 5))[group] for v in "ab"}, group

    few, _ = views(80)
    square = [((x[:, None] - x) ** 2).sum(2) for x in few.values()]
    mean = sum(np.exp(-0.1 * d) for d in square) / 2
    root = np.sqrt(mean.sum(1))
    want = np.linalg.eigvalsh(mean / np.outer(root, root))[::-1][:4]
    given = {"kernels": ["gaussian:gamma=0.1"], "random_state": 0}
    found = cokernel.SpectralClustering(4, storage="nystroem:rank=80", **given).fit(few)
    np.testing.assert_allclose(found.eigenvalues_[0], want, atol=1e-8)

    many, group = views(2000)
    for made in (cokernel.SpectralClustering, cokernel.CoTrainedSpectralClustering, cokernel.CoRegularizedSpectralClustering):
        near = made(4, storage="nystroem:rank=100", **given).fit(many)
        exact = made(4, **given).fit(many)
        assert cokernel.metrics.cluster_scores(near.labels_, exact.labels_)["nmi"] > 0.98
        assert cokernel.metrics.cluster_scores(near.labels_, group)["nmi"] > 0.95
        assert any("100 landmarks" in note for note in near.report_.notes)
        assert not any("new rows" in note for note in near.report_.notes)
        assert np.array_equal(near.predict(many), near.labels_)
        assert np.array_equal(cokernel.from_bytes(near.to_bytes()).predict(many), near.labels_)
    with pytest.raises(ValueError, match="co_trained"):
        cokernel.SNFClustering(4, storage="nystroem", **given).fit(many)


CLUSTERERS = [
    cokernel.SpectralClustering,
    cokernel.ConcatEmbeddingsSpectralClustering,
    cokernel.MinDisagreementSpectralClustering,
    cokernel.CoTrainedSpectralClustering,
    cokernel.CoRegularizedSpectralClustering,
    cokernel.CoRegularizedCentroidSpectralClustering,
    cokernel.MKKMClustering,
    cokernel.SimpleMKKMClustering,
    cokernel.LateFusionClustering,
]


def grouped(n: int, seed: int = 7) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 3
    return {v: rng.normal(size=(n, 4)) + 3.0 * rng.normal(size=(3, 4))[group] for v in "ab"}


def part(views: dict[str, np.ndarray], rows: slice) -> dict[str, np.ndarray]:
    return {name: table[rows] for name, table in views.items()}


@pytest.mark.parametrize("made", CLUSTERERS)
def test_new_instances_towards_landmarks(made: type, tmp_path: Path) -> None:
    """At full rank those of the exact kernels; a model survives files, pickles and dicts to the bit, and does not grow."""
    views = grouped(130)
    train, new = part(views, slice(0, 100)), part(views, slice(100, None))
    given = {"kernels": ["gaussian:gamma=0.1"], "random_state": 0}
    exact = made(3, **given).fit(train)
    full = made(3, storage="nystroem:rank=100", **given).fit(train)
    assert np.array_equal(full.predict(new), exact.predict(new))
    near = made(3, storage="nystroem:rank=30", **given).fit(train)
    assert np.array_equal(near.predict(train), near.labels_)
    found = near.predict(new)
    assert cokernel.metrics.cluster_scores(found, np.arange(100, 130) % 3)["nmi"] > 0.9
    near.save(tmp_path / "m.ck")
    copies = [
        cokernel.load(tmp_path / "m.ck"),
        pickle.loads(pickle.dumps(near)),
        cokernel.from_bytes(near.to_bytes()),
        cokernel.from_dict(near.to_dict()),
    ]
    for copy in copies:
        assert np.array_equal(copy.predict(new), found)
        assert copy.to_bytes() == near.to_bytes()
    with pytest.raises(ValueError, match="view 'b'"):
        near.predict({"a": new["a"]})
    lacking = {name: table.copy() for name, table in new.items()}
    lacking["b"][3] = np.nan
    with pytest.raises(ValueError, match="view 'b'"):
        near.predict(lacking)


@pytest.mark.parametrize("method", ["spectral", "concat_embeddings", "min_disagreement", "co_trained", "co_regularized"])
def test_embeddings_of_new_instances_towards_landmarks(method: str) -> None:
    views = grouped(400)
    train, new = part(views, slice(0, 90)), part(views, slice(90, 120))
    given = {"kernels": ["gaussian:gamma=0.1"], "random_state": 0}

    def made(storage: str, x: dict[str, np.ndarray]) -> cokernel.MultiViewEmbedding:
        return cokernel.MultiViewEmbedding(3, method=method, storage=storage, **given).fit(x)

    exact, full = made("auto", train), made("nystroem:rank=90", train)
    near = made("nystroem:rank=25", train)
    # Up to rotations: products with the rows of the training instances.
    want = exact.transform(new) @ exact.embedding_.T
    np.testing.assert_allclose(full.transform(new) @ full.embedding_.T, want, atol=1e-8)
    np.testing.assert_allclose(near.transform(train), near.embedding_, atol=1e-9)
    more = made("nystroem:rank=25", views)

    def shapes(model: cokernel.MultiViewEmbedding) -> dict[str, tuple[int, ...]]:
        return {name: table.shape for name, table in model.to_dict()["arrays"].items() if name != "objective"}

    assert shapes(more) == shapes(near)
    assert max(max(s) for s in shapes(near).values()) <= 50


def test_one_formula_of_a_new_instance() -> None:
    """z(x) ∝ k(x)ᵀ D^{-1/2} U Θ⁻¹ with k(x, z) = C(x) W⁻¹ C(z)ᵀ, from the landmarks that the file keeps."""
    views = grouped(200)
    train, new = part(views, slice(0, 170)), part(views, slice(170, None))
    model = cokernel.MultiViewEmbedding(
        3, method="spectral", kernels=["gaussian:gamma=0.1"], storage="nystroem:rank=20", random_state=0
    ).fit(train)
    arrays = model.to_dict()["arrays"]
    kept = [arrays[f"view.{i}.dense"] for i in range(2)]
    assert [table.shape for table in kept] == [(20, 4)] * 2

    def kernel(x: np.ndarray, z: np.ndarray) -> np.ndarray:
        return np.exp(-0.1 * ((x[:, None] - z) ** 2).sum(2))

    among, towards = np.zeros((170, 170)), np.zeros((30, 170))
    for (name, x), z in zip(train.items(), kept, strict=True):
        c, w = kernel(x, z), kernel(z, z)
        among += c @ np.linalg.solve(w, c.T) / 2
        towards += kernel(new[name], z) @ np.linalg.solve(w, c.T) / 2
    root = np.sqrt(among.sum(1))
    values, vectors = np.linalg.eigh(among / np.outer(root, root))
    rows = towards / root @ vectors[:, -3:] / values[-3:]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = model.transform(new)
    np.testing.assert_allclose(found @ found.T, rows @ rows.T, atol=1e-8)


@pytest.mark.parametrize("decomposition", ["one_vs_one", "one_vs_rest"])
def test_biases_have_moved_as_they_say(decomposition: str) -> None:
    rng = np.random.default_rng(5)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 3)) + 0.5 * y[:, None]
    clf = cokernel.MKLClassifier(
        "mean", kernels=["gaussian:gamma=0.5"], machine="svc", C=1.0, decomposition=decomposition, storage="nystroem:rank=20",
        random_state=0,
    ).fit(X, y)  # fmt: skip
    squares = ((X[:, None, :] - X[clf.support_]) ** 2).sum(2)
    f = np.exp(-0.5 * squares) @ clf.dual_coef_.T + clf.intercept_
    shift, (h,) = clf.report_.details["bias_shift"], clf.report_.details["rounding"]
    assert shift.shape == (3,) and np.abs(shift).max() > 1e-4
    pairs = [(0, 1), (0, 2), (1, 2)] if decomposition == "one_vs_one" else [(c, None) for c in range(3)]
    for u, (first, second) in enumerate(pairs):
        known = np.ones(90, dtype=bool) if second is None else np.isin(y, (first, second))
        s = np.where(y[known] == first, 1.0, -1.0)

        def hinge(moved: float, f: np.ndarray = f[known, u], s: np.ndarray = s) -> float:
            return float(np.maximum(0.0, 1.0 - s * (f + moved)).sum())

        assert all(hinge(0.0) <= hinge(moved) + 1e-9 for moved in (*np.linspace(-0.3, 0.3, 601), -shift[u]))
        # The coefficients before the move nearly sum to 0.
        below = 1.0 - s * (f[known, u] - shift[u])
        c = 0.5 * s * (1.0 + below / np.sqrt(below**2 + 4.0 * h**2))
        assert abs(c.sum()) <= 0.02 * np.abs(c).sum()
