"""Co-training of two views of 2,000 handwritten digits, ten rounds, ten clusters, kernels and
k-means included, beside polyview on one thread; and how time and memory grow from n = 2,000 to
8,000 (the least of three runs each).

Equal results: the agreement of the two embeddings after each round, the embedding up to a rotation
of each view's columns, and the clusters (normalised mutual information)."""

import common
import math
from pathlib import Path

import numpy as np
from polyview.cluster import MultiViewCoTrainSpectralClustering
from sklearn.metrics import normalized_mutual_info_score

K = 10
DIGITS = Path(__file__).parents[2] / "crates" / "cokernel" / "data" / "digits"


def rotated(ours, theirs):
    """Largest distance of two embeddings after the best rotation of each view's columns."""
    worst = 0.0
    for v in range(0, ours.shape[1], K):
        a, b = ours[:, v : v + K], theirs[:, v : v + K]
        a, b = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (a, b))
        left, _, right = np.linalg.svd(a.T @ b)
        worst = max(worst, np.abs(a @ (left @ right) - b).max())
    return worst


def main():
    a, b = (np.loadtxt(DIGITS / f"{name}.csv.gz", delimiter=",") for name in ("fou", "fac"))
    model = MultiViewCoTrainSpectralClustering(
        n_clusters=K, max_iter=10, n_init=10, gamma="median", random_state=0
    )
    def run(where):
        ours = common.ours("co_training", where, "fit", 3)
        return ours["cpu"], ours

    with common.folder() as where:
        common.save(where, a=a, b=b)
        (peer, model), (cpu, ours) = common.in_turn(
            3, lambda: common.best_of(3, lambda: model.fit([a, b])), lambda: run(where)
        )
        common.same("agreement", ours["agreement"], model.objective_, 1e-6)
        apart = rotated(common.load(where, "rows"), model.embedding_)
        common.same("embedding", [1 + apart], [1], 1.0)
        clusters = common.load(where, "clusters")[:, 0].astype(int)
        score = normalized_mutual_info_score(model.labels_, clusters)
        grow = [(n, common.ours("co_training", where, "grow", n)["cpu"]) for n in (2000, 8000) * 3]
    common.line("co-training, 2,000 digits, 2 views, 10 rounds / polyview", cpu, peer, 3.0, least=True)
    small, large = (min(cpu for n, cpu in grow if n == size) for size in (2000, 8000))
    exponent = math.log(large / small, 4)
    common.line("co-training, exponent of the time from n = 2,000 to 8,000", exponent, 1.0, 2.1, unit="")


main()
