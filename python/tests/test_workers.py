"""Fits towards landmarks on other processes: the same model, whoever computes and whoever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cokernel as ck


def data(n: int = 3000) -> tuple[dict[str, Any], np.ndarray]:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, n)
    a = rng.normal(size=(n, 4)) + y[:, None] * np.array([0.9, 0, 0, 0])
    b = (rng.random((n, 12)) < 0.2 + 0.2 * (np.arange(12) % 3 == y[:, None])).astype(float)
    import scipy.sparse

    return {"a": a, "b": scipy.sparse.csr_matrix(b)}, y


def learner() -> ck.MKLClassifier:
    return ck.MKLClassifier(
        "lp_norm",
        kernels=["gaussian@a:sigma=median*2^-1..1", "linear@b"],
        machine="squared_hinge_svc",
        method_params={"tol": 1e-5},
        storage="nystroem:rank=25",
        random_state=0,
    )


def same(one: Any, other: Any) -> None:
    assert np.array_equal(one.dual_coef_, other.dual_coef_)
    assert np.array_equal(one.weights_, other.weights_)
    assert np.array_equal(one.report_.gaps, other.report_.gaps)


def workers_of(executor: Any) -> list[int]:
    return list(executor._processes)


class Watched(Executor):
    """Hands tasks on; before some of them something happens."""

    def __init__(self, inner: Executor, before: Callable[[int], None]) -> None:
        self.inner, self.before, self.count = inner, before, 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.count += 1
        self.before(self.count)
        return self.inner.submit(fn, *args, **kwargs)


class WatchedClient:
    """The same for a client of Dask, which is given all tasks of a pass at once."""

    def __init__(self, client: Any, before: Callable[[int], None]) -> None:
        self.client, self.before, self.count = client, before, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def map(self, *args: Any, **kwargs: Any) -> Any:
        self.count += 1
        self.before(self.count)
        return self.client.map(*args, **kwargs)


def test_any_executor_gives_the_same_model(tmp_path: Path) -> None:
    X, y = data()
    alone = learner().fit(X, y)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool, ck.on_workers(
        pool, scratch=tmp_path, least=1
    ):
        same(alone, learner().fit(X, y))
    with ThreadPoolExecutor(3) as threads, ck.on_workers(threads, least=1, parts=5, threads=2):
        same(alone, learner().fit(X, y))
    # More than there are tiles.
    with ThreadPoolExecutor(2) as threads, ck.on_workers(threads, least=1, parts=2**31 - 1):
        same(alone, learner().fit(X, y))
    with ck.on_workers(scratch=tmp_path):
        same(alone, learner().fit(X, y))
    with ThreadPoolExecutor(1) as threads:
        given = Watched(threads, lambda _: None)
        with ck.on_workers(given):
            same(alone, learner().fit(X, y))
        assert given.count == 0, "3,000 instances are too few to be given away"
    assert not list(tmp_path.iterdir())


def test_processes_of_our_own_may_die() -> None:
    X, y = data()
    alone = learner().fit(X, y)
    killed = []

    def kill(count: int) -> None:
        # Of the first processes, and of those that came in their place.
        if count == 6 and len(killed) < 2:
            own = workers_of(current.executor.inner)
            if own:
                killed.append(own[0])
                os.kill(own[0], signal.SIGKILL)

    with ck.on_workers(2, least=1):
        from cokernel import _workers

        current = _workers.current()
        renew = current.renew

        def renewed() -> None:
            current.executor = current.executor.inner
            renew()
            current.executor = Watched(current.executor, kill)

        current.executor, current.renew = Watched(current.executor, kill), renewed
        same(alone, learner().fit(X, y))
    assert len(killed) == 2


#: Fits on two processes of its own until it is killed, and says when they work.
FITS_ON = """
import sys, time
import numpy as np, cokernel as ck
from cokernel import _workers
if __name__ == "__main__":
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    X = rng.normal(size=(3000, 4)) + y[:, None]
    fit = ck.LpNormMKLClassifier(machine="squared_hinge_svc", storage="nystroem:rank=20", random_state=0)
    with ck.on_workers(2, least=1):
        fit.fit(X, y)
        print(*_workers.current().executor._processes, flush=True)
        time.sleep(600)
"""


def test_processes_of_our_own_end_with_a_program_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "fits.py"
    script.write_text(FITS_ON)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        workers = [int(number) for number in program.stdout.readline().split()]
        assert len(workers) == 2
        program.kill()
        try:
            # What they write to is open for as long as they are there.
            assert program.communicate(timeout=60) == ("", None)
        except subprocess.TimeoutExpired:
            for worker in workers:
                os.kill(worker, signal.SIGKILL)
            raise


def test_dask_gives_the_same_model_when_a_worker_is_killed(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    X, y = data()
    alone = learner().fit(X, y)
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        inner = client.get_executor()

        def kill(count: int) -> None:
            if count == 9:
                os.kill(pids[0], signal.SIGKILL)

        for executor in (inner, client):
            with ck.on_workers(executor, scratch=tmp_path, least=1):
                assert ck._workers.current().parts == 2
                same(alone, learner().fit(X, y))
        given = Watched(inner, kill)
        with ck.on_workers(given, scratch=tmp_path, least=1, parts=2):
            same(alone, learner().fit(X, y))
        assert given.count > 9 and pids[0] not in client.run(os.getpid).values()
        # Those that are given in one message, too.
        last = list(client.run(os.getpid).values())[-1]
        watched = WatchedClient(client, lambda count: os.kill(last, signal.SIGKILL) if count == 6 else None)
        with ck.on_workers(watched, scratch=tmp_path, least=1):
            same(alone, learner().fit(X, y))
        assert watched.count > 6 and last not in client.run(os.getpid).values()
    with pytest.raises(ValueError, match="closed"), ck.on_workers(client):
        pass
    assert not list(tmp_path.iterdir())


def test_a_fit_that_was_stopped_goes_on(tmp_path: Path) -> None:
    X, y = data()
    alone = learner().fit(X, y)

    def fails(at: int) -> Callable[[int], None]:
        def before(count: int) -> None:
            if count == at:
                raise RuntimeError("the queue is closed")

        return before

    with ThreadPoolExecutor(2) as threads:
        for at in (1, 6, 15, 21):
            with ck.on_workers(Watched(threads, fails(at)), scratch=tmp_path, least=1, parts=2):
                with pytest.raises(ValueError, match="the queue is closed"):
                    learner().fit(X, y)
            assert list(tmp_path.iterdir())
            with ck.on_workers(threads, scratch=tmp_path, least=1):
                found = learner().fit(X, y)
            same(alone, found)
            assert at == 1 or any("went on from round" in note for note in found.report_.notes)
            assert not list(tmp_path.iterdir())


def of_child(X: Any, y: np.ndarray, file: str) -> None:
    try:
        learner().fit(X, y)
        said = "fitted"
    except RuntimeError as error:
        said = str(error)
    Path(file).write_text(said)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_no_workers(tmp_path: Path) -> None:
    X, y = data(300)
    with ck.on_workers(1, scratch=tmp_path / "s"):
        child = get_context("fork").Process(target=of_child, args=(X, y, str(tmp_path / "said")))
        child.start()
        child.join(60)
    assert "forked within on_workers" in (tmp_path / "said").read_text()


def test_what_does_not_go_is_said(tmp_path: Path) -> None:
    X, y = data(400)
    with ck.on_workers(scratch=tmp_path), pytest.raises(ValueError, match="nystroem"):
        ck.MKLClassifier().fit(X, y)
    for wrong in (0, 10**30, True, "dask", object(), ThreadPoolExecutor, np.int64(0)):
        with pytest.raises(ValueError, match="executor"), ck.on_workers(wrong):
            pass
    for name in ("parts", "threads", "least"):
        for number in (0, 10**30):
            with pytest.raises(ValueError, match=name), ck.on_workers(2, **{name: number}):
                pass
    (tmp_path / "file").write_text("")
    with ck.on_workers(scratch=tmp_path / "file"), pytest.raises(OSError, match="file"):
        learner().fit(X, y)
    pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    with pool, ck.on_workers(pool, scratch=tmp_path / "s", least=1):
        pool.submit(os.getpid).result()
        for pid in workers_of(pool):
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(ValueError, match="workers: "):
            learner().fit(X, y)
    same(learner().fit(X, y), learner().fit(X, y))
