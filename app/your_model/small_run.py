"""A config and cuts -> what a small copy of the model computes, as JSON: logits before and after, and any tensor.

The interpreter (gallery/running) is tested against the modelling code's logits. The copy has the wiring of the drawing,
small widths, and random weights that are seeded by their names.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

import numpy as np

from cutaway import gallery
from cutaway.app.render import job
from cutaway.app.your_model import answer
from cutaway.gallery.running.cuts import Cut, with_cuts
from cutaway.gallery.running.interpreter import Run, check_tokens, forward
from cutaway.gallery.running.named import NamedWeights
from cutaway.gallery.running.proofs import proof
from cutaway.gallery.running.small import small_copy
from cutaway.gallery.spec import ModelSpec
from cutaway.gallery.wiring import layer_graph

TOKENS = (3, 1, 4, 1, 5, 9, 2, 6)
BEST = 8  # tokens that get a bar
WIDEST = 64  # numbers of a token that are drawn
NO_NUMBERS = "Its logits are not finite numbers, so there is nothing to show."
SHOWN: dict[str, SmallRun] = {}  # the last run, without cuts ("whole") and with them ("cut"); `tensor` reads its values


class SmallRun:
    """A copy that has run: its logits, and every value by "layer3:mixer.q_proj", streams between layers among them."""

    def __init__(self, spec: ModelSpec, weights: NamedWeights) -> None:
        self.values: dict[str, Any] = {}
        self.spec, self.stream = spec, np.zeros(1)
        rows = min(spec.vocab_size, spec.embedding_rows or spec.vocab_size)
        self.tokens = [token % rows for token in TOKENS]
        run = Run(spec, weights, check_tokens(spec, self.tokens), watch=self.watch)  # type: ignore[arg-type]
        self.logits = forward(run)

    def watch(self, name: str, value: Any) -> None:
        where, colon, _ = name.partition(":")
        if not colon:
            self.stream = value
        elif where != "model":
            self.values[f"{where}:stream"] = self.stream
        self.values[name] = value

    @property
    def layers(self) -> list[int]:
        """The layers that ran."""
        return sorted({int(name[5:]) for name in self.values if name.startswith("layer") and ":" not in name})


def run(text: str, title: str, edits: str = "", slug: str = "", cuts: str = "[]") -> str:
    """A run as JSON; {"refused": a sentence} if the model cannot be run."""
    try:
        spec, weights, whole = run_whole(text, title, edits, slug)
        wanted = [Cut(*one) for one in json.loads(cuts)]
        cut = SmallRun(with_cuts(whole.spec, wanted), weights) if wanted else whole
        if not all(math.isfinite(one) for ran in (whole, cut) for one in ran.logits[-1].tolist()):
            return json.dumps({"refused": NO_NUMBERS})
        SHOWN.update(whole=whole, cut=cut)
        return json.dumps(report(spec, whole.spec, weights))
    except (gallery.ConfigError, NotImplementedError) as error:
        return json.dumps({"refused": str(error)})
    except Exception:
        job.LOG.exception("a small copy that could not be run")
        return json.dumps({"refused": "A small copy of this model cannot be run yet."})


@lru_cache(1)
def run_whole(text: str, title: str, edits: str, slug: str) -> tuple[ModelSpec, NamedWeights, SmallRun]:
    """A model, the weights of its small copy, and the copy as it runs without cuts: kept while its wires are cut."""
    spec = answer.spec_of(slug) if slug else job.viewed(job.Request(text, title, "", edits=edits))[0].spec
    weights = NamedWeights(small_copy(spec))
    return spec, weights, SmallRun(weights.spec, weights)


def report(spec: ModelSpec, copy: ModelSpec, weights: NamedWeights) -> dict[str, Any]:
    """What the panel shows of a run."""
    whole, cut = SHOWN["whole"], SHOWN["cut"]
    proved = proof(spec)
    return {
        "proved": proved.proved,
        "proof": proved.words,
        "layers": whole.layers,
        "of_layers": len(spec.layers),
        "width": copy.hidden_size,
        "of_width": spec.hidden_size,
        "weights": sum(one.size for one in weights.made.values()),
        "tokens": whole.tokens,
        "values": values(whole),
        "norms": norms(copy, whole.layers),
        "inputs": inputs(copy, whole.layers),
        **logits(whole.logits[-1], cut.logits[-1]),
    }


def values(run: SmallRun) -> dict[str, dict[str, int]]:
    """{"layer3": {name: 1 where it can be cut, 0 where it is no plain number}} of all values."""
    found: dict[str, dict[str, int]] = {}
    for name, value in run.values.items():
        where, colon, node = name.partition(":")
        if colon:
            plain = value.dtype.kind == "f" and bool(np.isfinite(value).min())
            found.setdefault(where, {})[node] = int(plain and where != "model")
    return found


def norms(copy: ModelSpec, layers: list[int]) -> dict[str, list[str]]:
    """The norms of each layer that can be removed."""
    found = {
        f"layer{index}": [node.name for node in layer_graph(copy, copy.layers[index]).nodes if node.op == "norm"]
        for index in layers
    }
    return found | {"model": ["final_norm"] if copy.final_norm else []}


def inputs(copy: ModelSpec, layers: list[int]) -> dict[str, str]:
    """{"layer3.mixer": the value that its x is}, of each part that the drawing opens."""
    found: dict[str, str] = {}
    for index in layers:
        for node in layer_graph(copy, copy.layers[index]).nodes:
            parts = node.name.split(".")[:-1]
            for end in range(1, len(parts) + 1):
                own = ".".join(parts[:end])
                outside = [name for name in node.inputs if not name.startswith(f"{own}.") and ":" not in name]
                if outside:
                    found.setdefault(f"layer{index}.{own}", outside[0])
    return found


def logits(before: Any, after: Any) -> dict[str, Any]:
    """The likeliest next tokens before and after, the KL divergence in nats and the largest logit difference."""
    logs, later = log_shares(before.tolist()), log_shares(after.tolist())
    was, now = ([math.exp(one) for one in each] for each in (logs, later))
    best = sorted(range(len(was)), key=lambda token: -was[token])[:BEST]
    kl = sum(math.exp(p) * (p - q) for p, q in zip(logs, later, strict=True))
    gap = max(abs(a - b) for a, b in zip(before.tolist(), after.tolist(), strict=True))
    return {"best": [[token, was[token], now[token]] for token in best], "kl": max(kl, 0.0), "gap": gap}


def log_shares(found: list[float]) -> list[float]:
    """The log-softmax of logits, finite where the share itself underflows."""
    top = max(found)
    rest = math.log(sum(math.exp(one - top) for one in found))
    return [one - top - rest for one in found]


def tensor(name: str) -> str:
    """A value of the last run as JSON, with the cuts and without; null if it was not computed."""
    was, now = (SHOWN[one].values.get(name) if SHOWN else None for one in ("whole", "cut"))
    return json.dumps({"now": summary(now), "was": summary(was)})


def summary(value: Any) -> dict[str, Any] | None:
    """Shape, minimum, maximum, root mean square, and the first numbers of each row."""
    if value is None:
        return None
    shape = list(value.shape)
    rows = value.reshape(len(value), -1).astype(float).tolist()
    every = [one for row in rows for one in row if math.isfinite(one)]
    rms = math.sqrt(sum(one * one for one in every) / len(every)) if every else 0.0
    cut = [[round_short(one) for one in row[:WIDEST]] for row in rows]
    return {"shape": shape, "least": min(every, default=0), "most": max(every, default=0), "rms": rms, "rows": cut}


def round_short(value: float) -> float | None:
    """A number for a picture; None for one that is infinite."""
    return float(f"{value:.3g}") if math.isfinite(value) else None
