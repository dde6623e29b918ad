"""train.py's own decoder in torch, on the shipped weights -> golden_decoder.json: logits of one stream for each mixer.

python tests/explainers/make_golden_decoder.py    # needs torch; after train.py
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import torch

from cutaway.explainers.decoder import train

ROOT = Path(__file__).resolve().parent.parent.parent
SEED, PLACES = 1, (1, 40, 118)  # tokens whose logits are kept


def row(kind) -> dict:
    """One mixer: the hash of its weights, and what torch makes of a stream with them."""
    tokens = train.task.streams(SEED, 1, kind.resets)[0]
    stored = (train.HERE / "weights" / f"{kind.name}.bin").read_bytes()
    model = train.Decoder(kind)
    for name, array in train.stored.unpack(stored, train.mixers.shapes(kind)).items():
        model.at(name).data = torch.from_numpy(array.astype(np.float32))
    with torch.no_grad():
        logits = model(torch.from_numpy(tokens)[None])[0]
    kept = [[round(float(x), 5) for x in logits[place]] for place in PLACES]
    return {"sha256": hashlib.sha256(stored).hexdigest(), "logits": kept}


def main() -> None:
    """Every mixer over its stream."""
    rows = {kind.name: row(kind) for kind in train.mixers.KINDS.values()}
    found = {"torch": torch.__version__, "seed": SEED, "places": PLACES, **rows}
    text = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
    Path(__file__).with_name("golden_decoder.json").write_text("{\n" + text + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
