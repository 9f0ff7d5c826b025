"""Top eigenpairs of a normalised Laplacian: ours beside scipy's eigsh (ARPACK).

python eigen.py PROGRAM [n] [k] [tol]   PROGRAM is target/release/eigen
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.sparse.linalg import eigsh

program = sys.argv[1]
n = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
k = int(sys.argv[3]) if len(sys.argv) > 3 else 10
tol = float(sys.argv[4]) if len(sys.argv) > 4 else 1e-8


def laplacian(kind):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(10, 20)) * {"clusters": 2.0, "overlapping": 0.5}[kind]
    x = centres[rng.integers(10, size=n)] + rng.normal(size=(n, 20))
    d = ((x[:, None, :] - x[None, :, :]) ** 2).sum(-1) if n <= 1000 else None
    if d is None:
        s = (x**2).sum(1)
        d = np.maximum(s[:, None] + s[None, :] - 2 * x @ x.T, 0)
    kernel = np.exp(-d / (np.median(d) * {"clusters": 1.0, "overlapping": 0.3}[kind]))
    s = 1 / np.sqrt(kernel.sum(1))
    m = kernel * s[:, None] * s[None, :]
    return np.ascontiguousarray((m + m.T) / 2)


for kind in ("clusters", "overlapping"):
    matrix = laplacian(kind)
    best_cpu, best_wall = np.inf, np.inf
    for _ in range(5):
        cpu, wall = time.process_time(), time.perf_counter()
        values, vectors = eigsh(matrix, k=k, which="LA", tol=tol)
        best_cpu = min(best_cpu, time.process_time() - cpu)
        best_wall = min(best_wall, time.perf_counter() - wall)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "matrix.npy", matrix)
        for block in sys.argv[5:] or ["0"]:
            out = subprocess.run(
                [program, folder, str(k), str(tol), block], capture_output=True, text=True, check=True
            )
            ours = json.loads(out.stdout)
            u = np.load(Path(folder) / "vectors.npy")
            values_apart = np.abs(np.array(ours["values"]) - values[::-1]).max()
            # ‖UUᵀ − VVᵀ‖_F of the two subspaces
            apart = np.sqrt(max(0.0, 2 * k - 2 * np.sum((u.T @ vectors) ** 2)))
            assert values_apart < 1e-8, values_apart
            print(
                f"{kind} n={n} k={k} tol={tol} block={block}: {ours['status']}, {ours['products']} products, "
                f"wall {ours['wall']:.4f} s = {ours['wall'] / best_wall:.2f} x eigsh, "
                f"CPU {ours['cpu']:.4f} s = {ours['cpu'] / best_cpu:.2f} x, values {values_apart:.1e}, "
                f"subspaces {apart:.1e}, residual {max(ours['residuals']):.1e}"
            )
