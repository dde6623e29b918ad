"""What cards, tables and links call a mixer, an MLP or a format: each from parts made by hand, and from arithmetic."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

from cutaway.app.site.environment import month
from cutaway.app.words import phrases, storage
from cutaway.gallery import catalog
from cutaway.gallery import spec as s
from tests.one_site import SITE

LLAMA = catalog.spec("meta-llama/Meta-Llama-3-8B")
ATTENTION = LLAMA.layers[0].mixer
LATENT = catalog.spec("deepseek-ai/DeepSeek-V3").layers[0].mixer
SPARSE = catalog.spec("deepseek-ai/DeepSeek-V3.2").layers[0].mixer
SHARED = next(
    layer.mixer
    for layer in catalog.spec("zai-org/GLM-5.2").layers
    if layer.mixer.indexer and layer.mixer.indexer.shared
)


def attention(**changed) -> s.Attention:
    return replace(ATTENTION, **changed)


@pytest.mark.parametrize(
    ("queries", "keys", "words"),
    [(32, 32, "MHA 32"), (32, 8, "GQA 32:8"), (32, 1, "MQA 32:1"), (1, 1, "MHA 1"), (4, 2, "GQA 4:2")],
)
def test_heads_are_called_by_how_many_share_a_key(queries, keys, words):
    """As many keys as queries are MHA, one for all is MQA, between them GQA: the definitions of arXiv 2305.13245."""
    assert phrases.heads(attention(num_attention_heads=queries, num_key_value_heads=keys)) == words


@pytest.mark.parametrize(
    ("many", "few", "words"),
    [(36, 12, "3:1"), (12, 12, "1:1"), (45, 15, "3:1"), (3, 2, "3:2"), (6, 4, "3:2"), (52, 10, ""), (31, 1, "31:1"),
     (62, 2, "31:1"), (32, 1, ""), (31, 2, "31:2"), (4, 3, "")],
)  # fmt: skip
def test_a_ratio_is_said_while_it_is_small(many, few, words):
    """In lowest terms, the smaller side one or two, the larger at most 31: what a reader takes in."""
    assert phrases.ratio(many, few) == words
    if words:
        assert Fraction(*map(int, words.split(":"))) == Fraction(many, few)


def test_a_mixer_in_a_few_words():
    """Windows and chunks with their lengths, NoPE, an indexer, cross-attention; none is said so."""
    plain = attention(sliding_window=0, attention_chunk_size=0, position="rope")
    assert phrases.mixer_words(plain) == "GQA 32:8"
    assert phrases.mixer_words(replace(plain, position="nope")) == "GQA 32:8 NoPE"
    assert phrases.mixer_words(replace(plain, sliding_window=4096)) == "window 4,096"
    assert phrases.mixer_words(replace(plain, attention_chunk_size=8192)) == "chunks of 8,192"
    assert phrases.mixer_words(replace(plain, cross=True)) == "cross-attention GQA 32:8"
    assert phrases.mixer_words(None) == "no mixer"
    assert phrases.mixer_words(LATENT) == "MLA"
    assert phrases.mixer_words(SPARSE) == "MLA + indexer"
    assert phrases.mixer_words(SHARED) == "MLA + shared indexer"
    assert [phrases.brief(one) for one in (LATENT, SPARSE, SHARED)] == ["MLA", "MLA + indexer", "MLA + shared indexers"]
    assert phrases.brief(replace(plain, position="nope")) == "GQA 32:8"


def stack(*layers: tuple[object, object]) -> s.ModelSpec:
    made = tuple(
        replace(LLAMA.layers[0], index=index, mixer=mixer, mlp=mlp) for index, (mixer, mlp) in enumerate(layers)
    )
    return replace(LLAMA, layers=made, num_hidden_layers=len(made))


DENSE = LLAMA.layers[0].mlp
WINDOW = attention(sliding_window=128)


@pytest.mark.parametrize(
    ("windows", "full", "line"),
    [
        (3, 1, "window 128 3:1"),
        (1, 3, "GQA 32:8 3:1 window 128"),
        (5, 3, "window 128 / attention"),
        (0, 2, "GQA 32:8"),
        (0, 0, "no mixer"),
    ],
)
def test_what_mixes_is_told_with_its_ratio(windows, full, line):
    """The commoner first; plain attention beside it is not named again; without a ratio both are."""
    layers = [(WINDOW, DENSE)] * windows + [(attention(), DENSE)] * full or [(None, DENSE)]
    assert phrases.mixers_line(stack(*layers)) == line


def test_three_sorts_of_mixer_are_listed_and_more_are_hinted_at():
    """Three by name; a fourth is an ellipsis."""
    kinds = [attention(sliding_window=size) for size in (1, 2, 3, 4)]
    assert phrases.mixers_line(stack(*((one, DENSE) for one in kinds[:3]))) == "window 1 / window 2 / window 3"
    assert phrases.mixers_line(stack(*((one, DENSE) for one in kinds))) == "window 1 / window 2 / window 3 …"


def test_shared_indexers_count_with_those_that_share():
    """One layer that works its indexer out and two that borrow it are one sort."""
    assert phrases.mixers_line(stack((SPARSE, DENSE), (SHARED, DENSE), (SHARED, DENSE))) == "MLA + shared indexers"


def test_the_other_half_is_the_commonest():
    """Two mixtures and a dense layer are a mixture; a card begins with a capital."""
    moe = catalog.spec("deepseek-ai/DeepSeek-V3").layers[-1].mlp
    assert phrases.mlps_line(stack((ATTENTION, moe), (ATTENTION, moe), (ATTENTION, DENSE))) == "MoE 256+1"
    assert phrases.mlps_line(stack((ATTENTION, DENSE))) == "dense"
    assert phrases.mlps_line(stack((ATTENTION, None))) == "no MLP"
    assert phrases.card_line(stack((WINDOW, DENSE))) == "Window 128 · dense"
    assert phrases.mlp_words(replace(moe, n_shared_experts=0)) == "MoE 256"
    assert phrases.mlp_words(DENSE) == "dense 14,336" and phrases.mlp_words(None) == "no MLP"


def test_facets_of_a_mixer():
    """A window is no full attention; a latent with an indexer is sparse besides."""
    assert phrases.mixer_facets(attention()) == {"gqa"} and phrases.mixer_facets(WINDOW) == {"window"}
    assert phrases.mixer_facets(attention(attention_chunk_size=8)) == {"window"}
    assert phrases.mixer_facets(LATENT) == {"mla"} and phrases.mixer_facets(SPARSE) == {"mla", "sparse"}
    assert phrases.sort_of(WINDOW) == "window" and phrases.sort_of(LATENT) == "attention"
    assert phrases.sort_of(None) == "no mixer"
    assert phrases.without_position(attention(position="nope"))
    assert not phrases.without_position(attention(position="rope"))


# ---------------------------------------------------------------- formats


def test_a_stored_scale_multiplies_a_code_that_dividing_made():
    """FP8 of DeepSeek-V3: the page says that the scale multiplies, and only that brings a block's weights back.

    Its own kernel dequantizes by y = x * s (inference/kernel.py of its repository), though it says weight_scale_inv.
    """
    said = dict(storage.rows(catalog.spec("deepseek-ai/DeepSeek-V3").quantization))["Scale"]
    weights = np.random.default_rng(0).normal(0, 0.02, (128, 128))
    scale = np.abs(weights).max() / float(ml_dtypes.finfo(ml_dtypes.float8_e4m3fn).max)
    codes = (weights / scale).astype(ml_dtypes.float8_e4m3fn).astype(float)
    back = {"multiplies by": codes * scale, "divides by": codes / scale}
    named = [words for words, values in back.items() if np.allclose(values, weights, rtol=0.07, atol=1e-4)]
    assert named == ["multiplies by"] and said.endswith(named[0])


def test_without_a_scale_no_row_tells_of_one():
    """An empty cell would be a question."""
    kept = catalog.spec("deepseek-ai/DeepSeek-V3").quantization
    assert "Scale" not in dict(storage.rows(replace(kept, scale="")))


@pytest.mark.parametrize(("many", "end"), [(1, "n0"), (12, "n11"), (13, "n11 and 1 more"), (155, "n11 and 143 more")])
def test_a_long_list_names_a_dozen_and_counts_the_rest(many, end):
    """Twelve names are all shown; of 155 the first twelve, and 143 more."""
    said = storage.some(tuple(f"n{at}" for at in range(many)))
    assert said.endswith(end) and len(said.split(" and ")[0].split(", ")) == min(many, 12)


def test_a_block_is_named_where_it_has_two_sides():
    """128 x 128 is a block; a whole row or tensor, which share one scale, is none."""
    kept = catalog.spec("deepseek-ai/DeepSeek-V3").quantization
    assert storage.block_words(kept) == "128 × 128"
    assert (
        storage.block_words(replace(kept, block_shape=(1, 0)))
        == storage.block_words(replace(kept, block_shape=None))
        == ""
    )
    assert storage.tile(catalog.spec("openai/gpt-oss-20b"))[1].startswith("expert weights")
    assert storage.tile(LLAMA) == ("BF16", "weights")


# ---------------------------------------------------------------- dates


@pytest.mark.parametrize(
    ("date", "words"), [("2024-12-26", "Dec 2024"), ("2024-01", "Jan 2024"), ("2019", "2019"), ("", ""), (None, "")]
)
def test_a_date_is_a_month_in_words(date, words):
    """As far as it is known."""
    assert month(date) == words


def test_a_relative_url_leads_from_one_page_to_another():
    """The same place however deep the page is; a query stays, and the home page has one slash."""
    assert SITE.url("/models/", "/models/a/b/") == "../../"
    assert SITE.url("/learn/bits/?x=1#y", "/models/") == "../learn/bits/?x=1#y"
    assert SITE.url("/", "/models/") == "../" and SITE.url("/assets/a.css", "/") == "assets/a.css"
    assert SITE.url("/models/", "/models/") == "./" and SITE.url("/a.json", "/models/b.html") == "../a.json"


def test_a_stand_in_without_a_mixer_has_none():
    """Halves: none, one, or the parts of a combined one."""
    assert phrases.halves(None) == () and phrases.halves(ATTENTION) == (ATTENTION,)
    both = SimpleNamespace(parts=[1, 2])
    assert phrases.halves(both) == (both,)
