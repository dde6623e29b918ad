"""FalconMamba: Mamba whose step size, B and C are normalised, without weights."""

from dataclasses import replace

from cutaway.gallery.reading.attention import Reading
from cutaway.gallery.reading.families import mamba
from cutaway.gallery.spec import Mamba1, Normal


def block(r: Reading, index: int) -> Mamba1:
    """The norms inside have an epsilon of their own."""
    normal = Normal("RMSNorm", r.facts.number("mixer_rms_eps") or 1e-6)
    return replace(mamba.block(r, index), inner_norms=True, inner_norm_weights=False, inner_normal=normal)


FAMILY = replace(
    mamba.FAMILY, source="transformers 5.23.0, models/falcon_mamba", mixers={"mamba": block, "linear": block}
)
