"""Experiments from Python: the same cells, stores and pages as on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cokernel import Splits, experiments, statistics

tomllib = pytest.importorskip("tomllib")
pytest.importorskip("pandas")

MINE: dict[str, Any] = {
    "id": "mine",
    "title": 'A "title" with \\ and ü',
    "data": {
        "kind": "toy",
        "generator": "gaussian_classes",
        "n": np.int64(60),
        "params": {"distance": np.float64(2.0)},
        "kernels": ("gaussian:sigma=median", "linear"),
    },
    "protocol": {"folds": 3, "scores": ["accuracy"]},
    "rows": [
        {"label": "mean", "method": "mean"},
        {"label": "SimpleMKL", "method": "simple_mkl", "pick": "best", "grid": {"c": [0.1, 1]}},
    ],
}


#: A list in itself.
HOLDS_ITSELF: list[Any] = []
HOLDS_ITSELF.append({"variants": HOLDS_ITSELF})


def test_odd_values_are_those_that_they_hold() -> None:
    odd = {"a": np.array(3), "b": np.array([True, False]), "c": "del \x7f", "d\x7f": np.str_("e"), "f": np.float32(0.5)}
    read = tomllib.loads(experiments.text_of(odd))
    assert read == {"a": 3, "b": [True, False], "c": "del \x7f", "d\x7f": "e", "f": 0.5}
    same = [1]
    assert tomllib.loads(experiments.text_of({"a": [same, same]})) == {"a": [[1], [1]]}


def test_a_dictionary_is_the_text_of_the_same_experiment(tmp_path: Path) -> None:
    text = experiments.text_of(MINE)
    read = tomllib.loads(text)
    assert read["title"] == MINE["title"] and read["rows"] == MINE["rows"]
    assert read["data"]["n"] == 60 and read["data"]["kernels"] == list(MINE["data"]["kernels"])
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    here, there = experiments.run(MINE), experiments.run(file, n_jobs=2)
    assert here.complete and here.cells["done"] == 9
    assert here._table == there._table and here._cells == there._cells
    table = here.table()
    assert list(table["row"]) == ["mean", "SimpleMKL"]
    by_cell = here.cell_table()
    assert len(by_cell) == 9
    of_mean = by_cell[by_cell["what"].str.contains("mean")]["accuracy"]
    assert np.isclose(of_mean.mean(), table["mean"][0], atol=1e-12)


def test_rows_are_picked_by_what_the_score_is_inside() -> None:
    """By support vectors on the inner folds once the first of all was the best, with a value of 0."""
    rows = [
        {"label": "picked", "method": "mean", "pick": "inner", "grid": {"c": [0.001, 1, 100]}},
        *({"label": f"c={c}", "method": "mean", "c": c} for c in (0.001, 1.0, 100.0)),
    ]
    for by in ("support_vectors", "total_cost"):
        protocol = {"folds": 3, "inner_folds": 3, "scores": ["accuracy", by], "pick_by": by}
        found = experiments.run({**MINE, "protocol": protocol, "rows": rows})
        cells = found.cell_table()
        inner = cells[cells["what"].str.contains("picked")]["inner"].to_numpy()
        assert len(inner) == 9 and (inner > 0).all()
        table = found.table()
        shown = table[table["score"] == by] if "score" in table else table
        means = dict(zip(shown["row"], shown["mean"]))
        assert means["picked"] < means["c=0.001"]


def test_the_resampled_test_takes_the_sizes_that_there_are() -> None:
    """Twelve classes of five: one of each is tested on, a quarter of the others, where 0.05 was asked for."""
    y = np.repeat([f"k{i:02}" for i in range(12)], 5)
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 6)) + rng.normal(size=(12, 6)).repeat(5, 0) * 1.3
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(f"{folder}/z.csv", table, delimiter=",", header="a,b,c,d,e,f", comments="")
        Path(f"{folder}/y.csv").write_text("\n".join(["y", *y]) + "\n", "utf-8")
        data = {"kind": "files", "files": {"z": f"{folder}/z.csv"}, "labels": f"{folder}/y.csv"}
        rows = [{"label": "mean", "method": "mean"}, {"label": "other", "method": "mean", "c": 0.05, "kernels": ["linear"]}]
        protocol = {"test_fraction": 0.05, "repeats": 10, "scores": ["accuracy"]}
        mine = {"id": "r", "data": data, "protocol": protocol, "rows": rows, "tests": {"baseline": "mean"}}
        found = experiments.run(mine)
        with pytest.raises(ValueError, match="lsa: its directions are those of all instances"):
            experiments.run({**mine, "data": {**data, "lsa": 2}})
    cells = found.cell_table()
    of = [cells[cells["what"].str.endswith(f", {row}")]["accuracy"].to_numpy() for row in ("mean", "other")]
    told = found.table().set_index("row")["p"]["other"]
    assert told == pytest.approx(statistics.t_test(of[1], of[0], test_over_train=12 / 48).p, abs=1e-6)
    assert abs(told - statistics.t_test(of[1], of[0], test_over_train=0.05 / 0.95).p) > 1e-4


def test_a_store_goes_on_and_is_the_command_lines(tmp_path: Path) -> None:
    store = tmp_path / "kept.sqlite"
    with pytest.warns(UserWarning, match="no result"):
        experiments.run({**MINE, "limits": {"seconds": 1e-9}}, store=store)
    with pytest.raises(ValueError, match="another specification"):
        experiments.run({**MINE, "protocol": {"folds": 4, "scores": ["accuracy"]}}, store=store)
    done = experiments.run(MINE, store=store, update=True, retry=True)
    assert done.complete and not done.troubles
    assert repr(experiments.read(store)) == repr(done)
    assert experiments.run(MINE, store=store).complete
    # Another seed is another experiment.
    other = experiments.run(MINE, random_state=7)
    assert other.seed == 7 and done.seed == 0 and other._cells != done._cells
    names = done.write_page(tmp_path / "page")
    assert "index.html" in names and (tmp_path / "page" / "table.tex").is_file()
    program = os.environ.get("COKERNEL_PROGRAM")
    if program is None:
        pytest.skip("COKERNEL_PROGRAM does not name the command line")
    called = subprocess.run(
        [program, "report", store, "-o", tmp_path / "theirs"], capture_output=True, check=True
    )
    assert called.returncode == 0
    for name in ("table.csv", "cells.csv", "index.html"):
        ours, theirs = tmp_path / "page" / name, tmp_path / "theirs" / name
        assert ours.read_bytes() == theirs.read_bytes(), name


def test_parts_are_joined(tmp_path: Path) -> None:
    whole = experiments.run(MINE)
    for k in (1, 2, 3):
        one = experiments.run(MINE, shard=f"{k}/3", store=tmp_path / f"{k}.sqlite")
        assert 0 < sum(one.cells.values()) < 9
    stores = [tmp_path / f"{k}.sqlite" for k in (1, 2, 3)]
    joined = experiments.merge(stores, tmp_path / "all.sqlite")
    assert joined.complete and joined._table == whole._table and joined._cells == whole._cells
    assert experiments.merge([stores[0]], tmp_path / "all.sqlite").complete
    experiments.run(MINE, random_state=3, store=tmp_path / "other.sqlite")
    with pytest.raises(ValueError, match="seed 0 there, 3 here"):
        experiments.merge([stores[0], tmp_path / "other.sqlite"], tmp_path / "none.sqlite")
    assert not (tmp_path / "none.sqlite").exists()
    with pytest.raises(ValueError, match="parts: they are those of an executor"):
        experiments.run(MINE, parts=3)
    with pytest.raises(ValueError, match="expected K/N"):
        experiments.run(MINE, shard="0/3")


def test_any_executor_computes_the_same(tmp_path: Path) -> None:
    whole = experiments.run(MINE)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = experiments.run(MINE, executor=pool, store=tmp_path / "a.sqlite")
        assert found._table == whole._table and found._cells == whole._cells
        with pytest.raises(ValueError, match="goes neither with shard nor with update"):
            experiments.run(MINE, executor=pool, shard="1/2")
    with ThreadPoolExecutor(2) as threads:
        again = experiments.run(MINE, executor=threads, parts=3, n_jobs=1)
        assert again._table == whole._table and again._cells == whole._cells


def test_a_worker_that_dies_loses_its_own_part_alone(tmp_path: Path) -> None:
    store = tmp_path / "a.sqlite"

    class Dies(ThreadPoolExecutor):
        def submit(self, work: Any, *args: Any, **more: Any) -> Any:
            if args[2] == "2/3":
                dying = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
                return dying.submit(os._exit, 9)
            return super().submit(work, *args, **more)

    with Dies(2) as pool, pytest.raises(RuntimeError, match="part 2/3: BrokenProcessPool.*run again to go on"):
        experiments.run(MINE, executor=pool, parts=3, store=store)
    kept = experiments.read(store)
    assert 0 < kept.cells["done"] < 9
    with ThreadPoolExecutor(2) as pool:
        done = experiments.run(MINE, executor=pool, parts=3, store=store)
    whole = experiments.run(MINE)
    assert done.complete and done._table == whole._table and done._cells == whole._cells


def test_dask_computes_the_same_when_a_worker_is_killed(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    whole = experiments.run(MINE)
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        pids, inner = list(client.run(os.getpid).values()), client.get_executor()
        given = []

        class Kills:
            """A worker dies as soon as all parts are handed out."""

            def submit(self, *args: Any) -> Any:
                given.append(inner.submit(*args))
                if len(given) == 9:
                    os.kill(pids[0], signal.SIGKILL)
                return given[-1]

        found = experiments.run(MINE, executor=Kills(), parts=9)
        assert len(given) == 9 and pids[0] not in client.run(os.getpid).values()
    assert found.complete and found._table == whole._table and found._cells == whole._cells


def test_what_ships_is_listed_and_runs() -> None:
    known = {e["id"]: e for e in experiments.shipped()}
    assert "lms-3.1" in known and known["lms-3.1"]["absent"] is None
    folder = next(i for i, e in known.items() if experiments.shipped(data="/no")[0] and e["absent"])
    with pytest.raises(ValueError, match="cannot be run"):
        experiments.run(folder)
    with pytest.warns(UserWarning, match="stopped early: .* cells have no result yet"):
        found = experiments.run("lms-fig-3.2", sets=1, time_limit=1e-9)
    assert not found.complete and found.cells["waiting"] > 0 and "waiting" in repr(found)
    assert tomllib.loads(experiments.example())["id"]
    json.dumps(found.outcomes)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"id": 1}, "expected a string"),
        ({"a": object()}, "a: expected a text"),
        ({1: 2}, "keys that are texts"),
        ({"protocol": {"seed": 2**70}}, "protocol.seed: .* too large"),
        ({"rows": HOLDS_ITSELF}, "rows.*: holds itself"),
        ({"title": "\ud800"}, "title: .* no file can hold"),
        ({**MINE, "rows": [{"label": "x", "method": "simple_mlk"}]}, "did you mean 'simple_mkl'"),
        ("nothing.toml", "cannot read the experiment"),
        ("lms-9.9", "unknown experiment"),
    ],
)
def test_what_means_nothing_is_refused(wrong: Any, says: str) -> None:
    with pytest.raises((ValueError, OSError), match=says):
        experiments.run(wrong)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sets": 0}, "sets: expected"),
        ({"repeats": True}, "repeats: expected"),
        ({"repeats": 10**8}, "more than"),
        ({"random_state": -1}, "random_state: expected"),
        ({"sets": 2**64}, "sets: expected at most"),
        ({"store": "/no/such/place/x.sqlite"}, "no/such"),
        ({"time_limit": -1}, "time_limit"),
    ],
)
def test_options_out_of_range_are_refused(options: Any, says: str) -> None:
    with pytest.raises((ValueError, OSError), match=says):
        experiments.run(MINE, **options)


def test_splits_are_shared_and_runs_are_shortened(tmp_path: Path) -> None:
    y = np.arange(60) % 2
    X = np.random.default_rng(0).normal(size=(60, 3)) + y[:, None]
    np.savetxt(tmp_path / "x.csv", X, delimiter=",")
    (tmp_path / "y.csv").write_text("\n".join("ab"[c] for c in y) + "\n")
    splits = Splits.k_fold(np.array(["a", "b"])[y], folds=3, random_state=4, name="mine")
    files = {"kind": "files", "files": {"x": tmp_path / "x.csv"}, "labels": tmp_path / "y.csv"}
    one = {**MINE, "data": files, "protocol": {"splits": splits, "scores": ["accuracy"]}}
    found = experiments.run(one, store=tmp_path / "s.sqlite")
    drawn = experiments.run({**one, "protocol": {"folds": 3, "scores": ["accuracy"]}}, random_state=4)
    scores = [list(r.cell_table()["accuracy"]) for r in (found, drawn)]
    assert scores[0] == scores[1] and found.cells["done"] == 9
    assert repr(experiments.read(tmp_path / "s.sqlite")) == repr(found)
    splits.save(tmp_path / "splits.json")
    same = experiments.run({**one, "protocol": {"splits": tmp_path / "splits.json", "scores": ["accuracy"]}})
    assert list(same.cell_table()["accuracy"]) == scores[0]
    with pytest.raises(ValueError, match="splits: they were made of other labels"):
        other = Splits.k_fold(np.repeat(["a", "b"], 30), folds=3)
        experiments.run({**one, "protocol": {"splits": other, "scores": ["accuracy"]}})
    with pytest.raises(ValueError, match="those of a file"):
        experiments.run(one, repeats=2)
    short = experiments.run(MINE, quick=True)
    assert short.cells["done"] == 3 and "(shortened)" in repr(short)
    with pytest.raises(ValueError, match="quick: it says the numbers"):
        experiments.run(MINE, quick=True, repeats=2)
