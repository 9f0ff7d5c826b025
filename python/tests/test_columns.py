"""One linear kernel for each column: names, weights, files and tables of many."""

from pathlib import Path

import cokernel
import numpy as np
import pandas as pd
import pytest
from cokernel import LpNormMKLClassifier, SimpleMKLClassifier, linear
from cokernel._report import Weight, Weights


def table(n: int = 120, d: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    x = pd.DataFrame(rng.normal(size=(n, d)), columns=[f"gene{j}" for j in range(d)])
    y = np.where(x["gene7"] + 0.8 * x["gene31"] > 0, "sick", "well")
    return x, y


@pytest.mark.parametrize("estimator", [SimpleMKLClassifier, LpNormMKLClassifier])
def test_columns_of_a_table_are_weighed_by_name(estimator: type, tmp_path: Path) -> None:
    x, y = table()
    kernels = [linear(per_feature=True, normalize="center_unit_variance")]
    clf = estimator(kernels=kernels, random_state=0).fit(x[:90], y[:90])
    weights = {w.kernel: w.weight for w in clf.weights_}
    assert len(weights) == x.shape[1]
    best = sorted(weights, key=lambda k: -weights[k])[:2]
    assert {k.split("[")[1].split("]")[0] for k in best} == {"gene7", "gene31"}
    assert clf.report_.duality_gap <= 1e-3
    predicted = clf.predict(x[90:])
    clf.save(tmp_path / "columns.ck")
    again = cokernel.load(tmp_path / "columns.ck")
    assert (again.predict(x[90:]) == predicted).all()
    # From the columns themselves.
    z = (x - x[:90].mean()) / x[:90].std(ddof=0)
    support = z.iloc[clf.support_]
    scores = support.T.to_numpy() @ clf.dual_coef_[0]
    values = z[90:].to_numpy() @ (np.asarray(clf.weights_) * scores) + clf.intercept_[0]
    np.testing.assert_allclose(clf.decision_function(x[90:]), values, rtol=1e-7, atol=1e-9)


def test_tables_of_weights_show_the_heaviest() -> None:
    weights = Weights(Weight("x", f"linear@x[{k}]", k / 1000) for k in range(1000))
    text = repr(weights)
    assert len(text.splitlines()) == 102
    assert "linear@x[999]" in text and "linear@x[899]" not in text
    assert text.endswith("… and 900 kernels with smaller weights")
    assert [w.kernel for w in weights.largest(2)] == ["linear@x[998]", "linear@x[999]"]
