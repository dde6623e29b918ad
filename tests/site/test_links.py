"""Relative URLs: the same page works under any prefix."""

import pytest

from cutaway.app.site import Site
from cutaway.app.site.environment import month


@pytest.mark.parametrize(
    ("expected", "path", "from_"),
    [
        ("./", "/", "/"),
        ("models/", "/models/", "/"),
        ("../", "/", "/models/"),
        ("../../../learn/heads/?model=a/b", "/learn/heads/?model=a/b", "/models/a/b/"),
        ("../../../assets/css/site.css", "/assets/css/site.css", "/models/a/b/"),
        ("models/", "/models/", "/404.html"),
        ("app?model=a/b", "/app?model=a/b", "/app"),
        ("../learn/#top", "/learn/#top", "/models/"),
    ],
)
def test_a_link_is_relative_to_its_page(expected, path, from_):
    """No link starts with a slash or a host."""
    assert Site.url(path, from_) == expected


def test_dates_are_said_in_words():
    """2024-12-26 is Dec 2024; a year alone stays one."""
    assert [month("2024-12-26"), month("2024-07"), month("2024"), month(None)] == ["Dec 2024", "Jul 2024", "2024", ""]


MISSING = ("home/404.html", "/404.html")


def test_the_404_page_of_a_hosted_site_finds_its_way_from_any_depth():
    """A host shows 404.html at any depth: its links start at the site's root, once that is known."""
    assert 'href="/cutaway/models/"' in Site("https://example.org/cutaway/").render(*MISSING, packed=None)
    assert 'href="models/"' in Site().render(*MISSING, packed=None)
