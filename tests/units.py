"""A test's address -> the unit of tests that one worker runs together, and in which order units go.

A unit is a file; tests of explainers that go over all pages are cut by page instead, so that a page is opened once
for all of them.
"""

from __future__ import annotations

import os
import zlib
from collections import Counter
from functools import cache

ALL_PAGES = "tests/explainers/"
ONLY = os.environ.get("EXPLAINER", "")  # the tests that walk over all pages walk over this one alone


@cache
def pages() -> list[str]:
    from cutaway import explainers

    return sorted(explainers.names(), key=len, reverse=True)


@cache
def parts(page: str) -> frozenset[str]:
    """What a page is made of: its kinds of bets and controls, what its state holds, whether files come later."""
    from cutaway import explainers
    from cutaway.explainers import beats_html

    one, state = explainers.load(page), explainers.reference(page).STATE
    bets = {f"bet {beat.bet.kind if beat.bet else 'none'}" for beat in one.beats}
    rows = [beats_html.control(one, given) for beat in one.beats for given in beat.controls]
    held = {key for key in ("model", "context", "step") if key in state}
    apart = {"files apart"} if explainers.separate_files(page) else set()
    return frozenset(bets | {f"control {row.get('kind', 'own')}" for row in rows} | held | apart)


@cache
def sample(test: str) -> frozenset[str]:
    """A page for this test, and such as have between them, and it, all parts that pages are made of."""
    order = sorted(pages(), key=lambda page: zlib.crc32(f"{test}: {page}".encode()))
    taken: list[str] = []
    for page in order:
        if parts(page) - frozenset().union(*map(parts, taken)):
            taken.append(page)
    for page in taken[1:]:
        others = [other for other in taken if other != page]
        if parts(page) <= frozenset().union(*map(parts, others)):
            taken = others
    return frozenset(taken)


def turn(nodeid: str) -> bool:
    """Whether this test's page is in the test's sample; a test of no page always has its turn."""
    page, test = unit(nodeid).removeprefix(ALL_PAGES), nodeid.partition("[")[0]
    return page not in pages() or page in sample(test)


def unit(nodeid: str) -> str:
    """tests/explainers/test_phone.py::test_x[masks-1400] -> tests/explainers/masks; others -> their file."""
    path, _, test = nodeid.partition("::")
    if path.startswith(ALL_PAGES) and test.endswith("]"):
        words = f"-{test[test.index('[') + 1 : -1]}-"
        if name := next((name for name in pages() if f"-{name}-" in words), ""):
            return ALL_PAGES + name
    return path


def longest_first(items: list) -> None:
    """Units that drive a browser or wait for processes go first, so that no worker is left alone with one at the end.

    The first that wants the built site comes second: one worker builds it while the other is busy with other pages.
    What spoils the page that its unit shares is last in it. It takes pytest's --no-loadscope-reorder: xdist would begin
    with the units that have most tests, which are quick.
    """
    of = {item: unit(item.nodeid) for item in items}
    heavy = Counter(of[item] for item in items for mark in ("browser", "whole") if item.get_closest_marker(mark))
    last = {item for item in items if item.get_closest_marker("spoils")}
    place = {one: at for at, one in enumerate(sorted(dict.fromkeys(of.values()), key=lambda one: -heavy[one]))}
    built = {of[item] for item in items if "site_dir" in item.fixturenames}
    if built:
        place[min(built, key=place.__getitem__)] = 0.5
    items.sort(key=lambda item: (place[of[item]], item in last))
