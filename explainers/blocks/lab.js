/* The same block under four scale rules, side by side; choosing one makes it the block's.

   update(state, out, open)   open: a bet on them is, and no number is shown */
import { h, s, setAttrs, setText, uid } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { px } from "./axis.js";
import { plain } from "./spell.js";

/** @import { Data } from "../../.make/data_types/blocks.d.ts" */
/** @import { Now, Real, Ruled, State } from "./compute.js" */

const [W, H] = [220, 96];
const LINES = ["scale", "clips", "mean sq. error", "worst error"];

/**
 * A rule with its drawing and its numbers.
 * @param {Data["rules"][number]} rule
 * @param {string} name
 * @param {(rule: string) => void} onRule
 */
const make_card = (rule, name, onRule) => {
  const input = h("input", { type: "radio", name, value: rule.name, on: { change: () => onRule(rule.name) } });
  const drawn = s(
    "g",
    {},
    ["given", "cut", "back"].map((part) => s("path", { class: `cw-blocks-${part}` })),
  );
  const dd = () => h("dd", { class: "cw-mono" });
  const line = { kept: dd(), clips: dd(), mse: dd(), worst: dd() };
  const told = h(
    "dl",
    {},
    Object.values(line).map((how, k) => h("div", {}, h("dt", { text: LINES[k] }), how)),
  );
  const best = h("span", { class: "cw-blocks-best" });
  const survey = h("span", { class: "cw-note" });
  const el = h(
    "label",
    { class: "cw-blocks-rule" },
    h("span", { class: "cw-blocks-rulehead" }, input, h("strong", { text: rule.name }), best),
    h("span", { class: "cw-blocks-formula", text: rule.formula }),
    s(
      "svg",
      { viewBox: `0 0 ${W} ${H}`, class: "cw-blocks-mini", "aria-hidden": "true", preserveAspectRatio: "none" },
      drawn,
    ),
    told,
    survey,
    h("span", { class: "cw-blocks-who" }, h("b", { text: "Used by " }), rule.who),
  );
  return { rule, el, input, drawn, line, told, best, survey };
};

/** The block as a rule stores it. @param {SVGGElement} drawn @param {Ruled} found @param {Now} out */
const draw_block = (drawn, found, out) => {
  const sizes = [...out.values, ...out.lab.flatMap((r) => r.dequantized)].map((v) => Math.abs(plain(v)));
  const top = 1.05 * Math.max(...sizes, 1e-30);
  /** @param {Real} v */
  const y = (v) => px((H / 2) * (1 - plain(v) / top));
  const col = W / out.shown;
  const [given, cut, back] = drawn.children;
  /** @param {boolean} clipped */
  const bars = (clipped) =>
    out.values
      .map((v, i) => (found.clipped.includes(i) === clipped ? `M${px(col * (i + 0.5))} ${H / 2}V${y(v)}` : ""))
      .join("");
  setAttrs(given, { d: bars(false), "stroke-width": px(col * 0.7) });
  setAttrs(cut, { d: bars(true), "stroke-width": px(col * 0.7) });
  setAttrs(back, {
    d: found.scale === "NaN" ? "" : found.dequantized.map((v, i) => `M${px(col * i)} ${y(v)}h${px(col)}`).join(""),
    "stroke-width": 2,
  });
};

/** @param {Data} data @param {(rule: string) => void} onRule */
export const rule_lab = (data, onRule) => {
  const name = uid("rule");
  const cards = data.rules.map((rule) => make_card(rule, name, onRule));
  /** @param {State} state @param {Now} out */
  const update = (state, out, open = false) => {
    out.lab.forEach((found, k) => {
      const { el, rule, input, drawn, line, told, best, survey } = cards[k];
      setAttrs(input, { checked: state.rule === rule.name });
      el.classList.toggle("on", state.rule === rule.name);
      for (const part of [told, best]) setAttrs(part, { hidden: open });
      draw_block(drawn, found, out);
      setText(best, found.best);
      put(line.kept, `lab.${k}.kept`, "text", out);
      fill(line.clips, `{lab.${k}.clipped_count:int} of {n:int}`, out);
      put(line.mse, `lab.${k}.mse`, "num 3", out);
      put(line.worst, `lab.${k}.worst`, "num 3", out);
      put(survey, `lab.${k}.often`, "text", out);
    });
  };
  const el = h(
    "div",
    { class: "cw-blocks-lab", role: "group", "aria-label": "Scale rule" },
    cards.map((c) => c.el),
  );
  return { el, update };
};
