"""A catalogued model -> its file for /compare/: its fields, its tower, its cache, and what its relatives differ in.

Any two files make a comparison of fields and totals in the browser (static/js/compare.js). What each difference
costs is counted here for a model and its nearest relatives, in both orders; other pairs show totals alone.
"""

from __future__ import annotations

from functools import cache, cached_property
from itertools import groupby

from app.view import ModelView
from gallery import catalog, comparing
from gallery.comparing import differences
from gallery.comparing.attribution import PARTS
from gallery.comparing.model_fields import fields_of
from gallery.comparing.relatives import Lineage
from gallery.drawing.pictures import role_of, short_of

NEAR = 2  # earlier relatives whose differences are counted one by one
COLUMNS = ("part", "what", "key", "a", "b", "parameters", "active", "cache", "fixed", "number", "apart")
POWERS = range(10, 21)  # of two: the contexts of the curve
DEFAULT = ("deepseek-ai/DeepSeek-V3", "moonshotai/Kimi-K2-Base")
SUGGESTED = (
    DEFAULT,
    ("Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-Next-80B-A3B-Instruct"),
    ("meta-llama/Llama-3.1-8B", "mistralai/Mistral-7B-v0.1"),
)


@cache
def counted_pairs() -> dict[str, tuple[str, ...]]:
    """Of each model those whose differences from it are counted: its nearest earlier ones, and whose nearest it is."""
    known: Lineage = comparing.catalogued()
    found: dict[str, dict[str, None]] = {}
    pairs = [(link.slug, slug) for slug in known.of for link in known.nearest(slug, NEAR)]
    for one, other in [*pairs, *SUGGESTED]:
        for slug, beside in ((one, other), (other, one)):
            found.setdefault(slug, {})[beside] = None
    return {slug: tuple(others) for slug, others in found.items()}


class Compared:
    """One model as far as /compare/ is concerned."""

    def __init__(self, view: ModelView) -> None:
        self.view, self.spec = view, view.spec

    def file(self) -> dict:
        """Its JSON; `pairs` by the slug of model A, where this one is B."""
        row = self.view.row
        return {
            "slug": row.slug,
            "title": self.view.title,
            "company": row.company,
            "date": row.date or "",
            "from_keys": self.spec.read_from_keys,
            "figures": self.figures,
            "heads": differences.heads(self.spec, self.spec),
            "fields": self.fields,
            "tower": self.tower,
            "kept": [self.view.memory(2**power).total_bytes for power in POWERS],
            "near": [link.slug for link in self.nearest],
            "pairs": {slug: self.against(slug) for slug in counted_pairs().get(row.slug, ())},
        }

    @cached_property
    def nearest(self) -> list:
        known = comparing.catalogued()
        return known.nearest(self.view.row.slug, 3) if self.view.row.slug in known.of else []

    @cached_property
    def figures(self) -> dict:
        """Plain numbers, units in their names."""
        spec, held = self.spec, self.view
        return {
            "parameters": held.parameters.total,
            "active": held.parameters.active,
            "layers": len(spec.layers),
            "context": spec.max_position_embeddings or 0,
            "cache_bytes": held.per_token_bytes,
            "fixed_bytes": held.fixed_bytes,
            "full_bytes": differences.full(spec),
            "weights_bytes": held.stored_bytes,
        }

    @cached_property
    def fields(self) -> list[list[str]]:
        """[part, what, key, value] of everything structural, each once, by part."""
        found: dict[tuple[str, str], list[str]] = {}
        for part, what, key, text in fields_of(self.spec):
            found.setdefault((part, what), [part, what, key, text])
        return sorted(found.values(), key=lambda one: PARTS.index(one[0]))

    @cached_property
    def tower(self) -> list[list]:
        """[mixer's colour, MLP's colour, their names, layers in a row] from the first layer on."""
        slabs = [
            (role_of(layer.mixer), role_of(layer.mlp), f"{short_of(layer.mixer)} + {short_of(layer.mlp)}")
            for layer in self.spec.layers
        ]
        return [[*slab, len(list(run))] for slab, run in groupby(slabs)]

    def against(self, slug: str) -> dict:
        """What it has that model A has not, row by row with its cost."""
        a = catalog.spec(slug)
        title = catalog.BY_SLUG[slug].title
        found = differences.between(a, self.spec)
        verdict = differences.verdict(a, self.spec, (title, self.view.title), found)
        return {
            "start": verdict.start,
            "clauses": [[one.words, one.heavy, one.number] for one in verdict.clauses],
            "more": verdict.more,
            "end": verdict.end,
            "brief": differences.brief(a, self.spec, self.view.title, found),
            "rows": [[getattr(row, name) for name in COLUMNS] for row in found.rows],
            "heads": found.heads,
            "equal": [[row.part, row.what, row.key, row.a] for row in found.equal],
        }
