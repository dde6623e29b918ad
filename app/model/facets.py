"""What the gallery can be narrowed by: one row per facet, each a question to a model. Adding a facet is adding a row.

The key stands in the URL (?mixer=mla,delta), so it is unique over all groups and never changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from cutaway.app.model.once import once_for_each
from cutaway.app.model.view import ModelView
from cutaway.app.words import phrases as words
from cutaway.gallery import catalog
from cutaway.gallery import spec as s


class Facet(NamedTuple):
    """One box to tick."""

    group: str
    key: str
    words: str
    holds: Callable[[ModelView], bool]
    role: str = ""  # its colour, where it has one


def _between(number: Callable[[ModelView], float], low: float, high: float) -> Callable[[ModelView], bool]:
    return lambda view: low <= number(view) < high


def _mixer(key: str) -> Callable[[ModelView], bool]:
    return lambda view: any(key in words.mixer_facets(part) for part in parts(view, "mixer"))


def any_part(
    half: str, kind: type | tuple[type, ...], test: Callable = lambda part: True
) -> Callable[[ModelView], bool]:
    """Whether some mixer, or some MLP, is of a kind and passes a test."""
    return lambda view: any(isinstance(part, kind) and test(part) for part in parts(view, half))


def parts(view: ModelView, half: str) -> Iterator[object]:
    """Every distinct mixer, or every distinct MLP, of a model."""
    for indices in view.alike:
        yield from words.halves(getattr(view.spec.layers[indices[0]], half))


def _cache(view: ModelView) -> float:
    return view.cache_growth[0]


def _total(view: ModelView) -> float:
    return view.parameters.total


def _context(low: int, high: float) -> Callable[[ModelView], bool]:
    return lambda view: low < (view.spec.max_position_embeddings or 0) <= high


def _stored(*schemes: str) -> Callable[[ModelView], bool]:
    """Some of its weights, or of a catalogued variant's, are stored by a scheme whose key starts so."""
    return lambda view: any(row.startswith(schemes) for row in stored_rows(view))


@once_for_each
def stored_rows(view: ModelView) -> frozenset[str]:
    """Keys of the block schemes of a model and of its variants; "" where one is stored as it was trained."""
    rows = [row for row in (view.row, *catalog.variants(view.slug)) if row.snapshot]
    found: set[str] = set()
    for kept in (catalog.spec(row.slug).quantization for row in rows):
        found |= {kept.row, *(row for _, row in kept.overrides)} if kept else {""}
    return frozenset(found)


def _terms(*starts: str) -> Callable[[ModelView], bool]:
    return lambda view: licence_of(view.row.licence) in starts


def licence_of(licence: str | None) -> str:
    """The key of the family of terms that a licence belongs to: the first of LICENCES whose words it has."""
    text = (licence or "").lower()
    if any(name in text for name in NAMESAKES):
        return "l-own"
    return next(key for key, _, marks in LICENCES if any(mark in text for mark in marks))


# key, words, any of which stands in the licence's name; the last two rows catch what is left
LICENCES = (
    ("l-nc", "Non-commercial", ("non-commercial", "noncommercial", " - nc")),
    ("l-apache", "Apache 2.0", ("apache",)),
    ("l-mit-like", "MIT, modified", ("modified mit", '"modified mit"')),
    ("l-mit", "MIT", ("mit license",)),
    ("l-llama", "Llama community", ("llama",)),
    ("l-gemma", "Gemma terms", ("gemma",)),
    ("l-nvidia", "NVIDIA open model", ("nvidia open model", "nvidia nemotron open model")),
    ("l-own", "Own licence", ("licen", "terms", "agreement", "see ", "creative")),
    ("l-none", "Unknown", ("",)),
)
NAMESAKES = ("solar-apache",)  # terms of their own under another licence's name
ENDLESS = float("inf")
GROUPS = {
    "mixer": "Mixer",
    "mlp": "MLP",
    "cache": "Cache per token",
    "size": "Total parameters",
    "context": "Context, tokens",
    "also": "Also",
    "stored": "Weights stored as (with variants)",
    "year": "Released",
    "licence": "Licence",
    "company": "Company",
}
FACETS = (
    *(Facet("mixer", key, label, _mixer(key), role) for key, role, label in words.MIXER_FACETS),
    Facet("mlp", "moe", "Mixture of experts", any_part("mlp", s.MoE), "moe"),
    Facet("mlp", "dense", "Dense only", lambda view: not any_part("mlp", s.MoE)(view), "dense"),
    Facet("cache", "c-16", "under 16 KB", _between(_cache, 0, 16e3)),
    Facet("cache", "c-64", "16 – 64 KB", _between(_cache, 16e3, 64e3)),
    Facet("cache", "c-160", "64 – 160 KB", _between(_cache, 64e3, 160e3)),
    Facet("cache", "c-more", "more", _between(_cache, 160e3, ENDLESS)),
    Facet("size", "p-5", "under 5 B", _between(_total, 0, 5e9)),
    Facet("size", "p-40", "5 – 40 B", _between(_total, 5e9, 40e9)),
    Facet("size", "p-300", "40 – 300 B", _between(_total, 40e9, 300e9)),
    Facet("size", "p-more", "over 300 B", _between(_total, 300e9, ENDLESS)),
    Facet(
        "also", "shared", "Shared expert", any_part("mlp", s.MoE, lambda part: part.shared_expert_intermediate_size > 0)
    ),
    Facet("also", "qk-norm", "QK-norm", any_part("mixer", object, lambda part: bool(getattr(part, "qk_norm", "")))),
    Facet("also", "nope", "NoPE layers", any_part("mixer", object, words.without_position)),
    Facet(
        "also", "sinks", "Attention sinks", any_part("mixer", object, lambda part: bool(getattr(part, "sinks", False)))
    ),
    Facet("also", "mtp", "Multi-token prediction", lambda view: bool(view.spec.mtp)),
    Facet("also", "towers", "Multimodal", lambda view: bool(view.spec.towers)),
    Facet("also", "quantized", "Quantized weights", lambda view: view.spec.quantization is not None),
    Facet("context", "t-8", "up to 8,192", _context(0, 8192)),
    Facet("context", "t-32", "to 32,768", _context(8192, 32768)),
    Facet("context", "t-128", "to 131,072", _context(32768, 131072)),
    Facet("context", "t-256", "to 262,144", _context(131072, 262144)),
    Facet("context", "t-more", "more", _context(262144, ENDLESS)),
    Facet("context", "t-none", "no limit in the config", lambda view: not view.spec.max_position_embeddings),
    Facet("stored", "s-plain", "not quantized", lambda view: "" in stored_rows(view)),
    Facet("stored", "s-fp8", "FP8", _stored("fp8", "mxfp8")),
    Facet("stored", "s-mxfp4", "MXFP4", _stored("mxfp4")),
    Facet("stored", "s-nvfp4", "NVFP4", _stored("nvfp4")),
    Facet("stored", "s-int", "integers", _stored("int")),
    *(Facet("licence", key, label, _terms(key)) for key, label, _ in LICENCES),
)


@once_for_each
def keys(view: ModelView) -> list[str]:
    """The facets that hold for a drawn model."""
    own = (company_key(view.row.company), year_key(view.row.date))
    return [*own, *(facet.key for facet in FACETS if facet.holds(view))]


def year_key(date: str | None) -> str:
    return f"y-{date[:4] if date else 'none'}"


def company_key(company: str) -> str:
    return "by-" + "".join(letter if letter.isalnum() else "-" for letter in company.lower())


def counted(views: list[ModelView]) -> list[tuple[str, str, list[tuple[Facet, int]]]]:
    """(group key, heading, [(facet, how many models)]) for the sidebar; facets that hold for none are left out."""
    held = Counter(key for view in views for key in set(keys(view)))
    companies = sorted({view.row.company for view in views}, key=str.lower)
    rows = [*FACETS, *(Facet("company", company_key(company), company, lambda view: False) for company in companies)]
    for year in sorted({(view.row.date or "")[:4] for view in views}, reverse=True):
        rows.append(Facet("year", year_key(year), year or "unknown date", lambda view: False))
    found = []
    for group, heading in GROUPS.items():
        members = [(facet, held[facet.key]) for facet in rows if facet.group == group]
        found.append((group, heading, [(facet, count) for facet, count in members if count]))
    return found
