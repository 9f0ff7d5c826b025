"""Kernels of bits, counts, correlations, distances, graphs and sequences beside NumPy and SciPy; the functions of the
registry; sequences as views."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import cokernel
import numpy as np
import pandas as pd
import pytest
from cokernel import KernelBank, MKLClassifier, MultiViewSpectralClustering, _native, cross_validate_bank
from cokernel import diffusion_matrix, mismatch, random_walk_matrix, spectrum, tanimoto
from cokernel.inspection import view_importance
from scipy import sparse
from scipy.linalg import expm
from scipy.sparse.csgraph import laplacian
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(0.7, size=(30, 12)).astype(float)
DNA = ["".join(RNG.choice(list("ACGT"), size=length)) for length in RNG.integers(5, 30, size=30)]


def graph(n: int, share: float) -> np.ndarray:
    edges = np.triu(RNG.random((n, n)) * (RNG.random((n, n)) < share), 1)
    return edges + edges.T


@pytest.mark.parametrize("share", [0.05, 0.7])
@pytest.mark.parametrize("normed", [True, False])
def test_diffusion_is_the_matrix_exponential(share: float, normed: bool) -> None:
    edges = graph(40, share)
    edges[5] = edges[:, 5] = 0.0
    for beta in (0.01, 1.0, 20.0):
        want = expm(-beta * laplacian(edges, normed=normed))
        name = "normalized" if normed else "plain"
        for given in (edges, sparse.csr_matrix(edges)):
            np.testing.assert_allclose(diffusion_matrix(given, beta, name), want, atol=1e-12)
    step = 2.5 * np.eye(40) - laplacian(edges, normed=True)
    np.testing.assert_allclose(random_walk_matrix(edges, 5, 2.5), np.linalg.matrix_power(step, 5), rtol=1e-10, atol=1e-10)


def test_values_by_hand() -> None:
    dot = COUNTS @ COUNTS.T
    squares = np.diag(dot)
    total = squares[:, None] + squares - dot
    low = np.minimum(COUNTS[:, None], COUNTS).sum(2)
    high = np.maximum(COUNTS[:, None], COUNTS).sum(2)
    far = np.abs(COUNTS[:, None] - COUNTS).max(2)
    mean = far[np.triu_indices(30, 1)].mean()
    with np.errstate(invalid="ignore"):
        pearson = np.nan_to_num(np.corrcoef(COUNTS))
        want = {
            "tanimoto": np.where(total > 0, dot / np.where(total > 0, total, 1), 1.0),
            "minmax": np.where(high > 0, low / np.where(high > 0, high, 1), 1.0),
            "pearson": pearson,
            "spearman": np.nan_to_num(spearmanr(COUNTS.T).statistic),
        }
    for name, matrix in want.items():
        for table in (COUNTS, sparse.csr_matrix(COUNTS)):
            found = KernelBank(kernels=[name]).fit_transform(table)[0]
            np.testing.assert_allclose(found, matrix, atol=1e-12, err_msg=name)
    found = KernelBank(kernels=["distances"]).fit_transform({"d": far})[0]
    np.testing.assert_allclose(found, np.exp(-far / mean), rtol=1e-12)


#: Aspirin, caffeine, ibuprofen, paracetamol, glucose, cholesterol, nicotine, benzene, ethanol, glycine, urea, and salt.
SMILES = """CC(=O)Oc1ccccc1C(=O)O
Cn1cnc2c1c(=O)n(C)c(=O)n2C
CC(C)Cc1ccc(cc1)C(C)C(=O)O
CC(=O)Nc1ccc(O)cc1
OCC1OC(O)C(O)C(O)C1O
CC(C)CCCC(C)C1CCC2C3CC=C4CC(O)CCC4(C)C3CCC12C
CN1CCCC1c1cccnc1
c1ccccc1
CCO
NCC(=O)O
NC(N)=O
[Na+].[Cl-]""".split()


def test_fingerprints_as_rdkit_compares_them() -> None:
    pytest.importorskip("rdkit")
    from rdkit import Chem, DataStructs
    from rdkit.Chem import rdFingerprintGenerator

    molecules = [Chem.MolFromSmiles(smiles) for smiles in SMILES]
    morgan = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=1024)
    pairs = rdFingerprintGenerator.GetAtomPairGenerator(fpSize=1024)
    for make in (morgan, pairs):
        for of, kernel in (("GetFingerprint", "tanimoto"), ("GetCountFingerprint", "minmax")):
            prints = [getattr(make, of)(molecule) for molecule in molecules]
            want = np.array([DataStructs.BulkTanimotoSimilarity(one, prints) for one in prints])
            table = np.zeros((len(prints), 1024))
            for row, one in zip(table, prints):
                if kernel == "tanimoto":
                    row[list(one.GetOnBits())] = 1.0
                else:
                    for place, count in one.GetNonzeroElements().items():
                        row[place] = count
            # RDKit says 0 of two molecules without any bit; so does nobody who is the same as himself.
            full = table.any(axis=1)
            assert full.sum() >= 10
            for given in (table[full], sparse.csr_matrix(table[full])):
                found = KernelBank(kernels=[kernel]).fit_transform(given)[0]
                np.testing.assert_allclose(found, want[np.ix_(full, full)], atol=1e-14)


def words(text: str, k: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for start in range(len(text) - k + 1):
        found[text[start : start + k]] = found.get(text[start : start + k], 0) + 1
    return found


def test_sequences_in_every_form() -> None:
    counted = [words(text, 3) for text in DNA]
    want = np.array([[sum(c * b.get(w, 0) for w, c in a.items()) for b in counted] for a in counted])
    forms = [DNA, np.array(DNA), np.array(DNA, dtype=object), pd.Series(DNA), tuple(DNA)]
    for form in forms:
        found = KernelBank(kernels=[spectrum(3, view="dna")]).fit_transform({"dna": form})[0]
        np.testing.assert_array_equal(found, want)
    bank = KernelBank(kernels=[spectrum(3)]).fit({"dna": DNA[:20]})
    np.testing.assert_array_equal(bank.transform({"dna": DNA[20:]})[0], want[20:, :20])
    scaled = want / np.sqrt(np.outer(np.diag(want), np.diag(want)))
    found = KernelBank().fit_transform({"dna": DNA})[0]
    np.testing.assert_allclose(found, scaled, atol=1e-14)


def test_a_classifier_of_sequences(tmp_path: object) -> None:
    y = np.array(["GC" if 2 * (t.count("G") + t.count("C")) > len(t) else "AT" for t in DNA])
    X = {"dna": DNA, "counts": COUNTS}
    kernels = [mismatch(3, view="dna", normalize="unit_diagonal"), tanimoto(view="counts")]
    clf = MKLClassifier("mean", kernels=kernels, C=10.0, random_state=0).fit(X, y)
    assert clf.score(X, y) > 0.9
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.decision_function(X), clf.decision_function(X))
    clf.save(f"{tmp_path}/model.ck")
    loaded = cokernel.load(f"{tmp_path}/model.ck")
    np.testing.assert_array_equal(loaded.decision_function(X), clf.decision_function(X))
    held = cokernel.from_bytes(clf.to_bytes())
    np.testing.assert_array_equal(held.decision_function(X), clf.decision_function(X))
    with pytest.raises(ValueError, match="."):
        cokernel.from_bytes(clf.to_bytes()[:-1])
    lost = view_importance(clf, X, y, n_repeats=3, random_state=0)
    assert lost["dna"].mean() > abs(lost["counts"].mean())
    # One that is missing is estimated from the other view.
    some = [None if i % 7 == 2 else text for i, text in enumerate(DNA)]
    part = clone(clf).set_params(missing="estimate").fit({"dna": some, "counts": COUNTS}, y)
    assert part.score(X, y) > 0.7
    for lacking in (None, [None] * 5):
        assert len(part.predict({"dna": lacking, "counts": COUNTS[:5]})) == 5
        assert len(part.predict({"dna": DNA[:5], "counts": None})) == 5
    with pytest.raises(ValueError, match="view 'dna': expected a text for each instance, or None, found 3 at place 1"):
        clf.predict({"dna": ["ACG", 3], "counts": COUNTS[:2]})
    with pytest.raises(ValueError, match="view 'dna'"):
        clf.predict({"dna": COUNTS, "counts": COUNTS})
    with pytest.raises(ValueError, match="view 'dna' is a list of sequences; use 'spectrum@dna'"):
        clone(clf).set_params(kernels=["gaussian@dna"]).fit(X, y)


def test_graphs_and_distances_are_similarities() -> None:
    edges = graph(30, 0.3)
    clusterer = MultiViewSpectralClustering(3, method="spectral", kernels=["diffusion"], random_state=0)
    found = clusterer.fit({"net": sparse.csr_matrix(edges)})
    again = clone(clusterer).set_params(kernels="precomputed").fit(diffusion_matrix(edges))
    assert len(set(zip(found.labels_, again.labels_))) == 3
    y = np.arange(30) % 2
    far = np.abs(COUNTS[:, None] - COUNTS).sum(2) + (y[:, None] != y)
    clf = MKLClassifier("mean", kernels=["distances"], C=10.0).fit(far, y)
    assert clf.predict(far).shape == (30,)
    with pytest.raises(ValueError, match="new rows have no place in it"):
        MKLClassifier("mean", kernels=["diffusion"]).fit(edges, y).predict(edges)


def test_every_family_has_its_function() -> None:
    for family in json.loads(_native.kernel_families()):
        make = getattr(cokernel, family["name"])
        assert make(view="a").text == _native.kernel_specs(f"{family['name']}@a")[0]
        for alias in family["aliases"]:
            assert _native.kernel_specs(f"{alias}@a") == [make(view="a").text]
    assert str(spectrum([3, 4], alphabet="TGCA")) == "spectrum:k=3,4:alphabet=TGCA"
    with pytest.raises(ValueError, match="give either width or gamma, not both"):
        cokernel.gaussian(1.0, gamma=2.0)


@pytest.mark.parametrize(
    ("family", "given"),
    [
        *((name, COUNTS) for name in ("tanimoto", "minmax", "pearson", "spearman", "laplacian", "chi_squared")),
        *((name, DNA) for name in ("spectrum:k=2", "mismatch:k=3", "spectrum:k=3:normalize=unit_diagonal")),
    ],
)
def test_landmarks_files_and_folds_change_no_kernel(tmp_path: Path, family: str, given: Any) -> None:
    """Of all instances as landmarks, in a file, and in folds that share kernels, every family is what it is alone."""
    y = np.array(["GC" if 2 * (t.count("G") + t.count("C")) > len(t) else "AT" for t in DNA])
    X = {"v": given}
    own = {"kernels": [family], "machine": "squared_hinge_svc", "machine_tol": 1e-9}
    exact = MKLClassifier("mean", **own).fit(X, y).decision_function(X)
    near = MKLClassifier("mean", storage="nystroem:rank=30", **own).fit(X, y)
    np.testing.assert_allclose(near.decision_function(X), exact, atol=1e-7 * max(1.0, np.abs(exact).max()))
    filed = MKLClassifier("mean", storage=f"mapped:{tmp_path}", **own).fit(X, y)
    np.testing.assert_array_equal(filed.decision_function(X), exact)
    cv = StratifiedKFold(3)
    shared = cross_validate_bank(MKLClassifier("mean", **own), X, y, cv=cv)["test_score"]
    for score, (train, test) in zip(shared, cv.split(np.zeros(30), y), strict=True):
        part, rest = ({"v": [given[i] for i in rows]} for rows in (train, test))
        if isinstance(given, np.ndarray):
            part, rest = {"v": given[train]}, {"v": given[test]}
        assert MKLClassifier("mean", **own).fit(part, y[train]).score(rest, y[test]) == score


def test_kernels_of_all_instances_say_that_landmarks_do_not_go() -> None:
    y = np.arange(30) % 2
    far = np.abs(COUNTS[:, None] - COUNTS).sum(2)
    for family, given in (("distances", far), ("diffusion", graph(30, 0.4)), ("random_walk", graph(30, 0.4))):
        clf = MKLClassifier("mean", kernels=[family], machine="squared_hinge_svc", storage="nystroem:rank=5")
        with pytest.raises(ValueError, match="is a similarity between all instances; landmarks need features"):
            clf.fit({"v": given}, y)
