# %% data
from types import SimpleNamespace

import numpy as np
import pandas as pd
from cokernel import ConcatEmbeddingsSpectralClustering, SimpleMKLClassifier, annotated
from cokernel.datasets import load_digits_views

digits = load_digits_views()
some = np.arange(0, 2000, 8)
names = pd.Index([f"d{i}" for i in some])
there = np.arange(len(some)) % 5 > 0  # every fifth lacks the second modality


def modality(table, index, **obsm):
    obs = pd.DataFrame(index=index)
    return SimpleNamespace(
        X=table, obs=obs, obs_names=index, layers={}, obsm=obsm, obsp={}, uns={}
    )


first = modality(digits.views["fou"][some], names, kar=digits.views["kar"][some])
second = modality(digits.views["zer"][some][there], names[there])
place = np.where(there, np.cumsum(there), 0)
mdata = SimpleNamespace(
    mod={"fou": first, "zer": second},
    obs=pd.DataFrame({"digit": digits.target[some]}, index=names),
    obs_names=names,
    obsmap={"fou": np.arange(1, len(some) + 1), "zer": place},
    obsm={},
    obsp={},
    uns={},
)

# %% classify
clf = SimpleMKLClassifier(C=10.0, scale="standard", random_state=0)
clf.fit(mdata, y="digit")
for view, weight in clf.weights_.by_view().items():
    print(f"{view}  {weight:.1f}")

# %% choose
places = {"fou": "fou", "kar": "fou/obsm/kar", "zer": "zer"}
clusterer = ConcatEmbeddingsSpectralClustering(n_clusters=10, views=places, random_state=0)
clusterer.fit(mdata)
annotated.keep(mdata, clusterer, "groups")
print(mdata.obs["groups"].nunique(), "groups,", mdata.obsm["X_groups"].shape[0], "rows")
print(sorted(mdata.uns["groups"]))
