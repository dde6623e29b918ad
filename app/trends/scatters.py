"""Architectures -> the scatter plots of /trends/, each as (its finding in a sentence, the chart)."""

from __future__ import annotations

from collections import Counter

from cutaway.app.trends import structures as st
from cutaway.app.trends.chart import Axis, Guide, Level, Scatter, Tick, log_axis
from cutaway.app.trends.common import LARGE, Structures, day, dot, half_years, over_time, years
from cutaway.app.trends.structures import KINDS, Structure
from cutaway.explainers import fmt

SIZES = tuple(
    Tick(value, words, not words.startswith("1"))
    for value, words in ((5e8, "0.5 B"), (1e9, "1 B"), (3e9, "3 B"), (1e10, "10 B"), (3e10, "30 B"), (1e11, "100 B"),
                         (3e11, "300 B"), (1e12, "1 T"), (3e12, "3 T"))
)  # fmt: skip
POWERS = tuple(Tick(2**n, fmt.integer(2**n)) for n in range(24))


def cache(found: Structures) -> tuple[str, Scatter]:
    """Cache per token against parameters, coloured by the kind of attention."""
    grows = [one for one in found if one.row["cache_per_token_bytes"]]
    by_kind = {kind.key: [one for one in grows if one.kind is kind and one.size >= LARGE] for kind in KINDS}
    middle = {key: st.median_of(some, cache_per_token) for key, some in by_kind.items() if some}
    x = log_axis("parameters", (one.size for one in grows), SIZES)
    known = [kind for kind in reversed(KINDS) if kind.key in middle]
    levels = tuple(Level(LARGE, x.high, middle[kind.key], kind.role) for kind in known)
    keys = tuple((kind.role, f"{kind.words} {fmt.in_bytes(middle[kind.key], digits=0)}") for kind in known)
    ticks = [Tick(4**n * 1000, fmt.in_bytes(4**n * 1000, digits=0)) for n in range(1, 8)]
    y = log_axis("cache per token, 16 bits per value", map(cache_per_token, grows), ticks)
    dots = tuple(
        dot(
            one,
            one.size,
            cache_per_token(one),
            f"{fmt.in_bytes(cache_per_token(one))} per token, {fmt.count(one.size)} parameters",
        )
        for one in grows
    )
    says = (
        f"In models of 100 B parameters or more, each token adds a median of "
        f"{fmt.in_bytes(middle['full'], digits=0)} to the KV cache with full attention, "
        f"{fmt.in_bytes(middle['latent'], digits=0)} with latent attention (MLA) and "
        f"{fmt.in_bytes(middle['linear'], digits=0)} in hybrids with linear attention: "
        f"{fmt.fixed(middle['full'] / middle['linear'], 0)} times less than full attention."
    )
    return says, Scatter(x, y, dots, levels, keys=keys)


def cache_per_token(one: Structure) -> float:
    return one.row["cache_per_token_bytes"]


def active(found: Structures) -> tuple[str, Scatter]:
    """Active share of the parameters of mixtures of experts, over time; larger models have larger dots."""
    moe = [one for one in found if one.is_moe]
    first, last = (st.in_year(moe, year) for year in years(found))
    ticks = [Tick(value, fmt.percent(value, 0)) for value in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)]
    y = log_axis("active share of the parameters", map(active_share, moe), ticks)
    dots = tuple(
        dot(one, day(one), active_share(one), f"{fmt.percent(active_share(one))} active of {fmt.count(one.size)}",
            "moe", 5 + 2.2 * max(0, (one.size / 1e10)) ** 0.35)
        for one in moe
    )  # fmt: skip
    says = (
        f"The median mixture of experts used {fmt.percent(st.median_of(first, active_share))} of its parameters per "
        f"token in {years(found)[0]} and {fmt.percent(st.median_of(last, active_share))} in {years(found)[1]} "
        f"({len(first)} and {len(last)} architectures)."
    )
    return says, Scatter(over_time(found), y, dots, half_years(moe, active_share, "moe-text"))


def active_share(one: Structure) -> float:
    return one.row["parameters_active"] / one.size


def experts(found: Structures) -> tuple[str, Scatter]:
    """Routed experts of the largest MoE layer and how routed_experts a token uses, over time."""
    moe = [one for one in found if one.is_moe]
    first, last = (st.in_year(moe, year) for year in years(found))
    y = log_axis("experts in a layer", [1, *map(routed_experts, moe)], POWERS)
    dots = tuple(
        dot(one, day(one), value, f"{routed_experts(one)} experts, {experts_per_token(one)} per token", role)
        for one in moe
        for value, role in ((routed_experts(one), "moe"), (experts_per_token(one), "latent"))
    )
    levels = (
        *half_years(moe, routed_experts, "moe-text", "routed experts"),
        *half_years(moe, experts_per_token, "latent-text", "used per token (top-k)"),
    )
    middle = [
        fmt.fixed(st.median_of(some, value), 0)
        for value in (routed_experts, experts_per_token)
        for some in (first, last)
    ]
    share = [
        fmt.percent(st.median_of(some, lambda one: experts_per_token(one) / routed_experts(one)))
        for some in (first, last)
    ]
    says = (
        f"The median mixture of experts had {middle[0]} routed experts in a layer in {years(found)[0]} and {middle[1]} "
        f"in {years(found)[1]}. Its router picked {middle[2]} and {middle[3]} of them for each token; the median share "
        f"picked was {share[0]} and is now {share[1]}."
    )
    return says, Scatter(over_time(found), y, dots, levels, keys=(("moe", "routed experts"), ("latent", "top-k")))


def routed_experts(one: Structure) -> int:
    return one.row["num_experts"]


def experts_per_token(one: Structure) -> int:
    return one.row["num_experts_per_tok"]


def windows(found: Structures) -> tuple[str, Scatter]:
    """Share of the attention layers that read a window, over time."""
    some = [one for one in found if one.row["num_window_layers"]]
    first, last = (st.in_year(some, year) for year in years(found))
    ticks = [Tick(n / 4, fmt.percent(n / 4, 0)) for n in range(5)]
    y = Axis("attention layers with a window or chunk", 0, 1.08, tuple(ticks))
    dots = tuple(
        dot(one, day(one), window_share(one),
            f"{one.row['num_window_layers']} of {one.row['num_attention_layers']} attention layers, "
            f"{fmt.integer(one.row['window_tokens'])} tokens", "window")
        for one in some
    )  # fmt: skip
    earlier, latest = (fmt.fixed(st.median_of(few, lambda one: one.row["window_tokens"]), 0) for few in (first, last))
    says = (
        f"{len(last)} of {len(st.in_year(found, years(found)[1]))} architectures of {years(found)[1]} have sliding "
        f"windows or chunks, in a median of {fmt.percent(st.median_of(last, window_share), 0)} of their attention "
        f"layers. The median window is {latest} tokens; it was {earlier} in {years(found)[0]}."
    )
    return says, Scatter(over_time(found), y, dots, half_years(some, window_share, "window-text"))


def window_share(one: Structure) -> float:
    return one.row["num_window_layers"] / one.row["num_attention_layers"]


def heads(found: Structures) -> tuple[str, Scatter]:
    """Query heads that share a key/value head, over time."""
    some = [one for one in found if one.row["num_key_value_heads"]]
    first, last = (st.in_year(some, year) for year in years(found))
    y = log_axis("query heads per key/value head", map(queries_per_kv_head, some), POWERS)
    dots = tuple(
        dot(one, day(one), queries_per_kv_head(one),
            f"{one.row['num_attention_heads']} query heads of size {one.row['head_size']}, "
            f"{one.row['num_key_value_heads']} key/value heads")
        for one in some
    )  # fmt: skip
    sizes = Counter(one.row["head_size"] for one in st.in_year(found, years(found)[1]) if one.row["head_size"])
    [(usual, times)] = sizes.most_common(1)
    says = (
        f"A key/value head served a median of {fmt.fixed(st.median_of(first, queries_per_kv_head), 0)} query heads in "
        f"{years(found)[0]} and {fmt.fixed(st.median_of(last, queries_per_kv_head), 0)} in {years(found)[1]}. The most "
        f"common head size of {years(found)[1]} is {usual}, in {times} of {sizes.total()} architectures."
    )
    return says, Scatter(over_time(found), y, dots, half_years(some, queries_per_kv_head, "full-text"))


def queries_per_kv_head(one: Structure) -> float:
    return one.row["num_attention_heads"] / one.row["num_key_value_heads"]


def depth(found: Structures) -> tuple[str, Scatter]:
    """Layers against width; MoE and dense in two colours."""
    x = log_axis("width (hidden_size)", map(width, found), POWERS)
    y = log_axis("layers", map(layers, found), [Tick(n, str(n)) for n in (8, 12, 16, 24, 32, 48, 64, 96, 128)])
    dots = tuple(
        dot(one, width(one), layers(one), f"{layers(one)} layers of width {fmt.integer(width(one))}",
            "moe" if one.is_moe else "dense")
        for one in found
    )  # fmt: skip
    guides = tuple(
        Guide(max(x.low, y.low * per), max(x.low, y.low * per) / per, min(x.high, y.high * per),
              min(x.high, y.high * per) / per, words)
        for per, words in ((64, "width = 64 × layers"), (128, "128 × layers"))
    )  # fmt: skip
    moe = [one for one in found if one.is_moe and one.size >= 200e9]
    dense = [one for one in found if not one.is_moe and one.size >= 25e9]
    middle = [fmt.fixed(st.median_of(some, value), 0) for some in (moe, dense) for value in (layers, width)]
    says = (
        f"Mixtures of experts grow by adding experts, not depth or width: the {len(moe)} of 200 B parameters or more "
        f"have a median of {middle[0]} layers and a median width of {middle[1]}; the {len(dense)} dense models of 25 B "
        f"or more, {middle[2]} layers and {middle[3]}."
    )
    return says, Scatter(x, y, dots, guides=guides, keys=(("moe", "mixture of experts"), ("dense", "dense")))


def width(one: Structure) -> int:
    return one.row["hidden_size"]


def layers(one: Structure) -> int:
    return one.row["num_hidden_layers"]


def context(found: Structures) -> tuple[str, Scatter]:
    """Longest context over time."""
    some = [one for one in found if one.row["context_tokens"]]
    first, last = (st.in_year(some, year) for year in years(found))
    ticks = [
        Tick(2**n, words)
        for n, words in ((11, "2 K"), (13, "8 K"), (15, "32 K"), (17, "128 K"), (20, "1 M"), (23, "8 M"))
    ]
    y = log_axis("context in tokens (K = 1,024)", map(tokens, some), ticks)
    dots = tuple(dot(one, day(one), tokens(one), f"{fmt.integer(tokens(one))} tokens") for one in some)
    million = [sum(tokens(one) >= 1e6 for one in few) for few in (first, last)]
    says = (
        f"The median context went from {fmt.fixed(st.median_of(first, tokens), 0)} tokens in {years(found)[0]} to "
        f"{fmt.fixed(st.median_of(last, tokens), 0)} in {years(found)[1]}. A million tokens or more fit into "
        f"{million[1]} of {len(last)} architectures of {years(found)[1]}, and into {million[0]} of {len(first)} of "
        f"{years(found)[0]}."
    )
    keys = tuple((kind.role, kind.words) for kind in reversed(KINDS))
    return says, Scatter(over_time(found), y, dots, half_years(some, tokens, "ink"), keys=keys)


def tokens(one: Structure) -> int:
    return one.row["context_tokens"]
