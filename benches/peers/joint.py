"""Single-machine multi-class SVM (Weston and Watkins) on a Gram of handwritten digits, n = 1,797, 10
classes, beside one-versus-rest of ours: CPU time, one thread, both to a relative duality gap of 1e-3."""

import common
import numpy as np
from sklearn.datasets import load_digits

TOL = 1e-3


def certificate(gram, codes, c, coef, bias):
    """Relative duality gap of coefficients (n × classes) and biases, from the raw Gram."""
    own = np.arange(len(codes)), codes
    alpha = -coef.copy()
    alpha[own] = 0.0
    if alpha.min() < 0.0 or alpha.max() > c * (1 + 1e-9):
        raise SystemExit("a machine outside its box")
    if np.abs(coef.sum(0)).max() > 1e-6 * alpha.sum() or np.abs(coef.sum(1)).max() > 1e-6 * c:
        raise SystemExit("a machine outside its constraints")
    values = gram @ coef
    norm = (coef * values).sum()
    f = values + bias
    loss = np.maximum(0.0, 2.0 - f[own][:, None] + f)
    loss[own] = 0.0
    primal, dual = 0.5 * norm + c * loss.sum(), 2.0 * alpha.sum() - 0.5 * norm
    return (primal - dual) / primal


def main():
    digits = load_digits()
    x, codes = digits.data / 16.0, digits.target
    norms = (x * x).sum(1)
    square = np.maximum(norms[:, None] + norms[None, :] - 2.0 * x @ x.T, 0.0)
    np.fill_diagonal(square, 0.0)
    gram = np.exp(-square / np.median(square))
    gram = 0.5 * (gram + gram.T)
    with common.folder() as where:
        common.save(where, gram=gram, y=codes.astype(float))
        for c in (1.0, 10.0):
            found = common.ours("joint", where, c, TOL, 3)
            coef = common.load(where, "coef").T
            gap = certificate(gram, codes, c, coef, np.array(found["bias"]))
            if not gap <= TOL:
                raise SystemExit(f"joint, C = {c:g}: gap {gap:.2e} above {TOL:g}")
            name = f"multi-class SVM in one machine, digits, C = {c:g} (beside one-versus-rest)"
            common.line(name, found["seconds"], found["one_versus_rest"], 5.0)


main()
