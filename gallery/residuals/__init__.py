"""Kinds of residual schemes, one file each: how the halves of a layer hang in the stream.

RECORD is what reading fills in; ENTER (spec, wires, embedding) and LEAVE (spec, wires, stream) stand at the two ends of
the model; GRAPH (scheme, spec, layer) is the graph of one layer, from "stream" to the stream after it; WORDS (scheme)
says how many streams there are, and what is unusual about them; RESTACK (scheme, sources) is the scheme of a stack of
other depth, or FixedDepth, with the reason.
"""

from __future__ import annotations

from cutaway.gallery.registry import register

NOT_KINDS = ("ngrams", "stacking")  # parts that a scheme may have
READINGS = ("RECORD", "GRAPH", "ENTER", "LEAVE", "WORDS", "RESTACK")
GRAPHS, ENTERS, LEAVES, WORDS, RESTACKS = register(__name__, __path__, NOT_KINDS, READINGS)
