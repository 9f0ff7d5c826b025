"""Combine expression, a network and sequences, with one view of noise among them."""

# %% data
import matplotlib.pyplot as plt
import numpy as np
from cokernel import KernelBank, MKLClassifier, gaussian, linear
from scipy.linalg import expm
from scipy.sparse import issparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedShuffleSplit

rng = np.random.default_rng(0)
n = 300
function = np.arange(n) % 3  # what is to be predicted for each gene

# Expression under 40 conditions: genes of function 0 respond in eight of them.
expression = rng.normal(size=(n, 40))
expression[:, :8] += 1.1 * (function == 0)[:, None]

# Interactions: genes of function 1 interact with each other more often.
together = (function[:, None] == 1) & (function == 1)
edges = np.triu(rng.random((n, n)) < np.where(together, 0.07, 0.02), 1)
adjacency = (edges | edges.T).astype(float)

# Sequences of 120 letters: those of function 2 are richer in G and C.
frequencies = np.where((function == 2)[:, None], [0.22, 0.28, 0.28, 0.22], [0.25] * 4)
sequences = ["".join(rng.choice(list("ACGT"), 120, p=p)) for p in frequencies]

# And 40 columns that have nothing to do with the function.
noise = rng.normal(size=(n, 40))

# %% views
pairs_of_letters = CountVectorizer(analyzer="char", ngram_range=(2, 2), lowercase=False)
features = {
    "expression": expression,
    "sequence": pairs_of_letters.fit_transform(sequences).astype(float),
    "noise": noise,
}
for name, table in features.items():
    print(f"{name:<10}  {'sparse' if issparse(table) else 'dense'} table {table.shape}")

laplacian = np.diag(adjacency.sum(axis=1)) - adjacency
network = expm(-0.2 * laplacian)
scale = np.sqrt(np.diag(network))
network /= np.outer(scale, scale)
print(f"{'network':<10}  similarity {network.shape}, from {edges.sum()} interactions")

# %% kernels
bank = KernelBank(
    kernels=[
        gaussian(view="expression", normalize="center_unit_variance"),
        linear(view="sequence", normalize=["unit_diagonal", "center_unit_variance"]),
        gaussian(view="noise", normalize="center_unit_variance"),
    ]
)


def rows(table, chosen):
    return {name: part[chosen] for name, part in table.items()}


def kernels(train, test):
    """The kernels among the training genes, and between test and training genes."""
    within = bank.fit_transform(rows(features, train))
    across = bank.transform(rows(features, test))
    block = network[np.ix_(train, train)]
    factor = 1 / (np.trace(block) / len(train) - block.mean())  # unit variance, as the others
    network_across = factor * network[np.ix_(test, train)]
    return np.stack([*within, factor * block]), np.stack([*across, network_across])


names = ["expression", "sequence", "noise", "network"]

# %% learn
methods = ["simple_mkl", "two_stage", "mean", "best_single"]
informative = [m for m, name in enumerate(names) if name != "noise"]
splits = StratifiedShuffleSplit(n_splits=10, test_size=1 / 3, random_state=0)
accuracy = {key: [] for key in [*methods, "mean without noise", *names]}
weights = {key: [] for key in methods}
for train, test in splits.split(expression, function):
    K_train, K_test = kernels(train, test)

    def fitted(method, chosen):
        """A classifier on some of the kernels, and its accuracy."""
        clf = MKLClassifier(
            method, views=[names[m] for m in chosen], kernels="precomputed", C=1.0, random_state=0
        )
        clf.fit(K_train[chosen], function[train])
        return clf, clf.score(K_test[chosen], function[test])

    for key in methods:
        clf, score = fitted(key, [0, 1, 2, 3])
        accuracy[key].append(score)
        weights[key].append(np.asarray(clf.weights_))
    accuracy["mean without noise"].append(fitted("mean", informative)[1])
    for m, key in enumerate(names):
        accuracy[key].append(fitted("mean", [m])[1])

print("accuracy on genes that were not used in training, mean ± deviation over 10 splits")
for key, values in accuracy.items():
    kind = "only " if key in names else ""
    print(f"{kind + key:<18}  {np.mean(values):.2f} ± {np.std(values, ddof=1):.2f}")

# %% weights
shares = {key: np.array(w) / np.sum(w, axis=1, keepdims=True) for key, w in weights.items()}
print(f"{'share of weight':<16}", *(f"{name:>11}" for name in names))
for key in methods:
    print(f"{key:<16}", *(f"{share:11.2f}" for share in shares[key].mean(axis=0)))

# %% picture
fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for place, (key, colour) in enumerate(zip(methods[:3], ["#0072B2", "#E69F00", "#009E73"])):
    at = np.arange(len(names)) + 0.27 * (place - 1)
    error = shares[key].std(axis=0, ddof=1)
    ax.bar(at, shares[key].mean(axis=0), 0.25, yerr=error, color=colour, label=key)
ax.set_xticks(range(len(names)), names)
ax.set_ylabel("share of the weight")
ax.legend()
fig.savefig("combine_views.svg")

# %% norms
print("accuracy and share of weight, means over the splits")
settings = [("lp_norm", {"p": p}) for p in (1.0, 1.33, 2.0, 4.0)]
for key, params in [*settings, ("power_product", {}), ("late_mean", {})]:
    scores, found = [], []
    for train, test in splits.split(expression, function):
        K_train, K_test = (np.stack(list(K)) for K in kernels(train, test))
        if key == "power_product":  # powers of kernels that are not negative
            K_train, K_test = np.exp(K_train), np.exp(K_test)
        clf = MKLClassifier(key, views=names, kernels="precomputed", C=1.0, method_params=params)
        scores.append(clf.fit(K_train, function[train]).score(K_test, function[test]))
        found.append(np.asarray(clf.weights_) / np.sum(clf.weights_))
    text = ", ".join(f"{name}={value}" for name, value in params.items())
    shown = "  ".join(f"{name} {w:.2f}" for name, w in zip(names, np.mean(found, axis=0)))
    print(f"{key + f'({text})' * bool(text):<16}  {np.mean(scores):.2f}  {shown}")
