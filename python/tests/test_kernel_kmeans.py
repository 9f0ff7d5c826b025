"""Multiple kernel k-means, late fusion and network fusion against plain NumPy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cokernel import (
    AnchorGraphSpectralClustering,
    LateFusionClustering,
    MKKMClustering,
    OnePassFusionClustering,
    SimpleMKKMClustering,
    SNFClustering,
)
from cokernel.metrics import cluster_scores
from sklearn.cluster import KMeans

Reals = npt.NDArray[np.float64]
GIVEN = "precomputed"


def toy(n: int, seed: int, views: int = 3) -> tuple[dict[str, Reals], Reals]:
    """Gaussian similarities of overlapping groups, by name and as one array."""
    rng = np.random.default_rng(seed)
    kernels = {}
    for v in range(views):
        centres = 2.0 * rng.standard_normal((3, 3))
        x = centres[np.arange(n) % 3] + rng.standard_normal((n, 3)) * (1 + v)
        squares = ((x[:, None] - x[None]) ** 2).sum(-1)
        kernels[f"v{v}"] = np.exp(-squares / squares.mean())
    return kernels, np.stack(list(kernels.values()))


def centred(kernels: Reals) -> Reals:
    n = kernels.shape[1]
    h = np.eye(n) - 1 / n
    all = h @ kernels @ h
    return all * (n / np.trace(all, axis1=1, axis2=2))[:, None, None]


def leading(a: Reals, k: int) -> tuple[Reals, Reals]:
    values, vectors = np.linalg.eigh(a)
    return values[::-1][:k], vectors[:, ::-1][:, :k]


def weighted(kernels: Reals, gamma: Reals) -> Reals:
    return np.tensordot(gamma**2, kernels, 1)


def energies(kernels: Reals, h: Reals) -> Reals:
    return np.einsum("ij,mik,kj->m", h, kernels, h)


def same_span(h: Reals, found: object, tolerance: float = 1e-7) -> bool:
    rows = h / np.linalg.norm(h, axis=1, keepdims=True)
    ours = found.embedding_  # type: ignore[attr-defined]
    return bool(np.allclose(ours @ ours.T, rows @ rows.T, atol=tolerance))


@pytest.mark.parametrize("seed, k", [(1, 2), (2, 3), (3, 5), (4, 12)])
def test_simple_mkkm_is_optimal(seed: int, k: int) -> None:
    """No point of a grid is below the bound; scaled kernels, copies and constants change what they should."""
    views, given = toy(60, seed)
    kernels = centred(given)
    found = SimpleMKKMClustering(k, tol=1e-7, kernels=GIVEN).fit(views)
    gamma, report = found.weights_, found.report_
    value = leading(weighted(kernels, gamma), k)[0].sum()
    assert report.status == "converged" and report.duality_gap <= 1e-7
    assert report.objective[-1] == pytest.approx(value, rel=1e-9)
    for a in range(21):
        for b in range(21 - a):
            point = np.array([a, b, 20 - a - b]) / 20
            assert leading(weighted(kernels, point), k)[0].sum() >= value * (1 - 2e-7)
    sizes = dict(zip(views, [1e12, 1.0, 1e-12]))
    scaled = SimpleMKKMClustering(k, tol=1e-7, kernels=GIVEN).fit({v: sizes[v] * x for v, x in views.items()})
    np.testing.assert_allclose(scaled.weights_, gamma, atol=1e-4)
    more = SimpleMKKMClustering(k, tol=1e-7, kernels=GIVEN).fit({**views, "copy": views["v0"], "ones": np.ones((60, 60))})
    theirs = more.weights_
    assert theirs[4] == 0.0 and abs(theirs[0] - theirs[3]) < 1e-3
    assert any("ones" in note and "takes no part" in note for note in more.report_.notes)


def test_mkkm_takes_its_steps() -> None:
    views, given = toy(60, 5)
    kernels, k = centred(given), 3
    found = MKKMClustering(k, kernels=GIVEN).fit(views)
    gamma = np.full(3, 1 / 3)
    for value in found.report_.objective:
        last, (_, h) = gamma, leading(weighted(kernels, gamma), k)
        left = 60 - energies(kernels, h)
        assert value == pytest.approx(gamma**2 @ left, rel=1e-9)
        gamma = (1 / left) / (1 / left).sum()
    np.testing.assert_allclose(found.weights_, last, rtol=1e-8)
    assert same_span(h, found)


def test_late_fusion_takes_its_steps() -> None:
    def polar(a: Reals) -> tuple[Reals, float]:
        u, s, v = np.linalg.svd(a, full_matrices=False)
        return u @ v, s.sum()

    views, given = toy(60, 6)
    kernels, k, lam = centred(given), 3, 0.7
    parts = [leading(kernel, k)[1] for kernel in kernels]
    mean = common = leading(kernels.sum(0), k)[1]
    found = LateFusionClustering(k, lam=lam, kernels=GIVEN).fit(views)
    assert len(found.report_.objective) > 2
    for value in found.report_.objective:
        turned = [h @ polar(h.T @ common)[0] for h in parts]
        agreed = np.array([(common * t).sum() for t in turned])
        beta = agreed / np.linalg.norm(agreed)
        common, own = polar(sum(b * t for b, t in zip(beta, turned)) + lam * mean)
        assert value == pytest.approx(own, rel=1e-9)
    np.testing.assert_allclose(found.weights_, beta / beta.sum(), rtol=1e-8)
    assert same_span(common, found)


def test_one_pass_fusion_takes_its_steps() -> None:
    def polar(a: Reals) -> Reals:
        u, _, v = np.linalg.svd(a, full_matrices=False)
        return u @ v

    for seed, n, k in ((6, 60, 3), (7, 90, 4), (8, 40, 2)):
        views, given = toy(n, seed)
        kernels = centred(given)
        parts = [leading(kernel, k)[1] for kernel in kernels]
        mean = leading(kernels.sum(0), k)[1]
        mean /= np.linalg.norm(mean, axis=1, keepdims=True)
        found = OnePassFusionClustering(k, kernels=GIVEN, random_state=seed).fit(views)
        start = KMeans(k, n_init=50, random_state=0).fit(mean)
        cluster, c = start.labels_, polar(start.cluster_centers_)
        values: list[float] = []
        while True:
            aim = c[cluster]
            turned = [h @ polar(h.T @ aim) for h in parts]
            agreed = np.array([(aim * t).sum() for t in turned])
            value = float(np.linalg.norm(agreed))
            if values and value <= values[-1] * (1 + 1e-6):
                break
            values.append(value)
            beta = agreed / value
            r = np.tensordot(beta, turned, 1)
            y = np.eye(k)[(r @ c.T).argmax(1)]
            cluster, c = y.argmax(1), polar(y.T @ r)
        # A last step that gains next to nothing, or rounding, is told if it gains at all.
        objective = list(found.report_.objective)
        assert len(objective) <= len(values) + 1
        np.testing.assert_allclose(objective[: len(values)], values, rtol=1e-8)
        np.testing.assert_allclose(objective[-1], values[-1], rtol=1e-6)
        np.testing.assert_allclose(found.weights_, beta / beta.sum(), rtol=1e-6)
        assert cluster_scores(cluster, found.labels_)["nmi"] == pytest.approx(1.0)
        assert found.inertia_ == pytest.approx(0.0, abs=1e-20)


def anchors_of(model: Any) -> list[Reals]:
    arrays = model.to_dict()["arrays"]
    names = sorted(name for name in arrays if name.endswith(".anchors"))
    return [np.asarray(arrays[name]) for name in names]


def joined(x: Reals, points: Reals, s: int) -> Reals:
    square = ((x[:, None] - points[None]) ** 2).sum(2)
    z = np.zeros_like(square)
    for row, d in zip(z, square):
        near = np.argsort(d, kind="stable")
        row[near[:s]] = d[near[s]] - d[near[:s]]
        row /= row.sum()
    return z


def reconstructed(x: Reals, points: Reals, alpha: float) -> Reals:
    """By the conditions of an optimum, from a projected gradient."""
    q = points @ points.T + alpha * np.eye(len(points))
    step = 1 / np.linalg.norm(q, 2)
    z = np.full((len(x), len(points)), 1 / len(points))
    for _ in range(20_000):
        moved = z - step * (z @ q - x @ points.T)
        high = -np.sort(-moved, axis=1)
        sums = np.cumsum(high, axis=1) - 1
        last = (high * np.arange(1, z.shape[1] + 1) > sums).sum(1)
        moved = np.maximum(moved - (sums[np.arange(len(x)), last - 1] / last)[:, None], 0)
        if np.abs(moved - z).max() < 1e-13:
            break
        z = moved
    return moved


def features(n: int, seed: int) -> dict[str, Reals]:
    rng = np.random.default_rng(seed)
    centres = [3.0 * rng.standard_normal((3, d)) for d in (4, 2, 6)]
    return {f"v{v}": c[np.arange(n) % 3] + rng.standard_normal((n, c.shape[1])) for v, c in enumerate(centres)}


def spectrum(z: Reals, k: int) -> Reals:
    """The leading left singular vectors of Z Λ^(-1/2)."""
    sums = z.sum(0)
    b = z[:, sums > 0] / np.sqrt(sums[sums > 0])
    return np.linalg.svd(b, full_matrices=False)[0][:, :k]


@pytest.mark.parametrize("weights", ["neighbours", "reconstruction"])
def test_anchor_graph_is_the_singular_vectors(weights: str) -> None:
    n, k = 120, 3
    for seed, anchors, more in ((1, 20, {"neighbors": 4}), (2, 200, {"alpha": 0.1}), (3, 1, {})):
        views = features(n, seed)
        model = AnchorGraphSpectralClustering(k, anchors=anchors, weights=weights, random_state=0, **more)
        model.fit(views)
        points = anchors_of(model)
        assert [len(p) for p in points] == [min(anchors, n // 2)] * 3
        z = []
        for x, p in zip(views.values(), points):
            if weights == "neighbours":
                s = min(more.get("neighbors", 5), len(p) - 1)
                z.append(joined(x, p, s) if s else np.ones((n, 1)))
            else:
                z.append(reconstructed(x, p, more.get("alpha", 1.0) * (p**2).sum(1).mean()))
        u = spectrum(np.hstack(z) / 3, model.embedding_.shape[1])
        np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, u @ u.T, atol=1e-6)
        new = features(40, seed + 10)
        again = model.predict(views)
        assert (again == model.labels_).all() and len(model.predict(new)) == 40
        np.testing.assert_allclose([part.sum(1) for part in z], 1.0)


def test_anchor_graph_of_instances_that_lack_views() -> None:
    n, k = 120, 3
    views = features(n, 4)
    rng = np.random.default_rng(0)
    there = rng.random((n, 3)) < 0.7
    there[np.arange(n), rng.integers(0, 3, n)] = True
    model = AnchorGraphSpectralClustering(k, anchors=20, neighbors=4, random_state=0).fit(views, present=there)
    # A model is kept without the way to new instances; so anchors are those of each view alone.
    z = []
    for v, x in enumerate(views.values()):
        alone = AnchorGraphSpectralClustering(k, anchors=20, neighbors=4, random_state=0)
        points = anchors_of(alone.fit({f"v{v}": x[there[:, v]]}))[0]
        part = np.zeros((n, len(points)))
        part[there[:, v]] = joined(x[there[:, v]], points, 4)
        z.append(part)
    u = spectrum(np.hstack(z) / there.sum(1)[:, None], k)
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, u @ u.T, atol=1e-8)
    assert cluster_scores(np.arange(n) % 3, model.labels_)["nmi"] > 0.9


def fused(affinities: list[Reals], near: int, rounds: int) -> Reals:
    def form(w: Reals) -> Reals:
        p = w - np.diag(np.diag(w))
        p = 0.5 * p / p.sum(1, keepdims=True) + 0.5 * np.eye(len(w))
        return (p + p.T) / 2

    def sparse(w: Reals) -> Reals:
        others = w - np.diag(np.diag(w) + np.inf)
        s = np.zeros_like(w)
        for i, row in enumerate(others):
            nearest = np.argsort(-row, kind="stable")[:near]
            s[i, nearest] = w[i, nearest] / w[i, nearest].sum()
        return s

    p, s = [form(w) for w in affinities], [sparse(w) for w in affinities]
    for _ in range(rounds):
        others = [sum(p[h] for h in range(len(p)) if h != m) / (len(p) - 1) for m in range(len(p))]
        p = [form(a @ o @ a.T) for a, o in zip(s, others)]
    return form(sum(p) / len(p))


@pytest.mark.parametrize("n, count", [(50, 3), (150, 2), (64, 5)])
def test_snf_takes_its_steps(n: int, count: int) -> None:
    with np.errstate(invalid="ignore"):
        views, given = toy(n, 7, count)
        local = []
        for kernel in given:
            own = np.diag(kernel)
            d = np.sqrt(np.maximum(own[:, None] + own - 2 * kernel, 0))
            near = np.array([np.sort(np.delete(row, i))[:5].mean() for i, row in enumerate(d)])
            local.append(np.exp(-(d**2) / (0.4 * (near[:, None] + near + d) / 3)))
        for affinity, graphs in [("kernel", list(given)), ("local", local)]:
            found = SNFClustering(3, neighbors=5, rounds=6, affinity=affinity, mu=0.4, kernels=GIVEN).fit(views)
            graph = fused(graphs, 5, 6)
            root = np.sqrt(graph.sum(1))
            values, h = leading(graph / np.outer(root, root), 3)
            np.testing.assert_allclose(found.eigenvalues_[0], values, rtol=1e-6)  # Single precision.
            assert same_span(h, found, 1e-5)
    for n in (2, 3):
        SNFClustering(2, kernels=GIVEN).fit(toy(n, 8)[0])  # It ends.
    assert not hasattr(SNFClustering(2), "predict") and hasattr(SNFClustering(2), "fit_predict")
    with pytest.raises(ValueError, match="similarity of instances"):
        SNFClustering(2, kernels=GIVEN).fit({"a": np.array([[1.0, -0.5, 0.2], [-0.5, 1.0, 0.1], [0.2, 0.1, 1.0]])})


def lacking(n: int, seed: int) -> tuple[dict[str, Reals], Reals, list[npt.NDArray[np.int64]]]:
    """As `toy`, each view without a quarter of the instances; which have it."""
    views, given = toy(n, seed)
    lacks = np.random.default_rng(seed).integers(0, 4, n)
    present = [np.flatnonzero(lacks != v) for v in range(3)]
    gaps = {}
    for (name, kernel), rows in zip(views.items(), present):
        gaps[name] = np.full((n, n), np.nan)
        gaps[name][np.ix_(rows, rows)] = kernel[np.ix_(rows, rows)]
    return gaps, given, present


def known(given: Reals, present: list[npt.NDArray[np.int64]]) -> list[Reals]:
    """The present blocks, centred and of the trace of their size, with zeros around them."""
    out = []
    for kernel, rows in zip(given, present):
        whole = np.zeros_like(kernel)
        whole[np.ix_(rows, rows)] = centred(kernel[np.ix_(rows, rows)][None])[0]
        out.append(whole)
    return out


def completed(kernel: Reals, h: Reals, rows: npt.NDArray[np.int64]) -> Reals:
    """The positive semi-definite completion with the least tr K(I - HH') + 1e-6 tr K(q, q)."""
    n = len(kernel)
    absent = np.setdiff1d(np.arange(n), rows)
    u = np.eye(n) - h @ h.T
    z = np.zeros((n, len(rows)))
    z[rows] = np.eye(len(rows))
    z[absent] = -np.linalg.solve(u[np.ix_(absent, absent)] + 1e-6 * np.eye(len(absent)), u[np.ix_(absent, rows)])
    return z @ kernel[np.ix_(rows, rows)] @ z.T


def test_mkkm_completes_kernels() -> None:
    n, k = 60, 3
    views, given, present = lacking(n, 11)
    kernels = known(given, present)
    found = MKKMClustering(k, kernels=GIVEN).fit(views)
    trace = found.report_.objective
    assert len(trace) > 3 and (np.diff(trace) <= 0).all()
    assert any("the method treats them itself" in note for note in found.report_.notes)

    def left(h: Reals) -> Reals:
        def one(kernel: Reals, rows: npt.NDArray[np.int64]) -> float:
            absent = np.setdiff1d(np.arange(n), rows)
            own = np.trace(kernel) + 1e-6 * np.trace(kernel[np.ix_(absent, absent)])
            return float(own - np.trace(h.T @ kernel @ h))

        return np.array([one(kernel, rows) for kernel, rows in zip(kernels, present)])

    gamma = np.full(3, 1 / 3)
    for step, value in enumerate(trace):
        last, (_, h) = gamma, leading(weighted(np.stack(kernels), gamma), k)
        before = gamma**2 @ left(h)
        assert value == pytest.approx(before, rel=1e-7)
        if step + 1 < len(trace):
            kernels = [completed(kernel, h, rows) for kernel, rows in zip(kernels, present)]
            # No other completion is better: mixtures with that of other clusters.
            other = np.linalg.qr(h + 0.3 * np.random.default_rng(step).standard_normal(h.shape))[0]
            for m in range(3):
                mine, theirs = kernels[m], completed(kernels[m], other, present[m])
                worth = left(h)[m]
                kernels[m] = 0.9 * mine + 0.1 * theirs
                assert left(h)[m] >= worth * (1 - 1e-12)
                kernels[m] = mine
            gamma = (1 / left(h)) / (1 / left(h)).sum()
    np.testing.assert_allclose(found.weights_, last, rtol=1e-5)
    assert same_span(h, found)
    # The min-max form works on completed kernels, with a gap.
    other = SimpleMKKMClustering(k, tol=1e-6, kernels=GIVEN).fit(views)
    assert other.report_.duality_gap <= 1e-6 and other.weights_.sum() == pytest.approx(1)


def test_late_fusion_leaves_out_what_is_lacking() -> None:
    def polar(a: Reals) -> tuple[Reals, float]:
        u, s, v = np.linalg.svd(a, full_matrices=False)
        return u @ v, s.sum()

    n, k = 60, 3
    views, given, present = lacking(n, 12)
    kernels = known(given, present)
    parts = []
    for kernel, rows in zip(kernels, present):
        h = np.zeros((n, k))
        h[rows] = leading(kernel[np.ix_(rows, rows)], k)[1]
        parts.append(h)
    mean = common = leading(sum(kernels), k)[1]
    found = LateFusionClustering(k, kernels=GIVEN).fit(views)
    for value in found.report_.objective:
        turned = [h @ polar(h.T @ common)[0] for h in parts]
        agreed = np.array([(common * t).sum() for t in turned])
        beta = agreed / np.linalg.norm(agreed)
        common, own = polar(sum(b * t for b, t in zip(beta, turned)) + mean)
        assert value == pytest.approx(own, rel=1e-8)
    np.testing.assert_allclose(found.weights_, beta / beta.sum(), rtol=1e-6)
    assert same_span(common, found)


def test_snf_tells_very_small_similarities_apart() -> None:
    """Rows of nothing but numbers that single precision does not hold beside a half: double precision, by itself."""
    rng = np.random.default_rng(1)
    given = []
    for _ in range(2):
        x = 3 * rng.standard_normal((60, 3))
        given.append(np.exp(-((x[:, None] - x[None]) ** 2).sum(-1)))
    graph = fused(given, 1, 20)
    root = np.sqrt(graph.sum(1))
    values, _ = leading(graph / np.outer(root, root), 3)
    found = SNFClustering(3, neighbors=1, kernels=GIVEN).fit(np.array(given))
    np.testing.assert_allclose(found.eigenvalues_[0], values, rtol=1e-8)
    # The K nearest of each of twenty instances in pairs are at no distance.
    pairs = np.repeat(rng.standard_normal((10, 3)), 2, axis=0)
    SNFClustering(3, neighbors=1, affinity="local", kernels=GIVEN).fit(np.array([pairs @ pairs.T] * 2))


@pytest.mark.parametrize("n", [50, 192])
def test_snf_hears_those_that_have_the_view(n: int) -> None:
    near, rounds = 5, 4
    views, given, present = lacking(n, 13)
    found = SNFClustering(3, neighbors=near, rounds=rounds, kernels=GIVEN).fit(views)

    def form(w: Reals) -> Reals:
        p = w - np.diag(np.diag(w))
        p = 0.5 * p / p.sum(1, keepdims=True) + 0.5 * np.eye(len(w))
        return (p + p.T) / 2

    def spread(p: Reals, rows: npt.NDArray[np.int64]) -> Reals:
        out = np.full((n, n), np.nan)
        out[np.ix_(rows, rows)] = p
        return out

    w = [kernel[np.ix_(rows, rows)] for kernel, rows in zip(given, present)]
    s = []
    for kernel in w:
        sparse = np.zeros_like(kernel)
        for i, row in enumerate(kernel - np.diag(np.diag(kernel) + np.inf)):
            nearest = np.argsort(-row, kind="stable")[:near]
            sparse[i, nearest] = kernel[i, nearest] / kernel[i, nearest].sum()
        s.append(sparse)
    p = [form(kernel) for kernel in w]
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for _ in range(rounds):
            whole = [spread(q, rows) for q, rows in zip(p, present)]
            new = []
            for m, rows in enumerate(present):
                heard = np.nanmean([whole[h] for h in range(3) if h != m], axis=0)[np.ix_(rows, rows)]
                heard = np.where(np.isnan(heard), p[m], heard)
                new.append(form(s[m] @ heard @ s[m].T))
            p = new
        whole = np.nan_to_num(np.nanmean([spread(q, rows) for q, rows in zip(p, present)], axis=0))
    graph = form(whole)
    root = np.sqrt(graph.sum(1))
    values, h = leading(graph / np.outer(root, root), 3)
    np.testing.assert_allclose(found.eigenvalues_[0], values, rtol=1e-6)
    assert same_span(h, found, 1e-5)


@pytest.mark.parametrize(
    "made", [MKKMClustering, SimpleMKKMClustering, LateFusionClustering, SNFClustering]
)
def test_instances_that_lack_views_find_their_groups(made: type) -> None:
    """Beside similarities that are estimated from the other views."""
    rng = np.random.default_rng(3)
    groups = np.arange(90) % 3
    X = {f"v{v}": 4.0 * np.eye(3)[groups] @ rng.standard_normal((3, 4)) + rng.standard_normal((90, 4)) for v in range(3)}
    lacks = rng.integers(0, 5, 90)
    for v in range(3):
        X[f"v{v}"][lacks == v] = np.nan
    for incomplete in ("own", "estimated"):
        found = made(3, incomplete=incomplete, random_state=0).fit(X)
        pairs = found.labels_[:, None] == found.labels_
        assert (pairs == (groups[:, None] == groups)).mean() > 0.9, incomplete
        estimated = any("estimated from the other views" in note for note in found.report_.notes)
        assert estimated == (incomplete == "estimated")


def test_indefinite_and_constant_kernels_are_told() -> None:
    with pytest.raises(ValueError, match="the same for all"):
        MKKMClustering(2, kernels=GIVEN).fit({"ones": np.ones((10, 10))})
    views, _ = toy(12, 9, views=1)
    bad = views["v0"] - 3 * np.outer(np.arange(12) - 5.5, np.arange(12) - 5.5)
    with pytest.raises(ValueError):
        SimpleMKKMClustering(2, kernels=GIVEN).fit({"bad": bad})
