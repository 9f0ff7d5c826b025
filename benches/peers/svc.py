"""C-SVC beside scikit-learn on a given Gram, and beside itself at a small C: CPU time, one thread.

- n = 4,000, a Gaussian kernel: scikit-learn's SVC(kernel="precomputed"), both to a relative duality gap of at
  most 1e-3 (scikit-learn at the loosest tol of a list that reaches it; at C = 10^4 no variable is near its
  bound, and its gap is taken at the multiple of its coefficients that leaves no loss, where that is
  smaller: at the coefficients themselves it stays above 6e-3 at any tol).
- n = 2,000, a linear kernel of 20 columns and classes that overlap, C = 10^6, to a gap of 1e-6: ours at C = 1.
"""

import common
import numpy as np
from sklearn.svm import SVC
from svc_inputs import certificate, gaussian_gram

TOL = 1e-3
TIGHT = 1e-6


def least_gap(gram, y, c, coef, bias):
    """Gap and dual objective of coefficients, or of the multiple of them that leaves no loss."""
    here = certificate(gram, y, c, coef, bias)
    values = gram @ coef
    middle = 0.5 * (values[y > 0].min() + values[y < 0].max())
    margin = (y * (values - middle)).min()
    if margin <= 0.0 or np.abs(coef).max() > c * margin:
        return here
    return min(here, certificate(gram, y, c, coef / margin, -middle / margin))


def loosest(gram, y, c):
    """The loosest tol that reaches the gap, and the dual objective with it."""
    for tol in (1e-1, 5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 1e-5):
        model = SVC(C=c, kernel="precomputed", tol=tol, cache_size=500)
        model.fit(gram, y)
        coef = np.zeros(len(y))
        coef[model.support_] = model.dual_coef_[0]
        gap, dual = least_gap(gram, y, c, coef, model.intercept_[0])
        if gap <= TOL:
            return tol, dual
    raise SystemExit("scikit-learn does not reach the gap")


def beside_scikit_learn():
    gram, y = gaussian_gram(4000, 20.0)
    with common.folder() as where:
        common.save(where, gram=gram, y=y)
        for c, reach in ((1.0, 6.0), (100.0, 6.0), (1e4, 8.0)):
            tol, objective = loosest(gram, y, c)

            def peer():
                return common.best_of(
                    1, lambda: SVC(C=c, kernel="precomputed", tol=tol, cache_size=500).fit(gram, y)
                )

            def own():
                out = common.ours("svc", where, c, TOL, 2)
                return out["seconds"], out

            (theirs, _), (seconds, found) = common.in_turn(7, peer, own)
            gap, dual = certificate(gram, y, c, common.load(where, "coef"), found["bias"])
            if not gap <= TOL:
                raise SystemExit(f"svc, C = {c:g}: gap {gap:.2e} above {TOL:g}")
            common.same(f"objective, C = {c:g}", [dual], [objective], 2e-3)
            name = f"C-SVC on a Gram, n = 4,000, C = {c:g} (scikit-learn tol {tol:g})"
            common.line(name, seconds, theirs, reach, least=True)


def large_beside_small():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(2000) % 2 == 0, 1.0, -1.0)
    x = rng.standard_normal((2000, 20))
    x[:, :4] += 0.5 * y[:, None]
    gram = x @ x.T
    with common.folder() as where:
        common.save(where, gram=gram, y=y)
        seconds = []
        for c in (1.0, 1e6):
            found = common.ours("svc", where, c, TIGHT, 3)
            gap, _ = certificate(gram, y, c, common.load(where, "coef"), found["bias"])
            if not gap <= TIGHT:
                raise SystemExit(f"overlapping classes, C = {c:g}: gap {gap:.2e} above {TIGHT:g}")
            seconds.append(found["seconds"])
        name = "C-SVC, linear kernel, overlapping classes, n = 2,000, C = 10^6 (beside C = 1)"
        common.line(name, seconds[1], seconds[0], 50.0)


beside_scikit_learn()
large_beside_small()
