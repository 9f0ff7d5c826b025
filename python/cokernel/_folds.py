"""Folds whose training kernels are computed once, for all estimators that can share them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import partial as bound
from functools import update_wrapper
from inspect import Parameter, signature
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.validation import column_or_1d

from . import _native
from ._base import seed_of
from ._classes import known_classes, labelled
from ._instances import Given, align, n_rows, take
from ._learners import KernelLearner, instance_weights, learns_unlabelled, machines_for_unlabelled
from ._report import warn_unless_converged
from ._splits import Splits
from ._views import Layout


class Bank:
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
            problem = apart_from_c(estimator)
            warm = self.warm[0] == (id(prepared), problem)
            start = self.warm[1] if warm else None
            model, learned = learner.fit_prepared(prepared, run, start)
            model = ready.finish(learner, model, run)
        self.warm = ((id(prepared), problem), learned)
        estimator._took(estimator._counted(model))
        estimator._learned(self.given)
        warn_unless_converged(type(estimator).__name__, estimator.report_)

    def forget(self) -> None:
        """Keeps the last kernels only."""
        self.kept = self.kept[-1:]

    def _prepared(self, learner: _native.Learner, layout: Layout) -> _native.Prepared | None:
        fitting = (p for known, p in self.kept if known.same(layout) and learner.shares(p))
        return next(fitting, None)


def apart_from_c(estimator: KernelLearner) -> str:
    """Everything that decides a fit but C."""
    params = estimator.get_params(deep=False)
    params.pop("C", None)
    return type(estimator).__name__ + repr(sorted(params.items(), key=lambda p: p[0]))


@dataclass
class Fold:
    """A training set, and what is tested on."""

    bank: Bank
    X: Any
    y: Any
    #: Masks of the views.
    present: Any
    weights: npt.NDArray[np.float64] | None

    def score(self, scorer: Any, estimator: KernelLearner) -> float:
        """Of the test instances, with their weights where the scorer takes some."""
        seen = seeing(estimator, self.present)
        if self.weights is None or self.y is None or not _takes_weights(scorer):
            return float(scorer(seen, self.X, self.y))
        if not self.weights.any():
            raise ValueError("sample_weight: all instances of a test set have the weight 0; choose other folds")
        return float(scorer(seen, self.X, self.y, sample_weight=self.weights))


def _takes_weights(scorer: Any) -> bool:
    """Whether a scorer, and what it computes, has an argument for weights."""
    for part in (scorer, getattr(scorer, "_score_func", scorer)):
        known = signature(part).parameters
        some = any(p.kind is Parameter.VAR_KEYWORD for p in known.values())
        if "sample_weight" not in known and not some:
            return False
    return True


@dataclass
class Problem:
    """Instances that are cut into folds; targets (if there are some) and weights are arrays."""

    X: Any
    y: npt.NDArray[Any] | None
    weights: npt.NDArray[np.float64] | None
    groups: Any
    #: Masks of the views.
    present: Any
    how: dict[str, Any]
    #: Whether the targets are classes.
    classes: bool
    #: Whether some of them may be missing.
    partial: bool

    @classmethod
    def of(
        cls,
        named: Mapping[str, Any],
        X: Any,
        y: Any,
        sample_weight: Any,
        groups: Any,
        present: Any = None,
    ) -> Problem:
        """The same instances everywhere, arranged as these estimators have it."""
        views = next((estimator.views for estimator in named.values()), None)
        names = list(views) if isinstance(views, (list, tuple)) else None
        how = {"names": names, "similar": all_similar(named, X)}
        lacking = any(estimator._may_lack() for estimator in named.values())
        given = align(
            X, **how, union=lacking, present=present, y=y, sample_weight=sample_weight, groups=groups
        )
        others = given.others
        y = others["y"]
        if y is not None:
            y = known_classes(y)[0] if _some_unlabelled(named, y) else column_or_1d(y, warn=True)
        weights = instance_weights(others["sample_weight"], n_rows(given.X))
        classes = any(is_classifier(estimator) for estimator in named.values())
        partial = y is not None and _all_unlabelled(named)
        return cls(given.X, y, weights, others["groups"], given.present, how, classes, partial)

    def folds(self, cv: Any) -> Iterator[Fold]:
        """The bank of the training instances, and the test instances, of each fold."""
        seen = False
        unseen = self._unseen(cv)
        for train, test in self.splits(cv):
            weights = None if self.weights is None else np.ascontiguousarray(self.weights[train])
            given = align(
                take(self.X, train, **self.how),
                **self.how,
                present=masks_of(self.present, train),
                y=None if self.y is None else unseen(train, test),
                sample_weight=weights,
            )
            truth = None if self.y is None else self.y[test]
            new = take(self.X, test, train, **self.how)
            seen = True
            of_test = None if self.weights is None else self.weights[test]
            yield Fold(Bank(given), new, truth, masks_of(self.present, test), of_test)
        if not seen:
            raise ValueError("cv: expected at least one fold, found none")

    def _unseen(self, cv: Any) -> Callable[[Any, Any], npt.NDArray[Any]]:
        """What is known of training instances; transductive splits have the test instances among them, without classes."""
        y: npt.NDArray[Any] = np.asarray(self.y)
        if not (isinstance(cv, Splits) and cv.transductive):
            return lambda train, test: y[train]
        if not self.partial:
            raise ValueError(
                "cv: the splits are transductive, and an estimator does not learn from instances without a class; "
                f"choose a machine that does: {machines_for_unlabelled()}"
            )

        def without(train: Any, test: Any) -> npt.NDArray[Any]:
            known: npt.NDArray[Any] = y.astype(object)
            known[test] = None
            seen: npt.NDArray[Any] = known[train]
            return seen

        return without

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
        if isinstance(cv, Splits):
            # Rows of all instances, too.
            for train, test in cv.split(np.zeros((n, 1)), self.y):
                seen = np.union1d(train, test) if cv.transductive else train
                yield np.union1d(seen, rest), test
            return
        values = labelled(classes, known)
        groups = None if self.groups is None else np.asarray(self.groups)[rows]
        splitter = check_cv(cv, values, classifier=True)
        for train, test in splitter.split(np.zeros((len(rows), 1)), values, groups):
            yield np.union1d(rows[train], rest), rows[test]


def masks_of(present: Any, rows: npt.NDArray[np.intp]) -> Any:
    """The masks of some instances."""
    if present is None:
        return None
    if isinstance(present, Mapping):
        return {name: np.asarray(mask)[rows] for name, mask in present.items()}
    return [np.asarray(mask)[rows] for mask in present]


def seeing(estimator: KernelLearner, present: Any) -> KernelLearner:
    """An estimator for scorers, which do not say which instances have which view."""
    if present is None:
        return estimator
    seen = copy(estimator)
    for name in ("predict", "decision_function", "predict_proba", "predict_log_proba", "score", "score_samples"):
        if hasattr(estimator, name):
            method = getattr(estimator, name)
            setattr(seen, name, update_wrapper(bound(method, present=present), method))
    return seen


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


def all_similar(named: Mapping[str, Any], X: Any) -> Any:
    """Which views are similarities: the same for all."""
    given = isinstance(X, np.ndarray) and X.ndim == 3
    kinds = {given or estimator._similar() for estimator in named.values()}
    if len(kinds) > 1:
        raise ValueError("some of the estimators expect precomputed kernels, others features")
    return kinds.pop()


def refuse_several_scores(scoring: Any) -> None:
    if isinstance(scoring, (list, tuple, set, Mapping)):
        raise ValueError(f"scoring: expected one score, found {scoring!r}")


def refuse_others(estimators: Iterable[Any]) -> None:
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
