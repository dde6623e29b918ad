"""One attention shape and a stop on the slider -> numbers kept, weights, bytes, ranks: plain arithmetic, no words.

A shape is a row of models.SHAPE by names. A stop `kv` is a count of key/value heads; 0 is a latent (MLA).
"""

from __future__ import annotations

BYTES = 2  # BF16
RANKS = 64


def latent(shape: dict) -> dict:
    """The latent of this shape; DeepSeek-V2's proportions (4 and 1/2 heads wide) where the model has none."""
    if shape["latent"]:
        return {
            "rank": shape["rank"],
            "rope": shape["rope"],
            "nope": shape["k"],
            "v": shape["v"],
            "turned": bool(shape["turned"]),
        }
    wide = shape["v"]
    return {"rank": 4 * wide, "rope": wide // 2, "nope": wide, "v": wide, "turned": True}


def built_stop(shape: dict) -> int:
    """Where on the slider the model was built."""
    return 0 if shape["latent"] else shape["kv"]


def resolve(state: dict, shape: dict) -> int:
    """The chosen stop; -1 means the model's own."""
    return built_stop(shape) if state["kv"] == -1 else state["kv"]


def stops(shape: dict, chosen: int) -> list[int]:
    """Key/value heads by halves, the model's own and the chosen one among them; then the latent."""
    found = {1, built_stop(shape) or 1, chosen or 1}
    n = shape["heads"]
    while n > 1:
        found.add(n)
        n = n // 2 if n % 2 == 0 else 1
    return [*sorted(found, reverse=True), 0]


def variant(kv: int, heads: int) -> str:
    return "MLA" if kv == 0 else "MQA" if kv == 1 else "MHA" if kv == heads else "GQA"


# ---------------------------------------------------------------- what is kept


def numbers_kept(shape: dict, kv: int) -> int:
    """How many numbers one token leaves behind in one layer."""
    if kv == 0:
        one = latent(shape)
        return one["rank"] + one["rope"]
    return kv * (shape["k"] + shape["v"])


def layers(shape: dict) -> int:
    return sum(n for n, _, _ in shape["windows"])


def bytes_at_context(shape: dict, kv: int, context: int, loops: int) -> int:
    """Bytes that the layers of one shape keep of a context: windows keep no more than they hold."""
    tokens = sum(n * (min(context, seen) if seen else context) for n, seen, _ in shape["windows"])
    return numbers_kept(shape, kv) * BYTES * tokens * loops


def in_all(model: dict, state: dict, kv: int) -> int:
    """Everything the model keeps of the context: all shapes, states, indexer keys; at its own stop, gallery.memory."""
    total = model["state_bytes"] + model["beside_bytes"] + model["index_bytes"] * state["context"]
    for i, shape in enumerate(model["shapes"]):
        total += bytes_at_context(
            shape, kv if i == state["shape"] else built_stop(shape), state["context"], model["loops"]
        )
    return total


def weights_kv(shape: dict, kv: int, hidden: int) -> int:
    """Weights that make keys and values in one layer: k and v, or the latent's way down and up (with its norm)."""
    if kv == 0:
        one = latent(shape)
        up = one["rank"] * shape["heads"] * (one["nope"] + one["v"])
        return hidden * (one["rank"] + one["rope"]) + one["rank"] + up
    k, v = kv * shape["k"], 0 if shape["k_eq_v"] else kv * shape["v"]
    return hidden * (k + v) + (k if shape["bias"] > 0 else 0) + (v if shape["bias"] > 1 else 0)


def stop(shape: dict, kv: int, deep: int, chosen: int) -> dict:
    """One stop of the slider and its bar."""
    name = variant(kv, shape["heads"])
    kept = numbers_kept(shape, kv)
    return {
        "kv": kv,
        "label": f"GQA {kv}" if name == "GQA" else name,
        "tick": {"MLA": "MLA", "GQA": str(kv)}.get(name, f"{name} {kv}"),
        "bytes": kept * BYTES * deep,
        "own": kv == built_stop(shape),
        "on": kv == chosen,
    }


# ---------------------------------------------------------------- tensor parallel


def legal_ranks(heads: int, kv: int) -> list[int]:
    """Ranks that share the query heads evenly, and split the key/value heads evenly or hold whole copies of them."""
    return [t for t in range(1, RANKS + 1) if heads % t == 0 and (kv == 0 or kv % t == 0 or t % kv == 0)]


def spread_tiles(shape: dict, kv: int, tp: int, per_token: int) -> dict:
    """Who holds what: `tiles` per rank (key/value heads; the latent is tile 0), and whether it is a copy."""
    distinct = max(kv, 1)
    copies = max(1, tp // distinct)
    held = max(1, distinct // tp)
    per_rank = per_token // distinct * held
    return {
        "legal": legal_ranks(shape["heads"], kv),
        "query_heads": shape["heads"] // tp,
        "tiles": [[r * distinct // tp + i for i in range(held)] for r in range(tp)],
        "copy": [r % copies > 0 for r in range(tp)],
        "copies": copies,
        "waste": per_rank * tp / per_token,
        "bytes_per_rank": per_rank,
        "bytes_all": per_rank * tp,
    }


# ---------------------------------------------------------------- inside MLA


def mla(shape: dict) -> dict:
    """One layer, one new token, per token in the cache: the three ways to decode from a latent."""
    one, heads = latent(shape), shape["heads"]
    rank, rope, nope, v = one["rank"], one["rope"], one["nope"], one["v"]
    grown = heads * (nope + rope + v)
    rebuild = 2 * rank * heads * (nope + v)  # W_uk and W_uv on one latent; or on one query and one sum, when absorbed
    return {
        "heads": heads,
        **one,
        "ways": [
            {"way": "absorbed", "numbers": rank + rope, "flops": 2 * heads * (2 * rank + rope), "step_flops": rebuild},
            {
                "way": "expanded, rebuilt each step",
                "numbers": rank + rope,
                "flops": 2 * grown + rebuild,
                "step_flops": 0,
            },
            {"way": "expanded, cached", "numbers": grown, "flops": 2 * grown, "step_flops": rebuild},
        ],
    }
