"""Prices of kernels: accuracy against what a prediction costs."""

# %% prices
import matplotlib.pyplot as plt
import numpy as np
from cokernel import BachMKLClassifier, linear
from cokernel.datasets import load_digits_views

digits = load_digits_views()
rows = np.flatnonzero(np.isin(digits.target, [3, 5]))
views = {name: digits.views[name][rows] for name in ("fou", "mor", "kar", "pix")}
y = digits.target[rows]
train, test = np.arange(0, len(rows), 2), np.arange(1, len(rows), 2)
part = lambda chosen: {name: table[chosen] for name, table in views.items()}  # noqa: E731
columns = {name: table.shape[1] for name, table in views.items()}
kernels = [linear(view=name, normalize="unit_diagonal") for name in views]
price = {name: (count / min(columns.values())) ** 0.5 for name, count in columns.items()}
print("features:", columns)
print("prices:", {name: round(p, 2) for name, p in price.items()})

points = []
for d in ("unit", "features"):
    for C in (10.0, 100.0, 1000.0):
        clf = BachMKLClassifier(kernels=kernels, d=d, C=C).fit(part(train), y[train])
        cost, active = clf.total_cost(price), [w.view for w in clf.weights_ if w.weight > 0]
        points.append((d, C, clf.score(part(test), y[test]), cost))
        print(f"d={d}, C={C}: accuracy {points[-1][2]:.3f}, cost {cost:.1f}, {' '.join(active)}")

# %% picture
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for d, colour in (("unit", "#0072B2"), ("features", "#E69F00")):
    chosen = [point for point in points if point[0] == d]
    ax.plot([p[3] for p in chosen], [p[2] for p in chosen], "o-", color=colour, label=f"d={d}")
    for _, C, accuracy, cost in chosen:
        ax.annotate(f"C={C:g}", (cost, accuracy), xytext=(4, 4), textcoords="offset points")
ax.set_xlabel("total cost of predicting an instance in percent")
ax.set_ylabel("accuracy")
ax.legend()
fig.savefig("costs.svg")
