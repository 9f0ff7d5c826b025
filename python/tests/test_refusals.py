"""What cannot be used, or not overlooked, is said by a sentence: memory, labels, masks, numbers."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cokernel import KernelBank, MeanMKLRegressor, SimpleMKLClassifier, SpectralClustering, gaussian
from scipy import sparse

ROWS = np.random.default_rng(0).normal(size=(60, 5))
CLASSES = np.repeat([0, 1, 2], 20)


def fit(X: Any = ROWS, y: Any = CLASSES, **params: Any) -> Any:
    params = {"C": 10.0, "random_state": 0, **params}
    return SimpleMKLClassifier(**params).fit(X, y)


#: The address space is bounded after the first fit, whose thread has its workspace then.
SMALL = """
import resource, numpy as np, cokernel as ck
rng = np.random.default_rng(0)
small = rng.normal(size=(3000, 2))
large = np.tile(small, (700, 1))
bank = ck.KernelBank().fit([small])
model = ck.MeanMKLClassifier().fit([small], (small[:, 0] > 0).astype(int))
embedding = ck.MultiViewEmbedding(3).fit([small])
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + 30_000_000,) * 2)
for call in (bank.transform, model.decision_function, embedding.transform):
    try:
        call([large])
    except MemoryError as error:
        print("MemoryError", error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS")
def test_no_memory_is_a_memory_error() -> None:
    """It ended the interpreter."""
    done = subprocess.run([sys.executable, "-c", SMALL], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("MemoryError") == 3, done.stdout


def test_extreme_rows_are_warned_of() -> None:
    X = ROWS.copy()
    X[7, 2] = 1e18
    with pytest.warns(UserWarning, match="KernelBank: view 'view0': 1 of 60 rows is more than"):
        bank = KernelBank(kernels=[gaussian(gamma=0.1)]).fit([X])
    assert "(1e18)" in bank.notes_[0]
    with pytest.warns(UserWarning, match="SimpleMKLClassifier: view 'X': 1 of 60 rows"):
        fit(X)
    with pytest.warns(UserWarning, match="SpectralClustering: view 'X': 1 of 60 rows"):
        SpectralClustering(3, kernels=[gaussian(gamma=0.1)]).fit(X)


def test_sizes_are_those_of_the_command_line() -> None:
    expected = fit().decision_function(ROWS)
    for memory in ("500MB", "2 GiB", "1e6", 10**6, np.int64(10**6)):
        np.testing.assert_allclose(fit(memory=memory).decision_function(ROWS), expected)
    for memory in ("-1GB", "much", 10**30, -1, True):
        with pytest.raises(ValueError, match="memory: expected a number of bytes or a size such"):
            fit(memory=memory)
    with pytest.raises(ValueError, match="random_state: expected at most 18446744073709551615"):
        fit(random_state=2**70)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (["a", 1, None] * 20, "y: the class of instance 2 is missing .None."),
        (np.array(["a", 1, "b"] * 20, dtype=object), "y: the classes are of several types .'a' and 1"),
        (np.ma.masked_array(CLASSES, mask=CLASSES == 1), "y: the class of instance 20 is masked"),
    ],
)
def test_classes_that_are_none(y: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        fit(y=y)


def test_masked_values_are_missing() -> None:
    """They were used as if they were there."""
    masked = np.ma.masked_array(ROWS, mask=ROWS > 2)
    for X in (masked, [masked, ROWS]):
        with pytest.raises(ValueError, match="Input contains NaN: view"):
            fit(X)
    without = np.ma.masked_array(ROWS)
    assert np.array_equal(fit(without).decision_function(ROWS), fit().decision_function(ROWS))
    absent = ROWS.copy()
    absent[3] = np.nan
    masked = np.ma.masked_array(ROWS, mask=np.isnan(absent))
    told = [SpectralClustering(3, random_state=0).fit([X, ROWS]) for X in (masked, absent)]
    assert np.array_equal(told[0].labels_, told[1].labels_)


def test_dates_are_no_features() -> None:
    frame = pd.DataFrame({"a": pd.date_range("2020", periods=60)})
    for X in (ROWS.astype("i8").astype("M8[s]"), [frame, ROWS]):
        with pytest.raises(ValueError, match="a table holds dates or times"):
            fit(X)


@pytest.mark.parametrize("part", ["indptr", "indices"])
def test_damaged_sparse_matrices(part: str) -> None:
    """scipy read beyond the end of its arrays, which ended the interpreter."""
    for made in (sparse.csr_matrix, sparse.csc_matrix):
        for value in (10**9, -5):
            X = made(ROWS)
            getattr(X, part)[2] = value
            with pytest.raises(ValueError, match="a sparse matrix is damaged"):
                fit([X, ROWS])


@pytest.mark.parametrize("kind", ["string", "category", "str", "object", "Int64", "boolean"])
def test_classes_that_pandas_says_are_missing(kind: str) -> None:
    """The NA of a column of text was compared, and pandas said that it has no truth value."""
    numbers = kind in ("Int64", "boolean")
    y = pd.Series(CLASSES if numbers else [f"c{c}" for c in CLASSES], dtype=object)
    y[7] = pd.NA
    if kind == "boolean":
        y = y.map(lambda v: v if v is pd.NA else bool(v))
    y = y.astype(kind)
    with pytest.raises(ValueError, match="y: the class of instance 7 is missing .* choose a machine"):
        fit(y=y)
    full = y.drop(index=7)
    clf = fit(ROWS[full.index], full)
    assert set(clf.predict(ROWS)) <= set(full)


def test_names_of_views_differ() -> None:
    numbers = CLASSES.astype(float)
    for estimator, y in (
        (SimpleMKLClassifier(views=["a", "a"]), CLASSES),
        (MeanMKLRegressor(views=["a", "a"]), numbers),
        (SpectralClustering(n_clusters=2, views=["a", "a"]), None),
    ):
        with pytest.raises(ValueError, match="'a' is there twice"):
            estimator.fit([ROWS, ROWS[:, ::-1]], y)
    with pytest.raises(ValueError, match="'1' is there twice"):
        SimpleMKLClassifier().fit({1: ROWS, "1": ROWS[:, ::-1]}, CLASSES)
