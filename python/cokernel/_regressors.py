"""Regressors: many kernels, one rule, a kernel machine for numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _native
from ._base import chosen, seed_of
from ._instances import Given
from ._learners import KernelLearner, Ready, number
from ._report import warn_unless_converged


class KernelRegressor(RegressorMixin, KernelLearner):  # type: ignore[misc]
    """Base of the regressors; subclasses name the method and its parameters."""

    _task = "regress"
    _own = {"c": ("C", 1.0), "epsilon": ("epsilon", 0.1), "tol": ("machine_tol", 1e-3)}

    def _machine_params(self) -> dict[str, Any]:
        # What goes with machines without a tube has no such argument.
        given = getattr(self, "epsilon", 0.1)
        epsilon = number("epsilon", given, "at least 0", lambda v: 0 <= v < np.inf)
        return {**self._cost_and_tol(), "epsilon": epsilon}

    def _targets(self, y: Any, found: int) -> npt.NDArray[np.float64]:
        """The numbers, as many as there are instances."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
            row = int(np.flatnonzero(np.ma.getmaskarray(y))[0])
            raise ValueError(f"y: the target of instance {row} is masked; leave such instances out")
        if np.asarray(y).dtype.kind == "c":
            raise ValueError("y: Complex data not supported, expected real numbers")
        y = column_or_1d(y, warn=True)
        if y.dtype.kind in "cSUMm" or (y.dtype.kind == "O" and any(isinstance(v, str) for v in y)):
            raise ValueError(f"y: expected real numbers, found {y.dtype}: {y[:1].tolist()[0]!r}")
        try:
            targets = np.ascontiguousarray(y, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ValueError("y: expected real numbers, found something else") from None
        if len(targets) != found:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"X has {found}, y has {len(targets)}"
            )
        if not np.isfinite(targets).all():
            row = int(np.flatnonzero(~np.isfinite(targets))[0])
            raise ValueError(
                f"y: the target of instance {row} is {targets[row]}: Input contains NaN or infinity; "
                "leave such instances out"
            )
        return targets

    def _instances(self, given: Given) -> tuple[Any, Any, Any]:
        """Views, targets and weights (or None) to learn from: without instances of weight 0."""
        views = self._read(given, reset=True, lacking=self._may_lack())
        targets = self._targets(given.others["y"], views.n)
        views, kept, weights = self._weighed(views, given)
        return views, targets if kept is None else targets[kept], weights

    def _ready(self, given: Given) -> Ready:
        instances = self._instances(given)
        return Ready(
            lambda: self._learner(self._machine_params()),
            lambda learner, run: learner.prepare_numbers(*instances, run),
            lambda _, model, __: model,
        )

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        *,
        present: Any = None,
    ) -> KernelRegressor:
        """Learn the combination of the kernels and the machine on it.

        Parameters
        ----------
        X : array of shape (n, d), sparse matrix, DataFrame, dict or list of them, or (M, n, n) array
            The instances, as the parameter ``views`` arranges them.
        y : array-like of shape (n,)
            Real numbers.
        sample_weight : array-like of shape (n,), optional
            Non-negative factors of C. Instances with weight 0 are left out.
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

        Notes
        -----
        What has a pandas index is matched by it, as in the classifiers.
        """
        given = self._match(
            X, reset=True, union=self._may_lack(), present=present, y=y, sample_weight=sample_weight
        )
        views, targets, weights = self._instances(given)
        seed = seed_of(self.random_state)
        with self._words():
            learner = self._learner(self._machine_params())
            model = learner.fit_numbers(views, targets, weights, self._run(seed))
        self._took(self._counted(model))
        warn_unless_converged(type(self).__name__, self.report_)
        return self

    def predict(self, X: Any, return_std: bool = False, *, present: Any = None) -> Any:
        """The numbers of new instances.

        Parameters
        ----------
        X : as in :meth:`fit`
            With precomputed kernels, the values between new and training instances.
        return_std : bool, default=False
            Also return the standard deviation of each number, noise and the uncertainty of the mean included; only
            of a Gaussian process (``GaussianProcessMKLRegressor``) on kernels of features, and of ``BEMKLRegressor``,
            which leaves out how uncertain the functions of the kernels are, as its program does: too small.
        present : as in :meth:`fit`
            Which of these instances have which view.

        Returns
        -------
        ndarray of shape (n,)
            ``K @ dual_coef_[0] + intercept_``, where K is the combined kernel between X and the training
            instances ``support_``.
        std : ndarray of shape (n,), only with ``return_std``
            Standard deviation of a new observation there.
        """
        if not return_std:
            return self._values(X, present)
        check_is_fitted(self)
        values, deviations, notes = _native.deviations(self._model, self._read_new(X, present), self._run())
        for note in notes:
            warnings.warn(f"{type(self).__name__}: {note}", UserWarning, stacklevel=2)
        if deviations is None:
            raise ValueError(
                f"this {type(self).__name__} has no standard deviations: Gaussian processes and BEMKL have them "
                "(GaussianProcessMKLRegressor, BEMKLRegressor, or their methods with machine='kernel_ridge'), processes not with "
                "precomputed kernels, which do not tell how like itself a new instance is, or instances that lack a view"
            )
        return values[:, 0], deviations[:, 0]

    def score(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, *, present: Any = None
    ) -> float:
        """R² of the predictions.

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
        predicted, of = self.predict(given.X, present=given.present), given.others
        return float(r2_score(of["y"], predicted, sample_weight=of["sample_weight"]))


class MKLRegressor(KernelRegressor):
    """Regression with any of the methods that learn a combination of kernels.

    Parameters
    ----------
    method : str, default="simple_mkl"
        Registry id; :func:`cokernel.methods` lists them (those with the task ``regress``).
    method_params : dict, optional
        Parameters of the method; default those of the registry.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of error beyond epsilon, above 0.
    epsilon : float, default=0.1
        Errors up to it cost nothing; at least 0, in the units of y.
    machine : str, default="svr"
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
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=200:landmarks=kmeans" or "fourier:rank=200:directions=orthogonal"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. "nystroem": not at all; some instances (``rank`` of them, chosen as "uniform",
        "kmeans", "leverage" or "cholesky" say) stand for all, in time and memory proportional to the number of instances. For
        ``simple_mkl``, ``lp_norm``, ``elastic_net``, ``mean``, ``sum`` and methods that weigh kernels without a machine
        (``align``, ``two_stage``, ...). "fourier": cosines and sines along random directions ("orthogonal" or "independent"), ``rank``
        of them for each kernel, in the place of instances; for Gaussian, Laplacian and exponential kernels. What either costs in accuracy is in ``report_.notes`` and
        ``report_.details["approximation"]``.
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
        Every kernel with its weight, in order; ``weights_.errors`` are standard deviations where the method tells them.
    report_ : Report
        How learning went: status, iterations, objective, gap, what a user should read.
    lacking_ : dict or None
        Which training instances lacked views, and what was done about them; None if all had all.
    support_ : ndarray of shape (n_support,)
        Training instances that are support vectors, counted in what was given to :meth:`fit`.
    dual_coef_ : ndarray of shape (1, n_support)
        Their coefficients in the sum over kernels. Under ``storage="nystroem"``, where ``support_`` are the landmarks Z,
        n_support columns for each kernel m with a weight: predictions are sums of k_m(X, Z) times those columns, plus the
        bias; under ``"fourier"`` these are coefficients of random features, and ``support_`` is empty.
    intercept_ : ndarray of shape (1,)
        What is added to the sum.
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
    MKLClassifier : the same for classes.

    Examples
    --------
    >>> import numpy as np
    >>> from cokernel import MKLRegressor
    >>> X = np.random.default_rng(0).normal(size=(80, 4))
    >>> y = np.sin(X[:, 0]) + 0.1 * X[:, 3]
    >>> views = {"useful": slice(0, 2), "noise": slice(2, 4)}
    >>> reg = MKLRegressor(views=views, C=10.0, epsilon=0.01).fit(X, y)
    >>> bool(reg.score(X, y) > 0.95)
    True
    """

    def __init__(
        self,
        method: str = "simple_mkl",
        *,
        method_params: dict[str, Any] | None = None,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
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
        self.C = C
        self.epsilon = epsilon
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
