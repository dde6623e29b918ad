"""The plots of /trends/, one row each: title, function of its finding and chart, caption, and its columns.

To add a plot: a function from architectures to (sentence, chart), and a row of PLOTS. Every number of a sentence is
computed from the rows of /data/models.json.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cutaway.app.trends import scatters, shares
from cutaway.app.trends.chart import Panels, Scatter
from cutaway.app.trends.common import LARGE, Structures, years


class Plot(NamedTuple):
    """One card."""

    key: str
    title: str
    show: Callable[[Structures], tuple[str, Scatter | Panels]]
    caption: str
    columns: tuple[str, ...]  # of /data/models.json

    @property
    def zooms(self) -> bool:
        """Whether it is a plot of dots, which a reader may zoom."""
        return self.show.__module__ == scatters.__name__


PLOTS = (
    Plot("cache", "KV cache: how many bytes does each token add?", scatters.cache,
         "Lines and numbers: medians of models of 100 B parameters or more. A model that mixes several kinds of "
         "attention counts as the first of these that it has: state space, linear, sparse, latent, windows, full. "
         "Models whose cache stops growing are left out.",
         ("cache_per_token_bytes", "parameters_total", "mechanisms")),
    Plot("active", "Active parameters: how sparse are mixtures of experts?", scatters.active,
         "A larger dot is a larger model.",
         ("parameters_active", "parameters_total")),
    Plot("adoption", "Adoption: which mechanisms spread?", shares.adoption,
         "Bars: share of each quarter’s new architectures.", ("mechanisms",)),
    Plot("experts", "Experts and top-k: how many are there, and how many does a token use?", scatters.experts,
         "The MoE layer with the most experts, without shared ones.", ("num_experts", "num_experts_per_tok")),
    Plot("windows", "Sliding windows: in how many layers?", scatters.windows,
         "Models without windows or chunks are left out. Layers without softmax attention are not counted.",
         ("num_window_layers", "num_attention_layers", "window_tokens")),
    Plot("heads", "Grouped-query attention: how many query heads share a key/value head?", scatters.heads,
         "Latent attention is left out: all its heads read one latent. Colours as in the first plot.",
         ("num_attention_heads", "num_key_value_heads", "head_size")),
    Plot("depth", "Depth and width: deep and narrow, or shallow and wide?", scatters.depth, "",
         ("num_hidden_layers", "hidden_size")),
    Plot("context", "Context: how many tokens can a model read?", scatters.context, "Colours as in the first plot.",
         ("context_tokens",)),
    Plot("formats", "Weight formats: in how many bits are weights published?", shares.formats,
         "Bars: share of each half-year’s new architectures, by the weight format of their first release.",
         ("weights_stored_as",)),
)  # fmt: skip


def lead(found: Structures) -> str:
    """The page's first sentence: how many of the large new architectures are mixtures of experts, and which are not."""
    last = years(found)[1]
    since = [one for one in found if one.day.year >= last - 1 and one.size >= LARGE]
    moe = [one for one in since if one.is_moe]
    others = [one.title for one in since if not one.is_moe]
    rest = f"; the {'exception is' if len(others) == 1 else 'exceptions are'} {' and '.join(others)}" if others else ""
    if len(others) > 2:
        rest = ""
    return (
        f"Since January {last - 1}, {len(moe)} of {len(since)} new architectures of 100 B parameters or more are "
        f"mixtures of experts{rest}."
    )
