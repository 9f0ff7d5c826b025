# %% data
import numpy as np
from cokernel import MKLClassifier, mismatch, spectrum

rng = np.random.default_rng(1)
letters = np.array(list("ACGT"))
MOTIFS = {"sigma70": "TATAATG", "sigma54": "TGGCACG"}


def promoter(kind, mutations):
    """Sixty letters at random, with the motif of its kind, some of whose letters have changed."""
    motif = np.array(list(MOTIFS[kind]))
    changed = rng.choice(7, size=mutations, replace=False)
    motif[changed] = [rng.choice(letters[letters != letter]) for letter in motif[changed]]
    start = rng.integers(0, 53)
    text = letters[rng.integers(0, 4, size=60)]
    text[start : start + 7] = motif
    return "".join(text)


kinds = np.array(list(MOTIFS))[rng.integers(0, 2, size=400)]
dna = [promoter(kind, mutations=1) for kind in kinds]
train, test = slice(0, 250), slice(250, 400)
print(kinds[0], dna[0])

# %% learn
kernels = {
    "words of 3": spectrum(3, view="dna", normalize="unit_diagonal"),
    "words of 7": spectrum(7, view="dna", normalize="unit_diagonal"),
    "of 7, up to 1": mismatch(7, 1, view="dna", normalize="unit_diagonal"),
}
for name, kernel in kernels.items():
    clf = MKLClassifier("mean", kernels=[kernel], C=10.0, random_state=0)
    clf.fit({"dna": dna[train]}, kinds[train])
    right = (clf.predict({"dna": dna[test]}) == kinds[test]).mean()
    print(f"{name:13} {right:.0%} of {len(dna[test])} new promoters are right")

# %% beside a table
expression = rng.normal(size=(400, 5)) + (kinds == "sigma54")[:, None] * 0.4
both = {"dna": dna[train], "expression": expression[train]}
clf = MKLClassifier("alignf", kernels=[kernels["of 7, up to 1"], "gaussian@expression"], C=10.0)
clf.fit(both, kinds[train])
new = {"dna": dna[test], "expression": expression[test]}
print(f"{(clf.predict(new) == kinds[test]).mean():.0%} with expression beside it")
for view, weight in clf.weights_.by_view().items():
    print(f"{view}  {weight:.2f}")
