"""Refit after a 2 % change of the kernel, n = 4,000: warm start beside cold start, CPU time, one
thread, both to a relative duality gap of at most 1e-3."""

import common
from svc_inputs import certificate, gaussian_gram

TOL = 1e-3


def main():
    gram, y = gaussian_gram(4000, 20.0)
    near = 0.98 * gram + 0.02 * gaussian_gram(4000, 10.0)[0]
    with common.folder() as where:
        common.save(where, gram=gram, near=near, y=y)
        for c in (1.0, 100.0):
            found = common.ours("warm", where, c, TOL, 5)
            duals = []
            for way in ("cold", "warm"):
                coef = common.load(where, way)
                gap, dual = certificate(near, y, c, coef, found[f"{way}_bias"])
                if not gap <= TOL:
                    raise SystemExit(f"{way}, C = {c:g}: gap {gap:.2e} above {TOL:g}")
                duals.append(dual)
            common.same(f"objective, C = {c:g}", duals[:1], duals[1:], 2e-3)
            name = f"refit after a 2 % change, n = 4,000, C = {c:g}"
            common.line(name, found["warm_seconds"], found["cold_seconds"], 0.5)


main()
