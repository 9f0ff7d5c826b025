"""Ten Gaussian widths, γ in powers of two, beside one width: n = 4,000, d = 100, one thread,
kept in memory. Equal results: the sum of all entries of each of scikit-learn's rbf_kernel."""

import common
import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

n, d = 4000, 100
x = np.random.default_rng(0).standard_normal((n, d))
gammas = 2.0 ** np.arange(-6, 4) / (2.0 * d)
with common.folder() as where:
    common.save(where, x=x, gammas=gammas[None, :])
    ours = common.ours("ladder", where)
    want = [[rbf_kernel(x, gamma=g).sum() for g in gammas]]
    common.same("sums of entries", common.load(where, "sums"), want, 1e-10)
common.line("ten Gaussian widths n=4000 d=100, one width", ours["ten"], ours["one"], 3.0)
