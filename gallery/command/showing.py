"""A spec, or what was counted of it -> a summary of a few lines for a console, a table in HTML for a notebook.

Every string of a config is escaped in HTML, and has no control characters in text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

from cutaway.gallery.command.flops_words import work
from cutaway.gallery.command.report import batch_bytes, printable, table
from cutaway.gallery.counting.flops import Flops
from cutaway.gallery.counting.kv_cache import KINDS
from cutaway.gallery.counting.memory import Memory, memory
from cutaway.gallery.counting.parameters import Parameters, parameters
from cutaway.gallery.drawing.pictures import short_of
from cutaway.gallery.drawing.words import count, size
from cutaway.gallery.spec import ConfigError, ModelSpec

MOST_KINDS, WIDE = 4, 110  # kinds of mixers or MLPs that a summary names; characters of a line
Rows = list[tuple[str, str]]


def summary(spec: ModelSpec) -> str:
    """At most ten lines: what it is, how large, of which halves, what it keeps."""
    return "\n".join(line[:WIDE] for line in table(spec_rows(spec)))


def spec_rows(spec: ModelSpec) -> Rows:
    """(what, in words), at most ten."""
    name = spec.model_type or "not stated"
    sizes = f"width {spec.hidden_size:,}, vocabulary {spec.vocab_size:,}"
    limit = spec.max_position_embeddings
    rows = [
        ("ModelSpec", f"{name} ({spec.architecture})" if spec.architecture else name),
        ("layers", f"{spec.num_hidden_layers:,}, {sizes}" + (f", context {limit:,}" if limit else "")),
        ("mixers", halves(spec, "mixer")),
        ("MLPs", halves(spec, "mlp")),
        *count_rows(spec),
    ]
    kept = spec.quantization
    stored = dict.fromkeys((kept.scheme, kept.method) if kept else (spec.dtype,))
    rows.append(("weights", ", ".join(word for word in stored if word)))
    many = len(spec.mtp)
    beside = [f"{many} MTP layer{'s' if many > 1 else ''}"] * bool(many) + [one.name for one in spec.towers]
    rows += [("beside", ", ".join(beside))] if beside else []
    doubts = len(spec.not_understood) + len(spec.contradictions)
    rows += (
        [("read", f"{len(spec.unread):,} keys not read, {doubts:,} not understood")] if spec.unread or doubts else []
    )
    return rows


def halves(spec: ModelSpec, half: str) -> str:
    """36 × Gated DeltaNet, 12 × GQA."""
    found: dict[str, int] = {}
    for layer in spec.layers:
        if (part := getattr(layer, half)) is not None:
            found[short_of(part)] = found.get(short_of(part), 0) + 1
    words = [f"{many:,} × {kind}" for kind, many in found.items()]
    more = f" and {len(words) - MOST_KINDS} more kinds" if len(words) > MOST_KINDS else ""
    return ", ".join(words[:MOST_KINDS]) + more or "none"


def count_rows(spec: ModelSpec) -> Rows:
    """Parameters and cache; a sentence where they cannot be counted."""
    try:
        counted, kept = parameters(spec), memory(spec, 0)
    except ConfigError as error:
        return [("parameters", str(error))]
    active = f", {count(counted.active)} active per token" if counted.active != counted.total else ""
    each, words = kept.growth
    fixed = f", {size(kept.fixed_bytes)} fixed" if kept.fixed_bytes else ""
    return [("parameters", f"{count(counted.total)}{active}"), ("keeps", f"{size(each)} of {words}{fixed}")]


# ---------------------------------------------------------------- HTML


def html_table(rows: Iterable[Sequence[object]], head: Sequence[str] = (), caption: str = "", right: int = 1) -> str:
    """A table; columns from `right` on are set flush right."""

    def line(cells: Sequence[object], tag: str) -> str:
        sides = ("left" if i < right else "right" for i in range(len(cells)))
        pairs = zip(cells, sides, strict=True)
        return (
            "<tr>" + "".join(f'<{tag} style="text-align:{side}">{text(cell)}</{tag}>' for cell, side in pairs) + "</tr>"
        )

    top = f'<caption style="text-align:left;font-weight:bold">{text(caption)}</caption>' if caption else ""
    heads = f"<thead>{line(head, 'th')}</thead>" if head else ""
    return f"<table>{top}{heads}<tbody>{''.join(line(row, 'td') for row in rows)}</tbody></table>"


def text(cell: object) -> str:
    """A cell as HTML: no markup, no control characters; digits in groups."""
    whole = isinstance(cell, int) and not isinstance(cell, bool)
    return escape(f"{cell:,}" if whole else "" if cell is None else printable(cell))


def spec_html(spec: ModelSpec) -> str:
    (_, name), *rows = spec_rows(spec)
    return html_table(rows, caption=name, right=2)


def parameters_html(found: Parameters) -> str:
    rows: list[Sequence[object]] = [
        (part, many, f"{many / max(found.total, 1):.1%}") for part, many in found.by_part.items()
    ]
    rows += [
        ("total", found.total, ""),
        ("active per token", found.active, f"{found.active / max(found.total, 1):.1%}"),
    ]
    rows += [("in lookup tables", found.looked_up, "")] if found.looked_up else []
    rows += [("MTP layers, apart", found.mtp, "")] if found.mtp else []
    return html_table(rows, ("part", "parameters", "share"), f"{count(found.total)} parameters")


def memory_html(found: Memory) -> str:
    each, words = found.growth
    rows = [(KINDS[kind], many, size(many)) for kind, many in batch_bytes(found, found).items()]
    rows.append(("total", found.total_bytes, size(found.total_bytes)))
    held = f"{size(each)} of {words}, {found.cache_dtype}"
    return html_table(rows, ("kept", "bytes", ""), f"{found.context:,} tokens, batch {found.batch}: {held}")


def flops_html(found: Flops) -> str:
    rows: list[Sequence[object]] = [(what, work(many)) for what, many in found.by_what.items()]
    rows += [("total", work(found.total_flops)), ("weights read", size(found.weight_bytes))]
    rows.append(("written to the cache" if found.prefill else "read from the cache", size(found.cache_bytes)))
    of = f"a prompt of {found.context:,} tokens" if found.prefill else f"a token at a context of {found.context:,}"
    return html_table(rows, ("work", "amount"), f"FLOPs and bytes of {of}")


HTML: dict[type, Callable[[Any], str]] = {
    ModelSpec: spec_html,
    Parameters: parameters_html,
    Memory: memory_html,
    Flops: flops_html,
}


def html(thing: object) -> str:
    """What a notebook shows of a record."""
    return HTML[type(thing)](thing)
