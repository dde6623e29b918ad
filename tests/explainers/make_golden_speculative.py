"""transformers' LlamaForCausalLM on the draft model's weights -> golden_speculative.json: logits, and greedy texts.

python tests/explainers/make_golden_speculative.py    # the extra `prove`; after explainers/speculative/train.py

The greedy texts come twice from transformers: from the target alone, and from the target assisted by the draft model.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import torch
import transformers

from cutaway.explainers.next_token import stored, tokens, train
from cutaway.explainers.speculative import speculate

TEXTS = ("Have you seen Captain", "It was a very fine day; and", "zqx 😀 naïve\n\n  7")
PLACES, WRITTEN = 64, 24  # logits kept of each row; tokens that are written


def load(folder: Path) -> tuple[transformers.LlamaForCausalLM, bytes]:
    """A folder's model, and its weights file."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    packed = (folder / "weights.bin").read_bytes()
    model = train.build(config).eval()
    parameters = stored.unpack(packed, stored.shapes(config)).items()
    model.load_state_dict({name: torch.from_numpy(array) for name, array in parameters}, strict=False)
    model.generation_config.pad_token_id = 0
    return model, packed


def main() -> None:
    """Every text, by the library alone."""
    (draft, packed), (target, _) = load(speculate.HERE), load(train.HERE)
    rows = []
    for text in TEXTS:
        ids = [tokens.FIRST, *tokens.encode(text)]
        given = torch.tensor([ids])
        with torch.no_grad():
            logits = draft(given).logits[0]
            way = {"max_new_tokens": WRITTEN, "do_sample": False, "attention_mask": torch.ones_like(given)}
            plain = target.generate(given, **way)[0].tolist()
            assisted = target.generate(given, assistant_model=draft, **way)[0].tolist()
        assert plain == assisted, text
        kept = [[round(float(x), 5) for x in row[:PLACES]] for row in logits]
        rows.append({"text": text, "ids": ids, "greedy": plain[len(ids) :], "logits": kept})
    found = {"torch": torch.__version__, "transformers": transformers.__version__,
             "parameters": sum(parameter.numel() for parameter in draft.parameters()),
             "sha256": hashlib.sha256(packed).hexdigest(), "rows": rows}  # fmt: skip
    text = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
    Path(__file__).with_name("golden_speculative.json").write_text("{\n" + text + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
