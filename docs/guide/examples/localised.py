"""Weights of kernels that depend on the instance: straight pieces, and which view tells something where."""

# %% pieces
import numpy as np
from cokernel import LocalizedMKLClassifier, MeanMKLClassifier
from sklearn.model_selection import train_test_split

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, size=(400, 2))
y = X[:, 1] > np.abs(X[:, 0]) - 0.7
X, X_new, y, y_new = train_test_split(X, y, random_state=0)
line = MeanMKLClassifier(kernels=["linear"], C=10).fit(X, y)
print(f"one line: accuracy {line.score(X_new, y_new):.3f}")
roof = LocalizedMKLClassifier(kernels=["linear"], copies=2, starts=3, C=10, random_state=0)
roof.fit(X, y)
print(f"two lines with gates: accuracy {roof.score(X_new, y_new):.3f}")
left_and_right = np.array([[-1.5, 0.0], [1.5, 0.0]])
gates = roof.gate(left_and_right).round(2)
print("gates on the left and on the right:", gates[:, gates[0].argsort()].tolist())
objectives = roof.report_.details["objectives"]
print(f"objectives of the starts: {np.min(objectives):.1f} to {np.max(objectives):.1f}")

# %% views
from cokernel.datasets import load_digits_views  # noqa: E402

digits = load_digits_views()
rows = np.arange(0, 2000, 4)
views = {name: digits.views[name][rows] for name in ("fac", "fou", "mor")}
small = np.isin(digits.target[rows], [0, 1, 2, 3, 4])
train, test = np.arange(0, 500, 2), np.arange(1, 500, 2)
part = lambda chosen: {name: table[chosen] for name, table in views.items()}  # noqa: E731
for gating in ("softmax", "sigmoid"):
    clf = LocalizedMKLClassifier(
        gating=gating, gate_views="mor", kernels=["linear"], scale="standard", tol=1e-6
    )
    clf.fit(part(train), small[train])
    gates = clf.gate(part(test))
    means = ", ".join(f"{n} {g:.1f}" for n, g in zip(clf.gate_names_, gates.mean(axis=0)))
    print(f"{gating}: accuracy {clf.score(part(test), small[test]):.2f}")
    print(f"  mean gates {means}; open {np.mean((gates > 0).sum(axis=1)):.1f} of 3")

# %% picture
clf = LocalizedMKLClassifier(gate_views="mor", kernels=["linear"], scale="standard", tol=1e-6)
axes = clf.fit(part(train), small[train]).plot_gates(part(test))
print(len(axes), "panels:", ", ".join(ax.get_title() for ax in axes))
axes[0].figure.savefig("localised.svg")

# %% map
from sklearn.metrics.pairwise import rbf_kernel  # noqa: E402

scaled = {name: (table - table.mean(0)) / table.std(0) for name, table in views.items()}


def similar(chosen):
    return {n: rbf_kernel(t[chosen], t[train], 0.3 / t.shape[1]) for n, t in scaled.items()}


for dimensions in (0, 3):
    clf = LocalizedMKLClassifier(kernels="precomputed", gate_dimensions=dimensions, C=10)
    clf.fit(similar(train), small[train])
    score = clf.score(similar(test), small[test])
    kept = clf.report_.details.get("gate_variance", [1.0])[0]
    print(f"{dimensions or 'all'}: accuracy {score:.2f}, variance kept {kept:.2f}")

# %% own
digit = digits.target[rows]
few = np.isin(digit, [3, 5, 8])
some = lambda chosen: part(chosen[few[chosen]])  # noqa: E731
for gates in ("common", "own"):
    clf = LocalizedMKLClassifier(gates=gates, gate_views="mor", kernels=["linear"], scale="standard")
    clf.fit(some(train), digit[train][few[train]])
    print(f"{gates}: accuracy {clf.score(some(test), digit[test][few[test]]):.2f}")
    for name, mean in zip(clf.gate_names_, clf.gate(some(test)).mean(axis=0)):
        print(f"  {name:22} {mean:.2f}")

# %% regions
from cokernel import ConvexLocalizedMKLClassifier  # noqa: E402

regions = ConvexLocalizedMKLClassifier(
    regions=3, gate_views="mor", kernels=["linear"], scale="standard", random_state=0
)
regions.fit(part(train), small[train])
print(f"accuracy {regions.score(part(test), small[test]):.2f}")
print(f"gap below 0.001: {regions.report_.duality_gap < 1e-3}")
beta = np.reshape(regions.report_.details["region_weights"], (len(views), 3)).T
for size, weights in zip(regions.report_.details["region_sizes"], beta):
    print(f"  {size:5.1f} instances:", ", ".join(f"{n} {w:.2f}" for n, w in zip(views, weights)))
