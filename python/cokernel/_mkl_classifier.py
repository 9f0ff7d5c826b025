"""The classifier whose method is a parameter."""

from __future__ import annotations

from typing import Any

from ._base import chosen
from ._classifiers import KernelClassifier


class MKLClassifier(KernelClassifier):
    """Classification with any of the methods that learn a combination of kernels.

    Parameters
    ----------
    method : str, default="simple_mkl"
        Registry id; :func:`cokernel.methods` lists them.
    method_params : dict, optional
        Parameters of the method; default those of the registry.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be:
        ``"laplacian_svm:gamma_i=0.1:neighbours=10"``; :func:`cokernel.machines` lists them. Those that have an
        argument here, as C, are given there.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0; "balanced": n / (classes × instances of the class), counted over the instances
        with a positive weight, however large that is.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold; models of the machine ``kernel_logistic`` tell them all the same.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
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
        (``align``, ``two_stage``, ...), and ``forest_two_stage``. "fourier": cosines and sines along random directions ("orthogonal" or "independent"), ``rank``
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
    classes_ : ndarray of shape (n_classes,)
        The classes.
    weights_ : Weights
        View, kernel and weight of every kernel; ``weights_.errors`` are their standard deviations where the method tells
        them.
    transduction_ : ndarray of shape (n,)
        Where the machine learns from instances without a class, the class of each training instance: its own,
        or the one that is predicted. Not in model files: ``predict`` tells it again.
    report_ : Report
        Status, iterations, objective, duality gap, notes.
    lacking_ : dict or None
        Which training instances lacked views, and what was done about them; None if all had all.
    support_ : ndarray of int
        Training instances that are a support vector of some machine, counted in what was given to
        ``fit``.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Their coefficients, label included. Methods that combine decisions, as ``late_mean`` and ``ekp``,
        and ``medfc`` and ``gml`` have some for every kernel: n_support columns for the first kernel that counts, then for the second, and so on.
        So have all methods under ``storage="nystroem"``, where ``support_`` are the landmarks Z: the values of
        ``decision_function`` are sums of k_m(X, Z) times the columns of kernel m, plus the bias; under ``"fourier"`` these are
        coefficients of random features, and ``support_`` is empty.
    intercept_ : ndarray of shape (n_machines,)
        Biases. With K the combined kernel between new instances and ``support_``, the values of
        ``decision_function`` are ``K @ dual_coef_.T + intercept_``, whatever the decomposition.
    dual_objectives_, machine_gaps_ : ndarray of shape (n_machines,)
        Dual objective and relative duality gap of each machine, the columns of
        ``decision_function``.
    n_features_in_ : int
        Columns of X, or of all views.

    Examples
    --------
    >>> from cokernel import MKLClassifier, gaussian, linear
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(120, n_classes=3, separations=[5.0, 0.0], random_state=0)
    >>> clf = MKLClassifier(kernels=[gaussian(width="median")], C=10.0, random_state=0)
    >>> clf.fit(X, y).score(X, y) > 0.95
    True
    >>> clf.weights_
    view   kernel                         weight
    view0  gaussian@view0(gamma=0.02157)  0.8005  ████████████████████
    view1  gaussian@view1(gamma=0.1094)   0.1995  █████
    """

    def __init__(
        self,
        method: str = "simple_mkl",
        *,
        method_params: dict[str, Any] | None = None,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        class_weight: Any = None,
        decomposition: str = "one_vs_rest",
        machine_tol: float = 1e-3,
        probability: str | None = None,
        calibration_folds: int = 5,
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
        self.machine = machine
        self.class_weight = class_weight
        self.decomposition = decomposition
        self.machine_tol = machine_tol
        self.probability = probability
        self.calibration_folds = calibration_folds
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
