"""Scores of a clustering against classes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length, column_or_1d

from . import _native

__all__ = ["cluster_scores"]


def _is_missing(label: Any) -> bool:
    """Whether it is None, NaN or the NA of pandas, which are not equal to themselves."""
    same = label == label
    return label is None or not isinstance(same, (bool, np.bool_)) or not same


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
        missing = next((i for i, label in enumerate(labels.tolist()) if _is_missing(label)), None)
        if missing is not None:
            raise ValueError(
                f"{name}: row {missing} has no label (NaN); leave out the instances whose class is not "
                "known"
            )
    codes = [np.unique(v, return_inverse=True)[1].astype(np.int64) for v in (predicted, true)]
    found: dict[str, Any] = json.loads(_native.cluster_scores(codes[0], codes[1]))
    pairs = found.pop("pairs")
    return {**found, **pairs}
