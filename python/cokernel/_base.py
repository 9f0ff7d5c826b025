"""What all estimators share: settings of a run, pickling, files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _native, _views, _workers, annotated
from ._json import loads
from ._instances import Given, Similar, align, is_several
from ._kernels import SIMILAR, kernel_texts
from ._limits import threads_of
from ._report import report
from ._state import state_of


def seed_of(random_state: Any) -> int:
    """The seed for the native library: an integer is itself, as on the command line."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state: expected 0 or more, found {random_state}")
        if random_state > np.iinfo(np.uint64).max:
            most = f"expected at most {np.iinfo(np.uint64).max}"
            raise ValueError(f"random_state: {most}, found {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


_UNITS = {
    "": 1,
    "b": 1,
    "k": 10**3,
    "kb": 10**3,
    "m": 10**6,
    "mb": 10**6,
    "g": 10**9,
    "gb": 10**9,
    "t": 10**12,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}


def bytes_of(name: str, value: Any) -> int | None:
    """A number of bytes, or a size as the command line takes it: ``"500MB"``, ``"2GiB"``."""
    if value is None:
        return None
    wrong = ValueError(
        f"{name}: expected a number of bytes or a size such as '500MB' or '2GiB', found {value!r}"
    )
    number, unit = value, ""
    if isinstance(value, str):
        found = re.fullmatch(r"\s*([0-9.]+(?:e[+-]?[0-9]+)?)\s*([a-z]*)\s*", value.lower())
        if found is None or found[2] not in _UNITS:
            raise wrong
        number, unit = found[1], found[2]
    try:
        size = float(number) * _UNITS[unit]
    except (TypeError, ValueError, OverflowError):
        raise wrong from None
    if isinstance(value, bool) or not 0 <= size < 2**63:
        raise wrong
    return int(size)


#: Parameters whose names Python keeps for itself.
RENAMED = {"lambda": "lam"}

#: What the library calls by other names.
NAMES = {
    "c": "C",
    "class_weights": "class_weight",
    "k": "n_clusters",
    "starts": "n_init",
    "weights": "sample_weight",
}


class NativeEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: they keep a native model, which is pickled as the bytes of its file."""

    _native_types: dict[str, Any] = {
        "Model": _native.Model,
        "EmbeddingModel": _native.EmbeddingModel,
        "FittedKernels": _native.FittedKernels,
    }

    @contextmanager
    def _words(self) -> Iterator[None]:
        """Errors of the library about a parameter, by the name that it has here."""
        try:
            yield
        except ValueError as error:
            name = getattr(error, "parameter", None)
            given = getattr(self, "method_params", None) or {}
            if name is None:
                unknown = getattr(error, "unknown", None)
                short = RENAMED.get(str(unknown))
                if short is None or unknown in given or short not in given:
                    raise
                sentence = str(error).replace(f"'{unknown}'", f"'{short}'", 1)
                raise ValueError(sentence) from None
            own = [
                *(getattr(self, "_method_params", None) or []),
                *getattr(getattr(self, "pair_learner", None), "params", []),
            ]
            called = RENAMED.get(name, name) if name in own else NAMES.get(name, name)
            short = RENAMED.get(name, name)
            called = name if name in given else short if short in given else called
            problem = error.problem  # type: ignore[attr-defined]
            raise ValueError(f"parameter '{self._names.get(called, called)}': {problem}") from None

    #: Names that differ from those of the other estimators.
    _names: dict[str, str] = {}

    def _run(self, seed: int = 0) -> _native.Run:
        return _native.Run(
            seed=seed,
            threads=threads_of(self.n_jobs),
            time_limit=self.time_limit,
            memory=bytes_of("memory", self.memory),
            verbose=bool(self.verbose),
            workers=_workers.current(),
        )

    def _precomputed(self) -> bool:
        """Whether all views are similarities."""
        texts = kernel_texts(self.kernels) or []
        return bool(texts) and all(re.split("[@:]", text)[0] in SIMILAR and "@" not in text for text in texts)

    def _kernel_texts(self) -> list[str] | None:
        """The texts of the kernels; similarities as they are, and nothing else, are what None stands for."""
        texts = kernel_texts(self.kernels)
        return None if texts == ["precomputed"] else texts

    def _similar(self) -> Similar:
        """Whether all views are similarities, or the names of those that are."""
        heads = [text.split(":")[0] for text in kernel_texts(self.kernels) or []]
        named = (head.partition("@") for head in heads)
        return self._precomputed() or frozenset(v for f, _, v in named if v and f in SIMILAR)

    def _match(
        self,
        X: Any,
        *,
        reset: bool,
        union: bool = False,
        present: Any = None,
        **others: Any,
    ) -> Given:
        """The same instances in the same order in all tables, targets and weights.

        ``union``: instances may lack views. ``others`` are matched, too; None is left out.
        """
        if annotated.is_annotated(X):
            if present is not None:
                raise ValueError("present: an AnnData or MuData object says itself which observations lack a modality")
            return annotated.given(X, self.views, union or not reset, others)
        if reset:
            names = None if isinstance(self.views, Mapping) else self.views
            return align(
                X,
                names=names,
                similar=self._similar(),
                union=union,
                present=present,
                **others,
            )
        layout = self._layout
        if isinstance(X, Mapping) and layout.kind == "tables":
            known = {name: table for name, table in X.items() if str(name) in layout.names}
            # Where nobody has what the model looks at, the others tell how many instances there are.
            if any(table is not None for table in known.values()):
                X = known
        similar = frozenset(layout.similarity)
        return align(
            X,
            names=layout.names,
            similar=similar if is_several(X) else bool(similar),
            new=True,
            union=True,
            training=layout.index(),
            present=present,
            **others,
        )

    def _read(
        self, given: Given, *, reset: bool, own: bool = False, lacking: bool = False
    ) -> _native.Views:
        """Matched instances for the native library; at a fit also what predictions must know."""
        made = _views.read(
            self,
            given.X,
            reset=reset,
            present=given.present,
            similar=annotated.similar_of(given.X, self._similar()),
            own=own,
            lacking=lacking,
        )
        if reset:
            self._layout.remember(given.ids)
        return made.native

    def _read_new(self, X: Any, present: Any = None) -> _native.Views:
        """New instances, which may lack views."""
        return self._read(self._match(X, reset=False, present=present), reset=False, lacking=True)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        kept = {}
        for name in ("_model", "_kernels"):
            native = state.pop(name, None)
            if native is not None:
                kept[name] = (type(native).__name__, native.to_bytes())
        state["_native_bytes"] = kept
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        kept = state.pop("_native_bytes", {})
        super().__setstate__(state)
        for name, (kind, content) in kept.items():
            setattr(self, name, self._native_types[kind].from_bytes(content))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._precomputed()
        tags.input_tags.positive_only = False
        return tags

    def _params_of(self, names: list[str]) -> list[tuple[str, Any]]:
        """The parameters of the method, as the native library takes them."""
        given = []
        for name in names:
            called = RENAMED.get(name, name)
            value = getattr(self, called)
            if value is None:
                raise ValueError(
                    f"parameter '{called}': expected a value, found None; leave it out for its "
                    "default"
                )
            given.append((name, parameter(f"parameter '{called}'", value)))
        return given


class SavedEstimator(NativeEstimator):
    """Base of those whose model is a file that Rust and the command line know."""

    def to_bytes(self) -> bytes:
        """The fitted model as bytes: the content of a model file, for :func:`from_bytes`.

        Returns
        -------
        bytes
        """
        check_is_fitted(self)
        content: bytes = self._model.to_bytes()
        return content

    def to_dict(self) -> dict[str, Any]:
        """The fitted model as a dict of plain values, for :func:`from_dict`: the same as :meth:`to_bytes`, opened.

        Returns
        -------
        dict
            ``kind`` and ``text`` (JSON: method, kernels, classes, report, a checksum of everything) are texts, ``arrays`` is
            a dict of arrays by name.
        """
        return state_of(self.to_bytes())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that Rust and the command line read, too.

        Parameters
        ----------
        path : str or path
            The file; it holds the old content or the new, never half.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        check_is_fitted(self)
        self._model.save(path)


def chosen(method: Any, given: Any) -> tuple[str, list[tuple[str, Any]]]:
    """A method that was named, with its parameters."""
    if not isinstance(method, str):
        raise ValueError(f"method: expected an id such as 'mean', found {method!r}")
    return method, named_params(given)


def named_params(given: Any) -> list[tuple[str, Any]]:
    """Parameters of a method that was named: ``lambda`` may be ``lam``, as where it is a keyword."""
    own = {short: name for name, short in RENAMED.items()}
    params: dict[str, Any] = {}
    try:
        pairs = {} if given is None else dict(given)
    except (TypeError, ValueError):
        example = "a dict of parameters such as {'tol': 1e-3}"
        raise ValueError(f"method_params: expected {example}, found {given!r:.80}") from None
    for name, value in pairs.items():
        called = own.get(str(name), str(name))
        parameter("method_params", called)
        if called in params:
            raise ValueError(f"method_params: 'lam' and '{called}' are one parameter")
        params[called] = parameter(f"method_params[{name!r}]", value)
    return list(params.items())


def parameter(place: str, value: Any) -> Any:
    """The value of a parameter, if it is of a kind that one can have; ``place`` says which one it is."""
    if isinstance(value, np.ndarray) and value.ndim <= 1:
        value = value.tolist()
    try:
        if isinstance(value, str):
            value.encode()
            return value
        if isinstance(value, Mapping):
            return {str(key): _number(own) for key, own in value.items()}
        if isinstance(value, (list, tuple)):
            if value and all(isinstance(v, str) for v in value):
                return parameter(place, ",".join(value))
            return [float(_number(v)) for v in value]
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        return _number(value)
    except (TypeError, ValueError, OverflowError):
        kinds = "a number of 64 bits, a text, or a list or a dict of numbers"
        raise ValueError(f"{place}: expected {kinds}, found {value!r:.80}") from None


def _number(value: Any) -> float | int:
    """A number that 64 bits hold; errors are for whoever knows its place."""
    if isinstance(value, (bool, np.bool_, np.timedelta64)):
        raise TypeError
    if isinstance(value, (int, np.integer)):
        if not -(2**63) <= value < 2**63:
            raise OverflowError
        return int(value)
    if isinstance(value, (Real, Decimal, np.floating)):
        return float(value)
    raise TypeError


def whole(name: str, value: Any) -> int:
    """A count from the user: at least 1; 5.0 is one, too."""
    real = isinstance(value, Real) and not isinstance(value, bool) and float(value).is_integer()
    if not real or value < 1:
        raise ValueError(f"{name}: expected a whole number, at least 1, found {value!r}")
    return int(value)


def keep_embedding(estimator: Any, told: dict[str, Any], version: str) -> None:
    """Sets what a method tells about an embedding beside its rows."""
    estimator.eigenvalues_ = [np.array(e) for e in told["eigenvalues"]]
    estimator.eigengaps_ = told["gaps"]
    estimator.agreement_ = np.array(told["agreement"])
    estimator.report_ = report(told["report"], version)
    estimator.weights_ = estimator.report_.details.get("weights")


def summary(model: Any) -> dict[str, Any]:
    """What a native model tells about itself."""
    told: dict[str, Any] = loads(model.summary())
    return told
