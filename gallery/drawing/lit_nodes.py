"""A mechanism -> the nodes of its mixer's or MLP's graph that implement it: they are lit in an opened panel.

A row is a pattern of node names; of its alternatives, the first that are drawn get the number. A mechanism without a
row is the whole mixer or MLP: all of it is lit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cutaway.gallery.drawing.callouts import Numbered, places
from cutaway.gallery.drawing.figure import Figure
from cutaway.gallery.graph import Graph

BAND = ("window", "window-mix", "chunks")  # shown by the small attention mask beside the title
ROTATED, ROUTER, ACTIVATION = "q_rope|k_rope", "gate|score|choose|weigh", "glu|act|experts"
GATE = "gate_act|g_proj|gate_proj|gated|gate"
NORMS = "q_norm|k_norm"

NODES = {
    # ------------------------------------------------------------ attention
    "mha": "attend|keys|values", "gqa": "attend|keys|values", "mqa": "attend|keys|values",
    "mla": "latent|attend|key|kv_.*|k_nope|k_rotated",
    "csa": r"compressor\.pool|indexer\.scores|compressor\..*|indexer\..*|attend", "hca": r"compressor\..*|attend",
    "dsa": r"indexer\.scores|indexer\.chosen|indexer\..*", "block-indexer": r"indexer\.scores|indexer\..*",
    "pooled-indexer": r"indexer\.pool|indexer\.means|indexer\..*", "shared-indexer": r"indexer\..*|chosen|attend",
    "relative": "bias|r_proj|rel_.*", "cca": "conv_qk.*|v_late|qk|.*_conv|.*_mean|v_proj_delayed",
    "sinks": ".*sinks", "softcap": "attend", "nope": "attend", "no-position": "attend", "alibi": "attend",
    "output-gate": GATE, "headwise-gate": GATE, "mla-gate": GATE, "query-latent": "q_a_proj|q_a_.*|q_b_.*",
    "k-is-v": "kv|values|keys|kv_proj|k_proj|kv_.*", "shared-kv": "keys|values|k|v|attend",
    "temperature": ".*temperature|.*grown", "clip": "[qkv]_clip", "v-norm": "v_norm", "value-scale": "v_scale",
    "grouped-output": "o_a_proj|o_b_proj", "lora-shared": ".*_adapter.*|.*_adapted",
    "qk-norm": NORMS, "qk-norm-full": NORMS, "qk-norm-bare": NORMS, "sub-norm": ".*norm", "state-norms": ".*norm",
    "rope": ROTATED, "partial-rope": ROTATED, "proportional-rope": ROTATED,
    "qkv-bias": "q_proj|k_proj|v_proj", "o-bias": "o_proj",
    # ------------------------------------------------------------ MLP and experts
    "swiglu": ACTIVATION, "geglu": ACTIVATION, "gelu": ACTIVATION, "relu2": ACTIVATION, "xielu": ACTIVATION,
    "situ": ACTIVATION, "swigluoai": ACTIVATION, "sparse-gate": "gate_sparse",
    "mlp-bias": "experts|gate_proj|up_proj|down_proj", "shared-expert": r"shared\..*|shared|with_shared",
    "shared-gate": "shared_.*gate.*|shared_gated", "shared-routed": "shared|routed.*|with_shared",
    "groups": ROUTER, "sigmoid-router": ROUTER, "selection-bias": ROUTER, "sqrtsoftplus-router": ROUTER,
    "hash-router": ROUTER, "sparsemixer": ROUTER, "router-network": "router_.*|gate|score|choose|weigh",
    "own-router-input": "router_.*", "zero-experts": "experts", "latent-experts": "fc._latent_proj|latent_.*",
    "on-input": "weigh|experts",
}  # fmt: skip


def alternatives(key: str) -> list[str]:
    """The patterns of a mechanism, in order; none if it is the whole mixer or MLP."""
    return NODES[key].split("|") if key in NODES else []


def lit_nodes(graph: Graph, key: str) -> frozenset[str]:
    """The nodes of an opened half, and the tensors that it shows alone, that are lit for a mechanism; all of them where
    it is the half as such."""
    names = {node.name for node in graph.nodes}
    names |= {node.tensors["sinks"].name for node in graph.nodes if "sinks" in node.tensors}
    if key not in NODES and key not in BAND:
        return frozenset(names)
    return frozenset(name for name in names if any(re.fullmatch(one, name) for one in alternatives(key)))


def lit_scopes(fig: Figure, numbered: Iterable[Numbered]) -> dict[str, frozenset[str]]:
    """Opened half -> what of its graph is lit."""
    graphs = {content.where: content.graph for _, content in fig.panels if content.graph}
    found: dict[str, frozenset[str]] = {}
    for one in numbered:
        for kind, name in places(fig.spec, one.key, fig):
            if kind == "panel" and name in graphs:
                found[name] = found.get(name, frozenset()) | lit_nodes(graphs[name], one.key)
    return found
