"""Experiments: tables of papers, and of your own, computed cell by cell into a store.

An experiment is a text in TOML (``example()`` explains all its keys), a file of it, a dictionary with the
same keys, or the id of one that comes with the package (``shipped()``). A *cell* is one variant of one row
on one split of one data set. What is computed is kept in a store, a file that a killed process cannot
harm; running again continues there, also on the command line (``cokernel run``, ``cokernel report``).
"""

from __future__ import annotations

import io
import json
import os
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import _native, _parts
from ._json import loads
from ._limits import threads_of
from ._splits import Splits

__all__ = ["Results", "example", "merge", "read", "run", "shipped", "text_of"]


def shipped(data: str | os.PathLike[str] | None = None) -> list[dict[str, Any]]:
    """The experiments that come with the package.

    Parameters
    ----------
    data : path or None
        The folder of data sets that do not come with the package; ``None`` is the environment variable
        ``COKERNEL_DATA``.

    Returns
    -------
    list of dict
        ``id``, ``title``, ``source`` (paper and table) and ``absent``, the reason why it cannot be run
        here, or ``None``.

    Examples
    --------
    >>> from cokernel import experiments
    >>> experiments.shipped()[0]["id"]
    'lms-3.1'
    """
    found: list[dict[str, Any]] = loads(_native.experiments(_path(data)))
    return found


def example() -> str:
    """A text that explains all keys of an experiment."""
    return _native.experiment_example()


def text_of(experiment: str | os.PathLike[str] | Mapping[str, Any]) -> str:
    """The text of an experiment: one that ships, by its id, a file, or a dictionary as TOML.

    Examples
    --------
    >>> from cokernel import experiments
    >>> print(experiments.text_of({"id": "mine", "protocol": {"clusters": 2}}), end="")
    id = "mine"
    protocol = {clusters = 2}
    """
    if isinstance(experiment, Mapping):
        return "".join(f"{_key(k)} = {_toml(v, str(k))}\n" for k, v in experiment.items())
    return _native.experiment_text(os.fspath(experiment))


def run(
    experiment: str | os.PathLike[str] | Mapping[str, Any],
    *,
    store: str | os.PathLike[str] | None = None,
    data: str | os.PathLike[str] | None = None,
    sets: int | None = None,
    repeats: int | None = None,
    quick: bool = False,
    random_state: int | None = None,
    update: bool = False,
    retry: bool = False,
    shard: str | None = None,
    executor: Any = None,
    parts: int | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
) -> Results:
    """Runs an experiment, or what a store lacks of it.

    Parameters
    ----------
    experiment : str, path or dict
        The id of one that ships, a file, or a dictionary with the keys of such a file. Files that a
        dictionary names are looked for in the current folder. ``splits`` of its protocol may be a
        :class:`cokernel.Splits`.
    store : path or None
        Where results are kept. ``None``: in a temporary file that goes with what is returned.
    data : path or None
        The folder of data sets; ``None`` is the environment variable ``COKERNEL_DATA``.
    sets, repeats : int or None
        Number of generated data sets, and of repetitions of the splits, instead of those of the experiment.
    quick : bool
        A shortened run, to see that everything works, as ``reproduce --quick``: at most two generated data sets, one
        split, 150 instances and three values of a curve or grid; nothing is compared with published figures.
    random_state : int or None
        The seed of the first data set and its splits; ``None`` is that of the experiment.
    update : bool
        Let this experiment replace that of the store; cells that are the same keep their results.
    retry : bool
        Try cells again that failed.
    shard : str or None
        ``"3/16"``, the third of sixteen parts of the cells, for the jobs of a batch queue: each with a store of its own,
        which :func:`merge` joins.
    executor : concurrent.futures.Executor or None
        Whose workers compute parts of the cells, each in a store of its own, which are joined in ``store`` as they come: a
        process pool, that of Dask (``Client.get_executor()``), of MPI (``mpi4py.futures``) or any other. Workers need the same version
        of this package, and the same paths of data and of files that the experiment names. Results do not depend on it.
    parts : int or None
        How many parts the executor gets; ``None`` is four for each worker.
    n_jobs : int or None
        Threads, as everywhere; with an executor those of each part. Results do not depend on it. For several processes on one
        store use ``cokernel run --workers``, or an executor.
    time_limit : float or None
        Seconds after which it stops, with an executor each part; what is complete is kept.
    verbose : bool
        Print progress to the standard error.

    Returns
    -------
    Results

    Raises
    ------
    ValueError
        The experiment means nothing, its data is not here, or the store holds another one.
    RuntimeError
        Parts failed on the workers of the executor (one was killed, say); the others are kept, run again to go on.

    Warns
    -----
    UserWarning
        It stopped before all cells were computed; cells have no result; ``Results.troubles`` says why.

    Notes
    -----
    After a ``KeyboardInterrupt`` the store has what was complete; run again to go on.

    Examples
    --------
    >>> from cokernel import experiments
    >>> found = experiments.run(
    ...     {
    ...         "id": "circles",
    ...         "data": {"kind": "toy", "generator": "two_circles", "n": 100},
    ...         "protocol": {"clusters": 2, "starts": "published", "scores": ["nmi"]},
    ...         "rows": [{"label": "sum", "method": "spectral", "params": {"view": "mean"}}],
    ...     }
    ... )
    >>> found.cells
    {'done': 1, 'failed': 0, 'refused': 0, 'running': 0, 'waiting': 0}
    """
    if parts is not None and executor is None:
        raise ValueError("parts: they are those of an executor; give one, too")
    if quick and (sets is not None or repeats is not None):
        raise ValueError("quick: it says the numbers of sets and repeats; leave these out")
    kept = None
    if store is None:
        kept = tempfile.TemporaryDirectory(prefix="cokernel-")
        store = Path(kept.name) / "store.sqlite"
    written = isinstance(experiment, Mapping)
    options: dict[str, Any] = {
        "seed": _count("random_state", random_state, least=0) or 0,
        "threads": threads_of(n_jobs),
        "time_limit": time_limit,
        "verbose": verbose and executor is None,
    }
    what = text_of(experiment) if isinstance(experiment, Mapping) else os.fspath(experiment)
    call: dict[str, Any] = {
        "experiment": what,
        "text": written,
        "data": _path(data),
        "sets": _count("sets", sets),
        "repeats": _count("repeats", repeats),
        "quick": bool(quick),
        "seeded": random_state is not None,
        "update": update,
        "retry": retry,
    }
    if executor is not None:
        if shard is not None or update:
            raise ValueError("executor: it goes neither with shard nor with update; run once without it")
        of = _parts.count(executor, _count("parts", parts))
        failed = _parts.run(executor, of, Path(store), options, call, verbose)
        if failed:
            more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
            raise RuntimeError(f"{failed[0]}{more}; what the others computed is in the store: run again to go on")
        results = Results(_native.Stored.open(os.fspath(store)), Path(store), kept)
    else:
        native = _native.Run(**options)
        found = _native.run_experiment(native, store=os.fspath(store), shard=shard, **call)
        results = Results(found, Path(store), kept)
    waiting = results.cells["waiting"] + results.cells["running"]
    if waiting:
        warnings.warn(
            f"stopped early: {waiting} of {sum(results.cells.values())} cells have no result yet; run again with "
            "the same store to go on",
            UserWarning,
            stacklevel=2,
        )
    for note in results.notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    if results.troubles:
        label, why = results.troubles[0]
        more = f" (and {len(results.troubles) - 1} more)" if len(results.troubles) > 1 else ""
        warnings.warn(f"no result of {label}{more}: {why}", UserWarning, stacklevel=2)
    return results


def merge(stores: Iterable[str | os.PathLike[str]], store: str | os.PathLike[str]) -> Results:
    """Joins the stores of several runs of one experiment, as ``run(..., shard=...)`` leaves them, in one.

    Parameters
    ----------
    stores : iterable of path
        Only results of the same cells are joined: of the same data, splits, methods, seed and version. A result that is in
        several stores must be the same in all.
    store : path
        Made, if it is not there; one that is there keeps its results.

    Returns
    -------
    Results

    Raises
    ------
    ValueError
        A store is damaged, or of another experiment; nothing is written then.
    """
    _native.merge_stores([os.fspath(one) for one in stores], os.fspath(store))
    return read(store)


def read(store: str | os.PathLike[str]) -> Results:
    """What a store holds, of a run in Python or on the command line.

    Raises
    ------
    ValueError
        There is no store, or it is not as it was written.
    """
    path = Path(store)
    return Results(_native.Stored.open(os.fspath(path)), path, None)


class Results:
    """What a store holds of an experiment.

    Attributes
    ----------
    id, title : str
        Those of the experiment.
    seed : int
        The seed of the first data set.
    cells : dict of str to int
        How many cells are done, failed, refused (for lack of memory), running and waiting.
    complete : bool
        Whether all are done.
    troubles : list of (str, str)
        Cells without a result, and why.
    outcomes : list of dict
        For each data set the rows with their scores, published figures, claims, and how they were
        measured.
    notes : list of str
        What was mended in the store.
    specification : str
        The text of the experiment.
    store : Path
        Where all this is kept.
    """

    def __init__(self, found: Any, store: Path, kept: Any) -> None:
        about = loads(found.about())
        self.id: str = about["id"]
        self.title: str = about["title"]
        self.seed: int = about["seed"]
        self.cells: dict[str, int] = dict(about["cells"])
        self.troubles: list[tuple[str, str]] = [(a, b) for a, b in about["troubles"]]
        self.outcomes: list[dict[str, Any]] = about["outcomes"]
        self.notes: list[str] = about["notes"]
        self.specification: str = found.specification()
        self.store = store
        self._text: list[str] = about["text"]
        self._table: str = found.table()
        self._cells: str = found.cells()
        # A temporary folder is there as long as this.
        self._kept = kept

    @property
    def complete(self) -> bool:
        """Whether all cells have a result."""
        return self.cells["done"] == sum(self.cells.values())

    def table(self) -> Any:
        """Means and standard deviations as a pandas DataFrame, one line for each row and score."""
        return _frame(self._table)

    def cell_table(self) -> Any:
        """The scores of each cell as a pandas DataFrame, one line for each."""
        return _frame(self._cells)

    def write_page(self, folder: str | os.PathLike[str]) -> list[str]:
        """Writes one self-contained page (``index.html``), tables (CSV, JSON, LaTeX, Markdown) and pictures.

        Parameters
        ----------
        folder : path
            Made, if it is not there; the folder above it must be.

        Returns
        -------
        list of str
            The names of the files.
        """
        return _native.Stored.write_page(os.fspath(self.store), os.fspath(folder))

    def __repr__(self) -> str:
        if not self.complete:
            states = ", ".join(f"{n} {state}" for state, n in self.cells.items() if n)
            return "\n\n".join([f"{self.id}: {self.title}\ncells: {states}", *self._text])
        return "\n\n".join(self._text)


def _frame(csv: str) -> Any:
    import pandas

    return pandas.read_csv(io.StringIO(csv))


def _path(folder: str | os.PathLike[str] | None) -> str | None:
    return None if folder is None else os.fspath(folder)


#: The largest number that the library counts with.
_MOST = 2**63 - 1


def _count(name: str, number: int | None, least: int = 1) -> int | None:
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < least:
        expected = f"expected a whole number of at least {least}, or None"
        raise ValueError(f"{name}: {expected}, found {number!r}")
    if number > _MOST:
        raise ValueError(f"{name}: expected at most {_MOST}, found {number}")
    return int(number)


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise ValueError(f"experiment: expected keys that are texts, found {key!r}")
    return key if key.isidentifier() and key.isascii() else _text(key, "a key")


def _text(text: str, place: str) -> str:
    """A text in quotes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as e:
        raise ValueError(f"experiment: {place}: {text!r} has characters that no file can hold") from e
    # JSON leaves DEL as it is, which TOML does not know.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml(value: Any, place: str, above: tuple[int, ...] = ()) -> str:
    """A value as it stands in TOML; `above` are the identities of what holds it."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, (np.generic, np.ndarray)) and np.ndim(value) == 0:
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Splits):
        value = value._file
    if isinstance(value, str):
        return _text(value, place)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"experiment: {place}: {value} is too large, expected at most 2**63 - 1")
        return str(int(value))
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, (Mapping, list, tuple, np.ndarray)):
        if id(value) in above:
            raise ValueError(f"experiment: {place}: holds itself")
        above = (*above, id(value))
    if isinstance(value, Mapping):
        inner = (f"{_key(k)} = {_toml(v, f'{place}.{k}', above)}" for k, v in value.items())
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_toml(v, place, above) for v in value) + "]"
    raise ValueError(
        f"experiment: {place}: expected a text, a number, a truth value, a list or a dictionary, "
        f"found {type(value).__name__}"
    )
