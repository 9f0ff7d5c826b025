"""Peak memory of a whole process that runs SimpleMKL on Gaussian kernels computed on demand.

n = 5,000 and 20 kernels to a gap of 1e-3 in one gigabyte (10^9 bytes), n = 10,000 and 50 kernels to
1e-2 in two. The gap of the answer is recomputed on some rows of one kernel at a time.
"""

from common import folder, line, load, np, ours, save
import sys

C = 1.0
#: Instances, kernels, ratio of one γ to the one before, tolerance, gigabytes.
CASES = [(5000, 20, 1.3, 1e-3, 1.0), (10000, 50, 1.1, 1e-2, 2.0)]


def products(x, gammas, coef):
    """K_m c of all kernels."""
    found = np.zeros((len(gammas), len(x)))
    own = (x**2).sum(1)
    for start in range(0, len(x), 500):
        rows = slice(start, start + 500)
        square = own[rows, None] - 2 * x[rows] @ x.T + own
        for m, gamma in enumerate(gammas):
            found[m, rows] = np.exp(-gamma * square) @ coef
    return found


def case(n, kernels, step, tol, reach):
    rng = np.random.default_rng(5)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    x = rng.normal(size=(n, 20))
    x[:, :4] += 0.6 * y[:, None]
    gammas = 0.01 * step ** np.arange(kernels)
    with folder() as where:
        save(where, x=x, labels=y, gammas=gammas)
        out = ours("memory", where, C, tol, threads=2)
        weights, coef = load(where, "weights")[0], load(where, "coef")[0]
    coef, bias = coef[:-1], coef[-1]
    images = products(x, gammas, coef)
    combined, forms = weights @ images, images @ coef
    primal = 0.5 * coef @ combined + C * np.maximum(0, 1 - y * (combined + bias)).sum()
    gap = (primal - (np.abs(coef).sum() - 0.5 * max(forms))) / primal
    if not (-1e-9 <= gap <= tol * (1 + 1e-6) and abs(weights.sum() - 1) < 1e-12):
        sys.exit(f"memory: gap {gap:.2e} above {tol:.0e}")
    name = (
        f"peak memory of SimpleMKL, n = {n}, {kernels} Gaussian kernels on demand, gap {gap:.1e}, "
        f"{out['seconds']:.1f} CPU s, 2 threads / {reach:g} GB"
    )
    line(name, out["bytes"] / 1e9, reach, 1.0, unit="GB")


def main():
    for one in CASES:
        case(*one)


main()
