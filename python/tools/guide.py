"""Runs the scripts in ``docs/guide/examples``; their code, output and pictures go into the pages.

    python python/tools/guide.py            rewrites pages and pictures
    python python/tools/guide.py --check    fails if they are not what the scripts give
    python python/tools/guide.py NAME …     the same for some scripts only

The check compares words exactly and numbers to a sixth: where a search is not convex, or a figure is rounded, the last bits
of a processor decide about digits.

A script is cut into cells by lines ``# %% name``. A page shows a cell, and below it what the cell
printed, between the lines ``<!-- cell: SCRIPT NAME -->`` and ``<!-- end of cell -->``. Scripts save
pictures as SVG in the working directory; pages show them from ``docs/guide/images``.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLES = DOCS / "guide" / "examples"
IMAGES = DOCS / "guide" / "images"
CELL = re.compile(r"<!-- cell: (\w+) (.+?) -->\n.*?<!-- end of cell -->\n", re.DOTALL)
#: Text stays text, and no picture holds a date or random names.
MATPLOTLIBRC = "backend: Agg\nsvg.fonttype: none\nsvg.hashsalt: cokernel\n"
SECONDS = 300


@dataclass(frozen=True)
class Cell:
    """A part of a script."""

    name: str
    first_line: int
    code: str


def cells(script: Path) -> list[Cell]:
    """The cells of a script; what stands before the first is its description."""
    found: list[Cell] = []
    name, first, lines = "", 1, list[str]()
    for number, line in enumerate([*script.read_text("utf-8").splitlines(), "# %% "], start=1):
        if not line.startswith("# %% "):
            lines.append(line)
            continue
        if name:
            found.append(Cell(name, first, "\n".join(lines).strip()))
        name, first, lines = line.removeprefix("# %% "), number + 1, []
    return found


def run_here(script: Path) -> dict[str, str]:
    """Runs the cells one after the other in this process, and gives what each printed."""
    from sklearn.exceptions import ConvergenceWarning

    warnings.simplefilter("error", ConvergenceWarning)
    space = {"__name__": "__main__"}
    printed = {}
    for cell in cells(script):
        code = "\n" * (cell.first_line - 1) + cell.code
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(code, str(script), "exec"), space)
        printed[cell.name] = "\n".join(line.rstrip() for line in out.getvalue().splitlines())
    return printed


def run(script: Path, folder: Path) -> dict[str, str]:
    """Runs a script in a process of its own and in this folder, where it leaves its pictures."""
    (folder / "matplotlibrc").write_text(MATPLOTLIBRC, "utf-8")
    environment = os.environ | {"SOURCE_DATE_EPOCH": "0", "PYTHONIOENCODING": "utf-8"}
    environment.pop("MPLBACKEND", None)
    environment.pop("MATPLOTLIBRC", None)
    done = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "--run", str(script)],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{script.name} failed:\n{done.stderr}")
    printed: dict[str, str] = json.loads(done.stdout)
    return printed


def scripts(names: list[str]) -> list[Path]:
    """The scripts of these names; all of them for none."""
    every = sorted(EXAMPLES.glob("*.py"))
    unknown = set(names) - {script.stem for script in every}
    if unknown:
        known = ", ".join(script.stem for script in every)
        raise ValueError(f"there is no script {sorted(unknown)[0]}; known: {known}")
    return [script for script in every if not names or script.stem in names]


def pages() -> dict[Path, str]:
    """The pages that show cells, and their text."""
    texts = {page: page.read_text("utf-8") for page in sorted(DOCS.rglob("*.md"))}
    return {page: text for page, text in texts.items() if CELL.search(text)}


def filled(text: str, script: Path, printed: dict[str, str]) -> str:
    """The page with the code and the output of a script."""
    code = {cell.name: cell.code for cell in cells(script)}

    def fill(found: re.Match[str]) -> str:
        stem, name = found.groups()
        if stem != script.stem:
            return found[0]
        if name not in code:
            raise ValueError(f"{script.name} has no cell {name}; known: {', '.join(code)}")
        output = f"\n```text\n{printed[name]}\n```\n" if printed[name] else ""
        body = f"```python\n{code[name]}\n```\n{output}"
        return f"<!-- cell: {stem} {name} -->\n{body}<!-- end of cell -->\n"

    return CELL.sub(fill, text)


def shown_cells(texts: list[str]) -> set[tuple[str, str]]:
    """Script and name of each cell that some page shows."""
    return {(found[1], found[2]) for text in texts for found in CELL.finditer(text)}


@dataclass(frozen=True)
class Picture:
    """What a reader sees in a picture, apart from exact places."""

    words: tuple[str, ...]
    colours: tuple[str, ...]
    marks: int

    def is_drawn(self) -> bool:
        """Whether there is more than the frame of a figure."""
        return len(self.colours) >= 2 and self.marks >= 5 and len(self.words) >= 2


def picture(path: Path) -> Picture:
    """The words of an SVG picture, its colours that are not grey, and how many marks have them."""
    words, colours, marks = [], set(), 0
    for element in ElementTree.parse(path).getroot().iter():
        kind = element.tag.rpartition("}")[2]
        text = (element.text or "").strip()
        if kind == "text" and re.search(r"[^\W\d]", text):
            words.append(text)
        found = re.findall(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", element.get("style", ""))
        coloured = {"".join(c) for c in found if len(set(c)) > 1}
        colours |= coloured
        marks += kind in ("path", "use") and bool(coloured)
    return Picture(tuple(sorted(words)), tuple(sorted(colours)), marks)


def alike(old: str, new: str, part: float = 0.15, apart: float = 0.03) -> bool:
    """Whether two texts have the same words, and numbers that differ by this part of the larger and this much at most."""
    number = r"\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
    if re.sub(number, "#", old).split() != re.sub(number, "#", new).split():
        return False
    pairs = zip(re.findall(number, old), re.findall(number, new), strict=True)
    values = [(float(a.replace(",", "")), float(b.replace(",", ""))) for a, b in pairs]
    return all(abs(a - b) <= part * max(a, b) + apart for a, b in values)


def complaints(script: Path, *, check: bool) -> list[str]:
    """Runs one script; rewrites what depends on it, or says what differs."""
    said = []
    texts = pages()
    shown = shown_cells(list(texts.values()))
    said += [
        f"{script.name}: no page shows the cell {cell.name}"
        for cell in cells(script)
        if (script.stem, cell.name) not in shown
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        printed = run(script, folder)
        for page, old in texts.items():
            new = filled(old, script, printed)
            if check and alike(old, new):
                continue
            if new != old and check:
                lines = difflib.unified_diff(
                    old.splitlines(), new.splitlines(), page.name, "now", n=1, lineterm=""
                )
                said.append("\n".join(lines))
            elif new != old:
                page.write_text(new, "utf-8")
        said += [c for svg in sorted(folder.glob("*.svg")) for c in _picture(svg, texts, check)]
    return said


def _picture(svg: Path, texts: dict[Path, str], check: bool) -> list[str]:
    """Keeps a picture that a script has made, or says how it differs from the one that is kept."""
    kept, now = IMAGES / svg.name, picture(svg)
    said = []
    if not any(f"images/{svg.name})" in text for text in texts.values()):
        said.append(f"{svg.name}: no page shows this picture")
    if not now.is_drawn():
        said.append(f"{svg.name}: there is nothing in this picture")
    if not check:
        IMAGES.mkdir(exist_ok=True)
        kept.write_bytes(svg.read_bytes())
    elif not kept.exists():
        said.append(f"{svg.name}: not in {IMAGES}")
    elif picture(kept).words != now.words:
        said.append(f"{svg.name} differs:\nkept {picture(kept)}\nnow  {now}")
    return said


def strangers() -> list[str]:
    """Cells and pictures that the pages show and no script makes."""
    made = {(script.stem, cell.name) for script in scripts([]) for cell in cells(script)}
    code = "\n".join(script.read_text("utf-8") for script in scripts([]))
    texts = list(pages().values())
    images = [name for text in texts for name in re.findall(r"\(images/(.+?)\)", text)]
    said = [f"there is no cell {cell}" for cell in sorted(shown_cells(texts) - made)]
    said += [f"no script saves {name}" for name in images if f'savefig("{name}")' not in code]
    kept = {path.name for path in IMAGES.iterdir()}
    said += [f"no page shows {name}" for name in sorted(kept - set(images))]
    return said


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--run"]:
        print(json.dumps(run_here(Path(arguments[1]))))
        return 0
    check = "--check" in arguments
    names = [a for a in arguments if a != "--check"]
    said = [line for script in scripts(names) for line in complaints(script, check=check)]
    said += strangers()
    print("\n".join(said) if said else "pages and pictures are those of the scripts")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
