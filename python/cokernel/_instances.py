"""What users give as X, whatever its kind: its tables, its rows, and the same instances in each.

X is one table (array, sparse matrix, DataFrame), a dict or list of tables (or of names of .npy
files), or an array of similarities (M, n, n).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import _num_samples

from . import _index
from ._index import Carrier, ids_of

Table: TypeAlias = Any
Similar: TypeAlias = "bool | frozenset[str]"


def is_several(X: Any) -> bool:
    """Whether X holds several tables, and is not itself one table."""
    if sparse.issparse(X):
        return False
    if isinstance(X, Mapping):
        return True
    if isinstance(X, np.ndarray):
        return X.ndim == 3
    if not isinstance(X, (list, tuple)) or not any(map(_is_table, X)):
        return False
    return all(item is None or _is_table(item) for item in X)


def _is_table(item: Any) -> bool:
    if isinstance(item, (str, os.PathLike)) or sparse.issparse(item):
        return True
    return getattr(item, "ndim", None) == 2 or texts_of(item) is not None


def texts_of(table: Any, name: str | None = None, known: bool = False) -> list[str | None] | None:
    """The sequences in a list, array or Series of texts, None for those that are missing; None if it is no such.

    With ``name`` one that holds texts and something else is refused; with ``known`` all may be missing.
    """
    if isinstance(table, (str, os.PathLike)) or sparse.issparse(table):
        return None
    if getattr(table, "ndim", 1) != 1 or not isinstance(table, (list, tuple)) and not hasattr(table, "dtype"):
        return None
    if getattr(getattr(table, "dtype", None), "kind", "O") not in ("O", "U", "T"):
        return None
    items = list(table)
    missing = [item is None or isinstance(item, float) and item != item or type(item).__name__ == "NAType" for item in items]
    if all(missing):
        return [None] * len(items) if known and items else None
    other = next((i for i, gone in enumerate(missing) if not gone and not isinstance(items[i], str)), None)
    if other is not None:
        if name is not None and any(isinstance(item, str) for item in items):
            found = repr(items[other])
            raise ValueError(f"view '{name}': expected a text for each instance, or None, found {found} at place {other}")
        return None
    return [None if gone else str(item) for item, gone in zip(items, missing)]


def n_rows(X: Any) -> int:
    """Number of instances of an input of any kind."""
    if type(X) is np.ndarray and X.ndim == 2:
        return len(X)
    if is_several(X):
        tables = list(X.values()) if isinstance(X, Mapping) else list(X)
        X = next((table for table in tables if table is not None), np.empty((0, 0)))
    return int(_num_samples(opened(X)))


def opened(table: Table) -> Table:
    """The array in a .npy file, mapped into memory; masked values are NaN; anything else as it is.

    Dates and damaged sparse matrices are refused.
    """
    if isinstance(table, (str, os.PathLike)):
        return np.load(table, mmap_mode="r", allow_pickle=False)
    if sparse.issparse(table):
        _refuse_damaged(table)
        return table
    kinds: Any = getattr(table, "dtypes", getattr(table, "dtype", None))
    kinds = list(kinds) if hasattr(kinds, "__iter__") else [kinds]
    if any(getattr(kind, "kind", "") in ("m", "M") for kind in kinds):
        raise ValueError(
            "a table holds dates or times, which are no features; give numbers, such as the days "
            "since a date"
        )
    if isinstance(table, np.ma.MaskedArray):
        return np.ma.filled(table.astype(np.float64), np.nan)
    return table


def _refuse_damaged(table: Any) -> None:
    """Sparse matrices whose parts do not fit: scipy reads them beyond the end of its arrays."""
    if table.format not in ("csr", "csc"):
        return
    outer, inner = table.shape if table.format == "csr" else table.shape[::-1]
    starts, indices, count = table.indptr, table.indices, min(len(table.indices), len(table.data))
    fits = (
        len(starts) == outer + 1
        and starts[0] == 0
        and starts[-1] <= count
        and bool((starts[1:] >= starts[:-1]).all())
    )
    used = indices[: int(starts[-1])] if fits else indices
    if not fits or (len(used) > 0 and (used.min() < 0 or used.max() >= inner)):
        raise ValueError(
            "a sparse matrix is damaged: expected indptr to rise from 0 to at most the number of "
            f"entries ({count}), and indices from 0 to {inner - 1}"
        )


def _each(
    X: Any,
    names: Sequence[str] | None,
    similar: Similar,
    do: Callable[[str, Table, bool], Table],
) -> Any:
    """X with every table replaced; ``do`` is told what it is called and whether it is a similarity."""
    if not is_several(X):
        return do("X", X, similar is True)

    def one(name: str, table: Table) -> Table:
        chosen = name in similar if isinstance(similar, frozenset) else similar
        return do(f"view '{name}'", table, chosen)

    if isinstance(X, Mapping):
        return {name: one(str(name), table) for name, table in X.items()}
    known = [f"view{v}" for v in range(len(X))]
    if names is not None and len(names) == len(X):
        known = list(map(str, names))
    return [one(name, table) for name, table in zip(known, X)]


def take(
    X: Any,
    rows: npt.NDArray[np.intp],
    training: npt.NDArray[np.intp] | None = None,
    *,
    names: Sequence[str] | None = None,
    similar: Similar = False,
) -> Any:
    """Instances of an input of any kind; similarities are cut on both axes.

    With ``training``, as new instances whose kernel values are towards those.
    """
    columns = rows if training is None else training

    def cut(_: str, table: Table, both: bool) -> Table:
        table = opened(table)
        if hasattr(table, "iloc"):
            table = table.iloc[rows]
            return table.iloc[:, columns] if both else table
        table = table.tocsr() if sparse.issparse(table) else np.asarray(table)
        return table[rows][:, columns] if both else table[rows]

    if isinstance(X, np.ndarray) and X.ndim == 3:
        return X[:, rows][:, :, columns]
    return _each(X, names, similar, cut)


@dataclass
class Given:
    """The input of one call, the same instances in the same order everywhere.

    Attributes
    ----------
    X : as it was given
        Tables with an index have that of the instances.
    ids : pandas Index or None
        The instances; None where nothing has an index.
    others : dict
        Targets, weights and the like, by name.
    present : dict, list or None
        Masks of the views.
    """

    X: Any
    ids: Any = None
    others: dict[str, Any] = field(default_factory=dict)
    present: Any = None


def align(
    X: Any,
    *,
    names: Sequence[str] | None = None,
    similar: Similar = False,
    new: bool = False,
    training: Any = None,
    union: bool = False,
    present: Any = None,
    **others: Any,
) -> Given:
    """Matches tables, targets and weights that carry an index by it.

    Parameters
    ----------
    X : input of any kind
        Of a list, ``names`` are the names of its tables.
    similar : bool or set of str
        Whether tables are similarities, or the names of those that are. They follow on both axes.
    new : bool
        Whether these are new instances: the columns of similarities are those of training.
    training : pandas Index, optional
        The instances of training, where they are known.
    union : bool
        Whether instances may lack views.
    present : dict or list of masks, array or DataFrame, optional
        Each mask in the order of its table, or with an index; see :func:`by_view`.
    **others
        What else has an entry for each instance, by name; None is nothing.
    """
    tables: list[tuple[str, Table, bool]] = []
    whole = isinstance(present, np.ndarray) or hasattr(present, "columns")
    without_ids = whole and _index.is_unlabelled(present)
    present = by_view(present)

    def see(what: str, table: Table, is_similar: bool) -> None:
        if is_similar and hasattr(table, "columns") and ids_of(table) is not None:
            if not new:
                table = _index.square(what, table)
            elif training is not None:
                table = _index.towards(what, table, training)
        tables.append((what, table, is_similar))

    if not isinstance(X, np.ndarray):
        _each(X, names, similar, see)
    # A view that no instance has is no table.
    there = [place for place, (_, table, _) in enumerate(tables) if table is not None]
    carriers = [Carrier(tables[place][0], ids_of(tables[place][1])) for place in there]
    count = len(carriers)
    carriers += [Carrier(name, ids_of(v)) for name, v in others.items() if v is not None]
    ids, matched = _index.match(carriers, count if union else 0)
    of_others = iter(matched[count:])
    rows: list[Any] = [None] * len(tables)
    for place, found in zip(there, matched):
        rows[place] = found
    moved = {
        name: None if value is None else _index.taken(value, next(of_others))
        for name, value in others.items()
    }
    known = [carrier.ids for carrier in carriers[:count] if carrier.ids is not None]
    if without_ids and any(order is not None for order in rows):
        raise ValueError(
            "present: the tables have their rows in different orders, and the table of masks has no ids; give it the index of the "
            "instances, or masks by name, each in the order of its table"
        )
    if not known:
        return Given(X, ids, moved, present)
    if present is not None:
        present = _masks(present, X, [(what, table) for what, table, _ in tables], rows)
    of_table = iter(range(len(tables)))

    def arranged(*_told: Any) -> Table:
        i = next(of_table)
        table, is_similar = tables[i][1:]
        columns = training if new else ids
        return _arranged(table, rows[i], ids, columns if is_similar else None, not new)

    X = _each(X, names, similar, arranged)
    return Given(X, known[0] if ids is None else ids, moved, present)


def _arranged(table: Table, rows: Any, ids: Any, columns: Any, square: bool) -> Table:
    """A table with its rows, and the columns of a similarity, in the order of the instances."""
    if ids_of(table) is None:
        return table
    if rows is not None:
        both = square and columns is not None and table.shape[0] == table.shape[1]
        table = _index.taken(table, rows)
        table = _index.taken(table, rows, axis=1) if both else table
    table = table.copy(deep=False)
    if ids is not None and len(table) == len(ids):
        table.index = ids
    if columns is not None and len(columns) == table.shape[1]:
        table.columns = columns
    return table


def by_view(present: Any) -> Any:
    """A dict or list of masks, one for each view, also of a table with a row for each instance."""
    if hasattr(present, "columns"):
        return {str(c): present[c] for c in present.columns}
    if not isinstance(present, np.ndarray):
        return present
    if present.ndim != 2:
        expected = "a row for each instance and a column for each view"
        raise ValueError(f"present: expected an array with {expected}, found {present.ndim} dimensions")
    return list(present.T)


def _masks(present: Any, X: Any, tables: list[tuple[str, Table]], rows: list[Any]) -> Any:
    """The masks in the order of the instances: they move with their tables."""

    def moved(place: int, given: Any) -> Any:
        what, table = tables[place]
        values = _index.mask(what, given, ids_of(table))
        order = rows[place]
        if order is None or values.ndim != 1 or len(values) != len(ids_of(table)):
            return values
        return np.where(order >= 0, values[order], False)

    if not is_several(X):
        named = present.items() if isinstance(present, Mapping) else enumerate(present)
        masks = {name: moved(0, given) for name, given in named}
        return masks if isinstance(present, Mapping) else list(masks.values())
    if not isinstance(present, Mapping):
        return [moved(v, m) if v < len(tables) else m for v, m in enumerate(present)]
    place_of = {what: place for place, (what, _) in enumerate(tables)}
    names = {f"view '{name}'": name for name in present}
    return {
        name: moved(place_of[what], present[name]) if what in place_of else present[name]
        for what, name in names.items()
    }
