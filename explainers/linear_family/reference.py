"""A task, gates and a step -> the state of ten rules, what each key reads back, and the mean error of 64 streams."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from cutaway.explainers.legal_numbers import is_between
from cutaway.explainers.linear_family import formulas, gates, models, rules, streams

STATE: dict[str, Any] = {
    "task": "overwrite",
    "keys": "axes",  # or random directions
    "seed": 1,
    "step": 12,  # tokens read; as many as there are where the stream is shorter
    "decay": 0.95,  # of gates that are computed, at a token that writes
    "shut": 0.0,  # and at a separator
    "beta": 1.0,
    "input": 0.0,  # logarithm of mLSTM's input gate at later writes
    "head": 1,  # of RetNet and Lightning Attention, of eight
    "pause": 1,  # separators
    "rule": "mlstm",  # whose numbers are written out
    "sort": "paper",
    "layer": 0,  # of MiniMax-Text-01, whose half-lives are drawn
    "model": "moonshotai/Kimi-K3",
}
ROUNDED = 1e-11  # sums in another order, exp and ln of two languages
SEEDS, MOST_STEPS, PAUSES, INPUTS = (1, 99), 20, (1, 8), (0, 5)
KINDS, SORTS = ("axes", "random"), ("paper", "error", "mean")
LAYERS = (0, 20, 40, 60, 78)  # with Lightning Attention
MINIMAX = "MiniMaxAI/MiniMax-Text-01-hf"
PICKED = (  # drawn in the last beat: one model of each rule
    "MiniMaxAI/MiniMax-Text-01-hf", "Qwen/Qwen3-Next-80B-A3B-Instruct", "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16",
    "moonshotai/Kimi-K3", "NX-AI/xLSTM-7b", "fla-hub/rwkv7-2.9B-world",
)  # fmt: skip
STREAMS = 64
LEVEL, Z95 = 0.95, 1.96  # standard errors on either side of a mean that hold it so often
LETTERS = "ABCDEFGH"


def data() -> dict[str, Any]:
    """The rules with their formulas, the tasks, and the catalogue's models."""
    from cutaway.gallery import catalog, spec

    minimax = next(
        layer.mixer for layer in catalog.spec(MINIMAX).layers if isinstance(layer.mixer, spec.LightningAttention)
    )
    return {
        "rules": [
            {
                "name": rule.name, "label": rule.label, "gate": rule.gate, "erase": rule.erase, "source": rule.source,
                "formula": formulas.tree(rule.formula), "step": formulas.tree(rule.step),
            }
            for rule in rules.RULES
        ],
        "tasks": [task._asdict() | {key: list(getattr(task, key)) for key in ("first", "then", "dropped")}
                  for task in streams.TASKS],
        "models": models.table(),
        "picked": list(PICKED),
        "lightning": {
            "title": catalog.BY_SLUG[MINIMAX].title, "heads": minimax.num_heads, "layers": minimax.layers,
        },
        "layers": list(LAYERS),
        "letters": LETTERS,
    }  # fmt: skip


def beat_data(data: dict[str, Any], beat: Any) -> dict[str, Any]:
    """Formulas are the lab's, models the last beat's."""
    plain = [{**rule, "formula": [], "step": [], "source": ""} for rule in data["rules"]]
    keep = [one for one in data["models"] if beat.figure == "costs" or one[0] == STATE["model"]]
    return {**data, "rules": plain, "models": keep}


def check(state: dict[str, Any], data: dict[str, Any]) -> str:
    """The sentence that says what is legal, or ""."""
    choices = (("task", tuple(streams.BY_NAME)), ("keys", KINDS), ("rule", tuple(rules.PLACES)), ("sort", SORTS))
    for key, allowed in choices:
        if state[key] not in allowed:
            return f"The {key} is one of {', '.join(allowed)}."
    for key, (low, high) in (("seed", SEEDS), ("step", (0, MOST_STEPS)), ("head", (1, gates.HEADS)), ("pause", PAUSES)):
        if not is_between(state[key], low, high) or state[key] != int(state[key]):
            return f"The {key} is a whole number from {low} to {high}."
    for key, (low, high) in (("decay", (0, 1)), ("shut", (0, 1)), ("beta", (0, 1)), ("input", INPUTS)):
        if not is_between(state[key], low, high):
            return f"The {key} is a number from {low} to {high}."
    if isinstance(state["layer"], bool) or state["layer"] not in LAYERS:
        return f"The layer is one of {', '.join(map(str, LAYERS))}."
    if state["model"] not in [row[0] for row in data["models"]]:
        return "The model is one of the catalogue’s that have such a layer."
    return ""


def compute(state: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Everything the page prints."""
    task = streams.BY_NAME[state["task"]]
    stream = streams.tokens(task, state["pause"])
    step = min(int(state["step"]), len(stream))
    each, k, v = streams.vectors(task, state["pause"], state["keys"], int(state["seed"]))
    wanted = streams.targets(task, state["pause"], v, step)
    found = [row(rule, state, task, step, (each, k, v), wanted) for rule in rules.RULES]
    measured = [means(rule, state, task) for rule in rules.RULES]
    listed = [{**one, "mean": mean, "half": half} for one, (mean, half) in zip(found, measured, strict=True)]
    return {
        "stream": ["–" if key == streams.SEPARATOR else LETTERS[key] for key in stream],
        "now": step,
        "length": len(stream),
        "keys_read": [None if one is None else "zeros" if not one.any() else "value" for one in wanted],
        "target": quiet(wanted[0]) if wanted[0] is not None else [],
        "rules": listed,
        "order": order(listed, state["sort"]),
        "chosen": listed[rules.PLACES[state["rule"]]],
        "halves": halves(int(state["layer"]), data["lightning"]),
        "costs": [cost(one) for one in data["models"]],
        "cost": cost(next(one for one in data["models"] if one[0] == state["model"])),
        "streams": STREAMS,
        "level": LEVEL,
        "source": rules.RULES[rules.PLACES[state["rule"]]].source,
    }  # fmt: skip


def row(rule: rules.Rule, state: dict, task: streams.Task, step: int, vectors: tuple, wanted: list) -> dict[str, Any]:
    """One rule on the stream of the seed: its state after `step` tokens, this token's gate, what keys read."""
    each, k, v = vectors
    made = gates.gates(rule, state, task)
    matrix, norm = rules.run(rule, k, k, v, made)[0][step]
    reads = rules.read(rule, np.broadcast_to(matrix, (len(each), *matrix.shape)),
                       np.broadcast_to(norm, each.shape), each)  # fmt: skip
    errors = [
        0.0 if t is None else small(float(streams.recall_error(one, t))) for one, t in zip(reads, wanted, strict=True)
    ]
    counted = [error for error, t in zip(errors, wanted, strict=True) if t is not None]
    gate = made[max(step - 1, 0)]
    return {
        "name": rule.name, "label": rule.label, "state": quiet(matrix), "reads": quiet(reads[0]),
        "alphas": gate.alpha.tolist(), "low": float(gate.alpha.min()), "high": float(gate.alpha.max()),
        "write": float(gate.write[0]), "errors": errors,
        "error": small(sum(counted) / len(counted)) if counted else 0.0,
    }  # fmt: skip


def means(rule: rules.Rule, state: dict, task: streams.Task) -> tuple[float, float]:
    """(mean, half its 95 % interval) of the error at the end of 64 streams, seeds 1 to 64."""
    each, k, v, wanted = all_streams(task.name, int(state["pause"]), state["keys"])
    matrix, norm = rules.run(rule, k, k, v, gates.gates(rule, state, task))[0][-1]
    reads = rules.read(rule, matrix[:, None], norm[:, None], each)
    errors = streams.recall_error(reads, wanted).mean(axis=1)
    spread = math.sqrt(((errors - errors.mean()) ** 2).sum() / (STREAMS - 1))
    return small(float(errors.mean())), small(Z95 * spread / math.sqrt(STREAMS))


@cache
def all_streams(task: str, pause: int, kind: str) -> tuple[np.ndarray, ...]:
    """(keys, key and value of each token, what each key should read in the end) of seeds 1 to 64."""
    told = streams.BY_NAME[task]
    made = [streams.vectors(told, pause, kind, seed) for seed in range(1, STREAMS + 1)]
    wanted = [streams.targets(told, pause, v, len(v)) for _, _, v in made]
    return *(np.array(one) for one in zip(*made, strict=True)), np.array(wanted)


def small(number: float) -> float:
    """0 for what is rounding alone."""
    return number if number > 1e-10 else 0.0


def quiet(numbers: np.ndarray) -> list:
    """As lists, with rounding noise made 0."""
    return np.where(np.abs(numbers) < 1e-10, 0.0, numbers).tolist()


def order(listed: list[dict], sort: str) -> list[int]:
    """Places of the rules: as papers came, or by error to six decimals, then as papers came."""
    places = range(len(listed))
    return list(places) if sort == "paper" else sorted(places, key=lambda i: math.floor(listed[i][sort] * 1e6 + 0.5))


def halves(layer: int, lightning: dict[str, Any]) -> dict[str, Any]:
    """Tokens after which half of what was written is left: RetNet's eight heads, all heads of one Lightning layer."""
    retnet = [math.log(2) / -math.log(gates.retnet(head)) for head in range(1, gates.HEADS + 1)]
    many, layers = lightning["heads"], lightning["layers"]
    slopes = [gates.lightning_slope(head, many, layer, layers) for head in range(1, many + 1)]
    fading = [math.log(2) / slope for slope in slopes]
    return {
        "title": lightning["title"], "retnet": retnet, "lightning": fading,
        "retnet_ends": [retnet[0], retnet[-1]], "lightning_ends": [fading[0], fading[-1]],
    }  # fmt: skip


def cost(one: list) -> dict[str, Any]:
    """A model's row, with where its attention overtakes its state."""
    slug, title, rule, layers, of, state, token, attention = one
    return {
        "slug": slug, "title": title, "rule": rules.RULES[rules.PLACES[rule]].label, "layers": layers, "of": of,
        "state": state, "token": token, "attention": attention, "crossing": models.crossing(state, token),
        "text": f"{models.crossing(state, token):,}" if token else "no attention",
    }  # fmt: skip


def cases() -> list[dict[str, Any]]:
    """States for reference and widget alike: every task, ends of every slider, random ones."""
    rng = np.random.default_rng(31)
    made: list[dict[str, Any]] = [{"task": task, "step": step} for task in streams.BY_NAME for step in (0, 1, 8, 9, 20)]
    made += [{key: end, "task": "forget"} for key in ("decay", "shut", "beta") for end in (0, 0.0, 1, 1.0)]
    made += [{"task": "keep", "rule": rule, "sort": sort} for rule in rules.PLACES for sort in SORTS[1:]]
    made += [{"layer": layer} for layer in LAYERS] + [
        {"model": slug} for slug in ("Qwen/Qwen3-Next-80B-A3B-Instruct", "NX-AI/xLSTM-7b")
    ]
    for _ in range(60):
        made.append({
            "task": str(rng.choice(list(streams.BY_NAME))), "keys": str(rng.choice(KINDS)),
            "seed": int(rng.integers(1, 100)), "step": int(rng.integers(0, 21)),
            **{key: round(float(rng.uniform(0, 1)), 3) for key in ("decay", "shut", "beta")},
            "input": round(float(rng.uniform(0, 5)), 2), "head": int(rng.integers(1, 9)),
            "pause": int(rng.integers(1, 9)), "sort": str(rng.choice(SORTS)),
        })  # fmt: skip
    return made


def bad_cases() -> list[dict[str, Any]]:
    """States that are refused."""
    return [{"step": 1.5}, {"step": 21}, {"pause": 9}, {"pause": 0}, {"head": 9}, {"seed": 100}, {"decay": 1.01},
            {"input": 6}, {"layer": 7}, {"layer": True}, {"model": "x/y"}, {"task": "x"}, {"seed": True}]  # fmt: skip
