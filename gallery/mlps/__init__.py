"""Kinds of MLPs, one file each: RECORD (what reading fills in) and GRAPH (record, hidden_size) -> Graph.

A file here that lacks either is an error when the package is imported.
"""

from __future__ import annotations

from cutaway.gallery.registry import register

(GRAPHS,) = register(__name__, __path__)
