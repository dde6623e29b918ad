"""Where a pasted config goes: the page says what is true for the address that the reader opened."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cutaway.app.site import Site

TEMPLATES = Path(__file__).resolve().parents[2] / "app"
HERE = re.compile(r"this machine|this computer|localhost|127\.0\.0\.1")


@pytest.mark.parametrize("template", ["home/page.html", "workbench/page.html", "compare/page.html"])
def test_no_template_claims_to_be_on_the_readers_machine(template):
    """A hosted server serves the same words: the claim stands only where a loopback address puts it."""
    text = (TEMPLATES / template).read_text()
    if said := re.search(r'here=_\("([^"]+)"\)', text):  # a message of its own, which the sentence takes
        text = text.replace(said[0], "").replace("{{ here }}", said[1])
    local = re.findall(r'data-local="([^"]+)"', text)
    assert len(local) == 1
    assert HERE.search(local[0])
    assert not HERE.search(re.sub(r'data-local="[^"]+"', "", text))
    assert "this site's server, which draws it and keeps nothing" in text
    assert "js/is-local.js" in text


def test_the_static_site_speaks_of_no_server(site_dir):
    """Nothing is sent from the static site, so no page of it says where something goes."""
    help_text = site_dir / "docs" / "commands" / "index.html"  # says on what address `cutaway serve` listens
    for path in site_dir.rglob("*.html"):
        text = path.read_text("utf-8")
        assert path == help_text or not HERE.search(text), path
        assert "site's server" not in text


LOCAL = "stays on this machine"
HOSTED = "goes to this site's server, which draws it and keeps nothing"


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("127.0.0.1", LOCAL),
        ("localhost", LOCAL),
        ("[::1]", LOCAL),
        ("127.0.0.53", LOCAL),
        ("cutaway.localhost", LOCAL),
        ("cutaway.example", HOSTED),
        ("192.168.1.5", HOSTED),
        ("localhost.example", HOSTED),
        ("127.0.0.1.example", HOSTED),
    ],
)
def test_the_address_decides_what_is_said(page, host, words):
    """A loopback name is this machine; any other name, one that looks like it too, is a server elsewhere."""
    script = (TEMPLATES / "workbench" / "is-local.js").read_text()
    html = Site(live=True).render("home/page.html", "/", **HOME).replace('http-equiv="Content-Security-Policy"', "")
    answers = {"/": (html, "text/html"), "/assets/js/is-local.js": (script, "text/javascript")}

    def answer(route):
        path = "/" + route.request.url.split("/", 3)[3].split("?")[0]
        body, kind = answers.get(path, ("", "text/plain"))
        route.fulfill(body=body, content_type=kind)

    page.route("**/*", answer)
    page.goto(f"http://{host}:5006/")
    assert page.inner_text("[data-local]") == words
    page.foreign.clear()  # answered above: none of them left


HOME = {"choices": [], "shown": Site().view("openai/gpt-oss-20b"), "figure": "", "drawn": 1, "learn": 0}
