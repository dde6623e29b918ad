"""Kinds of residual schemes, one file each: how the halves of a layer hang in the stream.

RECORD is what reading fills in; ENTER (spec, wires, embedding) and LEAVE (spec, wires, stream) stand at the two ends of
the model; GRAPH (scheme, spec, layer) is the graph of one layer, from "stream" to the stream after it.
"""

from __future__ import annotations

from gallery.kinds import gather

NOT_KINDS = ("ngrams",)  # parts that a scheme may have
GRAPHS, ENTERS, LEAVES = gather(__name__, __path__, NOT_KINDS, words=("RECORD", "GRAPH", "ENTER", "LEAVE"))
