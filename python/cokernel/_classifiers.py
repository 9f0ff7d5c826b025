"""Classifiers: many kernels, one rule, one kernel machine."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from . import _native
from ._base import seed_of, summary, whole
from ._classes import class_kind, class_names, known_classes, labelled, refuse_missing_classes
from ._instances import Given
from ._learners import KernelLearner, Ready, learns_unlabelled, number, tells_probabilities
from ._pairs import pairs_of
from ._report import warn_unless_converged

#: What probabilities may be calibrated by.
SHAPES = ("sigmoid", "isotonic")


def _has_probability(estimator: Any) -> bool:
    """Whether probabilities are asked for, or told without."""
    if estimator.probability is None and not tells_probabilities(estimator.machine):
        raise AttributeError(
            f"predict_proba of {type(estimator).__name__} needs probability='sigmoid' or 'isotonic', or a machine that "
            "tells probabilities (machine='kernel_logistic')"
        )
    return True


class KernelClassifier(ClassifierMixin, KernelLearner):  # type: ignore[misc]
    """Base of the classifiers; subclasses name the method and its parameters."""

    _task = "classify"
    _own = {
        "c": ("C", 1.0),
        "class_weight": ("class_weight", None),
        "decomposition": ("decomposition", "one_vs_rest"),
        "tol": ("machine_tol", 1e-3),
    }

    def _machine_params(self, classes: npt.NDArray[Any]) -> dict[str, Any]:
        """The parameters of the machine."""
        given = {**self._cost_and_tol(), "decomposition": self.decomposition}
        given["class_weight"] = "none"
        if isinstance(self.class_weight, Mapping):
            known = set(classes.tolist())
            weights = {}
            for k, w in self.class_weight.items():
                if k not in known:
                    raise ValueError(
                        f"class_weight: there is no class {k!r}; known: {sorted(known, key=str)}"
                    )
                value = number(f"class_weight of {k!r}", w, "above 0", lambda v: 0 < v < np.inf)
                weights[class_names(np.array([k]))[0]] = value
            if weights:
                given["class_weight"] = weights
        elif self.class_weight == "balanced":
            given["class_weight"] = "balanced"
        elif self.class_weight is not None:
            raise ValueError(
                f"class_weight: expected a dict, 'balanced' or None, found {self.class_weight!r}"
            )
        return given

    def _calibrating(self) -> tuple[str, int] | None:
        """What the probabilities are to be, and the folds of their calibration."""
        if self.probability is None:
            return None
        if not isinstance(self.probability, str) or self.probability not in SHAPES:
            raise ValueError(
                "probability: expected 'sigmoid', 'isotonic' or None, found "
                f"{self.probability!r}"
            )
        return self.probability, whole("calibration_folds", self.calibration_folds)

    def _calibrated(
        self,
        learner: _native.Learner,
        model: _native.Model,
        instances: Any,
        run: _native.Run,
        posteriors: npt.NDArray[np.float64] | None = None,
        pairs: npt.NDArray[np.float64] | None = None,
    ) -> _native.Model:
        """The model, with probabilities if they are asked for; by its views, names, codes, weights."""
        how = self._calibrating()
        if how is None:
            return model
        views, names, codes, weights = instances
        lost = [name for name in names if name not in summary(model)["classes"]]
        if lost:
            raise ValueError(
                f"probability: all instances of class '{lost[0]}' lack a view and are left out (missing={self.missing!r}); "
                "leave them out of X and y, or choose another treatment"
            )
        return _native.calibrate(
            learner, model, views, names, codes, weights, how[0], how[1], run, posteriors, pairs
        )

    def _native_problem(self) -> tuple[_native.Learner, list[str]]:
        """The learner and the names of the classes, for ``classes_`` as they are."""
        return self._learner(self._machine_params(self.classes_)), class_names(self.classes_)

    def _targets(self, y: Any, found: int) -> npt.NDArray[Any]:
        """The classes of the instances, as many as there are of these."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        refuse_missing_classes(y)
        plain = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu"
        if not plain:
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
        if len(y) != found:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"X has {found}, y has {len(y)}"
            )
        targets: npt.NDArray[Any] = y
        return targets

    def _instances(self, given: Given, own: bool = False) -> tuple[Any, Any, Any]:
        """Views, class codes and weights (or None) to learn from: without instances of weight 0.

        Sets ``classes_``. The weights are the entry ``sample_weight`` of what was given.
        """
        views = self._read(given, reset=True, own=own, lacking=self._may_lack())
        if learns_unlabelled(self.machine):
            return self._partial_instances(given, views)
        y = self._targets(given.others["y"], views.n)
        views, kept, weights = self._weighed(views, given)
        y = y if kept is None else y[kept]
        self.classes_ = np.unique(y)
        codes: npt.NDArray[np.int64] = np.searchsorted(self.classes_, y).astype(np.int64)
        return views, codes, weights

    def _partial_instances(self, given: Given, views: Any) -> tuple[Any, Any, Any]:
        """The same for a machine that learns from instances without a class, too: their code is -1."""
        y = given.others["y"]
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        values, known = known_classes(y)
        if len(values) != views.n:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"X has {views.n}, y has {len(values)}"
            )
        views, kept, weights = self._weighed(views, given)
        if kept is not None:
            values, known = values[kept], known[kept]
        classes = labelled(values, known)
        check_classification_targets(classes)
        self.classes_ = np.unique(classes)
        if len(self.classes_) < 2 and not known.all():
            only = f"all others are in class {self.classes_.tolist()[0]!r}" if len(self.classes_) else "no other is there"
            raise ValueError(
                f"y: -1, None and NaN say that the class of an instance is not known, and {only}; at least "
                "two classes are needed"
            )
        codes = np.full(len(values), -1, dtype=np.int64)
        codes[known] = np.searchsorted(self.classes_, classes)
        return views, codes, weights

    #: Only where the machine learns from instances without a class.
    transduction_: npt.NDArray[Any]

    def _learned(self, given: Given) -> None:
        if hasattr(self, "transduction_"):
            del self.transduction_
        if not learns_unlabelled(self.machine):
            return
        values, known = known_classes(given.others["y"])
        found = self.classes_[self._predicted(given.X, given.present)[0]]
        if known.any():
            found = found.copy()
            found[known] = labelled(values, known)
        self.transduction_ = found

    def _took(self, model: _native.Model) -> None:
        known = summary(model)["classes"]
        if len(known) < len(self.classes_):
            # All instances of a class lacked a view and were dropped: the model knows nothing of it.
            kept = [name in known for name in class_names(self.classes_)]
            lost = self.classes_[~np.array(kept)].tolist()
            self.classes_ = self.classes_[kept]
            warnings.warn(
                f"{type(self).__name__}: all instances of class {lost[0]!r} lack a view and are left out "
                f"(missing={self.missing!r}): it is never predicted",
                UserWarning,
                stacklevel=4,
            )
        super()._took(model)

    def _counted(self, model: _native.Model) -> _native.Model:
        return super()._counted(model).of_class_kind(class_kind(self.classes_))

    def _ready(self, given: Given) -> Ready:
        self._calibrating()
        views, codes, weights = self._instances(given)
        instances = (views, class_names(self.classes_), codes, weights)
        return Ready(
            lambda: self._native_problem()[0],
            lambda learner, run: learner.prepare(*instances, run),
            lambda learner, model, run: self._calibrated(learner, model, instances, run),
        )

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        posteriors: npt.ArrayLike | None = None,
        pairs: Any = None,
        *,
        present: Any = None,
    ) -> KernelClassifier:
        """Learn the combination of the kernels and the machine on it.

        Parameters
        ----------
        X : array of shape (n, d), sparse matrix, DataFrame, dict or list of them, or (M, n, n) array
            The instances, as the parameter ``views`` arranges them.
        y : array-like of shape (n,)
            Classes. With ``machine="laplacian_svm"`` some may be missing: -1 among numbers, None or NaN
            elsewhere.
        sample_weight : array-like of shape (n,), optional
            Non-negative factors of C. Instances with weight 0 are left out.
        posteriors : array-like of shape (n, n_classes), optional
            How probable each class is for each instance, in the order of ``classes_``; each row sums to 1.
            For ``machine="posterior_svm"``, which otherwise takes the shares of the classes among the
            nearest instances.
        pairs : list of (instance, instance, link[, weight]) or array of shape (p, 3) or (p, 4), optional
            Pairs that are of one class (link 1 or "must") or of two (-1 or "cannot"): what
            ``two_stage`` learns the weights from, in place of the classes. Instances by their row numbers,
            or by their ids, where X has an index; pairs of instances with weight 0 are left out.
        present : DataFrame or array of booleans of shape (n, n_views), dict or list of masks, optional
            Which instances have which view, in place of NaN: columns in the order of the views, or by their names.
            The argument ``missing`` says what is done about those that lack some. An instance also lacks a view
            where all columns of it are NaN.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            Input that cannot be used: NaN, one class only, views that do not fit, instances that
            do not match, parameters out of range. The sentence names the place.

        Notes
        -----
        What has a pandas index (tables, similarities on both axes, y, sample_weight) is matched by it,
        in the order of the first that has one. Tables may lack instances, and rows without any number are
        instances that lack the view: the argument ``missing`` says what is done about them. An index that is
        pandas' own numbering 0, 1, 2, … counts where the others' ids are these numbers; otherwise
        its rows, like those of arrays, are taken by position.
        """
        self._calibrating()
        given = self._match(
            X,
            reset=True,
            union=self._may_lack(),
            present=present,
            y=y,
            sample_weight=sample_weight,
            posteriors=posteriors,
        )
        views, codes, weights = self._instances(given)
        posteriors = self._posteriors(given)
        kept = self._layout.kept
        count = views.n if kept is None else self._layout.given
        linked = pairs_of(pairs, given.ids, count, kept)
        seed = seed_of(self.random_state)
        with self._words():
            learner, names = self._native_problem()
            instances = (views, names, codes, weights)
            model = learner.fit(*instances, self._run(seed), posteriors, linked)
            model = self._calibrated(
                learner, model, instances, self._run(seed), posteriors, linked
            )
        self._took(self._counted(model))
        self._learned(given)
        warn_unless_converged(type(self).__name__, self.report_)
        return self

    def _posteriors(self, given: Given) -> npt.NDArray[np.float64] | None:
        """The probabilities of the classes for the instances that are learned from, if there are some."""
        found = given.others["posteriors"]
        if found is None:
            return None
        values: npt.NDArray[np.float64] = check_array(
            found, dtype=np.float64, input_name="posteriors", ensure_min_features=0
        )
        kept = self._layout.kept
        if kept is None:
            return np.ascontiguousarray(values)
        if len(values) != self._layout.given:
            raise ValueError(
                f"posteriors: expected {self._layout.given} rows, one per instance, found {len(values)}"
            )
        return np.ascontiguousarray(values[kept])

    def _columns(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Columns that are positive for ``classes_[1]`` of two classes, for the class itself against the rest, and for
        the first of a pair, of one for each machine of the library.

        Two scores of two classes are told by half their difference, which is the second: the first is minus that.
        """
        if len(self._machines) == 1:
            return values if self._machines[0][0] == 1 else -values
        if len(self.classes_) == 2:
            half: npt.NDArray[np.float64] = 0.5 * (values[:, 1:] - values[:, :1])
            return half
        signs = [1.0 if n is None or p < n else -1.0 for p, n in self._machines]
        signed: npt.NDArray[np.float64] = values * np.array(signs)
        return signed

    def decision_function(self, X: Any, *, present: Any = None) -> npt.NDArray[np.float64]:
        """Decision values of new instances.

        Parameters
        ----------
        X : as in :meth:`fit`
            With precomputed kernels, the values between new and training instances.
        present : as in :meth:`fit`
            Which of these instances have which view.

        Returns
        -------
        ndarray of shape (n,) or (n, n_machines)
            For two classes, positive for ``classes_[1]``; else one column for each class or, with
            ``decomposition="one_vs_one"`` or ``"dag"``, for each pair of classes in the order (0, 1),
            (0, 2), …, positive for the first of the pair. Always ``K @ dual_coef_.T + intercept_``, where K is
            the combined kernel between X and the training instances ``support_``.
        """
        return self._predicted(X, present)[1]

    def predict(self, X: Any, *, present: Any = None) -> npt.NDArray[Any]:
        """Classes of new instances.

        Parameters
        ----------
        X : as in :meth:`fit`
            With precomputed kernels, the values between new and training instances.
        present : as in :meth:`fit`
            Which of these instances have which view.

        Returns
        -------
        ndarray of shape (n,)
        """
        codes = self._predicted(X, present)[0]
        return self.classes_[codes]

    @available_if(_has_probability)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, *, present: Any = None) -> npt.NDArray[np.float64]:
        """Probabilities of the classes for new instances.

        With the argument ``probability``, or with the machine ``kernel_logistic``, beside which all Bayesian methods stand.

        Parameters
        ----------
        X : as in :meth:`fit`
            With precomputed kernels, the values between new and training instances.
        present : as in :meth:`fit`
            Which of these instances have which view.

        Returns
        -------
        ndarray of shape (n, n_classes)
            In the order of ``classes_``; each row sums to 1.

        Notes
        -----
        The decision values of held-out instances are calibrated, see the argument ``probability``. Without it they are what
        a Bayesian method tells, or the odds of kernel logistic regression. A Gaussian process tells none with
        precomputed kernels, which do not say how like itself a new instance is, and none does where an instance lacks a view.
        :meth:`predict` stays the decision of the machine: as with scikit-learn's ``SVC``, the most
        probable class may be another one.
        """
        check_is_fitted(self)
        found = _native.probabilities(self._model, self._read_new(X, present), self._run())
        if found is None:
            if self.probability is None:
                raise ValueError(
                    f"{type(self).__name__} cannot tell probabilities of these instances: a Gaussian process looks at how "
                    "like itself an instance is, which a similarity does not say; fit it with probability='sigmoid'"
                )
            raise NotFittedError(
                f"this {type(self).__name__} was fitted without probabilities; fit it again with "
                f"probability={self.probability!r}"
            )
        return found

    @available_if(_has_probability)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any, *, present: Any = None) -> npt.NDArray[np.float64]:
        """Logarithms of the probabilities, see :meth:`predict_proba`.

        Parameters
        ----------
        X : as in :meth:`fit`
            With precomputed kernels, the values between new and training instances.
        present : as in :meth:`fit`
            Which of these instances have which view.

        Returns
        -------
        ndarray of shape (n, n_classes)
            -inf where an isotonic calibration gives probability 0.
        """
        with np.errstate(divide="ignore"):
            found: npt.NDArray[np.float64] = np.log(self.predict_proba(X, present=present))
        return found

    def _predicted(
        self, X: Any, present: Any = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        codes, values = self._told(X, present)
        values = self._columns(values)
        return codes, values[:, 0] if values.shape[1] == 1 else values

    def score(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, *, present: Any = None
    ) -> float:
        """The share of instances whose class is predicted, among those that have one.

        Parameters
        ----------
        X, y, sample_weight, present
            As in :meth:`fit`; matched by their index, if they have one.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        given = self._match(X, reset=False, present=present, y=y, sample_weight=sample_weight)
        predicted = self.predict(given.X, present=given.present)
        if learns_unlabelled(self.machine) and given.others["y"] is not None:
            values, known = known_classes(given.others["y"])
            if len(values) == len(predicted) and not known.all():
                weights = given.others.get("sample_weight")
                weights = None if weights is None else np.asarray(weights)[known]
                right = labelled(values, known) == predicted[known]
                return float(np.average(right, weights=weights))
        of = given.others
        return float(accuracy_score(of["y"], predicted, sample_weight=of["sample_weight"]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def refuse_others(estimator: Any) -> None:
    """Refuses what is no classifier of this package, such as the name of a method."""
    if isinstance(estimator, KernelClassifier):
        return
    found = type(estimator).__name__
    if isinstance(estimator, str):
        found = f"{estimator!r}; to choose a method, give MKLClassifier({estimator!r})"
    raise ValueError(f"expected a classifier of this package, found {found}")
