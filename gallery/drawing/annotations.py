"""A node of a graph -> the words a drawing prints for it: on its box, beside it, on the tag that refers to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isqrt

from cutaway.gallery.graph import Node
from cutaway.gallery.operations import OPERATIONS

ACTS = {"silu": "SiLU", "swish": "SiLU", "gelu": "GELU", "gelu_new": "GELU", "gelu_pytorch_tanh": "GELU",
        "gelu_tanh": "GELU", "gelu_fast": "GELU",
        "quick_gelu": "GELU", "relu": "ReLU", "relu2": "ReLU²", "xielu": "xIELU", "sigmoid": "σ", "geglu": "GELU",
        "swiglu": "SiLU", "swigluoai": "clamped SiLU", "situ": "SiTU", "sigmoid2": "2σ", "tanh": "tanh"}  # fmt: skip


def act(name: str) -> str:
    """An activation as a reader knows it."""
    return ACTS.get(name, name[:24].replace("_", " "))


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


def value_name(name: str) -> str:
    """A value as formulas call it: q for mixer.q_in, w_lora.2 for w_lora.lora.2, x for u (a graph's input)."""
    *before, last = [part for part in name.split(".") if part != "lora"]
    short = f"{before[-1]}.{last}" if before and last.isdigit() else last.removesuffix("_in")
    return "x" if short == "u" else short


def cache_words(node: Node) -> str:
    """What stands in a yellow box: k 8 × 128."""
    return (
        node.keeps[0].words.partition(",")[0] if " " in node.keeps[0].words.partition(",")[0] else node.keeps[0].words
    )


# ---------------------------------------------------------------- routers and experts

SCORES = {"sqrtsoftplus": "√softplus"}


def router_lines(own: list[Node]) -> list[str]:
    """What a router does with its logits: scores, the choice, the weights of the chosen."""
    by_op = {node.op: node for node in own}
    score, choose, weigh = by_op.get("score"), by_op.get("choose"), by_op["weigh"]
    out = [f"logits soft-capped at ± {by_op['softcap'].facts['cap']:g}"] if "softcap" in by_op else []
    words = f"{SCORES.get(score.facts['act'], score.facts['act'])} scores" if score else ""
    if choose is None:
        out.append(f"{words}, experts by the token alone: a hash")
    else:
        bias = " + selection bias" if "bias" in choose.tensors else ""
        top = f"top {choose.facts['k']}"
        if choose.facts["groups"] > 1:
            top += f" in {choose.facts['topk_group']} of {choose.facts['groups']} groups"
        out += [f"{words}{bias}, {top}" if score else f"{top} logits{bias}, then {weigh.facts['score']}"]
    weights = ["weights normalised"] if weigh.facts["normalise"] else []
    weights += [f"× {weigh.facts['scale']:g}"] if weigh.facts["scale"] != 1 else []
    weights = ["weights", *weights] if weights and "×" in weights[0] else weights
    return [*out, *([" ".join(weights)] if weights else []), *stored_scale(own)]


def stored_scale(own: list[Node]) -> list[str]:
    """What the weights of the chosen are multiplied by at last, where that is stored (Gemma 4, Inkling)."""
    numbers = next((node.tensors["weight"].shape[0] for node in own if node.name == "weights_scaled"), 0)
    return ["× a stored number" + (" per expert" if numbers > 1 else "")] if numbers else []


def expert_words(node: Node) -> str:
    """What happens inside an expert: SiLU(gate) × up."""
    facts = node.facts
    return glu_words(facts) if facts.get("gated", True) else f"{act(facts['act'])}(up)"


def shared_words(nodes: Iterable[Node]) -> str:
    """The same inside the expert that every token visits; "" where none has a way of its own."""
    node = next((one for one in nodes if one.name in ("shared.glu", "shared.act")), None)
    return ", ".join(LINES[node.op](node)) if node and node.op in LINES else ""


# ---------------------------------------------------------------- values of elsewhere, further flows

TAGS = {
    "q_a_layernorm": "query latent",
    "q_a_norm": "query latent",
    "latent": "latent",
    "key": "rotated key",
    "keys": "K",
    "values": "V",
    "a": "rate a",
    "conv_qk_grouped": "conv of q and k",
    "raw": "the stream before its norm",
}
RESULTS = {  # what no matrix and no box is named after: its tag says so, and the box of the operation that makes it
    "q_proj_adapted": "q, adapted",
    "k_proj_adapted": "k, adapted",
    "v_proj_adapted": "v, adapted",
    "gate_up_adapted": "gate and up, adapted",
    "k_mixed": "k, convolved",
    "v_mixed": "v, convolved",
    "q_sum": "q, convolved",
    "k_sum": "k, convolved",
    "q_mean": "mean",
    "qk": "q and k",
    "k_a": "k′",
    "r_k": "u",  # as the paper calls what the current token adds
    "v": "v",
    "v_late": "v, late",
    "weigh": "expert weights",
    "q_experts": "q",
}


def tag_words(value: str, node: Node | None) -> str:
    """A value of elsewhere in words: K of layer 13, query latent, only top 2,048 tokens."""
    where, _, name = value.rpartition(":")
    short = name.rpartition(".")[2]
    words = TAGS.get(short) or RESULTS.get(short, short)
    if where.startswith("layer"):
        return f"{words} of layer {where[5:]}"
    if where:
        return f"{words} of an earlier layer" if where == "earlier" else f"{words} of the model"
    if short in RESULTS:
        return words
    if value == "cross":
        return "from the image encoder"
    if node is not None and node.words.startswith("top "):
        return node.words.replace("top ", "only ", 1)
    if node is not None and node.keeps:
        return cache_words(node)
    return words


def prefix_name(node: Node, lines: list[str]) -> list[str]:
    """The lines of an operation that further flows read, under the name that their tags call it by."""
    name = RESULTS.get(node.name, "")
    return [f"{name}: {lines[0]}", *lines[1:]] if name else lines


def flow_heading(node: Node, name: str) -> str:
    """A further flow is called after the part it stands in: indexer, compressor."""
    part = name.rpartition(".")[0].replace(".", ", ").replace("_", " ")
    return part[:1].upper() + part[1:]
