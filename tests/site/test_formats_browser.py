"""/formats/ in a browser: answers, the address, a model's bytes, keyboard, phone, print, and no script at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cutaway.app.formats import shortlist
from cutaway.app.formats.rows import BY_KEY, CHOICES
from cutaway.explainers import fmt
from tests import accessible
from tests.once import once
from tests.served import served

DEEPSEEK = "deepseek-ai/DeepSeek-V3"


@pytest.fixture(scope="module")
def formats_dir(tmp_path_factory) -> Path:
    """The page, its data and the assets, as a host has them."""
    from cutaway.app.formats import page as formats
    from cutaway.app.site import Site, assets

    def write(out: Path) -> None:
        site = Site()
        for one in (*formats.pages(site), *assets.pages(site)):
            path = out / (one.path.lstrip("/") + ("index.html" if one.path.endswith("/") else ""))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(one.content())

    return once(tmp_path_factory, "formats", write)


@pytest.fixture(scope="module")
def formats(formats_dir) -> Iterator[str]:
    with served(formats_dir, "/under/it") as url:
        yield f"{url}/formats/"


def labels(page) -> list[str]:
    return page.locator(".f-list h3").all_inner_texts()


def test_three_answers_lead_to_the_short_list(page, formats):
    """Choosing by keyboard writes the address, and shows the list that Python made, with bytes of the chosen model."""
    page.goto(formats)
    page.wait_for_selector("[data-ready]")
    assert labels(page) == [BY_KEY[key].label for key in shortlist.shortlist("any", "any", "size")]
    page.get_by_label("Which hardware?").select_option("hopper")
    page.get_by_label("Which engine?").select_option("vllm")
    page.get_by_label("What matters most?").select_option("speed")
    page.get_by_label("For which model?").select_option(DEEPSEEK)
    assert page.url.endswith("?hardware=hopper&engine=vllm&matters=speed&model=deepseek-ai%2FDeepSeek-V3")
    assert labels(page) == [BY_KEY[key].label for key in shortlist.shortlist("hopper", "vllm", "speed")]
    first = page.locator(".f-list > li").first
    assert "The chip multiplies the stored numbers." in first.inner_text()
    assert first.locator("a.f-mark").count() == 1
    kept = next(
        row for row in json.loads(page.request.get(formats + "../data/formats.json").text()) if row[0] == DEEPSEEK
    )
    for row, size in zip(CHOICES, kept[3:], strict=True):
        assert page.locator(f"[data-format={row.key}] [data-bytes]").inner_text() == fmt.in_bytes(size)
    assert page.locator("[data-format=bf16] [data-bytes]").inner_text() == fmt.in_bytes(kept[2])
    assert page.locator("[data-model]").inner_text() == "DeepSeek V3"


def test_an_address_is_read_and_a_wrong_one_ignored(page, formats):
    """A link brings its answers back; words that are no option leave the defaults; an empty list is a sentence."""
    page.goto(formats + f"?hardware=cpu&engine=trt&model={DEEPSEEK}")
    page.wait_for_selector("[data-ready]")
    assert page.locator("[data-answer]").inner_text().startswith("No source here says that TensorRT LLM runs")
    assert page.get_by_label("For which model?").input_value() == DEEPSEEK
    page.goto(formats + "?hardware=<b>&engine=__proto__&matters=&model=no/such")
    page.wait_for_selector("[data-ready]")
    assert labels(page) == [BY_KEY[key].label for key in shortlist.shortlist("any", "any", "size")]
    page.goto(formats + "?hardware=apple&engine=mlx&matters=quality")
    page.wait_for_selector("[data-ready]")
    assert "was not looked up" in page.locator(".f-list > li").first.inner_text()


ODD = {  # address -> what is left of it: hardware, engine, matters
    "?model=no/such&model=nor/this": (),
    "?hardware=hopper&hardware=cpu": ("hopper", "any", "size"),
    "?hardware=cpu,hopper": (),
    "?HARDWARE=hopper": (),
    "?hardware=Hopper&engine=VLLM": (),
    "?hardware= hopper": (),
    "?engine=toString&matters=constructor": (),
    "?hardware=__proto__&engine=__proto__&matters=__proto__": (),
    "?matters=<img src=x onerror=document.title='x'>": (),
    "?engine=%3Cscript%3Edocument.title%3D'x'%3C/script%3E": (),
    "?model=%22%3E%3Cb%3Ebold": (),
    "?hardware=%FF%FE&engine=%E0%A4%A": (),
    "?hardware=%00": (),
    "?matters=1e999&hardware=-0&engine=NaN": (),
    "?matters=9007199254740993": (),
    "?size=1e12&bits=-4&speed=true": (),
    "?matters=speed&matters[]=quality&matters.x=1": ("any", "any", "speed"),
    "?hardware=apple&engine=vllm&matters=speed": ("apple", "vllm", "speed"),
    "?&&==&=&hardware&engine=": (),
    "?engine=llama#<b>": ("any", "llama", "size"),
    f"?model={'a' * 20_000}": (),
    "?engine=mlx&engine=" + "&engine=".join("x" * 500): ("any", "mlx", "size"),
}


def test_an_odd_address_leaves_what_is_known(page, formats):
    """Twenty-two odd addresses: options stay, the rest is left out; nothing becomes markup, nothing fails."""
    wrong: list = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(formats)
    page.wait_for_selector("[data-ready]")
    fields = """() => ["hardware", "engine", "matters", "model"].map(
      (name) => document.querySelector("[data-questions]").elements[name].value)"""
    model, title, elements = page.evaluate(fields)[3], page.title(), page.locator("body *").count
    go = "(to) => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }"
    page.evaluate(go, "?")
    sized = elements()
    for address, left in ODD.items():
        page.evaluate(go, address)
        expected = left or ("any", "any", "size")
        assert [*expected, model] == page.evaluate(fields), address[:80]
        assert labels(page) == [BY_KEY[key].label for key in shortlist.shortlist(*expected)], address[:80]
        assert page.title() == title and page.locator("[data-answer] :is(img, b, script)").count() == 0
        assert left or elements() == sized, address[:80]
    assert wrong == []
    page.goto(formats + "?hardware=<b>&engine=%FF&matters=" + "9" * 3000)  # one of them from the start
    page.wait_for_selector("[data-ready]")
    assert [*("any", "any", "size"), model] == page.evaluate(fields) and wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_reads_all_and_axe_finds_nothing(page, formats, scheme):
    """At 390 pixels the page does not scroll sideways, its tables do by keyboard, and axe finds nothing."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(formats + "?engine=vllm")
    page.wait_for_selector("[data-ready]")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator(".scroll[tabindex='0'][role=region]").count() == 3
    assert accessible.look(page).wrong == []


def test_without_scripts_all_tables_stand(browser, formats):
    """No script: no questions, all formats, hardware, engines, traps and sources, on screen and on paper."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(formats)
    assert not page.locator("[data-questions]").is_visible()
    assert page.locator("tr[data-format]").count() == len(CHOICES) + 1
    assert page.locator(".f-traps dt").all_inner_texts() == [row.label for row in CHOICES]
    assert page.locator("[data-engine]").count() == len(CHOICES) * 7
    marks = page.locator("a.f-mark").evaluate_all("all => all.map((a) => a.getAttribute('href').slice(1))")
    assert all(page.locator(f"[id='{mark}']").count() == 1 for mark in set(marks))
    page.emulate_media(media="print")
    assert page.locator(".f-grid").first.is_visible()
    context.close()
