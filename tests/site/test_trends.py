"""/trends/: its sentences' numbers, recomputed from /data/models.json by pandas, and its plots as readers see them."""

from __future__ import annotations

import csv
import json
import re
from datetime import date

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

from cutaway.app.trends import svg
from cutaway.app.trends.chart import Axis, Dot, Scatter, Tick, date_axis, log_axis, place_names
from cutaway.app.trends.plots import PLOTS
from cutaway.app.trends.structures import Span, spans
from cutaway.gallery.drawing.svg import tokens

STORED = ["quantized", "fp8", "mxfp4", "nvfp4", "int4"]
NORMS = {"qk-norm", "qk-norm-full", "qk-norm-bare"}
LINEAR = {"gated-deltanet", "kda", "lightning", "one-matrix", "short-conv"}
STATES = {"mamba1", "mamba2", "rg-lru", "mlstm", "rwkv4", "rwkv7"}
SPARSE = {"sparse", "csa", "hca", "dsa", "block-indexer", "pooled-indexer"}


@pytest.fixture(scope="module")
def table(site_dir) -> pd.DataFrame:
    """The dated architectures since 2023, each once at its first release, as a reader of models.json counts them."""
    rows = pd.DataFrame(json.loads((site_dir / "data" / "models.json").read_text())["models"])
    rows = rows[rows.drawn & rows.date.notna()]
    rows = rows[rows.date >= "2023"]
    rows = rows.assign(
        late=rows.variant_of.notna(),
        year=rows.date.str[:4].astype(int),
        has=[frozenset(keys) - set(STORED) for keys in rows.mechanisms],
    )
    rows = rows.sort_values(["date", "late", "slug"])
    sizes = ["num_hidden_layers", "hidden_size", "made_of", "parameters_total", "parameters_mtp", "has"]
    return rows.drop_duplicates(subset=sizes)


@pytest.fixture(scope="module")
def cards(site_dir) -> BeautifulSoup:
    return BeautifulSoup((site_dir / "trends" / "index.html").read_text("utf-8"), "html.parser")


def with_any(table: pd.DataFrame, keys: set[str]) -> pd.DataFrame:
    return table[[bool(has & keys) for has in table.has]]


def without(table: pd.DataFrame, keys: set[str]) -> pd.DataFrame:
    return table[[not has & keys for has in table.has]]


def last_year(t: pd.DataFrame) -> int:
    """The latest year of which there are at least 20 structures."""
    return t.year.value_counts().loc[lambda many: many >= 20].index.max()


def expected(t: pd.DataFrame) -> dict[str, list[float]]:
    """The numbers of each sentence, in order, computed anew."""
    last = last_year(t)
    then, now = t[t.year == last - 2], t[t.year == last]
    big, moe = t[t.parameters_total >= 100e9], with_any(t, {"moe"})
    grows = big[big.cache_per_token_bytes > 0]
    rest = without(without(grows, STATES), LINEAR)
    full = without(without(rest, SPARSE), {"mla", "window", "window-mix", "chunks"}).cache_per_token_bytes.median()
    latent = with_any(without(rest, SPARSE), {"mla"}).cache_per_token_bytes.median()
    linear = with_any(without(grows, STATES), LINEAR).cache_per_token_bytes.median()
    moe_then, moe_now = moe[moe.year == last - 2], moe[moe.year == last]
    share = [(x.parameters_active / x.parameters_total).median() * 100 for x in (moe_then, moe_now)]
    of = [(x.num_experts_per_tok / x.num_experts).median() * 100 for x in (moe_then, moe_now)]
    w_then, w_now = (x[x.num_window_layers > 0] for x in (then, now))
    kv_then, kv_now = (x[x.num_key_value_heads > 0] for x in (then, now))
    sizes = now.head_size.value_counts()
    large, dense = moe[moe.parameters_total >= 200e9], without(t, {"moe"})
    dense = dense[dense.parameters_total >= 25e9]
    c_then, c_now = (x[x.context_tokens > 0].context_tokens for x in (then, now))
    few = [(~x.weights_stored_as.str.match("bfloat16|float16|float32")).sum() for x in (then, now)]
    return {
        "cache": [100, full / 1e3, latent / 1e3, linear / 1e3, full / linear],
        "active": [share[0], last - 2, share[1], last, len(moe_then), len(moe_now)],
        "adoption": [100 * len(with_any(then, NORMS)) / len(then), last - 2, 100 * len(with_any(now, NORMS)) / len(now),
                     last, 100 * len(moe_then) / len(then), 100 * len(moe_now) / len(now)],
        "experts": [moe_then.num_experts.median(), last - 2, moe_now.num_experts.median(), last,
                    moe_then.num_experts_per_tok.median(), moe_now.num_experts_per_tok.median(), *of],
        "windows": [len(w_now), len(now), last, 100 * (w_now.num_window_layers / w_now.num_attention_layers).median(),
                    w_now.window_tokens.median(), w_then.window_tokens.median(), last - 2],
        "heads": [(kv_then.num_attention_heads / kv_then.num_key_value_heads).median(), last - 2,
                  (kv_now.num_attention_heads / kv_now.num_key_value_heads).median(), last, last, sizes.index[0],
                  sizes.iloc[0], sizes.sum()],
        "depth": [len(large), 200, large.num_hidden_layers.median(), large.hidden_size.median(), len(dense), 25,
                  dense.num_hidden_layers.median(), dense.hidden_size.median()],
        "context": [c_then.median(), last - 2, c_now.median(), last, (c_now >= 1e6).sum(), len(c_now), last,
                    (c_then >= 1e6).sum(), len(c_then), last - 2],
        "formats": [few[1], len(now), last, 8, few[0], len(then), last - 2],
    }  # fmt: skip


def numbers(text: str) -> list[float]:
    """The numbers of a sentence; FP8, FP4 and INT4 are names."""
    return [float(found.replace(",", "")) for found in re.findall(r"(?<![A-Za-z])\d[\d,]*(?:\.\d+)?", text)]


def test_every_number_of_every_sentence_follows_from_the_data(table, cards, verified):
    """Counted anew from models.json by pandas, to the digits that are printed."""
    checked, wrong = 0, []
    assert {plot.key for plot in PLOTS} == set(expected(table))
    for key, values in expected(table).items():
        text = cards.select_one(f"#{key} .t-says").text
        said = numbers(text)
        assert len(said) == len(values), text
        for value, shown in zip(values, said, strict=True):
            digits = 1 if shown != int(shown) else 0
            checked += 1
            if abs(value - shown) > 0.5 * 10**-digits + 1e-9:
                wrong.append((key, value, shown))
    assert wrong == []
    verified("numbers of /trends/", checked, len(wrong), f"pandas {pd.__version__} on /data/models.json")


def test_the_lead_names_the_large_models_without_experts(table, cards):
    """How many new architectures of 100 B parameters or more are mixtures of experts; one or two others are named."""
    since = table[(table.year >= last_year(table) - 1) & (table.parameters_total >= 100e9)]
    others = list(without(since, {"moe"}).title)
    lead = cards.select_one(".lead").text
    assert f"{len(since) - len(others)} of {len(since)} new architectures" in lead
    assert len(others) > 2 or all(name in lead for name in others)
    assert f"over {len(table)} architectures" in lead


def test_the_lead_counts_the_dated_models(table, cards, site_dir):
    """All that are drawn and dated since the first year, each release by itself; the title names both years."""
    rows = json.loads((site_dir / "data" / "models.json").read_text())["models"]
    years = sorted(int(one["date"][:4]) for one in rows if one["drawn"] and one["date"])
    since = [year for year in years if year >= table.year.min()]
    assert f"from the configs of {len(since)} dated models" in cards.select_one(".lead").text
    assert cards.h1.text == f"How open models are built, {since[0]} to {since[-1]}"


def test_dots_stand_where_their_values_are(table, cards, site_dir, verified):
    """Read off between two ticks of the axis, each dot has the value that its row of the CSV has."""
    columns = {
        "cache": ("cache_per_token_bytes", {"4 KB": 4e3, "1 MB": 1.024e6}),
        "depth": ("num_hidden_layers", {"16": 16, "96": 96}),
        "context": ("context_tokens", {"2 K": 2048, "8 M": 2**23}),
    }
    checked, wrong = 0, []
    for key, (column, ticks) in columns.items():
        plot = cards.select_one(f"#{key} .t-plot")
        places = {
            one.text: float(one["y"][:-1])
            for one in plot.find_all("text", recursive=False)
            if one.text in ticks and one["y"].endswith("%")
        }
        (low, low_y), (high, high_y) = ((ticks[name], places[name]) for name in ticks)
        known = {row["slug"]: row for row in csv.DictReader((site_dir / f"data/trends/{key}.csv").open())}
        for link in plot.find_all("a"):
            value = float(known[link["href"].split("/models/", 1)[1].rstrip("/")][column])
            y = float(link.circle["cy"][:-1])
            found = low * (high / low) ** ((low_y - y) / (low_y - high_y))
            checked += 1
            if abs(found / value - 1) > 0.01:
                wrong.append((key, value, found))
    assert checked > 300 and wrong == []
    verified("places of dots on /trends/", checked, len(wrong), "their rows in /data/trends/*.csv")


def test_spans_of_time_begin_with_their_quarter():
    """2024-02 to 2024-08 in quarters: three of them, the first from January."""
    assert spans(3, date(2024, 2, 9), date(2024, 8, 1)) == [
        Span(date(2024, 1, 1), date(2024, 4, 1)), Span(date(2024, 4, 1), date(2024, 7, 1)),
        Span(date(2024, 7, 1), date(2024, 10, 1)),
    ]  # fmt: skip


def test_no_name_stands_on_a_dot():
    """Of two dots of one model both are kept clear: the lone one's name goes left of it, away from its neighbour's."""
    dots = (
        Dot(50, 100, "moe", "a/b", "A", ""),
        Dot(56, 100, "moe", "c/d", "C", ""),
        Dot(56, 10, "moe", "c/d", "C", ""),
    )
    axis = Axis("", 0, 200, ())
    names = {name.dot: name.anchor for name in place_names(Scatter(axis, axis, dots), 200, 200)}
    assert names == {dots[0]: "end", dots[1]: "start", dots[2]: "start"}


def test_a_hostile_title_never_becomes_markup():
    """In the page and in the file a title is text."""
    title = "<script>alert(1)</script>"
    day = date(2025, 1, 1).toordinal()
    axis = date_axis([date(2024, 1, 1), date(2025, 6, 1)])
    chart = Scatter(axis, log_axis("y", [1, 9], [Tick(2, title)]), (Dot(day, 3, "full", "a/b", title, title),))
    for drawn in (str(svg.picture(chart, title, str)), svg.file(chart, title, title)):
        assert "<script" not in drawn and drawn.count("&lt;script") >= 4


def test_a_reader_zooms_hovers_and_goes_to_a_model(page, site_url, site_dir):
    """BokehJS loads when the mouse moves: plots in sight become figures with the CSV's values; a dot is a link."""
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto(site_url + "/trends/")
    names = page.locator("#cache .t-wide text").evaluate_all(
        "(all) => all.map((e) => e.getBoundingClientRect().toJSON())"
    )
    assert len(names) > 5 and not any(touching(a, b) for a in names for b in names if a is not b)
    assert Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"] == []
    assert not any("bokeh" in url for url in asked)
    page.mouse.move(300, 500)
    page.mouse.move(310, 520)
    page.wait_for_selector("#cache [data-ready]", timeout=60_000)
    found = page.evaluate("""() => [...Bokeh.documents]
      .filter((doc) => doc.roots()[0].left[0].axis_label.startsWith("cache per token"))
      .map((doc) => doc.get_model_by_name("dots").data_source.data)
      .map((data) => [...data.title].map((title, at) => [title, data.y[at]])).find((rows) => rows.length)""")
    known = {row["title"]: float(row["cache_per_token_bytes"] or 0) for row in
             csv.DictReader((site_dir / "data/trends/cache.csv").open())}  # fmt: skip
    assert found and all(known[title] == value for title, value in found)
    assert page.locator("#cache .t-plot").is_hidden()
    page.evaluate("""async () => {
      for (const theme of ["dark", "light", "dark", "light", "dark"]) {
        document.documentElement.dataset.theme = theme;
        await new Promise((done) => setTimeout(done));
      }
    }""")
    page.wait_for_timeout(800)
    page.wait_for_function(
        """(dark) => document.querySelector("#cache .t-live").children.length === 1
        && [...Bokeh.documents].some((doc) => doc.roots()[0].background_fill_color === dark)""",
        arg=tokens(True)["panel"],
    )
    page.goto(site_url + "/trends/")
    page.keyboard.press("Tab")
    page.locator("#cache .t-plot a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/models/**")


def touching(a: dict, b: dict) -> bool:
    """Whether two boxes overlap by more than a pixel."""
    return (
        min(a["right"], b["right"]) - max(a["left"], b["left"])
        > 1
        < min(a["bottom"], b["bottom"]) - max(a["top"], b["top"])
    )
