"""Weights, groups and the presence of views find their way through scikit-learn's searches, and through ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    cross_validate,
)

import cokernel
from cokernel import (
    GridSearchBank,
    MKLClassifier,
    MKLOutlierDetector,
    MKLRegressor,
    MultiViewEmbedding,
    MultiViewSpectralClustering,
    SimpleMKLClassifier,
    SurfaceSearchBank,
    cross_validate_bank,
    gaussian,
    linear,
)
from cokernel.conformal import ConformalClassifier, ConformalRegressor
from cokernel.inspection import view_importance, weight_spread

VIEWS = {"a": [0, 1, 2], "b": [3, 4], "c": [5]}


def made(n: int = 90, seed: int = 3) -> tuple[Any, ...]:
    """One table of three views, its classes, which views its instances have, the table with NaN for what they lack."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 6)) + 0.8 * y[:, None]
    present = rng.random((n, 3)) < 0.7
    present[np.arange(n), rng.integers(0, 3, n)] = True
    holes = X.copy()
    for v, columns in enumerate(VIEWS.values()):
        holes[np.ix_(~present[:, v], columns)] = np.nan
    return X, np.where(y == 1, "yes", "no"), present, holes


def learner(kind: Any = MKLClassifier, **more: Any) -> Any:
    more = {"method": "mean", "missing": "mean", "random_state": 0, "machine_tol": 1e-8, **more}
    return kind(views=VIEWS, kernels=[gaussian(gamma=0.2)], **more)


def forms(present: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """All ways to say the same."""
    by_name = {name: present[:, v] for v, name in enumerate(VIEWS)}
    found = {"array": present, "dict": by_name, "list": list(present.T)}
    pandas = pytest.importorskip("pandas")
    return {**found, "frame": pandas.DataFrame(by_name)[["c", "a", "b"]]}


def test_masks_in_every_form_are_the_holes_that_they_stand_for() -> None:
    X, y, present, holes = made()
    new, _, of_new, new_holes = made(30, 8)
    clf = learner(probability="sigmoid").fit(holes, y)
    model = learner(MKLRegressor).fit(holes, (y == "yes") * 1.0)
    detector = learner(MKLOutlierDetector).fit(holes)
    for what, mask in forms(present).items():
        other = learner(probability="sigmoid").fit(X, y, present=mask)
        assert other.lacking_ == clf.lacking_, what
        seen = forms(of_new)[what]
        for name in ("predict", "decision_function", "predict_proba", "predict_log_proba"):
            told = getattr(other, name)(new, present=seen)
            assert (told == getattr(clf, name)(new_holes)).all(), (what, name)
        assert other.score(X, y, present=mask) == clf.score(holes, y)
        weights = np.linspace(0.1, 1.0, len(y))
        assert other.score(X, y, weights, present=mask) == clf.score(holes, y, weights)
        numbers = learner(MKLRegressor).fit(X, (y == "yes") * 1.0, present=mask)
        assert (numbers.predict(new, present=seen) == model.predict(new_holes)).all()
        assert numbers.score(X, present[:, 0], present=mask) == model.score(holes, present[:, 0])
        alone = learner(MKLOutlierDetector).fit(X, present=mask)
        for name in ("predict", "decision_function", "score_samples"):
            assert (getattr(alone, name)(new, present=seen) == getattr(detector, name)(new_holes)).all()


def test_masks_of_sparse_tables_and_sequences() -> None:
    X, y, present, _ = made()
    words = ["".join(np.where(row > 0, "A", "C")) for row in X]
    dense = {"a": X, "b": np.maximum(X, 0.0)}
    mask = {"a": present[:, 0] | ~present[:, 1], "b": present[:, 1]}
    tables = [dense, {**dense, "b": sparse.csr_matrix(dense["b"])}]
    kernels = [gaussian(gamma=0.2, view="a"), linear(view="b")]
    for missing in ("drop", "zero", "mean", "estimate"):
        clf: Any = MKLClassifier("mean", kernels=kernels, missing=missing, machine_tol=1e-8)
        values = [clf.fit(t, y, present=mask).decision_function(t, present=mask) for t in tables]
        np.testing.assert_allclose(values[0], values[1], atol=1e-6)
    clf = MKLClassifier("mean", kernels=[gaussian(gamma=0.2, view="a"), "spectrum@s:k=2"], missing="drop")
    holes = [word if there else None for word, there in zip(words, mask["b"])]
    masked = clf.fit({"a": X, "s": words}, y, present={"a": mask["a"], "s": mask["b"]})
    told = masked.decision_function({"a": X, "s": holes}, present={"a": mask["a"]})
    X = np.where(mask["a"][:, None], X, np.nan)
    assert (clf.fit({"a": X, "s": holes}, y).decision_function({"a": X, "s": holes}) == told).all()


def test_clusterers_and_embeddings_take_an_array_of_masks() -> None:
    X, _, present, holes = made()
    for kind in (MultiViewSpectralClustering, MultiViewEmbedding):
        own = {"method": "spectral"} if kind is MultiViewEmbedding else {}
        given: Any = kind(2, views=VIEWS, random_state=0, **own).fit(holes)
        masked = kind(2, views=VIEWS, random_state=0, **own).fit(X, present=present)
        assert (given.embedding_ == masked.embedding_).all()


def test_masks_that_do_not_fit() -> None:
    X, y, present, _ = made()
    for mask, sentence in (
        (present.T, "present: expected 3 masks, one per view, found 90"),
        (present[:, 0], "expected an array with a row for each instance and a column for each view, found 1 dim"),
        (present[:-1], "view 'a': expected a mask of length 90, found 89"),
        (present.astype(float), "view 'a': expected a mask of booleans, found float64"),
        ({"d": present[:, 0]}, "present: unknown view 'd'; known: a, b, c"),
        (np.zeros_like(present), "view 'a' is missing for every instance"),
    ):
        with pytest.raises(ValueError, match=sentence):
            learner().fit(X, y, present=mask)
    with pytest.raises(ValueError, match="missing"):
        learner().set_params(missing="refuse").fit(X, y, present=present)


def test_searches_cut_masks_with_the_instances() -> None:
    X, y, present, holes = made()
    grid, cv = {"C": [0.1, 1.0, 10.0]}, KFold(3)
    for kind in (GridSearchBank, SurfaceSearchBank):
        for scoring in (None, "roc_auc"):
            one = kind(learner(), grid, cv=cv, scoring=scoring).fit(holes, y)
            for mask in forms(present).values():
                two = kind(learner(), grid, cv=cv, scoring=scoring).fit(X, y, present=mask)
                scores = [s.cv_results_["mean_test_score"] for s in (one, two)]
                assert (scores[0] == scores[1]).all()
                assert (two.predict(X, present=mask) == one.predict(holes)).all()
                assert (two.decision_function(X, present=mask) == one.decision_function(holes)).all()
                assert two.score(X, y, present=mask) == one.score(holes, y)
    found = [
        cross_validate_bank(learner(), t, y, cv=cv, return_train_score=True, **how)
        for t, how in ((holes, {}), (X, {"present": present}))
    ]
    for name in ("test_score", "train_score"):
        assert (found[0][name] == found[1][name]).all()


def test_masks_move_with_tables_that_are_matched() -> None:
    pandas = pytest.importorskip("pandas")
    X, y, present, holes = made()
    ids = [f"i{i}" for i in range(90)]
    order = np.random.default_rng(0).permutation(90)
    tables = {name: pandas.DataFrame(X[:, columns], ids) for name, columns in VIEWS.items()}
    tables["b"] = tables["b"].iloc[order]
    mask = pandas.DataFrame(present, ids, columns=list(VIEWS))
    plain = SimpleMKLClassifier(kernels=[gaussian(gamma=0.2)], missing="mean")
    given = {name: pandas.DataFrame(holes[:, columns], ids) for name, columns in VIEWS.items()}
    expected = plain.fit(given, y).decision_function(given)
    found = plain.fit(tables, y, present=mask.iloc[order]).decision_function(tables, present=mask)
    assert (found == expected).all()
    search = GridSearchBank(plain, {"C": [1.0, 10.0]}, cv=KFold(3))
    scores = [
        search.fit(t, y, **how).cv_results_["mean_test_score"]
        for t, how in ((given, {}), (tables, {"present": mask.iloc[order]}))
    ]
    assert (scores[0] == scores[1]).all()


def test_presence_through_the_search_of_scikit_learn() -> None:
    X, y, present, holes = made()
    grid, cv = {"C": [0.1, 10.0]}, KFold(3)
    expected = GridSearchBank(learner(), grid, cv=cv).fit(holes, y)
    with sklearn.config_context(enable_metadata_routing=True):
        est = learner().set_fit_request(present=True).set_score_request(present=True)
        search = GridSearchCV(est, grid, cv=cv).fit(X, y, present=present)
        scores = cross_validate(est, X, y, cv=cv, params={"present": present})["test_score"]
        with pytest.raises(ValueError, match="present.*not explicitly set"):
            cross_validate(learner(), X, y, cv=cv, params={"present": present})
    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"]
    )
    alone = cross_validate_bank(learner(), holes, y, cv=cv)["test_score"]
    np.testing.assert_allclose(scores, alone)


def test_groups_and_weights_through_nested_searches() -> None:
    """Groups reach the splitter inside the search, and that around it; weights reach the fits."""
    X, y, _, _ = made()
    groups = np.repeat(np.arange(15), 6)
    weights = np.where(np.arange(90) % 3 == 0, 0.0, 1.0)
    grid = {"C": [0.01, 1.0]}
    plain: Any = SimpleMKLClassifier(views=VIEWS, kernels=[gaussian(gamma=0.2)])
    with sklearn.config_context(enable_metadata_routing=True):
        inner = GridSearchBank(plain, grid, cv=GroupKFold(3))
        inner.set_fit_request(groups=True, sample_weight=True)
        found = cross_validate(
            inner, X, y, cv=LeaveOneGroupOut(), return_estimator=True,
            params={"groups": groups, "sample_weight": weights},
        )  # fmt: skip
    for (train, test), est, score in zip(
        LeaveOneGroupOut().split(X, y, groups), found["estimator"], found["test_score"]
    ):
        own = GridSearchBank(plain, grid, cv=GroupKFold(3))
        own.fit(X[train], y[train], groups=groups[train], sample_weight=weights[train])
        assert own.best_params_ == est.best_params_
        assert own.score(X[test], y[test]) == score
        assert not set(est.best_estimator_.support_) & set(np.flatnonzero(weights[train] == 0))
    with sklearn.config_context(enable_metadata_routing=True):
        bag = BaggingClassifier(plain.set_fit_request(sample_weight=True), 3, random_state=0)
        bag.fit(X, y, sample_weight=weights)
    assert bag.score(X, y) > 0.6


def test_held_out_instances_count_by_their_weights() -> None:
    X, y, _, _ = made()
    weights = np.random.default_rng(5).random(90) + 0.01
    grid, cv = {"C": [0.01, 1.0, 100.0]}, KFold(3)
    plain: Any = MKLClassifier("mean", views=VIEWS, kernels=[gaussian(gamma=0.2)], machine_tol=1e-8)
    for scoring, score in ((None, accuracy_score), ("roc_auc", None), (lambda e, X, y: e.score(X, y), None)):
        found = GridSearchBank(plain, grid, cv=cv, scoring=scoring).fit(X, y, sample_weight=weights)
        for c, C in enumerate(grid["C"]):
            for i, (train, test) in enumerate(cv.split(X)):
                est = clone(plain).set_params(C=C).fit(X[train], y[train], weights[train])
                w = None if callable(scoring) else weights[test]
                if score is not None or callable(scoring):
                    want = accuracy_score(y[test], est.predict(X[test]), sample_weight=w)
                else:
                    want = roc_auc_score(y[test], est.decision_function(X[test]), sample_weight=w)
                assert found.cv_results_[f"split{i}_test_score"][c] == pytest.approx(want, abs=1e-12)
    with pytest.raises(ValueError, match="cv: expected at least one fold"):
        GridSearchBank(plain, grid, cv=[]).fit(X, y)
    with pytest.raises(AttributeError, match="refit=False"):
        GridSearchBank(plain, grid, cv=cv, refit=False).fit(X, y).predict(X)


def test_an_annotated_object_says_itself_what_it_lacks() -> None:
    class Data:
        obs = obs_names = mod = X = obsm = None

    with pytest.raises(ValueError, match="says itself which observations lack"):
        cokernel.SimpleMKLClassifier().fit(Data(), "y", present=np.ones((3, 2), dtype=bool))


def test_a_class_whose_instances_are_all_dropped_is_never_predicted() -> None:
    """Its name was kept, and those of the others were each taken for the one before."""
    n = 60
    rng = np.random.default_rng(0)
    y = np.repeat(["x", "y", "z"], 20)
    X = rng.normal(size=(n, 6)) + np.repeat(np.arange(3), 20)[:, None]
    for lost in ("x", "y", "z"):
        present = np.ones((n, 3), dtype=bool)
        present[y == lost, 0] = False
        own: dict[str, Any] = {"views": VIEWS, "kernels": [gaussian(gamma=0.2)], "random_state": 0}
        kept = y != lost
        alone = MKLClassifier("mean", **own).fit(X[kept], y[kept])
        clf = MKLClassifier("mean", missing="drop", **own)
        with pytest.warns(UserWarning, match=f"all instances of class '{lost}' lack a view"):
            clf.fit(X, y, present=present)
        assert list(clf.classes_) == list(alone.classes_)
        assert (clf.predict(X) == alone.predict(X)).all()
        tables = {name: X[:, columns] for name, columns in VIEWS.items()}
        assert (cokernel.from_bytes(clf.to_bytes()).predict(tables) == alone.predict(X)).all()
        search = GridSearchBank(clf, {"C": [1.0]}, cv=KFold(3, shuffle=True, random_state=0))
        assert (search.fit(X, y, present=present).predict(X) == alone.predict(X)).all()
        with pytest.raises(ValueError, match=f"probability: all instances of class '{lost}'"):
            MKLClassifier("mean", missing="drop", probability="sigmoid", **own).fit(X, y, present=present)


def test_one_call_for_fit_and_predict_looks_at_masks_twice() -> None:
    X, _, present, holes = made()
    own = {"method": "mean", "nu": 0.3}
    want = learner(MKLOutlierDetector, **own).fit(holes).predict(holes)
    assert (learner(MKLOutlierDetector, **own).fit_predict(X, present=present) == want).all()


def test_a_table_of_masks_without_ids_beside_tables_in_other_orders() -> None:
    pandas = pytest.importorskip("pandas")
    X, y, present, _ = made()
    ids = [f"i{i}" for i in range(90)]
    tables = {name: pandas.DataFrame(X[:, columns], ids) for name, columns in VIEWS.items()}
    clf = MKLClassifier("mean", kernels=[gaussian(gamma=0.2)], missing="mean")
    for mask in (present, pandas.DataFrame(present, columns=list(VIEWS))):
        clf.fit(tables, y, present=mask)
        turned = {**tables, "b": tables["b"].iloc[::-1]}
        with pytest.raises(ValueError, match="present: the tables have their rows in different orders"):
            clf.fit(turned, pandas.Series(y, ids), present=mask)


def test_points_of_a_search_do_not_depend_on_each_other() -> None:
    """On estimated kernels machines that began where others ended found other solutions, while these were not definite."""
    _, y, _, holes = made()
    own = learner(missing="estimate")
    both = GridSearchBank(own, {"C": [0.1, 10.0]}, cv=KFold(3)).fit(holes, y)
    one = GridSearchBank(own, {"C": [10.0]}, cv=KFold(3)).fit(holes, y)
    assert both.cv_results_["mean_test_score"][1] == one.cv_results_["mean_test_score"][0]


def test_a_surface_over_whole_numbers() -> None:
    X, y, _, _ = made()
    clf = cokernel.NeighbourWeightsMKLClassifier(views=VIEWS, kernels=[gaussian(gamma=0.2)])
    found = SurfaceSearchBank(clf, {"neighbours": (1, 9)}, cv=KFold(3)).fit(X, y)
    assert all(type(p["neighbours"]) is int and 1 <= p["neighbours"] <= 9 for p in found.cv_results_["params"])
    with pytest.raises(ValueError, match="expected finite numbers"):
        SurfaceSearchBank(learner(), {"C": [1, np.nan]}, cv=KFold(3)).fit(X, y)


def test_certainty_and_importance_see_the_masks() -> None:
    """Masks say what NaN says, in whatever form, for what is held out, dealt or halved, too."""
    X, y, present, holes = made(120)
    new = made(40, seed=9)
    numbers = (y == "yes") + 0.1 * X[:, 0]
    for method in ("split", "cross"):
        told = ConformalClassifier(learner(), method=method, random_state=1).fit(holes, y)
        line = ConformalRegressor(learner(MKLRegressor), method=method, random_state=1).fit(holes, numbers)
        for form in forms(present):
            masks, others = forms(present)[form], forms(new[2])[form]
            seen = ConformalClassifier(learner(), method=method, random_state=1).fit(X, y, present=masks)
            np.testing.assert_allclose(seen.predict_p(new[0], present=others), told.predict_p(new[3]), atol=1e-9)
            assert (seen.predict_set(new[0], present=others) == told.predict_set(new[3])).all()
            assert (seen.predict(new[0], present=others) == told.predict(new[3])).all()
            numbered = ConformalRegressor(learner(MKLRegressor), method=method, random_state=1)
            numbered.fit(X, numbers, present=masks)
            wide = numbered.predict_interval(new[0], present=others)
            np.testing.assert_allclose(wide, line.predict_interval(new[3]), atol=1e-6)
    ridge = MKLRegressor("mean", machine="kernel_ridge:lambda=0.1", views=VIEWS)
    with pytest.raises(ValueError, match="none may lack a view"):
        ConformalRegressor(ridge, method="jackknife").fit(X, numbers, present=present)
    ConformalRegressor(ridge, method="jackknife").fit(X, numbers, present=np.ones_like(present))

    model = learner().fit(holes, y)
    lost = view_importance(model, holes, y, random_state=2)
    for form, masks in forms(present).items():
        same = view_importance(model, X, y, random_state=2, present=masks)
        for name in VIEWS:
            np.testing.assert_allclose(same[name], lost[name], err_msg=f"{form} {name}")
    weighed = learner(method="simple_mkl").fit(holes, y)
    for masks in forms(present).values():
        errors = weight_spread(weighed, X, y, n_resamples=2, random_state=0, present=masks).errors
        np.testing.assert_allclose(errors, weight_spread(weighed, holes, y, n_resamples=2, random_state=0).errors, atol=1e-5)
