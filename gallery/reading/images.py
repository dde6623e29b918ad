"""A config of a model that sees images -> what acts inside its text model besides, in numbers and in words.

These are M-RoPE and DeepStack. The drawing is of text, where both change nothing; source: transformers 5.23.0,
models/<model type>.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from cutaway.gallery.joined import join_words
from cutaway.gallery.records import Rope
from cutaway.gallery.spec import Layer


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
MOST_TAPS = 100  # a longer list is none: a tower has fewer layers


def read_images(text: Mapping, top: Mapping, model_type: str, layers: Iterable[Layer]) -> dict[str, tuple[int, ...]]:
    """The fields `mrope` and `deepstack` of a spec: the config's own, or the class's; () where neither has any.

    Sections that are not as many pairs as the layers rotate are none.
    """
    ropes = (getattr(layer.mixer, "rope", None) for layer in layers)
    turned = {rope.dims // 2 for rope in ropes if isinstance(rope, Rope)}
    mrope = read_sections(text, model_type)
    return {"mrope": mrope if sum(mrope) in turned else (), "deepstack": read_taps(top, model_type)}


def read_sections(text: Mapping, model_type: str) -> tuple[int, ...]:
    """How many pairs turn by time, row and column: the config's mrope_section or the class's own."""
    usual = usual_of(model_type)
    ropes = [text.get(key) for key in ("rope_parameters", "rope_scaling")]
    said = next(
        (rope["mrope_section"] for rope in ropes if isinstance(rope, Mapping) and "mrope_section" in rope), None
    )
    pairs = tuple(said) if isinstance(said, list | tuple) else usual.pairs if usual else ()
    return pairs if len(pairs) == 3 and all(map(is_count, pairs)) else ()


def usual_of(model_type: str) -> Sections | None:
    """What the class does where no key says it."""
    return next((found for start, found in CLASSES.items() if model_type.startswith(start)), None)


def is_count(value: object) -> bool:
    """A whole number from 0 on."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def read_taps(top: Mapping, model_type: str) -> tuple[int, ...]:
    """Which layers of the vision tower are added to the stream, in its order; it passes none that it does not have."""
    tower = top.get("vision_config")
    tower = tower if isinstance(tower, Mapping) else {}
    taps, depth = tower.get("deepstack_visual_indexes"), tower.get("depth")
    if not isinstance(taps, list) or not model_type.startswith(STACKED) or len(taps) > MOST_TAPS:
        return ()
    if not all(map(is_count, taps)):
        return ()
    return tuple(sorted(tap for tap in {*taps} if tap < (depth if is_count(depth) else MOST_TAPS)))


def say_images(model_type: str, mrope: tuple[int, ...], deepstack: tuple[int, ...]) -> tuple[str, ...]:
    """The sentences; none of a model that sees text alone."""
    return tuple(filter(None, (say_mrope(mrope, usual_of(model_type)), say_deepstack(deepstack))))


def say_mrope(pairs: tuple[int, ...], usual: Sections | None) -> str:
    """Which pairs turn by what."""
    if not pairs:
        return ""
    how = "interleaved" if usual and usual.interleaved else "one after the other"
    numbers = join_words([*map(str, pairs)])
    return (
        f"M-RoPE: each image token has a time, a row and a column, which rotate {numbers} of the {sum(pairs)} pairs, "
        f"{how}. For text, all three equal the position, so the drawing shows plain RoPE."
    )


def say_deepstack(taps: tuple[int, ...]) -> str:
    """Which layers of the vision tower are added where."""
    if not taps:
        return ""
    layers = join_words([*map(str, taps)])
    after = "the first layer" if len(taps) == 1 else f"each of the first {len(taps)} layers"
    return (
        f"DeepStack: after {after} here, features of layers {layers} of the vision tower are added to the stream at "
        "image tokens. The drawing shows the path of text tokens."
    )
