"""EasyMKL and centred kernel alignment of MKLpy 0.6, n = 1,000, 20 Gaussian kernels.

MKLpy needs PyTorch, which takes gigabytes, so the environment of the benchmarks does without it: where it
is not there the script says how to get it. Equal results first: the weights of EasyMKL; for alignment the
products of the centred kernels with each other and with the ideal kernel, from which both sides go
different ways (ours to the best non-negative weights, MKLpy's to those of any sign).
"""

from common import folder, in_turn, line, load, np, ours, same, save
import sys
import time

N, KERNELS, LAMBDA, TOL = 1000, 20, 0.1, 1e-5
REACH = {"easy_mkl": 10, "alignf": 500}


def kernels():
    rng = np.random.default_rng(1)
    y = np.where(np.arange(N) % 2 == 0, 1.0, -1.0)
    x = rng.normal(size=(N, 10))
    x[:, :3] += 0.7 * y[:, None]
    many = []
    # Four widths on each of five pairs of features.
    for pair in range(5):
        part = x[:, 2 * pair : 2 * pair + 2]
        square = ((part[:, None] - part[None]) ** 2).sum(2)
        median = np.median(square[square > 0])
        many += [np.exp(-square / median * 4.0**k) for k in range(-1, KERNELS // 5 - 1)]
    return many, y


def timed(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def main():
    try:
        import torch
        from MKLpy.algorithms import CKA, EasyMKL
        from MKLpy.preprocessing import kernel_centering
    except ImportError as missing:
        how = "target/bench-python/bin/pip install MKLpy==0.6"
        print(f"easy_mkl: left out ({missing}; MKLpy needs PyTorch, some gigabytes: {how})")
        return
    torch.set_num_threads(1)
    many, y = kernels()
    tensors = [torch.tensor(k) for k in many]
    labels = torch.tensor(y)
    with folder() as where:
        save(where, kernels=np.concatenate(many), labels=y)

        def own(*given):
            def run():
                out = ours("easy_mkl", where, *given)
                return out["seconds"], (load(where, "weights")[0], out["gap"])

            return run

        def peer(algorithm):
            return lambda: timed(lambda: algorithm.combine_kernels(tensors, labels).weights)

        (theirs, w), (seconds, (found, gap)) = in_turn(
            3, peer(EasyMKL(lam=LAMBDA)), own("easy_mkl", 7, f"lambda={LAMBDA}", f"tol={TOL}")
        )
        same("EasyMKL", found, w.numpy(), 1e-4)
        name = f"EasyMKL n = {N}, {KERNELS} kernels, gap {gap:.0e}, 1 thread"
        line(name, seconds, theirs, REACH["easy_mkl"], least=True)

        (theirs, w), (seconds, (found, gap)) = in_turn(2, peer(CKA()), own("alignf", 7))
        centred = [kernel_centering(k).numpy().ravel() for k in tensors]
        inner = np.array([[a @ b for b in centred] for a in centred])
        target = np.array([a @ np.outer(y, y).ravel() for a in centred])
        same("products of centred kernels", load(where, "inner"), inner, 1e-9)
        same("products with the ideal kernel", load(where, "target")[0], target, 1e-9)
        free = np.linalg.solve(inner, target)
        same("MKLpy's weights", w.numpy(), free / np.linalg.norm(free), 1e-6)

        def reached(v):
            return v @ target / np.sqrt(v @ inner @ v)

        if not reached(found) >= max(reached(v) for v in np.eye(KERNELS)) * (1 - 1e-12):
            sys.exit("alignf: a single kernel is better than the combination")
        name = f"centred alignment n = {N}, {KERNELS} kernels, gap {gap:.0e}, 1 thread"
        line(name, seconds, theirs, REACH["alignf"], least=True)


main()
