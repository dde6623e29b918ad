"""Catalogued models -> what each does around its halves, as this site reads their configs, and who does what.

A row is COLUMNS. Sizes in bytes are those of a cache in BF16 (gallery.memory).
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.counting.memory import memory
from cutaway.gallery.counting.parameters import parameters
from cutaway.gallery.sublayers import parts_of

COLUMNS = ("slug", "title", "layers", "per_token")
USUAL = {  # what a row leaves out where a model has just that
    "norm": "pre", "scale": 1, "qk": 0, "cap": 0, "logits_cap": 0, "gate": "none", "parallel": 0, "head": 128, "mtp": 0,
    "mtp_numbers": 0, "total": 0, "loops": 1, "sources": [], "full": 1, "table": 0, "streams": 1, "rounds": 0,
    "keeps": "k",
}  # fmt: skip
MILLION = 1_000_000
CONTEXT = 8192  # tokens at which a cache with and without borrowing is compared
WHO = {  # a switch of this page -> the mechanisms of gallery/comparing that are it
    "post": ("stream-norm",), "sandwich": ("post-norm",), "behind": ("no-pre-norm",), "normed": ("normed-stream",),
    "scale": ("residual-scale",), "weighed": ("scaled-stream",), "qk": ("qk-norm", "qk-norm-bare"),
    "qk_all": ("qk-norm-full",),
    "cap": ("softcap", "logit-softcap"), "gate": ("output-gate", "headwise-gate", "mla-gate"),
    "parallel": ("parallel",),
    "drafts": ("mtp",), "loops": ("loops", "two-speeds"), "borrow": ("shared-kv",), "own": ("per-layer",),
    "streams": ("hyper-connections", "gated-streams", "altup"),
}  # fmt: skip
NORMALISED = (s.CompressedAttention, s.ConvolvedAttention)  # always head by head: gallery/mixers, q_norm and q_b_norm
NAMED = 2  # models of each, the newest


def attentions(spec: s.ModelSpec) -> list[Any]:
    """Every mixer of the model that compares queries with keys of the text."""
    kinds = s.Attention | s.LatentAttention | s.CompressedAttention
    found = [part for layer in spec.layers for part in parts_of(layer.mixer)]
    return [part for part in found if isinstance(part, kinds) and not getattr(part, "cross", 0)]


def normalises(mixer: Any) -> bool:
    """Whether its queries and keys are normalised before they meet."""
    return bool(getattr(mixer, "qk_norm", "")) or isinstance(mixer, NORMALISED)


def head(mixers: list[Any]) -> int:
    """Numbers to a head of the first attention; 0 where there is none."""
    if not mixers:
        return 0
    one = mixers[0]
    return one.qk_nope_head_dim + one.qk_rope_head_dim if isinstance(one, s.LatentAttention) else one.head_dim


def cache_kinds(kept: list[dict[str, int]], borrowed: list[int]) -> str:
    """What each layer keeps, by kind of thing -> a letter a layer: k keys and values, s a state alone, - nothing.

    Who borrows counts as k: its source says the rest. Letters that repeat are written once.
    """
    found = ""
    for i, kinds in enumerate(kept):
        entries = kinds.keys() & {"kv", "compressed"} or (borrowed and borrowed[i] >= 0)
        found += "k" if entries else "s" if kinds else "-"
    return next(found[:n] for n in range(1, len(found) + 1) if (found[:n] * len(found))[: len(found)] == found)


def norm(spec: s.ModelSpec) -> str:
    """Where its norms stand."""
    if type(spec.residual).__name__ == "NormedStream":
        return "normed"
    places = {one.position for layer in spec.layers for one in layer.norms}
    if places & {"mixer_after", "mlp_after"}:
        return "post"
    before, behind = places & {"mixer_in", "mlp_in"}, places & {"mixer_out", "mlp_out"}
    return "sandwich" if before and behind else "behind" if behind else "pre"


def gate(mixers: list[Any]) -> str:
    """What opens and shuts attention's output."""
    found = {getattr(one, "gate", "") for one in mixers} - {""}
    return "none" if not found else "heads" if found == {"headwise"} else "numbers"


def sources(spec: s.ModelSpec) -> list[int]:
    """For every layer the one whose keys and values it reads, or -1; [] where none borrows."""
    found = [getattr(layer.mixer, "kv_source", None) for layer in spec.layers]
    return [-1 if one is None else one for one in found] if any(one is not None for one in found) else []


def without_sharing(spec: s.ModelSpec) -> s.ModelSpec:
    """The same model with every layer keeping its own keys and values."""
    own = tuple(
        replace(layer, mixer=replace(layer.mixer, kv_source=None))  # type: ignore[type-var]
        if getattr(layer.mixer, "kv_source", None) is not None
        else layer
        for layer in spec.layers
    )
    return replace(spec, layers=own)


def table(spec: s.ModelSpec) -> int:
    """Numbers in the tables that every layer looks a token up in."""
    opening = spec.opening.tensors() if spec.opening else []
    return sum(prod(one.shape) for one in opening if "embed_tokens_per_layer" in one.name)


def streams(spec: s.ModelSpec) -> tuple[int, int]:
    """(streams, Sinkhorn rounds)."""
    one = spec.residual
    return getattr(one, "streams", 1), getattr(one, "sinkhorn_iters", 0)


def row(slug: str, title: str, spec: s.ModelSpec) -> list[Any]:
    """One model."""
    mixers, count, borrowed = attentions(spec), parameters(spec), sources(spec)
    kept, many = memory(spec, CONTEXT), streams(spec)
    full = memory(without_sharing(spec), CONTEXT).total_bytes / kept.total_bytes if borrowed else 1
    found = {
        "norm": norm(spec), "scale": round(getattr(spec.residual, "multiplier", 1.0), 4),
        "qk": int(any(normalises(one) for one in mixers)),
        "cap": max((getattr(one, "softcap", 0) for one in mixers), default=0), "logits_cap": spec.logits_softcap,
        "gate": gate(mixers), "parallel": int(any(layer.parallel for layer in spec.layers)),
        "head": head(mixers), "mtp": len(spec.mtp),
        "mtp_numbers": round(count.mtp / MILLION) if spec.mtp else 0,
        "loops": spec.loops, "sources": borrowed, "full": full, "table": table(spec) / MILLION,
        "streams": many[0], "rounds": many[1],
        "keeps": cache_kinds([one.by_kind for one in kept.layers], borrowed),
    }  # fmt: skip
    if found["table"] or found["mtp"]:  # then shares of all parameters are printed
        found["total"] = round(count.total / MILLION, 1)
    own = {key: value for key, value in found.items() if value != USUAL[key]}
    name = title if title != plain_title(slug) else ""
    return [slug, name, len(spec.layers), kept.per_token_bytes, own]


def plain_title(slug: str) -> str:
    """The title that a name alone gives: rows leave it out."""
    return slug.split("/")[1].replace("-", " ")


def rows() -> list[list[Any]]:
    """Every catalogued model; a variant only where it differs from its base."""
    from cutaway.gallery import catalog

    own = [model for model in catalog.gallery_rows() if not model.config_of]
    made = {model.slug: row(model.slug, model.title, catalog.spec(model.slug)) for model in own}
    base = {model.slug: made.get(model.variant_of or "", []) for model in own}
    found = [one for slug, one in made.items() if not base[slug] or base[slug][2:] != one[2:]]
    return sorted(found, key=lambda one: one[0].lower())


def always(spec: s.ModelSpec) -> bool:
    """Whether its kind of attention cannot but normalise queries and keys."""
    return any(isinstance(one, NORMALISED) for one in attentions(spec))


def models_with() -> dict[str, list[Any]]:
    """For every switch the catalogued models with one of its mechanisms, the newest first."""
    from cutaway.gallery import catalog
    from cutaway.gallery.comparing.finding import Seen
    from cutaway.gallery.comparing.mechanisms import BY_KEY

    found: dict[str, list[Any]] = {key: [] for key in ("pre", *WHO)}
    for model in sorted(catalog.gallery_rows(), key=lambda one: str(one.date), reverse=True):
        if model.variant_of:
            continue
        seen = Seen(catalog.spec(model.slug))
        if norm(seen.spec) == "pre":
            found["pre"].append(model)
        for key, keys in WHO.items():
            if any(BY_KEY[one].find(seen) for one in keys) or (key == "qk" and always(seen.spec)):
                found[key].append(model)
    return found


def newest_with() -> dict[str, dict]:
    """For every switch how many models have it, and the newest of them."""
    names = {key: [model.title for model in found] for key, found in models_with().items()}
    return {key: {"count": len(all_), "some": ", ".join(all_[:NAMED]) or "none"} for key, all_ in names.items()}
