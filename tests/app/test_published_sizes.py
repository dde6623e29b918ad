"""A copy's page: its published size beside ours, its MTP layers, and a quantization_config that is whole or says no."""

from __future__ import annotations

import re
from html import unescape

import pytest

from cutaway.app.model import tables
from cutaway.app.model_page import page, precision, sizes
from cutaway.gallery.catalog import snapshot
from cutaway.gallery.catalog.published_sizes import NUMBERS, PUBLISHED
from tests.one_site import SITE

V3 = "deepseek-ai/DeepSeek-V3"


@pytest.mark.parametrize("slug", PUBLISHED)
def test_ours_is_the_published_size(slug):
    """To the byte where all tensors were added up; within the headers' 0.01 % where files were."""
    (row, *_) = sizes.rows(SITE.view(slug))
    published, ours = (int(words.replace(",", "")) for words in (row.published, row.ours))
    assert PUBLISHED[slug].bytes == published
    assert (row.difference == "none") is (published == ours)
    assert published == ours if PUBLISHED[slug].of == "all tensors" else 0 < published - ours < published / 10_000


@pytest.mark.parametrize("slug", NUMBERS)
def test_ours_is_the_count_that_the_hub_publishes(slug):
    """Parameters, MTP layers, scales and buffers together, to the last number."""
    row = sizes.rows(SITE.view(slug))[-1]
    assert (f"{NUMBERS[slug]:,}", "none") == (row.ours, row.difference)


def test_the_mtp_layer_stands_beside_the_weights():
    """DeepSeek-V3: 673.2 GB, and 15.4 GB of the layer ahead, FP8 within and two tables in BF16: 688.6 GB of files."""
    view = SITE.view(V3)
    assert view.stored_bytes == 673_150_552_416
    assert view.stored_mtp_bytes == 15_424_226_528
    said = dict(row[:2] for row in tables.facts(view))["Weights as stored"]
    assert said == "673.2 GB; the files take 688.6 GB, including the MTP layers (15.4 GB)"
    assert tables.numbers(view)["stored_mtp_bytes"] == 15_424_226_528
    assert dict(row[:2] for row in tables.facts(SITE.view("Qwen/Qwen3-8B-AWQ")))["Weights as stored"] == "6.1 GB"


def test_the_page_shows_both_sizes_and_the_difference():
    """In a table of its own, with who published it."""
    words = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", page.model_page(SITE, SITE.view(V3)))))
    assert "688,586,727,753 688,574,778,944 the published figure is 11,948,809 higher (0.0017%)" in words


@pytest.mark.parametrize(("slug", "key", "many", "keys"), [
    ("nvidia/GLM-5.1-NVFP4", "ignore", 155, 6), ("zai-org/GLM-5-FP8", "modules_to_not_convert", 712, 5),
    ("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", "bits", 0, 20),
])  # fmt: skip
def test_the_whole_quantization_config_is_kept(slug, key, many, keys):
    """Every key of the file, and lists as they are, so that the page reads them key by key."""
    told = {one.key: one for one in precision.meanings(SITE.view(slug))}
    assert len(told) == keys
    assert not many or told[key].value == f"{many} entries"
    assert precision.shortened(snapshot.read_head(slug)) == []


def test_what_is_too_long_to_keep_says_by_how_much():
    """MiniMax-M3's NVFP4 copy names 22,422 modules one by one; of MiMo-V2.5's no whole file is at hand."""
    said = precision.shortened(snapshot.read_head("nvidia/MiniMax-M3-NVFP4"))
    assert "quantized_layers has 22,422 entries in the original file; our copy writes them as 15 patterns." in said
    (unseen,) = precision.shortened(snapshot.read_head("XiaomiMiMo/MiMo-V2.5"))
    assert unseen.endswith("the number in the original file is unknown.")
    assert unseen in page.model_page(SITE, SITE.view("XiaomiMiMo/MiMo-V2.5"))


def test_a_model_that_shares_anothers_snapshot_has_its_page():
    """Kimi K2 Base has no snapshot of its own: Instruct's is whole, so nothing is called shortened."""
    view = SITE.view("moonshotai/Kimi-K2-Base")
    assert "entries in the file" not in page.model_page(SITE, view)
