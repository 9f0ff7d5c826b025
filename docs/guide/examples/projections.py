"""Projections learned with the machine: few directions of many, regions with one each, a picture by classes."""

# %% global
import numpy as np
from cokernel import GPKClassifier, LPKClassifier, MeanMKLClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 20))
y = (X[:, 0] + X[:, 1] ** 2 - 1 + 0.3 * rng.normal(size=600) > 0).astype(int)
train, new = np.arange(0, 300), np.arange(300, 600)
plain = MeanMKLClassifier().fit(X[train], y[train])
gpk = GPKClassifier(dimensions=2).fit(X[train], y[train])
print(f"all 20 columns: accuracy {plain.score(X[new], y[new]):.3f}")
print(f"two directions: accuracy {gpk.score(X[new], y[new]):.3f}")
W = gpk.projections_["X"]
sizes = np.linalg.norm(W, axis=1)
print("columns by the length of their row of W:", np.argsort(-sizes)[:4].tolist())
print("lengths of these:", np.sort(sizes)[::-1][:4].round(2).tolist())

# %% local
corner = np.arange(400) % 4
centres = np.array([[-3.0, 1.5], [3.0, 1.5], [-3.0, -1.5], [3.0, -1.5]])
Z = centres[corner] + 0.6 * rng.normal(size=(400, 2))
c = np.isin(corner, [0, 3])
one = GPKClassifier(dimensions=1, kernels=["linear"], C=10).fit(Z[:200], c[:200])
two = LPKClassifier(dimensions=1, kernels=["linear"], C=10, starts=4, random_state=0)
two.fit(Z[:200], c[:200])
print(f"one projection: accuracy {one.score(Z[200:], c[200:]):.1f}")
print(f"two regions: accuracy {two.score(Z[200:], c[200:]):.3f}")
print("gates at the corners:", two.gate(centres).round(2).tolist())
for name, W in two.projections_.items():
    direction = W[:, 0] / np.linalg.norm(W)
    print(f"{name}: along {np.round(direction * np.sign(direction[1]), 2).tolist()}")

# %% picture
from cokernel import MultiViewEmbedding  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402

for method, params in [("pca", {}), ("lfda", {}), ("gpk", {"embed_c": 1.0})]:
    rows = MultiViewEmbedding(2, method=method, method_params=params).fit(X[train], y[train])
    near = KNeighborsClassifier(5).fit(rows.embedding_, y[train])
    print(f"{method:5} {near.score(rows.transform(X[new]), y[new]):.3f}")

# %% local picture
params = {"starts": 4, "embed_c": 10.0}
picture = MultiViewEmbedding(
    2, method="lpk", method_params=params, kernels=["linear"], random_state=0
).fit(Z[:200], c[:200])
near = KNeighborsClassifier(5).fit(picture.embedding_, c[:200])
print(f"lpk   {near.score(picture.transform(Z[200:]), c[200:]):.3f}")
print("the corners:", picture.transform(centres).round(1).tolist())
