"""Makes standard.json: the doubly non-negative relaxation of standard quadratic programs by Clarabel (0.11.1).

    python make_standard.py       # needs numpy, scipy and clarabel

min <Q, Z> over Z positive semi-definite with entries of at least 0 and sum 1 (Mukherjee et al. 2010, (14)). Every case
holds the lower triangle of Q by rows, and the least value. Some Q are drawn, some are sums of products as those of
(13) are, with more kernels of noise than others.
"""

import json
from pathlib import Path

import clarabel
import numpy as np
from scipy import sparse


def optimum(q):
    m = len(q)
    places = [(i, j) for j in range(m) for i in range(j + 1)]
    times = np.array([1.0 if i == j else np.sqrt(2.0) for i, j in places])
    size = len(places)
    total = np.array([1.0 if i == j else 2.0 for i, j in places]) / times
    rows = np.concatenate([total[None], -np.eye(size), -np.eye(size)])
    right = np.concatenate([[1.0], np.zeros(2 * size)])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(size), clarabel.PSDTriangleConeT(m)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    target = np.array([q[i, j] for i, j in places]) * times
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((size, size)), target, sparse.csc_matrix(rows), right, cones, settings
    )
    found = solver.solve()
    assert str(found.status) == "Solved", found.status
    return found.obj_val


def cut(rng, m, groups):
    u = np.abs(rng.normal(0.5, 0.05, (groups, m)))
    v = np.abs(rng.normal(1.0, 0.05, (groups, m)))
    v[:, : m // 4] += rng.uniform(0.1, 0.6, m // 4)
    a = u.sum(0)[:, None] * v.sum(0) - u.T @ v
    b = v.sum(0)[:, None] * v.sum(0) - v.T @ v
    return a + a.T - b


def main():
    rng = np.random.default_rng(0)
    cases = []
    for m in (2, 5, 6, 8, 12, 20):
        drawn = rng.uniform(-1, 1, (m, m))
        for q in (drawn + drawn.T, cut(rng, m, 5)):
            q = np.round(q, 3)
            triangle = [float(q[i, j]) for i in range(m) for j in range(i + 1)]
            cases.append({"m": m, "q": triangle, "optimum": optimum(q)})
    Path(__file__).with_name("standard.json").write_text(json.dumps(cases) + "\n")


main()
