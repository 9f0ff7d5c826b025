"""Weights with standard deviations and probabilities from Bayesian methods."""

# %% data
import numpy as np
from cokernel import BEMKLClassifier
from cokernel.datasets import make_gaussian_views

X, y = make_gaussian_views(160, separations=[2.5, 1.0, 0.0], random_state=0)
few, new = slice(0, 80), slice(80, 160)


def part(rows):
    return [table[rows] for table in X]


# %% weights
clf = BEMKLClassifier(scale="standard").fit(part(few), y[few])
print(clf.weights_)

# %% probabilities
from sklearn.metrics import log_loss

p = clf.predict_proba(part(new))
print(p[:3].round(3))
print(f"accuracy {clf.score(part(new), y[new]):.3f}, log loss {log_loss(y[new], p):.3f}")

# %% sparse
wide = ["gaussian:gamma=0.01,0.1,1,10", "linear"]
for prior in ["dense", "sparse"]:
    many = BEMKLClassifier(kernels=wide, weights_prior=prior, scale="standard")
    many.fit(part(few), y[few])
    weights = np.abs(np.asarray(many.weights_))
    count = int((weights > 0.1 * weights.max()).sum())
    print(f"{prior:<6} {count:2d} of {len(weights)} weights above a tenth of the largest")

# %% process
from cokernel import GaussianProcessMKLClassifier

process = GaussianProcessMKLClassifier(scale="standard").fit(part(few), y[few])
q = process.predict_proba(part(new))
print(np.asarray(process.weights_).round(3))
print(f"log evidence {process.report_.details['log_evidence'][0]:.2f}")
print(f"accuracy {process.score(part(new), y[new]):.3f}, log loss {log_loss(y[new], q):.3f}")

# %% draws
from cokernel import GibbsProbitMKLClassifier

draws = GibbsProbitMKLClassifier(scale="standard", random_state=0).fit(part(few), y[few])
print(draws.weights_)
print(f"largest R-hat {max(draws.report_.details['rhat']):.2f}")
print(f"log loss {log_loss(y[new], draws.predict_proba(part(new))):.3f}")
