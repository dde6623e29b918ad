"""A text -> the tokens that the model sees of it, and what the model makes of them. Twin of run.js."""

from __future__ import annotations

from functools import cache

from cutaway.explainers.next_token import forward, tokens

JUMP = 32  # tokens that a long text loses at once


def window(text: str) -> tuple[list[int], int]:
    """The tokens that the model sees, <s> first, and how many of the text were dropped before them.

    A text longer than the context loses its beginning in jumps of 32 tokens, so that most keys leave the cache alone.
    """
    ids, room = tokens.encode(text), forward.load().config["max_position_embeddings"] - 1
    dropped = -(-max(0, len(ids) - room) // JUMP) * JUMP
    return [tokens.FIRST, *ids[dropped:]], dropped


@cache
def run(text: str) -> tuple[list[int], int, forward.Run]:
    """The tokens of a text, how many were dropped, and what the model makes of them."""
    ids, dropped = window(text)
    return ids, dropped, forward.run(forward.load(), ids)
