"""Runs the comparisons, each in a process of its own, in two rounds, and writes README.md.

    python benchmarks/run.py            all of them, then the page
    python benchmarks/run.py spectral   only some, printed

A comparison whose results differ ends the run, and the page stays as it was.
"""

import ast
import datetime
import importlib.metadata
import os
import platform
import subprocess
import sys
import textwrap
from pathlib import Path

import common  # noqa: F401  (sets the threads before numpy is loaded)
import cokernel
import numpy  # noqa: F401
import scipy.linalg  # noqa: F401
from threadpoolctl import threadpool_info

HERE = Path(__file__).parent
SCRIPTS = [
    "svc_precomputed",
    "svc_rbf",
    "simple_mkl",
    "grid_search",
    "spectral",
    "co_training",
    "co_regularized",
]
ROUNDS = 2
PACKAGES = ["numpy", "scipy", "scikit-learn", "MKLpy", "torch", "cvxopt", "mvlearn", "polyview"]

PAGE = """# The Python package beside its peers

{made}

Peer and Cokernel run in turns in one process, on one thread. The figure is CPU time of the process
(all its threads), the least of several runs in {rounds} processes; the arrays are made beforehand.
Where the problem is the same, equal results are asserted before a line is printed; where it is not,
the line says so. Each process gives a ratio, our time divided by the peer's: below 1 Cokernel is
faster. Other work was running on the machine; where the ratios of a line are far apart, read them
as a range.

| work | peer | ours, s | peer, s | ratios |
|---|---|---|---|---|
{comparisons}

## What is compared

{notes}

## What Python adds

{overhead_note}

| work | figures | result | target |
|---|---|---|---|
{overhead}

## Again

With cokernel installed:

    pip install threadpoolctl cvxopt torch
    pip install --no-deps MKLpy==0.6 mvlearn==0.5.0 polyview==0.1.0
    python benchmarks/run.py

The last three peers ask for old versions of other packages, or for plotting, which these
comparisons do not need.
"""


def run(name):
    """The lines that a script prints; ends the run if it fails."""
    out = []
    command = [sys.executable, str(HERE / f"{name}.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for text in process.stdout:
            print(text, end="", flush=True)
            out.append(text.strip())
    if process.returncode != 0:
        sys.exit(f"{name}: ended with status {process.returncode}")
    return out


def note(name):
    """What a script says about itself."""
    return ast.get_docstring(ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8")))


def machine():
    """The class of the processor, without its model."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            pairs = [line.partition(":")[::2] for line in f]
    except OSError:
        return platform.machine()
    told = {key.strip(): value.strip() for key, value in pairs}
    avx = "AVX-512" if "avx512f" in told.get("flags", "") else "no AVX-512"
    model = " ".join(told.get("model name", platform.machine()).split()[:2])
    return f"{os.cpu_count()} cores of an {model} (family {told.get('cpu family', '?')}, {avx})"


def blas():
    """BLAS libraries and the kernels they chose."""
    found = {
        f"{info['internal_api']} {info['version']} ({info.get('architecture', '?')} kernels)"
        for info in threadpool_info()
        if info["user_api"] == "blas"
    }
    return ", ".join(sorted(found))


def made():
    """When, where and with what the page was made."""
    date = datetime.date.today().strftime("%d %B %Y").lstrip("0")
    packages = [f"cokernel {cokernel.__version__}"]
    packages += [f"{p} {importlib.metadata.version(p)}" for p in PACKAGES]
    return (
        f"Made by `python benchmarks/run.py` on {date}: {machine()}, {platform.system()}, "
        f"Python {platform.python_version()}, {', '.join(packages)}. BLAS of numpy and scipy: "
        f"{blas()}."
    )


def merged(rounds):
    """One line for each case: the least times of all rounds, and the ratio of each."""
    lines = []
    for same_case in zip(*rounds, strict=True):
        fields = [text.split(" | ") for text in same_case]
        work, peer = fields[0][:2]
        if any(f[:2] != [work, peer] for f in fields):
            sys.exit(f"{work}: the rounds gave different results")
        ours, theirs = (min((f[i] for f in fields), key=float) for i in (2, 3))
        ratios = ", ".join(sorted((f[4] for f in fields), key=float))
        lines.append(f"{work} | {peer} | {ours} | {theirs} | {ratios}")
    return lines


def table(lines):
    return "\n".join(f"| {text} |" for text in lines)


def main():
    names = sys.argv[1:]
    unknown = [n for n in names if n not in [*SCRIPTS, "overhead"]]
    if unknown:
        sys.exit(f"no comparison '{unknown[0]}'; known: {', '.join(SCRIPTS)}, overhead")
    if names:
        for name in names:
            run(name)
        return
    rounds = [[text for name in SCRIPTS for text in run(name)] for _ in range(ROUNDS)]
    write(merged(rounds), run("overhead"))


def write(lines, overhead):
    """Writes the page."""
    page = PAGE.format(
        rounds=ROUNDS,
        made=textwrap.fill(made(), 100, break_on_hyphens=False),
        comparisons=table(lines),
        notes="\n\n".join(f"### {name}.py\n\n{note(name)}" for name in SCRIPTS),
        overhead_note=note("overhead"),
        overhead=table(overhead),
    )
    target = HERE / "README.md"
    partial = target.with_suffix(".partial")
    partial.write_text(page, encoding="utf-8")
    os.replace(partial, target)


if __name__ == "__main__":
    main()
