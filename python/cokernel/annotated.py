"""AnnData and MuData objects as input: views from modalities, and results written back.

Every estimator takes such an object in place of tables: ``fit(mdata, y="disease")``. No package is needed
for it but the one that made the object, which is known by its attributes: ``mod`` and ``obs`` (several
modalities), or ``X``, ``obs`` and ``obs_names`` (one).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ._instances import Given, Similar

__all__ = ["keep", "tables"]

#: What holds matrices of observations.
_FOLDERS = ("layers", "obsm", "obsp")


class Tables(dict[str, Any]):
    """Tables by the names of their views; ``similar`` are those that are similarities."""

    similar: frozenset[str] = frozenset()


def is_annotated(X: Any) -> bool:
    """Whether X is an AnnData or MuData object, by its attributes."""
    if not (hasattr(X, "obs") and hasattr(X, "obs_names")):
        return False
    return hasattr(X, "mod") or (hasattr(X, "X") and hasattr(X, "obsm"))


def tables(data: Any, views: Any = None) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.bool_]]]:
    """The tables of an AnnData or MuData object, for what takes a dict of tables.

    Parameters
    ----------
    data : AnnData or MuData
        Observations with matrices.
    views : dict, list or None
        For each view where its table is: ``"rna"`` or ``"rna/X"``, ``"rna/layers/counts"``, ``"rna/obsm/X_pca"``,
        ``"rna/obsp/connectivities"`` (similarities); of all modalities ``"obsm/X_mofa"``; of an AnnData object the same
        without the modality. A list gives the views the names of their places. By default ``X`` of every modality.

    Returns
    -------
    tables : dict
        A table for each view, with a row for each observation of ``data``, in its order. Rows of observations
        that lack the modality are NaN, or without entries in a sparse table.
    present : dict
        For each view which observations have it.

    Raises
    ------
    ValueError
        There is no such modality or matrix; the sentence lists what there is.
    """
    found = Tables()
    present: dict[str, npt.NDArray[np.bool_]] = {}
    similar = set()
    for name, place in _places(data, views).items():
        found[name], present[name], is_similar = _table(data, place)
        if is_similar:
            similar.add(name)
    found.similar = frozenset(similar)
    return found, present


def _places(data: Any, views: Any) -> dict[str, str]:
    if views is None:
        return {str(name): f"{name}/X" for name in data.mod} if hasattr(data, "mod") else {"X": "X"}
    places = dict(views) if isinstance(views, Mapping) else {str(place): place for place in views}
    wrong = next((place for place in places.values() if not isinstance(place, str)), None)
    if wrong is not None or not places:
        raise ValueError(
            "views: expected the places of matrices, as 'rna' or 'rna/obsm/X_pca', found "
            f"{wrong if places else 'none'!r}"
        )
    return {str(name): place for name, place in places.items()}


def _table(data: Any, place: str) -> tuple[Any, npt.NDArray[np.bool_], bool]:
    """The matrix at a place, which observations have it, and whether it is a similarity."""
    within, rows, rest = data, None, place.removeprefix("mod/")
    if hasattr(data, "mod"):
        first, _, after = rest.partition("/")
        if first in data.mod:
            within, rest = data.mod[first], after or "X"
            rows = _rows(data, first)
        elif first not in ("obsm", "obsp"):
            raise ValueError(_unknown(data, place))
    folder, _, name = rest.partition("/")
    if rest == "X":
        table = within.X
    elif rest == "raw/X" and getattr(within, "raw", None) is not None:
        table = within.raw.X
    elif folder in _FOLDERS and name in getattr(within, folder, {}):
        table = getattr(within, folder)[name]
    else:
        raise ValueError(_unknown(data, place))
    if table is None:
        raise ValueError(_unknown(data, place))
    if not sparse.issparse(table):
        if hasattr(table, "to_memory"):
            table = table.to_memory()
        table = table if sparse.issparse(table) else np.asarray(table, dtype=np.float64)
    similar = folder == "obsp"
    if rows is None:
        return table, np.ones(len(data.obs_names), dtype=bool), similar
    return _aligned(table, rows, similar), rows >= 0, similar


def _rows(data: Any, modality: str) -> npt.NDArray[np.intp]:
    """For each observation of all its row in a modality, or -1."""
    found: npt.NDArray[np.intp]
    maps = getattr(data, "obsmap", None)
    if maps is not None and modality in maps:
        found = np.asarray(maps[modality]).ravel().astype(np.intp) - 1
    else:
        found = data.mod[modality].obs_names.get_indexer(data.obs_names)
    return found


def _aligned(table: Any, rows: npt.NDArray[np.intp], similar: bool) -> Any:
    if len(rows) == table.shape[0] and np.array_equal(rows, np.arange(len(rows))):
        return table
    n, there = len(rows), np.flatnonzero(rows >= 0)
    if sparse.issparse(table):
        shape = (n, table.shape[0])
        move = sparse.csr_matrix((np.ones(len(there)), (there, rows[there])), shape=shape)
        moved = move @ table.tocsr()
        return (moved @ move.T).tocsr() if similar else moved.tocsr()
    out = np.full((n, n if similar else table.shape[1]), np.nan)
    if similar:
        out[np.ix_(there, there)] = table[np.ix_(rows[there], rows[there])]
    else:
        out[there] = table[rows[there]]
    return out


def _unknown(data: Any, place: str) -> str:
    def within(one: Any, before: str) -> list[str]:
        known = [f"{before}X"] if getattr(one, "X", None) is not None else []
        folders = ((f, getattr(one, f, None)) for f in _FOLDERS)
        return known + [f"{before}{f}/{k}" for f, held in folders if held is not None for k in held]

    known = within(data, "")
    for name, one in getattr(data, "mod", {}).items():
        known += within(one, f"{name}/")
    return f"there is no matrix '{place}'; known: {', '.join(known)}"


def given(X: Any, views: Any, union: bool, others: dict[str, Any]) -> Given:
    """An object as the input of one call; ``others`` may be names of columns of ``obs``."""
    found, present = tables(X, views)
    lacking = {name: int((~mask).sum()) for name, mask in present.items() if not mask.all()}
    if lacking and not union:
        name = next(iter(lacking))
        raise ValueError(
            f"view '{name}': {lacking[name]} of {len(X.obs_names)} observations lack it; leave them out"
        )
    moved = {name: _column(X, name, value) for name, value in others.items()}
    masks = {name: present[name] for name in lacking}
    return Given(found, X.obs_names, moved, masks or None)


def _column(X: Any, name: str, value: Any) -> Any:
    """A column of ``obs`` by its name; what has an index in the order of the observations."""
    if isinstance(value, str):
        if value not in X.obs.columns:
            known = ", ".join(map(str, X.obs.columns))
            raise ValueError(f"{name}: obs has no column '{value}'; known: {known}")
        column = X.obs[value]
        missing = column.isna()
        if column.dtype.kind in "biuf" and not missing.any():
            return column.to_numpy()
        return np.where(missing, None, column.astype(object)) if missing.any() else np.asarray(column.astype(object))
    index = getattr(value, "index", None)
    if index is None or callable(index) or index.equals(X.obs_names):
        return value
    places = index.get_indexer(X.obs_names)
    if (places < 0).any():
        first = X.obs_names[int(np.argmax(places < 0))]
        if len(value) == len(X.obs_names) and (places < 0).all():
            return np.asarray(value)
        raise ValueError(f"{name}: there is no value for observation '{first}'")
    return np.asarray(value)[places]


def similar_of(X: Any, similar: Similar) -> Similar:
    """The names of the similarities, with those that an object says are."""
    if similar is True or not isinstance(X, Tables):
        return similar
    return (similar or frozenset()) | X.similar


def keep(data: Any, estimator: Any, key: str = "cokernel") -> None:
    """Write what a fitted estimator found into an AnnData or MuData object.

    Parameters
    ----------
    data : AnnData or MuData
        The observations that the estimator was fitted on, or new ones for a predictor.
    estimator : fitted estimator
        A clusterer writes ``obs[key]`` and ``obsm["X_" + key]``; what embeds writes ``obsm["X_" + key]``; what
        predicts writes ``obs[key]``.
    key : str
        The name. ``uns[key]`` holds the estimator's class, the weights of the kernels and of the views, the
        status, and the duality gap where there is one.

    Raises
    ------
    ValueError
        The estimator was fitted on other observations, or their number differs.
    """
    n, labels, rows = len(data.obs_names), getattr(estimator, "labels_", None), None
    if labels is not None:
        rows = getattr(estimator, "embedding_", None)
        if len(labels) != n:
            raise ValueError(f"expected the {len(labels)} observations of the fit, found {n}")
    elif hasattr(estimator, "predict"):
        labels = estimator.predict(data)
    elif hasattr(estimator, "transform"):
        rows = estimator.transform(data)
    else:
        raise ValueError(f"{type(estimator).__name__} has neither labels, predictions nor an embedding")
    if labels is not None:
        values = np.asarray(labels)
        whole = values.dtype.kind in "iu" and hasattr(estimator, "n_clusters")
        column: Any = values.astype(str) if whole else values
        data.obs[key] = column
        if values.dtype.kind != "f":
            data.obs[key] = data.obs[key].astype("category")
    if rows is not None:
        data.obsm[f"X_{key}"] = np.asarray(rows, dtype=np.float64)
    told: dict[str, Any] = {"estimator": type(estimator).__name__}
    weights = getattr(estimator, "weights_", None)
    if weights is not None and hasattr(weights, "by_view"):
        told["kernels"] = np.array([weight.kernel for weight in weights], dtype=object)
        told["views"] = dict(weights.by_view())
    if weights is not None:
        told["weights"] = np.asarray(weights, dtype=np.float64)
    report = getattr(estimator, "report_", None)
    if report is not None:
        told["status"] = report.status
        if report.duality_gap is not None:
            told["duality_gap"] = float(report.duality_gap)
    data.uns[key] = told
