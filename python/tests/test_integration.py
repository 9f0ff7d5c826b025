"""Costs of models and kinds of integration side by side."""

from __future__ import annotations

import numpy as np
import pytest
from cokernel import BachMKLClassifier, MKLClassifier, cross_validate_bank, linear
from cokernel.model_selection import by_integration, plot_costs

rng = np.random.default_rng(0)
y = np.repeat(["a", "b"], 20)
X = {name: rng.normal(size=(40, k)) + (y == "a")[:, None] for name, k in (("few", 1), ("many", 4))}
KERNELS = [linear(view="few"), linear(view="many")]


def test_models_of_any_method_have_a_cost_by_prices() -> None:
    mean = MKLClassifier("mean", kernels=KERNELS).fit(X, y)
    assert mean.total_cost_ is None
    assert mean.total_cost({"many": 3}) == pytest.approx(100 * len(mean.support_) / 40)
    single = MKLClassifier("best_single", kernels=KERNELS).fit(X, y)
    share = {"few": 0.25, "many": 0.75}[next(w.view for w in single.weights_ if w.weight > 0)]
    assert single.total_cost({"many": 3}) == pytest.approx(100 * share * len(single.support_) / 40)
    bach = BachMKLClassifier(kernels=KERNELS, d={"many": 3.0}).fit(X, y)
    assert bach.total_cost_ == pytest.approx(bach.total_cost({"many": 3}))
    with pytest.raises(ValueError, match="did you mean 'many'"):
        mean.total_cost({"mny": 3})
    ax = plot_costs({"mean": mean, "bach": bach}, X, y, {"many": 3})
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["mean", "bach"]
    with pytest.raises(ValueError, match="'mean' has no prices"):
        plot_costs({"mean": mean}, X, y)


def test_kinds_of_integration_stand_side_by_side() -> None:
    methods = by_integration(MKLClassifier(kernels=KERNELS, C=2.0))
    kinds = [name.split(":")[0] for name in methods]
    assert kinds == sorted(kinds) and set(kinds) == {"early", "intermediate", "late"}
    assert all(m.C == 2.0 and m.method in name for name, m in methods.items())
    late = by_integration(MKLClassifier(kernels=KERNELS), "late")
    assert {"late: late_mean", "late: best_single"} <= set(late)
    found = cross_validate_bank(late, X, y, cv=2)
    assert set(found) == set(late)
