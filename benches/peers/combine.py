"""The weighted sum of 50 Gram matrices, n = 2,000, and their 50 quadratic forms, beside one
streaming read of the 1.6 GB on one thread."""

import common
import numpy as np

n, kernels = 2000, 50
i = np.arange(n)
base, sides = np.outer(i, i), np.add.outer(i, i)
rng = np.random.default_rng(0)
weights = rng.random((1, kernels))
coef = rng.standard_normal((1, n)) * (rng.random((1, n)) < 0.6)
grams = np.empty((kernels, n, n))
for m in range(kernels):
    grams[m] = (base + (m + 1) * sides) % 1009 / 1009.0
read, _ = common.best_of(5, lambda: grams.max())
total = np.tensordot(weights[0], grams, axes=1)
quad = np.array([[coef[0] @ (k @ coef[0]) for k in grams]])
del grams
with common.folder() as where:
    common.save(where, weights=weights, coef=coef)
    ours = common.ours("combine", where)
    common.same("sum", common.load(where, "sum"), total, 1e-12)
    common.same("quadratic forms", common.load(where, "quad"), quad, 1e-10)
name = "sum and quadratic forms of 50 Grams n=2000, one read of 1.6 GB"
common.line(name, ours["combine"] + ours["forms"], read, 1.5)
