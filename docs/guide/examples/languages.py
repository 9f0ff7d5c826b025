"""Names of countries, languages, currencies and scripts in English, German and Finnish."""

# %% data
import warnings

import numpy as np
from babel import Locale
from cokernel import MKLClassifier, SimpleMKLClassifier, linear, minmax
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

KINDS = ("territories", "languages", "currencies", "scripts")
LOCALES = {"English": Locale("en"), "German": Locale("de"), "Finnish": Locale("fi")}
names, kinds = {language: [] for language in LOCALES}, []
for kind in KINDS:
    known = {language: getattr(locale, kind) for language, locale in LOCALES.items()}
    for code in sorted(set.intersection(*map(set, known.values()))):
        kinds.append(kind)
        for language in LOCALES:
            names[language].append(known[language][code])
kinds = np.array(kinds)
print(", ".join(f"{(kinds == kind).sum()} {kind}" for kind in KINDS))
for i in (12, 1000):
    print(" | ".join(names[language][i] for language in LOCALES))

# %% views
train, test = train_test_split(np.arange(len(kinds)), train_size=300, stratify=kinds, random_state=0)
views = {}
for language, texts in names.items():
    # Up to four letters in a row, as they occur in the names that are learned from.
    letters = CountVectorizer(analyzer="char_wb", ngram_range=(1, 4), dtype=float)
    letters.fit([texts[i] for i in train])
    views[language] = letters.transform(texts)
    print(f"{language:8}", views[language].shape)


def part(rows, languages=tuple(views)):
    return {language: views[language][rows] for language in languages}


# %% learn
kernels = [linear(normalize="unit_diagonal"), minmax()]
clf = SimpleMKLClassifier(kernels=kernels, C=10.0, random_state=0)
clf.fit(part(train), kinds[train])
for view, kernel, weight in clf.weights_:
    print(f"{weight:.2f}  {kernel}")
print(f"{clf.score(part(test), kinds[test]):.1%} of {len(test)} other names")

# %% compare
for languages in [*((language,) for language in views), tuple(views)]:
    alone = MKLClassifier("mean", kernels=kernels, C=10.0, random_state=0)
    alone.fit(part(train, languages), kinds[train])
    right = alone.score(part(test, languages), kinds[test])
    print(f"{' + '.join(languages):27}{right:.1%}")

# %% wrong
said = clf.predict(part(test))
for i in np.flatnonzero(said != kinds[test])[:4]:
    told = " | ".join(names[language][test[i]] for language in views)
    print(f"{told}: {kinds[test[i]]}, taken for {said[i]}")

# %% missing
for v, language in enumerate(views):
    there = np.zeros((len(test), 3), dtype=bool)
    there[:, v] = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # all of them lack two views
        right = clf.score(part(test), kinds[test], present=there)
    print(f"only the {language} name: {right:.1%}")
