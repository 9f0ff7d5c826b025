"""Tests of differences against scipy and definitions written down here."""

from __future__ import annotations

import numpy as np
import pytest
from cokernel import statistics

scipy_stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize("seed", range(5))
def test_tests_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 12)) + [[0.3], [0.0]]
    theirs = scipy_stats.ttest_rel(a, b)
    assert np.allclose(statistics.t_test(a, b)[:2], [theirs.statistic, theirs.pvalue])
    ours = statistics.wilcoxon(a, b)
    theirs = scipy_stats.wilcoxon(a, b, method="exact")
    assert np.allclose(ours[:2], [theirs.statistic, theirs.pvalue])
    # Zeros split evenly, the normal distribution without corrections: scipy's zsplit but for one odd zero.
    d = np.concatenate([rng.normal(size=20), np.zeros(4)])
    ours = statistics.wilcoxon(d, with_zeros=True)
    theirs = scipy_stats.wilcoxon(d, zero_method="zsplit", correction=False, method="approx")
    assert np.isclose(ours.statistic, theirs.statistic)
    assert np.isclose(ours.p, theirs.pvalue, rtol=0.02)
    scores = rng.normal(size=(9, 4))
    theirs = scipy_stats.friedmanchisquare(*scores.T)
    ranking = statistics.friedman(scores)
    assert np.allclose([ranking.chi_squared, ranking.p], theirs)
    ranks = scipy_stats.rankdata(-scores, axis=1).mean(axis=0)
    assert np.allclose(ranking.mean_ranks, ranks)
    quantile = scipy_stats.studentized_range.ppf(0.95, 4, 1e6) / np.sqrt(2)
    assert np.isclose(statistics.nemenyi(4, 9), quantile * np.sqrt(4 * 5 / 54), rtol=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_the_f_test_is_its_definition(seed: int) -> None:
    p = np.random.default_rng(seed).normal(0.2, 1, size=(5, 2))
    spread = ((p - p.mean(axis=1, keepdims=True)) ** 2).sum()
    f = (p**2).sum() / (2 * spread)
    found = statistics.f_5x2(p.ravel())
    assert np.isclose(found.statistic, f) and np.isclose(found.p, scipy_stats.f.sf(f, 10, 5))


def test_a_table_is_told(tmp_path: object) -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    table = pandas.DataFrame(rng.normal(size=(30, 3)), columns=["a", "b", "c"])
    table["c"] += 30
    table.insert(0, "data", np.repeat(["x", "y", "z"], 10))
    table.insert(1, "split", np.tile(np.arange(10), 3))
    found = statistics.compare(table, baseline="a", test="f_5x2")
    assert [v["first"] for v in found.versus] == ["b", "c"]
    assert found.versus[1]["direct"] == [3, 0, 0] and found.versus[1]["tested"] == [3, 0, 0]
    of = found.pair_table()
    x = table[table["data"] == "x"]
    assert np.isclose(of["p"][1], statistics.f_5x2(x["c"], x["a"]).p)
    worse = statistics.compare(table, baseline="a", test="f_5x2", lower=True)
    assert worse.versus[1]["tested"] == [0, 0, 3]
    assert len(found.versus_table()) == 2


def test_splits_are_in_the_order_that_their_column_says() -> None:
    rng = np.random.default_rng(3)
    scores = {m: rng.normal(size=20) for m in ("a", "b")}
    table = {"data": ["x"] * 10 + ["y"] * 10, "split": [*range(10), *range(10)], **scores}
    want = statistics.compare(table, test="f_5x2").pairs
    order = rng.permutation(10).tolist() + (10 + rng.permutation(10)).tolist()
    turned = {k: [v[i] for i in order] for k, v in table.items()}
    assert statistics.compare(turned, test="f_5x2").pairs == want
    direct = statistics.f_5x2(scores["a"][:10], scores["b"][:10])
    assert want[0]["test"]["statistic"] == pytest.approx(direct.statistic, rel=1e-12)
    # Words are in the order of their rows.
    words = {**turned, "split": [f"s{s}" for s in turned["split"]]}
    assert statistics.compare(words, test="f_5x2").pairs != want
    with pytest.raises(ValueError, match="split '0' of data set 'x' is there twice"):
        statistics.compare({**table, "split": [0, 0, *range(18)]}, test="f_5x2")
    with pytest.raises(ValueError, match="found ndarray"):
        statistics.compare(np.zeros((3, 2)))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: statistics.t_test([1.0]), "at least 2"),
        (lambda: statistics.t_test([1.0, 2.0], [1.0]), "same shape"),
        (lambda: statistics.f_5x2([1.0] * 9), "expected 10"),
        (lambda: statistics.holm([0.1, np.nan]), "from 0 to 1"),
        (lambda: statistics.wilcoxon([np.nan, 1.0]), "finite"),
        (lambda: statistics.friedman([1.0, 2.0]), "shape"),
        (lambda: statistics.compare({"a": [1.0], "b": [2.0]}, test="x"), "f_5x2"),
        (lambda: statistics.compare({"a": [1.0], "b": [2.0]}, baseline="z"), "unknown method"),
        (lambda: statistics.compare({"a": [1.0]}), "at least 2 methods"),
        (lambda: statistics.compare({"a": [1.0], "b": [2.0, 3.0]}), "one number"),
        (lambda: statistics.compare({"a": [1.0], "b": [2.0]}, data=["x", "y"]), "1 names"),
        (lambda: statistics.compare({"a": [1.0], "b": [2.0]}, alpha=2.0), "alpha"),
    ],
)
def test_what_makes_no_sense_is_refused(call: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()  # type: ignore[operator]


def test_statistics_that_are_not_finite_are_numbers() -> None:
    assert statistics.t_test([0.25] * 10).statistic == np.inf
    assert statistics.t_test([-0.25] * 10).statistic == -np.inf
    assert statistics.f_5x2([0.25] * 10).statistic == np.inf
