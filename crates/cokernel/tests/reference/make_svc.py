"""Makes svc.json: machines of scikit-learn's SVC (1.9.1) on small generated data.

    python make_svc.py            # needs numpy and scikit-learn

Every case holds the points, a Gaussian kernel's gamma, the parameters and scikit-learn's answer
at tol 1e-10: dual objective, intercept and decision values of each binary machine, in the order
and with the signs of scikit-learn (pair i < j positive for class i; two classes: positive for
class 1).
"""

import json
from pathlib import Path

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC


def points(rng, n, classes, spread):
    y = np.arange(n) % classes
    angle = 2 * np.pi * y / classes
    x = np.c_[np.cos(angle), np.sin(angle)] + spread * rng.standard_normal((n, 2))
    return np.round(x, 4), y


def machine(kernel, y, c, costs, **options):
    """One binary machine, y in {0, 1}: objective, intercept, decision values on all rows."""
    model = SVC(C=c, kernel="precomputed", tol=1e-10, cache_size=50, **options)
    model.fit(kernel, y, sample_weight=costs)
    coef = np.zeros(len(y))
    coef[model.support_] = model.dual_coef_[0]
    objective = np.abs(coef).sum() - 0.5 * coef @ kernel @ coef
    return {
        "objective": objective,
        "bias": model.intercept_[0],
        "decisions": (kernel @ coef + model.intercept_[0]).tolist(),
    }


def binary(name, x, y, gamma, c, weights=None, class_weight=None):
    kernel = rbf_kernel(x, gamma=gamma)
    options = {} if class_weight is None else {"class_weight": class_weight}
    found = [machine(kernel, y, c, weights, **options)]
    return case(name, x, y, gamma, c, "one_vs_rest", found, weights, class_weight)


def case(name, x, y, gamma, c, decomposition, machines, weights=None, class_weight=None, decided=None):
    named = class_weight if isinstance(class_weight, dict) else {}
    return {
        "name": name,
        "x": x.tolist(),
        "y": y.tolist(),
        "gamma": gamma,
        "c": c,
        "decomposition": decomposition,
        "weights": None if weights is None else weights.tolist(),
        "class_weights": [[str(k), v] for k, v in named.items()],
        "balanced": class_weight == "balanced",
        "machines": machines,
        "decided": None if decided is None else decided.tolist(),
    }


def one_vs_one(name, x, y, gamma, c):
    model = SVC(C=c, gamma=gamma, tol=1e-10, decision_function_shape="ovo").fit(x, y)
    values = model.decision_function(x)
    machines = [
        {"objective": None, "bias": model.intercept_[t], "decisions": values[:, t].tolist()}
        for t in range(values.shape[1])
    ]
    return case(name, x, y, gamma, c, "one_vs_one", machines, decided=model.predict(x))


def one_vs_rest(name, x, y, gamma, c):
    kernel = rbf_kernel(x, gamma=gamma)
    machines = [machine(kernel, (y == k).astype(int), c, None) for k in range(y.max() + 1)]
    decided = np.argmax([m["decisions"] for m in machines], axis=0)
    return case(name, x, y, gamma, c, "one_vs_rest", machines, decided=decided)


def main():
    rng = np.random.default_rng(20)
    cases = []
    for c in (0.1, 1.0, 100.0):
        cases.append(binary(f"overlapping, C = {c}", *points(rng, 60, 2, 0.8), 1.5, c))
    cases.append(binary("separable, C = 1e4", *points(rng, 40, 2, 0.2), 0.5, 1e4))
    x, y = points(rng, 60, 2, 0.8)
    weights = np.round(rng.uniform(0.1, 3.0, 60), 3)
    cases.append(binary("instance weights", x, y, 1.0, 2.0, weights=weights))
    cases.append(binary("class weights", x, y, 1.0, 2.0, class_weight={0: 0.4, 1: 3.0}))
    y = (np.arange(60) % 6 == 0).astype(int)
    cases.append(binary("balanced", x, y, 1.0, 2.0, class_weight="balanced"))
    cases.append(one_vs_one("four classes in pairs", *points(rng, 80, 4, 0.6), 1.0, 5.0))
    cases.append(one_vs_rest("four classes against the rest", *points(rng, 80, 4, 0.6), 1.0, 5.0))
    path = Path(__file__).with_name("svc.json")
    path.write_text(json.dumps(cases, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
