"""The first steps: six views of digits, one classifier, one clustering."""

# %% classify
from cokernel import SimpleMKLClassifier
from cokernel.datasets import load_digits_views

X, y = load_digits_views(return_X_y=True)  # a dict of six tables with 2,000 rows, and classes
train, test = slice(0, 2000, 8), slice(1, 2000, 8)

clf = SimpleMKLClassifier(C=10.0, scale="standard", random_state=0)
clf.fit({name: table[train] for name, table in X.items()}, y[train])
accuracy = clf.score({name: table[test] for name, table in X.items()}, y[test])
print(f"accuracy {accuracy:.2f}, from {len(y[train])} training instances")
for view, weight in clf.weights_.by_view().items():
    print(f"{view}  {weight:.2f}")

# %% cluster
from cokernel import ConcatEmbeddingsSpectralClustering
from cokernel.metrics import cluster_scores

clusterer = ConcatEmbeddingsSpectralClustering(n_clusters=10, random_state=0)
clusters = clusterer.fit_predict({name: table[train] for name, table in X.items()})
print(f"normalised mutual information {cluster_scores(y[train], clusters)['nmi']:.2f}")
