"""Explainers -> /learn/<name>/ pages, their modules and styles, and single-file pages at /embed/<name>/."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache

from markupsafe import Markup

import explainers
from app.pages import Page
from app.site import STATIC
from explainers import beats_html

NAV = (40, "Learn", "/learn/")
BEATS_JS = "/assets/explainers/kit-beats.js"
EMBED_LIMIT_BYTES = 30_000  # gzipped


def pages(site) -> Iterator[Page]:
    """Everything under /learn/ and /embed/, and the files the pages load."""
    yield site.page("learn_index.html", "/learn/", groups=groups())
    for name in explainers.names():
        yield from explainer_pages(site, name)
    yield Page(BEATS_JS, beats_script, "text/javascript")


def explainer_pages(site, name: str) -> Iterator[Page]:
    """One explainer: its page, its embed, its oEmbed answer, its module and its style."""
    path = f"/learn/{name}/"
    yield Page(path, lambda: learn_page(site, name))
    yield Page(f"/embed/{name}/", lambda: embed_page(site, name), csp=lambda: embed_csp(name))
    if site.base:
        yield Page(f"{path}oembed.json", lambda: oembed(site, name), "application/json")
    yield Page(f"/assets/explainers/{name}.js", lambda: explainers.page_module(name), "text/javascript")
    yield Page(f"/assets/explainers/{name}.css", lambda: explainers.page_css(name), "text/css")


def groups() -> list[tuple[str, list[explainers.Explainer]]]:
    """The explainers under the heading of their group, in reading order."""
    loaded = [explainers.load(name) for name in explainers.names()]
    listed = [(words, [one for one in loaded if one.group == group]) for group, words in explainers.GROUPS.items()]
    return [(words, members) for words, members in listed if members]


def learn_page(site, name: str) -> str:
    """The page of one explainer."""
    one = explainers.load(name)
    path = f"/learn/{name}/"
    known = [explainers.load(other) for other in one.next if other in explainers.names()]
    return site.render(
        "learn_beats.html" if one.beats else "learn.html",
        path,
        **(told(one) if one.beats else {}),
        one=one,
        group=explainers.GROUPS[one.group],
        words=Markup(one.html),
        picture=Markup(explainers.first_picture(name)),
        seed=seed(name),
        following=known,
        sources=[Markup(linked(source)) for source in one.sources],
        module=f"/assets/explainers/{name}.js?v={digest(name)}",
        style=f"/assets/explainers/{name}.css?v={digest(name)}",
        models=models(site, one),
    )


def told(one: explainers.Explainer) -> dict:
    """What the page of an explainer in beats shows besides the widget."""
    rows = json.dumps(beats_html.rows(one), separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return {
        "counted": beats_html.counted(one),
        "rail": beats_html.rail(one),
        "beats": [Markup(beats_html.section(one, beat)) for beat in one.beats],
        "goals": [{**goal, "words": Markup(goal["words"])} for goal in beats_html.goals(one)],
        "rows": Markup(rows),
        "machine": f"{BEATS_JS}?v={hashlib.sha256(beats_script().encode()).hexdigest()[:10]}",
    }


@cache
def beats_script() -> str:
    """The machine of beats as it is sent."""
    files = ("kit-bets.js", "kit-beats.js", "kit-told.js")
    return explainers.squeeze("\n".join((explainers.HERE / file).read_text("utf-8") for file in files))


def models(site, one: explainers.Explainer) -> list[dict]:
    """The model pages an explainer leads back to: those of its list that the gallery has."""
    found = catalogued()
    return [{**row, "title": found[row["slug"]]} for row in one.models if row["slug"] in found]


@cache
def catalogued() -> dict[str, str]:
    """slug -> title of every model in the catalog; nothing before there is one."""
    try:
        from gallery import catalog
    except ImportError:
        return {}
    return {model.slug: model.title for model in catalog.MODELS}


def linked(source: str) -> str:
    """A source as HTML: "words https://..." becomes a link on the words; an arXiv number becomes one too."""
    from html import escape

    found = re.fullmatch(r"(.+?)\s+(https?://\S+)", source)
    if found:
        return f'<a href="{escape(found[2])}">{escape(found[1])}</a>'
    text = escape(source)
    return re.sub(r"arXiv (\d{4}\.\d{4,5})", r'<a href="https://arxiv.org/abs/\1">arXiv \1</a>', text)


def seed(name: str) -> Markup:
    """The JSON a widget starts from, safe inside a <script>: state and data."""
    text = json.dumps({"state": explainers.reference(name).STATE, "data": explainers.data(name)}, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))


@cache
def digest(name: str) -> str:
    """Ten letters that change with the module or the style."""
    return hashlib.sha256((explainers.page_module(name) + explainers.page_css(name)).encode()).hexdigest()[:10]


# ---------------------------------------------------------------- the single file


@cache
def embed_parts(name: str) -> tuple[str, str]:
    """(script, style) of a single-file page."""
    host = (STATIC / "js" / "host.js").read_text("utf-8")
    start = (
        'host.mount(document.querySelector("[data-widget]"), '
        '{ default: widget, check: typeof check === "function" ? check : undefined });'
    )
    theme = 'document.documentElement.dataset.theme = new URLSearchParams(location.search).get("theme") ?? "";'
    script = "\n".join((theme, explainers.inline_module(name), explainers.squeeze(host), start))
    own = (STATIC / "css" / "embed.css").read_text("utf-8") + explainers.css(name)
    picture = explainers.first_picture(name, brief=True)
    style = explainers.squeeze(explainers.tokens(used_in=own + script + picture) + own)
    return script.replace("</script", "<\\/script"), style


def embed_csp(name: str) -> str:
    """Nothing but the file's own script and style, by their hashes: an embed can call nobody, whoever frames it."""
    script, style = embed_parts(name)
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; base-uri 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def embed_page(site, name: str) -> str:
    """One self-contained HTML file; a file too heavy for an iframe stops the build."""
    one = explainers.load(name)
    script, style = embed_parts(name)
    html = site.render(
        "embed.html",
        f"/embed/{name}/",
        one=one,
        policy=embed_csp(name),
        script=Markup(script),
        style=Markup(style),
        seed=seed(name),
        picture=Markup(explainers.first_picture(name, brief=True)),
        home=site.address(f"/learn/{name}/", f"/embed/{name}/"),
    )
    size = len(gzip.compress(html.encode()))
    if size > EMBED_LIMIT_BYTES:
        raise ValueError(f"/embed/{name}/ is {size:,} bytes gzipped; the limit is {EMBED_LIMIT_BYTES:,}.")
    return html


def oembed(site, name: str) -> str:
    """What an editor that knows oEmbed asks for: the iframe as JSON."""
    one = explainers.load(name)
    frame = (
        f'<iframe src="{site.base}embed/{name}/" title="{one.title}" width="100%" height="{one.height}"'
        ' loading="lazy"></iframe>'
    )
    answer = {"version": "1.0", "type": "rich", "provider_name": "Cutaway", "provider_url": site.base}
    return json.dumps({**answer, "title": one.title, "html": frame, "width": 900, "height": one.height})
