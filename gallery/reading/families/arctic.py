"""Arctic: every layer has experts beside a dense residual MLP with a norm of its own."""

from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.mlps import activation, moe
from cutaway.gallery.reading.reading import Reading, norm
from cutaway.gallery.residuals.early_experts import EarlyExperts
from cutaway.gallery.spec import Combined, Dense, Norm


def prepare(r: Reading) -> None:
    """moe_layer_frequency says 2, but the published total has experts in every layer."""
    step = r.facts.raw("moe_layer_freq")
    r.mlp_words = ["moe"] * r.depth
    if isinstance(step, int) and step > 1:
        r.contradictions.append(
            f"moe_layer_frequency = {step} leaves layers without experts; the published total has them everywhere."
        )


def mlp(r: Reading, index: int, word: str) -> object:
    """The residual MLP is as wide as the stream."""
    experts = moe(r, index, moe_intermediate_size=r.facts.width_at("intermediate_size", index))
    if not r.facts.flag("parallel_attn_mlp_res", True):
        return experts
    return Combined((Dense(r.hidden_size, True, activation(r)), experts), "parallel")


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """One more for the residual MLP."""
    extra = (norm(r, "mlp_in", "residual_layernorm"),) if r.facts.flag("parallel_attn_mlp_res", True) else ()
    return (norm(r, "mixer_in"), norm(r, "mlp_in", "post_attention_layernorm"), *extra)


def finish(r: Reading, fields: dict) -> dict:
    """The experts read what entered the layer."""
    return {**fields, "residual": EarlyExperts()} if r.facts.flag("parallel_attn_mlp_res", True) else fields


FAMILY = Family(
    source="Snowflake/snowflake-arctic-instruct, modeling_arctic.py; total checked against the published one",
    windowed=True,
    prepare=prepare,
    mlp=mlp,
    norms_of=norms,
    norm_topk=True,
    finish=finish,
    names=(
        ("residual_mlp.gate_proj", "residual_mlp.w1"),
        ("residual_mlp.up_proj", "residual_mlp.w3"),
        ("residual_mlp.down_proj", "residual_mlp.w2"),
        ("mlp.gate", "block_sparse_moe.gate"),
        ("mlp.experts.{expert}.gate_proj", "block_sparse_moe.experts.{expert}.w1"),
        ("mlp.experts.{expert}.down_proj", "block_sparse_moe.experts.{expert}.w2"),
        ("mlp.experts.{expert}.up_proj", "block_sparse_moe.experts.{expert}.w3"),
    ),
)
