"""One class for each task of each method of the registry. Written by python/tools/generate.py: do not
edit."""

from __future__ import annotations

from typing import Any

from ._classifiers import KernelClassifier
from ._clusterers import ViewClusterer
from ._detectors import KernelOutlierDetector
from ._pairs import PairLearner
from ._regressors import KernelRegressor

__all__ = [
    "AccuracyWeightsMKLClassifier",
    "AccuracyWeightsMKLRegressor",
    "AlignMKLClassifier",
    "AlignMKLRegressor",
    "AlignfMKLClassifier",
    "AlignfMKLRegressor",
    "AlignmentGradientMKLClassifier",
    "AlignmentGradientMKLRegressor",
    "AnchorGraphSpectralClustering",
    "BEMKLClassifier",
    "BEMKLRegressor",
    "BachMKLClassifier",
    "BachMKLOutlierDetector",
    "BachMKLRegressor",
    "BestSingleMKLClassifier",
    "BestSingleMKLOutlierDetector",
    "BestSingleMKLRegressor",
    "BinarySelectionMKLClassifier",
    "BinarySelectionMKLOutlierDetector",
    "BinarySelectionMKLRegressor",
    "CCASpectralClustering",
    "CGBoostMKLClassifier",
    "CoRegularizedCentroidSpectralClustering",
    "CoRegularizedSpectralClustering",
    "CoTrainedSpectralClustering",
    "ConcatEmbeddingsSpectralClustering",
    "ConcatKMeansClustering",
    "ConcatMKLClassifier",
    "ConcatMKLOutlierDetector",
    "ConcatMKLRegressor",
    "ConcatSpectralClustering",
    "ConvexLocalizedMKLClassifier",
    "ConvexLocalizedMKLOutlierDetector",
    "ConvexLocalizedMKLRegressor",
    "DeDiegoMKLClassifier",
    "EKPClassifier",
    "EMKLClassifier",
    "EMKLRegressor",
    "EasyMKLClassifier",
    "ElasticNetMKLClassifier",
    "ElasticNetMKLOutlierDetector",
    "ElasticNetMKLRegressor",
    "ForestTwoStageMKLClassifier",
    "FsmMKLClassifier",
    "GMKLClassifier",
    "GMKLRegressor",
    "GMLClassifier",
    "GPKClassifier",
    "GPKOutlierDetector",
    "GPKRegressor",
    "GaussianProcessMKLClassifier",
    "GaussianProcessMKLRegressor",
    "GibbsProbitMKLClassifier",
    "GirolamiRogersMKLClassifier",
    "HyperkernelsMKLClassifier",
    "HyperkernelsMKLOutlierDetector",
    "HyperkernelsMKLRegressor",
    "IdealDistanceMKLClassifier",
    "IdealDistanceMKLRegressor",
    "InfiniteMKLClassifier",
    "InfiniteMKLOutlierDetector",
    "InfiniteMKLRegressor",
    "KandolaMKLClassifier",
    "KandolaMKLRegressor",
    "KernelBoostingMKLClassifier",
    "KernelCCASpectralClustering",
    "KlDivergenceMKLClassifier",
    "KlDivergenceMKLRegressor",
    "LPKClassifier",
    "LPKOutlierDetector",
    "LPKRegressor",
    "LanckrietAlignmentMKLClassifier",
    "LanckrietAlignmentMKLRegressor",
    "LanckrietQcqpMKLClassifier",
    "LanckrietQcqpMKLOutlierDetector",
    "LanckrietQcqpMKLRegressor",
    "LanckrietSdpMKLClassifier",
    "LanckrietSdpMKLOutlierDetector",
    "LanckrietSdpMKLRegressor",
    "LateFusionClustering",
    "LateMeanMKLClassifier",
    "LateMeanMKLOutlierDetector",
    "LateMeanMKLRegressor",
    "LevelMKLClassifier",
    "LevelMKLOutlierDetector",
    "LevelMKLRegressor",
    "LocalizedMKLClassifier",
    "LocalizedMKLOutlierDetector",
    "LocalizedMKLRegressor",
    "LogPenaltyMKLClassifier",
    "LogPenaltyMKLOutlierDetector",
    "LogPenaltyMKLRegressor",
    "LpBetaMKLClassifier",
    "LpNormMKLClassifier",
    "LpNormMKLOutlierDetector",
    "LpNormMKLRegressor",
    "MARKMKLClassifier",
    "MARKMKLRegressor",
    "MEDFCClassifier",
    "MKKMClustering",
    "MaxMarginClustering",
    "MeanMKLClassifier",
    "MeanMKLOutlierDetector",
    "MeanMKLRegressor",
    "MinDisagreementSpectralClustering",
    "MixedNormMKLClassifier",
    "MixedNormMKLOutlierDetector",
    "MixedNormMKLRegressor",
    "NeighbourWeightsMKLClassifier",
    "NormalizedCutMKLClassifier",
    "OnePassFusionClustering",
    "PolynomialCombinationMKLClassifier",
    "PolynomialCombinationMKLOutlierDetector",
    "PolynomialCombinationMKLRegressor",
    "PolynomialTwoStageMKLClassifier",
    "PowerProductMKLClassifier",
    "PowerProductMKLOutlierDetector",
    "PowerProductMKLRegressor",
    "ProductMKLClassifier",
    "ProductMKLOutlierDetector",
    "ProductMKLRegressor",
    "ProductSpectralClustering",
    "RMKLClassifier",
    "RMKLRegressor",
    "RWKLClassifier",
    "RWKLRegressor",
    "RegularizedSimpleMKLClassifier",
    "RegularizedSimpleMKLOutlierDetector",
    "RegularizedSimpleMKLRegressor",
    "SNFClustering",
    "SilpMKLClassifier",
    "SilpMKLOutlierDetector",
    "SilpMKLRegressor",
    "SimpleMKKMClustering",
    "SimpleMKLClassifier",
    "SimpleMKLOutlierDetector",
    "SimpleMKLRegressor",
    "SmoMKLClassifier",
    "SpectralClustering",
    "SumMKLClassifier",
    "SumMKLOutlierDetector",
    "SumMKLRegressor",
    "TwoStageMKLClassifier",
    "UfoMKLClassifier",
]


class BestSingleMKLClassifier(KernelClassifier):
    """Best single kernel.

    Trains the machine on every kernel and keeps the one with the best accuracy in an inner
    cross-validation. Costs a few machines per kernel.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    folds : int, default=3
        Folds of the inner cross-validation on the training instances. Whole number from 2
        to 100.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §5; Kumar 2013, §5.3.

    Examples
    --------
    >>> from cokernel import BestSingleMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> BestSingleMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "best_single"
    _method_params = ["folds"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        folds: int = 3,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.folds = folds
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


class BestSingleMKLRegressor(KernelRegressor):
    """Best single kernel, for numbers.

    Trains the machine on every kernel and keeps the one with the best accuracy in an inner
    cross-validation. Costs a few machines per kernel.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    folds : int, default=3
        Folds of the inner cross-validation on the training instances. Whole number from 2
        to 100.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §5; Kumar 2013, §5.3.

    Examples
    --------
    >>> from cokernel import BestSingleMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = BestSingleMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "best_single"
    _method_params = ["folds"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        folds: int = 3,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.folds = folds
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class BestSingleMKLOutlierDetector(KernelOutlierDetector):
    """Best single kernel, for outliers.

    Trains the machine on every kernel and keeps the one with the best accuracy in an inner
    cross-validation. Costs a few machines per kernel.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    folds : int, default=3
        Folds of the inner cross-validation on the training instances. Whole number from 2
        to 100.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §5; Kumar 2013, §5.3.

    Examples
    --------
    >>> from cokernel import BestSingleMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = BestSingleMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "best_single"
    _method_params = ["folds"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        folds: int = 3,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.folds = folds
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ConcatMKLClassifier(KernelClassifier):
    """Concatenated views.

    One machine on all columns side by side; the control for combining views at all. Costs one
    machine.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import ConcatMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> ConcatMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "concat"
    _method_params = []

    def __init__(
        self,
        *,
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


class ConcatMKLRegressor(KernelRegressor):
    """Concatenated views, for numbers.

    One machine on all columns side by side; the control for combining views at all. Costs one
    machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import ConcatMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = ConcatMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "concat"
    _method_params = []

    def __init__(
        self,
        *,
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


class ConcatMKLOutlierDetector(KernelOutlierDetector):
    """Concatenated views, for outliers.

    One machine on all columns side by side; the control for combining views at all. Costs one
    machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import ConcatMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = ConcatMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "concat"
    _method_params = []

    def __init__(
        self,
        *,
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


class MeanMKLClassifier(KernelClassifier):
    """Mean of the kernels.

    All kernels with the same weight 1/M. Nothing is learned; often hard to beat when most
    kernels are useful. Costs one machine.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.1.

    Examples
    --------
    >>> from cokernel import MeanMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> MeanMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "mean"
    _method_params = []

    def __init__(
        self,
        *,
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


class MeanMKLRegressor(KernelRegressor):
    """Mean of the kernels, for numbers.

    All kernels with the same weight 1/M. Nothing is learned; often hard to beat when most
    kernels are useful. Costs one machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.1.

    Examples
    --------
    >>> from cokernel import MeanMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = MeanMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "mean"
    _method_params = []

    def __init__(
        self,
        *,
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


class MeanMKLOutlierDetector(KernelOutlierDetector):
    """Mean of the kernels, for outliers.

    All kernels with the same weight 1/M. Nothing is learned; often hard to beat when most
    kernels are useful. Costs one machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.1.

    Examples
    --------
    >>> from cokernel import MeanMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = MeanMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "mean"
    _method_params = []

    def __init__(
        self,
        *,
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


class SumMKLClassifier(KernelClassifier):
    """Sum of the kernels.

    All kernels with weight 1: the mean with M times the cost C. Nothing is learned. Costs one
    machine.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.1; Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import SumMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> SumMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "sum"
    _method_params = []

    def __init__(
        self,
        *,
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


class SumMKLRegressor(KernelRegressor):
    """Sum of the kernels, for numbers.

    All kernels with weight 1: the mean with M times the cost C. Nothing is learned. Costs one
    machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.1; Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import SumMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = SumMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "sum"
    _method_params = []

    def __init__(
        self,
        *,
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


class SumMKLOutlierDetector(KernelOutlierDetector):
    """Sum of the kernels, for outliers.

    All kernels with weight 1: the mean with M times the cost C. Nothing is learned. Costs one
    machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.1; Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import SumMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = SumMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "sum"
    _method_params = []

    def __init__(
        self,
        *,
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


class ProductMKLClassifier(KernelClassifier):
    """Product of the kernels.

    Two instances are similar only if they are similar in every kernel. Nothing is learned.
    Costs one machine.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.1; Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import ProductMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> ProductMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "product"
    _method_params = []

    def __init__(
        self,
        *,
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


class ProductMKLRegressor(KernelRegressor):
    """Product of the kernels, for numbers.

    Two instances are similar only if they are similar in every kernel. Nothing is learned.
    Costs one machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.1; Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import ProductMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = ProductMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "product"
    _method_params = []

    def __init__(
        self,
        *,
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


class ProductMKLOutlierDetector(KernelOutlierDetector):
    """Product of the kernels, for outliers.

    Two instances are similar only if they are similar in every kernel. Nothing is learned.
    Costs one machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.1; Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import ProductMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = ProductMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "product"
    _method_params = []

    def __init__(
        self,
        *,
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


class PowerProductMKLClassifier(KernelClassifier):
    """Product of powers.

    Two instances are similar only if they are similar in every kernel, and exponents say how
    much each counts; the geometric mean by default. Nothing is learned. Costs one machine.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    exponents : {"mean"}, default="mean"
        Exponents by kernel, view or function, a=2,gaussian=0.5; of those not named 0. mean:
        1/M for each.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.1, §2.2.2; Varma and Babu 2009.

    Examples
    --------
    >>> from cokernel import PowerProductMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> PowerProductMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "power_product"
    _method_params = ["exponents"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        exponents: str = "mean",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.exponents = exponents
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


class PowerProductMKLRegressor(KernelRegressor):
    """Product of powers, for numbers.

    Two instances are similar only if they are similar in every kernel, and exponents say how
    much each counts; the geometric mean by default. Nothing is learned. Costs one machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    exponents : {"mean"}, default="mean"
        Exponents by kernel, view or function, a=2,gaussian=0.5; of those not named 0. mean:
        1/M for each.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.1, §2.2.2; Varma and Babu 2009.

    Examples
    --------
    >>> from cokernel import PowerProductMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = PowerProductMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "power_product"
    _method_params = ["exponents"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        exponents: str = "mean",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.exponents = exponents
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class PowerProductMKLOutlierDetector(KernelOutlierDetector):
    """Product of powers, for outliers.

    Two instances are similar only if they are similar in every kernel, and exponents say how
    much each counts; the geometric mean by default. Nothing is learned. Costs one machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    exponents : {"mean"}, default="mean"
        Exponents by kernel, view or function, a=2,gaussian=0.5; of those not named 0. mean:
        1/M for each.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.1, §2.2.2; Varma and Babu 2009.

    Examples
    --------
    >>> from cokernel import PowerProductMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = PowerProductMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "power_product"
    _method_params = ["exponents"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        exponents: str = "mean",
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.exponents = exponents
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LateMeanMKLClassifier(KernelClassifier):
    """Late integration.

    A machine on every kernel, and the mean of their decision values: decisions are combined,
    not similarities. Nothing is learned about the kernels. Costs one machine for each.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.6; Noble 2004.

    Examples
    --------
    >>> from cokernel import LateMeanMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> LateMeanMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "late_mean"
    _method_params = []

    def __init__(
        self,
        *,
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


class LateMeanMKLRegressor(KernelRegressor):
    """Late integration, for numbers.

    A machine on every kernel, and the mean of their decision values: decisions are combined,
    not similarities. Nothing is learned about the kernels. Costs one machine for each.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.6; Noble 2004.

    Examples
    --------
    >>> from cokernel import LateMeanMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = LateMeanMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "late_mean"
    _method_params = []

    def __init__(
        self,
        *,
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


class LateMeanMKLOutlierDetector(KernelOutlierDetector):
    """Late integration, for outliers.

    A machine on every kernel, and the mean of their decision values: decisions are combined,
    not similarities. Nothing is learned about the kernels. Costs one machine for each.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.6; Noble 2004.

    Examples
    --------
    >>> from cokernel import LateMeanMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = LateMeanMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "late_mean"
    _method_params = []

    def __init__(
        self,
        *,
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


class EKPClassifier(KernelClassifier):
    """Ensemble of kernel predictors (EKP).

    A machine on every kernel, and weights of their decision values that have the least hinge
    loss on instances that the machines have not seen. Decisions are combined, not similarities,
    so each kernel may have its own C. Costs a few machines for each kernel and a small linear
    program.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    values : {"out_of_fold", "in_sample"}, default="out_of_fold"
        Decision values that are learned from: out_of_fold, of machines that have not seen
        the instance; in_sample, of the machines themselves, as printed.
    folds : int, default=5
        Folds of the training instances, for decision values and for the choice of C. Whole
        number from 2 to 100.
    c_factors : float or list of float, default=1.0
        Factors of C among which each kernel chooses on the folds; 1 takes C as it is.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Cortes, Mohri, Rostamizadeh 2011; Mao, Tsang, Gao, Wang 2015, (21).

    Examples
    --------
    >>> from cokernel import EKPClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> EKPClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "ekp"
    _method_params = ["values", "folds", "c_factors", "tol"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        values: str = "out_of_fold",
        folds: int = 5,
        c_factors: float | list[float] = 1.0,
        tol: float = 0.001,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.values = values
        self.folds = folds
        self.c_factors = c_factors
        self.tol = tol
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


class LpBetaMKLClassifier(KernelClassifier):
    """Linear program boosting of kernels (LP-β).

    A machine on every kernel, and weights of their decision values that all classes share, with
    the largest margin that all but a part ν of the instances keep. Weights are sparse. Costs a
    few machines for each kernel and a linear program.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    nu : float, default=0.5
        Part ν of the instances that may have less than the margin. A real number greater
        than 0 and at most 0.999.
    values : {"out_of_fold", "in_sample"}, default="out_of_fold"
        Decision values that are learned from: out_of_fold, of machines that have not seen
        the instance; in_sample, of the machines themselves, as printed.
    folds : int, default=5
        Folds of the training instances, for decision values and for the choice of C. Whole
        number from 2 to 100.
    c_factors : float or list of float, default=1.0
        Factors of C among which each kernel chooses on the folds; 1 takes C as it is.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gehler, Nowozin 2009; Kumar et al. 2012, §5.3.2.

    Examples
    --------
    >>> from cokernel import LpBetaMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> LpBetaMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "lp_beta"
    _method_params = ["nu", "values", "folds", "c_factors", "tol"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        nu: float = 0.5,
        values: str = "out_of_fold",
        folds: int = 5,
        c_factors: float | list[float] = 1.0,
        tol: float = 0.001,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.nu = nu
        self.values = values
        self.folds = folds
        self.c_factors = c_factors
        self.tol = tol
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


class SimpleMKLClassifier(KernelClassifier):
    """SimpleMKL.

    The average of the kernels on which the machine has the least objective; most weights become
    0. Stops on the relative duality gap. Costs about seven machines and as many passes over all
    kernels.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    direction : {"newton", "gradient"}, default="newton"
        newton: second-order model on the simplex; gradient: the reduced gradient of the
        paper.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Rakotomamonjy, Bach, Canu, Grandvalet 2008; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import SimpleMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> SimpleMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "simple_mkl"
    _method_params = ["tol", "max_iterations", "direction"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        tol: float = 0.001,
        max_iterations: int = 500,
        direction: str = "newton",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.direction = direction
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


class SimpleMKLRegressor(KernelRegressor):
    """SimpleMKL, for numbers.

    The average of the kernels on which the machine has the least objective; most weights become
    0. Stops on the relative duality gap. Costs about seven machines and as many passes over all
    kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    direction : {"newton", "gradient"}, default="newton"
        newton: second-order model on the simplex; gradient: the reduced gradient of the
        paper.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Rakotomamonjy, Bach, Canu, Grandvalet 2008; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import SimpleMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = SimpleMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "simple_mkl"
    _method_params = ["tol", "max_iterations", "direction"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        tol: float = 0.001,
        max_iterations: int = 500,
        direction: str = "newton",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.direction = direction
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SimpleMKLOutlierDetector(KernelOutlierDetector):
    """SimpleMKL, for outliers.

    The average of the kernels on which the machine has the least objective; most weights become
    0. Stops on the relative duality gap. Costs about seven machines and as many passes over all
    kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    direction : {"newton", "gradient"}, default="newton"
        newton: second-order model on the simplex; gradient: the reduced gradient of the
        paper.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Rakotomamonjy, Bach, Canu, Grandvalet 2008; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import SimpleMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = SimpleMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "simple_mkl"
    _method_params = ["tol", "max_iterations", "direction"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        tol: float = 0.001,
        max_iterations: int = 500,
        direction: str = "newton",
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.direction = direction
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class InfiniteMKLClassifier(KernelClassifier):
    """Infinite kernel learning.

    SimpleMKL over all widths of the given Gaussian, Laplacian and χ² kernels: widths are found,
    not chosen beforehand. The duality gap is over all widths. Costs some rounds of SimpleMKL on
    a few kernels.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    span : float, default=100.0
        Gammas are from those of the given kernels over span to span times these. A real
        number at least 1 and at most 1000000.
    tol : float, default=0.001
        Relative duality gap over all widths to stop at. A real number greater than 0 and at
        most 0.5.
    max_rounds : int, default=50
        Limit on rounds, each of which adds at most one width of each kernel. Whole number
        from 1 to 100000.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gehler, Nowozin 2008; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import InfiniteMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> InfiniteMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "infinite_mkl"
    _method_params = ["span", "tol", "max_rounds"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        span: float = 100.0,
        tol: float = 0.001,
        max_rounds: int = 50,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.span = span
        self.tol = tol
        self.max_rounds = max_rounds
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


class InfiniteMKLRegressor(KernelRegressor):
    """Infinite kernel learning, for numbers.

    SimpleMKL over all widths of the given Gaussian, Laplacian and χ² kernels: widths are found,
    not chosen beforehand. The duality gap is over all widths. Costs some rounds of SimpleMKL on
    a few kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    span : float, default=100.0
        Gammas are from those of the given kernels over span to span times these. A real
        number at least 1 and at most 1000000.
    tol : float, default=0.001
        Relative duality gap over all widths to stop at. A real number greater than 0 and at
        most 0.5.
    max_rounds : int, default=50
        Limit on rounds, each of which adds at most one width of each kernel. Whole number
        from 1 to 100000.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gehler, Nowozin 2008; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import InfiniteMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = InfiniteMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "infinite_mkl"
    _method_params = ["span", "tol", "max_rounds"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        span: float = 100.0,
        tol: float = 0.001,
        max_rounds: int = 50,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.span = span
        self.tol = tol
        self.max_rounds = max_rounds
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class InfiniteMKLOutlierDetector(KernelOutlierDetector):
    """Infinite kernel learning, for outliers.

    SimpleMKL over all widths of the given Gaussian, Laplacian and χ² kernels: widths are found,
    not chosen beforehand. The duality gap is over all widths. Costs some rounds of SimpleMKL on
    a few kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    span : float, default=100.0
        Gammas are from those of the given kernels over span to span times these. A real
        number at least 1 and at most 1000000.
    tol : float, default=0.001
        Relative duality gap over all widths to stop at. A real number greater than 0 and at
        most 0.5.
    max_rounds : int, default=50
        Limit on rounds, each of which adds at most one width of each kernel. Whole number
        from 1 to 100000.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gehler, Nowozin 2008; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import InfiniteMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = InfiniteMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "infinite_mkl"
    _method_params = ["span", "tol", "max_rounds"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        span: float = 100.0,
        tol: float = 0.001,
        max_rounds: int = 50,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.span = span
        self.tol = tol
        self.max_rounds = max_rounds
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class HyperkernelsMKLClassifier(KernelClassifier):
    """Hyperkernels.

    Learns a function of the given kernels, which have to have unit diagonal: sums of products
    of their powers that the machine finds best, with a penalty on functions that bend. For at
    most 300 instances.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    decay : float, default=0.6
        λ: how much high powers of the kernels count. A real number at least 1e-6 and at
        most 0.999.
    penalty : float, default=1.0
        λ_Q: the price of half the square of the norm of the learned kernel; 0 for none. A
        real number at least 0 and at most 1000000000000.
    tol : float, default=0.001
        Relative duality gap over all pairs to stop at. A real number greater than 0 and at
        most 0.5.
    max_rounds : int, default=100
        Limit on rounds, each of which adds some pairs. Whole number from 1 to 100000.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Ong, Smola, Williamson 2005; Tsang, Kwok 2006; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import HyperkernelsMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> HyperkernelsMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "hyperkernels"
    _method_params = ["decay", "penalty", "tol", "max_rounds"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        decay: float = 0.6,
        penalty: float = 1.0,
        tol: float = 0.001,
        max_rounds: int = 100,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.decay = decay
        self.penalty = penalty
        self.tol = tol
        self.max_rounds = max_rounds
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


class HyperkernelsMKLRegressor(KernelRegressor):
    """Hyperkernels, for numbers.

    Learns a function of the given kernels, which have to have unit diagonal: sums of products
    of their powers that the machine finds best, with a penalty on functions that bend. For at
    most 300 instances.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    decay : float, default=0.6
        λ: how much high powers of the kernels count. A real number at least 1e-6 and at
        most 0.999.
    penalty : float, default=1.0
        λ_Q: the price of half the square of the norm of the learned kernel; 0 for none. A
        real number at least 0 and at most 1000000000000.
    tol : float, default=0.001
        Relative duality gap over all pairs to stop at. A real number greater than 0 and at
        most 0.5.
    max_rounds : int, default=100
        Limit on rounds, each of which adds some pairs. Whole number from 1 to 100000.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Ong, Smola, Williamson 2005; Tsang, Kwok 2006; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import HyperkernelsMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = HyperkernelsMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "hyperkernels"
    _method_params = ["decay", "penalty", "tol", "max_rounds"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        decay: float = 0.6,
        penalty: float = 1.0,
        tol: float = 0.001,
        max_rounds: int = 100,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.decay = decay
        self.penalty = penalty
        self.tol = tol
        self.max_rounds = max_rounds
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class HyperkernelsMKLOutlierDetector(KernelOutlierDetector):
    """Hyperkernels, for outliers.

    Learns a function of the given kernels, which have to have unit diagonal: sums of products
    of their powers that the machine finds best, with a penalty on functions that bend. For at
    most 300 instances.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    decay : float, default=0.6
        λ: how much high powers of the kernels count. A real number at least 1e-6 and at
        most 0.999.
    penalty : float, default=1.0
        λ_Q: the price of half the square of the norm of the learned kernel; 0 for none. A
        real number at least 0 and at most 1000000000000.
    tol : float, default=0.001
        Relative duality gap over all pairs to stop at. A real number greater than 0 and at
        most 0.5.
    max_rounds : int, default=100
        Limit on rounds, each of which adds some pairs. Whole number from 1 to 100000.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Ong, Smola, Williamson 2005; Tsang, Kwok 2006; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import HyperkernelsMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = HyperkernelsMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "hyperkernels"
    _method_params = ["decay", "penalty", "tol", "max_rounds"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        decay: float = 0.6,
        penalty: float = 1.0,
        tol: float = 0.001,
        max_rounds: int = 100,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.decay = decay
        self.penalty = penalty
        self.tol = tol
        self.max_rounds = max_rounds
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LpNormMKLClassifier(KernelClassifier):
    """Lp-norm MKL.

    Weights in the unit ball of the lp norm on which the machine has the least objective: all
    kernels take part, the more evenly the larger p is. Stops on the relative duality gap. Costs
    about five machines and as many passes over all kernels.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    p : float, default=2.0
        The norm: 1 keeps few kernels (SimpleMKL), large values weigh all alike. A real
        number at least 1 and at most 1000.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    direction : {"newton", "closed_form"}, default="newton"
        newton: Newton's method on the optimality conditions; closed_form: the step of the
        papers.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Kloft, Brefeld, Sonnenburg, Zien 2011; Gönen 2010, §2.2.1.2.

    Examples
    --------
    >>> from cokernel import LpNormMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> LpNormMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "lp_norm"
    _method_params = ["p", "tol", "max_iterations", "direction"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        p: float = 2.0,
        tol: float = 0.001,
        max_iterations: int = 500,
        direction: str = "newton",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.p = p
        self.tol = tol
        self.max_iterations = max_iterations
        self.direction = direction
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


class LpNormMKLRegressor(KernelRegressor):
    """Lp-norm MKL, for numbers.

    Weights in the unit ball of the lp norm on which the machine has the least objective: all
    kernels take part, the more evenly the larger p is. Stops on the relative duality gap. Costs
    about five machines and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    p : float, default=2.0
        The norm: 1 keeps few kernels (SimpleMKL), large values weigh all alike. A real
        number at least 1 and at most 1000.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    direction : {"newton", "closed_form"}, default="newton"
        newton: Newton's method on the optimality conditions; closed_form: the step of the
        papers.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Kloft, Brefeld, Sonnenburg, Zien 2011; Gönen 2010, §2.2.1.2.

    Examples
    --------
    >>> from cokernel import LpNormMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = LpNormMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "lp_norm"
    _method_params = ["p", "tol", "max_iterations", "direction"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        p: float = 2.0,
        tol: float = 0.001,
        max_iterations: int = 500,
        direction: str = "newton",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.p = p
        self.tol = tol
        self.max_iterations = max_iterations
        self.direction = direction
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LpNormMKLOutlierDetector(KernelOutlierDetector):
    """Lp-norm MKL, for outliers.

    Weights in the unit ball of the lp norm on which the machine has the least objective: all
    kernels take part, the more evenly the larger p is. Stops on the relative duality gap. Costs
    about five machines and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    p : float, default=2.0
        The norm: 1 keeps few kernels (SimpleMKL), large values weigh all alike. A real
        number at least 1 and at most 1000.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    direction : {"newton", "closed_form"}, default="newton"
        newton: Newton's method on the optimality conditions; closed_form: the step of the
        papers.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Kloft, Brefeld, Sonnenburg, Zien 2011; Gönen 2010, §2.2.1.2.

    Examples
    --------
    >>> from cokernel import LpNormMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = LpNormMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "lp_norm"
    _method_params = ["p", "tol", "max_iterations", "direction"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        p: float = 2.0,
        tol: float = 0.001,
        max_iterations: int = 500,
        direction: str = "newton",
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.p = p
        self.tol = tol
        self.max_iterations = max_iterations
        self.direction = direction
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class BachMKLClassifier(KernelClassifier):
    """MKL with a weighted l1 norm (support kernel machine).

    SimpleMKL with a price for each kernel: the weights η have Σ d_m² η_m = 1, so that a kernel
    with a large d_m has to be so much better. Most weights become 0. Stops on the relative
    duality gap. Costs about seven machines and as many passes over all kernels.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    d : {"unit", "trace", "features", "measured"}, default="unit"
        d_m of (2.4), what the norm of a kernel's weight vector costs: unit, 1 for all
        (SimpleMKL); trace, the root of the mean diagonal entry (which undoes the scale of
        kernels); features or measured, the root of the number of features or of the seconds
        that a value takes, 1 for the cheapest kernel; or numbers by kernel, view or
        function, a=2,gaussian=0.5, 1 for those not named.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Bach, Lanckriet, Jordan 2004; Gönen 2010, §2.2.1.3, (2.4)-(2.5), §2.8.

    Examples
    --------
    >>> from cokernel import BachMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> BachMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "bach"
    _method_params = ["d", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        d: str = "unit",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.d = d
        self.tol = tol
        self.max_iterations = max_iterations
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


class BachMKLRegressor(KernelRegressor):
    """MKL with a weighted l1 norm (support kernel machine), for numbers.

    SimpleMKL with a price for each kernel: the weights η have Σ d_m² η_m = 1, so that a kernel
    with a large d_m has to be so much better. Most weights become 0. Stops on the relative
    duality gap. Costs about seven machines and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    d : {"unit", "trace", "features", "measured"}, default="unit"
        d_m of (2.4), what the norm of a kernel's weight vector costs: unit, 1 for all
        (SimpleMKL); trace, the root of the mean diagonal entry (which undoes the scale of
        kernels); features or measured, the root of the number of features or of the seconds
        that a value takes, 1 for the cheapest kernel; or numbers by kernel, view or
        function, a=2,gaussian=0.5, 1 for those not named.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Bach, Lanckriet, Jordan 2004; Gönen 2010, §2.2.1.3, (2.4)-(2.5), §2.8.

    Examples
    --------
    >>> from cokernel import BachMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = BachMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "bach"
    _method_params = ["d", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        d: str = "unit",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.d = d
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class BachMKLOutlierDetector(KernelOutlierDetector):
    """MKL with a weighted l1 norm (support kernel machine), for outliers.

    SimpleMKL with a price for each kernel: the weights η have Σ d_m² η_m = 1, so that a kernel
    with a large d_m has to be so much better. Most weights become 0. Stops on the relative
    duality gap. Costs about seven machines and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    d : {"unit", "trace", "features", "measured"}, default="unit"
        d_m of (2.4), what the norm of a kernel's weight vector costs: unit, 1 for all
        (SimpleMKL); trace, the root of the mean diagonal entry (which undoes the scale of
        kernels); features or measured, the root of the number of features or of the seconds
        that a value takes, 1 for the cheapest kernel; or numbers by kernel, view or
        function, a=2,gaussian=0.5, 1 for those not named.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Bach, Lanckriet, Jordan 2004; Gönen 2010, §2.2.1.3, (2.4)-(2.5), §2.8.

    Examples
    --------
    >>> from cokernel import BachMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = BachMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "bach"
    _method_params = ["d", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        d: str = "unit",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.d = d
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RMKLClassifier(KernelClassifier):
    """Regularized MKL by a response surface.

    MKL whose price for each kernel is chosen by errors on inner folds: a quadratic surface is
    fitted to the errors of a few prices, and its least point near the best one is tried next.
    For up to about ten kernels: costs folds × M (M + 1)/2 fits of MKL and some more.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    folds : int, default=3
        Folds of the inner cross-validation on the training instances, whose errors are
        minimised. Whole number from 2 to 100.
    delta : float, default=0.3
        Δ of the Koshal design, a step in log10. A real number greater than 0 and at most 5.
    reach : float, default=1.0
        How far from 1 the numbers go at most, in log10: from 10^-reach to 10^reach. A real
        number greater than 0 and at most 5.
    step_tol : float, default=0.02
        ε of Figure 2.3: the search ends at a step that is shorter in log10. A real number
        greater than 0 and at most 5.
    max_evaluations : int, default=100
        Limit on evaluations, each a fit per fold; the design of M kernels has M (M + 1)/2.
        Whole number from 1 to 100000.
    answer : {"best", "last"}, default="best"
        Which evaluation is taken: best, the least error (of equal ones where the surface is
        least); last, where the search ended, as Figure 2.3 does.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen, Alpaydın 2010; Gönen 2010, §2.7, Figure 2.3.

    Examples
    --------
    >>> from cokernel import RMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> RMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "rmkl"
    _method_params = ["folds", "delta", "reach", "step_tol", "max_evaluations", "answer", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        folds: int = 3,
        delta: float = 0.3,
        reach: float = 1.0,
        step_tol: float = 0.02,
        max_evaluations: int = 100,
        answer: str = "best",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.folds = folds
        self.delta = delta
        self.reach = reach
        self.step_tol = step_tol
        self.max_evaluations = max_evaluations
        self.answer = answer
        self.tol = tol
        self.max_iterations = max_iterations
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


class RMKLRegressor(KernelRegressor):
    """Regularized MKL by a response surface, for numbers.

    MKL whose price for each kernel is chosen by errors on inner folds: a quadratic surface is
    fitted to the errors of a few prices, and its least point near the best one is tried next.
    For up to about ten kernels: costs folds × M (M + 1)/2 fits of MKL and some more.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    folds : int, default=3
        Folds of the inner cross-validation on the training instances, whose errors are
        minimised. Whole number from 2 to 100.
    delta : float, default=0.3
        Δ of the Koshal design, a step in log10. A real number greater than 0 and at most 5.
    reach : float, default=1.0
        How far from 1 the numbers go at most, in log10: from 10^-reach to 10^reach. A real
        number greater than 0 and at most 5.
    step_tol : float, default=0.02
        ε of Figure 2.3: the search ends at a step that is shorter in log10. A real number
        greater than 0 and at most 5.
    max_evaluations : int, default=100
        Limit on evaluations, each a fit per fold; the design of M kernels has M (M + 1)/2.
        Whole number from 1 to 100000.
    answer : {"best", "last"}, default="best"
        Which evaluation is taken: best, the least error (of equal ones where the surface is
        least); last, where the search ended, as Figure 2.3 does.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen, Alpaydın 2010; Gönen 2010, §2.7, Figure 2.3.

    Examples
    --------
    >>> from cokernel import RMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = RMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "rmkl"
    _method_params = ["folds", "delta", "reach", "step_tol", "max_evaluations", "answer", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        folds: int = 3,
        delta: float = 0.3,
        reach: float = 1.0,
        step_tol: float = 0.02,
        max_evaluations: int = 100,
        answer: str = "best",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.folds = folds
        self.delta = delta
        self.reach = reach
        self.step_tol = step_tol
        self.max_evaluations = max_evaluations
        self.answer = answer
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class EMKLClassifier(KernelClassifier):
    """MKL with prices from eigenvalues.

    MKL in which a kernel is dearer the more large eigenvalues it has, d_m = e_m^γ, with γ
    chosen by errors on inner folds. Costs the eigenvalues of each kernel and folds × 11 fits of
    MKL.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    gamma : str, default="grid"
        Values of γ to choose from, separated by spaces; grid: 0, 0.1, …, 1.
    folds : int, default=3
        Folds of the inner cross-validation on the training instances, whose errors are
        minimised. Whole number from 2 to 100.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Bach, Thibaux, Jordan 2005; Gönen 2010, §2.7.2.

    Examples
    --------
    >>> from cokernel import EMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> EMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "emkl"
    _method_params = ["gamma", "folds", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        gamma: str = "grid",
        folds: int = 3,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.gamma = gamma
        self.folds = folds
        self.tol = tol
        self.max_iterations = max_iterations
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


class EMKLRegressor(KernelRegressor):
    """MKL with prices from eigenvalues, for numbers.

    MKL in which a kernel is dearer the more large eigenvalues it has, d_m = e_m^γ, with γ
    chosen by errors on inner folds. Costs the eigenvalues of each kernel and folds × 11 fits of
    MKL.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    gamma : str, default="grid"
        Values of γ to choose from, separated by spaces; grid: 0, 0.1, …, 1.
    folds : int, default=3
        Folds of the inner cross-validation on the training instances, whose errors are
        minimised. Whole number from 2 to 100.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Bach, Thibaux, Jordan 2005; Gönen 2010, §2.7.2.

    Examples
    --------
    >>> from cokernel import EMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = EMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "emkl"
    _method_params = ["gamma", "folds", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        gamma: str = "grid",
        folds: int = 3,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.gamma = gamma
        self.folds = folds
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ElasticNetMKLClassifier(KernelClassifier):
    """Elastic-net MKL.

    Weights with v Σ η + (1 − v) Σ η² = 1 on which the machine has the least objective: between
    SimpleMKL, which keeps few kernels, and the l2 norm, which keeps all. Kernels that resemble
    each other share their weight. Stops on the relative duality gap. Costs about five machines
    and as many passes over all kernels.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    l1_ratio : float, default=0.5
        v: the part of the l1 norm in v Σ η + (1 − v) Σ η² ≤ 1; 1 keeps few kernels
        (SimpleMKL), 0 all (lp-norm MKL with p = 2). A real number at least 0 and at most 1.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Yang, Xu, King, Lyu 2011; Mao et al. 2015, §V-C.

    Examples
    --------
    >>> from cokernel import ElasticNetMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> ElasticNetMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "elastic_net"
    _method_params = ["l1_ratio", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        l1_ratio: float = 0.5,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.max_iterations = max_iterations
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


class ElasticNetMKLRegressor(KernelRegressor):
    """Elastic-net MKL, for numbers.

    Weights with v Σ η + (1 − v) Σ η² = 1 on which the machine has the least objective: between
    SimpleMKL, which keeps few kernels, and the l2 norm, which keeps all. Kernels that resemble
    each other share their weight. Stops on the relative duality gap. Costs about five machines
    and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    l1_ratio : float, default=0.5
        v: the part of the l1 norm in v Σ η + (1 − v) Σ η² ≤ 1; 1 keeps few kernels
        (SimpleMKL), 0 all (lp-norm MKL with p = 2). A real number at least 0 and at most 1.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Yang, Xu, King, Lyu 2011; Mao et al. 2015, §V-C.

    Examples
    --------
    >>> from cokernel import ElasticNetMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = ElasticNetMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "elastic_net"
    _method_params = ["l1_ratio", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        l1_ratio: float = 0.5,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ElasticNetMKLOutlierDetector(KernelOutlierDetector):
    """Elastic-net MKL, for outliers.

    Weights with v Σ η + (1 − v) Σ η² = 1 on which the machine has the least objective: between
    SimpleMKL, which keeps few kernels, and the l2 norm, which keeps all. Kernels that resemble
    each other share their weight. Stops on the relative duality gap. Costs about five machines
    and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    l1_ratio : float, default=0.5
        v: the part of the l1 norm in v Σ η + (1 − v) Σ η² ≤ 1; 1 keeps few kernels
        (SimpleMKL), 0 all (lp-norm MKL with p = 2). A real number at least 0 and at most 1.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Yang, Xu, King, Lyu 2011; Mao et al. 2015, §V-C.

    Examples
    --------
    >>> from cokernel import ElasticNetMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = ElasticNetMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "elastic_net"
    _method_params = ["l1_ratio", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        l1_ratio: float = 0.5,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MixedNormMKLClassifier(KernelClassifier):
    """Mixed-norm MKL (groups of kernels).

    Weights with one norm within groups of kernels (those of a view, say) and another across the
    groups: by default few groups keep a weight, and all kernels of those. Stops on the relative
    duality gap. Costs about six machines and as many passes over all kernels.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    groups : {"view"}, default="view"
        Which kernels belong together: view, those of each view; or numbers by kernel, view
        or function, where equal numbers are a group (a=1,b=1,c=2), and each kernel not
        named is a group of its own.
    within : float, default=2.0
        r, the norm within a group: 1 keeps few of its kernels, large values weigh all
        alike. A real number at least 1 and at most 1000.
    across : float, default=1.0
        s, the norm across groups: 1 keeps few groups, large values weigh all alike. A real
        number at least 1 and at most 1000.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Szafranski, Grandvalet, Rakotomamonjy 2008; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import MixedNormMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> MixedNormMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "mixed_norm"
    _method_params = ["groups", "within", "across", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        groups: str = "view",
        within: float = 2.0,
        across: float = 1.0,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.groups = groups
        self.within = within
        self.across = across
        self.tol = tol
        self.max_iterations = max_iterations
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


class MixedNormMKLRegressor(KernelRegressor):
    """Mixed-norm MKL (groups of kernels), for numbers.

    Weights with one norm within groups of kernels (those of a view, say) and another across the
    groups: by default few groups keep a weight, and all kernels of those. Stops on the relative
    duality gap. Costs about six machines and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    groups : {"view"}, default="view"
        Which kernels belong together: view, those of each view; or numbers by kernel, view
        or function, where equal numbers are a group (a=1,b=1,c=2), and each kernel not
        named is a group of its own.
    within : float, default=2.0
        r, the norm within a group: 1 keeps few of its kernels, large values weigh all
        alike. A real number at least 1 and at most 1000.
    across : float, default=1.0
        s, the norm across groups: 1 keeps few groups, large values weigh all alike. A real
        number at least 1 and at most 1000.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Szafranski, Grandvalet, Rakotomamonjy 2008; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import MixedNormMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = MixedNormMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "mixed_norm"
    _method_params = ["groups", "within", "across", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        groups: str = "view",
        within: float = 2.0,
        across: float = 1.0,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.groups = groups
        self.within = within
        self.across = across
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MixedNormMKLOutlierDetector(KernelOutlierDetector):
    """Mixed-norm MKL (groups of kernels), for outliers.

    Weights with one norm within groups of kernels (those of a view, say) and another across the
    groups: by default few groups keep a weight, and all kernels of those. Stops on the relative
    duality gap. Costs about six machines and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    groups : {"view"}, default="view"
        Which kernels belong together: view, those of each view; or numbers by kernel, view
        or function, where equal numbers are a group (a=1,b=1,c=2), and each kernel not
        named is a group of its own.
    within : float, default=2.0
        r, the norm within a group: 1 keeps few of its kernels, large values weigh all
        alike. A real number at least 1 and at most 1000.
    across : float, default=1.0
        s, the norm across groups: 1 keeps few groups, large values weigh all alike. A real
        number at least 1 and at most 1000.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Szafranski, Grandvalet, Rakotomamonjy 2008; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import MixedNormMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = MixedNormMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "mixed_norm"
    _method_params = ["groups", "within", "across", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        groups: str = "view",
        within: float = 2.0,
        across: float = 1.0,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.groups = groups
        self.within = within
        self.across = across
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RegularizedSimpleMKLClassifier(KernelClassifier):
    """SimpleMKL with a quadratic penalty.

    The average of the kernels on which the machine has the least objective, with a penalty λ Σ
    (η − 1/M)² that keeps the weights near each other. Stops on the relative duality gap. Costs
    about six machines and as many passes over all kernels.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    lam : float, default=0.1
        λ of λ Σ (η − 1/M)²: 0 is SimpleMKL, large values weigh all kernels alike. A real
        number at least 0 and at most 1000000000000.
    lambda_unit : {"mean", "one"}, default="mean"
        What λ counts: mean, the objective of the machine on the mean of the kernels, so
        that λ means the same whatever C and the number of instances are; one, itself, as in
        the papers.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Longworth, Gales 2008; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import RegularizedSimpleMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> RegularizedSimpleMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "regularized_simple_mkl"
    _method_params = ["lambda", "lambda_unit", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        lam: float = 0.1,
        lambda_unit: str = "mean",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.lam = lam
        self.lambda_unit = lambda_unit
        self.tol = tol
        self.max_iterations = max_iterations
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


class RegularizedSimpleMKLRegressor(KernelRegressor):
    """SimpleMKL with a quadratic penalty, for numbers.

    The average of the kernels on which the machine has the least objective, with a penalty λ Σ
    (η − 1/M)² that keeps the weights near each other. Stops on the relative duality gap. Costs
    about six machines and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    lam : float, default=0.1
        λ of λ Σ (η − 1/M)²: 0 is SimpleMKL, large values weigh all kernels alike. A real
        number at least 0 and at most 1000000000000.
    lambda_unit : {"mean", "one"}, default="mean"
        What λ counts: mean, the objective of the machine on the mean of the kernels, so
        that λ means the same whatever C and the number of instances are; one, itself, as in
        the papers.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Longworth, Gales 2008; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import RegularizedSimpleMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = RegularizedSimpleMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "regularized_simple_mkl"
    _method_params = ["lambda", "lambda_unit", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        lam: float = 0.1,
        lambda_unit: str = "mean",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.lam = lam
        self.lambda_unit = lambda_unit
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RegularizedSimpleMKLOutlierDetector(KernelOutlierDetector):
    """SimpleMKL with a quadratic penalty, for outliers.

    The average of the kernels on which the machine has the least objective, with a penalty λ Σ
    (η − 1/M)² that keeps the weights near each other. Stops on the relative duality gap. Costs
    about six machines and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    lam : float, default=0.1
        λ of λ Σ (η − 1/M)²: 0 is SimpleMKL, large values weigh all kernels alike. A real
        number at least 0 and at most 1000000000000.
    lambda_unit : {"mean", "one"}, default="mean"
        What λ counts: mean, the objective of the machine on the mean of the kernels, so
        that λ means the same whatever C and the number of instances are; one, itself, as in
        the papers.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Longworth, Gales 2008; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import RegularizedSimpleMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = RegularizedSimpleMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "regularized_simple_mkl"
    _method_params = ["lambda", "lambda_unit", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        lam: float = 0.1,
        lambda_unit: str = "mean",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.lam = lam
        self.lambda_unit = lambda_unit
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LogPenaltyMKLClassifier(KernelClassifier):
    """Sparse MKL with a log penalty.

    SimpleMKL with a concave penalty on the weights, which keeps fewer kernels than any convex
    method. Not convex: the objective falls until no small change improves it. Costs three to
    six times SimpleMKL's last machines.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    lam : float, default=0.01
        λ, what a kernel with weight 1 costs: 0 is SimpleMKL, large values keep one kernel.
        A real number at least 0 and at most 1000000000000.
    lambda_unit : {"mean", "one"}, default="mean"
        What λ counts: mean, the objective of the machine on the mean of the kernels, so
        that λ means the same whatever C and the number of instances are; one, itself, as in
        the papers.
    threshold : float, default=0.01
        ε of log(1 + η/ε): the weight from which on a kernel costs about as much as with
        weight 1. A real number greater than 0 and at most 1000.
    tol : float, default=0.001
        Relative gain of a round to stop at, and relative duality gap of its convex problem.
        A real number greater than 0 and at most 0.5.
    max_iterations : int, default=50
        Limit on rounds, each a convex problem. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Subrahmanya, Shin 2010; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import LogPenaltyMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> LogPenaltyMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "log_penalty"
    _method_params = ["lambda", "lambda_unit", "threshold", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        lam: float = 0.01,
        lambda_unit: str = "mean",
        threshold: float = 0.01,
        tol: float = 0.001,
        max_iterations: int = 50,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.lam = lam
        self.lambda_unit = lambda_unit
        self.threshold = threshold
        self.tol = tol
        self.max_iterations = max_iterations
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


class LogPenaltyMKLRegressor(KernelRegressor):
    """Sparse MKL with a log penalty, for numbers.

    SimpleMKL with a concave penalty on the weights, which keeps fewer kernels than any convex
    method. Not convex: the objective falls until no small change improves it. Costs three to
    six times SimpleMKL's last machines.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    lam : float, default=0.01
        λ, what a kernel with weight 1 costs: 0 is SimpleMKL, large values keep one kernel.
        A real number at least 0 and at most 1000000000000.
    lambda_unit : {"mean", "one"}, default="mean"
        What λ counts: mean, the objective of the machine on the mean of the kernels, so
        that λ means the same whatever C and the number of instances are; one, itself, as in
        the papers.
    threshold : float, default=0.01
        ε of log(1 + η/ε): the weight from which on a kernel costs about as much as with
        weight 1. A real number greater than 0 and at most 1000.
    tol : float, default=0.001
        Relative gain of a round to stop at, and relative duality gap of its convex problem.
        A real number greater than 0 and at most 0.5.
    max_iterations : int, default=50
        Limit on rounds, each a convex problem. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Subrahmanya, Shin 2010; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import LogPenaltyMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = LogPenaltyMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "log_penalty"
    _method_params = ["lambda", "lambda_unit", "threshold", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        lam: float = 0.01,
        lambda_unit: str = "mean",
        threshold: float = 0.01,
        tol: float = 0.001,
        max_iterations: int = 50,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.lam = lam
        self.lambda_unit = lambda_unit
        self.threshold = threshold
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LogPenaltyMKLOutlierDetector(KernelOutlierDetector):
    """Sparse MKL with a log penalty, for outliers.

    SimpleMKL with a concave penalty on the weights, which keeps fewer kernels than any convex
    method. Not convex: the objective falls until no small change improves it. Costs three to
    six times SimpleMKL's last machines.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    lam : float, default=0.01
        λ, what a kernel with weight 1 costs: 0 is SimpleMKL, large values keep one kernel.
        A real number at least 0 and at most 1000000000000.
    lambda_unit : {"mean", "one"}, default="mean"
        What λ counts: mean, the objective of the machine on the mean of the kernels, so
        that λ means the same whatever C and the number of instances are; one, itself, as in
        the papers.
    threshold : float, default=0.01
        ε of log(1 + η/ε): the weight from which on a kernel costs about as much as with
        weight 1. A real number greater than 0 and at most 1000.
    tol : float, default=0.001
        Relative gain of a round to stop at, and relative duality gap of its convex problem.
        A real number greater than 0 and at most 0.5.
    max_iterations : int, default=50
        Limit on rounds, each a convex problem. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Subrahmanya, Shin 2010; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import LogPenaltyMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = LogPenaltyMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "log_penalty"
    _method_params = ["lambda", "lambda_unit", "threshold", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        lam: float = 0.01,
        lambda_unit: str = "mean",
        threshold: float = 0.01,
        tol: float = 0.001,
        max_iterations: int = 50,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.lam = lam
        self.lambda_unit = lambda_unit
        self.threshold = threshold
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class BinarySelectionMKLClassifier(KernelClassifier):
    """Binary selection of kernels.

    A given number of kernels with weight 1, the others 0, by a convex relaxation, rounding and
    exchanges; says how much better the best choice can be at most. Feature selection where each
    kernel looks at one feature. Costs about ten machines.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    select : int, default=0
        k, how many kernels are selected; 0: half of them. Whole number, at least 0.
    tol : float, default=0.001
        Relative duality gap of the relaxation to stop at. A real number greater than 0 and
        at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights of the relaxation, and on exchanges. Whole number,
        at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Xu, Jin, Ye, Lyu, King 2009; Gönen 2010, §2.2.1.4.

    Examples
    --------
    >>> from cokernel import BinarySelectionMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> BinarySelectionMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "binary_selection"
    _method_params = ["select", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        select: int = 0,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.select = select
        self.tol = tol
        self.max_iterations = max_iterations
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


class BinarySelectionMKLRegressor(KernelRegressor):
    """Binary selection of kernels, for numbers.

    A given number of kernels with weight 1, the others 0, by a convex relaxation, rounding and
    exchanges; says how much better the best choice can be at most. Feature selection where each
    kernel looks at one feature. Costs about ten machines.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    select : int, default=0
        k, how many kernels are selected; 0: half of them. Whole number, at least 0.
    tol : float, default=0.001
        Relative duality gap of the relaxation to stop at. A real number greater than 0 and
        at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights of the relaxation, and on exchanges. Whole number,
        at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Xu, Jin, Ye, Lyu, King 2009; Gönen 2010, §2.2.1.4.

    Examples
    --------
    >>> from cokernel import BinarySelectionMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = BinarySelectionMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "binary_selection"
    _method_params = ["select", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        select: int = 0,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.select = select
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class BinarySelectionMKLOutlierDetector(KernelOutlierDetector):
    """Binary selection of kernels, for outliers.

    A given number of kernels with weight 1, the others 0, by a convex relaxation, rounding and
    exchanges; says how much better the best choice can be at most. Feature selection where each
    kernel looks at one feature. Costs about ten machines.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    select : int, default=0
        k, how many kernels are selected; 0: half of them. Whole number, at least 0.
    tol : float, default=0.001
        Relative duality gap of the relaxation to stop at. A real number greater than 0 and
        at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights of the relaxation, and on exchanges. Whole number,
        at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Xu, Jin, Ye, Lyu, King 2009; Gönen 2010, §2.2.1.4.

    Examples
    --------
    >>> from cokernel import BinarySelectionMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = BinarySelectionMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "binary_selection"
    _method_params = ["select", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        select: int = 0,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.select = select
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ConvexLocalizedMKLClassifier(KernelClassifier):
    """Convex localized multiple kernel learning.

    Weights of kernels for each of several regions, which are clusters of the features that are
    found beforehand. Convex: stops on the relative duality gap, and needs no restarts. The
    control for localized_mkl. Costs about five machines and as many passes over all kernels in
    all regions.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    regions : int, default=3
        How many regions there are; fewer if there are fewer different instances. Whole
        number from 1 to 1000.
    sharpness : float, default=2.0
        How sharp regions end: 0 makes them all alike, a large number gives each instance to
        one region. A real number at least 0 and at most 1000000.
    p : float, default=2.0
        The norm of the weights of a region: near 1 few kernels have one, large values weigh
        all alike. A real number at least 1.01 and at most 1000.
    gate_views : str, default="all"
        Views that the gates look at, separated by commas; all: those of the kernels that
        have features, or the similarities where there are no features.
    gate_dimensions : int, default=0
        To how many principal components the columns that the gates look at are reduced; 0
        keeps the columns. Whole number from 0 to 1000000.
    gate_scale : {"standard", "none"}, default="standard"
        What the gates see of a column: standard (its mean taken off, divided by its
        standard deviation), or none (its values as they are; on principal components, with
        the mean taken off).
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Lei, Binder, Dogan, Kloft 2016.

    Examples
    --------
    >>> from cokernel import ConvexLocalizedMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> ConvexLocalizedMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "convex_localized"
    _method_params = ["regions", "sharpness", "p", "gate_views", "gate_dimensions", "gate_scale", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        regions: int = 3,
        sharpness: float = 2.0,
        p: float = 2.0,
        gate_views: str = "all",
        gate_dimensions: int = 0,
        gate_scale: str = "standard",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.regions = regions
        self.sharpness = sharpness
        self.p = p
        self.gate_views = gate_views
        self.gate_dimensions = gate_dimensions
        self.gate_scale = gate_scale
        self.tol = tol
        self.max_iterations = max_iterations
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


class ConvexLocalizedMKLRegressor(KernelRegressor):
    """Convex localized multiple kernel learning, for numbers.

    Weights of kernels for each of several regions, which are clusters of the features that are
    found beforehand. Convex: stops on the relative duality gap, and needs no restarts. The
    control for localized_mkl. Costs about five machines and as many passes over all kernels in
    all regions.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    regions : int, default=3
        How many regions there are; fewer if there are fewer different instances. Whole
        number from 1 to 1000.
    sharpness : float, default=2.0
        How sharp regions end: 0 makes them all alike, a large number gives each instance to
        one region. A real number at least 0 and at most 1000000.
    p : float, default=2.0
        The norm of the weights of a region: near 1 few kernels have one, large values weigh
        all alike. A real number at least 1.01 and at most 1000.
    gate_views : str, default="all"
        Views that the gates look at, separated by commas; all: those of the kernels that
        have features, or the similarities where there are no features.
    gate_dimensions : int, default=0
        To how many principal components the columns that the gates look at are reduced; 0
        keeps the columns. Whole number from 0 to 1000000.
    gate_scale : {"standard", "none"}, default="standard"
        What the gates see of a column: standard (its mean taken off, divided by its
        standard deviation), or none (its values as they are; on principal components, with
        the mean taken off).
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Lei, Binder, Dogan, Kloft 2016.

    Examples
    --------
    >>> from cokernel import ConvexLocalizedMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = ConvexLocalizedMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "convex_localized"
    _method_params = ["regions", "sharpness", "p", "gate_views", "gate_dimensions", "gate_scale", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        regions: int = 3,
        sharpness: float = 2.0,
        p: float = 2.0,
        gate_views: str = "all",
        gate_dimensions: int = 0,
        gate_scale: str = "standard",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.regions = regions
        self.sharpness = sharpness
        self.p = p
        self.gate_views = gate_views
        self.gate_dimensions = gate_dimensions
        self.gate_scale = gate_scale
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ConvexLocalizedMKLOutlierDetector(KernelOutlierDetector):
    """Convex localized multiple kernel learning, for outliers.

    Weights of kernels for each of several regions, which are clusters of the features that are
    found beforehand. Convex: stops on the relative duality gap, and needs no restarts. The
    control for localized_mkl. Costs about five machines and as many passes over all kernels in
    all regions.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    regions : int, default=3
        How many regions there are; fewer if there are fewer different instances. Whole
        number from 1 to 1000.
    sharpness : float, default=2.0
        How sharp regions end: 0 makes them all alike, a large number gives each instance to
        one region. A real number at least 0 and at most 1000000.
    p : float, default=2.0
        The norm of the weights of a region: near 1 few kernels have one, large values weigh
        all alike. A real number at least 1.01 and at most 1000.
    gate_views : str, default="all"
        Views that the gates look at, separated by commas; all: those of the kernels that
        have features, or the similarities where there are no features.
    gate_dimensions : int, default=0
        To how many principal components the columns that the gates look at are reduced; 0
        keeps the columns. Whole number from 0 to 1000000.
    gate_scale : {"standard", "none"}, default="standard"
        What the gates see of a column: standard (its mean taken off, divided by its
        standard deviation), or none (its values as they are; on principal components, with
        the mean taken off).
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Lei, Binder, Dogan, Kloft 2016.

    Examples
    --------
    >>> from cokernel import ConvexLocalizedMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = ConvexLocalizedMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "convex_localized"
    _method_params = ["regions", "sharpness", "p", "gate_views", "gate_dimensions", "gate_scale", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        regions: int = 3,
        sharpness: float = 2.0,
        p: float = 2.0,
        gate_views: str = "all",
        gate_dimensions: int = 0,
        gate_scale: str = "standard",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.regions = regions
        self.sharpness = sharpness
        self.p = p
        self.gate_views = gate_views
        self.gate_dimensions = gate_dimensions
        self.gate_scale = gate_scale
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class GMKLClassifier(KernelClassifier):
    """Generalised MKL.

    One width for each feature, or each view, inside a Gaussian or a polynomial kernel, learned
    together with the machine; a regulariser leads those that do not help to 0, so that widths
    tell how relevant features are. Not convex: ends at a stationary point. Costs 10 to 50
    kernels and machines.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    form : {"product", "sum", "polynomial"}, default="product"
        The kernel: product of Gaussians of the features; sum of the given kernels;
        polynomial of the features.
    widths : {"features", "views"}, default="features"
        Product, polynomial: one width for each of the features, or one for each of the
        views.
    degree : int, default=2
        Polynomial: q. Whole number from 1 to 16.
    penalty : {"l1", "l2"}, default="l1"
        The regulariser: l1, the mean of the relevances, which leads some to 0; l2, half the
        mean of their squares.
    strength : float, default=0.01
        What the regulariser is multiplied by, relative to the objective of the machine at
        the start: the larger, the smaller widths, and mostly the fewer. A real number
        greater than 0 and at most 1000000000000.
    starts : int, default=1
        From how many starts the widths are learned; the best is kept. Whole number from 1
        to 1000.
    search : {"lbfgs", "gradient"}, default="lbfgs"
        Directions of the steps: lbfgs, or gradient as in the source.
    tol : float, default=0.001
        Relative decrease of the objective to stop at. A real number greater than 0 and at
        most 0.5.
    max_iterations : int, default=500
        Limit on changes of the widths for each start. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Varma, Babu 2009; Gönen 2010, §2.2.2.

    Examples
    --------
    >>> from cokernel import GMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> GMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "gmkl"
    _method_params = ["form", "widths", "degree", "penalty", "strength", "starts", "search", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        form: str = "product",
        widths: str = "features",
        degree: int = 2,
        penalty: str = "l1",
        strength: float = 0.01,
        starts: int = 1,
        search: str = "lbfgs",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.form = form
        self.widths = widths
        self.degree = degree
        self.penalty = penalty
        self.strength = strength
        self.starts = starts
        self.search = search
        self.tol = tol
        self.max_iterations = max_iterations
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


class GMKLRegressor(KernelRegressor):
    """Generalised MKL, for numbers.

    One width for each feature, or each view, inside a Gaussian or a polynomial kernel, learned
    together with the machine; a regulariser leads those that do not help to 0, so that widths
    tell how relevant features are. Not convex: ends at a stationary point. Costs 10 to 50
    kernels and machines.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    form : {"product", "sum", "polynomial"}, default="product"
        The kernel: product of Gaussians of the features; sum of the given kernels;
        polynomial of the features.
    widths : {"features", "views"}, default="features"
        Product, polynomial: one width for each of the features, or one for each of the
        views.
    degree : int, default=2
        Polynomial: q. Whole number from 1 to 16.
    penalty : {"l1", "l2"}, default="l1"
        The regulariser: l1, the mean of the relevances, which leads some to 0; l2, half the
        mean of their squares.
    strength : float, default=0.01
        What the regulariser is multiplied by, relative to the objective of the machine at
        the start: the larger, the smaller widths, and mostly the fewer. A real number
        greater than 0 and at most 1000000000000.
    starts : int, default=1
        From how many starts the widths are learned; the best is kept. Whole number from 1
        to 1000.
    search : {"lbfgs", "gradient"}, default="lbfgs"
        Directions of the steps: lbfgs, or gradient as in the source.
    tol : float, default=0.001
        Relative decrease of the objective to stop at. A real number greater than 0 and at
        most 0.5.
    max_iterations : int, default=500
        Limit on changes of the widths for each start. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Varma, Babu 2009; Gönen 2010, §2.2.2.

    Examples
    --------
    >>> from cokernel import GMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = GMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "gmkl"
    _method_params = ["form", "widths", "degree", "penalty", "strength", "starts", "search", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        form: str = "product",
        widths: str = "features",
        degree: int = 2,
        penalty: str = "l1",
        strength: float = 0.01,
        starts: int = 1,
        search: str = "lbfgs",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.form = form
        self.widths = widths
        self.degree = degree
        self.penalty = penalty
        self.strength = strength
        self.starts = starts
        self.search = search
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LocalizedMKLClassifier(KernelClassifier):
    """Localized multiple kernel learning.

    Weights of kernels that depend on the instance, by gates that look at features, learned
    together with the machine. For data in which other kernels tell something in other regions,
    or for several copies of a simple kernel. Not convex: ends at a stationary point, the best
    of several starts. Costs 10 to 100 machines for each start.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    gating : {"softmax", "sigmoid", "gaussian"}, default="softmax"
        The gates: softmax (3.2) and gaussian (3.4) compete for an instance, sigmoid (3.3)
        gates do not.
    gate_views : str, default="all"
        Views that the gates look at, separated by commas; all: those of the kernels that
        have features, or the similarities where there are no features.
    gate_dimensions : int, default=0
        To how many principal components the columns that the gates look at are reduced; 0
        keeps the columns. Whole number from 0 to 1000000.
    gate_scale : {"standard", "none"}, default="standard"
        What the gates see of a column: standard (its mean taken off, divided by its
        standard deviation), or none (its values as they are; on principal components, with
        the mean taken off).
    gates : {"common", "own"}, default="common"
        Of several classes by binary problems: common gates of all machines, or own gates of
        each.
    copies : int, default=1
        How often each kernel is there, each time with a gate of its own. Whole number from
        1 to 100.
    starts : int, default=1
        From how many starts the gates are learned; the best is kept. Whole number from 1 to
        1000.
    search : {"lbfgs", "gradient"}, default="lbfgs"
        Directions of the steps: lbfgs, or gradient as in the source.
    tol : float, default=0.001
        Relative decrease of the objective to stop at. A real number greater than 0 and at
        most 0.5.
    max_iterations : int, default=500
        Limit on changes of the gates for each start. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen, Alpaydın 2008; Gönen 2010, ch. 3.

    Examples
    --------
    >>> from cokernel import LocalizedMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> LocalizedMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "localized_mkl"
    _method_params = ["gating", "gate_views", "gate_dimensions", "gate_scale", "gates", "copies", "starts", "search", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        gating: str = "softmax",
        gate_views: str = "all",
        gate_dimensions: int = 0,
        gate_scale: str = "standard",
        gates: str = "common",
        copies: int = 1,
        starts: int = 1,
        search: str = "lbfgs",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.gating = gating
        self.gate_views = gate_views
        self.gate_dimensions = gate_dimensions
        self.gate_scale = gate_scale
        self.gates = gates
        self.copies = copies
        self.starts = starts
        self.search = search
        self.tol = tol
        self.max_iterations = max_iterations
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


class LocalizedMKLRegressor(KernelRegressor):
    """Localized multiple kernel learning, for numbers.

    Weights of kernels that depend on the instance, by gates that look at features, learned
    together with the machine. For data in which other kernels tell something in other regions,
    or for several copies of a simple kernel. Not convex: ends at a stationary point, the best
    of several starts. Costs 10 to 100 machines for each start.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    gating : {"softmax", "sigmoid", "gaussian"}, default="softmax"
        The gates: softmax (3.2) and gaussian (3.4) compete for an instance, sigmoid (3.3)
        gates do not.
    gate_views : str, default="all"
        Views that the gates look at, separated by commas; all: those of the kernels that
        have features, or the similarities where there are no features.
    gate_dimensions : int, default=0
        To how many principal components the columns that the gates look at are reduced; 0
        keeps the columns. Whole number from 0 to 1000000.
    gate_scale : {"standard", "none"}, default="standard"
        What the gates see of a column: standard (its mean taken off, divided by its
        standard deviation), or none (its values as they are; on principal components, with
        the mean taken off).
    gates : {"common", "own"}, default="common"
        Of several classes by binary problems: common gates of all machines, or own gates of
        each.
    copies : int, default=1
        How often each kernel is there, each time with a gate of its own. Whole number from
        1 to 100.
    starts : int, default=1
        From how many starts the gates are learned; the best is kept. Whole number from 1 to
        1000.
    search : {"lbfgs", "gradient"}, default="lbfgs"
        Directions of the steps: lbfgs, or gradient as in the source.
    tol : float, default=0.001
        Relative decrease of the objective to stop at. A real number greater than 0 and at
        most 0.5.
    max_iterations : int, default=500
        Limit on changes of the gates for each start. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen, Alpaydın 2008; Gönen 2010, ch. 3.

    Examples
    --------
    >>> from cokernel import LocalizedMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = LocalizedMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "localized_mkl"
    _method_params = ["gating", "gate_views", "gate_dimensions", "gate_scale", "gates", "copies", "starts", "search", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        gating: str = "softmax",
        gate_views: str = "all",
        gate_dimensions: int = 0,
        gate_scale: str = "standard",
        gates: str = "common",
        copies: int = 1,
        starts: int = 1,
        search: str = "lbfgs",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.gating = gating
        self.gate_views = gate_views
        self.gate_dimensions = gate_dimensions
        self.gate_scale = gate_scale
        self.gates = gates
        self.copies = copies
        self.starts = starts
        self.search = search
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LocalizedMKLOutlierDetector(KernelOutlierDetector):
    """Localized multiple kernel learning, for outliers.

    Weights of kernels that depend on the instance, by gates that look at features, learned
    together with the machine. For data in which other kernels tell something in other regions,
    or for several copies of a simple kernel. Not convex: ends at a stationary point, the best
    of several starts. Costs 10 to 100 machines for each start.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    gating : {"softmax", "sigmoid", "gaussian"}, default="softmax"
        The gates: softmax (3.2) and gaussian (3.4) compete for an instance, sigmoid (3.3)
        gates do not.
    gate_views : str, default="all"
        Views that the gates look at, separated by commas; all: those of the kernels that
        have features, or the similarities where there are no features.
    gate_dimensions : int, default=0
        To how many principal components the columns that the gates look at are reduced; 0
        keeps the columns. Whole number from 0 to 1000000.
    gate_scale : {"standard", "none"}, default="standard"
        What the gates see of a column: standard (its mean taken off, divided by its
        standard deviation), or none (its values as they are; on principal components, with
        the mean taken off).
    gates : {"common", "own"}, default="common"
        Of several classes by binary problems: common gates of all machines, or own gates of
        each.
    copies : int, default=1
        How often each kernel is there, each time with a gate of its own. Whole number from
        1 to 100.
    starts : int, default=1
        From how many starts the gates are learned; the best is kept. Whole number from 1 to
        1000.
    search : {"lbfgs", "gradient"}, default="lbfgs"
        Directions of the steps: lbfgs, or gradient as in the source.
    tol : float, default=0.001
        Relative decrease of the objective to stop at. A real number greater than 0 and at
        most 0.5.
    max_iterations : int, default=500
        Limit on changes of the gates for each start. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen, Alpaydın 2008; Gönen 2010, ch. 3.

    Examples
    --------
    >>> from cokernel import LocalizedMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = LocalizedMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "localized_mkl"
    _method_params = ["gating", "gate_views", "gate_dimensions", "gate_scale", "gates", "copies", "starts", "search", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        gating: str = "softmax",
        gate_views: str = "all",
        gate_dimensions: int = 0,
        gate_scale: str = "standard",
        gates: str = "common",
        copies: int = 1,
        starts: int = 1,
        search: str = "lbfgs",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.gating = gating
        self.gate_views = gate_views
        self.gate_dimensions = gate_dimensions
        self.gate_scale = gate_scale
        self.gates = gates
        self.copies = copies
        self.starts = starts
        self.search = search
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class GPKClassifier(KernelClassifier):
    """Global projection kernels.

    Kernels on a linear projection of the features to few dimensions, which is learned together
    with the machine: for features of which few directions tell something, and for pictures by
    classes. Needs features. Not convex: ends at a stationary point, the best of several starts.
    Costs 10 to 100 machines for each start.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    dimensions : int, default=2
        R, the columns of each projection; where a view has fewer columns, as many as it
        has. Whole number from 1 to 1000000.
    start : {"pca", "identity", "fda", "random"}, default="pca"
        The first start: pca (leading principal components of the standardised columns),
        identity (the features as they are, from which search begins), fda (along which the
        means of the classes differ most beside what is within the classes), or random, as
        all starts after it are. Where the machine has no slope along pca, fda is tried,
        too.
    starts : int, default=1
        From how many starts the projections are learned; the best is kept. Whole number
        from 1 to 1000.
    lengths : {"fixed", "free"}, default="fixed"
        Whether each projection keeps the length that it starts with, that of the features
        (fixed), or is free, as in the source: linear and polynomial kernels then grow
        without end, and Gaussian ones become narrow.
    search : {"lbfgs", "gradient"}, default="lbfgs"
        Directions of the steps: lbfgs, or gradient as in the source.
    tol : float, default=0.001
        Relative decrease of the objective to stop at. A real number greater than 0 and at
        most 0.5.
    max_iterations : int, default=500
        Limit on steps for each start; 0 takes the start as it is. Whole number, at least 0.
    embed_c : float, default=1.0
        C of the support vector machines where the projection is an embedding; elsewhere the
        machine has its own. A real number greater than 0 and at most 1000000000000.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen, Alpaydın 2010; Gönen 2010, §4.1; Chapelle et al. 2002.

    Examples
    --------
    >>> from cokernel import GPKClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> GPKClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "gpk"
    _method_params = ["dimensions", "start", "starts", "lengths", "search", "tol", "max_iterations", "embed_c"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        dimensions: int = 2,
        start: str = "pca",
        starts: int = 1,
        lengths: str = "fixed",
        search: str = "lbfgs",
        tol: float = 0.001,
        max_iterations: int = 500,
        embed_c: float = 1.0,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.dimensions = dimensions
        self.start = start
        self.starts = starts
        self.lengths = lengths
        self.search = search
        self.tol = tol
        self.max_iterations = max_iterations
        self.embed_c = embed_c
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


class GPKRegressor(KernelRegressor):
    """Global projection kernels, for numbers.

    Kernels on a linear projection of the features to few dimensions, which is learned together
    with the machine: for features of which few directions tell something, and for pictures by
    classes. Needs features. Not convex: ends at a stationary point, the best of several starts.
    Costs 10 to 100 machines for each start.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    dimensions : int, default=2
        R, the columns of each projection; where a view has fewer columns, as many as it
        has. Whole number from 1 to 1000000.
    start : {"pca", "identity", "fda", "random"}, default="pca"
        The first start: pca (leading principal components of the standardised columns),
        identity (the features as they are, from which search begins), fda (along which the
        means of the classes differ most beside what is within the classes), or random, as
        all starts after it are. Where the machine has no slope along pca, fda is tried,
        too.
    starts : int, default=1
        From how many starts the projections are learned; the best is kept. Whole number
        from 1 to 1000.
    lengths : {"fixed", "free"}, default="fixed"
        Whether each projection keeps the length that it starts with, that of the features
        (fixed), or is free, as in the source: linear and polynomial kernels then grow
        without end, and Gaussian ones become narrow.
    search : {"lbfgs", "gradient"}, default="lbfgs"
        Directions of the steps: lbfgs, or gradient as in the source.
    tol : float, default=0.001
        Relative decrease of the objective to stop at. A real number greater than 0 and at
        most 0.5.
    max_iterations : int, default=500
        Limit on steps for each start; 0 takes the start as it is. Whole number, at least 0.
    embed_c : float, default=1.0
        C of the support vector machines where the projection is an embedding; elsewhere the
        machine has its own. A real number greater than 0 and at most 1000000000000.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen, Alpaydın 2010; Gönen 2010, §4.1; Chapelle et al. 2002.

    Examples
    --------
    >>> from cokernel import GPKRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = GPKRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "gpk"
    _method_params = ["dimensions", "start", "starts", "lengths", "search", "tol", "max_iterations", "embed_c"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        dimensions: int = 2,
        start: str = "pca",
        starts: int = 1,
        lengths: str = "fixed",
        search: str = "lbfgs",
        tol: float = 0.001,
        max_iterations: int = 500,
        embed_c: float = 1.0,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.dimensions = dimensions
        self.start = start
        self.starts = starts
        self.lengths = lengths
        self.search = search
        self.tol = tol
        self.max_iterations = max_iterations
        self.embed_c = embed_c
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class GPKOutlierDetector(KernelOutlierDetector):
    """Global projection kernels, for outliers.

    Kernels on a linear projection of the features to few dimensions, which is learned together
    with the machine: for features of which few directions tell something, and for pictures by
    classes. Needs features. Not convex: ends at a stationary point, the best of several starts.
    Costs 10 to 100 machines for each start.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    dimensions : int, default=2
        R, the columns of each projection; where a view has fewer columns, as many as it
        has. Whole number from 1 to 1000000.
    start : {"pca", "identity", "fda", "random"}, default="pca"
        The first start: pca (leading principal components of the standardised columns),
        identity (the features as they are, from which search begins), fda (along which the
        means of the classes differ most beside what is within the classes), or random, as
        all starts after it are. Where the machine has no slope along pca, fda is tried,
        too.
    starts : int, default=1
        From how many starts the projections are learned; the best is kept. Whole number
        from 1 to 1000.
    lengths : {"fixed", "free"}, default="fixed"
        Whether each projection keeps the length that it starts with, that of the features
        (fixed), or is free, as in the source: linear and polynomial kernels then grow
        without end, and Gaussian ones become narrow.
    search : {"lbfgs", "gradient"}, default="lbfgs"
        Directions of the steps: lbfgs, or gradient as in the source.
    tol : float, default=0.001
        Relative decrease of the objective to stop at. A real number greater than 0 and at
        most 0.5.
    max_iterations : int, default=500
        Limit on steps for each start; 0 takes the start as it is. Whole number, at least 0.
    embed_c : float, default=1.0
        C of the support vector machines where the projection is an embedding; elsewhere the
        machine has its own. A real number greater than 0 and at most 1000000000000.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen, Alpaydın 2010; Gönen 2010, §4.1; Chapelle et al. 2002.

    Examples
    --------
    >>> from cokernel import GPKOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = GPKOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "gpk"
    _method_params = ["dimensions", "start", "starts", "lengths", "search", "tol", "max_iterations", "embed_c"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        dimensions: int = 2,
        start: str = "pca",
        starts: int = 1,
        lengths: str = "fixed",
        search: str = "lbfgs",
        tol: float = 0.001,
        max_iterations: int = 500,
        embed_c: float = 1.0,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.dimensions = dimensions
        self.start = start
        self.starts = starts
        self.lengths = lengths
        self.search = search
        self.tol = tol
        self.max_iterations = max_iterations
        self.embed_c = embed_c
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LPKClassifier(KernelClassifier):
    """Local projection kernels.

    Regions of the features, each with a linear projection to few dimensions of its own, learned
    together with gates and machine: for classes that lie in several clusters, and few
    dimensions that are others elsewhere, and for pictures by classes. Needs features. Not
    convex: ends at a stationary point, the best of several starts. Costs 10 to 100 machines for
    each start.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    regions : int, default=2
        P, the regions, each with its own projection of every view. Whole number from 1 to
        100.
    dimensions : int, default=2
        R, the columns of each projection; where a view has fewer columns, as many as it
        has. Whole number from 1 to 1000000.
    gating : {"softmax", "sigmoid", "gaussian"}, default="softmax"
        The gates: softmax (3.2) and gaussian (3.4) compete for an instance, sigmoid (3.3)
        gates do not.
    gate_dimensions : int, default=0
        To how many principal components the columns that the gates look at are reduced; 0
        keeps the columns. Whole number from 0 to 1000000.
    gate_scale : {"standard", "none"}, default="standard"
        What the gates see of a column: standard (its mean taken off, divided by its
        standard deviation), or none (its values as they are; on principal components, with
        the mean taken off).
    start : {"pca", "identity", "fda", "random"}, default="pca"
        The first start: pca (leading principal components of the standardised columns),
        identity (the features as they are, from which search begins), fda (along which the
        means of the classes differ most beside what is within the classes), or random, as
        all starts after it are. Where the machine has no slope along pca, fda is tried,
        too.
    starts : int, default=1
        From how many starts the projections are learned; the best is kept. Whole number
        from 1 to 1000.
    lengths : {"fixed", "free"}, default="fixed"
        Whether each projection keeps the length that it starts with, that of the features
        (fixed), or is free, as in the source: linear and polynomial kernels then grow
        without end, and Gaussian ones become narrow.
    search : {"lbfgs", "gradient"}, default="lbfgs"
        Directions of the steps: lbfgs, or gradient as in the source.
    tol : float, default=0.001
        Relative decrease of the objective to stop at. A real number greater than 0 and at
        most 0.5.
    max_iterations : int, default=500
        Limit on steps for each start; 0 takes the start as it is. Whole number, at least 0.
    embed_c : float, default=1.0
        C of the support vector machines where the projection is an embedding; elsewhere the
        machine has its own. A real number greater than 0 and at most 1000000000000.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen, Alpaydın 2010; Gönen 2010, §4.2.

    Examples
    --------
    >>> from cokernel import LPKClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> LPKClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "lpk"
    _method_params = ["regions", "dimensions", "gating", "gate_dimensions", "gate_scale", "start", "starts", "lengths", "search", "tol", "max_iterations", "embed_c"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        regions: int = 2,
        dimensions: int = 2,
        gating: str = "softmax",
        gate_dimensions: int = 0,
        gate_scale: str = "standard",
        start: str = "pca",
        starts: int = 1,
        lengths: str = "fixed",
        search: str = "lbfgs",
        tol: float = 0.001,
        max_iterations: int = 500,
        embed_c: float = 1.0,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.regions = regions
        self.dimensions = dimensions
        self.gating = gating
        self.gate_dimensions = gate_dimensions
        self.gate_scale = gate_scale
        self.start = start
        self.starts = starts
        self.lengths = lengths
        self.search = search
        self.tol = tol
        self.max_iterations = max_iterations
        self.embed_c = embed_c
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


class LPKRegressor(KernelRegressor):
    """Local projection kernels, for numbers.

    Regions of the features, each with a linear projection to few dimensions of its own, learned
    together with gates and machine: for classes that lie in several clusters, and few
    dimensions that are others elsewhere, and for pictures by classes. Needs features. Not
    convex: ends at a stationary point, the best of several starts. Costs 10 to 100 machines for
    each start.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    regions : int, default=2
        P, the regions, each with its own projection of every view. Whole number from 1 to
        100.
    dimensions : int, default=2
        R, the columns of each projection; where a view has fewer columns, as many as it
        has. Whole number from 1 to 1000000.
    gating : {"softmax", "sigmoid", "gaussian"}, default="softmax"
        The gates: softmax (3.2) and gaussian (3.4) compete for an instance, sigmoid (3.3)
        gates do not.
    gate_dimensions : int, default=0
        To how many principal components the columns that the gates look at are reduced; 0
        keeps the columns. Whole number from 0 to 1000000.
    gate_scale : {"standard", "none"}, default="standard"
        What the gates see of a column: standard (its mean taken off, divided by its
        standard deviation), or none (its values as they are; on principal components, with
        the mean taken off).
    start : {"pca", "identity", "fda", "random"}, default="pca"
        The first start: pca (leading principal components of the standardised columns),
        identity (the features as they are, from which search begins), fda (along which the
        means of the classes differ most beside what is within the classes), or random, as
        all starts after it are. Where the machine has no slope along pca, fda is tried,
        too.
    starts : int, default=1
        From how many starts the projections are learned; the best is kept. Whole number
        from 1 to 1000.
    lengths : {"fixed", "free"}, default="fixed"
        Whether each projection keeps the length that it starts with, that of the features
        (fixed), or is free, as in the source: linear and polynomial kernels then grow
        without end, and Gaussian ones become narrow.
    search : {"lbfgs", "gradient"}, default="lbfgs"
        Directions of the steps: lbfgs, or gradient as in the source.
    tol : float, default=0.001
        Relative decrease of the objective to stop at. A real number greater than 0 and at
        most 0.5.
    max_iterations : int, default=500
        Limit on steps for each start; 0 takes the start as it is. Whole number, at least 0.
    embed_c : float, default=1.0
        C of the support vector machines where the projection is an embedding; elsewhere the
        machine has its own. A real number greater than 0 and at most 1000000000000.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen, Alpaydın 2010; Gönen 2010, §4.2.

    Examples
    --------
    >>> from cokernel import LPKRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = LPKRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "lpk"
    _method_params = ["regions", "dimensions", "gating", "gate_dimensions", "gate_scale", "start", "starts", "lengths", "search", "tol", "max_iterations", "embed_c"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        regions: int = 2,
        dimensions: int = 2,
        gating: str = "softmax",
        gate_dimensions: int = 0,
        gate_scale: str = "standard",
        start: str = "pca",
        starts: int = 1,
        lengths: str = "fixed",
        search: str = "lbfgs",
        tol: float = 0.001,
        max_iterations: int = 500,
        embed_c: float = 1.0,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.regions = regions
        self.dimensions = dimensions
        self.gating = gating
        self.gate_dimensions = gate_dimensions
        self.gate_scale = gate_scale
        self.start = start
        self.starts = starts
        self.lengths = lengths
        self.search = search
        self.tol = tol
        self.max_iterations = max_iterations
        self.embed_c = embed_c
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LPKOutlierDetector(KernelOutlierDetector):
    """Local projection kernels, for outliers.

    Regions of the features, each with a linear projection to few dimensions of its own, learned
    together with gates and machine: for classes that lie in several clusters, and few
    dimensions that are others elsewhere, and for pictures by classes. Needs features. Not
    convex: ends at a stationary point, the best of several starts. Costs 10 to 100 machines for
    each start.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    regions : int, default=2
        P, the regions, each with its own projection of every view. Whole number from 1 to
        100.
    dimensions : int, default=2
        R, the columns of each projection; where a view has fewer columns, as many as it
        has. Whole number from 1 to 1000000.
    gating : {"softmax", "sigmoid", "gaussian"}, default="softmax"
        The gates: softmax (3.2) and gaussian (3.4) compete for an instance, sigmoid (3.3)
        gates do not.
    gate_dimensions : int, default=0
        To how many principal components the columns that the gates look at are reduced; 0
        keeps the columns. Whole number from 0 to 1000000.
    gate_scale : {"standard", "none"}, default="standard"
        What the gates see of a column: standard (its mean taken off, divided by its
        standard deviation), or none (its values as they are; on principal components, with
        the mean taken off).
    start : {"pca", "identity", "fda", "random"}, default="pca"
        The first start: pca (leading principal components of the standardised columns),
        identity (the features as they are, from which search begins), fda (along which the
        means of the classes differ most beside what is within the classes), or random, as
        all starts after it are. Where the machine has no slope along pca, fda is tried,
        too.
    starts : int, default=1
        From how many starts the projections are learned; the best is kept. Whole number
        from 1 to 1000.
    lengths : {"fixed", "free"}, default="fixed"
        Whether each projection keeps the length that it starts with, that of the features
        (fixed), or is free, as in the source: linear and polynomial kernels then grow
        without end, and Gaussian ones become narrow.
    search : {"lbfgs", "gradient"}, default="lbfgs"
        Directions of the steps: lbfgs, or gradient as in the source.
    tol : float, default=0.001
        Relative decrease of the objective to stop at. A real number greater than 0 and at
        most 0.5.
    max_iterations : int, default=500
        Limit on steps for each start; 0 takes the start as it is. Whole number, at least 0.
    embed_c : float, default=1.0
        C of the support vector machines where the projection is an embedding; elsewhere the
        machine has its own. A real number greater than 0 and at most 1000000000000.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen, Alpaydın 2010; Gönen 2010, §4.2.

    Examples
    --------
    >>> from cokernel import LPKOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = LPKOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "lpk"
    _method_params = ["regions", "dimensions", "gating", "gate_dimensions", "gate_scale", "start", "starts", "lengths", "search", "tol", "max_iterations", "embed_c"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        regions: int = 2,
        dimensions: int = 2,
        gating: str = "softmax",
        gate_dimensions: int = 0,
        gate_scale: str = "standard",
        start: str = "pca",
        starts: int = 1,
        lengths: str = "fixed",
        search: str = "lbfgs",
        tol: float = 0.001,
        max_iterations: int = 500,
        embed_c: float = 1.0,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.regions = regions
        self.dimensions = dimensions
        self.gating = gating
        self.gate_dimensions = gate_dimensions
        self.gate_scale = gate_scale
        self.start = start
        self.starts = starts
        self.lengths = lengths
        self.search = search
        self.tol = tol
        self.max_iterations = max_iterations
        self.embed_c = embed_c
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class PolynomialCombinationMKLClassifier(KernelClassifier):
    """Polynomial combination of kernels.

    A power of a weighted sum of the kernels, so that products of kernels take part, with the
    weights on which the machine has the least objective. Not convex: ends at a stationary
    point. Costs 10 to 50 machines and as many passes over all kernels.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    degree : int, default=2
        d, how many kernels are multiplied; 1 is a weighted sum. Whole number from 1 to 16.
    norm : {"l1", "l2"}, default="l2"
        p of ‖μ‖_p ≤ Λ: l2, which keeps many kernels; l1, which keeps few.
    radius : float, default=1.0
        Λ of ‖μ‖_p ≤ Λ. A real number greater than 0 and at most 1000000.
    tol : float, default=0.001
        What the linear model promises at most, relative to the objective, to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Cortes, Mohri, Rostamizadeh 2009 (non-linear combinations); Gönen 2010, §2.2.2.

    Examples
    --------
    >>> from cokernel import PolynomialCombinationMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> PolynomialCombinationMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "polynomial_combination"
    _method_params = ["degree", "norm", "radius", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        degree: int = 2,
        norm: str = "l2",
        radius: float = 1.0,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.degree = degree
        self.norm = norm
        self.radius = radius
        self.tol = tol
        self.max_iterations = max_iterations
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


class PolynomialCombinationMKLRegressor(KernelRegressor):
    """Polynomial combination of kernels, for numbers.

    A power of a weighted sum of the kernels, so that products of kernels take part, with the
    weights on which the machine has the least objective. Not convex: ends at a stationary
    point. Costs 10 to 50 machines and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    degree : int, default=2
        d, how many kernels are multiplied; 1 is a weighted sum. Whole number from 1 to 16.
    norm : {"l1", "l2"}, default="l2"
        p of ‖μ‖_p ≤ Λ: l2, which keeps many kernels; l1, which keeps few.
    radius : float, default=1.0
        Λ of ‖μ‖_p ≤ Λ. A real number greater than 0 and at most 1000000.
    tol : float, default=0.001
        What the linear model promises at most, relative to the objective, to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Cortes, Mohri, Rostamizadeh 2009 (non-linear combinations); Gönen 2010, §2.2.2.

    Examples
    --------
    >>> from cokernel import PolynomialCombinationMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = PolynomialCombinationMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "polynomial_combination"
    _method_params = ["degree", "norm", "radius", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        degree: int = 2,
        norm: str = "l2",
        radius: float = 1.0,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.degree = degree
        self.norm = norm
        self.radius = radius
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class PolynomialCombinationMKLOutlierDetector(KernelOutlierDetector):
    """Polynomial combination of kernels, for outliers.

    A power of a weighted sum of the kernels, so that products of kernels take part, with the
    weights on which the machine has the least objective. Not convex: ends at a stationary
    point. Costs 10 to 50 machines and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    degree : int, default=2
        d, how many kernels are multiplied; 1 is a weighted sum. Whole number from 1 to 16.
    norm : {"l1", "l2"}, default="l2"
        p of ‖μ‖_p ≤ Λ: l2, which keeps many kernels; l1, which keeps few.
    radius : float, default=1.0
        Λ of ‖μ‖_p ≤ Λ. A real number greater than 0 and at most 1000000.
    tol : float, default=0.001
        What the linear model promises at most, relative to the objective, to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Cortes, Mohri, Rostamizadeh 2009 (non-linear combinations); Gönen 2010, §2.2.2.

    Examples
    --------
    >>> from cokernel import PolynomialCombinationMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = PolynomialCombinationMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "polynomial_combination"
    _method_params = ["degree", "norm", "radius", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        degree: int = 2,
        norm: str = "l2",
        radius: float = 1.0,
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.degree = degree
        self.norm = norm
        self.radius = radius
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class PolynomialTwoStageMKLClassifier(KernelClassifier):
    """Polynomial two-stage MKL (TS-MKL).

    Learns weights of the kernels and of their products of two or three, as a linear classifier
    of pairs of instances, then the machine. For kernels that are weak alone, such as those of
    single features.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    degree : int, default=2
        Most kernels in a product. Whole number from 1 to 3.
    products : {"distinct", "ordered"}, default="distinct"
        distinct: each product once; ordered: k_a k_b and k_b k_a are two.
    solver : {"auto", "exact", "pegasos"}, default="auto"
        exact: over all pairs, or as many as `examples` says, with a duality gap; pegasos:
        stochastic steps on fresh pairs, as in the source; auto: exact up to 4000 kernels or
        products.
    examples : int, default=100000
        Pairs that are drawn where there are more of them, for solver = exact; at most 2²⁴
        divided by the number of kernels. Whole number from 100 to 16777216.
    penalty : {"l2", "l1"}, default="l2"
        What large weights cost: l2, λ/2 ‖μ‖²; l1, λ Σ μ, which leaves few kernels.
    tol : float, default=1e-06
        Relative duality gap to stop at, for solver = exact; of an objective below 10⁻⁶ of
        that of no weights, this part of 10⁻⁶ of it. A real number greater than 0 and at
        most 1.
    steps : int, default=10000
        Sub-gradient steps of solver = pegasos. Whole number from 1 to 1000000000.
    batch : int, default=100
        Pairs of instances for each step. Whole number from 2 to 1000000.
    lam : float, default=0.0
        λ of (5.2) for kernels divided by s, the mean of their diagonals: a λ meant for the
        kernels as they are has to be divided by s². 0 chooses it by validation from
        100·4⁻ᵏ. A real number at least 0 and at most 1000000.
    validation : {"instances", "pairs"}, default="instances"
        What λ is chosen on: instances, the pairs with one of a fifth of the instances,
        which take no part in that, the largest λ with a hinge loss within a standard error
        of the least (solver = pegasos: with the least); pairs, a fifth of the pairs and the
        least loss, as in the source.
    diagonal : {"include", "exclude"}, default="include"
        Whether an instance paired with itself is an example.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Kumar 2013, §6.2.1, (6.1), (6.2).

    Examples
    --------
    >>> from cokernel import PolynomialTwoStageMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> PolynomialTwoStageMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "polynomial_two_stage"
    _method_params = ["degree", "products", "solver", "examples", "penalty", "tol", "steps", "batch", "lambda", "validation", "diagonal"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        degree: int = 2,
        products: str = "distinct",
        solver: str = "auto",
        examples: int = 100000,
        penalty: str = "l2",
        tol: float = 1e-06,
        steps: int = 10000,
        batch: int = 100,
        lam: float = 0.0,
        validation: str = "instances",
        diagonal: str = "include",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.degree = degree
        self.products = products
        self.solver = solver
        self.examples = examples
        self.penalty = penalty
        self.tol = tol
        self.steps = steps
        self.batch = batch
        self.lam = lam
        self.validation = validation
        self.diagonal = diagonal
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


class SilpMKLClassifier(KernelClassifier):
    """Semi-infinite linear program (SILP).

    The optimum of SimpleMKL by column generation: a linear program over the weights after each
    machine. Stops on the relative duality gap. Needs several times as many machines as
    SimpleMKL; kept for comparison with the literature.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Sonnenburg, Rätsch, Schäfer, Schölkopf 2006; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import SilpMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> SilpMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "silp"
    _method_params = ["tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
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


class SilpMKLRegressor(KernelRegressor):
    """Semi-infinite linear program (SILP), for numbers.

    The optimum of SimpleMKL by column generation: a linear program over the weights after each
    machine. Stops on the relative duality gap. Needs several times as many machines as
    SimpleMKL; kept for comparison with the literature.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Sonnenburg, Rätsch, Schäfer, Schölkopf 2006; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import SilpMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = SilpMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "silp"
    _method_params = ["tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SilpMKLOutlierDetector(KernelOutlierDetector):
    """Semi-infinite linear program (SILP), for outliers.

    The optimum of SimpleMKL by column generation: a linear program over the weights after each
    machine. Stops on the relative duality gap. Needs several times as many machines as
    SimpleMKL; kept for comparison with the literature.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Sonnenburg, Rätsch, Schäfer, Schölkopf 2006; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import SilpMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = SilpMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "silp"
    _method_params = ["tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LevelMKLClassifier(KernelClassifier):
    """LevelMKL.

    The optimum of SimpleMKL by the extended level method: a small quadratic program over the
    weights after each machine. Stops on the relative duality gap. Needs several times as many
    machines as SimpleMKL; kept for comparison with the literature.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    level : float, default=0.5
        Where between the lower bound (0) and the upper bound (1) the model at the next
        weights may be at most; 0.9 in the paper. A real number greater than 0 and at most
        0.999.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Xu, Jin, King, Lyu 2008; Mao, Tsang, Gao, Wang 2015, §VII.

    Examples
    --------
    >>> from cokernel import LevelMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> LevelMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "level_mkl"
    _method_params = ["tol", "max_iterations", "level"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        tol: float = 0.001,
        max_iterations: int = 500,
        level: float = 0.5,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.level = level
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


class LevelMKLRegressor(KernelRegressor):
    """LevelMKL, for numbers.

    The optimum of SimpleMKL by the extended level method: a small quadratic program over the
    weights after each machine. Stops on the relative duality gap. Needs several times as many
    machines as SimpleMKL; kept for comparison with the literature.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    level : float, default=0.5
        Where between the lower bound (0) and the upper bound (1) the model at the next
        weights may be at most; 0.9 in the paper. A real number greater than 0 and at most
        0.999.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Xu, Jin, King, Lyu 2008; Mao, Tsang, Gao, Wang 2015, §VII.

    Examples
    --------
    >>> from cokernel import LevelMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = LevelMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "level_mkl"
    _method_params = ["tol", "max_iterations", "level"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        tol: float = 0.001,
        max_iterations: int = 500,
        level: float = 0.5,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.level = level
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LevelMKLOutlierDetector(KernelOutlierDetector):
    """LevelMKL, for outliers.

    The optimum of SimpleMKL by the extended level method: a small quadratic program over the
    weights after each machine. Stops on the relative duality gap. Needs several times as many
    machines as SimpleMKL; kept for comparison with the literature.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    level : float, default=0.5
        Where between the lower bound (0) and the upper bound (1) the model at the next
        weights may be at most; 0.9 in the paper. A real number greater than 0 and at most
        0.999.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Xu, Jin, King, Lyu 2008; Mao, Tsang, Gao, Wang 2015, §VII.

    Examples
    --------
    >>> from cokernel import LevelMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = LevelMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "level_mkl"
    _method_params = ["tol", "max_iterations", "level"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        tol: float = 0.001,
        max_iterations: int = 500,
        level: float = 0.5,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.level = level
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LanckrietQcqpMKLClassifier(KernelClassifier):
    """Quadratically constrained program over non-negative combinations.

    SimpleMKL among kernels as if all had the same trace: the combination with a fixed trace on
    which the machine has the least objective. Stops on the relative duality gap. Costs about
    seven machines and as many passes over all kernels.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Lanckriet, Cristianini, Bartlett, El Ghaoui, Jordan 2004; Gönen 2010, §2.2.1.2.

    Examples
    --------
    >>> from cokernel import LanckrietQcqpMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> LanckrietQcqpMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "lanckriet_qcqp"
    _method_params = ["tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
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


class LanckrietQcqpMKLRegressor(KernelRegressor):
    """Quadratically constrained program over non-negative combinations, for numbers.

    SimpleMKL among kernels as if all had the same trace: the combination with a fixed trace on
    which the machine has the least objective. Stops on the relative duality gap. Costs about
    seven machines and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Lanckriet, Cristianini, Bartlett, El Ghaoui, Jordan 2004; Gönen 2010, §2.2.1.2.

    Examples
    --------
    >>> from cokernel import LanckrietQcqpMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = LanckrietQcqpMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "lanckriet_qcqp"
    _method_params = ["tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LanckrietQcqpMKLOutlierDetector(KernelOutlierDetector):
    """Quadratically constrained program over non-negative combinations, for outliers.

    SimpleMKL among kernels as if all had the same trace: the combination with a fixed trace on
    which the machine has the least objective. Stops on the relative duality gap. Costs about
    seven machines and as many passes over all kernels.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Lanckriet, Cristianini, Bartlett, El Ghaoui, Jordan 2004; Gönen 2010, §2.2.1.2.

    Examples
    --------
    >>> from cokernel import LanckrietQcqpMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = LanckrietQcqpMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "lanckriet_qcqp"
    _method_params = ["tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LanckrietSdpMKLClassifier(KernelClassifier):
    """Semidefinite program over linear combinations.

    Weights of either sign with a fixed trace of the combined kernel, which has to be positive
    semi-definite on the training instances; the machine's objective is the least. Stops on the
    relative duality gap. For at most 500 instances: each of about 25 steps factors a matrix for
    each kernel.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Lanckriet, Cristianini, Bartlett, El Ghaoui, Jordan 2004; Gönen 2010, §2.2.1.1.

    Examples
    --------
    >>> from cokernel import LanckrietSdpMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> LanckrietSdpMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "lanckriet_sdp"
    _method_params = ["tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
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


class LanckrietSdpMKLRegressor(KernelRegressor):
    """Semidefinite program over linear combinations, for numbers.

    Weights of either sign with a fixed trace of the combined kernel, which has to be positive
    semi-definite on the training instances; the machine's objective is the least. Stops on the
    relative duality gap. For at most 500 instances: each of about 25 steps factors a matrix for
    each kernel.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Lanckriet, Cristianini, Bartlett, El Ghaoui, Jordan 2004; Gönen 2010, §2.2.1.1.

    Examples
    --------
    >>> from cokernel import LanckrietSdpMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = LanckrietSdpMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "lanckriet_sdp"
    _method_params = ["tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LanckrietSdpMKLOutlierDetector(KernelOutlierDetector):
    """Semidefinite program over linear combinations, for outliers.

    Weights of either sign with a fixed trace of the combined kernel, which has to be positive
    semi-definite on the training instances; the machine's objective is the least. Stops on the
    relative duality gap. For at most 500 instances: each of about 25 steps factors a matrix for
    each kernel.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"one_class_svm:max_steps=1000"``.
        Those that have an argument here, as nu, are given there.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLOutlierDetector : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Lanckriet, Cristianini, Bartlett, El Ghaoui, Jordan 2004; Gönen 2010, §2.2.1.1.

    Examples
    --------
    >>> from cokernel import LanckrietSdpMKLOutlierDetector
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> found = LanckrietSdpMKLOutlierDetector(nu=0.1, random_state=0).fit(X).predict(X)
    >>> bool((found < 0).mean() <= 0.2)
    True
    """

    _method_id = "lanckriet_sdp"
    _method_params = ["tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        nu: float = 0.5,
        machine: str = "one_class_svm",
        tol: float = 0.001,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.nu = nu
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SmoMKLClassifier(KernelClassifier):
    """SMO-MKL.

    lp-norm MKL with the squared norm of the weights as penalty: the weights of lp_norm at
    another cost, times a factor. Stops on the relative duality gap. By Newton steps and about
    five machines, or by the published pair steps in its dual.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    p : float, default=2.0
        The norm: near 1 few kernels take part, large values weigh all alike. A real number
        at least 1.01 and at most 1000.
    lam : float, default=1.0
        What the squared norm of the weights costs, for kernels whose mean diagonal entry is
        1, and over that mean for others: the smaller, the larger the weights. A real number
        greater than 0 and at most 1000000000000.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=500
        Limit on changes of the weights. Whole number, at least 1.
    solver : {"newton", "pairs"}, default="newton"
        newton: steps of second order in the weights; pairs: pair steps in the dual, as
        published.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Vishwanathan, Sun, Ampornpunt, Varma 2010; Mao, Tsang, Gao, Wang 2015, §VII.

    Examples
    --------
    >>> from cokernel import SmoMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> SmoMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "smo_mkl"
    _method_params = ["p", "lambda", "tol", "max_iterations", "solver"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        p: float = 2.0,
        lam: float = 1.0,
        tol: float = 0.001,
        max_iterations: int = 500,
        solver: str = "newton",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.p = p
        self.lam = lam
        self.tol = tol
        self.max_iterations = max_iterations
        self.solver = solver
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


class MEDFCClassifier(KernelClassifier):
    """Maximum entropy discrimination with view classifiers (MEDFC).

    Weights of kernels, weights of the classifiers of single kernels, and a machine that mends
    what these leave, in one convex problem: between MKL and an ensemble. All kernels keep some
    weight. 1 is added to every kernel in place of a constant beside them. Costs the view
    classifiers and about five machines.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    lam : float, default=10.0
        Rate λ of the exponential prior of σ: the larger, the smaller the part of the
        kernels. A real number greater than 0 and at most 1000000000000.
    gamma : float, default=100.0
        Rate γ of the exponential prior of μ: the larger, the less the view classifiers
        count. A real number greater than 0 and at most 1000000000000.
    prior : {"views", "none"}, default="views"
        Mean of the weight vectors: views, the classifiers of the views with weights that
        are learned; none, zero (γ = ∞).
    solver : {"newton", "sqp"}, default="newton"
        newton: Newton's method in (σ, μ) around a machine, and where it stalls or takes
        many machines and instances are few an interior method in all α, then sqp; sqp: the
        sequential quadratic programming of the paper, (19), in all α.
    unit : {"diagonal", "one"}, default="diagonal"
        Kernels are divided, and C multiplied, by: diagonal, the mean diagonal entry of all
        kernels together, of instances as often as their sample weights say; one, nothing,
        as printed. The 1 that takes the place of a constant is added afterwards.
    values : {"out_of_fold", "in_sample"}, default="out_of_fold"
        Decision values that are learned from: out_of_fold, of machines that have not seen
        the instance; in_sample, of the machines themselves, as printed.
    folds : int, default=5
        Folds of the training instances, for decision values and for the choice of C. Whole
        number from 2 to 100.
    c_factors : float or list of float, default=1.0
        Factors of C among which each kernel chooses on the folds; 1 takes C as it is.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=200
        Limit on changes of the weights of each binary problem. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Mao, Tsang, Gao, Wang 2015, (16)-(19).

    Examples
    --------
    >>> from cokernel import MEDFCClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> MEDFCClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "medfc"
    _method_params = ["lambda", "gamma", "prior", "solver", "unit", "values", "folds", "c_factors", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        lam: float = 10.0,
        gamma: float = 100.0,
        prior: str = "views",
        solver: str = "newton",
        unit: str = "diagonal",
        values: str = "out_of_fold",
        folds: int = 5,
        c_factors: float | list[float] = 1.0,
        tol: float = 0.001,
        max_iterations: int = 200,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.lam = lam
        self.gamma = gamma
        self.prior = prior
        self.solver = solver
        self.unit = unit
        self.values = values
        self.folds = folds
        self.c_factors = c_factors
        self.tol = tol
        self.max_iterations = max_iterations
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


class GMLClassifier(KernelClassifier):
    """Generalised maximum likelihood weights with view classifiers (GML).

    The most likely weights of kernels under an exponential, half-normal, super-Gaussian or
    power prior, with weights of the classifiers of single kernels beside them: l1, l2, elastic-
    net and lp MKL in their penalised form, each with an ensemble as its prior. 1 is added to
    every kernel in place of a constant beside them. Costs the view classifiers and about ten
    machines.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    sigma_prior : {"exponential", "half_normal", "super_gaussian", "power"}, default="half_normal"
        Prior of σ: exponential, λσ; half_normal, ½λσ²; super_gaussian, λσ + λ₂σ²; power,
        λσᵖ.
    lam : float, default=10.0
        Rate λ of the prior of σ: the larger, the smaller the part of the kernels. A real
        number greater than 0 and at most 1000000000000.
    lambda2 : float, default=10.0
        λ₂, the rate of σ² in sigma_prior=super_gaussian. A real number greater than 0 and
        at most 1000000000000.
    p : float, default=2.0
        Exponent p of sigma_prior=power; 1 is the exponential prior. A real number at least
        1 and at most 100.
    gamma : float, default=100.0
        Rate γ of the exponential prior of μ: the larger, the less the view classifiers
        count. A real number greater than 0 and at most 1000000000000.
    prior : {"views", "none"}, default="views"
        Mean of the weight vectors: views, the classifiers of the views with weights that
        are learned; none, zero (γ = ∞).
    unit : {"diagonal", "one"}, default="diagonal"
        Kernels are divided, and C multiplied, by: diagonal, the mean diagonal entry of all
        kernels together, of instances as often as their sample weights say; one, nothing,
        as printed. The 1 that takes the place of a constant is added afterwards.
    values : {"out_of_fold", "in_sample"}, default="out_of_fold"
        Decision values that are learned from: out_of_fold, of machines that have not seen
        the instance; in_sample, of the machines themselves, as printed.
    folds : int, default=5
        Folds of the training instances, for decision values and for the choice of C. Whole
        number from 2 to 100.
    c_factors : float or list of float, default=1.0
        Factors of C among which each kernel chooses on the folds; 1 takes C as it is.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    max_iterations : int, default=200
        Limit on changes of the weights of each binary problem. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Mao, Tsang, Gao, Wang 2015, (20).

    Examples
    --------
    >>> from cokernel import GMLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> GMLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "gml"
    _method_params = ["sigma_prior", "lambda", "lambda2", "p", "gamma", "prior", "unit", "values", "folds", "c_factors", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        sigma_prior: str = "half_normal",
        lam: float = 10.0,
        lambda2: float = 10.0,
        p: float = 2.0,
        gamma: float = 100.0,
        prior: str = "views",
        unit: str = "diagonal",
        values: str = "out_of_fold",
        folds: int = 5,
        c_factors: float | list[float] = 1.0,
        tol: float = 0.001,
        max_iterations: int = 200,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.sigma_prior = sigma_prior
        self.lam = lam
        self.lambda2 = lambda2
        self.p = p
        self.gamma = gamma
        self.prior = prior
        self.unit = unit
        self.values = values
        self.folds = folds
        self.c_factors = c_factors
        self.tol = tol
        self.max_iterations = max_iterations
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


class CGBoostMKLClassifier(KernelClassifier):
    """Column generation boosting.

    A sum of single columns of all kernels, found by column generation: few of them with the
    1-norm, where each kernel is read only for the instances that it is good at. The constant
    counts in the norm as a column does; with the 2-norm C is for the mean square of the
    columns. Needs no positive semi-definite kernels. Costs a pass over the kernels and a linear
    or quadratic program for every few columns.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    norm : {"1", "2"}, default="1"
        Norm of the coefficients: 1, a linear program with few columns; 2, a quadratic
        program.
    nu : float, default=0.2
        With norm 1: part ν of the instances that may have less than the margin. A real
        number greater than 0 and at most 0.999.
    max_columns : int, default=2000
        Columns of kernels that a decision function may have; boosting that stops early is a
        sparser model, and the gap says how far from the optimum. Whole number, at least 1.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Bi, Zhang, Bennett 2004; Gönen 2010, §2.4.

    Examples
    --------
    >>> from cokernel import CGBoostMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> CGBoostMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "cg_boost"
    _method_params = ["norm", "nu", "max_columns", "tol"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        norm: str = "1",
        nu: float = 0.2,
        max_columns: int = 2000,
        tol: float = 0.001,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.norm = norm
        self.nu = nu
        self.max_columns = max_columns
        self.tol = tol
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


class MARKMKLClassifier(KernelClassifier):
    """Multiple additive regression kernels (MARK).

    Ridge regression on single columns of all kernels, those first that the residual asks for;
    fewer columns are a sparser model. Needs no positive semi-definite kernels. Costs a pass
    over the kernels and a ridge regression for every batch of columns.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    lam : float, default=0.01
        Ridge λ of ½λ·nM·‖α‖² beside half the squared errors, n instances and M kernels,
        each over the mean diagonal entry of all kernels together. A real number greater
        than 0 and at most 1000000000000.
    max_columns : int, default=2000
        Columns of kernels that a decision function may have; boosting that stops early is a
        sparser model, and the gap says how far from the optimum. Whole number, at least 1.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Bennett, Momma, Embrechts 2002; Gönen 2010, §2.4.

    Examples
    --------
    >>> from cokernel import MARKMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> MARKMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "mark"
    _method_params = ["lambda", "max_columns", "tol"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        lam: float = 0.01,
        max_columns: int = 2000,
        tol: float = 0.001,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.lam = lam
        self.max_columns = max_columns
        self.tol = tol
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


class MARKMKLRegressor(KernelRegressor):
    """Multiple additive regression kernels (MARK), for numbers.

    Ridge regression on single columns of all kernels, those first that the residual asks for;
    fewer columns are a sparser model. Needs no positive semi-definite kernels. Costs a pass
    over the kernels and a ridge regression for every batch of columns.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    machine : str, default="kernel_ridge"
        The machine that learns on the combination, with parameters if need be: ``"kernel_ridge:lambda=1.0"``.
    lam : float, default=0.01
        Ridge λ of ½λ·nM·‖α‖² beside half the squared errors, n instances and M kernels,
        each over the mean diagonal entry of all kernels together. A real number greater
        than 0 and at most 1000000000000.
    max_columns : int, default=2000
        Columns of kernels that a decision function may have; boosting that stops early is a
        sparser model, and the gap says how far from the optimum. Whole number, at least 1.
    tol : float, default=0.001
        Relative duality gap (upper − lower bound) divided by the upper bound to stop at. A
        real number greater than 0 and at most 0.5.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Bennett, Momma, Embrechts 2002; Gönen 2010, §2.4.

    Examples
    --------
    >>> from cokernel import MARKMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = MARKMKLRegressor(random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "mark"
    _method_params = ["lambda", "max_columns", "tol"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        machine: str = "kernel_ridge",
        lam: float = 0.01,
        max_columns: int = 2000,
        tol: float = 0.001,
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
        self.views = views
        self.kernels = kernels
        self.machine = machine
        self.lam = lam
        self.max_columns = max_columns
        self.tol = tol
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class KernelBoostingMKLClassifier(KernelClassifier):
    """Kernel boosting.

    A kernel made of products of functions, one after the other from the kernel that tells best
    which pairs of instances are of one class; the machine is then trained on it. Costs
    eigenvectors of all kernels, and one for each kernel and round.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    pair_loss : {"exponential", "logistic"}, default="exponential"
        Loss of pairs: exponential or logistic.
    rounds : int, default=50
        Products of functions in the kernel, at most. Whole number from 1 to 100000.
    ridge : float, default=0.01
        What the norm of a function costs beside its values on the training instances; more
        is smoother. A real number greater than 0 and at most 1000000.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Crammer, Keshet, Singer 2003; Gönen 2010, §2.4.

    Examples
    --------
    >>> from cokernel import KernelBoostingMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> KernelBoostingMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "kernel_boosting"
    _method_params = ["pair_loss", "rounds", "ridge"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        pair_loss: str = "exponential",
        rounds: int = 50,
        ridge: float = 0.01,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.pair_loss = pair_loss
        self.rounds = rounds
        self.ridge = ridge
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


class GaussianProcessMKLRegressor(KernelRegressor):
    """Gaussian process with a weighted sum of covariances, for numbers.

    Weights of kernels that make the labels most likely. Of numbers with their noise and
    standard errors, and predictions with standard deviations, at the cost of about ten
    factorisations of an n × n matrix; of classes with probabilities by Laplace's approximation,
    at the cost of about a hundred. No C to choose.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    machine : str, default="kernel_ridge"
        The machine that learns on the combination, with parameters if need be: ``"kernel_ridge:lambda=1.0"``.
    likelihood : {"restricted", "plain"}, default="restricted"
        Of numbers: with restricted the unknown mean is integrated out, with plain it has
        its best value.
    tol : float, default=1e-06
        The search ends where it expects to gain less in the logarithm of the likelihood. A
        real number greater than 0 and at most 1000.
    max_iterations : int, default=200
        Limit on changes of the weights. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Rasmussen, Williams 2006, (3.32), (5.20)-(5.24); Gilmour, Thompson, Cullis 1995; Gönen 2010,
    §2.5.

    Examples
    --------
    >>> from cokernel import GaussianProcessMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = GaussianProcessMKLRegressor(random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "gaussian_process"
    _method_params = ["likelihood", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        machine: str = "kernel_ridge",
        likelihood: str = "restricted",
        tol: float = 1e-06,
        max_iterations: int = 200,
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
        self.views = views
        self.kernels = kernels
        self.machine = machine
        self.likelihood = likelihood
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class GaussianProcessMKLClassifier(KernelClassifier):
    """Gaussian process with a weighted sum of covariances.

    Weights of kernels that make the labels most likely. Of numbers with their noise and
    standard errors, and predictions with standard deviations, at the cost of about ten
    factorisations of an n × n matrix; of classes with probabilities by Laplace's approximation,
    at the cost of about a hundred. No C to choose.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    machine : str, default="kernel_logistic"
        The machine that learns on the combination, with parameters if need be: ``"kernel_logistic:tol=1e-6"``.
    likelihood : {"restricted", "plain"}, default="restricted"
        Of numbers: with restricted the unknown mean is integrated out, with plain it has
        its best value.
    tol : float, default=1e-06
        The search ends where it expects to gain less in the logarithm of the likelihood. A
        real number greater than 0 and at most 1000.
    max_iterations : int, default=200
        Limit on changes of the weights. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Rasmussen, Williams 2006, (3.32), (5.20)-(5.24); Gilmour, Thompson, Cullis 1995; Gönen 2010,
    §2.5.

    Examples
    --------
    >>> from cokernel import GaussianProcessMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> GaussianProcessMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "gaussian_process"
    _method_params = ["likelihood", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        machine: str = "kernel_logistic",
        likelihood: str = "restricted",
        tol: float = 1e-06,
        max_iterations: int = 200,
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
        self.views = views
        self.kernels = kernels
        self.machine = machine
        self.likelihood = likelihood
        self.tol = tol
        self.max_iterations = max_iterations
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


class BEMKLClassifier(KernelClassifier):
    """Bayesian efficient MKL (BEMKL).

    Weights with their standard deviations, and probabilities of classes or standard deviations
    of numbers, by variational inference. No C to choose; weights may be negative. Costs a
    factorisation of an n × n matrix for each sweep.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    machine : str, default="kernel_logistic"
        The machine that learns on the combination, with parameters if need be: ``"kernel_logistic:tol=1e-6"``.
    weights_prior : {"dense", "sparse"}, default="dense"
        dense: all kernels take part; sparse: few do.
    margin : float, default=1.0
        Latent values of the classes are at least so far from 0. A real number at least 0
        and at most 100.
    sigma_g : float, default=0.1
        Standard deviation of the values of a kernel about its function; of numbers it is
        learned from there. A real number at least 1e-6 and at most 1000000.
    tol : float, default=0.0001
        The sweeps end where one raises the bound by less than this part of it. A real
        number greater than 0 and at most 1.
    max_iterations : int, default=1000
        Limit on sweeps. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2012, §3; Mao, Tsang, Gao, Wang 2015, §VII.

    Examples
    --------
    >>> from cokernel import BEMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> BEMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "bemkl"
    _method_params = ["weights_prior", "margin", "sigma_g", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        machine: str = "kernel_logistic",
        weights_prior: str = "dense",
        margin: float = 1.0,
        sigma_g: float = 0.1,
        tol: float = 0.0001,
        max_iterations: int = 1000,
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
        self.views = views
        self.kernels = kernels
        self.machine = machine
        self.weights_prior = weights_prior
        self.margin = margin
        self.sigma_g = sigma_g
        self.tol = tol
        self.max_iterations = max_iterations
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


class BEMKLRegressor(KernelRegressor):
    """Bayesian efficient MKL (BEMKL), for numbers.

    Weights with their standard deviations, and probabilities of classes or standard deviations
    of numbers, by variational inference. No C to choose; weights may be negative. Costs a
    factorisation of an n × n matrix for each sweep.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    machine : str, default="kernel_ridge"
        The machine that learns on the combination, with parameters if need be: ``"kernel_ridge:lambda=1.0"``.
    weights_prior : {"dense", "sparse"}, default="dense"
        dense: all kernels take part; sparse: few do.
    margin : float, default=1.0
        Latent values of the classes are at least so far from 0. A real number at least 0
        and at most 100.
    sigma_g : float, default=0.1
        Standard deviation of the values of a kernel about its function; of numbers it is
        learned from there. A real number at least 1e-6 and at most 1000000.
    tol : float, default=0.0001
        The sweeps end where one raises the bound by less than this part of it. A real
        number greater than 0 and at most 1.
    max_iterations : int, default=1000
        Limit on sweeps. Whole number, at least 1.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2012, §3; Mao, Tsang, Gao, Wang 2015, §VII.

    Examples
    --------
    >>> from cokernel import BEMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = BEMKLRegressor(random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "bemkl"
    _method_params = ["weights_prior", "margin", "sigma_g", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        machine: str = "kernel_ridge",
        weights_prior: str = "dense",
        margin: float = 1.0,
        sigma_g: float = 0.1,
        tol: float = 0.0001,
        max_iterations: int = 1000,
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
        self.views = views
        self.kernels = kernels
        self.machine = machine
        self.weights_prior = weights_prior
        self.margin = margin
        self.sigma_g = sigma_g
        self.tol = tol
        self.max_iterations = max_iterations
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class GirolamiRogersMKLClassifier(KernelClassifier):
    """Hierarchic Bayesian kernel combination.

    Weights of the simplex with their standard deviations, and probabilities of classes, by
    variational inference. No C to choose. Costs a product of n × n matrices for each kernel and
    an inverse for each class in every sweep.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    machine : str, default="kernel_logistic"
        The machine that learns on the combination, with parameters if need be: ``"kernel_logistic:tol=1e-6"``.
    concentration : float, default=1.0
        Parameter of the Dirichlet prior of the weights: 1 is uniform, less prefers few
        kernels, more equal weights. A real number at least 0.001 and at most 1000000.
    tol : float, default=1e-06
        The sweeps end where one raises the bound by less than this part of it. A real
        number greater than 0 and at most 1.
    max_iterations : int, default=500
        Limit on sweeps. Whole number, at least 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Girolami, Rogers 2005; Damoulas, Girolami 2008; Gönen 2010, §2.5.

    Examples
    --------
    >>> from cokernel import GirolamiRogersMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> GirolamiRogersMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "girolami_rogers"
    _method_params = ["concentration", "tol", "max_iterations"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        machine: str = "kernel_logistic",
        concentration: float = 1.0,
        tol: float = 1e-06,
        max_iterations: int = 500,
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
        self.views = views
        self.kernels = kernels
        self.machine = machine
        self.concentration = concentration
        self.tol = tol
        self.max_iterations = max_iterations
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


class GibbsProbitMKLClassifier(KernelClassifier):
    """Multinomial probit by Gibbs sampling.

    Draws of weights and decision functions from their posterior: weights with their spread,
    probabilities that are means over the draws, and R-hat of several chains. No C to choose.
    Costs a factorisation for each class, sweep and chain: for some hundreds of instances.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    machine : str, default="kernel_logistic"
        The machine that learns on the combination, with parameters if need be: ``"kernel_logistic:tol=1e-6"``.
    concentration : float, default=1.0
        Parameter of the Dirichlet prior of the weights: 1 is uniform, less prefers few
        kernels, more equal weights. A real number at least 0.001 and at most 1000000.
    chains : int, default=4
        Number of chains. Whole number from 1 to 64.
    burn_in : int, default=500
        Sweeps of each chain before its draws count. Whole number from 0 to 10000000.
    draws : int, default=500
        Sweeps of each chain whose draws count. Whole number from 4 to 10000000.
    kept : int, default=200
        Most draws that tell new instances, evenly taken from all. The error of a
        probability falls with the root of their number, a model and a prediction grow with
        it. Whole number from 4 to 1000000.
    rhat : float, default=1.1
        Largest R-hat of chains that agree. A real number greater than 1 and at most 100.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Damoulas, Girolami 2008; Gönen 2010, §2.5.

    Examples
    --------
    >>> from cokernel import GibbsProbitMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> GibbsProbitMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "gibbs_probit"
    _method_params = ["concentration", "chains", "burn_in", "draws", "kept", "rhat"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        machine: str = "kernel_logistic",
        concentration: float = 1.0,
        chains: int = 4,
        burn_in: int = 500,
        draws: int = 500,
        kept: int = 200,
        rhat: float = 1.1,
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
        self.views = views
        self.kernels = kernels
        self.machine = machine
        self.concentration = concentration
        self.chains = chains
        self.burn_in = burn_in
        self.draws = draws
        self.kept = kept
        self.rhat = rhat
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


class UfoMKLClassifier(KernelClassifier):
    """UFO-MKL.

    Weights by stochastic steps in which all classes take part at once, for many kernels and
    classes: reads rows of the kernels, and keeps those for which there is memory. Tells the
    duality gap that its epochs reached. The machine is then trained on the combination.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    c : float, default=1.0
        Cost of the loss in the search for weights, for kernels whose mean diagonal entry is
        1; the machine has its own. A real number greater than 0 and at most 1000000000000.
    alpha : float, default=0.0
        What the l1 norm over the kernels costs: from some value on kernels get no weight. A
        real number at least 0 and at most 1000000.
    epochs : int, default=20
        How often every instance is looked at, at most. Whole number from 1 to 1000000.
    tol : float, default=0.01
        Relative duality gap to stop at. It falls like one over the epochs. A real number at
        least 0 and at most 0.5.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Orabona, Jie 2011; Kumar 2013, §5.3.

    Examples
    --------
    >>> from cokernel import UfoMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> UfoMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "ufo_mkl"
    _method_params = ["c", "alpha", "epochs", "tol"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        c: float = 1.0,
        alpha: float = 0.0,
        epochs: int = 20,
        tol: float = 0.01,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.c = c
        self.alpha = alpha
        self.epochs = epochs
        self.tol = tol
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


class TwoStageMKLClassifier(KernelClassifier):
    """Two-stage MKL (TS-MKL).

    Learns the weights first, as a linear classifier that tells pairs of the same class from
    pairs of different classes, or must-link pairs from cannot-link pairs that are given, then
    the machine. Its cost does not depend on the number of instances or classes.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    solver : {"auto", "exact", "pegasos"}, default="auto"
        exact: over all pairs, or as many as `examples` says, with a duality gap; pegasos:
        stochastic steps on fresh pairs, as in the source; auto: exact up to 4000 kernels or
        products.
    examples : int, default=100000
        Pairs that are drawn where there are more of them, for solver = exact; at most 2²⁴
        divided by the number of kernels. Whole number from 100 to 16777216.
    penalty : {"l2", "l1"}, default="l2"
        What large weights cost: l2, λ/2 ‖μ‖²; l1, λ Σ μ, which leaves few kernels.
    tol : float, default=1e-06
        Relative duality gap to stop at, for solver = exact; of an objective below 10⁻⁶ of
        that of no weights, this part of 10⁻⁶ of it. A real number greater than 0 and at
        most 1.
    steps : int, default=10000
        Sub-gradient steps of solver = pegasos. Whole number from 1 to 1000000000.
    batch : int, default=100
        Pairs of instances for each step. Whole number from 2 to 1000000.
    lam : float, default=0.0
        λ of (5.2) for kernels divided by s, the mean of their diagonals: a λ meant for the
        kernels as they are has to be divided by s². 0 chooses it by validation from
        100·4⁻ᵏ. A real number at least 0 and at most 1000000.
    validation : {"instances", "pairs"}, default="instances"
        What λ is chosen on: instances, the pairs with one of a fifth of the instances,
        which take no part in that, the largest λ with a hinge loss within a standard error
        of the least (solver = pegasos: with the least); pairs, a fifth of the pairs and the
        least loss, as in the source.
    diagonal : {"include", "exclude"}, default="include"
        Whether an instance paired with itself is an example.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Kumar, Niculescu-Mizil, Kavukcuoglu, Daumé 2012; Kumar 2013, §5.3.1, (5.2).

    Examples
    --------
    >>> from cokernel import TwoStageMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> TwoStageMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "two_stage"
    _method_params = ["solver", "examples", "penalty", "tol", "steps", "batch", "lambda", "validation", "diagonal"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        solver: str = "auto",
        examples: int = 100000,
        penalty: str = "l2",
        tol: float = 1e-06,
        steps: int = 10000,
        batch: int = 100,
        lam: float = 0.0,
        validation: str = "instances",
        diagonal: str = "include",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.solver = solver
        self.examples = examples
        self.penalty = penalty
        self.tol = tol
        self.steps = steps
        self.batch = batch
        self.lam = lam
        self.validation = validation
        self.diagonal = diagonal
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


class ForestTwoStageMKLClassifier(KernelClassifier):
    """Two-stage MKL with a random forest (TS-MKL RF).

    A random forest learns from the values of all kernels which pairs of instances are of the
    same class; the machine learns on the similarities to landmarks that it gives, which need be
    no kernel. Costs a forest and its value for half of all pairs of instances.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    trees : int, default=500
        Number of trees. Whole number from 1 to 100000.
    leaf : int, default=3
        Fewest pairs in a leaf. Whole number from 1 to 1000000.
    per_node : int, default=10
        Kernels that are drawn at each node, all if there are fewer. Whole number from 1 to
        1000000.
    thresholds : {"best", "random"}, default="best"
        best: the best threshold of each kernel that is drawn; random: one at random, as in
        extremely randomised trees.
    criterion : {"information", "gini"}, default="information"
        What a split is to gain: information, as in the source, or gini.
    leaves : {"means", "votes"}, default="means"
        means: a similarity is the mean over trees of the share of equal pairs in a leaf;
        votes: the share of trees in whose leaf most are equal, as in the source.
    examples : int, default=20000
        Pairs that are drawn where there are more of them. Whole number from 100 to 1048576.
    diagonal : {"include", "exclude"}, default="include"
        Whether an instance paired with itself is an example.
    learn_from : {"all", "landmarks"}, default="all"
        all: the forest learns from pairs of all training instances, as in the source;
        landmarks: from pairs of two different landmarks of one draw, so that with draws=1
        it has seen no pair of the others.
    landmarks : float, default=0.3333333333333333
        Share of the training instances that are landmarks, at least one of each class. A
        real number greater than 0 and at most 1.
    draws : int, default=5
        Draws of landmarks whose decision values are averaged. Whole number from 1 to 1000.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Kumar 2013, §6.2.2, (6.3); Balcan, Blum 2006.

    Examples
    --------
    >>> from cokernel import ForestTwoStageMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> ForestTwoStageMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "forest_two_stage"
    _method_params = ["trees", "leaf", "per_node", "thresholds", "criterion", "leaves", "examples", "diagonal", "learn_from", "landmarks", "draws"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        trees: int = 500,
        leaf: int = 3,
        per_node: int = 10,
        thresholds: str = "best",
        criterion: str = "information",
        leaves: str = "means",
        examples: int = 20000,
        diagonal: str = "include",
        learn_from: str = "all",
        landmarks: float = 0.3333333333333333,
        draws: int = 5,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.trees = trees
        self.leaf = leaf
        self.per_node = per_node
        self.thresholds = thresholds
        self.criterion = criterion
        self.leaves = leaves
        self.examples = examples
        self.diagonal = diagonal
        self.learn_from = learn_from
        self.landmarks = landmarks
        self.draws = draws
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


class NormalizedCutMKLClassifier(KernelClassifier):
    """Kernels for normalised cuts.

    The combination whose graph has the least between the classes for what it has within them,
    with a bound that proves it best or says that it may not be. Its cost depends on the number
    of kernels only, after one read of a part of them.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    groups : int, default=5
        Groups that the training instances are drawn into; fewer where a class has fewer
        instances. Whole number from 1 to 10000.
    unit : {"within", "diagonal", "none"}, default="within"
        What each kernel is divided by: its mean sum within the classes, the mean of its
        diagonal, or nothing.
    balance : bool or {"yes", "no"}, default="yes"
        Whether sums over pairs are divided by the number of pairs.
    cut : {"once", "twice"}, default="once"
        Whether an edge between a class and the rest counts once or in both directions.
    self_pairs : {"include", "exclude"}, default="include"
        Whether an instance paired with itself counts within its class.
    tol : float, default=1e-06
        Distance of the bounds of (13), relative to the largest |Q|, at which it counts as
        solved. A real number at least 1e-12 and at most 1.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Mukherjee, Singh, Peng, Hinrichs 2010, (4), (13) to (15).

    Examples
    --------
    >>> from cokernel import NormalizedCutMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> NormalizedCutMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "normalized_cut"
    _method_params = ["groups", "unit", "balance", "cut", "self_pairs", "tol"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        groups: int = 5,
        unit: str = "within",
        balance: str = "yes",
        cut: str = "once",
        self_pairs: str = "include",
        tol: float = 1e-06,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.groups = groups
        self.unit = unit
        self.balance = balance
        self.cut = cut
        self.self_pairs = self_pairs
        self.tol = tol
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


class AccuracyWeightsMKLClassifier(KernelClassifier):
    """Weights from the accuracy of each kernel.

    Trains the machine on every kernel and weighs each by its accuracy, correlation or squared
    error in an inner cross-validation. Costs a few machines per kernel.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    measure : {"auto", "accuracy", "correlation", "mse"}, default="auto"
        What is measured of each kernel; auto: accuracy of classes, mse of numbers.
    threshold : {"chance", "least", "zero"}, default="chance"
        δ that is taken off accuracies: that of chance (the largest class), at most the
        least one; the least one; or zero.
    folds : int, default=3
        Folds of the inner cross-validation on the training instances. Whole number from 2
        to 100.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Tanabe, Ho, Nguyen, Kawasaki 2008; Qiu and Lane 2009; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import AccuracyWeightsMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> AccuracyWeightsMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "accuracy_weights"
    _method_params = ["measure", "threshold", "folds"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        measure: str = "auto",
        threshold: str = "chance",
        folds: int = 3,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.measure = measure
        self.threshold = threshold
        self.folds = folds
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


class AccuracyWeightsMKLRegressor(KernelRegressor):
    """Weights from the accuracy of each kernel, for numbers.

    Trains the machine on every kernel and weighs each by its accuracy, correlation or squared
    error in an inner cross-validation. Costs a few machines per kernel.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    measure : {"auto", "accuracy", "correlation", "mse"}, default="auto"
        What is measured of each kernel; auto: accuracy of classes, mse of numbers.
    threshold : {"chance", "least", "zero"}, default="chance"
        δ that is taken off accuracies: that of chance (the largest class), at most the
        least one; the least one; or zero.
    folds : int, default=3
        Folds of the inner cross-validation on the training instances. Whole number from 2
        to 100.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Tanabe, Ho, Nguyen, Kawasaki 2008; Qiu and Lane 2009; Gönen 2010, §2.2.1.3.

    Examples
    --------
    >>> from cokernel import AccuracyWeightsMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = AccuracyWeightsMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "accuracy_weights"
    _method_params = ["measure", "threshold", "folds"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        measure: str = "auto",
        threshold: str = "chance",
        folds: int = 3,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.measure = measure
        self.threshold = threshold
        self.folds = folds
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class DeDiegoMKLClassifier(KernelClassifier):
    """Functional combination.

    The mean of two kernels plus what they disagree on, taken for what the labels say. Costs the
    eigenvalues of one matrix and one machine.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    function : {"absolute", "difference", "squared"}, default="absolute"
        What is taken of the difference of two kernels.
    tau : float, default=0.5
        Weight τ of the difference; 0 is the mean (of two kernels). A real number at least 0
        and at most 1000000.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    de Diego, Moguerza, Muñoz 2004; Gönen 2010, §2.2.2.

    Examples
    --------
    >>> from cokernel import DeDiegoMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> DeDiegoMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "de_diego"
    _method_params = ["function", "tau"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        function: str = "absolute",
        tau: float = 0.5,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.function = function
        self.tau = tau
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


class NeighbourWeightsMKLClassifier(KernelClassifier):
    """Data-dependent weights.

    Weights of kernels that depend on the instance: near it, a kernel weighs as much as its
    nearest neighbours there have the same class. A heuristic of one machine; localized_mkl
    learns such weights.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    neighbours : int, default=10
        How many nearest instances are looked at, of a kernel and of the features. Whole
        number from 1 to 1000000.
    threshold : {"chance", "zero"}, default="chance"
        What is taken off the share of neighbours with the same class: chance, the share of
        that class in training, so that a kernel that tells nothing has no weight; or zero.
    gate_views : str, default="all"
        Views that the gates look at, separated by commas; all: those of the kernels that
        have features, or the similarities where there are no features.
    gate_dimensions : int, default=0
        To how many principal components the columns that the gates look at are reduced; 0
        keeps the columns. Whole number from 0 to 1000000.
    gate_scale : {"standard", "none"}, default="standard"
        What the gates see of a column: standard (its mean taken off, divided by its
        standard deviation), or none (its values as they are; on principal components, with
        the mean taken off).
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Moguerza, Muñoz, de Diego 2004; Gönen 2010, §2.2.2.

    Examples
    --------
    >>> from cokernel import NeighbourWeightsMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> NeighbourWeightsMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "neighbour_weights"
    _method_params = ["neighbours", "threshold", "gate_views", "gate_dimensions", "gate_scale"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        neighbours: int = 10,
        threshold: str = "chance",
        gate_views: str = "all",
        gate_dimensions: int = 0,
        gate_scale: str = "standard",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.neighbours = neighbours
        self.threshold = threshold
        self.gate_views = gate_views
        self.gate_dimensions = gate_dimensions
        self.gate_scale = gate_scale
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


class RWKLClassifier(KernelClassifier):
    """Weights by a response surface.

    Weights with which the machine makes few errors on inner folds: a quadratic surface is
    fitted to the errors of a few weights, and its least point near the best one is tried next.
    No weight becomes 0. For up to about ten kernels: costs folds × M (M + 1)/2 machines and
    some more.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    folds : int, default=3
        Folds of the inner cross-validation on the training instances, whose errors are
        minimised. Whole number from 2 to 100.
    delta : float, default=0.3
        Δ of the Koshal design, a step in log10. A real number greater than 0 and at most 5.
    reach : float, default=1.0
        How far from 1 the numbers go at most, in log10: from 10^-reach to 10^reach. A real
        number greater than 0 and at most 5.
    step_tol : float, default=0.02
        ε of Figure 2.3: the search ends at a step that is shorter in log10. A real number
        greater than 0 and at most 5.
    max_evaluations : int, default=100
        Limit on evaluations, each a fit per fold; the design of M kernels has M (M + 1)/2.
        Whole number from 1 to 100000.
    answer : {"best", "last"}, default="best"
        Which evaluation is taken: best, the least error (of equal ones where the surface is
        least); last, where the search ended, as Figure 2.3 does.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.7.2.

    Examples
    --------
    >>> from cokernel import RWKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> RWKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "rwkl"
    _method_params = ["folds", "delta", "reach", "step_tol", "max_evaluations", "answer"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        folds: int = 3,
        delta: float = 0.3,
        reach: float = 1.0,
        step_tol: float = 0.02,
        max_evaluations: int = 100,
        answer: str = "best",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.folds = folds
        self.delta = delta
        self.reach = reach
        self.step_tol = step_tol
        self.max_evaluations = max_evaluations
        self.answer = answer
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


class RWKLRegressor(KernelRegressor):
    """Weights by a response surface, for numbers.

    Weights with which the machine makes few errors on inner folds: a quadratic surface is
    fitted to the errors of a few weights, and its least point near the best one is tried next.
    No weight becomes 0. For up to about ten kernels: costs folds × M (M + 1)/2 machines and
    some more.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    folds : int, default=3
        Folds of the inner cross-validation on the training instances, whose errors are
        minimised. Whole number from 2 to 100.
    delta : float, default=0.3
        Δ of the Koshal design, a step in log10. A real number greater than 0 and at most 5.
    reach : float, default=1.0
        How far from 1 the numbers go at most, in log10: from 10^-reach to 10^reach. A real
        number greater than 0 and at most 5.
    step_tol : float, default=0.02
        ε of Figure 2.3: the search ends at a step that is shorter in log10. A real number
        greater than 0 and at most 5.
    max_evaluations : int, default=100
        Limit on evaluations, each a fit per fold; the design of M kernels has M (M + 1)/2.
        Whole number from 1 to 100000.
    answer : {"best", "last"}, default="best"
        Which evaluation is taken: best, the least error (of equal ones where the surface is
        least); last, where the search ended, as Figure 2.3 does.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Gönen 2010, §2.7.2.

    Examples
    --------
    >>> from cokernel import RWKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = RWKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "rwkl"
    _method_params = ["folds", "delta", "reach", "step_tol", "max_evaluations", "answer"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        folds: int = 3,
        delta: float = 0.3,
        reach: float = 1.0,
        step_tol: float = 0.02,
        max_evaluations: int = 100,
        answer: str = "best",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.folds = folds
        self.delta = delta
        self.reach = reach
        self.step_tol = step_tol
        self.max_evaluations = max_evaluations
        self.answer = answer
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AlignMKLClassifier(KernelClassifier):
    """Kernel alignment of each kernel.

    Weighs every kernel by its alignment with the labels, the cosine between the kernel and the
    ideal one. The quickest weights that look at labels: one pass over the kernels and one
    machine.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    centered : bool or {"yes", "no"}, default="yes"
        Whether kernels and target are compared after centring in feature space; the machine
        gets them as they are.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Qiu and Lane 2009; Cortes, Mohri, Rostamizadeh 2010; Gönen 2010, (2.7).

    Examples
    --------
    >>> from cokernel import AlignMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> AlignMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "align"
    _method_params = ["centered"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        centered: str = "yes",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.centered = centered
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


class AlignMKLRegressor(KernelRegressor):
    """Kernel alignment of each kernel, for numbers.

    Weighs every kernel by its alignment with the labels, the cosine between the kernel and the
    ideal one. The quickest weights that look at labels: one pass over the kernels and one
    machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    centered : bool or {"yes", "no"}, default="yes"
        Whether kernels and target are compared after centring in feature space; the machine
        gets them as they are.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Qiu and Lane 2009; Cortes, Mohri, Rostamizadeh 2010; Gönen 2010, (2.7).

    Examples
    --------
    >>> from cokernel import AlignMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = AlignMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "align"
    _method_params = ["centered"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        centered: str = "yes",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.centered = centered
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AlignfMKLClassifier(KernelClassifier):
    """Joint kernel alignment (alignf).

    The combination of kernels that has the largest alignment with the labels: kernels that say
    what others say already get no weight. One pass over all pairs of kernels and one machine.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    centered : bool or {"yes", "no"}, default="yes"
        Whether kernels and target are compared after centring in feature space; the machine
        gets them as they are.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Cortes, Mohri, Rostamizadeh 2010; Lanckriet et al. 2004; Gönen 2010, (2.6); Kumar 2013,
    (2.7), (5.3).

    Examples
    --------
    >>> from cokernel import AlignfMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> AlignfMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "alignf"
    _method_params = ["centered"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        centered: str = "yes",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.centered = centered
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


class AlignfMKLRegressor(KernelRegressor):
    """Joint kernel alignment (alignf), for numbers.

    The combination of kernels that has the largest alignment with the labels: kernels that say
    what others say already get no weight. One pass over all pairs of kernels and one machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    centered : bool or {"yes", "no"}, default="yes"
        Whether kernels and target are compared after centring in feature space; the machine
        gets them as they are.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Cortes, Mohri, Rostamizadeh 2010; Lanckriet et al. 2004; Gönen 2010, (2.6); Kumar 2013,
    (2.7), (5.3).

    Examples
    --------
    >>> from cokernel import AlignfMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = AlignfMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "alignf"
    _method_params = ["centered"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        centered: str = "yes",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.centered = centered
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LanckrietAlignmentMKLClassifier(KernelClassifier):
    """Alignment with weights of any sign.

    The positive semi-definite combination with the largest alignment, in which kernels may be
    subtracted. Some eigenvalue problems of the size of the data: for a few hundred instances.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    tol : float, default=1e-06
        Relative duality gap of the alignment to stop at. A real number greater than 0 and
        at most 0.5.
    max_iterations : int, default=200
        Rounds of cuts at most. Whole number, at least 1.
    centered : bool or {"yes", "no"}, default="no"
        Whether kernels and target are compared after centring in feature space; the machine
        gets them as they are.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Lanckriet, Cristianini, Bartlett, El Ghaoui, Jordan 2004; Gönen 2010, §2.3.1.1.

    Examples
    --------
    >>> from cokernel import LanckrietAlignmentMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> LanckrietAlignmentMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "lanckriet_alignment"
    _method_params = ["tol", "max_iterations", "centered"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        tol: float = 1e-06,
        max_iterations: int = 200,
        centered: str = "no",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.centered = centered
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


class LanckrietAlignmentMKLRegressor(KernelRegressor):
    """Alignment with weights of any sign, for numbers.

    The positive semi-definite combination with the largest alignment, in which kernels may be
    subtracted. Some eigenvalue problems of the size of the data: for a few hundred instances.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    tol : float, default=1e-06
        Relative duality gap of the alignment to stop at. A real number greater than 0 and
        at most 0.5.
    max_iterations : int, default=200
        Rounds of cuts at most. Whole number, at least 1.
    centered : bool or {"yes", "no"}, default="no"
        Whether kernels and target are compared after centring in feature space; the machine
        gets them as they are.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Lanckriet, Cristianini, Bartlett, El Ghaoui, Jordan 2004; Gönen 2010, §2.3.1.1.

    Examples
    --------
    >>> from cokernel import LanckrietAlignmentMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = LanckrietAlignmentMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "lanckriet_alignment"
    _method_params = ["tol", "max_iterations", "centered"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        tol: float = 1e-06,
        max_iterations: int = 200,
        centered: str = "no",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.tol = tol
        self.max_iterations = max_iterations
        self.centered = centered
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class KandolaMKLClassifier(KernelClassifier):
    """Regularised kernel alignment.

    Joint alignment with a penalty on large weights, between the joint one and that of each
    kernel by itself. One pass over all pairs of kernels and one machine.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    lam : float, default=0.1
        Penalty λ on ‖η‖², times the mean of ⟨K_m, K_m⟩; 0 is joint alignment, large values
        weigh every kernel by itself. A real number at least 0 and at most 1000000000000.
    centered : bool or {"yes", "no"}, default="no"
        Whether kernels and target are compared after centring in feature space; the machine
        gets them as they are.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Kandola, Shawe-Taylor, Cristianini 2002; Gönen 2010, §2.3.1.2.

    Examples
    --------
    >>> from cokernel import KandolaMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> KandolaMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "kandola"
    _method_params = ["lambda", "centered"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        lam: float = 0.1,
        centered: str = "no",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.lam = lam
        self.centered = centered
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


class KandolaMKLRegressor(KernelRegressor):
    """Regularised kernel alignment, for numbers.

    Joint alignment with a penalty on large weights, between the joint one and that of each
    kernel by itself. One pass over all pairs of kernels and one machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    lam : float, default=0.1
        Penalty λ on ‖η‖², times the mean of ⟨K_m, K_m⟩; 0 is joint alignment, large values
        weigh every kernel by itself. A real number at least 0 and at most 1000000000000.
    centered : bool or {"yes", "no"}, default="no"
        Whether kernels and target are compared after centring in feature space; the machine
        gets them as they are.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Kandola, Shawe-Taylor, Cristianini 2002; Gönen 2010, §2.3.1.2.

    Examples
    --------
    >>> from cokernel import KandolaMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = KandolaMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "kandola"
    _method_params = ["lambda", "centered"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        lam: float = 0.1,
        centered: str = "no",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.lam = lam
        self.centered = centered
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class IdealDistanceMKLClassifier(KernelClassifier):
    """Distance to the ideal kernel.

    The convex combination that is nearest to the ideal kernel, entry by entry; unlike alignment
    it minds the size of the entries. One pass over all pairs of kernels and one machine.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    centered : bool or {"yes", "no"}, default="no"
        Whether kernels and target are compared after centring in feature space; the machine
        gets them as they are.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    He, Chang, Xie 2008; Gönen 2010, (2.8).

    Examples
    --------
    >>> from cokernel import IdealDistanceMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> IdealDistanceMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "ideal_distance"
    _method_params = ["centered"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        centered: str = "no",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.centered = centered
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


class IdealDistanceMKLRegressor(KernelRegressor):
    """Distance to the ideal kernel, for numbers.

    The convex combination that is nearest to the ideal kernel, entry by entry; unlike alignment
    it minds the size of the entries. One pass over all pairs of kernels and one machine.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    centered : bool or {"yes", "no"}, default="no"
        Whether kernels and target are compared after centring in feature space; the machine
        gets them as they are.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    He, Chang, Xie 2008; Gönen 2010, (2.8).

    Examples
    --------
    >>> from cokernel import IdealDistanceMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = IdealDistanceMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "ideal_distance"
    _method_params = ["centered"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        centered: str = "no",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.centered = centered
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class FsmMKLClassifier(KernelClassifier):
    """Feature-space measure (FSM).

    The combination in whose feature space classes are narrow along the lines between their
    centres, and the centres far apart. One pass over the kernels and one machine.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    deviation : {"line", "total"}, default="line"
        Deviation of a class: along the line between the centres, or total, whose best
        combination is a single kernel.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Nguyen and Ho 2008; Tanabe, Ho, Nguyen, Kawasaki 2008; Gönen 2010, §2.3.2.

    Examples
    --------
    >>> from cokernel import FsmMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> FsmMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "fsm"
    _method_params = ["deviation"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        deviation: str = "line",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.deviation = deviation
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


class KlDivergenceMKLClassifier(KernelClassifier):
    """Divergence from the ideal kernel.

    The convex combination whose Gaussian process is nearest to that of the ideal kernel. Some
    n³ operations for each kernel: for up to a few thousand instances.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    ridge : float, default=1.0
        ρ on the diagonal of the kernel, divided by the mean of all diagonal entries of all
        kernels, and of the ideal one, whose diagonal is 1; the objective is the divergence
        for each instance. A real number greater than 0 and at most 1000000.
    tol : float, default=1e-06
        Relative duality gap to stop at. A real number greater than 0 and at most 0.5.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Ying, Huang, Campbell 2009; Gönen 2010, §2.3.2.

    Examples
    --------
    >>> from cokernel import KlDivergenceMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> KlDivergenceMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "kl_divergence"
    _method_params = ["ridge", "tol"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        ridge: float = 1.0,
        tol: float = 1e-06,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.ridge = ridge
        self.tol = tol
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


class KlDivergenceMKLRegressor(KernelRegressor):
    """Divergence from the ideal kernel, for numbers.

    The convex combination whose Gaussian process is nearest to that of the ideal kernel. Some
    n³ operations for each kernel: for up to a few thousand instances.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    ridge : float, default=1.0
        ρ on the diagonal of the kernel, divided by the mean of all diagonal entries of all
        kernels, and of the ideal one, whose diagonal is 1; the objective is the divergence
        for each instance. A real number greater than 0 and at most 1000000.
    tol : float, default=1e-06
        Relative duality gap to stop at. A real number greater than 0 and at most 0.5.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Ying, Huang, Campbell 2009; Gönen 2010, §2.3.2.

    Examples
    --------
    >>> from cokernel import KlDivergenceMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = KlDivergenceMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "kl_divergence"
    _method_params = ["ridge", "tol"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        ridge: float = 1.0,
        tol: float = 1e-06,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.ridge = ridge
        self.tol = tol
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AlignmentGradientMKLClassifier(KernelClassifier):
    """Alignment by gradient ascent.

    Climbs from the mean of the kernels to the combination with the largest alignment; few steps
    keep all kernels. alignf goes there at once. Or climbs over one width for each feature, or
    each view, inside a Gaussian kernel (over=widths), which asks no machine before the end and
    is not convex.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    over : {"weights", "widths", "view_widths"}, default="weights"
        What is learned: weights of the kernels; widths, one for each feature; view_widths,
        one for each view.
    max_iterations : int, default=1000
        Steps at most. Whole number, at least 1.
    tol : float, default=0.0001
        Slope in the logarithm of a weight or width, relative to the alignment, to stop at.
        A real number greater than 0 and at most 0.5.
    centered : bool or {"yes", "no"}, default="no"
        Whether kernels and target are compared after centring in feature space; the machine
        gets them as they are.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Igel, Glasmachers, Mersch, Pfeifer, Meinicke 2007; Gönen 2010, §2.3.1.1.

    Examples
    --------
    >>> from cokernel import AlignmentGradientMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> AlignmentGradientMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "alignment_gradient"
    _method_params = ["over", "max_iterations", "tol", "centered"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        over: str = "weights",
        max_iterations: int = 1000,
        tol: float = 0.0001,
        centered: str = "no",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.over = over
        self.max_iterations = max_iterations
        self.tol = tol
        self.centered = centered
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


class AlignmentGradientMKLRegressor(KernelRegressor):
    """Alignment by gradient ascent, for numbers.

    Climbs from the mean of the kernels to the combination with the largest alignment; few steps
    keep all kernels. alignf goes there at once. Or climbs over one width for each feature, or
    each view, inside a Gaussian kernel (over=widths), which asks no machine before the end and
    is not convex.

    Parameters
    ----------
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
        The machine that learns on the combination, with parameters if need be: ``"svr:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    over : {"weights", "widths", "view_widths"}, default="weights"
        What is learned: weights of the kernels; widths, one for each feature; view_widths,
        one for each view.
    max_iterations : int, default=1000
        Steps at most. Whole number, at least 1.
    tol : float, default=0.0001
        Slope in the logarithm of a weight or width, relative to the alignment, to stop at.
        A real number greater than 0 and at most 0.5.
    centered : bool or {"yes", "no"}, default="no"
        Whether kernels and target are compared after centring in feature space; the machine
        gets them as they are.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machine, above 0 and at most 0.999.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLRegressor : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Igel, Glasmachers, Mersch, Pfeifer, Meinicke 2007; Gönen 2010, §2.3.1.1.

    Examples
    --------
    >>> from cokernel import AlignmentGradientMKLRegressor
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> reg = AlignmentGradientMKLRegressor(C=10.0, random_state=0).fit(X, y)
    >>> bool(reg.score(X, y) > 0.9)
    True
    """

    _method_id = "alignment_gradient"
    _method_params = ["over", "max_iterations", "tol", "centered"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        epsilon: float = 0.1,
        machine: str = "svr",
        over: str = "weights",
        max_iterations: int = 1000,
        tol: float = 0.0001,
        centered: str = "no",
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.epsilon = epsilon
        self.machine = machine
        self.over = over
        self.max_iterations = max_iterations
        self.tol = tol
        self.centered = centered
        self.machine_tol = machine_tol
        self.scale = scale
        self.missing = missing
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class EasyMKLClassifier(KernelClassifier):
    """EasyMKL.

    Weighs every kernel by the margin that it gives between the classes at the margin of their
    sum. Two machines, however many kernels there are: quick where there are hundreds.

    Parameters
    ----------
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    C : float, default=1.0
        Cost of a unit of slack, above 0.
    machine : str, default="svc"
        The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
        Those that have an argument here, as C, are given there.
    lam : float, default=0.1
        Between the margin (near 0) and the distance of the class means (1), for kernels
        that are divided by the mean of all their diagonal entries. A real number greater
        than 0 and at most 1.
    tol : float, default=0.0001
        Relative duality gap of the margin to stop at. A real number greater than 0 and at
        most 0.5.
    class_weight : dict or "balanced", optional
        Factors of C by class, above 0.
    decomposition : {"one_vs_rest", "one_vs_one", "dag"}
        How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
        directed acyclic graph instead of by votes.
    machine_tol : float, default=1e-3
        Relative duality gap of the kernel machines, above 0 and at most 0.999.
    probability : {"sigmoid", "isotonic"}, optional
        Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
        that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
        for each calibration fold.
    calibration_folds : int, default=5
        Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
        class needs as many instances.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
        What is done about training instances that lack a view: see :class:`MKLClassifier`.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MKLClassifier : the same with the method as a parameter; its attributes are those of this class.

    References
    ----------
    Aiolli and Donini 2015.

    Examples
    --------
    >>> from cokernel import EasyMKLClassifier
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> EasyMKLClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _method_id = "easy_mkl"
    _method_params = ["lambda", "tol"]

    def __init__(
        self,
        *,
        views: Any = None,
        kernels: Any = None,
        C: float = 1.0,
        machine: str = "svc",
        lam: float = 0.1,
        tol: float = 0.0001,
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
        self.views = views
        self.kernels = kernels
        self.C = C
        self.machine = machine
        self.lam = lam
        self.tol = tol
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


class SpectralClustering(ViewClusterer):
    """Spectral clustering of the mean kernel.

    Leading eigenvectors of the normalised similarity, rows of unit length. The baseline of
    every multi-view clustering: with one kernel it is single-view spectral clustering, with
    several it is kernel addition. Needs similarities of at least 0. A few dozen products of the
    kernels with a thin block.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    eigenvectors : int, default=0
        Columns of each embedding U; 0 takes as many as clusters. Whole number, at least 0.
    view : str, default="mean"
        The similarity: mean (that of all kernels), or the name of one view or kernel.
    diagonal : {"keep", "zero"}, default="keep"
        The similarity of an instance to itself, as an edge of the graph: keep, or zero (Ng,
        Jordan, Weiss). Kept, the graph stays positive semi-definite and no instance is
        isolated; but where some instances are far from all others (documents, many columns,
        products of kernels) eigenvectors may stand for single instances: compare with zero.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Ng, Jordan, Weiss 2001; Kumar 2013, §2.1, §3.4.

    Examples
    --------
    >>> from cokernel import SpectralClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = SpectralClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "spectral"
    _method_params = ["eigenvectors", "view", "diagonal"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        eigenvectors: int = 0,
        view: str = "mean",
        diagonal: str = "keep",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.eigenvectors = eigenvectors
        self.view = view
        self.diagonal = diagonal
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ProductSpectralClustering(ViewClusterer):
    """Spectral clustering of the kernel product.

    Leading eigenvectors of the normalised elementwise product of all kernels, rows of unit
    length: instances are together only if every view puts them together. Good with a few
    reliable views. Needs similarities of at least 0 and n² numbers of memory once.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    eigenvectors : int, default=0
        Columns of each embedding U; 0 takes as many as clusters. Whole number, at least 0.
    diagonal : {"keep", "zero"}, default="keep"
        The similarity of an instance to itself, as an edge of the graph: keep, or zero (Ng,
        Jordan, Weiss). Kept, the graph stays positive semi-definite and no instance is
        isolated; but where some instances are far from all others (documents, many columns,
        products of kernels) eigenvectors may stand for single instances: compare with zero.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import ProductSpectralClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = ProductSpectralClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "product_spectral"
    _method_params = ["eigenvectors", "diagonal"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        eigenvectors: int = 0,
        diagonal: str = "keep",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.eigenvectors = eigenvectors
        self.diagonal = diagonal
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ConcatSpectralClustering(ViewClusterer):
    """Spectral clustering of concatenated features.

    The features of all views side by side, one Gaussian kernel on them, its spectral embedding.
    The control for looking at views separately at all: show it with the columns as they are and
    with standardised ones. Costs one kernel.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    scale : {"given", "standard"}, default="given"
        Scaling of the columns before they are put side by side: given (as the data is
        scaled for all methods), or standard (mean 0 and variance 1 each).
    sigma : float, default=0.0
        Width σ of the Gaussian kernel exp(-d²/2σ²); 0 takes the median distance. A real
        number at least 0.
    eigenvectors : int, default=0
        Columns of each embedding U; 0 takes as many as clusters. Whole number, at least 0.
    diagonal : {"keep", "zero"}, default="keep"
        The similarity of an instance to itself, as an edge of the graph: keep, or zero (Ng,
        Jordan, Weiss). Kept, the graph stays positive semi-definite and no instance is
        isolated; but where some instances are far from all others (documents, many columns,
        products of kernels) eigenvectors may stand for single instances: compare with zero.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import ConcatSpectralClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = ConcatSpectralClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "concat_spectral"
    _method_params = ["scale", "sigma", "eigenvectors", "diagonal"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        scale: str = "given",
        sigma: float = 0.0,
        eigenvectors: int = 0,
        diagonal: str = "keep",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.scale = scale
        self.sigma = sigma
        self.eigenvectors = eigenvectors
        self.diagonal = diagonal
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ConcatKMeansClustering(ViewClusterer):
    """K-means on concatenated features.

    k-means on the features of all views side by side, without any kernel. The simplest control:
    show it with the columns as they are and with standardised ones. Needs features. Costs
    k-means in as many dimensions as there are columns.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    scale : {"given", "standard"}, default="given"
        Scaling of the columns before they are put side by side: given (as the data is
        scaled for all methods), or standard (mean 0 and variance 1 each).
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    k-means of all columns: MacQueen 1967.

    Examples
    --------
    >>> from cokernel import ConcatKMeansClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = ConcatKMeansClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "concat_kmeans"
    _method_params = ["scale"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        scale: str = "given",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.scale = scale
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ConcatEmbeddingsSpectralClustering(ViewClusterer):
    """Single-view spectral embeddings side by side.

    The spectral embedding of each view, rows of unit length, side by side. The views do not
    influence each other; k-means weighs them alike. Hard to beat, so a gain of any coupling is
    to be measured against it. Needs similarities of at least 0.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    eigenvectors : int, default=0
        Columns of each embedding U; 0 takes as many as clusters. Whole number, at least 0.
    diagonal : {"keep", "zero"}, default="keep"
        The similarity of an instance to itself, as an edge of the graph: keep, or zero (Ng,
        Jordan, Weiss). Kept, the graph stays positive semi-definite and no instance is
        isolated; but where some instances are far from all others (documents, many columns,
        products of kernels) eigenvectors may stand for single instances: compare with zero.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Kumar 2013, Algorithm 1 without rounds, (4.3) with λ = 0.

    Examples
    --------
    >>> from cokernel import ConcatEmbeddingsSpectralClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = ConcatEmbeddingsSpectralClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "concat_embeddings"
    _method_params = ["eigenvectors", "diagonal"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        eigenvectors: int = 0,
        diagonal: str = "keep",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.eigenvectors = eigenvectors
        self.diagonal = diagonal
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class CCASpectralClustering(ViewClusterer):
    """Canonical correlation, then spectral clustering.

    Linear combinations of the features of each view that are most correlated with those of the
    others, then spectral clustering on their values. Needs features in two views or more.
    Cheap: costs covariances and their decompositions.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    regularization : float, default=0.01
        κ_v of each view as a share of the sum of the variances of its columns; 0 is the
        classical analysis. A real number at least 0 and at most 1000000.
    components : int, default=0
        Canonical variates per view; 0 takes as many as clusters. Those without correlation
        are left out. Their eigenvalues are told less 1: for two views, canonical
        correlations. Whole number, at least 0.
    embedding : str, default="concat"
        The canonical variates that are used: concat (those of all views side by side), or
        the name of a view or kernel.
    then : {"spectral", "kmeans"}, default="spectral"
        What is done with the variates: spectral (the spectral embedding of a Gaussian
        kernel on them, its width the median distance), or kmeans (they are the embedding).
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Hotelling 1936; Bach, Jordan 2002; Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import CCASpectralClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = CCASpectralClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "cca"
    _method_params = ["regularization", "components", "embedding", "then"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        regularization: float = 0.01,
        components: int = 0,
        embedding: str = "concat",
        then: str = "spectral",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.regularization = regularization
        self.components = components
        self.embedding = embedding
        self.then = then
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class KernelCCASpectralClustering(ViewClusterer):
    """Kernel canonical correlation, then spectral clustering.

    Functions of each view that are most correlated with functions of the others, then spectral
    clustering on their values. Takes what the views have in common and nothing else, so it
    fails where that is little. Any kernels, two or more. Costs two Cholesky factorisations
    (n³/3) and n² numbers of memory per view.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    regularization : float, default=0.01
        κ_v of each view as a share of the trace of its centred kernel. A real number at
        least 1e-8 and at most 1000000.
    components : int, default=0
        Canonical variates per view; 0 takes as many as clusters. Those without correlation
        are left out. Their eigenvalues are told less 1: for two views, canonical
        correlations. Whole number, at least 0.
    embedding : str, default="concat"
        The canonical variates that are used: concat (those of all views side by side), or
        the name of a view or kernel.
    then : {"spectral", "kmeans"}, default="spectral"
        What is done with the variates: spectral (the spectral embedding of a Gaussian
        kernel on them, its width the median distance), or kmeans (they are the embedding).
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Bach, Jordan 2002, §3.2-3.3; Kumar 2013, §3.4.

    Examples
    --------
    >>> from cokernel import KernelCCASpectralClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = KernelCCASpectralClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "kernel_cca"
    _method_params = ["regularization", "components", "embedding", "then"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        regularization: float = 0.01,
        components: int = 0,
        embedding: str = "concat",
        then: str = "spectral",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.regularization = regularization
        self.components = components
        self.embedding = embedding
        self.then = then
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MinDisagreementSpectralClustering(ViewClusterer):
    """Spectral clustering that minimises disagreement.

    Spectral clustering of a graph with one node per instance and view, whose edges join
    different views by the product of their similarities. Strong where views are independent
    given the cluster. Needs two views or more and similarities of at least 0. A few dozen times
    two products of every kernel with a thin block.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    embedding : str, default="mean"
        The embedding that is the result: mean (of the nodes of an instance), concat (its
        nodes side by side), or the name of a view or kernel (its nodes); the row of each
        node has unit length.
    eigenvectors : int, default=0
        Columns of each embedding U; 0 takes as many as clusters. Whole number, at least 0.
    diagonal : {"keep", "zero"}, default="keep"
        The similarity of an instance to itself, as an edge of the graph: keep, or zero (Ng,
        Jordan, Weiss). Kept, the graph stays positive semi-definite and no instance is
        isolated; but where some instances are far from all others (documents, many columns,
        products of kernels) eigenvectors may stand for single instances: compare with zero.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    de Sa 2005; Kumar 2013, §3.4, §3.5.

    Examples
    --------
    >>> from cokernel import MinDisagreementSpectralClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = MinDisagreementSpectralClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "min_disagreement"
    _method_params = ["embedding", "eigenvectors", "diagonal"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        embedding: str = "mean",
        eigenvectors: int = 0,
        diagonal: str = "keep",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.embedding = embedding
        self.eigenvectors = eigenvectors
        self.diagonal = diagonal
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class CoTrainedSpectralClustering(ViewClusterer):
    """Co-trained spectral clustering.

    One spectral embedding per view, each computed again and again from similarities that were
    projected on the embeddings of the other views. Good when every view tells the clusters on
    its own; an uninformative or contradictory view spoils the others. Needs similarities of at
    least 0. A round costs one product of every kernel with a thin block, and about as much
    again for the shift.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    max_iterations : int, default=10
        Most rounds; 0 gives the concatenation of the single-view embeddings. Whole number
        from 0 to 1000000.
    stop : {"fixed", "agreement"}, default="fixed"
        When the rounds end: fixed (after `max_iterations`), or agreement (when the mean
        agreement of the views changes by at most `tol`).
    tol : float, default=0.0001
        Change of the mean agreement at which stop=agreement ends. A real number at least 0
        and at most 1.
    projection : int, default=0
        Eigenvectors of each other view that similarities are projected on; 0 takes as many
        as columns of the embedding. Whole number, at least 0.
    shift : bool or {"yes", "no"}, default="yes"
        Whether the least entry of the projected similarities, if negative, is subtracted
        from all.
    embedding : str, default="concat"
        The embedding that is the result: concat (those of all views side by side, rows of
        each of unit length), or the name of a view or kernel.
    eigenvectors : int, default=0
        Columns of each embedding U; 0 takes as many as clusters. Whole number, at least 0.
    diagonal : {"keep", "zero"}, default="keep"
        The similarity of an instance to itself, as an edge of the graph: keep, or zero (Ng,
        Jordan, Weiss). Kept, the graph stays positive semi-definite and no instance is
        isolated; but where some instances are far from all others (documents, many columns,
        products of kernels) eigenvectors may stand for single instances: compare with zero.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Kumar, Daumé 2011; Kumar 2013, §3.1-3.2, Algorithm 1.

    Examples
    --------
    >>> from cokernel import CoTrainedSpectralClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = CoTrainedSpectralClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "co_trained"
    _method_params = ["max_iterations", "stop", "tol", "projection", "shift", "embedding", "eigenvectors", "diagonal"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        max_iterations: int = 10,
        stop: str = "fixed",
        tol: float = 0.0001,
        projection: int = 0,
        shift: str = "yes",
        embedding: str = "concat",
        eigenvectors: int = 0,
        diagonal: str = "keep",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.max_iterations = max_iterations
        self.stop = stop
        self.tol = tol
        self.projection = projection
        self.shift = shift
        self.embedding = embedding
        self.eigenvectors = eigenvectors
        self.diagonal = diagonal
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class CoRegularizedSpectralClustering(ViewClusterer):
    """Pairwise co-regularised spectral clustering.

    One spectral embedding per view, drawn towards the span of the others with strength lambda.
    Often better than kernel addition when each view is informative; compare with lambda = 0.
    Needs similarities of at least 0. Each of about ten iterations costs a few products of every
    kernel with a thin block.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    lam : float or list of float, default=0.05
        Weight of the agreement of a pair of views, λ in (4.3); one number, or one for each
        pair of kernels in the order (0,1), (0,2), …, (1,2), …; 0 is the concatenation of
        the single-view embeddings.
    lambda_scale : {"raw", "gap"}, default="raw"
        Unit of lam: raw, or gap: the eigengap of the view alone (the difference of its last
        taken eigenvalue and the next one; of a pair of views, the mean of both).
    tol : float, default=0.0001
        Relative change of the objective at which the iteration ends. A real number at least
        0 and at most 1.
    max_iterations : int, default=100
        Most rounds of updates over all views. Whole number from 1 to 1000000.
    first : str, default="in_order"
        The view or kernel that each round updates first, from where it goes on in order and
        around. Of two views that should be the less informative one, which is then drawn to
        the other's own solution.
    embedding : str, default="concat"
        The embedding that is the result: concat (those of all views side by side, rows of
        each of unit length), or the name of a view or kernel.
    eigenvectors : int, default=0
        Columns of each embedding U; 0 takes as many as clusters. Whole number, at least 0.
    diagonal : {"keep", "zero"}, default="keep"
        The similarity of an instance to itself, as an edge of the graph: keep, or zero (Ng,
        Jordan, Weiss). Kept, the graph stays positive semi-definite and no instance is
        isolated; but where some instances are far from all others (documents, many columns,
        products of kernels) eigenvectors may stand for single instances: compare with zero.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Kumar, Rai, Daumé 2011; Kumar 2013, §4.1.1-4.1.2, (4.3)-(4.6).

    Examples
    --------
    >>> from cokernel import CoRegularizedSpectralClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = CoRegularizedSpectralClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "co_regularized"
    _method_params = ["lambda", "lambda_scale", "tol", "max_iterations", "first", "embedding", "eigenvectors", "diagonal"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        lam: float | list[float] = 0.05,
        lambda_scale: str = "raw",
        tol: float = 0.0001,
        max_iterations: int = 100,
        first: str = "in_order",
        embedding: str = "concat",
        eigenvectors: int = 0,
        diagonal: str = "keep",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.lam = lam
        self.lambda_scale = lambda_scale
        self.tol = tol
        self.max_iterations = max_iterations
        self.first = first
        self.embedding = embedding
        self.eigenvectors = eigenvectors
        self.diagonal = diagonal
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class CoRegularizedCentroidSpectralClustering(ViewClusterer):
    """Centroid co-regularised spectral clustering.

    One spectral embedding per view and a common centroid, each drawn to the other with a
    strength lambda that may differ from view to view; k-means works on the centroid of as many
    columns as clusters. A noisy view harms it unless its lambda is small. Needs similarities of
    at least 0. Costs as much as pairwise co-regularisation.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    lam : float or list of float, default=0.05
        Weight of the agreement of a view with the centroid, λ_v in (4.7); one number, or
        one for each kernel.
    lambda_scale : {"raw", "gap"}, default="raw"
        Unit of lam: raw, or gap: the eigengap of the view alone (the difference of its last
        taken eigenvalue and the next one; of a pair of views, the mean of both).
    tol : float, default=0.0001
        Relative change of the objective at which the iteration ends. A real number at least
        0 and at most 1.
    max_iterations : int, default=100
        Most rounds of updates over all views. Whole number from 1 to 1000000.
    embedding : str, default="centroid"
        The embedding that is the result: centroid, concat (those of all views side by side,
        rows of each of unit length), or the name of a view or kernel.
    eigenvectors : int, default=0
        Columns of each embedding U; 0 takes as many as clusters. Whole number, at least 0.
    diagonal : {"keep", "zero"}, default="keep"
        The similarity of an instance to itself, as an edge of the graph: keep, or zero (Ng,
        Jordan, Weiss). Kept, the graph stays positive semi-definite and no instance is
        isolated; but where some instances are far from all others (documents, many columns,
        products of kernels) eigenvectors may stand for single instances: compare with zero.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Kumar, Rai, Daumé 2011; Kumar 2013, §4.1.3, (4.7)-(4.10).

    Examples
    --------
    >>> from cokernel import CoRegularizedCentroidSpectralClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = CoRegularizedCentroidSpectralClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "co_regularized_centroid"
    _method_params = ["lambda", "lambda_scale", "tol", "max_iterations", "embedding", "eigenvectors", "diagonal"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        lam: float | list[float] = 0.05,
        lambda_scale: str = "raw",
        tol: float = 0.0001,
        max_iterations: int = 100,
        embedding: str = "centroid",
        eigenvectors: int = 0,
        diagonal: str = "keep",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.lam = lam
        self.lambda_scale = lambda_scale
        self.tol = tol
        self.max_iterations = max_iterations
        self.embedding = embedding
        self.eigenvectors = eigenvectors
        self.diagonal = diagonal
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MKKMClustering(ViewClusterer):
    """Multiple kernel k-means.

    Clusters and weights of the kernels in turn: kernels that the clusters explain well get more
    weight. The objective never rises; it may end in a local minimum. Any positive semi-definite
    kernels. An eigenvalue problem of a weighted sum for each of some ten rounds, of hundreds
    where instances lack views.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    tol : float, default=1e-06
        Relative decrease of the objective at which the rounds end. A real number at least 0
        and at most 1.
    max_iterations : int, default=1000
        Most rounds of weights and eigenvectors. Whole number from 1 to 1000000.
    center : bool or {"yes", "no"}, default="yes"
        Whether kernels are centred in their feature spaces before they are brought to the
        same trace: yes, as the sources do, or no.
    incomplete : {"own", "estimated"}, default="own"
        Instances that lack views: own, as the method itself treats them; estimated, their
        similarities are estimated from the other views, as for other clusterings.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Huang, Chuang, Chen 2012; Liu and others 2016, (4).

    Examples
    --------
    >>> from cokernel import MKKMClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = MKKMClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "mkkm"
    _method_params = ["tol", "max_iterations", "center", "incomplete"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        tol: float = 1e-06,
        max_iterations: int = 1000,
        center: str = "yes",
        incomplete: str = "own",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.tol = tol
        self.max_iterations = max_iterations
        self.center = center
        self.incomplete = incomplete
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SimpleMKKMClustering(ViewClusterer):
    """Simple multiple kernel k-means.

    Weights of the kernels by a minimum of maxima: the mixture whose best clusters explain
    least, which is convex and has a duality gap. Any positive semi-definite kernels. About five
    eigenvalue problems of a weighted sum.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    tol : float, default=0.0001
        Relative duality gap at which the weights are good enough. A real number at least 0
        and at most 1.
    max_iterations : int, default=1000
        Most rounds of weights and eigenvectors. Whole number from 1 to 1000000.
    center : bool or {"yes", "no"}, default="yes"
        Whether kernels are centred in their feature spaces before they are brought to the
        same trace: yes, as the sources do, or no.
    incomplete : {"own", "estimated"}, default="own"
        Instances that lack views: own, as the method itself treats them; estimated, their
        similarities are estimated from the other views, as for other clusterings.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Liu 2023.

    Examples
    --------
    >>> from cokernel import SimpleMKKMClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = SimpleMKKMClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "simple_mkkm"
    _method_params = ["tol", "max_iterations", "center", "incomplete"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        tol: float = 0.0001,
        max_iterations: int = 1000,
        center: str = "yes",
        incomplete: str = "own",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.tol = tol
        self.max_iterations = max_iterations
        self.center = center
        self.incomplete = incomplete
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LateFusionClustering(ViewClusterer):
    """Late fusion by aligned partitions.

    The clusters of every kernel alone, turned and weighed so that they agree with a common
    partition. The objective never falls. Any kernels. After one eigenvalue problem for each
    kernel its rounds cost next to nothing.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    lam : float, default=1.0
        Weight λ of the agreement with the partition of the mean kernel. A real number at
        least 0 and at most 1000000.
    tol : float, default=1e-06
        Relative growth of the objective at which the rounds end. A real number at least 0
        and at most 1.
    max_iterations : int, default=1000
        Most rounds of weights and eigenvectors. Whole number from 1 to 1000000.
    center : bool or {"yes", "no"}, default="yes"
        Whether kernels are centred in their feature spaces before they are brought to the
        same trace: yes, as the sources do, or no.
    incomplete : {"own", "estimated"}, default="own"
        Instances that lack views: own, as the method itself treats them; estimated, their
        similarities are estimated from the other views, as for other clusterings.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Wang and others 2019, (4)-(10).

    Examples
    --------
    >>> from cokernel import LateFusionClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = LateFusionClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "late_fusion"
    _method_params = ["lambda", "tol", "max_iterations", "center", "incomplete"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        lam: float = 1.0,
        tol: float = 1e-06,
        max_iterations: int = 1000,
        center: str = "yes",
        incomplete: str = "own",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.lam = lam
        self.tol = tol
        self.max_iterations = max_iterations
        self.center = center
        self.incomplete = incomplete
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class OnePassFusionClustering(ViewClusterer):
    """Late fusion in one pass.

    The clusters of every kernel alone, turned and weighed so that they agree with common
    clusters, which are found with them and not by k-means afterwards. The objective never
    falls. Any kernels. After one eigenvalue problem for each kernel its rounds cost next to
    nothing.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    tol : float, default=1e-06
        Relative growth of the objective at which the rounds end. A real number at least 0
        and at most 1.
    max_iterations : int, default=1000
        Most rounds of weights and eigenvectors. Whole number from 1 to 1000000.
    center : bool or {"yes", "no"}, default="yes"
        Whether kernels are centred in their feature spaces before they are brought to the
        same trace: yes, as the sources do, or no.
    incomplete : {"own", "estimated"}, default="own"
        Instances that lack views: own, as the method itself treats them; estimated, their
        similarities are estimated from the other views, as for other clusterings.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Liu and others 2021, (5)-(11).

    Examples
    --------
    >>> from cokernel import OnePassFusionClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = OnePassFusionClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "one_pass_fusion"
    _method_params = ["tol", "max_iterations", "center", "incomplete"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        tol: float = 1e-06,
        max_iterations: int = 1000,
        center: str = "yes",
        incomplete: str = "own",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.tol = tol
        self.max_iterations = max_iterations
        self.center = center
        self.incomplete = incomplete
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MaxMarginClustering(ViewClusterer):
    """Max-margin clustering with several kernels.

    Clusters that support vector regressions (C for each unit of error) on the best average of
    the kernels tell most clearly, by machine and labels in turn from several starts. The
    objective never rises; it may end in a local minimum. Any positive semi-definite kernels.
    Some twenty runs of SimpleMKL, which take longer the larger C is.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    c : float, default=1.0
        Cost C of an error, for kernels over their mean diagonal entry. A real number
        greater than 0 and at most 1000000000000.
    balance : float, default=0.5
        The least size of a cluster, as a part of n/k. A real number greater than 0 and at
        most 1.
    starts : int, default=5
        Clusterings by k-means from which it starts. Whole number from 1 to 10000.
    max_iterations : int, default=50
        Most changes of the labels from each start. Whole number from 1 to 1000000.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Xu and others 2005; Zhao, Kwok, Zhang 2009; Gönen 2010, §2.2.

    Examples
    --------
    >>> from cokernel import MaxMarginClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = MaxMarginClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "max_margin"
    _method_params = ["c", "balance", "starts", "max_iterations"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        c: float = 1.0,
        balance: float = 0.5,
        starts: int = 5,
        max_iterations: int = 50,
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.c = c
        self.balance = balance
        self.starts = starts
        self.max_iterations = max_iterations
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SNFClustering(ViewClusterer):
    """Similarity network fusion.

    Graphs of all kernels exchange their similarities along nearest neighbours until they agree;
    spectral clustering of the result. Widely used for molecular data. Needs similarities of at
    least 0. 6 n² K operations for each kernel and round, and 4 n² bytes of memory for each
    kernel.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    neighbors : int, default=20
        K, the nearest neighbours of an instance that it listens to (at most all others).
        Whole number, at least 1.
    rounds : int, default=20
        t, the rounds of exchange. Whole number from 0 to 1000000.
    affinity : {"kernel", "local"}, default="kernel"
        The similarities: kernel (the kernels as they are) or local (the scaled exponential
        of the distances in their feature spaces, for linear kernels that of the source).
    mu : float, default=0.5
        μ, the scale of affinity=local; the source recommends 0.3 to 0.8. A real number
        greater than 0 and at most 1000000.
    incomplete : {"own", "estimated"}, default="own"
        Instances that lack views: own, as the method itself treats them; estimated, their
        similarities are estimated from the other views, as for other clusterings.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Wang and others 2014, (1)-(7).

    Examples
    --------
    >>> from cokernel import SNFClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = SNFClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "snf"
    _method_params = ["neighbors", "rounds", "affinity", "mu", "incomplete"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        neighbors: int = 20,
        rounds: int = 20,
        affinity: str = "kernel",
        mu: float = 0.5,
        incomplete: str = "own",
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.neighbors = neighbors
        self.rounds = rounds
        self.affinity = affinity
        self.mu = mu
        self.incomplete = incomplete
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AnchorGraphSpectralClustering(ViewClusterer):
    """Spectral clustering of graphs between instances and anchors.

    A few anchors in each view stand for all instances, and the graphs that join instances to
    them are clustered together: for hundreds of thousands of instances, in time and memory
    proportional to their number. Needs features. Instances may lack views.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    views : dict or list, optional
        Which columns of X make up each view: slices, lists of numbers, masks or column names, by
        name. For several tables in a list, their names. Default: X is one view.
    kernels : list of Kernel or str, "precomputed", optional
        The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
        width on every view.
    anchors : int, default=100
        Anchors of each view, at most half as many as instances. Whole number from 1 to
        100000.
    weights : {"neighbours", "reconstruction"}, default="neighbours"
        How instances are joined to anchors: neighbours, the nearest by their distances;
        reconstruction, those that make up the instance.
    neighbors : int, default=5
        Anchors that an instance is joined to (neighbours). Whole number from 1 to 100000.
    alpha : float, default=1.0
        Weight α of ‖z‖² (reconstruction), in units of the mean squared length of the
        anchors of a view. A real number at least 0 and at most 1000000000000.
    graphs : list of str, optional
        Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
    n_init : int, default=20
        Starts of k-means.
    protocol : {"best_of", "published"}
        "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
        random rows, each start a result of its own (``all_labels_``), as the papers' tables.
    pair_learner : PairLearner, optional
        How the weights of kernels are learned where ``fit`` is given pairs.
    scale : {"standard", "min_max"}, optional
        Scaling of each column of features, learned on the training instances: to mean 0 and variance
        1, or from 0 to 1. Default: none.
    storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
        How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
        directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
        features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
        learn so; the others refuse it and name those that can.
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

    See Also
    --------
    MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
        this class.

    References
    ----------
    Kang and others 2020, (4)-(11); Nie and others 2014.

    Examples
    --------
    >>> from cokernel import AnchorGraphSpectralClustering
    >>> from cokernel.datasets import make_gaussian_views
    >>> from cokernel.metrics import cluster_scores
    >>> X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)
    >>> clusters = AnchorGraphSpectralClustering(2, random_state=0).fit_predict(X)
    >>> cluster_scores(y, clusters)["accuracy"]
    1.0
    """

    _method_id = "anchor_graph"
    _method_params = ["anchors", "weights", "neighbors", "alpha"]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        views: Any = None,
        kernels: Any = None,
        anchors: int = 100,
        weights: str = "neighbours",
        neighbors: int = 5,
        alpha: float = 1.0,
        graphs: Any = None,
        n_init: int = 20,
        protocol: str = "best_of",
        pair_learner: PairLearner | None = None,
        scale: str | None = None,
        storage: str = "auto",
        time_limit: float | None = None,
        memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.kernels = kernels
        self.anchors = anchors
        self.weights = weights
        self.neighbors = neighbors
        self.alpha = alpha
        self.graphs = graphs
        self.n_init = n_init
        self.protocol = protocol
        self.pair_learner = pair_learner
        self.scale = scale
        self.storage = storage
        self.time_limit = time_limit
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
