"""Principal components and Fisher discriminants against scikit-learn, SciPy and plain NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cokernel
import numpy as np
import numpy.typing as npt
import pytest
import scipy.linalg
from cokernel import MultiViewEmbedding, gaussian, linear
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA, KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

Reals = npt.NDArray[np.float64]
X, Y = load_wine(return_X_y=True)
NEW = 1.01 * X[::7]
VIEWS = {"a": slice(0, 6), "b": slice(6, 13)}
SCALED = (X - X.mean(0)) / X.std(0)
NEW_SCALED = (NEW - X.mean(0)) / X.std(0)


def tables(x: Reals) -> dict[str, Reals]:
    return {name: x[:, part] for name, part in VIEWS.items()}


def assert_equal(ours: tuple[Reals, Reals], theirs: tuple[Reals, Reals], tol: float = 1e-9) -> None:
    """Up to one sign for each column, of training and new rows alike."""
    signs = np.sign((ours[0] * theirs[0]).sum(0))
    for mine, other in zip(ours, theirs):
        assert mine.shape == other.shape
        np.testing.assert_allclose(mine * signs, other, rtol=0, atol=tol * np.abs(other).max())


def embedded(method: str, k: int, y: Any = None, scale: Any = None, **params: Any) -> tuple[Reals, Reals]:
    kernels = params.pop("kernels", None)
    one = MultiViewEmbedding(k, method=method, method_params=params, kernels=kernels, scale=scale)
    return one.fit_transform(tables(X), y), one.transform(tables(NEW))


def mean_kernel(rows: Reals, width: float = 3.0) -> Reals:
    """The mean of one Gaussian per view between rows and the training instances."""
    parts = []
    for part in VIEWS.values():
        squares = ((rows[:, None, part] - SCALED[None, :, part]) ** 2).sum(-1)
        parts.append(np.exp(-squares / (2 * width**2)))
    return np.mean(parts, axis=0)


def test_pca_and_kernel_pca_are_those_of_scikit_learn() -> None:
    pca = PCA(4).fit(X)
    assert_equal(embedded("pca", 4), (pca.transform(X), pca.transform(NEW)))
    one = MultiViewEmbedding(4, method="pca").fit(tables(X))
    np.testing.assert_allclose(one.eigenvalues_[0], pca.explained_variance_, rtol=1e-9)
    scaled = PCA(3).fit(SCALED)
    ours = embedded("pca", 3, scale="standard")
    assert_equal(ours, (scaled.transform(SCALED), scaled.transform(NEW_SCALED)))
    kernel, cross = mean_kernel(SCALED), mean_kernel(NEW_SCALED)
    kpca = KernelPCA(5, kernel="precomputed").fit(kernel)
    ours = embedded("kernel_pca", 5, kernels=[gaussian(3.0)], scale="standard")
    assert_equal(ours, (kpca.transform(kernel), kpca.transform(cross)))


def test_fda_is_that_of_scikit_learn() -> None:
    lda = LinearDiscriminantAnalysis(solver="svd").fit(X, Y)
    assert_equal(embedded("fda", 2, Y, regularization=0.0), (lda.transform(X), lda.transform(NEW)))
    # The units of columns do not matter, with the ridge neither.
    assert_equal(embedded("fda", 2, Y), embedded("fda", 2, Y, scale="standard"))


def lfda(
    x: Reals, y: Any, points: Reals, k: int, ridge: Reals, neighbours: int = 7
) -> Reals:
    """Sugiyama 2007: the pairwise scatters as they are defined, scipy.linalg.eigh."""
    n, d = x.shape
    within, between = np.zeros((n, n)), np.full((n, n), 1 / n)
    for c in np.unique(y):
        own = np.flatnonzero(y == c)
        squares = ((points[own][:, None] - points[own][None]) ** 2).sum(-1)
        width = np.sqrt(np.sort(squares, axis=1)[:, min(neighbours, len(own) - 1)])
        affinity = np.exp(-squares / np.outer(width, width))
        within[np.ix_(own, own)] = affinity / len(own)
        between[np.ix_(own, own)] = affinity * (1 / n - 1 / len(own))

    def scatter(weights: Reals) -> Reals:
        found = np.zeros((d, d))
        for i in range(n):
            apart = x[i] - x
            found += 0.5 * (apart.T * weights[i]) @ apart
        return found

    values, vectors = scipy.linalg.eigh(scatter(between), scatter(within) + ridge)
    values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
    result: Reals = vectors * np.sqrt(n * values)
    return result


@pytest.mark.parametrize("share", [0.0, 1e-3])
def test_lfda_is_that_of_numpy(share: float) -> None:
    centred, moved = X - X.mean(0), NEW - X.mean(0)
    map_ = lfda(X, Y, X, 4, share * np.diag((centred**2).sum(0)))
    assert_equal(embedded("lfda", 4, Y, regularization=share), (centred @ map_, moved @ map_))
    map_ = lfda(X, Y, X, 3, share * np.diag((centred**2).sum(0)), neighbours=3)
    ours = embedded("lfda", 3, Y, regularization=share, neighbours=3)
    assert_equal(ours, (centred @ map_, moved @ map_))


def test_kernel_forms_are_those_of_numpy() -> None:
    kernel, cross = mean_kernel(SCALED), mean_kernel(NEW_SCALED)
    n = len(kernel)
    centre = np.eye(n) - 1 / n
    inner = centre @ kernel @ centre
    # The unknowns are coefficients of the training instances here: S = K̄ (…) K̄, ‖w‖² = αᵀK̄α, on the
    # range of K̄.
    values, vectors = np.linalg.eigh(inner)
    values, vectors = values[values > 1e-12 * values[-1]], vectors[:, values > 1e-12 * values[-1]]
    coordinates = vectors * np.sqrt(values)
    new = (cross - kernel.mean(0)) @ (centre @ vectors / np.sqrt(values))
    ridge = 1e-3 * np.trace(inner) * np.eye(len(values))
    map_ = lfda(coordinates, Y, coordinates, 3, ridge)
    kernels = [gaussian(3.0)]
    ours = embedded("kernel_lfda", 3, Y, "standard", kernels=kernels)
    assert_equal(ours, (coordinates @ map_, new @ map_), 1e-7)
    means = np.array([coordinates[Y == c].mean(0) for c in range(3)])
    left = coordinates - means[Y]
    within, total = left.T @ left, coordinates.T @ coordinates
    _, vectors = scipy.linalg.eigh(total - within, within + ridge)
    map_ = vectors[:, ::-1][:, :2] * np.sqrt(n)
    ours = embedded("kernel_fda", 2, Y, "standard", kernels=kernels)
    assert_equal(ours, (coordinates @ map_, new @ map_), 1e-7)


def test_models_keep_their_bits(tmp_path: Path) -> None:
    for method in ("pca", "kernel_pca", "fda", "lfda", "kernel_fda", "kernel_lfda"):
        one = MultiViewEmbedding(2, method=method).fit(tables(X), Y)
        one.save(tmp_path / "model.ck")
        again = cokernel.load(tmp_path / "model.ck")
        assert (again.transform(tables(NEW)) == one.transform(tables(NEW))).all()
        assert list(one.get_feature_names_out()) == [f"multiviewembedding{j}" for j in range(2)]


def test_classes_of_any_kind() -> None:
    signs = np.where(Y == 0, -1, 1)
    want = embedded("fda", 1, signs)
    for y in (np.where(Y == 0, "x", "y"), (Y == 0).tolist(), signs.astype(float)):
        assert_equal(embedded("fda", 1, y), want)
    # Missing ones are placed as new rows are, and -1 is a class.
    some = signs.astype(float)
    some[::5] = np.nan
    known = ~np.isnan(some)
    one = MultiViewEmbedding(1, method="lfda", kernels=[linear()]).fit(tables(X), some)
    assert any("36 of 178 instances have no label" in note for note in one.report_.notes)
    texts = np.array([None if np.isnan(v) else str(v) for v in some], dtype=object)
    other = MultiViewEmbedding(1, method="lfda", kernels=[linear()]).fit(tables(X), texts)
    assert (one.embedding_ == other.embedding_).all() and known.any()


def test_refusals() -> None:
    with pytest.raises(ValueError, match="requires y to be passed"):
        MultiViewEmbedding(2, method="fda").fit(tables(X))
    with pytest.raises(ValueError, match="X has 178, y has 3"):
        MultiViewEmbedding(2, method="fda").fit(tables(X), [0, 1, 1])
    with pytest.raises(ValueError, match="at least two classes are needed"):
        MultiViewEmbedding(2, method="fda").fit(tables(X), np.zeros(len(X), dtype=int))
    with pytest.raises(ValueError, match="Unknown label type"):
        MultiViewEmbedding(2, method="fda").fit(tables(X), X[:, 0])
    with pytest.raises(ValueError, match="embeds, it does not cluster"):
        cokernel.MultiViewSpectralClustering(2, method="pca").fit(tables(X))
