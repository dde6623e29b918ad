"""The plots of /trends/, one row each: title, chart with what was found, caption, and the columns it is made of.

To add a plot: a function from structures to (sentence, chart), and a row of PLOTS. Every number of a sentence is
computed from the rows of /data/models.json.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cutaway.app.trends import scatters, shares
from cutaway.app.trends.chart import Panels, Scatter
from cutaway.app.trends.common import LARGE, Found, years


class Plot(NamedTuple):
    """One card."""

    key: str
    title: str
    show: Callable[[Found], tuple[str, Scatter | Panels]]
    caption: str
    columns: tuple[str, ...]  # of /data/models.json

    @property
    def zooms(self) -> bool:
        """Whether it is a plot of dots, which a reader may zoom."""
        return self.show.__module__ == scatters.__name__


PLOTS = (
    Plot("cache", "KV cache: how many bytes does each token add?", scatters.cache,
         "Lines and figures: medians from 100 B parameters on. A stack of several kinds counts as the first of state "
         "space, linear, sparse, latent, windows, full. Models whose cache stops growing are left out.",
         ("cache_per_token_bytes", "parameters_total", "mechanisms")),
    Plot("active", "Active parameters: how sparse are mixtures of experts?", scatters.active,
         "A larger dot is a larger model.",
         ("parameters_active", "parameters_total")),
    Plot("adoption", "Adoption: which mechanisms spread?", shares.adoption,
         "Bars: share of a quarter’s new structures.", ("mechanisms",)),
    Plot("experts", "Experts and top-k: how many are there, how many are used?", scatters.experts,
         "Shared experts are not counted.", ("num_experts", "num_experts_per_tok")),
    Plot("windows", "Sliding windows: in how many layers?", scatters.windows,
         "Structures without windows or chunks are left out. Layers without softmax attention do not count.",
         ("num_window_layers", "num_attention_layers", "window_tokens")),
    Plot("heads", "Heads: how many queries share a key?", scatters.heads,
         "Latent attention is left out: all its heads read one latent. Colours as in the first plot.",
         ("num_attention_heads", "num_key_value_heads", "head_size")),
    Plot("depth", "Depth and width: deep and narrow, or shallow and wide?", scatters.depth, "",
         ("num_hidden_layers", "hidden_size")),
    Plot("context", "Context: how many tokens can a model read?", scatters.context, "Colours as in the first plot.",
         ("context_tokens",)),
    Plot("formats", "Weight formats: in how many bits are weights published?", shares.formats,
         "Bars: share of the new structures of six months, by the format of the first release.",
         ("weights_stored_as",)),
)  # fmt: skip


def lead(found: Found) -> str:
    """What the page opens with: the one finding that is nearly a rule."""
    last = years(found)[1]
    since = [one for one in found if one.day.year >= last - 1 and one.size >= LARGE]
    moe = [one for one in since if one.is_moe]
    others = [one.title for one in since if not one.is_moe]
    rest = f"; the {'exception is' if len(others) == 1 else 'exceptions are'} {' and '.join(others)}" if others else ""
    if len(others) > 2:
        rest = ""
    return (
        f"Since January {last - 1}, {len(moe)} of {len(since)} new structures of 100 B parameters or more are mixtures "
        f"of experts{rest}."
    )
