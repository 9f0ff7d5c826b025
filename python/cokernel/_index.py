"""Instances by their ids: what carries an index is matched by it.

An index names the instances. The numbering 0, 1, 2, … that pandas gives where nobody has named them
says no more than an array does; it counts as names only where the ids of others are these numbers,
with a warning if their order differs. What has no index is taken by position. Ids of different kinds (1 and "1") are compared as texts.

pandas is not imported here: only what it made has an index.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

#: For each instance the row that is its own; -1 where there is none.
Rows: TypeAlias = "npt.NDArray[np.intp]"

#: Ids that a sentence shows.
SHOWN = 5


@dataclass(frozen=True)
class Carrier:
    """Something with an entry for each instance: what it is called, and its ids, if it has some."""

    name: str
    ids: Any


def ids_of(value: Any) -> Any:
    """The index of a DataFrame or a Series; None for anything else."""
    index = getattr(value, "index", None)
    return index if hasattr(index, "get_indexer") else None


def is_numbering(ids: Any) -> bool:
    """Whether these are the numbers 0, 1, 2, … that pandas gives by itself."""
    return getattr(ids, "start", None) == 0 and getattr(ids, "step", None) == 1


def is_unlabelled(value: Any) -> bool:
    """Whether a table has no ids, or only those that pandas numbers rows with."""
    ids = ids_of(value)
    return ids is None or is_numbering(ids)


def match(carriers: Sequence[Carrier], joined: int = 0) -> tuple[Any, list[Rows | None]]:
    """The ids of the instances, in the order of the first that carries some, and the rows of each.

    Parameters
    ----------
    carriers : sequence of Carrier
        Tables first, then targets and weights.
    joined : int
        How many of the first may lack instances: all their ids count.

    Returns
    -------
    ids : pandas Index or None
        None if instances are known by their position alone.
    rows : list of ndarray or None
        None for what is to be taken as it is.
    """
    as_they_are: list[Rows | None] = [None] * len(carriers)
    named = [c.ids is not None and not is_numbering(c.ids) for c in carriers]
    if not any(named):
        return None, as_they_are
    keys = comparable([c.ids for c in carriers])
    base = keys[named.index(True)]
    takes_part = [
        key is not None and (named[i] or _numbers_rows(key, base)) for i, key in enumerate(keys)
    ]
    taking = [i for i, takes in enumerate(takes_part) if takes]
    first = taking[0]
    if all(keys[i].equals(keys[first]) for i in taking):
        return carriers[first].ids, as_they_are
    for i in taking:
        refuse_repeated(carriers[i].name, keys[i])
    ids, order = carriers[first].ids, keys[first]
    together = [i for i in taking if i < joined]
    if together:
        order = _union(carriers, keys, together)
        if len(order) > len(keys[first]):
            ids = order
    plain = [c.name for c, takes in zip(carriers, takes_part) if not takes]
    incomplete = any(len(keys[i]) < len(order) for i in together)
    if plain and incomplete:
        raise ValueError(
            f"{plain[0]} has no index, but the other views have different instances, which are "
            f"matched by theirs: give {plain[0]} an index, too"
        )
    rows: list[Rows | None] = []
    for i, carrier in enumerate(carriers):
        if not takes_part[i]:
            rows.append(None)
            continue
        if i >= joined:
            if not keys[i].isin(order).any():
                raise ValueError(strangers(carriers[first].name, ids, carrier.name, carrier.ids))
            refuse_others(carriers[first].name, order, carrier.name, keys[i])
        places = keys[i].get_indexer(order)
        same = len(places) == len(keys[i]) and (places == np.arange(len(places))).all()
        rows.append(None if same else places)
    same = [i for i in taking if len(keys[i]) == len(base)]
    numbered = [carriers[i].name for i in same if not named[i]]
    if numbered:
        other = next(c.name for i, c in enumerate(carriers) if named[i])
        warnings.warn(
            f"{numbered[0]} has the numbering 0, 1, 2, … of pandas and is matched by it to the numbers "
            f"in the index of {other}, which have another order; if the rows have the same order, "
            f"reset the index of {other}",
            UserWarning,
            stacklevel=2,
        )
    if plain:
        matched = " and ".join(carriers[i].name for i in taking[:2])
        warnings.warn(
            f"{matched} are matched by their index, for their rows differ in order; {plain[0]} has "
            f"no index and is taken to be in the order of {carriers[first].name}",
            UserWarning,
            stacklevel=2,
        )
    return ids, rows


def comparable(every: Sequence[Any]) -> list[Any]:
    """The ids, as texts where some are numbers and some texts."""
    kinds = [None if ids is None else _kind(ids) for ids in every]
    if "number" not in kinds or "text" not in kinds:
        return list(every)
    return [
        ids.map(_text) if kind == "number" else ids for ids, kind in zip(every, kinds, strict=True)
    ]


def _kind(ids: Any) -> str:
    kind = str(ids.inferred_type)
    if kind in ("integer", "floating", "mixed-integer-float"):
        return "number"
    return "text" if kind == "string" else kind


def _text(number: Any) -> str:
    """1 and 1.0 are "1"."""
    return str(int(number)) if float(number).is_integer() else str(number)


def _numbers_rows(numbering: Any, ids: Any) -> bool:
    """Whether ids are numbers of the rows that pandas numbered, so that the numbering is no accident.

    With as many ids as rows they must be all of the numbers.
    """
    inside = bool(ids.isin(numbering).all())
    if len(ids) == len(numbering):
        return inside and bool(ids.is_unique)
    return inside or bool(numbering.isin(ids).all())


def _union(carriers: Sequence[Carrier], keys: Sequence[Any], together: Sequence[int]) -> Any:
    """All ids in the order of their first occurrence."""
    order = keys[together[0]]
    for i in together[1:]:
        known = keys[i].isin(order)
        if not known.any():
            first = carriers[together[0]]
            raise ValueError(strangers(first.name, first.ids, carriers[i].name, carriers[i].ids))
        order = order.append(keys[i][~known])
    return order


def refuse_repeated(name: str, ids: Any) -> None:
    """Ids that cannot tell the rows apart."""
    if ids.nlevels == 1 and ids.hasnans:
        row = int(np.flatnonzero(ids.isna())[0])
        raise ValueError(f"{name}: row {row} has no id in the index, by which rows are matched")
    if not ids.is_unique:
        again = ids[ids.duplicated()]
        raise ValueError(
            f"{name}: the id {_shown(again[0])} appears twice in the index; rows whose order differs "
            "cannot be matched by it"
        )


def refuse_others(name: str, ids: Any, other: str, found: Any) -> None:
    """Ids that are not those of the instances."""
    lacking, surplus = ids[~ids.isin(found)], found[~found.isin(ids)]
    said = [
        f"only in {where}: {shown(some)}"
        for where, some in ((name, lacking), (other, surplus))
        if len(some)
    ]
    if said:
        raise ValueError(
            f"{name} and {other} have different instances; {'; '.join(said)}; they are matched by "
            "their index: give both the same ids"
        )


def strangers(name: str, ids: Any, other: str, found: Any) -> str:
    """The sentence where no id is in common."""
    return (
        f"{other} has no instance in common with {name}: the ids of {name} are {shown(ids)}, those of "
        f"{other} are {shown(found)}; rows are matched by their index: give both the same ids, or "
        f"{other} without an index (.to_numpy()) to match it by position"
    )


def shown(ids: Any) -> str:
    """The first few."""
    first = ", ".join(_shown(i) for i in ids[:SHOWN])
    return f"{first} and {len(ids) - SHOWN} more" if len(ids) > SHOWN else first


def _shown(one: Any) -> str:
    return repr(one.item() if isinstance(one, np.generic) else one)


def taken(table: Any, rows: Rows | None, axis: int = 0) -> Any:
    """The rows (or columns) with these numbers; NaN for -1."""
    if rows is None:
        return table
    if (rows < 0).any():
        return table.set_axis(range(table.shape[axis]), axis=axis).reindex(rows, axis=axis)
    return table.iloc[rows] if axis == 0 else table.iloc[:, rows]


def square(name: str, table: Any) -> Any:
    """A similarity between the instances themselves, with its columns in the order of its rows.

    Ids on one axis are those of the other where that has none.
    """
    if table.shape[0] != table.shape[1]:
        return table
    rows, columns = table.index, table.columns
    if not is_numbering(columns):
        if is_numbering(rows):
            table = table.copy(deep=False)
            table.index = columns
            return table
        return ordered(f"the columns of {name}", table, f"the rows of {name}", rows)
    if not is_numbering(rows):
        _refuse_ambiguous(name, rows, columns)
    return table


def ordered(what: str, table: Any, of: str, ids: Any) -> Any:
    """A similarity whose columns are in the order of these ids."""
    wanted, columns = comparable([ids, table.columns])
    if columns.equals(wanted):
        return table
    refuse_repeated(of, wanted)
    refuse_repeated(what, columns)
    refuse_others(of, wanted, what, columns)
    return table.iloc[:, columns.get_indexer(wanted)]


def towards(name: str, table: Any, ids: Any) -> Any:
    """Similarities of new instances to those of training, whose ids these are, in their order."""
    columns = table.columns
    if is_numbering(columns):
        _refuse_ambiguous(name, ids, columns)
        return table
    if is_numbering(ids):
        wanted, found = comparable([ids, columns])
        if len(found) != len(wanted) or not _numbers_rows(wanted, found):
            return table
    return ordered(f"the columns of {name}", table, "the training instances", ids)


def _refuse_ambiguous(name: str, ids: Any, numbering: Any) -> None:
    """Columns numbered 0, 1, … of instances that have these numbers in another order."""
    wanted, columns = comparable([ids, numbering])
    if len(wanted) == len(columns) and not columns.equals(wanted) and _numbers_rows(columns, wanted):
        raise ValueError(
            f"{name}: its columns are numbered 0, 1, 2, …, and the instances have the same numbers in "
            f"another order, {shown(ids)}: name the columns by the instances, or give an array "
            "(.to_numpy()) to take them by position"
        )


def mask(name: str, given: Any, ids: Any) -> npt.NDArray[Any]:
    """A mask in the order of a table with these ids (or None)."""
    values = np.asarray(given)
    own = ids_of(given)
    if own is None or ids is None or (is_numbering(own) and is_numbering(ids)):
        return values
    wanted, found = comparable([ids, own])
    plain = (is_numbering(own) and not _numbers_rows(found, wanted)) or (
        is_numbering(ids) and not _numbers_rows(wanted, found)
    )
    if plain or found.equals(wanted):
        return values
    refuse_repeated(name, wanted)
    refuse_repeated(f"present, {name}", found)
    lacking, surplus = wanted[~wanted.isin(found)], found[~found.isin(wanted)]
    wrong = surplus[values[~found.isin(wanted)].astype(bool)]
    if len(lacking) or len(wrong):
        word = f"lacks {shown(lacking)}" if len(lacking) else f"has {shown(wrong)} in addition"
        raise ValueError(f"present, {name}: the mask {word}; it is matched to the rows by its index")
    return np.asarray(values[found.get_indexer(wanted)])
