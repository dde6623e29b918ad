/* ZeRO: every rank as a card of bars, one per thing kept for a parameter; as wide as the parameters, as tall as its bytes. */
const ROLE = { weight: "cw-tensor-parallel-weight", gradient: "cw-tensor-parallel-gradient", accumulated: "cw-tensor-parallel-gradient", master: "cw-tensor-parallel-optimizer", momentum: "cw-tensor-parallel-optimizer", variance: "cw-tensor-parallel-optimizer" };
const GB = (bytes) => kit.fmt.bytes(bytes);

const zero_view = (data) => {
  const svg = kit.s("svg", { role: "img", class: "cw-tensor-parallel-svg" });
  const words = kit.h("p", {});
  const small = kit.h("p", { class: "cw-note" });
  const percent = (x) => kit.fmt.fixed(x, 2);
  const table = kit.table({ caption: "The four stages beside each other", columns: [
    { key: "stage", label: "stage" }, { key: "per", label: "bytes per parameter", align: "right" }, { key: "rank", label: "on each rank", align: "right" },
    { key: "gradients", label: "gradients sent", align: "right" }, { key: "weights", label: "weights sent", align: "right" }, { key: "how", label: "by" },
  ] });
  const HOW = ["all-reduce of gradients", "reduce-scatter, then all-gather of new weights", "the same; each gradient freed once it is reduced", "all-gather forward, again backward, reduce-scatter"];
  const el = kit.h("div", {}, svg, kit.legend([{ class: "cw-tensor-parallel-weight", label: "weights" }, { class: "cw-tensor-parallel-gradient", label: "gradients" }, { class: "cw-tensor-parallel-optimizer", label: "optimizer states" }, { class: "cw-tensor-parallel-missing", label: "not on this rank" }]),
    words, kit.h("div", { class: "cw-section" }, table.el, small));

  const draw = (out, state, width) => {
    const z = out.zero;
    const d = state.dp;
    const room = Math.max(2, Math.floor((width - (width > 640 ? 190 : 0)) / 84));
    const shown = d <= room ? range(d) : [...range(room - 1), d - 1];
    const left = width > 640 ? 190 : 0;
    const card = Math.min(130, (width - left) / shown.length);
    const unit = 11;
    const tops = z.held.map((_, i) => 32 + z.held.slice(0, i).reduce((sum, k) => sum + k[1] * unit + 3, 0));
    const bottom = tops.at(-1) + z.held.at(-1)[1] * unit;
    const rects = [];
    const texts = [];
    z.held.forEach(([what, bytes, share], i) => {
      if (left) texts.push({ x: left - 12, y: tops[i] + (bytes * unit) / 2 + 4, text: `${what} · ${bytes} B`, anchor: "end" });
      shown.forEach((r, n) => {
        const x = left + n * card + 4;
        const w = card - 10;
        rects.push({ x, y: tops[i], w, h: bytes * unit, class: "cw-tensor-parallel-missing" });
        rects.push({ x: share < 1 ? x + (w * r) / d : x, y: tops[i], w: Math.max(w * share, 1.5), h: bytes * unit, class: ROLE[what.split(/[ ,]/)[0]] });
      });
    });
    shown.forEach((r, n) => {
      const x = left + n * card + card / 2 - 1;
      texts.push({ x, y: 22, text: `${r - n > 0 ? "… " : ""}rank ${r}`, anchor: "middle", strong: true });
      texts.push({ x, y: bottom + 18, text: `${percent(z.per_parameter)} B`, anchor: "middle", strong: true });
    });
    kit.set(svg, { width, height: bottom + 26, viewBox: `0 0 ${width} ${bottom + 26}`, "aria-label": `ZeRO stage ${state.stage} on ${d} ranks: each keeps ${percent(z.per_parameter)} bytes of the ${percent(z.stages[0])} for a parameter: ${z.held.map(([what, , share]) => `${what} ${share < 1 ? `a ${d}th` : "whole"}`).join(", ")}.` });
    kit.list(svg, [...rects, ...texts], (item) => kit.s(item.text === undefined ? "rect" : "text"), (node, i) => {
      if (i.text === undefined) kit.set(node, { x: i.x.toFixed(2), y: i.y, width: i.w.toFixed(2), height: i.h, rx: 2, class: i.class });
      else kit.set(node, { x: i.x.toFixed(2), y: i.y, "text-anchor": i.anchor, class: i.strong ? "cw-tensor-parallel-strong" : "cw-tensor-parallel-kept", text: i.text });
    }, (item, n) => `${item.text === undefined}${n}`);
  };

  const print = (out, state, model) => {
    const z = out.zero;
    const c = data.conventions[state.convention];
    const d = state.dp;
    const once = (d - 1) / d;
    words.replaceChildren(kit.h("b", { class: "cw-big", text: `${percent(z.per_parameter)} bytes per parameter` }), ` on each of ${d} ranks: ${GB(z.rank_bytes)} for the ${kit.fmt.count(z.parameters)} parameters of ${model.title}. A step sends ${percent(z.sent.gradients)} + ${percent(z.sent.weights)} bytes per parameter from each rank, ${GB(z.sent_bytes)}.`);
    table.update(range(4).map((s) => ({
      stage: `ZeRO-${s}`, per: percent(z.stages[s]), rank: GB(z.stages[s] * z.parameters), class: s === state.stage ? "on" : false,
      gradients: `${percent(c.travels * (s ? 1 : 2) * once)} B`, weights: `${percent(2 * [0, 1, 1, 2][s] * once)} B`, how: HOW[s],
    })));
    kit.text(small, `${c.label} bytes: ${c.source}. One Adam step ran on ${d} ranks with two parameters each: its weights ${z.away ? `differ from the unsharded step's by at most ${tiny(z.away)}` : "equal the unsharded step's to the last bit"}; the numbers it sent give the bytes above. Activations are not counted here.`);
  };
  return { el, update: (out, state, model, width) => { draw(out, state, width); print(out, state, model); } };
};
const tiny = (x) => {
  if (x === 0) return "0";
  const [m, e] = x.toExponential(1).split("e");
  return `${m} · 10${kit.fmt.sup(Number(e))}`;
};
