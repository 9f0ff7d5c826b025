# %% data
import numpy as np
from cokernel import MKLClassifier, MKLRegressor, SimpleMKLClassifier
from cokernel.conformal import ConformalClassifier, ConformalRegressor
from cokernel.datasets import make_gaussian_views
from cokernel.inspection import view_importance, weight_spread

X, y = make_gaussian_views(600, n_classes=3, separations=[2.0, 1.0, 0.0], random_state=0)
train, test = slice(0, 300), slice(300, 600)


def part(rows):
    return {name: table[rows] for name, table in X.items()}


# %% sets
clf = SimpleMKLClassifier(probability="sigmoid", random_state=0)
told = ConformalClassifier(clf, coverage=0.9, method="split", random_state=0)
told.fit(part(train), y[train])
for coverage in (0.8, 0.9, 0.95):
    sets = told.predict_set(part(test), coverage=coverage)
    held = sets[np.arange(300), np.searchsorted(told.classes_, y[test])].mean()
    print(f"asked {coverage:.0%}  held {held:.0%}  {sets.sum(axis=1).mean():.2f} classes in a set")

# %% intervals
rng = np.random.default_rng(0)
z = X["view0"][:, 0] + 0.5 * X["view1"][:, 0] + 0.5 * rng.standard_t(4, size=600)
ridge = MKLRegressor("mean", machine="kernel_ridge:lambda=1.0")
for method in ("split", "cross", "jackknife"):
    told = ConformalRegressor(ridge, coverage=0.9, method=method, random_state=0)
    low, high = told.fit(part(train), z[train]).predict_interval(part(test)).T
    held = ((low <= z[test]) & (z[test] <= high)).mean()
    print(f"{method:10} held {held:.0%}  {(high - low).mean():.2f} wide")

# %% lost
clf = MKLClassifier("mean", random_state=0).fit(part(train), y[train])
lost = view_importance(clf, part(test), y[test], n_repeats=10, random_state=0)
for view, values in lost.items():
    print(f"{view}  {100 * values.mean():5.1f} ± {100 * values.std():.1f} points of accuracy lost")

# %% weights
learned = SimpleMKLClassifier(random_state=0).fit(part(train), y[train])
print(weight_spread(learned, part(train), y[train], n_resamples=20, random_state=0))
