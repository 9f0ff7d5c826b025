"""Pairwise co-regularised spectral clustering, ten rounds, kernels included, one start of k-means,
beside mvlearn 0.5.0: the digits, n = 2,000, views fou and fac, kernels exp(-d²) on views in units
of √2 times their median distance.

mvlearn updates the second view first, takes the largest singular values in place of the largest
eigenvalues (the same for these operators, which are positive semi-definite), and counts its start
as the first of its iterations. Asserted: the sums of the leading eigenvalues of the last operators
to 1e-8, and the inner products of the embeddings, each view's rows brought to unit length, of 500
instances to 1e-6.
"""

from common import line, np, projections, race, same, without_plots

without_plots()

from cokernel import CoRegularizedSpectralClustering, gaussian  # noqa: E402
from cokernel.datasets import load_digits_views  # noqa: E402
from mvlearn.cluster import MultiviewCoRegSpectralClustering  # noqa: E402
from scipy.spatial.distance import pdist  # noqa: E402

K, LAMBDA, ROUNDS = 10, 0.02, 10


def main():
    digits, _ = load_digits_views(return_X_y=True)
    tables = [digits["fou"], digits["fac"]]
    views = [x / (np.sqrt(2) * np.median(pdist(x))) for x in tables]

    def ours():
        model = CoRegularizedSpectralClustering(
            K,
            kernels=[gaussian(gamma=1.0)],
            lam=LAMBDA,
            tol=0.0,
            max_iter=ROUNDS,
            first="view1",
            n_init=1,
            random_state=0,
        )
        return model.fit(views)

    def mvlearn():
        model = MultiviewCoRegSpectralClustering(
            K, v_lambda=LAMBDA, max_iter=ROUNDS + 1, gamma=1.0, n_init=1, random_state=0
        )
        model.fit_predict(views)
        return model

    (seconds, found), (peer, theirs) = race(ours, mvlearn, 5, 2)
    same("rounds", found.report_.iterations, ROUNDS, 0)
    sums = [e.sum() for e in found.eigenvalues_]
    same("sums of eigenvalues", sums, theirs.objective_[:, -1], 1e-8)
    some = np.random.default_rng(0).choice(len(views[0]), 500, replace=False)
    for v in (0, 1):
        part = slice(v * K, (v + 1) * K)
        pair = (projections(e[:, part], some) for e in (found.embedding_, theirs.embedding_))
        same(f"embedding of view {v}", *pair, 1e-6)
    line("pairwise co-regularisation, 2,000 digits, 2 views, 10 rounds", "mvlearn", seconds, peer)


main()
