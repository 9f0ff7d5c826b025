"""Localised MKL with softmax gates on 900 digits, six linear kernels: an outer iteration beside one machine of ours on the mean
kernel; all of it, to a relative change of 1e-3, beside the published loop (LMKA Figure 3.1 with the sums over pairs of its
section 3.3) in numpy with scikit-learn's SVC; and prediction with gates beside a weighted sum.

Checked first: our objective is at most 1 % above that of the loop, both from gates that are (nearly) equal.
"""

import common
import numpy as np
from sklearn.svm import SVC

C, TOL = 10.0, 1e-3


def gated(kernels, gates):
    return sum(np.outer(g, g) * k for k, g in zip(kernels, gates.T))


def by_the_source(kernels, z, y):
    """The objectives of the loop. The step is doubled while the objective falls, else halved down to 1e-3."""
    inputs = np.column_stack([z, np.ones(len(z))])
    rng = np.random.default_rng(0)

    def solve(v):
        scores = inputs @ v.T
        gates = np.exp(scores - scores.max(axis=1, keepdims=True))
        gates /= gates.sum(axis=1, keepdims=True)
        k = gated(kernels, gates)
        machine = SVC(C=C, kernel="precomputed", tol=1e-3, cache_size=500).fit(k, y)
        beta = np.zeros(len(y))
        beta[machine.support_] = machine.dual_coef_[0]
        return np.abs(beta).sum() - 0.5 * beta @ k @ beta, beta, gates

    v = rng.uniform(-0.01, 0.01, size=(len(kernels), inputs.shape[1]))
    value, beta, gates = solve(v)
    values, step = [value], 1.0
    while True:
        gradient = np.zeros_like(v)
        pairs = np.outer(beta, beta)
        for h, kernel in enumerate(kernels):
            weight = pairs * np.outer(gates[:, h], gates[:, h]) * kernel
            for m in range(len(kernels)):
                part = float(m == h) - gates[:, m]
                both = weight * (part[:, None] + part[None, :])
                gradient[m] -= 0.5 * (both.sum(axis=1) @ inputs)
        gradient /= np.linalg.norm(gradient)
        step *= 2.0
        while step > 1e-3:
            moved = solve(v - step * gradient)
            if moved[0] < value:
                break
            step /= 2.0
        else:
            return values
        v = v - step * gradient
        decrease, (value, beta, gates) = value - moved[0], moved
        values.append(value)
        if decrease <= TOL * value:
            return values


def learn():
    with common.folder() as where:
        found = common.ours("localised", where, "learn", 3, 500)
        y = common.load(where, "y").ravel()
        n = len(y)
        kernels = list(common.load(where, "kernels").reshape(-1, n, n))
        z = np.hstack([common.load(where, f"features{v}") for v in range(len(kernels))])
        seconds, values = common.best_of(1, lambda: by_the_source(kernels, z, y))
        ours = found["objective"]
        if ours[-1] > 1.01 * values[-1]:
            raise SystemExit(f"our objective {ours[-1]} is above {values[-1]}")
        # Ours, ended where the objective is that of the loop.
        enough = int(np.argmax(np.array(ours) <= max(values[-1], ours[-1])))
        short = common.ours("localised", where, "learn", 3, max(enough, 1))["seconds"]
    print(
        f"objectives: ours {ours[0]:.4f} to {ours[-1]:.4f} in {found['iterations']} iterations and {found['solves']} machines, "
        f"the loop {values[0]:.4f} to {values[-1]:.4f} in {len(values) - 1}; by gradients {found['gradient_objective'][-1]:.4f} in "
        f"{found['gradient_iterations']} iterations and {found['gradient_seconds']:.2f} s"
    )
    name = "localised MKL, softmax, 900 digits, 6 kernels, 1 thread"
    each = found["seconds"] / max(found["iterations"], 1)
    common.line(f"{name}: an iteration / a machine on the mean", each, found["machine"], 3.0)
    common.line(f"{name}: the published loop / ours to its objective", short, seconds, 30.0, least=True)
    common.line(f"{name}: the published loop / ours to our own", found["seconds"], seconds, 1.0, least=True)
    common.line(f"{name}: steps along the gradient / L-BFGS", found["seconds"], found["gradient_seconds"], 1.0, least=True)


def predict():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3000, 100))
    y = np.where(np.arange(len(x)) % 2 == 0, 1.0, -1.0)
    with common.folder() as where:
        common.save(where, x=x, y=y, new=rng.standard_normal((1000, 100)))
        found = common.ours("localised", where, "predict", 3)
    if found["support"] != [3000, 3000] or found["open"] < 3:
        raise SystemExit(f"not all rows are support rows, or gates are closed: {found['support']}, {found['open']}")
    name = "localised prediction of 1,000 rows, 3,000 support rows, 3 kernels / a weighted sum"
    common.line(name, found["seconds"], found["sum"], 1.5)


learn()
predict()
