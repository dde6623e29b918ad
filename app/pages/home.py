"""/ and the page for what is not there."""

from __future__ import annotations

from collections.abc import Iterator

from app.pages import Page


def pages(site) -> Iterator[Page]:
    yield site.page("home.html", "/")
    yield site.page("404.html", "/404.html")
