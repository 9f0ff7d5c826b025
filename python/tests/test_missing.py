"""Classifiers, regressors and detectors of instances that lack views, beside computations in numpy and scikit-learn."""

from __future__ import annotations

import json
import subprocess
import warnings
from pathlib import Path
from typing import Any

import cokernel
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from cokernel import MKLClassifier, MKLOutlierDetector, MKLRegressor
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, SVR, OneClassSVM

Reals = npt.NDArray[np.float64]
GAMMA = 0.1
NAMES = ("a", "b", "c")
KERNELS = [f"gaussian:gamma={GAMMA}"]


def rbf(x: Reals, z: Reals) -> Reals:
    square = ((x[:, None, :] - z[None, :, :]) ** 2).sum(axis=2)
    found: Reals = np.exp(-GAMMA * square)
    return found


def views(n: int, seed: int) -> tuple[dict[str, Reals], npt.NDArray[np.int64]]:
    """Three views of two classes; each instance lacks each view with a chance of a third, never all."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    lost = rng.random((n, 3)) < 1 / 3
    lost[np.arange(n), rng.integers(3, size=n)] = False
    X = {}
    for v, name in enumerate(NAMES):
        table = rng.normal(size=(n, 3)) + np.outer(y, np.full(3, 1.2 - 0.3 * v))
        X[name] = np.where(lost[:, [v]], np.nan, table)
    return X, y


def present(X: dict[str, Reals]) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = np.stack([~np.isnan(X[name]).all(axis=1) for name in NAMES], axis=1)
    return found


def mean_mkl(missing: str, **others: Any) -> MKLClassifier:
    return MKLClassifier(
        "mean", kernels=KERNELS, C=2.0, machine_tol=1e-8, missing=missing, **others
    )


def svc(K: Reals, y: Any) -> SVC:
    return SVC(C=2.0, kernel="precomputed", tol=1e-8).fit(K, y)


@pytest.mark.parametrize("missing", ["zero", "mean"])
def test_filled_features(missing: str) -> None:
    X, y = views(60, 0)
    new, _ = views(40, 1)
    row = {n: np.zeros(3) if missing == "zero" else np.nanmean(X[n], axis=0) for n in NAMES}

    def filled(of: dict[str, Reals]) -> dict[str, Reals]:
        return {n: np.where(np.isnan(of[n]), row[n], of[n]) for n in NAMES}

    A, B = filled(X), filled(new)
    machine = svc(np.mean([rbf(A[n], A[n]) for n in NAMES], axis=0), y)
    want = machine.decision_function(np.mean([rbf(B[n], A[n]) for n in NAMES], axis=0))
    # Rows of means are not taken for the ordinary ones, from which all others would be far away.
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*times as far from the others")
        clf = mean_mkl(missing).fit(X, y)
    np.testing.assert_allclose(clf.decision_function(new), want, atol=1e-5)
    assert clf.lacking_ is not None and clf.lacking_["handling"] == missing
    assert clf.lacking_["complete"] == present(X).all(axis=1).sum()


def test_dropped_instances() -> None:
    X, y = views(60, 2)
    new, _ = views(40, 3)
    whole = present(X).all(axis=1)
    A = {n: X[n][whole] for n in NAMES}
    machine = svc(np.mean([rbf(A[n], A[n]) for n in NAMES], axis=0), y[whole])
    # New instances: the mean of the kernels that are there.
    K = np.stack([rbf(np.nan_to_num(new[n]), A[n]) for n in NAMES], axis=2)
    there = present(new)[:, None, :]
    want = machine.decision_function((K * there).sum(axis=2) / there.sum(axis=2))
    clf = mean_mkl("drop").fit(X, y)
    np.testing.assert_allclose(clf.decision_function(new), want, atol=1e-5)
    alone = mean_mkl("refuse").fit(A, y[whole])
    assert np.array_equal(clf.decision_function(new), alone.decision_function(new))
    assert np.isin(clf.support_, np.flatnonzero(whole)).all()


def test_estimated_similarities() -> None:
    """Estimates, the least eigenvalue of each kernel on its diagonal, machines, and new rows, in numpy."""
    X, y = views(50, 4)
    new, _ = views(30, 5)
    mask, other = present(X), present(new)
    raw = np.stack([rbf(np.nan_to_num(X[n]), np.nan_to_num(X[n])) for n in NAMES], axis=2)
    size, neutral = np.empty(3), np.empty(3)
    for m in range(3):
        known = raw[np.ix_(mask[:, m], mask[:, m])][:, :, m]
        size[m] = np.sqrt((known**2).mean())
        neutral[m] = known[~np.eye(len(known), dtype=bool)].mean()

    def filled(K: Reals, both: npt.NDArray[np.bool_]) -> Reals:
        sources = both.sum(axis=2)
        mean = (K / size * both).sum(axis=2) / np.maximum(sources, 1)
        guess = np.where(sources[:, :, None] > 0, mean[:, :, None] * size, neutral)
        found: Reals = np.where(both, K, guess)
        return found

    train = filled(raw, mask[:, None] & mask[None])
    least = [np.linalg.eigvalsh(train[:, :, m])[0] for m in range(3)]
    assert max(least) < -0.1
    lifted = train.mean(axis=2) - np.mean(least) * np.eye(50)
    machine = svc(lifted, y)
    K = np.stack([rbf(np.nan_to_num(new[n]), np.nan_to_num(X[n])) for n in NAMES], axis=2)
    test = filled(K, other[:, None] & mask[None]).mean(axis=2)
    clf = mean_mkl("estimate").fit(X, y)
    np.testing.assert_allclose(clf.decision_function(new), machine.decision_function(test), atol=1e-4)
    # A machine without limits on its coefficients, whose residuals are in proportion to them.
    t = y + 0.1 * np.random.default_rng(9).normal(size=50)
    ridge = MKLRegressor("mean", kernels=KERNELS, machine="kernel_ridge:lambda=0.3", missing="estimate").fit(X, t)
    a = np.zeros(50)
    a[ridge.support_] = np.ravel(ridge.dual_coef_)
    b = float(np.ravel(ridge.intercept_)[0])
    np.testing.assert_allclose(ridge.predict(new), test @ a + b, atol=1e-9)
    np.testing.assert_allclose(t - lifted @ a - b, 0.3 * a, atol=1e-9)
    assert abs(a.sum()) < 1e-9


@pytest.mark.parametrize("task", ["classify", "regress", "detect"])
def test_a_machine_for_each_view(task: str) -> None:
    """``late_mean`` beside scikit-learn's machines, each on the instances that have its view."""
    X, y = views(60, 6)
    new, _ = views(40, 7)
    rng = np.random.default_rng(8)
    t = y + 0.1 * rng.normal(size=60)
    values = np.zeros((40, 3))
    for v, name in enumerate(NAMES):
        own = present(X)[:, v]
        A = X[name][own]
        K, L = rbf(A, A), rbf(np.nan_to_num(new[name]), A)
        if task == "classify":
            values[:, v] = svc(K, y[own]).decision_function(L)
        elif task == "regress":
            machine = SVR(C=2.0, epsilon=0.05, kernel="precomputed", tol=1e-8).fit(K, t[own])
            values[:, v] = machine.predict(L)
        else:
            machine = OneClassSVM(nu=0.3, kernel="precomputed", tol=1e-8).fit(K)
            values[:, v] = machine.decision_function(L) / (0.3 * own.sum())
    there = present(new)
    want = (values * there).sum(axis=1) / there.sum(axis=1)
    common = {"kernels": KERNELS, "machine_tol": 1e-8}
    if task == "classify":
        found = MKLClassifier("late_mean", C=2.0, **common).fit(X, y).decision_function(new)
    elif task == "regress":
        reg = MKLRegressor("late_mean", C=2.0, epsilon=0.05, **common)
        found = reg.fit(X, t).predict(new)
    else:
        found = MKLOutlierDetector("late_mean", nu=0.3, **common).fit(X).decision_function(new)
    np.testing.assert_allclose(found, want, atol=2e-5)


def test_tables_with_an_index_and_views_that_are_not_there() -> None:
    X, y = views(60, 9)
    new, _ = views(40, 10)
    ids = [f"p{i}" for i in range(60)]
    frames = {
        n: pd.DataFrame(X[n], index=ids)[present(X)[:, v]].sample(frac=1.0, random_state=v)
        for v, n in enumerate(NAMES)
    }
    labels = pd.Series(y, index=ids)
    for method in ("late_mean", "mean"):
        plain = MKLClassifier(method, kernels=KERNELS, machine_tol=1e-8).fit(X, y)
        indexed = MKLClassifier(method, kernels=KERNELS, machine_tol=1e-8).fit(frames, labels)
        a, b = plain.decision_function(new), indexed.decision_function(new)
        np.testing.assert_allclose(a, b, atol=1e-5)
        assert plain.lacking_ == indexed.lacking_
        # A view that no new instance has.
        nothing = {**X, "b": np.full_like(X["b"], np.nan)}
        some = present(nothing).any(axis=1)
        nothing = {n: nothing[n][some] for n in NAMES}
        want = plain.decision_function(nothing)
        assert np.array_equal(plain.decision_function({**nothing, "b": None}), want)
        # Frames of new instances need not have the same.
        rows = pd.DataFrame(new["a"], index=range(100, 140)), pd.DataFrame(new["c"], index=range(100, 140))
        kept = [f[~f.isna().all(axis=1)] for f in rows]
        told = plain.decision_function({"a": kept[0], "b": None, "c": kept[1]})
        assert len(told) == len(kept[0].index.union(kept[1].index))
    columns = np.hstack([X[n] for n in NAMES])
    parts = {n: slice(3 * v, 3 * v + 3) for v, n in enumerate(NAMES)}
    one = MKLClassifier("late_mean", views=parts, kernels=KERNELS, machine_tol=1e-8).fit(columns, y)
    late = MKLClassifier("late_mean", kernels=KERNELS, machine_tol=1e-8).fit(X, y)
    table = np.hstack([new[n] for n in NAMES])
    np.testing.assert_allclose(one.decision_function(table), late.decision_function(new), atol=1e-9)
    from sklearn.model_selection import cross_val_score

    assert cross_val_score(one, columns, y, cv=3).mean() > 0.6
    found = cokernel.cross_validate_bank({"late": late, "mean": mean_mkl("auto")}, X, y, cv=3)
    for one in (late, mean_mkl("auto")):
        name = "late" if one is late else "mean"
        alone = cokernel.cross_validate_bank({"one": one}, X, y, cv=3)
        assert np.array_equal(found[name]["test_score"], alone["one"]["test_score"])


def test_what_is_refused() -> None:
    X, y = views(60, 11)
    for name in NAMES:
        X[name][7] = np.nan
    with pytest.raises(ValueError, match="instance 7 has none of the views 'a', 'b', 'c'"):
        mean_mkl("auto").fit(X, y)
    clf = mean_mkl("drop").fit(X, y)
    with pytest.raises(ValueError, match="instance 7 has none of the views"):
        clf.predict(X)
    with pytest.raises(ValueError, match="parameter 'missing': .*per_view is for late_mean, ekp"):
        mean_mkl("per_view").fit(X, y)
    with pytest.raises(ValueError, match="unknown treatment of missing views 'men'.*'mean'"):
        mean_mkl("men").fit(X, y)
    with pytest.raises(ValueError, match="missing=refuse learns from none such"):
        mean_mkl("refuse").fit(X, y)
    nobody = {**X, "b": np.full_like(X["b"], np.nan)}
    with pytest.raises(ValueError, match="view 'b' is missing for every instance"):
        mean_mkl("mean").fit({n: t[np.arange(60) != 7] for n, t in nobody.items()}, np.delete(y, 7))


def test_the_program_predicts_the_same(tmp_path: Path, command_line: str) -> None:
    X, y = views(60, 12)
    new, _ = views(40, 13)
    for name in NAMES:
        table = pd.DataFrame(new[name], columns=["u", "v", "w"])
        table.to_csv(tmp_path / f"{name}.csv", index=False, na_rep="NA")
    flags = [f for n in NAMES for f in ("--view", f"{n}={tmp_path / n}.csv")]
    for clf in (
        mean_mkl("drop"),
        mean_mkl("mean"),
        mean_mkl("estimate"),
        MKLClassifier("late_mean", kernels=KERNELS),
        MKLClassifier("medfc", kernels=KERNELS),
    ):
        clf.fit(X, y).save(tmp_path / "m.ck")
        command = [command_line, "predict", str(tmp_path / "m.ck"), *flags, "--json"]
        told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        values = np.array(told["decisions"])[:, 0]
        here = clf.decision_function(new)
        np.testing.assert_allclose(np.abs(values), np.abs(here), atol=1e-12)
        again = cokernel.load(tmp_path / "m.ck")
        np.testing.assert_allclose(np.abs(again.decision_function(new)), np.abs(here), atol=1e-12)


def test_a_model_that_looks_at_some_views_is_the_same_when_read(tmp_path: Path) -> None:
    """Kept are the views that it reads; rows that lack all of these have another."""
    X, y = views(60, 14)
    X["a"] = np.where(np.isnan(X["a"]), np.nan, X["a"] + 4.0 * y[:, None])
    new, _ = views(40, 15)
    for missing in ("auto", "mean", "drop"):
        clf = MKLClassifier("best_single", kernels=KERNELS, missing=missing).fit(X, y)
        assert (np.asarray(clf.weights_) > 0).sum() == 1
        clf.save(tmp_path / "m.ck")
        again = cokernel.load(tmp_path / "m.ck").decision_function(new)
        assert np.array_equal(np.abs(again), np.abs(clf.decision_function(new)))
    with pytest.warns(UserWarning, match="of them by the constant of the model"):
        clf.predict(new)


def test_dropped_instances_and_weights_of_zero() -> None:
    X, y = views(60, 16)
    weights = np.ones(60)
    weights[np.flatnonzero(present(X).all(axis=1))[:3]] = 0
    kept = weights > 0
    found = mean_mkl("drop").fit(X, y, sample_weight=weights)
    alone = mean_mkl("drop").fit({n: t[kept] for n, t in X.items()}, y[kept])
    assert np.array_equal(found.support_, np.flatnonzero(kept)[alone.support_])
    new, _ = views(40, 17)
    assert np.array_equal(found.decision_function(new), alone.decision_function(new))


def test_widths_are_those_of_the_instances_that_have_the_view() -> None:
    X, y = views(80, 18)
    for missing in ("mean", "zero"):
        clf = MKLClassifier("mean", kernels=["gaussian"], missing=missing).fit(X, y)
        for v, name in enumerate(NAMES):
            own = present(X)[:, v]
            alone = MKLClassifier("mean", kernels=["gaussian"]).fit({name: X[name][own]}, y[own])
            assert alone.weights_[0].kernel == clf.weights_[v].kernel


@pytest.mark.parametrize("method", ["late_mean", "mean"])
def test_similarities_to_instances_that_lack_the_view(method: str) -> None:
    """New instances have no similarity to them: NaN, and what stands there is not read."""
    rng = np.random.default_rng(19)
    y = np.arange(60) % 2
    tables = [rng.normal(size=(60, 3)) + y[:, None] for _ in range(2)]
    K = {name: t @ t.T for name, t in zip("ab", tables)}
    lacks = np.arange(60) % 5 == 0
    K["a"][lacks] = np.nan
    K["a"][:, lacks] = np.nan
    train, test = np.arange(60) < 35, np.arange(60) >= 35
    clf = MKLClassifier(method, kernels="precomputed", C=2.0)
    clf.fit({n: k[np.ix_(train, train)] for n, k in K.items()}, y[train])
    new = {n: k[np.ix_(test, train)] for n, k in K.items()}
    values = clf.decision_function(new)
    a = np.where(np.isnan(new["a"]) & ~lacks[test][:, None], 7.0, new["a"])
    assert np.array_equal(clf.decision_function({**new, "a": a}), values)
    other = new["b"].copy()
    other[:, clf.support_[0]] = np.nan
    with pytest.raises(ValueError, match="is NaN, and the training instance that it belongs to has the view"):
        clf.decision_function({**new, "b": other})
    # Folds are cut alike by hand.
    folds = list(StratifiedKFold(3).split(y, y))
    found = cokernel.cross_validate_bank(clf, K, y, cv=folds)["test_score"]
    for (old, held), score in zip(folds, found):
        part = clf.fit({n: k[np.ix_(old, old)] for n, k in K.items()}, y[old])
        assert part.score({n: k[np.ix_(held, old)] for n, k in K.items()}, y[held]) == score


def test_searches_keep_apart_what_wants_other_estimates() -> None:
    """Kernels with unit diagonals were once taken for those of the other methods, or the other way round."""
    X, y = views(60, 23)
    both = {m: MKLClassifier(m, kernels=KERNELS, missing="estimate", random_state=0) for m in ("hyperkernels", "mean")}
    for order in (["hyperkernels", "mean"], ["mean", "hyperkernels"]):
        found = cokernel.cross_validate_bank({m: both[m] for m in order}, X, y, cv=3)
        for m in order:
            alone = cokernel.cross_validate_bank(both[m], X, y, cv=3)
            assert np.array_equal(found[m]["test_score"], alone["test_score"]), (order, m)


def test_deviations_that_may_be_too_small_are_told() -> None:
    X, y = views(60, 25)
    own = cokernel.GaussianProcessMKLRegressor(missing="estimate", random_state=0).fit(X, y + 0.0)
    with pytest.warns(UserWarning, match="their standard deviations may be too small"):
        own.predict(X, return_std=True)


def test_nobody_has_what_a_loaded_model_looks_at(tmp_path: Path) -> None:
    rng = np.random.default_rng(26)
    y = np.arange(40) % 2
    X = {"a": rng.normal(size=(40, 2)), "b": rng.normal(size=(40, 2)) + 3.0 * y[:, None]}
    clf = MKLClassifier("best_single", missing="drop", random_state=0).fit(X, y)
    clf.save(tmp_path / "m.ck")
    new = {"a": X["a"], "b": None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.array_equal(cokernel.load(tmp_path / "m.ck").decision_function(new), clf.decision_function(new))


def test_an_unlabelled_similarity_may_have_gaps() -> None:
    X, y = views(60, 24)
    K = {}
    for name in NAMES:
        lacks = np.isnan(X[name]).all(axis=1)
        K[name] = rbf(np.nan_to_num(X[name]), np.nan_to_num(X[name]))
        K[name][lacks], K[name][:, lacks] = np.nan, np.nan
    given = dict(kernels="precomputed", views=list(NAMES), missing="estimate")
    # As many new instances as there were in training, of which others lack views; two folds are such.
    clf = MKLClassifier("mean", **given).fit(K, y)
    new = {name: k.copy() for name, k in K.items()}
    new["a"][7] = np.nan
    here = np.arange(60) != 7
    np.testing.assert_allclose(clf.decision_function(new)[here], clf.decision_function(K)[here], atol=1e-12)
    cokernel.cross_validate_bank(MKLClassifier("mean", **given), K, y, cv=2)
    clf = MKLClassifier("mean", machine="laplacian_svm", **given).fit(K, np.where(np.arange(60) < 40, y, -1))
    assert np.array_equal(clf.predict(K)[40:], clf.transduction_[40:])
    assert (clf.predict(K)[40:] == y[40:]).mean() > 0.6


def test_a_comparison_leaves_out_what_cannot_do_it(tmp_path: Path, command_line: str) -> None:
    X, y = views(60, 21)
    flags = []
    for name in NAMES:
        pd.DataFrame(X[name], columns=["u", "v", "w"]).to_csv(tmp_path / f"{name}.csv", index=False, na_rep="NA")
        flags += ["--view", f"{name}={tmp_path / name}.csv"]
    pd.DataFrame({"y": y}).to_csv(tmp_path / "y.csv", index=False)
    command = [command_line, "compare", *flags, "--labels", str(tmp_path / "y.csv"), "--folds", "2"]
    ended = subprocess.run([*command, "--missing", "estimate", "--methods", "concat,mean"], check=True, capture_output=True, text=True)
    assert "concat" in ended.stdout and "left out" not in ended.stderr
    ended = subprocess.run([*command, "--missing", "per_view", "--methods", "concat,ekp"], capture_output=True, text=True)
    said = " ".join(ended.stderr.split())
    assert ended.returncode != 0 and "learns one combination of all kernels" in said


def near(known: dict[str, np.ndarray], asked: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Features that rows of `asked` lack, as the means of the ten nearest of `known`."""
    has = {name: ~np.isnan(table[:, 0]) for name, table in known.items()}
    spread = {name: 2 * table[has[name]].var(axis=0).sum() for name, table in known.items()}
    filled = {name: table.copy() for name, table in asked.items()}
    for i in range(len(next(iter(asked.values())))):
        own = [name for name in asked if not np.isnan(asked[name][i, 0])]
        squares = np.array([((known[w] - asked[w][i]) ** 2).sum(axis=1) / spread[w] for w in own])
        D = np.array([np.nanmean(s) if not np.isnan(s).all() else np.inf for s in squares.T])
        for name in set(asked) - set(own):
            D_v = np.where(has[name], D, np.inf)
            rows = np.argsort(D_v, kind="stable")[:10]
            rows = rows[np.isfinite(D_v[rows])]
            s = np.exp(-D_v[rows])
            filled[name][i] = s @ known[name][rows] / s.sum() if len(rows) else known[name][has[name]].mean(axis=0)
    return filled


@pytest.mark.parametrize("method", ["concat", "gpk", "lpk", "alignment_gradient", "gmkl"])
def test_features_are_estimated_for_methods_that_make_kernels_of_them(tmp_path: Path, method: str) -> None:
    X, y = views(120, 5)
    old, new = [{name: table[rows] for name, table in X.items()} for rows in (slice(80), slice(80, None))]
    given: dict[str, Any] = dict(kernels=["gaussian:sigma=2"], random_state=0)
    if method == "alignment_gradient":
        given["method_params"] = {"over": "widths"}
    # What is not convex goes other ways by rounding, and stops short of its optimum.
    part = 1e-6 if method == "concat" else 0.05
    clf = MKLClassifier(method, missing="estimate", **given).fit(old, y[:80])
    by_hand = MKLClassifier(method, **given).fit(near(old, old), y[:80])
    assert clf.lacking_["handling"] == "estimate"
    found, wanted = clf.decision_function(new), by_hand.decision_function(near(old, new))
    np.testing.assert_allclose(found, wanted, rtol=part, atol=part * np.abs(wanted).max())
    by_mean = MKLClassifier(method, missing="mean", **given).fit(old, y[:80]).decision_function(new)
    assert np.abs(by_mean - wanted).max() > 2 * part * np.abs(wanted).max()
    clf.save(tmp_path / "m.ck")
    again = cokernel.load(tmp_path / "m.ck")
    assert np.array_equal(again.decision_function(new), found)
    # A row is told alone as with others, and complete rows as if nobody lacked anything.
    one = {name: table[:1] for name, table in new.items()}
    np.testing.assert_allclose(clf.decision_function(one), found[:1], rtol=1e-10, atol=1e-12)
    nowhere = {name: np.full((1, 3), np.nan) for name in NAMES}
    with pytest.raises(ValueError, match="none of the views"):
        clf.predict(nowhere)
    # Of complete instances a model that was asked to estimate does so for new ones.
    full = near(old, old)
    clf = MKLClassifier(method, missing="estimate", **given).fit(full, y[:80])
    wanted = MKLClassifier(method, **given).fit(full, y[:80]).decision_function(near(full, new))
    np.testing.assert_allclose(clf.decision_function(new), wanted, rtol=part, atol=part * np.abs(wanted).max())
