"""read(config) -> ModelSpec: the envelope is opened, a family found, its defaults laid under the file, layers built."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from cutaway.gallery.counting.naming import rename
from cutaway.gallery.mlps.experts import selection_bias
from cutaway.gallery.reading import attention as mixers
from cutaway.gallery.reading import families, heads
from cutaway.gallery.reading import layer_words as kinds
from cutaway.gallery.reading.constants import constants_of
from cutaway.gallery.reading.dtypes import read_dtype
from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.gguf import from_gguf
from cutaway.gallery.reading.ignored import CACHE_FORMAT, QUANTIZED
from cutaway.gallery.reading.images import read_images, say_images
from cutaway.gallery.reading.keys import MOOT
from cutaway.gallery.reading.layers import build_layers, refuse_lone_halves
from cutaway.gallery.reading.not_decoders import refuse_no_decoder
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.reading.text_part import short, unwrap
from cutaway.gallery.reading.ties import is_tied
from cutaway.gallery.spec import Combined, ConfigError, Layer, ModelSpec, MoE, Plain, Tower

PLAIN = Family(windowed=True)  # nothing is known of the class: a window that the file states is drawn


def read(config: Mapping, as_class: bool = False) -> ModelSpec:
    """A config (a parsed config.json) as a complete spec; ConfigError, in one sentence, if it cannot be.

    `as_class`: as the class of transformers runs it, even where that ignores what the file says (MiMo-V2, DBRX).
    """
    text, top = unwrap(from_gguf(config))
    refuse_no_decoder(text, top, any(families.stem_of(name, architecture=True) for name, _ in candidates(text, top)))
    stem, contradiction = stem_of(text, top)
    family = families.load(stem) if stem else PLAIN
    facts = Facts(text, top, defaults_for(text, top, stem, family), family.spellings)
    try:
        depth, hidden = kinds.depth_of(facts), facts.need("hidden_size")
        r = Reading(facts, family, hidden, depth, nested=text is not top, as_class=as_class)
        overruled = [facts.overrule(name, value) for name, value in family.unread.items()]
        for key, value in family.run_as.items() if as_class else ():
            facts.overrule(key, value)
        r.contradictions += [sentence for sentence in (contradiction, *overruled) if sentence]
        return finish(r, text, top, build_layers(r), stem)
    except ConfigError as problem:
        name = text.get("model_type") or top.get("model_type")
        if stem or not name:
            raise
        raise ConfigError(f"{problem} model_type {short(name)} is not known here: its keys alone were read.") from None


def stem_of(text: Mapping, top: Mapping) -> tuple[str, str]:
    """(the family's file, a contradiction between what names it), either may be ""."""
    stem, contradiction = families.find(candidates(text, top))
    return stem or families.of_version(top) or ("mistral_params" if text.keys() >= MISTRAL else ""), contradiction


def facts_of(config: Mapping) -> Facts:
    """What a config itself says, under the names of keys.py, without any default."""
    text, top = unwrap(from_gguf(config))
    stem, _ = stem_of(text, top)
    return Facts(text, top, {}, families.load(stem).spellings if stem else {})


MISTRAL = {"dim", "n_layers", "n_heads", "hidden_dim"}  # Mistral's own params.json names no model_type
ESSENTIAL = ("num_hidden_layers", "hidden_size", "vocab_size", "num_attention_heads", "intermediate_size")


def defaults_for(text: Mapping, top: Mapping, stem: str, family: Family) -> dict:
    """Class defaults, then the family's own. A flat file always states its frame: a missing size there is an error."""
    from cutaway.gallery.reading.class_defaults import CLASS_DEFAULTS  # a large table, loaded by the first reading

    names = [part.get("model_type") for part in (text, top)] + [stem]
    row = next((CLASS_DEFAULTS[name] for name in names if isinstance(name, str) and name in CLASS_DEFAULTS), {})
    if text is top:
        row = {name: value for name, value in row.items() if name not in ESSENTIAL}
    return {**row, **family.defaults}


def candidates(text: Mapping, top: Mapping) -> list[tuple[object, object]]:
    """(architecture, model_type) pairs, the text part's first."""
    out = []
    for part in (text, top) if text is not top else (text,):
        names = part.get("architectures")
        first = names[0] if isinstance(names, list) and names else None
        out.append((first, part.get("model_type")))
    return out


# ---------------------------------------------------------------- the rest of the spec


def frame(r: Reading, text: Mapping, top: Mapping, layers: tuple[Layer, ...], stem: str) -> dict[str, Any]:
    """The fields of the ModelSpec that any family has."""
    facts, family = r.facts, r.family
    names = family.names(r) if callable(family.names) else family.names
    if r.nested and family.nested:
        names = (*names, ("model", family.nested))
        if family.nested == "language_model.model":
            names = (*names, ("lm_head", "language_model.lm_head"))
    model_type = text.get("model_type") or top.get("model_type")
    named = [name for name, _ in candidates(top, top) + candidates(text, text) if isinstance(name, str)]
    architecture = (named or [""])[0][:120]
    return {
        "model_type": str(model_type or "")[:80], "architecture": architecture,
        "hidden_size": r.hidden_size, "vocab_size": facts.need("vocab_size"),
        "num_hidden_layers": r.depth, "layers": layers,
        "max_position_embeddings": facts.integer("max_position_embeddings"),
        "tie_word_embeddings": is_tied(r, top),
        "dtype": read_dtype(r),
        "final_norm": mixers.norm(r, "final", family.final_norm) if family.final_norm else None,
        "head_bias": facts.flag("lm_head_bias"), "has_head": heads.has_head(architecture),
        "bidirectional": heads.is_bidirectional(r, architecture),
        "extras": (*(family.model_extras(r) if family.model_extras else ()), *heads.scores(r, architecture)),
        "embedding_size": facts.integer("embedding_size") or 0, "loops": facts.integer("loops", 1) or 1,
        "embedding_multiplier": embedding_multiplier(r),
        "opening": family.opening(r) if family.opening else None,
        "closing": family.closing(r) if family.closing else None,
        "logits_multiplier": logits_multiplier(r), "residual": Plain(residual_multiplier(r)),
        "logits_softcap": facts.number("final_logit_softcapping") or 0.0,
        "names": tuple(names), "state_names": state_names(r),
        "buffers": router_buffers(names, layers), "read_from_keys": not stem, "family": stem,
    }  # fmt: skip


def finish(r: Reading, text: Mapping, top: Mapping, layers: tuple[Layer, ...], stem: str) -> ModelSpec:
    """The ModelSpec around the layers."""
    facts, family = r.facts, r.family
    fields = frame(r, text, top, layers, stem)
    if fields["embedding_size"] == r.hidden_size:
        fields["embedding_size"] = 0
    if family.mtp:
        fields["mtp"], fields["mtp_extras"] = family.mtp(r, layers)
    if family.finish:
        fields = family.finish(r, fields)
    refuse_lone_halves(r, fields["residual"], fields["layers"])
    if fields["bidirectional"]:
        fields["layers"] = heads.make_bidirectional(r, fields["layers"])
    facts.settle(*MOOT)
    if r.mtp_layers and not fields.get("mtp") and not r.notes:
        r.notes.append(f"{facts.word_for('num_nextn_predict_layers')} = {r.mtp_layers}: {UNDRAWN_MTP}")
    images = read_images(facts.text, top, fields["model_type"], fields["layers"])
    r.notes += say_images(fields["model_type"], **images)
    quantization, inner, towers = read_extras(text, top, r)
    return ModelSpec(
        **fields, mrope=images["mrope"], deepstack=images["deepstack"],
        quantization=quantization, towers=towers, not_understood=tuple(r.not_understood),
        contradictions=tuple(r.contradictions) + facts.said_twice(), notes=tuple(r.notes),
        unread=facts.unread() + inner, constants=constants_of(facts),
    )  # fmt: skip


UNDRAWN_MTP = "these multi-token-prediction layers are neither drawn nor counted."


def residual_multiplier(r: Reading) -> float:
    """What a half adds is multiplied by it: Granite says it outright, MiniCPM by the depth."""
    deep = r.facts.number("scale_depth")
    return r.facts.number("residual_multiplier") or (deep / r.depth**0.5 if deep else 1.0)


def embedding_multiplier(r: Reading) -> float:
    """What the embedding is multiplied by: what the file says, or the root of hidden_size where family or flag do."""
    rooted = r.facts.flag("scale_embedding", r.family.embedding_root)
    return r.facts.number("embedding_multiplier") or (math.sqrt(r.hidden_size) if rooted else 1.0)


def logits_multiplier(r: Reading) -> float:
    """What logits are multiplied by: Cohere and Muse multiply, Granite divides, MiniCPM says of which width."""
    base = r.facts.integer("dim_model_base")
    if base:
        return base / r.hidden_size
    by = r.facts.raw("logit_scale")
    if isinstance(by, int | float) and not isinstance(by, bool):
        return r.facts.number("logit_scale") or 1.0
    return 1 / (r.facts.number("logits_scaling") or 1.0)


STACKED = (  # transformers keeps the experts of a layer in two tensors, gate and up in one
    ("mlp.experts.{expert}.gate_proj.weight + mlp.experts.{expert}.up_proj.weight", "mlp.experts.gate_up_proj"),
    ("mlp.experts.{expert}.down_proj.weight", "mlp.experts.down_proj"),
)


def state_names(r: Reading) -> tuple[tuple[str, ...], ...]:
    """Rules from the checkpoint's names to the modelling code's."""
    rules = r.family.state_names
    return (*STACKED, *(rules(r) if callable(rules) else rules))


def router_buffers(names: tuple, layers: tuple[Layer, ...]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Score-correction biases: stored, not trained by gradient, in no count."""
    inside = tuple(rule for rule in names if not rule[0].startswith(("model", "lm_head")))
    found, renamed = [], {}
    for layer in layers:
        for part in layer.mlp.parts if isinstance(layer.mlp, Combined) else (layer.mlp,):
            if isinstance(part, MoE) and part.selection_bias and not part.selection_bias_trained:
                if id(part) not in renamed:
                    renamed[id(part)] = rename([selection_bias(part)[:3]], inside)[0]
                name, shape, _ = renamed[id(part)]
                found.append((f"model.layers.{layer.index}.{name}", shape))
    return tuple(found)


def read_extras(text: Mapping, top: Mapping, r: Reading) -> tuple:
    """(quantization, its keys that nobody read, other towers), read only where the config has them."""
    quantization = None
    unread: tuple[str, ...] = ()
    towers: tuple[Tower, ...] = ()
    if any(key in part for part in (text, top) for key in (*QUANTIZED, CACHE_FORMAT)):
        from cutaway.gallery.reading.quantization_keys import read_quantization

        quantization, unread = read_quantization(text, top, r)
    if any(
        isinstance(value, Mapping)
        for key, value in top.items()
        if str(key).endswith(("_config", "_cfg", "img_processor", "vision_encoder"))
    ):
        from cutaway.gallery.reading.towers import find_towers

        towers = find_towers(top, r.hidden_size, r.family.zoo)
    return quantization, unread, towers


__all__ = ["ConfigError", "read"]
