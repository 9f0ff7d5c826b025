# %% data
import numpy as np
from cokernel import MKLClassifier, SimpleMKLClassifier, gaussian, minmax, tanimoto
from scipy import sparse
from sklearn.model_selection import train_test_split

rng = np.random.default_rng(0)
n, bits = 300, 1024
# Each molecule has some of 40 fragments; a fragment sets six bits of its fingerprint.
fragments = rng.random((n, 40)) < 0.15
sets = rng.integers(0, bits, size=(40, 6))
fingerprints = np.zeros((n, bits))
for i, j in zip(*np.nonzero(fragments)):
    fingerprints[i, sets[j]] = 1
counts = rng.poisson(1.5, size=(n, 30)) + 3 * fragments[:, :30]
masses = rng.normal(size=(n, 3))
active = fragments[:, 3] | fragments[:, 7] & fragments[:, 9]
y = np.where(active, "active", "inactive")
views = {"ecfp": sparse.csr_matrix(fingerprints), "atoms": counts, "masses": masses}
train, test = train_test_split(np.arange(n), test_size=0.4, stratify=y, random_state=0)
print(f"{n} molecules, {active.sum()} active, {fingerprints.mean():.0%} of the bits are set")


def part(rows):
    return {name: table[rows] for name, table in views.items()}


# %% learn
kernels = [tanimoto(view="ecfp"), minmax(view="atoms"), gaussian(view="masses")]
clf = SimpleMKLClassifier(kernels=kernels, C=10.0, class_weight="balanced", random_state=0)
clf.fit(part(train), y[train])
for view, kernel, weight in clf.weights_:
    print(f"{weight:.2f}  {kernel}")
print(f"{(clf.predict(part(test)) == y[test]).mean():.0%} of {len(test)} new molecules are right")

# %% compare
for name in ("tanimoto@ecfp", "gaussian@ecfp", "minmax@atoms"):
    one = MKLClassifier("mean", kernels=[name], C=10.0, class_weight="balanced", random_state=0)
    right = (one.fit(part(train), y[train]).predict(part(test)) == y[test]).mean()
    print(f"{name:15} {right:.0%}")
