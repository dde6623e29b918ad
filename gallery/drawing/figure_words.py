"""A figure in words: `outline` is the whole of it as indented text, `alt` one sentence that stands for it."""

from __future__ import annotations

from collections import Counter

from cutaway.gallery.drawing.card import Card
from cutaway.gallery.drawing.figure import Figure, figure
from cutaway.gallery.drawing.pictures import short_of
from cutaway.gallery.drawing.totals import Bar
from cutaway.gallery.drawing.tower import Tower
from cutaway.gallery.drawing.words import count
from cutaway.gallery.spec import ModelSpec


def outline(spec: ModelSpec, title: str = "") -> str:
    """Everything in the picture with its numbers, one thing per line, in reading order of the columns."""
    fig = figure(spec, title)
    out = [fig.title, *(f"  {what}: {value}" for value, what in fig.keys), "tower"]
    out += ["  " + line for line in Tower(spec).lines()]
    out.append("layers")
    for kind in fig.kinds:
        out += ["  " + line for line in Card(kind, spec, 248).lines()]
    out += ["  " + words for _, words in fig.notes]
    out.append("insides")
    for _, content in fig.panels:
        out += ["  " + line for line in content.lines()]
    out += Bar(fig.bar, fig.counted, 800).lines()
    return "\n".join(out) + "\n"


def alt_of(fig: Figure) -> str:
    """One sentence for the whole figure."""
    spec = fig.spec
    mixers: Counter[str] = Counter()
    mlps: Counter[str] = Counter()
    n = len(spec.layers)
    for layer, indices in fig.tallies:
        mixers[short_of(layer.mixer)] += len(indices)
        mlps[short_of(layer.mlp)] += len(indices)

    def join_counts(counter: Counter) -> str:
        few = [(word, number) for word, number in counter.most_common(5) if word][:4]
        return " and ".join(word if number == n else f"{number} × {word}" for word, number in few) or "none"

    return (
        f"{fig.title}: {n} layers, mixers {join_counts(mixers)}, MLPs {join_counts(mlps)}, "
        f"{count(fig.counted.total)} parameters, {count(fig.counted.active)} of them active for each token."
    )


def alt(spec: ModelSpec, title: str = "") -> str:
    """One sentence for the drawing of a spec."""
    return alt_of(figure(spec, title))
