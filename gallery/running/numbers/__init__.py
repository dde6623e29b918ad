"""NUMBERS: the numpy function of every row of operations.OPERATIONS; a row without one fails when this is imported.

A function takes (run, node, tensors, *inputs); values are arrays [tokens, ...], tensors are called as the node says.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from cutaway.gallery.operations import OPERATIONS

NUMBERS = {}
for _info in iter_modules(__path__):
    NUMBERS.update(import_module(f"{__name__}.{_info.name}").NUMBERS)
if OPERATIONS.keys() != NUMBERS.keys():
    raise ImportError(f"operations and their numbers differ: {sorted(OPERATIONS.keys() ^ NUMBERS.keys())}.")
