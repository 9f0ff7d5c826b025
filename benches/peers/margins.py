"""The linear program of LP-β for 5,000 instances and 39 kernels, against HiGHS's interior point (highspy).

    min over β of the simplex, ρ and ξ ≥ 0:  Σ ξ_i / (ν n) − ρ,   y_i Σ_m β_m f_m(x_i) + ξ_i ≥ ρ

Both objectives are computed here from the rows.
"""

import sys

import highspy
from common import best_of, folder, line, load, np, ours, save

N, M, NU = 5000, 39, 0.3


def values():
    """Decision values of classifiers of different quality, which share some of their errors."""
    rng = np.random.default_rng(0)
    common = rng.normal(size=(N, 3))
    quality = rng.uniform(0.1, 1.2, size=M)
    part = rng.uniform(-0.7, 0.7, size=(3, M))
    return quality + common @ part + rng.normal(size=(N, M)) * rng.uniform(0.5, 1.5, size=M)


def objective(rows, beta):
    """The least over ρ and ξ for these weights: ρ is a quantile of the margins."""
    margins = np.sort(rows @ beta)
    cost = 1 / (NU * N)
    # The slope Σ_i cost [margin_i < ρ] − 1 changes its sign at a margin.
    rho = margins[min(int(np.floor(1 / cost)), N - 1)]
    return cost * np.maximum(0, rho - margins).sum() - rho


def highs(rows):
    n, m = rows.shape
    program = highspy.HighsLp()
    # β, ρ, ξ.
    program.num_col_, program.num_row_ = m + 1 + n, n + 1
    inf = highspy.kHighsInf
    program.col_cost_ = np.r_[np.zeros(m), -1.0, np.full(n, 1 / (NU * n))]
    program.col_lower_ = np.r_[np.zeros(m), -inf, np.zeros(n)]
    program.col_upper_ = np.full(m + 1 + n, inf)
    program.row_lower_ = np.r_[np.zeros(n), 1.0]
    program.row_upper_ = np.r_[np.full(n, inf), 1.0]
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    index = np.concatenate(
        [np.tile(np.r_[np.arange(m), m], (n, 1)), (m + 1 + np.arange(n))[:, None]], axis=1
    )
    entries = np.concatenate([rows, np.full((n, 1), -1.0), np.ones((n, 1))], axis=1)
    matrix.start_ = np.r_[np.arange(n + 1) * (m + 2), n * (m + 2) + m]
    matrix.index_ = np.r_[index.ravel(), np.arange(m)]
    matrix.value_ = np.r_[entries.ravel(), np.ones(m)]
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("solver", "ipm")
    solver.setOptionValue("run_crossover", "off")
    solver.passModel(program)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        sys.exit(f"HiGHS: {solver.getModelStatus()}")
    return np.array(solver.getSolution().col_value)[:m]


def main():
    rows = values()
    with folder() as where:
        save(where, rows=rows, nu=[NU])
        out = ours("margins", where, 1e-9, 5)
        beta = load(where, "weights")[0]
    peer, theirs = best_of(3, lambda: highs(rows))
    got, want = objective(rows, beta), objective(rows, theirs)
    if not (abs(got - want) <= 1e-8 * abs(want) and beta.min() >= 0 and abs(beta.sum() - 1) < 1e-12):
        sys.exit(f"margins: objectives {got:.12g} and {want:.12g} differ")
    name = (
        f"LP-β, its linear program, n = {N}, {M} kernels, ν = {NU:g}, {out['iterations']} iterations, objectives "
        f"{abs(got - want) / abs(want):.0e} apart / HiGHS, interior point with crossover, 1 thread"
    )
    line(name, out["seconds"], peer, 20, least=True)


main()
