"""RWKV-4: a decaying mean of values in every layer, a channel mix that reads the last token too."""

from dataclasses import replace

from cutaway.gallery.mixers.rwkv4 import RwkvMean
from cutaway.gallery.mlps.channel_mix import ChannelMix
from cutaway.gallery.reading.family import Family
from cutaway.gallery.reading.reading import Reading, norm
from cutaway.gallery.residuals.halved import Halved
from cutaway.gallery.spec import Norm


def time_mix(r: Reading, index: int) -> RwkvMean:
    """As wide as the stream where no key says else."""
    return RwkvMean(r.facts.integer("attention_hidden_size") or r.hidden_size)


def mlp(r: Reading, index: int, word: str) -> ChannelMix:
    """Four times the stream where no key says else."""
    return ChannelMix(r.facts.per_layer("intermediate_size", index) or 4 * r.hidden_size, receptance=True)


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """The first layer normalises the embedding too."""
    two = (norm(r, "mixer_in", "ln1"), norm(r, "mlp_in", "ln2"))
    return (norm(r, "embedding", "pre_ln"), *two) if index == 0 else two


def finish(r: Reading, fields: dict) -> dict:
    """rescale_every: the stream is halved at inference. The last norm has torch's own epsilon."""
    fields["final_norm"] = replace(fields["final_norm"], eps=1e-5)
    every = r.facts.integer("rescale_every") or 0
    return {**fields, "residual": Halved(every)} if every else fields


FAMILY = Family(
    source="transformers 5.23.0, models/rwkv",
    defaults={"norm_eps": 1e-5, "rescale_every": 6, "max_position_embeddings": 1024},
    norm="LayerNorm",
    norm_bias=True,
    final_norm="ln_out",
    position="nope",
    every_layer="rwkv4",
    mixers={"rwkv4": time_mix},
    mlp=mlp,
    norms_of=norms,
    finish=finish,
    names=(
        ("mlp.up_proj", "feed_forward.key"),
        ("mlp.down_proj", "feed_forward.value"),
        ("mlp", "feed_forward"),
        ("model.embed_tokens", "rwkv.embeddings"),
        ("model.layers", "rwkv.blocks"),
        ("model", "rwkv"),
        ("lm_head", "head"),
    ),
)
