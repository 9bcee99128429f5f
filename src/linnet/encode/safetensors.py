"""Named arrays in a safetensors file, written and memory-mapped with numpy alone.

The format: the length of the header (8 bytes, little-endian), the header (JSON: name → dtype, shape, first and last
byte), the arrays' bytes. Source: https://huggingface.co/docs/safetensors. Only linnet's types are supported.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from linnet.advice import Advice
from linnet.arrays import Array
from linnet.errors import DamagedError

__all__ = ["read_safetensors", "write_safetensors"]

_TYPES = {"I64": "<i8", "F32": "<f4", "F16": "<f2", "I8": "|i1", "U8": "|u1"}
# The arrays start at a multiple of this, so that they can be memory-mapped.
_ALIGNED = 64


def write_safetensors(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write arrays of int64, float32, float16, int8 or uint8. Raises TypeError for other types."""
    codes = {np.dtype(dtype): code for code, dtype in _TYPES.items()}
    header: dict[str, Any] = {}
    stop = 0
    # Widest types first: this keeps each array aligned to its item size, as the format requires.
    ordered = sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    for name, array in ordered:
        if array.dtype not in codes:
            raise TypeError(f"array '{name}' is {array.dtype}; expected one of {', '.join(map(str, codes))}")
        start, stop = stop, stop + array.nbytes
        header[name] = {
            "dtype": codes[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [start, stop],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % _ALIGNED)
    with path.open("wb") as stream:
        stream.write(len(text).to_bytes(8, "little") + text)
        for _, array in ordered:
            stream.write(np.ascontiguousarray(array).data)


def read_safetensors(path: Path, *, rebuild: Advice) -> dict[str, Array]:
    """The arrays, read-only and memory-mapped.

    rebuild  advice about a damaged file, for the message

    Raises DamagedError where the file is missing, malformed, or of another length than its header says.
    """
    try:
        content = np.memmap(path, dtype=np.uint8, mode="r")
        length = int.from_bytes(content[:8].tobytes(), "little")
        if len(content) < 8 or length > len(content) - 8:
            raise ValueError("the header is longer than the file")
        header = json.loads(content[8 : 8 + length].tobytes())
        data = content[8 + length :]
        if not isinstance(header, dict):
            raise ValueError("the header is not a table of arrays")
        return {name: _array(data, entry) for name, entry in header.items() if name != "__metadata__"}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedError(f"{path} cannot be read as safetensors: {error}.", rebuild) from None


def _array(data: Array, entry: Mapping[str, Any]) -> Array:
    shape, (start, stop) = [int(size) for size in entry["shape"]], entry["data_offsets"]
    if entry["dtype"] not in _TYPES:
        raise ValueError(f"type {entry['dtype']} is not one of {', '.join(_TYPES)}")
    dtype = np.dtype(_TYPES[entry["dtype"]])
    if min(shape, default=0) < 0 or not 0 <= start <= stop <= len(data):
        raise ValueError(f"an array ends at byte {stop}, the file at {len(data)}")
    if math.prod(shape) * dtype.itemsize != stop - start:
        raise ValueError(f"shape {shape} of {entry['dtype']} does not fill {stop - start} bytes")
    return data[start:stop].view(dtype).reshape(shape)
