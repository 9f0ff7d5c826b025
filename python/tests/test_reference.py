"""The reference values of the library's own tests: scikit-learn's machines, scores and kernels."""

from __future__ import annotations

from typing import Any

import cokernel
import numpy as np
import pandas as pd
import pytest
from cokernel.metrics import cluster_scores
from conftest import reference
from sklearn.svm import SVC


@pytest.mark.parametrize("case", reference("svc.json"), ids=lambda c: c["name"])
def test_machines(case: dict[str, Any]) -> None:
    X, y = np.array(case["x"]), np.array(case["y"])
    clf = cokernel.MeanMKLClassifier(
        kernels=[cokernel.gaussian(gamma=case["gamma"])],
        C=case["c"],
        decomposition=case["decomposition"],
        class_weight="balanced"
        if case["balanced"]
        else {type(y[0].item())(c) if not isinstance(y[0], str) else c: w for c, w in case["class_weights"]}
        or None,
        machine_tol=1e-9,
    )
    clf.fit(X, y, sample_weight=case["weights"])
    values = np.atleast_2d(clf.decision_function(X).T)
    kept = np.ones(len(X), bool) if case["weights"] is None else np.array(case["weights"]) > 0
    for found, machine in zip(values, case["machines"], strict=True):
        expected = np.array(machine["decisions"])
        # The sign says which class is positive.
        sign = 1.0 if np.abs(found - expected)[kept].max() < 1e-4 else -1.0
        assert np.abs(sign * found - expected)[kept].max() < 1e-4


@pytest.mark.parametrize("case", reference("scores.json"))
def test_scores(case: dict[str, Any]) -> None:
    found = cluster_scores(case["classes"], case["clusters"])
    assert found["nmi"] == pytest.approx(case["nmi"]["arithmetic"], abs=1e-12)
    assert found["nmi_geometric"] == pytest.approx(case["nmi"]["geometric"], abs=1e-12)
    assert found["nmi_max"] == pytest.approx(case["nmi"]["max"], abs=1e-12)
    for name in ("adjusted_rand", "accuracy", "purity", "entropy", "precision", "recall", "f"):
        assert found[name] == pytest.approx(case[name], abs=1e-12)


@pytest.mark.parametrize("missing", [np.nan, None, float("nan"), pd.NA])
def test_scores_refuse_missing_labels(missing: Any) -> None:
    """NaN was a class of its own."""
    labels = np.array([0, 1, missing, 1], dtype=object)
    if isinstance(missing, float):
        labels = labels.astype(float)
    for given in ((labels, [0, 1, 1, 1]), ([0, 1, 1, 1], labels)):
        with pytest.raises(ValueError, match="row 2 has no label"):
            cluster_scores(*given)
    assert cluster_scores(["a", "b"], [1.0, 0.0])["nmi_max"] == 1.0


@pytest.mark.parametrize("case", reference("bank.json")["kernels"], ids=lambda c: c["spec"])
def test_kernels(case: dict[str, Any]) -> None:
    data = reference("bank.json")
    bank = cokernel.KernelBank(kernels=[case["spec"]])
    train = bank.fit_transform(np.array(data["x"]))
    new = bank.transform(np.array(data["z"]))
    assert train.shape[0] == new.shape[0] == 1
    np.testing.assert_allclose(train[0], case["train"], atol=1e-11)
    np.testing.assert_allclose(new[0], case["new"], atol=1e-11)


def test_precomputed_equals_scikit_learn(digits: Any) -> None:
    X, y = digits
    train, test = np.arange(0, 200, 2), np.arange(1, 200, 2)
    gram = X["fou"] @ X["fou"].T
    ours = cokernel.SumMKLClassifier(
        kernels="precomputed", C=5.0, decomposition="one_vs_one", machine_tol=1e-10
    ).fit(gram[np.ix_(train, train)], y[train])
    theirs = SVC(kernel="precomputed", C=5.0, tol=1e-10, decision_function_shape="ovo").fit(
        gram[np.ix_(train, train)], y[train]
    )
    values = ours.decision_function(gram[np.ix_(test, train)])
    np.testing.assert_allclose(
        values, theirs.decision_function(gram[np.ix_(test, train)]), atol=1e-5
    )
    # Where votes are equal, LIBSVM takes the first class and Cokernel the larger values.
    pairs = [(a, b) for a in range(10) for b in range(a + 1, 10)]
    votes = np.zeros((len(test), 10), int)
    for value, (a, b) in zip(values.T, pairs, strict=True):
        votes[np.arange(len(test)), np.where(value > 0, a, b)] += 1
    chosen = ours.predict(gram[np.ix_(test, train)])
    assert (votes[np.arange(len(test)), chosen] == votes.max(axis=1)).all()


@pytest.mark.parametrize("views", [2, 3])
def test_eigenvalues_of_canonical_correlation(views: int) -> None:
    """The docs did not say that they are those of the matrix of Bach and Jordan less 1."""
    n, rng = 40, np.random.default_rng(3)
    common = rng.normal(size=(n, 1))
    X = {f"v{v}": np.hstack([common, rng.normal(size=(n, 2))]) for v in range(views)}
    center = np.eye(n) - 1.0 / n
    smooth = []
    for table in X.values():
        K = center @ (table @ table.T) @ center
        smooth.append(K @ np.linalg.inv(K + 0.01 * np.trace(K) * np.eye(n)))
    blocks = [[np.eye(n) if v == w else smooth[v] @ smooth[w] for w in range(views)] for v in range(views)]
    expected = np.sort(np.linalg.eigvalsh(np.block(blocks)))[::-1][:2]
    found = cokernel.KernelCCASpectralClustering(2, kernels=[cokernel.linear()], random_state=0).fit(X)
    np.testing.assert_allclose(found.eigenvalues_[0], expected - 1.0, atol=1e-8)
    assert "less 1" in " ".join(str(type(found).__doc__).split())
