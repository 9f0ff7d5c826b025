"""Twenty labels and a thousand digits: what instances without a label tell."""

# %% data
import numpy as np
from cokernel import MeanMKLClassifier, cross_validate_bank
from cokernel.datasets import load_digits_views

digits = load_digits_views()
rows = np.arange(0, 2000, 2)
views = {name: table[rows] for name, table in digits.views.items()}
truth = digits.target[rows]

rng = np.random.default_rng(0)
y = np.full(len(rows), -1)
for digit in range(10):
    y[rng.choice(np.flatnonzero(truth == digit), 2, replace=False)] = digit
known = y != -1
print(f"{len(y)} instances, {known.sum()} of them with a class")

# %% learn
alone = MeanMKLClassifier(machine="squared_hinge_svc", C=100.0, scale="standard")
alone.fit({name: table[known] for name, table in views.items()}, y[known])
clf = MeanMKLClassifier(machine="laplacian_svm", C=100.0, scale="standard").fit(views, y)
print(f"from 20 instances             {np.mean(alone.predict(views)[~known] == truth[~known]):.2f}")
print(f"from 20 and 980 without label {np.mean(clf.transduction_[~known] == truth[~known]):.2f}")

# %% new
new = {name: table[1::2] for name, table in digits.views.items()}
print(f"instances that were not there {clf.score(new, digits.target[1::2]):.2f}")

# %% choose
for C in [1.0, 100.0]:
    for gamma in [0.01, 1.0]:
        machine = f"laplacian_svm:gamma_i={gamma}"
        clf = MeanMKLClassifier(machine=machine, C=C, scale="standard")
        found = cross_validate_bank(clf, views, y, cv=2)["test_score"].mean()
        right = np.mean(clf.fit(views, y).transduction_[~known] == truth[~known])
        print(f"C = {C:<5}  gamma_i = {gamma:<4}  of the 20 labels {found:.2f}  of the others {right:.2f}")
