"""Tables of methods and lists of classes, from the installed package."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import cokernel

TASKS: dict[str, Any] = {
    "classify": cokernel.MKLClassifier,
    "regress": cokernel.MKLRegressor,
    "detect": cokernel.MKLOutlierDetector,
    "cluster": cokernel.MultiViewSpectralClustering,
    "embed": cokernel.MultiViewEmbedding,
}
PLACE = re.compile(r"<!-- (methods|parameters|classes|machines|pairs): (\w+) -->")


def public_names() -> list[str]:
    """Full names of everything public, those of the submodules included."""
    names = []
    for name in cokernel.__all__:
        thing = getattr(cokernel, name)
        if inspect.ismodule(thing):
            names += [f"{thing.__name__}.{n}" for n in thing.__all__]
        elif not name.startswith("__"):
            names.append(f"cokernel.{name}")
    return names


def classes(task: str) -> dict[str, Any]:
    """The class of each method, by the method's id; none of the methods that embed only."""
    if task == "embed":
        return {}
    base: Any = TASKS[task].__base__
    every: list[Any] = [getattr(cokernel, name) for name in cokernel.__all__]
    kinds = [c for c in every if inspect.isclass(c) and issubclass(c, base)]
    found: list[Any] = [c for c in kinds if c is not TASKS[task]]
    return {c._method_id: c for c in found}


def of_task(task: str) -> list[dict[str, Any]]:
    """The methods of a task."""
    return [m for m in cokernel.methods() if task in m["tasks"]]


def _cell(text: Any) -> str:
    return str(text).replace("|", r"\|")


def methods(task: str) -> str:
    """A table of the methods of a task."""
    named = classes(task)
    lines = ["| group | id | method | class | certificate | source |", "|---|---|---|---|---|---|"]
    says = {"gap": "duality gap", "trace": "monotone objective", "formula": "closed form", "none": "none"}
    for m in of_task(task):
        one = named.get(m["id"], TASKS[task])
        kind = f"{{py:class}}`~cokernel.{one.__name__}`"
        cells = (m["group"], f"`{m['id']}`", m["title"], kind, says[m["certificate"]], m["source"])
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    return "\n".join(lines)


def parameters(task: str) -> str:
    """What each method of a task does, and its parameters."""
    parts = []
    for m in of_task(task):
        parts.append(f"### `{m['id']}`: {m['title']}\n\n{m['summary']}")
        if m["params"]:
            lines = ["| parameter | meaning | default | values |", "|---|---|---|---|"]
            for p in m["params"]:
                cells = (f"`{p['name']}`", p["doc"], f"`{p['default']}`", p["range"])
                lines.append("| " + " | ".join(map(_cell, cells)) + " |")
            parts.append("\n".join(lines))
    return "\n\n".join(parts)


def classes_of(task: str) -> str:
    """The documentation of the classes that have one method each."""
    lines = ["```{eval-rst}", ".. currentmodule:: cokernel", ""]
    lines += [f".. autoclass:: {kind.__name__}" for kind in classes(task).values()]
    return "\n".join([*lines, "```"])


def machines(what: str) -> str:
    """The machines, for which task each is, and its parameters (what = all)."""
    found = cokernel.machines()
    lines = ["| id | machine | task | source |", "|---|---|---|---|"]
    for m in found:
        tasks = ", ".join(m["tasks"])
        lines.append(f"| `{m['id']}` | {_cell(m['title'])} | {tasks} | {_cell(m['source'])} |")
    parts = ["\n".join(lines)]
    for m in found:
        rows = ["| parameter | meaning | default | values |", "|---|---|---|---|"]
        for p in m["params"]:
            cells = (f"`{p['name']}`", p["doc"], f"`{p['default']}`", p["range"])
            rows.append("| " + " | ".join(map(_cell, cells)) + " |")
        parts += [f"### `{m['id']}`: {m['title']}\n\n{m['summary']}", "\n".join(rows)]
    return "\n\n".join(parts)


def pairs(what: str) -> str:
    """Which methods that combine kernels go with which machines (what = all)."""
    columns = [m["id"] for m in cokernel.machines()]
    lines = ["| method | " + " | ".join(f"`{c}`" for c in columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    for m in cokernel.methods():
        if m["goes_with"]:
            cells = ("yes" if c in m["goes_with"] else "–" for c in columns)
            lines.append(f"| `{m['id']}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def inserted(text: str) -> str:
    """The text with what the places ask for."""
    makers: dict[str, Callable[[str], str]] = {
        "methods": methods,
        "parameters": parameters,
        "classes": classes_of,
        "machines": machines,
        "pairs": pairs,
    }
    return PLACE.sub(lambda found: makers[found[1]](found[2]), text)
