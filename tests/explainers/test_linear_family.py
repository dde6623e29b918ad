"""explainers/linear_family: ten recurrences against a second form of each, half-lives, bytes, and what beats claim.

The second forms are written here from the papers: decay masks, blocks, semiseparable matrices, WY systems, row vectors.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from cutaway import explainers
from cutaway.explainers.linear_family import gates, models, rules, streams
from cutaway.gallery.running.numbers import recurrence as library
from tests.tally import Tally

reference, data = explainers.reference("linear-family"), explainers.data("linear-family")
T, D, V = 13, 8, 8
MASK = np.tril(np.ones((T, T)))


def at(**state) -> dict:
    """What the page prints in a state."""
    return reference.compute({**reference.STATE, **state}, data)


def row(name: str, **state) -> dict:
    """One rule of it."""
    return at(**state)["rules"][rules.PLACES[name]]


def drawn(seed: int) -> SimpleNamespace:
    """Random queries, keys of length 1, values, decays per channel and strengths of one head."""
    rng = np.random.default_rng(seed)
    k = rng.normal(size=(T, D))
    return SimpleNamespace(
        q=rng.normal(size=(T, D)), k=k / np.linalg.norm(k, axis=1, keepdims=True), v=rng.normal(size=(T, V)),
        alpha=rng.uniform(0.3, 1, (T, D)), beta=rng.uniform(0, 1, T), rate=rng.uniform(0, 1, (T, D)),
        x=rng.normal(size=T),
    )  # fmt: skip


def recurrent(name: str, d: SimpleNamespace, alpha, erase, write) -> np.ndarray:
    """What the page's recurrence reads, with a gate of its own for every token."""
    wide = [np.broadcast_to(np.asarray(one, dtype=float).reshape(T, -1), (T, D)) for one in (alpha, erase, write)]
    made = [rules.Gate(a, e, w) for a, e, w in zip(*wide, strict=True)]
    return rules.run(rules.RULES[rules.PLACES[name]], d.q, d.k, d.v, made)[1]


def spans(alpha: np.ndarray) -> np.ndarray:
    """[i, j, ...] the product of decays after token j up to token i, 0 for j > i."""
    return np.array([[alpha[j + 1 : i + 1].prod(axis=0) * (j <= i) for j in range(T)] for i in range(T)])


# ---------------------------------------------------------------- second forms


def linear(d):
    return recurrent("linear", d, np.ones(T), np.zeros(T), np.ones(T)), (d.q @ d.k.T * MASK) @ d.v


def retnet(d):
    """(Q K' * D) V with D_nm = gamma^(n - m)."""
    gamma = gates.retnet(3)
    n, m = np.arange(T)[:, None], np.arange(T)[None]
    parallel = (d.q @ d.k.T * np.where(n >= m, gamma ** np.maximum(n - m, 0), 0)) @ d.v
    return recurrent("retnet", d, np.full(T, gamma), np.zeros(T), np.ones(T)), parallel


def lightning(d, size=4):
    """Blocks: inside one a masked product, between them one state that decays by whole blocks."""
    left = math.exp(-gates.lightning_slope(2, 8, 0, 80))
    state, out = np.zeros((D, V)), []
    for start in range(0, T, size):
        q, k, v = (one[start : start + size] for one in (d.q, d.k, d.v))
        n = np.arange(len(q))
        mask = np.tril(left ** (n[:, None] - n[None]).clip(0))
        out.append((q @ k.T * mask) @ v + left ** (n[:, None] + 1) * (q @ state))
        state = left ** len(q) * state + (left ** (len(q) - 1 - n)[:, None] * k).T @ v
    return recurrent("lightning", d, np.full(T, left), np.zeros(T), np.ones(T)), np.concatenate(out)


def mamba2(d):
    """Y = (L * C B') Delta X + D X with L the semiseparable matrix of e^(Delta A), by its sums of logarithms."""
    step, rate = np.exp(d.x), -0.4
    log = np.cumsum(step * rate)
    semiseparable = np.where(MASK > 0, np.exp(log[:, None] - log[None]), 0)
    parallel = (semiseparable * (d.q @ d.k.T)) @ (step[:, None] * d.v) + rules.SKIP * d.v
    return recurrent("mamba2", d, np.exp(step * rate), np.zeros(T), step), parallel


def mlstm(d):
    """(Q K' * D) V over max(|row sum|, e^-m), with D the exponentials of summed log gates less their row's maximum."""
    forget, into = 1 / (1 + np.exp(-d.x[::-1])), 2 * d.x
    log = np.cumsum(np.log(forget))
    exponents = np.where(MASK > 0, log[:, None] - log[None] + into[None], -np.inf)
    top = exponents.max(axis=1, keepdims=True)
    weights = d.q @ d.k.T * np.exp(exponents - top)
    size = np.maximum(np.abs(weights.sum(axis=1, keepdims=True)), np.exp(-top))
    return recurrent("mlstm", d, forget, np.zeros(T), np.exp(into)), weights @ d.v / size


def gla(d):
    """((Q * B)(K / B)' * M) V with B the running products of the gates."""
    b = np.cumprod(d.alpha, axis=0)
    return recurrent("gla", d, d.alpha, np.zeros(T), np.ones(T)), ((d.q * b) @ (d.k / b).T * MASK) @ d.v


def deltanet(d):
    """The WY form: T = (I + tril(diag(beta) K K', -1))^-1 diag(beta), then (Q K' * M) (T V)."""
    wy = np.linalg.inv(np.eye(T) + np.tril(d.beta[:, None] * (d.k @ d.k.T), -1)) * d.beta[None]
    return recurrent("deltanet", d, np.ones(T), d.beta, d.beta), (d.q @ d.k.T * MASK) @ (wy @ d.v)


def gdn(d):
    """The same with the ratio of decays in both products."""
    alpha = d.alpha[:, 0]
    between = spans(alpha)
    wy = np.linalg.inv(np.eye(T) + np.tril(d.beta[:, None] * (d.k @ d.k.T) * between, -1)) * d.beta[None]
    return recurrent("gdn", d, alpha, d.beta, d.beta), (d.q @ d.k.T * between) @ (wy @ d.v)


def kda(d):
    """The same with a ratio per channel."""
    between = spans(d.alpha)
    overlap, seen = (np.einsum("ic,ijc,jc->ij", one, between, d.k) for one in (d.k, d.q))
    wy = np.linalg.inv(np.eye(T) + np.tril(d.beta[:, None] * overlap, -1)) * d.beta[None]
    return recurrent("kda", d, d.alpha, d.beta, d.beta), seen @ (wy @ d.v)


def rwkv7(d):
    """As its paper writes it: rows r, w, k, v, a; wkv (d_v x d_k) times (diag(w) - kappa' (a * kappa)) + v' k~."""
    wkv, out = np.zeros((V, D)), []
    for r, w, kappa, v, a in zip(d.q, d.alpha, d.k, d.v, d.rate, strict=True):
        replaced = kappa * (1 + (a - 1) * 1.0)
        wkv = wkv @ (np.diag(w) - np.outer(kappa, a * kappa)) + np.outer(v, replaced)
        out.append(wkv @ r)
    return recurrent("rwkv7", d, d.alpha, d.rate, d.rate), np.array(out)


FORMS = (linear, retnet, lightning, mamba2, mlstm, gla, deltanet, gdn, kda, rwkv7)


@pytest.mark.whole
def test_each_rule_reads_what_its_papers_other_form_reads(verified):
    """Masks, blocks, semiseparable matrices, WY systems and row vectors give the recurrence's outputs to 1e-9."""
    assert [form.__name__ for form in FORMS] == [rule.name for rule in rules.RULES]
    tally = Tally()
    for form in FORMS:
        for seed in range(30):
            mine, theirs = form(drawn(seed))
            tally.near(mine, theirs, form.__name__, seed, rel=1e-9, abs=1e-9)
    verified("linear-family: ten recurrences", tally, against="a parallel, chunked or paper’s own form of each")


def heads(one: np.ndarray) -> np.ndarray:
    """[tokens, d] as one head of the library."""
    return one[:, None]


def test_the_librarys_forward_pass_reads_the_same():
    """Delta rules, Lightning Attention and mLSTM, as the library runs catalogued models, read what the page reads."""
    d = drawn(5)
    node = SimpleNamespace(facts={"scale": 1.0})
    given = (heads(one) for one in (d.q, d.k, d.v, d.beta[:, None], d.alpha))
    assert library.delta(None, node, None, *given)[:, 0] == pytest.approx(kda(d)[0], rel=1e-9)
    node.facts.update(layers=80, first=0, heads_from=1, heads_of=8)  # the second of eight heads, in the first layer
    fading = library.lightning(SimpleNamespace(layer=0), node, None, heads(d.q), heads(d.k), heads(d.v))
    assert fading[:, 0] == pytest.approx(lightning(d)[0], rel=1e-9)
    node.facts["eps"] = 0.0
    scaled, into, forget = heads(d.q) * D**0.5, 2 * d.x[:, None], d.x[::-1, None]
    answered = library.mlstm(None, node, None, scaled, heads(d.k), heads(d.v), into, forget)
    assert answered[:, 0] == pytest.approx(mlstm(d)[0], rel=1e-9)


# ---------------------------------------------------------------- what the page claims


def test_half_lives_are_where_half_is_left():
    """After a head's half-life, its decay has left one half: RetNet's eight heads, and MiniMax's 64 in every layer."""
    for layer in reference.LAYERS:
        halves = at(layer=layer)["halves"]
        slopes = [2 ** (-8 * h / 64) * (1 - layer / (79 + 1e-5) + 1e-5) for h in range(1, 65)]
        assert np.exp(-np.array(slopes)) ** halves["lightning"] == pytest.approx(0.5)
        left = [(1 - 2.0**-n) ** t for n, t in zip(range(5, 13), halves["retnet"], strict=True)]
        assert left == pytest.approx([0.5] * 8)
    assert [round(one) for one in at()["halves"]["retnet_ends"]] == [22, 2839]


def test_what_a_key_written_twice_reads():
    """Adding reads the sum, mLSTM the mean, weighted by its input gate; delta rules the new value."""
    streams_of = lambda step: at(step=step, decay=1.0)  # noqa: E731
    old, new = (np.array(streams_of(step)["target"]) for step in (8, 9))
    assert row("linear", step=9)["reads"] == pytest.approx(old + new)
    assert row("mlstm", step=9, decay=1.0)["reads"] == pytest.approx((old + new) / 2)
    assert row("mlstm", step=9, decay=1.0, input=2.0)["reads"] == pytest.approx(
        (old + math.exp(2) * new) / (1 + math.exp(2))
    )
    assert row("deltanet", step=9)["reads"] == pytest.approx(new)


def test_what_gates_can_forget():
    """A gate per head takes the prompt too, one per channel spares it; RWKV-7 keeps exp(-e^-0.5) of what it drops."""
    kept = {name: row(name, task="keep", step=9, decay=1.0)["errors"] for name in rules.PLACES}
    assert [(kept[name][0], kept[name][6]) for name in ("gdn", "gla", "kda")] == [(1, 0), (0, 0), (0, 0)]
    assert kept["mamba2"][0] == pytest.approx(1, abs=1e-3)
    assert kept["deltanet"][:1] + kept["deltanet"][6:7] == [0, 1]
    dropped = row("rwkv7", task="forget", step=20, decay=1.0, pause=3)["errors"][4]
    assert dropped == pytest.approx(math.exp(-3 * math.exp(-0.5)))


@pytest.mark.whole
def test_a_mean_is_that_of_64_streams_and_its_interval_their_spread():
    """The mean of one rule is the mean of the page's own errors for seeds 1 to 64; 1.96 standard errors around it."""
    given = {"task": "keep", "keys": "random", "step": 20}
    alone = np.array([row("kda", **given, seed=seed)["error"] for seed in range(1, 65)])
    found = row("kda", **given)
    assert found["mean"] == pytest.approx(alone.mean())
    assert found["half"] == pytest.approx(1.96 * alone.std(ddof=1) / 8)


def test_the_separator_of_mamba_2_closes_by_its_step():
    """Its decay at a separator is the slider's, by a step of ln(shut) / ln(decay) ordinary steps."""
    one = row("mamba2", task="forget", step=9, decay=0.9, shut=0.1)
    assert (one["low"], one["write"]) == (pytest.approx(0.1), pytest.approx(math.log(0.1) / math.log(0.9)))


def test_bytes_are_those_of_measured_states():
    """Qwen3-Next keeps 2 MiB and its convolution, Kimi K3 6 MiB and its own; crossings are where whole bytes cross."""
    rows = {one["slug"]: one for one in at()["costs"]}
    qwen, kimi = rows["Qwen/Qwen3-Next-80B-A3B-Instruct"], rows["moonshotai/Kimi-K3"]
    assert qwen["state"] == 32 * 128 * 128 * 4 + (2 * 16 * 128 + 32 * 128) * 4 * 2
    assert kimi["state"] == 96 * 128 * 128 * 4 + 3 * 96 * 128 * 4 * 2
    assert (qwen["token"], kimi["token"]) == (2 * 2 * 256 * 2, (512 + 64) * 2)
    for one in rows.values():
        if one["token"]:
            assert (one["crossing"] - 1) * one["token"] <= one["state"] < one["crossing"] * one["token"], one["slug"]
        else:
            assert (one["crossing"], one["text"]) == (0, "no attention"), one["slug"]


def test_every_rule_of_the_catalogue_is_listed():
    """Each mixer that a rule names has a model, and the layers listed are those of its stack."""
    found = {one[2] for one in models.table()}
    assert found == {rule.name for rule in rules.RULES if rule.mixers}
    kimi = next(one for one in at()["costs"] if one["slug"] == "moonshotai/Kimi-K3")
    assert (kimi["layers"], kimi["of"], kimi["attention"]) == (69, 93, 24)


def test_a_stream_is_random_and_the_same_for_a_seed():
    """Keys have length 1, values are signs of both kinds, and another seed gives others."""
    keys, values = streams.keys("random", 3), streams.values(3, 200)
    assert np.linalg.norm(keys, axis=1) == pytest.approx(np.ones(8))
    assert abs(values.mean()) < 0.1
    assert set(values.ravel()) == {-1, 1}
    assert np.abs(keys - streams.keys("random", 4)).min(axis=1).max() > 0
