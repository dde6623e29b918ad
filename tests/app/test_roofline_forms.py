"""A model's compute section: each block runs in the format that the config says, and a plan in the fastest there is."""

from __future__ import annotations

import pytest

from cutaway.app.roofline import section as roofline
from cutaway.app.roofline import words as roofline_words
from cutaway.app.site import Site
from cutaway.app.weigh.words import State
from cutaway.gallery.planning.devices import DEVICES
from cutaway.gallery.planning.planner_model import make_planner_model
from tests import noded
from tests.site import roofline_rows

V3, OSS, KIMI = "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-120b", "moonshotai/Kimi-K2.5"
SAYS = {
    V3: "Matmuls with weights run in FP8 (MLA, dense 18,432, MoE) and 16 bits (output head), if the GPU supports it.",
    OSS: "Matmuls run in 16 bits, because only the weights are MXFP4. The fastest engines use FP8, which plans assume.",
    KIMI: "Matmuls run in 16 bits, because only the weights are INT4.",
    "Qwen/Qwen3-8B": "",
}


@pytest.mark.parametrize(("slug", "says"), SAYS.items())
def test_the_section_says_in_which_formats_products_run(slug, says):
    """Under the figure, where weights are quantised; with what a plan does where that differs."""
    view = Site().view(slug)
    told = roofline.sheet(view)
    assert roofline_words.forms_say(told) == roofline.roofline(view).says == says
    assert told["fastest"] == make_planner_model(view.spec)["products"]


@pytest.mark.parametrize(("slug", "forms"), [(V3, {"fp8", "bfloat16"}), (OSS, {"bfloat16"}), (KIMI, {"bfloat16"})])
def test_blocks_have_the_peaks_of_their_formats(slug, forms):
    """A block's least time is by its own peak; the script gets these peaks and no more; each has a roof."""
    told, state = roofline.sheet(Site().view(slug)), State(8192, 64, "bf16", "b200_sxm", 2)
    found, peaks = roofline_rows.rows(told, state, True), DEVICES["b200_sxm"].peaks
    for one, block in zip(found, told["blocks"], strict=True):
        assert one.peak == 2 * peaks[block["runs"]]
        assert one.seconds == max(one.flops / one.peak, one.bytes / (2 * DEVICES["b200_sxm"].bandwidth_bytes))
    data, asked = roofline.numbers(told), {**state._asdict(), "job": "prefill"}
    assert data["devices"]["b200_sxm"][1] == {form: peaks[form] for form in forms}
    (made,) = noded.called("roofline.js", "rows", [[data, asked]])
    (drawn,) = noded.called("roofline-figure.js", "inner", [[[380, 300, 20], made, data, asked]])
    assert (drawn.count('class="r-roof"'), drawn.count("r-roof w-line2")) == (1, len(forms) - 1)
