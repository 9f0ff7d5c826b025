"""What fitted estimators tell: how the computation went, and the weights of the kernels."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning


@dataclass(frozen=True)
class Report:
    """How a computation went.

    Attributes
    ----------
    status : str
        ``"converged"``, ``"closed_form"``, ``"iteration_limit"``, ``"time_limit"``, ``"stalled"`` or
        ``"interrupted"``.
    iterations : int
        Outer iterations.
    objective : ndarray of float
        The objective after each of them.
    duality_gap : float or None
        Relative duality gap at the end, for convex methods.
    gaps : ndarray of float
        The gap after each iteration, for methods that iterate and have one.
    counts : dict of str to int
        Work done: machines solved, pair steps, sums of kernels, eigenvalue problems.
    seconds : float
        Wall-clock time.
    seed : int
        The seed that was used.
    notes : list of str
        Sentences about the data or the result that are worth reading.
    warnings : list of str
        What must not be overlooked; ``fit`` gives it as Python warnings, too.
    machine : dict or None
        How the kernel machines on the learned combination ended: status, sums of their primal and
        dual objectives, the largest gap, the share of instances at their bound.
    details : dict of str to ndarray
        What else the method found, by the names of its documentation.
    version : str
        The version of Cokernel.
    """

    status: str
    iterations: int
    objective: npt.NDArray[np.float64] = field(repr=False)
    duality_gap: float | None
    gaps: npt.NDArray[np.float64] = field(repr=False)
    counts: dict[str, int] = field(repr=False)
    seconds: float
    seed: int
    notes: list[str]
    warnings: list[str] = field(repr=False)
    machine: dict[str, Any] | None = field(repr=False)
    details: dict[str, npt.NDArray[np.float64]] = field(repr=False)
    version: str

    @property
    def converged(self) -> bool:
        """Whether the result is what was asked for."""
        return self.status in ("converged", "closed_form")


def report(told: dict[str, Any], version: str) -> Report:
    """The report of a summary of the native library."""
    return Report(
        status=told["status"],
        iterations=told["iterations"],
        objective=np.array(told["objective"], dtype=np.float64),
        duality_gap=told["gap"],
        gaps=np.array(told.get("gaps", []), dtype=np.float64),
        counts=dict(told["counts"]),
        seconds=told["seconds"],
        seed=told["seed"],
        notes=list(told["notes"]),
        warnings=list(told.get("warnings", [])),
        machine=told.get("machine"),
        details={k: np.array(v, dtype=np.float64) for k, v in told.get("details", {}).items()},
        version=version,
    )


def warn_unless_converged(name: str, found: Report) -> None:
    """What must not be overlooked: remarks that are warnings, and a tolerance not reached."""
    for remark in found.warnings:
        warnings.warn(f"{name}: {remark}", UserWarning, stacklevel=4)
    if found.converged:
        return
    words = found.status.replace("_", " ")
    # Time that was up is reason enough: the notes speak of other things.
    stopped = found.status in ("time_limit", "interrupted")
    why = f": {found.notes[-1]}" if found.notes and not stopped else ""
    message = f"{name} did not converge ({words} after {found.iterations} iterations){why}"
    warnings.warn(message, ConvergenceWarning, stacklevel=4)


# Kernels that a table of weights shows; of more, the heaviest.
_LISTED = 100


class Weight(NamedTuple):
    """One kernel and its weight."""

    view: str
    kernel: str
    weight: float


class Weights(list[Weight]):
    """The kernels with their weights, in the order of training.

    A list of (view, kernel, weight), so that ``pandas.DataFrame(weights)`` is the table;
    ``numpy.asarray(weights)`` are the weights alone. Of more than 100 the heaviest are printed. Methods that
    know how uncertain their weights are tell it in ``errors``, standard deviations or standard errors.

    Attributes
    ----------
    errors : ndarray or None
        One for each kernel.

    Examples
    --------
    >>> from cokernel._report import Weight, Weights
    >>> Weights([Weight("fou", "linear@fou", 0.25), Weight("fac", "linear@fac", 0.75)])
    view  kernel      weight
    fou   linear@fou  0.2500  ██████▋
    fac   linear@fac  0.7500  ████████████████████
    """

    def __init__(
        self,
        weights: Iterable[Weight] = (),
        errors: Sequence[float] | npt.NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__(weights)
        self.errors = None if errors is None else np.asarray(errors, dtype=np.float64)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return np.array([w.weight for w in self], dtype=dtype or np.float64)

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame."""
        import pandas

        frame = pandas.DataFrame(list(self), columns=list(Weight._fields))
        if self.errors is not None:
            frame["error"] = self.errors
        return frame

    def plot(self, ax: Any = None) -> Any:
        """Draw the weights as bars, with their errors where these are known; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        from ._plot import plot_weights

        return plot_weights(self, ax)

    def by_view(self) -> dict[str, float]:
        """The sum of the weights of each view."""
        sums: dict[str, float] = {}
        for w in self:
            sums[w.view] = sums.get(w.view, 0.0) + w.weight
        return sums

    def largest(self, count: int = 40) -> "Weights":
        """The kernels with the largest weights, in the order of training."""
        order = sorted(range(len(self)), key=lambda k: -self[k].weight)[:count]
        order.sort()
        errors = None if self.errors is None else self.errors[order]
        return Weights((self[k] for k in order), errors)

    def __repr__(self) -> str:
        shown = self.largest(_LISTED) if len(self) > _LISTED else self
        views = max([4, *(len(w.view) for w in shown)])
        kernels = max([6, *(len(w.kernel) for w in shown)])
        top = max([w.weight for w in shown], default=0.0)
        lines = [f"{'view':<{views}}  {'kernel':<{kernels}}  weight"]
        for k, w in enumerate(shown):
            number = "     0" if w.weight == 0 else f"{w.weight:.4f}"
            if shown.errors is not None:
                number = f"{number} ± {shown.errors[k]:.4f}"
            bar = _bar(w.weight / top) if top > 0 else ""
            lines.append(f"{w.view:<{views}}  {w.kernel:<{kernels}}  {number}  {bar}".rstrip())
        if len(shown) < len(self):
            lines.append(f"… and {len(self) - len(shown):,} kernels with smaller weights")
        return "\n".join(lines)


def _bar(part: float, length: int = 20) -> str:
    eighths = int(round(max(part, 0.0) * length * 8))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
