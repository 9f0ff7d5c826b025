"""Kernels in files: the answers of kernels in memory, from every estimator that has ``storage``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from cokernel import MKLClassifier, MKLRegressor, MultiViewSpectralClustering, gaussian, linear


def data() -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    rng = np.random.default_rng(11)
    y = np.arange(150) % 2
    X = rng.normal(size=(150, 5)) + 0.7 * y[:, None]
    return X, y, {"a": [0, 1], "b": [2, 3, 4]}


KERNELS = [gaussian("median*2^-1..1"), linear()]


@pytest.mark.parametrize(("kept", "file"), [("resident", "mapped"), ("resident_f32", "mapped_f32")])
def test_the_numbers_are_those_of_memory(tmp_path: Path, kept: str, file: str) -> None:
    X, y, views = data()
    for one in [
        MKLClassifier(method="simple_mkl", views=views, kernels=KERNELS),
        MKLRegressor(method="lp_norm", views=views, kernels=KERNELS),
    ]:
        want = clone(one).set_params(storage=kept).fit(X, y)
        for _ in range(2):
            got = clone(one).set_params(storage=f"{file}:{tmp_path}").fit(X, y)
            np.testing.assert_array_equal(np.asarray(got.weights_), np.asarray(want.weights_))
            np.testing.assert_array_equal(got.predict(X), want.predict(X))
    clusterer = MultiViewSpectralClustering(2, views=views, kernels=[gaussian()], random_state=0)
    want = clone(clusterer).set_params(storage=kept).fit_predict(X)
    np.testing.assert_array_equal(clusterer.set_params(storage=f"{file}:{tmp_path}").fit_predict(X), want)


def test_a_search_keeps_a_file_for_each_fold(tmp_path: Path) -> None:
    X, y, views = data()
    one = MKLClassifier(method="mean", views=views, kernels=KERNELS, storage=f"mapped:{tmp_path}")
    search = GridSearchCV(one, {"C": [0.1, 1.0, 10.0]}, cv=3).fit(X, y)
    # Three folds and all instances; three values of C read the same files.
    assert len(list(tmp_path.glob("*.grams"))) == 4
    again = GridSearchCV(one.set_params(storage="resident"), {"C": [0.1, 1.0, 10.0]}, cv=3).fit(X, y)
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], again.cv_results_["mean_test_score"])


def test_damage_is_a_note(tmp_path: Path) -> None:
    X, y, views = data()
    one = MKLClassifier(method="mean", views=views, kernels=KERNELS, storage=f"mapped:{tmp_path}")
    one.fit(X, y)
    (path,) = tmp_path.glob("*.grams")
    content = bytearray(path.read_bytes())
    content[-1000] ^= 1
    path.write_bytes(content)
    one.fit(X, y)
    assert any("was damaged and was computed again" in note for note in one.report_.notes)
    with pytest.raises(ValueError, match="such as mapped:kernels"):
        one.set_params(storage="mapped").fit(X, y)
