"""xLSTM: a matrix memory per head in every layer, widths as factors of embedding_dim."""

from gallery.reading.family import Family
from gallery.reading.mlps import Dense
from gallery.reading.reading import Reading
from gallery.spec import MatrixLSTM, Norm


def rounded(value: float, step: int) -> int:
    """Up to the next multiple."""
    return max(-(-int(value) // step) * step, 1) if step else max(int(value), 1)


def cell(r: Reading, index: int) -> MatrixLSTM:
    """Queries may be narrower than values."""
    facts, h = r.facts, r.hidden_size
    heads = facts.need("num_attention_heads", 8)
    qk, v = facts.number("qk_dim_factor", 0.5) or 0.5, facts.number("v_dim_factor", 1.0) or 1.0
    facts.raw("head_dim")
    return MatrixLSTM(heads, max(int(h * qk) // heads, 1), max(int(h * v) // heads, 1), facts.flag("use_bias"))


def mlp(r: Reading, index: int, word: str) -> Dense:
    """embedding_dim x ffn_proj_factor, rounded up."""
    facts = r.facts
    step = facts.integer("ffn_round_up_to_multiple_of", 64) or 1
    factor = facts.number("ffn_proj_factor", 2.667) or 2.667
    return Dense(rounded(r.hidden_size * factor, step), True, "silu", facts.flag("use_bias"))


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """One in front of each half."""
    return (Norm("mixer_in", name="norm_mlstm"), Norm("mlp_in", name="norm_ffn"))


FAMILY = Family(
    source="transformers 5.23.0, models/xlstm",
    final_norm="out_norm",
    position="nope",
    every_layer="mlstm",
    mixers={"mlstm": cell},
    mlp=mlp,
    norms_of=norms,
    names=(
        ("mlp.gate_proj", "ffn.proj_up_gate"),
        ("mlp.up_proj", "ffn.proj_up"),
        ("mlp.down_proj", "ffn.proj_down"),
        ("model.embed_tokens", "backbone.embeddings"),
        ("model.out_norm", "backbone.out_norm"),
        ("model.layers", "backbone.blocks"),
    ),
)
