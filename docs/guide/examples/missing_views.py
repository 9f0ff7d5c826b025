"""Instances that lack a view, in clustering and in learning from labels."""

# %% data
import matplotlib.pyplot as plt
import numpy as np
import sklearn
from cokernel import MKLClassifier, MultiViewSpectralClustering
from cokernel.datasets import load_digits_views
from cokernel.metrics import cluster_scores
from sklearn.model_selection import GridSearchCV

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

# %% learn
train = np.random.default_rng(0).permutation(len(y)) < len(y) // 2
test = ~train
old, new = [{name: table[rows] for name, table in gaps.items()} for rows in (train, test)]
clf = MKLClassifier("simple_mkl", C=10.0, scale="standard", missing="mean", random_state=0)
clf.fit(old, y[train])
print(clf.lacking_)
print(clf.report_.notes[0])
print(f"accuracy: {clf.score(new, y[test]):.2f}")

# %% routing
table, there = np.hstack(list(X.values())), np.column_stack(list(present.values()))
ends = np.cumsum([part.shape[1] for part in X.values()])
columns = {name: slice(end - X[name].shape[1], end) for name, end in zip(X, ends)}
with sklearn.config_context(enable_metadata_routing=True):
    routed = MKLClassifier("mean", views=columns, scale="standard", missing="mean")
    routed.set_fit_request(present=True).set_score_request(present=True)
    search = GridSearchCV(routed, {"C": [0.1, 1.0, 10.0, 100.0]}, cv=5)
    search.fit(table[train], y[train], present=there[train])
print(f"C = {search.best_params_['C']}: {search.best_score_:.2f} of held-out instances are right")

# %% treatments
tried = [("mean", missing) for missing in ("drop", "mean", "estimate")]
tried += [(method, "per_view") for method in ("late_mean", "ekp", "medfc")]
masks = [without(X, 0.3, seed) for seed in range(5)]
print("accuracy on test instances, mean of 5 masks: all, those that have all views, the others")
for method, missing in tried:
    right = np.zeros((len(masks), 3))
    for m, mask in enumerate(masks):
        old, new = [{name: table[rows] for name, table in mask.items()} for rows in (train, test)]
        clf = MKLClassifier(method, C=10.0, scale="standard", missing=missing, random_state=0)
        hits = clf.fit(old, y[train]).predict(new) == y[test]
        whole = ~np.any([np.isnan(table).all(axis=1) for table in new.values()], axis=0)
        right[m] = hits.mean(), hits[whole].mean(), hits[~whole].mean()
    print(f"{method:<12}{missing:<10}" + "".join(f"{v:7.2f}" for v in right.mean(axis=0)))

# %% picture
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, values), colour in zip(curves.items(), ["#0072B2", "#E69F00", "#009E73"]):
    ax.plot([100 * part for part in parts], values, "o-", color=colour, label=name)
ax.set_xlabel("rows that each view lacks, %")
ax.set_ylabel("NMI of the clusters")
ax.set_ylim(0, 1)
ax.legend()
fig.savefig("missing_views.svg")
