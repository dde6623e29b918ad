"""Catalogued models -> how each turns its queries and keys, as this site reads their configs.

A row: COLUMNS, without scaling and context where they say nothing. Of several rotations in one model the stretched one
stands, else the one in most layers. `whole`, in scaling: pairs are as slow as those of a head of so many numbers, and
only the first `dims` of these turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.records import Rope

COLUMNS = ("slug", "title", "head", "dims", "theta", "kind", "context", "scaling")
SAID = ("factor", "low_freq_factor", "high_freq_factor", "beta_fast", "beta_slow", "truncate",
        "original_max_position_embeddings")  # fmt: skip
LISTED = (  # those that the beats name, and what a row takes them for
    "meta-llama/Llama-3.1-8B",
    "openai/gpt-oss-20b",
    "Qwen/Qwen3-8B",
    "deepseek-ai/DeepSeek-V3",
    "zai-org/GLM-4.5-Air",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "moonshotai/Kimi-Linear-48B-A3B-Instruct",
)


def attentions(spec: s.ModelSpec) -> Iterator[Any]:
    """The mixers of a model that have queries and keys to turn."""
    from cutaway.gallery.sublayers import parts_of

    for layer in spec.layers:
        yield from (part for part in parts_of(layer.mixer) if hasattr(part, "rope"))


def rotation(spec: s.ModelSpec) -> tuple[Any, Rope | None] | None:
    """The mixer that is told of, and its rotation; None where nothing could be turned."""
    found = list(attentions(spec))
    turned = Counter(one.rope for one in found if one.rope)
    best = max(turned, key=lambda rope: (rope.kind != "default", turned[rope]), default=None)
    return next(((one, one.rope) for one in found if one.rope == best), None)


def rotation_rule(rope: Rope) -> tuple[float, str, dict]:
    """(base, kind, scaling) by which its pairs turn: a base that is grown for good is that base."""
    said: dict[str, Any] = dict(rope.scaling)
    if rope.kind == "dynamic" and said.get("alpha"):
        return rope.theta * said["alpha"] ** (rope.dims / (rope.dims - 2)), "dynamic", {}
    if rope.kind == "proportional":
        return rope.theta, rope.kind, {"whole": rope.dims, "factor": said["factor"]}
    if rope.kind in ("linear", "llama3", "yarn"):
        return rope.theta, rope.kind, {key: said[key] for key in SAID if key in said}
    return rope.theta, rope.kind, {}


def row(slug: str, title: str, spec: s.ModelSpec, context: int) -> list | None:
    """One model: how long a head's key is, how much of it turns, and the config's own numbers."""
    found = rotation(spec)
    if not found:
        return None
    one, rope = found
    latent = isinstance(one, s.LatentAttention)
    head = one.qk_nope_head_dim + one.qk_rope_head_dim if latent else one.head_dim
    if not rope:
        return [slug, title, head, 0, 0, "default", context]
    theta, kind, said = rotation_rule(rope)
    dims = dict(rope.scaling).get("rotated") or rope.dims  # of "proportional" the fast pairs turn alone
    return [slug, title, head, dims, theta, kind, rope.context or context, *([said] if said else [])]


def rows() -> list[list]:
    """Every catalogued model that turns something, and of the listed ones that which does not."""
    from cutaway.gallery import catalog

    own = {model.slug: model for model in catalog.drawable_rows() if not model.config_of}
    made = {}
    for slug, model in own.items():
        spec = catalog.spec(slug)
        context = spec.max_position_embeddings or 0
        if slug in LISTED and not context:
            context = catalog.load(slug).get("model_max_length") or 0
        found = row(slug, model.title, spec, context)
        if found and found[6] and (found[3] or slug in LISTED):  # how long a text it takes must be known
            made[slug] = found
    kept = [slug for slug in made if made.get(own[slug].variant_of or "", [0, 0])[2:] != made[slug][2:]]
    return [made[slug] for slug in sorted(kept, key=lambda slug: (place(slug), slug.lower()))]


def place(slug: str) -> int:
    """Those that the beats name stand first."""
    return LISTED.index(slug) if slug in LISTED else len(LISTED)
