"""What readers call the ideas inside models: one row an idea, each a question to a read model.

The search finds a model by them, the glossary explains them, the explainers teach them. Mechanisms stand in
gallery/comparing/mechanism_rows/; the rows here are what readers ask for besides: names of several mechanisms together,
how positions are stretched, how weights are stored. A row's words are compared without case and punctuation
(app/site/find.js), so "QK-norm" is also "qk norm" and "qknorm".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from cutaway.app.model.facets import any_part, parts
from cutaway.app.model.once import once_for_each
from cutaway.app.model.view import ModelView
from cutaway.gallery import spec as s
from cutaway.gallery.comparing.mechanism_rows.row import DELTA, EXPERTS, LONG, PLACE, Mechanism
from cutaway.gallery.comparing.mechanisms import MECHANISMS


class Idea(NamedTuple):
    """One idea: `words` are its names, the usual one first; `learn` the explainers that teach it."""

    key: str
    part: str  # heading of the glossary: a part of a mechanism, "position", "stored", ...
    words: tuple[str, ...]
    holds: Callable[[ModelView], bool]
    says: str
    source: str
    learn: tuple[str, ...] = ()


def of_mechanism(row: Mechanism) -> Idea:
    """A mechanism under all its names."""
    names = (row.short, row.word, *(() if "{" in row.head else (row.head,)), *row.also)
    return Idea(
        row.key, row.part, once(names), lambda view: row.key in view.mechanisms, row.meaning, row.source, row.learn
    )


def once(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names without their article, each once however it is written."""
    bare = [re.sub(r"^(an?|the) ", "", name, flags=re.I) for name in names]
    bare = [name[0].lower() + name[1:] if " " in name and name[1:].islower() else name for name in bare]
    return tuple({plain(name): name for name in reversed(bare)}[key] for key in dict.fromkeys(map(plain, bare)))


def plain(name: str) -> str:
    """A name as the search compares it."""
    return " ".join(re.findall(r"[\w.]+", name.lower()))


def _any(*keys: str) -> Callable[[ModelView], bool]:
    """One of these mechanisms."""
    return lambda view: any(key in view.mechanisms for key in keys)


def _mixer(kind: type | tuple[type, ...], test: Callable = lambda part: True) -> Callable[[ModelView], bool]:
    return any_part("mixer", kind, test)


def _rope(kind: str) -> Callable[[ModelView], bool]:
    return any_part("mixer", object, lambda part: getattr(getattr(part, "rope", None), "kind", "") == kind)


def _stored(*schemes: str) -> Callable[[ModelView], bool]:
    """Weights are stored by a block scheme whose key starts so, all of them or some."""

    def holds(view: ModelView) -> bool:
        kept = view.spec.quantization
        rows = [kept.row, *(row for _, row in kept.overrides)] if kept else []
        return any(row.startswith(schemes) for row in rows)

    return holds


def _hybrid(view: ModelView) -> bool:
    """Some layers keep a cache that grows with every token, some a state that does not."""
    recurrent = {isinstance(part, RECURRENT) for part in parts(view, "mixer") if not isinstance(part, s.ShortConv)}
    return recurrent == {True, False}


LINEAR = (s.GatedDeltaNet, s.KimiDelta, s.LightningAttention)
RECURRENT = (*LINEAR, s.Mamba1, s.Mamba2, s.MatrixLSTM, s.RGLRU, s.RwkvMean, s.RwkvTimeMix)
BLOCKS, BITS = ("blocks",), ("bits",)

MORE = (
    # ---------------------------------------------------------------- several mechanisms under one name
    Idea(
        "gate",
        "mixer",
        ("gated attention", "attention gate"),
        _any("output-gate", "headwise-gate", "mla-gate"),
        "Attention's output is multiplied by a gate: one number per head, or one per element.",
        "arXiv 2505.06708",
    ),
    Idea(
        "sparse",
        "mixer",
        ("sparse attention", "sparse", "indexer", "indexed attention", "top-k attention"),
        _any("dsa", "csa", "shared-indexer", "block-indexer", "pooled-indexer"),
        "A small indexer picks the cached entries that attention reads, so that attention's own cost stops growing "
        "with the context.",
        "arXiv 2512.02556, DeepSeek-V3.2",
        LONG,
    ),
    Idea(
        "delta",
        "mixer",
        ("delta rule", "DeltaNet"),
        _mixer((s.GatedDeltaNet, s.KimiDelta)),
        "Before a value is written into the state, the value already stored for its key is subtracted from it.",
        "arXiv 2406.06484, DeltaNet",
        DELTA,
    ),
    Idea(
        "linear",
        "mixer",
        ("linear attention",),
        _mixer(LINEAR),
        "Keys and values are summed into a state of fixed size, so that the cost per token does not grow with the "
        "context.",
        "arXiv 2006.16236",
        DELTA,
    ),
    Idea(
        "mamba",
        "mixer",
        ("Mamba", "SSM", "state space model", "selective state space"),
        _mixer((s.Mamba1, s.Mamba2)),
        "Each channel has a small state, and each token decides how much of it to forget and how much to add.",
        "arXiv 2312.00752",
        DELTA,
    ),
    Idea(
        "recurrent",
        "mixer",
        ("recurrent", "recurrence", "RNN", "fixed state"),
        _mixer(RECURRENT),
        "A state of fixed size, which every token updates, replaces a growing cache.",
        "arXiv 2006.16236",
        DELTA,
    ),
    Idea(
        "hybrid",
        "mixer",
        ("hybrid",),
        _hybrid,
        "Some layers have a KV cache that grows with every token; others have a state of fixed size.",
        "arXiv 2403.19887, Jamba",
        LONG,
    ),
    Idea(
        "dense",
        "mlp",
        ("dense",),
        lambda view: "moe" not in view.mechanisms,
        "Every token uses all weights of every MLP; there are no experts.",
        "arXiv 1701.06538",
    ),
    Idea(
        "loss-free",
        "mlp",
        ("loss-free balancing", "auxiliary-loss-free", "score correction bias"),
        any_part("mlp", s.MoE, lambda part: bool(part.selection_bias)),
        "A bias balances the experts' load without an auxiliary loss; it affects only which experts are chosen.",
        "arXiv 2408.15664",
        EXPERTS,
    ),
    Idea(
        "yarn",
        "position",
        ("YaRN",),
        _rope("yarn"),
        "Low RoPE frequencies are scaled down for longer contexts; high frequencies are left unchanged.",
        "arXiv 2309.00071",
        PLACE,
    ),
    Idea(
        "longrope",
        "position",
        ("LongRoPE",),
        _rope("longrope"),
        "Each RoPE frequency is scaled down by its own factor, which is found by search.",
        "arXiv 2402.13753",
    ),
    Idea(
        "rope-llama3",
        "position",
        ("llama3 RoPE scaling", "Llama 3 RoPE", "RoPE frequency bands"),
        _rope("llama3"),
        "RoPE frequencies with few turns in the training length are divided by a factor, high ones are left unchanged, "
        "and those between are interpolated.",
        "the config key rope_scaling, rope_type llama3",
        PLACE,
    ),
    Idea(
        "rope-linear",
        "position",
        ("linear RoPE scaling", "position interpolation"),
        _rope("linear"),
        "All RoPE frequencies are divided by the same factor.",
        "arXiv 2306.15595",
        PLACE,
    ),
    Idea(
        "rope-dynamic",
        "position",
        ("dynamic NTK", "NTK-aware scaling", "NTK scaling"),
        _rope("dynamic"),
        "RoPE's base is made larger, so that low frequencies slow down and the highest stays as it is.",
        "the config key rope_scaling, rope_type dynamic",
    ),
    # ---------------------------------------------------------------- around the layers
    Idea(
        "tied",
        "block",
        ("tied embeddings", "weight tying"),
        lambda view: view.spec.tie_word_embeddings,
        "The output head and the input embedding share one matrix.",
        "arXiv 1608.05859",
    ),
    Idea(
        "towers",
        "block",
        ("multimodal", "vision", "images", "vision tower"),
        lambda view: bool(view.spec.towers),
        "The model also has an encoder for images, audio or video.",
        "the config key vision_config",
    ),
    # ---------------------------------------------------------------- how weights are stored
    Idea(
        "quantized",
        "stored",
        ("quantized", "quantised", "quantization"),
        lambda view: view.spec.quantization is not None,
        "Weights are stored in fewer than 16 bits each, with scales.",
        "the config key quantization_config",
        BLOCKS,
    ),
    Idea(
        "fp8",
        "stored",
        ("FP8", "E4M3", "float8"),
        _stored("fp8"),
        "Eight bits per weight (E4M3: one sign, four exponent and three mantissa bits), with scales.",
        "arXiv 2209.05433",
        (*BITS, *BLOCKS),
    ),
    Idea(
        "mxfp4",
        "stored",
        ("MXFP4", "FP4", "microscaling"),
        _stored("mxfp4"),
        "Four bits per weight (FP4 E2M1), with a power-of-two scale for every 32 weights.",
        "arXiv 2310.10537, OCP MX",
        BLOCKS,
    ),
    Idea(
        "nvfp4",
        "stored",
        ("NVFP4", "FP4"),
        _stored("nvfp4"),
        "Four bits per weight (FP4 E2M1), with an FP8 scale for every 16 weights and one scale per tensor.",
        "arXiv 2509.25149",
        BLOCKS,
    ),
    Idea(
        "int4",
        "stored",
        ("INT4", "4-bit integers"),
        _stored("int4"),
        "Weights are four-bit integers, with one scale per group of weights.",
        "arXiv 2210.17323, GPTQ; arXiv 2306.00978, AWQ",
        BLOCKS,
    ),
)
IDEAS = (*map(of_mechanism, MECHANISMS), *MORE)
BY_KEY = {idea.key: idea for idea in IDEAS}


@once_for_each
def keys(view: ModelView) -> list[str]:
    """The ideas that a read model has."""
    return [idea.key for idea in IDEAS if idea.holds(view)] if view.spec else []


def taught(name: str) -> Iterator[str]:
    """The ideas that an explainer teaches."""
    return (idea.key for idea in IDEAS if name in idea.learn)
