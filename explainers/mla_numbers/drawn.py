"""compute's result -> a latent unpacked, two circuits, what stands between them, as cells of numbers. Twin of view.js.

charts.py draws what has a length: bytes, FLOPs, new tokens, GPUs.
"""

from __future__ import annotations

from cutaway.explainers.flash import cells
from cutaway.explainers.mla_numbers import charts

fill, put = cells.fill, cells.put

# words, path, rows, columns, class
KEPT = (("latent c", "unpack.c", 1, 3, "kept"), ("key for place kᴿ", "unpack.kr", 1, 2, "kept place"))
OF_HEAD = (
    ("Wk", "wk", 2, 3, ""), ("key: Wk c, and kᴿ again", "key", 1, 4, "made key"),
    ("Wv", "wv", 2, 3, ""), ("value: Wv c", "value", 1, 2, "made"),
)  # fmt: skip
QUERY = (("query q", "toy.q", 1, 2, ""), ("for place: qᴿ", "toy.qr", 1, 2, "place"))
GIVEN = (
    ("Wk", "toy.wk", 2, 3, ""), ("Wv", "toy.wv", 2, 3, ""),
    ("latents c", "toy.c", 3, 4, "kept"), ("keys for place kᴿ", "toy.kr", 2, 4, "kept place"),
)  # fmt: skip
EXPANDED = (
    ("keys k = Wk c", "toy.k", 2, 4, "made"),
    ("scores (q·k + qᴿ·kᴿ) ÷ {toy.divide:int}", "toy.expanded.scores", 1, 4, "score"),
    ("weights: softmax", "toy.expanded.weights", 1, 4, "weight"),
    ("values v = Wv c", "toy.v", 2, 4, "made"),
    ("output: weights × v", "toy.expanded.out", 1, 2, "out"),
)
ABSORBED = (
    ("carried q′ = Wkᵀ q", "toy.carried", 1, 3, "made"),
    ("scores (q′·c + qᴿ·kᴿ) ÷ {toy.divide:int}", "toy.absorbed.scores", 1, 4, "score"),
    ("weights: softmax", "toy.absorbed.weights", 1, 4, "weight"),
    ("one latent: weights × c", "toy.absorbed.mixed", 1, 3, "made"),
    ("output: Wv × it", "toy.absorbed.out", 1, 2, "out"),
)
CHAIN = (
    ("query q", "carry.q", 1, 2, ""), ("turn by {carry.distance:int}", "carry.turning", 2, 2, "turn"),
    ("q as the key sees it", "carry.seen", 1, 2, ""), ("Wk", "toy.wk", 2, 3, ""),
    ("carried q′", "carry.carried", 1, 3, "made"),
)  # fmt: skip
NEEDED = ("carried q′ that each of the four tokens would need", "carry.needed", 3, 4, "made")
SIDES = (("expanded", "unpack, then attend", EXPANDED), ("absorbed", "carry, then attend", ABSORBED))
SO_FAR = "{so_far.WAY.flops:int} FLOP, {so_far.WAY.made:int} new numbers"


def matrix(now: dict, path: str, rows: int, columns: int, css: str) -> str:
    """Numbers in cells."""
    how = "fixed 3" if css == "weight" else "num 3"
    lines = (f"<tr>{''.join(put(now, f'{path}.{i}.{j}', how, 'td') for j in range(columns))}</tr>" for i in range(rows))
    return f'<table class="{f"m {css}".strip()}"><tbody>{"".join(lines)}</tbody></table>'


def block(now: dict, one: tuple, css: str = "") -> str:
    """A matrix under or beside its words."""
    words, path, rows, columns, kind = one
    said = f"<span>{fill(words, now)}</span>"
    return f'<div class="{f"block {css}".strip()}">{said}{matrix(now, path, rows, columns, kind)}</div>'


def unpack(now: dict, hide: bool = False) -> str:
    """One token: what is kept of it, and the keys and values that two heads read out of it."""
    kept = "".join(block(now, one) for one in KEPT)
    heads = ""
    for i in range(2):
        blocks = "".join(block(now, (words, f"unpack.heads.{i}.{key}", *rest)) for words, key, *rest in OF_HEAD)
        heads += f'<div class="each"><p class="name">head <span data-index="">{i + 1}</span></p>{blocks}</div>'
    said = fill("token {unpack.token:int}: **{unpack.kept:int} numbers kept**", now)
    grown = fill("unpacked for two heads: **{unpack.numbers:int} numbers**", now)
    return (
        f'<div class="unpack"><p class="name">{said}</p><div class="blocks">{kept}</div>'
        f'<p class="name">{grown}</p><div class="heads">{heads}</div></div>'
    )


def side(now: dict, way: str, title: str, blocks: tuple, hide: bool) -> str:
    """One circuit; rows that have not run yet, or would tell the answer, keep their room."""
    made = ""
    for i, one in enumerate(blocks):
        hushed = now["step"] <= i or (hide and way == "absorbed" and i)
        css = " ".join(word for word, on in (("row", True), ("hush", hushed), ("here", now["step"] == i + 1)) if on)
        made += block(now, one, css)
    foot = fill(SO_FAR.replace("WAY", way), now)
    return f'<div class="side {way}"><p class="name"><b>{title}</b> <span>{foot}</span></p>{made}</div>'


def verdict(now: dict, hide: bool) -> str:
    """Whether both circuits end alike."""
    same, hushed = now["toy"]["equal"], hide or now["step"] < 2
    said = "scores are equal in both" if same else fill("scores are up to {toy.apart:fixed 3} apart", now)
    return f'<p class="verdict {"same" if same else "off"}{" hush" if hushed else ""}">{said}</p>'


def circuits(now: dict, hide: bool = False) -> str:
    """The newest token's attention in one head, both ways."""
    query, given = ("".join(block(now, one) for one in blocks) for blocks in (QUERY, GIVEN))
    sides = "".join(side(now, *one, hide) for one in SIDES)
    return (
        f'<div class="circuits"><div class="blocks"><div class="query">{query}</div>{given}</div>'
        f'<div class="sides">{sides}</div>{verdict(now, hide)}</div>'
    )


def carry(now: dict, hide: bool = False) -> str:
    """What would have to be carried to the query, for a key at each distance."""
    chain = "".join(block(now, one) for one in CHAIN)
    hush = " hush" if hide else ""
    count = fill("**{carry.different:int}** different q′ over {carry.span:int} distances", now)
    waves = charts.waves(now)
    return (
        f'<div class="carry"><div class="blocks">{chain}</div><div class="told{hush}">'
        f"{waves}<div>{block(now, NEEDED)}<p>{count}</p></div></div></div>"
    )


def picture(now: dict) -> str:
    """The lab's first picture."""
    return f'{charts.lab(now)}<!--more--><div class="cw-section">{circuits(now)}{carry(now)}</div>'
