"""Mao, Tsang, Gao and Wang 2015, §VII: Figures 3 to 5, Tables IV and V, and the paired tests of Table I.

    python python/tools/priors.py DATA [figure3] [figure4] [figure5] [table4] [table5]

    cokernel reproduce gmkd-1 --data DATA --store S      hours; a run that was stopped goes on
    cokernel report S/gmkd-1.sqlite -o R
    python python/tools/priors.py R table1

The figures of these tables are lost in the text of the paper at hand; what its text says of them is judged. Where the
protocol is not printed, or costs too much:

- Figures 3 and 4, sonar: 20 and 5 splits, 793 kernels, as in Table I (`experiments/gmkd-1.toml`); view classifiers have the C of
  the method.
- Figure 5: instances without correspondence are learned from by the classifiers of all kernels and not by what joins them:
  they lack one view more, which says nothing (a column of zeros). The kernels of Table I, C = 100, three pairs of λ and γ, five splits.
- Table IV: pen digits 5 and 9, linear kernels of the four representations; half of the instances keep all views, the others
  lose each view with the ratio (and keep one). C = 100, which the rows of Table I choose, three pairs of λ and γ.
- Table V: 12 published draws of 10 and of 100 labels among 1,500 instances, 13 kernels. With so few labels nothing can be
  chosen by a cross-validation: C = 100, λ = 10, γ = 10; with unlabelled instances C = 10⁷ and γ_I = 0.01, which are the best
  of nine pairs for EKP on the first draws of Digit-10 and USPS-100, by the result.

Stars are those of the paper: a paired t-test of MEDFC against the row, * at 0.9, ** at 0.95.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("RAYON_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from scipy.stats import ttest_rel  # noqa: E402
from sklearn.model_selection import StratifiedShuffleSplit  # noqa: E402

import cokernel  # noqa: E402
from cokernel import MKLClassifier  # noqa: E402

UNIT = ":normalize=unit_trace"
ALL = [f"gaussian:sigma=2^-3..6{UNIT}", f"polynomial:degree=1,2,3{UNIT}"]
EACH = [f"gaussian:sigma=2^-3..6:per_feature{UNIT}", f"polynomial:degree=1,2,3:per_feature{UNIT}"]
# Splits of Figures 4 and 5.
REPEATS = 5
RATES = [0.1, 1.0, 5.0, 10.0, 20.0, 30.0, 50.0, 100.0, 1000.0]
COSTS = [0.01, 0.1, 1.0, 10.0, 100.0]
# λ and γ.
PAIRS = [(10.0, 10.0), (10.0, 100.0), (100.0, 1000.0)]


def learner(method: str, **given: Any) -> MKLClassifier:
    own: dict[str, Any] = {"machine": "kernel_logistic"} if method == "bemkl" else {}
    return MKLClassifier(method, random_state=0, **own, **given)


def splits(y: np.ndarray, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return list(StratifiedShuffleSplit(count, test_size=0.3, random_state=0).split(y, y))


def read(data: Path, name: str) -> tuple[dict[str, np.ndarray], np.ndarray]:
    views = {path.stem: np.load(path)["X"].astype(float) for path in sorted((data / name).glob("*.npz"))}
    for path in sorted((data / name).glob("*.csv.gz")):
        views[path.name.removesuffix(".csv.gz")] = np.loadtxt(path, delimiter=",")
    return views, np.loadtxt(data / name / "labels.csv", dtype=int)


def table(found: dict[str, list[float]], against: str) -> None:
    """Mean and deviation in percent, with the stars of paired tests against a row."""
    base = np.array(found[against])
    print("| row | accuracy | p | |\n|---|---:|---:|---|")
    for name, values in found.items():
        own = np.array(values)
        p = 1.0 if name == against or np.all(own == base) else float(ttest_rel(base, own).pvalue)
        stars = "**" if p < 0.05 else "*" if p < 0.1 else ""
        sign = "" if not stars else "below" if own.mean() < base.mean() else "above"
        told = "" if name == against else f"{p:.3f}"
        print(f"| {name} | {100 * own.mean():.1f} ± {100 * own.std(ddof=1):.1f} | {told} | {stars} {sign} |")
    print(flush=True)


def table1(report: Path) -> None:
    """From the folder that `cokernel report` made: rows against MEDFC on the same splits."""
    for of in json.loads((report / "results.json").read_text())["comparison"]:
        print(of["data"], "\n")
        found = {row["label"]: row["values"][0]["stat"]["values"] for row in of["rows"]}
        table(found, "MEDFC")


def figure3(data: Path) -> None:
    views, y = read(data, "sonar")
    x = views["X"]
    steps, accuracies, few, falls = [], [], [], 0
    for train, test in splits(y, 20):
        model = learner(
            "medfc", kernels=ALL + EACH, scale="standard", C=10.0,
            method_params={"lambda": 10.0, "gamma": 100.0, "values": "in_sample", "unit": "one", "solver": "sqp"},
        )  # fmt: skip
        model.fit(x[train], y[train])
        report = model.report_
        accuracies.append(model.score(x[test], y[test]))
        steps.append(report.iterations)
        trace = np.array(report.objective)
        falls += int(np.all(np.diff(trace) <= 1e-9 * np.abs(trace[1:])))
        sigma, mu = (
            next(np.array(v) for k, v in report.details.items() if k.startswith(name))
            for name in ("sigma", "mu")
        )
        # Shares of the kernels with more than a tenth of the largest excess over the prior's mean.
        few.append([np.mean(v - v.min() > 0.1 * (v.max() - v.min())) for v in (sigma, mu)])
        few[-1] += [sigma.min(), sigma.max(), mu.min(), mu.max()]
    print(f"accuracy {100 * np.mean(accuracies):.1f} ± {100 * np.std(accuracies, ddof=1):.1f}")
    print(f"steps of the published algorithm: {min(steps)} to {max(steps)}, median {np.median(steps):.0f}")
    print(f"the objective never rose in {falls} of 20")
    names = ["share of σ", "share of μ", "least σ", "largest σ", "least μ", "largest μ"]
    for name, values in zip(names, np.array(few).T, strict=True):
        print(f"{name}: {values.mean():.4f} ({values.min():.4f} to {values.max():.4f})")
    print(flush=True)


def figure4(data: Path) -> None:
    views, y = read(data, "sonar")
    x = views["X"]
    base = {"lambda": 10.0, "gamma": 100.0}

    def accuracy(c: float, **changed: float) -> float:
        given = {**base, **changed, "values": "in_sample", "unit": "one"}
        model = learner("medfc", kernels=ALL + EACH, scale="standard", C=c, method_params=given)
        return float(np.mean([model.fit(x[a], y[a]).score(x[b], y[b]) for a, b in splits(y, REPEATS)]))

    for name, cells in [
        ("λ", [(v, accuracy(10.0, **{"lambda": v})) for v in RATES]),
        ("γ", [(v, accuracy(10.0, gamma=v)) for v in RATES]),
        ("C", [(v, accuracy(v)) for v in COSTS]),
    ]:
        print(f"| {name} | " + " | ".join(f"{v:g}" for v, _ in cells) + " |\n|---|" + "---:|" * len(cells))
        print("| accuracy | " + " | ".join(f"{100 * a:.1f}" for _, a in cells) + " |\n", flush=True)


def figure5(data: Path) -> None:
    ratios = [0.2, 0.4, 0.6, 0.8, 1.0]
    of_x = [text.replace(":", "@x:", 1) for text in ALL + EACH]
    for name in ("liver_bupa", "heart_statlog", "sonar", "ionosphere", "pima_diabetes", "wdbc"):
        views, y = read(data, name)
        x = next(iter(views.values()))
        found: dict[str, list[list[float]]] = {}
        for seed, (train, test) in enumerate(splits(y, REPEATS)):
            mean, deviation = x[train].mean(0), x[train].std(0)
            z = (x - mean) / np.where(deviation > 0, deviation, 1.0)
            order = np.random.default_rng(seed).permutation(len(train))
            new = {"x": z[test], "complete": np.zeros((len(test), 1))}
            for at, ratio in enumerate(ratios):
                whole = np.zeros(len(train), dtype=bool)
                whole[order[: max(4, round(ratio * len(train)))]] = True
                if len(np.unique(y[train][whole])) < 2:
                    continue
                there = np.where(whole, 0.0, np.nan)[:, None]
                old = {"x": z[train], "complete": there}
                rows = {
                    row: learner(method, kernels=ALL + EACH, C=100.0, method_params=given)
                    .fit(z[train][whole], y[train][whole])
                    .score(z[test], y[test])
                    for row, method, given in [
                        ("AverageMKL", "mean", {}),
                        ("SimpleMKL", "simple_mkl", {}),
                        ("SMO-MKL, p = 2", "smo_mkl", {"p": 2.0, "lambda": 1.0}),
                    ]
                }
                joined: dict[str, Any] = {"kernels": [*of_x, "linear@complete"], "C": 100.0, "missing": "per_view"}
                ensemble = learner("ekp", method_params={"values": "in_sample"}, **joined).fit(old, y[train])
                rows["EKP"] = ensemble.score(new, y[test])
                for rate, gamma in PAIRS:
                    given = {"values": "in_sample", "unit": "one", "lambda": rate, "gamma": gamma}
                    model = learner("medfc", method_params=given, **joined).fit(old, y[train])
                    rows[f"MEDFC, λ = {rate:g}, γ = {gamma:g}"] = model.score(new, y[test])
                for row, score in rows.items():
                    found.setdefault(row, [[] for _ in ratios])[at].append(score)
        print(f"{name}, {len(y) - len(test)} to learn from\n")
        print("| row | " + " | ".join(f"r = {100 * r:.0f} %" for r in ratios) + " |")
        print("|---|" + "---:|" * len(ratios))
        for row, cells in found.items():
            told = (f"{100 * np.mean(c):.1f} ± {100 * np.std(c, ddof=1):.1f}" for c in cells)
            print(f"| {row} | " + " | ".join(told) + " |")
        print(flush=True)


def table4(data: Path) -> None:
    views, y = read(data, "pendigits_multi")
    first = np.arange(len(y)) < 7494
    two = np.isin(y, [5, 9])
    old, new = ({v: x[part & two] / 100.0 for v, x in views.items()} for part in (first, ~first))
    known, truth = y[first & two], y[~first & two]
    print(f"{len(known)} instances to learn from, {len(truth)} to test on\n")
    kernels = [f"linear{UNIT}"]
    plain = {
        "AverageMKL": ("mean", {}),
        "SimpleMKL": ("simple_mkl", {}),
        "LevelMKL": ("level_mkl", {}),
        "SMO-MKL, p = 1.1": ("smo_mkl", {"p": 1.1, "lambda": 1.0}),
        "SMO-MKL, p = 2": ("smo_mkl", {"p": 2.0, "lambda": 1.0}),
        "BEMKL-s": ("bemkl", {"weights_prior": "sparse"}),
        "BEMKL-ns": ("bemkl", {"weights_prior": "dense"}),
    }
    for ratio in (0.5, 0.8):
        found: dict[str, list[float]] = {}
        for seed in range(5):
            rng = np.random.default_rng(seed)
            lost = rng.random((len(known), len(views))) < ratio
            lost[rng.permutation(len(known))[: len(known) // 2]] = False
            gone = np.flatnonzero(lost.all(axis=1))
            lost[gone, rng.integers(len(views), size=len(gone))] = False
            gaps = {v: np.where(lost[:, [k]], np.nan, x) for k, (v, x) in enumerate(old.items())}

            whole = ~lost.any(axis=1)
            complete = {v: x[whole] for v, x in old.items()}
            for row, (method, given) in plain.items():
                model = learner(method, kernels=kernels, C=100.0, method_params=given)
                found.setdefault(f"{row}, drop", []).append(model.fit(complete, known[whole]).score(new, truth))
                for missing in ("zero", "mean"):
                    model = learner(method, kernels=kernels, C=100.0, missing=missing, method_params=given)
                    found.setdefault(f"{row}, {missing}", []).append(model.fit(gaps, known).score(new, truth))
            for row, method, given in [
                ("EKP", "ekp", {}),
                *[(f"MEDFC, λ = {a:g}, γ = {b:g}", "medfc", {"unit": "one", "lambda": a, "gamma": b}) for a, b in PAIRS],
            ]:
                given = {"values": "in_sample", **given}
                model = learner(method, kernels=kernels, C=100.0, missing="per_view", method_params=given)
                found.setdefault(row, []).append(model.fit(gaps, known).score(new, truth))
        print(f"missing ratio {100 * ratio:.0f} %\n")
        table(found, "MEDFC, λ = 100, γ = 1000")


def table5(data: Path) -> None:
    kernels = [f"gaussian:sigma=0.5,1,2,5,7,10,12,15,17,20{UNIT}", f"polynomial:degree=1,2,3{UNIT}"]
    joint = {"values": "in_sample", "gamma": 10.0, "unit": "one"}
    machine = "laplacian_svm:gamma_i=0.01"
    for name in ("ssl_digit1", "ssl_coil2", "ssl_usps"):
        views, y = read(data, name)
        x = views["X"]
        for count in (10, 100):
            draws = np.loadtxt(data / name / f"labeled{count}_idx.csv", delimiter=",", dtype=int)
            found: dict[str, list[float]] = {}
            for known in draws:
                rest = np.setdiff1d(np.arange(len(y)), known)
                classes = np.full(len(y), -1)
                classes[known] = np.searchsorted(np.unique(y), y[known])
                truth = np.searchsorted(np.unique(y), y)
                for row, method, given in [
                    ("AverageMKL", "mean", {}),
                    ("SimpleMKL", "simple_mkl", {}),
                    ("SMO-MKL, p = 2", "smo_mkl", {"p": 2.0, "lambda": 1.0}),
                    ("BEMKL-s", "bemkl", {"weights_prior": "sparse"}),
                    ("BEMKL-ns", "bemkl", {"weights_prior": "dense"}),
                    ("EKP", "ekp", {"values": "in_sample"}),
                    ("MEDFC", "medfc", joint),
                ]:
                    model = learner(method, method_params=given, kernels=kernels, C=100.0).fit(x[known], truth[known])
                    found.setdefault(row, []).append(model.score(x[rest], truth[rest]))
                for row, method, given in [
                    ("Semi-AverageMKL", "mean", {}),
                    ("Semi-EKP", "ekp", {"values": "in_sample"}),
                    ("Semi-MEDFC", "medfc", joint),
                ]:
                    model = learner(method, machine=machine, method_params=given, kernels=kernels, C=1e7)
                    model.fit(x, classes)
                    found.setdefault(row, []).append(float(np.mean(model.transduction_[rest] == truth[rest])))
            print(f"{name}, {count} labels\n")
            table(found, "Semi-MEDFC")


def main() -> None:
    warnings.simplefilter("ignore")
    parts = {"figure3": figure3, "figure4": figure4, "figure5": figure5, "table4": table4, "table5": table5}
    wanted = sys.argv[2:] or list(parts)
    parts["table1"] = table1
    for name in wanted:
        print(f"### {name} (cokernel {cokernel.__version__})\n")
        parts[name](Path(sys.argv[1]))


main()
