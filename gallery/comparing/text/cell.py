"""Parts of a spec -> the texts that stand in the cells of a table of differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.comparing.fields import Field, get_field, text
from cutaway.gallery.comparing.kinds import label
from cutaway.gallery.residuals import WORDS
from cutaway.gallery.sublayers import parts_of

ROPES = {"yarn": "YaRN", "default": "", "longrope": "LongRoPE", "llama3": "Llama 3", "dynamic": "dynamic NTK"}
POSITIONS = {"rope": "RoPE", "alibi": "ALiBi", "learned": "learned", "waves": "sines and cosines",
             "relative": "a learned bias by distance", "nope": ""}  # fmt: skip
STYLES = {"dsa": "DSA", "minimax_m3": "blocks", "v4": "CSA", "means": "means", "pools": "pools"}
GATES = {"elementwise": "per number", "separate": "per number, own matrix", "headwise": "per head",
         "with_queries": "per number"}  # fmt: skip
QK = {"head": "per head", "full": "whole projection", "per_head": "a weight per head", "unweighted": "no weight"}
ACTS = {"silu": "SwiGLU", "swish": "SwiGLU", "situ": "SiTU", "swigluoai": "clamped SwiGLU"}
PLAIN_ACTS = {"relu2": "ReLU²", "xielu": "xIELU", "silu": "SiLU"}


def activation(p: Any) -> str:
    """SwiGLU, GEGLU, GELU, ReLU² ..."""
    if getattr(p, "glu", "glu") == "swigluoai":
        return "clamped SwiGLU"
    act = p.hidden_act
    if act.startswith("gelu") or act == "quick_gelu":
        return "GEGLU" if p.gated else "GELU"
    return ACTS.get(act, f"gated {act}") if p.gated else PLAIN_ACTS.get(act, act)


def scale(p: Any) -> str:
    """The softmax scale."""
    width = getattr(p, "head_dim", 0) or getattr(p, "qk_nope_head_dim", 0) + getattr(p, "qk_rope_head_dim", 0)
    value = p.scale or (width**-0.5 if width and p.scale is not None else None)
    return f"{value:.4f}" if value else "not known"


def rope_stretching(p: Any) -> str:
    """How positions are stretched: YaRN × 40."""
    rope = p.rope
    if rope is None:
        return ""
    factor = dict(rope.scaling).get("factor")
    word = ROPES.get(rope.kind, rope.kind)
    return f"{word} × {factor:g}" if word and isinstance(factor, int | float) else word


def head_size(p: Any) -> str:
    """128, or 192 for keys and 128 for values."""
    value = getattr(p, "v_head_dim", p.head_dim)
    return f"{p.head_dim:,}" if value == p.head_dim else f"{p.head_dim:,}, values {value:,}"


def shared_experts(p: Any) -> str:
    """1 × 2,048."""
    n, width = max(p.n_shared_experts, 1), p.shared_expert_intermediate_size
    return f"{n}, {width:,}" if width else ""


SPECIAL: dict[str, Callable[[Any], str]] = {
    "activation": activation,
    "softmax scale": scale,
    "RoPE scaling": rope_stretching,
    "shared experts, total width": shared_experts,
    "indexer": lambda p: f"{STYLES.get(p.indexer.style, p.indexer.style)}, {p.indexer.at_most:,}" if p.indexer else "",
    "output gate": lambda p: GATES.get(p.gate, p.gate),
    "QK-norm": lambda p: QK.get(p.qk_norm, p.qk_norm),
    "KV of an earlier layer": lambda p: "yes" if p.kv_source is not None else "",
    "bias for choosing only": lambda p: "yes" if p.selection_bias else "",
    "rotated dimensions": lambda p: f"{p.rope.dims:,}" if p.rope else "",
    "RoPE base": lambda p: f"{p.rope.base:,.0f}" if p.rope else "",
    "positions": lambda p: POSITIONS.get(p.position, p.position),
    "state of a head": lambda p: f"{p.linear_key_head_dim} × {p.linear_value_head_dim}",
    "routing groups, groups used": lambda p: f"{p.n_group}, {p.topk_group}",
    "attention temperature by position": lambda p: "yes" if p.temperature else "",
}


def say_field(row: Field, part: Any) -> str:
    """What a part says in a row; "" = has none."""
    if row.what in SPECIAL:
        return SPECIAL[row.what](part)
    if row.what == "head size" and hasattr(part, "v_head_dim"):
        return head_size(part)
    values = [get_field(part, name) for name in row.names]
    if len(values) == 1:
        return "" if values[0] == 0 else text(values[0])
    return ", ".join(text(value) or "0" for value in values)


# ---------------------------------------------------------------- kinds of layers

OTHER_SIZES = "of other sizes"


def replaced_kind(a: s.ModelSpec, b: s.ModelSpec, half: str, was: str, becomes: str, at: list[int]) -> tuple[str, ...]:
    """(what, key, a, b) of a kind in place of another, in layers `at` of a; each model's own layers are counted."""
    if half == "mlp" and {was, becomes} == {label(s.Dense(1)), label(s.MoE(1, 1, 1))}:
        fronts = first_dense_layers(a), first_dense_layers(b)
        if None not in fronts and fronts[0] != fronts[1]:
            return "leading dense layers", "first_k_dense_replace", f"{fronts[0]:,}", f"{fronts[1]:,}"
    key = "layer_types" if half == "mixer" else "mlp_layer_types"
    what = "kind of mixer" if half == "mixer" else "kind of MLP"
    if was == becomes:
        return f"sizes of {was}", key, f"{len(at):,} × {was}", OTHER_SIZES
    counts = len(at), sum(i < len(b.layers) for i in at)  # behind b's last layer its pattern is told once more
    texts = []
    for spec, word, n in zip((a, b), (was, becomes), counts, strict=True):
        every = sum(label(getattr(one, half)) == word for one in spec.layers)
        texts.append(f"{n:,} of {every:,} × {word}" if 0 < n < every else f"{every:,} × {word}")
    return what, key, texts[0], texts[1]


def first_dense_layers(spec: s.ModelSpec) -> int | None:
    """How many dense layers stand before the experts; None where they stand elsewhere."""
    dense = [isinstance(layer.mlp, s.Dense) for layer in spec.layers]
    n = sum(dense)
    return n if all(dense[:n]) and n < len(dense) else None


def census(spec: s.ModelSpec, half: str) -> str:
    """36 × Gated DeltaNet, 12 × GQA."""
    counts = Counter(label(getattr(layer, half)) for layer in spec.layers)
    return ", ".join(f"{number:,} × {word}" for word, number in counts.most_common(4))


# ---------------------------------------------------------------- norms, and what the model has as a whole

PLACES = {"mixer_in": "in", "mlp_in": "in", "mixer_out": "out", "mlp_out": "out", "mixer_after": "after",
          "mlp_after": "after"}  # fmt: skip
PLACE_WORDS = {("in",): "pre-norm", ("out",): "post-norm only", ("in", "out"): "sandwich norm",
               ("after",): "post-LN"}  # fmt: skip


def usual_norms(spec: s.ModelSpec) -> tuple[s.Norm, ...]:
    """The norms that most layers have."""
    counts = Counter(id(layer.norms) for layer in spec.layers)
    return max((layer.norms for layer in spec.layers), key=lambda one: counts[id(one)], default=())


def norms(spec: s.ModelSpec) -> str:
    """2 RMSNorm, pre-norm."""
    found = usual_norms(spec)
    if not found:
        return ""
    kinds = " + ".join(dict.fromkeys(one.kind for one in found))
    places = tuple(sorted({PLACES.get(one.position, one.position) for one in found}))
    bias = " with bias" if any(one.bias for one in found) else ""
    return f"{len(found)} {kinds}{bias}, {PLACE_WORDS.get(places, ', '.join(places))}"


def epsilon(spec: s.ModelSpec) -> str:
    """What the norms add under their root."""
    return ", ".join(dict.fromkeys(f"{one.eps:g}" for one in usual_norms(spec)))


def weights(spec: s.ModelSpec) -> str:
    """How the stored weight is meant."""
    return ", ".join(
        dict.fromkeys("1 + w" if one.plus_one else "w" if one.weight else "none" for one in usual_norms(spec))
    )


def streams(spec: s.ModelSpec) -> str:
    """How the residual stream works: 1; 4, hyper-connections; 1, sublayer outputs × 0.22."""
    return WORDS[type(spec.residual)](spec.residual)


def parallel(spec: s.ModelSpec) -> str:
    """Whether attention and MLP read the same input."""
    return "yes" if any(layer.parallel for layer in spec.layers) else ""


def extras(spec: s.ModelSpec) -> str:
    """What layers have beside mixer and MLP."""
    return ", ".join(dict.fromkeys(one.kind.replace("_", " ") for layer in spec.layers for one in layer.extras))


def embedding_opening(spec: s.ModelSpec) -> str:
    """What happens to the embedding first."""
    ops = [node.op for node in spec.opening.nodes] if spec.opening else []
    places = {"positions": "learned positions", "sinusoid": "sines and cosines"}
    return next((words for op, words in places.items() if op in ops), "yes" if ops else "")


def position(spec: s.ModelSpec) -> str:
    """RoPE on 64 of 192, YaRN."""
    counts: Counter[str] = Counter()
    for layer in spec.layers:
        for part in parts_of(layer.mixer):
            counts[_position(part)] += 1
    return "; ".join(word for word, _ in counts.most_common(4) if word)


def _position(part: Any) -> str:
    rope = getattr(part, "rope", None)
    if rope is None:
        place = getattr(part, "position", "")
        return {**POSITIONS, "learned": "learned positions", "nope": "NoPE", "rope": ""}.get(place, "")
    whole = getattr(part, "head_dim", 0) or getattr(part, "qk_nope_head_dim", 0) + getattr(part, "qk_rope_head_dim", 0)
    on = f" on {rope.dims} of {whole}" if whole and rope.dims != whole else ""
    return ", ".join(filter(None, (f"RoPE{on}", rope_stretching(part))))


def extras_beside(spec: s.ModelSpec) -> str:
    """1 MTP layer, vision tower, 4 streams."""
    words = [f"{len(spec.mtp)} MTP layer{'s' if len(spec.mtp) > 1 else ''}"] if spec.mtp else []
    words += [tower.name.removesuffix("_config") + " tower" for tower in spec.towers]
    n, _, how = streams(spec).partition(", ")
    words += [f"{n} streams"] * (n != "1") + [how] * bool(how)
    return ", ".join([*words, extras(spec)] if extras(spec) else words)
