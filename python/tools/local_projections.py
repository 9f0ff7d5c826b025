"""What Gönen 2010 says of local projection kernels on data that can be made: Figures 4.3, 4.4, 5.19 and 5.23.

    python python/tools/local_projections.py

1. Figures 4.3 and 4.4: four clusters, two for each class, whose numbers are not printed: corners of a rectangle here. One linear
   projection, and two regions with one dimension each.
2. Figure 5.19, WAVEFORM: 1,500 instances of the generator of Breiman et al. (1984), the first two classes merged, with the
   triangles in the order of their peaks (merged otherwise a linear machine has 84 percent, not the 88 that are printed). A
   stratified third to test on, 5×2 cross-validation on the rest, C by the mean accuracy over the ten validation folds (the
   grid is not printed: 0.001 to 10 here, with columns standardised), linear kernels, one start: a machine after PCA and
   LFDA, GPK, LPK with two and three regions, and a machine on all columns.
3. Figure 5.23: LPK, P = 2, R = 1, C = 100, the steps of the source: iterations to a relative decrease of 0.01 and 0.001.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

os.environ.setdefault("RAYON_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402
from sklearn.model_selection import StratifiedKFold, train_test_split  # noqa: E402

import cokernel  # noqa: E402

Reals = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
GRID = [0.001, 0.01, 0.1, 1.0, 10.0]
DIMENSIONS = [1, 2, 3]
LINEAR: dict[str, Any] = {"kernels": ["linear"], "scale": "standard"}


def four_clusters() -> None:
    rng = np.random.default_rng(0)
    corner = np.arange(200) % 4
    centres = np.array([[-3.0, 1.5], [3.0, 1.5], [-3.0, -1.5], [3.0, -1.5]])
    x = centres[corner] + 0.6 * rng.normal(size=(200, 2))
    y = np.isin(corner, [0, 3]).astype(int)
    one = cokernel.GPKClassifier(dimensions=1, C=10.0, **LINEAR).fit(x, y)
    two = cokernel.LPKClassifier(dimensions=1, C=10.0, starts=10, random_state=0, **LINEAR)
    two.fit(x, y)
    values = two.report_.details["objectives"]
    print("Figures 4.3 and 4.4, four clusters: training accuracy in percent")
    print(f"  one projection {100 * one.score(x, y):.1f}, two regions {100 * two.score(x, y):.1f}")
    print(f"  objectives of ten starts {np.min(values):.2f} to {np.max(values):.2f}")
    print("  gate of the first region at the corners", two.gate(centres)[:, 0].round(2).tolist())
    for name, w in two.projections_.items():
        print(f"  direction of {name}: {(w[:, 0] / np.linalg.norm(w)).round(2).tolist()}")


def waveform(n: int, seed: int) -> tuple[Reals, Codes]:
    """Convex combinations of two of three triangles, with noise of variance 1."""
    rng = np.random.default_rng(seed)
    at = np.arange(1, 22)
    base = np.array([np.maximum(6 - np.abs(at - peak), 0) for peak in (7, 11, 15)], dtype=float)
    which = rng.integers(0, 3, size=n)
    pairs = np.array([[0, 1], [0, 2], [1, 2]])[which]
    share = rng.uniform(size=(n, 1))
    x = share * base[pairs[:, 0]] + (1 - share) * base[pairs[:, 1]] + rng.normal(size=(n, 21))
    return x, (which == 2).astype(int)


Scores = Callable[[Reals, Codes, float, list[tuple[Reals, Codes]]], tuple[list[float], float]]


def scored(model: Any, x: Reals, y: Codes, others: list[tuple[Reals, Codes]]) -> tuple[list[float], float]:
    """Accuracies on other instances, and the share of support vectors."""
    model.fit(x, y)
    found = [100 * model.score(a, b) for a, b in others]
    return found, 100 * len(model.support_) / len(y)


def after(method: str, r: int) -> Scores:
    def scores(x: Reals, y: Codes, c: float, others: list[tuple[Reals, Codes]]) -> tuple[list[float], float]:
        maps = cokernel.MultiViewEmbedding(r, method=method, scale="standard").fit(x, y)
        model = cokernel.MeanMKLClassifier(C=c, **LINEAR)
        return scored(model, maps.embedding_, y, [(maps.transform(a), b) for a, b in others])

    return scores


def plain(x: Reals, y: Codes, c: float, others: list[tuple[Reals, Codes]]) -> tuple[list[float], float]:
    return scored(cokernel.MeanMKLClassifier(C=c, **LINEAR), x, y, others)


def projected(regions: int, r: int) -> Scores:
    def scores(x: Reals, y: Codes, c: float, others: list[tuple[Reals, Codes]]) -> tuple[list[float], float]:
        given: dict[str, Any] = {"dimensions": r, "C": c, "random_state": 0, **LINEAR}
        if regions == 1:
            return scored(cokernel.GPKClassifier(**given), x, y, others)
        model = cokernel.LPKClassifier(regions=regions, **given)
        return scored(model, x, y, others)

    return scores


def ten_results(scores: Scores, x: Reals, y: Codes) -> tuple[Reals, float, float]:
    """Test accuracies and the share of support vectors with the C that is best on the validation folds."""
    rest, test = train_test_split(np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=0)
    on_test, on_validation, support = [], [], []
    for repeat in range(5):
        for one, other in StratifiedKFold(2, shuffle=True, random_state=repeat).split(rest, y[rest]):
            train, held = rest[one], rest[other]
            others = [(x[held], y[held]), (x[test], y[test])]
            found = [scores(x[train], y[train], c, others) for c in GRID]
            on_validation.append([f[0][0] for f in found])
            on_test.append([f[0][1] for f in found])
            support.append([f[1] for f in found])
    best = int(np.argmax(np.mean(on_validation, axis=0)))
    return np.array(on_test)[:, best], float(np.mean(support, axis=0)[best]), GRID[best]


def figure_5_19() -> None:
    x, y = waveform(1500, 0)
    print("\nFigure 5.19, WAVEFORM: test accuracy in percent, mean and standard deviation of ten; support vectors in percent; C")
    print("| method | R | accuracy | support vectors | C |\n|---|---:|---:|---:|---:|")
    rows: list[tuple[str, str, Scores]] = [("SVM", "21", plain)]
    for method in ("pca", "lfda"):
        rows += [(f"{method.upper()}, then SVM", str(r), after(method, r)) for r in DIMENSIONS]
    rows += [("GPK", str(r), projected(1, r)) for r in DIMENSIONS]
    rows += [(f"LPK, P = {p}", str(r), projected(p, r)) for p in (2, 3) for r in DIMENSIONS]
    for name, r, scores in rows:
        found, support, c = ten_results(scores, x, y)
        print(f"| {name} | {r} | {found.mean():.2f} ± {found.std(ddof=1):.2f} | {support:.1f} | {c:g} |", flush=True)


def figure_5_23() -> None:
    x, y = waveform(1500, 0)
    rest, test = train_test_split(np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=0)
    print("\nFigure 5.23, WAVEFORM, LPK, P = 2, R = 1, C = 100, steps along the gradient, lengths free and fixed")
    for lengths in ("free", "fixed"):
        model = cokernel.LPKClassifier(
            dimensions=1, C=100.0, search="gradient", lengths=lengths, tol=1e-6, max_iterations=25, random_state=0,
            **LINEAR,
        )  # fmt: skip
        model.fit(x[rest], y[rest])
        trace = np.array(model.report_.objective)
        falls = 1 - trace[1:] / trace[:-1]
        ends = [next((k + 1 for k, fall in enumerate(falls) if fall <= tol), len(falls)) for tol in (0.01, 0.001)]
        scores = [100 * model.score(x[part], y[part]) for part in (rest, test)]
        print(f"  {lengths}: objective {trace[0]:.0f}, after 5 steps {trace[min(5, len(trace) - 1)]:.0f}, at the end "
              f"{trace[-1]:.0f}; decrease up to 0.01 in step {ends[0]}, up to 0.001 in step {ends[1]}; accuracy "
              f"{scores[0]:.1f} (training), {scores[1]:.1f} (test)")  # fmt: skip


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    four_clusters()
    figure_5_23()
    figure_5_19()
