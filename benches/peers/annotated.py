"""The two modalities of an .h5mu file of 500 MB as tables, beside mudata.read: 50,000 cells, of which one
modality has 1,000 entries each among 20,000 columns and the other 500 columns. Seconds that pass, on two
threads (mudata has one); CPU seconds on one are printed, too. Ours are read as double precision, mudata's stay as they are. Equal results: the sums of the rows."""

import warnings
from pathlib import Path

import anndata
import common
import mudata
import numpy as np
import pandas as pd
from scipy import sparse

warnings.simplefilter("ignore")
n, d, entries = 50_000, 20_000, 1_000
rng = np.random.default_rng(0)
apart = np.arange(entries, dtype=np.int32) * (d // entries)
indices = rng.integers(0, d // entries, (n, entries), dtype=np.int32) + apart
starts = np.arange(n + 1, dtype=np.int64) * entries
rna = sparse.csr_matrix((rng.random(n * entries, dtype=np.float32), indices.ravel(), starts), (n, d))
prot = rng.random((n, 500), dtype=np.float32)
names = pd.Index([f"cell{i}" for i in range(n)])
data = mudata.MuData(
    {
        "rna": anndata.AnnData(rna, obs=pd.DataFrame(index=names)),
        "prot": anndata.AnnData(prot, obs=pd.DataFrame(index=names)),
    }
)
want = np.column_stack([np.asarray(rna.astype(np.float64).sum(axis=1)), prot.sum(1, dtype=np.float64)])
for compression in (None, "gzip"):
    with common.folder() as where:
        path = Path(where) / "cells.h5mu"
        data.write(path, compression=compression)
        peer, _ = common.best_of(3, lambda: mudata.read(path))
        ours = common.ours("annotated", where, threads=2)
        alone = common.ours("annotated", where)
        common.same("modalities", common.load(where, "ours"), want, 1e-10)
        label = f"{path.stat().st_size / 1e6:.0f} MB .h5mu, {compression or 'not compressed'}, mudata.read"
    print(f"CPU seconds on one thread: {alone['seconds']:.3f} and {peer:.3f}")
    common.line(label, ours["wall"], peer, 1.0)
