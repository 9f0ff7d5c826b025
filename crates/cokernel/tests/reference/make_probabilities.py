"""Writes probabilities.json: calibrated values and scores of probabilities as scikit-learn gives them.

Run with numpy, scipy and scikit-learn 1.9.1: python make_probabilities.py
"""

import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

rng = np.random.default_rng(2026)


def sigmoid(f, y, w, new):
    """Platt's sigmoid: the loss of `sklearn.calibration._sigmoid_calibration`, minimised further."""
    yes, no = w[y == 1].sum(), w[y == 0].sum()
    t = np.where(y == 1, (yes + 1) / (yes + 2), 1 / (no + 2))

    def loss(ab):
        u = ab[0] * f + ab[1]
        p = 1 / (1 + np.exp(u))
        value = np.sum(w * (t * np.logaddexp(0, u) + (1 - t) * np.logaddexp(0, -u)))
        return value, np.array([np.sum(w * f * (t - p)), np.sum(w * (t - p))])

    def hessian(ab):
        p = 1 / (1 + np.exp(ab[0] * f + ab[1]))
        h = w * p * (1 - p)
        return np.array([[np.sum(h * f * f), np.sum(h * f)], [np.sum(h * f), np.sum(h)]])

    best = minimize(
        loss, [0, 0], jac=True, hess=hessian, method="trust-exact", options={"gtol": 1e-11}
    )
    return 1 / (1 + np.exp(best.x[0] * new + best.x[1]))


curves = []
for n, weighted, grid in [(6, False, 2), (40, True, 4), (200, False, 0), (200, True, 5)]:
    f = rng.normal(size=n)
    f = np.round(f * grid) / grid if grid else f
    y = (rng.random(n) < 1 / (1 + np.exp(0.3 - 1.2 * f))).astype(int)
    y[:2] = 0, 1
    w = rng.integers(1, 9, size=n) / 4 if weighted else np.ones(n)
    new = np.linspace(-4, 4, 33)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(f, y, w)
    curves.append(
        {
            "values": f.tolist(),
            "codes": y.tolist(),
            "weights": w.tolist(),
            "new": new.tolist(),
            "sigmoid": sigmoid(f, y, w, new).tolist(),
            "isotonic": isotonic.predict(new).tolist(),
        }
    )
scores = []
for n, k in [(30, 2), (80, 2), (60, 3), (200, 7)]:
    y = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    p = rng.dirichlet(np.ones(k), size=n).round(2) + 0.01
    p /= p.sum(axis=1, keepdims=True)
    auc = roc_auc_score(y, p[:, 1]) if k == 2 else roc_auc_score(y, p, multi_class="ovr")
    scores.append(
        {
            "codes": y.tolist(),
            "classes": k,
            "p": p.ravel().tolist(),
            "auc": auc,
            "log_loss": log_loss(y, p),
            "brier": brier_score_loss(y, p[:, 1] if k == 2 else p),
        }
    )
lines = [json.dumps(c) for c in curves], [json.dumps(s) for s in scores]
text = '{"curves": [\n' + ",\n".join(lines[0]) + '\n], "scores": [\n' + ",\n".join(lines[1]) + "\n]}\n"
(Path(__file__).parent / "probabilities.json").write_text(text)
