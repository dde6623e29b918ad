"""/formats/: which number format to choose for a model's weights: costs, hardware, engines, traps, and a short list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from markupsafe import Markup

from cutaway.app.formats import errors, shortlist, sizes
from cutaway.app.formats.rows import CELLS, CHOICES, ENGINES, HARDWARE, Choice, Support
from cutaway.app.formats.sources import SOURCES
from cutaway.app.model.once import once_for_each
from cutaway.app.site.pages import Page
from cutaway.app.site.places import Place
from cutaway.explainers import fmt

PATH = "/formats/"
TERMS = ("which format", "which quantization", "NVFP4 vs MXFP4", "FP8 vs INT8", "GPTQ vs AWQ", "Q4_K vs NF4",
         "quantization formats", "choose a quantization", "number formats compared")  # fmt: skip
SEARCH = (PATH, "Which quantization format should I choose?", TERMS)
DATA = "/data/formats.json"
FIRST = "meta-llama/Llama-3.1-8B"  # whose bytes stand in the page
PRODUCTS = {
    "nvfp4": "FP4",
    "mxfp4": "FP4",
    "mxfp8": "FP8",
    "fp8": "FP8",
    "int8": "INT8",
    "": "16 bits, dequantized",
}
ELSEWHERE = {"q4_k": "INT8 in llama.cpp; 16 bits, dequantized, elsewhere"}


class Line(NamedTuple):
    """One format as the page shows it."""

    row: Choice
    bits: float
    error: errors.Error | None
    bytes: int
    product: str  # what a chip multiplies, where it can


def pages(site) -> Iterator[Page]:
    yield Page(PATH, lambda: page(site))
    yield Page(DATA, lambda: data(site), "application/json")


def places(site) -> Iterator[Place]:
    """Every format of the page."""
    for row in CHOICES:
        yield Place(f"{PATH}#{row.key}", row.label, "Format", row.says, (), "hardware, engines, traps")


def page(site) -> str:
    """The whole page: all that its script shows is in it, too."""
    view = site.view(FIRST)
    whole, *packed = sizes.packed(view.spec)
    return site.render(
        "formats/page.html", PATH,
        lines=[line(row, size) for row, size in zip(CHOICES, packed, strict=True)],
        whole=whole, model=view, hardware=HARDWARE, engines=ENGINES, cell=cell, matters=shortlist.MATTERS,
        source=source, natively=shortlist.is_native, seeds=len(errors.SEEDS),
        lists=Markup(as_json(shortlist.every())), data=DATA, used=used(), fixed=fmt.fixed,
    )  # fmt: skip


def line(row: Choice, size: int) -> Line:
    """What the table of costs says of a format."""
    return Line(
        row, shortlist.bits(row), errors.measured().get(row.key), size, ELSEWHERE.get(row.key, PRODUCTS[row.product])
    )


def cell(engine: str, row: Choice) -> Support | None:
    """What is known of an engine and a format."""
    return CELLS.get((engine, row.key))


def source(key: str) -> tuple[str, str]:
    """(words, address)."""
    return SOURCES[key]


def used() -> list[str]:
    """Keys of the sources of hardware and engines, each once."""
    named = [key for row in HARDWARE for key in row.sources]
    return list(dict.fromkeys([*named, *(row.source for row in CELLS.values())]))


def data(site) -> str:
    """/data/formats.json: [slug, title, bytes in BF16 and in each format] of every drawn model, by title."""
    views = sorted((view for view in site.views if view.spec), key=lambda view: view.title.lower())
    return as_json([[view.slug, view.title, *weighed(view)] for view in views])


@once_for_each
def weighed(view) -> list[int]:
    """Bytes of a model in BF16 and in each format; they stay with its view."""
    return sizes.packed(view.spec)


def as_json(value: Any) -> str:
    """Compact, and safe inside a script element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
