"""A tiny config -> a golden case: python tests/oracle/make_forward.py MODEL_TYPE[__VARIANT] [CONFIG [CLASS]] > CASE

Needs torch and transformers (5.23.0 was used), which the project does not install. The class that AutoModelForCausalLM
finds is built from the config and run in float64: a TorchFunctionMode turns every float32 that the code asks for into
float64. Weights come from their names alone (forward.py's rules); `salt` is raised from 0 until the k-th and the
(k+1)-th entry of every top-k are at least 1e-3 apart. Without a config, the class's own defaults are shrunk. A text
tower has no head: named as CLASS ("qwen2_vl.Qwen2VLTextModel"), it gets one without a bias.
"""

from __future__ import annotations

import json
import sys
import zlib
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
import transformers
from torch.overrides import TorchFunctionMode

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.forward import weight

SHRUNK = {
    "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": 96, "max_position_embeddings": 64, "moe_intermediate_size": 32,
    "num_experts": 8, "n_routed_experts": 8, "num_local_experts": 8, "num_experts_per_tok": 2, "head_dim": 16,
    "first_k_dense_replace": 1, "n_group": 2, "topk_group": 1, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
SINGLE = (torch.float32, torch.float16, torch.bfloat16)


class Double(TorchFunctionMode):
    """Whatever asks for a shorter float gets float64, and a number that a class writes in bfloat16 is rounded to it;
    every top-k is watched for its margin."""

    def __init__(self) -> None:
        super().__init__()
        self.margin = float("inf")

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function is torch.tensor and kwargs.get("dtype") is torch.bfloat16:
            return function(*args, **kwargs).double()
        if kwargs.get("dtype") in SINGLE:
            kwargs["dtype"] = torch.float64
        args = tuple(torch.float64 if isinstance(a, torch.dtype) and a in SINGLE else a for a in args)
        name = getattr(function, "__name__", "")
        if name in ("float", "half", "bfloat16"):
            return function.__self__.double() if hasattr(function, "__self__") else args[0].double()
        if name == "topk":
            self.watch(args, kwargs)
        return function(*args, **kwargs)

    def watch(self, args, kwargs) -> None:
        """How near the last chosen and the first left out are; what a mask hides is no choice."""
        values, k = args[0], kwargs.get("k", args[1] if len(args) > 1 else 1)
        ranked = values.double().sort(dim=-1, descending=True).values
        if ranked.shape[-1] > k:
            gaps = (ranked[..., k - 1] - ranked[..., k])[ranked[..., k] > -1e30]
            if gaps.numel():
                self.margin = min(self.margin, gaps.min().item())


def headed(tower: type) -> type:
    """A text tower under `model`, and the head it lacks."""

    class Headed(torch.nn.Module):
        def __init__(self, config) -> None:
            super().__init__()
            self.model = tower(config)
            self.lm_head = torch.nn.Linear(config.hidden_size, config.vocab_size, bias=False)

        def forward(self, input_ids, use_cache):
            found = self.model(input_ids=input_ids, use_cache=use_cache)
            return SimpleNamespace(logits=self.lm_head(found.last_hidden_state))

    Headed.__name__ = f"{tower.__name__} + lm_head"
    return Headed


def named(word: str) -> type:
    """ "folder.Class" of the modelling code."""
    folder, _, name = word.rpartition(".")
    return headed(getattr(import_module(f"transformers.models.{folder}.modeling_{folder}"), name))


def built(config, cls):
    """(model in float64, {name: shape} to be filled, {alias: name}, {integer table: its experts})."""
    torch.set_default_dtype(torch.float64)
    with Double():
        model = cls(config).double().eval()
    buffers = {name for name, _ in model.named_buffers()}
    names, seen, ties, tables = {}, {}, {}, {}
    for name, tensor in model.state_dict().items():
        first = seen.setdefault(tensor.data_ptr(), name)
        if first != name:
            ties[name] = first
        elif not tensor.is_floating_point() and tensor.dim() == 2:  # a table of experts by token
            names[name], tables[name] = list(tensor.shape), config.n_routed_experts
        elif name not in buffers or name.rpartition(".")[2] == "layer_scalar" or "bias" in name.rpartition(".")[2]:
            names[name] = list(tensor.shape)
    return model, names, ties, tables


def fill(model, names, tables, salt: int) -> None:
    """Weights from their names."""
    state = model.state_dict()
    with torch.no_grad():
        for name, shape in names.items():
            state[name].copy_(torch.from_numpy(weight(name, shape, salt, tables)))


def case(name: str, config: dict, cls=None) -> dict:
    """One case; the salt is the first with a margin of 1e-3."""
    config.setdefault("model_type", name.partition("__")[0])
    read = transformers.AutoConfig.for_model(**config)
    read._attn_implementation = "eager"
    read._experts_implementation = "eager"
    cls = cls or transformers.AutoModelForCausalLM._model_mapping[type(read)]
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    tokens = [int(t) for t in rng.integers(3, read.get_text_config().vocab_size, 24)]
    model, names, ties, tables = built(read, cls)
    for salt in range(200):
        fill(model, names, tables, salt)
        mode = Double()
        with torch.no_grad(), mode:
            logits = model(input_ids=torch.tensor([tokens]), use_cache=False).logits[0]
        if mode.margin > 1e-3:
            break
    values = logits.double().numpy()
    picks = [(int(p), int(t)) for p, t in zip(rng.integers(0, 24, 8), rng.integers(0, values.shape[1], 8), strict=True)]
    return {
        "case": name, "model_type": config["model_type"], "source": "made here", "cls": cls.__name__,
        "transformers": transformers.__version__, "torch": torch.__version__, "config": config, "salt": salt,
        "tokens": tokens, "names": names, "ties": ties, "int_tables": tables, "trace": [],
        "logits_last3": [[float(f"{v:.10g}") for v in row] for row in values[-3:]],
        "logits_all": {"shape": list(values.shape), "mean": float(values.mean()), "std": float(values.std()),
                       "probes": [[p, t, float(f"{values[p, t]:.10g}")] for p, t in picks]},
    }  # fmt: skip


def main() -> None:
    """Prints the case."""
    name = sys.argv[1]
    own = json.loads(Path(sys.argv[2]).read_text()) if len(sys.argv) > 2 else {}
    defaults = transformers.AutoConfig.for_model(name.partition("__")[0]).to_dict()
    shrunk = {key: value for key, value in SHRUNK.items() if key in defaults}
    print(json.dumps(case(name, {**shrunk, **own}, named(sys.argv[3]) if len(sys.argv) > 3 else None)))


if __name__ == "__main__":
    main()
