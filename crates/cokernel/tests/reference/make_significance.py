"""Writes significance.json: tests of differences as scipy computes them.

Run with numpy and scipy 1.17 or later: python make_significance.py
"""

import json
from pathlib import Path

import numpy as np
from scipy import stats

rng = np.random.default_rng(2026)
cases = {"t": [], "wilcoxon": [], "friedman": [], "range": []}
for n, shift in [(2, 0.1), (5, 0.0), (10, 0.02), (30, -0.01)]:
    d = np.round(rng.normal(shift, 0.03, n), 6)
    found = stats.ttest_1samp(d, 0.0)
    # Nadeau and Bengio: the same statistic with another variance.
    ratio = 0.25
    t = d.mean() / (np.sqrt(1 / n + ratio) * d.std(ddof=1))
    cases["t"].append(
        {
            "differences": d.tolist(),
            "t": found.statistic,
            "p": found.pvalue,
            "ratio": ratio,
            "corrected_p": 2 * stats.t.sf(abs(t), n - 1),
        }
    )
for n, digits in [(4, 6), (12, 6), (9, 1), (14, 2), (60, 6), (80, 1)]:
    d = np.round(rng.normal(0.05, 0.2, n), digits)
    kept = d[d != 0]
    if len(kept) > 50:
        found = stats.wilcoxon(kept, correction=False, method="asymptotic")
    else:
        every = stats.PermutationMethod(n_resamples=2 ** len(kept))
        found = stats.wilcoxon(kept, method=every)
    cases["wilcoxon"].append(
        {"differences": d.tolist(), "statistic": found.statistic, "p": found.pvalue}
    )
for blocks, k, digits in [(6, 3, 6), (14, 4, 2), (5, 6, 1), (30, 2, 3)]:
    scores = np.round(rng.uniform(0.5, 1.0, (blocks, k)) + 0.02 * np.arange(k), digits)
    found = stats.friedmanchisquare(*scores.T) if k > 2 else None
    ranks = stats.rankdata(-scores, axis=1).mean(axis=0)
    case = {"scores": scores.tolist(), "ranks": ranks.tolist()}
    if found is not None:
        chi = found.statistic
        f = (blocks - 1) * chi / (blocks * (k - 1) - chi)
        case |= {"chi_squared": chi, "p": found.pvalue}
        case |= {"f": f, "f_p": stats.f.sf(f, k - 1, (k - 1) * (blocks - 1))}
    cases["friedman"].append(case)
for k, blocks, alpha in [(2, 7, 0.05), (5, 20, 0.05), (12, 9, 0.01), (40, 30, 0.1)]:
    q = stats.studentized_range.ppf(1 - alpha, k, np.inf)
    cd = q / np.sqrt(2) * np.sqrt(k * (k + 1) / (6 * blocks))
    cases["range"].append({"k": k, "blocks": blocks, "alpha": alpha, "difference": cd})
Path(__file__).with_name("significance.json").write_text(json.dumps(cases, indent=1) + "\n")
