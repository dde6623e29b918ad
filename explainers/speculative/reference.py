"""A text, a drafter and a temperature -> the steps of speculative decoding, one place opened, and what they are worth.

The target is the small llama of next-token; the drafter is a smaller one, or prompt lookup. Twin of compute.js.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from cutaway.explainers import data as data_of
from cutaway.explainers.legal_numbers import is_integer
from cutaway.explainers.next_token import forward, stored, tokens
from cutaway.explainers.speculative import places, speculate
from cutaway.explainers.speculative.steps import JUMP, PROMPT, RUN, WRITTEN, run_of, step_row, totals
from cutaway.explainers.speculative.worth import BATCHES, MOST, measured, measured_of, worth
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
DRAFTERS, TEMPERATURES, DRAWS, LONGEST = ("model", "lookup"), (0, 0.5, 1, 1.5), 999, 2000
DEVICE = "h100_sxm"
CONFIG = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
          "num_key_value_heads", "head_dim", "max_position_embeddings", "rms_norm_eps", "rope_theta")  # fmt: skip


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
