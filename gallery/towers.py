"""From the parts of a config beside the language model to Towers: named boxes, with parameters where they can be counted."""

from __future__ import annotations

from collections.abc import Mapping

from .spec import Tower

NAMES = ("vision_config", "audio_config", "speech_config", "img_processor", "vision_tower_config", "video_config")


def whole(part: Mapping, *names: str) -> int | None:
    """The first of these keys that holds a believable size."""
    for name in names:
        value = part.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 10**6:
            return value
    return None


def find_towers(text: Mapping, top: Mapping) -> tuple[Tower, ...]:
    """One Tower per other network that the config describes."""
    out = []
    for name in NAMES:
        part = top.get(name)
        if isinstance(part, Mapping) and part:
            depth = whole(part, "num_hidden_layers", "depth", "layers", "vt_num_hidden_layers")
            width = whole(part, "hidden_size", "embed_dim", "width", "vt_hidden_size")
            out.append(Tower(name, str(part.get("model_type") or "")[:80], depth, width, None))
    return tuple(out)
