"""The time of `fit` beside the call of the native library inside it, the time of
`import cokernel`, and the growth of memory over 200 fits and predictions.

The native call is what a program in Rust would do: views of the arrays and the fit, with classes and
settings that were prepared once; `fit` starts from the arrays of the user. Both are run in turns, in CPU time of one thread; the figure is the median of
the ratios of neighbouring runs, minus 1. The times shown are the least of all runs. Asserted: both
give the same dual coefficients, bit for bit.
"""

import os
import statistics
import subprocess
import sys
import time

import common
from common import np, two_classes

from cokernel import MeanMKLClassifier, SimpleMKLClassifier, _native, gaussian
from cokernel.datasets import load_digits_views

N, FITS = 1000, 200
FIT_LIMIT, IMPORT_LIMIT, MEMORY_LIMIT = 5.0, 0.3, 5.0


def cases():
    """Name, estimator, instances, classes and repetitions."""
    x, y = two_classes(N)
    square = (x**2).sum(1)[:, None] - 2 * x @ x.T + (x**2).sum(1)
    gram = np.exp(-0.025 * np.maximum(0.5 * (square + square.T), 0))
    views, digits = load_digits_views(return_X_y=True)
    views = {name: np.ascontiguousarray(table[::2]) for name, table in views.items()}
    kernels = [gaussian(width=0.5 * 2.0**k) for k in range(20)]
    names = ", 1,000 × 20"
    yield f"mean, one Gaussian kernel{names}", MeanMKLClassifier(random_state=0), x, y, 101
    given = MeanMKLClassifier(kernels="precomputed", random_state=0)
    yield "mean, one Gram, n = 1,000", given, gram, y, 101
    simple = SimpleMKLClassifier(kernels=kernels, random_state=0)
    yield f"simple_mkl, 20 Gaussian kernels{names}", simple, x, y, 41
    many = SimpleMKLClassifier(kernels="precomputed", random_state=0)
    powers = np.stack([gram ** (0.25 * 2.0 ** (k / 2)) for k in range(20)])
    yield "simple_mkl, 20 Grams, n = 1,000", many, powers, y, 31
    mean = MeanMKLClassifier(scale="standard", random_state=0)
    yield "mean, six views of 1,000 digits, 10 classes", mean, views, digits[::2], 31


def native_call(estimator, x, y):
    """What a program in Rust would do for `estimator.fit(x, y)`: views of its arrays, and the fit."""
    similar = estimator.kernels == "precomputed"
    if isinstance(x, dict):
        tables = x
    elif x.ndim == 3:
        tables = {f"view{v}": table for v, table in enumerate(x)}
    else:
        tables = {"X": x}
    estimator._read(x, reset=True)
    codes = estimator._targets(x, y)
    learner, names = estimator._native_problem()
    run = _native.Run(seed=0, threads=1)

    def call():
        views = _native.Views()
        for name, table in tables.items():
            views.dense(name, table, similar)
        return learner.fit(views, names, codes, None, run)

    return call


def clocked(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def fit_overhead(estimator, x, y, times):
    """CPU seconds of `fit` and of the native call, and what `fit` adds, in percent."""
    native = native_call(estimator, x, y)
    _, model = clocked(native)
    estimator.fit(x, y)
    common.same("dual coefficients", estimator.dual_coef_, model.support()[1], 0)
    pairs = []
    for turn in range(times):
        pair = {}
        for name in ("fit", "native") if turn % 2 else ("native", "fit"):
            work = native if name == "native" else lambda: estimator.fit(x, y)
            pair[name], _ = clocked(work)
        pairs.append((pair["fit"], pair["native"]))
    added = 100 * (statistics.median(f / n for f, n in pairs) - 1)
    return min(f for f, _ in pairs), min(n for _, n in pairs), added


IMPORT = """
import time
import {before}
start, cpu = time.perf_counter(), time.process_time()
import cokernel
print(time.process_time() - cpu, time.perf_counter() - start)
"""


def import_seconds(before, times=9):
    """Least CPU and wall seconds of `import cokernel` after `import before`, in new processes."""
    found = []
    for _ in range(times):
        command = [sys.executable, "-c", IMPORT.format(before=before)]
        out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        found.append([float(v) for v in out.split()])
    return min(f[0] for f in found), min(f[1] for f in found)


def resident():
    """Bytes of memory of this process."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def memory_growth():
    """MiB after 10 fits, and after 200 more; each on arrays of its own, followed by predictions."""
    x, y = two_classes(N)
    gram = x @ x.T
    features = SimpleMKLClassifier(kernels=[gaussian(width=[2.0, 4.0, 8.0])], random_state=0)
    given = MeanMKLClassifier(kernels="precomputed", random_state=0)

    def fits(count):
        for _ in range(count // 2):
            features.fit(x.copy(), y).predict(x)
            given.fit(gram.copy(), y).predict(gram)

    fits(10)
    before = resident()
    fits(FITS)
    return before / 2**20, resident() / 2**20


def row(work, figures, result, unit, limit):
    """Prints `work | figures | result | target`."""
    verdict = "ok" if result < limit else "missed"
    print(f"{work} | {figures} | {result:.2g} {unit} | < {limit:g} {unit}: {verdict}", flush=True)


def main():
    # First, while the process is small.
    before, after = memory_growth()
    for name, estimator, x, y, times in cases():
        fit, native, added = fit_overhead(estimator, x, y, times)
        figures = f"{1e3 * fit:.1f} ms, native call {1e3 * native:.1f} ms"
        row(f"`fit`: {name}", figures, added, "%", FIT_LIMIT)
    for modules in ("numpy, sklearn", "numpy, sklearn.svm"):
        cpu, wall = import_seconds(modules)
        figures = f"{cpu:.3f} s CPU, {wall:.3f} s wall"
        row(f"`import cokernel` after {modules}", figures, wall, "s", IMPORT_LIMIT)
    growth = 100 * (after / before - 1)
    work = f"memory over {FITS} fits and predictions, n = 1,000"
    figures = f"before {before:.1f} MiB, after {after:.1f} MiB"
    row(work, figures, growth, "%", MEMORY_LIMIT)


main()
