"""Gönen 2010, §2.7.1, Figures 2.2 and 2.4: the validation error of MKL over the prices of its kernels, and what RMKL finds.

    python python/tools/price_surface.py [--quick]

GAUSS2 to GAUSS5 are the mixtures of Table 2.2, 1,200 instances each. k_L, k_P (degree 2) and k_G (s of (2.10)) of unit
diagonal on columns as they are, d_L = 1, d_P and d_G on a grid in log10; the error is the mean over the ten validation
halves of §5.1, with the C of 0.01 to 100 that has the least with all d = 1.

--quick: one half in place of ten.
"""

from __future__ import annotations

import os
import sys
from typing import Any

os.environ.setdefault("RAYON_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from five_by_two import halves  # noqa: E402

import cokernel  # noqa: E402

HALVES = 1 if "--quick" in sys.argv else 10
COSTS = [0.01, 0.1, 1.0, 10.0, 100.0]
STEPS = [-0.6, -0.3, 0.0, 0.3, 0.6]
UNIT = ":normalize=unit_diagonal"
KERNELS = [f"linear@L{UNIT}", f"polynomial@P:degree=2:gamma=1{UNIT}", "gaussian@G:scale=mean_nearest"]

# Prior and mean of each component, positive ones first; variances 0.8 and 2 of these, 0.8 and 4 of the others.
Component = tuple[float, float]
POSITIVE: dict[str, list[Component]] = {
    "GAUSS2": [(0.5, -1.0)],
    "GAUSS3": [(0.25, -2.0), (0.25, 2.0)],
    "GAUSS4": [(0.25, -3.0), (0.25, 1.0)],
    "GAUSS5": [(0.16, -4.0), (0.18, 0.0), (0.16, 4.0)],
}
NEGATIVE: dict[str, list[Component]] = {
    "GAUSS2": [(0.5, 1.0)],
    "GAUSS3": [(0.5, 0.0)],
    "GAUSS4": [(0.25, -1.0), (0.25, 3.0)],
    "GAUSS5": [(0.25, -2.0), (0.25, 2.0)],
}


def mixture(name: str) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    parts = [(p, x, 1.0, 2.0, 1) for p, x in POSITIVE[name]] + [(p, x, -2.2, 4.0, 0) for p, x in NEGATIVE[name]]
    prior, first, second, variance, label = (np.array(column) for column in zip(*parts, strict=True))
    part = rng.choice(len(parts), size=1200, p=prior)
    centre = np.column_stack([first, second])[part]
    spread = np.sqrt(np.column_stack([np.full(len(part), 0.8), variance[part]]))
    return centre + rng.normal(size=(1200, 2)) * spread, label[part]


def views(x: Any) -> dict[str, Any]:
    return {"L": x, "P": x, "G": x}


def main() -> None:
    print("| data | C | error, all d = 1 | least error | at log10 d_P, d_G | RMKL: d_P, d_G | its error | evaluations |")
    print("|---|---:|---:|---:|---|---|---:|---:|")
    for name in POSITIVE:
        x, y = mixture(name)
        folds, _ = halves(y)

        def error(c: float, p: float, g: float, x: Any = x, y: Any = y, folds: Any = folds) -> float:
            prices = f"L=1,P={10**p:.6g},G={10**g:.6g}"
            wrong = []
            for train, held in folds[:HALVES]:
                model = cokernel.BachMKLClassifier(kernels=KERNELS, d=prices, C=c).fit(views(x[train]), y[train])
                wrong.append(np.mean(model.predict(views(x[held])) != y[held]))
            return float(100 * np.mean(wrong))

        best_c = min(COSTS, key=lambda c: error(c, 0.0, 0.0))
        grid = {(p, g): error(best_c, p, g) for p in STEPS for g in STEPS}
        least = min(grid.values())
        at = " ".join(f"({p:g}, {g:g})" for (p, g), e in grid.items() if e <= least + 1e-9)
        rest = np.sort(np.concatenate(folds[0]))
        found = cokernel.RMKLClassifier(kernels=KERNELS, C=best_c, folds=2, random_state=0).fit(views(x[rest]), y[rest])
        d = found.report_.details["d"]
        own = error(best_c, float(np.log10(d[1])), float(np.log10(d[2])))
        tried = len(found.report_.details["validation_error"])
        print(
            f"| {name} | {best_c:g} | {grid[0.0, 0.0]:.2f} | {least:.2f} | {at} | {d[1]:.2f}, {d[2]:.2f} | {own:.2f} | {tried} |",
            flush=True,
        )
        if name == "GAUSS3":
            plain = cokernel.BachMKLClassifier(kernels=KERNELS, C=best_c).fit(views(x[rest]), y[rest])
            told = [
                f"{who}: " + ", ".join(f"{w.weight:.2f}" for w in model.weights_) + f"; {len(model.support_)} support vectors"
                for who, model in (("MKL", plain), ("RMKL", found))
            ]
    print("\nFigure 2.4, GAUSS3, weights of k_L, k_P, k_G: " + ". ".join(told) + ".")


if __name__ == "__main__":
    main()
