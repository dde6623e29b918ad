"""A token's vector through the layers: its length, and what the model would predict from it there (the logit lens).

The logit lens (nostalgebraist 2020) puts the vector after each layer through the last norm and the vocabulary, as if no
layer followed. Twin of lens.js.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.explainers.next_token import forward, sampling, tokens


def lens(made: forward.Run, ids: list[int], at: int) -> dict[str, Any]:
    """A token's vector as it is embedded and after each layer, with the probability that its last guess has there."""
    final = int(sampling.rank(made.logits[at])[0])
    rows = [guess(vector, final) for vector in (made.embedded[at], *(layer.out[at] for layer in made.layers))]
    return {"at": at, "name": tokens.name_of(ids[at]), "final": tokens.name_of(final), "rows": rows}


def guess(vector: np.ndarray, final: int) -> dict[str, Any]:
    """The length of a vector, its likeliest token, and the probability of the token `final`."""
    model = forward.load()
    scaled = forward.rms(vector, model.tensors["model.norm.weight"], model.config["rms_norm_eps"])
    logits = model.tensors["model.embed_tokens.weight"] @ scaled
    shares, best = forward.softmax(logits), int(sampling.rank(logits)[0])
    words = {"name": tokens.name_of(best), "share": float(shares[best]), "final": float(shares[final])}
    return {"length": float(np.sqrt((vector * vector).sum())), **words}
