"""A text, a head and a way of sampling -> its tokens, what the head reads, the next token and the cache.

The model is the small llama of config.json and weights.bin; forward.py runs it. Twin of compute.js.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cutaway.explainers.next_token import forward, sampling, stored, tokens
from cutaway.explainers.next_token.lens import lens

HERE = Path(__file__).parent
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
SHOWN, NUMBERS, LONGEST, JUMP, DRAWS = 10, 3, 20_000, 32, 999
NAMED = 256  # best tokens whose names the page knows before the weights are there
CONFIG = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
          "num_key_value_heads", "head_dim", "max_position_embeddings", "rms_norm_eps", "rope_theta")  # fmt: skip
BYTES = 2  # of a number in the cache, as BF16
LOOKS = ((3, 3, -1),)  # (layer, head, at) that the page shows before the weights are there
STORY: dict[str, Any] = {"text": "Elizabeth could not", "tokens": 24, "draws": (0, 1, 2)}
EDITED: dict[str, Any] = {"text": "Mr. Darcy looked at Elizabeth, and Elizabeth looked at Mr.", "at": 6, "by": " Emma"}


@cache
def trained() -> dict[str, Any]:
    """What training measured."""
    return json.loads((HERE / "trained.json").read_text("utf-8"))


def window(text: str) -> tuple[list[int], int]:
    """The tokens that the model sees, <s> first, and how many of the text were dropped before them.

    A text longer than the context loses its beginning in jumps of 32 tokens, so that most keys leave the cache alone.
    """
    ids, room = tokens.encode(text), forward.load().config["max_position_embeddings"] - 1
    dropped = -(-max(0, len(ids) - room) // JUMP) * JUMP
    return [tokens.FIRST, *ids[dropped:]], dropped


@cache
def run(text: str) -> tuple[list[int], int, forward.Run]:
    """The tokens of a text, how many were dropped, and what the model makes of them."""
    ids, dropped = window(text)
    return ids, dropped, forward.run(forward.load(), ids)


def next_token(state: dict[str, Any], logits: np.ndarray, position: int) -> dict[str, Any]:
    """The ten best tokens with their shares, what is kept of all, and what is taken."""
    order = sampling.rank(logits)
    plain, tempered = (sampling.softmax_of(logits[order], t) for t in (1.0, state["temperature"]))
    by_k, kept = sampling.cut(tempered, state["top_k"], state["top_p"])
    left = tempered[:kept] / tempered[:kept].sum()
    u = sampling.number_of(state["draw"], position) if state["draw"] else 0.0
    taken = sampling.pick(left, u) if state["draw"] else 0
    rows = [
        {
            "id": int(order[i]),
            "name": tokens.name_of(int(order[i])),
            "logit": float(logits[order[i]]),
            "plain": float(plain[i]),
            "share": float(tempered[i]),
            "kept": float(left[i]) if i < kept else 0.0,
            "cut": "" if i < kept else "top-p" if i < by_k else "top-k",
        }
        for i in range(SHOWN)
    ]
    return {
        "rows": rows,
        "by_k": by_k,
        "kept": kept,
        "held": float(tempered[:kept].sum()),
        "u": u,
        "taken": {
            "id": int(order[taken]),
            "name": tokens.name_of(int(order[taken])),
            "share": float(left[taken]),
            "rank": taken + 1,
            "from": float(left[:taken].sum()),
        },
    }


def look(state: dict[str, Any], ids: list[int], made: forward.Run) -> dict[str, Any]:
    """What one head of one token reads: scores, weights and the first numbers of each vector."""
    config, layer, head = forward.load().config, made.layers[state["layer"]], state["head"]
    at = place(state, len(ids))
    shared = head * config["num_key_value_heads"] // config["num_attention_heads"]
    first = lambda vector: [float(one) for one in vector[:NUMBERS]]  # noqa: E731
    rows = [
        {
            "name": tokens.name_of(ids[j]),
            "score": float(layer.scores[head, at, j]),
            "weight": float(layer.weights[head, at, j]),
            "key": first(layer.k[j, shared]),
            "value": first(layer.v[j, shared]),
        }
        for j in range(at + 1)
    ]
    best = int(layer.weights[head, at].argmax())
    return {
        "at": at,
        "name": tokens.name_of(ids[at]),
        "shared": shared,
        "query": first(layer.q[at, head]),
        "rows": rows,
        "best": {"at": best, "name": rows[best]["name"], "weight": rows[best]["weight"]},
        "read": first(layer.mixed[at, head]),
    }


def place(state: dict[str, Any], count: int) -> int:
    """The token that is opened: the last one where `at` is -1, or past the text's end."""
    return state["at"] if 0 <= state["at"] < count else count - 1


def token_rows(ids: list[int]) -> list[dict[str, Any]]:
    """Each token with its bytes and the merges that made one of them."""
    return [{"id": one, "name": tokens.name_of(one), **pieces_of(one)} for one in ids]


def pieces_of(token: int) -> dict[str, Any]:
    """A token's bytes as they are printed, and the merges that join them."""
    return {"bytes": [tokens.name_of(byte) for byte in tokens.vocabulary()[token]], "merges": tokens.merges_of(token)}


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


def is_integer(value: object, low: int, high: int) -> bool:
    """Whether a value is a whole number in a range; a float that is whole counts, as in JavaScript."""
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and value == int(value) and low <= value <= high
    )


# ---------------------------------------------------------------- what the page starts from


def facts() -> dict[str, Any]:
    """The model in numbers, counted from its tensors, and what training measured."""
    config, measured = forward.load().config, trained()
    sizes = [stored.rows_of(shape) for shape in stored.shapes(config).values()]
    kept = (
        "bits_per_byte",
        "xz_bits_per_byte",
        "held_out_bytes",
        "trained_bytes",
        "trained_tokens",
        "steps",
        "tokens_a_step",
    )
    return {
        "parameters": sum(rows * columns for rows, columns in sizes),
        "file": len((HERE / "weights.bin").read_bytes()),
        "vocabulary": config["vocab_size"],
        "layers": config["num_hidden_layers"],
        "heads": config["num_attention_heads"],
        "kv_heads": config["num_key_value_heads"],
        "head_dim": config["head_dim"],
        "context": config["max_position_embeddings"],
        **{key: measured[key] for key in kept},
    }


def write_on(text: str, many: int, draw: int, temperature: float = 1.0, top_p: float = 1.0) -> str:
    """A text, and so many tokens more: with the cache, one new token a step."""
    model, held = forward.load(), forward.Cache()
    ids, fresh = [tokens.FIRST, *tokens.encode(text)], None
    for _ in range(many):
        made = forward.run(model, ids[held.length :] if fresh is None else [fresh], held)
        fresh = sampling.choose(made.logits[-1], temperature, 0, top_p, draw, len(ids))
        ids.append(fresh)
    return tokens.decode(ids[1:])


def edited() -> list[bool]:
    """Which keys of which tokens change where one token of a text is replaced: of each token, in any layer."""
    ids, _ = window(EDITED["text"])
    other = [*ids]
    other[EDITED["at"]] = tokens.encode(EDITED["by"])[0]
    both = [forward.run(forward.load(), one) for one in (ids, other)]
    moved = [~np.isclose(a.k, b.k).all((1, 2)) for a, b in zip(both[0].layers, both[1].layers, strict=True)]
    return [bool(one) for one in np.any(moved, 0)]


def pack_logits(logits: np.ndarray) -> dict[str, Any]:
    """Logits in 16 bits, as base64, and how much one step is: under a thousandth of a logit."""
    step = float(abs(logits).max()) / 32767
    return {"step": step, "steps": base64.b64encode(np.rint(logits / step).astype("<i2").tobytes()).decode()}


def rounded(value: Any) -> Any:
    """The same with floats of 8 digits: a page prints at most 3 of them, and half as many are sent."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.8g}") if isinstance(value, float) else value


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
