"""Outlier detectors: many kernels, one rule, a kernel machine of one class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import OutlierMixin

from . import _native
from ._base import chosen, seed_of
from ._instances import Given
from ._learners import KernelLearner, Ready, number
from ._report import warn_unless_converged


class KernelOutlierDetector(OutlierMixin, KernelLearner):  # type: ignore[misc]
    """Base of the outlier detectors; subclasses name the method and its parameters."""

    _task = "detect"
    _own = {"nu": ("nu", 0.5), "tol": ("machine_tol", 1e-3)}

    def _machine_params(self) -> dict[str, Any]:
        nu = number("nu", self.nu, "above 0 and at most 1", lambda v: 0 < v <= 1)
        return {"nu": nu, **self._tol()}

    def _instances(self, given: Given) -> tuple[Any, Any]:
        """Views and weights (or None) to learn from: without instances of weight 0."""
        views = self._read(given, reset=True, lacking=self._may_lack())
        views, _, weights = self._weighed(views, given)
        return views, weights

    def _ready(self, given: Given) -> Ready:
        instances = self._instances(given)
        return Ready(
            lambda: self._learner(self._machine_params()),
            lambda learner, run: learner.prepare_alone(*instances, run),
            lambda _, model, __: model,
        )

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        present: Any = None,
    ) -> KernelOutlierDetector:
        """Learn the combination of the kernels and the machine on it.

        Parameters
        ----------
        X : array of shape (n, d), sparse matrix, DataFrame, dict or list of them, or (M, n, n) array
            The instances, as the parameter ``views`` arranges them.
        y : None
            Not looked at.
        sample_weight : array-like of shape (n,), optional
            Non-negative factors of the bound of each coefficient. Instances with weight 0 are left out.
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
            Input that cannot be used; the sentence names the place.
        """
        given = self._match(
            X, reset=True, union=self._may_lack(), present=present, sample_weight=sample_weight
        )
        views, weights = self._instances(given)
        seed = seed_of(self.random_state)
        with self._words():
            learner = self._learner(self._machine_params())
            model = learner.fit_alone(views, weights, self._run(seed))
        self._took(self._counted(model))
        warn_unless_converged(type(self).__name__, self.report_)
        return self

    def fit_predict(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: npt.ArrayLike | None = None,
        present: Any = None,
    ) -> npt.NDArray[np.int64]:
        """Learn, and tell inliers (1) from outliers (-1) among the same instances.

        Parameters
        ----------
        X, y, sample_weight, present
            As in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self.fit(X, y, sample_weight, present=present).predict(X, present=present)

    def _took(self, model: _native.Model) -> None:
        super()._took(model)
        self.offset_ = -float(self.intercept_[0])

    def decision_function(self, X: Any, *, present: Any = None) -> npt.NDArray[np.float64]:
        """How far new instances are inside: at least 0 for inliers.

        Parameters
        ----------
        X : as in :meth:`fit`
            With precomputed kernels, the values between new and training instances.
        present : as in :meth:`fit`
            Which of these instances have which view.

        Returns
        -------
        ndarray of shape (n,)
            ``K @ dual_coef_[0] + intercept_``, where K is the combined kernel between X and the training
            instances ``support_``; with ``machine="svdd"`` less half of the combined kernel of each
            instance with itself.
        """
        return self._values(X, present)

    def score_samples(self, X: Any, *, present: Any = None) -> npt.NDArray[np.float64]:
        """``decision_function(X) + offset_``.

        Parameters
        ----------
        X : as in :meth:`fit`
        present : as in :meth:`fit`
            Which of these instances have which view.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._values(X, present) + self.offset_

    def predict(self, X: Any, *, present: Any = None) -> npt.NDArray[np.int64]:
        """1 for inliers, -1 for outliers.

        Parameters
        ----------
        X : as in :meth:`fit`
        present : as in :meth:`fit`
            Which of these instances have which view.

        Returns
        -------
        ndarray of shape (n,)
        """
        return np.where(self._values(X, present) >= 0, 1, -1).astype(np.int64)


class MKLOutlierDetector(KernelOutlierDetector):
    """Detection of outliers with any of the methods that combine kernels without labels.

    Parameters
    ----------
    method : str, default="simple_mkl"
        Registry id; :func:`cokernel.methods` lists them (those with the task ``detect``).
    method_params : dict, optional
        Parameters of the method; default those of the registry.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    nu : float, default=0.5
        Largest fraction of training instances outside, and least fraction of support vectors; above 0
        and at most 1.
    machine : str, default="one_class_svm"
        The machine that learns on the combination, with parameters if need be;
        :func:`cokernel.machines` lists them.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view (all its columns NaN, or not in the index of
        its table): left out; zeros or column means for the scaled features; similarities estimated from the
        other views (features, where a method makes its kernels of features: ``concat``, ``gpk``, ``lpk``); each view's
        classifier learned from the instances that have it (``late_mean``, ``ekp``,
        ``lp_beta``, ``medfc``, ``gml``). "auto" is "per_view" where the method can, else "mean", and "estimate" where similarities
        are missing. New instances may lack views, too.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR" or "mapped_f32:DIR"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once.
    time_limit : float, optional
        Seconds after which the best solution so far is taken, with a warning.
    memory : int or str, optional
        Bytes for kernels, or a size such as "500MB"; default 2 GiB.
    random_state : int, RandomState or None
        An integer gives the results of the command line with that seed.
    n_jobs : int, optional
        Threads; as in scikit-learn ``None`` is 1 and -1 all. Results do not depend on it.
    verbose : bool, default=False
        Progress on stderr.

    Attributes
    ----------
    weights_ : Weights
        Every kernel with its weight, in order.
    report_ : Report
        How learning went: status, iterations, objective, gap, what a user should read.
    lacking_ : dict or None
        Which training instances lacked views, and what was done about them; None if all had all.
    support_ : ndarray of shape (n_support,)
        Training instances that are support vectors, counted in what was given to :meth:`fit`.
    dual_coef_ : ndarray of shape (1, n_support)
        Their coefficients, with sum 1.
    intercept_ : ndarray of shape (1,)
        What is added to the sum: minus ``offset_``.
    offset_ : float
        The least value of the sum of an inlier.
    dual_objectives_, machine_gaps_ : ndarray of shape (1,)
        Dual objective and relative duality gap of the machine.
    n_iter_ : int
        Iterations of the method, at least 1.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features,)
        Column names, where X has them.

    See Also
    --------
    MKLClassifier : learns classes.

    Examples
    --------
    >>> import numpy as np
    >>> from cokernel import MKLOutlierDetector
    >>> X = np.random.default_rng(0).normal(size=(80, 4))
    >>> X[0] += 8.0
    >>> views = {"a": slice(0, 2), "b": slice(2, 4)}
    >>> found = MKLOutlierDetector("mean", views=views, nu=0.05).fit(X)
    >>> int(found.decision_function(X).argmin())
    0
    """

    def __init__(
        self,
        method: str = "simple_mkl",
        *,
        method_params: dict[str, Any] | None = None,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        machine_tol: float = 1e-3,
        scale: str | None = None,
        missing: str = "auto",
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.method = method
        self.method_params = method_params
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _method(self) -> tuple[str, list[tuple[str, Any]]]:
        return chosen(self.method, self.method_params)
