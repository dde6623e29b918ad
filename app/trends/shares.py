"""Structures -> the bars of /trends/: what share of each quarter's or half-year's new structures has something."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from cutaway.app.trends import structures as st
from cutaway.app.trends.chart import Bar, Panel, Panels
from cutaway.app.trends.common import Found, over_time, years
from cutaway.app.trends.structures import Structure
from cutaway.explainers import fmt

ADOPTED = (
    ("qk-norm", "QK-norm", "full", ("qk-norm", "qk-norm-full", "qk-norm-bare")),
    ("moe", "Mixture of experts", "moe", ("moe",)),
    ("window", "Sliding window", "window", ("window", "window-mix")),
    ("mla", "Latent attention (MLA)", "latent", ("mla",)),
    ("linear", "Linear attention", "linear", ("gated-deltanet", "kda", "lightning", "one-matrix")),
    ("sinks", "Attention sinks", "ssm", ("sinks",)),
    ("mtp", "Multi-token prediction", "sparse", ("mtp",)),
    ("nope", "Layers without RoPE", "dense", ("nope", "no-position")),
)


def adoption(found: Found) -> tuple[str, Panels]:
    """Share of each quarter's new structures that have a mechanism."""
    early, late = (st.in_year(found, year) for year in years(found))
    panels = []
    for _, title, role, keys in ADOPTED:
        shares = " → ".join(fmt.percent(share_with(some, keys), 0) for some in (early, late))
        panels.append(Panel(title, shares, role, bars(found, 3, partial(has_any, keys))))
    norm, moe = (row[3] for row in ADOPTED[:2])
    says = (
        f"QK-norm went from {fmt.percent(share_with(early, norm), 0)} of the new structures of {years(found)[0]} to "
        f"{fmt.percent(share_with(late, norm), 0)} of those of {years(found)[1]}, and experts from "
        f"{fmt.percent(share_with(early, moe), 0)} to {fmt.percent(share_with(late, moe), 0)}."
    )
    return says, Panels(over_time(found), tuple(panels))


def share_with(found: Found, keys: Iterable[str]) -> float:
    """The share of structures that have one of these mechanisms."""
    return sum(has_any(keys, one) for one in found) / len(found)


def has_any(keys: Iterable[str], one: Structure) -> bool:
    """Whether a structure has one of these mechanisms."""
    return bool(one.mechanisms & set(keys))


def bars(found: Found, months: int, holds: Callable[[Structure], bool]) -> tuple[Bar, ...]:
    """The share of each span of so many months; spans without a structure have no bar."""
    out = []
    for span in st.spans(months, found[0].day, found[-1].day):
        if some := st.within(found, span):
            having = sum(map(holds, some))
            tip = f"{having} of {len(some)} from {span.start:%B %Y}, {fmt.percent(having / len(some), 0)}"
            out.append(Bar(span.start.toordinal(), span.end.toordinal(), having / len(some), tip))
    return tuple(out)


FORMATS = (
    ("16 or 32 bits", "dense", ("bfloat16", "float16", "float32")),
    ("FP8", "exponent", ("fp8",)),
    ("FP4: MXFP4, NVFP4", "sign", ("mxfp4", "nvfp4")),
    ("INT4 and mixed", "mantissa", ("int", "mixed")),
)


def formats(found: Found) -> tuple[str, Panels]:
    """Share of each half-year's new structures whose first release stores its weights so."""
    early, late = (st.in_year(found, year) for year in years(found))
    panels = []
    for title, role, starts in FORMATS:
        shares = " → ".join(fmt.percent(share_stored(some, starts), 0) for some in (early, late))
        panels.append(Panel(title, shares, role, bars(found, 6, partial(stored, starts))))
    few = [sum(not stored(FORMATS[0][2], one) for one in some) for some in (early, late)]
    says = (
        f"{few[1]} of {len(late)} structures of {years(found)[1]} came with weights of 8 bits or fewer (FP8, FP4, "
        f"INT4), and {few[0]} of {len(early)} of {years(found)[0]}."
    )
    return says, Panels(over_time(found), tuple(panels))


def stored(starts: tuple[str, ...], one: Structure) -> bool:
    return one.row["weights_stored_as"].startswith(starts)


def share_stored(found: Found, starts: tuple[str, ...]) -> float:
    return sum(stored(starts, one) for one in found) / len(found)
