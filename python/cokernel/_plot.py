"""Pictures, where matplotlib is installed."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Colours that remain apart for colour-blind readers (Okabe and Ito).
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#000000"]

#: Colours of 0, 0.5 and 1, those of `cokernel predict --plot-gates`; also a print without colours tells them apart.
SHADES = ["#D6D6D6", "#56A0D3", "#08306B"]

#: Shapes for the groups after the eighth.
MARKERS = ["o", "^", "s", "x"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as e:
        raise ImportError(
            "pictures need matplotlib: pip install matplotlib (or cokernel[plot])"
        ) from e
    return plt.subplots(layout="constrained")[1]


def plot_weights(weights: Any, ax: Any = None) -> Any:
    """Bars of the kernels' weights, coloured by view; whiskers are their errors, where these are known."""
    ax = _axes(ax)
    views = list(dict.fromkeys(w.view for w in weights))
    seen: set[str] = set()
    for place, w in enumerate(weights):
        label = None if w.view in seen else w.view
        seen.add(w.view)
        error = None if weights.errors is None else weights.errors[place]
        colour = COLOURS[views.index(w.view) % len(COLOURS)]
        ax.barh(place, w.weight, color=colour, label=label, xerr=error, ecolor="#404040", capsize=2)
    ax.set_yticks(range(len(weights)), [w.kernel for w in weights])
    ax.invert_yaxis()
    ax.set_xlabel("weight")
    if len(views) > 1:
        ax.legend(title="view")
    return ax


def plot_gates(gates: Any, names: list[str], plane: Any, labels: list[str], axes: Any = None) -> Any:
    """A panel for each gate: instances in a plane, coloured by the gate."""
    if axes is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError as e:
            raise ImportError(
                "pictures need matplotlib: pip install matplotlib (or cokernel[plot])"
            ) from e
        columns = min(len(names), 4)
        rows = -(-len(names) // columns)
        size = (2.7 * columns + 0.8, 2.5 * rows)
        axes = plt.subplots(
            rows, columns, figsize=size, sharex=True, sharey=True, layout="constrained", squeeze=False
        )[1]
    axes = np.asarray(axes, dtype=object).ravel()
    if len(axes) < len(names):
        raise ValueError(f"axes: expected {len(names)}, one for each gate, found {len(axes)}")
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("gate", SHADES)
    for ax, name, values in zip(axes, names, gates.T, strict=False):
        shown = ax.scatter(
            plane[:, 0], plane[:, 1], c=values, s=9, alpha=0.85, cmap=shades, vmin=0.0, vmax=1.0
        )
        ax.set_title(name, fontsize="medium")
        ax.set_xlabel(labels[0], fontsize="small")
    axes[0].set_ylabel(labels[1], fontsize="small")
    for ax in axes[len(names) :]:
        ax.set_visible(False)
    axes[0].figure.colorbar(shown, ax=list(axes[: len(names)]), label="gate")
    return axes[: len(names)]


def plot_costs(points: Any, score: str, ax: Any = None) -> Any:
    """A point for each name: (cost, score)."""
    ax = _axes(ax)
    for place, (name, (cost, value)) in enumerate(points.items()):
        look = {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place // len(COLOURS) % 4]}
        ax.scatter([cost], [value], s=36, label=str(name), **look)
    ax.set_xlabel("total cost of predicting an instance in percent")
    ax.set_ylabel(score)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax


def plot_embedding(rows: Any, colours: Any, ax: Any = None) -> Any:
    """The first two principal axes of an embedding."""
    ax = _axes(ax)
    centred = rows - rows.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
    plane = centred @ axes.T
    if plane.shape[1] == 1:
        plane = np.column_stack([plane[:, 0], np.zeros(len(plane))])
    for place, group in enumerate(np.unique(np.asarray(colours))):
        of = np.asarray(colours) == group
        look = {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place // len(COLOURS) % 4]}
        ax.scatter(plane[of, 0], plane[of, 1], s=14, label=str(group), **look)
    ax.set_xlabel("first principal axis")
    ax.set_ylabel("second principal axis")
    ax.legend(markerscale=1.5, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax
