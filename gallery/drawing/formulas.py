"""A node of a graph -> what it computes, as a formula with this model's numbers: one row an operation.

The formulas are those of gallery/running/numbers; a row that says nothing leaves the operation's own words.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, prod

from cutaway.gallery.drawing.annotations import SCORES, act, attend_lines, expert_words, glu_words, value_name
from cutaway.gallery.drawing.words import shape_words
from cutaway.gallery.graph import Keep, Node
from cutaway.gallery.operations import OPERATIONS
from cutaway.gallery.records import Normal, Rope
from cutaway.gallery.rope_growth import growth

MOST_INPUTS = 3  # of a sum that are named
STRETCHED = {"yarn": "YaRN", "longrope": "LongRoPE"}


def number(value: float) -> str:
    """10,000 or 0.000001, as a reader writes it."""
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e9):
        return f"{int(value):,}"
    return f"{value:.9f}".rstrip("0") if 1e-9 <= abs(value) < 1e-2 else f"{value:,.4g}"


def inputs(node: Node) -> list[str]:
    """What it reads, as formulas call it; two of one name by where they come from: 0.out_scaled and 1.out_scaled."""
    values = [name.partition(":")[2] or name for name in node.inputs]
    names = [value_name(name) for name in values]
    alike = {name for i, name in enumerate(names) if names.count(name) > 1 and values.count(values[i]) == 1}
    return [
        ".".join(value.split(".")[-2:]) if name in alike else name for value, name in zip(values, names, strict=True)
    ]


# ---------------------------------------------------------------- weights


def heads_of(node: Node) -> str:
    """= 64 × 128, where the rows of a matrix are heads."""
    split = node.facts.get("split") or ()
    return f" = {shape_words(split)}" if len(split) > 1 else ""


def linear(node: Node) -> str:
    """y = W x + b, 2,048 → 8,192 = 64 × 128."""
    *rows, columns = node.tensors["weight"].shape
    bias = " + b" if "bias" in node.tensors else ""
    return f"y = W x{bias}, {columns:,} → {prod(rows):,}{heads_of(node)}"


def grouped_linear(node: Node) -> str:
    """Each group its own rows."""
    rows, columns = node.tensors["weight"].shape[-2:]
    groups = node.facts["groups"]
    return f"y = W x in {groups} groups, {columns:,} → {rows // groups:,} each"


def per_head(node: Node) -> str:
    """y = W x + b, 256 → 256, a matrix for each of 10 heads."""
    heads, rows, columns = node.tensors["weight"].shape
    rows, columns = (columns, rows) if node.facts.get("turned") else (rows, columns)
    bias = " + b" if "bias" in node.tensors else ""
    return f"y = W x{bias}, {columns:,} → {rows:,}, a matrix for each of {heads:,} heads"


def norm(node: Node) -> str:
    """x / √(mean(x²) + 0.000001) · w, over 128 numbers."""
    normal: Normal = node.facts["normal"]
    weight = node.tensors.get("weight")
    by = "" if weight is None else " · (1 + w)" if normal.plus_one else " · w"
    plus = f" + {number(normal.eps)}" if normal.eps else ""
    bias = " + b" if "bias" in node.tensors else ""
    x = f"(x{by})" if normal.weight_first and by else "x"
    under = {"L2Norm": f"√(Σ x²{plus})", "LayerNorm": f"√(var(x){plus})"}.get(normal.kind, f"√(mean(x²){plus})")
    top = f"({x} − mean)" if normal.kind == "LayerNorm" else x
    groups = node.facts.get("groups", 1)
    over = "" if weight is None else f", over {weight.shape[-1] // groups:,} numbers"
    return f"{top} / {under}{'' if normal.weight_first else by}{bias}{over}" + (
        f", {groups} groups apart" if groups > 1 else ""
    )


def embed(node: Node) -> str:
    """A row of the table for each token."""
    if "weight" not in node.tensors:
        return ""
    rows, columns = node.tensors["weight"].shape[-2:]
    return f"row [token] of {rows:,} × {columns:,}" + (f": {node.words}" if node.words else "")


def conv(node: Node) -> str:
    """Σ over the last 4 tokens, channel by channel."""
    channels, kernel = node.tensors["weight"].shape[0], node.facts["kernel"]
    words = f"Σ weight · x over the last {kernel} tokens, each of {channels:,} channels for itself"
    return f"{act(node.facts['act'])}({words})" if node.facts.get("act") else words


# ---------------------------------------------------------------- attention


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


# ---------------------------------------------------------------- states


def own_lines(node: Node) -> str:
    """The lines of an operation that brings its own."""
    return "; ".join(node.facts["lines"])


def state(node: Node) -> str:
    """What happens to the state, and how large it is."""
    facts = node.facts
    return f"{own_lines(node)}; {facts['heads']:,} states of {facts['d']:,} × {facts['dv']:,}"


def scan(node: Node) -> str:
    """The same of a state space."""
    facts = node.facts
    if facts["per_state"]:  # Mamba 1 has no heads
        channels = f"{prod(node.tensors['A_log'].shape[:-1]):,} channels"
        heads = f" in {facts['heads']:,} heads" if facts["heads"] > 1 else ""
        return f"{own_lines(node)}; {channels}{heads}, {facts['state_size']:,} numbers each"
    return f"{own_lines(node)}; {facts['heads']:,} heads, {facts['state_size']:,} numbers a channel"


def recurrence(node: Node) -> str:
    """The lines of the RG-LRU, and how wide it is."""
    return f"{own_lines(node)}; the first token h = i × x; {node.tensors['rate'].shape[0]:,} channels, one number each"


def fading_mean(node: Node) -> str:
    """RWKV-4's weights: those of the token itself, and those of a token with n others between."""
    channels = node.tensors["time_decay"].shape[0]
    each = sum(keep.numbers for keep in node.keeps) // channels
    weights = "exp(k + time_first) for the token itself, exp(k − n · e^time_decay) for one with n tokens between"
    return f"Σ weight · v / Σ weight: {weights}; {channels:,} channels, {each} numbers each"


def decay(node: Node) -> str:
    """How much of the state stays."""
    lower = node.facts.get("lower", 0.0)
    return f"exp({number(lower)} · σ(e^A · (a + dt)))" if lower else "exp(−e^A · softplus(a + dt))"


# ---------------------------------------------------------------- experts


def score(node: Node) -> str:
    """Router logits become scores."""
    return f"{SCORES.get(node.facts['act'], node.facts['act'])}(logits)"


def choose(node: Node) -> str:
    """The 8 largest of 256, in 4 of 8 groups."""
    facts = node.facts
    bias = " of score + bias" if "bias" in node.tensors else ""
    groups = f", in the {facts['topk_group']} best of {facts['groups']} groups" if facts["groups"] > 1 else ""
    return f"the {facts['k']:,} largest{bias}{groups}"


def weigh(node: Node) -> str:
    """Their weights."""
    facts = node.facts
    first = f"{facts['score']}(the chosen logits)" if facts["score"] else "the chosen scores"
    over = " / their sum" if facts["normalise"] else ""
    by = f" × {number(facts['scale'])}" if facts["scale"] != 1 else ""
    return f"{first}{over}{by}"


def experts(node: Node) -> str:
    """Σ weight · down(SiLU(gate) × up) over 8 of 256."""
    facts = node.facts
    each = (
        f"weight · down({expert_words(node)})" if not facts["on_input"] else f"down({expert_words(node)}) of weight · x"
    )
    return f"Σ {each} over {facts['k']:,} of {facts['experts']:,} experts"


def expert_queries(node: Node) -> str:
    """y = W x, 2,048 → 2,048, for each of the 2 chosen of 8 experts."""
    many, rows, columns = node.tensors["weight"].shape
    return f"y = W x, {columns:,} → {rows:,}, for each of the {node.facts['k']:,} chosen of {many:,} experts"


def expert_outputs(node: Node) -> str:
    """Σ weight · W y + b over the 2 chosen of 8 experts, 2,048 → 2,048."""
    many, rows, columns = node.tensors["weight"].shape
    bias = " + b" if "bias" in node.tensors else ""
    return f"Σ weight · W y{bias} over the {node.facts['k']:,} chosen of {many:,} experts, {columns:,} → {rows:,}"


# ---------------------------------------------------------------- small steps


def slice_words(node: Node, source: Node | None = None) -> str:
    """Numbers 128 to 191 of each vector; of each head, where what is cut comes in heads."""
    start, stop, step = (node.facts.get(key) for key in ("start", "stop", "step"))
    if start is None or stop is None:
        return ""
    every = f", every {step}th" if step and step > 1 else ""
    split = source.facts.get("split") if source else None
    each = f"each {split[-1]:,} numbers of " if split and len(split) > 1 else ""
    return f"numbers {start:,} to {stop - 1:,} of {each}{inputs(node)[0]}{every}"


def join_by(sign: str) -> Callable[[Node], str]:
    """a + b + c."""

    def words(node: Node) -> str:
        names = inputs(node)
        more = f" {sign} …" if len(names) > MOST_INPUTS else ""
        return f" {sign} ".join(names[:MOST_INPUTS]) + more

    return words


def scale_words(node: Node) -> str:
    """x × 0.0884, or times a stored vector."""
    x, by = inputs(node)[0], node.facts.get("by")
    if "weight" in node.tensors:
        return f"{x} × stored numbers"
    if isinstance(by, tuple):
        parts = ", ".join(f"{number(one)} on {many:,}" for one, many in zip(by, node.facts["widths"], strict=True))
        return f"{x}, part by part: × {parts} numbers"
    return f"{x} × {number(by)}" if isinstance(by, int | float) else f"{x} × constants, part by part"


def keep_words(node: Node) -> str:
    """What stays in memory."""
    return "; ".join(f"keeps {keep.words}{often(keep)}" for keep in node.keeps)


def often(keep: Keep) -> str:
    """For how many tokens one is kept."""
    if keep.fixed:
        return ""
    window = f", of the last {keep.window:,}" if keep.window else ""
    return f" for every {keep.every:,} tokens{window}" if keep.every > 1 else f" for every token{window}"


def gated_sum(node: Node) -> str:
    """√(1 − β²) · stream + β · out, β = σ(gate / 0.3), 1 − β² at least 0.001."""
    stream, out = inputs(node)
    by, least = number(node.facts["temperature"]), number(node.facts["eps"])
    return f"√(1 − β²) · {stream} + β · {out}, β = σ(gate / {by}), 1 − β² at least {least}"


def stream_weights(node: Node) -> str:
    """How much of each stream is read or written."""
    facts = node.facts
    eps = f" + {number(facts['eps'])}" if facts["eps"] else ""
    return f"{number(facts['times'])} · σ(scale · raw + base){eps}, one number for each of {facts['streams']} streams"


def sinkhorn(node: Node) -> str:
    """Rows and columns made to sum to one, in turn."""
    facts = node.facts
    size, times = facts["streams"], facts["iters"]
    return f"a {size} × {size} matrix, rows and columns divided by their sums {times} times"


def xielu(node: Node) -> str:
    """The two branches of xIELU."""
    beta = number(node.facts["beta"])
    return f"α⁺x² + {beta} x above zero, α⁻(eˣ − 1 − x) + {beta} x below"


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


FORMULAS: dict[str, Callable[[Node], str]] = {
    "linear": linear, "grouped_linear": grouped_linear, "per_head": per_head, "norm": norm, "embed": embed,
    "conv": conv, "rope": rope, "attend": attend, "differ": differ, "attend_entries": entries, "index_scores": scores,
    "block_scores": scores, "temperature": temperature, "delta": state, "lightning": state, "mlstm": state,
    "wkv7": state, "scan": scan, "decay": decay, "score": score, "choose": choose, "weigh": weigh, "experts": experts,
    "expert_queries": expert_queries, "expert_outputs": expert_outputs,
    "slice": slice_words, "add": join_by("+"), "multiply": join_by("×"), "scale": scale_words, "keep": keep_words,
    "stream_weights": stream_weights, "sinkhorn": sinkhorn, "xielu": xielu, "wkv": fading_mean,
    "rg_lru": recurrence, "learned_temperature": learned_temperature, "gated_sum": gated_sum,
    "act": lambda node: f"{act(node.facts['act'])}({inputs(node)[0]})",
    "glu": lambda node: glu_words(node.facts),
    "clip": lambda node: f"clamped to ± {number(node.facts['limit'])}",
    "softcap": lambda node: f"{number(node.facts['cap'])} · tanh(x / {number(node.facts['cap'])})",
    "shift": lambda node: f"{inputs(node)[0]} + a stored vector",
    "best_tokens": lambda node: f"the {node.facts['k']:,} with the largest scores",
    "best_blocks": lambda node: f"the {node.facts['k']:,} blocks of {node.facts['size']:,} with the largest scores",
    "dynamic_mask": lambda node: f"exp(A · softplus(dt)) for the {node.facts['keep']:,} largest keys, −∞ for others",
    "pool": lambda node: " ".join(node.facts["lines"]),
    "means": lambda node: f"the mean of each {node.facts['size']:,} tokens in a row",
    "their_tokens": lambda node: f"the tokens of the chosen blocks of {node.facts['size']:,}"
    + (", and those after the last whole block" if node.facts.get("tail", True) else ""),
    "relative": relative, "log_scale": log_scale, "mean_streams": lambda node: "(Σ stream) / number of streams",
    "step": lambda node: "softplus(x + b)" if "bias" in node.tensors else "softplus(x)",
    "concat": lambda node: "[" + ", ".join(inputs(node)) + "]",
    "copies": lambda node: f"the same vector in {node.facts['streams']} streams",
    "collapse": lambda node: "Σ share · stream", "expand": lambda node: "share · x, to every stream",
    "mix_streams": lambda node: "each stream a weighted sum of all, by the matrix",
    "lerp": lambda node: "mix · x + (1 − mix) · y", "blend": lambda node: "x + (y − x) · share",
    "rated": lambda node: "k · (1 + (a − 1) · w)", "bonus": lambda node: "(Σ r · k · w) v",
    "sparse": lambda node: f"max(x − mean − {node.facts['deviations']:.3f} deviations, 0)",
    "head_mean": lambda node: "(q + k) / 2", "predict": lambda node: "stream + Σ coefficient · stream",
    "correct": lambda node: "stream + (1 + coefficient) · what was learned",
}  # fmt: skip


def formula(node: Node, source: Node | None = None) -> str:
    """What a node computes, with its numbers; its operation's words where no row says it. `source` makes its input."""
    if node.op == "slice":
        return slice_words(node, source) or OPERATIONS[node.op].words
    row = FORMULAS.get(node.op)
    return (row(node) if row else "") or OPERATIONS[node.op].words
