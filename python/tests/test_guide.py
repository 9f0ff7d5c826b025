"""The guide shows what its scripts print and draw."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("pandas")


def tool() -> ModuleType:
    path = Path(__file__).resolve().parents[1] / "tools" / "guide.py"
    spec = importlib.util.spec_from_file_location("guide", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["guide"] = module
    spec.loader.exec_module(module)
    return module


guide = tool()


@pytest.mark.parametrize("script", guide.scripts([]), ids=lambda script: script.stem)
def test_script_gives_what_the_pages_show(script: Path) -> None:
    said = guide.complaints(script, check=True)
    assert not said, "\n".join(said)


def test_pages_show_nothing_else() -> None:
    assert guide.strangers() == []


def test_pages_have_pictures() -> None:
    pictures = sorted(guide.IMAGES.glob("*.svg"))
    assert len(pictures) >= 5
    assert all(guide.picture(path).is_drawn() for path in pictures)


def test_an_empty_picture_is_noticed(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    ax = figure.subplots()
    ax.set(title="nothing", xlabel="in", ylabel="it")
    figure.savefig(tmp_path / "empty.svg")
    assert not guide.picture(tmp_path / "empty.svg").is_drawn()


def test_another_output_and_a_failure_are_noticed(tmp_path: Path) -> None:
    script = tmp_path / "small.py"
    script.write_text(
        '"""Small."""\n\n# %% one\nx = 1\nprint(x)\n\n# %% two\nprint(x + 1)\n', "utf-8"
    )
    printed = guide.run(script, tmp_path)
    assert printed == {"one": "1", "two": "2"}
    page = "<!-- cell: small two -->\n<!-- end of cell -->\n"
    shown = guide.filled(page, script, printed)
    assert shown == (
        "<!-- cell: small two -->\n```python\nprint(x + 1)\n```\n\n```text\n2\n```\n"
        "<!-- end of cell -->\n"
    )
    assert guide.filled(shown, script, printed) == shown
    assert guide.filled(shown, script, printed | {"two": "3"}) != shown
    script.write_text("# %% one\nraise ValueError('so')\n", "utf-8")
    with pytest.raises(RuntimeError, match="so"):
        guide.run(script, tmp_path)


def test_words_are_compared_exactly_and_numbers_to_a_sixth() -> None:
    assert guide.alike("accuracy 0.93, 18 features\n", "accuracy  0.94, 20 features\n")
    assert not guide.alike("accuracy 0.93", "accuracy 0.70")
    assert not guide.alike("accuracy 0.93", "precision 0.93")
    assert not guide.alike("gates [1, 0]", "gates [1, 0, 0]")
    assert not guide.alike("1,200 rows", "2,000 rows")
