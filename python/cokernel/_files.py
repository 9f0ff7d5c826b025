"""Models in files."""

from __future__ import annotations

import os
from typing import Any

from . import _native
from ._base import keep_embedding, summary
from ._classifiers import MKLClassifier, classes_from_names
from ._clusterers import MultiViewSpectralClustering
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
    MKLClassifier, MultiViewSpectralClustering or MultiViewEmbedding
        A fitted estimator. It takes the views as a dict by name, or as a list in their order; a
        model with one view takes a table. Class names that are numbers become numbers. A clusterer
        or embedding from a file has no ``labels_``, ``embedding_``, ``eigenvectors_`` or
        ``cluster_centers_``; similarities are towards the instances given to ``fit``, in their order,
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
    model = _native.load(path)
    told = summary(model)
    layout = Layout("tables", [], {}, set(), {})
    for view in told["views"]:
        layout.names.append(view["name"])
        similar = view["kind"] == "similarity"
        if similar:
            layout.similarity.add(view["name"])
        given = told.get("n_given", told["n_train"])
        layout.widths[view["name"]] = given if similar else view["cols"]
    kernels = "precomputed" if layout.similarity == set(layout.names) != set() else None
    estimator: Any
    if isinstance(model, _native.Model):
        svc = told["svc"]
        estimator = MKLClassifier(
            told["method"],
            method_params=told["params"],
            kernels=kernels,
            C=svc["c"],
            decomposition=svc["decomposition"],
            machine_tol=svc["tol"],
            class_weight="balanced" if svc["balanced"] else None,
            random_state=told["seed"],
        )
        estimator.classes_ = classes_from_names(told["classes"])
        if svc["class_weights"] and not svc["balanced"]:
            known = dict(zip(told["classes"], estimator.classes_.tolist()))
            weights = {known[name]: w for name, w in svc["class_weights"]}
            estimator.class_weight = weights
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
    """All methods: id, title, source, summary, tasks, control, weights and params.

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
    import json

    found: list[dict[str, Any]] = json.loads(_native.methods())
    return found
