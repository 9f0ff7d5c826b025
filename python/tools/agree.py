"""Four methods for one problem agree on ten real data sets.

    python python/tools/agree.py DATA [NAME ...]

SimpleMKL, LevelMKL, the semi-infinite linear program (SILP) and Lanckriet's quadratically constrained
program have the same optimum where all kernels have the same trace. Each learns to a relative
duality gap of 1e-3 on DATA/NAME/X.csv.gz and DATA/NAME/labels.csv (codes), features standardised,
C = 10, kernels centred and of unit variance: nine Gaussian kernels (γ = 2^-10, ..., 2^-2), three
polynomial ones (degrees 2, 3, 4) and a linear one on all features, and a linear one on each feature.

The optimum is enclosed here, from kernels made by numpy: for each answer
P = ½ Σ η_m cᵀK_m c + C Σ max(0, 1 − y f), and D = Σ |c| − ½ max_m cᵀK_m c of SimpleMKL to a gap of 1e-6
(the lower bounds of SILP and LevelMKL are those of their models, not of their last coefficients).
The script ends with an error if P − D > 1e-3 P for one of them. It prints a table.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

os.environ.setdefault("RAYON_NUM_THREADS", "1")

import numpy as np  # noqa: E402

from cokernel import (  # noqa: E402
    LanckrietQcqpMKLClassifier,
    LevelMKLClassifier,
    SilpMKLClassifier,
    SimpleMKLClassifier,
)

TOL, C, MOST = 1e-3, 10.0, 3000
#: How many instances are taken, half of each class, from the first on; None: all.
SETS = {
    "sonar": None,
    "ionosphere": None,
    "pima_diabetes": None,
    "heart_statlog": None,
    "liver_bupa": None,
    "wdbc": None,
    "spambase": 300,
    "banana": 600,
    "twonorm": 600,
    "ringnorm": 600,
}
METHODS = {
    "SimpleMKL": SimpleMKLClassifier,
    "LevelMKL": LevelMKLClassifier,
    "SILP": SilpMKLClassifier,
    "QCQP": LanckrietQcqpMKLClassifier,
}
SPECS = [
    "gaussian:gamma=2^-10..-2:normalize=center_unit_variance",
    "polynomial:degree=2,3,4:normalize=center_unit_variance",
    "linear:normalize=center_unit_variance",
    "linear:per_feature:normalize=center_unit_variance",
]


def read(folder: Path, most: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Standardised features without constant ones, and labels -1 and 1."""
    x = np.loadtxt(folder / "X.csv.gz", delimiter=",", ndmin=2)
    codes = np.loadtxt(folder / "labels.csv").astype(int)
    y = np.where(codes == np.unique(codes)[0], -1.0, 1.0)
    if most is not None:
        part = [np.flatnonzero(y == sign)[: most // 2] for sign in (-1.0, 1.0)]
        rows = np.sort(np.concatenate(part))
        x, y = x[rows], y[rows]
    x = x[:, x.std(0) > 0]
    return (x - x.mean(0)) / x.std(0), y


def grams(x: np.ndarray) -> np.ndarray:
    """The kernels, in the order of SPECS."""
    product = x @ x.T
    own = np.diag(product)
    square = own[:, None] - 2 * product + own
    all_of = [np.exp(-(2.0**k) * square) for k in range(-10, -1)]
    all_of += [(product + 1) ** degree for degree in (2, 3, 4)] + [product]
    all_of += [np.outer(column, column) for column in x.T]
    for k in all_of:
        k -= k.mean(0)
        k -= k.mean(1)[:, None]
        k /= np.trace(k) / len(k)
    return np.array(all_of)


def bounds(model, kernels: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """P and D of a fitted classifier."""
    coef = np.zeros(len(y))
    coef[model.support_] = model.dual_coef_.ravel()
    images = kernels @ coef
    values = model.weights_ @ images + model.intercept_.ravel()[0]
    loss = np.maximum(0, 1 - y * values).sum()
    primal = 0.5 * coef @ (model.weights_ @ images) + C * loss
    return primal, np.abs(coef).sum() - 0.5 * (images @ coef).max()


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, names = Path(sys.argv[1]), sys.argv[2:] or SETS
    header = ["data", "n", "kernels", "least objective"]
    header += [f"{name}: gap, machines, CPU s" for name in METHODS]
    print("| " + " | ".join(header) + " |\n|---|" + "---:|" * (len(header) - 1))
    faults = []
    for name in names:
        x, y = read(folder / name, SETS[name])
        kernels = grams(x)
        found, told = [], []
        for title, method in METHODS.items():
            model = method(kernels=SPECS, C=C, tol=TOL, max_iterations=MOST)
            begin = time.process_time()
            model.fit(x, y)
            seconds = time.process_time() - begin
            found.append(bounds(model, kernels, y))
            told.append(f"{model.report_.counts['machine_solves']}, {seconds:.2f}")
            if model.report_.status != "converged" or not model.report_.duality_gap <= TOL:
                faults.append(f"{name}, {title}: {model.report_}")
        exact = SimpleMKLClassifier(kernels=SPECS, C=C, tol=TOL / 1e3, machine_tol=TOL / 1e4)
        _, below = bounds(exact.fit(x, y), kernels, y)
        gaps = [(primal - below) / primal for primal, _ in found]
        for title, gap in zip(METHODS, gaps):
            if not -1e-9 <= gap <= TOL * (1 + 1e-6):
                faults.append(f"{name}, {title}: gap {gap:.2e} above {TOL:.0e}")
        row = [name, len(y), len(kernels), f"{min(found)[0]:.4f}"]
        row += [f"{gap:.1e}, {cost}" for gap, cost in zip(gaps, told)]
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
    if faults:
        sys.exit("\n".join(faults))


main()
