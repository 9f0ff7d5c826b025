"""What a fitted model owes to its views, and how far its weights can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ._folds import masks_of, seeing
from ._instances import by_view, is_several, n_rows, take
from ._learners import KernelLearner, number
from ._report import Weights
from .conformal import sliced

__all__ = ["view_importance", "weight_spread"]


def view_importance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    n_repeats: int = 5,
    random_state: Any = None,
    present: Any = None,
) -> dict[str, npt.NDArray[np.float64]]:
    """What a score loses without each view: permutation importance.

    A view is dealt among the instances that have it, so that it says of each what it says of another one; the others stay
    as they are.
    Two views that say the same can each look dispensable. Use instances from which the estimator did not learn.

    Parameters
    ----------
    estimator : fitted classifier or regressor of this package
    X : as ``MKLClassifier.predict`` takes it
        Instances, by position (no index is matched).
    y : array-like of shape (n,)
        Their classes or numbers.
    scoring : str or callable, optional
        As in scikit-learn; default the accuracy, or R² of a regressor.
    n_repeats : int, default=5
        How often each view is dealt.
    random_state : int, RandomState or None
    present : DataFrame or array of booleans of shape (n, n_views), dict or list of masks, optional
        Which instances have which view, by position.

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
    masks = None if present is None else by_view(present)

    def scored(given: Any, masks: Any) -> Any:
        return score(seeing(estimator, masks), given, y)

    whole = scored(X, masks)
    lost: dict[str, npt.NDArray[np.float64]] = {}
    for name in layout.names:
        found, having = [], _having(X, masks, layout, name)
        for _ in range(int(n_repeats)):
            rows = np.arange(n)
            rows[having] = rng.permutation(having)
            found.append(scored(_dealt(X, layout, name, rows), masks))
        lost[name] = whole - np.asarray(found)
    return lost


def weight_spread(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    n_resamples: int = 20,
    random_state: Any = None,
    **fit_params: Any,
) -> Weights:
    """The weights of a fitted estimator with their standard errors: how much they vary over other samples.

    The estimator is fitted to random halves of the instances, of each class a half. The standard deviation of a weight
    over halves of a sample estimates that of the weight of the whole sample over samples (the jackknife that leaves out
    half; Shao and Wu, *A general theory for jackknife variance estimation*, Annals of Statistics 17, 1989), as far as
    half as many instances give similar weights: a C that is chosen for all of them is half as much for a half.
    Kernels that say the same share a weight by chance; their errors are then large, that of their sum is not.

    Parameters
    ----------
    estimator : fitted estimator of this package with ``weights_``
    X : as ``fit`` took it
        The instances of the fit, by position (no index is matched).
    y : array-like of shape (n,), optional
        Their classes or numbers; none for detectors.
    n_resamples : int, default=20
        How many halves, at least 2. An error of 20 is itself uncertain by about 16 %.
    random_state : int, RandomState or None
    **fit_params
        Entries for each instance that ``fit`` was given (``sample_weight``, ``present``).

    Returns
    -------
    Weights
        Those of the estimator, with ``errors``. The frame ``to_frame()`` and the picture ``plot()`` show them.

    Examples
    --------
    >>> from cokernel import SimpleMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.inspection import weight_spread
    >>> X, y = make_gaussian_views(120, separations=[3.0, 0.0], random_state=0)
    >>> weights = weight_spread(SimpleMKLClassifier().fit(X, y), X, y, random_state=0)
    >>> bool(weights[0].weight - 2 * weights.errors[0] > weights[1].weight + 2 * weights.errors[1])
    True
    """
    if not isinstance(estimator, KernelLearner):
        raise ValueError(f"expected an estimator of this package, found {estimator!r}")
    check_is_fitted(estimator)
    number("n_resamples", n_resamples, "of at least 2", lambda v: v >= 2 and v == int(v))
    whole, n, rng = estimator.weights_, n_rows(X), check_random_state(random_state)
    rows_of: Any = sliced(estimator, X)
    target = None if y is None else np.asarray(y)
    if target is not None and len(target) != n:
        raise ValueError(f"y: expected {n} entries, one for each instance, found {len(target)}")
    strata = np.zeros(n, dtype=np.intp)
    if hasattr(estimator, "classes_"):
        if target is None:
            raise ValueError("y: expected the classes of the instances, found None")
        strata = np.unique([str(v) for v in target], return_inverse=True)[1]
    drawn = []
    for _ in range(int(n_resamples)):
        half = _half(strata, rng)
        given = {} if target is None else {"y": target[half]}
        for name, values in fit_params.items():
            if values is not None:
                given[name] = masks_of(by_view(values), half) if name == "present" else np.asarray(values)[half]
        again: Any = clone(estimator)
        found = again.fit(rows_of(half), **given).weights_
        if len(found) != len(whole):
            raise ValueError(f"a half of the instances has {len(found)} kernels, all of them {len(whole)}")
        drawn.append(np.asarray(found))
    return Weights(whole, np.std(drawn, axis=0, ddof=1))


def _half(strata: npt.NDArray[np.intp], rng: Any) -> npt.NDArray[np.intp]:
    """A random half of each stratum, in order; of an odd number now the smaller half, now the larger one."""
    chosen = []
    for stratum in np.unique(strata):
        rows = rng.permutation(np.flatnonzero(strata == stratum))
        size = len(rows) // 2 + (rng.randint(2) if len(rows) % 2 else 0)
        chosen.append(rows[: max(size, 1)])
    return np.sort(np.concatenate(chosen))


def _having(X: Any, masks: Any, layout: Any, name: str) -> npt.NDArray[np.intp]:
    """The instances that have a view: by its mask, and by rows of numbers that are not all NaN."""
    has = np.ones(n_rows(X), dtype=bool)
    if isinstance(masks, Mapping):
        said = {str(known): mask for known, mask in masks.items()}
        has &= np.asarray(said.get(name, has), dtype=bool)
    elif masks is not None:
        known = layout.all_names if len(masks) == len(layout.all_names) else layout.names
        has &= np.asarray(masks[list(known).index(name)], dtype=bool)
    if layout.kind == "columns":
        table = X.iloc[:, layout.columns[name]] if hasattr(X, "iloc") else X[:, layout.columns[name]]
    elif hasattr(X, "items"):
        table = next((t for known, t in X.items() if str(known) == name), None)
    else:
        table = dict(zip(layout.all_names if len(X) == len(layout.all_names) else layout.names, X)).get(name)
    values = table.to_numpy() if hasattr(table, "to_numpy") else table
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind == "f":
        has &= ~np.isnan(values).all(axis=1)
    return np.flatnonzero(has)


def _dealt(X: Any, layout: Any, name: str, rows: npt.NDArray[np.intp]) -> Any:
    """X with one view in another order of its rows."""
    if layout.kind == "columns":
        columns = layout.columns[name]
        if hasattr(X, "iloc"):
            X = X.copy()
            X.iloc[:, columns] = X.iloc[rows, columns].to_numpy()
            return X
        array: Any = X.tolil(copy=True) if hasattr(X, "tolil") else np.array(X)
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
