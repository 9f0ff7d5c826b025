"""Classes as users give them: names, missing ones, and what cannot be a class."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import column_or_1d

from ._learners import machines_for_unlabelled


def class_names(classes: npt.NDArray[Any]) -> list[str]:
    """Names of classes as label files write them: 1.0 is "1"."""
    names = []
    for c in classes.tolist():
        names.append(str(int(c)) if isinstance(c, float) and c.is_integer() else str(c))
    if len(set(names)) != len(names):
        raise ValueError(f"y: two classes have the same name: {', '.join(names)}")
    return names


def class_kind(classes: npt.NDArray[Any]) -> str:
    """What classes are, as model files say it: text, whole, real or truth."""
    return {"b": "truth", "i": "whole", "u": "whole", "f": "real"}.get(classes.dtype.kind, "text")


def classes_from_names(names: list[str], kind: str | None) -> npt.NDArray[Any]:
    """The classes of a model that was read from a file.

    They are of the kind that the file tells; where it tells none (those of the command line) they are numbers if every
    name is a number as it is usually written.
    """
    if kind == "truth":
        return np.array([name == "True" for name in names])
    known: dict[str | None, list[Any]] = {"whole": [int], "real": [float], None: [int, float]}
    makes = known.get(kind, [])
    for make in makes:
        try:
            values = np.array([make(name) for name in names])
        except (ValueError, OverflowError):
            continue
        if kind is not None or [str(v) for v in values.tolist()] == names:
            return values
    return np.array(names)


def is_missing(one: Any) -> bool:
    """Whether it is None, NaN, NaT or the NA of pandas, which are not equal to themselves."""
    same = one == one
    return one is None or not isinstance(same, (bool, np.bool_)) or not same


def known_classes(
    y: Any, *, negative: bool = True
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Classes of which some may be missing, as an array, and which are there.

    Missing are None, NaN, NA, masked entries, and, if ``negative``, -1 among numbers.
    """
    known = None
    if isinstance(y, np.ma.MaskedArray):
        known, y = ~np.ma.getmaskarray(y), np.asarray(y.data)
    if not hasattr(y, "dtype") and hasattr(y, "__array__"):
        y = np.asarray(y)
    if not hasattr(y, "dtype"):
        # Text and NaN in a list would all become text.
        entries = list(y)
        y = np.empty(len(entries), dtype=object)
        y[:] = entries
    values: npt.NDArray[Any] = column_or_1d(np.asarray(y), warn=True)
    there = np.ones(len(values), dtype=bool) if known is None else known.reshape(-1)
    if values.dtype == np.dtype(object):
        there = there & ~np.array([is_missing(one) for one in values], dtype=bool)
        if negative and all(isinstance(v, Real) for v in values[there]):
            there = there & np.array([t and v != -1 for t, v in zip(there, values)], dtype=bool)
    elif values.dtype.kind in "mM":
        there = there & ~np.isnat(values)
    elif values.dtype.kind in "iuf":
        there = there & (values == values) & ~(negative & (values == -1))
    return values, there


def labelled(values: npt.NDArray[Any], known: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """The classes that are there, in an array of their own type."""
    found = values[known]
    if found.dtype == np.dtype(object):
        refuse_missing_classes(found)
        found = np.asarray(found.tolist())
    return found


def refuse_missing_classes(y: Any) -> None:
    """Classes that are missing, or that cannot be put into one order."""
    missing = np.ma.getmaskarray(y) if isinstance(y, np.ma.MaskedArray) else np.zeros(0, dtype=bool)
    if missing.any():
        raise ValueError(
            f"y: the class of instance {int(np.flatnonzero(missing)[0])} is masked; leave instances "
            f"without a class out, or choose a machine that learns from them: {machines_for_unlabelled()}"
        )
    dtype = getattr(y, "dtype", None)
    if dtype is not None and not isinstance(dtype, np.dtype):
        # Columns of pandas have types of their own for what may be missing.
        y = np.asarray(y, dtype=object)
    elif not isinstance(y, (list, tuple)) and dtype != np.dtype(object):
        return
    kinds: dict[type, Any] = {}
    for i, one in enumerate(y):
        if is_missing(one):
            raise ValueError(
                f"y: the class of instance {i} is missing ({one}); leave instances without a class "
                f"out, or choose a machine that learns from them: {machines_for_unlabelled()}"
            )
        kinds.setdefault(str if isinstance(one, str) else int, one)
    if len(kinds) > 1:
        first, second = kinds.values()
        raise ValueError(
            f"y: the classes are of several types ({first!r} and {second!r}); make all of them "
            "text, or all of them numbers"
        )
