"""A row of a comparison -> a few words: half the heads, 384 experts instead of 256, no MTP layer."""

from __future__ import annotations

from dataclasses import replace

from cutaway.gallery.comparing.comparison import Row
from cutaway.gallery.comparing.kinds import NO
from cutaway.gallery.comparing.text.cell import OTHER_SIZES, PLACE_WORDS
from cutaway.gallery.comparing.text.number import number_word, say_times


def say_row(one: Row) -> str:
    """A row in a few words; "" where the table alone says it."""
    if one.where:
        assert one.row is not None
        return f"{say_row(replace(one, what=one.row.what, where=''))} in {one.where}"
    if one.what in WORDS:
        return WORDS[one.what](one)
    if one.what.startswith("kind of"):
        return say_replaced(one)
    if one.b == OTHER_SIZES:
        return f"{one.values[0]} {OTHER_SIZES}"
    row = one.row
    if row is None or (not row.one and row.style != "kind"):
        return say_plain(one)
    return STYLES[row.style](one)


def say_replaced(one: Row) -> str:
    """Gated DeltaNet instead of GQA in 36 layers: b's own, as its cell counts them."""
    n = int(one.b.split(" ")[0].replace(",", ""))
    layers = f"{number_word(n)} {{}}layer{'s' if n != 1 else ''}"
    was, becomes = one.values
    if becomes == NO:
        without = f"without {'a mixer' if one.part == 'mixer' else 'an MLP'}"
        return f"{layers.format('')} {without} of {'their' if n != 1 else 'its'} own"
    if was == NO:
        return f"{becomes} in {layers.format('more ')}"
    where = f" in {layers.format('')}" if one.a.split(" ")[1] == "of" else ""
    return f"{becomes} instead of {was}{where}"


def say_plain(one: Row) -> str:
    """What has no words of its own."""
    if not one.a or not one.b:
        return f"{one.what}: {one.b or 'none'}"
    return f"{one.what} {one.b} instead of {one.a}"


def value_on_side(one: Row, side: int) -> int:
    """The first of the values, a number where it is one."""
    held = one.values[side]
    return (held[0] if isinstance(held, tuple) else held) or 0


def say_count(one: Row) -> str:
    """Half the heads; 384 experts instead of 256; no shared expert."""
    row, a, b = one.row, value_on_side(one, 0), value_on_side(one, 1)
    assert row is not None
    if not b:
        return f"no {row.one if a == 1 else row.many}"
    if not a:
        return f"{number_word(b)} {row.one if b == 1 else row.many}"
    if a == b:
        return f"other {row.many}"
    ratio = say_times(a, b)
    if ratio and max(a, b) > 4:
        return f"{ratio} the {row.many}"
    return f"{number_word(b)} {row.one if b == 1 else row.many} instead of {number_word(a)}"


def say_size(one: Row) -> str:
    """A larger window; no window; twice the latent."""
    row, a, b = one.row, value_on_side(one, 0), value_on_side(one, 1)
    assert row is not None
    if not b:
        return f"no {row.one}"
    if not a:
        return f"a {row.one} of {one.b}"
    return compare_size(row.one, a, b) if a != b else f"another {row.one}"


def compare_size(noun: str, a: int, b: int) -> str:
    """Twice the width; a larger vocabulary."""
    ratio = say_times(a, b)
    return f"{ratio} the {noun}" if ratio else f"a {'larger' if b > a else 'smaller'} {noun}"


def say_flag(one: Row) -> str:
    """An indexer; no indexer; another kind of it."""
    row = one.row
    assert row is not None
    if not one.b:
        return f"no {row.one}"
    if not one.a:
        words = row.one if row.many == row.one else row.many if row.many in ("biases", "sinks") else article(row.one)
        return words
    return f"{row.one} {one.b} instead of {one.a}"


def article(noun: str) -> str:
    """A window, an indexer, an MTP layer."""
    spelled = noun[:2].isupper() and noun[0] in "FHLMNRSX"  # letters whose names begin with a vowel
    return f"{'an' if noun[0].lower() in 'aeio' or spelled else 'a'} {noun}"


def say_kind(one: Row) -> str:
    """GELU instead of SwiGLU."""
    if not one.a or not one.b:
        return say_plain(one)
    noun = f" {one.row.one}" if one.row and one.row.one else ""
    return f"{one.b} instead of {one.a}{noun}" if not noun else f"a {one.b}{noun} instead of {one.a}"


def say_groups(one: Row) -> str:
    """No routing groups; eight routing groups."""
    b = one.values[1][0]
    return "no routing groups" if b <= 1 else f"{number_word(b)} routing groups"


STYLES = {
    "count": say_count,
    "size": say_size,
    "flag": say_flag,
    "kind": say_kind,
    "value": say_plain,
    "groups": say_groups,
}


def say_dense(one: Row) -> str:
    """One dense layer instead of three."""
    a, b = int(one.a.replace(",", "")), int(one.b.replace(",", ""))
    many = "dense layer" if b == 1 else "dense layers"
    return f"{number_word(b)} {many} instead of {number_word(a)}" if a else f"{number_word(b)} {many} in front"


def say_depth(one: Row) -> str:
    """17 more layers."""
    a, b = one.values
    ratio, by = say_times(a, b), abs(b - a)
    if ratio:
        return f"{ratio} the layers"
    return f"{number_word(by)} {'more' if b > a else 'fewer'} layer{'s' if by > 1 else ''}"


def say_mtp(one: Row) -> str:
    """No MTP layer; one MTP layer."""
    a, b = int(one.a), int(one.b)
    return f"{number_word(b)} MTP layer{'s' if b != 1 and not (b == 0 and a == 1) else ''}"


def say_norms(a: str, b: str) -> str:
    """RMSNorm instead of LayerNorm; sandwich norm; one norm a layer."""
    (how_a, _, place_a), (how_b, _, place_b) = a.partition(", "), b.partition(", ")
    (n_a, _, kind_a), (n_b, _, kind_b) = how_a.partition(" "), how_b.partition(" ")
    if kind_a != kind_b:
        return f"{kind_b or 'no norms'} instead of {kind_a or 'no norms'}"
    if place_a != place_b:
        return place_b if place_b in PLACE_WORDS.values() else f"norms {place_b}"
    return f"{number_word(int(n_b))} norm{'s' if n_b != '1' else ''} a layer instead of {number_word(int(n_a))}"


def say_context(one: Row) -> str:
    """A shorter context."""
    a, b = (held or 0 for held in one.values)
    return f"a {'longer' if b > a else 'shorter'} context" if a and b else say_plain(one)


def say_shared_experts(one: Row) -> str:
    """Two shared experts; a wider shared expert."""
    (n, was), (m, now) = ((max(held[0], 1) * bool(held[-1]), held[-1]) for held in one.values)
    if n != m or was == now:
        return say_count(replace(one, values=((n,), (m,))))
    word = "wider" if now > was else "narrower"
    return f"a {word} shared expert" if n == 1 else f"{word} shared experts"


def say_indexer(one: Row) -> str:
    """An indexer that picks 2,048 tokens."""
    style, _, n = (one.b or one.a).partition(", ")
    what = f"an indexer that picks {n} {'entries' if style == 'CSA' else 'tokens'}"
    return what if one.b else "no indexer"


def say_streams(one: Row) -> str:
    """Four residual streams; shortcut-connected experts; one stream has no name."""
    (n, _, now), (before, _, was) = one.b.partition(", "), one.a.partition(", ")
    if n != before:
        return f"{number_word(int(n))} residual stream{'s' if n != '1' else ''}"
    return f"{now} instead of {was}" if now and was else now or "a plain residual stream"


WORDS = {
    "indexer": say_indexer,
    "shared experts, total width": say_shared_experts,
    "leading dense layers": say_dense,
    "layers": say_depth,
    "MTP layers": say_mtp,
    "context": say_context,
    "vocabulary": lambda one: compare_size("vocabulary", *one.values),
    "width": lambda one: compare_size("width", *one.values) if one.row is None else say_size(one),
    "residual streams": say_streams,
    "norms of a layer": lambda one: say_norms(one.a, one.b),
    "head is the embedding": lambda one: "a tied head" if one.b else "an untied head",
    "passes through the stack": lambda one: (
        "one pass through its stack" if one.b == "1" else f"{one.b} passes through its stack"
    ),
    "attention and MLP in parallel": lambda one: "attention and MLP in parallel" if one.b else "attention, then MLP",
    "encoders": lambda one: f"encoders: {one.b}" if one.b else "no encoder",
}
