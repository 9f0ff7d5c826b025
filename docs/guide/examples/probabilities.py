"""Probabilities of classes: what calibration does, and what it is judged by."""

# %% data
import numpy as np
from cokernel import MKLClassifier
from cokernel.datasets import load_digits_views, make_gaussian_views
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score

digits = load_digits_views()
three = {name: digits.views[name] for name in ("mor", "zer", "fou")}
rows = np.flatnonzero(np.isin(digits.target, [3, 5, 8]))
train, test = rows[::3], np.setdiff1d(rows, rows[::3])


def part(chosen):
    return {name: table[chosen] for name, table in three.items()}


y, y_new = digits.target[train], digits.target[test]
print(f"{len(train)} instances of 3, 5 and 8 to learn from, {len(test)} new ones")

# %% ask
clf = MKLClassifier("mean", scale="standard", probability="sigmoid", random_state=0)
clf.fit(part(train), y)
p = clf.predict_proba(part(test))
print("classes", clf.classes_)
for i in np.argsort(p.max(axis=1))[[0, 1, -1]]:
    print(f"P = {p[i].round(3)}  predicted {clf.predict(part(test[[i]]))[0]}, is {y_new[i]}")

# %% scores
print(f"{'':<24}accuracy  log loss  Brier score  ROC AUC")
for shape in ("sigmoid", "isotonic"):
    for several in ("one_vs_rest", "one_vs_one"):
        clf.set_params(probability=shape, decomposition=several).fit(part(train), y)
        p = clf.predict_proba(part(test))
        squares = ((p - (y_new[:, None] == clf.classes_)) ** 2).sum(axis=1)
        print(
            f"{shape:<10}{several:<14}{accuracy_score(y_new, clf.predict(part(test))):<10.3f}"
            f"{log_loss(y_new, p):<10.3f}{squares.mean():<13.3f}"
            f"{roc_auc_score(y_new, p, multi_class='ovr'):.3f}"
        )

# %% held out
X, y = make_gaussian_views(1200, separations=[1.2, 0.6], random_state=0)
few, many = slice(0, 200), slice(200, 1200)
learn = {name: table[few] for name, table in X.items()}
new = {name: table[many] for name, table in X.items()}
clf = MKLClassifier("mean", C=10.0, probability="sigmoid", random_state=0).fit(learn, y[few])
held_out = clf.predict_proba(new)[:, 1]
own = LogisticRegression(C=1e6).fit(clf.decision_function(learn)[:, None], y[few])
same = own.predict_proba(clf.decision_function(new)[:, None])[:, 1]
print(f"{'calibrated on':<17}claimed  right  log loss  Brier score")
for name, q in [("held-out values", held_out), ("own values", same)]:
    right = ((q > 0.5) == y[many]).mean()
    print(
        f"{name:<17}{np.maximum(q, 1 - q).mean():<9.2f}{right:<7.2f}"
        f"{log_loss(y[many], q):<10.2f}{brier_score_loss(y[many], q):.2f}"
    )
