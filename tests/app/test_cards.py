"""What stands above a pasted config's drawing: keys that nothing reads, and its cache beside the nearest models'."""

from __future__ import annotations

import json
import re

import pytest

from cutaway import gallery
from cutaway.app.render import job
from cutaway.app.your_model import answer
from cutaway.gallery import catalog

SLUG = "Qwen/Qwen3-Next-80B-A3B-Instruct"
ODD = {"value_residual_lambda": 0.5, "<img src=x>": "<b>&", "long": "x" * 99, "inner": {"deep": {"er": 1}}}


def result(config: dict) -> str:
    return json.loads(answer.answer(json.dumps(config), "Mine", ""))["html"]["result"]


def test_unread_keys_are_a_warning_with_their_values():
    """The card counts the unread keys, shows them with short values as text, and says what they could change."""
    config = catalog.load(SLUG)
    told = result(config | ODD)
    card = told[told.index('class="unread warns"') : told.index('class="cache-card"')]
    assert f"4 of {len(config) + 4} keys were not read, so this drawing may be incomplete." in card
    assert "<code>value_residual_lambda: 0.5</code>" in card and "<code>long</code>" in card
    assert "<img" not in told and "<code>&lt;img src=x&gt;: &#34;&lt;b&gt;&amp;&#34;</code>" in card
    inside = result({"model_type": "gemma3", "text_config": config | {"zz": 1}, "vision_config": {"depth": 1}})
    assert f"1 of {len(config) + 1} keys was not read" in inside and "<code>zz: 1</code>" in inside
    assert 'href="#keys"' in card and "the cache are missing it" in card


def test_a_config_that_is_read_whole_says_so():
    """No warning if every key was read."""
    told = result(catalog.load(SLUG))
    assert "Every key of the config was read." in told and "warns" not in told


def test_the_cache_card_is_at_the_models_own_context():
    """Bytes at 128 K tokens, or at the model's context if it is shorter; the nearest models at the same length."""
    config = catalog.load(SLUG)
    for context, words in ((1 << 20, "131,072"), (4096, "4,096")):
        config |= {"max_position_embeddings": context}
        card = job.cards.cache_card(job.viewed(job.Request(config, "Mine", ""))[0], None)
        assert f"{card.tokens:,}" == words
        assert card.total == gallery.memory(gallery.read(config), context=card.tokens).total_bytes
        assert [bar.title for bar in card.bars] == ["Mine"] and 0 < card.fixed < card.total
    told = result(catalog.load(SLUG))
    assert "Cache at 131,072 tokens" in told and told.count("<tr") >= 4


@pytest.mark.parametrize("value", [None, [], {}, "x" * 41, [1] * 50])
def test_a_value_that_says_little_is_left_out(value):
    """Only short values are shown."""
    assert job.cards.in_short(value) in ("", "[]", "{}")


def test_what_a_window_does_not_show_comes_later():
    """One layout first and the two others with the rest are the same drawings, and leave nothing out."""
    text = json.dumps(catalog.load(SLUG))

    def drawn(*markups: str) -> list[str]:
        return sorted(svg for one in markups for svg in re.findall(r'<svg class="cf cf-(?:wide|middle|narrow)".*', one))

    whole, part = (json.loads(answer.answer(text, "Mine", "", "", seen))["html"]["result"] for seen in ("", "middle"))
    rest = json.loads(answer.rest(text, "Mine", "", "", "middle"))["html"]
    assert "cf-middle" in part and "cf-wide" not in part and "cf-narrow" not in part
    assert "".join(drawn(whole)).count("<svg") == "".join(drawn(part, rest["figure"], rest["lit"])).count("<svg")
    assert all(svg in whole for svg in re.findall(r'<svg class="cf cf-wide".*?</svg>', rest["figure"] + rest["lit"]))
    assert answer.rest(text, "Mine", "") == answer.rest(text, "Mine", "", "", "")
