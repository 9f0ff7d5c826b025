"""What is lost without a view, and models as bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import accuracy_score

import cokernel as ck
from cokernel.datasets import make_gaussian_views
from cokernel.inspection import view_importance, weight_spread

X, Y = make_gaussian_views(90, separations=[5.0, 0.0], random_state=0)
FIRST, SECOND = X["view0"], X["view1"]
TABLE = np.hstack([FIRST, SECOND])
VIEWS = {"view0": slice(0, FIRST.shape[1]), "view1": slice(FIRST.shape[1], TABLE.shape[1])}


@pytest.mark.parametrize("form", [TABLE, sparse.csr_matrix(TABLE), pd.DataFrame(TABLE), X, list(X.values())])
def test_every_form_of_views(form: Any) -> None:
    chosen = VIEWS if hasattr(form, "shape") else None
    clf = ck.MKLClassifier("mean", views=chosen, random_state=0).fit(form, Y)
    kept = form.copy() if hasattr(form, "copy") else list(form)
    lost = view_importance(clf, form, Y, n_repeats=4, random_state=3)
    assert list(lost) == ["view0", "view1"] and lost["view0"].shape == (4,)
    assert lost["view0"].mean() > 0.25 and abs(lost["view1"].mean()) < 0.1
    # By hand, and without a change of what was given.
    rows = np.random.RandomState(3).permutation(90)
    dealt = {"view0": FIRST[rows], "view1": SECOND}
    plain = ck.MKLClassifier("mean", random_state=0).fit(X, Y)
    want = accuracy_score(Y, plain.predict(X)) - accuracy_score(Y, plain.predict(dealt))
    assert lost["view0"][0] == pytest.approx(want)
    for name in X if isinstance(form, dict) else []:
        np.testing.assert_array_equal(kept[name], form[name])


def test_weights_over_halves() -> None:
    rng = np.random.RandomState(5)
    clf = ck.SimpleMKLClassifier(C=10.0, random_state=0).fit(X, Y)
    found = weight_spread(clf, X, Y, n_resamples=6, random_state=rng)
    assert [tuple(w) for w in found] == [tuple(w) for w in clf.weights_] and clf.weights_.errors is None
    # By hand.
    rng, drawn = np.random.RandomState(5), []
    for _ in range(6):
        half = []
        for of in (np.flatnonzero(c == Y) for c in np.unique(Y)):
            rows = rng.permutation(of)
            half += list(rows[: len(rows) // 2 + (rng.randint(2) if len(rows) % 2 else 0)])
        half = np.sort(half)
        again = ck.SimpleMKLClassifier(C=10.0, random_state=0)
        drawn.append(np.asarray(again.fit({v: t[half] for v, t in X.items()}, Y[half]).weights_))
    np.testing.assert_allclose(found.errors, np.std(drawn, axis=0, ddof=1))
    assert "error" in found.to_frame() and "±" in repr(found)
    # Of similarities both axes are cut; numbers have no strata; detectors no target.
    kernels = {name: table @ table.T for name, table in X.items()}
    similar = ck.SimpleMKLClassifier(kernels="precomputed", C=0.1).fit(kernels, Y)
    assert weight_spread(similar, kernels, Y, n_resamples=3, random_state=0).errors.shape == (2,)
    numbers = FIRST[:, 0] + 0.1 * SECOND[:, 0]
    weights = np.ones(90)
    reg = ck.MKLRegressor("simple_mkl", random_state=0).fit(TABLE, numbers, sample_weight=weights)
    told = weight_spread(reg, TABLE, numbers, n_resamples=2, random_state=0, sample_weight=weights)
    assert len(told.errors) == len(reg.weights_)
    detector = ck.MKLOutlierDetector("mean").fit(X)
    assert (weight_spread(detector, X, n_resamples=2, random_state=0).errors == 0).all()
    with pytest.raises(ValueError, match="n_resamples: expected a number of at least 2, found 1"):
        weight_spread(clf, X, Y, n_resamples=1)
    with pytest.raises(ValueError, match="y: expected 90 entries"):
        weight_spread(clf, X, Y[:5])


def test_bars_have_whiskers() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    clf = ck.SimpleMKLClassifier(random_state=0).fit(X, Y)
    ax = weight_spread(clf, X, Y, n_resamples=2, random_state=0).plot()
    assert len(ax.collections) == 2 and len(clf.weights_.plot().collections) == 0


def test_similarities_and_refusals() -> None:
    kernels = {name: table @ table.T for name, table in X.items()}
    clf = ck.MKLClassifier("mean", kernels="precomputed", C=0.1).fit(kernels, Y)
    lost = view_importance(clf, kernels, Y, random_state=0)
    assert lost["view0"].mean() > 0.25 and abs(lost["view1"].mean()) < 0.1
    with pytest.raises(ValueError, match="the model has one view"):
        view_importance(ck.MKLClassifier("mean").fit(FIRST, Y), FIRST, Y)
    with pytest.raises(ValueError, match="n_repeats: expected a number of at least 1, found 0"):
        view_importance(clf, kernels, Y, n_repeats=0)
    with pytest.raises(ValueError, match="expected an estimator of this package"):
        view_importance("mean", X, Y)


def test_models_as_bytes() -> None:
    for made in (ck.MKLClassifier("mean"), ck.MKLRegressor("mean"), ck.MKLOutlierDetector("mean")):
        fitted = made.fit(X, Y) if not isinstance(made, ck.MKLOutlierDetector) else made.fit(X)
        content = fitted.to_bytes()
        np.testing.assert_array_equal(ck.from_bytes(content).predict(X), fitted.predict(X))
        state = fitted.to_dict()
        np.testing.assert_array_equal(ck.from_dict(state).predict(X), fitted.predict(X))
        assert ck.from_dict(state).to_bytes() == content
    embedding = ck.MultiViewEmbedding(2, random_state=0).fit(X)
    np.testing.assert_array_equal(ck.from_bytes(embedding.to_bytes()).transform(X), embedding.transform(X))
    with pytest.raises(ValueError, match="."):
        ck.from_bytes(content[:-1])


def test_models_as_dicts() -> None:
    embedding = ck.MultiViewEmbedding(2, random_state=0).fit(X)
    np.testing.assert_array_equal(ck.from_dict(embedding.to_dict()).transform(X), embedding.transform(X))
    frame = pd.DataFrame(TABLE)
    sequences = {"dna": ["ACGT" * (1 + i % 3) for i in range(90)], "x": FIRST}
    clf = ck.MKLClassifier("mean", kernels=[ck.spectrum(view="dna", k=2), ck.gaussian(view="x")], probability="sigmoid")
    state = clf.fit(sequences, Y).to_dict()
    np.testing.assert_array_equal(ck.from_dict(state).predict_proba(sequences), clf.predict_proba(sequences))
    sparse_clf = ck.MKLClassifier("mean", views=VIEWS).fit(sparse.csr_matrix(frame.to_numpy()), Y)
    assert ck.from_dict(sparse_clf.to_dict()).to_bytes() == sparse_clf.to_bytes()
    # What was changed is refused, and what is no such dict.
    state["arrays"]["bias"][0] += 1.0
    with pytest.raises(ValueError, match="checksum|damaged"):
        ck.from_dict(state)
    with pytest.raises(ValueError, match="expected a dict with 'kind', 'text' and 'arrays'"):
        ck.from_dict({"kind": "cokernel_model"})
    with pytest.raises(ValueError, match="array 'bias': a model has none of type complex128"):
        ck.from_dict({**state, "arrays": {"bias": np.zeros(1, dtype=complex)}})
    with pytest.raises(ValueError, match="."):
        ck.from_dict({**state, "text": "{}"})


@pytest.mark.parametrize(
    ("no", "yes"),
    [("7", "007"), ("1", "1.0"), ("1_0", "10"), ("a", "b"), (False, True), (3, 7), (1.0, 2.0), (np.uint8(1), np.uint8(200))],
)
def test_files_keep_what_classes_are(no: Any, yes: Any) -> None:
    y = np.where(Y == Y[0], no, yes)
    clf = ck.MKLClassifier("mean", class_weight={no: 1.0, yes: 2.0}).fit(X, y)
    again = ck.from_bytes(clf.to_bytes())
    assert again.classes_.tolist() == clf.classes_.tolist()
    assert again.classes_.dtype.kind == clf.classes_.dtype.kind.replace("u", "i")
    assert again.class_weight == clf.class_weight and again.score(X, y) == clf.score(X, y)
