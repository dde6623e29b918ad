"""One node of a graph -> the item that stands for it: a matrix to scale, a small step, a yellow box, an operation."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt, prod

from cutaway.gallery.drawing.items import Heads, Item, Kept, Matrix, Pill
from cutaway.gallery.drawing.measure import wide
from cutaway.gallery.drawing.operation import Op, State
from cutaway.gallery.drawing.parts import Parts, bytes_kept
from cutaway.gallery.drawing.words import shape_words, size
from cutaway.gallery.graph import Node
from cutaway.gallery.operations import OPERATIONS

ACTS = {"silu": "SiLU", "swish": "SiLU", "gelu": "GELU", "gelu_new": "GELU", "gelu_pytorch_tanh": "GELU",
        "gelu_tanh": "GELU", "relu": "ReLU", "relu2": "ReLU²", "xielu": "xIELU", "sigmoid": "σ", "geglu": "GELU",
        "swiglu": "SiLU", "swigluoai": "clamped SiLU", "situ": "SiTU", "sigmoid2": "2σ", "tanh": "tanh"}  # fmt: skip
CENTRAL = {"attend", "glu", "experts"}  # beside every node that brings its own lines
MATRICES = {"linear", "per_head", "grouped_linear", "head_linear"}
SIGNS = {"multiply": "times", "add": "plus"}


def act(name: str) -> str:
    """An activation as a reader knows it."""
    return ACTS.get(name, name[:24])


# ---------------------------------------------------------------- words


def softmax(scale: float | None, size: int, plus: str = "", values: str = "v") -> str:
    """The operation in words; `plus` is added to the scaled scores."""
    return f"softmax({scaled_scores(scale, size)}{plus}) · {values}"


def scaled_scores(scale: float | None, size: int) -> str:
    """q·k / √128: `size` numbers meet in each, and its root divides unless the scale says else."""
    if scale is None:
        return "scale · q·k"
    if not scale or abs(scale * size**0.5 - 1) < 1e-9:
        return f"q·k / √{size}"
    under = 1 / scale**2  # q·k is divided by its root
    if not 1 <= round(under) < 10**7 or abs(under - round(under)) > 1e-6 * under:
        return f"{scale * size**0.5:.3g} · q·k / √{size}"
    root = isqrt(round(under))
    return "q·k" + (f" / √{round(under)}" if root * root != round(under) else f" / {root}" if root > 1 else "")


def attend_lines(node: Node) -> list[str]:
    """Softmax attention, and what is done to its scores."""
    facts = node.facts
    out = [softmax(facts["scale"], facts["d"], facts.get("plus", ""), facts.get("values", "v"))]
    more = []
    if facts.get("softcap"):
        more.append(f"scores soft-capped at ± {facts['softcap']:g}")
    if facts.get("alibi"):
        more.append("ALiBi: a slope per head")
    return out + ([", ".join(more)] if more else [])


def glu_words(facts: Mapping) -> str:
    """How gate and up meet."""
    limit = f", clamped at {facts['limit']:g}" if facts.get("limit") else ""
    if facts.get("glu") == "swigluoai":
        return f"gate · σ({facts['alpha']:g} gate) × (up + 1){limit}"
    return f"{act(facts['act'])}(gate) × up{limit}"


def glu_lines(node: Node) -> list[str]:
    """The same; gpt-oss' form is long, and its limit a line of its own."""
    words = glu_words(node.facts)
    return words.split(", ") if node.facts.get("glu") == "swigluoai" else [words]


def act_lines(node: Node) -> list[str]:
    """An activation as an operation of its own: GELU(up)."""
    return [f"{act(node.facts['act'])}({value_name(node.inputs[0]).removesuffix('_proj')})"]


LINES = {"attend": attend_lines, "glu": glu_lines, "act": act_lines}


def lines_of(node: Node) -> list[str]:
    """What a central operation says."""
    if "lines" in node.facts:
        return list(node.facts["lines"])
    if node.op in LINES:
        return LINES[node.op](node)
    return [step_words(node) or OPERATIONS[node.op].words]


def norm_words(node: Node) -> str:
    """RMSNorm, L2 norm; a norm that has no weight says so."""
    kind = node.facts["normal"].kind.replace("L2Norm", "L2 norm")
    return kind if node.tensors or kind == "L2 norm" else f"{kind}, no weight"


STEP_WORDS = {
    "norm": norm_words,
    "act": lambda node: act(node.facts["act"]),
    "rope": lambda node: "RoPE",
    "clip": lambda node: f"clamp ± {node.facts['limit']:g}",
    "scale": lambda node: f"× {node.facts['by']:.4g}" if isinstance(node.facts.get("by"), float) else "scaled",
    "softcap": lambda node: f"soft-cap {node.facts['cap']:g}",
    "temperature": lambda node: "× by position",
    "log_scale": lambda node: "× by position",
    "learned_temperature": lambda node: "× by position",
    "dynamic_conv": lambda node: f"conv {node.facts['kernel']}, own taps",
    "xielu": lambda node: "xIELU(up)",
    "one_number_experts": lambda node: f"Σ weight · {act(node.facts['act'])}(x·down) · up",
    "conv": lambda node: f"conv {node.facts['kernel']}" + (f", {act(node.facts['act'])}" if node.facts["act"] else ""),
}


def step_words(node: Node) -> str:
    """A small step in a word or two."""
    if node.words or node.op not in STEP_WORDS:
        return node.words or OPERATIONS[node.op].words[:30]
    return STEP_WORDS[node.op](node)


# ---------------------------------------------------------------- kinds of nodes


def is_central(node: Node) -> bool:
    """An operation that lanes run into."""
    return node.op in CENTRAL or "lines" in node.facts or any(k.kind == "state" for k in node.keeps)


def is_matrix(node: Node) -> bool:
    """A weight worth drawing to scale."""
    return node.op in MATRICES and len(node.inputs) == 1


def is_kept(node: Node) -> bool:
    """A growing cache: a yellow box."""
    return any(not keep.fixed for keep in node.keeps)


def is_silent(node: Node) -> bool:
    """Nothing a reader would see: a value passed on, put beside another, or kept nowhere."""
    return node.op in ("concat", "slice") or (node.op == "keep" and not node.keeps)


# ---------------------------------------------------------------- items


def matrix_item(parts: Parts, node: Node, role: str, nodes: tuple[str, ...]) -> Matrix:
    """A whole matrix."""
    name, shape = node.tensors["weight"][:2]
    parts.left.pop(name, None)
    stored = parts.stored(name)
    label = stored.removesuffix(".weight").rpartition(".")[2]
    if label.isdigit() or wide(label, "mono") > 150:
        label = node.name.replace(".lora.", ".") if label.isdigit() else node.name.rpartition(".")[2]
    item = Matrix(role, label.replace("_with_mqa", ""), shape[-1], prod(shape[:-1]), stored, node.note)
    item.nodes = nodes
    return item


def slice_item(parts: Parts, whole: Node, cut: Node, role: str, nodes: tuple[str, ...]) -> Matrix:
    """Some output rows of a fused matrix, drawn as a matrix of its own; the whole is named under the picture."""
    name, shape = whole.tensors["weight"][:2]
    parts.left.pop(name, None)
    label, rows = cut.words or value_name(cut.name), rows_of(whole, cut)
    parts.slices.setdefault(name, []).append(label)
    short = parts.stored(name).removesuffix(".weight").rpartition(".")[2]
    brief = f"→ {cut.note}" if "×" in cut.note else f"→ {rows:,}"
    item = Matrix(role, label, shape[-1], rows, f"{label}, rows of {parts.stored(name)}", f"in {short}", brief)
    item.nodes = nodes
    return item


def value_name(name: str) -> str:
    """A value as formulas call it: q for mixer.q_in, w_lora.2 for w_lora.lora.2, x for u (a graph's input)."""
    *before, last = [part for part in name.split(".") if part != "lora"]
    short = f"{before[-1]}.{last}" if before and last.isdigit() else last.removesuffix("_in")
    return "x" if short == "u" else short


def rows_of(whole: Node, cut: Node) -> int:
    """How many rows of the matrix a slice takes."""
    rows = whole.tensors["weight"].shape[-2]
    across = (whole.facts.get("split") or (rows,))[-1]
    start, stop = cut.facts.get("start"), cut.facts.get("stop")
    if start is None or stop is None:
        return int(cut.facts.get("rows", rows))
    return (stop - start) // cut.facts.get("step", 1) * (rows // max(across, 1))


def pill_item(parts: Parts, node: Node, nodes: tuple[str, ...], words: str = "") -> Pill:
    """A small step; its tensors are said when it is hovered, and in the outline."""
    said = []
    for name, shape, *_ in node.tensors.values():
        parts.left.pop(name, None)
        said.append(f"{parts.stored(name)} {shape_words(shape)}")
    columns = node.facts.get("kernel", 0) if any(k.kind == "conv" for k in node.keeps) else 0
    item = Pill(words or step_words(node), min(columns, 12), "; ".join(said))
    item.nodes = nodes
    return item


def joined(first: Pill, second: Pill) -> Pill | None:
    """Two steps in one pill, where they stay short."""
    text = f"{first.text}, {second.text}"
    if second.columns or len(text) > 18:
        return None
    item = Pill(text, first.columns, "; ".join(filter(None, (first.says_title, second.says_title))))
    item.nodes = first.nodes + second.nodes
    return item


def kept_words(node: Node) -> str:
    """What stands in a yellow box: k 8 × 128."""
    return (
        node.keeps[0].words.partition(",")[0] if " " in node.keeps[0].words.partition(",")[0] else node.keeps[0].words
    )


def kept_item(parts: Parts, node: Node, nodes: tuple[str, ...], high: bool, last: bool) -> Kept:
    """The yellow box; the last of its kind in a flow says the bytes of all of them."""
    keep = node.keeps[0]
    said = parts.kept(keep.kind) if last else []
    beside = ["cached", bytes_kept(said)] if said else []
    text = kept_words(node)
    heads = keep.words.removeprefix(keep.words.split(" ")[0] + " ").split(" × ")
    cells = int(heads[0].replace(",", "")) if len(heads) == 2 and heads[0].replace(",", "").isdigit() else 0
    least = 120 if keep.layout == "latent" and not keep.rotated else 0
    item = Kept(text, cells, beside, least, high=high, keeps=parts.rules.keeps)
    item.nodes = nodes
    return item


STATES = {"conv": "last tokens", "state": "state S"}  # of a Keep whose words are its shape alone


def heads_item(parts: Parts, role: str) -> Item | None:
    """Queries as cells, in groups that share a key."""
    m = parts.m
    if not hasattr(m, "num_key_value_heads"):
        return None
    heads, d = m.num_attention_heads, m.head_dim
    return Heads(role, heads, heads // max(m.num_key_value_heads, 1), f"{heads} heads × {d}")


def op_item(parts: Parts, node: Node, role: str, nodes: tuple[str, ...]) -> Op:
    """The central operation, with the state it keeps and the tensors it uses."""
    state, said = None, []
    for keep in node.keeps:
        if keep.fixed:
            title, _, sizes = keep.words.partition(" ")
            if title[0].isdigit():
                title, sizes = STATES.get(keep.kind, "state"), keep.words
            bits = sum(k.bits for k in parts.kept(keep.kind))
            fp32 = " FP32" if keep.dtype == "float32" else ""
            state = state or State(title, f"{sizes}{fp32} = {size(bits / 8)}")
    for word, (name, shape, *_) in node.tensors.items():
        parts.left.pop(name, None)
        if word != "sinks":  # a tag of their own
            said.append(f"{parts.stored(name)} {shape_words(shape)}")
    op = Op(role, lines_of(node), state, "; ".join(said))
    op.nodes = nodes
    return op
