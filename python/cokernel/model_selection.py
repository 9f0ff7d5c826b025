"""Cross-validation and grid search that compute the kernels of a fold once.

Scikit-learn's functions work on the estimators, too; they compute the kernels again for every
combination of parameters. Here the combinations of a fold share them, and fits that differ in C
alone start from each other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _native
from ._base import seed_of
from ._classes import known_classes, labelled
from ._instances import Given, align, n_rows, take
from ._learners import KernelLearner, instance_weights, learns_unlabelled, machine_methods
from ._report import warn_unless_converged
from ._views import Layout

__all__ = ["GridSearchBank", "by_integration", "cross_validate_bank", "plot_costs"]


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
    ['early: concat', 'late: best_single', 'late: late_mean', 'late: ekp']
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


class _Bank:
    """The kernels of one training set, for as many recipes as the estimators have."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self.kept: list[tuple[Layout, _native.Prepared]] = []
        self.warm: tuple[Any, Any] = (None, None)

    def fit(self, estimator: KernelLearner) -> None:
        """Fits the estimator, on kernels that are there already if they serve it."""
        ready = estimator._ready(self.given)
        run = estimator._run(seed_of(estimator.random_state))
        with estimator._words():
            learner = ready.learner()
            prepared = self._prepared(learner, estimator._layout)
            if prepared is None:
                prepared = ready.prepare(learner, run)
                self.kept.append((estimator._layout, prepared))
            problem = _apart_from_c(estimator)
            start = self.warm[1] if self.warm[0] == (id(prepared), problem) else None
            model, learned = learner.fit_prepared(prepared, run, start)
            model = ready.finish(learner, model, run)
        self.warm = ((id(prepared), problem), learned)
        estimator._took(estimator._counted(model))
        estimator._learned(self.given)
        warn_unless_converged(type(estimator).__name__, estimator.report_)

    def _prepared(self, learner: _native.Learner, layout: Layout) -> _native.Prepared | None:
        fitting = (p for known, p in self.kept if known.same(layout) and learner.shares(p))
        return next(fitting, None)


def _apart_from_c(estimator: KernelLearner) -> str:
    """Everything that decides a fit but C."""
    params = estimator.get_params(deep=False)
    params.pop("C", None)
    return type(estimator).__name__ + repr(sorted(params.items(), key=lambda p: p[0]))


@dataclass
class _Problem:
    """Instances that are cut into folds; targets (if there are some) and weights are arrays."""

    X: Any
    y: npt.NDArray[Any] | None
    weights: npt.NDArray[np.float64] | None
    groups: Any
    how: dict[str, Any]
    #: Whether the targets are classes.
    classes: bool
    #: Whether some of them may be missing.
    partial: bool

    @classmethod
    def of(
        cls, named: Mapping[str, Any], X: Any, y: Any, sample_weight: Any, groups: Any
    ) -> _Problem:
        """The same instances everywhere, arranged as these estimators have it."""
        views = next((estimator.views for estimator in named.values()), None)
        names = list(views) if isinstance(views, (list, tuple)) else None
        how = {"names": names, "similar": _all_similar(named, X)}
        given = align(X, **how, y=y, sample_weight=sample_weight, groups=groups)
        others = given.others
        y = others["y"]
        if y is not None:
            y = known_classes(y)[0] if _some_unlabelled(named, y) else column_or_1d(y, warn=True)
        weights = instance_weights(others["sample_weight"], n_rows(given.X))
        classes = any(is_classifier(estimator) for estimator in named.values())
        partial = y is not None and _all_unlabelled(named)
        return cls(given.X, y, weights, others["groups"], how, classes, partial)

    def folds(self, cv: Any) -> Iterator[tuple[_Bank, Any, Any]]:
        """For each fold the bank of the training instances, and the test instances."""
        for train, test in self.splits(cv):
            weights = None if self.weights is None else np.ascontiguousarray(self.weights[train])
            given = align(
                take(self.X, train, **self.how),
                **self.how,
                y=None if self.y is None else self.y[train],
                sample_weight=weights,
            )
            truth = None if self.y is None else self.y[test]
            yield _Bank(given), take(self.X, test, train, **self.how), truth


    def splits(self, cv: Any) -> Iterator[tuple[Any, Any]]:
        """Training and test instances; those without a class are in every training set and in no test set."""
        n = n_rows(self.X)
        if not self.partial:
            splitter = check_cv(cv, self.y, classifier=self.classes)
            yield from splitter.split(np.zeros((n, 1)), self.y, self.groups)
            return
        classes, known = known_classes(self.y)
        rows, rest = np.flatnonzero(known), np.flatnonzero(~known)
        if cv is not None and not isinstance(cv, (int, np.integer)) and not hasattr(cv, "split"):
            # Pairs of rows of all instances.
            for train, test in cv:
                train, test = (np.arange(n)[r] for r in (train, test))
                if not known[test].any():
                    raise ValueError("cv: no instance of a test set has a class")
                yield np.union1d(train, rest), test[known[test]]
            return
        values = labelled(classes, known)
        groups = None if self.groups is None else np.asarray(self.groups)[rows]
        splitter = check_cv(cv, values, classifier=True)
        for train, test in splitter.split(np.zeros((len(rows), 1)), values, groups):
            yield np.union1d(rows[train], rest), rows[test]


def _all_unlabelled(named: Mapping[str, Any]) -> bool:
    """Whether all estimators learn from instances without a class, too."""
    return all(learns_unlabelled(getattr(e, "machine", None)) for e in named.values())


def _some_unlabelled(named: Mapping[str, Any], y: Any) -> bool:
    """The same; where only some do, refuses instances without a class."""
    if _all_unlabelled(named):
        return True
    mixed = any(learns_unlabelled(getattr(e, "machine", None)) for e in named.values())
    if mixed and not known_classes(y)[1].all():
        raise ValueError(
            "some of the estimators learn from instances without a class (-1, None or NaN), others do not; "
            "compare them on instances that have one"
        )
    return False


def cross_validate_bank(
    estimators: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = None,
    scoring: Any = None,
    groups: Any = None,
    sample_weight: npt.ArrayLike | None = None,
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
    _refuse_others(named.values())
    _refuse_several_scores(scoring)
    problem = _Problem.of(named, X, y, sample_weight, groups)
    found: dict[str, dict[str, list[Any]]] = {name: {} for name in named}
    for bank, X_test, y_test in problem.folds(cv):
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
                given = bank.given
                values["train_score"] = scorer(fitted, given.X, given.others["y"])
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
        raise ValueError("some of the estimators expect precomputed kernels, others features")
    return kinds.pop()


def _refuse_several_scores(scoring: Any) -> None:
    if isinstance(scoring, (list, tuple, set, Mapping)):
        raise ValueError(f"scoring: expected one score, found {scoring!r}")


def _best_has(name: str) -> Callable[[Any], bool]:
    """Whether the best estimator, or before a fit the one that is given, has this method."""

    def has(search: Any) -> bool:
        getattr(getattr(search, "best_estimator_", search.estimator), name)
        return True

    return has


def _refuse_others(estimators: Iterable[Any]) -> None:
    """Refuses what is no estimator of this package, such as the name of a method, and several tasks."""
    tasks = set()
    for estimator in estimators:
        if not isinstance(estimator, KernelLearner):
            found = type(estimator).__name__
            if isinstance(estimator, str):
                found = f"{estimator!r}; to choose a method, give MKLClassifier({estimator!r})"
            raise ValueError(
                f"expected a classifier, regressor or outlier detector of this package, found {found}"
            )
        tasks.add(estimator._task)
    if len(tasks) > 1:
        raise ValueError(f"expected estimators for one task, found {' and '.join(sorted(tasks))}")


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
        _refuse_others([self.estimator])
        _refuse_several_scores(self.scoring)
        grid = list(ParameterGrid(self.param_grid))
        made = [clone(self.estimator).set_params(**params) for params in grid]
        # Combinations that differ in C alone follow each other, the smallest C first.
        order = sorted(range(len(grid)), key=lambda i: (_apart_from_c(made[i]), float(getattr(made[i], "C", 0.0))))
        named = {str(i): estimator for i, estimator in enumerate(made)}
        problem = _Problem.of(named, X, y, sample_weight, groups)
        scores: list[list[float]] = [[] for _ in grid]
        fit_times: list[list[float]] = [[] for _ in grid]
        score_times: list[list[float]] = [[] for _ in grid]
        for bank, X_test, y_test in problem.folds(self.cv):
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
        if problem.classes and problem.y is not None:
            self.classes_ = np.unique(problem.y)
        if self.refit:
            self.best_estimator_ = clone(made[self.best_index_])
            self.best_estimator_.fit(X, y, sample_weight=sample_weight)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """What the best estimator predicts for new instances.

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

    @available_if(_best_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Decision values of new instances, by the best estimator, if it has them.

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

    @available_if(_best_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Probabilities of new instances, by the best estimator, if it has them.

        Parameters
        ----------
        X : as in :meth:`fit`
            New instances.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        check_is_fitted(self, "best_estimator_")
        found: npt.NDArray[np.float64] = self.best_estimator_.predict_proba(X)
        return found

    def score(self, X: Any, y: Any = None) -> float:
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
        given = self.best_estimator_._match(X, reset=False, y=y)
        scorer = check_scoring(self.best_estimator_, scoring=self.scoring)
        return float(scorer(self.best_estimator_, given.X, given.others["y"]))


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
