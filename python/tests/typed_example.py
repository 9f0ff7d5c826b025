"""What a typed program looks like; `mypy --strict` reads it in the tests."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from cokernel import (
    CoTrainedSpectralClustering,
    GridSearchBank,
    KernelBank,
    SimpleMKLClassifier,
    gaussian,
    linear,
)
from cokernel.datasets import make_gaussian_views
from cokernel.metrics import cluster_scores


def main() -> float:
    X, y = make_gaussian_views(60, separations=[4.0, 0.0], random_state=0)
    clf = SimpleMKLClassifier(kernels=[gaussian(width="median"), linear()], C=1.0)
    clf.fit(X, y)
    values: npt.NDArray[np.float64] = clf.decision_function(X)
    gap: float | None = clf.report_.duality_gap
    weights: list[float] = [w.weight for w in clf.weights_]
    grams: npt.NDArray[np.float64] = KernelBank().fit_transform(X)
    search = GridSearchBank(clf, {"C": [0.1, 1.0]}, cv=2).fit(X, y)
    clusters = CoTrainedSpectralClustering(2, random_state=0).fit_predict(X)
    scores: dict[str, float] = cluster_scores(y, clusters)
    return float(values.sum() + grams.sum() + sum(weights) + (gap or 0.0)) + scores["nmi"] + float(
        search.best_score_
    )


if __name__ == "__main__":
    print(main())
