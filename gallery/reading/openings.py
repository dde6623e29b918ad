"""From facts to what else happens to the embedding before the first layer: positions, norms, projections.

Each builder adds nodes to `g` and returns the name of the last, so that a family strings together what it has.
"""

from __future__ import annotations

from cutaway.gallery.graph import Tensor, Wires
from cutaway.gallery.reading.reading import Reading, normal


def learned_positions(g: Wires, x: str, name: str, rows: int, width: int, offset: int = 0) -> str:
    """One learned vector per position is added; the first position reads row `offset`."""
    table = Tensor(f"model.{name}.weight", (rows, width), "embedding")
    rows_of = g.add("positions", "positions", tensors={"weight": table}, offset=offset)
    return g.add("with_positions", "add", x, rows_of)


def waves(g: Wires, x: str, width: int, offset: int = 0, step: float = 0.0) -> str:
    """Sines and cosines of the position are added; `step` between the logarithms of two waves, 0 = the usual."""
    return g.add("with_positions", "add", x, g.add("positions", "sinusoid", width=width, offset=offset, step=step))


def normalised_embedding(g: Wires, r: Reading, x: str, name: str, bias: bool | None = None) -> str:
    """A norm of the family's kind right on the embedding."""
    shape, module = (r.hidden_size,), f"model.{name}"
    tensors = {"weight": Tensor(module + ".weight", shape, "norm")} if r.family.norm_weight else {}
    if r.family.norm_bias if bias is None else bias:
        tensors["bias"] = Tensor(module + ".bias", shape, "norm")
    return g.add("embedding_norm", "norm", x, tensors=tensors, normal=normal(r))


def projected_embedding(g: Wires, x: str, name: str, rows: int, columns: int) -> str:
    """A matrix between the embedding's width and the stream's, without a bias."""
    table = Tensor(f"model.{name}.weight", (rows, columns), "embedding")
    return g.add(name.rpartition(".")[2], "linear", x, tensors={"weight": table})
