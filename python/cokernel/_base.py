"""What all estimators share: settings of a run, pickling, files."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _native, _views
from ._kernels import kernel_texts
from ._report import report


def seed_of(random_state: Any) -> int:
    """The seed for the native library: an integer is itself, as on the command line."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state: expected 0 or more, found {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


#: Parameters whose names Python keeps for itself.
RENAMED = {"lambda": "lam"}


class NativeEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: they keep a native model, which is pickled as the bytes of its file."""

    _native_types: dict[str, Any] = {
        "Model": _native.Model,
        "EmbeddingModel": _native.EmbeddingModel,
        "FittedKernels": _native.FittedKernels,
    }

    def _run(self, seed: int = 0) -> _native.Run:
        return _native.Run(
            seed=seed,
            threads=effective_n_jobs(self.n_jobs),
            time_limit=self.time_limit,
            memory=self.memory,
            verbose=bool(self.verbose),
        )

    def _precomputed(self) -> bool:
        """Whether all views are similarities."""
        return kernel_texts(self.kernels) == ["precomputed"]

    def _similar(self) -> bool | frozenset[str]:
        """Whether all views are similarities, or the names of those that are."""
        heads = [text.split(":")[0] for text in kernel_texts(self.kernels) or []]
        named = (head.partition("@") for head in heads)
        return self._precomputed() or frozenset(v for f, _, v in named if v and f == "precomputed")

    def _read(self, X: Any, *, reset: bool, present: Any = None) -> _native.Views:
        return _views.read(
            self, X, reset=reset, present=present, similar=self._similar()
        ).native

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
        given = [(name, plain(getattr(self, RENAMED.get(name, name)))) for name in names]
        for name, value in given:
            if value is None:
                raise ValueError(
                    f"parameter '{RENAMED.get(name, name)}': expected a value, found None; leave "
                    "it out for its default"
                )
        return given


class SavedEstimator(NativeEstimator):
    """Base of those whose model is a file that Rust and the command line know."""

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


def plain(value: Any) -> Any:
    """A parameter value without numpy types."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, np.ndarray):
        return [float(v) for v in value]
    if isinstance(value, (list, tuple)):
        return [float(v) for v in value]
    return value


def whole(name: str, value: Any) -> int:
    """A count from the user: at least 1."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name}: expected a whole number, at least 1, found {value!r}")
    return int(value)


def keep_embedding(estimator: Any, told: dict[str, Any], version: str) -> None:
    """Sets what a method tells about an embedding beside its rows."""
    estimator.eigenvalues_ = [np.array(e) for e in told["eigenvalues"]]
    estimator.eigengaps_ = told["gaps"]
    estimator.agreement_ = np.array(told["agreement"])
    estimator.report_ = report(told["report"], version)


def summary(model: Any) -> dict[str, Any]:
    """What a native model tells about itself."""
    told: dict[str, Any] = json.loads(model.summary())
    return told
