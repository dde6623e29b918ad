"""A text, a head and a way of sampling -> its tokens, what the head reads, the next token and the cache.

The model is the small llama of config.json and weights.bin; forward.py runs it. Twin of compute.js.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from cutaway.explainers.legal_numbers import is_integer
from cutaway.explainers.next_token import forward, sampling, tokens
from cutaway.explainers.next_token.candidates import SHOWN, next_token
from cutaway.explainers.next_token.lens import lens
from cutaway.explainers.next_token.look import look, pieces_of, place, token_rows
from cutaway.explainers.next_token.run import run
from cutaway.explainers.next_token.start import EDITED, HERE, edited, facts, pack_logits, rounded, write_on

STATE: dict[str, Any] = {
    "text": "Mr. Darcy looked at Elizabeth, and Elizabeth looked at Mr.",
    "before": "",  # the text before a token of it was replaced by hand
    "layer": 3,
    "head": 3,
    "at": -1,  # the token whose attention is shown, <s> being 0; -1 is the last
    "temperature": 1.0,
    "top_k": 0,  # 0: all
    "top_p": 1.0,
    "draw": 0,  # 0 takes the likeliest (greedy); any other number draws
}
ROUNDED = 1e-7  # sums in another order
LONGEST, DRAWS = 20_000, 999
NAMED = 256  # best tokens whose names the page knows before the weights are there
CONFIG = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
          "num_key_value_heads", "head_dim", "max_position_embeddings", "rms_norm_eps", "rope_theta")  # fmt: skip
BYTES = 2  # of a number in the cache, as BF16
LOOKS = ((3, 3, -1),)  # (layer, head, at) that the page shows before the weights are there
STORY: dict[str, Any] = {"text": "Elizabeth could not", "tokens": 24, "draws": (0, 1, 2)}


def edit(state: dict[str, Any], ids: list[int], after: dict[str, Any]) -> dict[str, Any] | None:
    """What replacing a token by hand changed: tokens that stay cached, tokens computed anew, and the best candidate."""
    if not state["before"]:
        return None
    was, dropped, made = run(state["before"])
    pairs = zip(was, ids, strict=False)
    same = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(was), len(ids)))
    best = next_token(state, made.logits[-1], len(was) + dropped)["rows"][0]
    now = after["rows"][0]
    return {
        "same": same,
        "anew": len(ids) - same,
        "was": {"name": best["name"], "share": best["plain"]},
        "now": {"name": now["name"], "share": now["plain"]},
    }


def cache_bytes(count: int) -> dict[str, int]:
    """What the KV cache holds after so many tokens."""
    config = forward.load().config
    numbers = 2 * config["num_key_value_heads"] * config["head_dim"]
    each = numbers * BYTES * config["num_hidden_layers"]
    return {
        "tokens": count,
        "per_layer": numbers,
        "per_token": each,
        "bytes": each * count,
        "most": each * config["max_position_embeddings"],
    }


def compute(state: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Everything the page prints."""
    ids, dropped, made = run(state["text"])
    after = next_token(state, made.logits[-1], len(ids) + dropped)
    return {
        "tokens": token_rows(ids),
        "count": len(ids),
        "dropped": dropped,
        "letters": len(state["text"]),
        "next": after,
        "look": look(state, ids, made),
        "lens": lens(made, ids, place(state, len(ids))),
        "edit": edit(state, ids, after),
        "cache": cache_bytes(len(ids)),
        "model": data["facts"],
    }


def check(state: dict[str, Any]) -> str:
    """The sentence that says what is legal, or ""."""
    config = forward.load().config
    if any(len(state[key].encode("utf-16-le", "surrogatepass")) > 2 * LONGEST for key in ("text", "before")):
        return f"A text has at most {LONGEST:,} characters here; the model sees the last 127 tokens of it."
    for key, most, named in (
        ("layer", config["num_hidden_layers"] - 1, "A layer"),
        ("head", config["num_attention_heads"] - 1, "A head"),
        ("top_k", config["vocab_size"], "Top-k"),
        ("draw", DRAWS, "A draw"),
    ):
        if not is_integer(state[key], 0, most):
            return f"{named} is a whole number from 0 to {most:,}."
    if not is_integer(state["at"], -1, config["max_position_embeddings"] - 1):
        return f"A token is a whole number from -1 (the last) to {config['max_position_embeddings'] - 1}."
    if not 0.1 <= state["temperature"] <= 3:
        return "The temperature is a number from 0.1 to 3."
    return "" if 0.05 <= state["top_p"] <= 1 else "Top-p is a number from 0.05 to 1."


# ---------------------------------------------------------------- what the page starts from


def data() -> dict[str, Any]:
    """The model's facts, what it makes of the first text, and apart from the page its weights and merges."""
    ids, _, made = run(STATE["text"])
    looks = [look({**STATE, "layer": layer, "head": head, "at": at}, ids, made) for layer, head, at in LOOKS]
    apart = {"weights": (HERE / "weights.bin").read_bytes(), "merges": (HERE / "merges.txt").read_bytes()}
    names = [tokens.name_of(int(token)) for token in sampling.rank(made.logits[-1])[:NAMED]]
    stories = [write_on(STORY["text"], STORY["tokens"], draw, 0.8, 0.95) for draw in STORY["draws"]]
    return {
        "config": {key: forward.load().config[key] for key in CONFIG},
        "facts": facts(),
        "first": {
            "text": STATE["text"],
            "ids": ids,
            "names": [tokens.name_of(one) for one in ids],
            "logits": pack_logits(made.logits[-1]),
            "best": names,
            "pieces": [pieces_of(one) for one in ids],
            "looks": [{"of": list(of), "look": rounded(one)} for of, one in zip(LOOKS, looks, strict=True)],
            "lens": rounded(lens(made, ids, len(ids) - 1)),
        },
        "stories": {"start": STORY["text"], "texts": stories},
        "edited": {"at": EDITED["at"], "by": EDITED["by"], "moved": edited()},
        "digest": hashlib.sha256(b"".join(apart.values())).hexdigest()[:7],
        "apart": {name: base64.b64encode(one).decode() for name, one in apart.items()},
    }


def beat_data(data: dict[str, Any], beat: Any) -> dict[str, Any]:
    """What one beat shows: one has a head, one whole texts, one a draw among many tokens."""
    first, drawn = data["first"], beat.figure == "samples"
    kept = {
        "looks": first["looks"] if beat.figure == "look" else [],
        "pieces": first["pieces"] if beat.figure == "tokens" else [],
        "best": first["best"][: NAMED if drawn else SHOWN],
    }
    return data | {"first": first | kept, "stories": data["stories"] | ({} if drawn else {"texts": []})}


def lab_data(data: dict[str, Any]) -> dict[str, Any]:
    """What an embedded lab shows: no story, and not which columns an edit moves."""
    return data | {"stories": {"start": "", "texts": []}}


def separate_files() -> list[str]:
    """The names of the files apart."""
    return ["weights", "merges"]


# ---------------------------------------------------------------- states that both languages are held to


def cases() -> list[dict[str, Any]]:
    """Texts of all kinds, every head, and ways of sampling."""
    rows: list[dict[str, Any]] = [{"text": text} for text in ("", " ", "q😀" * 300, "\n\nnaïve <b>", "Emma " * 140)]
    rows += [{"layer": layer, "head": head, "at": 3 * head} for layer in range(4) for head in range(4)]
    edited = {"text": "Mr. Darcy looked at Emma, and Elizabeth looked at Mr.", "before": STATE["text"], "at": 6}
    rows += [edited, {**edited, "text": edited["before"], "before": "Emma " * 140}]
    for at in range(40):
        sampled = {"temperature": 0.1 + at % 29 / 10, "top_k": (0, 1, 7, 50, 2048)[at % 5], "top_p": 1 - at % 10 / 11}
        rows.append({**sampled, "draw": at * 25, "text": ("She was", "Mr. Darcy", "It is a truth")[at % 3]})
    return rows


def bad_cases() -> list[dict[str, Any]]:
    """States that are refused."""
    return [
        {"text": "a" * (LONGEST + 1)},
        {"before": "a" * (LONGEST + 1)},
        {"layer": 4},
        {"head": 1.5},
        {"at": 128},
        {"top_k": 2049},
        {"top_p": 0.0},
    ]
