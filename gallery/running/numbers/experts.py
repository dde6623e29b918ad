"""Operations of a mixture of experts: scores, the choice, its weights, the experts themselves."""

from __future__ import annotations

import numpy as np

from cutaway.gallery.running.numbers.plain import ACTS, activate_and_gate, flat, norm_of, sigmoid, softplus


def softmax(x):
    """Over the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


SCORES = {"softmax": softmax, "sigmoid": sigmoid, "sqrtsoftplus": lambda x: np.sqrt(softplus(x))}


def score(run, node, tensors, logits):
    """Router logits become scores."""
    return SCORES[node.facts["act"]](logits)


def largest(scores, k: int):
    """Indices of the k largest of the last axis, largest first."""
    return np.argsort(-scores, axis=-1, kind="stable")[..., :k]


def choose(run, node, tensors, scores):
    """[tokens, k] experts: the largest scores, a bias added for the choice alone, in the best groups alone."""
    facts = node.facts
    ranked = scores + tensors["bias"] if "bias" in tensors else scores
    if facts["groups"] > 1:
        parts = ranked.reshape(len(ranked), facts["groups"], -1)
        best = np.sort(parts, axis=-1)
        mark = best[..., -2:].sum(-1) if facts["group_score"] == "top2" else best[..., -1]
        kept = np.zeros(mark.shape, bool)
        np.put_along_axis(kept, largest(mark, facts["topk_group"]), True, axis=-1)
        ranked = np.where(kept[..., None], parts, facts.get("masked", -np.inf)).reshape(ranked.shape)
    return largest(ranked, facts["k"])


def sparsemixer(scores, choice, jitter: float):
    """Each chosen expert's softmax share among those that come near it, the ones chosen before it left out."""
    picked, left = [], scores.copy()
    for column in choice.T:
        own = np.take_along_axis(scores, column[:, None], axis=-1)
        far = (own - scores) / np.maximum(np.abs(scores), own) > 2 * jitter
        near = np.where(far, -np.inf, left)
        picked.append(np.take_along_axis(softmax(near), column[:, None], axis=-1))
        np.put_along_axis(left, column[:, None], -np.inf, axis=-1)
    return np.concatenate(picked, axis=-1)


def weigh(run, node, tensors, scores, choice):
    """[tokens, experts] the weight of each expert, 0 where it was not chosen."""
    facts = node.facts
    more = np.arange(scores.shape[-1] - facts.get("always", 0), scores.shape[-1])
    choice = np.concatenate((choice, np.broadcast_to(more, (len(choice), len(more)))), axis=-1).astype(int)
    picked = np.take_along_axis(scores, choice, axis=-1)
    if facts["score"] == "sparsemixer":
        picked = sparsemixer(scores, choice, facts["jitter"])
    elif facts["score"]:
        picked = SCORES[facts["score"]](picked)
    if facts["normalise"]:
        picked = picked / (picked.sum(-1, keepdims=True) + facts["eps"])
    out = np.zeros_like(scores)
    np.put_along_axis(out, choice, picked * facts["scale"], axis=-1)
    return out


def expert(facts, tensors, number: int, x):
    """One expert's answer."""

    def through(word: str, value):
        out = value @ tensors[word][number].T
        return out + tensors[word + "_bias"][number] if word + "_bias" in tensors else out

    up = through("up", x)
    inner = activate_and_gate(facts, through("gate", x), up) if facts["gated"] else ACTS[facts["act"]](up)
    out = through("down", inner)
    return norm_of(facts["normal"], tensors["norm"], out) if "norm" in tensors else out


def experts(run, node, tensors, x, weights):
    """Σ weight · expert(x) over the chosen; experts beyond the stored ones return their input, or nothing."""
    facts, x = node.facts, flat(x)
    out = np.zeros((len(x), tensors["down"].shape[1]))
    for number in range(facts["experts"]):
        share = weights[:, number : number + 1]
        if facts["on_input"]:
            out += np.where(share != 0, expert(facts, tensors, number, x * share), 0)
        else:
            out += share * expert(facts, tensors, number, x)
    spare = weights[:, facts["experts"] :]
    return out + spare.sum(-1, keepdims=True) * x if spare.size and facts.get("zero_returns", True) else out


def expert_queries(run, node, tensors, x, choice):
    """[tokens, KV heads × k, size]: the chosen experts' queries, the lowest number first, by KV head."""
    heads = node.facts["heads"]
    q = np.einsum("tkoh,th->tko", tensors["weight"][np.sort(choice, axis=1)], x)
    q = q.reshape(*q.shape[:2], heads, -1).swapaxes(1, 2)
    return q.reshape(len(q), -1, q.shape[-1])


def expert_outputs(run, node, tensors, x, weights):
    """What each chosen expert's heads read, through its own matrix, weighed and summed, plus a bias."""
    heads, k = node.facts["heads"], node.facts["k"]
    choice = np.argsort(weights == 0, axis=1, kind="stable")[:, :k]
    read = x.reshape(len(x), heads, k, -1).swapaxes(1, 2).reshape(len(x), k, -1)
    given = np.einsum("tkoi,tki->tko", tensors["weight"][choice], read)
    share = np.take_along_axis(weights, choice, axis=-1)
    return (given * share[..., None]).sum(axis=1) + tensors["bias"]


def product_keys(run, node, tensors, logits):
    """[tokens, experts] the softmax over the k largest sums x_i + y_j; expert i · keys + j."""
    facts, n = node.facts, len(logits)
    cut = logits.reshape(2, n, -1) if facts["across"] else logits.reshape(n, 2, -1).swapaxes(0, 1)
    sums = (cut[0][:, :, None] + cut[1][:, None, :]).reshape(n, -1)
    choice = largest(sums, facts["k"])
    out = np.zeros_like(logits, shape=(n, facts["experts"]))
    np.put_along_axis(out, choice, softmax(np.take_along_axis(sums, choice, axis=-1)), axis=-1)
    return out


def one_number_experts(run, node, tensors, x, weights):
    """Σ weight · act(down · x) · up over the chosen rows of both tables."""
    return (ACTS[node.facts["act"]](x @ tensors["down"].T) * weights) @ tensors["up"]


NUMBERS = {
    "product_keys": product_keys,
    "one_number_experts": one_number_experts,
    "expert_queries": expert_queries,
    "expert_outputs": expert_outputs,
    "score": score,
    "choose": choose,
    "weigh": weigh,
    "experts": experts,
}
