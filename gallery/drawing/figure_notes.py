"""The notes of a figure: what happens around the layers, other towers, extra weights, what was not understood."""

from __future__ import annotations

import re
from collections import Counter

from cutaway.gallery.counting.parameters import Parameters
from cutaway.gallery.drawing.annotations import step_words
from cutaway.gallery.drawing.tower import MOST as MOST_SLABS
from cutaway.gallery.drawing.tower import mtp_words
from cutaway.gallery.drawing.words import count
from cutaway.gallery.spec import ModelSpec
from cutaway.gallery.wiring import closing_graph, opening_graph


def around_words(spec: ModelSpec) -> list[str]:
    """What happens to the embedding before the first layer, and to the stream and the logits behind the last."""
    found = []
    for graph, what in ((opening_graph(spec), "embedding"), (closing_graph(spec), "logits")):
        for node in graph.nodes:
            words = next((said for start, said in AROUND if node.name.startswith(start)), None)
            words = step_words(node) if words is None else words
            found.append(f"{what} {words}" if node.name in WHERE else words)
    return [word for word in dict.fromkeys(found) if word][:5]


AROUND = (  # names of nodes begin so -> what is said of them together; "" = drawn, or said elsewhere
    ("embed_", None), ("embed", ""), ("head", ""), ("final_norm", ""),
    ("opening.positions", "learned positions"), ("opening.with_positions", ""),
    ("opening.embed_tokens_per_layer", "an embedding per layer"), ("opening.table_scaled", ""),
    ("opening.per_layer", ""), ("opening.own", ""), ("opening.both", ""),
    ("hc_head", "streams → 1 by learned weights"), ("streams", "the embedding in every stream"),
    ("stream", "the mean of the streams"), ("altup", ""), ("unembedded", ""), ("out.", "the gated mean of the streams"),
)  # fmt: skip
WHERE = ("embed_scaled", "logits_scaled", "logits_softcap")


MOST_SHAPES = 3  # of an extra's tensors, in a note


def tables_words(shapes: list[tuple[int, ...]]) -> str:
    """6 × 2,048×2,048: equal shapes once, and how many tensors the first shapes leave unsaid."""
    alike = Counter(shapes)
    said = [(f"{many} × " if many > 1 else "") + "×".join(f"{n:,}" for n in shape) for shape, many in alike.items()]
    more = sum(list(alike.values())[MOST_SHAPES:])
    return ", ".join(said[:MOST_SHAPES]) + (f" and {more} more" if more else "")


def notes_of(spec: ModelSpec, counted: Parameters) -> list[tuple[str, str]]:
    """Boxes beside the layers: other towers, things with weights of their own, and what was not understood."""
    out = []
    if len(spec.layers) > MOST_SLABS:
        out.append(("ghost", f"one slab stands for {-(-len(spec.layers) // MOST_SLABS)} layers"))
    if around := around_words(spec):
        out.append(("ghost", "around the layers: " + " · ".join(around)))
    if spec.bidirectional:
        out.append(("ghost", "bidirectional: every token sees every other, so no cache is kept"))
    if spec.read_from_keys:
        out.append(("alarm", f"read from keys alone: model_type {spec.model_type[:40] or 'missing'} is not known here"))
    out += [("alarm", "not understood yet: " + words[:160]) for words in spec.not_understood[:4]]
    out += [("ghost", f"{extra.label}: {tables_words([shape for _, shape in extra.tensors])}") for extra in spec.extras]
    for tower in spec.towers:
        words = [f"{tower_words(tower.name)} tower", tower_words(tower.model_type)]
        words += [f"{tower.num_hidden_layers} layers"] if tower.num_hidden_layers else []
        words += [f"{count(tower.parameters)} parameters" if tower.parameters else "parameters not in the config"]
        out.append(("ghost", " · ".join(word for word in words if word)))
    if spec.mtp:
        out.append(("ghost", f"{mtp_words(spec)} above the tower, {count(counted.mtp)} parameters apart"))
    return out


def tower_words(key: str) -> str:
    """What a config calls a tower or its class, without the underscores and what goes without saying: siglip."""
    return re.sub(r"_(config|cfg|tower|model|vision|audio|processor)(?=_|$)", "", key).replace("_", " ")[:40]
