"""What stands beside a slider before a script runs: its steps, its formats, its models; curves and their frames."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from cutaway.app.embed import frames
from cutaway.app.embed import page as embed
from cutaway.app.weigh import curve, section, sheets, words
from cutaway.gallery import catalog, memory
from cutaway.gallery.counting import cache_growth
from cutaway.gallery.planning.devices import DEVICES
from tests.one_site import SITE

V3, NEXT, V4 = "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct", "deepseek-ai/DeepSeek-V4-Flash"


@pytest.mark.parametrize(
    ("longest", "step"), [(1024, 0), (1151, 0), (1152, 1), (2047, 7), (2048, 8), (2**17, 56), (2**20, 80), (2**21, 80)]
)
def test_the_sliders_last_step_within_a_config(longest, step):
    """Eight steps an octave from 1,024 on: 1,152 is the first, 2,048 the eighth, 131,072 the fifty-sixth of eighty."""
    assert section.inside({"longest": longest}) == step
    assert cache_growth.CONTEXTS[step] <= longest
    assert step == 80 or cache_growth.CONTEXTS[step + 1] > longest


def test_a_config_without_a_limit_lets_the_slider_go_to_its_end():
    """A state-space model states no longest context."""
    assert section.inside({"longest": None}) == 80 == len(cache_growth.CONTEXTS) - 1


def test_the_slider_starts_where_the_address_says_nothing():
    """At 131,072 tokens of one sequence, in BF16, on eight H100; a model of 61 layers ends at layer 60."""
    made = section.weigh(SITE.view(V3), SITE)
    assert (cache_growth.CONTEXTS[made.at], made.steps, made.last) == (131_072, 80, 60)
    assert cache_growth.CONTEXTS[made.inside] == 163_840 == SITE.view(V3).spec.max_position_embeddings
    assert words.State().choice == (131_072, "bfloat16", 1) and (words.State().gpu, words.State().gpus) == (
        "h100_sxm",
        8,
    )
    data = json.loads(str(made.data))
    assert data["most"] == [2**20, words.MOST_BATCH, words.MOST_GPUS, section.MOST_CHOSEN]
    assert data["weights"] == SITE.view(V3).stored_bytes and len(data["chosen"]) == section.FEW == 2
    assert data["devices"]["h100_sxm"] == [DEVICES["h100_sxm"].memory_bytes, 8]


@pytest.mark.parametrize("slug", [V3, "meta-llama/Llama-3.1-70B", "moonshotai/Kimi-Linear-48B-A3B-Instruct"])
def test_a_model_is_not_beside_itself(slug):
    """Of the three that stand beside others two are taken, and never the model or the one it is a packing of."""
    made = section.asked(SITE.view(slug), SITE)
    assert slug not in made["others"] and list(made["others"]) == made["data"]["chosen"]
    assert len(made["others"]) == 2 and set(made["others"]) <= set(section.CHOSEN)
    rows = curve.asked(SITE.view(slug), SITE)["rows"]
    assert rows[0][0] == SITE.view(slug).title and len(rows) == 1 + curve.OTHERS
    assert len({title for title, _ in rows}) == len(rows)


def test_every_layer_has_the_kind_that_it_keeps():
    """Of 48 layers of Qwen3-Next every fourth keeps keys and values, the others a state: two kinds of the sheet."""
    view = SITE.view(NEXT)
    found = section.layers(view, sheets.sheet_of(SITE, NEXT))
    kinds = [one["kind"] for one in found]
    assert [kinds[at] == kinds[3] for at in range(48)] == [at % 4 == 3 for at in range(48)]
    assert {one["role"] for one in found} == {"linear", "full"} and {one["words"] for one in found} == {"delta", "GQA"}


def test_packed_formats_are_offered_where_a_model_has_them():
    """DeepSeek's packed caches store a latent otherwise than in eight bits a number, and plain keys as they are."""
    assert [one.word for one in words.offered(sheets.sheet_of(SITE, V3))] == ["bf16", "fp8", "fp4", "packed", "v4"]
    assert [one.word for one in words.offered(sheets.sheet_of(SITE, "Qwen/Qwen3-8B"))] == ["bf16", "fp8", "fp4"]


def test_the_sheets_of_all_are_there_newest_first():
    """Each drawn model once, and the bytes of a few at 8,192 tokens are gallery's."""
    told = json.loads(sheets.everyone(SITE))
    assert set(told) == {row.slug for row in catalog.drawable_rows()}
    dates = [catalog.BY_SLUG[slug].date or "" for slug in told]
    assert dates == sorted(dates, reverse=True)
    for slug in (V3, NEXT, V4):
        assert cache_growth.cache_bytes(told[slug][1], 8192, "bfloat16") == memory(catalog.spec(slug), 8192).total_bytes


def test_a_device_is_called_as_its_maker_writes_it():
    """h100_sxm -> H100 SXM."""
    assert words.device_words("h100_sxm") == "H100 SXM"


# ---------------------------------------------------------------- how tall a frame is


def test_a_height_between_two_points_lies_on_their_line():
    """From 200 at 100 to 400 at 200: 300 in the middle, rounded up; before and after them as at the ends."""
    one = frames.Embed("/", "", ((100, 200), (200, 400)), ())
    assert [one.height(width) for width in (50, 100, 125, 150, 150.2, 200, 999)] == [200, 200, 250, 300, 301, 400, 400]
    down = frames.Embed("/", "", ((100, 400), (200, 200)), ())
    assert down.height(125) == 350


def test_steps_hold_until_the_next_width():
    """{320: 900, 600: 500} is 900 up to just below 600, and 500 from there on."""
    one = frames.Embed("/", "", frames.steps({600: 500, 320: 900}), ())
    assert [one.height(width) for width in (320, 599, 600, 2000)] == [900, 900, 500, 500]


def in_css(text: str, width: float) -> float:
    """The value of a calc() of clamps at a container's width."""
    text = text.removeprefix("calc").replace("100cqw", str(width)).replace("px", "")
    return eval(text, {"clamp": lambda low, value, high: min(max(low, value), high)})


@pytest.mark.parametrize("points", [((100, 200), (200, 400), (300, 250)), ((10, 5), (20, 5), (30, 9)), ((288, 400),)])
def test_css_says_the_same_height(points):
    """The sum of clamps, evaluated, is the line through the points."""
    one = frames.Embed("/", "", points, ())
    for width in range(0, 400, 7):
        assert one.height(width) == pytest.approx(in_css(frames.css(points), width), abs=1)


def test_a_frame_is_as_tall_as_its_picture_with_what_stands_around_it():
    """A picture of 460 x 400, shown from 288 to 460 wide and no wider: 16 on each side; 16 x 3 and a line of 18 below.

    At 288 it is 288 x 400 / 460 tall, from 460 on 400; a pixel more for what rounding takes.
    """
    points = embed.frames(((288, 460, 460, 400),))
    small, full = round(288 * 400 / 460 + 66 + 1), 400 + 66 + 1
    assert points == ((320, small), (492, full), (1632, full))
    two = embed.frames(((288, 460, 460, 400), (560, 860, 860, 440)))
    assert two[2][0] == pytest.approx(560 - frames.STEP + 32) and two[3][0] == 592
    assert two[-1] == (1632, 440 + 67)


def test_oembed_declares_the_height_of_its_width():
    """A frame of 900 pixels with the height that an embed has there."""
    one = frames.Embed("/embed/x/", "X", ((100, 200), (1700, 1800)), ())
    told = frames.oembed(SimpleNamespace(base="https://a.example/", address=lambda path, _: path), one)
    assert (told["width"], told["height"]) == (900, 1000) and 'height="1000"' in told["html"]
