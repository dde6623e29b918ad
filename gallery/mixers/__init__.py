"""Kinds of mixers, one file each: RECORD (what reading fills in) and GRAPH (record, hidden_size) -> Graph.

A file here that lacks either is an error when the package is imported.
"""

from __future__ import annotations

from cutaway.gallery.registry import register

NOT_KINDS = ("indexer", "pooling")  # parts that several kinds share
(GRAPHS,) = register(__name__, __path__, NOT_KINDS)
