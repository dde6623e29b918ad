"""Held-out text -> measured.json: tokens a step of both drafters, at each temperature and number of drafts.

    python explainers/speculative/measure.py novels.txt    # a few minutes of one core

Each prompt is the beginning of a paragraph that neither model was trained on; the pair continues it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from cutaway.explainers.next_token import forward, tokens
from cutaway.explainers.next_token import train as base
from cutaway.explainers.speculative import speculate

HERE = Path(__file__).parent
PROMPTS, PROMPT, WRITTEN = 48, 32, 64  # texts; tokens of each with <s>; tokens that are written after it
TEMPERATURES, DRAFTS = (0.0, 0.5, 1.0, 1.5), (1, 2, 4, 8)


def prompts(text: str) -> list[list[int]]:
    """The first tokens of paragraphs, evenly from all that are long enough."""
    encoded = [tokens.encode(line) for line in base.split(text)[1].splitlines()]
    usable = [ids for ids in encoded if len(ids) >= PROMPT]
    return [[tokens.FIRST, *usable[at * len(usable) // PROMPTS][: PROMPT - 1]] for at in range(PROMPTS)]


def measure(drafter: str, temperature: float, k: int, texts: list[list[int]]) -> dict[str, float | int | str]:
    """One row: steps, tokens, drafts that were looked at and accepted, and the mean overlap of p and q at those."""
    steps: list[speculate.Step] = []
    for at, ids in enumerate(texts):
        target = speculate.Session(forward.load())
        propose = (
            speculate.draft_with(speculate.Session(speculate.draft_model()))
            if drafter == "model"
            else speculate.draft_by_lookup(forward.load().config["vocab_size"])
        )
        steps += speculate.write(target, propose, ids, WRITTEN, k, temperature, at + 1)
    tried = [min(one.kept + 1, len(one.drafts)) for one in steps]
    overlaps = [
        float(np.minimum(one.p[i], one.q[i]).sum()) for one, many in zip(steps, tried, strict=True) for i in range(many)
    ]
    return {
        "drafter": drafter,
        "temperature": temperature,
        "k": k,
        "steps": len(steps),
        "tokens": sum(len(one.tokens) for one in steps),
        "tried": sum(tried),
        "accepted": sum(one.kept for one in steps),
        "overlap": round(sum(overlaps) / max(len(overlaps), 1), 6),
    }


def main(text: str) -> None:
    """Every row."""
    texts = prompts(Path(text).read_text("utf-8"))
    rows = []
    for drafter in ("model", "lookup"):
        for temperature in TEMPERATURES:
            for k in DRAFTS:
                rows.append(measure(drafter, temperature, k, texts))
                print(rows[-1], flush=True)
    facts = {"prompts": PROMPTS, "prompt": PROMPT, "written": WRITTEN}
    lines = ",\n".join(json.dumps(row) for row in rows)
    (HERE / "measured.json").write_text(f'{json.dumps(facts)[:-1]}, "rows": [\n{lines}\n]}}\n', "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
