"""What two models can differ in as wholes, a row a field in the order of attribution; and all rows that a model has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from cutaway.gallery import spec as s
from cutaway.gallery.cached import cached_for_spec
from cutaway.gallery.comparing.fields import FIELDS, Field, rows_for, text
from cutaway.gallery.comparing.text import cell
from cutaway.gallery.sublayers import parts_of

Says = Callable[[s.ModelSpec], str]
# (fields changed together, what, the config's key, its text, where its disc stands, whether it can change a count)
MODEL: dict[str, tuple[tuple[tuple[str, ...], str, str, Says, str, bool], ...]] = {
    "position": (
        (("max_position_embeddings",), "context", "max_position_embeddings",
         lambda x: text(x.max_position_embeddings), "", True),
    ),
    "sizes": (
        (("hidden_size",), "width", "hidden_size", lambda x: text(x.hidden_size), "stream", True),
        (("vocab_size", "embedding_rows"), "vocabulary", "vocab_size", lambda x: text(x.vocab_size), "embed", True),
        (("embedding_size",), "width of the embedding", "embedding_size", lambda x: text(x.embedding_size), "embed",
           True),
        (("tie_word_embeddings",), "head is the embedding", "tie_word_embeddings",
         lambda x: text(x.tie_word_embeddings), "head", True),
    ),
    "beside": (
        (("residual",), "residual streams", "hc_mult", cell.streams, "stream", True),
        (("extras",), "outside layers", "", lambda x: ", ".join(dict.fromkeys(e.label for e in x.extras)), "", True),
        (("opening",), "before the first layer", "", cell.embedding_opening, "embed", True),
        (("closing",), "after the last norm", "", lambda x: "yes" if x.closing else "", "head", True),
        (("loops", "course"), "passes through the stack", "total_ut_steps", lambda x: text(x.loops), "tower", True),
        (("has_head",), "LM head", "", lambda x: text(x.has_head), "head", True),
        (("head_bias",), "head bias", "", lambda x: text(x.head_bias), "head", True),
        (("embedding_multiplier",), "scale of the embedding", "", lambda x: text(x.embedding_multiplier), "", False),
        (("logits_multiplier",), "scale of the logits", "", lambda x: text(x.logits_multiplier), "", False),
        (("logits_softcap",), "soft-cap of logits", "final_logit_softcapping", lambda x: text(x.logits_softcap or None),
         "head", False),
        (("dtype",), "number format", "dtype", lambda x: x.dtype, "", True),
        (("bidirectional",), "bidirectional attention", "", lambda x: text(x.bidirectional), "tower", True),
        (("mtp", "mtp_extras"), "MTP layers", "num_nextn_predict_layers", lambda x: f"{len(x.mtp):,}", "mtp", True),
        (("towers",), "encoders", "", lambda x: ", ".join(t.name.removesuffix("_config") for t in x.towers), "",
           False),
    ),
}  # fmt: skip


@cached_for_spec
def fields_of(spec: s.ModelSpec) -> list[tuple[str, str, str, str]]:
    """(part, what, key, text) of every row that the commonest mixer and MLPs have, and of the model."""
    out = []
    for half in ("mixer", "mlp"):
        parts = [part for layer in spec.layers for part in parts_of(getattr(layer, half))]
        times = Counter(map(id, parts))
        kinds: dict[type, Any] = {}
        for part in sorted({id(part): part for part in parts}.values(), key=lambda part: -times[id(part)]):
            kinds.setdefault(type(part), part)
        for kind, part in kinds.items():
            out += [(row.part, row.what, row.key, say_where_set(row, part, half)) for row in rows_for(kind, half)]
    out.append(("norms", "norms of a layer", "norms", cell.norms(spec)))
    out.append(("norms", "epsilon of the norms", "rms_norm_eps", cell.epsilon(spec)))
    out.append(("sizes", "layers", "num_hidden_layers", f"{len(spec.layers):,}"))
    return out + [(part, what, key, says(spec)) for part, rows in MODEL.items() for _, what, key, says, *_ in rows]


def say_where_set(row: Field, part: Any, half: str) -> str:
    """What a part says in a row; "" where a field that no row of the table names has its default: a scale of 1."""
    if row not in FIELDS[half]:
        default = next((one.default for one in fields(part) if one.name == row.names[0]), MISSING)
        if getattr(part, row.names[0]) == default:
            return ""
    return cell.say_field(row, part)


ROPE_BASE = "RoPE base"


def say_rope_bases(spec: s.ModelSpec) -> str:
    """1,000,000; 10,000 in windows: every base that rotations of a model have."""
    parts = [part for layer in spec.layers for part in parts_of(layer.mixer) if getattr(part, "rope", None)]
    windows = {part.rope.theta: True for part in parts}
    for part in parts:
        windows[part.rope.theta] &= bool(getattr(part, "sliding_window", 0))
    several = len(windows) > 1
    return "; ".join(
        f"{theta:,.0f} in windows" if several and windows[theta] else f"{theta:,.0f}"
        for theta in sorted(windows, reverse=True)
    )
