"""Writes ``python/cokernel/_generated.py``: one class for each task of each method of the registry, but for
the task of embedding: all its methods are in MultiViewEmbedding; and what generate_kernels.py makes of the registry of
kernels.

    python python/tools/generate.py            rewrites the files
    python python/tools/generate.py --check    fails if a file is not what it would write
"""

from __future__ import annotations

import importlib.util
import json
import sys
import textwrap
from pathlib import Path
from typing import Any

import generate_kernels

TARGET = Path(__file__).resolve().parents[1] / "cokernel" / "_generated.py"
#: As in cokernel/_base.py.
RENAMED = {"lambda": "lam"}
WORDS = {"mkl": "MKL", "cg": "CG", "mark": "MARK", "cca": "CCA", "kmeans": "KMeans", "mkkm": "MKKM", "snf": "SNF"}
# Words of clusterings that are not called spectral.
NOT_SPECTRAL = {"spectral", "kmeans", "mkkm", "snf", "fusion", "margin"}
# Names of methods that end in MKL or are no MKL.
OWN = ("gmkl", "rmkl", "emkl", "rwkl", "gpk", "lpk", "ekp", "medfc", "gml", "bemkl")
WORDS |= {word: word.upper() for word in OWN}
VIEWS = """\
views : dict or list, optional
    Which columns of X make up each view: slices, lists of numbers, masks or column names, by
    name. For several tables in a list, their names. Default: X is one view."""
KERNELS = """\
kernels : list of Kernel or str, "precomputed", optional
    The kernels, on every view unless they name one. Default: a Gaussian kernel with the median
    width on every view."""
RUN = """\
storage : {"auto", "resident", "resident_f32", "on_demand"}, "mapped:DIR", "mapped_f32:DIR", "nystroem:rank=R" or "fourier:rank=R"
    How kernels are kept; "auto" keeps them in memory if they fit into ``memory``, "mapped" in a file of the
    directory ``DIR``, which is made once. With "nystroem:rank=200" 200 instances stand for all, with "fourier:rank=200" 200 random
    features for each kernel, in time and memory proportional to the number of instances, where the method and the machine can
    learn so; the others refuse it and name those that can.
time_limit : float, optional
    Seconds after which the best solution so far is taken, with a warning.
memory : int or str, optional
    Bytes for kernels, or a size such as "500MB"; default 2 GiB.
random_state : int, RandomState or None
    An integer gives the results of the command line with that seed.
n_jobs : int, optional
    Threads; as in scikit-learn ``None`` is 1 and -1 all. Results do not depend on it.
verbose : bool, default=False
    Progress on stderr."""
SCALE = """\
scale : {"standard", "min_max"}, optional
    Scaling of each column of features, learned on the training instances: to mean 0 and variance
    1, or from 0 to 1. Default: none."""
MACHINE = """\
C : float, default=1.0
    Cost of a unit of slack, above 0.
machine : str, default="svc"
    The machine that learns on the combination, with parameters if need be: ``"svc:max_steps=1000"``.
    Those that have an argument here, as C, are given there."""
MACHINE_MORE = """\
class_weight : dict or "balanced", optional
    Factors of C by class, above 0.
decomposition : {"one_vs_rest", "one_vs_one", "dag"}
    How several classes become binary problems; "dag" has those of "one_vs_one", decided along a
    directed acyclic graph instead of by votes.
machine_tol : float, default=1e-3
    Relative duality gap of the kernel machines, above 0 and at most 0.999.
probability : {"sigmoid", "isotonic"}, optional
    Also learn probabilities, for ``predict_proba``: a sigmoid of the decision values, or any curve
    that does not fall (for a thousand instances or more). Default: none, for it takes one more fit
    for each calibration fold.
calibration_folds : int, default=5
    Folds whose held-out decision values the probabilities are calibrated on, from 2 to 1000; each
    class needs as many instances."""
EPSILON = """\
epsilon : float, default=0.1
    Errors up to it cost nothing; at least 0, in the units of y."""
NU = """\
nu : float, default=0.5
    Largest fraction of training instances outside, and least fraction of support vectors; above 0
    and at most 1."""
TOL = """\
machine_tol : float, default=1e-3
    Relative duality gap of the kernel machine, above 0 and at most 0.999."""
MISSING = """\
missing : {"auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"}
    What is done about training instances that lack a view: see :class:`MKLClassifier`."""
CLUSTERS = """\
n_clusters : int, default=8
    Number of clusters."""
STARTS = """\
graphs : list of str, optional
    Graphs of neighbours in place of kernels, such as ``"knn:k=10"`` or ``"epsilon:radius=0.5"``.
n_init : int, default=20
    Starts of k-means.
protocol : {"best_of", "published"}
    "best_of" seeds k-means++ and keeps the start with the least inertia; "published" starts from
    random rows, each start a result of its own (``all_labels_``), as the papers' tables.
pair_learner : PairLearner, optional
    How the weights of kernels are learned where ``fit`` is given pairs."""
CLASSIFIER_TAIL = """\
See Also
--------
MKLClassifier : the same with the method as a parameter; its attributes are those of this class."""
REGRESSOR_TAIL = CLASSIFIER_TAIL.replace("Classifier", "Regressor")
DETECTOR_TAIL = CLASSIFIER_TAIL.replace("Classifier", "OutlierDetector")
CLUSTERER_TAIL = """\
See Also
--------
MultiViewSpectralClustering : the same with the method as a parameter; its attributes are those of
    this class."""
KINDS = {"classify": "Classifier", "regress": "Regressor", "detect": "OutlierDetector"}
BASES = {
    "classify": "KernelClassifier",
    "regress": "KernelRegressor",
    "detect": "KernelOutlierDetector",
    "cluster": "ViewClusterer",
}
TAILS = {
    "classify": CLASSIFIER_TAIL,
    "regress": REGRESSOR_TAIL,
    "detect": DETECTOR_TAIL,
    "cluster": CLUSTERER_TAIL,
}
#: Filled by :func:`methods`.
TASKS_OF_MACHINES: dict[str, list[str]] = {}
MACHINES = {"classify": "svc", "regress": "svr", "detect": "one_class_svm"}
RUN_DEFAULTS = [
    ("storage", '"auto"', "str"),
    ("time_limit", "None", "float | None"),
    ("memory", "None", "int | str | None"),
    ("random_state", "None", "Any"),
    ("n_jobs", "None", "int | None"),
    ("verbose", "False", "bool"),
]


def loaded() -> Any:
    """The native module by itself: the package needs the files that are being written."""
    package = importlib.util.find_spec("cokernel")
    if package is None or not package.submodule_search_locations:
        sys.exit("the package cokernel is not installed")
    folder = Path(next(iter(package.submodule_search_locations)))
    library = next(folder.glob("_native*.so"), None) or next(folder.glob("_native*.pyd"))
    spec = importlib.util.spec_from_file_location("_native", library)
    assert spec is not None and spec.loader is not None
    native = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(native)
    TASKS_OF_MACHINES.update({m["id"]: m["tasks"] for m in json.loads(native.machines())})
    return native


def methods(native: Any) -> list[dict[str, Any]]:
    """The registry."""
    found: list[dict[str, Any]] = json.loads(native.methods())
    for method in found:
        for param in method["params"]:
            param["python"] = RENAMED.get(param["name"], param["name"])
    return found


def class_name(method: dict[str, Any], task: str) -> str:
    """simple_mkl: SimpleMKLClassifier; co_trained: CoTrainedSpectralClustering."""
    parts = method["id"].split("_")
    words = "".join(WORDS.get(p, p.capitalize()) for p in parts)
    if task in KINDS:
        return words + ("" if {"mkl", *OWN} & set(parts) else "MKL") + KINDS[task]
    return words + ("" if NOT_SPECTRAL & set(parts) else "Spectral") + "Clustering"


def default(param: dict[str, Any]) -> str:
    value = param["default"]
    if param["kind"] == "floats":
        value = value[0]
    if param["kind"] == "float" or param["kind"] == "floats":
        value = float(value)
    if isinstance(value, str):
        return json.dumps(value)
    return repr(value)


def annotation(param: dict[str, Any]) -> str:
    kinds = {"int": "int", "float": "float", "floats": "float | list[float]"}
    return kinds.get(param["kind"], "str")


def documented(param: dict[str, Any]) -> str:
    kinds = {"int": "int", "float": "float", "floats": "float or list of float", "str": "str"}
    kind = kinds.get(param["kind"]) or "{" + ", ".join(f'"{c}"' for c in param["choices"]) + "}"
    text = param["doc"]
    text = text.replace("lambda", "lam").replace(" / |upper bound|", " divided by the upper bound")
    if param["kind"] in ("int", "float"):
        text += f" {param['range'][0].upper()}{param['range'][1:]}."
    if param["choices"] == ["yes", "no"]:
        kind = "bool or " + kind
    body = textwrap.fill(text, 88, initial_indent="    ", subsequent_indent="    ")
    return f"{param['python']} : {kind}, default={default(param)}\n{body}"


def paragraph(text: str, width: int = 92) -> str:
    return textwrap.fill(" ".join(text.split()), width)


def example(name: str, method: dict[str, Any], task: str) -> str:
    data = "X, y = make_gaussian_views(60, separations=[7.0, 7.0], random_state=0)"
    lines = [f"from cokernel import {name}", "from cokernel.datasets import make_gaussian_views"]
    value = "1.0"
    if task == "classify":
        lines += [data, f"{name}(random_state=0).fit(X, y).score(X, y)"]
    elif task == "regress":
        cost = "" if MACHINES[task] not in method["goes_with"] else "C=10.0, "
        lines += [data, f"reg = {name}({cost}random_state=0).fit(X, y)"]
        lines.append("bool(reg.score(X, y) > 0.9)")
        value = "True"
    elif task == "detect":
        lines += [data, f"found = {name}(nu=0.1, random_state=0).fit(X).predict(X)"]
        lines.append("bool((found < 0).mean() <= 0.2)")
        value = "True"
    else:
        lines.append("from cokernel.metrics import cluster_scores")
        lines += [data, f"clusters = {name}(2, random_state=0).fit_predict(X)"]
        lines.append('cluster_scores(y, clusters)["accuracy"]')
    return "\n".join(["Examples", "--------", *(f">>> {line}" for line in lines), value])


def machine_arguments(
    method: dict[str, Any], task: str
) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Arguments for the machine, the first of them those that come first, with their texts."""
    goes = [m for m in method["goes_with"] if task in TASKS_OF_MACHINES[m]]
    default = MACHINES[task] if MACHINES[task] in goes else goes[0]
    machine = ("machine", f'"{default}"', "str")
    text = MACHINE.replace('"svc"', f'"{default}"').replace("``\"svc:", f'``"{default}:')
    if default in ("kernel_ridge", "kernel_logistic"):
        parameter = "lambda=1.0" if default == "kernel_ridge" else "tol=1e-6"
        text = text.split("\n", 2)[2].replace("max_steps=1000", parameter)
        text = text.split("\n    Those that")[0]
        return [machine], [text]
    if task == "classify":
        return [("C", "1.0", "float"), machine], [text]
    if task == "regress":
        cost, rest = text.split("\n", 2)[:2], text.split("\n", 2)[2]
        cost[1] = "    Cost of a unit of error beyond epsilon, above 0."
        arguments = [("C", "1.0", "float"), ("epsilon", "0.1", "float"), machine]
        return arguments, ["\n".join(cost), EPSILON, rest]
    rest = text.split("\n", 2)[2].replace("as C, are", "as nu, are")
    return [("nu", "0.5", "float"), machine], [NU, rest]


def one(method: dict[str, Any], task: str) -> str:
    own = method["params"]
    names = [p["name"] for p in own]
    params = [("views", "None", "Any"), ("kernels", "None", "Any")]
    docs = [VIEWS, KERNELS]
    if task in KINDS:
        arguments, texts = machine_arguments(method, task)
        params += arguments
        docs += texts
    params += [(p["python"], default(p), annotation(p)) for p in own]
    docs += [documented(p) for p in own]
    if task == "classify":
        params += [
            ("class_weight", "None", "Any"),
            ("decomposition", '"one_vs_rest"', "str"),
            ("machine_tol", "1e-3", "float"),
            ("probability", "None", "str | None"),
            ("calibration_folds", "5", "int"),
        ]
        docs.append(MACHINE_MORE)
    elif task in KINDS:
        params.append(("machine_tol", "1e-3", "float"))
        docs.append(TOL)
    else:
        params += [
            ("graphs", "None", "Any"),
            ("n_init", "20", "int"),
            ("protocol", '"best_of"', "str"),
            ("pair_learner", "None", "PairLearner | None"),
        ]
        docs = [CLUSTERS, *docs, STARTS]
    if "scale" not in names:
        params.append(("scale", "None", "str | None"))
        docs.append(SCALE)
    if task in KINDS:
        params.append(("missing", '"auto"', "str"))
        docs.append(MISSING)
    params += RUN_DEFAULTS
    docs.append(RUN)
    title = method["title"][0].upper() + method["title"][1:]
    for_what = {"regress": ", for numbers", "detect": ", for outliers"}.get(task, "")
    parts = [
        f"{title}{for_what}.",
        "",
        paragraph(method["summary"]),
        "",
        "Parameters",
        "----------",
        *docs,
        "",
        TAILS[task],
        "",
        "References",
        "----------",
        paragraph(method["source"]) + ".",
        "",
        example(class_name(method, task), method, task),
    ]
    text = textwrap.indent("\n".join(parts), "    ").lstrip()
    lines = [f"class {class_name(method, task)}({BASES[task]}):", f'    """{text}', '    """', ""]
    lines.append(f'    _method_id = "{method["id"]}"')
    lines.append(f"    _method_params = {json.dumps(names)}")
    lines += ["", "    def __init__(", "        self,"]
    if task == "cluster":
        lines.append("        n_clusters: int = 8,")
    lines.append("        *,")
    lines += [f"        {name}: {kind} = {value}," for name, value, kind in params]
    lines.append("    ) -> None:")
    if task == "cluster":
        lines.append("        self.n_clusters = n_clusters")
    lines += [f"        self.{name} = {name}" for name, _, _ in params]
    return "\n".join(line.rstrip() for line in "\n".join(lines).split("\n"))


def module(native: Any) -> str:
    found = methods(native)
    pairs = [(m, task) for m in found for task in m["tasks"] if task in BASES]
    names = sorted(class_name(m, task) for m, task in pairs)
    listed = "\n".join(f'    "{n}",' for n in names)
    head = (
        '"""One class for each task of each method of the registry. Written by python/tools/generate.py: do not\n'
        'edit."""\n\nfrom __future__ import annotations\n\nfrom typing import Any\n\n'
        "from ._classifiers import KernelClassifier\nfrom ._clusterers import ViewClusterer\n"
        "from ._detectors import KernelOutlierDetector\nfrom ._pairs import PairLearner\nfrom ._regressors import KernelRegressor\n\n"
        f"__all__ = [\n{listed}\n]\n"
    )
    return head + "".join(f"\n\n{one(m, task)}\n" for m, task in pairs)


def main() -> None:
    native = loaded()
    for target, text in {TARGET: module(native), **generate_kernels.files(native)}.items():
        if "--check" not in sys.argv[1:]:
            target.write_text(text, encoding="utf-8")
        elif not target.exists() or target.read_text(encoding="utf-8") != text:
            sys.exit(f"{target.name} is not up to date: run `cargo xtask generate`")


if __name__ == "__main__":
    main()
