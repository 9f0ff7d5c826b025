"""Peak memory of a whole process that runs SimpleMKL on Gaussian kernels computed on demand, or in a file.

n = 5,000 and 20 kernels to a gap of 1e-3 in one gigabyte (10^9 bytes), n = 10,000 and 50 kernels to
1e-2 in two. In a file (4 bytes an entry): n = 8,000 and 5 kernels to 1e-2, made and learned from in one run. The gap of the
answer is recomputed on some rows of one kernel at a time.

    python benches/peers/memory.py target/release [N KERNELS GIGABYTES DIR]

runs the last case alone at another size, in a directory of yours: 40000 10 6 DIR needs 33 GB of disk there.
"""

from common import folder, line, load, np, ours, save
from pathlib import Path
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


def case(n, kernels, step, tol, reach, where_kept=None):
    rng = np.random.default_rng(5)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    x = rng.normal(size=(n, 20))
    x[:, :4] += 0.6 * y[:, None]
    gammas = 0.01 * step ** np.arange(kernels)
    with folder() as where:
        save(where, x=x, labels=y, gammas=gammas)
        how, given = "on demand", ("on_demand", 2 << 30)
        if where_kept:
            # Room for the combination in 4 bytes, one triangle, with some tiles; not for n² numbers of 8 bytes.
            kept = Path(where) / "kernels" if where_kept is True else where_kept
            how, given = "in a file", (f"mapped_f32:{kept}", int(2.2 * n * n))
            ours("memory", where, C, tol, *given, threads=2)
        out = ours("memory", where, C, tol, *given, threads=2)
        weights, coef = load(where, "weights")[0], load(where, "coef")[0]
    coef, bias = coef[:-1], coef[-1]
    images = products(x, gammas, coef)
    combined, forms = weights @ images, images @ coef
    primal = 0.5 * coef @ combined + C * np.maximum(0, 1 - y * (combined + bias)).sum()
    gap = (primal - (np.abs(coef).sum() - 0.5 * max(forms))) / primal
    if not (-1e-9 <= gap <= tol * (1 + 1e-6) and abs(weights.sum() - 1) < 1e-12):
        sys.exit(f"memory: gap {gap:.2e} above {tol:.0e}")
    name = (
        f"peak memory of SimpleMKL, n = {n}, {kernels} Gaussian kernels {how}, gap {gap:.1e}, "
        f"{out['seconds']:.1f} CPU s, 2 threads / {reach:g} GB"
    )
    line(name, out["bytes"] / 1e9, reach, 1.0, unit="GB")


def main():
    if len(sys.argv) > 2:
        n, kernels, reach, kept = sys.argv[2:]
        return case(int(n), int(kernels), 1.5, 1e-2, float(reach), kept)
    for one in CASES:
        case(*one)
    case(8000, 5, 2.0, 1e-2, 0.5, True)


main()
