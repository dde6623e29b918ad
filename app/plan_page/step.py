"""The phases of a plan that serves -> one lane as HTML: what stands under "When it runs" before the script."""

from __future__ import annotations

from markupsafe import Markup

from cutaway.gallery.planning.phases import Phase

LANE = 26  # px high, as in lanes.js


def lane(found: list[Phase], whole: str) -> Markup:
    """One stage of layers that are all alike: one of them, again and again, then what stands after them."""
    scale = 1000 / sum(one.seconds for one in found)
    layers = [one for one in found if one.layer == found[0].layer]
    many, wide = len({one.layer for one in found}) - 1, sum(one.seconds for one in layers) * scale
    after = slots(found[many * len(layers) :], scale, many * wide)
    return Markup(
        '<div class="track track-one"><div class="lane-names"><span>GPU</span></div><div class="lane-all">'
        f'<div class="lane-field"><svg viewBox="0 0 1000 {LANE}" preserveAspectRatio="none" width="100%" '
        f'height="{LANE}" aria-hidden="true"><defs><pattern id="plan-layer" width="{wide:.3f}" height="{LANE}" '
        f'patternUnits="userSpaceOnUse">{slots(layers, scale)}</pattern></defs>'
        f'<rect width="{many * wide:.1f}" height="{LANE}" fill="url(#plan-layer)"/>{after}</svg>'
        f'</div></div><div class="lane-sides"><b>{whole}</b><span>if nothing hides</span></div></div>'
    )


def slots(found: list[Phase], scale: float, x: float = 0.0) -> str:
    out = []
    for one in found:
        role = f"fill-{one.axis.split('_')[0]}" if one.axis else f"ph-{one.what}"
        out.append(f'<rect class="{role}" x="{x:.3f}" width="{one.seconds * scale:.3f}" height="{LANE}"/>')
        x += one.seconds * scale
    return "".join(out)
