"""Similarity network fusion of 2,000 instances in three views, 20 neighbours, 20 rounds, beside snfpy 0.2.2, which multiplies dense
matrices; both on the same affinities, one thread. Ours counts the spectral embedding of the fused network, too.

Equal results: clusters of both fused networks (ours by the method itself, theirs by scikit-learn's spectral clustering) have NMI 0.99
with each other at least; the two normalise a little differently (Wang and others 2014 leave the diagonal open)."""

import common
import numpy as np
import sklearn.utils.validation as validation
from sklearn.cluster import SpectralClustering
from sklearn.metrics import normalized_mutual_info_score

# The package is from before a rename in scikit-learn.
checked = validation.check_array
validation.check_array = lambda x, force_all_finite=True, **more: checked(x, ensure_all_finite=force_all_finite, **more)
from snf import compute  # noqa: E402

n, k = 2000, 8
rng = np.random.default_rng(0)
group = np.arange(n) % k
views = [rng.normal(size=(n, 10)) + 1.6 * rng.normal(size=(k, 10))[group] for _ in range(3)]
affinities = [compute.make_affinity(x, metric="euclidean", K=20, mu=0.5) for x in views]
with common.folder() as where:
    common.save(where, kernels=np.concatenate(affinities))
    ours = common.ours("kernel_clusters", where, 3, "snf", k)
seconds, fused = common.best_of(1, lambda: compute.snf(*[a.copy() for a in affinities], K=20, t=20))
theirs = SpectralClustering(k, affinity="precomputed", random_state=0).fit_predict((fused + fused.T) / 2)
agree = normalized_mutual_info_score(ours["clusters"], theirs)
if agree < 0.99:
    raise SystemExit(f"NMI of the clusters of both {agree:.3f}")
print(f"NMI of the clusters of both {agree:.3f}, with the groups {normalized_mutual_info_score(ours['clusters'], group):.3f}")
common.line("similarity network fusion, n = 2,000, 3 views, 20 rounds, snfpy", ours["cpu"], seconds, 50.0, least=True)
