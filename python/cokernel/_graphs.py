"""Kernels of graphs, as matrices for all nodes together."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_array

from . import _native
from ._kernels import _numbers
from ._limits import threads_of
from ._views import Input


def _matrix(graph: Any, text: str, n_jobs: int | None) -> npt.NDArray[np.float64]:
    edges = check_array(graph, accept_sparse="csr", dtype=np.float64, order="C", input_name="graph")
    if sparse.issparse(edges):
        edges.eliminate_zeros()
    made = Input(own=True)
    made.add("graph", edges, True, None, None)
    return _native.graph_kernel(made.native, text, _native.Run(threads=threads_of(n_jobs)))


def diffusion_matrix(
    graph: Any,
    beta: float = 1.0,
    laplacian: Literal["normalized", "plain"] = "normalized",
    n_jobs: int | None = None,
) -> npt.NDArray[np.float64]:
    """Diffusion kernel exp(-beta L) of a graph, for all its nodes together.

    Such a kernel has no values for nodes that the graph does not have. To predict, compute it of the whole graph, learn
    from the rows and columns of the training nodes and give those of new ones: ``K[train][:, train]``, ``K[new][:, train]``.
    The kernel :func:`diffusion` computes the same of the training instances of a fit.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n)
        Weights of edges, symmetric and not negative; the diagonal does not count.
    beta : float, default=1.0
        Time of the diffusion, above 0.
    laplacian : {"normalized", "plain"}
        L = I - D^(-1/2) A D^(-1/2), where nodes without an edge have a row of zeros, or D - A.
    n_jobs : int, default=None
        Threads, as in scikit-learn.

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> from cokernel import diffusion_matrix
    >>> diffusion_matrix([[0, 1], [1, 0]], beta=100.0).round(3)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    return _matrix(graph, f"diffusion:beta={_numbers(beta)}:laplacian={laplacian}", n_jobs)


def random_walk_matrix(
    graph: Any, steps: int = 2, a: float = 2.0, n_jobs: int | None = None
) -> npt.NDArray[np.float64]:
    """Random walk kernel (a I - L) ** steps of a graph, for all its nodes together; see :func:`diffusion_matrix`.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n, n)
        Weights of edges, symmetric and not negative; the diagonal does not count.
    steps : int, default=2
        Steps of the walk, at least 1.
    a : float, default=2.0
        At least 2.
    n_jobs : int, default=None
        Threads, as in scikit-learn.

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> from cokernel import random_walk_matrix
    >>> random_walk_matrix([[0, 1], [1, 0]], steps=1)
    array([[1., 1.],
           [1., 1.]])
    """
    return _matrix(graph, f"random_walk:steps={steps}:a={_numbers(a)}", n_jobs)
