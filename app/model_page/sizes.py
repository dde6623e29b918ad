"""A quantized model -> its size as others print it beside ours: bytes, or numbers in its files."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from cutaway.app.model.view import ModelView
from cutaway.explainers import fmt
from cutaway.gallery.catalog.published_sizes import HUB, NUMBERS, PUBLISHED
from cutaway.gallery.counting.stored_bytes import list_stored
from cutaway.gallery.counting.weights import buffers, mtp
from cutaway.gallery.spec import MoE


class SizeRow(NamedTuple):
    """One figure."""

    what: str
    published: str
    ours: str
    difference: str
    source: str


def rows(view: ModelView) -> list[SizeRow]:
    """What is known of the size of a copy; nothing of most."""
    return [*bytes_row(view), *numbers_row(view)]


def size_row(what: str, published: int, ours: int, source: str) -> SizeRow:
    """Both figures and how far they are from one another."""
    return SizeRow(what, fmt.integer(published), fmt.integer(ours), difference(published, ours), source)


def difference(published: int, ours: int) -> str:
    """How far ours is from the published figure, in numbers and as a share of it."""
    apart = published - ours
    if not apart:
        return "none"
    share = abs(apart) / published
    return f"the published figure is {fmt.integer(abs(apart))} {'higher' if apart > 0 else 'lower'} ({share:.4%})"


def bytes_row(view: ModelView) -> list[SizeRow]:
    """Bytes of language model and MTP layers; towers are in no count of ours."""
    found, own, ahead = PUBLISHED.get(view.slug), view.stored_bytes, view.stored_mtp_bytes
    if found is None or own is None:
        return []
    ours = own + (ahead or 0)
    return [size_row(f"Bytes of {found.of}", found.bytes, ours, found.source)]


def numbers_row(view: ModelView) -> list[SizeRow]:
    """Numbers in the files: parameters, MTP layers, scales, buffers and towers."""
    published, numbers = NUMBERS.get(view.slug), view.parameters
    if published is None:
        return []
    ahead = mtp(view.spec)
    scales = sum(one.scales for one in (*view.stored, *list_stored(view.spec, ahead)))
    kept = sum(prod(one.shape) for one in buffers(view.spec))
    kept += sum(layer.mlp.num_experts for layer in view.spec.mtp if kept and isinstance(layer.mlp, MoE))
    ours = numbers.total + numbers.mtp + numbers.towers + scales + kept
    return [size_row("Elements in the files, including scales", published, ours, HUB)]
