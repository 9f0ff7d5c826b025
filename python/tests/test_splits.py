"""Splits that are saved and shared."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cokernel import MeanMKLClassifier, Splits, cross_validate_bank
from sklearn.model_selection import cross_val_score

y = np.tile(np.array(["c", "a", "b"]), 40)


def test_splits_are_what_scikit_learn_takes() -> None:
    X = np.random.default_rng(0).normal(size=(120, 3)) + (y == "a")[:, None]
    splits = Splits.k_fold(y, folds=4, repeats=2, random_state=3)
    assert len(splits) == splits.get_n_splits() == 8
    for train, test in splits.split():
        assert len(np.intersect1d(train, test)) == 0 and len(train) + len(test) == 120
        assert all(abs((y[test] == c).sum() - 10) <= 1 for c in "abc")
    est = MeanMKLClassifier()
    theirs = cross_val_score(est, X, y, cv=splits)
    ours = cross_validate_bank(est, X, y, cv=splits)["test_score"]
    assert len(theirs) == 8 and np.allclose(theirs, ours)


def test_all_protocols(tmp_path: Path) -> None:
    groups = np.repeat(np.arange(24), 5)
    made = [
        Splits.random(y, test=0.25, repeats=3),
        Splits.five_by_two(y),
        Splits.reserved(y, test=0.3, name="mine"),
        Splits.per_class(y, 7, repeats=2),
        Splits.k_fold(y, folds=3, groups=groups),
        Splits.of_column(np.where(np.arange(120) < 80, "train", "test"), y),
    ]
    for k, splits in enumerate(made):
        path = tmp_path / f"{k}.json"
        splits.save(path)
        read = Splits.load(path, y)
        assert repr(read) == repr(splits)
        bare = Splits.load(path)
        assert repr(bare) == repr(splits) and bare.n_instances == 120
        for a, b in ((read.train, splits.train), (read.test, splits.test)):
            assert all(np.array_equal(u, v) for u, v in zip(a, b, strict=True))
        with pytest.raises(ValueError, match="other labels"):
            Splits.load(path, y[np.r_[1:120, 0][::-1]][np.argsort(y, kind="stable")])
    assert all((y[r] == "b").sum() == 7 for r in made[3].train)
    for train, test in made[4].split():
        assert len(np.intersect1d(groups[train], groups[test])) == 0
    assert len(made[2].validating()) == 10 and made[0].validating() == []
    assert not list(tmp_path.glob("*.tmp"))


def test_missing_labels_and_numbers() -> None:
    some = y.astype(object).copy()
    some[::10] = None
    splits = Splits.k_fold(some)
    assert not np.isin(np.arange(0, 120, 10), np.concatenate(splits.test)).any()
    numbers = np.random.default_rng(0).normal(size=50)
    assert len(np.concatenate(Splits.k_fold(numbers).test)) == 50
    counts = np.random.default_rng(0).poisson(3, size=50)
    with pytest.raises(ValueError, match="needs at least 5 of each class"):
        Splits.k_fold(counts)
    assert len(Splits.k_fold(counts, real=True)) == 5


def test_the_command_line_draws_the_same(tmp_path: Path) -> None:
    program = os.environ.get("COKERNEL_PROGRAM")
    if program is None:
        pytest.skip("COKERNEL_PROGRAM does not name the command line")
    X = np.random.default_rng(0).normal(size=(120, 3))
    np.savetxt(tmp_path / "x.csv", X, delimiter=",")
    (tmp_path / "y.csv").write_text("\n".join(y) + "\n")
    call = [program, "splits", "--view", "x=x.csv", "--labels", "y.csv", "--seed", "5", "-q"]
    subprocess.run([*call, "--reserve", "0.3"], cwd=tmp_path, check=True, capture_output=True)
    theirs, ours = Splits.load(tmp_path / "splits.json", y), Splits.reserved(y, 0.3, random_state=5)
    assert all(np.array_equal(a, b) for a, b in zip(theirs.train, ours.train, strict=True))
    ours.save(tmp_path / "ours.json")
    found = subprocess.run(
        [program, "evaluate", *call[2:6], "--splits", "ours.json", "--method", "mean", "--json"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert '"protocol": "reserved"' in found.stdout


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Splits.k_fold(y, folds=1), "folds"),
        (lambda: Splits.k_fold(y, folds=2.5), "folds: expected a whole number"),
        (lambda: Splits.k_fold(y, random_state=-1), "random_state"),
        (lambda: Splits.random(y, test=1.0), "test"),
        (lambda: Splits.per_class(y, 40), "needs at least 41"),
        (lambda: Splits.k_fold(y, groups=[1, 2]), "groups: expected 120"),
        (lambda: Splits.of_column(["train"] * 120, y), "empty set"),
        (lambda: Splits.k_fold(["a"] * 9), "class"),
        (lambda: Splits.k_fold([]), "y: expected"),
    ],
)
def test_what_cannot_be_split_is_refused(call: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


def test_a_file_is_read_without_labels_and_broken_ones_are_refused(tmp_path: Path) -> None:
    splits = Splits.of_column(np.where(np.arange(120) < 80, "train", "test"), name="mine", transductive=True)
    splits.save(tmp_path / "s.json")
    read = Splits.load(tmp_path / "s.json")
    assert (read.name, read.transductive, len(read), read.n_instances) == ("mine", True, 1, 120)
    # Made without labels, they serve any.
    assert repr(Splits.load(tmp_path / "s.json", y)) == repr(Splits.load(tmp_path / "s.json", y[::-1])) == repr(read)
    with pytest.raises(ValueError, match="made of 120 instances, found 119"):
        Splits.load(tmp_path / "s.json", y[:-1])
    (tmp_path / "t.json").write_text('{"a": 1}')
    with pytest.raises(ValueError, match="expected what `cokernel splits` writes"):
        Splits.load(tmp_path / "t.json")
    with pytest.raises(FileNotFoundError):
        Splits.load(tmp_path / "u.json")


def test_transductive_splits_show_test_instances_without_classes() -> None:
    X = np.random.default_rng(0).normal(size=(120, 3)) + 2 * (y == "a")[:, None]
    two = np.where(y == "a", "a", "b")
    splits = Splits.per_class(two, 4, repeats=2, transductive=True)
    est = MeanMKLClassifier(machine="laplacian_svm")
    seen = cross_validate_bank(est, X, two, cv=splits, return_estimator=True)
    for k, model in enumerate(seen["estimator"]):
        known = np.full(120, None, dtype=object)
        known[splits.train[k]] = two[splits.train[k]]
        by_hand = MeanMKLClassifier(machine="laplacian_svm").fit(X, known)
        assert np.allclose(model.decision_function(X), by_hand.decision_function(X))
        assert seen["test_score"][k] == np.mean(by_hand.predict(X)[splits.test[k]] == two[splits.test[k]])
    without = cross_validate_bank(est, X, two, cv=Splits.per_class(two, 4, repeats=2))
    assert not np.array_equal(without["test_score"], seen["test_score"])
    with pytest.raises(ValueError, match="does not learn from instances without a class"):
        cross_validate_bank(MeanMKLClassifier(), X, two, cv=splits)
    # Splits know rows of all instances, also where some have no class.
    some = two.astype(object)
    some[:6] = None
    mine = Splits.k_fold(some, folds=3)
    found = cross_validate_bank(est, X, some, cv=mine)["test_score"]
    pairs = cross_validate_bank(est, X, some, cv=list(mine.split()))["test_score"]
    assert np.array_equal(found, pairs)


def test_splits_of_other_instances_or_labels_are_refused_by_scikit_learn_too(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(120, 3)) + (y == "a")[:, None]
    splits = Splits.k_fold(y, folds=3)
    est = MeanMKLClassifier()
    with pytest.raises(ValueError, match="they were made of 120 instances, found 90"):
        cross_val_score(est, X[:90], y[:90], cv=splits)
    turned = np.sort(y)
    with pytest.raises(ValueError, match="other labels, or of the same in another order"):
        cross_val_score(est, X, turned, cv=splits)
    with pytest.raises(ValueError, match="other labels, or of the same in another order"):
        cross_validate_bank(est, X, turned, cv=splits)
    # Other names of the same classes, and classes that are numbers, are the same labels.
    renamed = np.unique(y, return_inverse=True)[1]
    assert len(list(splits.split(X, renamed))) == 3
    assert len(list(Splits.k_fold(renamed, folds=3, real=True).split(X, renamed))) == 3
    assert len(list(splits.split())) == 3
    # A training set without a class is refused where it is read.
    lacking = Splits.of_column(np.where((y == y[0]) | (np.arange(120) < 20), "test", "train"), y)
    lacking.save(tmp_path / "s.json")
    with pytest.raises(ValueError, match="split 0: the training set has no instance of class"):
        Splits.load(tmp_path / "s.json", y)
    assert len(Splits.load(tmp_path / "s.json")) == 1
