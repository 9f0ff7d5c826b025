"""Parts of an experiment on the workers of an executor, joined in one store."""

from __future__ import annotations

import os
import sys
import tempfile
from concurrent.futures import Future, as_completed
from pathlib import Path
from typing import Any

from . import _native

#: Parts for each worker where no number is given: a slow one keeps nobody waiting for long.
_EACH = 4


def part(
    options: dict[str, Any], call: dict[str, Any], shard: str, begun: bytes | None
) -> bytes:
    """Computes one part, on whichever machine this is; the content of its store.

    ``begun`` is that of a store whose results are there already.
    """
    with tempfile.TemporaryDirectory(prefix="cokernel-") as folder:
        store = Path(folder) / "part.sqlite"
        if begun is not None:
            store.write_bytes(begun)
        _native.run_experiment(_native.Run(**options), store=str(store), shard=shard, **call)
        return store.read_bytes()


def count(executor: Any, parts: int | None) -> int:
    """The number of parts."""
    if parts is not None:
        return parts
    workers = getattr(executor, "_max_workers", None)
    return _EACH * (workers if isinstance(workers, int) and workers > 0 else os.cpu_count() or 1)


def run(
    executor: Any,
    parts: int,
    store: Path,
    options: dict[str, Any],
    call: dict[str, Any],
    verbose: bool,
) -> list[str]:
    """Has all parts computed and joins each in the store as soon as it is there; why some have failed."""
    begun = store.read_bytes() if store.exists() else None
    futures: dict[Future[bytes], str] = {
        executor.submit(part, options, call, shard, begun): shard
        for shard in (f"{k + 1}/{parts}" for k in range(parts))
    }
    failed: list[str] = []
    try:
        for done, future in enumerate(as_completed(futures), 1):
            why = future.exception()
            if why is not None:
                failed.append(f"part {futures[future]}: {type(why).__name__}: {why}")
            else:
                _join(future.result(), store)
            if verbose:
                print(f"{done} of {parts} parts are done", file=sys.stderr)
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return failed


def _join(content: bytes, store: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="cokernel-") as folder:
        other = Path(folder) / "part.sqlite"
        other.write_bytes(content)
        _native.merge_stores([str(other)], str(store))
