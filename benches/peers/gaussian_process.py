"""A Gaussian process with a weighted sum of 20 given covariances, against scikit-learn's GaussianProcessRegressor.

scikit-learn's process has a kernel object that looks the given matrices up, with the 20 weights and the noise as its
parameters, searched in their logarithms and their gradient in closed form, one search by L-BFGS from the weights where ours begins.
The mean is taken off for both: ours is asked for the plain likelihood. The likelihoods are computed here.
"""

import sys
import warnings

from common import best_of, folder, line, load, np, ours, save, twenty_kernels
from scipy.linalg import cho_factor, cho_solve
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Hyperparameter, Kernel


class WeightedSum(Kernel):
    """Σ_m w_m K_m + w_M I, rows and columns by their numbers."""

    def __init__(self, many, weights):
        self.many = many
        self.weights = weights

    @property
    def hyperparameter_weights(self):
        return Hyperparameter("weights", "numeric", (1e-6, 1e4), len(self.many) + 1)

    def __call__(self, X, Y=None, eval_gradient=False):
        rows = X[:, 0].astype(int)
        columns = rows if Y is None else Y[:, 0].astype(int)
        weights = np.asarray(self.weights)
        each = [k[np.ix_(rows, columns)] for k in self.many]
        total = sum(w * k for w, k in zip(weights, each))
        if Y is None:
            total = total + weights[-1] * np.eye(len(rows))
        if eval_gradient:
            parts = [w * k for w, k in zip(weights, each)] + [weights[-1] * np.eye(len(rows))]
            return total, np.stack(parts, axis=2)
        return total

    def diag(self, X):
        rows = X[:, 0].astype(int)
        weights = np.asarray(self.weights)
        return sum(w * np.diag(k)[rows] for w, k in zip(weights, self.many)) + weights[-1]

    def is_stationary(self):
        return False


def likelihood(many, y, weights, noise):
    """The logarithm, for the best constant mean."""
    covariance = sum(w * k for w, k in zip(weights, many)) + noise * np.eye(len(y))
    factor = cho_factor(covariance, lower=True)
    ones = np.ones(len(y))
    mean = (ones @ cho_solve(factor, y)) / (ones @ cho_solve(factor, ones))
    rest = y - mean
    return -0.5 * rest @ cho_solve(factor, rest) - np.log(np.diag(factor[0])).sum()


def case(n):
    many, label = twenty_kernels(n)
    rng = np.random.default_rng(0)
    truth = np.zeros(20)
    truth[[3, 5, 8, 15]] = [1.0, 0.5, 0.5, 1.0]
    covariance = sum(w * k for w, k in zip(truth, many)) + 0.1 * np.eye(n)
    y = np.linalg.cholesky(covariance) @ rng.normal(size=n) + 0.2 * label
    y = (y - y.mean()) / y.std()
    with folder() as where:
        save(where, kernels=np.concatenate(many), labels=y)
        out = ours("gaussian_process", where, 3)
        weights = load(where, "weights")[0]
    start = np.full(21, 0.5 / 20)
    start[-1] = 0.5

    def fit():
        kernel = WeightedSum(many, start)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return GaussianProcessRegressor(kernel, alpha=0.0).fit(np.arange(n)[:, None], y)

    peer, model = best_of(1, fit)
    found = np.asarray(model.kernel_.weights)
    here = likelihood(many, y, weights, out["noise"])
    there = likelihood(many, y, found[:-1], found[-1])
    # Ours is no worse; theirs stops at bounds of the weights and where its search is content.
    if here < there - 1e-3:
        sys.exit(f"gaussian_process: likelihoods {here:.6f} and {there:.6f}")
    name = (
        f"Gaussian process, n = {n}, 20 covariances, log likelihood {here - there:+.1e} of the peer's, "
        f"{out['iterations']} iterations / scikit-learn's GaussianProcessRegressor, 1 thread"
    )
    line(name, out["seconds"], peer, 10, least=True)


case(400)
case(1000)
