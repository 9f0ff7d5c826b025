"""What has an index is matched by it: before, rows were taken by position, silently."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import cokernel
import numpy as np
import pandas as pd
import pytest
from cokernel import (
    GridSearchBank,
    MeanMKLClassifier,
    cross_validate_bank,
    gaussian,
    linear,
    precomputed,
)
from cokernel._instances import align
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score

IDS = [f"p{i:02d}" for i in range(60)]
TRAIN, TEST = IDS[:40], IDS[40:]
SHUFFLED = [IDS[i] for i in np.random.default_rng(0).permutation(40)]


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any, Any]:
    """Two tables and classes with the same ids, in the same order."""
    X, y = cokernel.datasets.make_gaussian_views(
        60, n_classes=3, separations=[4.0, 2.0], random_state=3
    )
    tables = [pd.DataFrame(table, index=IDS) for table in X.values()]
    return tables[0], tables[1], pd.Series(y, index=IDS)


def classifier(**others: Any) -> Any:
    return cokernel.SimpleMKLClassifier(C=10.0, random_state=0, **others)


def same(one: Any, other: Any) -> None:
    """Bitwise the same model."""
    assert list(one.weights_) == list(other.weights_)
    assert (one.dual_coef_ == other.dual_coef_).all()


def test_tables_targets_and_weights(data: Any) -> None:
    a, b, y = data
    weights = pd.Series(1.0 + np.arange(60) % 3, index=IDS)
    expected = classifier().fit([a.loc[TRAIN], b.loc[TRAIN]], y[TRAIN], weights[TRAIN])
    plain = classifier().fit(
        [a.loc[TRAIN].to_numpy(), b.loc[TRAIN].to_numpy()], y[TRAIN].to_numpy(), weights[:40].to_numpy()
    )
    same(expected, plain)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = {"view0": a.loc[TRAIN], "view1": b.loc[SHUFFLED]}
        found = classifier().fit(given, y[SHUFFLED[::-1]], weights[SHUFFLED])
        same(found, expected)
        both = [a.loc[TEST], b.loc[TEST]]
        mixed = {"view1": b.loc[TEST[::-1]], "view0": a.loc[TEST]}
        assert (found.predict(mixed) == expected.predict(both)[::-1]).all()
        assert found.score(mixed, y[TEST]) == expected.score(both, y[TEST]) > 0.8
    table = pd.concat([a, b], axis=1)
    table.columns = [f"c{j}" for j in range(table.shape[1])]
    views = {"view0": list(table.columns[:3]), "view1": list(table.columns[3:])}
    one = classifier(views=views).fit(table.loc[TRAIN], y[SHUFFLED], weights[SHUFFLED])
    same(one, expected)
    assert one.score(table.loc[TEST], y[TEST[::-1]]) == expected.score(both, y[TEST])


def test_every_estimator(data: Any) -> None:
    """Those that cluster, embed, combine and compute kernels."""
    a, b, y = data
    given, moved = {"a": a, "b": b}, {"a": a, "b": b.iloc[::-1]}
    new = {"a": a.iloc[:5], "b": b.iloc[4::-1]}
    for kind in (
        cokernel.CoTrainedSpectralClustering,
        cokernel.ConcatKMeansClustering,
        cokernel.KernelCCASpectralClustering,
    ):
        one, other = (kind(3, n_init=2, random_state=0).fit(X) for X in (given, moved))
        assert (one.labels_ == other.labels_).all()
        assert (other.predict(new) == one.predict(given)[:5]).all()
    one, other = (
        cokernel.MultiViewEmbedding(3, method="spectral", random_state=0).fit(X) for X in (given, moved)
    )
    assert (one.embedding_ == other.embedding_).all()
    assert (other.transform(new) == one.transform(given)[:5]).all()
    bank = cokernel.KernelBank()
    expected = bank.fit_transform(given)
    assert (bank.fit_transform(moved) == expected).all()
    assert (bank.transform(new) == bank.transform(given)[:, :5]).all()
    combiner = cokernel.KernelCombiner(MeanMKLClassifier(random_state=0))
    expected = combiner.fit_transform(given, y)
    assert (combiner.fit(moved, y.iloc[::-1]).transform(new) == combiner.transform(given)[:5]).all()
    assert (combiner.fit_transform(moved, y) == expected).all()
    with pytest.raises(ValueError, match="bring y into the order of X"):
        combiner.fit_transform(given, y.iloc[::-1])


def test_searches(data: Any) -> None:
    a, b, y = data
    given, moved = [a, b], [a, b.loc[IDS[::-1]]]
    clf = classifier()
    weights = pd.Series(np.where(np.arange(60) % 7, 1.0, 2.0), index=IDS)
    one = cross_validate_bank(clf, given, y, cv=3, sample_weight=weights)
    other = cross_validate_bank(clf, moved, y.iloc[::-1], cv=3, sample_weight=weights[::-1])
    assert (one["test_score"] == other["test_score"]).all()
    search = GridSearchBank(clf, {"C": [0.1, 10.0]}, cv=3)
    scores = search.fit(given, y).cv_results_["mean_test_score"]
    assert (search.fit(moved, y.iloc[::-1]).cv_results_["mean_test_score"] == scores).all()
    assert search.score(moved, y.iloc[::-1]) == search.best_estimator_.score(given, y)
    assert scores.max() > 0.8


def test_scikit_learn_cuts_by_position(data: Any) -> None:
    """Its folds keep the index of a table; targets are an array, or a Series of the same order."""
    a, _, y = data
    expected = cross_val_score(classifier(), a.to_numpy(), y.to_numpy(), cv=3)
    for X, targets in [(a, y), (a, y.to_numpy()), (a.reset_index(drop=True), y.to_numpy())]:
        assert (cross_val_score(classifier(), X, targets, cv=3) == expected).all()
    numbered = a.reset_index(drop=True), y.reset_index(drop=True)
    assert (cross_val_score(classifier(), *numbered, cv=3) == expected).all()
    # It pairs other rows than the ids say: that is refused, not learned.
    with pytest.raises(ValueError, match="X and y have different instances; only in X: 'p"):
        cross_val_score(classifier(), a, y.loc[IDS[::-1]], cv=3, error_score="raise")


def test_similarities_on_both_axes(data: Any) -> None:
    a, b, y = data
    K = pd.DataFrame(a.to_numpy() @ a.to_numpy().T, index=IDS, columns=IDS)
    clf = MeanMKLClassifier(kernels="precomputed")
    expected = clf.fit(K.loc[TRAIN, TRAIN].to_numpy(), y[TRAIN].to_numpy())
    values = expected.decision_function(K.loc[TEST, TRAIN].to_numpy())
    between = K.loc[TRAIN, TRAIN]
    for given in (
        K.loc[TRAIN, SHUFFLED],
        between,
        pd.DataFrame(between.to_numpy(), index=TRAIN),
        pd.DataFrame(between.to_numpy(), columns=TRAIN),
    ):
        found = MeanMKLClassifier(kernels="precomputed").fit(given, y[SHUFFLED])
        for again in (found, pickle.loads(pickle.dumps(found))):
            for new in (K.loc[TEST, SHUFFLED], K.loc[TEST, TRAIN], K.loc[TEST, TRAIN].to_numpy()):
                assert (again.decision_function(new) == values).all()
    with pytest.raises(ValueError, match="only in the training instances: 'p00'"):
        found.predict(K.loc[TEST, TRAIN[1:]])
    with pytest.raises(ValueError, match="only in the rows of X: 'p39'; only in the columns of X: 'p59'"):
        clf.fit(K.loc[TRAIN, [*TRAIN[:-1], "p59"]], y[TRAIN])
    kernels = [linear(view="b"), precomputed(view="K")]
    mixed = MeanMKLClassifier(kernels=kernels)
    one = mixed.fit({"b": b, "K": K}, y).decision_function({"b": b, "K": K})
    other = mixed.fit({"b": b, "K": K.loc[IDS[::-1]]}, y)
    assert (other.decision_function({"b": b, "K": K.loc[IDS[::-1], IDS[::-1]]}) == one).all()
    named = MeanMKLClassifier(kernels=kernels, views=["b", "K"])
    assert (named.fit([b, K.loc[IDS[::-1]]], y).decision_function([b, K]) == one).all()


def test_whole_numbers_as_ids() -> None:
    """As files give them: the names of columns are texts."""
    K = pd.DataFrame([[2.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 4.0]], [7, 8, 9], ["9", "7", "8"])
    ordered = K.loc[:, ["7", "8", "9"]]
    assert (align(K, similar=True).X.to_numpy() == ordered.to_numpy()).all()
    table = pd.DataFrame({"x": [8, 7, 9]}, index=[8.0, 7.0, 9.0])
    both = align({"a": K, "b": table}, similar=frozenset({"a"})).X
    assert both["b"].x.tolist() == [7, 8, 9]
    texts = pd.Series([8, 7, 9], index=["8", "7", "9"])
    assert align(table.loc[[7, 8, 9]], y=texts).others["y"].tolist() == [7, 8, 9]


def test_the_numbering_of_pandas() -> None:
    """It names nothing by itself, but is not forgotten where others refer to it."""
    table = pd.DataFrame({"x": [0, 1, 2]})
    named = pd.DataFrame({"x": [5, 3, 4]}, index=list("bca"))
    y = pd.Series([20, 0, 10], index=[2, 0, 1])
    with pytest.warns(UserWarning, match="X has the numbering 0, 1, 2, … of pandas and is matched"):
        assert align(table, y=y).others["y"].tolist() == [0, 10, 20]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert align(table, y=pd.Series([7, 8, 9])).others["y"].tolist() == [7, 8, 9]
        assert align(named, y=pd.Series([7, 8, 9])).others["y"].tolist() == [7, 8, 9]
        assert align({"a": table, "b": named}).X["a"].x.tolist() == [0, 1, 2]
        # A part of the rows, in a method that takes instances without a view.
        part = align({"a": table, "b": table.iloc[[2, 0]]}, union=True).X["b"]
    assert part.x.isna().tolist() == [False, True, False] and part.x[2] == 2
    numbered = pd.DataFrame(np.eye(3), index=[2, 0, 1])
    with pytest.raises(ValueError, match="its columns are numbered 0, 1, 2, …, and the instances"):
        align(numbered, similar=True)


def test_an_array_beside_tables_in_different_orders(data: Any) -> None:
    a, b, y = data
    with pytest.warns(UserWarning, match="y has no index and is taken to be in the order of view 'a'"):
        found = align({"a": a, "b": b.iloc[::-1]}, y=y.to_numpy())
    assert (found.X["b"].index == a.index).all() and (found.others["y"] == y.to_numpy()).all()
    with pytest.raises(ValueError, match="inconsistent numbers of samples: X has 60, y has 59"):
        classifier().fit(a, y.to_numpy()[1:])


def test_repeated_ids(data: Any) -> None:
    a, b, y = data
    twice = [IDS[0], *IDS[:59]]
    a, b, y = (one.set_axis(twice, axis=0) for one in (a, b, y))
    same(
        classifier().fit([a, b], y),
        classifier().fit([a.to_numpy(), b.to_numpy()], y.to_numpy()),
    )
    with pytest.raises(ValueError, match="view 'view0': the id 'p00' appears twice"):
        classifier().fit([a, b.iloc[::-1]], y)
    a = a.set_axis([None, *IDS[1:]], axis=0)
    with pytest.raises(ValueError, match="view 'view0': row 0 has no id in the index"):
        classifier().fit([a, b.iloc[::-1]], y)


def test_nothing_fits(data: Any) -> None:
    a, b, y = data
    sentence = (
        "view 'view0' and view 'view1' have different instances; only in view 'view0': "
        "'p54', 'p55', 'p56', 'p57', 'p58' and 1 more; only in view 'view1': 'q'"
    )
    other = b.iloc[:55].rename(index={"p54": "q"})
    with pytest.raises(ValueError, match=sentence):
        classifier().set_params(missing="refuse").fit([a, other], y)
    # Instances may lack a view, but not their label.
    with pytest.raises(ValueError, match="and y have different instances; only in view 'view0': 'q'"):
        classifier().fit([a, other], y)
    sentence = "y has no instance in common with X: the ids of X are 'p00'.* and 55 more, those of y are 1,"
    with pytest.raises(ValueError, match=sentence):
        classifier().fit(a, y.set_axis(range(1, 61)))


def test_missing_views_by_id(data: Any) -> None:
    a, b, _ = data
    mask = np.arange(60) % 4 != 0
    filled = b.where(pd.Series(mask, index=IDS), np.nan)
    for kind in (
        cokernel.CoTrainedSpectralClustering(3, n_init=2, random_state=0),
        cokernel.MultiViewEmbedding(3, method="co_trained", random_state=0),
    ):
        expected = kind.fit({"a": a, "b": filled}).embedding_.copy()
        found = kind.fit({"a": a, "b": b[mask].iloc[::-1]})
        assert (found.embedding_ == expected).all()
        assert any("15 of 60" in note for note in found.report_.notes)
        # Masks move with their tables, or have an index of their own.
        own = mask[::-1].copy()
        assert (kind.fit({"a": a, "b": b.iloc[::-1]}, present={"b": own}).embedding_ == expected).all()
        named = pd.DataFrame({"b": mask}, index=IDS).sample(frac=1.0, random_state=1)
        found = kind.fit({"a": a, "b": b.iloc[::-1]}, present=named)
        assert (found.embedding_ == expected).all()
    union = kind.fit({"a": a.iloc[:50], "b": b.iloc[10:]})
    assert union.embedding_.shape[0] == 60
    K = pd.DataFrame(rbf_kernel(b, gamma=0.05), index=IDS, columns=IDS)
    kernels = [gaussian(view="a"), precomputed(view="K")]
    kind = cokernel.CoTrainedSpectralClustering(3, kernels=kernels, n_init=2, random_state=0)
    one = kind.fit({"a": a, "K": K}, present={"K": mask}).labels_
    some = [i for i, there in zip(IDS, mask, strict=True) if there][::-1]
    assert (kind.fit({"a": a, "K": K.loc[some, some[::-1]]}).labels_ == one).all()
    with pytest.raises(ValueError, match="view 'b' has no instance in common with view 'a'"):
        kind.set_params(kernels=None).fit({"a": a, "b": b.set_axis(range(1, 61), axis=0)})
    with pytest.raises(ValueError, match="view 'c' has no index, but the other views have different"):
        kind.fit({"a": a, "b": b[mask], "c": b.to_numpy()})
    with pytest.raises(ValueError, match="y has no index, but the other views have different"):
        MeanMKLClassifier().fit({"a": a, "b": b[mask]}, np.arange(60) % 2)
    with pytest.raises(ValueError, match="view 'a' and view 'b' have different instances"):
        MeanMKLClassifier(missing="refuse").fit({"a": a, "b": b[mask]}, np.arange(60) % 2)
