"""Whether `.h5mu` files of three generations of mudata are what mudata itself reads in them.

    python python/tools/generations.py PROGRAM

For each generation an environment is made in a temporary folder (some hundred megabytes from the package registry), in which
mudata writes a file and reads it again: dense and sparse modalities, of which some observations lack one, a layer, `obsm` and
labels. A model that the command line fits on the file must have the decision values, to the bit, of one that is fitted in
Python on the arrays that mudata read. Run it when the reader changes; the tests have files of the same layouts made with h5py.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import cokernel as ck
import numpy as np
from scipy import sparse

#: Versions of mudata with what they were used with.
GENERATIONS = {
    "0.1": ["mudata==0.1.2", "numpy<1.24", "pandas<2", "scipy<1.11", "setuptools<81"],
    "0.2": ["mudata==0.2.3", "anndata==0.10.5", "numpy<2", "pandas<2.2", "scipy<1.12"],
    "0.3": ["mudata>=0.3,<0.4"],
}

MAKE = """
import sys, warnings
import numpy as np, pandas as pd, anndata, mudata
from scipy import sparse
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
n = 60
ids = [f"cell{i}" for i in range(n)]
truth = np.where(np.arange(n) % 2 == 0, "ill", "well")
rna = sparse.random(n, 200, 0.1, "csr", random_state=0, dtype=np.float32)
rna.data += (truth == "ill")[np.repeat(np.arange(n), np.diff(rna.indptr))]
own = np.flatnonzero(np.arange(n) % 5 > 0)
prot = rng.normal(size=(len(own), 7)) + (truth == "ill")[own][:, None]
one = anndata.AnnData(rna, obs=pd.DataFrame({"disease": pd.Categorical(truth)}, index=ids))
one.layers["twice"] = sparse.csc_matrix(rna * 2)
one.obsm["pca"] = rng.normal(size=(n, 3))
two = anndata.AnnData(prot, obs=pd.DataFrame({"depth": prot[:, 0]}, index=[ids[i] for i in own]))
one.var_names = [f"gene{j}" for j in range(200)]
two.var_names = [f"protein{j}" for j in range(7)]
made = mudata.MuData({"rna": one, "prot": two})
made.obs["disease"] = pd.Categorical([truth[int(name[4:])] for name in made.obs_names])
made.write(sys.argv[1], compression=sys.argv[3] or None)
read = mudata.read(sys.argv[1])
dense = lambda x: np.asarray(x.todense() if sparse.issparse(x) else x, dtype=np.float64)
place = {name: np.asarray(read.obsmap[name]).astype(int).ravel() for name in read.mod}
arrays = {name: dense(data.X) for name, data in read.mod.items()}
arrays |= {"layer": dense(read.mod["rna"].layers["twice"]), "pca": dense(read.mod["rna"].obsm["pca"])}
np.savez(sys.argv[2], truth=np.asarray(read.obs["disease"].astype(str), dtype="U"), **arrays, **{f"at_{k}": v for k, v in place.items()})
"""


def full(table: np.ndarray, place: np.ndarray) -> np.ndarray:
    """A row for each observation; NaN where the modality lacks it (place 0)."""
    out = np.full((len(place), table.shape[1]), np.nan)
    out[place > 0] = table[place[place > 0] - 1]
    return out


def check(program: str, folder: Path, generation: str, packages: list[str]) -> None:
    venv = folder / f"env{generation}"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    python = venv / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    for compression in ("", "gzip"):
        path, kept, model = (folder / f"a{generation}.{e}" for e in ("h5mu", "npz", "ck"))
        subprocess.run([python, "-c", MAKE, path, kept, compression], check=True)
        arrays = np.load(kept, allow_pickle=False)
        rna, prot = (full(arrays[name], arrays[f"at_{name}"]) for name in ("rna", "prot"))
        layer = full(arrays["layer"], arrays["at_rna"])
        for views, variable in (
            ({"rna": sparse.csr_matrix(rna), "prot": prot}, []),
            ({"rna": sparse.csr_matrix(layer), "prot": prot}, ["--variable", "rna=layers/twice"]),
            ({"rna": full(arrays["pca"], arrays["at_rna"]), "prot": prot}, ["--variable", "rna=obsm/pca"]),
        ):
            own = ["--missing", "mean", "--method", "mean", "--kernel", "linear", "-q"]
            call = [program, "fit", "--view", path, "--label-column", "disease", *own, *variable, "-o", model]
            subprocess.run([str(c) for c in call], check=True)
            theirs = ck.MKLClassifier("mean", kernels=["linear"], missing="mean", random_state=0)
            theirs.fit(views, arrays["truth"])
            found = ck.load(model).decision_function(views)
            assert (found == theirs.decision_function(views)).all(), (generation, variable)
    print(f"mudata {generation}: the same")


def main() -> None:
    warnings.simplefilter("ignore", UserWarning)
    with tempfile.TemporaryDirectory() as folder:
        for generation, packages in GENERATIONS.items():
            check(sys.argv[1], Path(folder), generation, packages)


main()
