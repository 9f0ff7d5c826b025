"""What the native module tells as JSON."""

from __future__ import annotations

import json
from typing import Any

#: Words for numbers that JSON has no form for; the byte before them is in no other text.
_NUMBERS = {"\0inf": float("inf"), "\0-inf": float("-inf"), "\0nan": float("nan")}


def loads(text: str) -> Any:
    """Dictionaries, lists, texts and numbers, also those that are not finite."""
    found = json.loads(text)
    return _numbers(found) if "\\u0000" in text else found


def _numbers(value: Any) -> Any:
    if isinstance(value, str):
        return _NUMBERS.get(value, value)
    if isinstance(value, list):
        return [_numbers(v) for v in value]
    if isinstance(value, dict):
        return {k: _numbers(v) for k, v in value.items()}
    return value
