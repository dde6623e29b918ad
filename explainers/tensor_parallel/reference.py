"""A catalogued model and t ranks -> one layer run on t ranks, its shards, its two meetings, its bytes; ZeRO beside it.

Shapes and bytes are the model's. What runs is a small copy with the same heads (sharded.py), so that every difference
printed here was measured, not assumed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from cutaway.explainers.legal_numbers import is_integer
from cutaway.explainers.tensor_parallel import memory, shapes, sharded, words, zero

legal, kv_heads, memory_of = memory.legal, memory.kv_heads, memory.memory_of

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
CONTEXT = "sequence"  # the key that says how many tokens there are


@cache
def data() -> dict[str, Any]:
    """The models' rows, the conventions of bytes per parameter, and where a broken link starts from."""
    kept = {
        key: {"label": c["label"], "kept": [list(k) for k in c["kept"]], "travels": c["travels"], "source": c["source"]}
        for key, c in zero.CONVENTIONS.items()
    }
    return {"models": shapes.rows(), "conventions": kept, "start": STATE, "steps": [list(step) for step in words.STEPS],
            "beside": list(words.BESIDE), "own": [[one, list(at), *rest] for one, at, *rest in words.OWN]}  # fmt: skip


def beat_data(data: dict[str, Any], beat: object) -> dict[str, Any]:
    """What a beat alone needs of the data: the one model that beats are about."""
    return {**data, "models": [row for row in data["models"] if row[0] == STATE["model"]]}


def is_listed(state: dict[str, Any], data: dict[str, Any]) -> bool:
    return state["model"] in [row[0] for row in data["models"]]


def model_of(state: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """The row of a slug, by column name."""
    return next(shapes.expand_row(row) for row in data["models"] if row[0] == state["model"])


def check(state: dict[str, Any], data: dict[str, Any]) -> str:
    """ "" or the sentence that says what is legal."""
    if not is_listed(state, data):
        slug = state["model"]
        return f"No model here is called “{slug}”. The list has models whose layers all use softmax attention."
    model = model_of(state, data)
    if not is_integer(state["sequence"], 1, 2**20):
        return "The sequence is a whole number of tokens from 1 to 1,048,576."
    if not is_integer(state["tp"], 1, 16):
        return "The number of ranks is a whole number from 1 to 16."
    if not isinstance(state["sequence_parallel"], bool) or not is_integer(state["step"], 0, 9):
        return "The step is a whole number from 0 to 9; sequence parallelism is on or off."
    if not is_integer(state["rank"], -1, 15):
        return "The selected rank is a whole number, or -1 for none."
    return _fits(state, model) or _check_zero(state, data)


def _fits(state: dict[str, Any], model: dict[str, Any]) -> str:
    t, heads, mlp = int(state["tp"]), model["heads"], model["mlp"]
    works = f"Legal for {model['title']}: {', '.join(map(str, legal(model)))}."
    if heads % t:
        return f"{t} ranks cannot share {heads} query heads evenly: {heads} / {t} is not whole. {works}"
    if bad := next((kv for kv in kv_heads(model) if kv % t and t % kv), 0):
        return f"{bad} KV heads can be neither split nor copied evenly over {t} ranks. {works}"
    if bad := next((wide for wide in (mlp, *model["also"]) if wide % t), 0):
        return f"{t} ranks cannot cut {bad:,} MLP columns evenly: {bad:,} / {t} is not whole. {works}"
    if state["sequence_parallel"] and state["sequence"] % t:
        tokens = f"{int(state['sequence']):,}"
        return f"Sequence parallelism gives every rank the same number of tokens: {t} does not divide {tokens}."
    return ""


def _check_zero(state: dict[str, Any], data: dict[str, Any]) -> str:
    if state["view"] not in ("layer", "zero"):
        return "The view is layer or zero."
    if not is_integer(state["stage"], 0, 3):
        return "ZeRO has the stages 0, 1, 2 and 3."
    if not is_integer(state["dp"], 1, 64):
        return "The number of data-parallel ranks is a whole number from 1 to 64."
    if state["convention"] not in data["conventions"]:
        return f"The conventions are {', '.join(data['conventions'])} bytes per parameter."
    return ""


def settle(state: dict[str, Any], given: list[str], data: dict[str, Any]) -> dict[str, Any]:
    """The state with the ranks at the nearest number that can share its model, unless a link set them itself."""
    if not is_listed(state, data) or "tp" in given or not is_integer(state["tp"], 1, 16):
        return state
    model = model_of(state, data)
    return {**state, "tp": min(legal(model), key=lambda t: (abs(t - state["tp"]), t))}


def form_of(model: dict[str, Any]) -> Any:
    """What of a model's layer runs."""
    flags = {key: bool(model[key]) for key in shapes.KINDS[:5]}
    latent = 0 if not model["latent"] else 2 if model["latent"][0] else 1
    return sharded.Form(model["heads"], model["kv_heads"], latent=latent, **flags)


@cache
def _run_layer(form: Any, t: int, sp: bool) -> Any:
    return sharded.Run(form, t, sp)


def meetings_of(model: dict[str, Any], run: Any, s: int) -> dict[str, dict[str, float]]:
    """What a rank sends at each meeting of one layer: the message, what the log of the copy counts, the formula."""
    t, form = run.t, run.form
    heads = form.heads + form.kv_heads if form.full else 0
    found = {}
    for what, often, numbers, executed in (
        ("norm", 1, heads * model["head_dim"], heads * sharded.HEAD),
        ("attention", 1 - form.parallel, model["hidden"], sharded.HIDDEN),
        ("mlp", 1, model["hidden"], sharded.HIDDEN),
    ):
        message, turns = often * s * numbers * memory.BF16, 1 if what == "norm" else 2
        counted = float(sum(row[-1] for row in run.ranks.log if row[0] == what)) * message
        scaled = counted / (t * run.tokens * executed * 8) if counted else 0  # the copy's numbers have 8 bytes
        found[what] = {"message": message, "counted": scaled, "formula": turns * (t - 1) * message / t}
    return found


def compute(state: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Everything the widget prints."""
    model = model_of(state, data)
    t, sp, s = int(state["tp"]), bool(state["sequence_parallel"]), int(state["sequence"])
    run = _run_layer(form_of(model), t, sp)
    message = s * model["hidden"] * memory.BF16
    held = [sharded.kv_of(rank, t, model["kv_heads"]) for rank in range(t)]
    copies = max(1, t // model["kv_heads"])
    return {
        "legal": legal(model),
        "away": run.away,
        "largest": float(abs(run.whole["z"]).max()),
        "log": run.ranks.log,
        "tokens": run.tokens,
        "message_bytes": message,
        "formula_bytes": 2 * (t - 1) * message / t,
        "kv_held": held,
        "kv_copies": copies,
        "stream": [s // t if sp else s, model["hidden"]],
        "memory": memory_of(model, t, sp, s),
        "zero": zero.describe_step(
            int(state["stage"]), int(state["dp"]), state["convention"], memory.parameters(model)
        ),
        "sizes": words.sizes(model),
        "copy": {"head": sharded.HEAD, "hidden": sharded.HIDDEN, "mlp": 2 * model["heads"]},
        "at": {"words": f"{int(state['step']) + 1} of 10"},
        "moments": words.moments(model, sp),
        "differ": [words.tiny(x) for x in run.away],
        "differ_most": words.tiny(max(run.away)),
        "holds": words.holds(model, held, copies, t, int(state["rank"])),
        "ladder": memory.ladder(model, sp, s),
        "sent": words.sent(meetings_of(model, run, s), model["meets"]),
    }


def cases() -> list[dict[str, Any]]:
    """Every shape of heads in the catalogue on every legal number of ranks, with and without sequence parallelism."""
    made, seen = [], set()
    rows = data()

    def view(n: int, sp: bool) -> str:
        return "zero" if sp and n % 3 == 1 else "layer"

    for row in rows["models"]:
        model = shapes.expand_row(row)
        form = form_of(model)
        if form in seen:
            continue
        seen.add(form)
        flags = form._replace(heads=0, kv_heads=0)
        both = flags not in seen  # one of each kind in full, others in turns
        seen.add(flags)
        for n, t in enumerate(legal(model)):
            more = {"stage": n % 4, "dp": 1 + 3 * n, "convention": ("16", "18", "20")[n % 3], "sequence": 840 * t}
            more |= {"model": row[0], "tp": t, "step": (3 * n + len(seen)) % 10, "rank": n - 1}
            turns = (False, True) if both else (bool((n + len(seen)) // 2 % 2),)
            made += [{**STATE, **more, "sequence_parallel": sp, "view": view(n, sp)} for sp in turns]
    return made
