"""AnnData and MuData: files on the command line, objects in Python, against each other and arrays."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import cokernel as ck
from cokernel import annotated

h5py = pytest.importorskip("h5py", minversion="3.0")

N = 40
RNG = np.random.default_rng(0)
TRUTH = np.repeat(["u", "vv"], N // 2)
SHIFT = (TRUTH == "u")[:, None] * 1.0
RNA = np.round(RNG.normal(size=(N, 6)) + SHIFT) * (RNG.random((N, 6)) < 0.6)
PCA = RNG.normal(size=(N, 3)) + SHIFT
# The second modality has all but the first five observations, in another order.
OWN = RNG.permutation(np.arange(5, N))
PROT = RNG.normal(size=(N, 4)) + SHIFT
NEAR = np.exp(-((PROT[:, None] - PROT[None]) ** 2).sum(-1))
IDS = [f"c{i}" for i in range(N)]


def modality(X: Any, rows: Any, **parts: Any) -> SimpleNamespace:
    """What AnnData has and is looked at."""
    index = pd.Index([IDS[i] for i in rows])
    empty: dict[str, Any] = {"layers": {}, "obsm": {}, "obsp": {}, "uns": {}}
    obs = pd.DataFrame({"own": TRUTH[rows]}, index=index)
    return SimpleNamespace(X=X, obs=obs, obs_names=index, **{**empty, **parts})


def several() -> SimpleNamespace:
    """What MuData has and is looked at."""
    near = sparse.csr_matrix(NEAR[np.ix_(OWN, OWN)])
    mod = {
        "rna": modality(sparse.csr_matrix(RNA), np.arange(N), obsm={"pca": PCA}),
        "prot": modality(PROT[OWN], OWN, obsp={"near": near}),
    }
    place = np.zeros(N, dtype=np.uint32)
    place[OWN] = np.arange(len(OWN)) + 1
    obs = pd.DataFrame({"disease": pd.Categorical(TRUTH)}, index=pd.Index(IDS))
    obsmap = {"rna": np.arange(N, dtype=np.uint32) + 1, "prot": place}
    return SimpleNamespace(
        mod=mod, obs=obs, obs_names=obs.index, obsmap=obsmap, obsm={}, obsp={}, uns={}
    )


def arrays() -> dict[str, Any]:
    prot = PROT.copy()
    prot[:5] = np.nan
    return {"rna": sparse.csr_matrix(RNA), "prot": prot}


def test_objects_are_their_arrays() -> None:
    data = several()
    assert annotated.is_annotated(data) and not annotated.is_annotated(data.obs)
    settings: dict[str, Any] = {"random_state": 0, "C": 2.0}
    ours = ck.SimpleMKLClassifier(**settings).fit(data, y="disease")
    theirs = ck.SimpleMKLClassifier(**settings).fit(arrays(), TRUTH)
    np.testing.assert_array_equal(np.asarray(ours.weights_), np.asarray(theirs.weights_))
    values = ours.decision_function(data)
    np.testing.assert_array_equal(values, theirs.decision_function(arrays()))
    assert ours.score(data, "disease") == theirs.score(arrays(), TRUTH)
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.predict(data), ours.predict(data))
    # By an index, in another order.
    order = RNG.permutation(N)
    labels = pd.Series(TRUTH[order], index=[IDS[i] for i in order])
    moved = ck.SimpleMKLClassifier(**settings).fit(data, labels)
    np.testing.assert_array_equal(moved.decision_function(data), values)
    annotated.keep(data, ours)
    assert list(data.obs["cokernel"]) == list(ours.predict(data))
    told = data.uns["cokernel"]
    assert told["views"] == ours.weights_.by_view() and told["duality_gap"] < 1e-2


def test_views_are_chosen_and_similarities_follow() -> None:
    places = {"pca": "rna/obsm/pca", "near": "prot/obsp/near"}
    data = several()
    tables, present = annotated.tables(data, places)
    np.testing.assert_array_equal(tables["pca"], PCA)
    inside = np.ix_(np.arange(5, N), np.arange(5, N))
    np.testing.assert_array_equal(tables["near"].toarray()[inside], NEAR[inside])
    assert list(np.flatnonzero(~present["near"])) == [0, 1, 2, 3, 4]
    clusterer = ck.ConcatEmbeddingsSpectralClustering(n_clusters=2, random_state=0, views=places)
    labels = clusterer.fit_predict(data)
    annotated.keep(data, clusterer, "groups")
    assert list(data.obs["groups"]) == [str(label) for label in labels]
    assert data.obsm["X_groups"].shape[0] == N
    numbers = ck.MKLRegressor(views=["rna/obsm/pca"]).fit(data, y=PCA[:, 0])
    assert numbers.predict(data).shape == (N,)
    for wrong, says in [
        ({"x": "rna/obsm/umap"}, "there is no matrix 'rna/obsm/umap'; known: .*rna/obsm/pca"),
        ({"x": "atac"}, "there is no matrix 'atac'"),
        ({"x": slice(3)}, "expected the places of matrices"),
    ]:
        with pytest.raises(ValueError, match=says):
            ck.MKLClassifier(views=wrong).fit(data, "disease")
    with pytest.raises(ValueError, match="obs has no column 'diseas'; known: disease"):
        ck.MKLClassifier().fit(data, "diseas")


# Files, as the packages write them.


def frame(group: Any, names: list[str], older: bool, **columns: Any) -> None:
    obs = group.create_group("obs")
    obs.attrs.update({"_index": "_index", "encoding-type": "dataframe"})
    obs.attrs["column-order"] = list(columns)
    obs["_index"] = names
    for name, values in columns.items():
        if isinstance(values, dict):
            inside = obs.create_group(name)
            inside.attrs["encoding-type"] = values["kind"]
            inside["values"], inside["mask"] = values["values"], values["mask"]
            continue
        if np.asarray(values).dtype.kind != "U":
            obs[name] = values
            continue
        categories, codes = np.unique(values, return_inverse=True)
        codes = np.where(categories[codes] == "", -1, codes - ("" in categories)).astype("i1")
        categories = [str(c) for c in categories if c != ""]
        if older:
            obs[name] = codes
            obs[f"__categories/{name}"] = categories
            obs[name].attrs["categories"] = obs[f"__categories/{name}"].ref
        else:
            inside = obs.create_group(name)
            inside.attrs["encoding-type"] = "categorical"
            inside["codes"], inside["categories"] = codes, categories


def matrix(group: Any, name: str, table: Any, **how: Any) -> None:
    if not sparse.issparse(table):
        group.create_dataset(name, data=table, **how)
        return
    inside = group.create_group(name)
    inside.attrs["encoding-type"] = f"{table.format}_matrix"
    inside.attrs["shape"] = table.shape
    for part in ("data", "indices", "indptr"):
        inside.create_dataset(part, data=getattr(table, part), **how)


def mudata_file(path: Path, older: bool, **how: Any) -> None:
    with h5py.File(path, "w") as file:
        frame(file, IDS, older, disease=TRUTH)
        rna, prot = file.create_group("mod/rna"), file.create_group("mod/prot")
        file["mod"].attrs["mod-order"] = ["rna", "prot"]
        masked = {"kind": "nullable-integer", "values": np.arange(N), "mask": np.arange(N) < 3}
        half = np.where(np.arange(N) % 3 == 0, "", TRUTH)
        frame(rna, IDS, older, half=half, count=masked)
        # Entries of a row in any order.
        table = sparse.csr_matrix(RNA)
        for i in range(N):
            span = slice(table.indptr[i], table.indptr[i + 1])
            table.indices[span] = table.indices[span][::-1].copy()
            table.data[span] = table.data[span][::-1].copy()
        matrix(rna, "X", table, **how)
        matrix(rna, "layers/csc", sparse.csc_matrix(RNA), **how)
        matrix(rna, "obsm/pca", PCA.astype("f4"), **how)
        frame(prot, [IDS[i] for i in OWN], older, score=PROT[OWN, 0])
        matrix(prot, "X", PROT[OWN], **how)
        matrix(prot, "obsp/near", sparse.csr_matrix(NEAR[np.ix_(OWN, OWN)]), **how)
        place = np.zeros(N, dtype=np.uint32)
        place[OWN] = np.arange(len(OWN)) + 1
        file["obsmap/rna"], file["obsmap/prot"] = np.arange(N) + 1, place


def run(*args: Any, fails: bool = False) -> Any:
    program = os.environ.get("COKERNEL_PROGRAM")
    if program is None:
        pytest.skip("COKERNEL_PROGRAM does not name the command line")
    call = [program, *map(str, args), *([] if fails else ["--json"])]
    done = subprocess.run(call, capture_output=True, text=True, check=not fails)
    return done.stderr if fails else json.loads(done.stdout)


@pytest.mark.parametrize(
    ("older", "how"),
    [
        (False, {}),
        (True, {"compression": "gzip", "shuffle": True}),
        (False, {"compression": "lzf", "fletcher32": True}),
    ],
)
def test_files_are_their_arrays(tmp_path: Path, older: bool, how: dict[str, Any]) -> None:
    path = tmp_path / "cells.h5mu"
    mudata_file(path, older, **how)
    model = tmp_path / "model.ck"
    run("fit", "--view", path, "--label-column", "disease", "--method", "mean", "-o", model)
    theirs = ck.MKLClassifier(method="mean", random_state=0).fit(arrays(), TRUTH)
    loaded = ck.load(model)
    np.testing.assert_array_equal(
        loaded.decision_function(arrays()), theirs.decision_function(arrays())
    )
    # Another layer and matrix, a similarity, and labels that some lack.
    run(
        *("fit", "--view", path, "--similarity", f"near={path}"),
        *("--variable", "rna=layers/csc", "--variable", "near=prot/obsp/near"),
        *("--label-column", "rna:half", "--method", "mean", "--missing", "drop", "-o", model),
    )
    kept = np.flatnonzero((np.arange(N) >= 5) & (np.arange(N) % 3 != 0))
    cut = {"rna": sparse.csr_matrix(RNA[kept]), "prot": PROT[kept], "near": NEAR[np.ix_(kept, kept)]}
    kernels = ["gaussian@rna", "gaussian@prot", "precomputed@near"]
    theirs = ck.MKLClassifier(method="mean", kernels=kernels).fit(cut, TRUTH[kept])
    loaded = ck.load(model)
    assert loaded.weights_.by_view() == theirs.weights_.by_view()
    np.testing.assert_allclose(
        # Columns are those of all instances that were given.
        loaded.decision_function({**cut, "near": NEAR[kept]}),
        theirs.decision_function(cut),
        rtol=1e-9,
        atol=1e-9,
    )
    says = run("fit", "--view", path, "--label-column", "disese", "-o", model, fails=True)
    assert "unknown label column 'disese' (did you mean 'disease'?)" in says


def test_matlab_and_plain_files(tmp_path: Path) -> None:
    """MATLAB 7.3 stores arrays in reverse order; others do not."""
    kernels = np.stack([RNA @ RNA.T, PROT @ PROT.T])
    new, plain = tmp_path / "a.mat", tmp_path / "a.h5"
    classes = (TRUTH == "vv") + 1.0
    with h5py.File(new, "w", userblock_size=512) as file:
        refs = file.create_group("#refs#")
        cells = file.create_dataset("X", (1, 2), dtype=h5py.ref_dtype)
        for k, (letter, table) in enumerate([("a", RNA), ("b", PROT)]):
            # d × n, as is common.
            refs.create_dataset(letter, data=table, chunks=(7, 2), compression="gzip", shuffle=True)
            cells[0, k] = refs[letter].ref
        file["gt"] = classes[None]
        file["KH"] = kernels
        for name in ("X", "gt", "KH"):
            file[name].attrs["MATLAB_class"] = np.bytes_("cell" if name == "X" else "double")
    with open(new, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")
    with h5py.File(plain, "w") as file:
        file["views/a"], file["views/b"], file["y"] = RNA, PROT.astype(">f8"), list(map(str, TRUTH))
        file.create_dataset("KH", data=kernels, chunks=(1, 16, 16), compression="gzip")
    fit = ("fit", "--method", "mean", "-o", tmp_path / "model.ck", "--labels")
    expected = ck.MKLClassifier(method="mean").fit([RNA, PROT], TRUTH)
    values = expected.decision_function([RNA, PROT])
    run(*fit, new, "--view", f"x={new}", "--variable", "x=X")
    found = ck.load(tmp_path / "model.ck").decision_function({"x1": RNA, "x2": PROT})
    np.testing.assert_array_equal(found, values)
    run(*fit, plain, "--view", f"x={plain}", "--variable", "x=views")
    found = ck.load(tmp_path / "model.ck").decision_function({"x.a": RNA, "x.b": PROT})
    np.testing.assert_array_equal(found, values)
    expected = ck.MKLClassifier(method="mean", kernels="precomputed").fit(kernels, TRUTH)
    values = expected.decision_function(kernels)
    for path, names in [(new, ("k1", "k2")), (plain, ("k0", "k1"))]:
        run(*fit, path, "--similarity", f"k={path}", "--variable", "k=KH")
        found = ck.load(tmp_path / "model.ck").decision_function(dict(zip(names, kernels)))
        np.testing.assert_allclose(found, values, rtol=1e-9)
    # Cut off, and compressed by what is not read.
    whole = plain.read_bytes()
    plain.write_bytes(whole[: len(whole) // 3])
    says = run(*fit, new, "--view", f"x={plain}", fails=True)
    assert "a.h5" in says and "panic" not in says
