"""Answers of the beats of long-context, from its reference: the second route to what beats.js says."""

from __future__ import annotations

from cutaway.explainers.long_context import reference


def past_of(state: dict, data: dict) -> dict:
    """The whole past of a layer with an indexer, on the ruler."""
    rows = reference.compute(state, data)["ruler"]
    return next(row for row in rows if row["key"] == "dsa")["bars"][0]


def one_in(state: dict, data: dict) -> int:
    """Of so many picks one is shown."""
    return past_of(state, data)["one_in"]


def wide(state: dict, data: dict) -> float:
    """How many times too wide each is."""
    return past_of(state, data)["wide"]


def a_million_published(state: dict, data: dict) -> float:
    """V4-Pro's share of V3.2's arithmetic at a million tokens, as its report has it."""
    said = next(row for row in data["claims"] if row[1] == reference.claims.ARITHMETIC)
    return float(said[2].removesuffix(" %")) / 100


answers = {"one_in": one_in, "wide": wide, "a_million_published": a_million_published}
