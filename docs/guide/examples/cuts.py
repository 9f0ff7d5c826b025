"""Weights of kernels whose combined graph is cut well, for an SVM and for clusters of other instances."""

# %% learn
import numpy as np
from cokernel import NormalizedCutMKLClassifier, gaussian
from cokernel.datasets import load_digits_views

digits = load_digits_views()
rows = np.flatnonzero(np.isin(digits.target, [3, 5, 8]))
rng = np.random.default_rng(0)
tables = {name: digits.views[name][rows] for name in ("mor", "zer", "fou")}
for k in range(5):
    tables[f"noise{k}"] = rng.standard_normal((len(rows), 10))
train = np.arange(0, len(rows), 3)
test = np.setdiff1d(np.arange(len(rows)), train)


def part(chosen):
    return {name: table[chosen] for name, table in tables.items()}


y, y_new = digits.target[rows[train]], digits.target[rows[test]]
clf = NormalizedCutMKLClassifier(kernels=[gaussian()], scale="standard", random_state=0)
clf.fit(part(train), y)
print("weights:", ", ".join(f"{w.view} {w.weight:.2f}" for w in clf.weights_ if w.weight > 0))
print(f"accuracy: {clf.score(part(test), y_new):.3f}")
details = clf.report_.details
print("proven the best weights of (13):", bool(details["optimal"][0]))
ratio, single = details["ratio"][0], details["single_ratio"][0]
print(f"ratio (7): {ratio:.3f}, of the best kernel alone {single:.3f}")

# %% cluster
from cokernel import KernelBank  # noqa: E402
from cokernel.metrics import cluster_scores  # noqa: E402
from sklearn.cluster import SpectralClustering  # noqa: E402

matrices = KernelBank(kernels=[gaussian()], scale="standard").fit_transform(part(test))
learned = np.array([w.weight for w in clf.weights_])
for name, weights in (("all alike", np.ones(len(learned))), ("learned", learned)):
    graph = np.tensordot(weights / weights.sum(), matrices, axes=1)
    clusters = SpectralClustering(3, affinity="precomputed", random_state=0).fit_predict(graph)
    scores = cluster_scores(y_new, clusters)
    print(f"{name:<10} NMI {scores['nmi']:.3f}")
