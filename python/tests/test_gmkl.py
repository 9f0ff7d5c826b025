"""Widths of features, against a transcription in numpy with scikit-learn's machine."""

from __future__ import annotations

import pickle

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.datasets import make_classification
from sklearn.svm import SVC, SVR

import cokernel

Reals = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def data(n: int = 200, seed: int = 1) -> tuple[Reals, Ints]:
    """Ten features in other units, of which four tell the class."""
    x, y = make_classification(
        n_samples=n, n_features=10, n_informative=4, n_redundant=0, shuffle=False, random_state=seed
    )
    return x * 10.0 ** np.arange(-3, 7), y


def kernel(form: str, left: Reals, right: Reals, widths: Reals) -> Reals:
    if form == "polynomial":
        return np.asarray((1 + (left * widths) @ right.T) ** 2)
    squares = ((left[:, np.newaxis, :] - right[np.newaxis, :, :]) ** 2) @ widths
    return np.asarray(np.exp(-squares))


def units(form: str, x: Reals) -> Reals:
    """The widths of relevance 1."""
    d = x.shape[1]
    return np.asarray(1 / (d * (x**2).mean(axis=0)) if form == "polynomial" else 1 / (2 * d * x.var(axis=0)))


def by_the_source(
    form: str, x: Reals, y: Ints, c: float, strength: float, squared: bool
) -> tuple[float, float, Reals]:
    """Projected gradients with Armijo's condition (Varma and Babu 2009), derivatives as sums over pairs.

    The machine's objective at the start, that of the whole at the end, and the relevances.
    """
    signs, unit, d = 2.0 * y - 1.0, units(form, x), x.shape[1]

    def solve(theta: Reals) -> tuple[float, Reals]:
        k = kernel(form, x, x, theta * unit)
        own = SVC(C=c, kernel="precomputed", tol=1e-7).fit(k, y)
        beta = np.zeros(len(y))
        beta[own.support_] = own.dual_coef_[0]
        assert np.all(beta * signs >= 0)
        return float(np.abs(beta).sum() - 0.5 * beta @ k @ beta), beta

    def regulariser(theta: Reals) -> float:
        return float(0.5 * (theta**2).mean() if squared else theta.mean())

    theta = np.ones(d)
    first, beta = solve(theta)
    scale = strength * first
    value = first + scale * regulariser(theta)
    step = None
    small = 0
    for _ in range(400):
        k = kernel(form, x, x, theta * unit)
        gradient = scale * (theta if squared else np.ones(d)) / d
        for f in range(d):
            if form == "polynomial":
                change = 2 * np.sqrt(k) * np.outer(x[:, f], x[:, f])
            else:
                change = -k * (x[:, f][:, np.newaxis] - x[:, f]) ** 2
            gradient[f] -= 0.5 * unit[f] * beta @ change @ beta
        step = 1 / np.linalg.norm(gradient) if step is None else 2 * step
        for _ in range(30):
            there = np.maximum(theta - step * gradient, 0)
            found, moved = solve(there)
            found += scale * regulariser(there)
            if found <= value + 1e-4 * gradient @ (there - theta):
                break
            step /= 2
        else:
            break
        small = small + 1 if value - found <= 1e-6 * value else 0
        theta, value, beta = there, found, moved
        if small == 3:
            break
    return first, value, theta


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("form", ["product", "polynomial"])
def test_the_objective_is_that_of_the_source(form: str, penalty: str) -> None:
    x, y = data(120)
    first, last, theta = by_the_source(form, x, y, 3.0, 0.3, penalty == "l2")
    kernels = ["linear"] if form == "polynomial" else ["gaussian"]
    ends = []
    for search in ("lbfgs", "gradient"):
        model = cokernel.GMKLClassifier(
            form=form, penalty=penalty, strength=0.3, search=search, tol=1e-6, kernels=kernels,
            C=3.0, scale=None,
        ).fit(x, y)
        trace = np.asarray(model.report_.objective)
        assert np.all(np.diff(trace) <= 1e-9)
        share = 0.5 if penalty == "l2" else 1.0
        assert trace[0] == pytest.approx(first * (1 + 0.3 * share), rel=1e-3)
        assert model.report_.details["strength"][0] == pytest.approx(0.3 * first, rel=1e-3)
        # Steps along the gradient end early where the polynomial is flat.
        assert 0.99 * last <= trace[-1] <= 1.001 * last
        found = np.array(list(model.feature_weights_["X"].values()))
        ends.append(found)
        if form == "product" and penalty == "l1":
            assert np.array_equal(found == 0, theta < 1e-6)
        assert np.allclose(found, theta, atol=0.2 * theta.max())
    assert np.allclose(ends[0], ends[1], atol=0.05 * theta.max())


@pytest.mark.parametrize("form", ["product", "polynomial"])
def test_the_machine_is_that_of_scikit_learn_at_the_widths(form: str) -> None:
    x, y = data(200)
    train, new = x[:150], x[150:]
    kernels = ["linear"] if form == "polynomial" else ["gaussian"]
    model = cokernel.GMKLClassifier(
        form=form, kernels=kernels, C=3.0, machine_tol=1e-8, scale=None
    ).fit(train, y[:150])
    widths = np.asarray(model.report_.details["widths"])
    relevance = np.array(list(model.feature_weights_["X"].values()))
    assert np.allclose(widths, relevance * units(form, train), rtol=1e-9)
    own = SVC(C=3.0, kernel="precomputed", tol=1e-8).fit(kernel(form, train, train, widths), y[:150])
    values = own.decision_function(kernel(form, new, train, widths))
    assert np.allclose(values, model.decision_function(new), atol=1e-4)
    back = pickle.loads(pickle.dumps(model))
    assert np.array_equal(back.decision_function(new), model.decision_function(new))
    assert back.feature_weights_ == model.feature_weights_


def test_names_of_features_and_several_classes() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    table = pandas.DataFrame(rng.normal(size=(150, 4)), columns=["long", "wide", "fixed", "noise"])
    table["fixed"] = 3.0
    classes = np.digitize(table["long"] + table["wide"] ** 2, [0.3, 1.5])
    views = {"a": table[["long", "fixed"]], "b": table[["wide", "noise"]]}
    model = cokernel.GMKLClassifier(strength=0.5, C=10.0).fit(views, classes)
    found = model.feature_weights_
    assert list(found) == ["a", "b"] and list(found["a"]) == ["long", "fixed"]
    assert found["a"]["fixed"] == 0.0
    assert found["a"]["long"] > 3 * found["b"]["noise"]
    assert found["b"]["wide"] > 3 * found["b"]["noise"]
    assert model.score(views, classes) > 0.9
    by_view = cokernel.GMKLClassifier(widths="views").fit(views, classes)
    told = by_view.feature_weights_
    assert told["b"]["wide"] == told["b"]["noise"] > 0


def test_numbers() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(200, 5))
    y = np.sin(2 * x[:, 3])
    model = cokernel.GMKLRegressor(C=10.0, epsilon=0.01, strength=0.3).fit(x, y)
    found = list(model.feature_weights_["X"].values())
    assert found[3] > 5 * sum(found[:3] + found[4:])
    new = rng.normal(size=(100, 5))
    plain = SVR(C=10.0, epsilon=0.01).fit(x, y)
    assert model.score(new, np.sin(2 * new[:, 3])) > max(0.95, plain.score(new, np.sin(2 * new[:, 3])))


def test_other_methods_have_no_widths() -> None:
    x, y = data(60)
    assert cokernel.MeanMKLClassifier().fit(x, y).feature_weights_ == {}
    total = cokernel.GMKLClassifier(form="sum", kernels=["gaussian:per_feature"]).fit(x, y)
    assert total.feature_weights_ == {} and len(total.weights_) == 10
    with pytest.raises(ValueError, match="form=product needs Gaussian kernels"):
        cokernel.GMKLClassifier(kernels=["linear"]).fit(x, y)
    assert not hasattr(cokernel, "GMKLOutlierDetector")
