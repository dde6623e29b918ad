/* What compute returns -> the steps of a run, one step’s drafts, and the probabilities of one place. */
import { pct } from "../kit/chart.js";
import { h, renderList, s, setAttrs, setText, uid } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";

/** @import { Answered, Shown } from "./compute.js" */
/** @import { Look } from "./places.js" */

const [NAME, END, SHARE] = [0.27, 0.6, 0.77]; // shares of the width: names end, bars end, numbers end
const MOST = 0.46; // where the longest bar of a place ends
const STEP_TALL = 44; // a row of a step, in px

/** @param {Element} node @param {string} text */
export const unbind = (node, text) => setAttrs(node, { "data-out": false, "data-format": false, text });

/** What is said of a step that has no draft. */
export const NO_DRAFT = "Prompt lookup found no earlier match, so this step is a normal decode step.";
/** A share in percent: below one percent with two significant digits. @param {number} share @returns {import("../kit/numbers.js").Format} */
const share = (share) =>
  share >= 0.01 || 1e-7 > share ? "percent 1" : `percent ${1 - Math.floor(Math.log10(100 * share))}`;

/** A step as a sentence. @param {Answered} now @param {number} i */
const stepWords = ({ steps }, i) => {
  const { drafts, kept, last } = steps[i];
  if (!drafts.length) return `Step ${i + 1}: no draft; ${last.name}.`;
  return `Step ${i + 1}: ${kept} of ${drafts.length} drafts accepted, then ${last.kind} ${last.name}.`;
};

/**
 * The run, a row for each step: accepted drafts, the token after them, and what was rejected. Where `onPick` is given its
 * number is a button.
 * @param {((step: number) => void) | null} [onPick]
 */
export const steps_view = (onPick) => {
  const el = h("ol", { class: "cw-speculative-steps" });
  const make = (/** @type {unknown} */ _, /** @type {number} */ i) => {
    const number = onPick
      ? h("button", { type: "button", on: { click: () => onPick(i) } })
      : h("span", { "data-index": true });
    const [chips, made] = [h("span", { class: "chips" }), h("b")];
    return Object.assign(h("li", {}, number, chips, made), { parts: { number, chips, made } });
  };
  /** @param {Answered} now @param {boolean} hide all steps but the first */
  const update = (now, hide) =>
    renderList(el, hide ? now.steps.slice(0, 1) : now.steps, make, ({ parts }, step, i) => {
      setText(parts.number, String(i + 1));
      setAttrs(parts.number, {
        "aria-label": stepWords(now, i),
        "aria-pressed": onPick ? String(i === now.at) : false,
        "data-index": true,
      });
      const shown = step.drafts.slice(0, step.kept + 1);
      const tokens = shown.map((_, j) => ({ path: `drafts.${j}`, kind: j < step.kept ? "accepted" : "rejected" }));
      renderList(
        parts.chips,
        [...tokens, { path: "last", kind: step.last.kind }],
        () => h("span"),
        (chip, { path, kind }) => {
          setAttrs(chip, { class: kind.replace(" ", "-") });
          put(chip, `steps.${i}.${path}.name`, "text", now);
        },
      );
      put(parts.made, `steps.${i}.yield`, "int", now);
    });
  return { el, update };
};

/** What the colours of chips say. */
export const legend = () =>
  h(
    "p",
    { class: "cw-speculative-legend cw-note" },
    ...["accepted", "rejected", "correction", "bonus", "no draft"].map((kind) =>
      h("span", { class: kind.replace(" ", "-"), text: kind }),
    ),
  );

/** A row of a step: two bars, a name, their shares, what became of a draft and by what chance. */
const makeStepRow = () => {
  const [name, q, p, qs, ps, verdict, chance] = [
    s("text", { class: "name", x: pct(NAME), dx: -8 }),
    s("rect", { class: "q", x: pct(NAME), height: 12, rx: 2 }),
    s("rect", { class: "p", x: pct(NAME), height: 12, rx: 2 }),
    s("text", { class: "share", x: pct(SHARE) }),
    s("text", { class: "share", x: pct(SHARE) }),
    s("text", { class: "share verdict", x: "100%" }),
    s("text", { class: "share chance", x: "100%" }),
  ];
  return Object.assign(s("g", {}, q, p, name, qs, ps, verdict, chance), {
    parts: { name, q, p, qs, ps, verdict, chance },
  });
};

/**
 * One step: for each draft a bar of q above a bar of p, and what became of it; then the token after them, a correction with
 * its share of the residual as the upper bar.
 */
export const step_view = () => {
  const [rows, note] = [s("g"), h("p", { class: "cw-note" })];
  const svg = s("svg", { class: "cw-speculative-step", role: "img", width: "100%" }, rows);
  const el = h("div", {}, svg, note);
  /** @param {Answered} now @param {"" | "verdicts" | "all"} hide */
  const update = (now, hide) => {
    const { drafts, last } = now.steps[now.at];
    const path = `steps.${now.at}`;
    setAttrs(svg, { height: STEP_TALL * (drafts.length + 1), "aria-label": hide ? OPEN : stepWords(now, now.at) });
    renderList(rows, [...drafts, last], makeStepRow, (row, one, i) => {
      const { parts } = row;
      const [y, own] = [STEP_TALL * i, i < drafts.length ? `${path}.drafts.${i}` : `${path}.last`];
      const draft = i < drafts.length ? drafts[i] : null;
      const open = Boolean(hide) && (hide === "all" || !draft);
      const corrected = !draft && !hide && last.kind === "correction";
      const upper = draft ? draft.q : corrected ? last.share : 0;
      setAttrs(row, { class: hide ? "" : draft ? draft.verdict : last.kind.replace(" ", "-") });
      setAttrs(parts.name, { y: y + 24 });
      setAttrs(parts.q, { y: y + 6, width: pct((END - NAME) * upper) });
      setAttrs(parts.p, { y: y + 21, width: pct(open ? 0 : (END - NAME) * one.p) });
      for (const [node, down] of /** @type {const} */ ([
        [parts.qs, 16],
        [parts.ps, 32],
        [parts.verdict, 16],
        [parts.chance, 32],
      ]))
        setAttrs(node, { y: y + down });
      if (open && !draft) unbind(parts.name, "?");
      else put(parts.name, `${own}.name`, "text", now);
      if (draft || corrected) put(parts.qs, `${own}.${draft ? "q" : "share"}`, share(upper), now);
      else unbind(parts.qs, "");
      if (open) unbind(parts.ps, "?");
      else put(parts.ps, `${own}.p`, share(one.p), now);
      if (hide) for (const node of [parts.verdict, parts.chance]) unbind(node, "");
      else {
        put(parts.verdict, `${own}.${draft ? "verdict" : "kind"}`, "text", now);
        if (draft && draft.verdict !== "discarded")
          fill(
            parts.chance,
            `{${own}.u:fixed 2} ${draft.verdict === "accepted" ? "<" : "≥"} {${own}.accept:fixed 2}`,
            now,
          );
        else unbind(parts.chance, "");
      }
    });
    if (!drafts.length) setText(note, NO_DRAFT);
    else setText(note, hide ? BARS : `${BARS} ${RIGHT} ${last.kind === "correction" ? REST : ""}`);
  };
  return { el, update };
};
const BARS = "Upper bar: the draft’s probability q. Lower bar: the target’s p.";
const RIGHT = "Right: a random number; below p/q the draft is accepted.";
const REST = "Correction, upper bar: its share of the positive part of p − q, which it was drawn from.";
const OPEN = "Drafts with the probabilities of the draft model; what becomes of them is unknown.";

const COLUMNS = [0.64, 0.64, 0.82, 1]; // where the numbers end: q above p, out, counted

/** A row of a place: q above p, a name, four numbers. @param {string} hatch the id of its pattern */
const makeLookRow = (hatch) => {
  const [name, q, over, p] = [
    s("text", { class: "name", x: pct(NAME), dx: -8 }),
    s("rect", { class: "q", x: pct(NAME), height: 12, rx: 2 }),
    s("rect", { class: "over", height: 12, fill: `url(#${hatch})` }),
    s("rect", { class: "p", x: pct(NAME), height: 12, rx: 2 }),
  ];
  const cells = COLUMNS.map((x) => s("text", { class: "share", x: pct(x) }));
  return Object.assign(s("g", {}, q, over, p, name, cells), { parts: { name, q, over, p, cells } });
};

/** One place: for each token q above p, where they overlap filled; then what comes out. */
export const look_view = () => {
  const id = uid("hatch");
  const [rows, head, note] = [s("g"), s("g", { class: "heads" }), h("p", { class: "cw-note" })];
  const hatch = s(
    "pattern",
    { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("path", { class: "hatch", d: "M0 0V6" }),
  );
  const svg = s("svg", { class: "cw-speculative-look", role: "img", width: "100%" }, s("defs", {}, hatch), head, rows);
  const el = h("div", {}, svg, note);
  const [TALL, TOP] = [36, 22];
  for (const [x, text] of /** @type {const} */ ([
    [0.64, "q, p"],
    [0.82, "output"],
    [1, "counted"],
  ]))
    head.append(s("text", { class: "share", x: pct(x), y: 14, text }));
  const make = () => makeLookRow(id);
  /** @param {Shown & { look: Look }} now @param {boolean} hide */
  const update = (now, hide) => {
    const { look } = now;
    setAttrs(svg, {
      height: TOP + TALL * look.rows.length,
      "aria-label": hide
        ? "Both models’ probabilities of the likeliest tokens at one place; what comes out is unknown."
        : `The rule gives ${look.rows[0].name} with ${fmt.percent(look.rows[0].out, 1)}, which is the target’s probability.`,
    });
    const most = Math.max(...look.rows.map((row) => Math.max(row.p, row.q)));
    /** @param {number} share */
    const wide = (share) => pct((MOST - NAME) * (share / most));
    renderList(rows, look.rows, make, (row, one, i) => {
      const { parts } = row;
      const y = TOP + TALL * i;
      setAttrs(row, { class: i === look.drafted ? "drafted" : "" });
      setAttrs(parts.name, { y: y + 20 });
      setAttrs(parts.q, { y: y + 3, width: wide(one.q) });
      setAttrs(parts.over, {
        y: y + 3,
        x: pct(NAME + ((MOST - NAME) * one.both) / most),
        width: pct(((MOST - NAME) * (one.q - one.both)) / most),
      });
      setAttrs(parts.p, { y: y + 17, width: wide(one.p) });
      put(parts.name, `look.rows.${i}.name`, "text", now);
      for (const [at, key] of /** @type {const} */ (["q", "p", "out", "counted"]).entries()) {
        setAttrs(parts.cells[at], { y: y + [13, 28, 20, 20][at] });
        if (hide && at > 1) unbind(parts.cells[at], "?");
        else if (at === 0 && look.drafted === null) unbind(parts.cells[at], "");
        else put(parts.cells[at], `look.rows.${i}.${key}`, share(one[key]), now);
      }
    });
    const said = look.drafted === null ? NOTE_NONE : NOTE_OPEN;
    fill(note, hide ? said : `${said} ${NOTE}`, now);
  };
  return { el, update };
};
const NOTE_OPEN = "Upper bar: q, hatched where it exceeds p. Lower bar: p. The drafted token is bold.";
const NOTE_NONE = "Bar: p. There is no draft, so the token is drawn from it.";
const NOTE = "Counted: {facts.samples:int} runs of the rule at this place.";
