"""The pipeline widget's arithmetic, executed in Chromium, against the reference."""

from __future__ import annotations

import base64
import itertools
from collections import Counter
from math import hypot

import pytest

from cutaway import explainers
from tests import bundled

reference = explainers.reference("pipeline")


@pytest.fixture
def widget(page):
    """A page that has the module at window.w and the reference's data at window.data."""
    source = base64.b64encode(bundled.explainer("pipeline").encode()).decode()
    page.goto("about:blank")
    page.evaluate(f"import('data:text/javascript;base64,{source}').then((w) => {{ window.w = w; }})")
    page.evaluate("(data) => { window.data = data; }", explainers.data("pipeline"))
    return page


def grid():
    """Every schedule, many sizes and times, legal or not."""
    times = [(1, 1, 1, 0), (1, 1.25, 0.5, 0), (0.75, 2, 1.25, 0.5), (2, 0.25, 0, 0.25)]
    second = ["none", "none", "gpipe", "1f1b", "zb-v"]  # legal at all sizes
    for name, row in reference.schedules.SCHEDULES.items():
        for p, m, v in itertools.product((2, 3, 4, 6, 8), (1, 3, 4, 6, 8, 12, 16), row.chunks):
            f, i, w, hop = times[(p + m + v) % 4]
            state = {**reference.STATE, "schedule": name, "pp": p, "microbatches": m, "chunks": v, "hop": hop}
            state |= {"forward": f, "input_grad": i, "weight_grad": w}
            state |= {"overlap": (p * m) % 5 / 4, "cap": m % 7 * 1.5, "beside": second[(p + 3 * m + v) % len(second)]}
            yield state | {"cursor": 0.75 * m + p, "rank": m % p, "op": (5 * p) % (2 * m + 1)}


def test_every_schedule_is_computed_as_in_the_reference(blank, called, plain, verified):
    """Op order, starts, ends, bubbles, peaks, waits and sentences of every schedule on a grid, to the last bit."""
    page, states, data = blank(bundled.explainer("pipeline")), list(grid()), explainers.data("pipeline")
    assert [reference.check(state) for state in states] == called(page, "check", states, data)
    legal = [state for state in states if not reference.check(state)]
    theirs = called(page, "compute", legal, data)
    wrong = [state for state, got in zip(legal, theirs, strict=True) if plain(reference.compute(state)) != got]
    assert wrong[:3] == []
    verified("pipeline: widget against the reference", len(legal), len(wrong), "reference.py, run on the same states")


def test_check_says_the_same(widget):
    """A state that is refused gets the same sentence from both."""
    bad = [{"schedule": "x"}, {"pp": 17}, {"pp": 2.5}, {"pp": "4"}, {"microbatches": 0}, {"chunks": 9}, {"forward": 0}]
    bad += [{"weight_grad": -1}, {"hop": 3}, {"cursor": "x"}, {"rank": None}, {"op": True}, {"input_grad": "NaN"}]
    bad += [{"rank": 0.5}, {"op": 1.5}]
    bad += [{"schedule": "interleaved", "microbatches": m, "pp": 4} for m in (2, 5, 9)]
    bad += [{"overlap": 1.1}, {"cap": -1}, {"zoom": 65}, {"left": "x"}, {"model": "x"}, {"tokens": 1}, {"link": "up"}]
    bad += [{"beside": "x"}, {"beside": "interleaved", "microbatches": 9}, {"schedule": "dualpipe", "pp": 5}]
    bad += [{"schedule": "dualpipe", "microbatches": 9}, {"schedule": "dualpipe", "microbatches": 6}, {"device": 1}]
    bad += [{"schedule": "dualpipe-v", "microbatches": 7}, {"schedule": "looped-bfs", "chunks": 1}, {}]
    for change in bad:
        state = {**reference.STATE, **change}
        sentence = reference.check(state)
        assert sentence == widget.evaluate("(state) => w.check(state, data)", state)
        assert bool(sentence) == bool(change)


DRAWN = """([states, data]) => states.map((s) => {
  const { compute, lanes_view, cells, ran } = loaded;
  const [view, out] = [lanes_view(), compute(s, data)];
  view.draw(out, 1000, { m: s.microbatches, sent: [ran(s, data).sent] });
  view.at(out.at, out);
  view.explain(out, s.rank, s.op);
  const number = (node, ...names) => names.map((name) => Number(node.getAttribute(name)));
  const one = (css) => view.svg.querySelector(`.cw-pipeline-${css}`);
  const all = (css) => [...view.svg.querySelectorAll(css)];
  return {
    cells: cells(out, { left: 0, inner: 10 * out.span, from: 0, to: out.span, top: 26, lane: 32, pitch: 38 }, s.pp)
      .map((c) => [c.kind, c.chunk, c.label, c.x + c.w / 2, c.y, c.h]),
    paths: Object.fromEntries(all(".cw-pipeline-cells path").map((p) =>
      [p.getAttribute("class"), p.getAttribute("d").split("M").length - 1])),
    labels: all(".cw-pipeline-labels text").flatMap((t) => t.getAttribute("x").split(" ").map((x, i) =>
      [Number(t.textContent[i]), Number(x), ...number(t, "y")])),
    messages: one("message").getAttribute("d").split("M").slice(1).map((d) => d.split(/[ L]/).map(Number)),
    links: one("links").getAttribute("d").split("M").slice(1).map((d) => d.split(/[ L]/).map(Number)),
    heads: one("heads").getAttribute("d").split("M").slice(1).map((d) => d.match(/-?[\\d.]+/g).map(Number)),
    focus: ["x", "y", "width", "height"].map((name) => Number(one("focus").getAttribute(name))),
    line: number(view.svg.querySelector(".cw-pipeline-cursor").children[1], "x1")[0],
    bars: all(".cw-pipeline-peak").map((r) => number(r, "width")[0]),
    now: all(".cw-pipeline-now").map((r) => Number(/scale\\(([\\d.]+)/.exec(r.getAttribute("transform"))[1])),
    gap: out.why && [...number(one("gap"), "x", "y", "width"), ...number(one("source"), "x", "y", "width")],
    arrow: out.why && one("arrow").getAttribute("d").match(/[\\d.]+/g).map(Number),
  }; })"""


def test_the_lanes_are_drawn_where_they_are_computed(blank):
    """Cells, numbers, cursor, gap, arrow and bars of the drawing stand at the times and sizes of compute."""
    names = ("1f1b", "zb-h1", "interleaved", "zb-v", "dualpipe-v")
    gaps = [(0, 4), (3, 0), (2, 6), (0, 9), (2, 6)]
    states = [
        {
            **reference.STATE,
            "schedule": name,
            "rank": r,
            "op": k,
            "cursor": 7.0,
            "hop": 0.5 if name in ("zb-h1", "interleaved") else 0.0,
        }
        for name, (r, k) in zip(names, gaps, strict=True)
    ]
    page = blank(bundled.explainer("pipeline"))
    for state, got in zip(states, page.evaluate(DRAWN, [states, explainers.data("pipeline")]), strict=True):
        assert_drawn(state, reference.compute(state), got)


def cells(out: dict) -> list[tuple]:
    """(kind, chunk, micro-batch, start, end, top, height) of every op of the reference; of a pair each half."""
    ranks, made = len(out["ops"]), []
    for rank, ops in enumerate(out["ops"]):
        top = 26 + 38 * rank
        for kind, *work, start, end in ops:
            parts = [(kind, *work, top, 32)]
            if kind == "X":
                parts = [("F", *work[:2], top, 15.5), ("B", *work[2:], top + 16.5, 15.5)]
            for what, stage, micro, y, high in parts:
                chunk = 0 if stage == rank else max(1, stage // ranks)
                made.append((what, chunk, micro + 1, start, end, y, high))
    return made


def assert_drawn(state: dict, out: dict, got: dict) -> None:
    """One drawing, 1000 pixels wide."""
    unit, most = 772 / out["span"], max(8, *out["peak"])
    mine = cells(out)
    assert got["cells"] == [[k, c, m, pytest.approx(5 * (a + b)), y, h] for k, c, m, a, b, y, h in mine if b > a]
    count = Counter(f"cw-pipeline-{k} cw-pipeline-tone{c}" for k, c, *_ in mine)
    assert got["paths"] == count
    at = sorted((m, round(60 + (a + b) / 2 * unit), y + h / 2 + 4) for _, _, m, a, b, y, h in mine)
    labels = sorted((m, round(x), y) for m, x, y in got["labels"])
    assert [(m, y) for m, _, y in labels] == [(m, pytest.approx(y, abs=0.1)) for m, _, y in at]
    assert all(abs(one[1] - other[1]) <= 1 for one, other in zip(labels, at, strict=True))
    x, edge = lambda t: pytest.approx(60 + t * unit, abs=0.06), lambda r, down: 26 + 38 * r + 32 * down
    line = lambda s, a, d, b: [x(a), edge(s, d > s), x(b), edge(d, s > d)]  # noqa: E731
    sent = reference.Ran(state).sent
    assert got["messages"] == [line(m[1], m[5], m[3], m[6]) for m in sent]
    own = (state["rank"], state["op"])
    links = [m for m in out["links"] if not (out["why"] and tuple(m[3:5]) == own)]
    assert got["links"] == [line(m[1], m[5], m[3], m[6]) for m in links]
    assert [head[:2] for head in got["heads"]] == [one[2:] for one in got["links"]]
    for (x1, y1, x2, y2), (_, _, ax, ay, bx, by) in zip(got["links"], got["heads"], strict=True):
        long = hypot(x2 - x1, y2 - y1)
        back = [x2 - 7 * (x2 - x1) / long, y2 - 7 * (y2 - y1) / long]
        assert [(ax + bx) / 2, (ay + by) / 2] == pytest.approx(back, abs=0.2)
        assert hypot(ax - x2, ay - y2) == pytest.approx(hypot(bx - x2, by - y2), abs=0.2)
        assert hypot(ax - bx, ay - by) == pytest.approx(10, abs=0.2)
    begins, ends = out["ops"][own[0]][own[1]][-2:]
    assert got["focus"] == pytest.approx([60 + begins * unit, 26 + 38 * own[0], (ends - begins) * unit, 32])
    assert got["line"] == pytest.approx(60 + 7 * unit, abs=0.01)
    assert got["bars"] == pytest.approx([106 * peak / most for peak in out["peak"]])
    assert got["now"] == pytest.approx([n / peak for n, peak in zip(out["now"], out["peak"], strict=True)], abs=1e-4)
    if why := out["why"]:
        start, end = out["ops"][why["rank"]][why["index"]][-2:]
        rows = [26 + 38 * r for r in (state["rank"], why["rank"])]
        gap = [60 + why["from"] * unit + 1, rows[0] + 1, (why["to"] - why["from"]) * unit - 2]
        assert got["gap"] == pytest.approx([*gap, 60 + start * unit, rows[1] - 1, (end - start) * unit])
        down = why["rank"] < state["rank"]
        assert got["arrow"][:2] == pytest.approx([60 + end * unit, rows[1] + (32 if down else 0)])
        assert got["arrow"][2:] == pytest.approx([60 + why["to"] * unit, rows[0] + (-3 if down else 35)])


FIGURE = """([data, held]) => {
  const { compute, beats } = loaded;
  const [el, asked] = [document.body.appendChild(document.createElement("div")), []];
  const figure = beats.figures.lanes(el, { data, onSet: (changes) => asked.push(changes) });
  const draw = (state, more) => figure.update(state, compute(state, data), { width: 1000, preview: null, ...more });
  const widths = (css) => [...el.querySelectorAll(css)].map((r) => Number(r.getAttribute("width")));
  const press = (x, y) => { const { left, top } = el.querySelector("svg").getBoundingClientRect();
    el.querySelector("svg").dispatchEvent(new MouseEvent("click", { clientX: left + x, clientY: top + y })); };
  draw(held, { bet: "open" });
  press(60 + 772 * 0.4, 40);
  const quiet = [asked.length, el.querySelector("svg").getAttribute("aria-label")];
  draw(held, { bet: "shown" });
  press(60 + 772 * 0.4, 40);
  press(62, 40);
  draw({ ...held, schedule: "1f1b" }, { bet: "shown", preview: held });
  return { quiet, asked, peak: widths("rect.cw-pipeline-peak"), now: widths("rect.cw-pipeline-now"),
    label: el.querySelector("svg").getAttribute("aria-label"), above: el.querySelector("p").textContent,
    legend: [...el.querySelectorAll(".cw-legend li")].filter((li) => !li.hidden).map((li) => li.textContent) }; }"""


def test_the_figure_of_the_beats_is_asked_and_previews(blank):
    """A gap can be pressed once the bet is shown; under a preview the held bars stay behind the new ones."""
    held = {**reference.STATE, "schedule": "gpipe", "rank": -1, "op": -1}
    page = blank(bundled.explainer("pipeline"))
    got = page.evaluate(FIGURE, [explainers.data("pipeline"), held])
    assert got["quiet"] == [0, "GPipe: 4 ranks, 8 micro-batches."]
    assert got["asked"] == [{"rank": 0, "op": 8}, {"rank": 0, "op": 0}]
    assert got["peak"] == [106] * 4
    assert got["now"] == [53, 39.75, 26.5, 13.25]
    now = reference.compute({**held, "schedule": "1f1b"})
    idle, most = f"{now['span']:g} units long, each rank idle for {now['bubble']:g}", f"{max(now['peak']):g}"
    assert got["label"] == f"1F1B: 4 ranks, 8 micro-batches, {idle}; at most {most} micro-batches in flight on a rank."
    assert got["above"] == "1F1B: 4 ranks, 8 micro-batches"
    assert got["legend"] == ["forward F", "backward B", "idle", "a message", "most micro-batches held"]


BESIDE = """([state, data]) => {
  const { compute, lanes_view, ran, stretches } = loaded;
  const [view, out] = [lanes_view(), compute(state, data)];
  const sent = ["1f1b", "zb-v"].map((schedule) => ran({ ...state, schedule }, data).sent);
  view.draw(out, 1000, { m: 8, sent, label: "1F1B", cap: state.cap, zoom: state.zoom, left: state.left, t: out.at });
  view.at(out.at, out);
  const all = (css) => [...view.svg.querySelectorAll(`.cw-pipeline-${css}`)];
  const numbers = (node, ...names) => names.map((name) => Number(node.getAttribute(name)));
  const boxes = (p) => [...p.getAttribute("d").matchAll(/h([\\d.]+)v/g)].map((m) => Number(m[1]));
  const widths = (g) => [...g.children].flatMap(boxes);
  const kinds = (g) => [...g.children].map((p) => p.getAttribute("class").at(-1)).join("");
  return {
    whose: all("whose").map((t) => [t.textContent, ...numbers(t, "y")]),
    lanes: all("lane").map((r) => numbers(r, "y", "height")),
    caps: all("cap").map((p) => p.getAttribute("d")),
    over: all("rows .over").length,
    frame: numbers(all("frame")[0], "x", "y", "width", "height"),
    maps: all("map").map((g) => [widths(g).reduce((a, b) => a + b, 0), kinds(g)]),
    line: numbers(all("line")[1], "x1", "y1"),
    held: all("held").map((t) => t.textContent),
    found: [[100, 30], [60 + 386, 140], [60 + 386, 280]].map(([x, y]) => view.find(x, y, out)),
    mixed: stretches(out.ops[0], 2.5), part: view.part().slice(0, 2) };
}"""


def test_two_schedules_a_cap_and_a_part_are_drawn_where_they_belong(blank):
    """Maps, lanes and names of both, the cap's mark, the frame and the cursor of a step shown by half, from 10 on."""
    state = {**reference.STATE, "beside": "zb-v", "cap": 3.5, "zoom": 2.0, "left": 10.0, "cursor": 12.0}
    page = blank(bundled.explainer("pipeline"))
    got, unit = page.evaluate(BESIDE, [state, explainers.data("pipeline")]), 772 / 33
    assert got["whose"] == [["1F1B", 122], ["ZB-V", 260]]
    assert got["lanes"] == [[top + 30 * r, 24] for top in (128, 266) for r in range(4)]
    assert got["caps"] == ["M888.4 128V242", "M888.4 266V380"]  # 842 + 106 * 3.5 / 8
    assert got["over"] == 1 + 4  # 1F1B's first rank holds 4, every rank of ZB-V does
    assert got["frame"] == pytest.approx([58 + 10 * unit, 23, 390, 74])
    assert [kinds for _, kinds in got["maps"]] == ["BF", "BFW"]
    assert [width for width, _ in got["maps"]] == pytest.approx([4 * 24 * unit] * 2, abs=3)
    assert got["line"] == pytest.approx([60 + 2 / 16.5 * 772, 122], abs=0.01)
    out = reference.compute(state)
    both = [*zip(out["now"], out["peak"], strict=True)], [*zip(out["other"]["now"], out["other"]["peak"], strict=True)]
    assert got["held"] == [f"{now:g} of {peak:g}" for one in both for now, peak in one]
    assert got["part"] == [10, 16.5]
    assert got["mixed"] == [["F", 0, 4], ["M", 10, 24], ["B", 25, 27], ["B", 28, 30], ["B", 31, 33]]
    assert [[round(t, 2), *rest] for t, *rest in got["found"]] == [[1.71, 0, 1], [18.25, 0, 9], [18.25, -1, -1]]
