/* The same block under four scale rules, side by side; choosing one makes it the block's.

   update(state, out, open)   open: a bet on them is, and no number is shown */
import { h, s, setAttrs, setText, uid } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { px } from "./chart.js";
import { words } from "./parts.js";

export const rule_lab = (data, onRule) => {
  const name = uid("rule");
  const [W, H] = [220, 96];
  const LINES = { kept: "scale", clips: "clips", mse: "mean sq. error", worst: "worst error" };
  const cards = data.rules.map((rule) => {
    const input = h("input", { type: "radio", name, value: rule.name, on: { change: () => onRule(rule.name) } });
    const bars = s(
      "g",
      {},
      ["given", "cut", "back"].map((part) => s("path", { class: `cw-blocks-${part}` })),
    );
    const line = Object.fromEntries(Object.keys(LINES).map((key) => [key, h("dd", { class: "cw-mono" })]));
    const told = h(
      "dl",
      {},
      Object.entries(LINES).map(([key, what]) => h("div", {}, h("dt", { text: what }), line[key])),
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
        bars,
      ),
      told,
      survey,
      h("span", { class: "cw-blocks-who" }, h("b", { text: "Used by " }), rule.who),
    );
    return { rule, el, input, bars, line, told, best, survey };
  });
  const mini = (card, found, out) => {
    const sizes = [...out.values, ...out.lab.flatMap((r) => r.dequantized)].map((v) => Math.abs(words.plain(v)));
    const top = 1.05 * Math.max(...sizes, 1e-30);
    const y = (v) => px((H / 2) * (1 - words.plain(v) / top));
    const col = W / out.shown;
    const [given, cut, back] = card.bars.children;
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
  const update = (state, out, open = false) => {
    out.lab.forEach((found, k) => {
      const { el, rule, input, line, told, best, survey } = cards[k];
      setAttrs(input, { checked: state.rule === rule.name });
      el.classList.toggle("on", state.rule === rule.name);
      for (const part of [told, best]) setAttrs(part, { hidden: open });
      mini(cards[k], found, out);
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
