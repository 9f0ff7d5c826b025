"""What several tests share."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cokernel.datasets import load_digits_views

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "crates" / "cokernel" / "tests" / "reference"


@pytest.fixture(scope="session")
def digits() -> tuple[dict[str, Any], Any]:
    """200 digits, 20 of each class: views and classes."""
    data = load_digits_views()
    rows = np.concatenate([np.arange(20) + 200 * c for c in range(10)])
    return {name: table[rows] for name, table in data.views.items()}, data.target[rows]


@pytest.fixture(scope="session")
def command_line() -> str:
    """The program `cokernel`; the environment says where it is."""
    program = os.environ.get("COKERNEL_PROGRAM")
    if program is None:
        pytest.skip("COKERNEL_PROGRAM does not name the program (cargo xtask test sets it)")
    return program


def reference(name: str) -> Any:
    """Reference values that the tests of the library use, too."""
    return json.loads((REFERENCE / name).read_text(encoding="utf-8"))
