"""How Sphinx makes the site; the command is in ``docs/install.md``.

The methods and the classes of the package are asked at build time, so a method that enters the
registry enters the site; a public name that no page documents is a warning, hence an error with -W.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import cokernel  # noqa: E402
import reference  # noqa: E402
from sphinx.util import logging  # noqa: E402

project = "Cokernel"
author = "The Cokernel developers"
copyright = "The Cokernel developers"
release = version = cokernel.__version__

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 3

default_role = "code"
autosummary_generate = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "furo"
html_title = f"Cokernel {version}"
html_copy_source = False


def _insert(app: Any, docname: str, source: list[str]) -> None:
    """Puts what the package says in the place of ``<!-- methods -->`` and the like."""
    source[0] = reference.inserted(source[0])


def _bars(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Absolute values such as |x| in docstrings are not substitutions."""
    lines[:] = [re.sub(r"\|(\w[^|`]*)\|", r"\|\1\|", line) for line in lines]


def _all_documented(app: Any, env: Any) -> None:
    """Every public name has a place in the site."""
    objects = {name for name, *_ in env.get_domain("py").get_objects()}
    for name in reference.public_names():
        if name not in objects:
            logging.getLogger(__name__).warning("no page documents %s", name)


def setup(app: Any) -> None:
    """Sphinx calls this."""
    app.connect("source-read", _insert)
    app.connect("autodoc-process-docstring", _bars)
    app.connect("env-check-consistency", _all_documented)
