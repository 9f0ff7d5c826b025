"""A width for each feature: which features count, learned together with the machine."""

# %% features
import numpy as np
from cokernel import GMKLClassifier, MeanMKLClassifier
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

X, y = make_classification(
    n_samples=600, n_features=30, n_informative=5, n_redundant=0, shuffle=False, random_state=1
)
X, X_new, y, y_new = train_test_split(X, y, random_state=0)
one = MeanMKLClassifier(C=1).fit(X, y)
print(f"one width for all: accuracy {one.score(X_new, y_new):.3f}")
for strength in (1.0, 0.1, 0.01):
    clf = GMKLClassifier(strength=strength, C=1).fit(X, y)
    relevance = clf.feature_weights_["X"]
    kept = [name for name, r in relevance.items() if r > 0]
    print(f"strength {strength}: accuracy {clf.score(X_new, y_new):.3f}, {len(kept)} features")
largest = sorted(relevance, key=relevance.get, reverse=True)[:6]
print("most relevant:", ", ".join(f"{name}: {relevance[name]:.1f}" for name in largest))

# %% views
from cokernel.datasets import load_digits_views  # noqa: E402

digits = load_digits_views()
rows = np.arange(0, 2000, 4)
views = {name: digits.views[name][rows] for name in ("fou", "kar", "mor")}
train, test = np.arange(0, 500, 2), np.arange(1, 500, 2)
part = lambda chosen: {name: table[chosen] for name, table in views.items()}  # noqa: E731
for widths in ("views", "features"):
    clf = GMKLClassifier(widths=widths, scale="standard", C=10)
    clf.fit(part(train), digits.target[rows][train])
    accuracy = clf.score(part(test), digits.target[rows][test])
    print(f"a width for each of the {widths}: accuracy {accuracy:.3f}")
    shares = {name: np.mean(list(w.values())) for name, w in clf.feature_weights_.items()}
    print("  mean relevance " + ", ".join(f"{name} {r:.2f}" for name, r in shares.items()))
