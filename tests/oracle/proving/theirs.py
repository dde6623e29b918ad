"""What the modelling code of transformers makes of a tiny config: parameters, tensors, logits, cache, matrix FLOPs."""

from __future__ import annotations

import copy
import json
import zlib
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
import transformers
from torch.overrides import TorchFunctionMode

from tests.oracle.make_forward import Double, built, fill
from tests.oracle.proving.bases import Base, class_of

TOKENS = 24
MARGIN = 1e-4  # between the last chosen expert and the first left out: rounding decides nothing
SALTS = 40
LARGEST = 3_000_000  # numbers of a model that is still tiny


class Illegal(Exception):
    """The class refuses the config or fails on it, or it is not tiny, or no model's."""


class Forward(NamedTuple):
    """What one prompt gave."""

    salt: int
    tokens: list[int]
    logits: np.ndarray
    cached: int | None  # numbers kept after the prompt; None = nothing that we can see
    flops: int


class Ran(NamedTuple):
    """One config as its class ran it."""

    total: int
    names: dict[str, list[int]]
    ties: dict[str, str]
    tables: dict[str, int]
    made: Forward


class Products(TorchFunctionMode):
    """Adds up the FLOPs of products with weights."""

    def __init__(self) -> None:
        super().__init__()
        self.flops = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "").strip("_")
        if name in ("linear", "matmul", "mm", "addmm", "rmatmul"):
            rows, weight = args[-2:] if name == "addmm" else args[:2]
            if name == "linear" or 2 in (rows.dim(), weight.dim()):
                inner = rows.shape[-1] if name != "rmatmul" else weight.shape[-1]
                self.flops += 2 * rows.numel() * weight.numel() // max(inner, 1)
        return function(*args, **(kwargs or {}))


def ran(base: Base, config: dict) -> Ran:
    """The class built and run; Illegal where it does not."""
    try:
        read = transformers.AutoConfig.for_model(**copy.deepcopy(config))
        read._attn_implementation = attention_of(read)
        read._experts_implementation = "eager"
        refuse_large(read, base)
        refuse_uneven(read)
        refuse_one_factor(read)
        model, names, ties, tables = built(read, class_of(base, read))
        total = sum(one.numel() for one in {id(one): one for one in model.parameters()}.values())
        if total > LARGEST:
            raise Illegal("not tiny")
        made = forward(model, names, tables, config, read)
        return Ran(total, names, ties, tables, made)
    except Illegal:
        raise
    except Exception as problem:
        raise Illegal(f"{type(problem).__name__}: {problem}"[:200]) from None
    finally:
        torch.set_default_dtype(torch.float32)


def attention_of(read: Any) -> str:
    """Eager, but where its class does something else by default: Falcon's eager path adds ALiBi twice, that of Gemma
    masks later tokens whatever use_bidirectional_attention says."""
    odd = read.model_type == "falcon" and read.alibi
    odd = odd or (read.model_type in ("gemma", "gemma2") and getattr(read, "use_bidirectional_attention", None))
    return "sdpa" if odd else "eager"


def refuse_large(read: Any, base: Base) -> None:
    """A size left out is the published model's: too large to run."""
    least = least_of(json.dumps(base.config))
    for key, value in sizes_of(read).items():
        if value > 600 and value != least.get(key):
            raise Illegal(f"{key} = {value}")


def refuse_uneven(read: Any) -> None:
    """What is no model's, though some classes run it: experts that do not divide into their groups, more chosen ones
    than the chosen groups have, decays above one, and a prompt that fills the context and a window as long as that.
    """
    groups, experts = first_of(read, "n_group", "num_expert_group"), first_of(read, "n_routed_experts", "num_experts")
    if groups and experts % groups:
        raise Illegal(f"{experts} experts in {groups} groups")
    chosen = first_of(read, "num_experts_per_tok", "num_experts_per_token")
    if groups and first_of(read, "topk_group") * (experts // groups) < chosen:
        raise Illegal(f"{chosen} experts of {read.topk_group} groups of {experts // groups}")
    if first_of(read, "kda_lower_bound", "linear_lower_bound") > 0:
        raise Illegal("a state that grows without bound")
    window, context = first_of(read, "sliding_window"), first_of(read, "max_position_embeddings")
    if 0 < context <= TOKENS and window >= context:
        raise Illegal(f"a window of {window} in a context of {context}")


def refuse_one_factor(read: Any) -> None:
    """What torch spreads over more numbers than it was made for: one factor of longrope over all frequencies, one
    frequency over all factors, or over the whole part of a head that rotates; or what an indexer cuts off. No model's.
    """
    has = read.to_dict()  # a class with heads of two sizes refuses to name one
    said, rotates = has.get("rope_parameters") or {}, has.get("qk_rope_head_dim") or 0
    width = has.get("head_dim") or (has.get("hidden_size") or 0) // (has.get("num_attention_heads") or 1)
    for one in (said, *(inner for inner in said.values() if isinstance(inner, dict))):
        whole = int(width * (one.get("partial_rotary_factor") or 1.0))
        half = whole // 2
        if whole == 1 and "rope_theta" in one:
            raise Illegal("one number that rotates")
        if read.model_type == "minimax_m3_vl_text" and read.index_head_dim < whole:
            raise Illegal(f"keys of {read.index_head_dim} in an indexer, of which {whole} rotate")
        if half == 1 and rotates > 2 and "rope_theta" in one:
            raise Illegal(f"one frequency for {rotates} numbers that rotate")
        for factors in (one.get("short_factor"), one.get("long_factor")):
            if factors and len(factors) != half and 1 in (len(factors), half):
                raise Illegal(f"{len(factors)} factors for {half} frequencies")


def first_of(read: Any, *names: str) -> int:
    """The first of these options that a config has; 0 where it has none."""
    return next((value for name in names if (value := getattr(read, name, None))), 0)


@cache
def least_of(config: str) -> dict[str, int]:
    """The widths of a golden case, defaults of its class included."""
    return sizes_of(transformers.AutoConfig.for_model(**json.loads(config)))


def sizes_of(read: Any) -> dict[str, int]:
    """The widths of a config: all that makes a model large."""
    words = ("size", "width", "dim", "rank", "d_model", "n_embd", "inner", "ffn")
    return {
        key: value
        for key, value in read.to_dict().items()
        if isinstance(value, int) and any(word in key for word in words) and "window" not in key
    }


def forward(model, names: dict, tables: dict, config: dict, read: Any) -> Forward:
    """A prompt, with weights that choose experts by a clear margin."""
    rng = np.random.default_rng(zlib.crc32(repr(sorted(config.items(), key=str)).encode()))
    tokens = [int(one) for one in rng.integers(3, read.get_text_config().vocab_size, TOKENS)]
    for salt in range(SALTS):
        fill(model, names, tables, salt)
        mode, products = Double(), Products()
        with torch.no_grad(), products, mode:
            found = prompt(model, tokens, products)
        if mode.margin > MARGIN:
            values = found.logits[0].double().numpy()
            if not np.isfinite(values).all() or values.std() == 0:
                raise Illegal("its logits are no numbers")
            return Forward(salt, tokens, values, cached(found), products.flops)
    raise Illegal("no weights choose experts by a clear margin")


def prompt(model, tokens: list[int], products: Products) -> Any:
    """One forward with a cache, or without one where the class fails to keep it: a second try, counted alone. xLSTM's
    makes states for widths rounded up to 64 (qk_dim, v_dim of its config), which layers of other widths cannot fill."""
    ids = torch.tensor([tokens])
    try:
        return model(input_ids=ids, use_cache=True)
    except (RuntimeError, IndexError):
        products.flops = 0
        return model(input_ids=ids, use_cache=False)


def cached(found: Any) -> int | None:
    """Numbers in all tensors that the class keeps after a prompt."""
    for name in ("past_key_values", "cache_params", "state"):
        kept = getattr(found, name, None)
        if kept is not None:
            tensors: dict[int, int] = {}
            collect(kept, tensors, set())
            return sum(tensors.values())
    return None


def collect(value: Any, tensors: dict[int, int], seen: set[int]) -> None:
    """Every tensor of floats inside, once."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, torch.Tensor):
        if value.is_floating_point() and value.dim() > 1:
            tensors[id(value)] = value.numel()
    elif isinstance(value, dict):
        for one in value.values():
            collect(one, tensors, seen)
    elif isinstance(value, list | tuple):
        for one in value:
            collect(one, tensors, seen)
    elif type(value).__module__.startswith("transformers") and not isinstance(value, transformers.PreTrainedConfig):
        collect(vars(value), tensors, seen)
