"""A Gaussian Gram matrix, n = 4,000, d = 100, full and mirrored, on one thread, beside numpy's
product X Xᵀ of the same shape. Equal results: scikit-learn's rbf_kernel."""

import common
import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

n, d = 4000, 100
x = np.random.default_rng(0).standard_normal((n, d))
gamma = 1.0 / (2.0 * d)
peer, _ = common.best_of(5, lambda: x @ np.ascontiguousarray(x.T))
peer_t, _ = common.best_of(5, lambda: x @ x.T)
sklearn, want = common.best_of(3, lambda: rbf_kernel(x, gamma=gamma))
with common.folder() as where:
    common.save(where, x=x, gamma=[[gamma]])
    ours = common.ours("gram", where)
    common.same("Gaussian Gram", common.load(where, "ours"), want, 1e-10)
# x @ x.T is recognised by numpy and computed as one triangle (syrk); the reach is stated for the
# general product.
common.line("Gaussian Gram n=4000 d=100, numpy GEMM", ours["seconds"], peer, 1.0)
common.line("Gaussian Gram n=4000 d=100, numpy SYRK", ours["seconds"], peer_t, 2.0)
common.line("Gaussian Gram n=4000 d=100, rbf_kernel", ours["seconds"], sklearn, 1.0)
