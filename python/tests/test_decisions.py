"""What a fitted classifier tells is what it decides by: coefficients, instances, weights of 0."""

from __future__ import annotations

import pickle
from typing import Any

import cokernel
import numpy as np
import pytest
from cokernel import GridSearchBank, KernelCombiner, cross_validate_bank, gaussian, linear
from sklearn.base import clone
from sklearn.svm import SVC

KERNELS = [gaussian(normalize="center"), linear(normalize="unit_trace")]
DECOMPOSITIONS = [(2, "one_vs_rest"), (2, "one_vs_one"), (4, "one_vs_rest"), (4, "one_vs_one"), (4, "dag")]


def problem(classes: int) -> tuple[Any, Any]:
    return cokernel.datasets.make_gaussian_views(  # type: ignore[return-value]
        80, n_classes=classes, separations=[3.0, 2.0], random_state=5
    )


def part(X: Any, rows: Any) -> Any:
    return {name: table[rows] for name, table in X.items()}


@pytest.mark.parametrize(("classes", "decomposition"), DECOMPOSITIONS)
@pytest.mark.parametrize("method", ["mean", "simple_mkl", "product"])
def test_decision_values_are_those_of_the_attributes(
    classes: int, decomposition: str, method: str, tmp_path: Any
) -> None:
    """For pairs of classes the attributes once had the other sign."""
    X, y = problem(classes)
    train, test = np.split(np.random.default_rng(0).permutation(80), 2)
    clf = cokernel.MKLClassifier(
        method, kernels=KERNELS, C=5.0, decomposition=decomposition, random_state=0
    )
    combiner = KernelCombiner(clf).fit(part(X, train), y[train])
    K = combiner.transform(part(X, test))
    fitted = combiner.estimator_
    fitted.save(tmp_path / "model.ck")
    for model in (fitted, cokernel.load(tmp_path / "model.ck"), pickle.loads(pickle.dumps(fitted))):
        values = K[:, model.support_] @ model.dual_coef_.T + model.intercept_
        found = model.decision_function(part(X, test))
        machines = {2: 1, 4: 4 if decomposition == "one_vs_rest" else 6}[classes]
        assert values.shape == (40, machines)
        assert len(model.dual_objectives_) == len(model.machine_gaps_) == machines
        np.testing.assert_allclose(values[:, 0] if classes == 2 else values, found, atol=1e-9)
    # Positive: the second of two classes, the class itself, the first of a pair.
    predicted = fitted.predict(part(X, test))
    if classes == 2:
        assert (predicted == fitted.classes_[(found > 0).astype(int)]).all()
    elif decomposition == "one_vs_rest":
        assert (predicted == fitted.classes_[found.argmax(axis=1)]).all()
    elif decomposition == "dag":
        column = {(a, b): t for t, (a, b) in enumerate((a, b) for a in range(4) for b in range(a + 1, 4))}
        left = []
        for values in found:
            candidates = [0, 1, 2, 3]
            while len(candidates) > 1:
                first_wins = values[column[candidates[0], candidates[-1]]] >= 0
                candidates = candidates[:-1] if first_wins else candidates[1:]
            left += candidates
        assert (predicted == fitted.classes_[left]).all()
    else:
        pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
        votes = np.zeros((40, 4), int)
        for value, (a, b) in zip(found.T, pairs, strict=True):
            votes[np.arange(40), np.where(value > 0, a, b)] += 1
        codes = np.searchsorted(fitted.classes_, predicted)
        assert (votes[np.arange(40), codes] == votes.max(axis=1)).all()


@pytest.mark.parametrize(("classes", "decomposition"), DECOMPOSITIONS)
def test_objectives_and_gaps_of_the_machines(classes: int, decomposition: str) -> None:
    X, y = problem(classes)
    clf = cokernel.MeanMKLClassifier(
        kernels=KERNELS, C=5.0, decomposition=decomposition, machine_tol=1e-8
    )
    combiner = KernelCombiner(clf)
    K = combiner.fit_transform(X, y)
    fitted = combiner.estimator_
    coef = np.zeros((len(fitted.intercept_), 80))
    coef[:, fitted.support_] = fitted.dual_coef_
    quadratic = np.einsum("ti,ij,tj->t", coef, K, coef)
    np.testing.assert_allclose(
        fitted.dual_objectives_, np.abs(coef).sum(axis=1) - 0.5 * quadratic, rtol=1e-9
    )
    assert (fitted.machine_gaps_ >= 0).all() and (fitted.machine_gaps_ < 1e-8).all()


def test_weights_of_zero_and_support() -> None:
    """``support_`` once counted in the instances that were left."""
    X, y = problem(3)
    weights = np.where(np.arange(80) % 5 == 0, 0.0, 1.0 + np.arange(80) % 2)
    kept = np.flatnonzero(weights)
    clf = cokernel.SimpleMKLClassifier(kernels=KERNELS, C=5.0, random_state=0)
    fitted = clf.fit(X, y, sample_weight=weights)
    assert set(fitted.support_) <= set(kept)
    reduced = cokernel.SimpleMKLClassifier(kernels=KERNELS, C=5.0, random_state=0)
    reduced.fit(part(X, kept), y[kept], sample_weight=weights[kept])
    assert (fitted.support_ == kept[reduced.support_]).all()
    assert (fitted.decision_function(X) == reduced.decision_function(X)).all()


@pytest.mark.parametrize("form", ["one", "array", "dict", "list", "mixed"])
def test_weights_of_zero_and_similarities(form: str, tmp_path: Any) -> None:
    """Similarities to all n instances were refused, as there were n columns and fewer instances."""
    X, y = problem(2)
    grams = {name: table @ table.T for name, table in X.items()}
    weights = np.where(np.arange(80) < 20, 0.0, 1.0)
    kernels: Any = "precomputed"
    given: Any = grams
    if form == "one":
        given = grams["view0"]
    elif form == "array":
        given = np.stack(list(grams.values()))
    elif form == "list":
        given = list(grams.values())
    elif form == "mixed":
        kernels = [linear(view="view0"), cokernel.precomputed(view="view1")]
        given = {"view0": X["view0"], "view1": grams["view1"]}
    clf = cokernel.SumMKLClassifier(kernels=kernels, C=0.1).fit(given, y, sample_weight=weights)
    views = {"view0": X["view0"]} if form == "one" else X
    features = cokernel.SumMKLClassifier(kernels=[linear()], C=0.1)
    features.fit(part(views, slice(20, None)), y[20:])
    # A loaded model once wanted 60 columns, and counted the support vectors in 60 instances.
    clf.save(tmp_path / "model.ck")
    loaded = cokernel.load(tmp_path / "model.ck")
    for model in (clf, pickle.loads(pickle.dumps(clf)), loaded, pickle.loads(pickle.dumps(loaded))):
        np.testing.assert_allclose(
            model.decision_function(given), features.decision_function(views), atol=1e-9
        )
        assert (model.support_ == 20 + features.support_).all()
        assert model.support_.min() >= 20


def test_weights_of_zero_in_searches() -> None:
    """Widths came from instances of weight 0, too."""
    X, y = problem(3)
    weights = np.where(np.arange(80) % 4 == 0, 0.0, 1.0)
    clf = cokernel.MeanMKLClassifier(kernels=[gaussian("median")], C=5.0)
    found = cross_validate_bank(clf, X, y, cv=2, sample_weight=weights, return_estimator=True)
    from sklearn.model_selection import StratifiedKFold

    for (train, _), fitted in zip(StratifiedKFold(2).split(y, y), found["estimator"], strict=True):
        alone = cokernel.MeanMKLClassifier(kernels=[gaussian("median")], C=5.0)
        alone.fit(part(X, train), y[train], sample_weight=weights[train])
        assert list(fitted.weights_) == list(alone.weights_)
        assert (fitted.support_ == alone.support_).all()
    search = GridSearchBank(clf, {"C": [1.0, 5.0]}, cv=2).fit(X, y, sample_weight=weights)
    assert (weights[search.best_estimator_.support_] > 0).all()


def test_banks_of_other_views_are_not_shared() -> None:
    """Estimators that choose other columns once got the kernels of the first."""
    X, y = problem(2)
    table = np.hstack(list(X.values()))
    views = {"good": {"a": slice(0, 2)}, "poor": {"a": slice(2, 4)}}
    made = {name: cokernel.MeanMKLClassifier(views=chosen) for name, chosen in views.items()}
    together = cross_validate_bank(made, table, y, cv=3)
    for name, clf in made.items():
        alone = cross_validate_bank(clf, table, y, cv=3)
        assert (together[name]["test_score"] == alone["test_score"]).all()
    search = GridSearchBank(made["good"], {"views": list(views.values())}, cv=3).fit(table, y)
    expected = [together[name]["test_score"].mean() for name in views]
    assert search.cv_results_["mean_test_score"].tolist() == pytest.approx(expected)


def spoiled(X: Any) -> None:
    for table in X.values():
        table[:] = 1e6
        table.resize((1, 1), refcheck=False)


def rows_are_kept() -> list[Any]:
    common = {"kernels": [gaussian()], "random_state": 0}
    return [
        cokernel.KernelBank(kernels=[gaussian(), linear()]),
        KernelCombiner(cokernel.MeanMKLClassifier(**common)),
        KernelCombiner(cokernel.ProductMKLClassifier(**common)),
        cokernel.MultiViewEmbedding(2, method="spectral", random_state=0),
        cokernel.MultiViewEmbedding(2, method="kernel_cca", scale="standard", random_state=0),
        cokernel.CoTrainedSpectralClustering(2, n_init=2, random_state=0),
        cokernel.ConcatSpectralClustering(2, n_init=2, random_state=0),
        cokernel.SpectralClustering(2, n_init=2, random_state=0),
        cokernel.ProductMKLClassifier(kernels=KERNELS[:1], random_state=0),
        cokernel.SimpleMKLClassifier(**common),
    ]


@pytest.mark.parametrize("estimator", rows_are_kept(), ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("several", [True, False])
def test_models_own_their_rows(estimator: Any, several: bool) -> None:
    """Models read the caller's arrays after fit: changing them changed what they say, freeing the
    memory ended the process."""
    X, y = problem(2)
    new = {name: table[:5].copy() for name, table in X.items()}
    X = {name: np.array(table) for name, table in X.items()}
    if not several:
        if "cca" in getattr(estimator, "method", ""):
            pytest.skip("needs two views")
        X = {"X": np.hstack(list(X.values()))}
        new = {"X": X["X"][:5].copy()}
    given = X if several else X["X"]
    asked = new if several else new["X"]
    fitted = estimator.fit(given, y)
    say = next(
        getattr(fitted, name)
        for name in ("transform", "decision_function", "predict")
        if hasattr(fitted, name)
    )
    before = say(asked).copy()
    del given
    spoiled(X)
    assert (say(asked) == before).all()


def test_combiners_take_classifiers() -> None:
    """The name of a method failed inside scikit-learn's clone, at the fit."""
    with pytest.raises(ValueError, match="classifier of this package, found 'two_stage'; .*MKLClassifier"):
        KernelCombiner("two_stage")  # type: ignore[arg-type]
    X, y = problem(2)
    combiner = KernelCombiner(cokernel.MKLClassifier("two_stage", random_state=0))
    clone(combiner).fit(X, y)
    with pytest.raises(ValueError, match="classifier of this package, found SVC"):
        combiner.set_params(estimator=SVC()).fit(X, y)


@pytest.mark.parametrize("method", ["mean", "simple_mkl", "late_mean"])
def test_the_single_machine_tells_two_classes_by_one_value(method: str, tmp_path: Any) -> None:
    """It once had two columns, which scores and calibrations of scikit-learn took for three classes or refused."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.metrics import get_scorer

    X, y = problem(2)
    kwargs: Any = {"kernels": KERNELS, "C": 5.0, "machine_tol": 1e-8, "random_state": 0}
    clf = cokernel.MKLClassifier(method, machine="joint_svc", **kwargs).fit(X, y)
    clf.save(tmp_path / "model.ck")
    for model in (clf, cokernel.load(tmp_path / "model.ck"), pickle.loads(pickle.dumps(clf))):
        values = model.decision_function(X)
        assert values.shape == (80,) and model.dual_coef_.shape[0] == 1
        assert model.intercept_.shape == model.machine_gaps_.shape == model.dual_objectives_.shape == (1,)
        assert (model.predict(X) == model.classes_[(values > 0).astype(int)]).all()
    for score in ("roc_auc", "average_precision"):
        assert get_scorer(score)(clf, X, y) > 0.5
    matrix = np.hstack(list(X.values()))
    columns = np.cumsum([0] + [table.shape[1] for table in X.values()])
    views = {name: slice(a, b) for name, a, b in zip(X, columns[:-1], columns[1:])}
    estimator = cokernel.MKLClassifier(method, machine="joint_svc", views=views, **kwargs)
    calibrated = CalibratedClassifierCV(estimator, cv=3).fit(matrix, y)
    assert np.allclose(calibrated.predict_proba(matrix).sum(axis=1), 1.0)
    if method == "mean":
        # Twice the objective of C-SVC, and the same function.
        other = cokernel.MKLClassifier(method, **kwargs).fit(X, y)
        np.testing.assert_allclose(clf.decision_function(X), other.decision_function(X), atol=1e-3)
        assert clf.dual_objectives_[0] == pytest.approx(2 * other.dual_objectives_[0], rel=1e-6)
