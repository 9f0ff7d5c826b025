"""Certainty: sets of classes and intervals that hold the truth with a probability that is chosen.

A conformal predictor asks how unusual a candidate answer would be beside instances from which the model did not learn.
Whatever the model is, and whatever the data, its sets hold the truth in a share of new instances that is at least the
``coverage`` asked for, on average over training sets, as long as instances are exchangeable (in no particular order).
The better the model, the smaller the sets.

============  ====================================================  ==========================  =================
``method``    what is compared                                      holds the truth at least    fits
============  ====================================================  ==========================  =================
"split"       instances that are held out, from which the           coverage                    1
              model does not learn
"cross"       every instance, by the model that learned without     2 coverage - 1 (in          folds
              its fold (CV+, cross-conformal)                       practice near coverage)
"jackknife"   every instance, by the model without it: jackknife+   2 coverage - 1 (in          1
              in closed form, of kernel ridge regression            practice near coverage)
============  ====================================================  ==========================  =================

Sources: Vovk, Gammerman, Shafer, "Algorithmic Learning in a Random World", 2005, ch. 4 (split); Vovk, "Cross-conformal
predictors", 2015, (4); Barber, Candès, Ramdas, Tibshirani, "Predictive inference with the jackknife+", Annals of
Statistics 49, 2021, (1.3), (3.1), theorems 1 and 4. What holds of training without an instance in closed form:
Cawley and Talbot, Neural Networks 17, 2004.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from ._folds import masks_of
from ._instances import by_view, n_rows, take
from ._learners import KernelLearner
from ._transformers import KernelBank

__all__ = ["ConformalClassifier", "ConformalRegressor"]

#: New instances at once.
_STRIP = 256
#: Methods whose weights do not depend on the labels.
_FIXED = ("mean", "sum")


def _share(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) < 1.0:
        raise ValueError(f"{name}: expected a number above 0 and below 1, found {value!r}")
    return float(value)


def sliced(estimator: Any, X: Any) -> Callable[[npt.NDArray[np.intp], npt.NDArray[np.intp] | None], Any]:
    """Instances of X as the estimator takes them; with a second argument as new ones beside these of training."""
    known = isinstance(estimator, KernelLearner)
    similar = (isinstance(X, np.ndarray) and X.ndim == 3) or (estimator._similar() if known else False)
    views = getattr(estimator, "views", None) if known else None
    names = None if isinstance(views, dict) else views

    def rows(chosen: npt.NDArray[np.intp], training: npt.NDArray[np.intp] | None = None) -> Any:
        return take(X, chosen, training, names=names, similar=similar)

    return rows


def _towards(estimator: Any, X: Any) -> Callable[[npt.NDArray[np.intp]], Any]:
    """New instances X for the model of a part: similarities to all training instances become those to the part."""
    every = np.arange(n_rows(X))
    known = isinstance(estimator, KernelLearner)
    similar = (isinstance(X, np.ndarray) and X.ndim == 3) or (estimator._similar() if known else False)
    if similar is False or similar == frozenset():
        return lambda _: X
    views = getattr(estimator, "views", None)
    names = None if isinstance(views, dict) else views
    return lambda training: take(X, every, training, names=names, similar=similar)


def _seen(present: Any, rows: npt.NDArray[np.intp] | None = None) -> dict[str, Any]:
    """Which instances, or which of them, have which view, as a keyword where it is said."""
    if present is None:
        return {}
    masks = by_view(present)
    return {"present": masks if rows is None else masks_of(masks, rows)}


class _Conformal(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of both."""

    estimator: Any
    coverage: float
    method: str
    calibration_size: float
    cv: int
    random_state: Any

    def _parts(self, y: npt.NDArray[Any], stratified: bool) -> Iterator[tuple[Any, Any]]:
        """Instances to learn from, and those that are compared, of each model."""
        places = np.zeros((len(y), 1))
        if self.method == "split":
            size = _share("calibration_size", self.calibration_size)
            cut = ShuffleSplit(1, test_size=size, random_state=self.random_state)
            return iter(list(cut.split(places)))
        kinds = StratifiedKFold if stratified else KFold
        folds = kinds(self.cv, shuffle=True, random_state=self.random_state)
        return iter(list(folds.split(places, y if stratified else None)))

    def _fit_parts(self, X: Any, y: npt.NDArray[Any], stratified: bool, present: Any) -> list[tuple[Any, Any, Any]]:
        """A fitted estimator for each part, with what it learned from and what it is asked."""
        rows = sliced(self.estimator, X)
        fitted = []
        for train, held in self._parts(y, stratified):
            model = clone(self.estimator).fit(rows(train, None), y[train], **_seen(present, train))
            fitted.append((model, train, held))
        self.n_calibration_ = sum(len(held) for _, _, held in fitted)
        return fitted

    def _level(self, coverage: float | None) -> float:
        return _share("coverage", self.coverage if coverage is None else coverage)

    def predict(self, X: Any, *, present: Any = None) -> Any:
        """Predictions of ``estimator_``, as without sets or intervals.

        Parameters
        ----------
        X : as at the fit
            New instances.
        present : as at the fit, optional
            Which of them have which view.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        if self.method == "split":
            X = _towards(self.estimator, X)(self._parts_[0][1])
        return self.estimator_.predict(X, **_seen(present))


def _vector(y: Any, count: int) -> npt.NDArray[Any]:
    values = np.asarray(y)
    if values.ndim != 1 or len(values) != count:
        raise ValueError(f"y: expected {count} values, one for each instance, found the shape {values.shape}")
    return values


class ConformalClassifier(ClassifierMixin, _Conformal):  # type: ignore[misc]
    """Sets of classes that hold the true one with a chosen probability.

    Parameters
    ----------
    estimator : classifier
        Of this package, or any of scikit-learn's. Its probabilities order the classes where it has some
        (``probability="sigmoid"``), else its decision values.
    coverage : float, default=0.9
        The share of new instances whose set is to hold their class; another one can be asked for at prediction.
    method : {"split", "cross"}
        See the module.
    calibration_size : float, default=0.25
        Of "split" the share of instances that are held out.
    cv : int, default=5
        Of "cross" the folds.
    random_state : int, RandomState or None
        Of what is held out.

    Attributes
    ----------
    classes_ : ndarray
        The classes, the columns of :meth:`predict_set`.
    estimator_ : classifier
        What predicts: of "split" the one that learned without the held-out instances.
    n_calibration_ : int
        Instances that new ones are compared with. With fewer than 1 / (1 - coverage) of them all sets hold all
        classes.

    Examples
    --------
    >>> from cokernel import SimpleMKLClassifier
    >>> from cokernel.conformal import ConformalClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(200, separations=[2.0, 1.0], random_state=0)
    >>> sets = ConformalClassifier(SimpleMKLClassifier(random_state=0), random_state=0).fit(X, y)
    >>> sets.predict_set(X).shape
    (200, 2)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        coverage: float = 0.9,
        method: str = "split",
        calibration_size: float = 0.25,
        cv: int = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.coverage = coverage
        self.method = method
        self.calibration_size = calibration_size
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, present: Any = None) -> ConformalClassifier:
        """Learn, and compare with instances that were not learned from.

        Parameters
        ----------
        X : as the estimator takes it
            The instances, by position (no index is matched).
        y : array-like of shape (n,)
            Classes.
        present : DataFrame or array of booleans of shape (n, n_views), dict or list of masks, optional
            Which instances have which view, by position, as the estimator takes it.

        Returns
        -------
        self
        """
        if self.method not in ("split", "cross"):
            raise ValueError(f"method: expected 'split' or 'cross', found {self.method!r}")
        self._level(None)
        y = _vector(y, n_rows(X))
        self.classes_ = np.unique(y)
        self._parts_ = self._fit_parts(X, y, True, present)
        rows, codes = sliced(self.estimator, X), np.searchsorted(self.classes_, y)
        self._scores = []
        for model, train, held in self._parts_:
            if not np.array_equal(model.classes_, self.classes_):
                lost = sorted(set(self.classes_.tolist()) - set(model.classes_.tolist()), key=str)
                raise ValueError(f"class {np.asarray(lost).tolist()[0]!r} is not among the instances that are learned from; give more")
            told = _strangeness(model, rows(held, train), _seen(present, held))
            self._scores.append(np.sort(told[np.arange(len(held)), codes[held]]))
        whole = clone(self.estimator)
        self.estimator_ = self._parts_[0][0] if self.method == "split" else whole.fit(X, y, **_seen(present))
        return self

    def predict_p(self, X: Any, *, present: Any = None) -> npt.NDArray[np.float64]:
        """For each class how usual it would be: the share of known instances that are at least as strange.

        Parameters
        ----------
        X : as at the fit
            New instances.
        present : as at the fit, optional
            Which of them have which view.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Above 0, at most 1. The set of a coverage c are the classes with more than 1 - c.
        """
        check_is_fitted(self)
        new = _towards(self.estimator, X)
        stranger = np.ones((n_rows(X), len(self.classes_)))
        for (model, train, _), known in zip(self._parts_, self._scores):
            told = _strangeness(model, new(train), _seen(present))
            stranger += len(known) - np.searchsorted(known, told, side="left")
        return stranger / (self.n_calibration_ + 1.0)

    def predict_set(self, X: Any, coverage: float | None = None, *, present: Any = None) -> npt.NDArray[np.bool_]:
        """Which classes each new instance may have.

        Parameters
        ----------
        X : as at the fit
            New instances.
        coverage : float, optional
            Instead of that of the constructor.
        present : as at the fit, optional
            Which of them have which view.

        Returns
        -------
        ndarray of bool of shape (n, n_classes)
            A set may be empty: no class is usual there.
        """
        level = self._level(coverage)
        # Shares are multiples of 1 / (n + 1): the comparison is one of whole numbers.
        count = self.n_calibration_ + 1
        ranks = np.rint(self.predict_p(X, present=present) * count)
        found: npt.NDArray[np.bool_] = ranks > (1.0 - level) * count + 1e-9 * count
        return found


def _strangeness(model: Any, X: Any, seen: dict[str, Any]) -> npt.NDArray[np.float64]:
    """How unlike each class an instance is."""
    if hasattr(model, "predict_proba"):
        return 1.0 - np.asarray(model.predict_proba(X, **seen))
    values = np.asarray(model.decision_function(X, **seen))
    if values.ndim == 1:
        return np.column_stack([values, -values])
    k = len(model.classes_)
    pairs = getattr(model, "decomposition", None) in ("one_vs_one", "dag")
    if not pairs:
        return -values
    out = np.zeros((len(values), k))
    places = [(a, b) for a in range(k) for b in range(a + 1, k)]
    for (a, b), column in zip(places, values.T):
        out[:, a] -= column
        out[:, b] += column
    return out


class ConformalRegressor(RegressorMixin, _Conformal):  # type: ignore[misc]
    """Intervals that hold the true number with a chosen probability.

    Parameters
    ----------
    estimator : regressor
        Of this package, or any of scikit-learn's; for "jackknife" one of ``machine="kernel_ridge"`` whose weights do
        not depend on y (method ``"mean"`` or ``"sum"``).
    coverage : float, default=0.9
        The share of new instances whose interval is to hold their number; another one can be asked for at prediction.
    method : {"split", "cross", "jackknife"}
        See the module.
    calibration_size : float, default=0.25
        Of "split" the share of instances that are held out.
    cv : int, default=5
        Of "cross" the folds.
    random_state : int, RandomState or None
        Of what is held out.

    Attributes
    ----------
    estimator_ : regressor
        What predicts: of "split" the one that learned without the held-out instances.
    n_calibration_ : int
        Instances that new ones are compared with. With fewer than 1 / (1 - coverage) of them intervals are infinite.

    Examples
    --------
    >>> import numpy as np
    >>> from cokernel import MKLRegressor
    >>> from cokernel.conformal import ConformalRegressor
    >>> X = np.linspace(0, 6, 120)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=120)
    >>> ridge = MKLRegressor("mean", machine="kernel_ridge:lambda=0.1")
    >>> told = ConformalRegressor(ridge, method="jackknife").fit(X, y).predict_interval(X)
    >>> bool(np.mean((told[:, 0] <= y) & (y <= told[:, 1])) > 0.85)
    True
    """

    def __init__(
        self,
        estimator: Any,
        *,
        coverage: float = 0.9,
        method: str = "split",
        calibration_size: float = 0.25,
        cv: int = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.coverage = coverage
        self.method = method
        self.calibration_size = calibration_size
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, present: Any = None) -> ConformalRegressor:
        """Learn, and compare with instances that were not learned from.

        Parameters
        ----------
        X : as the estimator takes it
            The instances, by position (no index is matched).
        y : array-like of shape (n,)
            Numbers.
        present : DataFrame or array of booleans of shape (n, n_views), dict or list of masks, optional
            Which instances have which view, by position, as the estimator takes it.

        Returns
        -------
        self
        """
        if self.method not in ("split", "cross", "jackknife"):
            raise ValueError(f"method: expected 'split', 'cross' or 'jackknife', found {self.method!r}")
        self._level(None)
        y = _vector(y, n_rows(X)).astype(np.float64)
        if self.method == "jackknife":
            masks = {} if present is None else by_view(present)
            if not all(np.all(mask) for mask in (masks.values() if isinstance(masks, Mapping) else masks)):
                raise ValueError("method 'jackknife' needs all instances; none may lack a view")
            self._fit_ridge(X, y)
            return self
        self._parts_ = self._fit_parts(X, y, False, present)
        rows = sliced(self.estimator, X)
        self._errors = [
            np.abs(y[held] - model.predict(rows(held, train), **_seen(present, held)))
            for model, train, held in self._parts_
        ]
        whole = clone(self.estimator)
        self.estimator_ = self._parts_[0][0] if self.method == "split" else whole.fit(X, y, **_seen(present))
        return self

    def _fit_ridge(self, X: Any, y: npt.NDArray[np.float64]) -> None:
        """Ridge regression once, and what it is without each of its instances."""
        chosen: Any = self.estimator
        known = isinstance(chosen, KernelLearner) and chosen._method()[0] in _FIXED
        if not known or str(chosen.machine).split(":")[0].strip() != "kernel_ridge":
            raise ValueError(
                "method 'jackknife': expected a regressor of this package with machine='kernel_ridge' whose weights "
                "do not depend on y (method 'mean' or 'sum'); choose 'cross', which takes any"
            )
        self.estimator_ = clone(chosen).fit(X, y)
        lacking = getattr(self.estimator_, "lacking_", None) is not None
        if lacking or self.estimator_.report_.status != "converged" or len(self.estimator_.support_) != len(y):
            raise ValueError(
                "method 'jackknife' needs all instances; none may lack a view (choose 'cross', which takes those that do)"
            )
        self._bank = KernelBank(views=chosen.views, kernels=chosen.kernels, scale=chosen.scale)
        weights = np.asarray(self.estimator_.weights_, dtype=np.float64)
        matrix = np.tensordot(weights, self._bank.fit_transform(X), 1)
        self._kernel_weights = weights
        ridge = 1.0
        for part in str(chosen.machine).split(":")[1:]:
            name, _, value = part.partition("=")
            if name.strip() == "lambda":
                ridge = float(value)
        n = len(y)
        # K + λI and the bias in one symmetric system; leaving out an instance is leaving out a row and a column.
        system = np.zeros((n + 1, n + 1))
        system[:n, :n] = matrix + ridge * np.eye(n)
        system[:n, n] = system[n, :n] = 1.0
        inverse = np.linalg.inv(system)
        self._solution = inverse[:, :n] @ y
        self._left_out = self._solution[:n] / np.diag(inverse)[:n]
        self._inverse = inverse[:, :n]
        self.n_calibration_ = n

    def predict_interval(self, X: Any, coverage: float | None = None, *, present: Any = None) -> npt.NDArray[np.float64]:
        """The least and the greatest number that each new instance may have.

        Parameters
        ----------
        X : as at the fit
            New instances.
        coverage : float, optional
            Instead of that of the constructor.
        present : as at the fit, optional
            Which of them have which view.

        Returns
        -------
        ndarray of shape (n, 2)
            Infinite where there are too few instances to compare with.
        """
        check_is_fitted(self)
        level = self._level(coverage)
        if self.method == "jackknife":
            kernel = np.tensordot(self._kernel_weights, self._bank.transform(X), 1)
            augmented = np.column_stack([kernel, np.ones(len(kernel))])
            errors = np.abs(self._left_out)
            return _between(
                len(augmented),
                lambda rows: (augmented[rows] @ self._solution)[:, None]
                - (augmented[rows] @ self._inverse) * self._left_out,
                errors,
                level,
            )
        new = _towards(self.estimator, X)
        told = [model.predict(new(train), **_seen(present)) for model, train, _ in self._parts_]
        if self.method == "split":
            n = self.n_calibration_
            place = int(np.ceil(level * (n + 1) - 1e-9)) - 1
            width = np.sort(self._errors[0])[place] if place < n else np.inf
            return np.column_stack([told[0] - width, told[0] + width])
        which = np.repeat(np.arange(len(told)), [len(e) for e in self._errors])
        values = np.column_stack(told)
        return _between(len(values), lambda rows: values[rows][:, which], np.concatenate(self._errors), level)


def _between(
    count: int,
    centres: Callable[[slice], npt.NDArray[np.float64]],
    errors: npt.NDArray[np.float64],
    level: float,
) -> npt.NDArray[np.float64]:
    """From the predictions of the models that lack an instance, plus and minus its error: jackknife+ and CV+."""
    n = len(errors)
    place = int(np.ceil(level * (n + 1) - 1e-9)) - 1
    out = np.empty((count, 2))
    out[:, 0], out[:, 1] = -np.inf, np.inf
    if place >= n:
        return out
    for first in range(0, count, _STRIP):
        rows = slice(first, min(first + _STRIP, count))
        middle = centres(rows)
        # The ⌊(1 − level)(n + 1)⌋-th smallest is the place-th largest.
        out[rows, 0] = -np.partition(errors - middle, place, axis=1)[:, place]
        out[rows, 1] = np.partition(middle + errors, place, axis=1)[:, place]
    return out
