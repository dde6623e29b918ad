/* Twin of bars.py: every block as two bars on one scale of time, and what a step reads as two bars. */
const WIDE = 70;
const SORTS = [["weights", "its weights, in its colour"], ["kept", "its cache"], ["work", "its arithmetic"]];
const pct = (share) => `${(100 * share).toFixed(3)}%`;
const hushed = (css, hide) => css + (hide ? " hush" : "");

const block_made = () => {
  const parts = { number: kit.h("b", { class: "number", "data-index": true }), label: kit.h("span", { class: "label" }), time: kit.h("span") };
  const [weights, kept, size] = [kit.s("rect", { class: "weights", x: 0, y: 2, height: 14 }), kit.s("rect", { class: "kept", y: 2, height: 14 }), kit.s("text", { dx: 8, y: 14 })];
  const [bar, amount] = [kit.s("rect", { x: 0, y: 21, height: 12 }), kit.s("text", { dx: 8, y: 32 })];
  const work = kit.s("g", {}, bar, amount);
  const svg = kit.s("svg", { width: "100%", height: 38, "aria-hidden": "true" }, weights, kept, size, work);
  const li = kit.h("li", {}, kit.h("p", {}, parts.number, " ", parts.label, parts.time), svg);
  return Object.assign(li, { parts: { ...parts, weights, kept, size, bar, amount, work } });
};

const blocks_view = () => {
  const name = kit.h("p", { class: "cw-roofline-name" });
  const list = kit.h("ol", { class: "cw-roofline-blocks", "aria-label": "Blocks of a step, in order, with bytes and arithmetic on one scale of time" });
  const update = (now, hide = "") => {
    kit.fill(name, "{device.title:text}: {device.tb:num 3} TB a second, {device.tflops:int} TFLOP a second", now);
    const most = Math.max(0, ...now.rows.map((row) => row.ms)) || 1;
    kit.list(list, now.drawn, block_made);
    [...list.children].forEach((li, k) => {
      const [i, { parts }] = [now.drawn[k], li];
      const row = now.rows[i];
      const weights = row.bytes ? row.bytes_ms * (row.weights / row.bytes) : 0;
      const [a, b, c, d] = [weights, row.bytes_ms - weights, row.bytes_ms, row.flops_ms].map((ms) => pct((ms * WIDE) / 100 / most));
      kit.set(li, { class: `cw-roofline-block of-${row.role}` });
      kit.text(parts.number, i + 1);
      kit.fill(parts.label, `{rows.${i}.label:text}`, now);
      kit.fill(kit.set(parts.time, { class: hushed("time", hide) }), `{rows.${i}.time:text}`, now);
      kit.set(parts.weights, { width: a });
      kit.set(parts.kept, { x: a, width: b });
      kit.fill(kit.set(parts.size, { class: row.flops_ms > row.bytes_ms ? "" : "on", x: c }), `{rows.${i}.bytes:bytes}`, now);
      kit.set(parts.bar, { width: d });
      kit.fill(kit.set(parts.amount, { class: row.flops_ms > row.bytes_ms ? "on" : "", x: d }), `{rows.${i}.work:text}`, now);
      kit.set(parts.work, { class: hushed("work", hide === "work") });
    });
  };
  return { el: [name, list, kit.legend(SORTS.map(([css, label]) => ({ class: css, label })))], update };
};

const READS = [["weights", "all weights that a step reads", "total.weights"], ["kept", "the cache", "total.cache"]];
const reads_view = () => {
  const name = kit.h("p", { class: "cw-roofline-name" });
  const rows = READS.map(([css, label, path], i) => {
    const [amount, bar] = [kit.s("text", { class: "end", x: "100%", y: 62 * i + 14 }), kit.s("rect", { class: css, x: 0, y: 62 * i + 22, height: 26 })];
    return { path, amount, bar, all: [kit.s("text", { x: 0, y: 62 * i + 14, text: label }), amount, bar] };
  });
  const svg = kit.s("svg", { class: "cw-roofline-reads", width: "100%", height: 114, role: "img", "aria-label": "Weights and cache of a step, to one scale." }, rows.map((row) => row.all));
  const update = (now) => {
    kit.fill(name, "{batch:int} × {context:int} tokens: what one step reads", now);
    const most = Math.max(now.total.weights, now.total.cache) || 1;
    for (const { path, amount, bar } of rows) {
      kit.fill(amount, `{${path}:bytes}`, now);
      kit.set(bar, { width: pct(kit.path(now, path) / most) });
    }
  };
  return { el: [name, svg], update };
};
