"""Kernels between pairs of objects."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_array


def _indices(name: str, pairs: npt.ArrayLike, count: int) -> npt.NDArray[np.intp]:
    found = np.asarray(pairs)
    if found.ndim != 2 or found.shape[1] != 2 or not np.issubdtype(found.dtype, np.integer):
        raise ValueError(f"{name}: expected whole numbers of shape (n, 2), found {found.dtype} {found.shape}")
    wrong = np.flatnonzero((found < 0).any(1) | (found >= count).any(1))
    if wrong.size:
        a, b = found[wrong[0]]
        raise ValueError(
            f"{name}: row {wrong[0]} is ({a}, {b}); expected two of 0 to {count - 1}, objects of the kernel"
        )
    return found.astype(np.intp)


def pairwise(
    kernel: npt.ArrayLike, pairs: npt.ArrayLike, others: npt.ArrayLike | None = None
) -> npt.NDArray[np.float64]:
    """Kernel between pairs of objects, from one between objects.

    ``k({a, b}, {c, d}) = k(a, c) k(b, d) + k(a, d) k(b, c)``: the order within a pair does not matter.
    Where instances are pairs (of proteins that interact or do not), the result is a precomputed
    kernel as any other. Several kernels can be made kernels of pairs one by one, or summed first.

    Parameters
    ----------
    kernel : array-like of shape (n_objects, n_other_objects)
        Between the objects of ``pairs`` and those of ``others``.
    pairs : array-like of int of shape (n, 2)
        Two rows of ``kernel`` for each instance.
    others : array-like of int of shape (m, 2), optional
        Two columns of ``kernel`` for each instance to compare with; default ``pairs``. For prediction
        ``pairs`` are the new ones and ``others`` those of training.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        Indices that are not in ``kernel``.

    Examples
    --------
    >>> from cokernel import pairwise
    >>> pairwise([[1.0, 2.0], [2.0, 5.0]], [[0, 1], [1, 1]])
    array([[ 9., 20.],
           [20., 50.]])
    """
    objects = check_array(kernel, dtype=np.float64, input_name="kernel")
    rows = _indices("pairs", pairs, objects.shape[0])
    cols = _indices("others", pairs if others is None else others, objects.shape[1])
    (a, b), (c, d) = rows.T, cols.T
    found: npt.NDArray[np.float64] = objects[np.ix_(a, c)] * objects[np.ix_(b, d)]
    found += objects[np.ix_(a, d)] * objects[np.ix_(b, c)]
    return found
