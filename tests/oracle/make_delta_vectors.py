"""Once: two torch implementations of the five update rules over the same tokens -> tests/oracle/delta_vectors.json.

"autograd"      float64: every delta rule as one step of gradient descent on |S'k - v|^2 / 2, the gradient by torch.
"transformers"  float32: the recurrent and chunked functions of Qwen3-Next and Kimi Linear in transformers.

The test suite only reads the JSON. To make it anew, in a virtual environment outside this repository:
    pip install torch==2.13.0 transformers==5.23.0 numpy && python tests/oracle/make_delta_vectors.py
"""

import importlib.metadata
import json
from pathlib import Path

import numpy as np
import torch
from transformers.models.kimi_linear import modeling_kimi_linear as kimi
from transformers.models.qwen3_next import modeling_qwen3_next as qwen

SEED = 20261121
OUT = Path(__file__).with_name("delta_vectors.json")
SIZES = ((1, 4, 4), (5, 4, 6), (17, 8, 8), (40, 16, 8))  # tokens, d_k, d_v
RULES = ("linear", "decay", "delta", "gated", "kda")


def tokens(rng, n: int, dk: int, dv: int) -> dict:
    """Unit keys, some of them written twice; queries and values of any length."""
    k = rng.standard_normal((n, dk))
    k[n // 2] = k[0]
    k /= np.linalg.norm(k, axis=1, keepdims=True)
    alpha = rng.uniform(0.7, 1, dk)
    return {"q": rng.standard_normal((n, dk)), "k": k, "v": rng.standard_normal((n, dv)), "alpha": alpha, "beta": 0.8}


def autograd(rule: str, given: dict) -> tuple[torch.Tensor, torch.Tensor]:
    """Token by token, the correction taken from torch's gradient of the recall error."""
    q, k, v, alpha = (torch.tensor(given[name], dtype=torch.float64) for name in ("q", "k", "v", "alpha"))
    fade = {"linear": torch.ones_like(alpha), "delta": torch.ones_like(alpha), "kda": alpha}.get(rule, alpha[0])
    state = torch.zeros(k.shape[1], v.shape[1], dtype=torch.float64)
    read = []
    for t in range(len(k)):
        state = (torch.diag(fade * torch.ones_like(alpha)) @ state).requires_grad_(True)
        away = state.T @ k[t] - v[t]
        # linear attention and Mamba-2 descend on -(S'k).v instead: they never look at what is there
        loss = 0.5 * away @ away if rule in ("delta", "gated", "kda") else -(state.T @ k[t]) @ v[t]
        (slope,) = torch.autograd.grad(loss, state)
        step = given["beta"] if rule in ("delta", "gated", "kda") else 1.0
        state = (state - step * slope).detach()
        read.append(state.T @ q[t])
    return state, torch.stack(read)


def transformers(rule: str, given: dict, chunk: bool) -> tuple[torch.Tensor, torch.Tensor] | None:
    """The modelling code's own function, one batch and one head; its queries are divided by sqrt(d_k)."""
    if rule in ("linear", "decay"):
        return None
    q, k, v, alpha = (torch.tensor(given[name], dtype=torch.float32) for name in ("q", "k", "v", "alpha"))
    n = len(k)
    beta = torch.full((1, n, 1), given["beta"])
    if rule == "kda":
        gate = alpha.log().expand(1, n, 1, -1)
        run = kimi.chunk_kimi_delta_attention if chunk else kimi.recurrent_kimi_delta_attention
    else:
        gate = torch.full((1, n, 1), float(alpha[0].log()) if rule == "gated" else 0.0)
        run = qwen.torch_chunk_gated_delta_rule if chunk else qwen.torch_recurrent_gated_delta_rule
    shaped = [x[None, :, None] for x in (q * q.shape[1] ** 0.5, k, v)]
    more = {"chunk_size": 16} if chunk else {}
    out, state = run(*shaped, g=gate, beta=beta, initial_state=None, output_final_state=True, **more)
    return state[0, 0], out[0, :, 0]


def main() -> None:
    rng = np.random.default_rng(SEED)
    inputs = [tokens(rng, *size) for size in SIZES]
    rows = []
    for case, given in enumerate(inputs):
        for rule in RULES:
            made = {"autograd": autograd(rule, given)}
            for chunk in (False, True):
                made[f"transformers {'chunked' if chunk else 'recurrent'}"] = transformers(rule, given, chunk)
            for by, result in made.items():
                if result is not None:
                    state, read = (x.double().tolist() for x in result)
                    rows.append({"case": case, "rule": rule, "by": by, "state": state, "outputs": read})
    plain = [{k: v.tolist() if hasattr(v, "tolist") else v for k, v in given.items()} for given in inputs]
    versions = {name: importlib.metadata.version(name) for name in ("torch", "transformers", "numpy")}
    head = {"made_by": "tests/oracle/make_delta_vectors.py", "seed": SEED, "versions": versions, "inputs": plain}
    OUT.write_text(json.dumps({**head, "rows": rows}) + "\n")
    print(f"{len(rows)} rows, {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
