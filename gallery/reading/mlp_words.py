"""Which layers have experts, from every spelling: a small function per spelling, in a table.

Words: dense, moe. A model without experts is dense throughout, one without a pattern has them in every layer.
"""

from __future__ import annotations

from cutaway.gallery.reading.facts import Facts
from cutaway.gallery.reading.layer_words import fit, from_bits, from_indices, from_interval, translate


def from_words(facts: Facts, depth: int) -> list[str]:
    """mlp_layer_types: dense or sparse."""
    table = {"dense": "dense", "sparse": "moe", "moe": "moe", "hash_moe": "moe", "mlp": "dense"}
    words = translate("mlp_layer_types", facts.items("mlp_layer_types") or [], table, facts)
    return fit("mlp_layer_types", words, depth, facts)


def from_csv(facts: Facts, depth: int) -> list[str]:
    """Step 3.5: the layer numbers as one comma-separated string."""
    parts = [part.strip() for part in facts.word("moe_layers_enum").split(",") if part.strip()]
    if not all(part.isdigit() and len(part) < 7 for part in parts):
        facts.refuse("moe_layers_enum", facts.raw("moe_layers_enum"), "layer numbers separated by commas")
    chosen = {int(part) for part in parts}
    return ["moe" if index in chosen else "dense" for index in range(depth)]


def from_freq(facts: Facts, depth: int) -> list[str]:
    """moe_layer_freq: a stride after the dense first layers, or a 0/1 list (MiMo-V2)."""
    value = facts.raw("moe_layer_freq")
    if isinstance(value, list | tuple):
        return from_bits("moe_layer_freq", "moe", "dense")(facts, depth)
    step, first = facts.check_integer("moe_layer_freq", value) or 1, facts.integer("first_k_dense_replace") or 0
    return ["moe" if index >= first and index % step == 0 else "dense" for index in range(depth)]


def from_first(facts: Facts, depth: int) -> list[str]:
    """The first k layers are dense."""
    first = facts.integer("first_k_dense_replace") or 0
    return ["dense" if index < first else "moe" for index in range(depth)]


def from_sparse_step(facts: Facts, depth: int) -> list[str]:
    """Qwen2-MoE: every n-th layer, except those listed as dense."""
    step = facts.integer("decoder_sparse_step", 1)
    dense = set(facts.integers("mlp_only_layers") or ())
    return ["moe" if step and index not in dense and (index + 1) % step == 0 else "dense" for index in range(depth)]


def from_moe_period(facts: Facts, depth: int) -> list[str]:
    """Jamba: experts where index % period == offset."""
    period, offset = facts.integer("expert_layer_period") or 1, facts.integer("expert_layer_offset") or 0
    return ["moe" if index % period == offset else "dense" for index in range(depth)]


def from_start(facts: Facts, depth: int) -> list[str]:
    """ERNIE: from start to end, every n-th."""
    step, start = facts.integer("moe_layer_interval", 1) or 1, facts.per_layer("moe_layer_start_index", 0, 0) or 0
    end = facts.raw("moe_layer_end_index")
    end = max(facts.integers("moe_layer_end_index") or [-1]) if isinstance(end, list) else end
    end = depth - 1 if end is None or end == -1 else facts.check_integer("moe_layer_end_index", end)
    return ["moe" if (index + 1) % step == 0 and start <= index <= end else "dense" for index in range(depth)]


MLPS = (
    ("mlp_layer_types", from_words),
    ("moe_layers", from_indices("moe_layers", "moe", "dense")),
    ("moe_layers_enum", from_csv),
    ("moe_layer_start_index", from_start),
    ("interleave_moe_layer_step", from_interval("interleave_moe_layer_step", "moe", "dense")),
    ("expert_layer_period", from_moe_period),
    ("moe_layer_freq", from_freq),
    ("first_k_dense_replace", from_first),
    ("decoder_sparse_step", from_sparse_step),
    ("mlp_only_layers", from_sparse_step),
)


def mlp_words(facts: Facts, depth: int) -> list[str]:
    """dense or moe for each layer; without experts every layer is dense, without a pattern every layer has them."""
    experts = facts.integer("num_experts") or 0
    if facts.says("enable_moe_block") and not facts.flag("enable_moe_block"):
        experts = 0
    chosen = None
    for name, read in MLPS:
        present = facts.raw(name) is not None
        if present and chosen is None and experts:
            chosen = read(facts, depth)
    return chosen or ["moe" if experts else "dense"] * depth
