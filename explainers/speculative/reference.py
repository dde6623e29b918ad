"""A text, a drafter and a temperature -> the steps of speculative decoding, one place opened, and what they are worth.

The target is the small llama of next-token; the drafter is a smaller one, or prompt lookup. Twin of compute.js.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from functools import cache
from typing import Any

from cutaway.explainers import data as data_of
from cutaway.explainers.next_token import forward, stored, tokens
from cutaway.explainers.speculative import places, speculate
from cutaway.gallery.planning.devices import DEVICES

STATE: dict[str, Any] = {
    "text": "Have you seen Captain",
    "drafter": "model",  # or "lookup"
    "k": 4,  # drafts a step
    "temperature": 1.0,
    "draw": 18,  # which random numbers
    "step": 0,  # the step that is opened
    "place": 2,  # and its draft
    "cost": 0.1,  # a pass of the drafter over one of the target, as time
    "batch": 1,  # sequences in a pass
}
ROUNDED = 1e-9  # sums in another order
DRAFTERS, TEMPERATURES, MOST, DRAWS, LONGEST = ("model", "lookup"), (0, 0.5, 1, 1.5), 8, 999, 2000
PROMPT, JUMP, WRITTEN = 64, 16, 24  # tokens of the text that are used, <s> among them; tokens that are written
BATCHES = tuple(2**power for power in range(11))
DEVICE = "h100_sxm"
CONFIG = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
          "num_key_value_heads", "head_dim", "max_position_embeddings", "rms_norm_eps", "rope_theta")  # fmt: skip
RUN = ("text", "drafter", "k", "temperature", "draw")  # the keys that a run depends on


@cache
def measured() -> dict[str, Any]:
    """What measure.py counted."""
    return json.loads((speculate.HERE / "measured.json").read_text("utf-8"))


def window(text: str) -> tuple[list[int], int]:
    """The tokens that are used, <s> first, and how many of the text were dropped before them, in jumps of 16."""
    ids = tokens.encode(text)
    dropped = -(-max(0, len(ids) - PROMPT + 1) // JUMP) * JUMP
    return [tokens.FIRST, *ids[dropped:]], dropped


@cache
def run(text: str, drafter: str, k: int, temperature: float, draw: int) -> tuple[list[int], int, list[speculate.Step]]:
    """The text's tokens, how many were dropped, and the steps that continue it."""
    ids, dropped = window(text)
    target = forward.load()
    propose = (
        speculate.draft_with(speculate.Session(speculate.draft_model()))
        if drafter == "model"
        else speculate.draft_by_lookup(target.config["vocab_size"])
    )
    return ids, dropped, speculate.write(speculate.Session(target), propose, ids, WRITTEN, k, temperature, draw)


def run_of(state: dict[str, Any]) -> tuple[list[int], int, list[speculate.Step]]:
    """The run of a state."""
    return run(*(state[key] for key in RUN))


def draft_row(step: speculate.Step, at: int) -> dict[str, Any]:
    """One draft: what both models give it, its number, and what became of it."""
    token = step.drafts[at]
    p, q = float(step.p[at][token]), float(step.q[at][token])
    verdict = "accepted" if at < step.kept else "rejected" if at == step.kept else "discarded"
    numbers = {"p": p, "q": q, "accept": speculate.acceptance(p, q), "u": step.numbers[at]}
    return {**places.token_of(token), **numbers, "verdict": verdict}


def step_row(step: speculate.Step) -> dict[str, Any]:
    """One step: its drafts, and the token after those that are accepted."""
    rejected = step.kept < len(step.drafts)
    p, from_ = step.p[step.kept], step.p[step.kept]
    if rejected:
        from_ = speculate.residual(p, step.q[step.kept])
    last = {**places.token_of(step.last), "p": float(p[step.last]), "share": float(from_[step.last]), "u": step.number}
    return {
        "start": step.start,
        "drafts": [draft_row(step, at) for at in range(len(step.drafts))],
        "kept": step.kept,
        "last": {**last, "kind": "correction" if rejected else "bonus" if step.drafts else "no draft"},
        "yield": step.kept + 1,
    }


def totals(steps: list[speculate.Step]) -> dict[str, Any]:
    """What a run counted."""
    written = sum(len(one.tokens) for one in steps)
    tried = sum(min(one.kept + 1, len(one.drafts)) for one in steps)
    accepted, drafted = sum(one.kept for one in steps), sum(len(one.drafts) for one in steps)
    return {
        "steps": len(steps),
        "tokens": written,
        "per_step": written / len(steps),
        "drafted": drafted,
        "tried": tried,
        "unchecked": drafted - tried,
        "accepted": accepted,
        "rate": accepted / tried if tried else 0.0,
    }


def measured_of(state: dict[str, Any]) -> dict[str, Any]:
    """What was measured on held-out text with this drafter and temperature, and how the formula compares.

    `alpha` is the share of steps whose first draft is accepted, `rate` that of the checked drafts, both at one draft;
    `empty` is the share of steps without a draft. `formula` is a dash where it is fitted or does not apply.
    """
    rows = [
        row
        for row in measured()["rows"]
        if row["drafter"] == state["drafter"] and row["temperature"] == state["temperature"]
    ]
    one = rows[0]
    alpha = one["accepted"] / one["steps"]
    table = [
        {
            "k": row["k"],
            "steps": row["steps"],
            "per_step": row["tokens"] / row["steps"],
            "expected": speculate.expected(alpha, row["k"]),
            "formula": speculate.expected(alpha, row["k"]) if state["drafter"] == "model" and row["k"] > 1 else "–",
        }
        for row in rows
    ]
    counted = {
        "checked": one["tried"],
        "rate": one["accepted"] / one["tried"],
        "empty": 1 - one["tried"] / one["steps"],
    }
    return {"alpha": alpha, **counted, "rows": table}


def worth(state: dict[str, Any], alpha: float, ridge: float) -> dict[str, Any]:
    """Tokens a step and the speed-up by the formulas, over numbers of drafts and over batches."""
    cost, batch = state["cost"] if state["drafter"] == "model" else 0.0, state["batch"]
    speeds = [
        {
            "k": k,
            "expected": speculate.expected(alpha, k),
            "speedup": speculate.speedup(alpha, k, cost, batch, ridge),
        }
        for k in range(1, MOST + 1)
    ]
    best = max(speeds, key=lambda row: row["speedup"])
    sizes = [{"batch": b, "speedup": speculate.speedup(alpha, state["k"], cost, b, ridge)} for b in BATCHES]
    slower = next(
        (b for b in range(1, BATCHES[-1] + 1) if speculate.speedup(alpha, state["k"], cost, b, ridge) <= 1), 0
    )
    return {
        "cost": cost,
        "now": speeds[state["k"] - 1],
        "alone": speculate.speedup(alpha, state["k"], cost),
        "rows": speeds,
        "best": best,
        "sizes": sizes,
        "slower": slower,
        "each": state["k"] + 1,
        "full": math.ceil(ridge / (state["k"] + 1)),
    }


def compute(state: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Everything the page prints."""
    ids, dropped, steps = run_of(state)
    known = measured_of(state)
    at = min(state["step"], len(steps) - 1)
    place = min(state["place"], max(len(steps[at].drafts) - 1, 0))
    return {
        "prompt": [tokens.name_of(one) for one in ids],
        "dropped": dropped,
        "steps": [step_row(one) for one in steps],
        "at": at,
        "look": places.look(steps[at], place),
        "totals": totals(steps),
        "measured": known,
        "worth": worth(state, known["alpha"], data["facts"]["ridge"]),
        "facts": data["facts"],
    }


def check(state: dict[str, Any]) -> str:
    """The sentence that says what is legal, or ""."""
    if len(state["text"].encode("utf-16-le", "surrogatepass")) > 2 * LONGEST:
        return (
            f"Shorten the text to {LONGEST:,} characters. The model reads its last {PROMPT - JUMP} to {PROMPT - 1} "
            "tokens; the run below is of the earlier text."
        )
    if state["drafter"] not in DRAFTERS:
        return "A drafter is model or lookup."
    if isinstance(state["temperature"], bool) or state["temperature"] not in TEMPERATURES:
        return "The temperature is 0, 0.5, 1 or 1.5."
    for key, least, most, named in (
        ("k", 1, MOST, "The number of drafts"),
        ("draw", 1, DRAWS, "A draw"),
        ("step", 0, WRITTEN - 1, "A step"),
        ("place", 0, MOST - 1, "A place"),
        ("batch", 1, BATCHES[-1], "A batch"),
    ):
        if not is_integer(state[key], least, most):
            return f"{named} is a whole number from {least} to {most:,}."
    return "" if 0 <= state["cost"] <= 1 else "The cost of a draft is a number from 0 to 1."


def is_integer(value: object, low: int, high: int) -> bool:
    """Whether a value is a whole number in a range; a float that is whole counts, as in JavaScript."""
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and value == int(value) and low <= value <= high
    )


# ---------------------------------------------------------------- what the page starts from


def facts() -> dict[str, Any]:
    """Both models in numbers, what was measured, and where the device's pass stops being bound by its memory."""
    draft, target, device, said = speculate.draft_model().config, forward.load().config, DEVICES[DEVICE], measured()
    count = lambda config: sum(a * b for a, b in map(stored.rows_of, stored.shapes(config).values()))  # noqa: E731
    return {
        "target": count(target),
        "draft": count(draft),
        "ratio": count(draft) / count(target),
        "layers": target["num_hidden_layers"],
        "draft_file": len((speculate.HERE / "weights.bin").read_bytes()),
        "target_file": data_of("next-token")["facts"]["file"],
        "bits_per_byte": json.loads((speculate.HERE / "trained.json").read_text("utf-8"))["bits_per_byte"],
        "target_bits_per_byte": data_of("next-token")["facts"]["bits_per_byte"],
        "prompts": said["prompts"],
        "written": said["written"],
        "samples": places.SAMPLES,
        "tflops": device.peaks["bfloat16"] / 1e12,
        "tb": device.bandwidth_bytes / 1e12,
        "ridge": device.peaks["bfloat16"] / device.bandwidth_bytes,
    }


def known_run(state: dict[str, Any], looks: tuple[tuple[int, int], ...]) -> dict[str, Any]:
    """A run that the page has before any weights are there, and some of its places."""
    ids, dropped, steps = run_of(state)
    return {
        "of": {key: state[key] for key in RUN},
        "run": {
            "prompt": [tokens.name_of(one) for one in ids],
            "dropped": dropped,
            "steps": [step_row(one) for one in steps],
            "totals": totals(steps),
        },
        "looks": [{"at": [step, place], "look": places.look(steps[step], place)} for step, place in looks],
    }


def data() -> dict[str, Any]:
    """Both configs, what was measured, the first run, and apart from the page the weights and merges."""
    target = data_of("next-token")
    draft = (speculate.HERE / "weights.bin").read_bytes()
    return {
        "config": {key: speculate.draft_model().config[key] for key in CONFIG},
        "target": {"config": target["config"], "digest": target["digest"]},
        "facts": facts(),
        "measured": measured()["rows"],
        "known": [known_run(STATE, ((0, STATE["place"]),))],
        "digest": hashlib.sha256(draft).hexdigest()[:7],
        "apart": {"draft": base64.b64encode(draft).decode(), **target["apart"]},
    }


def separate_files() -> list[str]:
    """The names of the files apart."""
    return ["draft", "weights", "merges"]


# ---------------------------------------------------------------- states that both languages are held to


def cases() -> list[dict[str, Any]]:
    """Texts of all kinds, both drafters, every temperature and number of drafts."""
    texts = ("", "She was", "Mr. Darcy and Mr. Darcy and Mr.", "q😀 naïve\n\n", "Emma " * 140)
    rows: list[dict[str, Any]] = [{"text": text, "step": 2, "place": 3} for text in texts]
    rows += [{"drafter": "lookup", "text": text, "temperature": 0, "batch": 64} for text in texts]
    for at in range(48):
        way = {"k": 1 + at % 8, "temperature": TEMPERATURES[at // 2 % 4], "draw": 1 + 7 * at, "text": texts[1 + at % 2]}
        shown = {"step": at % 24, "place": at % 8, "cost": at / 48, "batch": 2 ** (at % 11)}
        rows.append({**way, **shown, "drafter": DRAFTERS[at % 3 == 0]})
    return rows


def bad_cases() -> list[dict[str, Any]]:
    """States that are refused."""
    wrong: list[dict[str, Any]] = [
        {"text": "a" * (LONGEST + 1)},
        {"drafter": "eagle"},
        {"k": 9},
        {"k": 0},
        {"temperature": 0.7},
        {"draw": 0},
    ]
    return [*wrong, {"step": 24}, {"place": 1.5}, {"cost": -0.1}, {"batch": 2048}]
