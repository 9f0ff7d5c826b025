"""Clusterers: many kernels, one embedding, k-means in it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClusterMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._json import loads
from ._base import SavedEstimator, chosen, keep_embedding, seed_of, whole
from ._kernels import kernel_texts
from ._limits import MOST_STARTS
from ._pairs import PairLearner, native_pairs
from ._report import warn_unless_converged


def graph_texts(graphs: Any) -> list[str]:
    """The texts of the ``graphs`` parameter."""
    if graphs is None:
        return []
    return [graphs] if isinstance(graphs, str) else [str(g) for g in graphs]


@cache
def _without_new_rows() -> frozenset[str]:
    """The methods in whose results new rows have no place."""
    return frozenset(m["id"] for m in loads(_native.methods()) if not m["places_new_rows"])


def _places_new_rows(clusterer: Any) -> bool:
    return clusterer._method()[0] not in _without_new_rows()


class ViewClusterer(ClusterMixin, SavedEstimator):  # type: ignore[misc]
    """Base of the clusterers; subclasses name the method and its parameters."""

    _method_id: str
    _method_params: list[str] = []

    def _method(self) -> tuple[str, list[tuple[str, Any]]]:
        return self._method_id, self._params_of(self._method_params)

    def _clusterer(self, pairs: Any) -> _native.Clusterer:
        method, params = self._method()
        scale = "scale" not in self._method_params and getattr(self, "scale", None)
        return _native.Clusterer(
            method=method,
            params=params,
            kernels=self._kernel_texts(),
            graphs=graph_texts(self.graphs),
            scale=str(scale) if scale else "none",
            storage=self.storage,
            pairs=pairs,
        )

    def fit(
        self, X: Any, y: Any = None, *, present: Any = None, pairs: Any = None
    ) -> ViewClusterer:
        """Embed and cluster.

        The features are copied (their size in memory): :meth:`predict` compares with them as they are
        now.

        Parameters
        ----------
        X : array of shape (n, d), sparse matrix, DataFrame, dict or list of them, or (M, n, n) array
            The instances, as the parameter ``views`` arranges them. An instance that lacks a view
            has NaN in all columns of that view; the other views stand in. Tables with an index are
            matched by it, and what is not in the index of a table lacks its view; results are in the
            order of the first of these tables, then of the next.
        y : ignored
        present : DataFrame or array of booleans of shape (n, n_views), dict or list of masks, optional
            Which instances have which view, in place of NaN: columns in the order of the views, or by their names; or
            for each view a mask of shape (n,). An instance lacks a view where the mask or NaN says so. A mask has the
            order of its table, or an index.
        pairs : list of (instance, instance, link[, weight]) or array of shape (p, 3) or (p, 4), optional
            Instances that belong together (link 1 or "must") or apart (-1 or "cannot"), as of
            ``TwoStageMKLClassifier.fit``. The weights of the kernels are learned from them as
            ``pair_learner`` says, and the method works on the weighted kernels.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            Input that cannot be used: single NaN, instances without any view, views that do not fit,
            parameters out of range. The sentence names the place.
        """
        clusters = whole("n_clusters", self.n_clusters)
        n_init = whole("n_init", self.n_init)
        if n_init > MOST_STARTS:
            raise ValueError(f"n_init: expected at most {MOST_STARTS}, found {n_init}")
        given = self._match(X, reset=True, union=True, present=present)
        views = self._read(given, reset=True, own=True, lacking=True)
        run = self._run(seed_of(self.random_state))
        learned = native_pairs(self.pair_learner, pairs, given.ids, views.n)
        with self._words():
            found, model = self._clusterer(learned).cluster(views, clusters, self.protocol, n_init, run)
        told = loads(found["told"])
        self._model = model
        self.labels_: npt.NDArray[np.int64] = found["labels"]
        self.embedding_: npt.NDArray[np.float64] = found["rows"]
        self.eigenvectors_: list[npt.NDArray[np.float64]] = found["eigenvectors"]
        self.cluster_centers_ = found["centers"]
        self.all_labels_ = found["all"]
        self.inertia_ = told["inertia"]
        self.inertias_ = np.array(told["inertias"])
        keep_embedding(self, told, _native.__version__)
        self.n_iter_ = max(1, self.report_.iterations)
        warn_unless_converged(type(self).__name__, self.report_)
        return self

    def fit_predict(
        self, X: Any, y: Any = None, *, present: Any = None, pairs: Any = None
    ) -> npt.NDArray[np.int64]:
        """Embed and cluster, and give the clusters.

        Parameters
        ----------
        X, y, present, pairs
            As in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n,)
            The cluster of each instance, numbered in the order of their first instances.
        """
        return self.fit(X, y, present=present, pairs=pairs).labels_

    @available_if(_places_new_rows)  # type: ignore[untyped-decorator]
    def predict(self, X: Any, *, present: Any = None) -> npt.NDArray[np.int64]:
        """Clusters of new instances: those with the nearest centre in the embedding.

        Parameters
        ----------
        X : as in :meth:`fit`
            With precomputed kernels, the values between new and training instances.
        present : as in :meth:`fit`
            Which of these instances have which view.

        Returns
        -------
        ndarray of shape (n,)

        Raises
        ------
        ValueError
            The method has no extension to new instances.
        """
        check_is_fitted(self)
        self._model.require_new()
        return self._model.assign(self._read_new(X, present), self._run())

    def plot_embedding(self, y: Any = None, ax: Any = None) -> Any:
        """Draw the instances in the first two principal axes of the embedding.

        Parameters
        ----------
        y : array-like of shape (n,), optional
            Colours; default the clusters.
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.

        Returns
        -------
        Axes
        """
        from ._plot import plot_embedding

        check_is_fitted(self)
        return plot_embedding(self.embedding_, self.labels_ if y is None else y, ax)


class MultiViewSpectralClustering(ViewClusterer):
    """Clustering with any of the methods that embed several views.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    method : str, default="co_trained"
        Registry id; :func:`cokernel.methods` lists them.
    method_params : dict, optional
        Parameters of the method; default those of the registry.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts
        from random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where :meth:`fit` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=300" 300 instances stand for all, in time and memory
        proportional to their number, where the method asks kernels for products with thin blocks only (spectral,
        co-trained, co-regularised); :meth:`predict` and files then need these 300 alone. With "fourier:rank=300" 300 random
        features stand for each Gaussian, Laplacian or exponential kernel.
    time_limit : float, optional
        Seconds after which the best solution so far is taken, with a warning.
    memory : int or str, optional
        Bytes for kernels, or a size such as "500MB"; default 2 GiB.
    random_state : int, RandomState or None
        An integer gives the results of the command line with that seed.
    n_jobs : int, optional
        Threads; as in scikit-learn ``None`` is 1 and -1 all. Results do not depend on it.
    verbose : bool, default=False
        Progress on stderr.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The cluster of each instance.
    embedding_ : ndarray of shape (n, n_columns)
        The embedding in which k-means ran.
    cluster_centers_ : ndarray of shape (n_clusters, n_columns)
        Centres of the clusters that are not empty.
    all_labels_ : list of ndarray
        The clusters of every start.
    inertia_, inertias_ : float, ndarray
        Sum of squared distances to the centres: of the result, and of every start.
    eigenvectors_ : list of ndarray of shape (n, n_columns)
        What the embedding is made of, before its rows are brought to unit length: of each kernel, then of
        the centroid of a method that has one, or of the one matrix that the method makes. Empty where
        the embedding is not made of eigenvectors.
    eigenvalues_ : list of ndarray
        Leading eigenvalues, for each kernel or for the one matrix that the method makes. Those that
        are 0 up to rounding are left out, with their eigenvectors. Of ``cca`` and ``kernel_cca`` the
        first array holds the eigenvalues of the matrix of Bach and Jordan less 1: for two views the
        regularised canonical correlations.
    eigengaps_ : list of float or None
        The gap after the last eigenvalue that is used.
    agreement_ : ndarray
        Agreement of the views' subspaces, from 0 to 1, for methods that compare them.
    weights_ : ndarray of shape (n_kernels,) or None
        Weights of the kernels, of a method that learns them.
    report_ : Report
        Status, iterations, objective, notes.
    n_features_in_ : int
        Columns of X, or of all views.

    Examples
    --------
    >>> from cokernel import MultiViewSpectralClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(90, n_classes=3, separations=[6.0, 6.0], random_state=0)
    >>> clusters = MultiViewSpectralClustering(3, random_state=0).fit_predict(X)
    >>> clusters[:6].tolist()
    [0, 1, 2, 0, 1, 2]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        method: str = "co_trained",
        method_params: dict[str, Any] | None = None,
        views: Any = None,
        kernels: Any = None,
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.method_params = method_params
        self.views = views
        self.kernels = kernels
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _method(self) -> tuple[str, list[tuple[str, Any]]]:
        return chosen(self.method, self.method_params)


