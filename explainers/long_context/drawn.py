"""compute's result -> the layers in a row, the lab's numbers and its tables, as HTML and SVG. Twin of view.js."""

from __future__ import annotations

from html import escape

from cutaway.explainers.long_context import counting, ruled

fill, px, legend, ruler = ruled.fill, ruled.px, ruled.legend, ruled.ruler
NAMED = 8  # kinds of layers that a legend names


# ---------------------------------------------------------------- the layers in a row


def each_layer(now: dict) -> list[dict]:
    return [now["kinds"][counting.LETTERS.index(letter)] for letter in now["stack"]]


def strip(now: dict) -> str:
    """Every layer of a model: as high as what it keeps, and below in the colour of what it is."""
    layers = each_layer(now)
    most, paths = max(kind["keeps"] for kind in layers) or 1, {"kept": ""}
    for i, kind in enumerate(layers):
        tall = max(2, 76 * kind["keeps"] / most) if kind["keeps"] else 0
        paths["kept"] += f"M{10 * i + 1} 78v-{px(tall)}h8V78z" if tall else ""
        paths[kind["role"]] = paths.get(kind["role"], "") + f"M{10 * i + 1} 84h8v14h-8z"
    marks = "".join(f'<path class="{css}" d="{d}"/>' for css, d in paths.items())
    named = [
        (kind["role"], fill(f"{{kinds.{i}.count:int}} × {{kinds.{i}.name}}: {{kinds.{i}.keeps:bytes}} each", now))
        for i, kind in enumerate(now["kinds"][:NAMED])
    ]
    more = len(now["kinds"]) - NAMED
    title = fill("what each of the {of.layers:int} layers of {of.title} keeps, the first at the left", now)
    return (
        f'<p class="cw-long-context-title">{title}</p><svg class="cw-long-context-strip" role="img" '
        f'aria-label="The layers in order, each as high as what it keeps." width="100%" height="120" '
        f'viewBox="0 0 {10 * len(layers)} 100" preserveAspectRatio="none">{marks}</svg>'
        f"{legend([*named, *([('dense', f'and {more} further kinds')] if more > 0 else [])])}"
    )


def mixed(now: dict) -> str:
    """The layers of a hybrid: states that are fixed, caches that grow, and what keeps nothing."""
    layers = each_layer(now)
    paths: dict[str, str] = {}
    for i, kind in enumerate(layers):
        tall = 34 if kind["keeps"] else 14
        paths[kind["role"]] = paths.get(kind["role"], "") + f"M{10 * i + 1} {36 - tall}h8v{tall}h-8z"
        css = "kept" if kind["slope"] else "fixed" if kind["keeps"] else ""
        if css:
            low = 30 if css == "kept" else 12
            paths[css] = paths.get(css, "") + f"M{10 * i + 1} 42h8v{low}h-8z"
    marks = "".join(f'<path class="{css}" d="{d}"/>' for css, d in paths.items())
    role = next((kind["role"] for kind in layers if kind["keeps"] and not kind["slope"]), "dense")
    cache = next((kind["role"] for kind in layers if kind["slope"]), "full")
    named = [
        (role, fill("{mix.states:int} states that stay as they are", now)),
        (cache, fill("{mix.caches:int} caches that grow", now)),
        ("dense", fill("{mix.rest:int} layers keep nothing", now)),
    ]
    return (
        f'<p class="cw-long-context-title">{fill("{mix.layers:int} layers of {mix.title}, in order", now)}</p>'
        f'<svg class="cw-long-context-strip" role="img" aria-label="Layers with states and layers with caches, in '
        f'order." width="100%" height="76" viewBox="0 0 {10 * len(layers)} 74" preserveAspectRatio="none">{marks}</svg>'
        f"{legend(named)}"
    )


# ---------------------------------------------------------------- the lab

RESULTS = (
    ("kept in all", "of.kept", "bytes", ""), ("read for one new token", "of.reads", "bytes", ""),
    ("of that, keys of indexers", "of.index", "bytes", ""),
    ("arithmetic, weights", "of.weights_gflop", "fixed 1", " GFLOP"),
    ("arithmetic, states", "of.states_gflop", "fixed 1", " GFLOP"),
    ("arithmetic, indexers", "of.index_gflop", "fixed 1", " GFLOP"),
    ("arithmetic, reading", "of.read_gflop", "fixed 1", " GFLOP"),
    ("of all arithmetic, looking back", "of.past_share", "percent 1", ""),
)  # fmt: skip


def results(now: dict) -> str:
    rows = "".join(
        f"<div><dt>{label}</dt><dd>{fill(f'{{{path}:{how}}}', now)}{unit}</dd></div>"
        for label, path, how, unit in RESULTS
    )
    return (
        f'<p class="cw-long-context-big">{fill("{of.slope} bytes per token", now)}</p>'
        f'<p class="cw-long-context-formula">{fill("{of.formula}", now)}</p>'
        f'<dl class="cw-long-context-results">{rows}</dl><p class="cw-note">{fill(beyond(now), now)}</p>'
    )


def beyond(now: dict) -> str:
    """What is read of what is kept, and whether the config goes so far."""
    first = "{of.read_share:percent 1} of what is kept is read for each new token."
    longest = now["of"]["longest"]
    return first + (" Its config ends at {of.longest:int} tokens." if 0 < longest < now["spans"][0] else "")


def kinds_table(now: dict) -> str:
    """Every kind of layer with what it reads and keeps; the live one has its bars, too."""
    roles = {kind["role"] + kind["name"].split()[0] for kind in now["kinds"]}
    body = ""
    for i, row in enumerate(now["ruler"][:-1]):
        own = ' class="own"' if row["role"] + row["name"].split()[0] in roles else ""
        name = fill(f"{{ruler.{i}.name}}", now)
        sizes = "".join(
            f'<td class="size {key}">{fill(f"{{ruler.{i}.{key}:bytes}}", now)}</td>' for key in ("reads", "keeps")
        )
        title = fill(f"{{ruler.{i}.title}}", now)
        body += f'<tr{own}><th scope="row"><b>{name}</b><small>{title}</small></th>{sizes}</tr>'
    return (
        '<table class="cw-long-context-kinds"><caption>Kinds of layers, with the bytes that one layer reads for the '
        'newest token and keeps</caption><thead><tr><th scope="col">kind of layer</th>'
        '<th scope="col" class="size">reads</th><th scope="col" class="size">keeps</th></tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


CLAIMS = ("model", "what", "published", "counted here", "how", "source")


def claimed(now: dict, data: dict) -> str:
    """What others published, beside what is counted here."""
    caption, body = "What others published, counted again", ""
    for i, (name, says, published, _, how, source, link) in enumerate(data["claims"]):
        body += (
            f'<tr><th scope="row">{escape(name)}</th><td>{escape(says)}</td><td class="published">{escape(published)}'
            f'</td><td class="ours">{fill(f"{{claims.{i}.ours}}", now)}</td><td>{escape(how)}</td>'
            f'<td><a href="{escape(link)}">{escape(source)}</a></td></tr>'
        )
    head = "".join(f'<th scope="col">{one}</th>' for one in CLAIMS)
    return (
        f'<div class="cw-scroll" tabindex="0" role="region" aria-label="{caption}"><table class="cw-table '
        f'cw-long-context-claims"><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody>'
        "</table></div>"
    )


def picture(now: dict, data: dict) -> str:
    """The lab: layers, models, numbers; below them what kinds of layers keep, and what others published."""
    from cutaway.explainers.long_context import charts

    return (
        f'{strip(now)}<div class="cw-split"><div>{charts.bars(now)}</div><div>{results(now)}</div></div><!--more-->'
        f'<div class="cw-section">{kinds_table(now)}</div><div class="cw-section">{claimed(now, data)}</div>'
    )
