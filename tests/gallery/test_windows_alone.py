"""Models whose layers all have windows or states: their cache grows until the windows are full, and says so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cutaway.app.data import dataset
from cutaway.app.model_page import page as models
from cutaway.app.site.cards import model_card
from cutaway.gallery import catalog, memory, read
from cutaway.gallery.command.report import facts_lines
from cutaway.gallery.comparing.differences import verdict
from cutaway.gallery.counting.kv_cache import rules_for
from cutaway.gallery.drawing.figure import figure
from cutaway.gallery.drawing.totals import key_figures
from tests.one_site import SITE

MISTRAL = "mistralai/Mistral-7B-v0.1"  # 32 layers, 8 KV heads of 128, a window of 4,096
EACH = 32 * 2 * 8 * 128 * 2
ORACLE = Path(__file__).parents[1] / "oracle" / "forward"


def test_mistral_7b_keeps_131_kb_per_token_up_to_its_window():
    """131,072 bytes a token, 536,870,912 at 4,096 tokens, and no more at 8,192."""
    found = memory(catalog.spec(MISTRAL), 0)
    assert found.growth == (EACH, "cache per token, up to 4,096 tokens")
    assert (found.per_token_bytes, found.filling_bytes, found.full_at, found.fixed_bytes) == (
        0,
        EACH,
        4096,
        4096 * EACH,
    )
    kept = [memory(catalog.spec(MISTRAL), context).total_bytes for context in (1, 4095, 4096, 8192)]
    assert kept == [EACH, 4095 * EACH, 4096 * EACH, 4096 * EACH]


def test_growth_is_what_bytes_at_contexts_do():
    """Of every model: the first token adds what fills, the last window is full where the bytes stop bending."""
    for row in catalog.drawable_rows():
        spec = catalog.spec(row.slug)
        found, at = memory(spec, 0), [memory(spec, n).total_bytes for n in (0, 2**21, 2**21 + 2**20)]
        assert at[2] - at[1] == pytest.approx(found.per_token_bytes * 2**20), row.slug
        if found.full_at:
            full = memory(spec, found.full_at).total_bytes
            assert memory(spec, 2 * found.full_at).total_bytes - full == pytest.approx(
                found.per_token_bytes * found.full_at, rel=1e-9
            ), row.slug
        many = 128 if found.filling_bytes else 1
        assert memory(spec, many).total_bytes - at[0] == pytest.approx(found.filling_bytes * many, rel=1e-9), row.slug


def test_windows_alone_are_said_everywhere():
    """Page, card, link preview, drawing, command and data of Mistral 7B: no "0 B of cache per token"."""
    view = SITE.view(MISTRAL)
    html = models.model_page(SITE, view)
    assert re.search(r"131\.\d+ KB</span> of cache per token, up to 4,096 tokens", html) and re.search(
        "then 53[67].* MB in total", html
    )
    assert ">cache per token, up to 4,096 tokens</dt>" in html and "0 B</span> of cache" not in html
    assert re.search(r"131\.\d+ KB of cache per token, up to 4,096 tokens\. Drawn", html)
    assert re.search(r"<dd>131\.\d+ KB</dd><dt>cache per token, up to 4,096 tokens</dt>", model_card(view))
    lines = "\n".join(facts_lines(view.spec))
    assert re.search(r"131(\.\d)? KB of cache per token, up to 4,096 tokens, BF16, then 53[67]\S* MB in all", lines)
    told = dataset.record(view)
    keys = ("cache_per_token_bytes", "cache_per_token_filling_bytes", "cache_windows_full_tokens")
    assert [told[key] for key in keys] == [0, EACH, 4096]
    fig = figure(view.spec)
    said = key_figures(view.spec, fig.tallies, fig.counted, rules_for(view.spec))
    assert ("131 KB", "cache per token") in said and ("537 MB", "full at 4,096") in said


def test_windows_beside_states_fill_too():
    """RecurrentGemma has windows and recurrences alone: its cache grows up to the window, its state never does."""
    config = json.loads((ORACLE / "recurrent_gemma.json").read_text())["config"]
    found = memory(read(config), 0)
    assert found.per_token_bytes == 0 < found.filling_bytes and found.full_at == config["attention_window_size"]
    assert found.fixed_bytes > found.filling_bytes * found.full_at


def test_states_alone_have_no_cache_per_token():
    """Mamba Codestral keeps a state, and says nothing of windows."""
    found = memory(catalog.spec("mistralai/Mamba-Codestral-7B-v0.1"), 0)
    assert found.growth == (0, "cache per token") and found.full_at == 0


def test_a_comparison_says_where_a_cache_stops():
    """Llama 3 8B's grows, Mistral 7B's stops at its window; it is not called missing."""
    spec = catalog.spec
    text = verdict(spec("meta-llama/Meta-Llama-3-8B"), spec(MISTRAL), ("Llama 3 8B", "Mistral 7B v0.1")).text
    assert text.endswith("10 % fewer parameters, a cache that stops growing at 4,096 tokens.")
