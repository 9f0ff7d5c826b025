"""Writes bank.json: kernel matrices by scikit-learn on generated data.

Run with scikit-learn 1.9: python bank.py > bank.json
"""

import json

import numpy as np
from sklearn.metrics import pairwise as p
from sklearn.preprocessing import KernelCenterer

rng = np.random.default_rng(7)
x = np.round(rng.gamma(2.0, 1.0, (7, 4)), 3)
z = np.round(rng.gamma(2.0, 1.0, (3, 4)), 3)
x[1, 2] = x[4, 2] = z[0, 2] = 0.0

distances = p.euclidean_distances(x)[np.triu_indices(7, 1)]
sigma = float(np.median(distances))
manhattan = float(p.manhattan_distances(x)[np.triu_indices(7, 1)].mean())

cases = {
    "linear": lambda a: p.linear_kernel(a, x),
    "polynomial:degree=3:gamma=0.5:coef0=2": lambda a: p.polynomial_kernel(
        a, x, degree=3, gamma=0.5, coef0=2
    ),
    "gaussian:gamma=0.3": lambda a: p.rbf_kernel(a, x, gamma=0.3),
    "gaussian:sigma=median": lambda a: p.rbf_kernel(a, x, gamma=0.5 / sigma**2),
    "laplacian": lambda a: p.laplacian_kernel(a, x, gamma=1 / manhattan),
    "chi2:gamma=0.2": lambda a: p.chi2_kernel(a, x, gamma=0.2),
    "sigmoid:gamma=0.05:coef0=-0.5": lambda a: p.sigmoid_kernel(a, x, gamma=0.05, coef0=-0.5),
    "linear:normalize=unit_diagonal": lambda a: p.cosine_similarity(a, x),
}
out = {"x": x.tolist(), "z": z.tolist(), "kernels": []}
for text, kernel in cases.items():
    out["kernels"].append({"spec": text, "train": kernel(x).tolist(), "new": kernel(z).tolist()})
centerer = KernelCenterer().fit(p.rbf_kernel(x, gamma=0.3))
out["kernels"].append(
    {
        "spec": "gaussian:gamma=0.3:normalize=center",
        "train": centerer.transform(p.rbf_kernel(x, gamma=0.3)).tolist(),
        "new": centerer.transform(p.rbf_kernel(z, x, gamma=0.3)).tolist(),
    }
)
print(json.dumps(out, indent=1))
