"""What b gains and loses in a slot -> a clause: QK-norm instead of sinks and biases, no sliding windows."""

from __future__ import annotations

from cutaway.gallery import spec as s
from cutaway.gallery.comparing.mechanisms import BY_KEY, find_mechanism
from cutaway.gallery.comparing.shape import interleaved, part_of, shape_of
from cutaway.gallery.comparing.slots import SLOT_OF, SLOTS, Slot
from cutaway.gallery.comparing.text.mechanism import name_mechanism
from cutaway.gallery.comparing.text.row import article
from cutaway.gallery.joined import join_words


def say_scores(a: s.ModelSpec, b: s.ModelSpec, new: list[str], old: list[str]) -> str:
    """QK-norm instead of sinks and biases: what keeps attention's scores in bounds."""
    kinds = [key for key in (*new, *old) if key.startswith("qk-norm")]
    sides = (new, (a, b)), (old, (b, a))
    told = [
        list(dict.fromkeys(say_score(key, len(kinds) == 1) for key in merged_biases(keys, without)))
        for keys, (without, _) in sides
    ]
    return contrast(*told)


def merged_biases(keys: list[str], without: s.ModelSpec) -> list[str]:
    """Several biases as one word, where the other model has none at all."""
    several = sum(key in BIASES for key in keys) > 1
    none = not any(find_mechanism(without, key) for key in BIASES)
    return ["biases" if several and none and key in BIASES else key for key in keys]


def say_score(key: str, alone: bool) -> str:
    """QK-norm without its kind, where no other kind is told apart from it."""
    if key.startswith("qk-norm"):
        return "QK-norm" if alone else "QK-norm per head" if key == "qk-norm" else BRIEF[key]
    return key if key == "biases" else bare(key)


BIASES = ("qkv-bias", "o-bias", "mlp-bias")


def contrast(words: list[str], without: list[str]) -> str:
    """A and B instead of C; no C or D."""
    if words and without:
        return f"{join_words(words)} instead of {join_words(without)}"
    return join_words(words) if words else f"no {' or '.join(without)}"


def say_position(a: s.ModelSpec, b: s.ModelSpec, new: list[str], old: list[str]) -> str:
    """RoPE instead of learned positions; nothing where attention alone came with its RoPE, or went with it."""
    return "" if [*new, *old] == ["rope"] else say_slot(a, b, new, old)


def say_slot(a: s.ModelSpec, b: s.ModelSpec, new: list[str], old: list[str]) -> str:
    """QK-norm instead of sinks and biases; no shared expert; pre-norm, of what had post-norm only."""
    if not new and old == ["no-pre-norm"]:
        return "sandwich norm" if find_mechanism(b, "post-norm") else "pre-norm"
    return say_words(new, old)


def say_words(new: list[str], old: list[str]) -> str:
    """The same, of mechanisms alone."""
    return contrast([brief_word(key) for key in new], [brief_word(key) if new else bare(key) for key in old])


def brief_word(key: str) -> str:
    """A mechanism as on a label, with the article of its words: an output gate, MTP, partial RoPE."""
    row = BY_KEY[key]
    many = row.short.endswith("s") and not row.short.endswith("bias")
    return BRIEF.get(key) or (article(row.short) if row.word.startswith(ARTICLES) and not many else row.short)


ARTICLES = ("a ", "an ")
BRIEF = {"parallel": "attention and MLP in parallel", "qk-norm-full": "QK-norm across all heads",
         "qk-norm-bare": "QK-norm without weights", "logit-softcap": "soft-capped logits", "moe": "experts",
         "dense-beside": "a dense MLP beside the experts", "early-experts": "experts in parallel with attention",
         "normed-stream": "a normalised residual stream", "gelu": "GELU"}  # fmt: skip
BARE = {
    "two-bases": "second RoPE base",
    "qkv-bias": "QKV biases",
    "o-bias": "output biases",
    "mlp-bias": "MLP biases",
    "normed-stream": "normalised residual stream",
    "early-experts": "experts in parallel with attention",
    "parallel": "parallel block",
}


def bare(key: str) -> str:
    """A mechanism's words without their article."""
    if key in BARE:
        return BARE[key]
    return BY_KEY[key].short


def where(spec: s.ModelSpec, key: str) -> str:
    """ " in three of four layers"; "" where every layer has it."""
    layers = {index for hit in find_mechanism(spec, key) for index in hit.layers}
    return f" in {part_of(layers, len(spec.layers))}" if layers and len(layers) < len(spec.layers) else ""


def say_mixer(a: s.ModelSpec, b: s.ModelSpec, new: list[str], old: list[str]) -> str:
    """MLA instead of GQA; Gated DeltaNet in three of four layers; GQA in every layer instead of lightning attention."""
    stay = any(find_mechanism(a, key) and find_mechanism(b, key) for key in SLOTS[0].keys)
    old = [
        key for key in old if not stay or layers_with(a, key) * 2 >= len(a.layers)
    ]  # what a few layers had is not said
    alone = where(b, new[0]) if len(new) == 1 else ""  # of several kinds the drawing says where each stands
    words, without = [f"{BY_KEY[key].short}{alone}" for key in new], [BY_KEY[key].short for key in old]
    stays = [BY_KEY[key].short for key in SLOTS[0].keys if not where(b, key) and find_mechanism(b, key)]
    if without and not words and stays:
        return f"{stays[0]} in every layer instead of {join_words(without)}"
    return contrast(words, without) if words or without else ""


def layers_with(spec: s.ModelSpec, key: str) -> int:
    """How many layers have a mechanism."""
    return len({index for hit in find_mechanism(spec, key) for index in hit.layers})


def say_reach(a: s.ModelSpec, b: s.ModelSpec, new: list[str], old: list[str]) -> str:
    """Windows of 128 tokens in half the layers; no sliding windows; DeepSeek sparse attention instead of windows."""
    new, old = without_windows(new, a), without_windows(old, b)
    windows = f"sliding windows of {shape_of(b).window:,} tokens{where(b, 'window')}"
    words = [windows if key in WINDOWS else f"{BY_KEY[key].word}{picked(b, key)}{where(b, key)}" for key in new]
    without = list(dict.fromkeys("sliding windows" if key in WINDOWS else bare(key) for key in old))
    return contrast(words, without) if words or without else ""


def without_windows(keys: list[str], other: s.ModelSpec) -> list[str]:
    """Without windows that the other has as well, in other layers: the clause of shape says which."""
    held = [key for key in WINDOWS if find_mechanism(other, key)]
    return [key for key in keys if key not in WINDOWS or key in held or not held]


WINDOWS = ("window", "window-mix")


def picked(spec: s.ModelSpec, key: str) -> str:
    """ " over 2,048 tokens": how many an indexer of single tokens picks."""
    return f" over {find_mechanism(spec, key)[0].part.indexer.index_topk:,} tokens" if key == "dsa" else ""


def say_layer(a: s.ModelSpec, b: s.ModelSpec, new: list[str], old: list[str]) -> str:
    """No attention in 31 of 80 layers, where the others have both halves; else what the mechanisms are called."""
    bare_layers = [layer.index for layer in b.layers if layer.mixer is None]
    whole = any(layer.mixer is not None and layer.mlp is not None for layer in b.layers)
    if new == ["lone-halves"] and not old and bare_layers and whole:
        return f"no attention in {part_of(bare_layers, len(b.layers))}"
    return say_words(new, old)


def say_mlp(a: s.ModelSpec, b: s.ModelSpec, new: list[str], old: list[str]) -> str:
    """128 experts (8 active, 1 shared) instead of a dense MLP; a dense MLP instead of experts."""
    if "moe" in new:
        shape = shape_of(b)
        shared = f", {shape.shared} shared" if shape.shared else ""
        part = f" in {interleaved(shape)}" if interleaved(shape) else ""
        return f"{shape.experts} experts ({shape.active} active{shared}){part} instead of a dense MLP"
    if old == ["moe"] and not new:
        return "a dense MLP instead of experts"
    return say_slot(a, b, new, old)


def say_router(a: s.ModelSpec, b: s.ModelSpec, new: list[str], old: list[str]) -> str:
    """A sigmoid router balanced by a bias instead of softmax; a softmax router instead of a sigmoid router."""
    new, old = (sorted(keys, key=lambda key: key not in ROUTERS) for keys in (new, old))
    words = [brief_word(key) for key in new]
    if {"sigmoid-router", "selection-bias"} <= set(new):
        words = [
            SIGMOID_WITH_BIAS,
            *(brief_word(key) for key in new if key not in ("sigmoid-router", "selection-bias")),
        ]
    routers = [any(key in ROUTERS for key in keys) for keys in (new, old)]
    if routers == [False, True]:
        words, old = [*words, "a softmax router"], [key for key in old if key != "selection-bias"]
    return contrast(words, [bare(key) if not words else brief_word(key) for key in old])


ROUTERS = ("sigmoid-router", "sqrtsoftplus-router", "hash-router", "router-network", "sparsemixer")
SIGMOID_WITH_BIAS = "a sigmoid router balanced by a bias"


def say_in_slot(slot: Slot, a: s.ModelSpec | None, b: s.ModelSpec | None, new: list[str], old: list[str]) -> str:
    """The clause of a slot; without numbers where a spec is not known."""
    if a is None or b is None:
        return say_words(new, old)
    return SAYS.get(slot.name, say_slot)(a, b, new, old)


def say_beside(a: s.ModelSpec, b: s.ModelSpec, new: list[str], old: list[str]) -> str:
    """Two shared experts; no shared expert."""
    words = [name_mechanism(b, key) if key == "shared-expert" else brief_word(key) for key in new]
    return contrast(words, [brief_word(key) if new else bare(key) for key in old])


def words_of(spec: s.ModelSpec, key: str) -> tuple[str, str, str]:
    """A mechanism of a model: as what it gains, as what another has instead of it, as what it has no more."""
    if key in BIASES:
        return (bare(key),) * 3
    if key in WINDOWS:
        return say_in_slot(SLOT_OF[key], spec, spec, [key], []), "sliding windows", "sliding windows"
    gained = say_in_slot(SLOT_OF[key], spec, spec, [key], [])
    return gained or brief_word(key), brief_word(key), bare(key)


SAYS = {"mixer": say_mixer, "reach": say_reach, "mlp": say_mlp, "router": say_router, "scores": say_scores,
        "position": say_position, "beside": say_beside, "layer": say_layer}  # fmt: skip
