"""Answers of the masks page's beats, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.masks import reference


def deep(state: dict, data: dict) -> int | str:
    """How many layers a token passes until it can know token 0; in words where not even the last one can."""
    first = reference.compute(state, data)["stack"]["first"]
    return next((n for n, oldest in enumerate(first, 1) if oldest == 0), f"none of its {len(first)}")


def below(state: dict, data: dict) -> int:
    """How many tokens the layer before that one knows about, or the last where none is that one."""
    short = [oldest for oldest in reference.compute(state, data)["stack"]["first"] if oldest]
    return state["context"] - (short[-1] if short else state["context"] - 1)


def gain(state: dict, data: dict) -> int:
    """What the layers below add to what one layer sees: 0 a multiple, 1 something, 2 nothing."""
    mask = reference.compute(state, data)["mask"]
    more = mask["known"] - mask["keys"]
    return 2 if not more else 0 if more >= 2 * mask["keys"] else 1


answers = {"deep": deep, "below": below, "gain": gain}
