"""A design at a context -> its figures before and after, one sentence on them, and the models that it resembles."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.app.model_page.novelty import Kin, kins
from cutaway.explainers import fmt
from cutaway.gallery import comparing
from cutaway.gallery.comparing.relatives_undated import relate_undated
from cutaway.gallery.designing.built import Built, built
from cutaway.gallery.designing.design import Design
from cutaway.gallery.designing.figures import DEVICE_WORDS, Figures, figures, gpus_for, verdict

CONTEXTS = (4_096, 32_768, 131_072, 1_048_576)
FEW = 2  # models that it resembles


class Figure(NamedTuple):
    """One figure: its title, before, after, by how much, and what is said below."""

    id: str
    title: str
    was: str
    now: str
    change: str
    says: str = ""
    cached: bool = False


class After(NamedTuple):
    """All that the right column shows."""

    figures: list[Figure]
    context: int
    contexts: tuple[int, ...]
    verdict: tuple[str, str]
    resembles: tuple[Kin, ...]
    built: Built
    changes: int


def after(made: Design, context: int) -> After:
    """The right column of a design."""
    was, now = figures(made.form.spec, context), figures(made.spec, context)
    changed = bool(made.edits)
    known = comparing.catalogue_lineage()
    near = relate_undated(known, made.spec).nearest[:FEW]
    says = verdict(was, now, context) if changed else ("Nothing is changed yet.", "Edit a field or paint a layer.")
    contexts = tuple(sorted({*CONTEXTS, context}))
    return After(rows(was, now, context), context, contexts, says, kins(near), built(made), len(made.edits))


def rows(was: Figures, now: Figures, context: int) -> list[Figure]:
    """Parameters, active, cache, a decode step."""
    gpus = gpus_for([was, now])
    reads = fmt.in_bytes(now.weight_bytes + now.cache_bytes)
    step = f"Lower bound: batch 1, {context:,} tokens, cache in BF16, reading {reads}. Set by {now.binds}."
    seconds = was.seconds(gpus), now.seconds(gpus)
    return [
        Figure("parameters", "Parameters", *pair(was.total, now.total, fmt.count)),
        Figure("active", "Active per token", *pair(was.active, now.active, fmt.count)),
        Figure("cache", "Cache", *pair(was.cache, now.cache, fmt.in_bytes), "in BF16", True),
        Figure("step", f"Decode step, {gpus} × {DEVICE_WORDS}", *pair(*seconds, milliseconds), step),
    ]


def pair(was: float, now: float, words) -> tuple[str, str, str]:
    """(before, after, the change); before is "" where nothing changed."""
    if was == now:
        return "", words(now), ""
    change = fmt.signed(100 * (now / was - 1), 0 if abs(now / was - 1) >= 0.01 else 1) if was else ""
    return words(was), words(now), f"{'+' if now > was else ''}{change} %" if change else ""


def milliseconds(seconds: float) -> str:
    """0.408 ms: three significant figures."""
    return f"{fmt.fixed(1e3 * seconds, 1 if seconds >= 0.01 else 2 if seconds >= 0.001 else 3)} ms"
