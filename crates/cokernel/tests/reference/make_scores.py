"""Writes scores.json: clusterings with the scores that scikit-learn and scipy give them.

Run with numpy, scipy and scikit-learn 1.9.1: python make_scores.py
"""

import json
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import entropy
from sklearn import metrics
from sklearn.metrics.cluster import contingency_matrix, pair_confusion_matrix

rng = np.random.default_rng(2026)
cases = []
for n, clusters, classes, noise in [
    (10, 2, 3, 1.0),
    (60, 4, 4, 0.2),
    (100, 3, 7, 0.5),
    (100, 9, 2, 0.3),
    (150, 5, 5, 0.0),
    (200, 10, 10, 0.6),
    (80, 40, 3, 1.0),
    (50, 1, 4, 1.0),
    (300, 12, 15, 0.4),
]:
    y = rng.integers(classes, size=n)
    c = np.where(rng.random(n) < noise, rng.integers(clusters, size=n), y % clusters)
    table = contingency_matrix(y, c)
    rows, columns = linear_sum_assignment(table, maximize=True)
    (_, in_cluster), (in_class, both) = pair_confusion_matrix(y, c).astype(float)
    precision, recall = both / (both + in_cluster), both / (both + in_class)
    nmi = {
        norm: metrics.normalized_mutual_info_score(y, c, average_method=norm)
        for norm in ["arithmetic", "geometric", "max", "min"]
    }
    cases.append(
        {
            "clusters": c.tolist(),
            "classes": y.tolist(),
            "nmi": nmi,
            "adjusted_rand": metrics.adjusted_rand_score(y, c),
            "accuracy": table[rows, columns].sum() / n,
            "purity": table.max(axis=0).sum() / n,
            "entropy": float(np.sum(table.sum(axis=0) / n * entropy(table, base=2, axis=0))),
            "precision": precision,
            "recall": recall,
            "f": 2 * precision * recall / (precision + recall),
        }
    )
out = Path(__file__).parent / "scores.json"
out.write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
