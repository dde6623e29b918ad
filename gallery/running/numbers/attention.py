"""Operations that look at other tokens: rotation by position, and softmax attention under its masks."""

from __future__ import annotations

import numpy as np

from cutaway.gallery.running.frequencies import frequencies
from cutaway.gallery.running.numbers.plain import flat, softplus


def rope(run, node, tensors, x, alpha=None):
    """Pairs of the first (or last) `dims` numbers of each head turned by position × frequency; `back` undoes it. An
    entry of `every` tokens stands where its first token does."""
    spec = node.facts["rope"]
    inverse, stretch = frequencies(spec, len(run.tokens))
    inverse = inverse if alpha is None else inverse * np.exp(alpha[0])
    places = np.arange(len(x)) * node.facts["every"] if "every" in node.facts else run.positions
    angle = places[:, None] * inverse[None, :] * (-1 if node.facts.get("back") else 1)
    angle = angle.reshape(len(angle), *([1] * (x.ndim - 2)), angle.shape[-1])
    cos, sin = np.cos(angle) * stretch, np.sin(angle) * stretch
    sin = -sin if spec.backwards else sin
    dims = 2 * len(inverse)
    turned, rest = (x[..., -dims:], x[..., :-dims]) if spec.last else (x[..., :dims], x[..., dims:])
    turned = rotate_pairs(turned, cos, sin, spec.interleaved)
    return np.concatenate((rest, turned) if spec.last else (turned, rest), axis=-1)


def rotate_pairs(x, cos, sin, interleaved: bool):
    """Each pair (a, b) becomes (a cos - b sin, b cos + a sin); pairs are neighbours or halves apart."""
    half = x.shape[-1] // 2
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    first, second = a * cos - b * sin, b * cos + a * sin
    if interleaved:
        return np.stack((first, second), axis=-1).reshape(x.shape)
    return np.concatenate((first, second), axis=-1)


def temperature(run, node, tensors, q):
    """q times 1 + beta · log(1 + floor((position + shift) / floor)): Llama 4, Ministral 3."""
    beta, floor, shift, *power = node.facts["temperature"]
    if power:
        return q * ((1 + (run.positions + shift) / floor) ** beta).reshape(-1, *([1] * (q.ndim - 1)))
    by = 1 + beta * np.log(1 + np.floor((run.positions + shift) / floor))
    return q * by.reshape(-1, *([1] * (q.ndim - 1)))


def visible(node, tokens: int) -> np.ndarray:
    """[query, key] True where a query sees a key."""
    i, j = np.arange(tokens)[:, None], np.arange(tokens)[None, :]
    causal, window = node.facts.get("causal", True), node.facts.get("window")
    seen = (j <= i) if causal else np.ones((len(i), len(i)), bool)
    if window:
        seen = seen & ((i - j < window) if causal else (abs(i - j) <= window))
    if node.facts.get("chunk"):
        seen = seen & (i // node.facts["chunk"] == j // node.facts["chunk"])
    return seen


def slopes(heads: int):
    """ALiBi's slope per head."""
    whole = 2 ** int(np.floor(np.log2(heads)))
    base = 2.0 ** (-8.0 / whole)
    first = base ** np.arange(1, whole + 1)
    extra = (2.0 ** (-4.0 / whole)) ** np.arange(1, 2 * (heads - whole), 2)
    return np.concatenate((first, extra))[:heads]


def softmax(scores, sinks=None):
    """Over the last axis; a sink per head, or per head and query, takes its share and gives nothing."""
    top = scores.max(-1, keepdims=True)
    if sinks is not None:
        sinks = sinks.reshape(len(sinks), -1, 1)
        top = np.maximum(top, sinks)
    weights = np.exp(scores - top)
    total = weights.sum(-1, keepdims=True)
    return weights / (total + np.exp(sinks - top) if sinks is not None else total)


def attend(run, node, tensors, q, k, v, chosen=None, sinks=None):
    """softmax(scale · q·k) v over what each query sees; [tokens, heads, size of a value]."""
    facts, share = node.facts, q.shape[1] // k.shape[1]
    k, v = np.repeat(k, share, axis=1), np.repeat(v, share, axis=1)
    scores = np.einsum("qhd,khd->hqk", q, k) * facts["scale"]
    if facts.get("softcap"):
        scores = facts["softcap"] * np.tanh(scores / facts["softcap"])
    if facts.get("alibi"):
        i, j = run.positions[:, None], run.positions[None, :]
        steep = slopes(facts.get("heads_of", q.shape[1]))[facts.get("heads_from", 0) :][: q.shape[1]]
        scores = scores + steep[:, None, None] * (j - i)[None] * facts.get("alibi_scale", 1.0)
    seen = np.ones((len(q), len(k)), bool) if facts.get("cross") else visible(node, len(q))
    if chosen is not None and chosen.dtype != bool:  # how strongly, not only which
        scores = scores + np.repeat(chosen, q.shape[1] // len(chosen), axis=0)
    elif chosen is not None:
        seen = seen & (chosen if chosen.ndim == 2 else np.repeat(chosen, q.shape[1] // len(chosen), axis=0))
    scores = np.where(seen, scores, -np.inf)
    return np.einsum("hqk,khd->qhd", softmax(scores, tensors.get("sinks") if sinks is None else sinks.T), v)


def differ(run, node, tensors, q, k, v):
    """Two heads of values side by side for each head; the first half of the heads minus λ times the second."""
    facts, half = node.facts, v.shape[1] // 2
    values = np.concatenate([np.tile(part, (1, 2, 1)) for part in (v[:, :half], v[:, half:])], axis=-1)
    out = attend(run, node, {}, q, k, values)
    one = np.exp((tensors["lambda_q1"] * tensors["lambda_k1"]).sum())
    two = np.exp((tensors["lambda_q2"] * tensors["lambda_k2"]).sum())
    heads = q.shape[1] // 2
    return out[:, :heads] - (one - two + facts["start"]) * out[:, heads:]


def dynamic_mask(run, node, tensors, dt):
    """[heads, query, key]: exp(A · softplus(dt)) of each key, -inf but for the largest of those that are seen."""
    strength, keep = np.exp(tensors["A"] * softplus(dt)).T, node.facts["keep"]
    seen = visible(node, len(run.tokens))
    mask = np.where(seen, strength[:, None, :], -np.inf)
    if mask.shape[-1] <= keep:
        return mask
    least = np.sort(mask, axis=-1)[..., -keep, None]
    return np.where(mask >= least, mask, -np.inf)


NUMBERS = {"dynamic_mask": dynamic_mask, "rope": rope, "temperature": temperature, "attend": attend, "differ": differ}
__all__ = ["NUMBERS", "flat"]
