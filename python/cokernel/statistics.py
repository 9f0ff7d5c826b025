"""Which methods differ: tests for scores on splits of a data set, and on several data sets.

On the splits of one data set the training sets overlap, so that scores are not independent: ``t_test`` with
the ratio of the sizes of test and training set, or ``f_5x2`` for the ten scores of 5×2 cross-validation. On
several data sets two methods are compared by ``wilcoxon``, more of them by ``friedman`` and ``nemenyi``;
several comparisons at once by ``holm``. ``compare`` does all of it for a table. All p-values are two-sided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _native
from ._json import loads

__all__ = [
    "Comparison",
    "Ranking",
    "Tested",
    "compare",
    "f_5x2",
    "friedman",
    "holm",
    "nemenyi",
    "t_test",
    "wilcoxon",
]


class Tested(NamedTuple):
    """A statistic (t, F, or the smaller sum of ranks), its p-value and the number of differences."""

    statistic: float
    p: float
    n: int


class Ranking(NamedTuple):
    """Mean ranks of methods (1 is the best), Friedman's χ² and the F of Iman and Davenport with p-values."""

    mean_ranks: npt.NDArray[np.float64]
    blocks: int
    chi_squared: float
    p: float
    f: float
    f_p: float


def _differences(a: npt.ArrayLike, b: npt.ArrayLike | None) -> list[float]:
    first = np.asarray(a, dtype=np.float64)
    if b is not None:
        second = np.asarray(b, dtype=np.float64)
        if first.shape != second.shape:
            shapes = f"{first.shape} and {second.shape}"
            raise ValueError(f"scores: expected two arrays of the same shape, found {shapes}")
        first = first - second
    if first.ndim != 1:
        raise ValueError(f"scores: expected a one-dimensional array, found {first.ndim} dimensions")
    found: list[float] = first.tolist()
    return found


def _tested(told: str) -> Tested:
    of = loads(told)
    return Tested(float(of["statistic"]), float(of["p"]), int(of["n"]))


def t_test(a: npt.ArrayLike, b: npt.ArrayLike | None = None, test_over_train: float = 0.0) -> Tested:
    """The paired t-test, with the correction of Nadeau and Bengio (2003) for splits of one data set.

    Parameters
    ----------
    a, b : array of shape (r,)
        Scores of two methods on r splits; ``a`` alone: their differences.
    test_over_train : float
        Ratio of the sizes of test and training set: 1/(k − 1) for k folds. 0: independent scores.

    Examples
    --------
    >>> from cokernel import statistics
    >>> round(statistics.t_test([0.02, 0.01, 0.03, 0.0, 0.02], test_over_train=0.25).p, 4)
    0.1046
    """
    return _tested(_native.t_test(_differences(a, b), test_over_train))


def f_5x2(a: npt.ArrayLike, b: npt.ArrayLike | None = None) -> Tested:
    """The combined 5×2 cv F test (Alpaydın 1999), f = Σp²/(2Σs²) with 10 and 5 degrees of freedom.

    Parameters
    ----------
    a, b : array of shape (10,)
        Scores of two methods, the two of a replication after each other; ``a`` alone: differences.

    Examples
    --------
    >>> from cokernel import statistics
    >>> statistics.f_5x2([1.0, 3.0] * 5).statistic
    2.5
    """
    return _tested(_native.f_5x2(_differences(a, b)))


def wilcoxon(a: npt.ArrayLike, b: npt.ArrayLike | None = None, with_zeros: bool = False) -> Tested:
    """Wilcoxon's signed-rank test for two methods on several data sets.

    Parameters
    ----------
    a, b : array of shape (N,)
        Scores of two methods; ``a`` alone: their differences.
    with_zeros : bool
        ``False``: zeros are left out, and up to 50 differences the distribution is exact. ``True``: as in
        Gönen (2010, A.2), ranks of zeros are split evenly and the distribution is normal.

    Examples
    --------
    >>> from cokernel import statistics
    >>> statistics.wilcoxon([1, 2, 3, 4, 5]).p
    0.0625
    """
    return _tested(_native.wilcoxon(_differences(a, b), with_zeros))


def friedman(scores: npt.ArrayLike) -> Ranking:
    """Friedman's test and that of Iman and Davenport for k methods on N data sets.

    Parameters
    ----------
    scores : array of shape (N, k)
        The largest score of a data set has rank 1.

    Examples
    --------
    >>> from cokernel import statistics
    >>> statistics.friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8]]).mean_ranks.tolist()
    [1.0, 2.3333333333333335, 2.6666666666666665]
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"scores: expected an array of shape (data sets, methods), found {table.shape}")
    of = loads(_native.friedman(table.tolist()))
    f = np.inf if of["f"] is None else of["f"]
    ranks = np.array(of["mean_ranks"])
    return Ranking(ranks, of["blocks"], of["chi_squared"], of["p"], float(f), of["f_p"])


def nemenyi(methods: int, blocks: int, alpha: float = 0.05) -> float:
    """The difference of mean ranks from which two of k methods on N data sets differ (Nemenyi).

    Examples
    --------
    >>> from cokernel import statistics
    >>> round(statistics.nemenyi(4, 14), 2)
    1.25
    """
    return _native.nemenyi(methods, blocks, alpha)


def holm(p: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Holm's p-values for several comparisons at once, in the given order.

    Examples
    --------
    >>> from cokernel import statistics
    >>> statistics.holm([0.04, 0.01, 0.03]).tolist()
    [0.06, 0.03, 0.06]
    """
    values = np.asarray(p, dtype=np.float64).ravel()
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("p: expected numbers from 0 to 1")
    return np.array(_native.holm(values.tolist()))


class Comparison:
    """What a table of scores says.

    Attributes
    ----------
    methods : list of str
        Names of the methods.
    pairs : list of dict
        For each data set and pair of methods ``difference`` (mean), ``test`` (``statistic``, ``p``, ``n``, or
        ``None`` for one split) and ``holm``.
    versus : list of dict
        For each pair ``direct`` and ``tested`` (wins, ties and losses of the first), ``wilcoxon`` and ``holm``.
    ranking : dict or None
        Mean ranks and their tests, of several data sets.
    critical_difference : float or None
        Mean ranks this far apart differ.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self.methods: list[str] = told["methods"]
        self.pairs: list[dict[str, Any]] = told["pairs"]
        self.versus: list[dict[str, Any]] = told["versus"]
        self.ranking: dict[str, Any] | None = told["ranking"]
        self.critical_difference: float | None = told["critical_difference"]

    def pair_table(self) -> Any:
        """``pairs`` as a pandas DataFrame."""
        return _flat(self.pairs, "test")

    def versus_table(self) -> Any:
        """``versus`` as a pandas DataFrame."""
        return _flat(self.versus, "wilcoxon")


def _flat(entries: list[dict[str, Any]], test: str) -> Any:
    import pandas

    none = {"statistic": None, "p": None, "n": None}
    return pandas.DataFrame(
        [{k: v for k, v in e.items() if k != test} | (e[test] or none) for e in entries]
    )


def _in_order(
    lines: list[tuple[str, list[float]]], splits: list[str]
) -> list[tuple[str, list[float]]]:
    """Rows by the numbers of their splits, where all are numbers; data sets stay in the order of their first row."""
    if len(splits) != len(lines):
        raise ValueError(f"split: expected {len(lines)} entries, one for each row, found {len(splits)}")
    known: set[tuple[str, str]] = set()
    first: dict[str, int] = {}
    for i, ((name, _), split) in enumerate(zip(lines, splits)):
        if (name, split) in known:
            raise ValueError(f"split: split '{split}' of data set '{name}' is there twice")
        known.add((name, split))
        first.setdefault(name, i)
    try:
        numbers = [float(split) for split in splits]
    except ValueError:
        return lines
    if not np.isfinite(numbers).all():
        return lines
    order = sorted(range(len(lines)), key=lambda i: (first[lines[i][0]], numbers[i]))
    return [lines[i] for i in order]


def compare(
    scores: Any,
    *,
    data: Sequence[Any] | None = None,
    baseline: str | None = None,
    test: str = "t",
    test_over_train: float = 0.0,
    alpha: float = 0.05,
    lower: bool = False,
    with_zeros: bool = False,
) -> Comparison:
    """Compares methods by their scores on splits of one or several data sets.

    Parameters
    ----------
    scores : DataFrame, or dict of str to array of shape (rows,)
        A column for each method, a row for each split. Columns ``data`` (name of the data set) and
        ``split`` are no methods. Splits are in the order of ``split``, where all its entries are numbers, else in that
        of the rows.
    data : sequence of shape (rows,) or None
        The data set of each row, where no column says it. ``None``: all of one.
    baseline : str or None
        All methods are compared with this one instead of all pairs.
    test : {"t", "f_5x2"}
        The test on the splits of a data set.
    test_over_train : float
        Of ``"t"``: see :func:`t_test`.
    alpha : float
        Level of significance, by which wins and losses are counted.
    lower : bool
        Smaller scores are better.
    with_zeros : bool
        See :func:`wilcoxon`.

    Examples
    --------
    >>> from cokernel import statistics
    >>> scores = {"svm": [0.8, 0.7, 0.9], "mkl": [0.9, 0.7, 0.95]}
    >>> found = statistics.compare(scores, data=["iris", "wine", "sonar"])
    >>> found.versus[0]["direct"]
    [0, 1, 2]
    """
    if not isinstance(scores, Mapping) and not hasattr(scores, "columns"):
        raise ValueError(f"scores: expected a DataFrame or a dict of columns, found {type(scores).__name__}")
    columns = scores if isinstance(scores, Mapping) else {str(c): scores[c] for c in scores.columns}
    names = columns.get("data") if data is None else data
    methods = [str(c) for c in columns if str(c) not in ("data", "split")]
    table = [np.asarray(columns[m], dtype=np.float64) for m in methods]
    lengths = {t.shape for t in table}
    if len(lengths) > 1 or any(t.ndim != 1 for t in table):
        raise ValueError(f"scores: expected one number for each row and method, found {lengths}")
    rows = np.stack(table, axis=1).tolist() if table else []
    of = [""] * len(rows) if names is None else [str(n) for n in names]
    if len(of) != len(rows):
        raise ValueError(f"data: expected {len(rows)} names, one for each row, found {len(of)}")
    lines = list(zip(of, rows, strict=True))
    if "split" in columns:
        lines = _in_order(lines, [str(s) for s in columns["split"]])
    if test not in ("t", "f_5x2"):
        raise ValueError(f"test: expected 't' or 'f_5x2', found {test!r}")
    told = _native.compare_scores(
        methods,
        lines,
        baseline,
        alpha,
        test_over_train if test == "t" else None,
        lower,
        with_zeros,
    )
    return Comparison(loads(told))
