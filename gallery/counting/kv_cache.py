"""A mixer -> the things it keeps between two tokens while decoding: how many bits each, and how they grow.

Two choices change the numbers, so both are tables with words: how an entry is stored (`STORAGES`, or any name in
`formats.FORMATS`), and how many tokens a window keeps between two steps (`CONVENTIONS`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from cutaway.gallery import spec as s
from cutaway.gallery.formats.bits import stored_bits
from cutaway.gallery.formats.scalar import FORMATS
from cutaway.gallery.graph import Keep
from cutaway.gallery.sublayers import graph_of
from cutaway.gallery.wiring import layer_graph

KINDS = {
    "kv": "keys and values",
    "compressed": "compressed entries",
    "index": "indexer keys",
    "state": "recurrent state",
    "conv": "convolution state",
}
FP32 = 32


class Convention(NamedTuple):
    """How many tokens stay in memory between two decoding steps."""

    words: str
    window_short: int  # tokens of the window that are not kept
    plain_copies: int  # how often V4's layers without compression hold their window
    overlap_buffer: bool  # V4's CSA keeps the raw inputs of two unfinished entries
    source: str


CONVENTIONS = {
    "window": Convention(
        "a window layer keeps `sliding_window` tokens; a vector that is both key and value is kept once",
        *(0, 1, False),
        "model reports and serving engines",
    ),
    "transformers": Convention(
        "a window layer keeps `sliding_window` - 1 tokens: the newest one arrives with the next step; DeepSeek-V4's "
        "plain window layers hold keys and values as two copies, its CSA layers the raw inputs of two entries as well",
        *(1, 2, True),
        "measured in transformers 5.23.0, tests/oracle/cache_measured.json",
    ),
}


class Storage(NamedTuple):
    """How one cache entry is packed; every function gives bits."""

    words: str
    kv: int  # one number of a key or a value
    latent: Callable[[int, int], int]  # MLA: (latent width, rotated width)
    entry: Callable[[int, int], int]  # V4: (whole width, rotated part of it)
    index: Callable[[int], int]  # type: ignore[assignment]  # one indexer key; tuple.index is not needed
    source: str


STORAGES = {
    "fp8_ds_mla": Storage(
        "MLA: latent in FP8 with one FP32 scale per 128, rotated part in BF16 (656 bytes for 512 + 64); V4 entries 448 "
        "FP8 + 64 BF16 + 8 bytes of scales (584); indexer keys FP8 with one FP32 scale; other keys and values FP8",
        8,
        lambda latent, rope: 8 * latent + 32 * -(-latent // 128) + 16 * rope,
        lambda width, rope: 8 * (width - rope) + 16 * rope + 64,
        lambda width: 8 * width + 32,
        "vLLM, FlashMLA",
    ),
    "fp8_bf16rope_fp4index": Storage(
        "the DeepSeek-V4 report's figures: FP8, the rotated part in BF16, indexer keys in FP4, no scales counted",
        8,
        lambda latent, rope: 8 * latent + 16 * rope,
        lambda width, rope: 8 * (width - rope) + 16 * rope,
        lambda width: 4 * width,
        "DeepSeek-V4 report",
    ),
}


@cache
def storage(cache_dtype: str) -> Storage:
    """The packing that a cache dtype means: every number alike, or one of the packed layouts."""
    if cache_dtype in STORAGES:
        return STORAGES[cache_dtype]
    if cache_dtype not in FORMATS:
        known = ", ".join([*FORMATS, *STORAGES])
        raise ValueError(f"No cache dtype is called {cache_dtype!r}; known are {known}.")
    bits = stored_bits(cache_dtype)
    every = f"every number in {cache_dtype}, no scales counted"
    return Storage(every, bits, lambda a, b: bits * (a + b), lambda a, b: bits * a, lambda a: bits * a, "")


class CacheItem(NamedTuple):
    """One thing a layer keeps: entries of `bits` each; one per `every` tokens, at most `cap`, or exactly one."""

    kind: str
    bits: int
    every: int = 1
    cap: int | None = None
    fixed: bool = False
    what: str = ""

    def bits_at(self, context: int) -> int:
        if self.fixed:
            return self.bits
        entries = context // self.every
        return self.bits * (entries if self.cap is None else min(entries, self.cap))

    @property
    def slope_bits(self) -> Fraction:
        return Fraction(0) if self.fixed or self.cap is not None else Fraction(self.bits, self.every)

    @property
    def first_bits(self) -> Fraction:
        """What a token adds while no window is full."""
        return Fraction(0) if self.fixed else Fraction(self.bits, self.every)

    @property
    def full_at(self) -> int:
        """The token from which on it stops growing; 0 where it never grows, or never stops."""
        return 0 if self.fixed or self.cap is None else self.cap * self.every

    @property
    def fixed_bits(self) -> int:
        return self.bits if self.fixed else self.bits * (self.cap or 0)


class Rules(NamedTuple):
    """What the caller chose, as the mixers below need it."""

    store: Storage
    convention: Convention
    model_bits: int  # one number in the model's own dtype: convolution and lightning states stay in it
    longest: int | None = None  # the context the model was made for
    keeps: bool = True  # False: every token sees every other, so that all are computed anew in each step

    def window(self, tokens: int) -> int | None:
        """How many tokens a window keeps; None where there is none, or it is as long as the context (Phi-3 128k)."""
        if not tokens or (self.longest and tokens >= self.longest):
            return None
        return max(tokens - self.convention.window_short, 0)


def rules_for(spec: s.ModelSpec, cache_dtype: str = "bfloat16", convention: str = "window") -> Rules:
    """The caller's choices, checked. States that follow the model's dtype are never narrower than 16 bits."""
    if convention not in CONVENTIONS:
        raise ValueError(f"No convention is called {convention!r}; known are {', '.join(CONVENTIONS)}.")
    own = max(stored_bits(spec.dtype), 16)
    longest, keeps = spec.max_position_embeddings, not spec.bidirectional
    return Rules(storage(cache_dtype), CONVENTIONS[convention], own, longest, keeps)


# ---------------------------------------------------------------- what a mixer's graph keeps


def bits_of(keep: Keep, rules: Rules) -> int:
    """What one entry, or the whole state, takes."""
    store = rules.store
    if keep.kind in ("state", "conv"):
        return keep.numbers * (FP32 if keep.dtype == "float32" else rules.model_bits)
    if keep.layout == "latent":
        return store.latent(keep.numbers - keep.rotated, keep.rotated)
    if keep.layout == "entry":
        return store.entry(keep.numbers, keep.rotated)
    return store.index(keep.numbers) if keep.kind == "index" else keep.numbers * store.kv


def cache_item(keep: Keep, rules: Rules) -> CacheItem:
    """One thing that a node keeps, under the caller's rules."""
    cap = rules.window(keep.window)
    bits = bits_of(keep, rules) * (rules.convention.plain_copies if keep.doubled else 1)
    return CacheItem(keep.kind, bits, keep.every, None if keep.fixed else cap, keep.fixed, keep.words)


def pending_inputs(keeps: list[Keep], rules: Rules) -> list[CacheItem]:
    """The raw inputs of entries that are not complete, where the caller's convention counts them."""
    if not rules.convention.overlap_buffer:
        return []
    what = "inputs of two unfinished entries"
    found = [CacheItem("compressed", bits_of(keep, rules) * keep.pending, fixed=True, what=what) for keep in keeps]
    return [kept for kept in found if kept.bits]


def merge_items(found: list[CacheItem]) -> tuple[CacheItem, ...]:
    """Things of one kind that grow alike are one: keys and values, the convolutions of q, k and v."""
    alike: dict[tuple, list[CacheItem]] = {}
    for kept in found:
        alike.setdefault((kept.kind, kept.every, kept.cap, kept.fixed), []).append(kept)
    return tuple(
        group[0]._replace(bits=sum(kept.bits for kept in group), what=sum_shapes([kept.what for kept in group]))
        for group in alike.values()
    )


def sum_shapes(words: list[str]) -> str:
    """Shapes side by side; equal ones counted."""
    if len(words) > 1 and len(set(words)) == 1:
        return f"{len(words)} × ({words[0]})"
    return " + ".join(words)


def keeps_outside_mixer(spec: s.ModelSpec, layer: s.Layer) -> bool:
    """Whether a layer keeps anything outside its mixer: in some schemes all of them do, in others those listed."""
    keeps = getattr(spec.residual, "keeps", False)
    return keeps is True or bool(keeps and layer.index in keeps)


def cache_outside_mixer(spec: s.ModelSpec, layer: s.Layer, rules: Rules) -> tuple[CacheItem, ...]:
    """What a layer keeps outside its mixer: convolutions behind the halves (Inkling) or over n-grams (Qwen4)."""
    if not rules.keeps or not keeps_outside_mixer(spec, layer):
        return ()
    nodes = [node for node in layer_graph(spec, layer).nodes if not node.name.startswith("mixer.")]
    return merge_items([cache_item(keep, rules) for node in nodes for keep in node.keeps])


def cache_of_mixer(mixer: object | None, rules: Rules) -> tuple[CacheItem, ...]:
    """What one mixer keeps: the keeps of its graph's nodes. A layer without a mixer keeps nothing."""
    if mixer is None or not rules.keeps:
        return ()
    keeps = [keep for node in graph_of(mixer, 1).nodes for keep in node.keeps]
    return merge_items([*(cache_item(keep, rules) for keep in keeps), *pending_inputs(keeps, rules)])
