"""One function for each family of kernels of the registry. Written by python/tools/generate.py: do not
edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ._kernels import Kernel, Width, _make, _numbers, _wholes, _widths

__all__ = [
    "chi2",
    "diffusion",
    "distances",
    "exponential",
    "gaussian",
    "laplacian",
    "linear",
    "minmax",
    "mismatch",
    "pearson",
    "polynomial",
    "precomputed",
    "random_walk",
    "sigmoid",
    "spearman",
    "spectrum",
    "tanimoto",
]


def linear(
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """The dot product.

    ⟨x, z⟩

    Parameters
    ----------
    view : str, optional
        The view; default every feature view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
    per_feature : bool, default=False
        One kernel for each single column.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import linear
    >>> linear(view="a")
    linear@a
    """
    return _make("linear", view, normalize, per_feature)


def polynomial(
    degree: int | Sequence[int] = 2,
    gamma: float = 1.0,
    coef0: float = 1.0,
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Products of up to `degree` features.

    (gamma ⟨x, z⟩ + coef0)^degree

    Parameters
    ----------
    degree : int or sequence of int, default=2
        At least 1; several give several kernels.
    gamma : float, default=1.0
        Positive factor of the dot product.
    coef0 : float, default=1.0
        Constant, at least 0.
    view : str, optional
        The view; default every feature view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
    per_feature : bool, default=False
        One kernel for each single column.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import polynomial
    >>> polynomial(view="a")
    polynomial@a:degree=2:gamma=1.0:coef0=1.0
    """
    return _make("polynomial", view, normalize, per_feature, f"degree={_wholes(degree)}", f"gamma={_numbers(gamma)}", f"coef0={_numbers(coef0)}")


def gaussian(
    width: Width | None = None,
    *,
    gamma: float | Sequence[float] | None = None,
    scale: Width | None = None,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Gaussian kernel of the Euclidean distance d; also exp(−gamma d²) and exp(−d² / scale²).

    exp(−d² / 2 sigma²)

    Parameters
    ----------
    width : float, sequence of float, or str, optional
        Standard deviation in the units of the features; several give several kernels. "median" (the
        default), "mean" and "mean_nearest" are taken from the training instances; "median*0.5,1,2"
        gives three kernels around the median distance.
    gamma : float or sequence of float, optional
        Factor of the distance, instead of a width.
    scale : float, sequence of float, or str, optional
        s of exp(−d² / s²), instead of a width; given as that is.
    view : str, optional
        The view; default every feature view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
    per_feature : bool, default=False
        One kernel for each single column.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import gaussian
    >>> gaussian(view="a")
    gaussian@a:sigma=median
    """
    return _make("gaussian", view, normalize, per_feature, _widths(sigma=("width", width), gamma=("gamma", gamma), scale=("scale", scale)))


def laplacian(
    scale: Width | None = None,
    *,
    gamma: float | Sequence[float] | None = None,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Laplacian kernel of the Manhattan distance d; also exp(−gamma d).

    exp(−d / scale)

    Parameters
    ----------
    scale : float, sequence of float, or str, optional
        Distance at which the kernel falls to 1/e, in the units of the distance; several give
        several kernels; "mean" (the default), "median" and "mean_nearest" are taken from the
        training instances, also times factors: "mean*0.5,1,2".
    gamma : float or sequence of float, optional
        Factor of the distance, instead of a width.
    view : str, optional
        The view; default every feature view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
    per_feature : bool, default=False
        One kernel for each single column.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import laplacian
    >>> laplacian(view="a")
    laplacian@a:scale=mean
    """
    return _make("laplacian", view, normalize, per_feature, _widths(scale=("scale", scale), gamma=("gamma", gamma)))


def chi2(
    scale: Width | None = None,
    *,
    gamma: float | Sequence[float] | None = None,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Exponential χ² kernel, d = Σ (x − z)² / (x + z); features must not be negative.

    exp(−d / scale)

    Parameters
    ----------
    scale : float, sequence of float, or str, optional
        Distance at which the kernel falls to 1/e, in the units of the distance; several give
        several kernels; "mean" (the default), "median" and "mean_nearest" are taken from the
        training instances, also times factors: "mean*0.5,1,2".
    gamma : float or sequence of float, optional
        Factor of the distance, instead of a width.
    view : str, optional
        The view; default every feature view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
    per_feature : bool, default=False
        One kernel for each single column.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import chi2
    >>> chi2(view="a")
    chi2@a:scale=mean
    """
    return _make("chi2", view, normalize, per_feature, _widths(scale=("scale", scale), gamma=("gamma", gamma)))


def exponential(
    scale: Width | None = None,
    metric: Literal["euclidean", "squared_euclidean", "manhattan", "chi_squared"] = "euclidean",
    *,
    gamma: float | Sequence[float] | None = None,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Exponential kernel of the distance d that `metric` says; of "squared_euclidean" it is a Gaussian kernel, exp(−‖x − z‖² / scale), scale the mean of the squared distances by default.

    exp(−d / scale)

    Parameters
    ----------
    scale : float, sequence of float, or str, optional
        Distance at which the kernel falls to 1/e, in the units of the distance; several give
        several kernels; "mean" (the default), "median" and "mean_nearest" are taken from the
        training instances, also times factors: "mean*0.5,1,2".
    metric : {"euclidean", "squared_euclidean", "manhattan", "chi_squared"}
        The distance.
    gamma : float or sequence of float, optional
        Factor of the distance, instead of a width.
    view : str, optional
        The view; default every feature view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
    per_feature : bool, default=False
        One kernel for each single column.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import exponential
    >>> exponential(view="a")
    exponential@a:metric=euclidean:scale=mean
    """
    return _make("exponential", view, normalize, per_feature, f"metric={metric}", _widths(scale=("scale", scale), gamma=("gamma", gamma)))


def sigmoid(
    gamma: float = 1.0,
    coef0: float = 0.0,
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Sigmoid kernel, which need not be positive semi-definite.

    tanh(gamma ⟨x, z⟩ + coef0)

    Parameters
    ----------
    gamma : float, default=1.0
        Positive factor of the dot product.
    coef0 : float, default=0.0
        Constant.
    view : str, optional
        The view; default every feature view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
    per_feature : bool, default=False
        One kernel for each single column.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import sigmoid
    >>> sigmoid(view="a")
    sigmoid@a:gamma=1.0:coef0=0.0
    """
    return _make("sigmoid", view, normalize, per_feature, f"gamma={_numbers(gamma)}", f"coef0={_numbers(coef0)}")


def tanimoto(
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Tanimoto (Jaccard) kernel, of bit vectors such as molecular fingerprints the share of bits in common; two rows of zeros have 1.

    ⟨x, z⟩ / (‖x‖² + ‖z‖² − ⟨x, z⟩)

    Parameters
    ----------
    view : str, optional
        The view; default every feature view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
    per_feature : bool, default=False
        One kernel for each single column.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import tanimoto
    >>> tanimoto(view="a")
    tanimoto@a
    """
    return _make("tanimoto", view, normalize, per_feature)


def minmax(
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """MinMax kernel of counts, which of bits is the Tanimoto kernel; features must not be negative, two rows of zeros have 1.

    Σ min(x, z) / Σ max(x, z)

    Parameters
    ----------
    view : str, optional
        The view; default every feature view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
    per_feature : bool, default=False
        One kernel for each single column.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import minmax
    >>> minmax(view="a")
    minmax@a
    """
    return _make("minmax", view, normalize, per_feature)


def pearson(
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
) -> Kernel:
    """Correlation of the features of two instances, across the columns of the view.

    correlation of x and z

    Parameters
    ----------
    view : str, optional
        The view; default every feature view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import pearson
    >>> pearson(view="a")
    pearson@a
    """
    return _make("pearson", view, normalize, False)


def spearman(
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
) -> Kernel:
    """Rank correlation of the features of two instances; equal features share their mean rank.

    correlation of the ranks of x and z

    Parameters
    ----------
    view : str, optional
        The view; default every feature view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import spearman
    >>> spearman(view="a")
    spearman@a
    """
    return _make("spearman", view, normalize, False)


def spectrum(
    k: int | Sequence[int] = 3,
    alphabet: str | None = None,
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
) -> Kernel:
    """Spectrum kernel of sequences: words of k letters in common.

    Σ over words w of k letters: count of w in x × count in z

    Parameters
    ----------
    k : int or sequence of int, default=3
        Letters of a word; several give several kernels.
    alphabet : str, optional
        The letters that words are made of, such as "ACGT"; words with others are passed over.
        Default: those of the training sequences.
    view : str, optional
        The view; default every view of sequences.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import spectrum
    >>> spectrum(view="a")
    spectrum@a:k=3
    """
    return _make("spectrum", view, normalize, False, f"k={_wholes(k)}", "" if alphabet is None else f"alphabet={alphabet}")


def mismatch(
    k: int | Sequence[int] = 3,
    mismatches: int | Sequence[int] = 1,
    alphabet: str | None = None,
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
) -> Kernel:
    """Mismatch kernel of sequences: words of k letters in common, up to some letters.

    as spectrum, where w counts for all words that differ from it in at most `mismatches` letters

    Parameters
    ----------
    k : int or sequence of int, default=3
        Letters of a word; several give several kernels.
    mismatches : int or sequence of int, default=1
        Letters in which words may differ, at least 1 and below k.
    alphabet : str, optional
        The letters that words are made of, such as "ACGT"; words with others are passed over.
        Default: those of the training sequences.
    view : str, optional
        The view; default every view of sequences.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import mismatch
    >>> mismatch(view="a")
    mismatch@a:k=3:mismatches=1
    """
    return _make("mismatch", view, normalize, False, f"k={_wholes(k)}", f"mismatches={_wholes(mismatches)}", "" if alphabet is None else f"alphabet={alphabet}")


def distances(
    scale: Width | None = None,
    *,
    gamma: float | Sequence[float] | None = None,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
) -> Kernel:
    """Exponential kernel of distances that a view gives in place of similarities, whatever they are; it need not be positive semi-definite.

    exp(−d / scale)

    Parameters
    ----------
    scale : float, sequence of float, or str, optional
        Distance at which the kernel falls to 1/e, in the units of the distance; several give
        several kernels; "mean" (the default), "median" and "mean_nearest" are taken from the
        training instances, also times factors: "mean*0.5,1,2".
    gamma : float or sequence of float, optional
        Factor of the distance, instead of a width.
    view : str, optional
        The view; default every similarity view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
        ``"unit_diagonal"`` is refused where new rows are compared, for
        they do not tell their similarity to themselves.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import distances
    >>> distances(view="a")
    distances@a:scale=mean
    """
    return _make("distances", view, normalize, False, _widths(scale=("scale", scale), gamma=("gamma", gamma)))


def diffusion(
    beta: float = 1.0,
    laplacian: Literal["normalized", "plain"] = "normalized",
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
) -> Kernel:
    """Diffusion kernel of a graph that a view gives, L its Laplacian.

    exp(−beta L)

    It is of the training instances together: new ones have no place in it.

    Parameters
    ----------
    beta : float, default=1.0
        Time of the diffusion, above 0.
    laplacian : {"normalized", "plain"}
        L = I − D^(−1/2) A D^(−1/2), or D − A.
    view : str, optional
        The view; default every similarity view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
        ``"unit_diagonal"`` is refused where new rows are compared, for
        they do not tell their similarity to themselves.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import diffusion
    >>> diffusion(view="a")
    diffusion@a:beta=1.0:laplacian=normalized
    """
    return _make("diffusion", view, normalize, False, f"beta={_numbers(beta)}", f"laplacian={laplacian}")


def random_walk(
    steps: int | Sequence[int] = 2,
    a: float = 2.0,
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
) -> Kernel:
    """Random walk kernel of a graph that a view gives, L its normalised Laplacian.

    (a I − L)^steps

    It is of the training instances together: new ones have no place in it.

    Parameters
    ----------
    steps : int or sequence of int, default=2
        Steps of the walk, at least 1; several give several kernels.
    a : float, default=2.0
        At least 2; the larger, the more a walk stays where it is.
    view : str, optional
        The view; default every similarity view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
        ``"unit_diagonal"`` is refused where new rows are compared, for
        they do not tell their similarity to themselves.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import random_walk
    >>> random_walk(view="a")
    random_walk@a:steps=2:a=2.0
    """
    return _make("random_walk", view, normalize, False, f"steps={_wholes(steps)}", f"a={_numbers(a)}")


def precomputed(
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
) -> Kernel:
    """A similarity view as it is, beside kernels that are computed on other views.

    the similarity of the view

    Parameters
    ----------
    view : str, optional
        The view; default every similarity view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a useful
        ``C`` grows with the number of instances.
        ``"unit_diagonal"`` is refused where new rows are compared, for
        they do not tell their similarity to themselves.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import precomputed
    >>> precomputed(view="a")
    precomputed@a
    """
    return _make("precomputed", view, normalize, False)
