"""Catalogued mixtures of experts -> what their routers choose by, and what a token sends to an expert.

A row: [slug, title, experts, chosen per token, groups, groups kept, a group counts as its best score or its two best,
what turns logits into scores ("" = the choice is made on logits), 1 = a bias counts for the choice, numbers sent to an
expert (a latent where they work in one), layers with experts].
"""

from __future__ import annotations

from typing import Any

COLUMNS = ("slug", "title", "experts", "k", "groups", "kept", "group_score", "scoring", "bias", "width",
           "layers")  # fmt: skip
LIMITS = (0, 1, 2, 3, 4, 6, 8)  # a token's experts lie in at most so many groups; 0 = as the model has it
PER_NODE = 8


def rows() -> list[list[Any]]:
    """Every catalogued mixture whose experts a token's scores choose, in a number that eight GPUs can share."""
    from cutaway.gallery import catalog

    found = ((model, row(catalog.spec(model.slug))) for model in catalog.gallery_rows() if not model.variant_of)
    return [[model.slug, model.title, *made] for model, made in found if made]


def row(spec: Any) -> list[Any] | None:
    """The numbers of one model; None where it has none, or a router that is a network of its own."""
    from cutaway.gallery.counting.parameters import routers
    from cutaway.gallery.spec import MoE

    found = routers(spec)
    if not found:
        return None
    one = found[-1]
    if one.router_network or one.zero_expert_num or one.num_experts % PER_NODE:
        return None
    layers = sum(isinstance(layer.mlp, MoE) for layer in spec.layers)
    return [
        one.num_experts, one.num_experts_per_tok, one.n_group, one.topk_group, one.group_score,
        "" if one.topk_first else one.scoring, int(bool(one.selection_bias)), one.latent_size or spec.hidden_size,
        layers,
    ]  # fmt: skip


def groups_used(table: list[list[Any]]) -> dict[str, dict[str, list[int]]]:
    """{model: {limit: tokens by how many groups they use}}, as the planner counts them, where groups are a model's own
    and a limit leaves some out."""
    from cutaway.gallery.planning.reach import expert_reach

    out: dict[str, dict[str, list[int]]] = {}
    for slug, _, experts, k, groups, own, score, scoring, *_ in table:
        kept = {limit: limit or own for limit in LIMITS if groups > 1}
        rules = {limit: many for limit, many in kept.items() if many < groups}
        found = {
            str(limit): expert_reach(experts, k, groups, many, score == "top2", scoring)["used"]
            for limit, many in rules.items()
        }
        out |= {slug: found} if found else {}
    return out
