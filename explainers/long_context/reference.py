"""A model, a storage and a length -> what each layer keeps, what the newest token reads of it, and its arithmetic.

Bytes and FLOP are the gallery's: models.py reads them off each model once, counting.py adds them up.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from cutaway.explainers import data as cached
from cutaway.explainers import fmt
from cutaway.explainers.long_context import claims, counting, models, ruler, scenes

find, mix = counting.find, scenes.mix
V32, PRO, GEMMA, V3 = claims.V32, claims.PRO, scenes.GEMMA, "deepseek-ai/DeepSeek-V3"
LLAMA, K3 = "meta-llama/Llama-3.1-70B", "moonshotai/Kimi-K3"
SUPER = "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16"

STATE = {
    "model": V32,
    "storage": "bf16",
    "tokens": 2**20,  # the newest one included
    "batch": 1,  # sequences
    "window": 1024,  # of Gemma 4's windows, and of the window on the ruler
    "topk": 2048,  # entries that V3.2's indexer lets a token read; 0 = all
}
CONTEXT = "tokens"  # the key that says how many tokens there are
ROUNDED = 1e-12
MOST, MILLION = scenes.MOST, scenes.MILLION
BATCHES, WINDOWS, TOPKS = (1, 8, 64), (128, 512, 1024, 4096), (0, 512, 2048, 8192)
EXAMPLES = (  # key, model, how the kind's name begins, what a beat calls it
    ("mha", "allenai/OLMo-2-1124-7B-Instruct", "full", "full"), ("gqa", LLAMA, "full", "full"),
    ("mla", V3, "latent", "latent"), ("chunk", "meta-llama/Llama-4-Scout-17B-16E", "chunk", "chunk"),
    ("window", GEMMA, "window", "window"), ("dsa", V32, "indexer", "indexer"), ("csa", PRO, "CSA", "CSA"),
    ("hca", PRO, "HCA", "HCA"), ("state", SUPER, "state", "state"), ("raw", PRO, "CSA", "window"),
)  # fmt: skip
BARS = (
    LLAMA, V32, GEMMA, "Qwen/Qwen3.6-27B", "openai/gpt-oss-120b", K3, "Qwen/Qwen3-Next-80B-A3B-Instruct", PRO, SUPER,
    "moonshotai/Kimi-Linear-48B-A3B-Instruct",
)  # fmt: skip
HYBRIDS = (
    SUPER, "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "Qwen/Qwen3-Next-80B-A3B-Instruct", K3,
    "moonshotai/Kimi-Linear-48B-A3B-Instruct", "inclusionAI/Ling-3.0-flash", "inclusionAI/Ling-2.5-1T",
    "LiquidAI/LFM2-1.2B",
)  # fmt: skip


def data() -> dict:
    """The models, the kinds on the ruler, what may be chosen, and what others published."""
    made = models.table()
    examples = [[key, slug, place(find(slug, made), made, begins), short] for key, slug, begins, short in EXAMPLES]
    storages = [[key, words] for key, (_, words, _) in counting.STORAGES.items()]
    more = {"examples": examples, "bars": list(BARS), "hybrids": list(HYBRIDS), "storages": storages}
    return made | more | {"claims": claims.rows(made, find)}


BEATS = (
    LLAMA, "meta-llama/Llama-3.1-8B", "meta-llama/Meta-Llama-3.1-405B", V32, PRO, GEMMA,
    *(slug for slug in HYBRIDS if "Nano" not in slug and "Ling-2.5" not in slug), *(slug for _, slug, *_ in EXAMPLES),
)  # fmt: skip


def beat_data(data: dict, beat: object) -> dict:
    """What a beat alone needs of the data: the models that beats are about, not all."""
    places = [place for place, slug in enumerate(data["models"]["slug"]) if slug in BEATS]
    models = {name: [values[place] for place in places] for name, values in data["models"].items()}
    return {**data, "models": models, "bars": [], "hybrids": [], "claims": []}


def place(model: dict, data: dict, begins: str) -> int:
    """Which of a model's kinds has a name that begins so."""
    return next(i for i, (name, *_) in enumerate(model["kinds"]) if data["names"][name][0].startswith(begins))


def check(state: dict, data: dict) -> str:
    """The sentence that says what is legal, or nothing."""
    if not find(state["model"], data):
        return f"No model here is called “{state['model']}”; choose one from the list."
    if state["storage"] not in counting.STORAGES:
        return f"A storage is one of {', '.join(counting.STORAGES)}."
    if not is_integer(state["tokens"]) or not 1 <= state["tokens"] <= MOST:
        return f"Tokens are a whole number from 1 to {MOST:,}."
    for key, legal in (("batch", BATCHES), ("window", WINDOWS), ("topk", TOPKS)):
        if not is_integer(state[key]) or state[key] not in legal:
            return f"{key} is one of {', '.join(map(str, legal))}."
    return ""


def is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# ---------------------------------------------------------------- one model


def write_number(x: float) -> str:
    """160, 4.5 or 788.44."""
    return fmt.fixed(x, 0 if x == int(x) else 1 if 10 * x == int(10 * x) else 2)


def slope_words(kinds: list[dict]) -> str:
    """30 × 160 + 31 × 4.5."""
    found = [f"{kind['count']} × {write_number(kind['slope'])}" for kind in kinds if kind["slope"]]
    return " + ".join(found) or "nothing grows without limit"


def one_model(state: dict, model: dict, kinds: list[dict]) -> dict[str, Any]:
    """Bytes of all layers and the arithmetic of a token."""
    keeps, reads = counting.sum_layers(kinds, "keeps"), counting.sum_layers(kinds, "reads")
    index, reading = counting.work(model, state["tokens"])
    past = index + reading
    each = counting.per_past(model)
    million = sum(counting.work(model, MILLION))
    return {
        "title": model["title"],
        "layers": len(model["stack"]),
        "longest": model["longest"],
        "kept": keeps * state["batch"],
        "still": (keeps - counting.sum_layers(kinds, "growing")) * state["batch"],
        "slope": write_number(counting.sum_layers(kinds, "slope")),
        "formula": slope_words(kinds),
        "reads": reads,
        "index": counting.sum_layers(kinds, "index"),
        "read_share": reads / keeps if keeps else 0,
        "weights_gflop": model["weights"] / 1e9,
        "states_gflop": model["states"] / 1e9,
        "index_gflop": index / 1e9,
        "read_gflop": reading / 1e9,
        "past_gflop": past / 1e9,
        "all_gflop": (model["weights"] + model["states"] + past) / 1e9,
        "past_share": past / (model["weights"] + model["states"] + past),
        "each_mflop": each / 1e6,
        "million_gflop": million / 1e9,
        "crossing": ceil((model["weights"] + model["states"]) / each) if each else 0,
    }


# ---------------------------------------------------------------- the ruler


def ruler_rows(state: dict, data: dict) -> list[dict[str, Any]]:
    """Every example kind of layer: what one keeps and reads, and its bars."""
    made = []
    for key, slug, kind, short in data["examples"]:
        model = find(slug, data)
        name, *places = model["kinds"][kind]
        rows, words = [list(data["rows"][one]) for one in places], data["names"][name]
        label = words[0]
        if key == "window":
            rows[0][counting.CAP], label = state["window"], f"window of {fmt.integer(state['window'])}"
        if key == "dsa":
            for row in rows:
                row[counting.TOP] = state["topk"] if row[counting.KIND] == "kv" else 0
            label = f"indexer, top {fmt.integer(state['topk'])}" if state["topk"] else "indexer, reads all"
        if key == "raw":
            rows = [row for row in rows if row[counting.KIND] == "kv"]
            label = f"window of {rows[0][counting.CAP]}"
        drawn = [row for row in rows if key == "raw" or key not in ("csa", "hca") or row[counting.KIND] != "kv"]
        found = counting.layer(rows, 1, state["tokens"], state["storage"])
        read = [row for row in drawn if row[counting.KIND] != "index" and not row[counting.FIXED]]
        made.append({
            "key": key, "short": short, "name": label, "title": model["title"],
            "role": "window" if key == "raw" else words[1], "reads": found["reads"], "keeps": found["keeps"],
            "entries": sum(counting.entries(row, state["tokens"]) for row in read),
            "read": sum(counting.count_read(row, state["tokens"]) for row in read),
            "bars": ruler.bars(drawn, state["tokens"]),
        })  # fmt: skip
    return made


# ---------------------------------------------------------------- everything


def compute(state: dict, data: dict) -> dict:
    """Everything the page prints."""
    model, tokens, storage = find(state["model"], data), state["tokens"], state["storage"]
    kinds = counting.layers(model, data, tokens, storage)
    of, spans = one_model(state, model, kinds), ruler.spans(tokens)
    beside = [find(slug, data) for slug in data["bars"]]
    bars = [
        {"title": one["title"], "bytes": state["batch"] * counting.cache_bytes(one, data, tokens, "bf16")}
        for one in beside
    ]
    mine = {"title": of["title"] + counting.SHORT[storage], "bytes": of["kept"]}
    return {
        "of": of,
        "kinds": [{**kind, "at": i} for i, kind in enumerate(kinds)],
        "stack": model["stack"],
        "mix": mix(model, data, state["batch"]),
        "cross": [mix(find(slug, data), data) for slug in data["hybrids"]],
        "gemma": scenes.gemma(state, data),
        "indexer": scenes.indexer(state, data),
        "pair": scenes.pair(state, data),
        "bars": [*bars, mine],
        "least": scale_start([*bars, mine]),
        "spans": spans,
        "nearer": [spans[0] / spans[1], spans[1] / spans[2]],
        "ruler": ruler_rows(state, data),
        "claims": [{"ours": row[3]} for row in data["claims"]],
    }


def scale_start(bars: list[dict]) -> int:
    """Where a log scale begins: the power of ten below the shortest bar."""
    found, shortest = 1, min(bar["bytes"] for bar in bars)
    while 10 * found <= shortest:
        found *= 10
    return found


def cases(seed: int = 11) -> list[dict]:
    """Random states over every model; a few are illegal."""
    rng = np.random.default_rng(seed)
    pick = lambda options: options[int(rng.integers(len(options)))]  # noqa: E731
    found: list[dict] = [{"model": "no/such"}, {"storage": "paper"}, {"tokens": 0}, {"window": 7}, {"topk": 1}]
    for slug in cached("long-context")["models"]["slug"]:
        near = (1, 127, 128, 1000, 4096, 8191, 8193, MILLION, MILLION + 1, MOST)
        found.append({
            "model": slug, "storage": pick(list(counting.STORAGES)), "batch": pick(BATCHES),
            "tokens": pick(near) if rng.integers(3) else int(rng.integers(1, MOST)),
            "window": pick(WINDOWS), "topk": pick(TOPKS),
        })  # fmt: skip
    return found
