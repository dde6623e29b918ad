"""What if it had ... on a model's page: numbers equal to Python's, the address, refusals, another model as the goal."""

from __future__ import annotations

import functools
import http.server
import json
import random
import re
import threading

import pytest
from jinja2 import ChoiceLoader, DictLoader
from playwright.sync_api import expect

from cutaway.app.compare import model_file
from cutaway.app.design import page as design_page
from cutaway.app.model.view import SpecView
from cutaway.app.model_page import whatif
from cutaway.app.site import Site, assets
from cutaway.app.weigh import section as weigh
from cutaway.app.weigh.sheets import sheet_of
from cutaway.app.weigh.words import State
from cutaway.app.your_model import page as own
from cutaway.explainers import fmt
from cutaway.gallery import catalog, edit, memory, parameters
from cutaway.gallery.comparing import differences
from cutaway.gallery.comparing.text.number import scaled_count
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.drawing.pictures import role_of, short_of
from cutaway.gallery.editing import address
from cutaway.gallery.editing.form import form
from cutaway.gallery.editing.rules import problems
from cutaway.gallery.editing.sheet import sheet
from cutaway.gallery.spec import ModelSpec
from tests import accessible, bundled
from tests.gallery.test_editing import WRONG

V3, GEMMA, LLAMA = "deepseek-ai/DeepSeek-V3", "google/gemma-3-27b-it", "meta-llama/Llama-3.1-70B"
STEP = "stepfun-ai/Step-3.5-Flash"
FEW = (V3, GEMMA, LLAMA, "Qwen/Qwen3-Next-80B-A3B-Instruct")
SLUGS = [row.slug for row in catalog.MODELS if row.snapshot]


class _Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args) -> None:
        pass


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> str:
    """The address of a site with two models' pages and what compares them."""
    out, site = tmp_path_factory.mktemp("whatif"), Site()
    site.env.loader = ChoiceLoader([site.env.loader, DictLoader({"small.html": PAGE})])
    files = {f"/models/{slug}/index.html": small_page(site, slug) for slug in (V3, GEMMA)}
    files |= {one.path: one.content() for one in assets.pages(site) if one.path.startswith("/assets/")}
    files |= {f"/data/whatif/{slug}.json": whatif.as_text(site.view(slug)) for slug in FEW}
    files |= {f"/data/compare/{slug}.json": compared_file(site.view(slug)) for slug in FEW}
    files |= {page.path: page.content() for page in own.pages(site) if page.path.startswith("/your-model/")}
    files[f"/design/models/{GEMMA}.json"] = design_page.start(GEMMA)
    files["/data/weigh.json"] = json.dumps({slug: [site.view(slug).title, sheet_of(site, slug)] for slug in FEW})
    for name, content in files.items():
        path = out / f"{name}{'index.html' if name.endswith('/') else ''}".lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Files, directory=str(out)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


PAGE = """{% extends "site/base.html" %}{% import "weigh/section.html" as weighing %}
{% block head %}{% for name in ("figure", "model", "weigh") %}
<link rel="stylesheet" href="{{ asset('css/' ~ name ~ '.css') }}">
{% endfor %}{% for name in ("weigh", "lazy") %}<script type="module" src="{{ asset('js/' ~ name ~ '.js') }}"></script>
{% endfor %}{% endblock %}
{% block main %}<h1>{{ view.title }}</h1>
<details class="run" data-python="{{ url('/your-model/python.json') }}" data-size="11.2 MB"></details>
<div data-parts="{{ url('/data/parts/' ~ view.slug ~ '.json') }}"><div class="cw-figure">as published</div></div>
{{ weighing.small(weigh) }}
<section id="cache"><h2>Cache</h2><details class="what-if needs-js"><summary>What if the model had …</summary></details>
{{ weighing.whole(weigh, url("/data/weigh.json"), url("/plan/")) }}</section>
<section id="use"><h2>Use it</h2><a href="{{ url('/app?model=' ~ view.slug) }}">Open in the workbench</a></section>
{% endblock %}"""


def small_page(site: Site, slug: str) -> str:
    """A model's page with its weighing alone: the rest takes the whole catalogue."""
    path, view = f"/models/{slug}/", site.view(slug)
    return site.render("small.html", path, view=view, weigh=weigh.weigh(view, site))


def compared_file(view) -> str:
    """A file of /data/compare/ without what differs from relatives, which takes the whole catalogue."""
    told = model_file.Compared.listed(view)
    heads = differences.heads(told.spec, told.spec)
    return json.dumps({"slug": view.slug, "title": view.title, "figures": told.figures, "heads": heads,
                       "says": told.says, "fields": told.fields, "pairs": {}})  # fmt: skip


# ---------------------------------------------------------------- equal to Python


def some(dice: random.Random, told) -> dict[str, int]:
    """Any edits that a reader might make: halves, doubles, odd numbers, none at all."""
    changes = {}
    for one in dice.sample(told.fields, min(len(told.fields), dice.randint(1, 4))):
        now = one.value
        values = [now * 2, now // 2, now + 1, now * 3 // 2, one.least, dice.randint(one.least, max(4 * now, 8))]
        if one.id.startswith(("window", "chunk")):
            values = [0, 128, dice.randint(1, 2**20)]
        elif one.id == "layers":
            values = [1, 2, now // 2, now + 1, 2 * now]
        else:
            values += [8, 16, 32, 64]
        changes[one.id] = dice.choice(values)
    return {name: value for name, value in changes.items() if value != told.values[name]}


def said(slug: str, changes: dict[str, int]) -> dict:
    """What Python makes of some edits."""
    spec = catalog.spec(slug)
    wrong = [list(one) for one in problems(form(spec), changes)]
    if wrong:
        return {"problems": wrong}
    made = edit(spec, changes)
    counted, kept = parameters(made), cache_growth.growth_sheet(made)
    return {
        "problems": [], "total": counted.total, "active": counted.active, "layers": len(made.layers), "growth": kept,
        "mixers": [[role_of(one.mixer), short_of(one.mixer)] for one in made.layers],
        "columns": columns(made, kept),
        "written": address.write_edits(form(spec), changes),
    }  # fmt: skip


def columns(made: ModelSpec, kept: cache_growth.Sheet) -> list[list]:
    """[colour, words, kind, layers] of the layers that keep the same in the same kind of mixer; empty ones last."""
    found: dict[tuple[str, str, int], list[int]] = {}
    for index, one in enumerate(weigh.layers(SpecView(made, ""), kept)):
        found.setdefault((one["role"], one["words"] or "no mixer", one["kind"]), []).append(index)
    return sorted(([*key, rows] for key, rows in found.items()), key=lambda row: not kept["kinds"][row[2]][1])


# Ends without anything between them, windows as long as the context, ranks beside a block of 128, states around halves,
# as many layers of one sort as of another, choices of an earlier layer, two mixers in one half.
EDGES = [
    *(("moonshotai/Kimi-Linear-48B-A3B-Instruct", {"layers": count}) for count in (1, 2, 3, 28)),
    *(("mistralai/Mistral-7B-v0.1", {"window": tokens}) for tokens in (32_767, 32_768, 32_769)),
    *((V3, {"kv_rank": rank, "q_rank": 0}) for rank in (127, 128, 129)),
    ("thinkingmachines/Inkling", {"layers": 7, "kv@16": 8}), ("google/gemma-3n-E4B", {"kv": 1, "window@0": 64}),
    ("XiaomiMiMo/MiMo-V2-Flash", {"layers": 2}), ("zai-org/GLM-5.2", {"q_rank": 512}),
    ("meituan-longcat/LongCat-Flash-Chat", {"heads": 32}), ("nvidia/Nemotron-H-56B-Base-8K", {"layers": 9}),
    ("deepseek-ai/DeepSeek-V3.2", {"heads": 64, "window": 512}), (GEMMA, {"window@1024": 0, "window@0": 1024}),
]  # fmt: skip

TWIN = """async ([sheets, rows, texts, pair]) => {
  const sheet = await import("/assets/js/what-if-sheet.js"), rules = await import("/assets/js/what-if-rules.js");
  const { columnsOf } = await import("/assets/js/weigh-strip.js");
  const ours = rows.map(([slug, changes]) => {
    const one = sheets[slug], wrong = rules.problems(one, changes);
    if (wrong.length) return { problems: wrong };
    const values = sheet.valuesOf(one, changes);
    const [growth, kinds] = sheet.growth(one, values), mixers = sheet.mixers(one, values), written = rules.written(one, changes);
    const columns = columnsOf(growth, mixers.map(([role, words], at) => ({ role, words, kind: kinds[at] }))).map(({ role, words, kind, layers }) => [role, words, kind, layers]);
    return { problems: [], ...sheet.counts(one, values), growth, columns, mixers, written };
  });
  const { theirs } = await import("/assets/js/what-if-become.js"), [gemma, step] = pair.map((slug) => sheets[slug]);
  return [ours, Object.fromEntries(gemma.fields.map((field) => [field[0], theirs(field, step)])), texts.map(([slug, text]) => {
    const [changes, wrong] = rules.parsed(sheets[slug], text);
    return [...wrong, ...rules.problems(sheets[slug], changes)][0][1];
  })];
}"""  # noqa: E501


def test_the_browser_counts_edited_models_as_python_does(page, served, verified):
    """Parameters, the whole growth sheet, colours, names, refusals and addresses are the same in both languages."""
    dice = random.Random(15)
    slugs = sorted({*dice.sample(SLUGS, 30), V3, GEMMA, STEP, *(slug for slug, *_ in (*WRONG, *EDGES))})
    sheets = {slug: sheet(catalog.spec(slug)) for slug in slugs}
    rows = [(slug, some(dice, form(catalog.spec(slug)))) for slug in slugs for _ in range(2)] + EDGES
    ours = json.loads(json.dumps([said(*row) for row in rows]))
    bundled.serve_modules(page, "what-if-sheet.js", "what-if-rules.js", "weigh-strip.js", "what-if-become.js")
    page.goto(f"{served}/assets/icon.svg")
    asked = [sheets, rows, [(slug, text) for slug, text, _ in WRONG], [GEMMA, STEP]]
    theirs, goals, sentences = page.evaluate(TWIN, asked)
    assert goals == {"layers": 45, "heads": 64, "kv": 8, "window@1024": 512, "window@0": 0}
    wrong = [(row, mine, found) for row, mine, found in zip(rows, ours, theirs, strict=True) if mine != found]
    wrong += [one for one, found in zip(WRONG, sentences, strict=True) if one[2] != found]
    assert wrong == [] and sum(not mine["problems"] for mine in ours) > 40
    verified("counts of edited models in the browser", sum(map(len, ours)) + len(WRONG), len(wrong), "gallery.edit")


# ---------------------------------------------------------------- on the page


def figures(page) -> dict[str, list[str]]:
    """The table of what follows: figure -> its cells."""
    rows = page.locator(".wi-told tbody tr")
    return {row.get_attribute("data-figure"): row.locator("td").all_inner_texts() for row in rows.all()}


def expected(slug: str, edits: str, state: State | None = None) -> dict[str, list[str]]:
    """The same from Python."""
    specs, state = (catalog.spec(slug), edit(catalog.spec(slug), edits)), state or State()
    counted = [parameters(spec) for spec in specs]
    kept = [memory(spec, state.ctx, state.choice[1], state.batch).total_bytes for spec in specs]
    numbers = {
        "parameters": ([one.total for one in counted], scaled_count), "active": ([one.active for one in counted],
        scaled_count),
        "layers": ([len(spec.layers) for spec in specs], fmt.integer),
        "bytes": ([2 * one.total for one in counted], lambda n: fmt.in_bytes(n, digits=2)),
        "cache": (kept, lambda n: fmt.in_bytes(n, digits=2)),
    }  # fmt: skip
    return {name: [*map(says, pair), percent(*pair)] for name, (pair, says) in numbers.items()}


def percent(was: int, is_: int) -> str:
    return "=" if was == is_ else f"{'+' if is_ > was else '−'}{fmt.fixed(abs(is_ / was - 1) * 100, 1)} %"


def opened(page, served: str, query: str = "", slug: str = V3):
    page.goto(f"{served}/models/{slug}/{query}")
    if "edit=" not in query:
        page.locator(".what-if summary").click()
    page.wait_for_selector(".what-if[data-ready]")
    return page


def box(page, words: str):
    return page.locator(".wi").get_by_role("textbox", name=re.compile(f"^{words}"))


def test_a_reader_edits_a_model(page, served):
    """Typing changes every number at once and the address; a refusal keeps the last good state; back undoes."""
    opened(page, served)
    assert figures(page) == expected(V3, "")
    heads, experts = box(page, "attention heads"), box(page, "routed experts")
    heads.fill("64")
    assert page.url.endswith("?edit=heads:64") and figures(page) == expected(V3, "heads:64")
    heads.press("Tab")
    experts.fill("60")
    says = page.locator("#wi-says-experts")
    assert says.inner_text() == "num_experts 60 is not a multiple of n_group 8: 56 or 64 would do."
    assert experts.get_attribute("aria-invalid") == "true" and figures(page) == expected(V3, "heads:64")
    expect(page.get_by_role("button", name="Back to 256: routed experts")).to_be_visible()
    experts.fill("6 x")
    assert says.inner_text() == "experts is a whole number, not “6 x”."
    experts.fill("64")
    experts.press("Enter")
    assert page.url.endswith("?edit=heads:64,experts:64") and says.is_hidden()
    box(page, "layers").fill("2")
    box(page, "layers").fill("21")
    page.keyboard.press("Enter")
    follows(page, "layers:21,heads:64,experts:64")
    box(page, "layers").fill("1")
    assert (
        page.locator(".w-legend li").first.inner_text()
        == f"1 × MLA: {page.locator('[data-at=total]').first.inner_text()}"
    )
    box(page, "layers").fill("21")
    draw = page.get_by_role("link", name="Draw it in the workbench")
    assert draw.get_attribute("href").endswith(f"/app?model={V3}&edit=layers:21,heads:64,experts:64")
    page.go_back()
    assert page.url.endswith("?edit=heads:64,experts:64") and figures(page) == expected(V3, "heads:64,experts:64")
    page.get_by_role("button", name="Back to 256: routed experts").click()
    assert page.url.endswith("?edit=heads:64") and experts.input_value() == "256"
    page.get_by_role("button", name="Reset all").click()
    assert "edit" not in page.url and figures(page) == expected(V3, "")
    expect(page.locator("[data-at=title]").first).not_to_contain_text("edited")
    page.go_back()
    assert figures(page) == expected(V3, "heads:64")


STRIP = re.compile(r'<path class="([^"]*)" data-kind="(\d+)" d="([^"]*)"')


def follows(page, edits: str) -> None:
    """The whole weighing is the edited model's: total, strip, legend, GPUs, curve."""
    made, state = edit(catalog.spec(V3), edits), State()
    kept = memory(made, state.ctx).total_bytes
    assert page.locator("[data-at=total]").all_inner_texts() == [fmt.in_bytes(kept)] * 2
    assert page.locator("[data-at=title]").first.inner_text() == "Cache at 131,072 tokens, edited"
    told = cache_growth.growth_sheet(made)
    shown = STRIP.findall(page.locator(".w-strip").inner_html())
    assert [(role, int(kind), [int(at) for at in re.findall(r"M(\d+) ", d)]) for role, kind, d in shown] == [
        (f"w-grows f-{role}", kind, layers) for role, _, kind, layers in columns(made, told)
    ]
    assert page.locator(".w-strip").get_attribute("viewBox") == f"0 -100 {len(made.layers)} 100"
    assert page.locator(".w-legend li").first.inner_text() == f"21 × MLA: {fmt.in_bytes(kept // 21)} each"
    room = page.locator("[data-at=room]").inner_text()
    assert (
        f"weights in 16 bits take {fmt.in_bytes(2 * parameters(made).total)} and this cache {fmt.in_bytes(kept)}"
        in room
    )
    assert "DeepSeek V3, edited" in page.locator(".w-curve").text_content()


def test_an_address_brings_its_edits_and_says_what_it_could_not_use(page, served):
    """What is broken is named and left out, the rest counts; the context follows; other words of the address stay."""
    opened(page, served, "?kv=fp8&ctx=8192&edit=heads:0,layers:30,foo:1,kv_rank:abc,layers:31,experts:1e9,active:4")
    assert page.locator(".what-if .w-error:visible").all_inner_texts() == [
        "“foo” cannot be edited; these can: layers, heads, window, q_rank, kv_rank, experts, active.",
        "layers is given twice: the first counts.",
        "num_attention_heads is a whole number from 1 to 1,024, not 0.",
        "kv_rank is a whole number, not “abc”.",
        "experts is a whole number, not “1e9”.",
    ]
    state = State(8192, 1, "fp8")
    assert figures(page) == expected(V3, "layers:30,active:4", state)
    box(page, "rank of keys").fill("256")
    page.keyboard.press("Enter")
    assert "kv=fp8" in page.url and "ctx=8192" in page.url and page.url.endswith("edit=layers:30,kv_rank:256,active:4")
    assert figures(page) == expected(V3, "layers:30,kv_rank:256,active:4", state)
    page.locator("[data-in=ctx]").fill("16k")
    page.keyboard.press("Enter")
    assert (
        figures(page) == expected(V3, "layers:30,kv_rank:256,active:4", State(16384, 1, "fp8")) and "edit=" in page.url
    )


def test_what_it_would_take_to_be_another_model(page, served):
    """What a number can do is set one by one or at once, the rest is named; both models' numbers stand together."""
    opened(page, served, slug=GEMMA)
    page.get_by_role("button", name="Show").click()
    page.wait_for_selector(".wi-take ul")
    assert page.get_by_label("What would it take to be").input_value() == "Llama 3.1 70B"
    can = [text.removesuffix(" Set") for text in page.locator(".wi-take div:first-child li").all_inner_texts()]
    assert can == ["num_hidden_layers: 62 → 80", "num_attention_heads: 32 → 64", "num_key_value_heads: 16 → 8",
                   "sliding_window of sliding layers: 1,024 → 0"]  # fmt: skip
    assert not any("GQA" in text for text in page.locator(".wi-take div:last-child li").all_inner_texts())
    assert any("hidden_size" in text for text in page.locator(".wi-take div:last-child li").all_inner_texts())
    page.get_by_role("button", name="Set num_key_value_heads to 8").click()
    assert page.url.endswith("?edit=kv:8") and page.locator(".wi-take div:first-child li").count() == 3
    page.go_back()
    page.get_by_role("button", name="Set all 4").click()
    edits = "layers:80,heads:64,kv:8,window@1024:0"
    assert page.url.endswith(f"?edit={edits}")
    assert {name: row[:3] for name, row in figures(page).items()} == expected(GEMMA, edits)
    llama = parameters(catalog.spec(LLAMA)).total
    assert figures(page)["parameters"][3] == scaled_count(llama)
    assert page.locator(".wi-told thead th").last.inner_text() == "Llama 3.1 70B"
    link = page.get_by_role("link", name="Compare them part by part")
    assert link.get_attribute("href").endswith(f"/compare/?a={GEMMA}&b={LLAMA}")
    page.get_by_label("What would it take to be").fill("no such model")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No drawn model is called “no such model”.")).to_be_visible()
    page.emulate_media(media="print")
    assert page.locator(".wi-told").is_visible() and page.get_by_role("button", name="Reset all").is_hidden()
    page.emulate_media(media="screen")
    for width, scheme in ((1400, "dark"), (900, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        rules = {"runOnly": ["wcag2a", "wcag2aa", "best-practice"]}
        assert accessible.look(page, ".what-if", rules).wrong == []


def test_the_drawing_follows_once_it_is_asked_for(page, served):
    """Nothing of Python is asked for by edits alone; after the button every edit is drawn, a disc leads to its number,
    and without edits the published drawing stands there again."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    opened(page, served, "?edit=layers:36", GEMMA)
    published, edited = page.locator(".cw-figure").first, page.locator(".wi-drawing")
    assert published.is_visible() and not any("/your-model/" in one for one in asked)
    page.get_by_role("button", name="Redraw with these edits (loads Python once, 11.2 MB)").click()
    expect(edited.locator("svg.cf-middle")).to_contain_text("30 ×", timeout=120_000)
    assert published.is_hidden()
    box(page, "key and value heads").fill("8")
    expect(edited.locator("svg.cf-middle")).to_contain_text("32 query, 8 KV heads", timeout=120_000)
    edited.locator("a[href='#field-kv']:visible").first.click()
    assert page.evaluate("document.activeElement.id") == "wi-kv"
    page.get_by_role("button", name="Reset all").click()
    assert published.is_visible() and edited.is_hidden()


def test_without_scripts_or_files_nothing_pretends(page, browser, served):
    """No script: no form. A file that does not come is a sentence, for the form and for the model to become."""
    with browser.new_context(java_script_enabled=False) as plain:
        still = plain.new_page()
        still.goto(f"{served}/models/{V3}/")
        assert still.locator(".what-if").is_hidden()
    opened(page, served)
    page.route("**/data/compare/**", lambda route: route.abort())
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".wi-goal .w-error")).to_contain_text("could not be read. Reload the page")
    page.route("**/data/whatif/**", lambda route: route.abort())
    page.goto(f"{served}/models/{V3}/?edit=heads:64")
    expect(page.locator(".what-if .w-error")).to_contain_text(f"data/whatif/{V3}.json could not be read")
    expect(page.locator("[data-at=title]").first).to_have_text("Cache at 131,072 tokens")
    page.errors.clear()
