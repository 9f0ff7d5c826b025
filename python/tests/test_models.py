"""Pickles, files, the command line, and the same results whatever the threads."""

from __future__ import annotations

import copy
import csv
import pickle
import subprocess
import sys
import threading
import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import cokernel
import numpy as np
import pytest
from cokernel import gaussian, linear
from cokernel.datasets import make_gaussian_views
from sklearn.exceptions import ConvergenceWarning


def classifier(**others: Any) -> Any:
    return cokernel.SimpleMKLClassifier(
        kernels=[gaussian(normalize="center_unit_variance"), linear(normalize="unit_trace")],
        C=10.0,
        random_state=0,
        **others,
    )


def test_pickle_and_copy(digits: Any) -> None:
    X, y = digits
    clf = classifier().fit(X, y)
    for again in (pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf)):
        assert (again.decision_function(X) == clf.decision_function(X)).all()
        assert list(again.weights_) == list(clf.weights_)
    clusters = cokernel.SpectralClustering(10, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(clusters))
    assert (again.predict(X) == clusters.labels_).all()
    bank = cokernel.KernelBank(kernels=[gaussian(), linear(normalize="center")]).fit(X)
    again = pickle.loads(pickle.dumps(bank))
    assert (again.transform(X) == bank.transform(X)).all()
    combiner = cokernel.KernelCombiner(classifier()).fit(X, y)
    again = pickle.loads(pickle.dumps(combiner))
    assert (again.transform(X) == combiner.transform(X)).all()


def test_files(digits: Any, tmp_path: Path) -> None:
    X, y = digits
    clf = classifier().fit(X, y)
    clf.save(tmp_path / "model.ck")
    again = cokernel.load(tmp_path / "model.ck")
    assert (again.decision_function(X) == clf.decision_function(X)).all()
    assert again.predict(X).dtype == y.dtype
    assert again.get_params()["C"] == 10.0
    with pytest.raises(ValueError, match="truncated"):
        whole = (tmp_path / "model.ck").read_bytes()
        (tmp_path / "half.ck").write_bytes(whole[: len(whole) // 2])
        cokernel.load(tmp_path / "half.ck")
    with pytest.raises(OSError, match="nowhere"):
        cokernel.load(tmp_path / "nowhere.ck")


def test_lists_of_all_views(tmp_path: Path) -> None:
    X, y = make_gaussian_views(80, separations=[6.0, 0.0, 4.0], random_state=0)
    tables = list(X.values())
    for given in (X, tables):
        clf = cokernel.SimpleMKLClassifier(random_state=0).fit(given, y)
        weights = np.asarray(clf.weights_)
        assert weights[1] == 0 and weights[0] > 0 and weights[2] > 0
        clf.save(tmp_path / "model.ck")
        again = cokernel.load(tmp_path / "model.ck")
        expected = clf.decision_function(given)
        # All views of the fit, or those that are looked at.
        for some in (given, tables, [tables[0], tables[2]]):
            assert (again.decision_function(some) == expected).all()
        with pytest.raises(ValueError, match="all 3 views of the fit .* or of the 2 .*, found 4 tables"):
            again.predict([*tables, tables[0]])
    kernels = ["gaussian@a", "gaussian@c"]
    views = dict(zip("abc", tables))
    cokernel.SpectralClustering(2, kernels=kernels, random_state=0).fit(views).save(tmp_path / "c.ck")
    clusters = cokernel.load(tmp_path / "c.ck")
    assert (clusters.predict(tables) == clusters.predict(views)).all()


def write(folder: Path, X: dict[str, Any], y: Any) -> list[str]:
    """Views as files, and the arguments that name them."""
    arguments = []
    for name, table in X.items():
        np.save(folder / f"{name}.npy", table)
        arguments += ["--view", f"{name}={folder / name}.npy"]
    np.savetxt(folder / "y.csv", y, fmt="%d", header="class", comments="")
    return arguments


def column(file: Path, name: str) -> list[int]:
    with file.open(encoding="utf-8", newline="") as lines:
        return [int(row[name]) for row in csv.DictReader(lines)]


def test_command_line_gives_the_same(digits: Any, tmp_path: Path, command_line: str) -> None:
    X, y = digits
    views = write(tmp_path, X, y)
    clf = cokernel.SimpleMKLClassifier(C=10.0, random_state=7).fit(X, y)
    clf.save(tmp_path / "python.ck")

    def run(*arguments: str) -> None:
        subprocess.run([command_line, *arguments, "--quiet"], check=True, capture_output=True)

    labels = ["--labels", str(tmp_path / "y.csv")]
    run("fit", *views, *labels, "--kernel", "gaussian", "--method", "simple_mkl", "--c", "10",
        "--seed", "7", "-o", str(tmp_path / "rust.ck"))
    theirs = cokernel.load(tmp_path / "rust.ck")
    # To the bit: the same library did the work.
    assert (theirs.decision_function(X) == clf.decision_function(X)).all()
    assert list(theirs.weights_) == list(clf.weights_)
    run("predict", str(tmp_path / "python.ck"), *views, "-o", str(tmp_path / "predicted.csv"))
    assert column(tmp_path / "predicted.csv", "label") == clf.predict(X).tolist()
    values = np.loadtxt(tmp_path / "predicted.csv", delimiter=",", skiprows=1)[:, 2:]
    assert (values == clf.decision_function(X)).all()
    clusters = cokernel.CoTrainedSpectralClustering(10, random_state=3).fit(X)
    run("cluster", *views, "-k", "10", "--method", "co_trained", "--seed", "3",
        "-o", str(tmp_path / "clusters.csv"))
    assert column(tmp_path / "clusters.csv", "cluster") == clusters.labels_.tolist()


def test_threads_do_not_change_results(digits: Any) -> None:
    X, y = digits
    one = classifier(n_jobs=1).fit(X, y).decision_function(X)
    two = classifier(n_jobs=2).fit(X, y).decision_function(X)
    assert (one == two).all()
    found: dict[int, Any] = {}

    def work(place: int) -> None:
        found[place] = classifier().fit(X, y).decision_function(X)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    [w.start() for w in workers]
    [w.join() for w in workers]
    assert (found[0] == one).all() and (found[1] == one).all()


def test_processes(digits: Any) -> None:
    from sklearn.model_selection import cross_val_score

    X, y = digits
    table = np.hstack([X["fou"], X["zer"]])
    clf = cokernel.MeanMKLClassifier(views={"fou": slice(0, 76), "zer": slice(76, None)})
    one = cross_val_score(clf, table, y, cv=3, n_jobs=1)
    two = cross_val_score(clf, table, y, cv=3, n_jobs=2)
    assert (one == two).all()


INTERRUPTED = """
import os, signal, time, threading
import numpy as np, cokernel
# What a shell without job control starts beside itself ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)
X = np.random.default_rng(0).normal(size=(4000, 20))
clf = cokernel.TwoStageMKLClassifier(
    kernels=[cokernel.gaussian(width=[0.5, 1.0, 2.0, 4.0])], solver="pegasos",
    steps=10_000_000, random_state=0)
# What is imported at the first fit may swallow an interrupt on a machine that is busy.
cokernel.MeanMKLClassifier().fit(X[:20], (X[:20, 0] > 0).astype(int))
def interrupts():
    # A garbage collection that calls a function may swallow one, as any Python program may.
    global at
    for _ in range(30):
        time.sleep(2.0)
        at = time.perf_counter()
        signal.raise_signal(signal.SIGINT)
threading.Thread(target=interrupts, daemon=True).start()
try:
    clf.fit(X, (X[:, 0] > 0).astype(int))
except KeyboardInterrupt:
    print("interrupted", time.perf_counter() - at < 5.0, flush=True)
    os._exit(0)
"""


def test_interrupt() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["interrupted", "True"], done.stderr


def test_time_limit_warns(digits: Any) -> None:
    X, y = digits
    with pytest.warns(ConvergenceWarning, match="time limit"):
        clf = classifier(time_limit=0.0).fit(X, y)
    assert not clf.report_.converged


def test_memory_does_not_grow(digits: Any) -> None:
    """200 fits: neither Python's memory nor that of the process grows by 5 %."""
    X, y = digits
    small = {name: X[name][::2] for name in ("fou", "zer")}
    labels = y[::2]

    def resident() -> int:
        pages = Path("/proc/self/statm").read_text().split()[1]
        return int(pages) * 4096

    if not Path("/proc/self/statm").exists():
        pytest.skip("the memory of a process is read from /proc")

    def fit() -> None:
        # pytest keeps every warning that it sees, such as that C is small.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cokernel.MeanMKLClassifier().fit(small, labels).predict(small)

    for _ in range(40):
        fit()
    tracemalloc.start()
    before, traced = resident(), tracemalloc.get_traced_memory()[0]
    for _ in range(200):
        fit()
    after, now = resident(), tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 0.05 * before, (before, after)
    assert now - traced < 200_000, (traced, now)


def test_arrays_are_not_copied() -> None:
    views = cokernel._native.Views()
    table = np.random.default_rng(0).normal(size=(3000, 1000))
    tracemalloc.start()
    views.dense("a", table)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    references = sys.getrefcount(table)
    del views
    assert sys.getrefcount(table) == references - 1
    with pytest.raises(TypeError, match="C-contiguous"):
        cokernel._native.Views().dense("a", table.T)


def test_eigenvectors(digits: Any) -> None:
    """Those of each kernel, of unit length, and the embedding is made of their rows."""
    X, _ = digits
    X = {name: X[name] for name in ("fou", "zer")}
    bank = cokernel.KernelBank()
    for kind, columns in [
        (cokernel.SpectralClustering(4, kernels=[gaussian(view="fou")], n_init=1), 1),
        (cokernel.ConcatEmbeddingsSpectralClustering(4, n_init=1), 2),
        (cokernel.CoTrainedSpectralClustering(4, n_init=1), 2),
        (cokernel.CoRegularizedSpectralClustering(4, n_init=1), 2),
        (cokernel.MultiViewEmbedding(4, method="co_trained"), 2),
    ]:
        fitted = kind.set_params(random_state=0).fit(X)
        assert len(fitted.eigenvectors_) == len(fitted.eigenvalues_) == columns
        for U in fitted.eigenvectors_:
            np.testing.assert_allclose(U.T @ U, np.eye(4), atol=1e-8)
        unit = [U / np.linalg.norm(U, axis=1, keepdims=True) for U in fitted.eigenvectors_]
        np.testing.assert_allclose(fitted.embedding_, np.hstack(unit), atol=1e-10)
    one = cokernel.SpectralClustering(4, kernels=[gaussian(view="fou")], random_state=0).fit(X)
    K = bank.set_params(kernels=[gaussian(view="fou")]).fit_transform(X)[0]
    roots = np.sqrt(K.sum(axis=1))
    normalized = K / np.outer(roots, roots)
    U = one.eigenvectors_[0]
    np.testing.assert_allclose(normalized @ U, U * one.eigenvalues_[0], atol=1e-6)
    assert cokernel.ConcatKMeansClustering(4, n_init=1).fit(X).eigenvectors_ == []
