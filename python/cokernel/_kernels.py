"""Kernels as values: what a user writes, and the text by which the native library knows it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from . import _native

Normalization: TypeAlias = Literal[
    "unit_diagonal", "unit_trace", "center", "center_unit_variance", "frobenius"
]
Width: TypeAlias = "float | str | Sequence[float]"


@dataclass(frozen=True)
class Kernel:
    """One kernel specification, or several that differ in width.

    Made by :func:`gaussian`, :func:`linear` and the other functions of kernels, or from its
    text, which the command line and the Rust library share.

    Parameters
    ----------
    text : str
        The specification, such as ``"gaussian@fou:sigma=median"``.

    Examples
    --------
    >>> from cokernel import Kernel, gaussian
    >>> gaussian(width="median", view="fou")
    gaussian@fou:sigma=median
    >>> Kernel("polynomial:degree=3") == Kernel("poly:degree=3")
    True
    """

    text: str

    def __post_init__(self) -> None:
        texts = _native.kernel_specs(str(self.text))
        if len(texts) == 1:
            object.__setattr__(self, "text", texts[0])

    def on(self, view: str) -> Kernel:
        """Return the same kernel on one view only.

        Parameters
        ----------
        view : str
            The name of the view.

        Returns
        -------
        Kernel

        Examples
        --------
        >>> from cokernel import linear
        >>> linear().on("fac")
        linear@fac
        """
        text = _HEAD.sub(lambda m: f"{m[1]}@{_quoted(view)}{m[2]}", self.text, count=1)
        return replace(self, text=text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


# family, then "@view" with or without quotes, then the rest.
_HEAD = re.compile(r'([^@:]*)(?:@(?:"(?:[^"]|"")*"|[^":][^:]*))?(.*)', re.DOTALL)


def _quoted(view: str) -> str:
    """Name of a view as it stands in the text of a kernel."""
    if ":" in view or '"' in view or view.strip() != view:
        return '"' + view.replace('"', '""') + '"'
    return view


def _numbers(values: float | Sequence[float]) -> str:
    if isinstance(values, Iterable):
        return ",".join(repr(float(v)) for v in values)
    return repr(float(values))


def _make(
    family: str,
    view: str | None,
    normalize: str | Sequence[str] | None,
    per_feature: bool,
    *parts: str,
) -> Kernel:
    text = family if view is None else f"{family}@{_quoted(view)}"
    steps = [normalize] if isinstance(normalize, str) else list(normalize or [])
    tail = [f"normalize={','.join(steps)}"] if steps else []
    if per_feature:
        tail.insert(0, "per_feature")
    return Kernel(":".join([text, *[p for p in parts if p], *tail]))


def _widths(**given: tuple[str, Width | None]) -> str:
    """The one width of several that can be given, by its key; each has its name in Python."""
    named = [(key, name, value) for key, (name, value) in given.items() if value is not None]
    if len(named) > 1:
        raise ValueError(f"give either {named[0][1]} or {named[1][1]}, not both")
    return "".join(
        f"{key}={value}" if isinstance(value, str) else f"{key}={_numbers(value)}"
        for key, _, value in named
        if value is not None
    )


def _wholes(values: int | Sequence[int]) -> str:
    return ",".join(str(v) for v in values) if isinstance(values, Iterable) else str(values)


#: Families of kernels that look at similarities.
SIMILAR = frozenset(f["name"] for f in json.loads(_native.kernel_families()) if f["takes"] == "similarities")


def kernel_texts(kernels: object) -> list[str] | None:
    """The texts of the ``kernels`` parameter of an estimator; ``None`` is the default kernels."""
    if kernels is None:
        return None
    if isinstance(kernels, (str, Kernel)):
        kernels = [kernels]
    if not isinstance(kernels, Iterable):
        raise ValueError(
            "kernels: expected a list of kernels such as [gaussian(), linear()], "
            f"'precomputed' or None, found {kernels!r}"
        )
    return [str(k) for k in kernels]
