"""Kernels as values: what a user writes, and the text by which the native library knows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from . import _native

Normalization: TypeAlias = Literal[
    "unit_diagonal", "unit_trace", "center", "center_unit_variance", "frobenius"
]
Width: TypeAlias = "float | str | Sequence[float]"


@dataclass(frozen=True)
class Kernel:
    """One kernel specification, or several that differ in width.

    Made by :func:`gaussian`, :func:`linear` and the other functions of this module, or from its
    text, which the command line and the Rust library share.

    Parameters
    ----------
    text : str
        The specification, such as ``"gaussian@fou:sigma=median"``.

    Examples
    --------
    >>> from cokernel import Kernel, gaussian
    >>> gaussian(width="median", view="fou")
    gaussian@fou:sigma=median
    >>> Kernel("polynomial:degree=3") == Kernel("poly:degree=3")
    True
    """

    text: str

    def __post_init__(self) -> None:
        texts = _native.kernel_specs(str(self.text))
        if len(texts) == 1:
            object.__setattr__(self, "text", texts[0])

    def on(self, view: str) -> Kernel:
        """Return the same kernel on one view only.

        Parameters
        ----------
        view : str
            The name of the view.

        Returns
        -------
        Kernel

        Examples
        --------
        >>> from cokernel import linear
        >>> linear().on("fac")
        linear@fac
        """
        text = _HEAD.sub(lambda m: f"{m[1]}@{_quoted(view)}{m[2]}", self.text, count=1)
        return replace(self, text=text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


# family, then "@view" with or without quotes, then the rest.
_HEAD = re.compile(r'([^@:]*)(?:@(?:"(?:[^"]|"")*"|[^":][^:]*))?(.*)', re.DOTALL)


def _quoted(view: str) -> str:
    """Name of a view as it stands in the text of a kernel."""
    if ":" in view or '"' in view or view.strip() != view:
        return '"' + view.replace('"', '""') + '"'
    return view


def _numbers(values: float | Sequence[float]) -> str:
    if isinstance(values, Iterable):
        return ",".join(repr(float(v)) for v in values)
    return repr(float(values))


def _make(
    family: str,
    view: str | None,
    normalize: str | Sequence[str] | None,
    per_feature: bool,
    *parts: str,
) -> Kernel:
    text = family if view is None else f"{family}@{_quoted(view)}"
    steps = [normalize] if isinstance(normalize, str) else list(normalize or [])
    tail = [f"normalize={','.join(steps)}"] if steps else []
    if per_feature:
        tail.insert(0, "per_feature")
    return Kernel(":".join([text, *[p for p in parts if p], *tail]))


def _width(width: Width | None, gamma: float | Sequence[float] | None, key: str) -> str:
    if gamma is not None:
        if width is not None:
            raise ValueError("give either width or gamma, not both")
        return f"gamma={_numbers(gamma)}"
    if width is None:
        return ""
    return f"{key}={width}" if isinstance(width, str) else f"{key}={_numbers(width)}"


def gaussian(
    width: Width | None = None,
    *,
    gamma: float | Sequence[float] | None = None,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Gaussian kernel exp(-d² / 2 width²), or exp(-gamma d²), of the Euclidean distance d.

    Parameters
    ----------
    width : float, sequence of float, or str, optional
        Standard deviation in the units of the features; several give several kernels.
        ``"median"`` (the default), ``"mean"`` and ``"mean_nearest"`` are taken from the training
        instances; ``"median*0.5,1,2"`` gives three kernels around the median distance.
    gamma : float or sequence of float, optional
        Instead of the width, as in scikit-learn.
    view : str, optional
        The view on which the kernel is computed; default every feature view.
    normalize : str or sequence of str, optional
        Steps in this order: ``"unit_diagonal"``, ``"unit_trace"``, ``"center"``,
        ``"center_unit_variance"``, ``"frobenius"``. After ``"unit_trace"`` and ``"frobenius"`` a
        useful ``C`` grows with the number of instances.
    per_feature : bool, default=False
        One kernel for each single column.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import gaussian
    >>> gaussian(gamma=[0.1, 1.0], normalize="center_unit_variance")
    gaussian:gamma=0.1,1.0:normalize=center_unit_variance
    """
    return _make("gaussian", view, normalize, per_feature, _width(width, gamma, "sigma"))


def linear(
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Linear kernel: the dot product.

    Parameters
    ----------
    view, normalize, per_feature
        As in :func:`gaussian`.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import linear
    >>> linear(normalize=["center", "unit_diagonal"])
    linear:normalize=center,unit_diagonal
    """
    return _make("linear", view, normalize, per_feature)


def polynomial(
    degree: int = 2,
    *,
    gamma: float = 1.0,
    coef0: float = 1.0,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Polynomial kernel (gamma ⟨x, z⟩ + coef0) ** degree.

    Parameters
    ----------
    degree : int, default=2
        At least 1.
    gamma : float, default=1.0
        Positive factor of the dot product.
    coef0 : float, default=1.0
        Constant, at least 0.
    view, normalize, per_feature
        As in :func:`gaussian`.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from cokernel import polynomial
    >>> polynomial(3)
    polynomial:degree=3:gamma=1.0:coef0=1.0
    """
    parts = (f"degree={degree}", f"coef0={_numbers(coef0)}", f"gamma={_numbers(gamma)}")
    return _make("polynomial", view, normalize, per_feature, *parts)


def laplacian(
    scale: Width | None = None,
    *,
    gamma: float | Sequence[float] | None = None,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Laplacian kernel exp(-d / scale), or exp(-gamma d), of the Manhattan distance d.

    Parameters
    ----------
    scale : float, sequence of float, or str, optional
        As the width of :func:`gaussian`; default the mean distance.
    gamma, view, normalize, per_feature
        As in :func:`gaussian`.

    Returns
    -------
    Kernel
    """
    return _make("laplacian", view, normalize, per_feature, _width(scale, gamma, "scale"))


def chi2(
    scale: Width | None = None,
    *,
    gamma: float | Sequence[float] | None = None,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Chi-squared kernel exp(-d / scale) of d = Σ (x - z)² / (x + z); features must not be negative.

    Parameters
    ----------
    scale : float, sequence of float, or str, optional
        As the width of :func:`gaussian`; default the mean distance.
    gamma, view, normalize, per_feature
        As in :func:`gaussian`.

    Returns
    -------
    Kernel
    """
    return _make("chi2", view, normalize, per_feature, _width(scale, gamma, "scale"))


def exponential(
    scale: Width | None = None,
    *,
    metric: Literal["euclidean", "squared_euclidean", "manhattan", "chi_squared"] = "euclidean",
    gamma: float | Sequence[float] | None = None,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
    per_feature: bool = False,
) -> Kernel:
    """Exponential kernel exp(-d / scale) of a distance d.

    Parameters
    ----------
    scale : float, sequence of float, or str, optional
        As the width of :func:`gaussian`; default the mean distance.
    metric : {"euclidean", "squared_euclidean", "manhattan", "chi_squared"}
        The distance d. With ``"squared_euclidean"`` it is the square, so that the kernel is a
        Gaussian one: exp(-‖x - z‖² / scale), scale the mean of the squared distances by default.
    gamma, view, normalize, per_feature
        As in :func:`gaussian`.

    Returns
    -------
    Kernel
    """
    width = _width(scale, gamma, "scale")
    return _make("exponential", view, normalize, per_feature, f"metric={metric}", width)


def sigmoid(
    gamma: float,
    coef0: float = 0.0,
    *,
    view: str | None = None,
    normalize: str | Sequence[str] | None = None,
) -> Kernel:
    """Sigmoid kernel tanh(gamma ⟨x, z⟩ + coef0), which need not be positive semi-definite.

    Parameters
    ----------
    gamma, coef0 : float
        Factor and constant.
    view, normalize
        As in :func:`gaussian`.

    Returns
    -------
    Kernel
    """
    parts = (f"gamma={_numbers(gamma)}", f"coef0={_numbers(coef0)}")
    return _make("sigmoid", view, normalize, False, *parts)


def precomputed(
    *, view: str | None = None, normalize: str | Sequence[str] | None = None
) -> Kernel:
    """A similarity view as it is, beside kernels that are computed on other views.

    Parameters
    ----------
    view : str, optional
        The view that holds similarities between all instances; default every view.
    normalize : str or sequence of str, optional
        As in :func:`gaussian`; ``"unit_diagonal"`` is refused, for new rows do not tell their
        similarity to themselves.

    Returns
    -------
    Kernel
    """
    return _make("precomputed", view, normalize, False)


def kernel_texts(kernels: object) -> list[str] | None:
    """The texts of the ``kernels`` parameter of an estimator; ``None`` is the default kernels."""
    if kernels is None:
        return None
    if isinstance(kernels, (str, Kernel)):
        kernels = [kernels]
    if not isinstance(kernels, Iterable):
        raise ValueError(
            "kernels: expected a list of kernels such as [gaussian(), linear()], "
            f"'precomputed' or None, found {kernels!r}"
        )
    return [str(k) for k in kernels]
