"""Inputs and the certificate shared by svc.py and warm.py."""

import numpy as np


def gaussian_gram(n, width):
    """Two overlapping classes in 20 dimensions with a bent border, and a Gaussian kernel."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    x = rng.standard_normal((n, 20))
    x[:, :4] += 0.5 * y[:, None]
    x[:, 4] += 0.3 * x[:, 0] * x[:, 1]
    norms = (x * x).sum(1)
    square = np.maximum(norms[:, None] + norms[None, :] - 2.0 * x @ x.T, 0.0)
    np.fill_diagonal(square, 0.0)
    gram = np.exp(-square / (2.0 * width))
    return 0.5 * (gram + gram.T), y


def certificate(gram, y, c, coef, bias):
    """Relative duality gap and dual objective of a machine, from the raw Gram."""
    coef = coef.ravel()
    alpha = coef * y
    if alpha.min() < -1e-9 * c or alpha.max() > c * (1 + 1e-9) or abs(coef.sum()) > 1e-6 * c:
        raise SystemExit("a machine outside its constraints")
    values = gram @ coef
    norm = coef @ values
    primal = 0.5 * norm + c * np.maximum(0.0, 1.0 - y * (values + bias)).sum()
    dual = alpha.sum() - 0.5 * norm
    return (primal - dual) / primal, dual
