"""An MLP -> its panel: dense, channel mix, product keys, mixture of experts."""

from __future__ import annotations

from math import prod

from cutaway.gallery import spec as s
from cutaway.gallery.drawing.annotations import act
from cutaway.gallery.drawing.experts import Experts, coarse
from cutaway.gallery.drawing.graph_to_dataflow import Flows
from cutaway.gallery.drawing.node_items import Parts, per_layer
from cutaway.gallery.drawing.panel_content import PanelContent, graph_panel
from cutaway.gallery.drawing.words import count

NAMES = {"SiLU": "SwiGLU", "GELU": "GeGLU", "clamped SiLU": "clamped SwiGLU"}


def dense(parts: Parts) -> PanelContent:
    """gate and up side by side, then down; or up and down."""
    m: s.Dense = parts.m
    f = act("swigluoai" if m.glu == "swigluoai" else m.hidden_act)
    borrowed = m.weights_of is not None
    size = f"width {m.intermediate_size:,}, {m.intermediate_size / parts.h:.2g} × the residual stream"
    says = f"the weights of layer {m.weights_of}" if borrowed else f"{per_layer(parts)} · {size}"
    title = f"Dense MLP, {NAMES.get(f, f + ' gated')}" if m.gated else f"Dense MLP, {f}"
    title += ", shared weights" if borrowed else ""
    return graph_panel(parts, "dense", title, says)


def channel_mix(parts: Parts) -> PanelContent:
    """RWKV: up, relu², down, each token mixed with the one before it."""
    m: s.ChannelMix = parts.m
    return graph_panel(parts, "dense", "Channel mix, ReLU²", f"{per_layer(parts)} · width {m.intermediate_size:,}")


def product_keys(parts: Parts) -> PanelContent:
    """Doge: a dense MLP, and experts of one number each beside it."""
    m: s.ProductKeys = parts.m
    says = f"{per_layer(parts)} · {m.num_experts:,} experts of one number, each token visits {m.num_experts_per_tok}"
    return graph_panel(parts, "moe", "Dense MLP and product-key experts", says)


def moe(parts: Parts) -> PanelContent:
    """Router, cells, one expert, what every token visits."""
    m: s.MoE = parts.m
    each = sum(prod(s) for n, s in parts.own.items() if "{expert}" in n) // max(m.num_experts, 1)
    words = [f"{m.num_experts:,} experts × {count(each)}", f"each token visits {m.num_experts_per_tok}"]
    if m.shared_expert_intermediate_size:
        n = max(m.n_shared_experts, 1)
        words[-1] += f", plus {n} shared" + (" with its own gate" if m.shared_gate else "")
    if m.latent_size:
        words.append(f"in a latent of {m.latent_size:,}")
    if m.zero_expert_num:
        words.append(f"{m.zero_expert_num} more return " + ("their input" if m.zero_returns else "nothing"))
    experts = Experts(parts, each)
    content = PanelContent("moe", "Mixture of experts", " · ".join(words), experts=experts, graph=parts.graph)
    content.flows = [Flows(coarse(parts.graph), parts, "moe", experts).all()[0]]
    return content
