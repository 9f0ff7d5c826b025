"""Counts that are mistakes when they are larger."""

from __future__ import annotations

from typing import Any

from joblib import effective_n_jobs

#: More would only wait for each other.
MOST_THREADS = 1024

#: As in experiments.
MOST_STARTS = 10_000


def threads_of(n_jobs: Any) -> int:
    """The threads that scikit-learn's ``n_jobs`` stands for."""
    count = int(effective_n_jobs(n_jobs))
    if count > MOST_THREADS:
        raise ValueError(f"n_jobs: expected at most {MOST_THREADS}, found {count}")
    return count
