"""Peak memory of a whole process that runs SimpleMKL: n = 5,000, 20 Gaussian kernels on demand.

The reach is one gigabyte (10^9 bytes). The gap of the answer is recomputed on one kernel at a
time.
"""

from common import folder, line, load, np, ours, save
import sys

N, TOL, C = 5000, 1e-3, 1.0


def main():
    rng = np.random.default_rng(5)
    y = np.where(rng.random(N) < 0.5, 1.0, -1.0)
    x = rng.normal(size=(N, 20))
    x[:, :4] += 0.6 * y[:, None]
    gammas = 0.01 * 1.3 ** np.arange(20)
    with folder() as where:
        save(where, x=x, labels=y, gammas=gammas)
        out = ours("memory", where, C, TOL, threads=2)
        weights, coef = load(where, "weights")[0], load(where, "coef")[0]
        coef, bias = coef[:-1], coef[-1]
        square = (x**2).sum(1)[:, None] - 2 * x @ x.T + (x**2).sum(1)
        combined, forms = np.zeros(N), []
        for weight, gamma in zip(weights, gammas):
            product = np.exp(-gamma * square) @ coef
            combined += weight * product
            forms.append(coef @ product)
        primal = 0.5 * coef @ combined + C * np.maximum(0, 1 - y * (combined + bias)).sum()
        gap = (primal - (np.abs(coef).sum() - 0.5 * max(forms))) / primal
        if not (-1e-9 <= gap <= TOL * (1 + 1e-6) and abs(weights.sum() - 1) < 1e-12):
            sys.exit(f"memory: gap {gap:.2e} above {TOL:.0e}")
        name = (
            f"peak memory of SimpleMKL, n = {N}, 20 Gaussian kernels on demand, gap {gap:.1e}, "
            f"{out['seconds']:.1f} CPU s, 2 threads / one gigabyte"
        )
        line(name, out["bytes"] / 1e9, 1.0, 1.0, unit="GB")


main()
