"""Catalogued models -> the shapes tensor parallelism cuts, and which of their parameters it shards, copies or both.

A row: [slug, title, hidden, heads, kv_heads, head_dim, mlp width, kind, layers, cut, kv, whole, grows, more]; of a
model whose layers differ, the last one that has keys and values of its own and an MLP is drawn. Shares are those of
gallery.planning, which runs on a mesh hold. To travel in fewer bytes, what follows from the rest is left out:

    title   0: that of `model_title`
    kind    a sum: 1 gated, 2 experts of that width, 4 both halves of a layer read the same stream and are added
            together (Falcon, Command), 8 one norm for the queries of all heads and one for the keys (OLMo 2), 16 norms
            stand behind the halves, not before them, 32 k and v have a bias, 64 a norm of each head's size for queries
            and one for keys, 128 `cut` and 256 `whole` are counted in vectors of hidden, 512 gated by another
            activation than silu, 1,024 the same and times up + 1 (gpt-oss)
    cut     parameters that are cut evenly, without the usual ones
    kv      parameters of k and v as [[parameters, KV heads], ...]; 0: the usual ones
    whole   parameters that every rank keeps, without the usual ones
    grows   what the cache grows by: [[in how many layers, tokens that a window keeps or 0 where there is none], ...],
            or [[bytes of each token, the same, KV heads or 0 where every rank keeps it], ...]; 0: as is usual
    more    {"latent": [q_lora_rank, kv_lora_rank, qk_rope_head_dim, v_head_dim], "also": [what ranks divide in other
            layers, ...], "meets": [how often attention and MLPs end in a pass]}, each only where it is not as usual

The usual parameters, and what a cache grows by: `usual`.
"""

from __future__ import annotations

import re
from typing import Any

COLUMNS = ("slug", "title", "hidden", "heads", "kv_heads", "head_dim", "mlp", "kind", "layers", "cut", "kv", "whole",
           "grows", "more")  # fmt: skip
KINDS = ("gated", "expert", "parallel", "full", "after", "bias", "head_norm", "cut_in", "whole_in",
         "other", "plus")  # fmt: skip


def rows() -> list[list[Any]]:
    """Every catalogued model whose layers are of softmax attention, with heads of its own or out of a latent.

    A model that sees is left out where one that reads has its shapes, one of less than two billion parameters always:
    the page is about shapes that somebody cuts.
    """
    from cutaway.gallery import catalog

    own = [model for model in catalog.gallery_rows() if not model.variant_of and not model.config_of]
    own.sort(key=lambda model: bool(catalog.spec(model.slug).towers))
    made, reading = [], set()
    for model in own:
        spec = catalog.spec(model.slug)
        row = row_of(spec)
        if not row or count_parameters(row) < 2e9 or (spec.towers and str(row) in reading):
            continue
        made.append([model.slug, 0 if model.title == model_title(model.slug) else model.title, *row])
        reading |= set() if spec.towers else {str(row)}
    return sorted(made)  # it travels in fewer bytes so


def count_parameters(row: list[Any]) -> int:
    """Parameters of a model by its row."""
    model = expand_row(["", "-", *row])
    return model["cut"] + model["whole"] + sum(numbers for numbers, _ in model["kv"])


def model_title(slug: str) -> str:
    """Qwen/Qwen3-4B-Instruct -> Qwen3 4B: the title of many models."""
    return re.sub(r"^.*/|-(Instruct|it|hf|Base|PT|Preview|v1)$", "", slug).replace("-", " ")


def expand_row(row: list[Any]) -> dict[str, Any]:
    """A row with all that it leaves out, by column name."""
    model = dict(zip(COLUMNS, [*row, {}], strict=False))
    more, model["title"] = model.pop("more"), model["title"] or model_title(model["slug"])
    model |= kinds_of(model["kind"]) | {"latent": more.get("latent", []), "also": more.get("also", [])}
    model["meets"] = more.get("meets", [model["layers"]] * 2)
    left = usual(model)
    for key in ("cut", "whole"):
        model[key] = model[key] * (model["hidden"] if model[f"{key}_in"] else 1) + left[key]
    model["kv"] = model["kv"] or left["kv"]
    each = 4 * model["kv_heads"] * model["head_dim"]
    entries = model["grows"] or left["grows"]
    model["grows"] = [[each * one[0], one[1], model["kv_heads"]] if len(one) == 2 else one for one in entries]
    return model


def kinds_of(total: int) -> dict[str, int]:
    """A sum of kinds, apart."""
    return {name: total >> place & 1 for place, name in enumerate(KINDS)}


def usual(model: dict[str, Any]) -> dict[str, Any]:
    """`cut`: q and o of all heads, and an MLP, in all layers; `kv`: k and v. `whole`: two norms in each layer and one
    behind, those of heads, ways down to latents and their norms. `grows`: keys and values, or latents."""
    layers, h, d, heads, kv_heads = (model[key] for key in ("layers", "hidden", "head_dim", "heads", "kv_heads"))
    q_rank, rank, rope, _ = model["latent"] or (0, 0, 0, 0)
    norms = (2 * d if model["head_norm"] else 0) + ((heads + kv_heads) * d if model["full"] else 0)
    down = h * (q_rank + rank + rope) + q_rank + rank
    return {
        "cut": layers * h * (2 * heads * d + (3 if model["gated"] else 2) * model["mlp"]),
        "kv": [] if rank else [[2 * layers * kv_heads * d * (h + model["bias"]), kv_heads]],
        "whole": (2 * layers + 1) * h + layers * (norms + down),
        "grows": [[2 * layers * (rank + rope), 0, 0]] if rank else [[layers, 0]],
    }


def row_of(spec: Any) -> list[Any] | None:
    """The numbers of one model, or None where a layer is of another kind."""
    from cutaway.gallery.planning.planner_model import make_planner_model
    from cutaway.gallery.spec import Attention, Dense, LatentAttention, MoE

    mixers, mlps = [la.mixer for la in spec.layers], [la.mlp for la in spec.layers]
    known = {*map(type, mixers)} <= {Attention, LatentAttention, type(None)} and all(
        isinstance(m, Dense | MoE | None) and not getattr(m, "sparsity", 0) for m in mlps
    )  # not Gemma 3n: which numbers of a gate become zero depends on those of all ranks
    drawn = [la for la in spec.layers if is_drawn(la)]
    if not known or not drawn:
        return None
    made, own = make_planner_model(spec), drawn[-1]
    mixer, mlp = own.mixer, own.mlp
    width = mlp.moe_intermediate_size if isinstance(mlp, MoE) else mlp.intermediate_size
    heads, latent = mixer.num_attention_heads, isinstance(mixer, LatentAttention)
    kv_heads, d = (heads, mixer.qk_nope_head_dim + mixer.qk_rope_head_dim) if latent else (
        mixer.num_key_value_heads, mixer.head_dim)  # fmt: skip
    sizes = dict(zip(COLUMNS[2:9], (spec.hidden_size, heads, kv_heads, d, width, kind(spec, own), len(mixers)),
                     strict=True))  # fmt: skip
    more = {}
    if latent:
        more["latent"] = [mixer.q_lora_rank, mixer.kv_lora_rank, mixer.qk_rope_head_dim, mixer.v_head_dim]
    others = {number for _, number in made["cuts"]} | {m.moe_intermediate_size for m in mlps if isinstance(m, MoE)}
    if also := sorted(others - {heads, width}):
        more["also"] = also
    ends = [spec.loops * sum(one is not None for one in halves) for halves in (mixers, mlps)]
    if ends != [len(mixers)] * 2:
        more["meets"] = ends
    return pack_row(sizes, shares(made), cache_growth(made), more)


def is_drawn(layer: Any) -> bool:
    """Whether a layer has an MLP, and attention with keys and values of its own, of one size."""
    from cutaway.gallery.spec import Attention, LatentAttention

    m = layer.mixer
    if layer.mlp is None or not isinstance(m, Attention | LatentAttention) or m.kv_source is not None:
        return False
    return isinstance(m, LatentAttention) or (not m.cross and not m.k_eq_v and m.head_dim == m.v_head_dim)


def kind(spec: Any, layer: Any) -> int:
    """What a layer is like, as a sum."""
    from cutaway.gallery.spec import MoE

    places = {norm.position for norm in layer.norms}
    after = bool(places) and not any(place.endswith("_in") for place in places)
    norm: str = getattr(layer.mixer, "qk_norm", "")
    bias: frozenset[str] = getattr(layer.mixer, "bias", frozenset())
    parallel = any(one.parallel for one in spec.layers)
    mlp = layer.mlp
    plus = mlp.gated and mlp.glu == "swigluoai"
    other = mlp.gated and mlp.hidden_act != "silu" and not plus
    bits = (mlp.gated, isinstance(mlp, MoE), parallel, norm == "full", after, {"k", "v"} <= bias,
            norm == "head", 0, 0, other, plus)  # fmt: skip
    return sum(int(bit) << place for place, bit in enumerate(bits))


def pack_row(sizes: dict[str, int], shares: tuple[int, list, int], grows: list, more: dict) -> list[Any]:
    """A row without what follows from the rest."""
    model = sizes | kinds_of(sizes["kind"]) | {"latent": more.get("latent", [])}
    left, total, h = usual(model), sizes["kind"], sizes["hidden"]
    rest = {}
    for key, number in (("cut", shares[0]), ("whole", shares[2])):
        rest[key], odd = divmod(number - left[key], h)
        total += 0 if odd else 1 << KINDS.index(f"{key}_in")
        rest[key] = number - left[key] if odd else rest[key]
    each = 4 * sizes["kv_heads"] * sizes["head_dim"]
    own = sizes["kv_heads"]
    short = [[one // each, cap] if not one % each and kv == own else [one, cap, kv] for one, cap, kv in grows]
    kv = 0 if shares[1] == left["kv"] else shares[1]
    return [*(sizes | {"kind": total}).values(), rest["cut"], kv, rest["whole"],
            0 if short == left["grows"] else short, *([more] if more else [])]  # fmt: skip


def shares(sheet: dict[str, Any]) -> tuple[int, list[list[int]], int]:
    """(parameters that are cut evenly, those of k and v by KV heads, those that every rank keeps)."""
    cut = whole = 0
    kv: dict[int, int] = {}
    layers = (piece for place in sheet["layers"] for piece in sheet["kinds"][place]["pieces"])
    for _, _, _, numbers, _, rule, _ in (*sheet["before"], *layers, *sheet["after"]):
        word, *of = sheet["rules"][rule]
        if word == "heads":
            kv[of[0]] = kv.get(of[0], 0) + numbers
        elif word == "tp" or (word == "experts" and of[1]):
            cut += numbers
        else:
            whole += numbers
    return cut, [[numbers, heads] for heads, numbers in kv.items()], whole


def cache_growth(sheet: dict[str, Any]) -> list[list[int]]:
    """What all layers keep of each token in bf16, by how many tokens they keep and how ranks share it."""
    found: dict[tuple[int, int], int] = {}
    for place in sheet["layers"]:
        for _, numbers, bits, _, every, cap, fixed, rule, _ in sheet["kinds"][place]["keeps"]:
            assert every == 1
            word, *of = sheet["rules"][rule]
            key = (1 if fixed else cap or 0, of[0] if word == "heads" else 0)
            found[key] = found.get(key, 0) + (16 * numbers + bits) * sheet["loops"] // 8
    return [[size, *key] for key, size in found.items()]
