"""A model -> the explainers that can open with its numbers, as links whose query is the widget's state.

Each row of DOORS turns a model into a state, or into None where it has no such numbers. A state that the explainer's
own check refuses gives no link, so a row may be written before the explainer knows every model.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from cutaway import explainers
from cutaway.app.model.view import ModelView
from cutaway.app.words.phrases import halves, windowed
from cutaway.explainers import permalink
from cutaway.explainers.linear_family import models as linear_models
from cutaway.explainers.sparse.models import is_sparse
from cutaway.gallery import catalog
from cutaway.gallery import spec as s
from cutaway.gallery.formats.scalar import FORMATS
from cutaway.gallery.formats.schemes import SCHEMES

DELTA_RULES = ((s.KimiDelta, "kda"), (s.GatedDeltaNet, "gated"), (s.Mamba2, "decay"), (s.LightningAttention, "decay"))

SMALL = ((s.KimiDelta, "gated"), (s.GatedDeltaNet, "gated"), (s.Mamba2, "decay"), (s.LatentAttention, "mla"))


def _mixers(view: ModelView) -> list[object]:
    return [part for kind in view.kinds for part in halves(kind.layer.mixer)]


def heads(view: ModelView) -> dict | None:
    """Its heads, and what they leave in the cache."""
    attending = any(isinstance(mixer, s.Attention | s.LatentAttention) for mixer in _mixers(view))
    return {"model": view.slug} if attending else None


def position(view: ModelView) -> dict | None:
    """Its rotation; of a model that the page does not list, its base, if that is one of those to choose from."""
    rope = next((rope for mixer in _mixers(view) if (rope := getattr(mixer, "rope", None))), None)
    if not rope:
        return None
    listed = {row[0] for row in explainers.data("position")["models"]}
    shared = {view.slug, view.row.variant_of, view.row.config_of}
    if listed & shared:
        return {"model": view.slug}
    return {"theta": int(rope.theta)} if rope.theta in explainers.reference("position").BASES else {}


def flash(view: ModelView) -> dict | None:
    """Its heads, cut into tiles."""
    return heads(view)


def latent(view: ModelView) -> dict | None:
    """Its latent, and whether the key beside it is turned."""
    found = next((mixer for mixer in _mixers(view) if isinstance(mixer, s.LatentAttention)), None)
    return {"model": view.slug, "turn": "apart" if found.rope else "none"} if found else None


def long_context(view: ModelView) -> dict | None:
    """Its layers, at any length."""
    return None if view.spec.bidirectional else {"model": view.row.config_of or view.slug}


def sparse(view: ModelView) -> dict | None:
    """What its layers read where they choose or compress it."""
    return {"model": view.slug} if is_sparse(view.spec) else None


def masks(view: ModelView) -> dict | None:
    """Its windows or chunks."""
    return {"model": view.slug} if any(windowed(mixer) for mixer in _mixers(view)) else None


def delta(view: ModelView) -> dict | None:
    """The update rule of its states."""
    mixers = _mixers(view)
    return next(({"rule": rule} for kind, rule in DELTA_RULES if any(isinstance(m, kind) for m in mixers)), None)


def family(view: ModelView) -> dict | None:
    """The rule of its recurrence, of which RWKV-7, mLSTM and lightning attention are some; its states where listed."""
    rule = next(filter(None, (linear_models.rule_of(kind.layer) for kind in view.kinds)), "")
    listed = {row[0] for row in explainers.data("linear-family")["models"]} if rule else set()
    own = next((slug for slug in (view.slug, view.row.variant_of, view.row.config_of) if slug in listed), None)
    return {"rule": rule} | ({"model": own} if own else {}) if rule else None


def decoder(view: ModelView) -> dict | None:
    """The small decoder that mixes tokens as it does, where that is no plain attention to all."""
    mixers = _mixers(view)
    found = next((name for kind, name in SMALL if any(isinstance(mixer, kind) for mixer in mixers)), None)
    return {"m": found or "window"} if found or any(windowed(mixer) for mixer in mixers) else None


def blocks(view: ModelView) -> dict | None:
    """Its block scheme."""
    quantization = view.spec.quantization
    if not quantization:
        return None
    row = quantization.row or next((scheme for _, scheme in quantization.overrides if scheme in SCHEMES), "")
    return {"scheme": row} if row else None


def bits(view: ModelView) -> dict | None:
    """The format its weights are written in."""
    quantization = view.spec.quantization
    mixed = quantization and quantization.element not in FORMATS  # what is not quantized, or not alike, is in this
    return {"format": quantization.element if quantization and not mixed else view.spec.dtype}


def router(view: ModelView) -> dict | None:
    """Its mixture of experts, and as much of its router as the page can run."""
    mlps = (part for kind in view.kinds for part in halves(kind.layer.mlp))
    found = [mlp for mlp in mlps if isinstance(mlp, s.MoE) and not mlp.table_rows]
    if not found:
        return None
    one = found[-1]
    listed = {row[0] for row in explainers.data("experts")["models"]}
    own = {"model": view.slug} if listed & {view.slug, view.row.variant_of, view.row.config_of} else {}
    if one.num_experts not in range(8, 513, 8) or one.num_experts_per_tok > 24:
        return own or None
    kept = one.topk_group if one.n_group == 8 else 8
    return {**own, "experts": one.num_experts, "k": one.num_experts_per_tok, "kept": kept}


def wired(view: ModelView) -> dict | None:
    """Its norms, gates and streams, loops and shared caches."""
    return {"model": view.slug}


def tensor_parallel(view: ModelView) -> dict | None:
    """Its shapes, split over ranks."""
    return {"model": view.slug}


def experts(view: ModelView) -> dict | None:
    """Its router and its experts, on as many nodes of eight GPUs as these can be distributed over."""
    found = next((one for kind in view.kinds for one in halves(kind.layer.mlp) if isinstance(one, s.MoE)), None)
    nodes = [n for n in (8, 4, 2, 1) if found and found.num_experts % (8 * n) == 0]
    return {"model": view.slug, "nodes": nodes[0]} if nodes else None


DOORS: tuple[tuple[str, str, Callable[[ModelView], dict | None]], ...] = (
    ("heads", "with this model’s heads and cache", heads),
    ("mla-numbers", "with this model’s latent", latent),
    ("masks", "with this model’s windows", masks),
    ("flash", "with this model’s heads, in tiles", flash),
    ("long-context", "with this model’s layers", long_context),
    ("sparse", "with this model’s indexers and entries", sparse),
    ("position", "with this model’s RoPE", position),
    ("delta-rule", "with this model’s update rule", delta),
    ("linear-family", "with this model’s recurrence", family),
    ("norms", "with this model’s norms and gates", wired),
    ("loops", "with this model’s loops, drafts and streams", wired),
    ("decoder", "with a mixer similar to this model’s", decoder),
    ("blocks", "with this model’s block format", blocks),
    ("bits", "with this model’s weight format", bits),
    ("tensor-parallel", "with this model’s shapes", tensor_parallel),
    ("experts", "with this model’s router", router),
    ("expert-parallel", "with this model’s router and experts", experts),
)


def of(view: ModelView) -> list[dict]:
    """[{name, title, what, target}] of the explainers that exist and accept this model."""
    found, known = [], explainers.names()
    for name, what, state_of in DOORS:
        preset = state_of(view) if name in known else None
        if preset is not None and (query := _nearest(name, preset, view)) is not None:
            title = explainers.load(name).title
            found.append({"name": name, "title": title, "what": what, "target": f"/learn/{name}/{query}"})
    return found


def unlisted(view: ModelView, doors: list[dict]) -> list[dict]:
    """The other explainers, in their default state, for a catalogued model that no explainer offers as a choice."""
    if view.slug not in catalog.BY_SLUG or view.slug in catalog.listed_slugs():
        return []
    known, listed = explainers.names(), {door["name"] for door in doors}
    return [
        {"name": name, "title": explainers.load(name).title, "what": what, "target": f"/learn/{name}/"}
        for name, what, _ in DOORS
        if name in known and name not in listed
    ]


def _nearest(name: str, preset: dict, view: ModelView) -> str | None:
    """The query of a state; where the explainer does not list this model, of that whose numbers it shares."""
    others = (view.row.variant_of, view.row.config_of) if "model" in preset else ()
    tried = (_query(name, {**preset, "model": slug}) for slug in others if slug)
    return next((query for query in (_query(name, preset), *tried) if query is not None), None)


def _query(name: str, preset: dict) -> str | None:
    """The query of a state; None where the explainer does not know it."""
    made = _reference(name)
    if set(preset) - set(made.STATE) or _refused(name, tuple(preset.items())):
        return None
    return permalink.write(made.STATE, preset)


_reference = cache(explainers.reference)


@cache
def _refused(name: str, preset: tuple) -> bool:
    return bool(_checker(name)({**_reference(name).STATE, **dict(preset)}))


_checker = cache(explainers.checker)
