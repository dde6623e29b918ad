"""A Reading: a config's facts, its family, and what all layers of one model are read with."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.family import Family
from cutaway.gallery.spec import Norm, Normal

PER_LAYER = (
    "num_attention_heads_per_layer",
    "num_kv_heads_per_layer",
    "compress_ratios",
    "indexer_types",
    "layer_rope_theta",
    "rope_theta",
    "partial_rotary_factors",
)

MOST_MTP_LAYERS = 16  # published models have at most 7


@dataclass
class Reading:
    """What a config's layers are read with. Words of the layers come first; cached answers need them."""

    facts: Facts
    family: Family
    hidden_size: int
    depth: int
    words: list[str] = field(default_factory=list)
    mlp_words: list[str] = field(default_factory=list)
    rotary: list[bool] = field(default_factory=list)
    window_hides: bool = True  # the window is shorter than the text that the model was made for
    shared_from: int = 10**9  # first layer that reuses K and V
    not_understood: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    contradicted: set[str] = field(default_factory=set)  # kinds of them
    nested: bool = False
    as_class: bool = False  # as transformers runs it, where that denies the file; see read()

    def contradict(self, kind: str, sentence: str) -> None:
        """Keep the first contradiction of a kind: every layer would say it again, with other numbers."""
        if kind not in self.contradicted:
            self.contradicted.add(kind)
            self.contradictions.append(sentence)

    def follow_class(self, name: str, value: float) -> None:
        """A number that transformers' class has whatever the key says: drawn as the file has it, run as the class."""
        said = self.facts.number(name)
        if said and said != value:
            word = self.facts.word_for(name)
            self.contradict(
                name, f"transformers' class uses {value:g} regardless of {word}; the drawing uses {said:g}."
            )
        if self.as_class:
            self.facts.overrule(name, value)

    @cached_property
    def attention_biases(self) -> frozenset[str]:
        """Which of q, k, v and o carry a bias: implied by the family, or said by a key."""
        facts, family = self.facts, self.family
        said = facts.flag("attention_bias", facts.flag("use_bias")) and not facts.flag("no_bias")
        qkv = said if family.qkv_bias is None else family.qkv_bias
        out = qkv if family.o_bias is None else family.o_bias
        if facts.has("attention_out_bias"):
            out = facts.flag("attention_out_bias")
        return frozenset(("qkv" if qkv else "") + ("o" if out else ""))

    @cached_property
    def qk_norm(self) -> str:
        """The QK-norm: a flag in the config speaks for itself, else the family decides."""
        facts, kind = self.facts, self.family.qk_norm
        if isinstance(facts.raw("use_qk_norm"), bool):
            kind = (kind or self.family.qk_norm_if_said) if facts.flag("use_qk_norm") else ""
        if facts.has("qk_norm_type") and kind:
            kind = {"per_layer": "full", "per_head": "head", "olmo": "full", "qwen3": "head"}.get(
                facts.word("qk_norm_type"), kind
            )
        return kind

    @cached_property
    def single_half(self) -> bool:
        """Whether each layer is one mixer or one MLP (Nemotron-H, pure Mamba)."""
        return self.family.norms == "single_half" or bool({"mlp", "moe"} & set(self.words))

    @cached_property
    def last_of_word(self) -> dict[str, int]:
        """Mixer word -> the last layer of that word that has keys and values of its own."""
        return {word: index for index, word in enumerate(self.words[: self.shared_from])}

    @cached_property
    def per_layer_lists(self) -> tuple[list, ...]:
        """The config's lists that give each layer a value of its own."""
        found = [self.facts.raw(name) for name in PER_LAYER]
        return tuple(values for values in found if isinstance(values, list))

    @cached_property
    def mtp_layers(self) -> int:
        """Layers for multi-token prediction that the checkpoint holds; a list counts by its first entry (Step 3.5)."""
        return min(self.facts.per_layer("num_nextn_predict_layers", 0) or 0, MOST_MTP_LAYERS)

    @cached_property
    def every_layer_differs(self) -> bool:
        """Whether layers with the same word may still differ, so that none stands for another."""
        step = self.facts.integer("index_topk_freq") or 0
        deeper = self.facts.flag("scale_attn_by_inverse_layer_idx")
        return (
            step > 1
            or self.facts.has("index_topk_pattern")
            or deeper
            or bool(self.family.mixers)
            or self.words[0] == "block"
        )

    def layer_key(self, index: int) -> tuple:
        """What makes the mixers of two layers differ; layers with equal keys share one mixer."""
        usual = (self.words[index], self.rotary[index], self.shared_from <= index)
        if self.every_layer_differs:
            return (*usual, index)
        if not self.per_layer_lists:
            return usual
        return (*usual, *(str(values[index]) if index < len(values) else "" for values in self.per_layer_lists))


def normal(r: Reading) -> Normal:
    """How the family's norms work: their kind, epsilon, and whether the weight is stored minus one."""
    kind = r.family.norm
    eps = r.family.norm_eps or r.facts.number("norm_eps") or (1e-5 if kind == "LayerNorm" else 1e-6)
    return Normal(kind, eps, r.family.norm_plus_one)


def norm(r: Reading, place: str, name: str = "") -> Norm:
    """A norm of the family's kind."""
    how = normal(r)
    own = r.facts.number("post_norm_eps") if place in ("mixer_out", "mlp_out") else None
    return Norm(place, how.kind, r.family.norm_bias, r.family.norm_weight, name, own or how.eps, how.plus_one)


def qk_normal(r: Reading) -> Normal:
    """How queries and keys are normalised; a bias means LayerNorm."""
    how = normal(r)
    kind = "LayerNorm" if r.family.qk_norm_bias else how.kind
    return Normal(kind, r.family.qk_norm_eps or how.eps, how.plus_one)
