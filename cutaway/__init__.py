"""The library under one name: what somebody names -> its spec, its counts, its drawing.

    import cutaway
    cutaway.draw("Qwen/Qwen3-8B")                  # in a notebook this shows the drawing
    cutaway.parameters("./config.json").total
    cutaway.memory("openai/gpt-oss-20b", 131_072).total_bytes

A model is a Hub repo id or URL, a catalogued slug, a path, a config as a dict, or a spec that `read` gave. In a wheel
gallery/, explainers/, app/ and static/ stand inside this package (build/wheel.py), and no other name is taken.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cutaway.drawing import Drawing
    from gallery.comparing.differences import Row
    from gallery.counting.flops import Flops
    from gallery.counting.memory import Memory
    from gallery.counting.parameters import Parameters
    from gallery.counting.weights import Weight
    from gallery.spec import ModelSpec

    Model: TypeAlias = str | os.PathLike[str] | dict | ModelSpec

__all__ = [
    "ConfigError", "HubError", "ModelSpec", "SourceError", "compare", "draw", "edit", "flops", "memory", "parameters",
    "read", "run", "weights", "widget",
]  # fmt: skip


LAYOUTS = ("wide", "middle", "narrow")


def _named(model: Model, revision: str | None, offline: bool) -> tuple[ModelSpec, str, str]:
    """(spec, title, one sentence on where it is from); the last two are empty for a dict or a spec."""
    import gallery
    from gallery.command.named_model import load
    from gallery.spec import ModelSpec

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
    import gallery
    from cutaway.drawing import Drawing

    if layout not in LAYOUTS:
        raise ValueError(f"layout is one of {', '.join(LAYOUTS)}, not {layout!r}.")
    spec, name, source = _named(model, revision, offline)
    return Drawing(gallery.draw(spec, title=title or name, dark=dark, layout=layout), source)


def edit(model: Model, changes: Mapping[str, int | str] | str) -> ModelSpec:
    """What if it had {"heads": 64, "layers": 40}, or "heads:64,layers:40": the spec that would; ConfigError if none."""
    import gallery

    return gallery.edit(read(model), changes)


def weights(model: Model) -> tuple[Weight, ...]:
    """Every weight tensor: checkpoint name, shape, part, layer."""
    import gallery

    return gallery.weights(read(model))


def parameters(model: Model) -> Parameters:
    """How many parameters: in all, active for each token, by part."""
    import gallery

    return gallery.parameters(read(model))


def memory(
    model: Model, context: int, cache_dtype: str = "bfloat16", batch: int = 1, convention: str = "window"
) -> Memory:
    """Bytes that decoding keeps for `batch` sequences of `context` tokens each."""
    import gallery

    return gallery.memory(read(model), context, cache_dtype, batch, convention)


def flops(model: Model, context: int, prefill: bool = False) -> Flops:
    """Work and bytes of one decoded token, or of a prefill."""
    import gallery

    return gallery.flops(read(model), context, prefill)


def run(model: Model, tensors: Any, tokens: Any, watch: Any = None) -> Any:
    """Logits of one sequence in numpy, from arrays under the names of the modelling code's state dict."""
    import gallery

    return gallery.run(read(model), tensors, tokens, watch)


def compare(a: Model, b: Model) -> list[Row]:
    """Everything structural in which two models differ, with what it costs; empty where they are the same."""
    from gallery.comparing.differences import between

    return list(between(read(a), read(b)).rows)


def widget(name: str, **state: Any) -> Any:
    """An explainer as a notebook widget: cutaway.widget("bits", typed="0.1"). Needs cutaway[notebook]."""
    from explainers import notebook

    return notebook(name, **state)


def __getattr__(name: str) -> Any:
    """The exceptions, the spec's class and the version, loaded on first use: `import cutaway` costs next to nothing."""
    from importlib.metadata import version

    from gallery.command.named_model import SourceError
    from gallery.hub.repo_address import HubError
    from gallery.spec import ConfigError, ModelSpec

    if name == "__version__":
        return version("cutaway")
    for public in (ConfigError, HubError, ModelSpec, SourceError):
        if public.__name__ == name:
            return public
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
