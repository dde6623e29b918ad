"""One set of GPUs, read two ways: for attention as data x context x tensor, for experts as copies x experts x tensor.

No GPU is added for the experts. Groups are those of gallery.mesh, numbered as Megatron-LM numbers ranks.
Twin of folding.js.
"""

from __future__ import annotations

from cutaway.gallery.mesh import Mesh

WORLD, PER_NODE = 64, 8


def sizes(state: dict) -> tuple[dict[str, int], dict[str, int]]:
    """Axes of attention and of experts; both make up all GPUs."""
    tp, cp, etp, ep = state["tp"], state["cp"], state["etp"], state["nodes"] * PER_NODE
    return {"dp": WORLD // (tp * cp), "cp": cp, "tp": tp}, {"edp": WORLD // (ep * etp), "ep": ep, "etp": etp}


def fold(state: dict) -> dict:
    """Every GPU's place along every axis, and whom one of them talks to."""
    attention, experts = sizes(state)
    mesh, gpu = Mesh(attention, PER_NODE, experts), state["gpu"]
    names = [*attention, *experts]
    return {
        "gpus": WORLD,
        **attention,
        **experts,
        "places": {name: [mesh.place(rank, name) for rank in mesh.ranks] for name in names},
        "here": {name: mesh.place(gpu, name) for name in names},
        "group": {name: mesh.group(gpu, name) for name in names},
    }
