"""Catalogued models -> their stack of layers as marks, how far each kind looks, and what it keeps.

A row is COLUMNS. `kinds` are the distinct layers, each [mark, span, sink, NoPE, kept]; `stack` has a letter per layer.
`kept` is what gallery.counting.kv_cache says, in bytes: [bytes, one per so many tokens, at most so many or 0, 1 if
fixed].
"""

from __future__ import annotations

from cutaway.explainers import catalogued
from cutaway.gallery import spec as s
from cutaway.gallery.counting.kv_cache import cache_of_mixer, cache_outside_mixer, rules_for
from cutaway.gallery.sublayers import parts_of

COLUMNS = ("slug", "title", "loops", "kinds", "stack")
MARKS = {
    "F": "full",
    "W": "sliding window",
    "C": "chunked",
    "H": "compressed",
    "S": "sparse attention",
    "L": "fixed state",
    "K": "short convolution",
    "N": "no mixer",
}
SPANS = {  # with a number of tokens behind
    "W": "window of", "C": "chunks of", "H": "compressed by", "K": "convolution over",
}  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LISTED = (  # the stacks that the page shows side by side, in this order, as far as the catalogue has them
    "mistralai/Mistral-7B-v0.1",
    "google/gemma-2-2b",
    "google/gemma-3-27b-it",
    "openai/gpt-oss-120b",
    "meta-llama/Llama-4-Scout-17B-16E",
    "XiaomiMiMo/MiMo-V2-Flash",
    "google/gemma-4-31B-it",
    "deepseek-ai/DeepSeek-V4-Flash",
    "MiniMaxAI/MiniMax-M1-80k",
    "MiniMaxAI/MiniMax-M2",
)
FULL_TOO = ("MiniMaxAI/", "meta-llama/Llama-3.1-70B")  # stacks without a window that the page compares with


def mark(mixer: object) -> tuple[str, int]:
    """(letter of MARKS, span in tokens): how far one mixer looks back."""
    if isinstance(mixer, s.Attention) and mixer.attention_chunk_size:
        return "C", mixer.attention_chunk_size
    if isinstance(mixer, s.Attention | s.LatentAttention | s.ExpertHeads) and mixer.sliding_window:
        return "W", mixer.sliding_window
    if isinstance(mixer, s.CompressedAttention):
        if not mixer.compress_ratio:
            return "W", mixer.sliding_window
        return ("S", 0) if mixer.indexer else ("H", mixer.compress_ratio)
    if isinstance(mixer, s.Attention | s.LatentAttention):
        return ("N", 0) if getattr(mixer, "cross", False) else ("S" if mixer.indexer else "F", 0)
    if isinstance(mixer, s.ExpertHeads):
        return "F", 0
    if isinstance(mixer, s.ShortConv):
        return "K", mixer.conv_L_cache
    return ("N", 0) if isinstance(mixer, s.LinearMixer | s.NotUnderstood) else ("L", 0)


def kind(spec: s.ModelSpec, layer: s.Layer, rules) -> tuple:
    """One layer as [mark, span, sink, NoPE, kept]; of several mixers in a layer, the one that reaches furthest."""
    parts = list(parts_of(layer.mixer))
    marks = [mark(part) for part in parts]
    marks = [("F", 0) if letter in "WC" and rules.window(span) is None else (letter, span) for letter, span in marks]
    marks.sort(key=lambda m: ("FHSLCWKN".index(m[0]), -m[1]))
    letter, span = marks[0] if marks else ("N", 0)
    sink = int(any(getattr(part, "sinks", False) for part in parts))
    nope = int(any(getattr(part, "position", "") == "nope" for part in parts))
    everything = (*cache_of_mixer(layer.mixer, rules), *cache_outside_mixer(spec, layer, rules))
    kept = tuple((k.bits // 8, k.every, k.cap or 0, int(k.fixed)) for k in everything)
    return letter, span, sink, nope, kept


def row(spec: s.ModelSpec) -> list | None:
    """One model, or None where its layers do not fit the letters."""
    rules = rules_for(spec)
    layers = [kind(spec, layer, rules) for layer in spec.layers]
    kinds = list(dict.fromkeys(layers))
    if len(kinds) > len(LETTERS):
        return None
    stack = "".join(LETTERS[kinds.index(one)] for one in layers)
    return [spec.loops, [[*rest, [list(k) for k in kept]] for *rest, kept in kinds], stack]


def rows() -> list[list]:
    """Every catalogued model that has a window or chunks, and a few that have none; variants where they differ."""
    from cutaway.gallery import catalog

    found = catalogued.rows(catalog.gallery_rows(), row)
    return [one for one in found if any(kind[0] in "WC" for kind in one[3]) or one[0].startswith(FULL_TOO)]
