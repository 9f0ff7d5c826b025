"""What the comparisons share: one thread, CPU time, equal results first, one line per case.

Import this module before numpy: it sets the number of threads of the numerical libraries.
"""

import importlib.machinery
import os
import sys
import time
import types
import warnings

# One thread for everybody, and the BLAS kernels that fit this machine best.
os.environ.pop("OPENBLAS_CORETYPE", None)
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402

# Some comparisons stop both sides after a fixed number of rounds.
warnings.simplefilter("ignore", ConvergenceWarning)


def race(ours, peer, times=5, peer_times=None):
    """Runs both in turns and gives (CPU seconds, result) of each: the least of its runs.

    CPU time counts all threads of this process. `peer_times` is for peers that take long.
    """
    runs = {"ours": times, "peer": times if peer_times is None else peer_times}
    works = {"ours": ours, "peer": peer}
    found = {"ours": (float("inf"), None), "peer": (float("inf"), None)}
    for turn in range(max(runs.values())):
        for name, work in works.items():
            if turn < runs[name]:
                start = time.process_time()
                result = work()
                found[name] = (min(found[name][0], time.process_time() - start), result)
    return found["ours"], found["peer"]


def same(what, got, want, tolerance):
    """Ends the script with status 1 unless both agree to `tolerance` of the largest entry."""
    got, want = np.asarray(got, dtype=np.float64), np.asarray(want, dtype=np.float64)
    if got.shape != want.shape:
        sys.exit(f"{what}: shapes {got.shape} and {want.shape} differ")
    error = np.max(np.abs(got - want)) / max(np.max(np.abs(want)), 1e-300)
    if not error <= tolerance:
        sys.exit(f"{what}: results differ by {error:.2e}, expected at most {tolerance:.0e}")


def at_most(what, value, limit):
    """Ends the script with status 1 unless `value` is at most `limit`."""
    if not value <= limit:
        sys.exit(f"{what}: {value:.3g}, expected at most {limit:g}")


def line(work, peer_name, ours, peer):
    """Prints `work | peer | ours s | peer s | ratio`; the ratio is ours to the peer's."""
    print(f"{work} | {peer_name} | {ours:.4g} | {peer:.4g} | {ours / peer:.3g}", flush=True)


def two_classes(n, d=20, seed=0):
    """Rows and classes (0 or 1) of two overlapping classes with a bent border."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    x = rng.standard_normal((n, d))
    x[:, :4] += 0.5 * (2 * y[:, None] - 1)
    x[:, 4] += 0.3 * x[:, 0] * x[:, 1]
    return x, y


def certificate(gram, y, c, coef, bias):
    """Relative duality gap and dual objective of a two-class machine, from the raw Gram.

    `y` holds 0 and 1, `coef` the dual coefficients of all instances, label included.
    """
    sign = 2.0 * y - 1.0
    alpha = coef * sign
    outside = max(-alpha.min() / c, alpha.max() / c - 1.0, abs(coef.sum()) / c)
    at_most("distance of a machine from its constraints", outside, 1e-6)
    values = gram @ coef
    norm = coef @ values
    primal = 0.5 * norm + c * np.maximum(0.0, 1.0 - sign * (values + bias)).sum()
    dual = alpha.sum() - 0.5 * norm
    return (primal - dual) / primal, dual


def machine(model, n):
    """Dual coefficients of all `n` instances and the bias of a fitted two-class estimator of
    either library."""
    coef = np.zeros(n)
    coef[model.support_] = model.dual_coef_[0]
    return coef, float(model.intercept_[0])


def loosest_svc(make, fit, gram, y, c, gap=1e-3):
    """The loosest `tol` at which scikit-learn's SVC reaches the relative duality gap."""
    for tol in (1e-1, 5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 1e-5):
        found = certificate(gram, y, c, *machine(fit(make(tol)), len(y)))
        if found[0] <= gap:
            return tol, found[1]
    sys.exit("scikit-learn does not reach the gap")


def without_plots():
    """Lets mvlearn, which imports its plotting part, be imported without plotting libraries."""
    plots = "matplotlib matplotlib.pyplot seaborn mpl_toolkits mpl_toolkits.mplot3d"
    for name in plots.split():
        if name not in sys.modules:
            module = types.ModuleType(name)
            module.__spec__ = importlib.machinery.ModuleSpec(name, None)
            sys.modules[name] = module
    sys.modules["matplotlib"].pyplot = sys.modules["matplotlib.pyplot"]


def unit_rows(rows):
    """Rows divided by their lengths."""
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def projections(rows, some):
    """Inner products of the unit rows `some`: equal for embeddings that differ by a rotation."""
    rows = unit_rows(rows[some])
    return rows @ rows.T
