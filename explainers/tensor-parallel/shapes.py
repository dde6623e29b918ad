"""Catalogued models -> the shapes tensor parallelism cuts, and which of their parameters it shards, copies or both.

A row: [slug, title, hidden, heads, kv_heads, head_dim, mlp width, 1 = gated, 1 = that width is one expert's, layers,
1 = both halves of a layer read the same stream and are added together (Falcon, Command), parameters that are cut,
parameters of k and v, parameters every rank keeps whole, what the cache grows by: [bytes of each token, the number of
tokens a window keeps or 0 where there is none], ...].
"""

from __future__ import annotations

from math import prod
from typing import Any

COLUMNS = ("slug", "title", "hidden", "heads", "kv_heads", "head_dim", "mlp", "gated", "expert", "layers",
           "parallel", "cut", "kv", "whole", "grows")  # fmt: skip


def rows() -> list[list[Any]]:
    """Every catalogued model whose layers all have the same attention with keys and values of its own."""
    from gallery import catalog

    made = []
    for model in catalog.drawn():
        if model.variant_of:
            continue
        row = _row(catalog.spec(model.slug))
        if row:
            made.append([model.slug, model.title, *row])
    return sorted(made)  # it travels in fewer bytes so


def _row(spec: Any) -> list[Any] | None:
    """The numbers of one model, or None where its layers are of more than one kind, or latent, or linear."""
    from gallery.spec import Attention, Dense, MoE

    mixers = {(m.num_attention_heads, m.num_key_value_heads, m.head_dim, m.v_head_dim, m.gate, m.k_eq_v, m.kv_source)
              for m in (layer.mixer for layer in spec.layers) if isinstance(m, Attention) and not m.cross}  # fmt: skip
    plain = all(isinstance(layer.mixer, Attention) and isinstance(layer.mlp, Dense | MoE) for layer in spec.layers)
    if not plain or len(mixers) != 1:
        return None
    heads, kv_heads, d, dv, gate, k_eq_v, kv_source = mixers.pop()
    if d != dv or gate or k_eq_v or kv_source is not None:
        return None
    mlp = spec.layers[-1].mlp
    expert = isinstance(mlp, MoE)
    width = mlp.moe_intermediate_size if expert else mlp.intermediate_size
    sizes = [spec.hidden_size, heads, kv_heads, d, width, int(mlp.gated), int(expert), len(spec.layers)]
    sizes.append(int(any(layer.parallel for layer in spec.layers)))
    return [*sizes, *_cut(spec), _grows(spec)]


def _grows(spec: Any) -> list[list[int]]:
    """What all layers keep of each token in bf16, by how many tokens they keep; `gallery.memory` at any context."""
    from gallery.counting.cache import rules_for
    from gallery.counting.memory import kept_per_layer

    by_cap: dict[int, int] = {}
    for kept in (one for layer in kept_per_layer(spec, rules_for(spec)) for one in layer):
        cap = 1 if kept.fixed else kept.cap or 0  # what does not grow is there from the first token on
        by_cap[cap] = by_cap.get(cap, 0) + kept.bits * spec.loops // 8
    return [[size, cap] for cap, size in by_cap.items()]


def _cut(spec: Any) -> list[int]:
    """Parameters that are cut by t, parameters of k and v, parameters that every rank keeps."""
    from gallery import weights
    from gallery.counting.weights import own_tensors  # our names: some checkpoints fuse q, k and v

    tensors = [(w.name, w.shape, w.part) for w in weights(spec) if w.layer is None]
    for layer in spec.layers:
        tensors += own_tensors(spec, layer)
    out = {"cut": 0, "kv": 0, "whole": 0}
    for name, shape, part in tensors:
        out[_fate(name, shape, part)] += prod(shape)
    return list(out.values())


def _fate(name: str, shape: tuple[int, ...], part: str) -> str:
    if part in ("embedding", "head"):
        return "cut"
    if part not in ("attention", "dense", "experts", "shared"):
        return "whole"  # norms, routers
    if any(key in name for key in ("k_proj", "v_proj")):
        return "kv"
    added = name.endswith(("o_proj.bias", "down_proj.bias", "down_proj_bias"))  # added once, after the sum
    return "whole" if added or "_norm" in name or "_gate.weight" in name else "cut"
