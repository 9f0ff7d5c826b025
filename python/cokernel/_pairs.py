"""Pairs of instances that belong together or apart, as users give them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ._index import is_numbering

#: What says that two instances are of one class (1) or of two (-1).
LINKS = {"must": 1, "must_link": 1, "must-link": 1, "cannot": -1, "cannot_link": -1, "cannot-link": -1}


def pairs_of(
    pairs: Any, ids: Any, count: int, kept: npt.NDArray[np.intp] | None
) -> npt.NDArray[np.int64] | None:
    """Two rows and 1 or -1 for each pair, among ``kept`` of ``count`` instances with these ids.

    Pairs of which an instance is not among those that are kept are left out.
    """
    if pairs is None:
        return None
    place = _places(ids, count)
    seen: dict[tuple[int, int], tuple[int, int]] = {}
    for p, line in enumerate(_lines(pairs)):
        try:
            first, second, link = line
        except (TypeError, ValueError):
            raise ValueError(
                f"pairs: expected two instances and a link (1 or -1, 'must' or 'cannot') for each "
                f"pair, found {line!r} for pair {p}"
            ) from None
        i, j = (_row(p, name, place, count) for name in (first, second))
        if i == j:
            raise ValueError(
                f"pairs: pair {p}: instance {first!r} is paired with itself; expected two instances"
            )
        sign, pair = _sign(p, link), (max(i, j), min(i, j))
        known, at = seen.setdefault(pair, (sign, p))
        if known != sign:
            word = {1: "must-link", -1: "cannot-link"}
            raise ValueError(
                f"pairs: pair {p}: {first!r} and {second!r} are {word[sign]} here, but {word[known]} "
                f"in pair {at}; keep one of the two"
            )
    rows: Any = np.arange(count)
    if kept is not None:
        rows = np.full(count, -1)
        rows[kept] = np.arange(len(kept))
    found = [(rows[i], rows[j], sign) for (i, j), (sign, _) in seen.items()]
    return np.array([f for f in found if min(f[:2]) >= 0], dtype=np.int64).reshape(-1, 3)


def _lines(pairs: Any) -> Sequence[Any]:
    """The pairs one by one."""
    if hasattr(pairs, "to_numpy"):
        pairs = pairs.to_numpy()
    if isinstance(pairs, np.ndarray):
        if pairs.ndim != 2 or pairs.shape[1] != 3:
            raise ValueError(
                "pairs: expected an array with three columns (two instances, and 1 or -1), found "
                f"shape {pairs.shape}"
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
