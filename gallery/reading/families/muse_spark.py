"""Muse Spark: Muse Glimmer's attention, experts in a latent with norms before and after them, sums opened by gates."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading, attention
from cutaway.gallery.reading.families.muse_glimmer import FAMILY as GLIMMER
from cutaway.gallery.reading.mlps import dense, moe
from cutaway.gallery.reading.reading import normal
from cutaway.gallery.residuals.weighted import Weighted
from cutaway.gallery.spec import Norm


def mixer(r: Reading, index: int) -> object:
    """What a head gives is normalised before its gate."""
    return attention(r, index, r.words[index], out_norm=normal(r)._replace(plus_one=False))


def after(r: Reading) -> float:
    """The epsilon of norms after a half."""
    return r.facts.number("post_norm_eps", 1e-8) or 1e-8


def mlp(r: Reading, index: int, word: str) -> object:
    """Norms around the experts, inside their latent; the head's multiplier also scales the router."""
    if word != "moe":
        return dense(r, index)
    by = r.facts.number("logit_scale", 1.0) or 1.0
    before, behind = normal(r), normal(r)._replace(eps=after(r), weight_first=True)
    return moe(r, index, router_multiplier=by, latent_norm=before, expert_norm=behind)


def norms(r: Reading, index: int, word: str) -> tuple[Norm, ...]:
    """No weight after the mixer, a weight before the norm after the MLP."""
    own, eps = normal(r), after(r)
    return (
        Norm("mixer_in", eps=own.eps, plus_one=True),
        Norm("mixer_out", weight=False, eps=eps),
        Norm("mlp_in", eps=own.eps, plus_one=True),
        Norm("mlp_out", eps=eps, plus_one=True, weight_first=True),
    )


def finish(r: Reading, fields: dict) -> dict:
    """Gates on both sums."""
    temperature = r.facts.number("residual_gate_temperature", 0.3) or 0.3
    return {**(GLIMMER.finish(r, fields) if GLIMMER.finish else fields), "residual": Weighted("gate", temperature)}


FAMILY = replace(
    GLIMMER,
    source="transformers 5.23.0, models/muse_spark",
    windowed=True,
    defaults={
        "post_norm_eps": 1e-8,
        "logit_scale": 32**-0.5,
        "final_logit_softcapping": 20.0,
        "qk_scale_factor": 5.4730064863875,
    },
    mixers={"full": mixer, "sliding": mixer},
    mlp=mlp,
    norms_of=norms,
    finish=finish,
    scoring="sigmoid",
    norm_topk=True,
    norm_topk_eps=1e-15,
    router_buffer="mlp.gate.e_score_correction_bias",
    names=(
        ("mlp.fc1_latent_proj", "mlp.pre_expert_proj"),
        ("mlp.latent_norm", "mlp.pre_expert_norm"),
        ("mlp.fc2_latent_proj", "mlp.post_expert_proj"),
    ),
)
