"""/ and the page for what is not there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cutaway.app.model import figures
from cutaway.app.site.pages import Page
from cutaway.app.site.translated import language_of
from cutaway.app.your_model import page as your_model
from cutaway.gallery import catalog

# One of each sort: latent attention, a delta hybrid, windows, five to one windows, state space.
CHOICES = (
    "deepseek-ai/DeepSeek-V3",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "openai/gpt-oss-120b",
    "google/gemma-3-27b-it",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
)


def pages(site) -> Iterator[Page]:
    for _, path in site.versions("/"):
        yield Page(path, partial(home_page, site, path))
    yield Page("/404.html", partial(missing_page, site))


def translated(code: str) -> Iterator[str]:
    """The first page is in every language."""
    yield "/"


def missing_page(site, path: str = "/404.html") -> str:
    """What a host shows for an address that has no file: a packed model, drawn there, or that there is none."""
    drawing = {**your_model.drawing(site), "offline": ""} if catalog.PACKED else {"packed": None}
    return site.render("home/404.html", path, **drawing)


def home_page(site, path: str = "/") -> str:
    """What this is, one drawing that can be changed for another, six doors."""
    choices = [view for slug in CHOICES if slug in site.slugs and (view := site.view(slug)).spec]
    return site.render(
        "home/page.html",
        path,
        choices=choices,
        shown=choices[0],
        figure=figures.inline(choices[0]),
        drawn=sum(row.snapshot is not None and not row.variant_of for row in site.rows),
        learn=len(site.explainers),
        translated=sum(path.startswith("/learn/") for path in site.translations.get(language_of(path).code, ())) - 1,
    )
