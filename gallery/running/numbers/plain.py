"""Operations that look at one token at a time: matrices, norms, activations, sums and products."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cutaway.gallery.reading.text_part import short
from cutaway.gallery.records import ConfigError, Normal


def flat(x):
    """All axes but the first as one."""
    return x.reshape(len(x), -1)


def embed(run, node, tensors, tokens):
    """Rows of a table; tokens beyond it take another's, where the class does so (Gemma 3n)."""
    table = tensors["weight"]
    if (instead := node.facts.get("beyond")) is not None:
        tokens = np.where(tokens < len(table), tokens, instead)
    return table[tokens]


def parameter(run, node, tensors):
    """The same for every token."""
    return tensors["weight"][None]


def positions(run, node, tensors):
    """Row position + offset of a table."""
    return tensors["weight"][run.positions + node.facts.get("offset", 0)]


def sinusoid(run, node, tensors):
    """Sines in the first half of the numbers and cosines in the second, of position × frequency."""
    half = node.facts["width"] // 2
    step = node.facts["step"] or math.log(10_000) / (half - 1)
    angle = (run.positions[:, None] + node.facts.get("offset", 0)) * np.exp(-step * np.arange(half))[None]
    return np.concatenate((np.sin(angle), np.cos(angle)), axis=-1)


def unknown(run, node, tensors, *inputs):
    """What the spec cannot express cannot be run."""
    raise NotImplementedError(f"{node.facts['what']} is not understood yet, so this model cannot be run.")


def linear(run, node, tensors, x):
    """x W' + b."""
    out = flat(x) @ tensors["weight"].T
    return out + tensors["bias"] if "bias" in tensors else out


def norm(run, node, tensors, x):
    """Over the last axis; `groups` norms parts of it apart."""
    groups = node.facts.get("groups", 1)
    x = flat(x) if node.facts.get("flat") else x
    out = norm_of(node.facts["normal"], tensors.get("weight"), x, groups)
    return out + tensors["bias"] if "bias" in tensors else out


def norm_of(normal: Normal, weight, x, groups: int = 1):
    """Normalised and weighed, or weighed and normalised."""
    weight = None if weight is None else weight + normal.plus_one
    if normal.weight_first:
        return normalise(x * weight, normal)
    shape = x.shape
    out = normalise(x.reshape(*shape[:-1], groups, shape[-1] // groups), normal).reshape(shape)
    return out if weight is None else out * weight


def normalise(x, normal: Normal):
    """x over its root mean square, its deviation, or its length."""
    if normal.kind == "L2Norm":
        return x / np.sqrt((x * x).sum(-1, keepdims=True) + normal.eps)
    if normal.kind == "LayerNorm":
        x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + normal.eps)


def sigmoid(x):
    """1 / (1 + e^-x), without overflow."""
    return 0.5 * (1 + np.tanh(x / 2))


def softplus(x):
    """log(1 + e^x)."""
    return np.logaddexp(0, x)


def gelu_tanh(x):
    """GELU's tanh form."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


erf = np.frompyfunc(math.erf, 1, 1)  # a ufunc, so that a value may answer it itself


def gelu(x):
    """GELU with the error function."""
    return 0.5 * x * (1 + erf(x / math.sqrt(2)).astype(float))


class Activations(dict[str, Callable]):
    """A name's function; a name that nobody knows is said, with those that are known."""

    def __missing__(self, name: str) -> Callable:
        raise ConfigError(
            f"The activation {short(name)} is not known here, so this model cannot be run; known are {', '.join(self)}."
        )


ACTS = Activations({
    "silu": lambda x: x * sigmoid(x), "swish": lambda x: x * sigmoid(x), "swiglu": lambda x: x * sigmoid(x),
    "gelu": gelu, "geglu": gelu, "gelu_new": gelu_tanh, "gelu_pytorch_tanh": gelu_tanh, "gelu_fast": gelu_tanh,
    "gelu_tanh": gelu_tanh, "quick_gelu": lambda x: x * sigmoid(1.702 * x), "relu": lambda x: np.maximum(x, 0),
    "relu2": lambda x: np.maximum(x, 0) ** 2, "sigmoid": sigmoid, "tanh": np.tanh, "softplus": softplus, "exp": np.exp,
    "linear": lambda x: x, "rwkv7_decay": lambda x: np.exp(-math.exp(-0.5) * sigmoid(x)),
    "sigmoid2": lambda x: 2 * sigmoid(x),
})  # fmt: skip


def act(run, node, tensors, x):
    """A function of each number."""
    return ACTS[node.facts["act"]](x)


def sparse(run, node, tensors, x):
    """max(x − (mean + so many deviations), 0) over the last axis: about a fixed share stays."""
    return np.maximum(x - x.mean(-1, keepdims=True) - node.facts["deviations"] * x.std(-1, keepdims=True), 0)


def xielu(run, node, tensors, x):
    """α⁺x² + βx above zero, α⁻(e^x − 1 − x) + βx below; both α are learned through a softplus."""
    beta, eps = node.facts["beta"], node.facts["eps"]
    above, below = softplus(tensors["alpha_p"]), beta + softplus(tensors["alpha_n"])
    return np.where(x > 0, above * x * x, (np.expm1(np.minimum(x, eps)) - x) * below) + beta * x


def glu(run, node, tensors, gate, up):
    """act(gate) × up, both clamped first where there is a limit (gate from above alone)."""
    return activate_and_gate(node.facts, gate, up)


def activate_and_gate(facts, gate, up):
    """The same from facts alone; `limit_after` clamps the activated gate instead, gpt-oss has a form of its own."""
    limit = facts.get("limit", 0.0)
    if facts.get("glu") == "swigluoai":
        if limit:
            gate, up = np.minimum(gate, limit), np.clip(up, -limit, limit)
        return (up + 1) * gate * sigmoid(facts["alpha"] * gate)
    if facts.get("caps"):  # the activation sees the gate as it is, its factor and up are capped
        (low, high), opened = facts["caps"], sigmoid(gate)
        return low * np.tanh(gate / low) * opened * high * np.tanh(up / high)
    act = ACTS[facts["act"]]
    if not limit:
        return act(gate) * up
    opened = np.minimum(act(gate), limit) if facts.get("limit_after") else act(np.minimum(gate, limit))
    return opened * np.clip(up, -limit, limit)


def scale(run, node, tensors, x):
    """Times a constant, or one for each part of `widths`, or times a stored vector."""
    if "weight" in tensors:
        stored = tensors["weight"][:, None] if node.facts.get("per_head") else tensors["weight"]
        return x * (stored.reshape(x.shape[1:]) if stored.ndim < x.ndim - 1 else stored)
    by, widths = node.facts["by"], node.facts.get("widths")
    return x * (np.repeat(by, widths) if widths else by)


def shift(run, node, tensors, x):
    """Plus a stored vector."""
    bias = tensors["bias"]
    return x + bias.reshape(*bias.shape, *[1] * (x.ndim - 1 - bias.ndim))


def gated_sum(run, node, tensors, stream, out):
    """β = σ(gate / temperature) of what is added, √((1 - β)(1 + β)) of the stream, at least √eps."""
    beta = sigmoid(tensors["gate"] / node.facts["temperature"])
    return np.sqrt(np.maximum((1 - beta) * (1 + beta), node.facts["eps"])) * stream + beta * out


def softcap(run, node, tensors, x):
    """cap · tanh(x / cap)."""
    return node.facts["cap"] * np.tanh(x / node.facts["cap"])


def clip(run, node, tensors, x):
    """Clamped to ± limit."""
    return np.clip(x, -node.facts["limit"], node.facts["limit"])


def multiply(run, node, tensors, x, y):
    """The product; a value per head reaches all of the head's numbers."""
    return x * y.reshape(len(y), *x.shape[1:]) if y.size == x.size else x * y


def add(run, node, tensors, *values):
    """The sum."""
    return sum(values[1:], values[0])


def take(run, node, tensors, x):
    """Numbers start..stop of the last axis, or every `step`-th of them."""
    start, stop = node.facts["start"], node.facts["stop"]
    if stop is not None and stop > x.shape[-1]:
        raise ValueError(f"{node.name} takes numbers up to {stop} of {x.shape[-1]}: its graph is wrong.")
    return x[..., start : stop : node.facts.get("step", 1)]


def concat(run, node, tensors, *values):
    """Side by side along the last axis; a value without heads goes to every head."""
    whole = max(values, key=np.ndim).shape[:-1]
    level = [value if value.ndim > len(whole) else value[:, None] for value in values]
    return np.concatenate([np.broadcast_to(value, (*whole, value.shape[-1])) for value in level], axis=-1)


def fill(run, node, tensors, x):
    """A stored vector for every token."""
    return np.broadcast_to(tensors["value"], x.shape)


def keep(run, node, tensors, x):
    """The value itself."""
    return x


NUMBERS = {
    "unknown": unknown, "embed": embed, "parameter": parameter, "positions": positions, "sinusoid": sinusoid,
    "linear": linear, "norm": norm, "act": act, "xielu": xielu, "glu": glu, "sparse": sparse, "scale": scale,
    "softcap": softcap, "clip": clip, "multiply": multiply, "add": add, "slice": take, "concat": concat, "keep": keep,
    "fill": fill, "shift": shift, "gated_sum": gated_sum,
}  # fmt: skip
