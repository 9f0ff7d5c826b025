"""Makes sdp.json: Lanckriet's semidefinite program over K_L by Clarabel (0.11.1) on small generated data.

    python make_sdp.py            # needs numpy, scipy and clarabel

Every case holds points, signs, C, the kernels (exp(-gamma d²) minus `less` times exp(-4 gamma d²), plus 0.05 on the
diagonal; some with less = 0.9 are indefinite) and half the optimum of the program as it is printed in Gönen 2010,
§2.2.1.1, in t, lambda, nu, delta and eta, with c the mean trace of the kernels.
"""

import json
from pathlib import Path

import clarabel
import numpy as np
from scipy import sparse


def triangle(matrix):
    """The upper triangle by columns, off-diagonal entries times √2: Clarabel's form."""
    n = len(matrix)
    return np.array(
        [matrix[i, j] * (1 if i == j else np.sqrt(2)) for j in range(n) for i in range(j + 1)]
    )


def optimum(kernels, y, c):
    n, m = len(y), len(kernels)
    # eta, t, lambda, nu (n), delta (n).
    size = m + 2 + 2 * n
    trace = np.mean([np.trace(k) for k in kernels])
    rows, right, cones = [], [], []
    equal = np.zeros(size)
    equal[:m] = [np.trace(k) for k in kernels]
    rows.append(equal[None])
    right.append([trace])
    cones.append(clarabel.ZeroConeT(1))
    positive = np.zeros((2 * n, size))
    positive[np.arange(2 * n), m + 2 + np.arange(2 * n)] = -1
    rows.append(positive)
    right.append(np.zeros(2 * n))
    cones.append(clarabel.NonnegativeConeT(2 * n))

    def block(corner=None, column=None, last=0.0):
        full = np.zeros((n + 1, n + 1))
        if corner is not None:
            full[:n, :n] = corner
        if column is not None:
            full[:n, n] = full[n, :n] = column
        full[n, n] = last
        return triangle(full)

    large = np.zeros(((n + 1) * (n + 2) // 2, size))
    for k in range(m):
        large[:, k] = block(corner=np.outer(y, y) * kernels[k])
    large[:, m] = block(last=1.0)
    large[:, m + 1] = block(column=y)
    for i in range(n):
        unit = np.eye(n)[i]
        large[:, m + 2 + i] = block(column=unit)
        large[:, m + 2 + n + i] = block(column=-unit, last=-2 * c)
    rows.append(-large)
    right.append(block(column=np.ones(n)))
    cones.append(clarabel.PSDTriangleConeT(n + 1))
    small = np.zeros((n * (n + 1) // 2, size))
    for k in range(m):
        small[:, k] = triangle(kernels[k])
    rows.append(-small)
    right.append(np.zeros(len(small)))
    cones.append(clarabel.PSDTriangleConeT(n))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    target = np.zeros(size)
    target[m] = 1.0
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((size, size)),
        target,
        sparse.csc_matrix(np.concatenate(rows)),
        np.concatenate(right),
        cones,
        settings,
    )
    found = solver.solve()
    return str(found.status), found.obj_val / 2, np.array(found.x[:m])


def main():
    rng = np.random.default_rng(14)
    cases = []
    while len(cases) < 20:
        number = len(cases)
        n = 10 + number % 9
        y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
        x = np.round(np.c_[y, -y] * 0.5 + rng.standard_normal((n, 2)), 3)
        cost = [0.3, 1.0, 10.0, 100.0][number % 4]
        given = [
            {"gamma": gamma, "less": 0.9 if number % 3 == 2 and k == 2 else 0.0}
            for k, gamma in enumerate([0.05, 0.5, 3.0, 0.2][: 2 + number % 3])
        ]
        square = ((x[:, None] - x[None]) ** 2).sum(2)
        kernels = [
            np.exp(-k["gamma"] * square)
            - k["less"] * np.exp(-4 * k["gamma"] * square)
            + 0.05 * np.eye(n)
            for k in given
        ]
        status, value, eta = optimum(kernels, y, cost)
        least = [np.linalg.eigvalsh(k)[0] for k in kernels]
        print(number, status, value, eta, min(least), np.linalg.eigvalsh(sum(kernels))[0])
        weights = eta.tolist()
        if status == "Solved":
            cases.append(
                {"x": x.tolist(), "c": cost, "kernels": given, "value": value, "weights": weights}
            )
    Path(__file__).with_name("sdp.json").write_text(json.dumps(cases) + "\n")


main()
