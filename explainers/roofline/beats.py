"""What the beats of roofline ask, say and draw: answers, captions, goals and figures by name. Twin of beats.js."""

from __future__ import annotations

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import no
from cutaway.explainers.roofline import bars, reference, roof

LIMIT, BATCH, CONTEXT = 25, 64, 8192  # milliseconds; the load of the first goal
LLAMA, V3 = "meta-llama/Llama-3.1-8B", "deepseek-ai/DeepSeek-V3"


def at(state: dict, data: dict) -> dict:
    return {**state, **reference.compute(state, data)}


def moves(state: dict, data: dict) -> int:
    """Where the past's point goes when a batch grows from 1 to 64: 0 right, 1 it stays, 2 left."""
    one, many = (at({**state, "batch": n}, data)["past"]["intensity"] for n in (1, BATCH))
    return 1 if abs(many - one) <= 1e-9 * one else 0 if many > one else 2


answers = {"moves": moves}


# ---------------------------------------------------------------- captions


def one(state: dict, data: dict) -> str:
    """Bytes over bandwidth against arithmetic over peak."""
    now = at(state, data)
    total, tb = now["total"], state["gpus"] * now["device"]["tb"]
    made = total["flops"] / total["flops_ms"] / 1e9 if total["flops_ms"] else 0.0
    reads, makes = f"{fmt.num(tb, 3)} TB a second", f"{fmt.fixed(made, 0)} TFLOP a second"
    read = f"{fmt.in_bytes(total['bytes'])} ÷ {reads} = {fmt.fixed(total['bytes_ms'], 2)} ms"
    return f"**Bytes: {read}.** Arithmetic: {total['work']} ÷ {makes} = {fmt.fixed(total['flops_ms'], 4)} ms."


def climbed(state: dict, data: dict) -> str:
    """What a larger batch costs, and what it brings."""
    now = at(state, data)
    many = "sequence makes" if state["batch"] == 1 else "sequences make"
    mlp = f"{fmt.integer(state['batch'])} {many} {fmt.fixed(now['mlp']['intensity'], 0)} FLOP of each byte of the MLPs"
    wait = "They wait for memory" if now["mlp"]["intensity"] < now["mlp"]["ridge"] else "They wait for arithmetic"
    return f"**{mlp}, in {now['mlp']['time']}.** {wait}: the ridge is at {fmt.fixed(now['mlp']['ridge'], 0)}."


def stayed(state: dict, data: dict) -> str:
    """The point of the past, and what it is."""
    now = at(state, data)
    past, many = now["past"], fmt.integer(state["batch"])
    each = f"{fmt.num(past['intensity'], 3)} FLOP a byte with {many} sequence{'' if state['batch'] == 1 else 's'}"
    gets = fmt.percent(past["tflops"] / (now["device"]["plain"] / 1e12))
    why = "Every sequence reads its own past, so more of them bring more bytes as well."
    return f"**{now['title']}: {each}.** {why} It gets {gets} of the peak."


captions = {"one": one, "climbed": climbed, "stayed": stayed}


# ---------------------------------------------------------------- goals


def serve(state: dict, data: dict) -> dict:
    """64 sequences of 8,192 tokens on one GPU in 25 ms, all of it in memory."""
    asked = (state["model"], state["job"], state["gpus"], state["batch"], state["context"])
    if asked != (LLAMA, "decode", 1, BATCH, CONTEXT):
        return no("This goal is about Llama 3.1 8B decoding 64 sequences of 8,192 tokens on one GPU.")
    now = at(state, data)
    name = now["device"]["title"]
    took = f"a step takes {fmt.fixed(now['total']['ms'], 2)} ms"
    held = f"{fmt.in_bytes(now['room']['held'])} of {fmt.in_bytes(now['room']['room'])}"
    if not now["room"]["fits"]:
        return no(f"On {name} {took}, but weights and cache would fill {held}. What could be smaller, or larger?")
    if now["total"]["ms"] > LIMIT:
        return no(f"On {name} it fits, {held}, but {took}.")
    other = (
        "A GPU with more memory does it in 16 bits." if state["kv"] == "fp8" else "A smaller cache does it on an H100."
    )
    return {"reached": True, "says": f"Reached on {now['device']['title']}: {took} and fills {held}. {other}"}


def turned(state: dict, data: dict) -> dict:
    """DeepSeek V3's attention past the ridge while it decodes."""
    if (state["model"], state["job"]) != (V3, "decode"):
        return no("This goal is about DeepSeek V3, decoding.")
    now = at(state, data)
    got, ridge = (fmt.integer(round(x)) for x in (now["past"]["intensity"], now["device"]["plain_ridge"]))
    where = f"{got} FLOP a byte, and the ridge of {now['device']['title']} in 16 bits is {ridge}"
    if now["past"]["intensity"] <= now["device"]["plain_ridge"]:
        return no(f"{where}: it waits for its cache.")
    other = (
        "Some devices need no smaller cache." if state["kv"] == "fp8" else "A cache in FP8 would do it on more of them."
    )
    return {"reached": True, "says": f"Reached: {where}. {other}"}


goals = {"serve": serve, "turned": turned}
reach = {
    "serve": [{"batch": 64, "gpu": "h200_sxm"}, {"batch": 64, "kv": "fp8"}],
    "turned": [{"model": V3, "gpu": "h200_sxm"}, {"model": V3, "kv": "fp8"}],
}


# ---------------------------------------------------------------- figures


def token(state: dict, data: dict, bet: str = "") -> str:
    """Every block; while the bet is open without its time."""
    return bars.blocks(at(state, data), "time" if bet == "open" else "")


def prompt(state: dict, data: dict, bet: str = "") -> str:
    """The same of a prompt; while the bet is open without its arithmetic."""
    return bars.blocks(at(state, data), "work" if bet == "open" else "")


def climb(state: dict, data: dict, bet: str = "") -> str:
    """The MLPs under the roof; while the bet is open without ridge and axis."""
    return roof.roof(at(state, data), ("mlp",), bet == "open")


def both(state: dict, data: dict) -> str:
    """MLPs and the past."""
    return roof.roof(at(state, data), ("mlp", "past"))


def experts(state: dict, data: dict) -> str:
    """The matrices of attention and the experts."""
    return roof.roof(at(state, data), ("mixer", "mlp"))


def reads(state: dict, data: dict) -> str:
    """Weights and cache of a step."""
    return bars.reads(at(state, data))


figures = {"token": token, "climb": climb, "both": both, "reads": reads, "experts": experts, "prompt": prompt}
