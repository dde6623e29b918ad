"""One beat in a frame: every beat of every page stands alone, in a stranger's page, and says what its page says."""

from __future__ import annotations

import re

import pytest

from cutaway import explainers
from cutaway.app.embed import beats as embed_beats
from cutaway.explainers import beats_html
from tests.guarded import until
from tests.site.strangers import blog, post

TOLD = [explainers.load(name) for name in explainers.names()]
FOUND = """() => {
  const section = document.querySelector("section.beat"), root = document.documentElement;
  return { live: "ready" in section.dataset, state: section.dataset.state ?? "", wide: root.scrollWidth - innerWidth,
    lab: section.querySelector(".beat-lab")?.href, tall: Math.ceil(root.getBoundingClientRect().height),
    says: section.querySelector(".bet-verdict")?.innerText ?? "" };
}"""


CLASSES = """() => [...document.querySelectorAll(".beat *, .beat")].flatMap((e) => [...e.classList])"""


def selectors(style: str) -> list[str]:
    """Of each line; the first rule of an @media may stand in its line."""
    return [re.sub(r"^@[^{]*\{", "", line).partition("{")[0] for line in style.split("\n") if "{" in line]


def unstyled(one, beat, seen: set[str]) -> list[str]:
    """Selectors of the page's style that fit what the embed shows and are not in the embed's own."""
    kept = set(selectors(embed_beats.parts(one.name, beat.n)[1]))
    gone = selectors(explainers.page_css(one.name))
    classes = [(selector, re.findall(r"\.([a-zA-Z][\w-]*)", selector)) for selector in gone if selector not in kept]
    return [selector for selector, names in classes if names and set(names) <= seen]


def origin(url: str) -> str:
    return "/".join(url.split("/")[:3])


@pytest.mark.turns
@pytest.mark.parametrize("one", TOLD, ids=lambda one: one.name)
def test_every_beat_stands_alone_in_a_strangers_page(page, learn_url, one):
    """Framed by another origin: live, open, no error, nothing cut at 390 px; shown, it gives the page's answer."""
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.set_viewport_size({"width": 406, "height": 900})
    frames = "".join(f'<iframe src="{learn_url}/embed/{one.name}/beat-{b.n}/" width="390" height="1600"></iframe>'
                     for b in one.beats)  # fmt: skip
    with blog({"/": post(frames)}, f"default-src 'none'; frame-src {origin(learn_url)}") as url:
        page.goto(url)
        for beat, frame in zip(one.beats, page.frames[1:], strict=True):
            frame.wait_for_selector("section.beat[data-ready]", timeout=9000)
            found = frame.evaluate(FOUND)
            assert (found["state"], found["wide"] <= 0) == ("open" if beat.bet else "", True)
            assert found["says"] == ""
            if beat.bet:
                frame.get_by_role("button", name="skip the bet").click()
                until(page, lambda f=frame: f.inner_text(".bet-verdict") != "")  # a frame off the screen is late
                answer = re.sub(r"<[^>]+>", "", beats_html.answer(one, beat))
                assert frame.evaluate(FOUND)["says"].startswith(answer.replace("&lt;", "<").rstrip("."))
            after = frame.evaluate(FOUND)
            assert f"/learn/{one.name}/" in after["lab"]
            assert after["tall"] <= embed_beats.of_beat(one, beat).height(390), beat.name
            bare = unstyled(one, beat, set(frame.evaluate(CLASSES)))
            assert bare == [], "rules of the page that its embed lacks"
    assert [text for text in wrong if "favicon" not in text] == []


def test_an_embed_asked_for_a_beat_leads_to_it(page, learn_url):
    """/embed/heads/?beat=5&tp=16 is the fifth beat, in that state, with its bet skipped."""
    page.goto(f"{learn_url}/embed/heads/?beat=5&tp=16")
    page.wait_for_url(f"{learn_url}/embed/heads/beat-5/?tp=16#beat-5")
    page.wait_for_selector("section.beat[data-ready]")
    assert page.evaluate("document.querySelector('section.beat').machine.state.tp") == 16
    assert page.locator("section.beat").get_attribute("data-state") == "skipped"


@pytest.mark.whole
@pytest.mark.parametrize("one", TOLD, ids=lambda one: one.name)
def test_a_beats_file_loads_nothing_and_holds_no_lab(one):
    """Each file is at most 31 KB packed (the build stops otherwise), without the lab's code, under a strict policy."""
    from cutaway.app.site import Site

    for beat in one.beats:
        html = embed_beats.beat_page(Site(), one, beat)
        assert "default-src 'none'; script-src 'sha256-" in html.replace("&#39;", "'")
        assert "export " not in embed_beats.parts(one.name, beat.n)[0]
        assert not re.search(r"\bsrc=(?!.data:image/png;)|@import|url\([^)#]", html)


def test_a_rule_for_what_does_not_occur_is_left_out():
    """One known selector keeps a rule; element rules and at-rules stay."""
    style = ".a { x: 1; }\n.b .c, .a:hover { x: 2; }\n.b { x: 3; }\np { x: 4; }\n@media print {"
    assert (
        explainers.used_styles(style, '<p class="a">')
        == ".a { x: 1; }\n.b .c, .a:hover { x: 2; }\np { x: 4; }\n@media print {"
    )
