"""A class's name -> what stands on top of the layers (LM head, scores, nothing) and whether they look ahead.

The class decides, not the repo's name: embedding models are published as ...ForCausalLM and as ...Model alike.
"""

from __future__ import annotations

import re
from dataclasses import replace

from cutaway.gallery.reading import families
from cutaway.gallery.reading.reading import Reading
from cutaway.gallery.spec import Attention, Extra, Layer, Mixer

# Names of remote code that end in Model and have an LM head all the same
WHOLE = re.compile(r"\w*(LMHeadModel|ChatModel|ChatGLMModel|DreamModel|Qwen2_5OmniModel|_Model)")
BARE = re.compile(r"\w*(TextModel|EmbeddingModel|BidirectionalModel|BiModel|EncoderModel|RewardModel|NVEmbedModel)")
SCORES = (  # end of the class, name of its matrix, rows (0 = one per label), a bias; transformers 5.23.0, Generic...
    ("ForSequenceClassification", "score", 0, False),
    ("ForTokenClassification", "score", 0, True),
    ("ForQuestionAnswering", "qa_outputs", 2, True),
)


def has_head(architecture: str) -> bool:
    """False for a class that ends in hidden states or in scores; an unknown ...Model may be a whole one."""
    if not architecture or WHOLE.fullmatch(architecture):
        return True
    if BARE.fullmatch(architecture) or re.search(r"For(Reward|\w+Classification|QuestionAnswering)", architecture):
        return False
    stem = families.stem_of(architecture, architecture=True) if architecture.endswith("Model") else ""
    return not (stem and families.load(stem).source.startswith("transformers"))


def is_bidirectional(r: Reading, architecture: str) -> bool:
    """The family says so, or a key, or the class that an embedding model was given."""
    text = r.facts.text
    both = text.get("use_bidirectional_attention") in (True, "all")
    if both and r.family.source.startswith("transformers") and not r.family.reads_direction:
        both, word = False, "use_bidirectional_attention"
        r.contradict(word, f"{word} is not read by the class: a token sees earlier ones alone, and is drawn so.")
    said = text.get("is_causal") is False or both
    return (
        r.family.bidirectional or said or bool(re.fullmatch(r"\w*(Bidirectional|Bi)Model|NVEmbedModel", architecture))
    )


def make_bidirectional(r: Reading, layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """The same layers with attention that sees every token; equal mixers stay one object. Gemma's classes then halve
    a window, which reaches as far to either side; Gemma 4's, which says "all", reaches one further."""
    seen, said = {id(one.mixer): one.mixer for one in layers}, r.facts.text.get("use_bidirectional_attention")

    def both(m: Mixer | None) -> Mixer | None:
        if not isinstance(m, Attention):
            return m
        window = m.sliding_window // 2 + (said == "all") if said and m.sliding_window else m.sliding_window
        return replace(m, causal=False, sliding_window=window)

    made = {key: both(m) for key, m in seen.items()}
    return tuple(replace(one, mixer=made[id(one.mixer)]) for one in layers)


def scores(r: Reading, architecture: str) -> tuple[Extra, ...]:
    """The matrix that a classifier or a reward model has instead."""
    for end, name, fixed, biased in SCORES:
        if architecture.endswith(end):
            rows = fixed or labels(r)
            tensors = ((name + ".weight", (rows, r.hidden_size)), *([(name + ".bias", (rows,))] if biased else []))
            return (Extra("score", "scores instead of an LM head", tensors, "head"),)
    return ()


def labels(r: Reading) -> int:
    """How many labels: num_labels, the length of id2label, or two, as the configuration class assumes."""
    text = r.facts.text
    said, listed = text.get("num_labels"), text.get("id2label")
    if isinstance(said, int) and not isinstance(said, bool) and 0 < said <= 1_000_000:
        return said
    return len(listed) if isinstance(listed, dict) and listed else 2
