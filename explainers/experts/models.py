"""Catalogued mixtures of experts -> how many a token meets, what that is of the model, and how long its route is.

A row: [slug, title, layers with experts, experts, chosen per token, groups, groups kept, shared experts, parameters,
parameters that one token meets, numbers sent to an expert, layers with a dense MLP and no experts].
"""

from __future__ import annotations

from typing import Any

COLUMNS = ("slug", "title", "layers", "experts", "k", "groups", "kept", "shared", "total", "active", "width",
           "dense")  # fmt: skip
WIDE_BYTES = 4  # of a number, as programs send it today
ID_BYTES, BESIDE_BYTES, TEXT = 256, 8, 32_768  # experts that a byte can name; token id and log-probability; a rollout


def rows() -> list[list[Any]]:
    """Every catalogued mixture whose experts are chosen by scores."""
    from cutaway.gallery import catalog

    found = ((model, row(catalog.spec(model.slug))) for model in catalog.drawable_rows() if not model.variant_of)
    return [[model.slug, model.title, *made] for model, made in found if made]


def scale(slug: str) -> float:
    """What a model multiplies the weights of its experts by."""
    from cutaway.gallery import catalog
    from cutaway.gallery.counting.parameters import routers

    return routers(catalog.spec(slug))[-1].routed_scaling_factor


def row(spec: Any) -> list[Any] | None:
    """The numbers of one model, read off its last mixture; None where it has none."""
    from cutaway.gallery.counting.parameters import parameters, routers
    from cutaway.gallery.spec import Dense

    found = routers(spec)
    if not found:
        return None
    one, count = found[-1], parameters(spec)
    return [
        len(found), one.num_experts, one.num_experts_per_tok, one.n_group, one.topk_group, one.n_shared_experts,
        count.total, count.active, one.latent_size or spec.hidden_size,
        sum(isinstance(layer.mlp, Dense) for layer in spec.layers),
    ]  # fmt: skip


def route(row: dict) -> dict:
    """The bytes that name a token's experts in all layers, and what they are beside the token itself."""
    ids = row["layers"] * row["k"]
    size = 1 if row["experts"] <= ID_BYTES else 2
    made = ids * size
    bits = (row["experts"] - 1).bit_length()
    return {
        "ids": ids,
        "id_bytes": size,
        "bytes": made,
        "bits": bits,
        "packed": -(-ids * bits // 8),
        "beside": BESIDE_BYTES,
        "share": made / (made + BESIDE_BYTES),
        "times": made / BESIDE_BYTES,
        "tokens": TEXT,
        "all_bytes": made * TEXT,
        "wide_bytes": ids * WIDE_BYTES * TEXT,
        "text_bytes": BESIDE_BYTES * TEXT,
    }


def numbers(row: dict) -> dict:
    """The model in numbers; a send is a byte for each number, and a 4-byte scale for every 128."""
    scales = 4 * -(-row["width"] // 128)
    return {
        **row,
        "share": row["active"] / row["total"],
        "part": row["k"] / row["experts"],
        "all": row["layers"] * row["experts"],
        "met": row["layers"] * row["k"],
        "last": row["layers"] - 1,
        "scales": scales,
        "send": row["width"] + scales,
    }
