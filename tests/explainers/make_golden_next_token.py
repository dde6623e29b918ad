"""transformers' LlamaForCausalLM on the shipped weights -> golden_next_token.json: logits, and ids of the tokenizer.

python tests/explainers/make_golden_next_token.py    # the extra `prove`; after explainers/next_token/train.py
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import tokenizers
import torch
import transformers

from cutaway.explainers.next_token import stored, tokens, train

TEXTS = (
    "Mr. Darcy looked at Elizabeth, and Elizabeth looked at Mr.",
    "It was a very fine day; and",
    "zqx 😀 naïve\n\n  7",
)
PLACES = 64  # logits kept of each row


def tokenizer() -> tokenizers.Tokenizer:
    """merges.txt in the library that made it."""
    pieces = tokens.printable() | {"<s>": tokens.FIRST}
    merges = [tuple(line.split(" ")) for line in (train.HERE / "merges.txt").read_text("utf-8").splitlines()]
    pieces |= {a + b: tokens.FIRST + 1 + at for at, (a, b) in enumerate(merges)}
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=pieces, merges=merges))
    cut = tokenizers.pre_tokenizers.Split(tokenizers.Regex(tokens.WORDS), "isolated")
    level = tokenizers.pre_tokenizers.ByteLevel(False, use_regex=False)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([cut, level])
    return made


def main() -> None:
    """Every text, by the libraries alone."""
    config = json.loads((train.HERE / "config.json").read_text("utf-8"))
    packed = (train.HERE / "weights.bin").read_bytes()
    model = train.build(config).eval()
    parameters = stored.unpack(packed, stored.shapes(config)).items()
    model.load_state_dict({name: torch.from_numpy(array) for name, array in parameters}, strict=False)
    rows = []
    for text in TEXTS:
        ids = [tokens.FIRST, *tokenizer().encode(text).ids]
        with torch.no_grad():
            logits = model(torch.tensor([ids])).logits[0]
        rows.append(
            {"text": text, "ids": ids, "logits": [[round(float(x), 5) for x in row[:PLACES]] for row in logits]}
        )
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    counted = sum(parameter.numel() for parameter in model.parameters())
    found = {**versions, "tokenizers": tokenizers.__version__, "parameters": counted,
             "sha256": hashlib.sha256(packed).hexdigest(), "rows": rows}  # fmt: skip
    text = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
    Path(__file__).with_name("golden_next_token.json").write_text("{\n" + text + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
