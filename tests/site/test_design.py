"""/design/: drawn before any script; fields, painted layers, undo, the address, the figures, the file that is taken."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from cutaway import gallery
from cutaway.app.design import answer, editor
from cutaway.app.design import page as design_page
from cutaway.app.site import Site, assets
from cutaway.app.your_model import page as own
from cutaway.explainers import fmt
from cutaway.gallery import catalog
from cutaway.gallery.designing.design import design
from tests import accessible
from tests.guarded import unpainted
from tests.served import served

NEXT, V3 = design_page.EXAMPLE, "deepseek-ai/DeepSeek-V3"
HOSTILE = {"model_type": "llama", "architectures": ["<img src=x onerror=alert(1)>"], "hidden_size": 64}
HOSTILE |= {"num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 99, "intermediate_size": 128}


# ---------------------------------------------------------------- what is answered


def asked(slug: str, edits: str = "", context: int = 131_072, last: str = "") -> dict:
    return json.loads(answer.design(json.dumps(catalog.load(slug)), "Mine", edits, context, last))


def test_figures_are_those_of_the_downloaded_config():
    """What stands under before and after is counted anew from the published and from the downloaded config."""
    told = asked(NEXT, design_page.EDITS)
    before, after = gallery.read(catalog.load(NEXT)), gallery.read(json.loads(told["config"]))
    text = re.sub(r"<[^>]+>", "", told["html"]["after"])
    for spec in (before, after):
        counted = gallery.parameters(spec)
        assert fmt.count(counted.total) in text and fmt.count(counted.active) in text
        assert fmt.in_bytes(gallery.memory(spec, 131_072).total_bytes) in text
    assert (told["edits"], told["changes"], told["wrong"]) == (design_page.EDITS, 4, [])


def test_a_wrong_value_stays_in_its_box():
    """What was typed stands beside its sentence; the edits that hold are told, those before stand in for it."""
    told = asked(NEXT, "kv:7,experts:256", last="kv:4")
    assert told["edits"] == "kv:4,experts:256"
    box = re.search(r'<input id="in-kv"[^>]*>', told["html"]["editor"])
    assert box and 'value="7"' in box[0] and 'aria-invalid="true"' in box[0]
    assert "7 does not divide num_attention_heads 16: 4 or 8 would do." in told["html"]["editor"]


def test_the_buttons_beside_a_box_lead_to_the_next_legal_values():
    """Below and above what the model has: 16 heads go on by pairs, their KV heads by what divides them."""
    found = editor.editor(design(catalog.load(NEXT)), {})
    steps = {row.id: (row.less, row.value, row.more) for _, rows in found.groups for row in rows}
    assert (steps["heads"], steps["kv"]) == (("14", "16", "18"), ("1", "2", "4"))
    assert (steps["layers"], steps["tied"]) == (("47", "48", "49"), ("", "0", "1"))


def test_a_hostile_config_is_words():
    """Strings of a config never become markup; what is no config is one sentence."""
    told = json.loads(answer.design(json.dumps(HOSTILE), "<b>", "heads:<i>,mix:1d,<s>:1"))
    assert not re.search(r"<img|<i>\b|<s>", "".join(told["html"].values()))
    assert "&lt;img" in told["html"]["after"]
    assert json.loads(answer.design("[1]", "x"))["refused"].startswith("The config holds a list")
    assert "hidden_size" in json.loads(answer.design('{"num_hidden_layers": 2}', "x"))["refused"]


@pytest.mark.whole
def test_models_can_be_designed_from():
    """The editor of every twelfth model has fields, all of them legal; its download reads as the published config."""
    rows = [row for row in catalog.drawable_rows() if not row.config_of][::12]
    for row in rows:
        config = catalog.load(row.slug)
        told = json.loads(answer.design(json.dumps(config), row.title, "", 4096))
        assert told["html"]["editor"].count('class="d-field"') >= 4, row.slug
        assert gallery.read(json.loads(told["config"])) == gallery.read(config), row.slug
        assert told["wrong"] == [], row.slug


# ---------------------------------------------------------------- the page


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """The page with two models to start from, below a prefix."""
    folder, site = tmp_path_factory.mktemp("design"), Site()
    pages = [*design_page.pages(site), *own.pages(site), *assets.pages(site)]
    for page in (one for one in pages if not one.model or one.model in (NEXT, V3)):
        path: Path = folder / (page.path.lstrip("/") + ("index.html" if page.path.endswith("/") else ""))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.content())
    with served(folder, "/some/prefix") as address:
        yield address + answer.AT


@pytest.fixture(scope="module")
def shown(browser, url):
    """The page, open for all tests here; what it asked for is in `asked`."""
    context = unpainted(browser.new_context(viewport={"width": 1400, "height": 900}))
    page = context.new_page()
    page.set_default_timeout(120_000)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    vars(page)["asked"] = requests
    page.goto(url)
    page.wait_for_selector("html[data-ready]")
    expect.set_options(timeout=120_000)
    yield page
    expect.set_options(timeout=30_000)
    context.close()


def value(page, id: str, text: str) -> None:
    expect(page.locator(f"#in-{id}")).to_have_value(text)


def test_it_shows_a_design_before_python(shown):
    """Four changes are drawn and joined to their fields; nothing of Python is loaded; it is accessible."""
    assert [one for one in shown.asked if "/your-model/" in one] == []
    discs = shown.locator("#drawing svg.cf-middle .f-discs a[href='#field-kv']")
    expect(discs.first).to_be_visible()
    assert shown.locator("#drawing svg.cf-middle .f-halo").count() > 10
    expect(shown.locator("#field-kv")).to_contain_text("was 2")
    assert accessible.look(shown).wrong == []


def test_a_change_is_drawn_and_undone(shown):
    """A press changes a field, its drawing, figures and address; a wrong value is said and loses nothing; undo and redo
    go through what was."""
    shown.click("#less-experts")
    value(shown, "experts", "128")
    assert shown.url.endswith(f"?m={NEXT}&edit=kv:4,experts:128,active:8,mix:5d1f")
    expect(shown.locator("#figure-parameters")).to_contain_text("79.67 B")
    expect(shown.locator("#drawing svg.cf-middle")).to_contain_text("8 of 128 + 1 shared")
    assert shown.evaluate("document.activeElement.id") == "less-experts"
    shown.fill("#in-kv", "7")
    shown.press("#in-kv", "Enter")
    expect(shown.locator("#says-kv")).to_contain_text("7 does not divide num_attention_heads 16: 4 or 8 would do.")
    assert "kv:4" in shown.url
    shown.click("#undo")
    value(shown, "experts", "256")
    shown.click("#redo")
    value(shown, "experts", "128")
    shown.click("#undo-all")
    expect(shown.locator("#changes")).to_have_text("0 changes")
    shown.go_back()
    value(shown, "experts", "128")


def test_layers_are_painted_by_pointer_and_by_keys(shown):
    """A stroke over the strip paints with the chosen brush, Space paints the layer that has the focus, a preset all."""
    shown.click("#preset-3d1f")
    expect(shown.locator(".d-now")).to_contain_text("36 linear, 12 full")
    shown.click("#brush-f")
    boxes = [shown.locator(f"#cell-{n}").bounding_box() for n in (0, 2)]
    shown.mouse.move(boxes[0]["x"] + 2, boxes[0]["y"] + 9)
    shown.mouse.down()
    shown.mouse.move(boxes[1]["x"] + 2, boxes[1]["y"] + 9, steps=9)
    shown.mouse.up()
    expect(shown.locator(".d-now")).to_contain_text("33 linear, 15 full")
    for _ in range(6):
        shown.keyboard.press("ArrowRight")
    assert shown.evaluate("document.activeElement.id") == "cell-6"
    shown.keyboard.press(" ")
    expect(shown.locator(".d-now")).to_contain_text("32 linear, 16 full")
    assert shown.evaluate("document.activeElement.id") == "cell-6"


def test_the_file_is_what_python_writes(shown):
    """config.json, taken from the page, is byte by byte what CPython writes for the design in the address."""
    with shown.expect_download() as taken:
        shown.click("#download")
    assert taken.value.suggested_filename == "config.json"
    edits = shown.url.partition("edit=")[2]
    assert Path(taken.value.path()).read_text("utf-8") == design(catalog.load(NEXT), edits).json
    shown.select_option("#context", "4096")
    expect(shown.locator("#verdict")).to_contain_text("at 4,096 tokens")
    assert shown.url.endswith("&ctx=4096")


def test_another_model_and_an_own_config_begin_anew(shown, url):
    """A model that is named, then a config that another page hands over: each without a change, the config in the
    address."""
    shown.click(".d-other > summary")
    shown.fill("#other-name", "deepseek v3")
    shown.press("#other-name", "Enter")
    expect(shown.locator("#from")).to_have_text("DeepSeek V3")
    expect(shown.locator("#changes")).to_have_text("0 changes")
    assert f"?m={V3}" in shown.url
    shown.evaluate("text => sessionStorage.setItem('your-model', text)", json.dumps(HOSTILE))
    shown.goto("about:blank")
    shown.goto(f"{url}#pasted")
    expect(shown.locator("#from")).to_have_text("Your config")
    value(shown, "heads", "4")
    shown.wait_for_url("**/design/#c=*")


def test_a_phone_edits_in_a_sheet_below_the_drawing(shown):
    """The drawing stands first, under its figures; a button opens the editor over the lower half of the screen, a disc
    at its field; Escape closes it, and opening it again goes on where one was."""
    shown.set_viewport_size({"width": 390, "height": 844})
    tops = [shown.locator(f"#{id}").bounding_box()["y"] for id in ("key", "drawing", "after")]
    assert tops == sorted(tops)
    expect(shown.locator("#editor")).to_be_hidden()
    shown.click("#sheet-open")
    assert shown.locator("#sheet").bounding_box()["y"] == 422
    assert 0 <= shown.locator("#drawing").bounding_box()["y"] < 422
    assert accessible.look(shown).wrong == []
    shown.click("#more-vocab")
    value(shown, "vocab", "1123")
    shown.keyboard.press("Escape")
    expect(shown.locator("#editor")).to_be_hidden()
    assert shown.evaluate("document.activeElement.id") == "sheet-open"
    shown.keyboard.press("Enter")
    assert shown.evaluate("document.activeElement.id") == "more-vocab"
    shown.click("#sheet-close")
    shown.locator("#drawing svg.cf-narrow a[href='#field-vocab']").first.click()
    assert shown.evaluate("document.activeElement.id") == "in-vocab"
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390
