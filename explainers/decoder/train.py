"""The dictionary task and a seed -> weights/<mixer>.bin: thirteen tiny decoders, alike but for how they mix tokens.

    python explainers/decoder/train.py            # all, about twelve minutes on one thread; the extra `train` has torch
    python explainers/decoder/train.py full delta # some
    python explainers/decoder/train.py others     # none: those that are shipped, over streams that nothing was tuned on
    python explainers/decoder/train.py seeds      # those that the page quotes most, from other weights and streams

Each is a layer of width 48 (4 heads of 12 numbers, MLP 96, embedding tied to the head), trained by AdamW on streams
that come in the same order, with resets or without: 400 to 1,000 batches of them, as many as `mixers.py` says of each.
What does not reach the bars of `measured.py` is not written.
"""

from __future__ import annotations

import json
import sys
import time
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from cutaway.explainers.decoder import measured, mixers, stored, task

HERE = Path(__file__).parent
RETRAINED = HERE.parent.parent / "tests" / "explainers" / "retrained"  # weights that only a test reads
RATE, WARM, SEED = 8e-3, 40, measured.SEEDS[0]


def rms(x, weight=None):
    """x over its root mean square."""
    x = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)
    return x if weight is None else x * weight


def unit(x):
    """x over its length."""
    return x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6)


def conv(x, weight):
    """Each channel over its last four tokens."""
    return F.conv1d(F.pad(x.transpose(1, 2), (3, 0)), weight, groups=len(weight)).transpose(1, 2)


def rotate(x, dims: int):
    """The first `dims` numbers of each head in pairs, halves apart, turned by the position."""
    half = dims // 2
    each = mixers.THETA ** (-torch.arange(half) * 2.0 / dims)
    angle = (torch.arange(x.shape[1])[:, None] * each)[:, None, :]
    a, b, rest = x[..., :half], x[..., half:dims], x[..., dims:]
    cos, sin = angle.cos(), angle.sin()
    return torch.cat((a * cos - b * sin, b * cos + a * sin, rest), -1)


def softmax_mix(q, k, v, window: int):
    """Each query's shares of the values in sight."""
    place = torch.arange(q.shape[1])
    back = place[:, None] - place[None, :]
    seen = (back >= 0) & (back < (window or 10**9))
    k, v = (x.repeat_interleave(q.shape[2] // x.shape[2], 2) for x in (k, v))
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
    return torch.einsum("bhqk,bkhd->bqhd", scores.masked_fill(~seen, -torch.inf).softmax(-1), v)


def state_mix(q, k, v, log_alpha, beta):
    """S fades by alpha and takes k ⊗ (v − k·S) by beta: one triangular system in place of a loop over tokens.

    beta None: what is written is v itself, whatever was there.
    """
    total = log_alpha.cumsum(1).transpose(1, 2)  # [batch, heads, tokens]
    fading = (total[..., :, None] - total[..., None, :]).tril().exp().tril()
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    if beta is not None:
        beta = beta.transpose(1, 2)[..., None]
        system = torch.eye(q.shape[2]) + (beta * fading * (k @ k.transpose(-1, -2))).tril(-1)
        v = torch.linalg.solve_triangular(system, beta * v, upper=False)
    return ((q @ k.transpose(-1, -2)) * fading @ v).transpose(1, 2)


class Decoder(nn.Module):
    """One layer, from tokens to logits; the tensors are called as the graph calls them (mixers.py)."""

    def __init__(self, kind, seed: int = SEED) -> None:
        super().__init__()
        self.kind = kind
        rng = torch.Generator().manual_seed(seed)
        self.named = nn.ParameterDict()
        for name, shape in mixers.shapes(kind).items():
            self.named[name.replace(".", "/")] = nn.Parameter(self.first(name, shape, rng))

    def first(self, name: str, shape: tuple[int, ...], rng) -> torch.Tensor:
        """A tensor before training."""
        own = name.split(".")[-2] if "." in name else name
        if "norm" in name:
            return torch.ones(shape)
        if "conv" in own:
            return torch.rand(shape, generator=rng) - 0.5
        if len(shape) == 1:
            return torch.full(shape, mixers.DT_BIAS[self.kind.steps] if name == "dt_bias" else 0.0)
        return torch.randn(shape, generator=rng) * shape[-1] ** -0.5 * (0.5 if own in ("o_proj", "down_proj") else 1.0)

    def at(self, name: str):
        """A tensor by its name."""
        return self.named[name.replace(".", "/")]

    def forward(self, tokens):
        table = self.at("embed.weight")
        stream = table[tokens]
        stream = stream + self.mixed(rms(stream, self.at("mixer_norm.weight")))
        x = rms(stream, self.at("mlp_norm.weight"))
        inner = F.gelu(x @ self.at("up_proj.weight").T, approximate="tanh")
        stream = stream + inner @ self.at("down_proj.weight").T
        return rms(stream, self.at("final_norm.weight")) @ table.T

    def mixed(self, x):
        """What a token finds in those before it."""
        kind, (batch, tokens, _) = self.kind, x.shape
        heads = lambda y, d: y.reshape(batch, tokens, -1, d)  # noqa: E731
        line = lambda name: x @ self.at(f"{name}.weight").T  # noqa: E731
        q = conv(line("q_proj"), self.at("q_conv.weight"))
        if kind.latent:
            q, k, v = self.from_latent(heads(q, kind.d + kind.rotated), conv(line("kv_a"), self.at("kv_conv.weight")))
        else:
            k = heads(conv(line("k_proj"), self.at("k_conv.weight")), kind.d)
            q, v = heads(q, kind.d), heads(line("v_proj"), kind.d)
        if kind.family == "softmax":
            if not kind.latent:
                q, k = rotate(q, kind.rotated), rotate(k, kind.rotated)
            out = softmax_mix(q, k, v, kind.window)
        else:
            q, k = unit(q) * (kind.d**-0.5 if kind.delta else 1), unit(k)
            out = state_mix(q, *self.gated(k, v, x))
        return rms(out.reshape(batch, tokens, -1), self.at("out_norm.weight")) @ self.at("o_proj.weight").T

    def from_latent(self, q, down):
        """Queries, and keys and values of every head out of one latent and one rotated key."""
        kind, shape = self.kind, q.shape[:2]
        latent, key = rms(down[..., : kind.latent], self.at("kv_norm.weight")), down[..., None, kind.latent :]
        up = (latent @ self.at("kv_b.weight").T).reshape(*shape, kind.heads, 2 * kind.d)
        key = rotate(key, kind.rotated).expand(*shape, kind.heads, kind.rotated)
        q = torch.cat((q[..., : kind.d], rotate(q[..., kind.d :], kind.rotated)), -1)
        return q, torch.cat((up[..., : kind.d], key), -1), up[..., kind.d :]

    def gated(self, k, v, x):
        """Keys, values, the logarithm of what stays of the state, and how strongly is written."""
        kind = self.kind
        stays, beta = torch.zeros(k.shape[:3]), None
        if kind.steps:  # a step of Mamba-2: what fades and what is written, by one number
            step = F.softplus(x @ self.at("dt_proj.weight").T + self.at("dt_bias"))
            return k, v * step[..., None], -self.at("A_log").exp() * step, None
        if kind.gated:
            stays = -self.at("A_log").exp() * F.softplus(x @ self.at("a_proj.weight").T + self.at("dt_bias"))
        if kind.delta:
            beta = torch.sigmoid(x @ self.at("b_proj.weight").T + self.at("b_proj.bias"))
        return k, v, stays, beta


@cache
def batches(resets: bool, seed: int = task.TRAINING_SEED):
    """The training streams in their order, as many as the longest training takes."""
    steps = max(kind.steps_trained for kind in mixers.KINDS.values())
    tokens = task.streams(seed, task.BATCH * steps, resets).reshape(steps, task.BATCH, -1)
    return torch.from_numpy(tokens)


def train(kind, seed: int = SEED) -> Decoder:
    """One decoder, trained; the seed draws its first weights and its streams."""
    data = batches(kind.resets, seed)
    torch.manual_seed(seed)
    model = Decoder(kind, seed)
    steps = kind.steps_trained
    optimizer = torch.optim.AdamW(model.parameters(), RATE, betas=(0.9, 0.98), weight_decay=0.01)
    slope = lambda step: min((step + 1) / WARM, 1.0) * (1 - 0.95 * step / steps)  # noqa: E731
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, slope)
    for step in range(steps):
        tokens = data[step]
        asked = tokens[:, 0::3] == task.READ
        logits = model(tokens[:, :-1])[:, 1::3]
        loss = F.cross_entropy(logits[asked], tokens[:, 2::3][asked])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 50 == 49:
            print(f"  {kind.name} {step + 1}: {loss.item():.4f}", flush=True)
    return model


def answers(model: Decoder, tokens: np.ndarray) -> np.ndarray:
    """Logits of the values (with resets of none too), at every key."""
    parts = (torch.from_numpy(tokens[at : at + 50]) for at in range(0, len(tokens), 50))
    with torch.no_grad():
        return np.concatenate([model(part)[:, 1::3, task.FIRST_VALUE :].numpy() for part in parts])


def measure_accuracy(model: Decoder, seed: int) -> dict:
    """How often it is right over the streams of a seed."""
    kind = model.kind
    tested = task.streams(seed, task.EVALUATED, kind.resets)
    table = measured.table(answers(model, tested), tested)
    if not kind.resets:
        return table
    long = task.streams(seed, task.EVALUATED // task.LONG, True, task.LONG)
    both = {"": measured.with_resets(answers(model, tested), tested)}
    both["long"] = measured.with_resets(answers(model, long), long)
    return {**table, **both[""], "long": both["long"]}


def load_weights(model: Decoder, packed: bytes) -> Decoder:
    """The decoder with the weights of a file."""
    for name, array in stored.unpack(packed, mixers.shapes(model.kind)).items():
        model.at(name).data = torch.from_numpy(array.astype(np.float32))
    return model


def others() -> None:
    """held_out.json: [right, asked] of every shipped decoder on streams of other seeds, and on the first of each."""
    tables: dict[str, dict[str, Any]] = {}
    for seed, kind in product(task.OTHER_SEEDS, mixers.KINDS.values()):
        model = load_weights(Decoder(kind), (HERE / "weights" / f"{kind.name}.bin").read_bytes())
        first = task.streams(seed, 12, kind.resets)[: measured.SAMPLE]
        made = measure_accuracy(model, seed)
        kept = {"all": made["all"], "long": made.get("long", {}).get("all"), "old": made.get("long", {}).get("old")}
        sample = measured.share(measured.collect_reads(answers(model, first), first), lambda one: True)
        tables.setdefault(str(seed), {})[kind.name] = {key: pair for key, pair in kept.items() if pair} | {
            "sample": sample
        }
        print(seed, kind.name, json.dumps(kept), measured.missed_bars(kind.name, made), flush=True)
    lines = [f"{json.dumps(seed)}: {json.dumps(rows)}" for seed, rows in tables.items()]
    (HERE / "held_out.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def seeds() -> None:
    """retrained.json: what the bets ask, of decoders trained from other seeds; their weights go to the tests."""
    torch.set_num_threads(1)
    tables: dict[str, dict[str, Any]] = {}
    for name, seed in product(measured.RETRAINED, measured.SEEDS[1:]):
        start = time.process_time()
        model = train(mixers.KINDS[name], seed)
        packed, made = round_weights(model), measure_accuracy(model, task.EVALUATION_SEED)
        first = task.streams(task.EVALUATION_SEED, measured.SAMPLE, model.kind.resets)
        sample = measured.share(measured.collect_reads(answers(model, first), first), lambda one: True)
        tables.setdefault(name, {})[str(seed)] = {"quoted": made[measured.RETRAINED[name]], "sample": sample}
        (RETRAINED / f"{name}-{seed}.bin").write_bytes(packed)
        print(name, seed, f"{time.process_time() - start:.0f} s", json.dumps(tables[name][str(seed)]), flush=True)
    lines = [f"{json.dumps(name)}: {json.dumps(rows)}" for name, rows in tables.items()]
    (HERE / "retrained.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def round_weights(model: Decoder) -> bytes:
    """The weights as they are shipped, put back into the decoder."""
    packed = stored.pack({name: model.at(name).detach().numpy() for name in mixers.shapes(model.kind)})
    load_weights(model, packed)
    return packed


def main(names: list[str]) -> None:
    """Train, store, load again, measure, hold to the bars."""
    if names in (["others"], ["seeds"]):
        return others() if names == ["others"] else seeds()
    torch.set_num_threads(1)
    tables = {}
    for kind in (kind for kind in mixers.KINDS.values() if not names or kind.name in names):
        start = time.process_time()
        model = train(kind)
        packed, made = round_weights(model), measure_accuracy(model, task.EVALUATION_SEED)
        print(kind.name, len(packed), f"{time.process_time() - start:.0f} s", json.dumps(made), flush=True)
        tables[kind.name] = made
        missed = measured.missed_bars(kind.name, made)
        if missed:
            print(f"  NOT KEPT: {missed}", flush=True)
        else:
            (HERE / "weights" / f"{kind.name}.bin").write_bytes(packed)
    if {"gated-x", "delta-x"} <= set(tables):
        print("too near:", measured.too_near(tables["gated-x"], tables["delta-x"]))


if __name__ == "__main__":
    main(sys.argv[1:])
