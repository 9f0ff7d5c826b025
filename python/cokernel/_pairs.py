"""Pairs of instances that belong together or apart, as users give them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._base import RENAMED, parameter, seed_of, whole
from ._classes import known_classes
from ._index import is_numbering

#: What says that two instances are of one class (1) or of two (-1).
LINKS = {"must": 1, "must_link": 1, "must-link": 1, "cannot": -1, "cannot_link": -1, "cannot-link": -1}


def pairs_of(
    pairs: Any, ids: Any, count: int, kept: npt.NDArray[np.intp] | None
) -> npt.NDArray[np.float64] | None:
    """Two rows, 1 or -1 and a weight for each pair, among ``kept`` of ``count`` instances with these ids.

    Pairs of which an instance is not among those that are kept are left out.
    """
    if pairs is None:
        return None
    place = _places(ids, count)
    seen: dict[tuple[int, int], tuple[int, float, int]] = {}
    for p, line in enumerate(_lines(pairs)):
        try:
            first, second, link, *rest = line
            if len(rest) > 1:
                raise ValueError
        except (TypeError, ValueError):
            raise ValueError(
                f"pairs: expected two instances, a link (1 or -1, 'must' or 'cannot') and, if it is not "
                f"1, a weight for each pair, found {line!r} for pair {p}"
            ) from None
        i, j = (_row(p, name, place, count) for name in (first, second))
        if i == j:
            raise ValueError(
                f"pairs: pair {p}: instance {first!r} is paired with itself; expected two instances"
            )
        sign, pair = _sign(p, link), (max(i, j), min(i, j))
        weight = _weight(p, rest)
        known, before, at = seen.setdefault(pair, (sign, weight, p))
        if known != sign:
            word = {1: "must-link", -1: "cannot-link"}
            raise ValueError(
                f"pairs: pair {p}: {first!r} and {second!r} are {word[sign]} here, but {word[known]} "
                f"in pair {at}; keep one of the two"
            )
        if before != weight:
            raise ValueError(
                f"pairs: pair {p}: {first!r} and {second!r} have weight {weight:g} here, but {before:g} "
                f"in pair {at}; keep one of the two"
            )
    rows: Any = np.arange(count)
    if kept is not None:
        rows = np.full(count, -1)
        rows[kept] = np.arange(len(kept))
    found = [(rows[i], rows[j], sign, weight) for (i, j), (sign, weight, _) in seen.items()]
    return np.array([f for f in found if min(f[:2]) >= 0], dtype=np.float64).reshape(-1, 4)


def _lines(pairs: Any) -> Sequence[Any]:
    """The pairs one by one."""
    if hasattr(pairs, "to_numpy"):
        pairs = pairs.to_numpy()
    if isinstance(pairs, np.ndarray):
        if pairs.ndim != 2 or pairs.shape[1] not in (3, 4):
            raise ValueError(
                "pairs: expected an array with three columns (two instances, and 1 or -1) or four (and a "
                f"weight), found shape {pairs.shape}"
            )
        lines: list[Any] = pairs.tolist()
        return lines
    try:
        return list(pairs)
    except TypeError:
        raise ValueError(
            f"pairs: expected a list of (instance, instance, link) or an array, found {pairs!r}"
        ) from None


def _places(ids: Any, count: int) -> dict[Any, int] | None:
    """The row of each id; None where instances go by their row numbers."""
    if ids is None or is_numbering(ids) or len(ids) != count:
        return None
    if not ids.is_unique:
        raise ValueError("pairs: the index of the instances names one of them twice")
    place = {str(name): i for i, name in enumerate(ids)}
    return {**place, **{name: i for i, name in enumerate(ids)}}


def _row(p: int, name: Any, place: dict[Any, int] | None, count: int) -> int:
    if place is not None:
        try:
            return place[name]
        except (KeyError, TypeError):
            raise ValueError(
                f"pairs: pair {p}: there is no instance {name!r} in the index of the instances"
            ) from None
    whole = isinstance(name, Real) and not isinstance(name, bool) and float(name).is_integer()
    if not whole:
        raise ValueError(
            f"pairs: pair {p}: expected a row number, because the instances have no index, found "
            f"{name!r}"
        )
    if not 0 <= name < count:
        raise ValueError(
            f"pairs: pair {p}: there is no row {int(name)}; rows are numbered from 0 to {count - 1}"
        )
    return int(name)


def _weight(p: int, rest: list[Any]) -> float:
    """What the pair counts beside others of its kind."""
    if not rest:
        return 1.0
    try:
        weight = float(rest[0])
    except (TypeError, ValueError):
        weight = np.nan
    if not (np.isfinite(weight) and weight >= 0.0):
        raise ValueError(
            f"pairs: pair {p}: its weight is {rest[0]!r}; expected a finite number, 0 or more"
        )
    return weight


def _sign(p: int, link: Any) -> int:
    """1 or -1."""
    if isinstance(link, str) and link.lower() in LINKS:
        return LINKS[link.lower()]
    try:
        sign = float(link)
    except (TypeError, ValueError):
        sign = 0.0
    if isinstance(link, (bool, np.bool_)) or sign not in (1.0, -1.0):
        raise ValueError(f"pairs: pair {p}: expected 1, -1, 'must' or 'cannot', found {link!r}")
    return int(sign)


class PairLearner:
    """How clusterers and embeddings learn the weights of kernels from must-link and cannot-link pairs.

    Parameters
    ----------
    method : str, default="two_stage"
        Registry id of a method that learns from pairs.
    combine : {"sum", "views"}
        One similarity of all weighted kernels, or one for each view, for methods that compare views.
    params
        Parameters of the method, by name; ``lambda`` is ``lam``, as Python keeps the word for itself.

    Examples
    --------
    >>> from cokernel import MultiViewSpectralClustering, PairLearner
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, n_classes=2, separations=[3.0, 0.0], random_state=0)
    >>> known = [(i, i + step) for i in range(50) for step in (3, 4)]
    >>> pairs = [(i, j, 1 if y[i] == y[j] else -1) for i, j in known]
    >>> clusterer = MultiViewSpectralClustering(
    ...     2, method="spectral", pair_learner=PairLearner(penalty="l1"), random_state=0
    ... )
    >>> labels = clusterer.fit(X, pairs=pairs).labels_
    >>> float(max((labels == y).mean(), (labels != y).mean())) > 0.9
    True
    """

    def __init__(self, method: str = "two_stage", *, combine: str = "sum", **params: Any) -> None:
        own = {short: name for name, short in RENAMED.items()}
        twice = [short for short, name in own.items() if short in params and name in params]
        if twice:
            raise TypeError(f"PairLearner: '{twice[0]}' and '{own[twice[0]]}' are one parameter")
        self.method = method
        self.combine = combine
        self.params = {own.get(name, name): value for name, value in params.items()}

    def __repr__(self) -> str:
        params = {RENAMED.get(name, name): value for name, value in self.params.items()}
        named = {"combine": self.combine, **params}
        shown = [repr(self.method), *(f"{k}={v!r}" for k, v in named.items())]
        return f"PairLearner({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PairLearner) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


def native_pairs(
    learner: Any, pairs: Any, ids: Any, count: int
) -> tuple[int, npt.NDArray[np.float64], str, list[tuple[str, Any]], str] | None:
    """What the library is told of pairs and of what learns from them."""
    if learner is not None and not isinstance(learner, PairLearner):
        raise TypeError(f"pair_learner: expected a PairLearner or None, found {learner!r}")
    lines = pairs_of(pairs, ids, count, None)
    if lines is None:
        return None
    how = learner or PairLearner()
    params = [(name, parameter(f"parameter '{name}'", value)) for name, value in how.params.items()]
    return count, lines, str(how.method), params, str(how.combine)


def pairs_of_tasks(y: Any, *, most: int = 10_000, random_state: Any = None) -> npt.NDArray[Any]:
    """The pairs of several tasks on the same instances, for the ``pairs`` of estimators.

    Two instances belong together if a task puts them in one class, and apart if a task puts them in two; of
    pairs on which tasks differ none is taken. Each task counts as much as any other, with what is left of its
    pairs, however many labels it has. Weights of kernels are then learned from all tasks at once, also for a task with few
    labels.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, n_tasks)
        The classes, None or NaN where they are not known. Classes are the same where they are equal: 1 and 1.0 are,
        1 and "1" are not.
    most : int, default=10000
        Pairs of each kind that are drawn from a task at most.
    random_state : int, RandomState or None
        Decides which.

    Returns
    -------
    ndarray of shape (p, 4)
        Two row numbers, 1 or -1, and a weight; entries of the index in place of row numbers if ``y`` has one, as estimators
        then read them.

    Raises
    ------
    ValueError
        No two instances belong together, or none belong apart.

    Examples
    --------
    >>> from cokernel import pairs_of_tasks
    >>> pairs_of_tasks([["a", None], ["a", "x"], ["b", "x"]])[:, :3].astype(int).tolist()
    [[1, 0, 1], [2, 0, -1]]
    """
    tasks = _tasks(y)
    ids = getattr(y, "index", None)
    if not hasattr(ids, "is_unique") or is_numbering(ids):
        ids = None
    if ids is not None and not ids.is_unique:
        raise ValueError("y: its index names an instance twice")
    codes = []
    for task in tasks:
        values, known = known_classes(task, negative=False)
        places: dict[Any, int] = {}
        try:
            codes.append(
                [places.setdefault(v, len(places)) if k else -1 for v, k in zip(values.tolist(), known)]
            )
        except TypeError:
            raise ValueError("y: expected classes that can be compared, found lists") from None
    many = min(whole("most", most), 2**62)
    found: npt.NDArray[Any] = _native.task_pairs(codes, many, seed_of(random_state))
    if ids is None:
        return found
    named = found.astype(object)
    for column in (0, 1):
        named[:, column] = [ids[int(row)] for row in found[:, column]]
    return named


def _tasks(y: Any) -> list[Any]:
    """The classes of each task."""
    if hasattr(y, "iloc"):
        return [y.iloc[:, t] for t in range(y.shape[1])] if y.ndim == 2 else [y]
    if hasattr(y, "ndim"):
        if y.ndim not in (1, 2):
            raise ValueError(f"y: expected shape (n,) or (n, n_tasks), found {y.shape}")
        return list(y.T) if y.ndim == 2 else [y]
    rows = list(y)
    listed = [isinstance(row, (list, tuple, np.ndarray)) for row in rows]
    if not any(listed):
        return [rows]
    if not all(listed) or len({len(row) for row in rows}) != 1:
        raise ValueError("y: expected one class for each instance, or as many for each as there are tasks")
    return [list(task) for task in zip(*rows)]
