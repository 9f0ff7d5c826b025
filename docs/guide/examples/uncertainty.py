# %% weights
import numpy as np
from cokernel import BEMKLClassifier, GirolamiRogersMKLClassifier
from cokernel.datasets import make_gaussian_views

X, y = make_gaussian_views(400, n_classes=2, separations=[2.0, 1.0, 0.0], random_state=0)


def part(rows):
    return {name: table[rows] for name, table in X.items()}


few, many, new = slice(0, 40), slice(0, 200), slice(200, 400)
for method in (BEMKLClassifier, GirolamiRogersMKLClassifier):
    for rows in (few, many):
        clf = method(random_state=0).fit(part(rows), y[rows])
        weights = zip(np.asarray(clf.weights_), clf.weights_.errors)
        told = "   ".join(f"{w:5.2f} ± {e:.2f}" for w, e in weights)
        print(f"{method.__name__:28} {rows.stop:3} instances   {told}")

# %% methods
from cokernel import GaussianProcessMKLClassifier, GibbsProbitMKLClassifier, MKLClassifier
from sklearn.metrics import log_loss

methods = {
    "bemkl": BEMKLClassifier(random_state=0),
    "gaussian_process": GaussianProcessMKLClassifier(random_state=0),
    "girolami_rogers": GirolamiRogersMKLClassifier(random_state=0),
    "gibbs_probit": GibbsProbitMKLClassifier(random_state=0),
    "kernel_logistic": MKLClassifier("simple_mkl", machine="kernel_logistic", random_state=0),
}
for name, clf in methods.items():
    told = clf.fit(part(few), y[few]).predict_proba(part(new))
    print(f"{name:17} log loss {log_loss(y[new], told):.2f}")
