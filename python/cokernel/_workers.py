"""Fits towards landmarks on other processes and machines."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral
from pathlib import Path
from typing import Any

from . import _native

#: How often a task is given to processes of our own that end without an answer.
_TRIES = 6


def answer(task: str) -> bytes:
    """The answer to a task, on whichever machine this is."""
    return _native.answer(task)


#: What is said where processes of our own end before they answer anything.
_NO_START = (
    "the worker processes ended before they had answered anything; a script that has them started needs its work below "
    "`if __name__ == \"__main__\":`, and cannot be read from the standard input"
)


class _Given:
    """Tasks that were given away."""

    def __init__(self, workers: _Workers, tasks: list[str]) -> None:
        self._workers, self._tasks = workers, tasks
        self._tries = 1
        self._futures: list[Future[bytes]] = [workers.give(task) for task in tasks]

    def wait(self, seconds: float) -> bool:
        """Whether all are done."""
        if wait(self._futures, seconds).not_done:
            return False
        lost = [k for k, future in enumerate(self._futures) if _is_lost(future)]
        self._workers.answered |= len(lost) < len(self._futures)
        if not lost or not self._workers.own:
            return True
        # A process of our own has ended, and its pool with it.
        if not self._workers.answered and self._tries > 1:
            raise RuntimeError(_NO_START)
        if self._tries == _TRIES:
            raise RuntimeError(f"worker processes ended {_TRIES} times before a pass was done")
        self._workers.renew()
        self._tries += 1
        for k in lost:
            self._futures[k] = self._workers.give(self._tasks[k])
        return False

    def answers(self) -> list[bytes]:
        return [future.result() for future in self._futures]

    def cancel(self) -> None:
        for future in self._futures:
            future.cancel()
        self._workers.end()


class _GivenToDask:
    """Tasks that were given to Dask, in one message: of two that are submitted the second waits up to 10 ms for its turn."""

    def __init__(self, client: Any, tasks: list[str], given: dict[str, Any], waits: Executor) -> None:
        self._client = client
        self._futures = client.map(answer, tasks, **{**given, "pure": False})
        self._answers: Future[list[bytes]] = waits.submit(client.gather, self._futures)

    def wait(self, seconds: float) -> bool:
        return not wait([self._answers], seconds).not_done

    def answers(self) -> list[bytes]:
        return self._answers.result()

    def cancel(self) -> None:
        self._client.cancel(self._futures)


def _dask(executor: Any) -> tuple[Any, dict[str, Any]] | None:
    """The client that an executor of Dask has, or is, and what is said with each task."""
    client = getattr(executor, "_client", executor)
    if not all(hasattr(client, name) for name in ("map", "gather", "cancel", "nthreads")):
        return None
    return client, dict(getattr(executor, "_kwargs", {}))


def _is_lost(future: Future[bytes]) -> bool:
    return future.cancelled() or isinstance(future.exception(), BrokenProcessPool)


class _Workers:
    """What the library asks of workers."""

    def __init__(
        self, executor: Any, scratch: Path, parts: int, threads: int, least: int, own: bool
    ) -> None:
        self.executor, self.scratch, self.parts = executor, str(scratch), parts
        self.threads, self.least, self.own = threads, least, own
        self.process = os.getpid()
        #: Whether a task was ever answered.
        self.answered = False
        #: Waits for answers of Dask.
        self.waits = ThreadPoolExecutor(1, thread_name_prefix="cokernel")

    def submit(self, tasks: list[str]) -> _Given | _GivenToDask:
        dask = _dask(self.executor)
        return _Given(self, tasks) if dask is None else _GivenToDask(dask[0], tasks, dask[1], self.waits)

    def give(self, task: str) -> Future[bytes]:
        try:
            return self.executor.submit(answer, task)  # type: ignore[no-any-return]
        except BrokenProcessPool:
            if not self.own:
                raise
            self.renew()
            return self.executor.submit(answer, task)  # type: ignore[no-any-return]

    def end(self) -> None:
        """Ends processes of our own at once, whatever they are at; others come in their place where they are needed."""
        if not self.own:
            return
        processes = list((getattr(self.executor, "_processes", None) or {}).values())
        self.executor.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()
        self.executor = _processes(self.parts)

    def renew(self) -> None:
        self.executor.shutdown(wait=False, cancel_futures=True)
        self.executor = _processes(self.parts)


def _processes(count: int) -> Executor:
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, mp_context=spawn, initializer=_end_with_parent)


def _end_with_parent() -> None:
    """Ends this process when the one that started it has ended, however it did."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, name="cokernel-parent", daemon=True).start()


def _parts(executor: Any) -> int:
    """How many tasks an executor works on at once."""
    dask = _dask(executor)
    if dask is not None:
        return max(1, int(sum(dask[0].nthreads().values())))
    workers = getattr(executor, "_max_workers", None)
    return workers if isinstance(workers, int) and workers > 0 else os.cpu_count() or 1


_CURRENT: ContextVar[_Workers | None] = ContextVar("cokernel_workers", default=None)


def current() -> Any:
    """Who computes fits towards landmarks in this context."""
    workers = _CURRENT.get()
    if workers is not None and workers.executor is not None and workers.process != os.getpid():
        raise RuntimeError(
            "this process was forked within on_workers(...), whose executor belongs to its parent; leave the block before, or "
            "begin one here"
        )
    return workers


@contextmanager
def on_workers(
    executor: Any = None,
    *,
    scratch: str | os.PathLike[str] | None = None,
    parts: int | None = None,
    threads: int = 1,
    least: int = 16_384,
) -> Iterator[None]:
    """Fits towards landmarks in this block on other processes or machines; killed, they go on.

    Every fit with ``storage="nystroem:rank=..."`` or ``"fourier:rank=..."`` in the block (and in its thread: those that are started in it have blocks of
    their own) has its passes over the instances computed by the workers.
    They get texts of some hundred letters and give back P or 2 P numbers for each decision function, P the number of kernels
    times the rank. All else goes through the folder ``scratch``: the views, once; P numbers a pass; decision values, 8
    bytes for each instance; now and then covariances of a sample, 4 P² bytes for each view or for all. Nothing belongs to a worker: a task that is lost with one can be given to another, as Dask and
    processes of our own do, and the fit has the same bits as without workers.

    Parameters
    ----------
    executor : concurrent.futures.Executor, distributed.Client, int or None
        Who computes: a process pool, Dask (a client, or its ``get_executor()``), MPI (``mpi4py.futures``, not tried) or any other whose
        workers have the same version of this package; a number of processes of our own (a script then needs
        ``if __name__ == "__main__":``); ``None`` are the threads of this process, whose fits go on where they were killed.
    scratch : str or path or None
        A folder that all workers see under the same name. After every round the state of the fit is written there (about
        8 P numbers); the same fit in the same folder goes on from it, to the same bits, if ``random_state`` is a number. Empty
        again when the fit has ended.
        ``None`` is a temporary folder of this machine, removed with the block: nothing goes on then.
    parts : int or None
        How many tasks are worked on at once: a pass is cut into as many, one that takes half a second or more into four times as
        many. ``None`` is one for each thread or process of the executor.
    threads : int
        Threads of each task.
    least : int
        Instances from which on a pass is given away; those over fewer, from which a fit starts, are computed here.

    Raises
    ------
    ValueError
        A worker failed (an executor that does not give a lost task to another worker, six processes of our own in one pass,
        a folder that it does not see); what was reached stays in ``scratch``. Also where a fit in the block has another
        storage.
    RuntimeError
        A fit in a process that was forked within the block.

    Examples
    --------
    >>> import cokernel as ck
    >>> X, y = ck.datasets.load_digits_views(return_X_y=True)
    >>> svm = ck.MKLClassifier(
    ...     "lp_norm", machine="squared_hinge_svc", storage="nystroem:rank=40", random_state=0
    ... )
    >>> alone = svm.fit(X, y).score(X, y)
    >>> with ck.on_workers(2, least=1):
    ...     there = svm.fit(X, y).score(X, y)
    >>> alone == there
    True
    """
    if isinstance(executor, bool) or (isinstance(executor, Integral) and not 1 <= int(executor) <= 1024):
        raise ValueError(f"executor: expected an executor or a number of processes from 1 to 1024, found {executor!r:.80}")
    for name, value in {"parts": parts, "threads": threads, "least": least}.items():
        if value is None and name == "parts":
            continue
        most = 1024 if name == "threads" else 2**31 - 1
        if isinstance(value, bool) or not isinstance(value, Integral) or not 1 <= int(value) <= most:
            raise ValueError(f"{name}: expected a whole number from 1 to {most}, found {value!r:.80}")
    if scratch is not None and (not isinstance(scratch, (str, os.PathLike)) or not os.fspath(scratch)):
        raise ValueError(f"scratch: expected a path, found {scratch!r:.80}")
    own = isinstance(executor, Integral)
    client = getattr(executor, "_client", executor)
    if getattr(client, "status", None) == "closed":
        raise ValueError("executor: this client of Dask is closed")
    if getattr(client, "asynchronous", False):
        raise ValueError("executor: a client of Dask with asynchronous=True cannot be waited for; give one without")
    if isinstance(executor, type) or (executor is not None and not own and not hasattr(executor, "submit")):
        raise ValueError(
            f"executor: expected a concurrent.futures.Executor or a client of Dask, found {executor!r:.80}"
        )
    if own:
        executor = int(executor)
        parts = parts or executor
    with tempfile.TemporaryDirectory(prefix="cokernel-") as temporary:
        pool = _processes(executor) if own else executor
        count = int(parts or (1 if pool is None else _parts(pool)))
        folder = Path(scratch or temporary).absolute()
        workers = _Workers(pool, folder, count, int(threads), int(least), own)
        token = _CURRENT.set(workers)
        try:
            yield
        finally:
            _CURRENT.reset(token)
            workers.waits.shutdown(wait=False)
            if own:
                workers.executor.shutdown(wait=True, cancel_futures=True)
