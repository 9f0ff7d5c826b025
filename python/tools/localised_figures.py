"""Gönen 2010, chapters 3 and 5: the figures of localised MKL and of local projection kernels, as pictures and as numbers.

    python python/tools/localised_figures.py DATA FOLDER [NAME ...]

Writes SVG files into FOLDER and prints what can be said in numbers. DATA holds the folders mcycle, iris, new_thyroid, letter,
segment and olivetti; NAME is one or several of 3.2 (generated), 3.4, 5.14, 5.15, 5.16, 5.17, 5.18, 5.22 and 5.24, default all.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("RAYON_NUM_THREADS", "1")

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from five_by_two import Data, Row, evaluate, halves, pair, read  # noqa: E402
from localised_tables import GRID, VARIANCES, WOMEN, image_folds, mixture  # noqa: E402
from sklearn.model_selection import KFold  # noqa: E402

import cokernel  # noqa: E402

LINEAR: dict[str, Any] = {"kernels": ["linear"], "scale": "standard"}


def figure_3_2(_: Path, folder: Path) -> None:
    """Discriminants on one training half of GAUSS4, C = 10."""
    x, y = mixture(VARIANCES["as printed"])
    train, test = halves(y)[0][0][0], halves(y)[1]
    both: dict[str, Any] = {"kernels": ["linear", "polynomial:degree=2"], "scale": "standard", "C": 10.0}
    models: dict[str, Any] = {
        "SimpleMKL (k_L, k_P)": cokernel.SimpleMKLClassifier(**both),
        "LMKL (k_L, k_P)": cokernel.LocalizedMKLClassifier(starts=10, random_state=0, **both),
        "LMKL (3 k_L)": cokernel.LocalizedMKLClassifier(copies=3, starts=10, random_state=0, C=10.0, **LINEAR),
    }
    steps = np.linspace(-6, 6, 200)
    grid = np.array([[a, b] for b in steps for a in steps])
    _figure, axes = plt.subplots(1, 3, figsize=(12, 4), sharey=True)
    print("Figure 3.2, GAUSS4, one training half, C = 10")
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        model.fit(x[train], y[train])
        ax.scatter(*x[train].T, c=y[train], s=6, cmap="coolwarm")
        ax.scatter(*x[train][model.support_].T, s=20, facecolors="none", edgecolors="grey", linewidths=0.5)
        ax.contour(steps, steps, model.decision_function(grid).reshape(200, 200), [0], colors="black")
        if model.gate_names_:
            for gate in model.gate(grid).T:
                ax.contour(steps, steps, gate.reshape(200, 200), [0.5], colors="black", linestyles="dashed", linewidths=0.7)
        ax.set(title=name, xlim=(-6, 6), ylim=(-6, 6))
        told = f"accuracy {100 * model.score(x[test], y[test]):.1f}, support vectors {100 * len(model.support_) / len(train):.1f}"
        print(f"  {name}: {told}")
    plt.savefig(folder / "figure_3_2.svg", bbox_inches="tight")
    plt.close()


def figure_3_4(data: Path, folder: Path) -> None:
    """Three lines and their gates, C = 1000 and ε = 16: the means over ten folds, of ten starts each."""
    views, y = read(data, "mcycle")
    x = views["X"]
    times = np.linspace(x.min(), x.max(), 200)[:, None]
    errors, plain, fits, locals_, gates = (list[Any]() for _list in range(5))
    for train, test in KFold(10, shuffle=True, random_state=0).split(x):
        given: dict[str, Any] = {"C": 1000.0, "epsilon": 16.0, **LINEAR}
        model = cokernel.LocalizedMKLRegressor(copies=3, starts=10, random_state=0, **given).fit(x[train], y[train])
        line = cokernel.MeanMKLRegressor(**given).fit(x[train], y[train])
        plain.append(np.mean((line.predict(x[test]) - y[test]) ** 2))
        errors.append(np.mean((model.predict(x[test]) - y[test]) ** 2))
        at = model.gate(times)
        # f(x) = Σ_m η_m(x) w_m x + b, with w_m = Σ_i (α⁺_i − α⁻_i) η_m(x_i) x_i.
        scaled = (x - x[train].mean()) / x[train].std()
        of_times = (times - x[train].mean()) / x[train].std()
        own = model.gate(x[train])[model.support_]
        w = model.dual_coef_[0] @ (own * scaled[train][model.support_])
        lines = of_times * w + model.intercept_[0]
        whole = (at * of_times * w).sum(axis=1) + model.intercept_[0]
        assert np.allclose(whole, model.predict(times), atol=1e-6 * np.abs(y).max())
        order = np.argsort([(g * times[:, 0]).sum() / g.sum() for g in at.T])
        fits.append(whole)
        locals_.append(lines[:, order])
        gates.append(at[:, order])
    print("Figure 3.4, MOTORCYCLE: mean squared error over ten folds")
    print(f"  three lines {pair(np.mean(errors), np.std(errors, ddof=1), 0)}, one line {np.mean(plain):.0f}, "
          f"variance of the numbers {y.var():.0f}")  # fmt: skip
    mean = np.mean(gates, axis=0)
    ends = [times[np.argmax(mean[:, k] < mean[:, k + 1]), 0] for k in (0, 1)]
    print(f"  the gates change at {ends[0]:.1f} and {ends[1]:.1f} ms; one gate is above 0.9 at "
          f"{100 * np.mean(np.max(gates, axis=2) > 0.9):.0f} percent of the times")  # fmt: skip
    plt.scatter(x[:, 0], y, s=6, color="grey")
    plt.plot(times, np.mean(fits, axis=0), color="black", linewidth=2)
    for k in range(3):
        plt.plot(times, np.mean(locals_, axis=0)[:, k], color="black", linewidth=0.7)
        plt.plot(times, 50 * mean[:, k], color="black", linewidth=0.7, linestyle="dashed")
    plt.ylim(-150, 100)
    plt.savefig(folder / "figure_3_4.svg", bbox_inches="tight")
    plt.close()


# Which classes of which set make the first class, and which the second (None: all others).
MERGED: dict[str, tuple[str, list[int], list[int] | None]] = {
    "5.14": ("iris", [0, 2], [1]),
    "5.15": ("new_thyroid", [1, 2], [0]),
    "5.16": ("letter", [0, 2], [1]),
    "5.17": ("segment", [0, 5], [2]),
}


def seen(x: Any, y: Any) -> dict[str, Any]:
    """Two dimensions by each method: of LPK η_m(x) W_mᵀx for both regions, in which the machine is a line."""
    found: dict[str, Any] = {}
    for method in ("pca", "lfda"):
        if method == "lfda" and x.shape[1] > 1000:
            continue
        found[method.upper()] = cokernel.MultiViewEmbedding(2, method=method, scale="standard").fit_transform(x, y)
    model = cokernel.LPKClassifier(dimensions=1, C=10.0, starts=5, random_state=0, **LINEAR).fit(x, y)
    spread = x.std(axis=0)
    scaled = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1)
    found["LPK"] = model.gate(x) * np.hstack([scaled @ w for w in model.projections_.values()])
    found["errors of LPK"] = int(np.sum(model.predict(x) != y))
    return found


def picture(name: str, x: Any, parts: Any, y: Any, file: Path) -> None:
    found = seen(x, y)
    wrong = found.pop("errors of LPK")
    _, axes = plt.subplots(1, len(found), figsize=(4 * len(found), 4))
    counts = []
    for ax, (method, z) in zip(axes, found.items(), strict=True):
        for part in np.unique(parts):
            chosen = parts == part
            ax.scatter(*z[chosen].T, s=8, marker="o" if y[chosen][0] else "x", label=str(int(part)))
        ax.set_title(method)
        line = cokernel.MeanMKLClassifier(C=10.0, **LINEAR).fit(z, y)
        counts.append(f"{method} {int(np.sum(line.predict(z) != y))}")
    if len(np.unique(parts)) < 6:
        axes[0].legend()
    plt.savefig(file, bbox_inches="tight")
    plt.close()
    print(f"{name}, {len(y)} instances: not separated by a line in two dimensions: {', '.join(counts)}; "
          f"errors of LPK itself {wrong}")  # fmt: skip


def merged(number: str, data: Path, folder: Path) -> None:
    name, first, second = MERGED[number]
    views, classes = read(data, name)
    rows = np.isin(classes, first + second) if second is not None else np.ones(len(classes), dtype=bool)
    y = np.isin(classes[rows], first).astype(int)
    picture(f"Figure {number}, {name}", views["X"][rows], classes[rows], y, folder / f"figure_{number.replace('.', '_')}.svg")


def faces(data: Path) -> tuple[Any, Any]:
    views, persons = read(data, "olivetti")
    return views["X"], np.isin(persons, WOMEN).astype(int)


def figure_5_18(data: Path, folder: Path) -> None:
    x, y = faces(data)
    picture("Figure 5.18, olivetti", x, y, y, folder / "figure_5_18.svg")
    model = cokernel.LPKClassifier(dimensions=1, C=10.0, starts=5, random_state=0, **LINEAR).fit(x, y)
    _figure, axes = plt.subplots(1, 2, figsize=(6, 3))
    for ax, (name, w) in zip(axes, model.projections_.items(), strict=True):
        ax.imshow(w[:, 0].reshape(64, 64).T, cmap="grey")
        ax.set_title(name)
        ax.axis("off")
    plt.savefig(folder / "figure_5_18_faces.svg", bbox_inches="tight")
    plt.close()


class After:
    """A linear machine on what is left by PCA or, in the space of 100 principal components, LFDA."""

    gate_names_: list[str] = []
    weights_: list[Any] = []

    def __init__(self, method: str, dimensions: int, C: float) -> None:
        self.method, self.dimensions, self.C = method, dimensions, C

    def fit(self, x: Any, y: Any) -> After:
        x = x["X"]
        self.steps: list[Any] = []
        for method, size in [("pca", 100), ("lfda", self.dimensions)] if self.method == "lfda" else [("pca", self.dimensions)]:
            step = cokernel.MultiViewEmbedding(size, method=method, scale=None if self.steps else "standard").fit(x, y)
            x = step.transform(x)
            self.steps.append(step)
        self.machine = cokernel.MeanMKLClassifier(C=self.C, **LINEAR).fit(x, y)
        self.support_, self.report_ = self.machine.support_, self.machine.report_
        return self

    def predict(self, x: Any) -> Any:
        x = x["X"]
        for step in self.steps:
            x = step.transform(x)
        return self.machine.predict(x)


# Nine of ten images are of men. Their dual variables then balance those of the women at the means of the classes, for most
# projections to one dimension: the machine says "man" of all, and the objective does not change with the projection. With a
# cost by class this is not so.
BALANCED: dict[str, Any] = {"class_weight": "balanced", "random_state": 0, **LINEAR}


def figure_5_22(data: Path, _: Path) -> None:
    x, y = faces(data)
    of = Data({"X": x}, y, *image_folds())
    print("Figure 5.22, OLIVETTI: test accuracy in percent, support vectors in percent")
    print("| method | R | accuracy | support vectors | C |\n|---|---:|---:|---:|---:|")

    def show(name: str, r: int | str, make: Any, every: int = 1) -> None:
        found = evaluate(Row(name, make, ["X"], GRID[::every]), of)
        score, support = (pair(v.mean(), v.std(ddof=1)) for v in (found.score, found.support))
        print(f"| {name} | {r} | {score} | {support} | {found.setting['C']:g} |", flush=True)
        print(f"{name}, {r}: {found.seconds:.0f} s of CPU, {found.unfinished} fits did not converge", file=sys.stderr, flush=True)

    show("SVM", "–", lambda C: cokernel.MeanMKLClassifier(C=C, **LINEAR))
    for r in (1, 2, 4):
        for method in ("pca", "lfda"):
            show(f"{method.upper()}, then SVM", r, lambda C, m=method, r=r: After(m, r, C))
        show("GPK", r, lambda C, r=r: cokernel.GPKClassifier(dimensions=r, C=C, **BALANCED), 2)
        for p in (2, 3):
            show(f"LPK, P = {p}", r, lambda C, r=r, p=p: cokernel.LPKClassifier(regions=p, dimensions=r, C=C, **BALANCED), 2)


def figure_5_24(data: Path, _: Path) -> None:
    x, y = faces(data)
    (train, _held), test = image_folds()[0][0], image_folds()[1]
    print("Figure 5.24, OLIVETTI, LPK, P = 2, R = 1, C = 100, costs by class, steps along the gradient")
    for lengths in ("free", "fixed"):
        model = cokernel.LPKClassifier(
            dimensions=1, C=100.0, search="gradient", lengths=lengths, tol=1e-6, max_iterations=25, **BALANCED
        ).fit(x[train], y[train])
        trace = np.array(model.report_.objective)
        falls = 1 - trace[1:] / trace[:-1]
        ends = [next((k + 1 for k, fall in enumerate(falls) if fall <= tol), len(falls)) for tol in (0.01, 0.001)]
        scores = [100 * model.score(x[part], y[part]) for part in (train, test)]
        print(f"  {lengths}: objective {trace[0]:.3g}, after 5 steps {trace[min(5, len(trace) - 1)]:.3g}, at the end (step "
              f"{len(falls)}) {trace[-1]:.3g}; decrease up to 0.01 in step {ends[0]}, up to 0.001 in step {ends[1]}; accuracy "
              f"{scores[0]:.1f} (training), {scores[1]:.1f} (test)")  # fmt: skip


FIGURES: dict[str, Any] = {
    "3.2": figure_3_2, "3.4": figure_3_4,
    **{n: lambda data, folder, n=n: merged(n, data, folder) for n in MERGED},
    "5.18": figure_5_18, "5.22": figure_5_22, "5.24": figure_5_24,
}  # fmt: skip


def main() -> None:
    names = sys.argv[3:]
    unknown = [n for n in names if n not in FIGURES]
    if len(sys.argv) < 3 or unknown:
        sys.exit(f"unknown: {', '.join(unknown)}; {', '.join(FIGURES)} are known" if unknown else __doc__)
    warnings.simplefilter("ignore")
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or FIGURES:
        FIGURES[name](Path(sys.argv[1]), folder)


if __name__ == "__main__":
    main()
