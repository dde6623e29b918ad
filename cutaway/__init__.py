"""The library under one name: what somebody names -> its spec, its counts, its drawing.

    import cutaway
    cutaway.draw("Qwen/Qwen3-8B")                  # in a notebook this shows the drawing
    cutaway.parameters("./config.json").total
    cutaway.memory("openai/gpt-oss-20b", 131_072).total_bytes
    cutaway.catalogue("moe", "mla").to_pandas()

A model is a Hub repo id or URL, a catalogued slug, a path, a config as a dict, or a spec that `read` gave. The folders
gallery/, explainers/, app/ and static/ are packages in this one (pyproject.toml maps them), so that no other name is
taken.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cutaway.answers import Comparison, Differences, Planned, Relatives
    from cutaway.drawing import Drawing
    from cutaway.gallery.counting.flops import Flops
    from cutaway.gallery.counting.memory import Memory
    from cutaway.gallery.counting.parameters import Parameters
    from cutaway.gallery.counting.weights import Weight
    from cutaway.gallery.spec import ModelSpec
    from cutaway.tables import Table

    Model: TypeAlias = str | os.PathLike[str] | dict | ModelSpec

__all__ = [
    "ConfigError", "HubError", "ModelSpec", "SourceError", "catalogue", "compare", "draw", "edit", "flops", "lineage",
    "memory", "parameters", "plan", "read", "run", "weights", "widget",
]  # fmt: skip


LAYOUTS = ("wide", "middle", "narrow")


class _Found(NamedTuple):
    """A model somebody named; of a dict or a spec nothing but the spec is known."""

    spec: ModelSpec
    title: str = ""
    source: str = ""  # one sentence on where it is from
    slug: str | None = None  # of the page that the site has of it


def _named(model: Model, revision: str | None = None, offline: bool = False) -> _Found:
    """What somebody names -> its spec, and what is known of it."""
    from cutaway import gallery
    from cutaway.gallery.command.named_model import load
    from cutaway.gallery.spec import ModelSpec

    if isinstance(model, ModelSpec):
        return _Found(model)
    if isinstance(model, str | os.PathLike):
        found = load(os.fspath(model), revision, offline)
        return _Found(gallery.read(found.config), found.title, found.source, found.page)
    return _Found(gallery.read(model))


def read(model: Model, *, revision: str | None = None, offline: bool = False) -> ModelSpec:
    """The spec of a model: one entry per layer, nothing left open. ConfigError, HubError or SourceError say why not."""
    return _named(model, revision, offline).spec


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
    found = _named(model, revision, offline)
    return Drawing(gallery.draw(found.spec, title=title or found.title, dark=dark, layout=layout), found.source)


def edit(model: Model, changes: Mapping[str, int | str] | str) -> ModelSpec:
    """What if it had {"heads": 64, "layers": 40}, or "heads:64,layers:40": the spec that would; ConfigError if none."""
    from cutaway import gallery

    return gallery.edit(read(model), changes)


def weights(model: Model) -> Table[Weight]:
    """Every weight tensor: checkpoint name, shape, part, layer. A tuple of them that prints as a table."""
    from cutaway import gallery
    from cutaway.tables import Table

    return Table(gallery.weights(read(model)), ("name", "shape", "part", "layer"))


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


@overload
def compare(a: Model, b: Model, /, *, offline: bool = False) -> Differences: ...
@overload
def compare(a: Model, b: Model, c: Model, /, *more: Model, offline: bool = False) -> Comparison: ...
def compare(a: Model, b: Model, /, *more: Model, offline: bool = False) -> Differences | Comparison:
    """Everything structural in which b differs from a, with what it costs: a tuple of rows, empty where they are the
    same, with the `verdict` of /compare/. Costs are b's minus a's: parameters, bytes of cache per token. Of three to
    six models, a beside each other one. `.save("pair.svg")` writes the picture, `.cache(131_072, "float8_e4m3fn")`
    says what each keeps. ValueError for more than six."""
    from cutaway.answers import Comparison, Differences
    from cutaway.gallery.command.compare_words import MOST

    if len(more) > MOST - 2:
        raise ValueError(f"A comparison takes 2 to {MOST} models, not {2 + len(more)}.")
    found = [_named(one, offline=offline) for one in (a, b, *more)]
    models = tuple((one.title or letter, one.spec) for one, letter in zip(found, "ABCDEF", strict=False))
    (name, first), *others = models
    pairs = tuple(Differences.between(first, spec, (name, other)) for other, spec in others)
    return Comparison(models, pairs) if more else pairs[0]


def lineage(model: Model, *, offline: bool = False) -> Relatives:
    """What is new in a model, the nearest earlier and later ones of the catalogue with what was gained and dropped,
    its line of descent, and what descends from it. A dict or a spec has no date, so nothing is called new in it."""
    from cutaway.answers import Relatives
    from cutaway.gallery.command.lineage_words import find_kin

    found = _named(model, offline=offline)
    return Relatives(found.title, find_kin(found.spec, found.title or "This model", found.slug))


def plan(model: Model, on: str, *, offline: bool = False, **options: Any) -> Planned:
    """What each GPU of a layout holds, whether it fits, and the least time of a step: plan(m, "h200_sxm:1x8", tp=8).

    `on` is DEVICE:NODESxGPUS; options are those of `cutaway plan --help` with "_" for "-", such as job="train", pp=4,
    context="128k". ValueError for a layout that cannot be, TypeError for an option that there is none of.
    """
    from argparse import Namespace

    from cutaway.answers import Planned
    from cutaway.gallery.command.grammar import UsageError
    from cutaway.gallery.command.plan_arguments import layout_options
    from cutaway.gallery.command.planning import make_plan
    from cutaway.gallery.planning.planner_model import make_planner_model

    asked = Namespace(on=str(on), **layout_options(options))
    found = _named(model, offline=offline)
    sheet = make_planner_model(found.spec)
    try:
        return Planned(found.title, found.slug, sheet, make_plan(sheet, asked))
    except UsageError as problem:
        raise ValueError(str(problem)) from None


def catalogue(*words: str, sort: str = "date") -> Table[dict[str, Any]]:
    """The catalogue's models as rows, all or those that all the words name ("moe", "qwen", "2025"); columns as in
    /data/models.json. `sort`: a column; numbers and dates with the largest and latest first."""
    from cutaway.gallery import listing
    from cutaway.tables import Table

    if sort not in listing.COLUMNS:
        raise ValueError(f"sort is one of {', '.join(listing.COLUMNS)}, not {sort!r}.")
    rows = listing.order(listing.find_rows(words), sort)
    return Table([listing.record(row) for row in rows], listing.COLUMNS)


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
