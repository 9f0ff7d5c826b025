"""One-class SVM on a given Gram, n = 4,000: scikit-learn's OneClassSVM(kernel="precomputed"), CPU
time, one thread, both to a relative duality gap of at most 1e-3 (scikit-learn at the loosest tol of
a list that reaches it)."""

import common
import numpy as np
from sklearn.svm import OneClassSVM
from svc_inputs import gaussian_gram

TOL = 1e-3


def certificate(gram, nu, coef):
    """Relative duality gap and dual objective of coefficients of sum 1, from the raw Gram; ρ
    minimises the primal."""
    coef = coef.ravel()
    c = 1.0 / (nu * len(gram))
    if coef.min() < 0.0 or coef.max() > c * (1 + 1e-6) or abs(coef.sum() - 1.0) > 1e-6:
        raise SystemExit("a machine outside its constraints")
    values = gram @ coef
    norm = coef @ values
    rho = np.sort(values)[min(int(np.ceil(1.0 / c - 1e-9)), len(gram)) - 1]
    primal = 0.5 * norm - rho + c * np.maximum(0.0, rho - values).sum()
    return (primal + 0.5 * norm) / abs(primal), -0.5 * norm


def peer(gram, nu):
    """CPU seconds, tol and dual objective of the loosest setting that reaches the gap. LIBSVM's
    coefficients have the sum νn, and its tol their scale."""
    n = len(gram)
    for tol in (1e1, 5.0, 2.0, 1.0, 5e-1, 2e-1, 1e-1, 5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 1e-4):
        model = OneClassSVM(nu=nu, kernel="precomputed", tol=tol, cache_size=500)
        seconds, model = common.best_of(1, lambda: model.fit(gram))
        coef = np.zeros(n)
        coef[model.support_] = model.dual_coef_[0] / (nu * n)
        gap, dual = certificate(gram, nu, coef)
        if gap <= TOL:
            again, _ = common.best_of(2, lambda: model.fit(gram))
            return min(seconds, again), tol, dual
    raise SystemExit("scikit-learn does not reach the gap")


def main():
    gram, _ = gaussian_gram(4000, 20.0)
    with common.folder() as where:
        common.save(where, gram=gram)
        for nu in (0.05, 0.2):
            theirs, tol, objective = peer(gram, nu)
            found = common.ours("one_class", where, nu, TOL, 5)
            gap, dual = certificate(gram, nu, common.load(where, "coef"))
            if not gap <= TOL:
                raise SystemExit(f"one_class, nu = {nu:g}: gap {gap:.2e} above {TOL:g}")
            common.same(f"objective, nu = {nu:g}", [dual], [objective], 2e-3)
            name = f"one-class SVM on a Gram, n = 4,000, nu = {nu:g} (scikit-learn tol {tol:g})"
            common.line(name, found["seconds"], theirs, 6.0, least=True)


main()
