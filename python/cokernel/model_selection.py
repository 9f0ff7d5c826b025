"""Cross-validation and grid search that compute the kernels of a fold once.

Scikit-learn's functions work on the estimators, too; they compute the kernels again for every
combination of parameters. Here the combinations of a fold share them, and fits that differ in C
alone start from each other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from . import _native, _views
from ._base import seed_of
from ._classifiers import KernelClassifier
from ._report import warn_unless_converged

__all__ = ["GridSearchBank", "cross_validate_bank"]


def _refuse_others(estimator: Any) -> None:
    if not isinstance(estimator, KernelClassifier):
        raise ValueError(
            f"expected a classifier of this package, found {type(estimator).__name__}"
        )


class _Bank:
    """The kernels of one training set, for as many recipes as the estimators have."""

    def __init__(self, X: Any, y: Any, weights: npt.NDArray[np.float64] | None) -> None:
        self.X, self.y, self.weights = X, y, weights
        self.kept: list[_native.Prepared] = []
        self.warm: tuple[Any, Any] = (None, None)

    def fit(self, estimator: KernelClassifier) -> None:
        """Fits the estimator, on kernels that are there already if they serve it."""
        views = estimator._read(self.X, reset=True)
        codes = estimator._targets(self.X, self.y)
        run = estimator._run(seed_of(estimator.random_state))
        learner, names = estimator._native_problem()
        prepared = next((p for p in self.kept if learner.shares(p)), None)
        if prepared is None:
            prepared = learner.prepare(views, names, codes, self.weights, run)
            self.kept.append(prepared)
        problem = _apart_from_c(estimator)
        start = self.warm[1] if self.warm[0] == (id(prepared), problem) else None
        model, learned = learner.fit_prepared(prepared, run, start)
        self.warm = ((id(prepared), problem), learned)
        estimator._took(model)
        warn_unless_converged(type(estimator).__name__, estimator.report_)


def _weights(sample_weight: Any, X: Any) -> npt.NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    table = np.empty((_views.n_rows(X), 1))
    found: npt.NDArray[np.float64] = _check_sample_weight(
        sample_weight, table, dtype=np.float64, ensure_non_negative=True
    )
    return found


def _apart_from_c(estimator: KernelClassifier) -> str:
    """Everything that decides a fit but C."""
    params = estimator.get_params(deep=False)
    params.pop("C")
    return type(estimator).__name__ + repr(sorted(params.items(), key=lambda p: p[0]))


def _folds(
    cv: Any, X: Any, y: Any, groups: Any
) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    splitter = check_cv(cv, y, classifier=True)
    yield from splitter.split(np.zeros((_views.n_rows(X), 1)), y, groups)


def _fold(
    X: Any, y: Any, weights: Any, train: npt.NDArray[np.intp], test: npt.NDArray[np.intp], similar: Any
) -> tuple[_Bank, Any, Any]:
    """The bank of the training instances, and the test instances."""
    given = None if weights is None else np.ascontiguousarray(weights[train], dtype=np.float64)
    X_train = _views.take(X, train, similar=similar)
    X_test = _views.take(X, test, train, similar=similar)
    return _Bank(X_train, y[train], given), X_test, y[test]


def cross_validate_bank(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    scoring: Any = None,
    groups: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    return_train_score: bool = False,
    return_estimator: bool = False,
) -> Any:
    """Cross-validate one classifier or several, on kernels that are computed once for each fold.

    Parameters
    ----------
    estimators : classifier, or dict of classifiers
        Classifiers of this package.
    X : array of shape (n, d), sparse matrix, DataFrame, dict or list of them, or (M, n, n) array
        The instances; precomputed kernels are cut on both axes.
    y : array-like of shape (n,)
        Classes.
    cv : int, splitter or iterable, optional
        As in scikit-learn.
    scoring : str or callable, optional
        One score, as in scikit-learn; default accuracy.
    groups : array-like of shape (n,), optional
        Groups for the splitter.
    sample_weight : array-like of shape (n,), optional
        Factors of C in training.
    return_train_score, return_estimator : bool, default=False
        Whether to give these, too.

    Returns
    -------
    dict of ndarray, or dict of such dicts
        ``test_score``, ``fit_time``, ``score_time``, as scikit-learn's ``cross_validate`` gives them;
        for several classifiers one dict for each. The time of the kernels counts for the first
        classifier that needs them.

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
    for estimator in named.values():
        _refuse_others(estimator)
    _refuse_several_scores(scoring)
    y = column_or_1d(y, warn=True)
    weights = _weights(sample_weight, X)
    similar = _all_similar(named, X)
    found: dict[str, dict[str, list[Any]]] = {name: {} for name in named}
    for train, test in _folds(cv, X, y, groups):
        bank, X_test, y_test = _fold(X, y, weights, train, test, similar)
        for name, estimator in named.items():
            fitted = clone(estimator)
            start = time.perf_counter()
            bank.fit(fitted)
            trained = time.perf_counter()
            scorer = check_scoring(fitted, scoring=scoring)
            values = {"test_score": scorer(fitted, X_test, y_test)}
            values["fit_time"] = trained - start
            values["score_time"] = time.perf_counter() - trained
            if return_train_score:
                values["train_score"] = scorer(fitted, bank.X, bank.y)
            if return_estimator:
                values["estimator"] = fitted
            for key, value in values.items():
                found[name].setdefault(key, []).append(value)
    results = {
        name: {k: v if k == "estimator" else np.array(v) for k, v in lists.items()}
        for name, lists in found.items()
    }
    return results if several else results[""]


def _all_similar(named: Mapping[str, Any], X: Any) -> Any:
    """Which views are similarities: the same for all."""
    given = isinstance(X, np.ndarray) and X.ndim == 3
    kinds = {given or estimator._similar() for estimator in named.values()}
    if len(kinds) > 1:
        raise ValueError("some of the classifiers expect precomputed kernels, others features")
    return kinds.pop()


def _refuse_several_scores(scoring: Any) -> None:
    if isinstance(scoring, (list, tuple, set, Mapping)):
        raise ValueError(f"scoring: expected one score, found {scoring!r}")


class GridSearchBank(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Grid search whose combinations share the kernels of a fold and start from each other.

    Parameters
    ----------
    estimator : classifier of this package
        What is fitted.
    param_grid : dict or list of dicts
        Parameters and the values to try.
    cv : int, splitter or iterable, optional
        As in scikit-learn.
    scoring : str or callable, optional
        One score, as in scikit-learn; default accuracy.
    refit : bool, default=True
        Whether to fit the best combination on all instances.

    Attributes
    ----------
    cv_results_ : dict of ndarray
        With the keys of scikit-learn's ``GridSearchCV``; combinations are in the order of
        ``ParameterGrid``.
    best_params_, best_score_, best_index_, best_estimator_
        The best combination: the first of those with the highest mean score.
    n_splits_ : int
        Folds.

    Examples
    --------
    >>> from cokernel import GridSearchBank, SimpleMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(120, separations=[4.0, 2.0], random_state=0)
    >>> search = GridSearchBank(SimpleMKLClassifier(random_state=0), {"C": [0.1, 1.0, 10.0]}, cv=3)
    >>> search.fit(X, y).best_params_
    {'C': 1.0}
    """

    def __init__(
        self,
        estimator: KernelClassifier,
        param_grid: Any,
        *,
        cv: Any = None,
        scoring: Any = None,
        refit: bool = True,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.cv = cv
        self.scoring = scoring
        self.refit = refit

    def fit(
        self, X: Any, y: Any, *, groups: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> GridSearchBank:
        """Try all combinations.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`MKLClassifier.fit`.
        groups : array-like of shape (n,), optional
            Groups for the splitter.

        Returns
        -------
        self
            The fitted search.
        """
        _refuse_others(self.estimator)
        _refuse_several_scores(self.scoring)
        y = column_or_1d(y, warn=True)
        weights = _weights(sample_weight, X)
        grid = list(ParameterGrid(self.param_grid))
        made = [clone(self.estimator).set_params(**params) for params in grid]
        # Combinations that differ in C alone follow each other, the smallest C first.
        order = sorted(range(len(grid)), key=lambda i: (_apart_from_c(made[i]), float(made[i].C)))
        similar = _all_similar({str(i): e for i, e in enumerate(made)}, X)
        scores: list[list[float]] = [[] for _ in grid]
        fit_times: list[list[float]] = [[] for _ in grid]
        score_times: list[list[float]] = [[] for _ in grid]
        for train, test in _folds(self.cv, X, y, groups):
            bank, X_test, y_test = _fold(X, y, weights, train, test, similar)
            for i in order:
                fitted = clone(made[i])
                start = time.perf_counter()
                bank.fit(fitted)
                trained = time.perf_counter()
                scores[i].append(check_scoring(fitted, scoring=self.scoring)(fitted, X_test, y_test))
                fit_times[i].append(trained - start)
                score_times[i].append(time.perf_counter() - trained)
        self.n_splits_ = len(scores[0])
        self.cv_results_ = _results(grid, np.array(scores), np.array(fit_times), np.array(score_times))
        self.best_index_ = int(self.cv_results_["rank_test_score"].argmin())
        self.best_params_ = grid[self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.classes_ = np.unique(y)
        if self.refit:
            self.best_estimator_ = clone(made[self.best_index_])
            self.best_estimator_.fit(X, y, sample_weight=weights)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Classes of new instances, by the best estimator.

        Parameters
        ----------
        X : as in :meth:`fit`
            New instances.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self, "best_estimator_")
        found: npt.NDArray[Any] = self.best_estimator_.predict(X)
        return found

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Decision values of new instances, by the best estimator.

        Parameters
        ----------
        X : as in :meth:`fit`
            New instances.

        Returns
        -------
        ndarray of shape (n,) or (n, n_machines)
        """
        check_is_fitted(self, "best_estimator_")
        found: npt.NDArray[np.float64] = self.best_estimator_.decision_function(X)
        return found

    def score(self, X: Any, y: Any) -> float:
        """The score of the best estimator.

        Parameters
        ----------
        X, y
            As in :meth:`fit`.

        Returns
        -------
        float
        """
        check_is_fitted(self, "best_estimator_")
        scorer = check_scoring(self.best_estimator_, scoring=self.scoring)
        return float(scorer(self.best_estimator_, X, y))


def _results(
    grid: list[dict[str, Any]],
    scores: npt.NDArray[np.float64],
    fit_times: npt.NDArray[np.float64],
    score_times: npt.NDArray[np.float64],
) -> dict[str, Any]:
    """The table of scikit-learn's grid search."""
    from scipy.stats import rankdata

    results: dict[str, Any] = {}
    for name, values in (("fit_time", fit_times), ("score_time", score_times)):
        results[f"mean_{name}"] = values.mean(axis=1)
        results[f"std_{name}"] = values.std(axis=1)
    for name in sorted({k for params in grid for k in params}):
        column = np.ma.MaskedArray(np.empty(len(grid), dtype=object), mask=True)
        for i, params in enumerate(grid):
            if name in params:
                column[i] = params[name]
        results[f"param_{name}"] = column
    results["params"] = grid
    for fold in range(scores.shape[1]):
        results[f"split{fold}_test_score"] = scores[:, fold]
    mean = scores.mean(axis=1)
    results["mean_test_score"] = mean
    results["std_test_score"] = scores.std(axis=1)
    results["rank_test_score"] = rankdata(-mean, method="min").astype(np.int32)
    return results
