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


def turn(nodeid: str) -> bool:
    """Whether it is the turn of this test's page: every third one, another third for another file of tests."""
    page, path = unit(nodeid).removeprefix(ALL_PAGES), nodeid.partition("::")[0]
    return page not in pages() or (sorted(pages()).index(page) + zlib.crc32(path.encode())) % 3 == 0


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
