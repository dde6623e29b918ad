"""A read model -> its file for /compare/: fields, tower, drawing, cache, and what its nearest relatives differ in.

Any two files make a comparison of drawings, fields and totals in the browser (app/compare/compare.js). What each
difference costs is counted here for a model and its nearest relatives, in both orders, and for any pair when the
live app is asked (app/compare/request.py).
"""

from __future__ import annotations

import json
from functools import cache, cached_property
from itertools import groupby

from cutaway.app.model.view import ModelView, SpecView
from cutaway.gallery import catalog, comparing
from cutaway.gallery.comparing import differences
from cutaway.gallery.comparing.attribution import PARTS
from cutaway.gallery.comparing.mechanisms import bits
from cutaway.gallery.comparing.model_fields import fields_of
from cutaway.gallery.comparing.relatives import Lineage
from cutaway.gallery.comparing.slots import ECHOES, SLOT_OF, SLOTS
from cutaway.gallery.comparing.text.slot import words_of
from cutaway.gallery.counting.cache_growth import growth_sheet
from cutaway.gallery.drawing.drawing_json import drawing_json
from cutaway.gallery.drawing.pictures import role_of, short_of
from cutaway.gallery.spec import ModelSpec

BESIDE_QKV = dict.fromkeys(("o-bias", "mlp-bias"), ("qkv-bias",))  # biases that are not said beside those of q, k and v
NEAR = 2  # earlier relatives whose differences are counted one by one
COLUMNS = ("part", "what", "key", "a", "b", "parameters", "active", "cache", "fixed", "number", "apart", "place")
DEFAULT = ("deepseek-ai/DeepSeek-V3", "moonshotai/Kimi-K2-Base")
SUGGESTED = (
    DEFAULT,
    ("Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-Next-80B-A3B-Instruct"),
    ("meta-llama/Llama-3.1-8B", "mistralai/Mistral-7B-v0.1"),
)


@cache
def counted_pairs() -> dict[str, tuple[str, ...]]:
    """Of each model those whose differences from it are counted: its nearest earlier ones, and whose nearest it is."""
    known: Lineage = comparing.catalogue_lineage()
    found: dict[str, dict[str, None]] = {}
    pairs = [(link.slug, slug) for slug in known.of for link in known.nearest(slug, NEAR)]
    for one, other in [*pairs, *SUGGESTED]:
        for slug, beside in ((one, other), (other, one)):
            found.setdefault(slug, {})[beside] = None
    return {slug: tuple(others) for slug, others in found.items()}


class Compared:
    """One model as far as /compare/ is concerned; `near` are the slugs of its nearest earlier relatives."""

    def __init__(self, view: SpecView, slug: str, company: str = "", date: str = "") -> None:
        self.view, self.spec = view, view.spec
        self.slug, self.company, self.date = slug, company, date

    @classmethod
    def listed(cls, view: ModelView) -> Compared:
        """A catalogued one."""
        return cls(view, view.row.slug, view.row.company, view.row.date or "")

    def file(self, pairs: bool = True) -> dict:
        """Its JSON; `pairs` by the slug of model A, where this one is B: none where one pair alone is asked for."""
        return {
            "slug": self.slug,
            "title": self.view.title,
            "company": self.company,
            "date": self.date,
            "from_keys": self.spec.read_from_keys,
            "figures": self.figures,
            "mechanisms": self.mechanisms,
            "says": self.says,
            "heads": differences.heads(self.spec, self.spec),
            "fields": self.fields,
            "tower": self.tower,
            "ends": self.ends,
            "insides": drawing_json(self.spec),
            "sheet": growth_sheet(self.spec),
            "near": [link.slug for link in self.nearest],
            "pairs": {slug: self.against(slug) for slug in (counted_pairs().get(self.slug, ()) if pairs else ())},
        }

    @cached_property
    def nearest(self) -> list:
        known = comparing.catalogue_lineage()
        return known.nearest(self.slug, 3) if self.slug in known.of else []

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
            "full_bytes": differences.full_context_bytes(spec),
            "weights_bytes": held.stored_bytes,
        }

    @cached_property
    def mechanisms(self) -> list[list]:
        """[key, weight in the whole catalogue] of what it has: two files make a share."""
        weights = comparing.catalogue_lineage().overall()
        return [[key, round(weights.sum(bits([key])), 6)] for key in self.view.mechanisms]

    @cached_property
    def says(self) -> list[list]:
        """[key, slot, as gained, as replaced, as lost, keys beside which it is not said] of each mechanism."""
        return [
            [
                key,
                SLOTS.index(SLOT_OF[key]),
                *words_of(self.spec, key),
                [*ECHOES.get(key, ()), *BESIDE_QKV.get(key, ())],
            ]
            for key in self.view.mechanisms
        ]

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

    @cached_property
    def ends(self) -> list:
        """[vocabulary, MTP layers] beside the tower."""
        return [self.spec.vocab_size, len(self.spec.mtp)]

    def against(self, slug: str) -> dict:
        """What it has that a catalogued model A has not, row by row with its cost."""
        return attributed(catalog.spec(slug), catalog.BY_SLUG[slug].title, self.spec, self.view.title)


def attributed(a: ModelSpec, name_a: str, b: ModelSpec, name_b: str) -> dict:
    """What model B has that A has not, row by row with its cost, and the verdict."""
    found = differences.compare_specs(a, b)
    verdict = differences.verdict(a, b, (name_a, name_b), found)
    return {
        "start": verdict.start,
        "clauses": [[one.words, one.heavy, one.number] for one in verdict.clauses],
        "end": verdict.end,
        "brief": differences.brief(a, b, name_b, found),
        "rows": [[getattr(row, name) for name in COLUMNS] for row in found.rows],
        "heads": found.heads,
        "equal": [[row.part, row.what, row.key, row.a] for row in found.equal],
    }


def written(value: object) -> str:
    """JSON as the page reads it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
