"""Transformers: views to kernels, to one combined kernel, to an embedding."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._json import loads
from ._base import (
    NativeEstimator,
    SavedEstimator,
    keep_embedding,
    named_params,
    seed_of,
    whole,
)
from ._classes import class_names, known_classes, labelled
from ._classifiers import KernelClassifier, refuse_others
from ._clusterers import graph_texts
from ._kernels import kernel_texts
from ._mkl_classifier import MKLClassifier
from ._pairs import PairLearner, native_pairs
from ._report import Report, Weights, warn_unless_converged


class _Transformer(TransformerMixin, NativeEstimator):  # type: ignore[misc]
    """A transformer whose training rows are needed to compare new ones with them."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags


class KernelBank(_Transformer):
    """Views to kernel matrices.

    Parameters
    ----------
    views, kernels, scale, storage, time_limit, memory, n_jobs, verbose
        As in :class:`MKLClassifier`.

    Attributes
    ----------
    kernel_names_ : list of str
        The resolved kernels, with their widths.
    kernel_views_ : list of str
        The view of each.
    notes_ : list of str
        Sentences about data and kernels that are worth reading.
    n_features_in_ : int
        Columns of X, or of all views.

    Examples
    --------
    >>> from cokernel import KernelBank, gaussian, linear
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(50, separations=[4.0, 2.0], random_state=0)
    >>> bank = KernelBank(kernels=[gaussian(), linear()])
    >>> bank.fit_transform(X).shape
    (4, 50, 50)
    >>> bank.transform({name: table[:3] for name, table in X.items()}).shape
    (4, 3, 50)
    """

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.views = views
        self.kernels = kernels
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _prepare(self, X: Any) -> _native.PreparedViews:
        views = self._read(self._match(X, reset=True), reset=True, own=True)
        kernels = self._kernel_texts()
        with self._words():
            method = _native.Clusterer(
                method="spectral",
                params=[],
                kernels=kernels,
                graphs=[],
                scale=self.scale or "none",
                storage=self.storage,
            )
            prepared = method.prepare(views, self._run())
        self.notes_ = [*prepared.warnings, *prepared.notes]
        for remark in prepared.warnings:
            warnings.warn(f"{type(self).__name__}: {remark}", UserWarning, stacklevel=3)
        self._kernels = prepared.fitted_kernels()
        self.kernel_names_ = self._kernels.kernels
        self.kernel_views_ = self._kernels.views
        return prepared

    def fit(self, X: Any, y: Any = None) -> KernelBank:
        """Resolve widths and normalisations on the training instances.

        The features are copied (their size in memory): :meth:`transform` compares with them as they
        are now.

        Parameters
        ----------
        X : as in :meth:`MKLClassifier.fit`
            The training instances.
        y : ignored

        Returns
        -------
        self
            The fitted transformer.
        """
        self._prepare(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> npt.NDArray[np.float64]:
        """Fit, and give the kernels between the training instances.

        Parameters
        ----------
        X : as in :meth:`MKLClassifier.fit`
            The training instances.
        y : ignored

        Returns
        -------
        ndarray of shape (M, n, n)
        """
        prepared = self._prepare(X)
        count = len(self.kernel_names_)
        one = np.eye(count).tolist()
        run = self._run()
        return np.stack([prepared.gram(one[m], run) for m in range(count)])

    def transform(self, X: Any) -> npt.NDArray[np.float64]:
        """The kernels between new and training instances.

        Parameters
        ----------
        X : as in :meth:`fit`
            New instances.

        Returns
        -------
        ndarray of shape (M, n_new, n)
        """
        check_is_fitted(self)
        return np.stack(self._kernels.cross(self._read_new(X), self._run()))


class KernelCombiner(_Transformer):
    """Views to the one kernel that a method has learned, for any estimator with
    ``kernel="precomputed"``.

    Parameters
    ----------
    estimator : classifier of this package, optional
        Learns the weights; default :class:`MKLClassifier` with its defaults.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    weights_ : Weights
        View, kernel and weight of every kernel.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> from cokernel import KernelCombiner, SimpleMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(100, separations=[4.0, 0.0], random_state=0)
    >>> combiner = KernelCombiner(SimpleMKLClassifier(C=1.0, random_state=0))
    >>> make_pipeline(combiner, SVC(kernel="precomputed")).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(self, estimator: KernelClassifier | None = None) -> None:
        if estimator is not None:
            refuse_others(estimator)
        self.estimator = estimator

    def _prepare(self, X: Any, y: Any, ordered: bool = False) -> _native.Prepared:
        """``ordered``: y must be in the order of X, for others take it by position."""
        from sklearn.base import clone

        chosen: Any = MKLClassifier()
        if self.estimator is not None:
            refuse_others(self.estimator)
            chosen = clone(self.estimator)
        given = chosen._match(X, reset=True, y=y)
        if ordered and given.others["y"] is not y:
            raise ValueError(
                "y has the instances of X in another order, and what follows takes the rows of the "
                "combined kernel by position: bring y into the order of X, as y.loc[X.index] does"
            )
        views, codes, _ = chosen._instances(given, own=True)
        run = chosen._run(seed_of(chosen.random_state))
        with chosen._words():
            learner, names = chosen._native_problem()
            prepared: _native.Prepared = learner.prepare(views, names, codes, None, run)
            model, _ = learner.fit_prepared(prepared, run)
        rule = loads(model.summary())["rule"]
        if model.maps_features() or rule not in ("linear", "product"):
            method = loads(model.summary())["method"]
            raise ValueError(
                f"{type(self).__name__}: method {method!r} gives no weighted sum or product of the "
                "given kernels; choose one that does (mean, simple_mkl)"
            )
        chosen._took(model)
        warn_unless_converged(type(chosen).__name__, chosen.report_)
        self.estimator_ = chosen
        self.weights_: Weights = chosen.weights_
        self.report_: Report = chosen.report_
        self.n_features_in_ = chosen.n_features_in_
        if hasattr(chosen, "feature_names_in_"):
            self.feature_names_in_ = chosen.feature_names_in_
        self._kernels = prepared.fitted_kernels()
        self._rule = model.rule_weights()
        return prepared

    def fit(self, X: Any, y: Any) -> KernelCombiner:
        """Learn the weights.

        The features are copied (their size in memory): :meth:`transform` compares with them as they
        are now.

        Parameters
        ----------
        X, y
            As in :meth:`MKLClassifier.fit`.

        Returns
        -------
        self
            The fitted transformer.
        """
        self._prepare(X, y)
        return self

    def fit_transform(self, X: Any, y: Any) -> npt.NDArray[np.float64]:
        """Learn the weights, and give the combined kernel between the training instances.

        Parameters
        ----------
        X, y
            As in :meth:`MKLClassifier.fit`.

        Returns
        -------
        ndarray of shape (n, n)
        """
        prepared = self._prepare(X, y, ordered=True)
        run = self.estimator_._run()
        if self._rule is not None:
            return prepared.gram(self._rule, run)
        one = np.eye(len(self.weights_)).tolist()
        product: npt.NDArray[np.float64] = np.prod([prepared.gram(row, run) for row in one], axis=0)
        return product

    def transform(self, X: Any) -> npt.NDArray[np.float64]:
        """The combined kernel between new and training instances.

        Parameters
        ----------
        X : as in :meth:`fit`
            New instances.

        Returns
        -------
        ndarray of shape (n_new, n)
        """
        check_is_fitted(self)
        fitted = self.estimator_
        views, run = fitted._read_new(X), fitted._run()
        if self._rule is not None:
            combined: npt.NDArray[np.float64] = self._kernels.combined(views, self._rule, run)
            return combined
        product: npt.NDArray[np.float64] = np.prod(self._kernels.cross(views, run), axis=0)
        return product

    def _precomputed(self) -> bool:
        return self.estimator is not None and self.estimator._precomputed()

    def _similar(self) -> bool | frozenset[str]:
        return False if self.estimator is None else self.estimator._similar()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class MultiViewEmbedding(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    SavedEstimator,
    _Transformer,
):
    """Views to the embedding of a multi-view method.

    Parameters
    ----------
    n_components : int, default=8
        The number of clusters for which the method embeds; the embedding has as many columns, or
        as many from each view where the method puts views side by side (fewer, with a note, where
        eigenvalues are 0 up to rounding).
    method : str, default="co_trained"
        Registry id of a method that clusters, or that embeds only: ``pca``, ``kernel_pca``, and
        by classes ``fda``, ``lfda``, ``kernel_fda``, ``kernel_lfda``, ``gpk``, ``lpk``.
    method_params, views, kernels, graphs, pair_learner, scale, storage
        As in :class:`MultiViewSpectralClustering`.
    time_limit, memory, random_state, n_jobs, verbose
        As in :class:`MultiViewSpectralClustering`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_columns)
        The training instances.
    eigenvectors_, eigenvalues_, eigengaps_, agreement_
        As in :class:`MultiViewSpectralClustering`.
    projection_ : ndarray of shape (n_features, n_columns) or None
        The linear map of the features of all views side by side, as ``scale`` left them, where the embedding is one
        (``pca``, ``fda``, ``lfda``, ``gpk``); a constant may be added to it.
    weights_ : ndarray of shape (n_kernels,) or None
        Weights of the kernels, of a method that learns them.
    report_ : Report
        Status, iterations, objective, notes.
    n_features_in_ : int
        Columns of X, or of all views.

    Examples
    --------
    >>> from cokernel import MultiViewEmbedding
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(90, n_classes=3, separations=[6.0, 6.0], random_state=0)
    >>> MultiViewEmbedding(3, method="spectral", random_state=0).fit_transform(X).shape
    (90, 3)
    >>> MultiViewEmbedding(2, method="lfda").fit(X, y).transform(X).shape
    (90, 2)
    """

    def __init__(
        self,
        n_components: int = 8,
        *,
        method: str = "co_trained",
        method_params: dict[str, Any] | None = None,
        views: Any = None,
        kernels: Any = None,
        graphs: Any = None,
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.method_params = method_params
        self.views = views
        self.kernels = kernels
        self.graphs = graphs
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    _names = {"n_clusters": "n_components"}

    def fit(
        self, X: Any, y: Any = None, *, present: Any = None, pairs: Any = None
    ) -> MultiViewEmbedding:
        """Embed the training instances.

        The features are copied (their size in memory): :meth:`transform` compares with them as they
        are now.

        Parameters
        ----------
        X, present, pairs
            As in :meth:`MultiViewSpectralClustering.fit`.
        y : array-like of shape (n,), optional
            Classes, for methods that learn from them (``fda``, ``lfda``, ``kernel_fda``,
            ``kernel_lfda``, ``gpk``, ``lpk``): None or NaN where the class is not known. The others ignore it.

        Returns
        -------
        self
            The fitted transformer.
        """
        k = whole("n_components", self.n_components)
        supervised = _native.Clusterer.learns_from_labels(self.method)
        others = {"y": y} if supervised else {}
        given = self._match(X, reset=True, union=True, present=present, **others)
        views = self._read(given, reset=True, own=True, lacking=True)
        run = self._run(seed_of(self.random_state))
        learned = native_pairs(self.pair_learner, pairs, given.ids, views.n)
        with self._words():
            method = _native.Clusterer(
                method=self.method,
                params=named_params(self.method_params),
                kernels=self._kernel_texts(),
                graphs=graph_texts(self.graphs),
                scale=self.scale or "none",
                storage=self.storage,
                pairs=learned,
            )
            if supervised:
                names, codes = self._codes(given.others["y"], views.n)
                found, self._model = method.embed_labelled(views, names, codes, k, run)
            else:
                found, self._model = method.embed(views, k, run)
        told = loads(found["told"])
        self.embedding_: npt.NDArray[np.float64] = found["rows"]
        self.eigenvectors_: list[npt.NDArray[np.float64]] = found["eigenvectors"]
        keep_embedding(self, told, _native.__version__)
        self._n_features_out = self.embedding_.shape[1]
        warn_unless_converged(type(self).__name__, self.report_)
        return self

    @property
    def projection_(self) -> npt.NDArray[np.float64] | None:
        check_is_fitted(self)
        return self._model.projection()

    def _codes(self, y: Any, n: int) -> tuple[list[str], npt.NDArray[np.int64]]:
        """Names of classes, and the code of each instance, -1 where its class is not known."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: method "
                f"{self.method!r} learns from labels"
            )
        values, known = known_classes(y, negative=False)
        if len(values) != n:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"X has {n}, y has {len(values)}"
            )
        classes = labelled(values, known)
        check_classification_targets(classes)
        names, codes = np.unique(classes), np.full(n, -1, dtype=np.int64)
        codes[known] = np.searchsorted(names, classes)
        return class_names(names), codes

    def fit_transform(
        self, X: Any, y: Any = None, *, present: Any = None, pairs: Any = None
    ) -> npt.NDArray[np.float64]:
        """Embed the training instances, and give their embedding.

        Parameters
        ----------
        X, y, present, pairs
            As in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n, n_columns)
        """
        return self.fit(X, y, present=present, pairs=pairs).embedding_

    def transform(self, X: Any, *, present: Any = None) -> npt.NDArray[np.float64]:
        """The embedding of new instances: by the Nyström extension, or the linear map that was learned.

        Parameters
        ----------
        X : as in :meth:`fit`
            With precomputed kernels, the values between new and training instances.
        present : as in :meth:`fit`
            Which of these instances have which view.

        Returns
        -------
        ndarray of shape (n, n_columns)

        Raises
        ------
        ValueError
            The method has no extension to new instances.
        """
        check_is_fitted(self)
        self._model.require_new()
        return self._model.transform(self._read_new(X, present), self._run())
