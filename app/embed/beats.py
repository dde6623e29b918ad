"""One beat of an explainer as a single file for frames: /embed/<name>/beat-3/, where /embed/<name>/?beat=3 leads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial

from markupsafe import Markup

from cutaway import explainers
from cutaway.app.embed import frames
from cutaway.app.embed.frames import BEAT_HEIGHTS, Embed
from cutaway.app.embed.page import THEME, policy, seed, single
from cutaway.app.site import style_sheet
from cutaway.app.site.pages import Page
from cutaway.explainers import beats_html, bundles
from cutaway.explainers.beats import Beat

EARLY = 'document.documentElement.classList.add("js");'  # before the first paint: an open bet tells nothing
# the live figure comes at once
FIRST = re.compile(r'<div class="beat-first">.*?</div>(?=<div class="beat-still">)', re.S)

OF_LAB = re.compile(r"^\.(?:lab|goals)\b.*\n", re.M)  # rules: their names occur in the script


def pages(site) -> Iterator[Page]:
    """One file for each beat."""
    for one in map(explainers.load, explainers.names()):
        for beat in one.beats:
            yield Page(
                of_beat(one, beat).path,
                partial(beat_page, site, one, beat),
                csp=partial(beat_policy, one.name, beat.n),
            )


def beat_policy(name: str, n: int) -> str:
    """What the single file of a beat may do."""
    return policy(*parts(name, n), EARLY)


def of_beat(one: explainers.Explainer, beat: Beat) -> Embed:
    """The address, title and height of one beat."""
    title = f"{one.title} · {beat.title}"
    return Embed(
        f"/embed/{one.name}/beat-{beat.n}/",
        title,
        frames.steps(BEAT_HEIGHTS),
        (("name", one.name), ("beat", str(beat.n))),
    )


def beat_page(site, one: explainers.Explainer, beat: Beat) -> str:
    """The beat as it stands in the page, with the machine that makes it live."""
    rows = beats_html.rows(one)
    rows |= {"beats": [row for row in rows["beats"] if row["n"] == beat.n], "goals": []}
    return single(
        site,
        of_beat(one, beat),
        f"/learn/{one.name}/",
        *parts(one.name, beat.n),
        early=Markup(EARLY),
        name=f"{one.name}/beat-{beat.n}",
        one=None,
        subject=one.subject,
        rows=beats_html.as_json(rows),
        seed=seed(one.name, beat),
        body=Markup(FIRST.sub("", beats_html.sections(one.name)[beat.n - 1])),
    )


@cache
def parts(name: str, n: int) -> tuple[str, str]:
    """(script, style) of one beat's single file."""
    one = explainers.load(name)
    script = f"{THEME}\n{bundles.text(f'embeds/{name}/beat-{n}.js')}".replace("</script", "<\\/script")
    used_in = script + beats_html.sections(name)[n - 1] + f"told told-{one.subject}"
    of_page = OF_LAB.sub("", explainers.used_styles(explainers.page_css(name, used_in), used_in, seed(name)))
    own = style_sheet("embed") + of_page
    return script, explainers.tight(explainers.tokens(used_in=own + script) + own)
