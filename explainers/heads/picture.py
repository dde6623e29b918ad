"""What compute() says -> the page's first picture as HTML: heads with fans, bars, sentences. Twin of drawing.js."""

from __future__ import annotations

from html import escape

from cutaway.explainers import fmt
from cutaway.explainers.beats_facts import bound

WIDE = 950  # CSS pixels the first picture is laid out for; the widget lays out for the width it finds
SMALLEST, LARGEST, LETTER = 6, 24, 12  # pixels: the pitch of heads, and the box that can hold a letter
HEIGHTS = ((52, 42, 52, 18), (36, 30, 36, 20), (24, 22, 26, 16))  # heads, fan, keys and values, gap; by rows 1, 2, more
BAR = 26  # pixels from bar to bar


def fan(heads: int, kv: int, width: float) -> dict:
    """Where everything stands: groups of query heads in rows, each with its keys and values below."""
    groups = max(kv, 1)
    size = heads / groups
    for rows in range(1, groups + 1):
        per = -(-groups // rows)
        gap = 0 if per == 1 else min(3 if size == 1 else 14, 0.2 * width / per)
        pitch = min(LARGEST, (width - (per - 1) * gap) / (per * size))
        if pitch >= SMALLEST:
            break
    tall, drop, low, apart = HEIGHTS[min(rows, 3) - 1]
    left = (width - (per * size * pitch + (per - 1) * gap)) / 2
    one, box = tall + drop + low + apart, min(23, 0.46 * size * pitch) if kv else 0
    at = []
    for g in range(groups):
        x = left + (g % per) * (size * pitch + gap)
        at.append({"x": x, "y": g // per * one, "middle": x + (size * pitch - (pitch - thick(pitch))) / 2})
    return {"rows": rows, "pitch": pitch, "thick": thick(pitch), "size": size, "box": box, "tall": tall, "drop": drop,
            "low": low, "left": left, "groups": at, "height": rows * one - apart}  # fmt: skip


def thick(pitch: float) -> float:
    return pitch - min(1.5, 0.15 * pitch)


def n(x: float) -> str:
    """A coordinate, short."""
    return f"{x:.1f}".removesuffix(".0")


def strands(place: dict, g: int) -> str:
    """The lines from the heads of a group to what they read, as one path; alike in all groups."""
    group, pitch = place["groups"][g], place["pitch"]
    first, drop = group["x"] + place["thick"] / 2, place["drop"]
    bend, path = n(drop * 0.55), f"M{n(first)} {n(group['y'] + place['tall'])}"
    for i in range(round(place["size"])):
        aside = n(group["middle"] - first - i * pitch)
        path += f"c0 {bend} {aside} {n(drop * 0.45)} {aside} {n(drop)}m{n(pitch - float(aside))} {n(-drop)}"
    return path


def row(place: dict, g: int) -> str:
    """The heads of a group as one path, relative too."""
    group, wide, tall = place["groups"][g], n(place["thick"]), n(place["tall"])
    each = f"h{wide}v{tall}h-{wide}zm{place['pitch']:.2f} 0"
    return f"M{n(group['x'])} {n(group['y'])}" + each * round(place["size"])


def rect(x: float, y: float, w: float, h: float) -> str:
    return f'<rect x="{n(x)}" y="{n(y)}" width="{n(w)}" height="{n(h)}" rx="{n(min(3, w / 4))}"/>'


def heads_svg(now: dict) -> str:
    """The query heads, the fans and the yellow boxes; what a group shares stands in one <g>."""
    place = fan(now["heads"], now["kv"], WIDE)
    parts = []
    for g, group in enumerate(place["groups"]):
        on = " on" if g == now["group"] else ""
        parts.append(f'<path class="cw-heads-fan{on}" d="{strands(place, g)}"/>')
        parts.append(f'<path class="cw-heads-q{on}" d="{row(place, g)}"/>')
        parts.append(boxes(now, place, group))
    words = f"{now['heads']} query heads above, {now['keeps']} below; {now['reads']}"
    view = f'viewBox="0 0 {WIDE} {n(place["height"])}"'
    return f'<svg class="cw-heads-fans" {view} role="img" aria-label="{words}">{"".join(parts)}</svg>'


def boxes(now: dict, place: dict, group: dict) -> str:
    """k and v of one group, or the latent with its RoPE key."""
    y, size = group["y"] + place["tall"] + place["drop"], place["box"]
    found = [("k", group["middle"] - size - 0.5, size), ("v", group["middle"] + 0.5, size)]
    if now["kv"] == 0:
        rank, rope = now["mla"]["rank"], now["mla"]["rope"]
        whole = min(WIDE * 0.6, 320)
        wide, left = whole * rank / (rank + rope), group["middle"] - whole / 2
        key = "kᴿ" if now["mla"]["turned"] else "k"
        found = [(f"latent c {rank}", left, wide - 1), (f"{key} {rope}", left + wide, whole - wide)]
    yellow = "".join(rect(x, y, w, place["low"]) for _, x, w in found)
    words = "".join(letter(text, x + w / 2, y + place["low"] / 2 + 4) for text, x, w in found if w >= LETTER)
    return f'<g class="cw-heads-kv">{yellow}</g>{words}'


def letter(text: str, x: float, y: float) -> str:
    return f'<text class="cw-heads-letter" x="{n(x)}" y="{n(y)}">{text}</text>'


def bars_svg(now: dict) -> str:
    """Bytes per token of every stop."""
    most = max(stop["bytes"] for stop in now["stops"])
    lines = []
    for i, stop in enumerate(now["stops"]):
        y, long = i * BAR, max(1.5, 260 * stop["bytes"] / most)
        words = fmt.in_bytes(stop["bytes"], "KB") + (" · as built" if stop["own"] else "")
        lines.append(
            f'<g class="cw-heads-bar{" on" if stop["on"] else ""}">'
            f'<text class="cw-heads-name" x="66" y="{y + 14}">{stop["label"]}</text>'
            f'<rect x="74" y="{y + 3}" width="{n(long)}" height="15" rx="2"/>'
            f'<text class="cw-heads-bytes" x="{n(82 + long)}" y="{y + 15}">{words}</text></g>'
        )
    words = "; ".join(f"{stop['label']} {fmt.in_bytes(stop['bytes'], 'KB')}" for stop in now["stops"])
    view = f'viewBox="0 0 500 {BAR * len(lines)}"'
    return (
        f'<svg class="cw-heads-bars" {view} role="img" aria-label="Cache bytes per token: {words}">'
        f"{''.join(lines)}</svg>"
    )


def html(now: dict, state: dict) -> str:
    """The whole first picture."""
    words, tokens = now["words"], fmt.integer(state["context"])
    lines = [
        f'<p class="cw-heads-main">{fmt.in_bytes(now["bytes_per_token"], "KB")} per token</p>',
        f'<p><code class="cw-heads-code">{escape(now["formula"])}</code></p>',
        f"<p>{tokens} tokens hold <b>{fmt.in_bytes(now['holds_bytes'])}</b>: {escape(words['share'])}</p>",
        f"<p>Weights that make them: <b>{fmt.count(now['weights'], 1)}</b> per layer.</p>",
        *(f'<p class="cw-note">{escape(words[key])}</p>' for key in ("windows", "rest", "made") if words[key]),
        f"<p>On {state['tp']} GPUs: {escape(now['tp']['words'])}</p>",
    ]
    above = f"<span>{now['heads']} query heads, {now['width']} wide</span> <b>{escape(now['title'])}</b>"
    below = f"<b>{now['keeps']}: what every token leaves in the cache</b> <b>{now['reads']}</b>"
    return (
        f'<p class="cw-heads-above">{above}</p>{heads_svg(now)}<p class="cw-heads-below">{below}</p>'
        f'<div class="cw-split cw-section"><div>{bars_svg(now)}</div>'
        f'<div class="cw-heads-read">{"".join(lines)}</div></div>'
    )


# ---------------------------------------------------------------- drawings of the beats: percentages fit any width


def latent_svg(now: dict) -> str:
    """Query heads, the matrices that rebuild a key for each, and the one latent they all start from."""
    heads, rank, rope = now["heads"], now["mla"]["rank"], now["mla"]["rope"]
    frame = f'width="100%" viewBox="0 0 {heads} 10" preserveAspectRatio="none"'
    boxes = "".join(f"M{i} 0h.86v10h-.86z" for i in range(heads))
    row = (
        f'<svg height="40" {frame}><path class="cw-heads-q" d="{boxes}"/>'
        f'<path class="cw-heads-q on" d="M27 0h.86v10h-.86z"/></svg>'
        f'<svg y="56" height="18" {frame}><path class="cw-heads-up" d="{boxes}"/></svg>'
    )
    lines = "".join(f"M{i} 0C{i} 55 {heads // 2 - 1} 45 {heads // 2 - 1} 100" for i in range(heads))
    fan = (
        f'<svg y="74" width="100%" height="82" viewBox="-.43 0 {heads} 100" preserveAspectRatio="none">'
        f'<path class="cw-heads-fan" d="{lines}"/></svg>'
    )
    share = 41 * rank / (rank + rope)
    low = (
        f'<g class="cw-heads-kv"><rect x="29%" y="156" width="{n2(share)}%" height="46" rx="3"/>'
        f'<rect x="{n2(29.4 + share)}%" y="156" width="{n2(41 - share)}%" height="46" rx="3"/></g>'
    )
    low += letter_at(29 + share / 2, f"latent, {bound(rank, 'mla.rank')} numbers")
    low += letter_at(29.4 + share + (41 - share) / 2, bound(rope, "mla.rope"))
    words = f"{heads} query heads; each rebuilds its own key and value from one latent of {rank} numbers"
    return (
        f'<svg class="cw-heads-latent" width="100%" height="206" role="img" aria-label="{words}">{row}{fan}{low}</svg>'
    )


def letter_at(percent: float, said: str) -> str:
    return f'<text class="cw-heads-letter" x="{n2(percent)}%" y="184">{said}</text>'


def n2(x: float) -> str:
    """A percentage, short."""
    return f"{x:.2f}".rstrip("0").rstrip(".")


def ranks_html(now: dict) -> str:
    """One card for each GPU: which key/value heads it holds."""
    tiles, copy = now["tp"]["tiles"], now["tp"]["copy"]
    per = min(len(tiles), 16)
    parts = []
    for r, held in enumerate(tiles):
        x, y = 100 / per * (r % per), 62 * (r // per)
        css = "cw-heads-again" if copy[r] else "cw-heads-kv"
        label = ", ".join(str(t) for t in held) if now["kv"] else "c + kᴿ"
        parts.append(
            f'<rect class="cw-heads-card" x="{n2(x)}%" y="{y}" width="{n2(96 / per)}%" height="56" rx="4"/>'
            f'<g class="{css}"><rect x="{n2(x + 12 / per)}%" y="{y + 26}" width="{n2(72 / per)}%" height="22"/></g>'
            f'<text class="cw-heads-letter" x="{n2(x + 48 / per)}%" y="{y + 42}">{label}</text>'
        )
    words = f"{len(tiles)} GPUs. {now['tp']['words']}"
    high = 62 * -(-len(tiles) // per)
    above = f"{len(tiles)} GPUs, {now['tp']['query_heads']} query heads each, and what they read"
    return (
        f'<p class="cw-heads-above"><span>{above}</span></p><svg width="100%" height="{high}" role="img"'
        f' aria-label="{escape(words)}">{"".join(parts)}</svg>'
    )
