"""The collectives page as a reader meets it: stepped, played, switched, pointed at, from a link, narrow."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

READY = "[data-widget][data-ready]"


@pytest.fixture
def collectives(page, learn_url):
    """Open the page at a state."""

    def go(query=""):
        page.goto(f"{learn_url}/learn/collectives/{query}")
        page.wait_for_selector(READY)
        return page

    return go


def state(page, key):
    return page.evaluate("(key) => document.querySelector('[data-widget]').cutaway.model.get(key)", key)


def counts(page) -> list[list[str]]:
    rows = page.locator(".cw-table tbody tr").all()
    return [row.locator("td").all_inner_texts() for row in rows]


def test_the_counts_stand_beside_their_formulas(collectives):
    """Ring all-reduce on 4: 6 steps and 192 MiB, counted and computed alike."""
    page = collectives()
    assert counts(page) == [
        ["6", "6", "2(n − 1)"],
        ["6 chunks = 192.0 MiB", "192.0 MiB", "2(n − 1)/n · S"],
        ["6 chunks = 192.0 MiB", "192.0 MiB", "2(n − 1)/n · S"],
    ]
    page.get_by_role("radio", name="tree").check()
    tree = [["4", "4"], ["8 chunks = 256.0 MiB", "256.0 MiB"], ["16 chunks = 512.0 MiB", "512.0 MiB"]]
    assert [row[:2] for row in counts(page)] == tree
    assert "algorithm=tree" in page.url


def test_stepping_moves_the_chunks(collectives):
    """After three steps every rank has sent 3 chunks and owns one finished sum: four stripes in one slot."""
    page = collectives("?step=0")
    forward = page.get_by_role("button", name="Step forward")
    for _ in range(3):
        forward.click()
    assert state(page, "step") == 3
    assert page.locator(".cw-collectives-count").all_text_contents() == ["3"] * 4
    assert page.locator(".cw-collectives-op").text_content() == "all-reduce"
    page.get_by_role("slider", name="steps").focus()
    page.keyboard.press("End")
    assert page.locator(".cw-collectives-count").all_text_contents() == ["6"] * 4
    assert page.locator(".cw-heading small").first.inner_text() == "done"


def test_reduced_motion_plays_in_whole_steps(collectives):
    """With prefers-reduced-motion no chunk is ever seen between two ranks."""
    page = collectives("?step=0")
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("""() => {
      window.seen = [];
      const look = () => {
        for (const g of document.querySelectorAll(".cw-collectives-flying > g")) seen.push(g.getAttribute("transform"));
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }""")
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".cw-collectives-count").first).to_have_text("2")
    assert set(page.evaluate("seen")) == {"translate(0.00 0.00)"}


def test_pointing_at_a_slot_reads_its_numbers(collectives):
    """The pointer over a slot says the numbers it holds and whose they are."""
    page = collectives("?step=3")
    slot = page.locator(".cw-collectives-cells rect").first.bounding_box()
    page.mouse.move(slot["x"] + 8, slot["y"] + 8)
    assert page.locator(".cw-collectives-pointed").inner_text() == (
        "Rank 0, slot 0 holds [15, 100]: the sum over ranks 0, 1, 2, 3."
    )


def test_the_root_is_there_for_broadcast_only(collectives):
    """Broadcast has a root, the others do not; fewer ranks pull the root along."""
    page = collectives("?op=broadcast&ranks=8&root=7")
    root = page.get_by_role("slider", name="root")
    assert root.is_visible()
    page.get_by_role("slider", name="ranks n").focus()
    page.keyboard.press("ArrowLeft")
    assert (state(page, "ranks"), state(page, "root")) == (7, 6)
    page.get_by_role("radio", name="all-gather").check()
    assert not root.is_visible()


def test_broken_links_are_said_and_survived(collectives):
    """Nonsense in the address gets a sentence, and the page shows its start."""
    for query, says in (
        ("?ranks=17", "Between 2 and 16 ranks"),
        ("?op=gossip", "there is no “gossip”"),
        ("?op=broadcast&root=9", "one of the 4 ranks, 0 to 3"),
        ("?bandwidth=Infinity", "bandwidth"),
    ):
        page = collectives(query)
        assert says in page.locator("[data-message]").inner_text(), query
        assert counts(page)[0][0] == "6"


def test_narrow_and_without_script(collectives, browser, learn_url):
    """At 390 pixels 16 ranks fit; without scripts the picture and its numbers stand."""
    page = collectives("?ranks=16")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{learn_url}/learn/collectives/")
    assert "for an array of 128.0 MiB the busiest rank sends 192.0 MiB in 6 steps" in plain.locator(".cw").inner_text()
    context.close()


def test_axe_finds_nothing(collectives):
    """No accessibility violation in either theme."""
    page = collectives("?op=all-to-all&algorithm=tree&ranks=8")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [1400, 900, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_looks_as_kept(collectives, shot, card, width, scheme):
    """The card at three widths, light and dark."""
    page = collectives()
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    page = collectives("?ranks=8&step=3")
    shot(card(page), f"collectives-{width}-{scheme}")
