"""Seconds, accuracy and active kernels of every method on real data, beside LMS Table 5.3.

    COKERNEL_DATA=DIR python benches/peers/every_method.py RELEASE_DIR [sonar|pima [METHOD ...]]

Sonar with 793 kernels and Pima with 117 (LMS §5.3.4: 13 on all features and 13 on each, centred and of
unit variance), features standardised, C = 10, three splits of 80 % for training, stratified; methods
that take many seconds have the first one only. CPU seconds of one thread are those of learning on
kernels that are there, machine included, and of the median split. A method is given 60 s of the
clock; it says so if it took them. Without a folder of data sets nothing is measured.
"""

import os
import statistics
import sys

from common import folder, np, ours, save

#: Printed in LMS Table 5.3.
PUBLISHED = {
    "sonar": {"alignf": 133, "ufo_mkl": 3.018, "two_stage": 1.09},
    "pima": {"alignf": 93.71, "ufo_mkl": 17.97, "two_stage": 1.3977},
}
FOLDERS = {"sonar": "sonar", "pima": "pima_diabetes"}
SPLITS = 3
SLOW = ["silp", "lanckriet_sdp", "lanckriet_alignment", "kl_divergence"]
COST, LIMIT = 10.0, 60.0


def split(y, rng):
    """Rows to learn from and to test on, a fifth of each class."""
    test = []
    for code in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == code))
        test.extend(rows[: round(len(rows) / 5)])
    test = np.sort(test)
    return np.setdiff1d(np.arange(len(y)), test), test


def table(name, only):
    root = os.path.join(os.environ["COKERNEL_DATA"], FOLDERS[name])
    x = np.loadtxt(os.path.join(root, "X.csv.gz"), delimiter=",")
    y = np.loadtxt(os.path.join(root, "labels.csv"))
    rng, results = np.random.default_rng(0), {}
    for i in range(SPLITS):
        train, test = split(y, rng)
        with folder() as here:
            save(here, x=x, labels=y, train=train, test=test)
            chosen = only
            if i > 0:
                chosen = [m for m in only or results if m not in SLOW]
            out = ours("every_method", here, COST, LIMIT, *chosen)
        for row in out["found"]:
            results.setdefault(row["id"], []).append(row)
    kernels, prepared = out["kernels"], out["prepared"]
    print(f"\n{name}: {kernels} kernels, which took {prepared:.2f} s to make\n")
    print("| method | CPU s | LMS s | accuracy | active kernels | gap | |")
    print("|---|---:|---:|---:|---:|---:|---|")
    for method, rows in results.items():
        done = [row for row in rows if "error" not in row]
        if not done:
            print(f"| `{method}` | – | – | – | – | – | {rows[0]['error']} |")
            continue
        middle = lambda key: statistics.median(row[key] for row in done)  # noqa: E731
        theirs = PUBLISHED[name].get(method, "–")
        accuracy = [row["accuracy"] for row in done]
        spread = f" ± {statistics.stdev(accuracy):.3f}" if len(accuracy) > 1 else ""
        gaps = [row["gap"] for row in done if row["gap"] is not None]
        gap = f"{max(gaps):.0e}" if gaps else "–"
        ended = {row["status"] for row in done} - {"converged", "closed form"}
        print(
            f"| `{method}` | {middle('seconds'):.3f} | {theirs} | {statistics.mean(accuracy):.3f}{spread} | "
            f"{middle('active'):.0f} | {gap} | {', '.join(sorted(ended))} |"
        )


def main():
    if "COKERNEL_DATA" not in os.environ:
        print("every_method | skipped: it needs the data folder in $COKERNEL_DATA", flush=True)
        return
    for name in sys.argv[2:3] or FOLDERS:
        table(name, sys.argv[3:])


main()
