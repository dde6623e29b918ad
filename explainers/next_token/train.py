"""A text -> the tokenizer's merges and the weights of a small llama, in int8 with a scale for every row.

    python explainers/next_token/train.py tokens novels.txt     # merges.txt: corpus.py makes the text
    python explainers/next_token/train.py weights novels.txt    # weights.bin, trained.json: eleven minutes of one core
    python explainers/next_token/train.py weights novels.txt --steps 30   # only prints the hash of what 30 steps give

The extra `prove` (torch 2.13.0, transformers 5.23.0, tokenizers 0.23) trains it. On one thread, with seeded draws and
deterministic kernels, the same processor makes the same bytes again: trained.json has their hash. The last twentieth of
each novel is held out before anything is counted or trained.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import math
import time
from pathlib import Path

import numpy as np

from cutaway.explainers.next_token import stored, tokens

HERE = Path(__file__).parent
SEED, STEPS, BATCH, RATE, WARM, DECAY = 0, 2400, 8, 3e-3, 100, 0.1
HELD_OUT = 0.05


def split(text: str) -> tuple[str, str]:
    """What is trained on, and what is held out: the last twentieth of the paragraphs of each novel."""
    parts: tuple[list[str], list[str]] = [], []
    for novel in text.split("\n\n"):
        lines = novel.splitlines()
        cut = round(len(lines) * (1 - HELD_OUT))
        parts[0].extend(lines[:cut])
        parts[1].extend(lines[cut:])
    return "\n".join(parts[0]) + "\n", "\n".join(parts[1]) + "\n"


def train_tokens(text: str) -> None:
    """merges.txt: the pairs of pieces that byte-pair encoding joins, the most frequent first."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    made = Tokenizer(models.BPE())
    cut = pre_tokenizers.Split(Regex(tokens.WORDS), "isolated")
    made.pre_tokenizer = pre_tokenizers.Sequence([cut, pre_tokenizers.ByteLevel(False, use_regex=False)])
    made.decoder = decoders.ByteLevel()
    size = json.loads((HERE / "config.json").read_text("utf-8"))["vocab_size"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        text.splitlines(keepends=True),
        trainers.BpeTrainer(vocab_size=size - 1, initial_alphabet=alphabet, show_progress=False),
    )
    merges = json.loads(made.to_str())["model"]["merges"]
    (HERE / "merges.txt").write_text("".join(f"{a} {b}\n" for a, b in merges), "utf-8")


def build(config: dict):
    """The decoder before training, in transformers' own class."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(SEED)
    return LlamaForCausalLM(LlamaConfig(**config, attn_implementation="sdpa"))


def draw_batches(ids: np.ndarray, length: int, steps: int):
    """For each step BATCH rows: the first token, then a stretch of the text, half of them from a paragraph's start."""
    rng = np.random.default_rng(SEED)
    starts = np.flatnonzero(ids == tokens.NEWLINE) + 1
    starts = starts[starts < len(ids) - length]
    for _ in range(steps):
        at = np.concatenate([rng.choice(starts, BATCH // 2), rng.integers(0, len(ids) - length, BATCH - BATCH // 2)])
        rows = ids[at[:, None] + np.arange(length)]
        yield np.concatenate([np.full((BATCH, 1), tokens.FIRST), rows], 1)


def rate_at(step: int, steps: int) -> float:
    """The learning rate: up in a line, down along a cosine to a fiftieth."""
    if step < WARM:
        return RATE * (step + 1) / WARM
    share = (step - WARM) / max(steps - WARM, 1)
    return RATE * (0.02 + 0.98 * (1 + math.cos(math.pi * share)) / 2)


def train(model, ids: np.ndarray, steps: int, planned: int, log: list) -> None:
    """AdamW on batches drawn from a seed; what is a vector (norms) does not decay."""
    import torch
    from torch.nn import functional as F

    decays = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim == 1]
    groups = [{"params": decays, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, RATE, betas=(0.9, 0.98))
    began = time.time()
    for step, batch in enumerate(draw_batches(ids, model.config.max_position_embeddings, steps)):
        rows = torch.from_numpy(batch)
        logits = model(rows[:, :-1]).logits
        loss = F.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, planned)
        optimizer.step()
        if step % 100 == 99 or step == 0:
            log.append([step + 1, round(loss.item(), 4)])
            print(step + 1, f"{loss.item():.4f}", f"{time.time() - began:.0f} s", flush=True)


def bits_per_byte(model, ids: list[int], count: int) -> float:
    """Held-out bits per byte of text: windows one after another, each token predicted once, from at most a window."""
    import torch
    from torch.nn import functional as F

    length, nats = model.config.max_position_embeddings, 0.0
    with torch.no_grad():
        for at in range(0, len(ids), length):
            rows = torch.tensor([[tokens.FIRST, *ids[at : at + length]]])
            nats += F.cross_entropy(model(rows[:, :-1]).logits[0], rows[0, 1:], reduction="sum").item()
    return nats / math.log(2) / count


def xz_bits_per_byte(trained: str, held: str) -> float:
    """What xz needs for the held-out text once it has seen the text that was trained on."""
    size = lambda text: len(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))  # noqa: E731
    return 8 * (size(trained + held) - size(trained)) / len(held.encode())


def train_weights(text: str, steps: int) -> None:
    """weights.bin and trained.json; only the hash is printed where fewer steps are asked for than planned."""
    import torch

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    trained, held = split(text)
    config = json.loads((HERE / "config.json").read_text("utf-8"))
    log: list[list[float]] = []
    model, began = build(config), time.time()
    ids, kept = np.array(tokens.encode(trained)), tokens.encode(held)
    sizes = {"held_out_bytes": len(held.encode()), "held_out_tokens": len(kept)}
    sizes |= {"trained_bytes": len(trained.encode()), "trained_tokens": len(ids)}
    print(sizes, flush=True)
    train(model, ids, steps, STEPS, log)
    names = stored.shapes(config)
    parameters = model.state_dict()
    packed = stored.pack({name: parameters[name].numpy() for name in names})
    digest = hashlib.sha256(packed).hexdigest()
    print(f"{len(packed):,} bytes, sha256 {digest}", flush=True)
    if steps != STEPS:
        return
    full = bits_per_byte(model, kept, sizes["held_out_bytes"])
    shipped = {name: torch.from_numpy(array) for name, array in stored.unpack(packed, names).items()}
    model.load_state_dict(shipped, strict=False)
    facts = {
        "sha256": digest,
        "bits_per_byte": round(bits_per_byte(model, kept, sizes["held_out_bytes"]), 4),
        "bits_per_byte_float32": round(full, 4),
        "xz_bits_per_byte": round(xz_bits_per_byte(trained, held), 4),
        **sizes,
        "steps": STEPS,
        "tokens_a_step": BATCH * config["max_position_embeddings"],
        "minutes": round((time.time() - began) / 60, 1),
        "log": log,
    }
    (HERE / "weights.bin").write_bytes(packed)
    (HERE / "trained.json").write_text(json.dumps(facts) + "\n", "utf-8")


def main() -> None:
    """Tokenizer or weights."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["tokens", "weights"])
    parser.add_argument("text", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS, help="of the planned steps; fewer write nothing")
    asked = parser.parse_args()
    text = asked.text.read_text("utf-8")
    if asked.what == "tokens":
        return train_tokens(split(text)[0])
    return train_weights(text, asked.steps)


if __name__ == "__main__":
    main()
