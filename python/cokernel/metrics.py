"""Scores of a clustering against classes, and of kernels against a target."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length, column_or_1d

from . import _native
from ._json import loads
from ._classes import is_missing
from ._mkl_classifier import MKLClassifier
from ._regressors import MKLRegressor

__all__ = ["cluster_scores", "kernel_scores"]


def cluster_scores(labels_true: npt.ArrayLike, labels_pred: npt.ArrayLike) -> dict[str, float]:
    """All scores of a clustering.

    Parameters
    ----------
    labels_true : array-like of shape (n,)
        Classes.
    labels_pred : array-like of shape (n,)
        Clusters.

    Returns
    -------
    dict
        ``nmi`` (normalised by the arithmetic mean of the entropies), ``nmi_geometric`` (by their
        geometric mean), ``nmi_max`` (by the larger of them), ``adjusted_rand``,
        ``accuracy`` (best matching of clusters to classes), ``purity``, ``entropy`` (bits; smaller is
        better), and over pairs of instances ``precision``, ``recall`` and ``f``.

    Raises
    ------
    ValueError
        Labels of different length, none, or labels that are missing (NaN, None).

    Examples
    --------
    >>> from cokernel.metrics import cluster_scores
    >>> scores = cluster_scores([0, 0, 1, 1], [1, 1, 0, 0])
    >>> scores["nmi"], scores["accuracy"]
    (1.0, 1.0)
    """
    true, predicted = column_or_1d(labels_true), column_or_1d(labels_pred)
    check_consistent_length(true, predicted)
    for name, labels in (("labels_true", true), ("labels_pred", predicted)):
        missing = next((i for i, label in enumerate(labels.tolist()) if is_missing(label)), None)
        if missing is not None:
            raise ValueError(
                f"{name}: row {missing} has no label (NaN); leave out the instances whose class is not "
                "known"
            )
    codes = [np.unique(v, return_inverse=True)[1].astype(np.int64) for v in (predicted, true)]
    found: dict[str, Any] = loads(_native.cluster_scores(codes[0], codes[1]))
    pairs = found.pop("pairs")
    return {**found, **pairs}


def kernel_scores(
    X: Any,
    y: Any,
    *,
    task: str = "classify",
    views: Any = None,
    kernels: Any = None,
    scale: str | None = None,
    storage: str = "auto",
    n_jobs: int | None = None,
) -> list[dict[str, Any]]:
    """How well each kernel fits a target, before any machine is trained.

    Parameters
    ----------
    X : as in :meth:`cokernel.MKLClassifier.fit`
        The instances.
    y : array-like of shape (n,)
        Classes or numbers.
    task : {"classify", "regress"}, default="classify"
        Whether ``y`` holds classes or numbers.
    views, kernels, scale, storage, n_jobs
        As in :class:`cokernel.MKLClassifier`.

    Returns
    -------
    list of dict
        For each kernel its name ``kernel`` and its ``view``; ``alignment`` with the ideal kernel of the
        target (1 for two instances of one class, -1/(k - 1) for others; products of centred numbers) and
        ``centered_alignment`` after centring in feature space, the larger the better;
        ``ideal_distance`` from it, relative to its norm; ``fsm`` and ``fsm_total``, deviation of classes along
        the line between their centres, and in all, over the distance of the centres (None for numbers);
        ``divergence`` from the ideal kernel in nats per instance (None above 2,000 instances); these
        are the better the smaller. For ``ideal_distance`` and ``divergence`` all kernels are divided by
        one number, the mean of all their diagonal entries, so that both depend on the sizes of kernels
        relative to each other; with normalised kernels (``normalize=unit_diagonal``) on their shapes only.

    Raises
    ------
    ValueError
        As :meth:`cokernel.MKLClassifier.fit`.

    Examples
    --------
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import kernel_scores
    >>> X, y = make_gaussian_views(120, separations=[4.0, 1.0], random_state=0)
    >>> first, second = kernel_scores(X, y)
    >>> first["centered_alignment"] > second["centered_alignment"]
    True
    """
    learners = {"classify": MKLClassifier, "regress": MKLRegressor}
    if task not in learners:
        raise ValueError(f"task: expected 'classify' or 'regress', found {task!r}")
    estimator: Any = learners[task](
        "mean", views=views, kernels=kernels, scale=scale, storage=storage, n_jobs=n_jobs
    )
    given = estimator._match(X, reset=True, union=True, y=y, sample_weight=None)
    ready = estimator._ready(given)
    run = estimator._run(0)
    with estimator._words():
        scores = ready.prepare(ready.learner(), run).scores(run)
    found: list[dict[str, Any]] = loads(scores)
    return found
