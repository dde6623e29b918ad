/* A plan's rank -> its memory stack as SVG: parts from below, a line at the device's memory, an outline for what is over. */
const marks = {};

marks.HEIGHT = 236;
marks.BASE = 8;      // px under the stack
marks.LEAST = 14;    // px between two labels
marks.TWO = 13;      // of activations: at most, and under it at the cursor
marks.ROLE = {
  weights_bytes: "st-weights", experts_bytes: "st-experts", gradients_bytes: "st-gradients",
  optimizer_bytes: "st-optimizer", activations_bytes: "st-activations", cache_bytes: "st-cache", framework_bytes: "st-framework",
};

/* What a rank holds, or would with the one sequence that a server needs room for. */
marks.need = ({ plan }, rank) => rank.total_bytes + (plan.sequences === 0 && plan.here === 0 ? rank.sequence_cache_bytes : 0);

/* bytes -> px above the base; the same for every stack of a drawing. */
marks.scale = (...all) => {
  const most = Math.max(...all.flatMap((now) => [now.layout.device.memory_bytes, ...now.plan.ranks.map((rank) => marks.need(now, rank))]));
  const room = marks.HEIGHT - marks.BASE - 22;
  return (bytes) => (bytes / most) * room;
};

/* [{name, word, bytes, from, to}] from below, px. */
marks.parts = (rank, scale) => {
  let under = 0;
  const [framework, ...rest] = [words.PARTS.at(-1), ...words.PARTS.slice(0, -1)];
  return [framework, ...rest].filter(([name]) => rank[name] > 0).map(([name, word]) => {
    const from = under;
    under += rank[name];
    return { name, word, bytes: rank[name], from: scale(from), to: scale(under) };
  });
};
marks.y = (px) => marks.HEIGHT - marks.BASE - px;

marks.rects = (parts, x, width, cache) => parts.flatMap((part) => {
  const height = Math.max(part.to - part.from, 0.5);
  const rect = sketch.s("rect", { class: marks.ROLE[part.name], x, width, y: marks.y(part.to), height });
  return part.name === "cache_bytes" && cache ? [rect, ...cache(part, x, width)] : [rect];
});

/* Labels of parts, kept apart: [{part, y}]. */
marks.labels = (parts) => {
  let low = marks.HEIGHT - marks.BASE + marks.LEAST / 2;
  return parts.map((part) => {
    low = Math.min((marks.y(part.to) + marks.y(part.from)) / 2 + 4, low - marks.LEAST - (part.name === "activations_bytes" ? marks.TWO : 0));
    return { part, y: low };
  });
};

/* What stands over the device's memory, and the line itself. */
marks.capacity = (now, rank, scale, x, width) => {
  const { memory_bytes: whole } = now.layout.device;
  const [line, used] = [marks.y(scale(whole)), marks.y(scale(now.plan.room_bytes))];
  const need = marks.need(now, rank);
  const top = marks.y(scale(need));
  const bottom = Math.min(used, marks.y(scale(rank.total_bytes)));
  return [
    need > now.plan.room_bytes && sketch.s("rect", { class: "st-over", x, width, y: top, height: Math.max((need > rank.total_bytes ? bottom : used) - top, 2) }),
    used - line > 1 && sketch.s("line", { class: "st-used", x1: "0", x2: "100%", y1: used, y2: used }),
    sketch.s("line", { class: "st-line", x1: "0", x2: "100%", y1: line, y2: line }),
  ];
};

/* The hatch of what the framework holds. */
marks.hatch = () => sketch.s("pattern", { id: "plan-hatch-grey", width: "5", height: "5", patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
  sketch.s("rect", { class: "st-hatch-grey", width: "5", height: "5" }), sketch.s("line", { class: "st-hatch-ink", y2: "5" }));

/* One stack with the names and gigabytes of its parts beside it. */
marks.stack = (now, rank, scale) => {
  const parts = marks.parts(rank, scale);
  const cache = (part, x, width) => marks.sequences(now, part, x, width);
  const named = marks.labels(parts).map(({ part, y }) => {
    const middle = (marks.y(part.to) + marks.y(part.from)) / 2;
    const [peak, under] = [part.name === "activations_bytes", y + marks.TWO];
    return [
      sketch.s("line", { class: "st-lead", x1: "39%", x2: "43%", y1: middle, y2: y - 4 }),
      sketch.s("text", { class: "st-word", x: "44.5%", y }, peak ? "activations at most" : part.word),
      sketch.s("text", { class: "st-number", x: "99%", y, "text-anchor": "end" }, words.gb(part.bytes)),
      peak && [sketch.s("text", { class: "st-word st-at", x: "44.5%", y: under, "data-now": "word" }), sketch.s("text", { class: "st-number st-at", x: "99%", y: under, "text-anchor": "end", "data-now": "number" })],
    ];
  });
  return sketch.s("svg", { class: "stack", width: "100%", height: marks.HEIGHT, "aria-hidden": "true" },
    rank.framework_bytes ? sketch.s("defs", {}, marks.hatch()) : null,
    marks.rects(parts, "4%", "34%", cache), marks.capacity(now, rank, scale, "4%", "34%"), named);
};

/* The cache as one block a sequence, numbered where there is room. */
marks.sequences = (now, part, x, width) => {
  const many = now.plan.here;
  const each = (part.to - part.from) / many;
  if (!many || many > 48 || each < 3) return [];
  return Array.from({ length: many }, (_, i) => sketch.s("line", { class: "st-cut", x1: x, x2: `${parseFloat(x) + parseFloat(width)}%`, y1: marks.y(part.from + each * (i + 1)), y2: marks.y(part.from + each * (i + 1)) }))
    .concat(each < 11 ? [] : Array.from({ length: many }, (_, i) => sketch.s("text", { class: "st-seq", x: `${parseFloat(x) + parseFloat(width) / 2}%`, y: marks.y(part.from + each * (i + 0.5)) + 3.5, "text-anchor": "middle" }, String(i + 1))));
};

/* A stack a GPU, side by side, and the names of the parts on their left: where one node holds all. */
marks.columns = (now, rank, scale, copies) => {
  const parts = marks.parts(rank, scale);
  const many = copies.length;
  const pattern = sketch.s("pattern", { id: "plan-hatch", width: "6", height: "6", patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    sketch.s("rect", { class: "st-hatch-under", width: "6", height: "6" }), sketch.s("line", { class: "st-hatch", y2: "6" }));
  const stacks = copies.map((copied, i) => {
    const [x, width] = [`${(100 * (i + 0.14)) / many}%`, `${72 / many}%`];
    const cache = (part) => {
      const high = (part.to - part.from) * copied;
      const hatch = sketch.s("rect", { class: "st-copy", x, width, y: marks.y(part.from + high), height: high });
      return copied === 1 ? [hatch] : [...(high ? [hatch] : []), ...marks.sequences(now, part, x, width)];
    };
    const middle = `${(100 * (i + 0.5)) / many}%`;
    return [
      marks.rects(parts, x, width, cache), marks.capacity(now, rank, scale, x, width)[0],
      many <= 16 && sketch.s("text", { class: "st-total", x: middle, y: marks.HEIGHT + 8, "text-anchor": "middle" }, words.gb(rank.total_bytes)),
      copied === 1 && many <= 16 && sketch.s("text", { class: "st-aside", x: middle, y: marks.HEIGHT + 20, "text-anchor": "middle" }, "a copy"),
    ];
  });
  return sketch.s("svg", { class: "stack", width: "100%", height: marks.HEIGHT + 22, "aria-hidden": "true" },
    sketch.s("defs", {}, pattern, marks.hatch()), stacks, marks.capacity(now, rank, scale, "0", "0").slice(1));
};

/* The names of the parts beside columns: right-aligned, with gigabytes. */
marks.gutter = (now, rank, scale) => {
  const named = marks.labels(marks.parts(rank, scale)).map(({ part, y }) => [
    sketch.s("text", { class: "st-word", x: "0", y }, part.word),
    sketch.s("text", { class: "st-number", x: "96%", y, "text-anchor": "end" }, words.gb(part.bytes)),
    part.name === "activations_bytes" && [sketch.s("text", { class: "st-word st-at", x: "0", y: y + marks.TWO, "data-now": "word" }), sketch.s("text", { class: "st-number st-at", x: "96%", y: y + marks.TWO, "text-anchor": "end", "data-now": "number" })],
  ]);
  const whole = now.layout.device.memory_bytes;
  return sketch.s("svg", { class: "stack gutter", width: "100%", height: marks.HEIGHT + 22, "aria-hidden": "true" }, named,
    sketch.s("text", { class: "st-cap", x: "0", y: marks.y(scale(whole)) - 5 }, `${words.gb(whole)} GB`));
};
