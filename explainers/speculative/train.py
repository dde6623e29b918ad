"""A text -> the draft model's weights: one layer of 64 numbers a token, with the tokens of next-token.

    python explainers/speculative/train.py novels.txt    # weights.bin, trained.json: minutes of one core
    python explainers/speculative/train.py novels.txt --steps 30    # only prints the hash of what 30 steps give

The text is that of next_token/corpus.py; batches, rates and what is held out are those of next_token/train.py. On one
thread, with seeded draws and deterministic kernels, the same processor makes the same bytes again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from pathlib import Path

import numpy as np

from cutaway.explainers.next_token import stored, tokens
from cutaway.explainers.next_token import train as base

HERE = Path(__file__).parent
STEPS = 3600


def train_weights(text: str, steps: int) -> None:
    """weights.bin and trained.json; only the hash is printed where fewer steps are asked for than planned."""
    import torch

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    trained, held = base.split(text)
    config = json.loads((HERE / "config.json").read_text("utf-8"))
    log: list[list[float]] = []
    model, began = base.build(config), time.time()
    ids, kept = np.array(tokens.encode(trained)), tokens.encode(held)
    base.train(model, ids, steps, STEPS, log)
    names, parameters = stored.shapes(config), model.state_dict()
    packed = stored.pack({name: parameters[name].numpy() for name in names})
    digest = hashlib.sha256(packed).hexdigest()
    print(f"{len(packed):,} bytes, sha256 {digest}", flush=True)
    if steps != STEPS:
        return
    shipped = {name: torch.from_numpy(array) for name, array in stored.unpack(packed, names).items()}
    model.load_state_dict(shipped, strict=False)
    facts = {
        "sha256": digest,
        "bits_per_byte": round(base.bits_per_byte(model, kept, len(held.encode())), 4),
        "steps": STEPS,
        "tokens_a_step": base.BATCH * config["max_position_embeddings"],
        "minutes": round((time.time() - began) / 60, 1),
        "log": log,
    }
    (HERE / "weights.bin").write_bytes(packed)
    (HERE / "trained.json").write_text(json.dumps(facts) + "\n", "utf-8")


def main() -> None:
    """The draft model's weights."""
    parser = argparse.ArgumentParser()
    parser.add_argument("text", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS, help="of the planned steps; fewer write nothing")
    asked = parser.parse_args()
    train_weights(asked.text.read_text("utf-8"), asked.steps)


if __name__ == "__main__":
    main()
