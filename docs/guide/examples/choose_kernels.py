"""Choose kernels for one table: widths, families and groups of columns."""

# %% data
import matplotlib.pyplot as plt
from cokernel import GridSearchBank, SimpleMKLClassifier, gaussian, linear, polynomial
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
print(f"{len(X_train)} instances to learn from, {len(X_test)} to test, {X.shape[1]} columns")
print(", ".join(X.columns[[0, 1, 10, 11, 20, 21]]), "…")

# %% one view
candidates = [
    linear(normalize="center_unit_variance"),
    polynomial(2, normalize="center_unit_variance"),
    gaussian("median*0.25,0.5,1,2,4", normalize="center_unit_variance"),
]
one_view = SimpleMKLClassifier(kernels=candidates, scale="standard", C=10.0, random_state=0)
one_view.fit(X_train, y_train)
for _, kernel, weight in one_view.weights_:
    print(f"{weight:.2f}  {kernel}")
print("status:", one_view.report_.status)

# %% three views
groups = {
    "mean": slice("mean radius", "mean fractal dimension"),
    "error": slice("radius error", "fractal dimension error"),
    "worst": slice("worst radius", "worst fractal dimension"),
}
three_views = SimpleMKLClassifier(
    views=groups, kernels=candidates, scale="standard", C=10.0, random_state=0
)
three_views.fit(X_train, y_train)
for view, weight in three_views.weights_.by_view().items():
    print(f"{weight:.2f}  {view}")
active = sum(weight > 0 for _, _, weight in three_views.weights_)
print(f"{active} of {len(three_views.weights_)} kernels have a weight above 0")

# %% cost
search = GridSearchBank(three_views, {"C": [0.1, 1.0, 10.0, 100.0]}, cv=5)
search.fit(X_train, y_train)
for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"]):
    print(f"C = {params['C']:<5}  accuracy {score:.3f} in cross-validation")
print("best:", search.best_params_)

# %% test
one_width = SimpleMKLClassifier(scale="standard", C=search.best_params_["C"], random_state=0)
one_width.fit(X_train, y_train)
wrong = {
    "one Gaussian kernel of the median width": (one_width.predict(X_test) != y_test).sum(),
    "the chosen combination of kernels": (search.predict(X_test) != y_test).sum(),
}
for name, count in wrong.items():
    print(f"{name}: {count} of {len(y_test)} wrong")

# %% picture
fig, ax = plt.subplots(figsize=(8, 5), layout="constrained")
search.best_estimator_.plot_weights(ax)
fig.savefig("choose_kernels.svg")
