"""A mixture of experts: a router that scores and chooses, experts, and what every token visits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from cutaway.gallery.graph import Graph, Tensor, Wires
from cutaway.gallery.mlps.dense import Dense
from cutaway.gallery.mlps.dense import graph as dense
from cutaway.gallery.records import Normal


@dataclass(frozen=True, slots=True)
class MoE:
    """A router and its experts."""

    num_experts: int
    num_experts_per_tok: int
    moe_intermediate_size: int
    gated: bool = True
    hidden_act: str = "silu"
    n_shared_experts: int = 0  # how many, for words; their total width is the next field
    shared_expert_intermediate_size: int = 0  # total width of what every token visits
    shared_gate: bool = False  # a one-row gate on the shared expert
    n_group: int = 1
    topk_group: int = 1
    zero_expert_num: int = 0  # experts that return their input: router rows, no weights
    router_size: int = 0  # width the router reads; 0 = hidden_size
    latent_size: int = 0  # experts work in this width instead of hidden_size; 0 = hidden_size
    bias: bool = False  # biases on the experts
    router_bias: bool = False  # a trained bias on the router (score-correction buffers are not parameters)
    scoring: str = "softmax"  # "softmax" | "sigmoid" | "sqrtsoftplus"
    table_rows: int = 0  # experts are looked up by the token in a table of so many rows (V4's first layers); 0 = chosen
    topk_first: bool = False  # the k largest logits are chosen, then only they are scored (gpt-oss, Granite)
    selection_bias: str = ""  # name of a bias that counts for choosing alone, inside the layer; "" = none
    selection_bias_trained: bool = False  # it is a parameter, not a buffer
    selection_bias_row: bool = False  # it is stored as a matrix of one row (ERNIE)
    group_score: str = "max"  # a group counts as its best score, or as the sum of its two best: "max" | "top2"
    masked: float = -math.inf  # the score of an expert outside the chosen groups
    norm_topk_prob: bool = False  # the chosen weights are divided by their sum
    norm_eps: float = 0.0  # added to that sum
    routed_scaling_factor: float = 1.0
    jitter: float = 0.0  # of the "sparsemixer" that scores the chosen (Phi-3.5-MoE)
    on_input: bool = False  # an expert's weight multiplies what goes in, not what comes out (Llama 4)
    limit: float = 0.0  # gate and up are clamped to it (swiglu_limit); 0 = not
    glu: str = "glu"  # how gate and up meet: "glu" | "swigluoai" (gpt-oss: (up + 1) · gate · σ(alpha · gate))
    alpha: float = 1.0
    router_softcap: float = 0.0  # router logits become cap · tanh(logits / cap); 0 = not (Laguna)
    router_multiplier: float = 1.0  # router logits are multiplied by it (Muse Spark)
    limit_after: bool = False  # the gate is clamped after its activation, not before (Step 3.5)
    router_normal: Normal | None = (
        None  # the router reads "raw", normalised and scaled; weights are scaled too (Gemma 4)
    )
    joined: float = 1.0  # what experts and shared experts give together is multiplied by it (Cohere: their average)
    out_bias: str = ""  # name of a bias on the weighted sum, inside the layer; "" = none (JetMoE)
    latent_norm: Normal | None = None  # a norm in front of the experts, where they work in a latent (Muse Spark)
    shared_bias: bool = False  # biases on the shared experts and on the latent's projections (Nemotron-H)
    shared_routed: bool = False  # the router also weighs the shared experts, which are always chosen (Inkling)
    global_scale: bool = False  # all weights times one learned number
    caps: tuple[float, float] = ()  # type: ignore[assignment]  # gate (not its activation) and up are capped by tanh
    router_network: int = 0  # width of a small network that scores in place of one matrix (ZAYA); 0 = the matrix
    network_normal: Normal = Normal()  # noqa: RUF009 (a tuple, never changed)
    router_from: int = -1  # layer whose network's state is added to this one's, scaled; -1 = none
    zero_returns: bool = True  # experts without weights return their input; else nothing
    expert_norm: Normal | None = None  # what an expert gives is normalised before it is weighed (Muse Spark)
    shared_limit: float | None = None  # the shared experts' own limit; None = as the experts' (Step 3.5)
    shared_act: str = ""  # the shared experts' own activation; "" = as the experts' (Aria)


def route(m: MoE, g: Wires, x: str, h: int) -> str:
    """The router: logits, scores, the choice of experts and their weights; the name of the last."""
    e = m.num_experts + m.zero_expert_num
    if m.shared_routed:
        return route_all(m, g, x, h)
    if m.router_network:
        x = network(m, g, x, h)
    elif m.router_normal:
        x = router_input(m, g, h)
    logits = g.linear("gate", x, e, m.router_network or m.router_size or h, m.router_bias, part="router")
    if m.router_multiplier != 1.0:
        logits = g.add("gate_scaled", "scale", logits, by=m.router_multiplier)
    if m.router_softcap:
        logits = g.add("gate_softcap", "softcap", logits, cap=m.router_softcap)
    facts: dict[str, Any] = {
        "k": m.num_experts_per_tok, "groups": m.n_group, "topk_group": m.topk_group, "group_score": m.group_score,
        "masked": m.masked,
    }  # fmt: skip
    bias = {"bias": selection_bias(m)} if m.selection_bias else {}
    scored = logits if m.topk_first else g.add("score", "score", logits, act=m.scoring)
    if m.table_rows:
        table = {"weight": g.tensor("gate.tid2eid", m.table_rows, m.num_experts_per_tok, part="buffer")}
        choice = g.add("choose", "embed", "tokens", tensors=table, words="experts by the token alone: a hash")
    else:
        choice = g.add("choose", "choose", scored, tensors=bias, **facts)
    out = g.add("weigh", "weigh", scored, choice, score=m.scoring if m.topk_first else "", normalise=m.norm_topk_prob,
                eps=m.norm_eps, scale=m.routed_scaling_factor, jitter=m.jitter)  # fmt: skip
    if m.router_normal:
        tensors = {"weight": Tensor("router.per_expert_scale", (e,), "router")}
        out = g.add("weights_scaled", "scale", out, tensors=tensors, words="× a number per expert")
    return out


def route_all(m: MoE, g: Wires, x: str, h: int) -> str:
    """A router with rows for the shared experts too: the others are chosen, then all are weighed together."""
    e, every = m.num_experts, m.num_experts + m.n_shared_experts
    scores = g.add("score", "score", g.linear("gate", x, every, h, part="router"), act=m.scoring)
    bias = {"bias": selection_bias(m)} if m.selection_bias else {}
    choice = g.add("choose", "choose", g.add("routed", "slice", scores, start=0, stop=e), tensors=bias,
                   k=m.num_experts_per_tok, groups=1, topk_group=1, group_score="max", masked=m.masked)  # fmt: skip
    out = g.add("weigh", "weigh", scores, choice, score="", normalise=True, eps=m.norm_eps, always=m.n_shared_experts,
                scale=m.routed_scaling_factor)  # fmt: skip
    if m.global_scale:
        one = {"weight": g.tensor("gate.global_scale", 1, part="router")}
        out = g.add("weights_scaled", "scale", out, tensors=one, words="× a learned number")
    return out


def router_input(m: MoE, g: Wires, h: int) -> str:
    """What a router of its own input reads: "raw", normalised, times a stored vector, over √width."""
    x = g.norm("router_norm", "raw", 0, normal=m.router_normal)
    x = g.add("router_scale", "scale", x, tensors={"weight": Tensor("router.scale", (h,), "router")})
    return g.add("router_root", "scale", x, by=h**-0.5, words=f"÷ √{h:,}")


def network(m: MoE, g: Wires, x: str, h: int) -> str:
    """A router that is a small network: down, the state of the layer before it, a norm, two layers."""
    n = m.router_network
    state = g.linear("router_down", x, n, h, True, module="gate.down_proj", part="router")
    if m.router_from >= 0:
        weight = {"weight": g.tensor("gate.router_states_scale", n, part="router")}
        earlier = g.add("router_earlier", "scale", f"layer{m.router_from}:mlp.router_state", tensors=weight)
        state = g.add("router_sum", "add", state, earlier)
    state = g.add("router_state", "keep", state)
    p, x = "gate.router_mlp.", state
    x = g.norm("router_norm", x, n, module=p + "norm", part="router", normal=m.network_normal)
    for name in ("fc1", "fc2"):
        x = g.linear(f"router_{name}", x, n, n, True, module=p + name, part="router")
        x = g.add(f"router_{name}_act", "act", x, act="gelu")
    return x


def selection_bias(m: MoE) -> Tensor:
    """What is added to the scores while choosing."""
    e = m.num_experts + m.zero_expert_num
    return Tensor(m.selection_bias, (1, e) if m.selection_bias_row else (e,), selection_part(m))


def selection_part(m: MoE) -> str:
    """A part of the ledger, or "buffer": in no count."""
    return "router" if m.selection_bias_trained else "buffer"


def graph(m: MoE, h: int) -> Graph:
    """Router, experts, the weighted sum, and what every token visits beside them."""
    g = Wires("mlp.", "experts")
    weights = route(m, g, "x", h)
    every, e = weights, m.num_experts
    if m.shared_routed:
        weights = g.add("routed_weights", "slice", every, start=0, stop=e)
    inner, x = m.latent_size or h, "x"
    if m.latent_size:
        x = g.linear("fc1_latent_proj", "x", m.latent_size, h, m.shared_bias)
    if m.latent_norm:
        x = g.norm("latent_norm", x, m.latent_size, normal=m.latent_norm)
    out = g.add("experts", "experts", x, weights, tensors=stack_matrices(m, inner), act=m.hidden_act, gated=m.gated,
                limit=m.limit, limit_after=m.limit_after, glu=m.glu, alpha=m.alpha, on_input=m.on_input,
                experts=m.num_experts, zero_returns=m.zero_returns, caps=m.caps, k=m.num_experts_per_tok,
                normal=m.expert_norm)  # fmt: skip
    if m.out_bias:
        out = g.add("out_bias", "shift", out, tensors={"bias": Tensor(m.out_bias, (h,), "experts")})
    if m.latent_size:
        out = g.linear("fc2_latent_proj", out, h, m.latent_size, m.shared_bias)
    if m.shared_routed:
        gammas = g.add("shared_weights", "slice", every, start=e, stop=e + m.n_shared_experts)
        visited = g.add("shared", "experts", "x", gammas, tensors=always(m, h), act=m.hidden_act, gated=True,
                        limit=0.0, glu="glu", alpha=1.0, on_input=False, experts=m.n_shared_experts,
                        k=m.n_shared_experts)  # fmt: skip
        out = g.add("with_shared", "add", out, visited)
    elif m.shared_expert_intermediate_size:
        limit = m.limit if m.shared_limit is None else m.shared_limit
        shared = Dense(m.shared_expert_intermediate_size, m.gated, m.shared_act or m.hidden_act, m.shared_bias,
                       limit=limit, limit_after=m.limit_after, glu=m.glu, alpha=m.alpha)  # fmt: skip
        visited = g.inline("shared", dense(shared, h, "mlp.shared_experts.", "shared"), x="x")
        if m.shared_gate:
            gate = g.linear("shared_expert_gate", "x", 1, h, part="shared")
            opened = g.add("shared_gate_act", "act", gate, act="sigmoid")
            visited = g.add("shared_gated", "multiply", visited, opened)
        out = g.add("with_shared", "add", out, visited)
        if m.joined != 1.0:
            out = g.add("joined", "scale", out, by=m.joined)
    return g.graph(out)


def always(m: MoE, h: int) -> dict[str, Tensor]:
    """The matrices of shared experts that the router weighs, stacked."""
    n, p = m.n_shared_experts, "mlp.shared_experts."
    width = m.shared_expert_intermediate_size // max(n, 1)
    shapes = {"gate": (n, width, h), "up": (n, width, h), "down": (n, h, width)}
    return {word: Tensor(f"{p}{word}_proj", shape, "shared") for word, shape in shapes.items()}


def stack_matrices(m: MoE, inner: int) -> dict[str, Tensor]:
    """The experts' matrices, the expert count leading."""
    e, width, p = m.num_experts, m.moe_intermediate_size, "mlp.experts.{expert}."
    shapes = {"gate": ("gate_proj", width, inner), "up": ("up_proj", width, inner), "down": ("down_proj", inner, width)}
    out = {}
    for word, (name, rows, columns) in shapes.items():
        if word == "gate" and not m.gated:
            continue
        out[word] = Tensor(f"{p}{name}.weight", (e, rows, columns), "experts")
        if m.bias:
            out[word + "_bias"] = Tensor(f"{p}{name}.bias", (e, rows), "experts")
    if m.expert_norm:
        out["norm"] = Tensor("mlp.experts.post_expert_norm.weight", (inner,), "experts")
    return out


RECORD, GRAPH = MoE, graph
