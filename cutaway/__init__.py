"""The library under one name: what somebody names -> its spec, its counts, its drawing.

    import cutaway
    cutaway.draw("Qwen/Qwen3-8B")                  # in a notebook this shows the drawing
    cutaway.parameters("./config.json").total
    cutaway.memory("openai/gpt-oss-20b", 131_072).total_bytes

A model is a Hub repo id or URL, a catalogued slug, a path, a config as a dict, or a spec that `read` gave. The folders
gallery/, explainers/, app/ and static/ are packages in this one (pyproject.toml maps them), so that no other name is
taken.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cutaway.drawing import Drawing
    from cutaway.gallery.comparing.comparison import Row
    from cutaway.gallery.counting.flops import Flops
    from cutaway.gallery.counting.memory import Memory
    from cutaway.gallery.counting.parameters import Parameters
    from cutaway.gallery.counting.weights import Weight
    from cutaway.gallery.spec import ModelSpec

    Model: TypeAlias = str | os.PathLike[str] | dict | ModelSpec

__all__ = [
    "ConfigError", "HubError", "ModelSpec", "SourceError", "compare", "draw", "edit", "flops", "memory", "parameters",
    "read", "run", "weights", "widget",
]  # fmt: skip


LAYOUTS = ("wide", "middle", "narrow")


def _named(model: Model, revision: str | None, offline: bool) -> tuple[ModelSpec, str, str]:
    """(spec, title, one sentence on where it is from); the last two are empty for a dict or a spec."""
    from cutaway import gallery
    from cutaway.gallery.command.named_model import load
    from cutaway.gallery.spec import ModelSpec

    if isinstance(model, ModelSpec):
        return model, "", ""
    if isinstance(model, str | os.PathLike):
        found = load(os.fspath(model), revision, offline)
        return gallery.read(found.config), found.title, found.source
    return gallery.read(model), "", ""


def read(model: Model, *, revision: str | None = None, offline: bool = False) -> ModelSpec:
    """The spec of a model: one entry per layer, nothing left open. ConfigError, HubError or SourceError say why not."""
    return _named(model, revision, offline)[0]


def draw(
    model: Model,
    *,
    title: str = "",
    dark: bool = False,
    layout: str = "wide",
    revision: str | None = None,
    offline: bool = False,
) -> Drawing:
    """The drawing, which a notebook shows; `layout` is "wide", "middle" or "narrow"."""
    from cutaway import gallery
    from cutaway.drawing import Drawing

    if layout not in LAYOUTS:
        raise ValueError(f"layout is one of {', '.join(LAYOUTS)}, not {layout!r}.")
    spec, name, source = _named(model, revision, offline)
    return Drawing(gallery.draw(spec, title=title or name, dark=dark, layout=layout), source)


def edit(model: Model, changes: Mapping[str, int | str] | str) -> ModelSpec:
    """What if it had {"heads": 64, "layers": 40}, or "heads:64,layers:40": the spec that would; ConfigError if none."""
    from cutaway import gallery

    return gallery.edit(read(model), changes)


def weights(model: Model) -> tuple[Weight, ...]:
    """Every weight tensor: checkpoint name, shape, part, layer."""
    from cutaway import gallery

    return gallery.weights(read(model))


def parameters(model: Model) -> Parameters:
    """How many parameters: in all, active for each token, by part."""
    from cutaway import gallery

    return gallery.parameters(read(model))


def memory(
    model: Model, context: int, cache_dtype: str = "bfloat16", batch: int = 1, convention: str = "window"
) -> Memory:
    """Bytes that decoding keeps for `batch` sequences of `context` tokens each."""
    from cutaway import gallery

    return gallery.memory(read(model), context, cache_dtype, batch, convention)


def flops(model: Model, context: int, prefill: bool = False) -> Flops:
    """Work and bytes of one decoded token, or of a prefill."""
    from cutaway import gallery

    return gallery.flops(read(model), context, prefill)


def run(model: Model, tensors: Any, tokens: Any, watch: Any = None) -> Any:
    """Logits of one sequence in numpy, from arrays under the names of the modelling code's state dict."""
    from cutaway import gallery

    return gallery.run(read(model), tensors, tokens, watch)


def compare(a: Model, b: Model) -> list[Row]:
    """Everything structural in which two models differ, with what it costs; empty where they are the same."""
    from cutaway.gallery.comparing.differences import compare_specs

    return list(compare_specs(read(a), read(b)).rows)


def widget(name: str, **state: Any) -> Any:
    """An explainer as a notebook widget: cutaway.widget("bits", typed="0.1"). Needs cutaway[notebook]."""
    from cutaway.explainers import notebook

    return notebook(name, **state)


def __getattr__(name: str) -> Any:
    """The exceptions, the spec's class and the version, loaded on first use: `import cutaway` costs next to nothing."""
    if name == "__version__":
        from importlib.metadata import version

        return version("cutaway")
    if name not in __all__:  # a room: `from cutaway import gallery` asks here first
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    from cutaway.gallery.command.named_model import SourceError
    from cutaway.gallery.hub.repo_address import HubError
    from cutaway.gallery.spec import ConfigError, ModelSpec

    return {"ConfigError": ConfigError, "HubError": HubError, "ModelSpec": ModelSpec, "SourceError": SourceError}[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
