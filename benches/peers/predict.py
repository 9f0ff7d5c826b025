"""Decision values of 1,000 rows by a Gaussian SVC with 3,000 support rows, 100 columns:
scikit-learn's SVC(kernel="rbf"), CPU time, one thread, the same values to 1e-3 of the largest (both
machines are trained to tight tolerances)."""

import common
import numpy as np
from sklearn.svm import SVC

WIDTH = 100.0


def main():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3000, 100))
    y = np.where(np.arange(len(x)) % 2 == 0, 1.0, -1.0)
    new = rng.standard_normal((1000, 100))
    # Labels of no meaning and a small C: every row is a support row.
    model = SVC(C=0.1, gamma=1.0 / WIDTH, tol=1e-6, cache_size=500).fit(x, y)
    if len(model.support_) != len(x):
        raise SystemExit(f"{len(model.support_)} support rows, not {len(x)}")
    with common.folder() as where:
        common.save(where, x=x, y=y, new=new)
        peer = lambda: common.best_of(1, lambda: model.predict(new))
        ours = lambda: (lambda found: (found["seconds"], found))(
            common.ours("predict", where, 1.0 / WIDTH, 3)
        )
        (theirs, _), (seconds, found) = common.in_turn(3, peer, ours)
        if found["support"] != len(x):
            raise SystemExit(f"ours has {found['support']} support rows, not {len(x)}")
        values = model.decision_function(new)
        common.same("decision values", common.load(where, "values").ravel(), values, 1e-3)
        name = "prediction of 1,000 rows, 3,000 support rows, Gaussian, d = 100 (SVC.predict)"
        common.line(name, seconds, theirs, 10.0, least=True)


main()
