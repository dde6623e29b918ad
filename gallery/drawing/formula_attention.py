"""A node of attention -> its formula: RoPE, the softmax and what a query sees, temperatures, relative positions."""

from __future__ import annotations

from math import inf

from cutaway.gallery.drawing.annotations import attend_lines
from cutaway.gallery.drawing.formula_terms import number, own_lines
from cutaway.gallery.graph import Node
from cutaway.gallery.records import Rope
from cutaway.gallery.rope_growth import growth

STRETCHED = {"yarn": "YaRN", "longrope": "LongRoPE"}


def rope(node: Node) -> str:
    """Pairs of 64 numbers turned by position · 10,000^(−2i / 64)."""
    spec: Rope = node.facts["rope"]
    if turned := dict(spec.scaling).get("rotated"):
        return proportional(spec, int(str(turned)))
    which = "last" if spec.last else "first"
    back = ", turned back" if node.facts.get("back") else ""
    kind = "" if spec.kind == "default" or spec.alpha else f", stretched as {STRETCHED.get(spec.kind, spec.kind)}"
    base = number(round(spec.base) if spec.alpha else spec.theta)
    turned = f"turned by position · {base}^(−2i / {spec.dims}){kind}"
    times = grown_words(spec)
    return f"the {which} {spec.dims} numbers in pairs, {turned}{times and f', each times {times}'}{back}"


def grown_words(spec: Rope) -> str:
    """1.347: what YaRN and LongRoPE multiply cos and sin by; "" where they stay. A long text may have its own."""
    short, long = number(growth(spec)), number(growth(spec, inf))
    said = short if short == long else f"{short}, in long texts {long}"
    return "" if said == "1" else said


def proportional(spec: Rope, turned: int) -> str:
    """The 64 fastest of 256 pairs turned; the others stand still."""
    factor = dict(spec.scaling).get("factor") or 1.0
    by = f"position{f' / {number(factor)}' if factor != 1.0 else ''} · {number(spec.theta)}^(−2i / {spec.dims})"  # type: ignore[arg-type]
    by += f", i below {turned // 2}"
    return f"{turned // 2} of {spec.dims // 2} pairs turned by {by}; the others stand still"


def attend(node: Node) -> str:
    """The softmax with its scale, its heads and what a query sees."""
    facts = node.facts
    words = [", ".join(attend_lines(node)), f"{facts['heads']:,} heads of {facts['d']:,}"]
    if facts.get("window"):
        words.append(f"the last {facts['window']:,} tokens")
    if facts.get("chunk"):
        words.append(f"its own chunk of {facts['chunk']:,}")
    if facts.get("at_most"):
        words.append(f"at most {facts['at_most']:,} of them")
    return ", ".join(words) + sink(node)


def sink(node: Node) -> str:
    """A logit that joins the softmax."""
    return ", one logit a head joins the sum and gives nothing" if "sinks" in node.tensors else ""


def entries(node: Node) -> str:
    """The same over a window of vectors and the entries behind it."""
    facts = node.facts
    far = f" and one entry for every {facts['every']:,} tokens" if facts["every"] else ""
    most = f", at most {facts['at_most']:,} of them" if facts.get("at_most") else ""
    heads = f"{facts['heads']:,} heads of {facts['d']:,}"
    return f"{own_lines(node)}, {heads}, over the last {facts['window']:,} tokens{far}{most}{sink(node)}"


def scores(node: Node) -> str:
    """What an indexer gives each entry."""
    return f"{own_lines(node)}, {node.facts['heads']:,} heads of {node.facts['d']:,}"


def temperature(node: Node) -> str:
    """q × (1 + β ln(1 + ⌊position / floor⌋))."""
    beta, floor, shift, *power = node.facts["temperature"]
    place = f"(position + {number(shift)})" if shift else "position"
    if power:
        return f"q × (1 + {place} / {number(floor)})^{number(beta)}"
    return f"q × (1 + {number(beta)} · ln(1 + ⌊{place} / {number(floor)}⌋))"


def learned_temperature(node: Node) -> str:
    """q × (scale · ln(position + 1) + bias), each of 64 heads by its own two numbers."""
    return f"q × (scale · ln(position + 1) + bias), two numbers for each of {node.tensors['scale'].shape[0]:,} heads"


def differ(node: Node) -> str:
    """Attention of one half of the heads minus a share of the other half's."""
    return f"A₁ − λ · A₂, λ = exp(λq₁ · λk₁) − exp(λq₂ · λk₂) + {number(node.facts['start'])}; {attend(node)}"


def relative(node: Node) -> str:
    """A bank of profiles over the distance, mixed by each query."""
    profiles, distances = node.tensors["weight"].shape
    return f"Σ r · profile at the distance, {profiles:,} profiles over distances 0 to {distances - 1:,}; 0 beyond"


def log_scale(node: Node) -> str:
    """Queries that grow with their position."""
    alpha, floor = number(node.facts["alpha"]), number(node.facts["floor"])
    return f"x · (1 + {alpha} · ln(position / {floor})) from position {floor} on"
