"""What classifiers, regressors and outlier detectors share: one rule, one kernel machine."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _native
from ._json import loads
from ._base import SavedEstimator, parameter, summary
from ._instances import Given
from ._kernels import kernel_texts
from ._report import Report, Weight, Weights, report


def instance_weights(given: Any, count: int) -> npt.NDArray[np.float64] | None:
    """Non-negative weights, one for each of so many instances."""
    if given is None:
        return None
    found: npt.NDArray[np.float64] = _check_sample_weight(
        given, np.empty((count, 1)), dtype=np.float64, ensure_non_negative=True
    )
    return found


@cache
def _machines() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = loads(_native.machines())
    return found


def parameters_of(machine: str) -> list[str] | None:
    """Names of the parameters of a machine; None if there is none of this name."""
    found = [m for m in _machines() if m["id"] == machine]
    return [p["name"] for p in found[0]["params"]] if found else None


def machine_methods(machine: str) -> list[str]:
    """The methods that go with a machine; none of one that is not there."""
    id = machine.split(":")[0].strip()
    return next((list(m["goes_with"]) for m in _machines() if m["id"] == id), [])


def learns_unlabelled(machine: Any) -> bool:
    """Whether a machine, given by its text, learns from instances without a class, too."""
    id = machine.split(":")[0].strip() if isinstance(machine, str) else None
    return any(m["id"] == id and m["unlabelled"] for m in _machines())


def tells_probabilities(machine: Any) -> bool:
    """Whether a machine, given by its text, tells probabilities without a calibration."""
    id = machine.split(":")[0].strip() if isinstance(machine, str) else None
    return any(m["id"] == id and m["probabilities"] for m in _machines())


def machines_for_unlabelled() -> str:
    """The names of those that do."""
    return ", ".join(m["id"] for m in _machines() if m["unlabelled"])


def machine_of(task: str) -> str:
    """The machine that is meant for a task where none is named."""
    id: str = next(m["id"] for m in _machines() if task in m["tasks"] and m["recommended"])
    return id


def number(name: str, value: Any, which: str, fits: Callable[[float], bool]) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not fits(float(value)):
        raise ValueError(f"{name}: expected a number {which}, found {value!r}")
    return float(value)


@dataclass(frozen=True)
class Ready:
    """Instances that were read: what learns from them, their kernels, and what is done with the model."""

    learner: Callable[[], _native.Learner]
    prepare: Callable[[_native.Learner, _native.Run], _native.Prepared]
    finish: Callable[[_native.Learner, _native.Model, _native.Run], _native.Model]


class KernelLearner(SavedEstimator):
    """Base of what learns a combination of kernels; subclasses name the method and its parameters."""

    _method_id: str
    _method_params: list[str] = []

    def _method(self) -> tuple[str, list[tuple[str, Any]]]:
        return self._method_id, self._params_of(self._method_params)

    #: What is learned.
    _task: str
    #: The arguments that are parameters of the machine, by the names that these have there, with their
    #: defaults.
    _own: dict[str, tuple[str, Any]]

    def _learner(self, machine_params: dict[str, Any]) -> _native.Learner:
        method, params = self._method()
        return _native.Learner(
            method=method,
            params=params,
            kernels=self._kernel_texts(),
            task=self._task,
            machine=self._machine_text(),
            machine_params=self._taken(machine_params),
            scale=self._scale(),
            storage=self.storage,
            missing=str(self.missing),
        )

    def _machine_text(self) -> str:
        """The machine, whose text leaves the arguments of this class alone."""
        if not isinstance(self.machine, str):
            raise ValueError(
                f"machine: expected a name such as {machine_of(self._task)!r}, found {self.machine!r}"
            )
        for part in self.machine.split(":")[1:]:
            name = part.split("=")[0].strip()
            if name in self._own:
                argument = self._own[name][0]
                raise ValueError(
                    f"machine: '{name}' is the argument {argument} of {type(self).__name__}; give it there"
                )
        text: str = self.machine
        return text

    def _may_lack(self) -> bool:
        """Whether instances may lack views."""
        return str(self.missing) != "refuse"

    def _taken(self, given: dict[str, Any]) -> list[tuple[str, Any]]:
        """The parameters that the machine has; those that it has not must be at their defaults."""
        id = self.machine.split(":")[0].strip()
        known = parameters_of(id)
        taken = []
        for name, value in given.items():
            argument, default = self._own[name]
            if known is None or name in known:
                taken.append((name, parameter(f"parameter '{argument}'", value)))
            elif getattr(self, argument, default) != default:
                has = ", ".join(self._own[n][0] if n in self._own else n for n in known)
                raise ValueError(
                    f"{argument}: machine '{id}' has no such parameter; it has {has}"
                )
        return taken

    def _cost_and_tol(self) -> dict[str, Any]:
        """C and the tolerance of the machine."""
        c = number("C", getattr(self, "C", 1.0), "above 0", lambda v: 0 < v < np.inf)
        return {"c": c, **self._tol()}

    def _tol(self) -> dict[str, Any]:
        tol = number("machine_tol", self.machine_tol, "above 0 and at most 0.999", lambda v: 0 < v <= 0.999)
        return {"tol": tol}

    def _ready(self, given: Given) -> Ready:
        """How to fit these instances on kernels that several fits share."""
        raise NotImplementedError

    def _scale(self) -> str:
        return "none" if self.scale is None else str(self.scale)

    def _weighed(self, views: Any, given: Given) -> tuple[Any, Any, Any]:
        """The views of instances with a weight above 0, which these are (None: all), their weights.

        The weights are the entry ``sample_weight`` of what was given.
        """
        weights = instance_weights(given.others.get("sample_weight"), views.n)
        if weights is None or weights.all():
            return views, None, weights
        kept = np.flatnonzero(weights)
        if len(kept) == 0:
            raise ValueError("sample_weight: every weight is 0; nothing is left to learn from")
        self._layout.kept, self._layout.given = kept, views.n
        return views.select(kept.tolist()), kept, np.ascontiguousarray(weights[kept])

    def _counted(self, model: _native.Model) -> _native.Model:
        """The model, which counts in the instances given to ``fit``, whichever were learned from."""
        layout = self._layout
        return model if layout.kept is None else model.of_given(layout.kept.tolist(), layout.given)

    def _took(self, model: _native.Model) -> None:
        """Keeps a model and what it tells."""
        told = summary(model)
        self._model = model
        self._machines = [(m.get("positive"), m.get("negative")) for m in told["machines"]]
        errors = [w["error"] for w in told["weights"] if "error" in w]
        self.weights_ = Weights(
            (Weight(w["view"], w["kernel"], w["weight"]) for w in told["weights"]), errors or None
        )
        self.report_: Report = report(told["report"], told["library_version"])
        self.lacking_: dict[str, Any] | None = told.get("lacking")
        rows, coef, bias = model.support()
        self.support_ = rows
        self.dual_coef_ = np.ascontiguousarray(self._columns(coef.T).T)
        self.intercept_ = self._columns(bias[np.newaxis])[0]
        shift = self.report_.details.get("bias_shift")
        if shift is not None:
            self.report_.details["bias_shift"] = self._columns(np.asarray(shift)[np.newaxis])[0]
        # One for each column of decision values: two scores of two classes are one problem.
        machines = told["machines"][: len(self.intercept_)]
        self.dual_objectives_ = np.array([m.get("dual") for m in machines], dtype=float)
        self.machine_gaps_ = np.array([m["gap"] for m in machines], dtype=float)
        self.n_iter_ = max(1, self.report_.iterations)

    def _learned(self, given: Given) -> None:
        """Keeps what the model says of the instances that it learned from, if that is wanted."""

    def _columns(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Columns as they are told here, of one for each machine of the library."""
        return values

    def _values(self, X: Any, present: Any = None) -> npt.NDArray[np.float64]:
        """Values of the only machine."""
        return np.ascontiguousarray(self._told(X, present)[1][:, 0])

    def _told(self, X: Any, present: Any = None) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Codes and values of new instances; warns where some are told without all views."""
        check_is_fitted(self)
        codes, values, notes = self._model.predict(self._read_new(X, present), self._run())
        for note in notes:
            warnings.warn(f"{type(self).__name__}: {note}", UserWarning, stacklevel=2)
        return codes, values

    def gate(self, X: Any) -> npt.NDArray[np.float64]:
        """How much of each kernel instances take, with a method that has gates
        (``localized_mkl``, ``convex_localized``, ``lpk``).

        Parameters
        ----------
        X : like that of ``predict``

        Returns
        -------
        array of shape (n_instances, n_gates)
            Column by column the gates of ``gate_names_``; with ``gates="own"`` those of one machine after the other.
        """
        check_is_fitted(self)
        gates = self._model.gates(self._read_new(X), self._run())
        if gates is None:
            raise ValueError(
                f"gate: method '{summary(self._model)['method']}' has no gates; localized_mkl, convex_localized and lpk do"
            )
        return gates

    def plot_gates(self, X: Any, embedding: Any = None, axes: Any = None) -> Any:
        """Draw how much of each kernel instances take, with a method that has gates: a panel for each kernel.

        Parameters
        ----------
        X : like that of ``predict``
        embedding : array of shape (n_instances, 2), optional
            Where instances are drawn. Without it they are at the two columns that the gates look at, or at two
            principal components of these where they are more.
        axes : array of matplotlib axes, optional
            One for each of ``gate_names_``.

        Returns
        -------
        array of matplotlib axes
        """
        from ._plot import plot_gates

        gates = self.gate(X)
        found = None
        if embedding is None:
            found = self._model.gate_plane(self._read_new(X), self._run())
        labels, plane = found or (["", ""], np.asarray(embedding, dtype=float))
        if plane.shape != (len(gates), 2):
            raise ValueError(
                f"embedding: expected 2 numbers for each of {len(gates)} instances, found shape {plane.shape}"
            )
        if not np.isfinite(plane).all():
            raise ValueError("embedding: a place is NaN or infinite; give finite numbers for each instance")
        return plot_gates(gates, self.gate_names_, plane, labels, axes)

    @property
    def gate_(self) -> npt.NDArray[np.float64]:
        """The mean of each gate over the instances of training; empty for methods without gates."""
        check_is_fitted(self)
        means: npt.ArrayLike = self.report_.details.get("mean_gates", [])
        return np.asarray(means, dtype=float)

    @property
    def gate_names_(self) -> list[str]:
        """The kernel of each gate, of several copies with a number (``linear@X#2``), of machines with gates of their own
        with the name of the machine (``a vs rest: linear@X``); empty for methods without gates."""
        check_is_fitted(self)
        return self._model.gate_names()

    @property
    def projections_(self) -> dict[str, npt.NDArray[np.float64]]:
        """The projections that a method learned (``gpk``, ``lpk``): by the name of the view, and of the region where
        there are several (``X#1``), arrays of shape (n_features, n_dimensions). They are for the features as ``scale``
        left them. Empty for other methods."""
        check_is_fitted(self)
        return dict(self._model.maps())

    def total_cost(self, costs: Mapping[str, float] | None = None) -> float | None:
        """What predicting an instance costs: support vectors in percent of the training instances, times the share that
        the prices of the active kernels have of all prices (LMKA, section 2.8). 100 is every training instance with every
        kernel. To compare models of several methods, give them the same prices.

        Parameters
        ----------
        costs : dict of str to float, optional
            The price of each view, or kernel, above 0; 1 for those not named. Without them the prices of the method
            (``d`` of ``bach``).

        Returns
        -------
        float or None
            None without prices.
        """
        check_is_fitted(self)
        if costs is None:
            found: float | None = summary(self._model).get("total_cost")
            return found
        return self._model.total_cost({str(name): float(price) for name, price in costs.items()})

    @property
    def total_cost_(self) -> float | None:
        """What predicting an instance costs by the prices of the method (``d`` of ``bach``); None for other methods, to
        which ``total_cost`` gives prices."""
        return self.total_cost()

    @property
    def feature_weights_(self) -> dict[str, dict[str, float]]:
        """How relevant each feature of each view is, with a method that learns widths (``gmkl``).

        By view the relevance of each feature, by the name of its column (``"1"``, ``"2"``, ... where columns have
        no names): 1 is what it has at the start, and 0 says that the kernel does not look at it. Empty for other
        methods.
        """
        check_is_fitted(self)
        return {
            w["view"]: dict(zip(w["features"], w["relevance"], strict=True))
            for w in summary(self._model).get("widths", [])
        }

    def plot_weights(self, ax: Any = None) -> Any:
        """Draw the weights of the kernels as bars, coloured by view.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.

        Returns
        -------
        Axes
        """
        from ._plot import plot_weights

        check_is_fitted(self)
        return plot_weights(self.weights_, ax)
