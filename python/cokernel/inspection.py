"""What a fitted model owes to its views."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ._instances import is_several, n_rows, take
from ._learners import KernelLearner, number

__all__ = ["view_importance"]


def view_importance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    n_repeats: int = 5,
    random_state: Any = None,
) -> dict[str, npt.NDArray[np.float64]]:
    """What a score loses without each view: permutation importance.

    A view is dealt among the instances, so that it says of each what it says of another one; the others stay as they are.
    Two views that say the same can each look dispensable. Use instances from which the estimator did not learn.

    Parameters
    ----------
    estimator : fitted classifier or regressor of this package
    X : as :meth:`MKLClassifier.predict` takes it
        Instances, by position (no index is matched).
    y : array-like of shape (n,)
        Their classes or numbers.
    scoring : str or callable, optional
        As in scikit-learn; default the accuracy, or R² of a regressor.
    n_repeats : int, default=5
        How often each view is dealt.
    random_state : int, RandomState or None

    Returns
    -------
    dict of str to ndarray of shape (n_repeats,)
        For each view what was lost each time.

    Examples
    --------
    >>> from cokernel import MKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.inspection import view_importance
    >>> X, y = make_gaussian_views(100, separations=[6.0, 0.0], random_state=0)
    >>> lost = view_importance(MKLClassifier("mean").fit(X, y), X, y, random_state=0)
    >>> {name: bool(values.mean() > 0.2) for name, values in lost.items()}
    {'view0': True, 'view1': False}
    """
    if not isinstance(estimator, KernelLearner):
        raise ValueError(f"expected an estimator of this package, found {estimator!r}")
    check_is_fitted(estimator)
    number("n_repeats", n_repeats, "of at least 1", lambda v: v >= 1 and v == int(v))
    layout, score = estimator._layout, check_scoring(estimator, scoring)
    rng, n = check_random_state(random_state), n_rows(X)
    if layout.kind == "table" and not is_several(X):
        raise ValueError("the model has one view; without it nothing is left")
    whole = score(estimator, X, y)
    lost: dict[str, npt.NDArray[np.float64]] = {}
    for name in layout.names:
        found = [score(estimator, _dealt(X, layout, name, rng.permutation(n)), y) for _ in range(int(n_repeats))]
        lost[name] = whole - np.asarray(found)
    return lost


def _dealt(X: Any, layout: Any, name: str, rows: npt.NDArray[np.intp]) -> Any:
    """X with one view in another order of its rows."""
    if layout.kind == "columns":
        columns = layout.columns[name]
        if hasattr(X, "iloc"):
            X = X.copy()
            X.iloc[:, columns] = X.iloc[rows, columns].to_numpy()
            return X
        array = X.tolil(copy=True) if hasattr(X, "tolil") else np.array(X)
        array[:, columns] = array[rows][:, columns]
        return array.tocsr() if hasattr(X, "tolil") else array
    every = np.arange(n_rows(X))
    if isinstance(X, np.ndarray):
        X = dict(zip(layout.names, X))
    elif not hasattr(X, "items"):
        X = dict(zip(layout.all_names or layout.names, X))
    moved = {}
    for known, table in X.items():
        if str(known) != name or table is None:
            moved[known] = table
            continue
        # Of similarities to the training instances only the rows move.
        part = take({name: table}, rows, every, similar=False)[name]
        if hasattr(part, "index") and hasattr(table, "index"):
            part.index = table.index
        moved[known] = part
    return moved
