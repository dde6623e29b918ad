"""Single-file pages for frames at /embed/, the script that brings <cutaway-widget>, and what oEmbed is answered.

/embed/<explainer>/   /embed/model/<org>/<name>/ (the drawing)   /embed/cache/<org>/<name>/ (its cache against context)
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from functools import cache, partial

from markupsafe import Markup

from cutaway import explainers
from cutaway.app.embed import frames as embeds
from cutaway.app.embed.frames import Embed
from cutaway.app.model import figures
from cutaway.app.model.view import ModelView
from cutaway.app.site import style_sheet
from cutaway.app.site.pages import Page, source_hash
from cutaway.app.weigh import curve
from cutaway.explainers import bundles, first

LIMIT_BYTES = 30_000  # of a page, gzipped
FAST = 1  # gzip's level that packs least; what fits so needs no other look
THEME = 'document.documentElement.dataset.theme = new URLSearchParams(location.search).get("theme") ?? "";'
EDGE = 16  # around what an embed shows, and above its foot; the foot is a line of 18
FRAME = (2 * EDGE, 3 * EDGE + 18)  # (width, height) that are not the figure's


def pages(site) -> Iterator[Page]:
    yield Page("/embed.js", lambda: bundles.text("js/embed.js"), "text/javascript")
    yield from of_explainers(site)


# ---------------------------------------------------------------- explainers


def of_explainers(site) -> Iterator[Page]:
    """One single-file page each."""
    for name in explainers.names():
        yield Page(
            f"/embed/{name}/",
            partial(explainer_page, site, name),
            csp=partial(explainer_policy, name),
        )
        if site.base:
            yield answer(site, f"/learn/{name}/", partial(of_explainer, name))


def explainer_policy(name: str) -> str:
    """What the single file of an explainer may do."""
    return policy(*explainer_parts(name))


def of_explainer(name: str) -> Embed:
    one = explainers.load(name)
    return Embed(f"/embed/{name}/", one.title, embeds.steps(one.heights), (("name", name),))


@cache
def explainer_parts(name: str) -> tuple[str, str]:
    """(script, style) of an explainer's single file."""
    script = f"{THEME}\n{bundles.text(f'embeds/{name}.js')}"
    picture = explainers.first_picture(name, brief=True)
    own = style_sheet("embed") + explainers.css(name, used_in=script + picture)
    own = explainers.tight(explainers.tokens(used_in=own + script + picture) + own)
    return script.replace("</script", "<\\/script"), own


def explainer_page(site, name: str) -> str:
    return single(
        site,
        of_explainer(name),
        f"/learn/{name}/",
        *explainer_parts(name),
        name=name,
        one=explainers.load(name),
        seed=seed(name, alone=True),
        body=Markup(first.unbound(explainers.first_picture(name, brief=True))),
    )


def seed(name: str, beat=None, alone: bool = False) -> Markup:
    """The JSON a widget starts from, safe inside a <script>: state and data; of a beat, or of a lab alone in its file,
    what it can show."""
    part = "beat_data" if beat else "lab_data" if alone else ""
    own = getattr(explainers.reference(name), part, None) if part else None
    data = own(explainers.data(name), *([beat] if beat else [])) if own else explainers.data(name)
    data = {key: value for key, value in data.items() if key != "apart"}  # files of their own: app/learn/page.py
    if ends := data.get("config_ends"):
        of = [explainers.config_end(slug, explainers.data(name)) for slug in explainers.slugs_of(data)]
        data["config_ends"] = {**ends, "of": of}
    text = json.dumps({"state": explainers.reference(name).STATE, "data": data}, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))


# ---------------------------------------------------------------- models


def of_model(site, slug: str) -> Iterator[Page]:
    """A model's drawing and its cache against context."""
    for path, page in ((f"/embed/model/{slug}/", drawing_page), (f"/embed/cache/{slug}/", cache_page)):
        yield Page(path, partial(viewed, page, site, slug), csp=lambda: policy(*model_parts()), model=slug)
    if site.base:
        yield answer(site, f"/models/{slug}/", lambda: drawing(site.view(slug)), slug)


def viewed(page: Callable[..., str], site, slug: str) -> str:
    """A page of a model, which is read when the page is asked for."""
    return page(site, site.view(slug))


def drawing(view: ModelView) -> Embed:
    heights = frames(figures.sizes(view))
    return Embed(f"/embed/model/{view.slug}/", f"{view.title}, drawn", heights, (("model", view.slug),))


def cache_curve(view: ModelView) -> Embed:
    words = f"{view.title}: what decoding keeps"
    return Embed(f"/embed/cache/{view.slug}/", words, frames(curve.SIZES), (("model", view.slug), ("show", "cache")))


def frames(sizes: tuple[tuple[float, float, float, float], ...]) -> tuple[tuple[float, float], ...]:
    """(from width, widest, w, h) of a figure's pictures -> points of the frame's height."""
    points: list[tuple[float, float]] = []
    for index, (start, widest, w, h) in enumerate(sizes):
        end = sizes[index + 1][0] - embeds.STEP if index + 1 < len(sizes) else 1600
        for width in sorted({start, min(max(widest, start), end), end}):
            points.append((width + FRAME[0], round(min(width, widest) * h / w + FRAME[1] + 1)))
    return tuple(points)


@cache
def model_parts() -> tuple[str, str]:
    """(script, style): the same for every model."""
    own = "".join(style_sheet(name) for name in ("embed", "figure", "curve"))
    return f"{THEME}\n{bundles.text('js/fit.js')}", explainers.tight(explainers.tokens(used_in=own) + own)


def drawing_page(site, view: ModelView) -> str:
    return model_page(site, view, drawing(view), figures.titled(view))


def cache_page(site, view: ModelView) -> str:
    return model_page(site, view, cache_curve(view), curve.figure(view, site))


def model_page(site, view: ModelView, embed: Embed, body: Markup) -> str:
    name = embed.path.removeprefix("/embed/").rstrip("/")
    return single(site, embed, view.path, *model_parts(), name=name, one=None, body=body)


# ---------------------------------------------------------------- both


def single(site, embed: Embed, home: str, script: str, style: str, early: str = "", **context) -> str:
    """One self-contained HTML file; a file too heavy for an iframe stops the build."""
    html = site.render(
        "embed/page.html",
        embed.path,
        title=embed.title,
        policy=policy(script, style, early),
        early=early,
        script=Markup(script),
        style=Markup(style),
        home=site.address(home, embed.path),
        **context,
    )
    data = html.encode()
    size = len(gzip.compress(data, FAST))
    if size > LIMIT_BYTES and (size := len(gzip.compress(data))) > LIMIT_BYTES:
        raise ValueError(f"{embed.path} is {size:,} bytes gzipped; the limit is {LIMIT_BYTES:,}.")
    return html


def policy(script: str, style: str, early: str = "") -> str:
    """Nothing but the file's own scripts and style, by their hashes: an embed can call nobody, whoever frames it."""
    scripts = " ".join(f"'{source_hash(text)}'" for text in (script, early) if text)
    return f"default-src 'none'; script-src {scripts}; style-src '{source_hash(style)}'; img-src data:; base-uri 'none'"


def answer(site, path: str, embed: Callable[[], Embed], model: str = "") -> Page:
    """The oEmbed answer of the page at `path`."""
    return Page(
        f"{path}oembed.json",
        lambda: json.dumps(embeds.oembed(site, embed()), ensure_ascii=False),
        "application/json",
        model=model,
    )
