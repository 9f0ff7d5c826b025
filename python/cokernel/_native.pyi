"""Types of the native module. The tests compare this file with the module (mypy's stubtest)."""

import os
from collections.abc import Callable
from typing import Any, final

import numpy as np
import numpy.typing as npt

_Reals = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.int64]
_Params = list[tuple[str, Any]]

__all__ = [
    "Clusterer",
    "EmbeddingModel",
    "FittedKernels",
    "Learned",
    "Learner",
    "Model",
    "Prepared",
    "PreparedViews",
    "Run",
    "Stored",
    "Views",
    "__version__",
    "calibrate",
    "calibration_folds",
    "check_splits",
    "cluster_scores",
    "column_splits",
    "compare_scores",
    "deviations",
    "digits",
    "draw_splits",
    "experiment_example",
    "experiment_text",
    "experiments",
    "f_5x2",
    "friedman",
    "holm",
    "kernel_specs",
    "load",
    "machines",
    "methods",
    "methods_named",
    "nemenyi",
    "probabilities",
    "read_splits",
    "run_experiment",
    "search_surface",
    "t_test",
    "task_pairs",
    "toy",
    "wilcoxon",
]
__version__: str

@final
class Run:
    def __new__(
        cls,
        seed: int = 0,
        threads: int = 1,
        time_limit: float | None = None,
        memory: int | None = None,
        verbose: bool = False,
    ) -> Run: ...

@final
class Views:
    def __new__(cls) -> Views: ...
    def dense(
        self,
        name: str,
        array: _Reals,
        similarity: bool = False,
        columns: list[str] | None = None,
        present: list[bool] | None = None,
        own: bool = False,
    ) -> None: ...
    def sparse(
        self,
        name: str,
        cols: int,
        starts: _Codes,
        indices: _Codes,
        values: _Reals,
        graph: bool = False,
        columns: list[str] | None = None,
        present: list[bool] | None = None,
    ) -> None: ...
    def set_ids(self, ids: list[str]) -> None: ...
    def select(self, rows: list[int], training: list[int] | None = None) -> Views: ...
    @property
    def n(self) -> int: ...
    @property
    def names(self) -> list[str]: ...

@final
class Learner:
    def __new__(
        cls,
        method: str,
        params: _Params,
        kernels: list[str] | None,
        task: str,
        machine: str,
        machine_params: _Params,
        scale: str,
        storage: str,
        missing: str,
    ) -> Learner: ...
    def prepare(
        self, views: Views, names: list[str], codes: _Codes, weights: _Reals | None, run: Run
    ) -> Prepared: ...
    def prepare_numbers(
        self, views: Views, targets: _Reals, weights: _Reals | None, run: Run
    ) -> Prepared: ...
    def prepare_alone(self, views: Views, weights: _Reals | None, run: Run) -> Prepared: ...
    def shares(self, prepared: Prepared) -> bool: ...
    def fit_prepared(
        self, prepared: Prepared, run: Run, warm: Learned | None = None
    ) -> tuple[Model, Learned]: ...
    def fit(
        self,
        views: Views,
        names: list[str],
        codes: _Codes,
        weights: _Reals | None,
        run: Run,
        posteriors: _Reals | None = None,
        pairs: _Reals | None = None,
    ) -> Model: ...
    def fit_numbers(
        self, views: Views, targets: _Reals, weights: _Reals | None, run: Run
    ) -> Model: ...
    def fit_alone(self, views: Views, weights: _Reals | None, run: Run) -> Model: ...

@final
class Prepared:
    @property
    def kernels(self) -> list[str]: ...
    def gram(self, weights: list[float], run: Run) -> _Reals: ...
    def scores(self, run: Run) -> str: ...
    def fitted_kernels(self) -> FittedKernels: ...

@final
class Learned: ...

@final
class Model:
    def of_given(self, rows: list[int], n: int) -> Model: ...
    def predict(self, views: Views, run: Run) -> tuple[_Codes, _Reals, list[str]]: ...
    def gates(self, views: Views, run: Run) -> _Reals | None: ...
    def gate_plane(self, views: Views, run: Run) -> tuple[list[str], _Reals] | None: ...
    def gate_names(self) -> list[str]: ...
    def maps_features(self) -> bool: ...
    def maps(self) -> list[tuple[str, _Reals]]: ...
    def summary(self) -> str: ...
    def total_cost(self, prices: dict[str, float]) -> float: ...
    def rule_weights(self) -> list[float] | None: ...
    def support(self) -> tuple[_Codes, _Reals, _Reals]: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...

@final
class FittedKernels:
    @property
    def kernels(self) -> list[str]: ...
    @property
    def views(self) -> list[str]: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> FittedKernels: ...
    def cross(self, views: Views, run: Run) -> list[_Reals]: ...
    def combined(self, views: Views, weights: list[float], run: Run) -> _Reals: ...

@final
class Clusterer:
    def __new__(
        cls,
        method: str,
        params: _Params,
        kernels: list[str] | None,
        graphs: list[str],
        scale: str,
        storage: str,
        pairs: tuple[int, _Reals, str, _Params, str] | None = None,
    ) -> Clusterer: ...
    def prepare(self, views: Views, run: Run) -> PreparedViews: ...
    @staticmethod
    def learns_from_labels(method: str) -> bool: ...
    def embed(self, views: Views, k: int, run: Run) -> tuple[dict[str, Any], EmbeddingModel]: ...
    def embed_labelled(
        self, views: Views, names: list[str], codes: _Codes, k: int, run: Run
    ) -> tuple[dict[str, Any], EmbeddingModel]: ...
    def cluster(
        self, views: Views, k: int, protocol: str, starts: int, run: Run
    ) -> tuple[dict[str, Any], EmbeddingModel]: ...
    def cluster_prepared(
        self, prepared: PreparedViews, k: int, protocol: str, starts: int, run: Run
    ) -> dict[str, Any]: ...
    def shares(self, prepared: PreparedViews) -> bool: ...

@final
class PreparedViews:
    @property
    def kernels(self) -> list[str]: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def warnings(self) -> list[str]: ...
    def gram(self, weights: list[float], run: Run) -> _Reals: ...
    def fitted_kernels(self) -> FittedKernels: ...

@final
class EmbeddingModel:
    def transform(self, views: Views, run: Run) -> _Reals: ...
    def require_new(self) -> None: ...
    def assign(self, views: Views, run: Run) -> _Codes: ...
    def projection(self) -> _Reals | None: ...
    def summary(self) -> str: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> EmbeddingModel: ...

def calibrate(
    learner: Learner,
    model: Model,
    views: Views,
    names: list[str],
    codes: _Codes,
    weights: _Reals | None,
    shape: str,
    folds: int,
    run: Run,
    posteriors: _Reals | None = None,
    pairs: _Reals | None = None,
) -> Model: ...
def probabilities(model: Model, views: Views, run: Run) -> _Reals | None: ...
def deviations(
    model: Model, views: Views, run: Run
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64] | None]: ...
def calibration_folds(codes: _Codes, classes: int, folds: int, seed: int) -> _Codes: ...
def task_pairs(codes: list[list[int]], most: int, seed: int) -> _Reals: ...
@final
class Stored:
    @staticmethod
    def open(path: str | os.PathLike[str]) -> Stored: ...
    @staticmethod
    def write_page(
        store: str | os.PathLike[str], folder: str | os.PathLike[str]
    ) -> list[str]: ...
    def about(self) -> str: ...
    def specification(self) -> str: ...
    def table(self) -> str: ...
    def cells(self) -> str: ...

def experiments(data: str | os.PathLike[str] | None = None) -> str: ...
def experiment_text(id: str) -> str: ...
def experiment_example() -> str: ...
def run_experiment(
    run: Run,
    experiment: str,
    text: bool,
    store: str | os.PathLike[str],
    data: str | os.PathLike[str] | None,
    sets: int | None,
    repeats: int | None,
    quick: bool,
    seeded: bool,
    update: bool,
    retry: bool,
) -> Stored: ...
def draw_splits(
    protocol: str,
    codes: list[int] | None,
    values: list[float] | None,
    n: int,
    groups: list[str] | None,
    seed: int,
    name: str | None,
    transductive: bool,
) -> str: ...
def column_splits(
    column: list[str],
    codes: list[int] | None,
    values: list[float] | None,
    name: str | None,
    transductive: bool,
) -> str: ...
def check_splits(text: str, codes: list[int] | None, values: list[float] | None) -> None: ...
def read_splits(text: str, codes: list[int] | None, values: list[float] | None) -> str: ...
def search_surface(
    names: list[str], values: list[list[float]], score: Callable[[list[float]], float]
) -> tuple[int, list[float | None], str, int]: ...
def t_test(differences: list[float], test_over_train: float) -> str: ...
def f_5x2(differences: list[float]) -> str: ...
def wilcoxon(differences: list[float], with_zeros: bool) -> str: ...
def friedman(scores: list[list[float]]) -> str: ...
def nemenyi(methods: int, blocks: int, alpha: float) -> float: ...
def holm(p: list[float]) -> list[float]: ...
def compare_scores(
    methods: list[str],
    rows: list[tuple[str, list[float]]],
    baseline: str | None,
    alpha: float,
    test_over_train: float | None,
    lower: bool,
    with_zeros: bool,
) -> str: ...
def machines() -> str: ...
def methods() -> str: ...
def methods_named(word: str, task: str) -> list[tuple[str, str | None]]: ...
def kernel_specs(text: str) -> list[str]: ...
def cluster_scores(clusters: _Codes, classes: _Codes) -> str: ...
def load(path: str | os.PathLike[str]) -> Model | EmbeddingModel: ...
def digits() -> tuple[dict[str, _Reals], list[str]]: ...
def toy(
    name: str,
    n: int,
    seed: int,
    value: float = 0.0,
    n_classes: int = 2,
    separations: list[float] = ...,
    content: str = "random",
) -> tuple[dict[str, _Reals], list[str]]: ...
