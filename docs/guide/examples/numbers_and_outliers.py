"""Predict a number from three views, and find instances that are unlike the others without labels."""

# %% data
import numpy as np
from cokernel import MeanMKLOutlierDetector, MKLRegressor, machines
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

rng = np.random.default_rng(0)
n = 300
season = rng.uniform(0, 1, size=n)
soil = rng.normal(size=(n, 3))
tables = {
    "weather": np.c_[np.sin(2 * np.pi * season), np.cos(2 * np.pi * season)]
    + 0.1 * rng.normal(size=(n, 2)),
    "soil": soil,
    "noise": rng.normal(size=(n, 10)),
}
harvest = 20 + 3 * np.sin(2 * np.pi * season) + 2 * soil[:, 0] * (soil[:, 1] > 0)
harvest += 0.3 * rng.normal(size=n)

# %% machines
for machine in machines():
    print(f"{machine['id']:<18} {', '.join(machine['tasks']):<9} {machine['title']}")

# %% regression
train, test = train_test_split(np.arange(n), random_state=0)


def rows(chosen):
    return {name: table[chosen] for name, table in tables.items()}


for C, method in [(30.0, "mean"), (30.0, "simple_mkl"), (1.0, "mean"), (1.0, "simple_mkl")]:
    reg = MKLRegressor(method, C=C, epsilon=0.3, scale="standard", random_state=0)
    reg.fit(rows(train), harvest[train])
    weights = {view: round(w, 2) for view, w in reg.weights_.by_view().items()}
    score = reg.score(rows(test), harvest[test])
    print(f"C = {C:<4}  {method:<10}  R² {score:.3f}  weights {weights}")

# %% ridge
ridge = MKLRegressor("simple_mkl", machine="kernel_ridge:lambda=1", scale="standard")
ridge.fit(rows(train), harvest[train])
share = len(reg.support_) / len(train)
print(f"R² {ridge.score(rows(test), harvest[test]):.3f}, support vectors {len(ridge.support_)}")
print(f"of SVR {len(reg.support_)}, {100 * share:.0f} % of the instances")

# %% process
from cokernel import GaussianProcessMKLRegressor

process = GaussianProcessMKLRegressor(scale="standard").fit(rows(train), harvest[train])
errors = process.report_.details["weight_errors"]
for weight, error in zip(process.weights_, errors):
    print(f"{weight.view:<8} {weight.weight:6.2f} ± {error:.2f}")
mean, std = process.predict(rows(test), return_std=True)
inside = np.mean(np.abs(harvest[test] - mean) < 1.96 * std)
score = process.score(rows(test), harvest[test])
print(f"R² {score:.3f}, {100 * inside:.0f} % within 1.96 deviations")

# %% outliers
strange = np.zeros(n, dtype=bool)
strange[rng.choice(n, 12, replace=False)] = True
tables["soil"][strange] += 2.5 * rng.choice([-1.0, 1.0], size=(12, 3))
detector = MeanMKLOutlierDetector(nu=0.05, scale="standard").fit(tables)
found = detector.predict(tables) < 0
auc = roc_auc_score(strange, -detector.decision_function(tables))
print(f"{found.sum()} of {n} rejected, {(found & strange).sum()} of them among the 12 strange ones")
print(f"area under the ROC curve above {np.floor(10 * auc) / 10}")

# %% ball
ball = MeanMKLOutlierDetector(nu=0.05, kernels=["linear@soil"], machine="svdd").fit(tables)
found = ball.predict(tables) < 0
auc = roc_auc_score(strange, -ball.decision_function(tables))
print(f"{found.sum()} of {n} rejected, {(found & strange).sum()} of them among the 12 strange ones")
print(f"area under the ROC curve above {np.floor(10 * auc) / 10}")
