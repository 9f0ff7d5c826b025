"""Bayesian methods beside dense transcriptions in numpy, scikit-learn, and a long chain of another sampler."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import digamma, expit, gammaln, log_ndtr, ndtr, ndtri
from scipy.stats import truncnorm
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.metrics import brier_score_loss, log_loss

from cokernel import (
    BEMKLClassifier,
    BEMKLRegressor,
    GaussianProcessMKLClassifier,
    GibbsProbitMKLClassifier,
    GirolamiRogersMKLClassifier,
    MKLClassifier,
    gaussian,
    load,
)

#: Matrices and vectors of f64.
Array = Any
GAMMA = 0.5


def data(n: int = 70, classes: int = 2) -> tuple[Array, Any, dict[str, Any]]:
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(n, 3))
    score = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.4 * rng.normal(size=n)
    y = np.digitize(score, [0.0] if classes == 2 else [-0.5, 0.5])
    return X, y, {"a": [0], "b": [1], "c": [2]}


def grams(X: Array, Z: Array) -> Array:
    return np.array([np.exp(-GAMMA * (X[:, [m]] - Z[:, [m]].T) ** 2) for m in range(3)])


def logdet(A: Array) -> float:
    return float(np.linalg.slogdet(A)[1])


def gamma_terms(a0: float, b0: float, a: Any, b: Any) -> float:
    """E ln p − E ln q of gamma variables (shape, scale)."""
    log = digamma(a) + np.log(b)
    prior = (a0 - 1) * log - a * b / b0 - gammaln(a0) - a0 * np.log(b0)
    entropy = a + np.log(b) + gammaln(a) + (1 - a) * digamma(a)
    return float(np.sum(prior + entropy))


class Dense:
    """BEMKL by the formulas of the paper, every matrix written down; Y: functions × n, or y for numbers."""

    def __init__(
        self, K: Array, Y: Array, numbers: bool, prior: tuple[float, float], sweeps: int
    ) -> None:
        M, n, _ = K.shape
        L = len(Y)
        margin, tau, eps = 1.0, 100.0, 1.0
        F = Y.copy() if numbers else Y * (margin + np.sqrt(2 / np.pi))
        G = np.array([np.tile(f, (M, 1)) for f in F])
        A, SA = np.zeros((L, n)), np.array([np.eye(n)] * L)
        be, Sbe = np.r_[np.zeros(L), np.ones(M)], np.eye(L + M)
        KK = sum(k @ k.T for k in K)
        la, ga, oa = 1.5, 1.5, prior[0] + 0.5
        ua, na = 1 + 0.5 * n * M, 1 + 0.5 * n
        self.bounds: list[float] = []
        l2p = np.log(2 * np.pi)
        for _ in range(sweeps):
            aa = np.array([np.outer(A[o], A[o]) + SA[o] for o in range(L)])
            lb = 1 / (1 + 0.5 * np.array([np.diag(a) for a in aa]))
            for o in range(L):
                SA[o] = np.linalg.inv(np.diag(la * lb[o]) + tau * KK)
                A[o] = SA[o] @ (tau * sum(K[m] @ G[o][m] for m in range(M)))
                aa[o] = np.outer(A[o], A[o]) + SA[o]
            ee = np.outer(be[L:], be[L:]) + Sbe[L:, L:]
            SG = np.linalg.inv(tau * np.eye(M) + eps * ee)
            for o in range(L):
                eb = be[L:] * be[o] + Sbe[L:, o]
                right = tau * (K @ A[o]) + eps * (np.outer(be[L:], F[o]) - eb[:, None])
                G[o] = SG @ right
            GG = np.array([G[o] @ G[o].T + n * SG for o in range(L)])
            bb = np.outer(be[:L], be[:L]) + Sbe[:L, :L]
            gb = 1 / (1 + 0.5 * np.diag(bb))
            ob = 1 / (1 / prior[1] + 0.5 * np.diag(ee))
            P = np.zeros((L + M, L + M))
            P[:L, :L] = np.diag(ga * gb) + eps * n * np.eye(L)
            P[L:, :L] = eps * np.array([g.sum(1) for g in G]).T
            P[:L, L:] = P[L:, :L].T
            P[L:, L:] = np.diag(oa * ob) + eps * GG.sum(0)
            Sbe = np.linalg.inv(P)
            be = Sbe @ np.r_[eps * F.sum(1), eps * sum(G[o] @ F[o] for o in range(L))]
            ee = np.outer(be[L:], be[L:]) + Sbe[L:, L:]
            bb = np.outer(be[:L], be[:L]) + Sbe[:L, :L]
            mean = np.array([G[o].T @ be[L:] + be[o] for o in range(L)])
            square = np.zeros(L)
            for o in range(L):
                eb = be[L:] * be[o] + Sbe[L:, o]
                square[o] = np.sum(ee * GG[o]) + 2 * G[o].sum(1) @ eb + n * bb[o, o]
            distance = sum(
                np.trace(GG[o])
                - 2 * A[o] @ sum(K[m] @ G[o][m] for m in range(M))
                + np.sum(KK * aa[o])
                for o in range(L)
            )
            bound = 0.0
            if numbers:
                ub = 1 / (1 + 0.5 * distance)
                errors = Y[0] @ Y[0] - 2 * Y[0] @ mean[0] + square[0]
                nb = 1 / (1 + 0.5 * errors)
                tau, eps = ua * ub, na * nb
                bound += gamma_terms(1, 1, ua, ub) + gamma_terms(1, 1, na, nb)
                log_tau, log_eps = digamma(ua) + np.log(ub), digamma(na) + np.log(nb)
                bound += -0.5 * eps * errors - 0.5 * n * (l2p - log_eps)
            else:
                low = np.where(Y > 0, margin - mean, -np.inf)
                high = np.where(Y > 0, np.inf, -margin - mean)
                F = mean + truncnorm.mean(low, high)
                inside = truncnorm.var(low, high) + (F - mean) ** 2
                log_tau = np.log(tau)
                # E ln p(f | G, b, e) and the entropy of the truncated values.
                spread = inside + mean**2 + 2 * mean * (F - mean)
                bound += -0.5 * np.sum(spread - 2 * mean * F) - 0.5 * square.sum()
                bound += -0.5 * L * n * l2p
                z = log_ndtr(Y * mean - margin)
                bound += np.sum(z + 0.5 * l2p + 0.5 * inside)
            bound += -0.5 * tau * distance - 0.5 * L * n * M * (l2p - log_tau)
            bound += 0.5 * L * n * (M * (l2p + 1) + logdet(SG))
            bound += gamma_terms(1, 1, la, lb) + gamma_terms(1, 1, ga, gb)
            bound += gamma_terms(prior[0], prior[1], oa, ob)
            for o in range(L):
                log = digamma(la) + np.log(lb[o])
                bound += 0.5 * np.sum(log - l2p - la * lb[o] * np.diag(aa[o]))
                bound += 0.5 * (n * (l2p + 1) + logdet(SA[o]))
            bound += 0.5 * np.sum(digamma(ga) + np.log(gb) - l2p - ga * gb * np.diag(bb))
            bound += 0.5 * np.sum(digamma(oa) + np.log(ob) - l2p - oa * ob * np.diag(ee))
            bound += 0.5 * ((L + M) * (l2p + 1) + logdet(Sbe))
            self.bounds.append(float(bound))
        self.A, self.be, self.Sbe, self.eps, self.L = A, be, Sbe, eps, L

    def told(self, K: Array) -> tuple[Array, Array]:
        """Means and variances of new instances; K: kernels × training × new."""
        means, variances = [], []
        for o in range(self.L):
            G = np.einsum("i,mij->mj", self.A[o], K)
            z = np.vstack([np.ones(K.shape[2]), G])
            own = np.r_[o, self.L : len(self.be)]
            means.append(z.T @ self.be[own])
            inner = np.einsum("ij,ik,kj->j", z, self.Sbe[np.ix_(own, own)], z)
            variances.append(1 / self.eps + inner)
        return np.array(means), np.array(variances)


def sides(mean: Array, variance: Array) -> tuple[Array, Array]:
    return ndtr((mean - 1) / np.sqrt(variance)), ndtr((-mean - 1) / np.sqrt(variance))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("prior", ["dense", "sparse"])
def test_bemkl_is_its_dense_transcription(classes: int, prior: str) -> None:
    X, y, views = data(classes=classes)
    clf = BEMKLClassifier(
        views=views, kernels=[gaussian(gamma=GAMMA)], weights_prior=prior, max_iterations=25, tol=1e-300
    )
    with pytest.warns(Warning, match="iteration"):
        clf.fit(X, y)
    Y = np.where(y == 1, 1.0, -1.0)[None] if classes == 2 else np.where(y == np.arange(3)[:, None], 1.0, -1.0)
    dense = Dense(grams(X, X), Y, False, (1.0, 1.0) if prior == "dense" else (1e-10, 1e10), 25)
    # Inverses that serve several sweeps leave out less than a thousandth of the last gain.
    assert clf.report_.objective == pytest.approx(dense.bounds, rel=1e-8)
    assert (np.diff(clf.report_.objective) > -1e-8).all()
    L = dense.L
    assert np.asarray(clf.weights_) == pytest.approx(dense.be[L:], rel=1e-6, abs=1e-5)
    assert clf.weights_.errors == pytest.approx(np.sqrt(np.diag(dense.Sbe))[L:], rel=1e-6)
    new = np.random.default_rng(8).uniform(-3, 3, size=(30, 3))
    mean, variance = dense.told(grams(X, new))
    plus, minus = sides(mean, variance)
    p = plus / (plus + minus)
    want = np.column_stack([1 - p[0], p[0]]) if classes == 2 else (p / p.sum(0)).T
    assert clf.predict_proba(new) == pytest.approx(want, abs=1e-6)
    assert "±" in repr(clf.weights_) and "error" in clf.weights_.to_frame()


def test_bemkl_of_numbers_is_its_dense_transcription() -> None:
    X, _, views = data()
    y = 5 + 3 * np.sin(2 * X[:, 0]) + np.random.default_rng(1).normal(size=len(X))
    reg = BEMKLRegressor(
        views=views, kernels=[gaussian(gamma=GAMMA)], max_iterations=30, tol=1e-300
    )
    with pytest.warns(Warning, match="iteration"):
        reg.fit(X, y)
    sd = y.std()
    dense = Dense(grams(X, X), ((y - y.mean()) / sd)[None], True, (1.0, 1.0), 30)
    shift = len(y) * np.log(sd)
    assert reg.report_.objective + shift == pytest.approx(dense.bounds, rel=1e-8)
    new = np.random.default_rng(8).uniform(-3, 3, size=(30, 3))
    mean, variance = dense.told(grams(X, new))
    found, std = reg.predict(new, return_std=True)
    assert found == pytest.approx(y.mean() + sd * mean[0], rel=1e-6)
    assert std == pytest.approx(sd * np.sqrt(variance[0]), rel=1e-6)


def density(f: float, m: float, v: float) -> float:
    """The logistic function times a normal density."""
    return float(expit(f) * np.exp(-((f - m) ** 2) / (2 * v)) / np.sqrt(2 * np.pi * v))


def peer_kernel(weights: Any) -> Any:
    """One term for each column: the columns of the others have endless lengths."""
    kernel = None
    for m, weight in enumerate(np.asarray(weights)):
        lengths = np.full(3, 1e12)
        lengths[m] = (2 * GAMMA) ** -0.5
        term = ConstantKernel(max(weight, 1e-300)) * RBF(lengths)
        kernel = term if kernel is None else kernel + term
    return kernel


@pytest.mark.parametrize("classes", [2, 3])
def test_a_process_of_classes_is_that_of_scikit_learn(classes: int) -> None:
    X, y, views = data(classes=classes)
    clf = GaussianProcessMKLClassifier(views=views, kernels=[gaussian(gamma=GAMMA)]).fit(X, y)
    peer = GaussianProcessClassifier(peer_kernel(clf.weights_), optimizer=None).fit(X, y)
    machines = [peer.base_estimator_] if classes == 2 else peer.base_estimator_.estimators_
    own = np.asarray(clf.report_.details["log_evidence"])
    assert own == pytest.approx([m.log_marginal_likelihood_value_ for m in machines], rel=1e-6)
    assert clf.report_.objective[-1] == pytest.approx(-own.sum(), rel=1e-12)
    assert (np.diff(clf.report_.objective) <= 0).all()
    modes = clf.decision_function(X).reshape(len(X), -1).T
    for machine, mode in zip(machines, modes):
        K = machine.kernel_(X)
        assert K @ (machine.y_train_ - machine.pi_) == pytest.approx(mode, abs=1e-5)
    new = np.random.default_rng(8).uniform(-3, 3, size=(30, 3))
    # Its integral is an approximation by five error functions.
    assert clf.predict_proba(new) == pytest.approx(peer.predict_proba(new), abs=2e-3)
    # The same integral by quadrature.
    exact = []
    for machine, mode in zip(machines, clf.decision_function(new).reshape(30, -1).T):
        k = machine.kernel_(X, new)
        K = machine.kernel_(X)
        W = machine.pi_ * (1 - machine.pi_)
        variance = np.diag(machine.kernel_(new)) - np.einsum(
            "ij,ij->j", k, np.linalg.solve(K + np.diag(1 / W), k)
        )
        exact.append(
            [quad(density, m - 12 * v**0.5, m + 12 * v**0.5, args=(m, v), epsabs=1e-12)[0]
             for m, v in zip(mode, variance)]
        )
    p = np.array(exact)
    want = np.column_stack([1 - p[0], p[0]]) if classes == 2 else (p / p.sum(0)).T
    assert clf.predict_proba(new) == pytest.approx(want, abs=1e-6)
    # The slopes are 0 there, and no start of scikit-learn's search ends higher.
    theta = np.log(np.asarray(clf.weights_)[np.asarray(clf.weights_) > 1e-6])

    def value(log: Array) -> float:
        full = np.zeros(3)
        full[np.asarray(clf.weights_) > 1e-6] = np.exp(log)
        found = GaussianProcessClassifier(peer_kernel(full), optimizer=None).fit(X, y)
        of = [found.base_estimator_] if classes == 2 else found.base_estimator_.estimators_
        return float(sum(m.log_marginal_likelihood_value_ for m in of))

    for k in range(len(theta)):
        step = np.eye(len(theta))[k] * 1e-3
        assert abs(value(theta + step) - value(theta - step)) / 2e-3 < 1e-2
    best = minimize(lambda t: -value(t), np.zeros(len(theta)), method="Nelder-Mead", options={"maxfev": 60})
    assert own.sum() >= -best.fun - 1e-4


def moment(phi: Array) -> Array:
    """E ηηᵀ of a Dirichlet distribution."""
    return (np.outer(phi, phi) + np.diag(phi)) / (phi.sum() * (phi.sum() + 1))


def test_the_hierarchic_model_is_its_transcription() -> None:
    X, y, views = data(40)
    clf = GirolamiRogersMKLClassifier(
        views=views, kernels=[gaussian(gamma=GAMMA)], max_iterations=400, tol=1e-13
    ).fit(X, y)
    K, s, n, M = grams(X, X), np.where(y == 1, 1.0, -1.0), len(y), 3
    l2p = np.log(2 * np.pi)
    phi, zeta, t = np.ones(M), np.full(n + 1, 1.5 / 1.5), s * np.sqrt(2 / np.pi)
    square, bound = np.ones(n + 1), -np.inf
    for _ in range(400):
        p = phi / phi.sum()
        zb = 1 / (1 + 0.5 * square)
        zeta = 1.5 * zb
        design = np.column_stack([np.ones(n), np.tensordot(p, K, 1)])
        E = np.zeros((n + 1, n + 1))
        E[0, 0], E[0, 1:] = n, design[:, 1:].sum(0)
        E[1:, 0] = E[0, 1:]
        E[1:, 1:] = np.einsum("ml,mij,ljk->ik", moment(phi), K, K)
        S = np.linalg.inv(np.diag(zeta) + E)
        a = S @ design.T @ t
        square = a**2 + np.diag(S)
        second = np.outer(a, a) + S
        h = np.array([a[1:] @ k @ t - second[0, 1:] @ k.sum(1) for k in K])
        O = np.einsum("mij,ljk,ki->ml", K, K, second[1:, 1:])

        def kl(phi: Array) -> float:
            total = phi.sum()
            value = gammaln(total) - gammaln(phi).sum() - gammaln(M)
            return float(value + (phi - 1) @ (digamma(phi) - digamma(total)))

        def cost(log: Array) -> float:
            phi = np.exp(log)
            return float(-h @ phi / phi.sum() + 0.5 * np.sum(O * moment(phi)) + kl(phi))

        phi = np.exp(minimize(cost, np.log(phi), method="BFGS", options={"gtol": 1e-9}).x)
        p = phi / phi.sum()
        design = np.column_stack([np.ones(n), np.tensordot(p, K, 1)])
        m = design @ a
        E[0, 1:] = design[:, 1:].sum(0)
        E[1:, 0] = E[0, 1:]
        E[1:, 1:] = np.einsum("ml,mij,ljk->ik", moment(phi), K, K)
        z = log_ndtr(s * m)
        t = m + s * np.exp(-0.5 * m**2 - 0.5 * l2p - z)
        bound = z.sum() - 0.5 * (np.sum(E * second) - m @ m) - kl(phi)
        bound += gamma_terms(1, 1, 1.5, zb)
        bound += 0.5 * np.sum(digamma(1.5) + np.log(zb) - l2p - zeta * square)
        bound += 0.5 * ((n + 1) * (l2p + 1) + logdet(S))
    assert clf.report_.objective[-1] == pytest.approx(bound, rel=1e-7)
    assert np.asarray(clf.weights_) == pytest.approx(p, abs=1e-4)
    assert clf.weights_.errors == pytest.approx(np.sqrt(p * (1 - p) / (phi.sum() + 1)), abs=1e-4)
    new = np.random.default_rng(8).uniform(-3, 3, size=(30, 3))
    k = np.column_stack([np.ones(30), np.tensordot(p, grams(new, X), 1)])
    want = ndtr(k @ a / np.sqrt(1 + np.einsum("ij,jk,ik->i", k, S, k)))
    assert clf.predict_proba(new)[:, 1] == pytest.approx(want, abs=1e-4)


def reference_chain(K: Array, s: Array, sweeps: int, rng: Any) -> tuple[Array, Array]:
    """Draws of η and of w, with plain numpy and steps of η on the simplex by a Dirichlet distribution."""
    M, n, _ = K.shape
    eta, zeta, t = np.full(M, 1 / M), np.ones(n + 1), s.copy()
    etas, coefs = [], []
    conc = 60.0
    for _ in range(sweeps):
        X = np.column_stack([np.ones(n), np.tensordot(eta, K, 1)])
        S = np.linalg.inv(np.diag(zeta) + X.T @ X)
        w = rng.multivariate_normal(S @ X.T @ t, 0.5 * (S + S.T))
        zeta = rng.gamma(1.5, 1 / (1 + 0.5 * w**2))
        f = X @ w
        # The value on its side by the inverse of the distribution function.
        t = f - s * ndtri(rng.uniform(size=n) * ndtr(s * f))
        G = K @ w[1:]

        def log(e: Array) -> float:
            return float(-0.5 * np.sum((t - w[0] - e @ G) ** 2))

        def step(to: Array, at: Array) -> float:
            c = conc * at + 1
            return float(gammaln(c.sum()) - gammaln(c).sum() + (c - 1) @ np.log(to))

        for _ in range(5):
            new = np.maximum(rng.dirichlet(conc * eta + 1), 1e-12)
            ratio = log(new) - log(eta) + step(eta, new) - step(new, eta)
            if np.log(rng.uniform()) < ratio:
                eta = new
        etas.append(eta)
        coefs.append(w)
    return np.array(etas), np.array(coefs)


def test_draws_have_the_moments_of_a_long_chain() -> None:
    X, y, views = data(24)
    clf = GibbsProbitMKLClassifier(
        views=views, kernels=[gaussian(gamma=GAMMA)], burn_in=300, draws=1000, random_state=0
    ).fit(X, y)
    s = np.where(y == 1, 1.0, -1.0)
    etas, coefs = reference_chain(grams(X, X), s, 4000, np.random.default_rng(5))
    etas, coefs = etas[400:], coefs[400:]
    pieces = etas.reshape(40, -1, 3).mean(1)
    error = np.hypot(pieces.std(0) / np.sqrt(40), clf.report_.details["weight_monte_carlo_errors"])
    assert (np.abs(np.asarray(clf.weights_) - etas.mean(0)) < 5 * error).all()
    assert clf.weights_.errors == pytest.approx(etas.std(0), rel=0.2)
    assert max(clf.report_.details["rhat"]) < 1.1 and clf.report_.status == "converged"
    accepted = np.asarray(clf.report_.details["accepted"])
    assert ((0.15 < accepted) & (accepted < 0.6)).all()
    new = np.random.default_rng(8).uniform(-2, 2, size=(20, 3))
    cross = np.tensordot(etas[::10], grams(new, X), 1)
    f = np.einsum("sij,sj->si", cross, coefs[::10, 1:]) + coefs[::10, :1]
    assert clf.predict_proba(new)[:, 1] == pytest.approx(ndtr(f).mean(0), abs=0.1)
    clf.set_params(burn_in=20, draws=40, rhat=50.0).fit(X, y)
    few = clf.predict_proba(new)
    assert np.array_equal(clf.set_params(n_jobs=2).fit(X, y).predict_proba(new), few)


CLASSIFIERS: list[tuple[Any, dict[str, Any]]] = [
    (BEMKLClassifier, {}),
    (GaussianProcessMKLClassifier, {}),
    (GirolamiRogersMKLClassifier, {}),
    (GibbsProbitMKLClassifier, {"burn_in": 50, "draws": 50, "rhat": 50.0}),
]


@pytest.mark.parametrize("kind, given", CLASSIFIERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_everywhere(
    kind: Any, given: dict[str, Any], classes: int, tmp_path: Path, command_line: str
) -> None:
    X, y, views = data(90, classes)
    new = np.random.default_rng(8).uniform(-2, 2, size=(25, 3))
    clf = kind(views=views, kernels=[gaussian(gamma=GAMMA)], random_state=0, **given).fit(X, y)
    p = clf.predict_proba(new)
    assert p.sum(1) == pytest.approx(np.ones(25), abs=1e-12)
    assert clf.predict_log_proba(new) == pytest.approx(np.log(p))
    assert log_loss(y, clf.predict_proba(X)) < 0.65 * np.log(classes)
    clf.save(tmp_path / "model.ck")
    tables = {name: new[:, [m]] for m, name in enumerate("abc")}
    assert np.array_equal(load(tmp_path / "model.ck").predict_proba(tables), p)
    names = []
    for m, name in enumerate("abc"):
        np.savetxt(tmp_path / f"{name}.csv", new[:, [m]], fmt="%.17g")
        names += ["--view", f"{name}={tmp_path / f'{name}.csv'}"]
    command = [command_line, "predict", str(tmp_path / "model.ck"), *names, "--json"]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert np.array_equal(said["probabilities"], p)
    text = subprocess.run(
        [command_line, "inspect", str(tmp_path / "model.ck")], check=True, capture_output=True, text=True
    ).stdout
    assert ("±" in text) == (clf.weights_.errors is not None)


def test_kernel_logistic_regression_tells_its_odds() -> None:
    X, y, views = data(80)
    kernels = [gaussian(gamma=GAMMA)]
    clf = MKLClassifier("mean", views=views, kernels=kernels, machine="kernel_logistic", C=2.0).fit(X, y)
    assert clf.predict_proba(X)[:, 1] == pytest.approx(expit(clf.decision_function(X)))
    K = grams(X, X).mean(0)
    s = np.where(y == 1, 1.0, -1.0)

    def cost(c: Array) -> float:
        f = K @ c[1:] + c[0]
        return float(0.5 * c[1:] @ K @ c[1:] + 2.0 * np.sum(np.logaddexp(0, -s * f)))

    def slope(c: Array) -> Array:
        g = -2.0 * s * expit(-s * (K @ c[1:] + c[0]))
        return np.r_[g.sum(), K @ (c[1:] + g)]

    best = minimize(cost, np.zeros(81), jac=slope, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-15})
    assert clf.dual_objectives_[0] <= best.fun + 1e-6
    assert clf.dual_objectives_[0] == pytest.approx(best.fun, rel=2e-3)
    assert brier_score_loss(y, clf.predict_proba(X)[:, 1]) < 0.2


def test_what_cannot_be_told() -> None:
    X, y, views = data(50)
    K = grams(X, X)
    clf = GaussianProcessMKLClassifier(kernels="precomputed").fit([*K], y)
    with pytest.raises(ValueError, match="similarity does not say"):
        clf.predict_proba([*K])
    with pytest.raises(Exception, match="kernel_logistic"):
        MKLClassifier("bemkl", views=views).fit(X, y)
    with pytest.raises(AttributeError, match="predict_proba"):
        MKLClassifier("mean").fit(X, y).predict_proba(X)
