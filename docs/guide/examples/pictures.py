"""Pictures of classes: principal components, and Fisher discriminants, local and not."""

# %% data
import matplotlib.pyplot as plt
import numpy as np
from cokernel import MultiViewEmbedding
from cokernel.datasets import load_digits_views
from sklearn.neighbors import KNeighborsClassifier

digits = load_digits_views()
keep = np.isin(digits.target, [0, 3, 5, 8])
tables = {name: digits.views[name][keep] for name in ("fou", "kar", "zer")}
# Two classes of two digits each: 0 and 8, 3 and 5.
which = digits.target[keep]
y = np.isin(which, [3, 5]).astype(int)
train = np.arange(len(y)) % 3 > 0


def part(rows):
    return {name: table[rows] for name, table in tables.items()}


# %% pictures
methods = {"pca": "principal components", "fda": "Fisher", "lfda": "local Fisher"}
figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
for ax, (method, title) in zip(axes, methods.items()):
    one = MultiViewEmbedding(2, method=method, scale="standard").fit(part(train), y[train])
    rows = one.transform(part(~train))
    told = [
        KNeighborsClassifier(5).fit(one.embedding_, known[train]).score(rows, known[~train])
        for known in (y, which)
    ]
    print(f"{method:4}  {rows.shape[1]} columns  class {told[0]:.2f}  digit {told[1]:.2f}")
    flat = np.column_stack([rows, np.zeros(len(rows))]) if rows.shape[1] == 1 else rows
    for digit in (0, 8, 3, 5):
        own = flat[which[~train] == digit]
        ax.scatter(own[:, 0], own[:, 1], s=6, label=str(digit))
    ax.set_title(title)
axes[0].legend(title="digit", loc="lower left", fontsize=7)
figure.savefig("pictures.svg")

# %% few labels
some = np.where(np.arange(train.sum()) % 20 == 0, y[train], np.nan)
for method in ("fda", "lfda"):
    one = MultiViewEmbedding(1, method=method, scale="standard").fit(part(train), some)
    known = ~np.isnan(some)
    nearest = KNeighborsClassifier(5).fit(one.embedding_[known], y[train][known])
    print(f"{method:4}  class {nearest.score(one.transform(part(~train)), y[~train]):.2f}")
print(one.report_.notes[-1])
