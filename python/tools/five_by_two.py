"""The protocol of Gönen 2010, §5.1, for the scripts beside this one.

A third of the instances is set aside to test on, the rest is cut in half five times, each half being trained on once and
validated on the other. Of all settings of a row (C, and ε for numbers) that with the best mean over the ten validation
halves is taken; its ten machines are tested on the third. In tables a score is within reach where it differs by at most
two of the larger of both standard deviations.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.io import mmread
from scipy.sparse import csr_matrix
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from cokernel.statistics import f_5x2, t_test

Views = dict[str, Any]
Folds = list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]
Published = tuple[float, float] | None


@dataclass
class Data:
    views: Views
    y: npt.NDArray[Any]
    folds: Folds
    test: npt.NDArray[np.int64]
    numbers: bool = False

    def part(self, views: Sequence[str], rows: npt.NDArray[np.int64]) -> Views:
        return {name: self.views[name][rows] for name in views}


@dataclass
class Row:
    """A method: what it looks at, the settings to choose from, and what is printed for it."""

    name: str
    make: Callable[..., Any]
    views: Sequence[str]
    grid: list[dict[str, float]]
    score: Published = None
    support: Published = None
    weights: Sequence[float] | None = None
    active: float | None = None


@dataclass
class Found:
    """Results of the setting that was chosen, one for each fold."""

    score: npt.NDArray[np.float64]
    support: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    active: npt.NDArray[np.float64]
    setting: dict[str, float]
    unfinished: int
    seconds: float


def read(folder: Path, name: str) -> tuple[Views, npt.NDArray[np.float64]]:
    """Views and labels of a data set: NAME.csv.gz, .npz (with an array X) or .mtx.gz for each view, and labels.csv."""
    views: Views = {}
    for file in sorted((folder / name).iterdir()):
        view = file.name.split(".")[0]
        if file.name.endswith(".csv.gz"):
            views[view] = np.loadtxt(file, delimiter=",", ndmin=2)
        elif file.suffix == ".npz":
            views[view] = np.load(file)["X"].astype(float)
        elif file.name.endswith(".mtx.gz"):
            views[view] = csr_matrix(mmread(file), dtype=float)
    return views, np.loadtxt(folder / name / "labels.csv")


def halves(y: npt.NDArray[Any], numbers: bool = False) -> tuple[Folds, npt.NDArray[np.int64]]:
    """Ten pairs of training and validation instances, and the third that is set aside."""
    rest, test = train_test_split(
        np.arange(len(y)), test_size=1 / 3, stratify=None if numbers else y, random_state=0
    )
    cut = KFold if numbers else StratifiedKFold
    folds: Folds = []
    for repeat in range(5):
        pairs = cut(2, shuffle=True, random_state=repeat).split(rest, None if numbers else y[rest])
        folds += [(rest[one], rest[other]) for one, other in pairs]
    return folds, test


def scored(model: Any, data: Data, views: Sequence[str], rows: npt.NDArray[np.int64]) -> float:
    said, y = model.predict(data.part(views, rows)), data.y[rows]
    return float(np.mean((said - y) ** 2) if data.numbers else 100 * np.mean(said == y))


def evaluate(row: Row, data: Data, folds: int | None = None) -> Found:
    """Fits every setting on every fold."""
    start = time.process_time()
    kept: list[list[tuple[float, float, float, Any, float]]] = []
    unfinished = 0
    for train, held in data.folds[:folds]:
        of_fold = []
        for setting in row.grid:
            model = row.make(**setting).fit(data.part(row.views, train), data.y[train])
            unfinished += not model.report_.converged
            weights, active = weighed(model, data.part(row.views, data.test))
            of_fold.append((
                scored(model, data, row.views, held), scored(model, data, row.views, data.test),
                100 * len(model.support_) / len(train), weights, active,
            ))  # fmt: skip
        kept.append(of_fold)
    validation = np.mean([[f[0] for f in of_fold] for of_fold in kept], axis=0)
    best = int(np.argmin(validation) if data.numbers else np.argmax(validation))
    chosen = [of_fold[best] for of_fold in kept]
    score, support, weight, count = (np.array([c[k] for c in chosen]) for k in (1, 2, 3, 4))
    return Found(score, support, weight, count, row.grid[best], unfinished, time.process_time() - start)


def weighed(model: Any, views: Views) -> tuple[npt.NDArray[np.float64], float]:
    """The weight of each kernel, and how many are active: of gates the means over these instances."""
    if len(model.gate_names_):
        gates = model.gate(views)
        return gates.mean(axis=0), float((gates > 0).sum(axis=1).mean())
    weights = np.array([w.weight for w in model.weights_])
    return weights, float((weights > 1e-6).sum())


def reach(ours: npt.NDArray[np.float64], theirs: Published) -> str:
    if theirs is None:
        return "–"
    apart = ours.mean() - theirs[0]
    sd = max(ours.std(ddof=1), theirs[1])
    if abs(apart) <= 2 * sd + 0.005:
        return "within 2 sd"
    return "more" if apart > 0 else "less"


def pair(mean: float, sd: float, digits: int = 2) -> str:
    return f"{mean:.{digits}f} ± {sd:.{digits}f}"


def table(title: str, rows: Iterable[Row], data: Data, measure: str, folds: int | None = None) -> dict[str, Found]:
    """Evaluates and prints one row after the other."""
    print(f"\n{title}\n")
    print(f"| method | {measure} | theirs | verdict | support vectors | theirs | verdict | chosen |")
    print("|---|---:|---:|---|---:|---:|---|---|")
    found: dict[str, Found] = {}
    for row in rows:
        f = found[row.name] = evaluate(row, data, folds)
        cells = [row.name]
        for ours, theirs in ((f.score, row.score), (f.support, row.support)):
            printed = "–" if theirs is None else pair(*theirs)
            cells += [pair(ours.mean(), ours.std(ddof=1)), printed, reach(ours, theirs)]
        chosen = ", ".join(f"{name} = {value:g}" for name, value in f.setting.items())
        print("| " + " | ".join([*cells, chosen]) + " |", flush=True)
        told = f"{row.name}: {f.seconds:.0f} s of CPU, {f.unfinished} fits did not converge"
        print(told, file=sys.stderr, flush=True)
    return found


def weight_table(title: str, rows: Iterable[Row], found: dict[str, Found], names: Sequence[str]) -> None:
    rows = [row for row in rows if row.weights is not None]
    if not rows:
        return
    print(f"\n{title}\n")
    print("| method | | " + " | ".join(names) + " | active |\n|---|---|" + "---:|" * (len(names) + 1))
    for row in rows:
        f = found[row.name]
        ours = " | ".join(f"{w:.4f}" for w in f.weights.mean(axis=0))
        theirs = " | ".join("–" if np.isnan(w) else f"{w:.4f}" for w in row.weights or [])
        active = "–" if row.active is None or np.isnan(row.active) else f"{row.active:.2f}"
        print(f"| {row.name} | ours | {ours} | {f.active.mean():.2f} |")
        print(f"| | theirs | {theirs} | {active} |")


Claim = tuple[str, str, str, str]


def claims(found: dict[str, Found], said: Iterable[Claim], measure: str, halves: bool = True) -> None:
    """What is said of pairs of methods: (one, other, "score" or "support", "more", "less" or "the same").

    By the 5×2 cv F test of appendix A at 0.05, or the paired t test for folds that are not halves."""
    test, name = (f_5x2, "F") if halves else (t_test, "t")
    print(f"\n| one | other | what | theirs | ours, difference | p ({name}) | verdict |\n|---|---|---|---|---:|---:|---|")
    for one, other, what, theirs in said:
        a, b = (getattr(found[m], what) for m in (one, other))
        p, apart = (1.0 if np.array_equal(a, b) else test(a, b).p), float((a - b).mean())
        ours = "the same" if p > 0.05 else "more" if apart > 0 else "less"
        called = measure if what == "score" else "support vectors"
        verdict = "holds" if ours == theirs else f"differs: {ours}"
        print(f"| {one} | {other} | {called} | {theirs} | {apart:+.2f} | {p:.3f} | {verdict} |", flush=True)
