"""Weights of kernels from pairs of instances that belong together or apart."""

# %% data
import numpy as np
from cokernel import PolynomialTwoStageMKLClassifier, TwoStageMKLClassifier, gaussian, linear
from cokernel.datasets import load_digits_views

digits = load_digits_views()
three = {name: digits.views[name] for name in ("mor", "zer", "fou")}
rows = np.flatnonzero(np.isin(digits.target, [3, 5, 8]))
train, test = rows[::3], np.setdiff1d(rows, rows[::3])


def part(chosen):
    return {name: table[chosen] for name, table in three.items()}


y, y_new = digits.target[train], digits.target[test]
rng = np.random.default_rng(0)


def judged(count):
    """Random pairs, of which somebody says whether they show the same digit."""
    drawn = (rng.choice(len(train), 2, replace=False).tolist() for _ in range(count))
    return [(i, j, "must" if y[i] == y[j] else "cannot") for i, j in drawn]


print(judged(3))

# %% learn
kernel = gaussian(normalize="center_unit_variance")
clf = TwoStageMKLClassifier(
    kernels=[kernel], scale="standard", diagonal="exclude", random_state=0
)
print(f"{'weights from':<16}" + "".join(f"{name:<7}" for name in three) + "accuracy")
for given in (None, 20, 200, 2000):
    clf.fit(part(train), y, pairs=None if given is None else judged(given))
    weights = "".join(f"{w.weight:<7.2f}" for w in clf.weights_)
    source = "all classes" if given is None else f"{given} pairs"
    print(f"{source:<16}{weights}{clf.score(part(test), y_new):.3f}")

# %% how sure
report = clf.report_
print(f"{int(report.details['pairs'][0])} pairs, lambda {report.details['lambda'][0]:.2g}")
print(f"at most {report.duality_gap:.0e} above the least objective")
widths = [gaussian(gamma=2.0**-k, normalize="center_unit_variance") for k in range(1, 11)]
for penalty in ("l2", "l1"):
    many = TwoStageMKLClassifier(kernels=widths, scale="standard", penalty=penalty, random_state=0)
    weights = many.fit(part(train), y).weights_
    print(f"{penalty}: {sum(w.weight > 0 for w in weights)} of {len(weights)} kernels")

# %% clusters
from cokernel import MultiViewSpectralClustering
from sklearn.metrics import normalized_mutual_info_score

some = np.arange(0, 2000, 4)
six = {name: table[some] for name, table in digits.views.items()}
shown = digits.target[some]
drawn = [rng.choice(len(some), 2, replace=False).tolist() for _ in range(1000)]
known = [(i, j, 1 if shown[i] == shown[j] else -1) for i, j in drawn]
four = gaussian("median*0.25,0.5,1,2")
print("pairs  agreement with the ten digits")
for count in (0, 50, 200, 1000):
    clusterer = MultiViewSpectralClustering(
        10, method="spectral", kernels=[four], scale="standard", random_state=0
    )
    clusterer.fit(six, pairs=known[:count] or None)
    print(f"{count:<7}{normalized_mutual_info_score(shown, clusterer.labels_):.3f}")
print([note for note in clusterer.report_.notes if note.startswith("the kernels have")][0])

# %% tasks
from cokernel import pairs_of_tasks

is_round = np.where(y == 3, "no", "yes").astype(object)
is_round[rng.random(len(y)) < 0.9] = None
digit = y.astype(object)
digit[rng.random(len(y)) < 0.9] = None
both = pairs_of_tasks(np.stack([is_round, digit], axis=1), random_state=0)
print(f"{len(both)} pairs from {sum(v is not None for v in is_round)} and "
      f"{sum(v is not None for v in digit)} labels")
clf.fit(part(train), y, pairs=both)
print(f"{clf.score(part(test), y_new):.3f}")

# %% products
angle = rng.uniform(0, 2 * np.pi, 200)
radius = np.repeat([1, 2], 100)
circles = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
for method in (TwoStageMKLClassifier, PolynomialTwoStageMKLClassifier):
    found = method(kernels=[linear(per_feature=True)], lam=1e-4, C=10.0).fit(circles, radius)
    print(f"{method.__name__:<32}{found.score(circles, radius):.2f}")

# %% refused
try:
    clf.fit(part(train), y, pairs=[(0, 1, "must"), (4, 7, "cannot"), (1, 0, "cannot")])
except ValueError as error:
    print(error)
