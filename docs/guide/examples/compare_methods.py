"""Compare methods so that the statement holds: same splits, chosen C, controls, corrected test."""

# %% data
import matplotlib.pyplot as plt
import numpy as np
from cokernel import GridSearchBank, MKLClassifier, cross_validate_bank, gaussian, statistics
from cokernel.datasets import load_digits_views
from scipy import stats
from sklearn.model_selection import RepeatedStratifiedKFold

digits = load_digits_views()
rng = np.random.default_rng(0)
three = {name: digits.views[name] for name in ("fou", "mor", "zer")}
noise = {f"noise{i}": rng.normal(size=(len(digits.target), 20)) for i in range(6)}
data = {"three views": three, "noise beside": three | noise}
development, evaluation = slice(0, 2000, 10), slice(1, 2000, 5)  # they share no instance


def part(X, rows):
    return {name: table[rows] for name, table in X.items()}


print(f"{len(digits.target[development])} instances to choose C")
print(f"{len(digits.target[evaluation])} other instances to compare")
print(f"views: {', '.join(three)}; beside them {', '.join(noise)}")

# %% protocol
controls = ["best_single", "concat", "mean"]
learned = ["simple_mkl", "two_stage"]
kernels = [gaussian("median", normalize="center_unit_variance")]
folds, repeats = 4, 3
splits = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=0)

accuracy = {}
for title, X in data.items():
    chosen = {}
    for method in [*controls, *learned]:
        clf = MKLClassifier(method, kernels=kernels, scale="standard", random_state=0)
        search = GridSearchBank(clf, {"C": [1.0, 10.0, 100.0]}, cv=4, refit=False)
        search.fit(part(X, development), digits.target[development])
        chosen[method] = clf.set_params(**search.best_params_)
    found = cross_validate_bank(chosen, part(X, evaluation), digits.target[evaluation], cv=splits)
    accuracy[title] = {method: 100 * found[method]["test_score"] for method in chosen}

print(f"accuracy in %, mean ± deviation over {folds * repeats} splits")
print(f"{'':<20}" + "".join(f"{title:>16}" for title in data))
for method in [*controls, *learned]:
    kind = "control" if method in controls else "learned"
    cells = (f"{a[method].mean():.1f} ± {a[method].std(ddof=1):.1f}" for a in accuracy.values())
    print(f"{method:<12}{kind:<8}" + "".join(f"{cell:>16}" for cell in cells))


# %% test
def corrected(differences, level=0.95):
    """Mean, half width of its interval, p-value: the corrected resampled t test.

    The training sets of the splits overlap, so the usual variance of the mean is too small: Nadeau
    and Bengio (2003) put 1/J + n_test/n_train in the place of 1/J.
    """
    count = len(differences)
    error = np.sqrt((1 / count + 1 / (folds - 1)) * differences.var(ddof=1))
    half = stats.t.ppf((1 + level) / 2, count - 1) * error
    found = statistics.t_test(differences, test_over_train=1 / (folds - 1))
    return differences.mean(), half, found.p


pairs = [(title, method, control) for title in data for method in learned for control in controls]
tests = [corrected(accuracy[t][method] - accuracy[t][control]) for t, method, control in pairs]
adjusted = statistics.holm([p for _, _, p in tests])
naive = [
    stats.ttest_rel(accuracy[t][method], accuracy[t][control]).pvalue
    for t, method, control in pairs
]


def shown(p):
    return "< 0.01" if p < 0.01 else f"{p:6.2f}"


print(f"{'difference in percentage points':<39}        95 % interval  p, adjusted  p, naive")
for (title, method, control), (mean, half, _), p, too_small in zip(pairs, tests, adjusted, naive):
    what = f"{title}, {method} − {control}"
    interval = f"[{mean - half:+5.1f}, {mean + half:+5.1f}]"
    print(f"{what:<39} {mean:+5.1f}  {interval:>14}  {shown(p):>11}  {shown(too_small):>8}")

# %% statement
for title in data:
    for method in learned:
        sides = {"better than": [], "worse than": [], "not told apart from": []}
        for (t, m, control), (mean, _, _), p in zip(pairs, tests, adjusted):
            if (t, m) == (title, method):
                side = "better than" if mean > 0 else "worse than"
                sides[side if p < 0.05 else "not told apart from"].append(control)
        said = "; ".join(f"{side} {', '.join(names)}" for side, names in sides.items() if names)
        print(f"{title}: {method} is {said}")

# %% picture
fig, axes = plt.subplots(1, 2, figsize=(9, 3.5), sharex=True, sharey=True, layout="constrained")
for ax, title in zip(axes, data):
    drawn = [(pair, test) for pair, test in zip(pairs, tests) if pair[0] == title]
    for place, ((_, method, _), (mean, half, _)) in enumerate(drawn):
        colour = "#0072B2" if method == "simple_mkl" else "#E69F00"
        ax.errorbar(mean, place, xerr=half, fmt="o", color=colour, capsize=4)
    ax.axvline(0, color="#888888", linewidth=1)
    ax.set_yticks(range(len(drawn)), [f"{method} − {control}" for (_, method, control), _ in drawn])
    ax.set_title(title)
axes[0].invert_yaxis()
fig.supxlabel("difference in accuracy, percentage points")
fig.savefig("compare_methods.svg")
