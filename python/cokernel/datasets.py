"""Data sets with several views: one that comes with the package, and generators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils import Bunch

from . import _native
from ._base import seed_of

__all__ = [
    "load_digits_views",
    "make_complementary_corruption",
    "make_contradictory_views",
    "make_correlated_views",
    "make_gaussian_views",
    "make_synthetic_1",
    "make_synthetic_2",
    "make_two_circles",
    "make_uninformative_view",
]

Views: TypeAlias = "dict[str, npt.NDArray[np.float64]]"
Classes: TypeAlias = "npt.NDArray[np.int64]"


def load_digits_views(*, return_X_y: bool = False) -> Any:
    """Six views of 2,000 handwritten digits, 200 of each class.

    ============  =======  =============================================
    view          columns  what it is
    ============  =======  =============================================
    ``fac``       216      profile correlations
    ``fou``       76       Fourier coefficients of the character shape
    ``kar``       64       Karhunen-Loève coefficients
    ``mor``       6        morphological features
    ``pix``       240      averages of 2 × 3 windows of pixels
    ``zer``       47       Zernike moments
    ============  =======  =============================================

    Parameters
    ----------
    return_X_y : bool, default=False
        Give ``(views, classes)`` rather than a Bunch.

    Returns
    -------
    Bunch with ``views`` (dict of arrays), ``data`` (all columns side by side), ``columns`` (slice of
    each view in ``data``), ``target`` and ``DESCR``; or a tuple.

    Examples
    --------
    >>> from cokernel.datasets import load_digits_views
    >>> digits = load_digits_views()
    >>> digits.data.shape, digits.columns["fac"], digits.target[:3]
    ((2000, 649), slice(0, 216, None), array([0, 0, 0]))
    """
    views, names = _native.digits()
    target = np.array(names).astype(np.int64)
    if return_X_y:
        return views, target
    columns, first = {}, 0
    for name, table in views.items():
        columns[name] = slice(first, first + table.shape[1])
        first += table.shape[1]
    return Bunch(
        views=views,
        data=np.hstack(list(views.values())),
        columns=columns,
        target=target,
        DESCR="Multiple features of handwritten digits (UCI Machine Learning Repository, "
        "data set 72, CC BY 4.0): six descriptions of 2,000 digits.",
    )


def _toy(name: str, n: int, random_state: Any, **others: Any) -> tuple[Views, Classes]:
    views, names = _native.toy(name, n, seed_of(random_state), **others)
    return views, np.array(names).astype(np.int64)


def make_gaussian_views(
    n_samples: int = 300,
    *,
    n_classes: int = 2,
    separations: Sequence[float] = (4.0, 4.0),
    random_state: Any = None,
) -> tuple[Views, Classes]:
    """Gaussian clusters seen from several sides.

    Parameters
    ----------
    n_samples : int, default=300
        Instances, in classes of equal size.
    n_classes : int, default=2
        Classes; each view has as many columns.
    separations : sequence of float
        One view for each: the distance of any two class centres, in standard deviations. 0 is
        noise.
    random_state : int, RandomState or None
        An integer gives the data set of the command line with that seed.

    Returns
    -------
    views : dict of ndarray of shape (n_samples, n_classes)
        Named ``view0``, ``view1``, ….
    classes : ndarray of int

    Examples
    --------
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(6, separations=[4.0, 0.0], random_state=0)
    >>> sorted(X), y
    (['view0', 'view1'], array([0, 1, 0, 1, 0, 1]))
    """
    distances = [float(s) for s in separations]
    return _toy("gaussian", n_samples, random_state, n_classes=n_classes, separations=distances)


def make_two_circles(
    n_samples: int = 300, *, noise: float = 0.1, random_state: Any = None
) -> tuple[Views, Classes]:
    """Two rings around the origin, of radius 1 and 2, in one view ``plane``.

    Parameters
    ----------
    n_samples : int, default=300
        Instances.
    noise : float, default=0.1
        Standard deviation of both coordinates.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    views, classes
    """
    return _toy("two_circles", n_samples, random_state, value=float(noise))


def make_synthetic_1(
    n_samples: int = 1000, *, random_state: Any = None
) -> tuple[Views, Classes]:
    """Synthetic data 1 of Zhao (LMS §4.3): two views, two clusters whose shapes change places.

    Parameters
    ----------
    n_samples : int, default=1000
        Instances.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    views, classes
    """
    return _toy("synthetic_1", n_samples, random_state)


def make_synthetic_2(
    n_samples: int = 1000, *, random_state: Any = None
) -> tuple[Views, Classes]:
    """Synthetic data 2 of Zhao (LMS §4.3): three views with correlated columns, two clusters.

    Parameters
    ----------
    n_samples : int, default=1000
        Instances.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    views, classes
    """
    return _toy("synthetic_2", n_samples, random_state)


def make_correlated_views(
    n_samples: int = 1000, *, rho: float = 0.0, random_state: Any = None
) -> tuple[Views, Classes]:
    """Two views of two clusters whose columns have correlation ``rho`` (LMS §3.3.1).

    Parameters
    ----------
    n_samples : int, default=1000
        Instances.
    rho : float, default=0
        From -1 to 1.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    views, classes
    """
    return _toy("correlated", n_samples, random_state, value=float(rho))


def make_complementary_corruption(
    n_samples: int = 1000, *, alpha: float = 1.0, random_state: Any = None
) -> tuple[Views, Classes]:
    """Two similarity views that are corrupted in complementary pairs (LMS §3.3.2).

    Parameters
    ----------
    n_samples : int, default=1000
        Instances, an even number.
    alpha : float, default=1
        Similarity of corrupted pairs.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    views : dict of ndarray of shape (n_samples, n_samples)
        For ``kernels="precomputed"``.
    classes : ndarray of int
    """
    return _toy("complementary_corruption", n_samples, random_state, value=float(alpha))


def make_uninformative_view(
    n_samples: int = 200, *, content: Literal["ones", "random"] = "random", random_state: Any = None
) -> tuple[Views, Classes]:
    """Two similarity views of which the second says nothing (LMS §3.3.3).

    Parameters
    ----------
    n_samples : int, default=200
        Instances, an even number.
    content : {"ones", "random"}
        What stands in the second view.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    views, classes
        As :func:`make_complementary_corruption`.
    """
    return _toy("uninformative", n_samples, random_state, content=content)


def make_contradictory_views(n_samples: int = 200) -> tuple[Views, Classes]:
    """Two similarity views that contradict each other (LMS §3.3.3); nothing is random.

    Parameters
    ----------
    n_samples : int, default=200
        Instances, a multiple of 4.

    Returns
    -------
    views, classes
        As :func:`make_complementary_corruption`.
    """
    return _toy("contradictory", n_samples, 0)


