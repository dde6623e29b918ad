"""A config of a model that sees images -> what acts inside its text model besides: M-RoPE and DeepStack, as sentences.

The drawing is of text, where both change nothing; source: transformers 5.23.0, models/<model type>.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cutaway.gallery.joined import join_words


class Sections(NamedTuple):
    """How a class shares the pairs that rotate out to time, row and column where no key says it."""

    pairs: tuple[int, int, int]
    interleaved: bool


QWEN2, QWEN3 = Sections((16, 24, 24), False), Sections((24, 20, 20), True)
QWEN3_5, GLM = Sections((11, 11, 10), True), Sections((8, 12, 12), False)
# The start of a model_type -> what its class does.
CLASSES = {
    "qwen2_vl": QWEN2, "qwen2_5_vl": QWEN2, "qwen2_5_omni": QWEN2, "paddleocr_vl": QWEN2, "qwen3_vl": QWEN3,
    "qwen3_omni_moe": QWEN3, "qwen3_5": QWEN3_5, "qwen4_exp": QWEN3_5, "glm4v": GLM, "glm_ocr": GLM, "glm_image": GLM,
}  # fmt: skip
STACKED = ("qwen3_vl", "qwen3_omni_moe")  # classes that add deepstack_visual_indexes to the stream


def say_images(text: Mapping, top: Mapping, model_type: str) -> tuple[str, ...]:
    """The sentences; none of a model that sees text alone."""
    return tuple(filter(None, (say_mrope(text, model_type), say_deepstack(top, model_type))))


def say_mrope(text: Mapping, model_type: str) -> str:
    """Which pairs turn by what, by the config's mrope_section or the class's own."""
    usual = next((found for start, found in CLASSES.items() if model_type.startswith(start)), None)
    ropes = [text.get(key) for key in ("rope_parameters", "rope_scaling")]
    said = next(
        (rope["mrope_section"] for rope in ropes if isinstance(rope, Mapping) and "mrope_section" in rope), None
    )
    pairs = tuple(said) if isinstance(said, list | tuple) else usual.pairs if usual else ()
    if len(pairs) != 3 or not all(isinstance(one, int) and not isinstance(one, bool) for one in pairs):
        return ""
    how = "interleaved" if usual and usual.interleaved else "one after the other"
    numbers = join_words([*map(str, pairs)])
    return (
        f"M-RoPE: each image token has a time, a row and a column, which rotate {numbers} of the {sum(pairs)} pairs, "
        f"{how}. For text, all three equal the position, so the drawing shows plain RoPE."
    )


def say_deepstack(top: Mapping, model_type: str) -> str:
    """Which layers of the vision tower are added where."""
    tower = top.get("vision_config")
    taps = tower.get("deepstack_visual_indexes") if isinstance(tower, Mapping) else None
    if not isinstance(taps, list) or not taps or not model_type.startswith(STACKED):
        return ""
    layers = join_words([*map(str, taps)])
    after = "the first layer" if len(taps) == 1 else f"each of the first {len(taps)} layers"
    return (
        f"DeepStack: after {after} here, features of layers {layers} of the vision tower are added to the stream at "
        "image tokens. The drawing shows the path of text tokens."
    )
