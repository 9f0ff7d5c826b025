"""Every way to say what the views are gives the same model; wrong ways get a clear sentence."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import cokernel
import numpy as np
import pandas as pd
import pytest
from cokernel import MeanMKLClassifier, gaussian, linear
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


@pytest.fixture
def table() -> tuple[Any, Any]:
    X, y = cokernel.datasets.make_gaussian_views(
        80, n_classes=4, separations=[5.0, 3.0], random_state=1
    )
    return np.hstack([X["view0"], X["view1"]]), y


def fitted(X: Any, y: Any, views: Any) -> Any:
    clf = MeanMKLClassifier(views=views, kernels=[gaussian(), linear()], machine_tol=1e-12)
    return clf.fit(X, y)


def test_all_arrangements_agree(table: Any, tmp_path: Path) -> None:
    X, y = table
    a, b = X[:, :4].copy(), X[:, 4:].copy()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(8)])
    np.save(tmp_path / "a.npy", a)
    expected = fitted(X, y, {"a": slice(0, 4), "b": slice(4, 8)}).decision_function(X)
    columns = [
        (X, {"a": [0, 1, 2, 3], "b": range(4, 8)}),
        (X, {"a": np.arange(8) < 4, "b": [-4, -3, -2, -1]}),
        (np.asfortranarray(X), {"a": slice(None, 4), "b": slice(4, None)}),
        (X.astype(np.float64)[::-1][::-1], {"a": slice(0, 4), "b": slice(4, 8)}),
        (frame, {"a": ["c0", "c1", "c2", "c3"], "b": slice("c4", "c7")}),
        (sparse.csr_array(X), {"a": slice(0, 4), "b": slice(4, 8)}),
        ({"a": a, "b": b}, None),
        ({"a": str(tmp_path / "a.npy"), "b": b}, None),
        ({"a": np.load(tmp_path / "a.npy", mmap_mode="r"), "b": sparse.coo_array(b)}, None),
        ({"a": frame.iloc[:, :4], "b": frame.iloc[:, 4:]}, None),
        ([a, b], ["a", "b"]),
    ]
    for given, views in columns:
        clf = fitted(given, y, views)
        np.testing.assert_allclose(clf.decision_function(given), expected, atol=1e-6)
        assert [w.view for w in clf.weights_] == ["a", "b", "a", "b"]
        assert clf.n_features_in_ == 8
    unnamed = fitted([a, b], y, None)
    assert [w.view for w in unnamed.weights_] == ["view0", "view1", "view0", "view1"]


def test_precomputed_arrangements_agree(table: Any, tmp_path: Path) -> None:
    X, y = table
    train, test = np.arange(60), np.arange(60, 80)
    bank = cokernel.KernelBank(views={"a": slice(0, 4), "b": slice(4, 8)})
    grams, cross = bank.fit_transform(X[train]), bank.transform(X[test])
    np.save(tmp_path / "a.npy", grams[0])
    expected = (
        MeanMKLClassifier(views={"a": slice(0, 4), "b": slice(4, 8)})
        .fit(X[train], y[train])
        .decision_function(X[test])
    )
    for given, new in [
        (grams, cross),
        (list(grams), list(cross)),
        ([str(tmp_path / "a.npy"), grams[1]], list(cross)),
        ({"a": grams[0], "b": grams[1]}, {"b": cross[1], "a": cross[0]}),
        (np.asfortranarray(grams), cross[:, ::-1][:, ::-1]),
    ]:
        clf = MeanMKLClassifier(kernels="precomputed").fit(given, y[train])
        np.testing.assert_allclose(clf.decision_function(new), expected, atol=1e-9)


def test_scikit_learn_tools(table: Any) -> None:
    X, y = table
    views = {"a": slice(0, 4), "b": slice(4, 8)}
    clf = cokernel.SimpleMKLClassifier(views=views, kernels=[gaussian()], random_state=0)
    assert cross_val_score(clf, X, y, cv=3).mean() > 0.8
    search = GridSearchCV(clf, {"C": [0.1, 1.0], "kernels": [[gaussian()], [linear()]]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.8
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(8)])
    scaled = ColumnTransformer(
        [("a", StandardScaler(), ["c0", "c1", "c2", "c3"])], remainder="passthrough"
    ).set_output(transform="pandas")
    named = clone(clf).set_params(views={"a": ["a__c0", "a__c1"], "b": ["remainder__c7"]})
    pipe = make_pipeline(scaled, named).fit(frame, y)
    again = pickle.loads(pickle.dumps(pipe))
    assert (again.predict(frame) == pipe.predict(frame)).all()
    embedding = cokernel.MultiViewEmbedding(4, method="spectral", views=views, random_state=0)
    shown = embedding.set_output(transform="pandas").fit_transform(X)
    assert list(shown.columns) == [f"multiviewembedding{j}" for j in range(4)]


def test_metadata_routing(table: Any) -> None:
    import sklearn

    X, y = table
    weights = np.where(np.arange(80) % 2 == 0, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        clf = MeanMKLClassifier(kernels=[gaussian(gamma=0.1)], machine_tol=1e-10)
        pipe = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            clf.set_fit_request(sample_weight=True),
        )
        pipe.fit(X, y, sample_weight=weights)
        found = pipe.decision_function(X)
    scaled = StandardScaler().fit_transform(X)
    half = MeanMKLClassifier(kernels=[gaussian(gamma=0.1)], machine_tol=1e-10)
    half.fit(scaled[::2], y[::2])
    np.testing.assert_allclose(found, half.decision_function(scaled), atol=1e-6)


@pytest.mark.parametrize(
    ("views", "sentence"),
    [
        ({"a": slice(0, 9)}, "columns up to 9 are asked for, but X has n_features=8"),
        ({"a": [0, 12]}, "view 'a': column 12 is asked for, but X has n_features=8"),
        ({"a": ["c0"]}, "view 'a' names columns, but X has no column names"),
        ({"a": []}, "view 'a' selects no column of X"),
        ({}, "expected at least one view"),
        ({"a": [0.5, 1.7]}, "view 'a': expected whole column numbers, names, a mask or a slice"),
    ],
)
def test_wrong_columns(table: Any, views: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        fitted(*table, views)


def test_wrong_input(table: Any) -> None:
    X, y = table
    clf = fitted({"a": X[:, :4], "b": X[:, 4:]}, y, None)
    with pytest.raises(ValueError, match="view 'b' is missing; expected a, b, found a"):
        clf.predict({"a": X[:, :4]})
    with pytest.raises(ValueError, match="view 'b': expected 4 columns as at the fit, found 3"):
        clf.predict({"a": X[:, :4], "b": X[:, 5:]})
    with pytest.raises(ValueError, match="expected 2 views as at the fit"):
        clf.predict(X)
    with pytest.raises(ValueError, match="view 'b': expected 80 rows like view 'a', found 79 rows"):
        fitted({"a": X[:, :4], "b": X[1:, 4:]}, y, None)
    with pytest.raises(ValueError, match="unknown method 'simple_mlk' .did you mean 'simple_mkl'"):
        cokernel.MKLClassifier("simple_mlk").fit(X, y)
    with pytest.raises(ValueError, match="unknown kernel 'gausian'"):
        MeanMKLClassifier(kernels=["gausian"]).fit(X, y)
    with pytest.raises(ValueError, match="unknown parameter 'lamda' .did you mean 'lambda'"):
        cokernel.MultiViewSpectralClustering(
            2, method="co_regularized", method_params={"lamda": 1.0}
        ).fit({"a": X[:, :4], "b": X[:, 4:]})
    with pytest.raises(ValueError, match="columns can be chosen from one table"):
        fitted({"a": X[:, :4], "b": X[:, 4:]}, y, {"a": slice(0, 2)})
    with pytest.raises(ValueError, match="view 'b': expected a table, found None"):
        fitted({"a": X[:, :4], "b": None}, y, None)
    with pytest.raises(ValueError, match="C: expected a number above 0, found '1'"):
        MeanMKLClassifier(C="1").fit(X, y)
    with pytest.raises(ValueError, match="parameter 'tol': expected a value, found None"):
        cokernel.SimpleMKLClassifier(tol=None).fit(X, y)
    with pytest.raises(ValueError, match="found a similarity|similarity between the training"):
        MeanMKLClassifier(kernels="precomputed").fit(X, y)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: MeanMKLClassifier(C=0), "C: expected a number above 0, found 0"),
        (lambda: MeanMKLClassifier(C=np.inf), "C: expected a number above 0, found inf"),
        (lambda: MeanMKLClassifier(C=1e300, class_weight={0: 1e10}), "parameter 'C': .* smaller C"),
        (
            lambda: MeanMKLClassifier(class_weight={0: 0.0}),
            "class_weight of 0: expected a number above 0, found 0.0",
        ),
        (
            lambda: cokernel.CoRegularizedSpectralClustering(4, lam=-1.0),
            "parameter 'lam': expected .*, found '?-1",
        ),
        (
            lambda: cokernel.MultiViewSpectralClustering(
                4, method="co_regularized", method_params={"lambda": -1.0}
            ),
            "parameter 'lambda': expected .*, found '?-1",
        ),
        (
            lambda: cokernel.MultiViewSpectralClustering(
                4, method="co_regularized", method_params={"lam": -1.0}
            ),
            "parameter 'lam': expected .*, found '?-1",
        ),
        (
            lambda: cokernel.MultiViewEmbedding(
                4, method="co_regularized", method_params={"lam": 1.0, "lambda": 1.0}
            ),
            "'lam' and 'lambda' are one parameter",
        ),
        (
            lambda: cokernel.MultiViewSpectralClustering(
                4, method="co_regularized", method_params={"lam": None}
            ),
            r"method_params\['lam'\]: expected a number of 64 bits, .*, found None",
        ),
        (
            lambda: cokernel.MultiViewSpectralClustering(
                4, method="co_regularized", method_params={"lam": 10**400}
            ),
            r"method_params\['lam'\]: expected a number of 64 bits, .*, found 1000",
        ),
        (
            lambda: cokernel.MultiViewSpectralClustering(
                4, method="co_regularized", method_params={"lam": 1j}
            ),
            r"method_params\['lam'\]: expected a number of 64 bits, .*, found 1j",
        ),
        (
            lambda: cokernel.MultiViewSpectralClustering(
                4, method="co_regularized", method_params={"lam": np.eye(2)}
            ),
            r"method_params\['lam'\]: expected a number of 64 bits, .*, found array",
        ),
        (
            lambda: cokernel.MultiViewSpectralClustering(4, method_params="lam=1"),
            "method_params: expected a dict of parameters such as .*, found 'lam=1'",
        ),
        (
            lambda: cokernel.MKLClassifier("simple_mkl", method_params={"lam": np.array(1.0)}),
            "unknown parameter 'lam'; known: ",
        ),
        (
            lambda: cokernel.MultiViewSpectralClustering(
                4, method="co_regularized", method_params={"Lam": 1.0}
            ),
            "unknown parameter 'Lam' .did you mean 'lambda'",
        ),
        (
            lambda: cokernel.SimpleMKLClassifier(max_iterations=True),
            "parameter 'max_iterations': expected whole number, at least 1, found True$",
        ),
        (
            lambda: cokernel.MKLClassifier(method_params={"max_iterations": np.False_}),
            "parameter 'max_iterations': expected whole number, at least 1, found False$",
        ),
        (
            lambda: cokernel.CoTrainedSpectralClustering(3, projection=True),
            "parameter 'projection': expected whole number, at least 0, found True$",
        ),
        (lambda: cokernel.SpectralClustering(81), "parameter 'n_clusters': .*found 81"),
        (lambda: cokernel.SpectralClustering(0), "n_clusters: expected a whole number, at least 1"),
        (lambda: cokernel.SpectralClustering(2.5), "n_clusters: expected a whole number, at least 1"),
        (
            lambda: cokernel.MultiViewEmbedding(81, method="spectral"),
            "parameter '(n_components|eigenvectors)'",
        ),
    ],
)
def test_messages_use_the_words_of_python(table: Any, make: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make().fit(table[0], np.where(table[1] > 1, 1, 0))


@pytest.mark.parametrize("tolerance", [0.0, 1.0, 2.0, np.nan])
@pytest.mark.parametrize("kind", [MeanMKLClassifier, cokernel.SimpleMKLClassifier])
def test_one_range_of_tolerances(table: Any, kind: Any, tolerance: float) -> None:
    """SimpleMKL took 2, which the others refused."""
    with pytest.raises(ValueError, match="machine_tol: expected a number above 0 and at most 0.999"):
        kind(machine_tol=tolerance).fit(*table)


def test_whole_numbers_may_be_real(table: Any) -> None:
    X, _ = table
    views = {"a": slice(0, 4), "b": slice(4, 8)}
    one = cokernel.CoTrainedSpectralClustering(4, views=views, random_state=0)
    real = cokernel.MultiViewSpectralClustering(
        4.0, views=views, n_init=20.0, method_params={"eigenvectors": 4.0}, random_state=0
    )
    assert (one.fit(X).labels_ == real.fit(X).labels_).all()
    with pytest.raises(ValueError, match="parameter 'eigenvectors': expected whole number"):
        real.set_params(method_params={"eigenvectors": 4.5}).fit(X)


def test_hints_can_be_followed(table: Any) -> None:
    """What has no view at all cannot be learned from."""
    X, y = table
    X = X.copy()
    X[1, 2] = np.nan
    with pytest.raises(ValueError, match="Input contains NaN: view 'X', row 1, column 2$"):
        MeanMKLClassifier(missing="refuse").fit(X, y)
    for estimator in (MeanMKLClassifier(), cokernel.SpectralClustering(2)):
        with pytest.raises(ValueError, match="column 2. An instance that lacks a view has NaN"):
            estimator.fit(X, y)
    # Without any number in a row the view is missing, which the sentence explains.
    X[1] = np.nan
    whole = np.arange(len(X)) != 1
    with pytest.raises(ValueError, match="leave these instances out, .* where its row has no number"):
        MeanMKLClassifier(missing="refuse").fit(X, y)
    with pytest.raises(ValueError, match="instance 1 lacks view 'X', and there is no other view"):
        MeanMKLClassifier().fit(X, y)
    MeanMKLClassifier().fit(X[whole], y[whole])


def test_missing_views(table: Any) -> None:
    X, _ = table
    a, b = X[:, :4].copy(), X[:, 4:].copy()
    b[::5] = np.nan
    kind = cokernel.CoTrainedSpectralClustering
    by_nan = kind(4, random_state=0).fit({"a": a, "b": b})
    mask = np.arange(80) % 5 != 0
    filled = np.where(np.isnan(b), 7.0, b)
    by_mask = kind(4, random_state=0).fit({"a": a, "b": filled}, present={"b": mask})
    assert (by_nan.labels_ == by_mask.labels_).all()
    assert any("16 of 80" in note for note in by_nan.report_.notes)
    whole = np.hstack([a, b])
    columns = kind(4, views={"a": slice(0, 4), "b": slice(4, 8)}, random_state=0).fit(whole)
    assert (columns.labels_ == by_nan.labels_).all()
    with pytest.raises(ValueError, match="view 'b' is missing|lack"):
        MeanMKLClassifier(missing="refuse").fit({"a": a, "b": b}, np.arange(80) % 2)
    with pytest.raises(ValueError, match="view 'b': expected a mask of length 80, found 79"):
        kind(4).fit({"a": a, "b": filled}, present={"b": mask[1:]})
    with pytest.raises(ValueError, match="present: expected 2 masks, one per view, found 1"):
        kind(4).fit({"a": a, "b": filled}, present=[mask])
    masks = pd.DataFrame({"b": mask})
    assert (kind(4, random_state=0).fit_predict({"a": a, "b": filled}, present=masks)
            == by_mask.labels_).all()
    b[1, 2] = np.nan
    with pytest.raises(ValueError, match="Input contains NaN: view 'b', row 1, column 2"):
        kind(4).fit({"a": a, "b": b})
