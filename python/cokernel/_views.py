"""From what users have (one table, several tables, kernel matrices) to named views.

A :class:`Layout` is made when an estimator is fitted and remembers how its input was arranged, so
that the same arrangement is expected, and checked, afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    validate_data,
)

from . import _native
from ._index import is_numbering
from ._instances import Similar, Table, is_several, opened, texts_of
from .annotated import Tables

Mask: TypeAlias = "npt.NDArray[np.bool_]"


@dataclass
class Layout:
    """How the input of an estimator is arranged.

    Attributes
    ----------
    kind : {"columns", "tables", "table"}
        One table of which each view has some columns; several tables; one table that is the view.
    names : list of str
        The views, in order.
    columns : dict of str to ndarray of int
        Columns of each view, for kind "columns".
    similarity : set of str
        Views that hold similarities, not features.
    widths : dict of str to int
        Columns of each view; for similarities the instances given to fit.
    ids : sequence or None
        These instances, where something had an index.
    kept : ndarray of int or None
        Those of them that were learned from, if not all.
    given : int
        How many they are.
    all_names : list of str
        All views of the fit, where these are those of them that a model from a file looks at.
    sequences : set of str
        Views that hold texts.
    """

    kind: str
    names: list[str]
    columns: dict[str, npt.NDArray[np.intp]] = field(default_factory=dict)
    similarity: set[str] = field(default_factory=set)
    widths: dict[str, int] = field(default_factory=dict)
    ids: Any = None
    kept: npt.NDArray[np.intp] | None = None
    given: int = 0
    all_names: list[str] = field(default_factory=list)
    sequences: set[str] = field(default_factory=set)

    def n_features(self) -> int:
        return sum(self.widths.values())

    def remember(self, ids: Any) -> None:
        """Keeps a pandas index as what can be pickled without pandas."""
        if ids is not None:
            self.ids = range(len(ids)) if is_numbering(ids) else list(ids)

    def index(self) -> Any:
        """The index of the instances, if similarities to them can be matched by it."""
        pandas = sys.modules.get("pandas")
        if self.ids is None or not self.similarity or pandas is None:
            return None
        return pandas.Index(self.ids)

    def same(self, other: Layout) -> bool:
        """Whether views, columns and kinds are the same."""
        chosen = [{k: v.tolist() for k, v in one.columns.items()} for one in (self, other)]
        alike = (self.kind, self.names, self.similarity) == (other.kind, other.names, other.similarity)
        return alike and chosen[0] == chosen[1]


def _view_names(views: Any, count: int) -> list[str]:
    if views is None:
        return [f"view{v}" for v in range(count)]
    names = [str(v) for v in views]
    if len(names) != count:
        raise ValueError(f"views: expected {count} names, one per table, found {len(names)}")
    return _different(names)


def _different(names: list[str]) -> list[str]:
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise ValueError(f"views: expected names that differ, one for each table; '{twice[0]}' is there twice")
    return names


def _resolve(
    name: str, selector: Any, width: int, features: Sequence[str] | None
) -> npt.NDArray[np.intp]:
    """The column numbers that a selector means."""
    if isinstance(selector, slice):
        if all(isinstance(v, (int, np.integer, type(None))) for v in (selector.start, selector.stop)):
            stop = selector.stop
            if stop is not None and stop > width:
                raise ValueError(
                    f"view '{name}': columns up to {stop} are asked for, but X has "
                    f"n_features={width}"
                )
            chosen = np.arange(width)[selector]
        else:
            known = _known(name, features)
            first = 0 if selector.start is None else _place(name, selector.start, known)
            last = width - 1 if selector.stop is None else _place(name, selector.stop, known)
            chosen = np.arange(first, last + 1)
    else:
        if isinstance(selector, (str, int, np.integer)):
            selector = [selector]
        items = list(selector)
        if items and isinstance(items[0], str):
            known = _known(name, features)
            chosen = np.array([_place(name, item, known) for item in items], dtype=np.intp)
        elif items and isinstance(items[0], (bool, np.bool_)):
            if len(items) != width:
                raise ValueError(
                    f"view '{name}': a mask of length {width} is expected, found {len(items)}"
                )
            chosen = np.flatnonzero(np.asarray(items))
        else:
            numbers = np.asarray(items)
            if items and not np.issubdtype(numbers.dtype, np.integer):
                raise ValueError(
                    f"view '{name}': expected whole column numbers, names, a mask or a slice, "
                    f"found {items[0]!r}"
                )
            chosen = numbers.astype(np.intp)
            wrong = chosen[(chosen >= width) | (chosen < -width)]
            if wrong.size:
                raise ValueError(
                    f"view '{name}': column {wrong[0]} is asked for, but X has n_features={width}"
                )
            chosen = np.where(chosen < 0, chosen + width, chosen)
    if chosen.size == 0:
        raise ValueError(f"view '{name}' selects no column of X, which has n_features={width}")
    return chosen.astype(np.intp)


def _known(name: str, features: Sequence[str] | None) -> dict[str, int]:
    if features is None:
        raise ValueError(
            f"view '{name}' names columns, but X has no column names; give a DataFrame, or use "
            "numbers or slices"
        )
    return {str(f): j for j, f in enumerate(features)}


def _place(name: str, item: Any, known: dict[str, int]) -> int:
    if str(item) not in known:
        raise ValueError(f"view '{name}': X has no column '{item}'; known: {', '.join(known)}")
    return known[str(item)]


def _checked(given: Any, count: int, name: str) -> Mask:
    """A mask of so many instances."""
    present = np.asarray(given)
    if present.ndim != 1:
        raise ValueError(f"view '{name}': expected a one-dimensional mask of booleans, found {present.ndim} dimensions")
    if present.dtype != np.bool_:
        raise ValueError(f"view '{name}': expected a mask of booleans, found {present.dtype}")
    if len(present) != count:
        raise ValueError(f"view '{name}': expected a mask of length {count}, found {len(present)}")
    return present


def _missing(array: npt.NDArray[np.float64], given: Any, name: str) -> Mask | None:
    """Which instances have the view: those of the mask, and rows that are not all NaN."""
    present: npt.NDArray[Any] | None = None if given is None else _checked(given, len(array), name)
    absent = np.isnan(array).all(axis=1)
    if absent.any():
        present = np.asarray(~absent if present is None else present & ~absent)
    return present


class Input:
    """Tables of one call, ready for the native library.

    Features are copied if they are its ``own``, for a model that keeps them; else the library reads
    the arrays in place. It keeps no similarity. ``lacking``: instances may lack views.
    """

    def __init__(self, own: bool = False, lacking: bool = False) -> None:
        self.native = _native.Views()
        self.own = own
        self.lacking = lacking

    def add(
        self,
        name: str,
        table: Table,
        similarity: bool,
        columns: list[str] | None,
        present: Any,
    ) -> None:
        mask: list[bool] | None
        if sparse.issparse(table):
            table = table.tocsr()
            if not table.has_canonical_format:
                table = table.copy()
                table.sum_duplicates()
            mask = None if present is None else _checked(present, table.shape[0], name).tolist()
            self.native.sparse(
                name,
                int(table.shape[1]),
                table.indptr.astype(np.int64),
                table.indices.astype(np.int64),
                table.data.astype(np.float64),
                similarity,
                columns,
                mask,
            )
            return
        array = np.require(table, dtype=np.float64, requirements=["C", "A"])
        own = self.own and not similarity
        if present is None:
            # The native library looks for numbers that are not finite; rarely there are some.
            try:
                self.native.dense(name, array, similarity, columns, None, own)
                return
            except ValueError:
                if np.isfinite(array).all():
                    raise
        found = _missing(array, present, name)
        if found is None or found.all():
            _refuse_not_finite(array, name, None, self.lacking, similarity)
            mask = None
        else:
            _refuse_not_finite(array, name, found, self.lacking, similarity)
            mask = found.tolist()
        self.native.dense(name, array, similarity, columns, mask, own)

    def add_sequences(self, name: str, texts: list[str | None], present: Any) -> None:
        mask = [text is not None for text in texts]
        if present is not None:
            mask = (np.asarray(mask) & _checked(present, len(texts), name)).tolist()
        kept = ["" if text is None else str(text) for text in texts]
        self.native.sequences(name, kept, None if all(mask) else mask)


def _refuse_not_finite(
    array: npt.NDArray[np.float64],
    name: str,
    present: Mask | None,
    lacking: bool,
    similar: bool,
) -> None:
    """The sentence of scikit-learn, with the place."""
    rows = array if present is None else array[present]
    if np.isfinite(rows.sum()) or np.isfinite(rows).all():
        return
    square = present is not None and array.shape[0] == array.shape[1]
    if square and np.isfinite(rows[:, present]).all():
        return
    # New instances have no similarity to those of training that lack the view.
    if similar:
        known = ~np.isnan(rows).all(axis=0)
        if np.isfinite(rows[:, known]).all():
            return
    i, j = np.argwhere(~np.isfinite(rows))[0]
    row = i if present is None else np.flatnonzero(present)[i]
    word = "NaN" if np.isnan(rows[i, j]) else "infinity"
    hint = ". An instance that lacks a view has NaN in all columns of the view" if lacking else ""
    raise ValueError(f"Input contains {word}: view '{name}', row {row}, column {j}{hint}")


def read(
    estimator: BaseEstimator,
    X: Any,
    *,
    reset: bool,
    present: Any = None,
    similar: Similar = False,
    own: bool = False,
    lacking: bool = False,
) -> Input:
    """The views in X, arranged as the parameter ``views`` of the estimator says.

    Parameters
    ----------
    estimator : estimator
        Gets ``n_features_in_``, ``feature_names_in_`` and ``_layout`` if ``reset``.
    X : array, sparse matrix, DataFrame, dict or list of them, (M, n, n) array
        The input, the same instances in the same order in every table.
    reset : bool
        Whether this is a fit.
    present : dict, list or None
        Which instances have each view, see :func:`by_view`.
    similar : bool or set of str
        Whether tables are similarities, or the names of those that are.
    own : bool
        Whether what is made of it outlives the call, so that it must not read arrays of the caller.
    lacking : bool
        Whether instances may lack views.

    Returns
    -------
    Input
    """
    made = Input(own, lacking)
    if is_several(X):
        return _read_several(estimator, X, reset, present, similar, made)
    if not reset and estimator._layout.kind == "tables":
        names = estimator._layout.names
        if len(names) != 1:
            raise ValueError(
                f"expected {len(names)} views as at the fit: a dict with {', '.join(names)}, or a "
                "list in this order; found one table"
            )
        return _read_several(estimator, [X], reset, present, similar, made)
    return _read_table(estimator, X, reset, present, similar is True, made)


def _is_ready(X: npt.NDArray[Any], least: int) -> bool:
    """Whether an array needs no conversion and no check but those of the number of columns."""
    shaped = X.ndim == 2 and X.shape[0] >= least and X.shape[1] > 0
    return shaped and X.dtype == np.float64 and X.flags.c_contiguous


def _remember_columns(estimator: BaseEstimator, X: npt.NDArray[Any], reset: bool) -> None:
    """What scikit-learn's checks do with a plain array, without their search for data frames."""
    if reset:
        if hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        estimator.n_features_in_ = X.shape[1]
        return
    if hasattr(estimator, "feature_names_in_"):
        _check_feature_names(estimator, X, reset=False)
    if X.shape[1] != estimator.n_features_in_:
        _check_n_features(estimator, X, reset=False)


def _read_table(
    estimator: BaseEstimator, X: Any, reset: bool, present: Any, precomputed: bool, made: Input
) -> Input:
    X = opened(X)
    least = 2 if reset else 1
    if type(X) is np.ndarray and _is_ready(X, least):
        _remember_columns(estimator, X, reset)
        array = X
    else:
        array = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=least,
        )
    features = getattr(estimator, "feature_names_in_", None)
    width = array.shape[1]
    if reset:
        views = estimator.views
        if views is None:
            names = ["X"]
            similarity = {"X"} if precomputed else set()
            layout = Layout("table", names, {}, similarity, {"X": width})
        else:
            selectors = (
                dict(views)
                if isinstance(views, Mapping)
                else {f"view{v}": s for v, s in enumerate(views)}
            )
            columns = {str(k): _resolve(str(k), s, width, features) for k, s in selectors.items()}
            if not columns:
                raise ValueError("views: expected at least one view, found none")
            widths = {k: len(c) for k, c in columns.items()}
            layout = Layout("columns", list(columns), columns, set(), widths)
        estimator._layout = layout
    layout = estimator._layout
    masks = _masks(present, layout.names)
    if layout.kind == "table":
        name = layout.names[0]
        if precomputed and not reset and width != layout.widths[name]:
            raise ValueError(
                f"view '{name}': expected similarities to the {layout.widths[name]} training "
                f"instances, found {width} columns"
            )
        shown = None if features is None or precomputed else [str(f) for f in features]
        made.add(name, array, precomputed, shown, masks.get(name))
        return made
    for name, columns in layout.columns.items():
        part = array[:, _span(columns)]
        shown = None if features is None else [str(features[j]) for j in columns]
        made.add(name, part, False, shown, masks.get(name))
    return made


def _span(columns: npt.NDArray[np.intp]) -> slice | npt.NDArray[np.intp]:
    """A slice where the columns are consecutive: a view rather than a copy."""
    first, last = int(columns[0]), int(columns[-1])
    if last - first + 1 == len(columns) and np.array_equal(columns, np.arange(first, last + 1)):
        return slice(first, last + 1)
    return columns


def _masks(present: Any, names: list[str]) -> dict[str, Any]:
    if present is None:
        return {}
    if not isinstance(present, Mapping):
        if len(present) != len(names):
            raise ValueError(
                f"present: expected {len(names)} masks, one per view, found {len(present)}"
            )
        present = dict(zip(names, present))
    masks = dict(present)
    unknown = [str(k) for k in masks if str(k) not in names]
    if unknown:
        raise ValueError(f"present: unknown view '{unknown[0]}'; known: {', '.join(names)}")
    return {str(k): v for k, v in masks.items()}


def _listed(layout: Layout, count: int) -> list[str]:
    """The names of a list of ``count`` tables: all views of the fit, or those that are looked at."""
    if len(layout.all_names) <= len(layout.names) or count == len(layout.names):
        return layout.names
    if count != len(layout.all_names):
        raise ValueError(
            f"expected a list of all {len(layout.all_names)} views of the fit "
            f"({', '.join(layout.all_names)}) or of the {len(layout.names)} that the model looks at "
            f"({', '.join(layout.names)}), found {count} tables"
        )
    return layout.all_names


def _read_several(
    estimator: BaseEstimator, X: Any, reset: bool, present: Any, similar: Similar, made: Input
) -> Input:
    if isinstance(X, np.ndarray):
        similar = True
    if reset and isinstance(estimator.views, Mapping) and not isinstance(X, Tables):
        raise ValueError(
            "views: columns can be chosen from one table, but X holds several; leave views out, or "
            "give names for the tables of a list"
        )
    if isinstance(X, Mapping):
        tables = dict(zip(_different([str(k) for k in X]), map(opened, X.values())))
    else:
        views = estimator.views if reset else _listed(estimator._layout, len(X))
        tables = dict(zip(_view_names(views, len(X)), map(opened, X)))
    if not tables:
        raise ValueError("expected at least one view, found none")
    # Views that the model does not look at tell the number of instances, too.
    lengths = (int(t.shape[0]) if hasattr(t, "shape") else len(t) for t in tables.values() if t is not None)
    count = next(lengths, 0)
    if reset:
        similarity = {n for n in tables if similar is True or (similar and n in similar)}
        layout = Layout("tables", list(tables), {}, similarity, {})
    else:
        layout = estimator._layout
        if layout.kind != "tables":
            raise ValueError(
                f"expected one table with n_features={estimator.n_features_in_} as at the fit, "
                f"found {len(tables)} views"
            )
        missing = [n for n in layout.names if n not in tables]
        if missing:
            raise ValueError(
                f"view '{missing[0]}' is missing; expected {', '.join(layout.names)}, found "
                f"{', '.join(tables)}"
            )
        tables = {n: tables[n] for n in layout.names}
    masks = _masks(present, layout.names)
    for name, table in tables.items():
        if table is None and not reset and count:
            # A view that none of the new instances has.
            lacking = np.full((count, layout.widths[name]), np.nan)
            table = [None] * count if name in layout.sequences else lacking
        if table is None:
            raise ValueError(f"view '{name}': expected a table, found None")
        texts = texts_of(table, name, not reset and name in layout.sequences)
        if texts is not None:
            layout.widths[name] = 1
            if reset:
                layout.sequences.add(name)
            made.add_sequences(name, texts, masks.get(name))
            continue
        columns = None
        is_similar = name in layout.similarity
        if hasattr(table, "columns") and not is_similar:
            columns = [str(c) for c in table.columns]
        array = check_array(
            table,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
            input_name=f"view '{name}'",
        )
        if reset:
            layout.widths[name] = array.shape[1]
        elif array.shape[1] != layout.widths[name]:
            raise ValueError(
                f"view '{name}': expected {layout.widths[name]} columns as at the fit, found "
                f"{array.shape[1]}"
            )
        made.add(name, array, is_similar, columns, masks.get(name))
    if reset:
        estimator._layout = layout
        estimator.n_features_in_ = layout.n_features()
        if hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
    return made
