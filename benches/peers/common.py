"""What the peer scripts share: inputs in a temporary folder, CPU time, one line of result.

A script `peers/NAME.py RELEASE_DIR` makes arrays, runs the peer, runs `RELEASE_DIR/NAME FOLDER`
(our side, which reads the arrays there and prints one line of JSON), asserts that both computed
the same, and prints one line. Different results end the script with status 1; a missed reach
does not.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Peers are measured on one thread with the BLAS kernels that fit this machine best.
os.environ.pop("OPENBLAS_CORETYPE", None)
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402


def best_of(times, work):
    """Least CPU seconds (all threads of this process) of `times` runs, and the last result."""
    best, result = float("inf"), None
    for _ in range(times):
        result = None
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def in_turn(turns, peer, ours):
    """`peer` and `ours`, which give (CPU seconds, result), in turn: other programs slow the memory
    down for many seconds at a time, and so both are measured in the same minutes. The least
    seconds of each with its last result."""
    best = [float("inf"), float("inf")]
    results = [None, None]
    for _ in range(turns):
        for side, work in enumerate((peer, ours)):
            results[side] = None
            seconds, results[side] = work()
            best[side] = min(best[side], seconds)
    return (best[0], results[0]), (best[1], results[1])


def folder():
    """A temporary folder, removed at the end of the `with` block."""
    return tempfile.TemporaryDirectory(prefix="cokernel-bench-")


def save(where, **arrays):
    """Writes each array as NAME.npy (C order, float64)."""
    for name, array in arrays.items():
        np.save(Path(where) / f"{name}.npy", np.ascontiguousarray(array, dtype=np.float64))


def load(where, name):
    """Reads NAME.npy as our side wrote it."""
    return np.load(Path(where) / f"{name}.npy")


def ours(name, where, *args, threads=1):
    """Runs our side and returns its line of JSON as a dictionary."""
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER_OF_THE_RELEASE_BINARIES")
    environment = dict(os.environ, RAYON_NUM_THREADS=str(threads))
    command = [str(Path(sys.argv[1]) / name), str(where), *map(str, args)]
    out = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    if out.returncode != 0:
        sys.exit(f"{name}: our side failed with status {out.returncode}")
    return json.loads(out.stdout.decode().strip().splitlines()[-1])


def same(what, got, want, tolerance):
    """Ends the script with status 1 unless both agree to `tolerance` of the largest entry."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        sys.exit(f"{what}: shapes {got.shape} and {want.shape} differ")
    largest = max(float(np.max(np.abs(want))), 1e-300)
    error = float(np.max(np.abs(got - want))) / largest
    if not error <= tolerance:
        sys.exit(f"{what}: results differ by {error:.2e}, expected at most {tolerance:.0e}")


def line(name, seconds, peer, reach, unit="s", least=False):
    """Prints `name | ours | peer | ratio | reach | ok/missed`; `least`: a higher ratio is better
    (the ratio is then peer / ours)."""
    ratio = peer / seconds if least else seconds / peer
    met = ratio >= reach if least else ratio <= reach
    sign = ">=" if least else "<="
    verdict = "ok" if met else "missed"
    print(
        f"{name} | ours {seconds:.4g} {unit} | peer {peer:.4g} {unit} | ratio {ratio:.3g} | "
        f"reach {sign} {reach:g} | {verdict}",
        flush=True,
    )


def twenty_kernels(n):
    """Twelve Gaussian widths on 20 features and one on each of eight, and labels ±1 of n instances."""
    from sklearn.datasets import make_classification

    x, y = make_classification(
        n_samples=n, n_features=20, n_informative=8, flip_y=0.05, random_state=1
    )
    square = (x**2).sum(1)[:, None] - 2 * x @ x.T + (x**2).sum(1)
    square = np.maximum(0.5 * (square + square.T), 0)
    np.fill_diagonal(square, 0)
    median = np.median(square[square > 0])
    many = [np.exp(-square / median * 2.0**k) for k in np.linspace(-6, 4, 12)]
    for f in range(8):
        one = (x[:, f][:, None] - x[:, f]) ** 2
        many.append(np.exp(-one / np.median(one[one > 0])))
    return many, 2.0 * y - 1
