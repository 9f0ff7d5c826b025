"""BEMKL, 50 sweeps with dense weights, against a transcription of its public MATLAB program in numpy.

The transcription has the steps of bemkl_supervised_classification_variational_train.m, its order and its matrices, from the
start that ours has; the lower bound is computed once, after the last sweep (with the factors of sigma_g and the entropy of
truncated values that the program leaves out), while ours has it after each. Both bounds and weights have to be equal.
"""

import sys

from common import best_of, folder, line, load, np, ours, save, twenty_kernels
from scipy.special import digamma, gammaln, log_ndtr

SWEEPS = 50
LOG_TAU = np.log(2 * np.pi)


def gamma_terms(a0, b0, a, b):
    log = digamma(a) + np.log(b)
    prior = (a0 - 1) * log - a * b / b0 - gammaln(a0) - a0 * np.log(b0)
    return np.sum(prior + a + np.log(b) + gammaln(a) + (1 - a) * digamma(a))


def logdet(a):
    return 2 * np.log(np.diag(np.linalg.cholesky(a))).sum()


def bemkl(K, y, margin=1.0, sigma_g=0.1):
    P, N, _ = K.shape
    tau = sigma_g**-2
    KK = np.zeros((N, N))
    for k in K:
        KK += k @ k.T
    f = y * (margin + np.sqrt(2 / np.pi))
    G = np.tile(f, (P, 1))
    a_mu, a_sigma = np.zeros(N), np.eye(N)
    b, e = 0.0, np.ones(P)
    be_sigma = np.eye(P + 1)
    KG = sum(k @ g for k, g in zip(K, G))
    aa = np.diag(a_mu**2 + np.diag(a_sigma))
    ee = np.outer(e, e) + be_sigma[1:, 1:]
    eb = e * b + be_sigma[1:, 0]
    bb = b * b + be_sigma[0, 0]
    for _ in range(SWEEPS):
        l_beta = 1 / (1 + 0.5 * np.diag(aa))
        a_sigma = np.linalg.solve(np.diag(1.5 * l_beta) + tau * KK, np.eye(N))
        a_mu = tau * (a_sigma @ KG)
        aa = np.outer(a_mu, a_mu) + a_sigma
        G_sigma = np.linalg.solve(tau * np.eye(P) + ee, np.eye(P))
        G = G_sigma @ (tau * (K @ a_mu) + np.outer(e, f) - eb[:, None])
        GG = G @ G.T + N * G_sigma
        KG = sum(k @ g for k, g in zip(K, G))
        g_beta = 1 / (1 + 0.5 * bb)
        o_beta = 1 / (1 + 0.5 * np.diag(ee))
        precision = np.empty((P + 1, P + 1))
        precision[0, 0] = 1.5 * g_beta + N
        precision[0, 1:] = precision[1:, 0] = G.sum(1)
        precision[1:, 1:] = np.diag(1.5 * o_beta) + GG
        be_sigma = np.linalg.solve(precision, np.eye(P + 1))
        be = be_sigma @ np.r_[f.sum(), G @ f]
        b, e = be[0], be[1:]
        bb = b * b + be_sigma[0, 0]
        ee = np.outer(e, e) + be_sigma[1:, 1:]
        eb = e * b + be_sigma[1:, 0]
        mean = b + G.T @ e
        z = log_ndtr(y * mean - margin)
        f = mean + y * np.exp(-0.5 * (y * mean - margin) ** 2 - 0.5 * LOG_TAU - z)
    distance = np.trace(GG) - 2 * a_mu @ KG + np.sum(KK * aa)
    square = np.sum(ee * GG) + 2 * G.sum(1) @ eb + N * bb
    bound = z.sum() - 0.5 * (square - mean @ mean)
    bound -= 0.5 * (tau * distance + N * P * (LOG_TAU - np.log(tau)))
    bound += 0.5 * N * (P * (LOG_TAU + 1) + logdet(G_sigma))
    bound += 0.5 * (N * (LOG_TAU + 1) + logdet(a_sigma))
    bound += 0.5 * ((P + 1) * (LOG_TAU + 1) + logdet(be_sigma))
    for beta, second in ((l_beta, np.diag(aa)), (g_beta, bb), (o_beta, np.diag(ee))):
        log = digamma(1.5) + np.log(beta)
        bound += gamma_terms(1, 1, 1.5, beta) + 0.5 * np.sum(log - LOG_TAU - 1.5 * beta * second)
    return bound, e


many, label = twenty_kernels(1000)
K = np.stack(many)
y = np.where(np.asarray(label) > 0, 1.0, -1.0)
K = K / np.mean([np.diag(k).mean() for k in K])
with folder() as where:
    save(where, kernels=np.concatenate(many), labels=y)
    out = ours("bemkl", where, SWEEPS, 3)
    weights = load(where, "weights")[0]
peer, (bound, e) = best_of(1, lambda: bemkl(K, y))
if abs(out["bound"] - bound) > 1e-7 * abs(bound) or np.abs(weights - e).max() > 1e-5:
    sys.exit(f"bemkl: bounds {out['bound']:.8f} and {bound:.8f}, weights apart {np.abs(weights - e).max():.1e}")
line(
    f"BEMKL, n = 1,000, 20 kernels, {SWEEPS} sweeps, bounds equal to {abs(out['bound'] / bound - 1):.0e} / "
    "its public program in numpy, 1 thread",
    out["seconds"],
    peer,
    5,
    least=True,
)
