"""Writes ``python/cokernel/_generated.py``: one class for each task of each method of the registry, but for
the task of embedding: all its methods are in MultiViewEmbedding.

    python python/tools/generate.py            rewrites the file
    python python/tools/generate.py --check    fails if the file is not what it would write
"""

from __future__ import annotations

import importlib.util
import json
import sys
import textwrap
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parents[1] / "cokernel" / "_generated.py"
#: As in cokernel/_base.py.
RENAMED = {"lambda": "lam"}
WORDS = {"mkl": "MKL", "cg": "CG", "mark": "MARK", "cca": "CCA", "kmeans": "KMeans", "mkkm": "MKKM", "snf": "SNF"}
# Words of clusterings that are not called spectral.
NOT_SPECTRAL = {"spectral", "kmeans", "mkkm", "snf", "fusion", "margin"}
# Names of methods that end in MKL or are no MKL.
OWN = ("gmkl", "rmkl", "emkl", "rwkl", "gpk", "lpk", "ekp", "medfc", "gml", "bemkl")
WORDS |= {word: word.upper() for word in OWN}
VIEWS = """\
views : dict or list, optional
    Which columns of X make up each view: slices, lists of numbers, masks or column names, by
    name. For several tables in a list, their names. Default: X is one view."""
KERNELS = """\
kernels : list of Kernel or str, "precomputed", optional
    The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
    width on every view."""
RUN = """\
storage : {"auto", "resident", "resident_f32", "on_demand"}
    How kernels are kept; "auto" keeps them in memory if they fit into ``memory``.
time_limit : float, optional
    Seconds after which the best solution so far is taken, with a warning.
memory : int or str, optional
    Bytes for kernels, or a size such as "500MB"; default 2 GiB.
random_state : int, RandomState or None
    An integer gives the results of the command line with that seed.
n_jobs : int, optional
    Threads; as in scikit-learn ``None`` is 1 and -1 all. Results do not depend on it.
verbose : bool, default=False
    Progress on stderr."""
SCALE = """\
scale : {"standard", "min_max"}, optional
    Scaling of each column of features, learned on the training instances: to mean 0 and variance
    1, or from 0 to 1. Default: none."""
MACHINE = """\
C : float, default=1.0
    Cost of a unit of slack, above 0.
machine : str, default="svc"
    The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
    Those that have an argument here, as C, are given there."""
MACHINE_MORE = """\
class_weight : dict or "balanced", optional
    Factors of C by class, above 0.
decomposition : {"one_vs_rest", "one_vs_one", "dag"}
    How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
    directed acyclic graph instead of by votes.
machine_tol : float, default=1e-3
    Relative duality gap of the kernel machines, above 0 and below 1.
probability : {"sigmoid", "isotonic"}, optional
    Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
    that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
    for each calibration fold.
calibration_folds : int, default=5
    Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
    class needs as many instances."""
EPSILON = """\
epsilon : float, default=0.1
    Errors up to it cost nothing; at least 0, in the units of y."""
NU = """\
nu : float, default=0.5
    Largest fraction of training instances outside, and least fraction of support vectors; above 0
    and at most 1."""
TOL = """\
machine_tol : float, default=1e-3
    Relative duality gap of the kernel machine, above 0 and below 1."""
MISSING = """\
missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
    What is done about training instances that lack a view: see :class:`MKLClassifier`."""
CLUSTERS = """\
n_clusters : int, default=8
    Number of clusters."""
STARTS = """\
graphs : list of str, optional
    Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
n_init : int, default=20
    Starts of k-means.
protocol : {"best_of", "published"}
    "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
    random rows, each start a result of its own (``all_labels_``), as the papers' tables.
pair_learner : PairLearner, optional
    How the weights of kernels are learned where :meth:`fit` is given pairs."""
CLASSIFIER_TAIL = """\
See Also
--------
MKLClassifier : the same with the method as a parameter; its attributes are those of this class."""
REGRESSOR_TAIL = CLASSIFIER_TAIL.replace("Classifier", "Regressor")
DETECTOR_TAIL = CLASSIFIER_TAIL.replace("Classifier", "OutlierDetector")
CLUSTERER_TAIL = """\
See Also
--------
MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
    this class."""
KINDS = {"classify": "Classifier", "regress": "Regressor", "detect": "OutlierDetector"}
BASES = {
    "classify": "KernelClassifier",
    "regress": "KernelRegressor",
    "detect": "KernelOutlierDetector",
    "cluster": "ViewClusterer",
}
TAILS = {
    "classify": CLASSIFIER_TAIL,
    "regress": REGRESSOR_TAIL,
    "detect": DETECTOR_TAIL,
    "cluster": CLUSTERER_TAIL,
}
    goes = [m for m in method["goes_with"] if task in TASKS_OF_MACHINES[m]]
    default = MACHINES[task] if MACHINES[task] in goes else goes[0]
