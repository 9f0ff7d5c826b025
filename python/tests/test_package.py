"""The package itself: docstrings, types, pictures, generated files."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from typing import Any

import cokernel
import pytest
from conftest import ROOT

MODULES = ["cokernel", *(f"cokernel.{m.name}" for m in pkgutil.iter_modules(cokernel.__path__))]


@pytest.mark.parametrize("name", [m for m in MODULES if not m.endswith("._native")])
def test_docstrings(name: str) -> None:
    flags = doctest.NORMALIZE_WHITESPACE
    found = doctest.testmod(importlib.import_module(name), optionflags=flags)
    assert found.failed == 0


def test_every_public_name_is_documented() -> None:
    for name in cokernel.__all__:
        thing = getattr(cokernel, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__ and len(thing.__doc__) > 40, name
        if inspect.isclass(thing):
            given = [p for p in inspect.signature(thing.__init__).parameters if p != "self"]
            undocumented = [p for p in given if not _mentions(thing.__doc__, p)]
            assert not undocumented, f"{name}: {undocumented}"


def _mentions(text: str, name: str) -> bool:
    heads = [line for line in text.split("\n") if line.startswith("    ") and line[4:5] != " "]
    return any(name in head.replace(":", ",").replace(" ", "").split(",") for head in heads)


def test_generated_files() -> None:
    script = ROOT / "python" / "tools" / "generate.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def mypy(*arguments: str) -> None:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout


def test_types() -> None:
    example = ROOT / "python" / "tests" / "typed_example.py"
    mypy("mypy", "--strict", str(example), str(ROOT / "python" / "cokernel"))


def test_stubs_of_the_native_module() -> None:
    mypy("mypy.stubtest", "cokernel._native")


def test_pictures(digits: Any) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = digits
    clf = cokernel.MeanMKLClassifier().fit(X, y)
    ax = clf.plot_weights()
    assert [t.get_text() for t in ax.get_yticklabels()] == [w.kernel for w in clf.weights_]
    assert [p.get_width() for p in ax.patches] == [w.weight for w in clf.weights_]
    clusters = cokernel.SpectralClustering(10, random_state=0).fit(X)
    ax = clusters.plot_embedding(y)
    assert sum(len(c.get_offsets()) for c in ax.collections) == 200


def test_readme() -> None:
    """The Python of the README prints what the README says."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code = text.split("```python\n")[1].split("```")[0]
    expected = text.split("```python\n")[1].split("```text\n")[1].split("```")[0]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    # The last bits of a processor decide about last digits, and lengths of bars.
    bars = str.maketrans("", "", "█▏▎▍▌▋▊▉")
    said, shown = done.stdout.translate(bars), expected.translate(bars)
    number = r"\d+(?:\.\d+)?(?:e[-+]?\d+)?"
    assert re.sub(number, "#", said).split() == re.sub(number, "#", shown).split(), done.stderr
    for found, wanted in zip(re.findall(number, said), re.findall(number, shown), strict=True):
        assert float(found) == pytest.approx(float(wanted), rel=0.05, abs=0.003), done.stdout


def test_star_import() -> None:
    space: dict[str, Any] = {}
    exec("from cokernel import *", space)
    assert not [name for name in cokernel.__all__ if name not in space]
    assert space["load"] is cokernel.load and space["GridSearchBank"] is cokernel.GridSearchBank


def test_version_and_methods() -> None:
    assert cokernel.__version__ == cokernel._native.__version__
    ids = [m["id"] for m in cokernel.methods()]
    assert len(ids) == len(set(ids))
    tasks = [task for m in cokernel.methods() for task in m["tasks"] if task != "embed"]
    assert len(tasks) == len(cokernel._method_classes)
    assert not hasattr(cokernel, "numpy")
