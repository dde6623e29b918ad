"""Hy4: DeepSeek-V3.2's layer with gates and sinks, between hyper-connections whose streams do not mix."""

from dataclasses import replace

from cutaway.gallery.reading.attention import latent
from cutaway.gallery.reading.families.deepseek_v4 import connections, head
from cutaway.gallery.reading.families.deepseek_v32 import FAMILY as V32
from cutaway.gallery.reading.mlps import dense, silu_moe
from cutaway.gallery.reading.reading import Reading, normal
from cutaway.gallery.residuals.hyper_connections import HyperConnections
from cutaway.gallery.spec import Indexer, LatentAttention


def mixer(r: Reading, index: int) -> LatentAttention:
    """MLA with a gate on every output; its indexer rotates the last numbers and norms as the layer does."""
    made = latent(r, index, "sparse", gate="elementwise")
    if not isinstance(made.indexer, Indexer) or made.rope is None:
        return made
    how = made.indexer.normal._replace(eps=normal(r).eps)
    rope = made.rope._replace(interleaved=False, last=True)
    return replace(made, indexer=replace(made.indexer, rope=rope, normal=how))


def mlp(r: Reading, index: int, word: str) -> object:
    """The clamp is the routed experts' alone; hidden_act is for dense MLPs and shared experts."""
    return dense(r, index) if word == "dense" else silu_moe(r, index, shared_limit=0.0)


def finish(r: Reading, fields: dict) -> dict:
    """Streams are not mixed; a sublayer reads a weighted sum of them and adds to all."""
    facts = r.facts
    streams, eps = facts.at_least("hc_mult", facts.need("hc_mult", 4)), facts.number("hc_eps", 1e-6) or 0.0
    most = facts.number("hc_magnitude", 2.0) or 0.0
    fields["residual"] = HyperConnections(streams, 0, eps, most, post_eps=True, normal=normal(r))
    return fields


FAMILY = replace(
    V32,
    source="transformers 5.23.0, models/hy_v4",
    defaults={"first_k_dense_replace": 1, "index_topk_freq": 4, "index_skip_topk_offset": 2, "swiglu_limit": 10.0},
    latent_interleaved=False,
    sinks=True,
    mixers={"sparse": mixer, "full": mixer},
    mlp=mlp,
    extras=connections,
    model_extras=head,
    mtp=None,
    finish=finish,
    names=(("self_attn.g_proj", "self_attn.gate_proj"),),
    zoo="",
)
