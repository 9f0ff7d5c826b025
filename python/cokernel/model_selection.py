"""Cross-validation and grid search that compute the kernels of a fold once.

Scikit-learn's functions work on the estimators, too; they compute the kernels again for every
combination of parameters. Here the combinations of a fold share them, and fits that differ in C
alone start from each other.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.metrics import check_scoring

from . import _native
from ._folds import Problem, refuse_others, refuse_several_scores, seeing
from ._learners import KernelLearner, machine_methods
from ._search import GridSearchBank, SurfaceSearchBank

__all__ = ["GridSearchBank", "SurfaceSearchBank", "by_integration", "cross_validate_bank", "plot_costs"]


def by_integration(estimator: KernelLearner, kind: str = "integration") -> dict[str, KernelLearner]:
    """The same estimator with methods of all kinds of integration, for ``cross_validate_bank``.

    Parameters
    ----------
    estimator : MKLClassifier, MKLRegressor or MKLOutlierDetector
        With kernels, machine and the rest as all shall have them.
    kind : str
        ``"early"``, ``"intermediate"`` or ``"late"`` for all methods of a kind that go with the task; ``"integration"``
        for all early and late ones, and of the intermediate ones the controls, the plain sum and the recommended.

    Returns
    -------
    dict of str to estimator
        By kind and method, as ``"late: late_mean"``; those that do not go with the machine are left out.

    Examples
    --------
    >>> from cokernel import MKLClassifier
    >>> from cokernel.model_selection import by_integration
    >>> [name for name in by_integration(MKLClassifier()) if not name.startswith("intermediate")]
    ['early: concat', 'late: best_single', 'late: late_mean', 'late: ekp', 'late: lp_beta']
    """
    able = machine_methods(str(estimator.machine))
    found = _native.methods_named(kind, estimator._task)
    chosen = [(id, of) for id, of in found if id in able]
    return {f"{of}: {id}": clone(estimator).set_params(method=id) for id, of in chosen}


def plot_costs(
    models: Mapping[str, KernelLearner],
    X: Any,
    y: Any,
    costs: Mapping[str, float] | None = None,
    ax: Any = None,
) -> Any:
    """Draw the score of fitted models against what predicting an instance costs.

    Parameters
    ----------
    models : dict of str to fitted estimators
    X, y : instances that they have not seen, and what is known of them
    costs : dict of str to float, optional
        The price of each view or kernel, as in ``total_cost``; without them the prices of the methods, which all
        models then must have.
    ax : matplotlib Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    Axes
    """
    from ._plot import plot_costs as drawn

    points = {}
    for name, model in models.items():
        cost = model.total_cost(costs)
        if cost is None:
            raise ValueError(f"costs: '{name}' has no prices of its own; give costs={{view: price, ...}}")
        points[name] = (cost, model.score(X, y))
    return drawn(points, "score", ax)


def cross_validate_bank(
    estimators: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = None,
    scoring: Any = None,
    groups: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    present: Any = None,
    return_train_score: bool = False,
    return_estimator: bool = False,
) -> Any:
    """Cross-validate one estimator or several, on kernels that are computed once for each fold.

    Parameters
    ----------
    estimators : classifier, regressor or outlier detector, or dict of such
        Estimators of this package, all for the same task.
    X : array of shape (n, d), sparse matrix, DataFrame, dict or list of them, or (M, n, n) array
        The instances; precomputed kernels are cut on both axes.
    y : array-like of shape (n,), optional
        Classes or numbers; where the machine learns from instances without a class, these are learned from in
        every fold and never tested; for outlier detectors what the score compares with, as ``"roc_auc"`` does.
    cv : int, splitter or iterable, optional
        As in scikit-learn.
    scoring : str or callable, optional
        One score, as in scikit-learn; default accuracy, or R² of numbers.
    groups : array-like of shape (n,), optional
        Groups for the splitter.
    sample_weight : array-like of shape (n,), optional
        Factors of C in training.
    present : DataFrame or array of booleans of shape (n, n_views), dict or list of masks, optional
        Which instances have which view.
    return_train_score, return_estimator : bool, default=False
        Whether to give these, too.

    Returns
    -------
    dict of ndarray, or dict of such dicts
        ``test_score``, ``fit_time``, ``score_time``, as scikit-learn's ``cross_validate`` gives them;
        for several estimators one dict for each. The time of the kernels counts for the first
        one that needs them.

    Examples
    --------
    >>> from cokernel import MKLClassifier, cross_validate_bank
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(120, separations=[4.0, 2.0], random_state=0)
    >>> both = {m: MKLClassifier(m, random_state=0) for m in ("mean", "simple_mkl")}
    >>> found = cross_validate_bank(both, X, y, cv=3)
    >>> [round(float(found[m]["test_score"].mean()), 2) for m in both]
    [0.97, 0.97]
    """
    several = isinstance(estimators, Mapping)
    named = dict(estimators) if several else {"": estimators}
    refuse_others(named.values())
    refuse_several_scores(scoring)
    problem = Problem.of(named, X, y, sample_weight, groups, present)
    found: dict[str, dict[str, list[Any]]] = {name: {} for name in named}
    for fold in problem.folds(cv):
        for name, estimator in named.items():
            fitted = clone(estimator)
            start = time.perf_counter()
            fold.bank.fit(fitted)
            trained = time.perf_counter()
            scorer = check_scoring(fitted, scoring=scoring)
            values = {"test_score": scorer(seeing(fitted, fold.present), fold.X, fold.y)}
            values["fit_time"] = trained - start
            values["score_time"] = time.perf_counter() - trained
            if return_train_score:
                given = fold.bank.given
                values["train_score"] = scorer(seeing(fitted, given.present), given.X, given.others["y"])
            if return_estimator:
                values["estimator"] = fitted
            for key, value in values.items():
                found[name].setdefault(key, []).append(value)
    results = {
        name: {k: v if k == "estimator" else np.array(v) for k, v in lists.items()}
        for name, lists in found.items()
    }
    return results if several else results[""]
