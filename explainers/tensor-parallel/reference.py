"""A catalogued model and t ranks -> one layer run on t ranks, its shards, its two meetings, its bytes; ZeRO beside it.

Shapes and bytes are the model's. What runs is a small copy with the same heads (sharded.py), so that every difference
printed here was measured, not assumed.
"""

from __future__ import annotations

from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from explainers import load_file

sharded = load_file(Path(__file__).with_name("sharded.py"))
shapes = load_file(Path(__file__).with_name("shapes.py"))
zero = load_file(Path(__file__).with_name("zero.py"))
words = load_file(Path(__file__).with_name("words.py"))
drawn = load_file(Path(__file__).with_name("drawn.py"))

STATE: dict[str, Any] = {
    "view": "layer",  # or "zero"
    "model": "meta-llama/Llama-3.1-70B",
    "tp": 4,
    "sequence": 8192,
    "sequence_parallel": False,
    "step": 9,
    "rank": -1,  # the rank pointed at; -1 = all
    "stage": 1,
    "dp": 8,
    "convention": "16",
}
BF16 = 2
MEETS = ("attention", "mlp")


def data() -> dict[str, Any]:
    """The models' rows, the conventions of bytes per parameter, and where a broken link starts from."""
    kept = {
        key: {"label": c["label"], "kept": [list(k) for k in c["kept"]], "travels": c["travels"], "source": c["source"]}
        for key, c in zero.CONVENTIONS.items()
    }
    return {"columns": list(shapes.COLUMNS), "models": shapes.rows(), "conventions": kept, "start": STATE,
            "steps": [list(step) for step in words.STEPS],
            "beside": list(words.BESIDE)}  # fmt: skip


def model_of(state: dict[str, Any], data: dict[str, Any]) -> dict[str, Any] | None:
    """The row of a slug, by column name."""
    for row in data["models"]:
        if row[0] == state["model"]:
            return dict(zip(data["columns"], row, strict=True))
    return None


def legal(model: dict[str, Any]) -> list[int]:
    """How many ranks can share a model's heads and MLP; KV heads are dealt out evenly, or copied evenly."""

    def fits(t: int) -> bool:
        kv = model["kv_heads"]
        return not (model["heads"] % t or model["mlp"] % t or (kv % t and t % kv))

    return [t for t in range(1, 17) if fits(t)]


def _whole(x: Any, low: int, high: int) -> bool:
    good = isinstance(x, int | float) and not isinstance(x, bool) and isfinite(x)
    return good and x == int(x) and low <= x <= high


def check(state: dict[str, Any], data: dict[str, Any]) -> str:
    """ "" or the sentence that says what is legal."""
    model = model_of(state, data)
    if model is None:
        slug = state["model"]
        return f"No model here is called “{slug}”. Listed are those whose layers share one kind of attention."
    if not _whole(state["sequence"], 1, 2**20):
        return "The sequence is a whole number of tokens from 1 to 1,048,576."
    if not _whole(state["tp"], 1, 16):
        return "A whole number of ranks from 1 to 16 is drawn here."
    if not isinstance(state["sequence_parallel"], bool) or not _whole(state["step"], 0, 9):
        return "The step is a whole number from 0 to 9; sequence parallelism is on or off."
    if not _whole(state["rank"], -1, 15):
        return "The rank pointed at is a whole number, or -1 for none."
    return _fits(state, model) or _check_zero(state, data)


def _fits(state: dict[str, Any], model: dict[str, Any]) -> str:
    t, heads, kv, mlp = int(state["tp"]), model["heads"], model["kv_heads"], model["mlp"]
    works = f"Legal for {model['title']}: {', '.join(map(str, legal(model)))}."
    if heads % t:
        return f"{t} ranks cannot share {heads} query heads evenly: {heads} / {t} is not whole. {works}"
    if kv % t and t % kv:
        return f"{kv} KV heads can neither be dealt out evenly to {t} ranks nor copied evenly. {works}"
    if mlp % t:
        return f"{t} ranks cannot cut {mlp:,} MLP columns evenly: {mlp:,} / {t} is not whole. {works}"
    if state["sequence_parallel"] and state["sequence"] % t:
        tokens = f"{int(state['sequence']):,}"
        return f"Sequence parallelism gives every rank the same number of tokens: {t} does not divide {tokens}."
    return ""


def _check_zero(state: dict[str, Any], data: dict[str, Any]) -> str:
    if state["view"] not in ("layer", "zero"):
        return "The view is layer or zero."
    if not _whole(state["stage"], 0, 3):
        return "ZeRO has the stages 0, 1, 2 and 3."
    if not _whole(state["dp"], 1, 64):
        return "A whole number of data-parallel ranks from 1 to 64 is run here."
    if state["convention"] not in data["conventions"]:
        return f"The conventions are {', '.join(data['conventions'])} bytes per parameter."
    return ""


def settle(state: dict[str, Any], given: list[str], data: dict[str, Any]) -> dict[str, Any]:
    """The state with the ranks at the nearest number that can share its model, unless a link set them itself."""
    model = model_of(state, data)
    if model is None or "tp" in given or not _whole(state["tp"], 1, 16):
        return state
    return {**state, "tp": min(legal(model), key=lambda t: (abs(t - state["tp"]), t))}


@cache
def _run(heads: int, kv_heads: int, gated: bool, t: int, sp: bool, parallel: bool) -> Any:
    return sharded.Run(heads, kv_heads, gated, t, sp, parallel)


def compute(state: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Everything the widget prints."""
    model = model_of(state, data)
    t, sp = int(state["tp"]), bool(state["sequence_parallel"])
    run = _run(model["heads"], model["kv_heads"], bool(model["gated"]), t, sp, bool(model["parallel"]))
    message = int(state["sequence"]) * model["hidden"] * BF16
    executed = run.tokens * sharded.HIDDEN * 8  # bytes of the copy's residual stream, in float64
    counted = {what: sum(row[-1] for row in run.ranks.log if row[0] == what and row[2] == 0) for what in MEETS}
    counted_bytes = {what: counted[what] * message / executed for what in MEETS}
    formula_bytes = 2 * (t - 1) * message / t
    held = [sharded.kv_of(rank, t, model["kv_heads"]) for rank in range(t)]
    copies = max(1, t // model["kv_heads"])
    return {
        "legal": legal(model),
        "away": run.away,
        "largest": float(abs(run.whole["z"]).max()),
        "log": run.ranks.log,
        "tokens": run.tokens,
        "message_bytes": message,
        "counted_bytes": counted_bytes,
        "formula_bytes": formula_bytes,
        "kv_held": held,
        "kv_copies": copies,
        "shapes": _shapes(model, t, sp, int(state["sequence"])),
        "memory": memory_of(model, t, sp, int(state["sequence"])),
        "zero": zero.told(
            int(state["stage"]), int(state["dp"]), state["convention"], model["cut"] + model["kv"] + model["whole"]
        ),
        "sizes": words.sizes(model),
        "copy": {"head": sharded.HEAD, "hidden": sharded.HIDDEN, "mlp": 2 * model["heads"]},
        "at": {"words": f"{int(state['step']) + 1} of 10"},
        "moments": words.moments(model, sp),
        "differ": [words.tiny(x) for x in run.away],
        "differ_most": words.tiny(max(run.away)),
        "holds": words.holds(model, held, copies, t, int(state["rank"])),
        "ladder": _ladder(model, sp, int(state["sequence"])),
        "sent": words.sent(message, counted_bytes, formula_bytes, model["layers"], model["parallel"]),
    }


def _ladder(model: dict[str, Any], sp: bool, s: int) -> list[dict[str, float]]:
    """What a rank holds, for every number of ranks that is legal."""
    rows = [(t, memory_of(model, t, sp, s)) for t in legal(model) if not sp or s % t == 0]
    return [{"t": t, **m, "total": words.total(m)} for t, m in rows]


def _shapes(model: dict[str, Any], t: int, sp: bool, s: int) -> dict[str, list[int]]:
    """[rows, columns] of what one rank keeps of each tensor."""
    h, d = model["hidden"], model["head_dim"]
    q, kv, f = model["heads"] * d // t, max(model["kv_heads"] // t, 1) * d, model["mlp"] // t
    return {
        "x": [s // t if sp else s, h],
        "q": [h, q],
        "kv": [h, kv],
        "a": [s, q],
        "o": [q, h],
        "up": [h, f],
        "h": [s, f],
        "down": [f, h],
        "partial": [s, h],
    }


def memory_of(model: dict[str, Any], t: int, sp: bool, s: int) -> dict[str, float]:
    """Bytes on one rank: weights in bf16 by how they are cut, KV cache of s tokens, one layer's residual stream."""
    copies = max(1, t // model["kv_heads"])
    cache_bytes = sum(size * min(s, cap or s) for size, cap in model["grows"])
    return {
        "cut": BF16 * model["cut"] / t,
        "kv": BF16 * model["kv"] * copies / t,
        "whole": BF16 * model["whole"],
        "cache": cache_bytes * copies / t,
        "stream": BF16 * s * model["hidden"] / (t if sp else 1),
    }


def picture(state: dict[str, Any], data: dict[str, Any]) -> str:
    """The first picture: the layer cut over the ranks, its ten steps, its bytes."""
    return drawn.picture(state, model_of(state, data), compute(state, data))


def cases() -> list[dict[str, Any]]:
    """Every shape of heads in the catalogue on every legal number of ranks, with and without sequence parallelism."""
    made, seen = [], set()
    rows = data()

    def view(n: int, sp: bool) -> str:
        return "zero" if sp and n % 3 == 1 else "layer"

    for row in rows["models"]:
        model = dict(zip(rows["columns"], row, strict=True))
        shape = (model["heads"], model["kv_heads"], model["gated"], model["parallel"])
        if shape in seen:
            continue
        seen.add(shape)
        for n, t in enumerate(legal(model)):
            more = {"stage": n % 4, "dp": 1 + 3 * n, "convention": ("16", "18", "20")[n % 3], "sequence": 840 * t}
            more |= {"model": row[0], "tp": t, "step": (3 * n + len(seen)) % 10, "rank": n - 1}
            made += [{**STATE, **more, "sequence_parallel": sp, "view": view(n, sp)} for sp in (False, True)]
    return made
