"""Learn from many similarities at once: multiple kernel learning and multi-view clustering.

Scientists rarely have one good similarity between their instances: they have gene expression and
protein interactions and sequence. Each is a *view*; each view gives one or more *kernels*. Cokernel
finds out which of them matter and combines them, to classify, to regress, to detect outliers, to
cluster and to embed.

=============================================  ====================================================
:class:`MKLClassifier` and its kin             many kernels, one classifier; one class per method
:class:`MKLRegressor` and its kin              the same for numbers
:class:`MKLOutlierDetector` and its kin        the same without labels: what is unlike the others
:class:`MultiViewSpectralClustering`, …        many kernels, one embedding, clusters
:class:`KernelBank`, :class:`KernelCombiner`,  transformers: kernels, one learned kernel,
:class:`MultiViewEmbedding`                    an embedding
:func:`cross_validate_bank`,                   cross-validation and grid search that share kernels
:class:`GridSearchBank`,
:class:`SurfaceSearchBank`
:class:`Splits`                                splits that are saved and shared
:class:`PairLearner`, :func:`pairs_of_tasks`   pairs that belong together or apart
:func:`gaussian`, :func:`linear`, …            kernels
:func:`on_workers`                             fits of millions on other processes and machines
:mod:`cokernel.annotated`                      AnnData and MuData objects: views, results
:mod:`cokernel.conformal`                      sets and intervals with a chosen coverage
:mod:`cokernel.inspection`                     what would be lost without a view
:mod:`cokernel.datasets`                       data sets with several views
:mod:`cokernel.experiments`                    tables of papers, and of your own
:mod:`cokernel.metrics`                        scores of clusterings
:mod:`cokernel.statistics`                     which methods differ: tests, wins and ranks
:func:`load`, :func:`from_bytes`               models saved by Python, Rust or the command line
=============================================  ====================================================
"""

from . import annotated, conformal, datasets, experiments, inspection, metrics, statistics
from ._clusterers import MultiViewSpectralClustering
from ._detectors import MKLOutlierDetector
from ._files import from_bytes, from_dict, load, machines, methods
from ._generated import *  # noqa: F403
from ._generated import __all__ as _method_classes
from ._graphs import diffusion_matrix, random_walk_matrix
from ._kernel_functions import *  # noqa: F403
from ._kernel_functions import __all__ as _kernel_functions
from ._kernels import Kernel
from ._mkl_classifier import MKLClassifier
from ._native import __version__
from ._pairs import PairLearner, pairs_of_tasks
from ._pairwise import pairwise
from ._regressors import MKLRegressor
from ._splits import Splits
from ._transformers import KernelBank, KernelCombiner, MultiViewEmbedding
from ._workers import on_workers
from .model_selection import GridSearchBank, SurfaceSearchBank, cross_validate_bank

__all__ = [
    "GridSearchBank",
    "Kernel",
    "KernelBank",
    "KernelCombiner",
    "MKLClassifier",
    "MKLOutlierDetector",
    "MKLRegressor",
    "MultiViewEmbedding",
    "MultiViewSpectralClustering",
    "PairLearner",
    "Splits",
    "SurfaceSearchBank",
    "__version__",
    "annotated",
    "conformal",
    "cross_validate_bank",
    "datasets",
    "diffusion_matrix",
    "experiments",
    "from_bytes",
    "from_dict",
    "inspection",
    "load",
    "machines",
    "methods",
    "metrics",
    "on_workers",
    "pairs_of_tasks",
    "pairwise",
    "random_walk_matrix",
    "statistics",
    *_kernel_functions,
    *_method_classes,
]
