"""Grid search over eight values of C, five folds, `GridSearchBank` beside scikit-learn's
`GridSearchCV`, refits included.

First around the same estimator: SimpleMKL on the digits 3, 5 and 8 (three views, two kernels each,
n = 600), where the grid of scikit-learn computes every kernel for every combination and starts
every fit anew. Then one Gaussian kernel, n = 1,000 of two classes, given as a Gram matrix, beside
`GridSearchCV` around `SVC(kernel="precomputed")`. Asserted: the scores of all folds and
combinations are equal, and so is the best C. For that the tolerances of all solvers are tighter
than the defaults (1e-5 for SimpleMKL, 1e-6 for the machines; scikit-learn's SVC 1e-5).
"""

from common import line, np, race, same, two_classes

from cokernel import GridSearchBank, MeanMKLClassifier, SimpleMKLClassifier, gaussian, linear
from cokernel.datasets import load_digits_views
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

GRID = {"C": [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0]}


def scores(search):
    """Scores, combinations × folds."""
    return np.stack([search.cv_results_[f"split{f}_test_score"] for f in range(5)], axis=1)


def compare(work, peer_name, ours, peer, times):
    (seconds, found), (peer_seconds, theirs) = race(ours, peer, times)
    same(f"{work}: scores", scores(found), scores(theirs), 1e-12)
    same(f"{work}: best C", found.best_params_["C"], theirs.best_params_["C"], 0)
    line(work, peer_name, seconds, peer_seconds)


def simple_mkl():
    views, y = load_digits_views(return_X_y=True)
    kept = np.isin(y, (3, 5, 8))
    tables = [views[name][kept] for name in ("fou", "kar", "zer")]
    x, y = np.hstack(tables), y[kept]
    ends = np.cumsum([0] + [t.shape[1] for t in tables])
    columns = {f"v{i}": slice(ends[i], ends[i + 1]) for i in range(3)}
    model = SimpleMKLClassifier(
        views=columns,
        kernels=[gaussian(width="median"), linear(normalize="unit_diagonal")],
        tol=1e-5,
        machine_tol=1e-6,
        random_state=0,
    )
    compare(
        "grid over 8 C x 5 folds, SimpleMKL, 3 digits, n = 600, 6 kernels",
        "GridSearchCV of the same",
        lambda: GridSearchBank(model, GRID, cv=5).fit(x, y),
        lambda: GridSearchCV(model, GRID, cv=5).fit(x, y),
        3,
    )


def mean():
    x, y = two_classes(1000)
    gram = rbf_kernel(x, gamma=1 / 40)
    gram = 0.5 * (gram + gram.T)
    model = MeanMKLClassifier(kernels="precomputed", machine_tol=1e-6)
    svc = SVC(kernel="precomputed", tol=1e-5)
    work = "grid over 8 C x 5 folds, one Gram, n = 1,000"

    def ours():
        return GridSearchBank(model, GRID, cv=5).fit(gram, y)

    for name, other in {"SVC(precomputed)": svc, "the same": model}.items():
        peer = GridSearchCV(other, GRID, cv=5)
        compare(work, f"GridSearchCV of {name}", ours, lambda: peer.fit(gram, y), 5)


simple_mkl()
mean()
