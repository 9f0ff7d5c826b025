"""Models in files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _native
from ._json import loads
from ._base import keep_embedding, summary
from ._classes import classes_from_names
from ._clusterers import MultiViewSpectralClustering
from ._detectors import MKLOutlierDetector
from ._mkl_classifier import MKLClassifier
from ._regressors import MKLRegressor
from ._state import content_of
from ._transformers import MultiViewEmbedding
from ._views import Layout


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that Python, Rust or the command line has saved.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    MKLClassifier, MKLRegressor, MKLOutlierDetector, MultiViewSpectralClustering or MultiViewEmbedding
        A fitted estimator. It takes the views as a dict by name, or as a list in their order, either
        of all views of the fit or of those that prediction looks at; a model that looks at one view
        takes a table. Classes are what they were (dates become text); those of a file of the
        command line numbers where all names are numbers as these are usually written. A clusterer
        or embedding from a file has no ``labels_``, ``embedding_``, ``eigenvectors_`` or
        ``cluster_centers_``, a classifier no ``transduction_``: what is said of the instances of ``fit`` one by one
        is not in the file; similarities are towards the instances given to ``fit``, in their order,
        for a file keeps no ids; the parameters ``kernels`` and ``scale`` are not restored, what they led to is.

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        It is no model, truncated or damaged, or of a newer format.

    Examples
    --------
    >>> import cokernel, tempfile, os
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[5.0, 1.0], random_state=0)
    >>> clf = cokernel.SimpleMKLClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     clf.save(os.path.join(folder, "model.ck"))
    ...     again = cokernel.load(os.path.join(folder, "model.ck"))
    >>> bool((again.decision_function(X) == clf.decision_function(X)).all())
    True
    """
    return _estimator(_native.load(path))


def from_bytes(content: bytes) -> Any:
    """Read a model from the bytes that ``to_bytes`` of a fitted estimator gave, or those of a model file.

    Nothing in them is executed, as unpickling would.

    Parameters
    ----------
    content : bytes

    Returns
    -------
    MKLClassifier, MKLRegressor, MKLOutlierDetector, MultiViewSpectralClustering or MultiViewEmbedding
        As from :func:`load`.

    Raises
    ------
    ValueError
        It is no model, truncated or damaged, or of a newer format.

    Examples
    --------
    >>> import cokernel
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[5.0, 1.0], random_state=0)
    >>> clf = cokernel.SimpleMKLClassifier(random_state=0).fit(X, y)
    >>> again = cokernel.from_bytes(clf.to_bytes())
    >>> bool((again.decision_function(X) == clf.decision_function(X)).all())
    True
    """
    try:
        return _estimator(_native.Model.from_bytes(content))
    except ValueError as refused:
        try:
            return _estimator(_native.EmbeddingModel.from_bytes(content))
        except ValueError:
            raise refused from None


def from_dict(state: Mapping[str, Any]) -> Any:
    """Make a model of the dict that ``to_dict`` of a fitted estimator gave.

    Parameters
    ----------
    state : dict
        With ``kind``, ``text`` and ``arrays``.

    Returns
    -------
    MKLClassifier, MKLRegressor, MKLOutlierDetector, MultiViewSpectralClustering or MultiViewEmbedding
        As from :func:`load`.

    Raises
    ------
    ValueError
        It is no model, or something of it was changed.

    Examples
    --------
    >>> import cokernel
    >>> from cokernel.datasets import make_gaussian_views
    >>> X, y = make_gaussian_views(60, separations=[5.0, 1.0], random_state=0)
    >>> clf = cokernel.SimpleMKLClassifier(random_state=0).fit(X, y)
    >>> state = clf.to_dict()
    >>> state["arrays"]["bias"].shape
    (1,)
    >>> bool((cokernel.from_dict(state).decision_function(X) == clf.decision_function(X)).all())
    True
    """
    return from_bytes(content_of(state))


def _estimator(model: Any) -> Any:
    """The fitted estimator of a model."""
    told = summary(model)
    layout = Layout("tables", [], {}, set(), {})
    for view in told["views"]:
        layout.names.append(view["name"])
        similar = view["kind"] == "similarity"
        if similar:
            layout.similarity.add(view["name"])
        if view["kind"] == "sequences":
            layout.sequences.add(view["name"])
        given = told.get("n_given", told["n_train"])
        layout.widths[view["name"]] = given if similar else view["cols"]
    layout.all_names = told["all_views"]
    kernels = "precomputed" if layout.similarity == set(layout.names) != set() else None
    estimator: Any
    if isinstance(model, _native.Model):
        estimator = _learner(told, kernels)
        estimator._took(model)
    else:
        common = {"method": told["method"], "method_params": told["params"], "kernels": kernels}
        if told["clusters"] is None:
            estimator = MultiViewEmbedding(told["k"], random_state=told["seed"], **common)
            estimator._n_features_out = told["columns"]
        else:
            estimator = MultiViewSpectralClustering(
                told["k"], random_state=told["seed"], **common
            )
            estimator.inertia_ = told["clusters"]["inertia"]
        keep_embedding(estimator, told, told["library_version"])
        estimator._model = model
    estimator._layout = layout
    estimator.n_features_in_ = layout.n_features()
    return estimator


def methods() -> list[dict[str, Any]]:
    """All methods: id, title, source, summary, tasks, group, certificate, control, weights, places_new_rows, params.

    Each of the params has name, doc, kind, default, range and choices.

    Returns
    -------
    list of dict

    Examples
    --------
    >>> import cokernel
    >>> [m["id"] for m in cokernel.methods() if "classify" in m["tasks"]][:3]
    ['best_single', 'concat', 'mean']
    """
    found: list[dict[str, Any]] = loads(_native.methods())
    return found


def machines() -> list[dict[str, Any]]:
    """All machines that learn on a combination of kernels, in the form of :func:`methods`.

    Returns
    -------
    list of dict

    Examples
    --------
    >>> import cokernel
    >>> [p["name"] for p in cokernel.machines()[0]["params"]][:3]
    ['c', 'class_weight', 'decomposition']
    """
    found: list[dict[str, Any]] = loads(_native.machines())
    return found


def _machine(id: str) -> dict[str, Any]:
    """The registry entry of a machine."""
    return next(m for m in machines() if m["id"] == id)


def _learner(told: dict[str, Any], kernels: Any) -> Any:
    """An estimator with the parameters of a model, as far as a file has them."""
    id, params = told["machine"]["id"], dict(told["machine"]["params"])
    entry = _machine(id)
    own = {name: params.pop(name, None) for name in OWN[entry["tasks"][0]]}
    defaults = {p["name"]: p["default"] for p in entry["params"]}
    others = [f":{name}={v}" for name, v in params.items() if v != defaults[name]]
    common = {
        "method_params": told["params"],
        "kernels": kernels,
        "machine": "".join([id, *others]),
        "random_state": told["seed"],
    }
    if told.get("lacking"):
        common["missing"] = told["lacking"]["handling"]
    given = {OWN[entry["tasks"][0]][name]: v for name, v in own.items() if v is not None}
    kind = {"classify": MKLClassifier, "regress": MKLRegressor, "detect": MKLOutlierDetector}
    class_weight = given.pop("class_weight", None)
    estimator = kind[entry["tasks"][0]](told["method"], **common, **given)
    if isinstance(estimator, MKLClassifier):
        if told["calibration"] is not None:
            estimator.probability = told["calibration"]["shape"]
            estimator.calibration_folds = told["calibration"]["folds"]
        estimator.classes_ = classes_from_names(told["classes"], told.get("class_kind"))
        if isinstance(class_weight, dict):
            known = dict(zip(told["classes"], estimator.classes_.tolist()))
            estimator.class_weight = {known[name]: w for name, w in class_weight.items()}
        elif class_weight != "none":
            estimator.class_weight = class_weight
    return estimator


#: Parameters of machines that have an argument of their own, by task.
OWN = {
    "classify": {
        "c": "C",
        "tol": "machine_tol",
        "decomposition": "decomposition",
        "class_weight": "class_weight",
    },
    "regress": {"c": "C", "epsilon": "epsilon", "tol": "machine_tol"},
    "detect": {"nu": "nu", "tol": "machine_tol"},
}
