"""Splits into training and test instances: named, seeded, saved and shared with the command line."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import type_of_target

from . import _native
from ._json import loads
from ._classes import is_missing, known_classes, labelled
from ._instances import n_rows

_Rows = npt.NDArray[np.intp]


class Splits:
    """Splits of instances into training and test sets, which is what ``cv=`` takes in scikit-learn.

    Made by :meth:`k_fold`, :meth:`random`, :meth:`five_by_two`, :meth:`reserved`, :meth:`per_class`,
    :meth:`of_column` and :meth:`load`; stratified by class where labels are classes. Files of splits are those of
    ``cokernel splits``. ``cokernel.experiments`` takes splits, too: ``{"protocol": {"splits": splits, ...}, ...}``.

    Attributes
    ----------
    train, test : list of ndarray of int
        Row numbers, increasing, for each split.
    validation : list of ndarray of int
        Rows to choose parameters on; empty in most protocols.
    how : str
        How they were made.
    seed : int
        With which seed.
    name : str or None
        What they are called.
    grouped : bool
        Whether groups of instances stay together.
    transductive : bool
        Whether test instances are learned from, too, without their labels: :func:`cross_validate_bank`, experiments
        and the command line do that with machines that can (``laplacian_svm``); scikit-learn's functions do not.
    n_instances : int
        Number of instances that they were made of.

    Examples
    --------
    >>> import numpy as np
    >>> from cokernel import Splits
    >>> y = np.repeat(["a", "b"], 30)
    >>> splits = Splits.reserved(y, test=1 / 3, random_state=0)
    >>> splits
    Splits(5 × 2-fold cross-validation beside 33 % for testing; 10 splits, seed 0)
    >>> [len(rows[0]) for rows in (splits.train, splits.validation, splits.test)]
    [20, 20, 20]
    """

    how: str
    seed: int
    name: str | None
    grouped: bool
    transductive: bool
    n_instances: int
    train: list[_Rows]
    test: list[_Rows]
    validation: list[_Rows]
    _file: str

    def __init__(self) -> None:
        raise TypeError("Splits are made by Splits.k_fold, .random, .reserved, .of_column, .load, …")

    @classmethod
    def _of(cls, told: str) -> Splits:
        self = cls.__new__(cls)
        of = loads(told)
        self.how = of["how"]
        self.seed = of["seed"]
        self.name = of["name"]
        self.grouped = of["grouped"]
        self.transductive = of["transductive"]
        self.n_instances = of["instances"]
        self.train = [_rows(s["train"]) for s in of["splits"]]
        self.test = [_rows(s["test"]) for s in of["splits"]]
        self.validation = [_rows(s.get("validation", [])) for s in of["splits"]]
        self._file = of["file"]
        return self

    @classmethod
    def k_fold(
        cls,
        y: Any,
        folds: int = 5,
        repeats: int = 1,
        *,
        groups: Any = None,
        random_state: int = 0,
        name: str | None = None,
        real: bool = False,
        transductive: bool = False,
    ) -> Splits:
        """Every instance is tested once in each repetition.

        Parameters
        ----------
        y : array of shape (n,)
            Labels; instances without one (``None``, NaN) are in no split.
        folds, repeats : int
            Number of folds, at least 2, and how often they are drawn.
        groups : array of shape (n,) or None
            Instances with the same name are always on the same side.
        random_state : int
            The seed.
        name : str or None
            What they are called.
        real : bool
            The labels are numbers, also where they look like classes.
        transductive : bool
            Test instances are learned from, too, without their labels.
        """
        protocol = {"protocol": "k_fold", "folds": folds, "repeats": repeats}
        return cls._drawn(protocol, y, groups, random_state, name, real, transductive)

    @classmethod
    def random(
        cls,
        y: Any,
        test: float = 0.33,
        repeats: int = 5,
        *,
        groups: Any = None,
        random_state: int = 0,
        name: str | None = None,
        real: bool = False,
        transductive: bool = False,
    ) -> Splits:
        """Random test sets of this fraction of each class; the other parameters as of :meth:`k_fold`."""
        protocol = {"protocol": "shuffle", "test": test, "repeats": repeats}
        return cls._drawn(protocol, y, groups, random_state, name, real, transductive)

    @classmethod
    def five_by_two(
        cls,
        y: Any,
        *,
        groups: Any = None,
        random_state: int = 0,
        name: str | None = None,
        real: bool = False,
        transductive: bool = False,
    ) -> Splits:
        """Five times two folds, for :func:`cokernel.statistics.f_5x2`."""
        return cls._drawn({"protocol": "five_by_two"}, y, groups, random_state, name, real, transductive)

    @classmethod
    def reserved(
        cls,
        y: Any,
        test: float = 1 / 3,
        *,
        groups: Any = None,
        random_state: int = 0,
        name: str | None = None,
        real: bool = False,
        transductive: bool = False,
    ) -> Splits:
        """A test set, drawn once, and five times two folds of the rest (Gönen 2010, §5.1).

        One half of the rest is learned from, the other is ``validation``, to choose parameters on.
        """
        protocol = {"protocol": "reserved", "test": test}
        return cls._drawn(protocol, y, groups, random_state, name, real, transductive)

    @classmethod
    def per_class(
        cls,
        y: Any,
        train: int,
        repeats: int = 5,
        *,
        random_state: int = 0,
        name: str | None = None,
        transductive: bool = False,
    ) -> Splits:
        """The same number of instances of each class to learn from, all others to test on."""
        protocol = {"protocol": "per_class", "train": train, "repeats": repeats}
        return cls._drawn(protocol, y, None, random_state, name, False, transductive)

    @classmethod
    def of_column(
        cls, column: Any, y: Any = None, *, name: str | None = None, transductive: bool = False
    ) -> Splits:
        """What a column says.

        Parameters
        ----------
        column : array of shape (n,)
            ``train`` and ``test`` (and ``validation``), or the names of folds, each of which is tested once;
            empty or missing: in no split.
        y : array of shape (n,) or None
            Labels; without them the splits serve any labels of as many instances.
        name : str or None
            What they are called.
        transductive : bool
            Test instances are learned from, too, without their labels.
        """
        texts = _texts("column", column, None)
        codes, values, _ = _labels(y, len(texts))
        return cls._of(_native.column_splits(texts, codes, values, name, transductive))

    @classmethod
    def load(cls, path: str | os.PathLike[str], y: Any = None, *, real: bool = False) -> Splits:
        """Reads a file of splits.

        Parameters
        ----------
        path : path
            The file, of :meth:`save` or ``cokernel splits``.
        y : array of shape (n,) or None
            Labels, which are compared with those that the splits were made of; ``None``: they are not compared.
        real : bool
            The labels are numbers, also where they look like classes.

        Raises
        ------
        ValueError
            The file holds no splits; they are those of other labels, or of the same in another order; a training set has no
            instance of some class (to detect outliers, for which that is no mistake, read them without ``y``).
        """
        codes, values = (None, None) if y is None else _labels(y, None, real)[:2]
        return cls._of(_native.read_splits(Path(path).read_text("utf-8"), codes, values))

    @classmethod
    def _drawn(
        cls,
        protocol: dict[str, Any],
        y: Any,
        groups: Any,
        seed: int,
        name: str | None,
        real: bool,
        transductive: bool,
    ) -> Splits:
        codes, values, n = _labels(y, None, real)
        for key in ("folds", "repeats", "train"):
            number = protocol.get(key, 1)
            if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
                raise ValueError(f"{key}: expected a whole number, found {number!r}")
            if key in protocol:
                protocol[key] = int(number)
        if "test" in protocol:
            protocol["test"] = float(protocol["test"])
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
            raise ValueError(f"random_state: expected a whole number of at least 0, found {seed!r}")
        texts = None if groups is None else _texts("groups", groups, n)
        how = json.dumps(protocol)
        told = _native.draw_splits(how, codes, values, n, texts, int(seed), name, transductive)
        return cls._of(told)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file of splits in one step, for :meth:`load` and ``--splits``."""
        target = Path(path)
        beside = target.with_name(f".{target.name}-{secrets.token_hex(8)}.tmp")
        try:
            beside.write_text(self._file, "utf-8")
            os.replace(beside, target)
        finally:
            beside.unlink(missing_ok=True)

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[tuple[_Rows, _Rows]]:
        """Training and test rows of each split, as scikit-learn asks for them.

        Parameters
        ----------
        X : instances, optional
            As many as the splits were made of.
        y : array of shape (n,), optional
            Labels: those that the splits were made of, whatever the classes are called.
        groups : ignored
            The splits have their own.

        Raises
        ------
        ValueError
            The splits were made of another number of instances, of other labels, or of the same in another order.
        """
        self._check(X, y)
        return iter(zip(self.train, self.test, strict=True))

    def _check(self, X: Any, y: Any) -> None:
        """Refuses instances and labels that the splits were not made of."""
        for n in (None if X is None else n_rows(X), None if y is None else len(y)):
            if n is not None and n != self.n_instances:
                raise ValueError(f"splits: they were made of {self.n_instances} instances, found {n}")
        if y is None or np.ndim(y) != 1 or not known_classes(y, negative=False)[1].any():
            return
        codes, values, _ = _labels(y, None)
        try:
            _native.check_splits(self._file, codes, values)
        except ValueError:
            # Numbers that look like classes.
            if values is not None or not np.issubdtype(np.asarray(y).dtype, np.number):
                raise
            try:
                _native.check_splits(self._file, *_labels(y, None, real=True)[:2])
            except ValueError:
                pass
            else:
                return
            raise

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits."""
        return len(self.train)

    def validating(self) -> list[tuple[_Rows, _Rows]]:
        """Training and validation rows of each split, for ``cv=`` of a search; none in most protocols."""
        return [(t, v) for t, v in zip(self.train, self.validation, strict=True) if len(v)]

    def __len__(self) -> int:
        return len(self.train)

    def __repr__(self) -> str:
        named = f"{self.name}: " if self.name else ""
        splits = "1 split" if len(self) == 1 else f"{len(self)} splits"
        return f"Splits({named}{self.how}; {splits}, seed {self.seed})"


def _rows(rows: Sequence[int]) -> _Rows:
    return np.array(rows, dtype=np.intp)


def _texts(name: str, column: Any, n: int | None) -> list[str]:
    values = np.asarray(column, dtype=object)
    if values.ndim != 1 or (n is not None and len(values) != n):
        expected = "one for each instance" if n is None else f"{n}, one for each instance"
        raise ValueError(f"{name}: expected {expected}, found shape {values.shape}")
    return ["" if is_missing(v) else str(v) for v in values]


def _labels(
    y: Any, n: int | None, real: bool = False
) -> tuple[list[int] | None, list[float] | None, int]:
    """Codes of classes, -1 where there is none, or numbers."""
    if y is None:
        if n is None:
            raise ValueError("y: expected labels, found None")
        return None, None, n
    values, known = known_classes(y, negative=False)
    if len(values) == 0 or not known.any():
        raise ValueError("y: expected at least one label")
    if real or type_of_target(labelled(values, known)) == "continuous":
        numbers = np.full(len(values), np.nan)
        numbers[known] = labelled(values, known).astype(np.float64)
        found: list[float] = numbers.tolist()
        return None, found, len(values)
    codes = np.full(len(values), -1)
    codes[known] = np.unique(labelled(values, known), return_inverse=True)[1]
    of: list[int] = codes.tolist()
    return of, None, len(values)
