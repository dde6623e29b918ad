"""The live app at /app: the workbench, or with ?learn=<name> one explainer as a Panel widget."""

import panel as pn

from cutaway.app.compare.request import MOST_PASTED
from cutaway.app.learn import widgets
from cutaway.app.serve.server import site
from cutaway.app.workbench.session import Session
from cutaway.app.workbench.url import CONTEXTS, START

PAGE = """
{% extends base %}
{% from macros import embed %}
{% block title %}Cutaway workbench{% endblock %}
{% block postamble %}
<meta name="viewport" content="width=device-width, initial-scale=1">
ASSETS
{% endblock %}
{% block contents %}
HEADER
<p id="connection" role="status"></p>
<main id="main" tabindex="-1" class="page bench">
CONTENTS
</main>
{% endblock %}
"""
STYLES = ("css/figure.css", "css/gallery.css", "css/model.css", "css/novelty.css", "css/result.css",
          "css/bench.css")  # fmt: skip


def template(contents: str) -> pn.Template:
    """Our page around Panel's roots; the words in it are rendered once, by our own templates."""
    here = site()
    assets = here.render("site/assets.html", "/app")
    assets += "".join(f'<link rel="stylesheet" href="{here.asset(name, "/app")}">' for name in STYLES)
    assets += f'<script type="module" src="{here.asset("js/connection.js", "/app")}"></script>'
    text = PAGE.replace("ASSETS", assets).replace("HEADER", here.render("site/header.html", "/app"))
    return pn.Template(text.replace("CONTENTS", contents))


def learn(name: str, query: str) -> pn.Template:
    """One explainer, live."""
    page = template("{{ embed(roots.widget) }}")
    page.add_panel("widget", widgets.panel(name, query))
    return page


def workbench(query: str) -> pn.Template:
    """The workbench, with its first drawing already in the page's first message."""
    here = site()
    session = Session(here, query, pn.state.curdoc)
    session.start()
    pn.state.onload(session.loaded)
    contents = here.render(
        "workbench/page.html", "/app", rows=here.rows, contexts=CONTEXTS, start=START, most=MOST_PASTED
    )
    page = template(contents.replace("PLOT", "{{ embed(roots.plot) }}").replace("BRIDGE", "{{ embed(roots.bridge) }}"))
    page.add_panel("plot", pn.pane.Bokeh(session.plot.figure, sizing_mode="stretch_width"))
    page.add_panel("bridge", session.bench)
    return page


def asked(name: str) -> str:
    """One value of the address, as text."""
    found = pn.state.session_args.get(name, [b""])[0]
    return found.decode("utf-8", "replace")


pn.extension()
QUERY = pn.state.location.search if pn.state.location else ""
chosen = asked("learn")
document = pn.state.curdoc
assert document is not None  # Bokeh runs this file for one
with document.models.freeze():  # each root and each change of one would count all models anew
    (learn(chosen, QUERY) if chosen in widgets.names() else workbench(QUERY)).servable()
