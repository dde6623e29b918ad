"""Addresses of explainers that were divided -> a page that says where each step went, and embeds that still play.

An old frame is served the file of the page that has the step, or of the first page, whose lab reads the same state.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cutaway import explainers
from cutaway.app.embed import beats as embed_beats
from cutaway.app.embed import page as embed
from cutaway.app.site.pages import Page


def pages(site) -> Iterator[Page]:
    """Of every old address: the page, its embed, and the embeds of its steps."""
    for old, names in explainers.MOVED.items():
        yield Page(f"/learn/{old}/", partial(moved_page, site, old))
        yield Page(f"/embed/{old}/", partial(embed.explainer_page, site, names[0]), csp=partial(policy, names[0]))
        for n, (name, beat) in enumerate(explainers.moved_beats(old), 1):
            one = explainers.load(name)
            yield Page(
                f"/embed/{old}/beat-{n}/",
                partial(embed_beats.beat_page, site, one, one.beats[beat - 1]),
                csp=partial(embed_beats.beat_policy, name, beat),
            )


def policy(name: str) -> str:
    """What the single file of an explainer may do."""
    return embed.explainer_policy(name)


def moved_page(site, old: str) -> str:
    """Both pages, and each step under its old number."""
    steps = [(n, *at) for n, at in enumerate(explainers.moved_beats(old), 1)]
    found = [
        (one, [(n, one.beats[beat - 1]) for n, name, beat in steps if name == one.name])
        for one in map(explainers.load, explainers.MOVED[old])
    ]
    return site.render("learn/moved.html", f"/learn/{old}/", found=found)
