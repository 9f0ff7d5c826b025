"""One kernel machine on a given Gram matrix, n = 2,000, beside scikit-learn's
`SVC(kernel="precomputed")`.

Both to a relative duality gap of at most 1e-3 (scikit-learn at the loosest `tol` of a list that
reaches it), which is recomputed here from the Gram matrix. Asserted: both gaps, dual objectives
equal to 2e-3 and, with both solvers run to much tighter tolerances, to 1e-6 and the decision
values of 2,000 new instances to 1e-3 of the largest.
"""

from common import at_most, certificate, line, loosest_svc, machine, np, race, same, two_classes

from cokernel import MeanMKLClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

N, GAP, GAMMA = 2000, 1e-3, 1 / 40


def main():
    x, y = two_classes(2 * N)
    gram, cross, y = rbf_kernel(x[:N], gamma=GAMMA), rbf_kernel(x[N:], x[:N], gamma=GAMMA), y[:N]
    gram = 0.5 * (gram + gram.T)
    for c in (1.0, 100.0):

        def svc(tol, c=c):
            return SVC(C=c, kernel="precomputed", tol=tol, cache_size=500)

        def ours(tol, c=c):
            return MeanMKLClassifier(kernels="precomputed", C=c, machine_tol=tol)

        tol, _ = loosest_svc(svc, lambda model: model.fit(gram, y), gram, y, c, GAP)
        (seconds, ran), (peer, other) = race(
            lambda: ours(GAP).fit(gram, y), lambda: svc(tol).fit(gram, y), 7
        )
        gap, dual = certificate(gram, y, c, *machine(ran, N))
        at_most("our duality gap", gap, GAP)
        same("dual objective", [dual], [certificate(gram, y, c, *machine(other, N))[1]], 2e-3)
        exact = ours(1e-9).fit(gram, y), svc(1e-8).fit(gram, y)
        duals = [[certificate(gram, y, c, *machine(m, N))[1]] for m in exact]
        same("dual objective of tight solutions", *duals, 1e-6)
        values = [m.decision_function(cross) for m in exact]
        same("decision values of tight solutions", *values, 1e-3)
        line(f"SVC on a Gram, n = 2,000, C = {c:g}: fit", "sklearn SVC", seconds, peer)
        (seconds, _), (peer, _) = race(
            lambda: exact[0].decision_function(cross), lambda: exact[1].decision_function(cross), 7
        )
        work = f"the same, decision values of 2,000 new rows, {len(exact[0].support_)} vectors"
        line(work, "sklearn SVC", seconds, peer)
        same("number of support vectors", len(exact[0].support_), len(exact[1].support_), 0.05)


main()
