"""Spectral clustering of one similarity matrix, n = 2,000 digits (view fac), ten clusters, ten
starts of k-means, beside scikit-learn's `SpectralClustering(affinity="precomputed")`.

scikit-learn sets the diagonal of the similarities to zero, so both get such a matrix, and both
look for the same ten eigenvectors: asserted are the inner products of the rows of the two
embeddings, brought to unit length, to 1e-6. Its k-means runs on rows divided by the square root
of the degree, ours on rows of unit length (Ng, Jordan and Weiss): the clusters need not agree, and
the normalised mutual information with the digits is shown for both. scikit-learn's default
`eigen_solver` for this size is ARPACK; LOBPCG is shown, too.
"""

from common import line, np, projections, race, same

from cokernel import SpectralClustering as Ours
from cokernel.datasets import load_digits_views
from sklearn.cluster import SpectralClustering
from sklearn.manifold import spectral_embedding
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.pairwise import euclidean_distances

K = 10


def main():
    digits, y = load_digits_views(return_X_y=True)
    square = euclidean_distances(digits["fac"], squared=True)
    gram = np.exp(-square / (2 * np.median(square[np.triu_indices_from(square, 1)])))
    gram = 0.5 * (gram + gram.T)
    np.fill_diagonal(gram, 0.0)

    def ours():
        return Ours(K, kernels="precomputed", n_init=10, random_state=0).fit(gram)

    embedded = spectral_embedding(gram, n_components=K, drop_first=False, random_state=0)
    some = np.random.default_rng(0).choice(len(y), 500, replace=False)
    for solver in ("arpack", "lobpcg"):

        def sklearn(solver=solver):
            model = SpectralClustering(
                K, affinity="precomputed", eigen_solver=solver, n_init=10, random_state=0
            )
            return model.fit(gram)

        (seconds, found), (peer, theirs) = race(ours, sklearn)
        pair = projections(found.embedding_, some), projections(embedded, some)
        same("projections on the eigenvectors", *pair, 1e-6)
        scores = [normalized_mutual_info_score(y, m.labels_) for m in (found, theirs)]
        work = "spectral clustering of a Gram, n = 2,000, k = 10; NMI {:.3f} / {:.3f}"
        line(work.format(*scores), f"sklearn SpectralClustering, {solver}", seconds, peer)


main()
