"""Scikit-learn's own checks on every class of the package."""

from __future__ import annotations

from typing import Any

import cokernel
import pytest
from cokernel._classifiers import KernelClassifier
from cokernel._clusterers import ViewClusterer
from cokernel._detectors import KernelOutlierDetector
from cokernel._regressors import KernelRegressor
from sklearn import __version__
from sklearn.utils.estimator_checks import parametrize_with_checks

#: Another scikit-learn asks the same of the classes that all methods share: of these methods only.
SOME = {"simple_mkl", "two_stage", "late_mean", "gaussian_process", "co_regularized"}

#: Whether this is an old one.
IS_OLD = tuple(int(part) for part in __version__.split(".")[:2]) < (1, 7)

#: Methods whose steps are many: a few have the same interface.
FEW: dict[str, dict[str, Any]] = {
    "bemkl": {"max_iterations": 10},
    "forest_two_stage": {"trees": 5},
    "gaussian_process": {"max_iterations": 20},
    "gibbs_probit": {"chains": 2, "burn_in": 5, "draws": 5, "rhat": 100.0},
    "girolami_rogers": {"max_iterations": 10},
    "gpk": {"max_iterations": 10},
    "hyperkernels": {"tol": 1e-6},
    "lpk": {"max_iterations": 10},
}

#: Methods that are defined for two views or more.
TWO_VIEWS = {
    "CCASpectralClustering",
    "KernelCCASpectralClustering",
    "MinDisagreementSpectralClustering",
}


def estimators() -> list[Any]:
    made: list[Any] = []
    for name in cokernel._method_classes:
        kind = getattr(cokernel, name)
        if IS_OLD and kind._method_id not in SOME:
            continue
        views = {"last": [-1], "rest": slice(0, -1)} if name in TWO_VIEWS else None
        if issubclass(kind, KernelClassifier):
            # Weights can equal repetitions where the width does not depend on the instances, and
            # to the tolerance of the solvers.
            tight: dict[str, Any] = {"tol": 1e-9} if "tol" in kind._method_params else {}
            tight = FEW.get(kind._method_id, tight)
            kernel = cokernel.gaussian(gamma=0.1)
            made.append(kind(kernels=[kernel], machine_tol=1e-12, random_state=0, **tight))
        elif issubclass(kind, (KernelRegressor, KernelOutlierDetector)):
            # They differ in the method only, which the classifiers' checks cover.
            if kind._method_id not in ("simple_mkl", "best_single"):
                continue
            tight = {"tol": 1e-9} if "tol" in kind._method_params else {}
            kernel = cokernel.gaussian(gamma=0.1)
            made.append(kind(kernels=[kernel], machine_tol=1e-12, random_state=0, **tight))
        else:
            assert issubclass(kind, ViewClusterer)
            made.append(kind(2, views=views, n_init=3, random_state=0))
    for machine in (cokernel.MKLRegressor, cokernel.MKLOutlierDetector):
        kernel = cokernel.gaussian(gamma=0.1)
        made.append(machine("mean", kernels=[kernel], machine_tol=1e-12, random_state=0))
    made.append(
        cokernel.MKLClassifier(
            "mean", kernels=[cokernel.gaussian(gamma=0.1)], machine_tol=1e-12, random_state=0
        )
    )
    made.append(
        cokernel.MKLClassifier(
            "mean",
            kernels=[cokernel.gaussian(gamma=0.1)],
            machine_tol=1e-12,
            probability="sigmoid",
            calibration_folds=2,
            random_state=0,
        )
    )
    made.append(cokernel.MultiViewSpectralClustering(2, n_init=3, random_state=0))
    made.append(cokernel.MultiViewEmbedding(2, method="spectral", random_state=0))
    made.append(cokernel.MultiViewEmbedding(2, method="lfda", random_state=0))
    return made


def expected_failures(estimator: Any) -> dict[str, str]:
    """Checks that cannot hold, with the reason."""
    if getattr(estimator, "probability", None) is not None:
        few = "a class with one instance of some weight has none to hold out"
        return {
            "check_classifiers_train": "the most probable class need not be the one that is decided",
            "check_sample_weight_equivalence_on_dense_data": few,
            "check_sample_weight_equivalence_on_sparse_data": few,
        }
    start = "the search starts from the rows as they are, and not convex, it ends where that leads"
    apart = {
        "polynomial_two_stage": "an instance twice is in twice as many pairs",
        "forest_two_stage": "an instance twice is in twice as many pairs",
        "convex_localized": "an instance twice counts twice in the clusters that are the regions",
        "gmkl": start,
        "gpk": start,
        "lpk": start,
        "medfc": "its view classifiers judge instances that folds over the rows hold out",
        "gml": "its view classifiers judge instances that folds over the rows hold out",
        "cg_boost": "an instance twice has two columns",
        "mark": "an instance twice has two columns",
        "kernel_boosting": "an instance twice is in twice as many pairs",
        "bemkl": "an instance twice has two coefficients, each with a precision of its own",
        "girolami_rogers": "an instance twice has two coefficients, each with a variance of its own",
    }
    # Probabilities of these know how little was learned near an instance, decision values do not.
    spread = "probabilities are averages over the posterior, in another order than decision values"
    whole = "a Gibbs sampler draws for whole instances: weights can be 0 or 1 only"
    if getattr(estimator, "_method_id", None) == "gibbs_probit":
        weighted = [
            "check_sample_weights_list",
            "check_sample_weights_not_overwritten",
            "check_class_weight_classifiers",
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
        ]
        return dict.fromkeys(weighted, whole) | {
            "check_classifiers_train": spread,
            "check_decision_proba_consistency": spread,
        }
    if getattr(estimator, "_method_id", None) == "gaussian_process" and isinstance(
        estimator, KernelClassifier
    ):
        learned = "the scale of the function is learned from the weighted instances, too"
        return {
            "check_class_weight_classifiers": learned,
            "check_decision_proba_consistency": spread,
        }
    method = getattr(estimator, "_method_id", None)
    if (isinstance(estimator, KernelClassifier) or method == "mark") and method in apart:
        why = f"{apart[method]}, weights are those of the machine alone"
        return {
            "check_sample_weight_equivalence_on_dense_data": why,
            "check_sample_weight_equivalence_on_sparse_data": why,
        }
    if not isinstance(estimator, KernelOutlierDetector):
        return {}
    # That weights are repetitions is tested by decision values (test_machines.py).
    margin = "instances on the margin have decision value 0, of which rounding decides the sign"
    return {
        "check_sample_weight_equivalence_on_dense_data": margin,
        "check_sample_weight_equivalence_on_sparse_data": margin,
    }


@parametrize_with_checks(estimators(), expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
