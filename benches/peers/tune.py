"""Choosing C for SimpleMKL among ten values by five folds, 20 Gaussian kernels, n = 1,000: one search beside the same
fits one by one, each with kernels of its own and from zero; in Python `GridSearchBank` beside scikit-learn's
`GridSearchCV` around the same estimator (where the package is installed). CPU time, one thread."""

import common
import numpy as np

rng = np.random.default_rng(0)
y = np.where(np.arange(1000) % 2 == 0, 1.0, -1.0)
x = rng.normal(size=(1000, 20))
x[:, :4] += 0.5 * y[:, None] * np.array([1.0, 1.0, 0.5, 0.5])


def python():
    try:
        from cokernel import GridSearchBank, SimpleMKLClassifier, gaussian
        from sklearn.model_selection import GridSearchCV, StratifiedKFold
    except ImportError as missing:
        print(f"skipped: the search in Python ({missing})")
        return
    kernels = [gaussian("median*" + ",".join(str(2.0 ** (k / 2 - 4)) for k in range(20)))]
    est = SimpleMKLClassifier(kernels=kernels, random_state=0)
    grid = {"C": (10 ** (np.arange(10) / 3 - 1)).tolist()}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    searches = [
        c(est, grid, cv=folds, refit=False, scoring="accuracy") for c in (GridSearchBank, GridSearchCV)
    ]
    (ours, bank), (theirs, peer) = (
        common.best_of(2, lambda s=s: s.fit(x, y)) for s in searches
    )
    scores = [s.cv_results_["mean_test_score"] for s in (bank, peer)]
    common.same("accuracies of the search in Python", scores[0], scores[1], 5e-3)
    common.line("GridSearchBank, 10 C × 5 folds, 20 kernels, n = 1,000, GridSearchCV", ours, theirs, 0.4)


def main():
    with common.folder() as where:
        common.save(where, x=x, y=y)
        found = common.ours("tune", where, 5, 20, 2)
        common.same("accuracies", found["scores"], found["cold_scores"], 5e-3)
        name = "10 C × 5 folds, 20 kernels, n = 1,000, SimpleMKL, the same fits one by one"
        common.line(name, found["seconds"], found["cold"], 0.3)
    python()


main()
