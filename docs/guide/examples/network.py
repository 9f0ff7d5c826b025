# %% data
import numpy as np
from cokernel import (
    MKLClassifier,
    MultiViewSpectralClustering,
    diffusion_matrix,
    gaussian,
    precomputed,
)
from cokernel.metrics import cluster_scores
from scipy import sparse

rng = np.random.default_rng(2)
n = 240
group = np.repeat([0, 1, 2], n // 3)
# Proteins of one group interact more often; what is measured of them tells little.
chance = np.where(group[:, None] == group, 0.07, 0.02)
edges = np.triu(rng.random((n, n)) < chance, 1)
network = sparse.csr_matrix((edges | edges.T).astype(float))
expression = rng.normal(size=(n, 3))
expression[:, 0] += group * 1.2
print(f"{network.nnz // 2} interactions, {network.nnz / n:.1f} for each protein")

# %% all nodes first
K = diffusion_matrix(network, beta=4.0)
near = np.sqrt(np.diag(K))
K /= np.outer(near, near)
order = rng.permutation(n)
train, test = order[:120], order[120:]


def part(rows):
    """Rows of the table, and similarities of these proteins to those of training."""
    return {"table": expression[rows], "network": K[np.ix_(rows, train)]}


for name, kernels in {
    "table": [gaussian(view="table")],
    "network": [precomputed(view="network")],
    "both": [gaussian(view="table"), precomputed(view="network")],
}.items():
    chosen = {k.text.split("@")[1].split(":")[0] for k in kernels}
    clf = MKLClassifier("mean", kernels=kernels, C=10.0, random_state=0)
    given = {view: table for view, table in part(train).items() if view in chosen}
    clf.fit(given, group[train])
    new = {view: table for view, table in part(test).items() if view in chosen}
    print(f"{name:8} {(clf.predict(new) == group[test]).mean():.0%} of {len(test)}")

# %% clusters
kernels = ["gaussian@table", "diffusion@network:beta=4"]
clusterer = MultiViewSpectralClustering(3, kernels=kernels, random_state=0)
found = clusterer.fit_predict({"table": expression, "network": network})
print(f"agreement with the groups: {cluster_scores(group, found)['nmi']:.2f}")
