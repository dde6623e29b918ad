"""Catalogued models -> how each turns its queries and keys, as this site reads their configs."""

from __future__ import annotations

from collections.abc import Iterator

from gallery import spec as s

LISTED = (
    "meta-llama/Llama-3.1-8B",
    "openai/gpt-oss-20b",
    "Qwen/Qwen3-8B",
    "deepseek-ai/DeepSeek-V3",
    "zai-org/GLM-4.5-Air",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "moonshotai/Kimi-Linear-48B-A3B-Instruct",
)


def attentions(spec: s.ModelSpec) -> Iterator[s.Attention | s.LatentAttention]:
    """The mixers of a model that have queries and keys to turn."""
    for layer in spec.layers:
        parts = layer.mixer.parts if isinstance(layer.mixer, s.Combined) else (layer.mixer,)
        yield from (part for part in parts if isinstance(part, s.Attention | s.LatentAttention))


def row(slug: str, title: str, spec: s.ModelSpec, context: int) -> dict:
    """One model: how long a head's key is, how much of it turns, and the config's own numbers."""
    one = next(attentions(spec))
    latent = isinstance(one, s.LatentAttention)
    head = one.qk_nope_head_dim + one.qk_rope_head_dim if latent else one.head_dim
    rope = one.rope
    return {
        "slug": slug,
        "title": title,
        "head": head,
        "dims": rope.dims if rope else 0,
        "theta": rope.theta if rope else 0,
        "kind": rope.kind if rope else "default",
        "scaling": dict(rope.scaling) if rope else {},
        "context": rope.context if rope else context,
    }


def rows() -> list[dict]:
    """The listed models."""
    from gallery import catalog, read

    made = []
    for slug in LISTED:
        config = catalog.load(slug)
        found = catalog.find(slug)
        title = found.title if found else slug
        made.append(row(slug, title, read(config), config.get("model_max_length") or 0))
    return made
