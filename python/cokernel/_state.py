"""Models as dicts of arrays and one text, and the bytes of a model file made of such (the format is safetensors)."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

#: The types that model files use.
_TYPES = {"F64": "<f8", "F32": "<f4", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "I64": "<i8", "I32": "<i4"}
_NAMES = {np.dtype(code): name for name, code in _TYPES.items()}


def state_of(content: bytes) -> dict[str, Any]:
    """The dict of a model file."""
    length = struct.unpack("<Q", content[:8])[0]
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    ((kind, text),) = header.pop("__metadata__").items()
    arrays = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        array = np.frombuffer(data[first:last], dtype=_TYPES[entry["dtype"]]).reshape(entry["shape"])
        arrays[name] = array.copy()
    return {"kind": kind, "text": text, "arrays": arrays}


def content_of(state: Mapping[str, Any]) -> bytes:
    """The model file of a dict; what is wrong within it the reader of model files says."""
    if not isinstance(state, Mapping) or {"kind", "text", "arrays"} - set(state):
        raise ValueError("expected a dict with 'kind', 'text' and 'arrays', as to_dict gives it")
    if not (isinstance(state["kind"], str) and isinstance(state["text"], str)):
        raise ValueError("'kind' and 'text': expected texts, as to_dict gives them")
    if not isinstance(state["arrays"], Mapping):
        raise ValueError("'arrays': expected a dict of arrays, as to_dict gives it")
    header: dict[str, Any] = {"__metadata__": {state["kind"]: state["text"]}}
    parts, at = [], 0
    for name, given in state["arrays"].items():
        array = np.ascontiguousarray(given)
        little = array.dtype.newbyteorder("<")
        if little not in _NAMES:
            raise ValueError(f"array '{name}': a model has none of type {array.dtype}")
        part = array.astype(little, copy=False).tobytes()
        shape = list(np.shape(given))
        header[str(name)] = {"dtype": _NAMES[little], "shape": shape, "data_offsets": [at, at + len(part)]}
        parts.append(part)
        at += len(part)
    head = json.dumps(header, ensure_ascii=False).encode()
    head += b" " * (-len(head) % 8)
    return b"".join([struct.pack("<Q", len(head)), head, *parts])
