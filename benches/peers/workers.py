"""A fit towards landmarks on two Dask workers beside one, and both beside threads: wall-clock seconds, the same bits.

Five generated views of ten columns, ten widths each, rank 200 (P = 10,000), a gap of 1e-3. Run it by hand with a Python that has
`cokernel` (of a release build) and `distributed`: `python benches/peers/workers.py [INSTANCES] [METHOD] [--dask-as-it-comes]`; without the
last, Dask looks after its processes less often.
"""

import os
import sys
import tempfile
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
# What Dask looks at in each process 2 to 100 times a second takes a tenth of a core with two workers, which have two cores here. The
# processes that it starts read the environment.
WATCH_LESS = {
    "DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DISTRIBUTED__WORKER__MEMORY__MONITOR_INTERVAL": "1s",
    "DISTRIBUTED__SCHEDULER__ACTIVE_MEMORY_MANAGER__START": "False",
    "DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
    "DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
}
if "--dask-as-it-comes" not in sys.argv:
    os.environ.update({f"DASK_{name}": value for name, value in WATCH_LESS.items()})

import cokernel as ck  # noqa: E402
import numpy as np  # noqa: E402
from dask.distributed import Client, LocalCluster  # noqa: E402


def made(n):
    """Rings against blobs, at another scale in each view; the later views are noise."""
    rng = np.random.default_rng(7)
    y = (rng.random(n) < 0.5).astype(int)
    views = {}
    for v in range(5):
        radius = np.where(y == 1, 1 + 0.25 * (v + 1), 1.0) if v < 3 else np.ones(n)
        views[f"v{v}"] = radius[:, None] * rng.normal(size=(n, 10))
    return views, y


def fit(method, X, y):
    start = time.time()
    model = ck.MKLClassifier(
        method,
        kernels=["gaussian:sigma=median*2^-5..4"],
        machine="squared_hinge_svc",
        storage="nystroem:rank=200",
        random_state=0,
        n_jobs=2,
    ).fit(X, y)
    return time.time() - start, model


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    n = int(words[0]) if words else 200_000
    method = words[1] if len(words) > 1 else "lp_norm"
    X, y = made(n)
    seconds, models = {}, []
    for workers in (1, 2):
        cluster = LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)
        with cluster, Client(cluster) as client, tempfile.TemporaryDirectory() as scratch:
            # Workers that have imported what they need, as those of a cluster that runs have.
            client.run(lambda: __import__("cokernel"))
            with ck.on_workers(client.get_executor(), scratch=scratch):
                seconds[workers], model = fit(method, X, y)
                models.append(model)
    seconds["threads"], model = fit(method, X, y)
    models.append(model)
    for other in models[1:]:
        if not np.array_equal(models[0].dual_coef_, other.dual_coef_):
            sys.exit("the models differ")
    report = model.report_
    if not report.duality_gap <= 1e-3:
        sys.exit(f"the gap is {report.duality_gap:.1e}")
    passes = {name: report.details[name].tolist() for name in ("passes", "passes_of_start")}
    print(f"{method}, n = {n:,}, P = 10,000, gap {report.duality_gap:.1e}, {passes}")
    for name, value in seconds.items():
        print(f"  {name}: {value:.1f} s")
    print(f"  two Dask workers are {seconds[1] / seconds[2]:.2f} x as fast as one (reach: at least 1.7 x)")


if __name__ == "__main__":
    main()
