"""What Kumar 2013 says of learning in K-space, beside its tables: two circles, and Figure 5.2.

    python python/tools/k_space.py DATA

1. §6.2.1.1, two circles with a linear kernel of each coordinate: training accuracy with a linear combination (54 % there)
   and with products of two (100 %). n, λ and C are not printed: 200 or 1000 points here, λ chosen by validation, C of 1 or
   10,000.
2. Figure 5.2: hinge loss in K-space, accuracy of the K-classifier and accuracy of the classifier of instances for each λ,
   and accuracy after more and more stochastic steps. Caltech-101 is not at hand: mfeat (digits, six representations,
   20 instances of each class to learn from) and protfold (ten representations of proteins, half of each class and at
   most 12), each with kernels exp(-d²/γ), centred and of unit variance, γ a quarter of the mean squared distance, that, and
   four times that. C = 1000, as there.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("RAYON_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from scipy.stats import spearmanr  # noqa: E402

from cokernel import MKLClassifier  # noqa: E402

GRID = [100 * 4.0**-k for k in range(17)]
VIEWS = {
    "mfeat": ["fac", "fou", "kar", "mor", "pix", "zer"],
    "protfold": [
        "Composition", "Secondary", "Hydrophobicity", "Volume", "Polarity", "Polarizability", "L1", "L4", "L14", "L30",
    ],
}  # fmt: skip
SPLITS = 5


def circles() -> None:
    settings = [(200, 1.0), (200, 10_000.0), (1000, 1.0)]
    print("circles, 20 drawings: training accuracy in percent\n")
    print("| combination | " + " | ".join(f"n = {n:,}, C = {c:,.0f}" for n, c in settings) + " |\n|---|---:|---:|---:|")
    for name, method, given in [
        ("linear", "two_stage", {}),
        ("products of two", "polynomial_two_stage", {"degree": 2}),
    ]:
        cells = []
        for n, cost in settings:
            found = []
            for seed in range(20):
                rng = np.random.default_rng(seed)
                y = np.arange(n) % 2
                angle = rng.uniform(0, 2 * np.pi, n)
                x = (1 + y)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
                model = MKLClassifier(
                    method, views={"a": [0], "b": [1]}, kernels=["linear"], C=cost, random_state=0,
                    method_params=given,
                )  # fmt: skip
                found.append(100 * model.fit(x, y).score(x, y))
            cells.append(f"{np.mean(found):.1f} ± {np.std(found, ddof=1):.1f}")
        print("| " + " | ".join([name, *cells]) + " |", flush=True)


def table(folder: Path, view: str) -> np.ndarray:
    return np.loadtxt(folder / f"{view}.csv.gz", delimiter=",")


def grams(tables: list[np.ndarray], train: np.ndarray, test: np.ndarray) -> tuple[list, list]:
    """Kernels of training instances, and of test instances with them."""
    fit, new = [], []
    for x in tables:
        spread = x[train].std(0)
        x = (x - x[train].mean(0)) / np.where(spread > 0, spread, 1)
        own = (x**2).sum(1)
        d = np.maximum(own[:, None] - 2 * x @ x[train].T + own[train], 0)
        d[train, np.arange(len(train))] = 0
        for factor in (0.25, 1.0, 4.0):
            k = np.exp(-d / (factor * d[train].mean()))
            # Centred on the training instances, then of unit variance.
            k += k[train].mean() - k.mean(1)[:, None] - k[train].mean(0)
            k /= np.trace(k[train]) / len(train)
            fit.append(k[train])
            new.append(k[test])
    return fit, new


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(spearmanr(a, b).statistic)


def model(names: list[str], cost: float, **given) -> MKLClassifier:
    return MKLClassifier(
        "two_stage", views=names, kernels="precomputed", C=cost, method_params=given, random_state=0
    )


def figure(folder: Path, name: str) -> None:
    tables = [table(folder / name, v) for v in VIEWS[name]]
    y = np.loadtxt(folder / name / "labels.csv").astype(int)
    rows, curves, steps = [], [], (1, 10, 100, 1000)
    for split in range(SPLITS):
        rng = np.random.default_rng(split)
        order = rng.permutation(len(y))
        count = {"mfeat": 20, "protfold": 12}[name]
        parts = [order[y[order] == c] for c in np.unique(y)]
        train = np.concatenate([p[: min(count, len(p) // 2)] for p in parts])
        test = np.setdiff1d(order, train)[:: {"mfeat": 3, "protfold": 1}[name]]
        fit, new = grams(tables, train, test)
        names = [f"k{m}" for m in range(len(fit))]

        def accuracy(found: MKLClassifier) -> float:
            said = found.predict(new)
            return float(np.mean([np.mean(said[y[test] == c] == c) for c in np.unique(y)]))

        for validation in ("pairs", "instances"):
            whole = model(names, 1000.0, validation=validation).fit(fit, y[train])
            details = whole.report_.details
            chosen = accuracy(whole)
            if validation == "pairs":
                data = [
                    accuracy(model(names, 1000.0, **{"lambda": lam}).fit(fit, y[train]))
                    for lam in GRID
                ]
                mean = MKLClassifier("mean", views=names, kernels="precomputed", C=1000.0)
                best = [max(data), accuracy(mean.fit(fit, y[train]))]
            rows.append((validation, details["path_loss"], details["path_accuracy"], data, chosen, best))
        for count in steps:
            given = {"solver": "pegasos", "steps": count}
            curves.append(accuracy(model(names, 1000.0, **given).fit(fit, y[train])))
    print(f"\n{name}: {len(names)} kernels, {len(train)} instances, {SPLITS} splits\n")
    for validation in ("pairs", "instances"):
        of = [r for r in rows if r[0] == validation]
        loss, right, data = (np.array([r[k] for r in of]) for k in (1, 2, 3))
        if validation == "pairs":
            print("| λ | hinge loss | accuracy of pairs | accuracy of instances |\n|---|---:|---:|---:|")
            for k in range(0, len(GRID), 2):
                means = loss[:, k].mean(), 100 * right[:, k].mean(), 100 * data[:, k].mean()
                print(f"| {GRID[k]:.1e} | {means[0]:.4f} | {means[1]:.1f} | {means[2]:.1f} |")
        each = [rank_correlation(-a, b) for a, b in zip(loss, data, strict=True)]
        pairs = [rank_correlation(a, b) for a, b in zip(right, data, strict=True)]
        whole = rank_correlation(-loss.mean(0), data.mean(0))
        chosen, most = 100 * np.mean([r[4] for r in of]), 100 * np.mean([r[5] for r in of], axis=0)
        print(
            f"\nvalidation on {validation}: rank correlation of minus hinge loss with accuracy over λ {np.mean(each):+.2f} "
            f"({min(each):+.2f} to {max(each):+.2f}; of the means {whole:+.2f}), of accuracy of pairs {np.mean(pairs):+.2f}; "
            f"accuracy at the λ that is chosen {chosen:.1f}, at the best one of each split {most[0]:.1f}, "
            f"mean of the kernels {most[1]:.1f}"
        )
    curves = 100 * np.array(curves).reshape(SPLITS, -1).mean(0)
    told = ", ".join(f"{c:,}: {v:.1f}" for c, v in zip(steps, curves, strict=True))
    print(f"\naccuracy after stochastic steps: {told}", flush=True)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    warnings.simplefilter("ignore")
    circles()
    for name in VIEWS:
        figure(folder, name)


main()
