"""Searches for parameters whose candidates share the kernels of a fold and start from each other."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from inspect import signature
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._folds import Fold, Problem, apart_from_c, refuse_others, refuse_several_scores, seeing
from ._learners import KernelLearner

#: The score on a fold, and the seconds of fit and score.
_Tried: TypeAlias = tuple[float, float, float]


def _check_refitted(search: Any) -> None:
    if hasattr(search, "cv_results_") and not search.refit:
        raise AttributeError(
            f"this {type(search).__name__} was fitted with refit=False: there is no best estimator; fit one with best_params_"
        )
    check_is_fitted(search, "best_estimator_")


def _best_has(name: str) -> Callable[[Any], bool]:
    """Whether the best estimator, or before a fit the one that is given, has this method."""

    def has(search: Any) -> bool:
        getattr(getattr(search, "best_estimator_", search.estimator), name)
        return True

    return has


class GridSearchBank(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Grid search whose combinations share the kernels of a fold and start from each other.

    Parameters
    ----------
    estimator : classifier, regressor or outlier detector of this package
        What is fitted.
    param_grid : dict or list of dicts
        Parameters and the values to try.
    cv : int, splitter or iterable, optional
        As in scikit-learn.
    scoring : str or callable, optional
        One score, as in scikit-learn; default accuracy, or R² of numbers.
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
        estimator: KernelLearner,
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
        self,
        X: Any,
        y: Any = None,
        *,
        groups: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        present: Any = None,
    ) -> Any:
        """Try all combinations.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`MKLClassifier.fit`. Held-out instances count by their weights, too, where the score knows
            weights.
        groups : array-like of shape (n,), optional
            Groups for the splitter.
        present : DataFrame or array of booleans of shape (n, n_views), dict or list of masks, optional
            Which instances have which view.

        Returns
        -------
        self
            The fitted search.
        """
        refuse_others([self.estimator])
        refuse_several_scores(self.scoring)
        grid = list(ParameterGrid(self.param_grid))
        made = [clone(self.estimator).set_params(**params) for params in grid]
        # Combinations that differ in C alone follow each other, the smallest C first.
        order = sorted(range(len(grid)), key=lambda i: (apart_from_c(made[i]), float(getattr(made[i], "C", 0.0))))
        named = {str(i): estimator for i, estimator in enumerate(made)}
        problem = Problem.of(named, X, y, sample_weight, groups, present)
        tried: list[list[_Tried]] = [[] for _ in grid]
        for fold in problem.folds(self.cv):
            for i in order:
                tried[i].append(self._try(made[i], fold))
        return self._took(grid, tried, None, problem, X, y, sample_weight, present)

    def _try(self, estimator: KernelLearner, fold: Fold) -> _Tried:
        """The score of one combination on one fold, and the seconds of fit and score."""
        fitted = clone(estimator)
        start = time.perf_counter()
        fold.bank.fit(fitted)
        trained = time.perf_counter()
        score = fold.score(check_scoring(fitted, scoring=self.scoring), fitted)
        return score, trained - start, time.perf_counter() - trained

    def _took(
        self,
        grid: list[dict[str, Any]],
        tried: list[list[_Tried]],
        best: int | None,
        problem: Problem,
        X: Any,
        y: Any,
        sample_weight: Any,
        present: Any,
    ) -> Any:
        """Keeps what was found, and fits the best combination (of the highest score, unless named) on all instances."""
        self.n_splits_ = len(tried[0])
        self.cv_results_ = _results(grid, np.array(tried))
        best = int(self.cv_results_["rank_test_score"].argmin()) if best is None else best
        self.best_index_ = best
        self.best_params_ = grid[best]
        self.best_score_ = float(self.cv_results_["mean_test_score"][best])
        if problem.classes and problem.y is not None:
            self.classes_ = np.unique(problem.y)
        if self.refit:
            self.best_estimator_ = clone(self.estimator).set_params(**self.best_params_)
            self.best_estimator_.fit(X, y, sample_weight=sample_weight, present=present)
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(self.best_estimator_, name):
                    setattr(self, name, getattr(self.best_estimator_, name))
        return self

    def predict(self, X: Any, *, present: Any = None) -> npt.NDArray[Any]:
        """What the best estimator predicts for new instances.

        Parameters
        ----------
        X, present : as in :meth:`fit`
            New instances, and which views they have.

        Returns
        -------
        ndarray of shape (n,)
        """
        _check_refitted(self)
        found: npt.NDArray[Any] = self.best_estimator_.predict(X, present=present)
        return found

    @available_if(_best_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any, *, present: Any = None) -> npt.NDArray[np.float64]:
        """Decision values of new instances, by the best estimator, if it has them.

        Parameters
        ----------
        X, present : as in :meth:`fit`
            New instances, and which views they have.

        Returns
        -------
        ndarray of shape (n,) or (n, n_machines)
        """
        _check_refitted(self)
        found: npt.NDArray[np.float64] = self.best_estimator_.decision_function(X, present=present)
        return found

    @available_if(_best_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, *, present: Any = None) -> npt.NDArray[np.float64]:
        """Probabilities of new instances, by the best estimator, if it has them.

        Parameters
        ----------
        X, present : as in :meth:`fit`
            New instances, and which views they have.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        _check_refitted(self)
        found: npt.NDArray[np.float64] = self.best_estimator_.predict_proba(X, present=present)
        return found

    def score(self, X: Any, y: Any = None, *, present: Any = None) -> float:
        """The score of the best estimator.

        Parameters
        ----------
        X, y, present
            As in :meth:`fit`.

        Returns
        -------
        float
        """
        _check_refitted(self)
        given = self.best_estimator_._match(X, reset=False, present=present, y=y)
        scorer = check_scoring(self.best_estimator_, scoring=self.scoring)
        return float(scorer(seeing(self.best_estimator_, given.present), given.X, given.others["y"]))

class SurfaceSearchBank(GridSearchBank):
    """Search by a response surface for few fits that are dear, as ``--tune-search surface`` on the command line.

    Scores are fitted by a surface of second order over the numbers between the least and the largest value of each
    parameter (log10 where the largest is ten times the least or more), and the best point of the surface is tried next
    (Gönen 2010, §2.7.1 and §6.2).

    Parameters
    ----------
    estimator : classifier, regressor or outlier detector of this package
        What is fitted.
    param_grid : dict of str to list of float
        Parameters, each with two numbers or more: the range from the least to the largest. At most as many points are
        tried as the grid of these has combinations, but no fewer than the design of the surface.
    cv, scoring, refit
        As of :class:`GridSearchBank`.

    Attributes
    ----------
    cv_results_ : dict of ndarray
        As of :class:`GridSearchBank`, points in the order in which they were tried, and ``predicted_score``: what the
        surface said before, NaN for points of its design.
    best_params_, best_score_, best_index_, best_estimator_
        The best point; of several with the same score that where the surface is best.
    n_splits_ : int
        Folds.
    ended_ : str
        ``"settled"``, ``"flat"`` (all scores are equal) or ``"limit"`` (as many points as could be tried).

    Examples
    --------
    >>> from cokernel import SimpleMKLClassifier, SurfaceSearchBank
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(120, separations=[1.0, 0.5], random_state=0)
    >>> search = SurfaceSearchBank(SimpleMKLClassifier(random_state=0), {"C": [0.01, 0.1, 1, 10, 100]}, cv=3)
    >>> bool(0.01 <= search.fit(X, y).best_params_["C"] <= 100)
    True
    """

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        groups: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        present: Any = None,
    ) -> Any:
        """Search.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`MKLClassifier.fit`. Held-out instances count by their weights, too, where the score knows
            weights.
        groups : array-like of shape (n,), optional
            Groups for the splitter.
        present : DataFrame or array of booleans of shape (n, n_views), dict or list of masks, optional
            Which instances have which view.

        Returns
        -------
        self
            The fitted search.
        """
        refuse_others([self.estimator])
        refuse_several_scores(self.scoring)
        names, values = _ranges(self.param_grid)
        problem = Problem.of({"": self.estimator}, X, y, sample_weight, groups, present)
        folds = list(problem.folds(self.cv))
        whole = {name for name in names if _is_whole(self.estimator, name)}
        grid: list[dict[str, Any]] = []
        tried: list[list[_Tried]] = []

        def score(numbers: list[float]) -> float:
            points = zip(names, numbers, strict=True)
            grid.append({name: round(v) if name in whole else v for name, v in points})
            estimator = clone(self.estimator).set_params(**grid[-1])
            tried.append([self._try(estimator, fold) for fold in folds])
            for fold in folds:
                fold.bank.forget()
            return _mean(tried[-1])

        best, predicted, self.ended_, _ = _native.search_surface(names, values, score)
        self._took(grid, tried, best, problem, X, y, sample_weight, present)
        self.cv_results_["predicted_score"] = np.array([np.nan if p is None else p for p in predicted])
        return self


def _is_whole(estimator: KernelLearner, name: str) -> bool:
    """Whether a parameter is a whole number, by its default."""
    known = signature(type(estimator)).parameters
    return name in known and type(known[name].default) is int


def _ranges(grid: Any) -> tuple[list[str], list[list[float]]]:
    """Names and numbers of a grid for a surface."""
    if not isinstance(grid, Mapping) or not grid:
        raise ValueError(f"param_grid: expected a dictionary of lists of numbers, found {grid!r}")
    for name, values in grid.items():
        if isinstance(values, str) or not all(isinstance(v, Real) and not isinstance(v, bool) for v in values):
            raise ValueError(
                f"param_grid: {name}: a surface needs two numbers or more, the ends of a range; words are for GridSearchBank"
            )
    return list(grid), [[float(v) for v in values] for values in grid.values()]


def _mean(tried: list[_Tried]) -> float:
    return float(np.mean([score for score, _, _ in tried]))


def _results(
    grid: list[dict[str, Any]], tried: npt.NDArray[np.float64]
) -> dict[str, Any]:
    """The table of scikit-learn's grid search, of points × folds × (score, seconds of fit, of score)."""
    from scipy.stats import rankdata

    scores = tried[:, :, 0]
    results: dict[str, Any] = {}
    for name, values in (("fit_time", tried[:, :, 1]), ("score_time", tried[:, :, 2])):
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
