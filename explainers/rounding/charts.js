/* What compute returns -> the error of every remainder, many draws of one number, and running sums. */
import { linearScale, linePath, logScale, pct, spreadLabels } from "../kit/chart.js";
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { makeLegend } from "../kit/headings.js";
import { fill, fmt } from "../kit/numbers.js";

/** @import { State } from "../../.make/data_types/rounding.d.ts" */
/** @import { Now } from "./compute.js" */

/** A place in a nested drawing of 100 by 100. @param {number} value */
const hundredth = (value) => Number(value.toFixed(3));
/** A drawing of lines that is stretched to its box. @param {{ [name: string]: string | number }} box @param {SVGElement[]} inside */
const stretched = (box, ...inside) => s("svg", { ...box, viewBox: "0 0 100 100", preserveAspectRatio: "none" }, inside);

/* ---------------------------------------------------------------- errors of every remainder */
const [MIDDLE, TALL, BOTTOM] = [112, 92, 236];
export const errors_view = () => {
  const bars = s("g");
  const zero = s("line", { class: "zero", x1: 0, x2: "100%", y1: MIDDLE, y2: MIDDLE });
  const [mean, words] = [s("line", { class: "mean", x1: 0, x2: "100%" }), s("text", { class: "mean", x: "100%" })];
  const feet = ["even value", "odd value", "even value"].map((text, i) =>
    s("text", { x: pct(i / 2), y: BOTTOM - 6, "text-anchor": ["start", "middle", "end"][i], text }),
  );
  const ends = [0, 0.5, 1].map((at) => s("line", { class: "end", x1: pct(at), x2: pct(at), y1: 14, y2: BOTTOM - 22 }));
  const svg = s(
    "svg",
    { class: "cw-rounding-chart cw-rounding-errors", role: "img", width: "100%", height: BOTTOM },
    ends,
    bars,
    zero,
    mean,
    words,
    feet,
  );
  /** @param {Now} now @param {boolean} hide */
  const update = (now, hide) => {
    const { each, mean: middle } = now.errors;
    const wide = 1 / each.length;
    renderList(
      bars,
      each,
      () => s("rect"),
      (bar, error, i) => {
        const tall = hide || !error ? 3 : Math.abs(error) * TALL;
        setAttrs(bar, {
          class: hide ? "" : error > 0 ? "up" : error < 0 ? "down" : "",
          x: pct(wide * (i - 0.35)),
          width: pct(wide * 0.7),
          y: hundredth(hide || !error ? MIDDLE - 1.5 : error > 0 ? MIDDLE - tall : MIDDLE),
          height: hundredth(tall),
        });
      },
    );
    const y = hundredth(MIDDLE - middle * TALL);
    setAttrs(mean, { y1: y, y2: y });
    fill(setAttrs(words, { y: 10 }), "mean error {errors.mean:signed 3} steps", now);
    for (const node of [mean, words]) node.style.display = hide ? "none" : "";
    const told = hide ? "" : ` Their mean is ${fmt.signed(middle, 3)} steps.`;
    setAttrs(svg, { "aria-label": `The error of each remainder between three neighbouring values, in steps.${told}` });
  };
  return { el: [svg], update };
};

/* ---------------------------------------------------------------- many draws of one number */
const [TOP, FLOOR] = [34, 190];
export const draws_view = () => {
  const y = linearScale([0, 1], [FLOOR, TOP]);
  const [low, high] = [s("text", { x: 0, y: FLOOR + 18 }), s("text", { x: 0, y: TOP - 10 })];
  const values = [0, 1].map((at) => s("line", { class: "end", x1: 0, x2: "100%", y1: y(at), y2: y(at) }));
  const [number, name] = [s("line", { class: "number", x1: 0, x2: "70%" }), s("text", { class: "number", x: "70%" })];
  const line = s("path");
  const curve = stretched({ class: "curve", x: 0, y: TOP, width: "70%", height: FLOOR - TOP }, line);
  const bars = [0, 1].map(() => s("rect", { x: "76%", height: 22 }));
  const counts = [0, 1].map((at) => s("text", { x: "76%", y: at ? TOP - 10 : FLOOR + 18 }));
  const feet = [s("text", { x: 0, y: FLOOR + 40 }), s("text", { x: "70%", y: FLOOR + 40, "text-anchor": "end" })];
  const svg = s(
    "svg",
    { class: "cw-rounding-chart cw-rounding-draws", role: "img", width: "100%", height: FLOOR + 48 },
    values,
    number,
    curve,
    bars,
    counts,
    low,
    high,
    name,
    feet,
  );
  const none = h("p", { class: "cw-rounding-none" });
  /** @param {Now & { draws: number }} now @param {boolean} hide */
  const update = (now, hide) => {
    const { drawn, share } = now;
    svg.style.display = now.between ? "" : "none";
    none.hidden = now.between;
    fill(
      none,
      now.between ? "" : "{number:text} is not between two values of {label:text}: every draw keeps the same.",
      now,
    );
    if (!now.between) return;
    fill(low, "{low:text}", now);
    fill(high, "{high:text}", now);
    setAttrs(number, { y1: hundredth(y(share)), y2: hundredth(y(share)) });
    fill(setAttrs(name, { y: hundredth(y(share) + (share > 0.5 ? 16 : -6)) }), "{number:text}", now);
    const x = logScale([1, now.draws], [0, 100]);
    const points = drawn.curve.map(([n, part]) => [hundredth(x(n)), hundredth(100 - 100 * part)]);
    setAttrs(line, { d: linePath(points) });
    for (const [at, bar] of bars.entries()) {
      const part = (at ? drawn.up : drawn.down) / now.draws;
      setAttrs(bar, { width: pct(0.24 * part), y: at ? TOP - 1 : FLOOR - 21 });
      fill(counts[at], at ? "{drawn.up:int} draws" : "{drawn.down:int} draws", now);
    }
    fill(feet[0], "first draw", now);
    fill(feet[1], "mean of {draws:int}", now);
    for (const node of [line, ...bars, ...counts]) node.style.display = hide ? "none" : "";
    const told = hide ? "" : ` ${fmt.int(drawn.up)} keep the upper; the mean is ${fmt.num(drawn.mean)}.`;
    setAttrs(svg, { "aria-label": `${fmt.int(now.draws)} stochastic roundings of ${now.number}.${told}` });
  };
  return { el: [none, svg], update };
};

/* ---------------------------------------------------------------- running sums */
const [HIGH, LOW, ACROSS] = [16, 236, 0.7];
export const HOW_NAMES = { plain: "", stochastic: ", stochastic", chunks: ", in chunks", kahan: ", Kahan" };

/** Every running sum: the exact one, the plain ones and the chosen one. @param {Now & State} now */
const sum_lines = ({ sums, how }) => {
  const { exact, line, plain, chosen } = sums;
  const others = plain.flatMap((one, i) => (one.name === chosen.name && how === "plain" ? [] : [{ one, i }]));
  return [
    { css: "exact", line, total: exact, words: "exact {sums.exact:signed 0}" },
    ...others.map(({ one, i }) => ({
      css: "plain",
      line: one.line,
      total: one.total,
      words: `{sums.plain.${i}.label:text} {sums.plain.${i}.total:signed 0}`,
    })),
    {
      css: "chosen",
      line: chosen.line,
      total: chosen.total,
      words: "{sums.chosen.label:text} {sums.chosen.total:signed 0}",
    },
  ];
};

export const sums_view = () => {
  const zero = s("line", { class: "zero", x1: 0, x2: pct(ACROSS) });
  const paths = s("g");
  const inner = stretched({ class: "curve", x: 0, y: HIGH, width: pct(ACROSS), height: LOW - HIGH }, paths);
  const [names, last] = [s("g"), s("text", { x: pct(ACROSS), y: LOW + 22, "text-anchor": "end" })];
  const foot = s("text", { x: 0, y: LOW + 22, text: "first term" });
  const svg = s(
    "svg",
    { class: "cw-rounding-chart cw-rounding-sums", role: "img", width: "100%", height: LOW + 30 },
    zero,
    inner,
    names,
    foot,
    last,
  );
  const legend = makeLegend([
    { class: "exact", label: "exact sum" },
    { class: "plain", label: "plain sums" },
    { class: "chosen", label: "the chosen sum" },
  ]);
  /** @param {Now & State} now @param {boolean} hide */
  const update = (now, hide) => {
    const { exact, chosen, at } = now.sums;
    const lines = sum_lines(now).slice(0, hide ? 1 : undefined);
    const all = lines.flatMap((one) => one.line);
    const y = linearScale([Math.min(0, ...all), Math.max(0, ...all)], [100, 0]);
    renderList(
      paths,
      lines,
      () => s("path"),
      (path, one) => {
        const points = one.line.map((value, i) => [hundredth((100 * at[i]) / now.n), hundredth(y(value))]);
        setAttrs(path, { class: one.css, d: linePath([[0, hundredth(y(0))], ...points]) });
      },
    );
    /** @param {number} total */
    const pixel = (total) => HIGH + ((LOW - HIGH) * y(total)) / 100;
    const sorted = [...lines].sort((a, b) => b.total - a.total);
    const places = spreadLabels(
      sorted.map((one) => pixel(one.total) + 4),
      17,
      LOW + 8,
    );
    renderList(
      names,
      sorted,
      () => s("text", { x: pct(ACROSS + 0.015) }),
      (text, one, i) => fill(setAttrs(text, { class: one.css, y: hundredth(places[i]) }), one.words, now),
    );
    setAttrs(zero, { y1: hundredth(pixel(0)), y2: hundredth(pixel(0)) });
    fill(last, "{n:int} terms", now);
    legend.hidden = hide;
    const told = hide
      ? ""
      : ` In ${chosen.label}${HOW_NAMES[/** @type {keyof typeof HOW_NAMES} */ (now.how)]}: ${fmt.signed(chosen.total)}.`;
    setAttrs(svg, { "aria-label": `A running sum of ${fmt.int(now.n)} terms; exact: ${fmt.signed(exact)}.${told}` });
  };
  return { el: [svg, legend], update };
};
