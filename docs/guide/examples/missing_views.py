"""Instances that lack a view: clustering fills the gap, classification has to be helped."""

# %% data
import matplotlib.pyplot as plt
import numpy as np
from cokernel import MultiViewEmbedding, MultiViewSpectralClustering, SimpleMKLClassifier
from cokernel.datasets import load_digits_views
from cokernel.metrics import cluster_scores
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

digits = load_digits_views()
some = slice(0, 2000, 5)
X = {name: digits.views[name][some] for name in ("fou", "kar", "zer")}
y = digits.target[some]


def without(X, part, seed):
    """A copy in which each view lacks this part of its rows; every instance keeps a view."""
    rng = np.random.default_rng(seed)
    lost = rng.random((len(y), len(X))) < part
    whole = np.flatnonzero(lost.all(axis=1))
    lost[whole, rng.integers(len(X), size=len(whole))] = False
    return {
        name: np.where(lost[:, [v]], np.nan, table) for v, (name, table) in enumerate(X.items())
    }


gaps = without(X, 0.3, seed=0)
complete = ~np.any([np.isnan(table).all(axis=1) for table in gaps.values()], axis=0)
print(f"{complete.sum()} of {len(y)} instances have all views")

# %% cluster
model = MultiViewSpectralClustering(10, method="concat_embeddings", random_state=0).fit(gaps)
print("\n".join(model.report_.notes))
print(f"NMI of all {len(y)} instances: {cluster_scores(y, model.labels_)['nmi']:.2f}")

# %% masks
present = {name: ~np.isnan(table).all(axis=1) for name, table in gaps.items()}
same = MultiViewSpectralClustering(10, method="concat_embeddings", random_state=0)
same.fit(X, present=present)
print("masks instead of NaN, same clusters:", np.array_equal(same.labels_, model.labels_))

# %% how much
parts = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
methods = {
    "similarities estimated, embeddings side by side": ("concat_embeddings", {}),
    "similarities estimated, mean of the kernels": ("spectral", {}),
    "columns filled with their means, k-means": ("concat_kmeans", {"scale": "standard"}),
}
curves = {name: [] for name in methods}
print("NMI, mean of 3 masks    " + "".join(f"{part:>6.0%}" for part in parts))
for name, (method, params) in methods.items():
    for part in parts:
        found = [
            MultiViewSpectralClustering(
                10, method=method, method_params=params, n_init=10, random_state=0
            ).fit_predict(without(X, part, seed))
            for seed in range(1 if part == 0 else 3)
        ]
        curves[name].append(np.mean([cluster_scores(y, labels)["nmi"] for labels in found]))
    print(f"{method:<24}" + "".join(f"{value:6.2f}" for value in curves[name]))

# %% refusal
train = np.random.default_rng(0).permutation(len(y)) < len(y) // 2
test = ~train
clf = SimpleMKLClassifier(C=10.0, scale="standard", random_state=0)
try:
    clf.fit({name: table[train] for name, table in gaps.items()}, y[train])
except ValueError as error:
    print(error)

# %% classify
accuracy = {}

# 1. Complete instances only: nothing is estimated, and nothing said of the others.
clf.fit({name: table[train & complete] for name, table in gaps.items()}, y[train & complete])
told = clf.predict({name: table[test & complete] for name, table in gaps.items()})
accuracy["complete instances only"] = (told == y[test & complete]).mean(), np.nan

# 2. Columns filled with their means over the training instances.
table = np.hstack(list(gaps.values()))
ends = np.cumsum([part.shape[1] for part in gaps.values()])
views = {name: slice(end - gaps[name].shape[1], end) for name, end in zip(gaps, ends)}
filled = make_pipeline(
    SimpleImputer(), SimpleMKLClassifier(views=views, C=10.0, scale="standard", random_state=0)
)
right = filled.fit(table[train], y[train]).predict(table) == y
accuracy["columns filled with means"] = (
    right[test & complete].mean(),
    right[test & ~complete].mean(),
)

# 3. An embedding of all instances, without their classes; then any classifier.
rows = MultiViewEmbedding(20, method="concat_embeddings", random_state=0).fit_transform(gaps)
right = SVC(C=10.0).fit(rows[train], y[train]).predict(rows) == y
accuracy["embedding, then SVC"] = right[test & complete].mean(), right[test & ~complete].mean()

print(f"{'accuracy on test instances':<28} all views   a view lacks")
print(f"{'(their number)':<28}{(test & complete).sum():10}{(test & ~complete).sum():15}")
for name, (whole, lacking) in accuracy.items():
    print(
        f"{name:<28}{whole:10.2f}" + (" " * 14 + "–" if np.isnan(lacking) else f"{lacking:15.2f}")
    )

# %% picture
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, values), colour in zip(curves.items(), ["#0072B2", "#E69F00", "#009E73"]):
    ax.plot([100 * part for part in parts], values, "o-", color=colour, label=name)
ax.set_xlabel("rows that each view lacks, %")
ax.set_ylabel("NMI of the clusters")
ax.set_ylim(0, 1)
ax.legend()
fig.savefig("missing_views.svg")
