"""Architectures -> the bars of /trends/: the share of each quarter's or half-year's that has a mechanism or format."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from cutaway.app.trends import structures as st
from cutaway.app.trends.chart import Bar, Panel, Panels
from cutaway.app.trends.common import Structures, over_time, years
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


def adoption(found: Structures) -> tuple[str, Panels]:
    """Share of each quarter's new architectures that have a mechanism."""
    early, late = (st.in_year(found, year) for year in years(found))
    panels = []
    for _, title, role, keys in ADOPTED:
        shares = " → ".join(fmt.percent(share_with(some, keys), 0) for some in (early, late))
        panels.append(Panel(title, shares, role, bars(found, 3, partial(has_any, keys))))
    norm, moe = (row[3] for row in ADOPTED[:2])
    says = (
        f"QK-norm went from {fmt.percent(share_with(early, norm), 0)} of new architectures in {years(found)[0]} to "
        f"{fmt.percent(share_with(late, norm), 0)} in {years(found)[1]}, and mixture of experts from "
        f"{fmt.percent(share_with(early, moe), 0)} to {fmt.percent(share_with(late, moe), 0)}."
    )
    return says, Panels(over_time(found), tuple(panels))


def share_with(found: Structures, keys: Iterable[str]) -> float:
    """The share of architectures that have one of these mechanisms."""
    return sum(has_any(keys, one) for one in found) / len(found)


def has_any(keys: Iterable[str], one: Structure) -> bool:
    """Whether an architecture has one of these mechanisms."""
    return bool(one.mechanisms & set(keys))


def bars(found: Structures, months: int, holds: Callable[[Structure], bool]) -> tuple[Bar, ...]:
    """The share in each span of this many months; spans without an architecture have no bar."""
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


def formats(found: Structures) -> tuple[str, Panels]:
    """Share of each half-year's new architectures, by the weight format of their first release."""
    early, late = (st.in_year(found, year) for year in years(found))
    panels = []
    for title, role, starts in FORMATS:
        shares = " → ".join(fmt.percent(share_with_format(some, starts), 0) for some in (early, late))
        panels.append(Panel(title, shares, role, bars(found, 6, partial(has_format, starts))))
    few = [sum(not has_format(FORMATS[0][2], one) for one in some) for some in (early, late)]
    says = (
        f"{few[1]} of {len(late)} architectures of {years(found)[1]} were first released with weights of 8 bits or "
        f"fewer (FP8, FP4, INT4), and {few[0]} of {len(early)} of {years(found)[0]}."
    )
    return says, Panels(over_time(found), tuple(panels))


def has_format(starts: tuple[str, ...], one: Structure) -> bool:
    return one.row["weights_stored_as"].startswith(starts)


def share_with_format(found: Structures, starts: tuple[str, ...]) -> float:
    return sum(has_format(starts, one) for one in found) / len(found)
