"""Many clusters: embeddings of generated views beside transcriptions of the formulas in numpy, which
decompose every operator as a whole (`numpy.linalg.eigh`), on one thread; kernels and k-means are not
counted. Shapes: 400 instances, 4 views, 40 clusters, and 1,600 instances, 3 views, 100 clusters.

Asserted: the sums of the leading eigenvalues of the last operators to 1e-8, and the inner products of the
embeddings of 300 instances to 1e-6."""

import sys

from common import best_of, folder, in_turn, line, load, np, ours, same, save

LAMBDA = 0.05
# Instances, views, clusters, rounds, and turns of both sides, of which the least seconds count.
SHAPES = [(400, 4, 40, 10, 6), (1600, 3, 100, 3, 2)]
REACH = {"co_regularized": 4, "co_regularized_centroid": 4, "co_trained": 4, "min_disagreement": 1}


def similarities(n, views, k):
    """Gaussian kernels of k groups in 30 columns that overlap, of median width."""
    rng = np.random.default_rng(0)
    kernels = []
    for _ in range(views):
        x = (1.3 * rng.normal(size=(k, 30)))[np.arange(n) % k] + rng.normal(size=(n, 30))
        lengths = (x**2).sum(1)
        d = np.maximum(lengths[:, None] + lengths[None, :] - 2 * x @ x.T, 0)
        kernel = np.exp(-d / (2 * np.median(d[np.triu_indices(n, 1)])))
        kernels.append((kernel + kernel.T) / 2)
    return kernels


def normalized(k):
    s = 1 / np.sqrt(k.sum(1))
    return k * s[:, None] * s[None, :]


def top(a, k):
    values, vectors = np.linalg.eigh(a)
    return values[::-1][:k], vectors[:, ::-1][:, :k]


def unit(u):
    return u / np.linalg.norm(u, axis=1, keepdims=True)


def co_regularized(kernels, k, rounds):
    views = range(len(kernels))
    laplacians = [normalized(x) for x in kernels]
    values, u = map(list, zip(*[top(x, k) for x in laplacians]))
    for _ in range(rounds):
        for v in views:
            drawn = laplacians[v] + LAMBDA * sum(u[w] @ u[w].T for w in views if w != v)
            values[v], u[v] = top(drawn, k)
    return [x.sum() for x in values], np.hstack([unit(x) for x in u])


def co_regularized_centroid(kernels, k, rounds):
    views = range(len(kernels))
    laplacians = [normalized(x) for x in kernels]
    values, u = map(list, zip(*[top(x, k) for x in laplacians]))
    centroid = top(LAMBDA * sum(x @ x.T for x in u), k)[1]
    for _ in range(rounds):
        for v in views:
            values[v], u[v] = top(laplacians[v] + LAMBDA * centroid @ centroid.T, k)
        centroid = top(LAMBDA * sum(x @ x.T for x in u), k)[1]
    return [x.sum() for x in values], unit(centroid)


def co_trained(kernels, k, rounds):
    views = range(len(kernels))
    values, u = map(list, zip(*[top(normalized(x), k) for x in kernels]))
    for _ in range(rounds):
        found = []
        for v in views:
            s = sum(u[w] @ u[w].T for w in views if w != v) @ kernels[v]
            s = (s + s.T) / 2
            found.append(top(normalized(s - min(s.min(), 0)), k))
        values, u = map(list, zip(*found))
    return [x.sum() for x in values], np.hstack([unit(x) for x in u])


def min_disagreement(kernels, k, rounds):
    n, views = len(kernels[0]), range(len(kernels))
    zero = np.zeros((n, n))
    a = np.block([[kernels[v] @ kernels[w] if v != w else zero for w in views] for v in views])
    values, u = top(normalized(a), k)
    parts = [unit(u[v * n : (v + 1) * n]) for v in views]
    return [values.sum()], sum(parts) / len(parts)


PEERS = {
    "co_regularized": co_regularized,
    "co_regularized_centroid": co_regularized_centroid,
    "co_trained": co_trained,
    "min_disagreement": min_disagreement,
}


def main():
    chosen = sys.argv[2:] or list(REACH)
    for n, views, k, rounds, turns in SHAPES:
        kernels = similarities(n, views, k)
        some = np.random.default_rng(1).choice(n, 300, replace=False)
        with folder() as where:
            save(where, **{f"k{v}": x for v, x in enumerate(kernels)})
            for name in chosen:

                def run():
                    out = ours("many_clusters", where, name, k, rounds, 4)
                    return out["seconds"], out

                (peer, (sums, rows)), (seconds, out) = in_turn(
                    turns, lambda: best_of(1, lambda: PEERS[name](kernels, k, rounds)), run
                )
                got = load(where, "rows")[some]
                same(f"{name}: sums of eigenvalues", out["sums"], sums, 1e-8)
                same(f"{name}: embedding", got @ got.T, rows[some] @ rows[some].T, 1e-6)
                title = f"{name} n={n}, {views} views, {k} clusters, {rounds} rounds, numpy"
                line(title, seconds, peer, REACH[name], least=True)


main()
