/* A track -> its lanes: slots as paths, a cursor's line, names on the left, what a stage keeps on the right. */
const lanes = {};

lanes.WIDE = 1000;
lanes.TONES = 4;
lanes.tenth = (value) => Math.round(value * 10) / 10;

/* Rectangles by class: {class: path}. What is narrower than a pixel joins its neighbour of the same class. */
lanes.paths = () => {
  const found = new Map();
  const last = new Map();
  const add = (cls, x, y, w, h) => {
    const before = last.get(`${cls} ${y}`);
    if (before && w < 1.2 && Math.abs(before.x + before.w - x) < 1e-6) { before.w += w; return; }
    const rect = { x, y, w, h };
    last.set(`${cls} ${y}`, rect);
    if (!found.has(cls)) found.set(cls, []);
    found.get(cls).push(rect);
  };
  const draw = () => [...found].map(([cls, all]) => kit.s("path", { class: cls, d: all.map(({ x, y, w, h }) => {
    const gap = w > 5 ? 0.9 : w > 1.2 ? 0.18 * w : 0;
    return `M${lanes.tenth(x)} ${y}h${lanes.tenth(w - gap)}v${h}h${-lanes.tenth(w - gap)}z`;
  }).join("") }));
  return { add, draw };
};

/* Where a chunk of the model stands among those of its stage. */
lanes.local = ({ now: { layout: one }, run }, chunk) => (one.copies > 1 ? Number(chunk >= one.pp / 2) : Math.floor(chunk / one.pp) % run.chunks);
lanes.parts = ({ now, run }) => run.chunks * now.layout.copies;
lanes.tone = (track, chunk) => Math.floor((lanes.TONES * lanes.local(track, chunk)) / lanes.parts(track));

lanes.train = (track, picked) => {
  const { run, now } = track;
  const [pitch, made] = [lives.pitch(run.ops.length), lanes.paths()];
  const high = pitch - (pitch > 12 ? 4 : 1);
  const lit = picked?.layer !== null && picked ? picked : null;
  const mine = (chunk) => { const [first, end] = tracks.layers(track, chunk); return lit.layer >= first && lit.layer < end; };
  const one = (op, stage, from, to, after) => {
    const [a, b] = [track.x_of(from, after), track.x_of(to, after)].map((x) => x * lanes.WIDE);
    const parts = tracks.parts(op);
    parts.forEach(([kind, chunk], i) => {
      const cls = lit && lit.stage === stage && mine(chunk) ? `fill-${lit.axis} ln-my${kind}` : `ln-${kind}${kind === "W" ? "" : lanes.tone(track, chunk)}`;
      made.add(cls, a, stage * pitch + (i * high) / 2, b - a, high / parts.length);
    });
  };
  run.ops.forEach((own, stage) => own.forEach((op) => {
    const [from, to] = op.slice(-2);
    const at = run.fold ? run.fold.at : Infinity;
    if (from < at) one(op, stage, from, Math.min(to, at), false);
    if (to > at) one(op, stage, Math.max(from, at), to, true);
  }));
  return { height: run.ops.length * pitch - (pitch - high), pitch, paths: made.draw(), many: now.layout.pp };
};

lanes.serve = (track) => {
  const { slots, end, now } = track;
  const [pitch, made] = [lives.pitch(now.layout.pp), lanes.paths()];
  const high = pitch - (pitch > 12 ? 4 : 1);
  for (const slot of slots) made.add(slot.axis ? `fill-${words.role(slot.axis)}` : `ph-${slot.what}`, (slot.from / end) * lanes.WIDE, slot.stage * pitch, (slot.seconds / end) * lanes.WIDE, high);
  return { height: now.layout.pp * pitch - (pitch - high), pitch, paths: made.draw(), many: now.layout.pp };
};

/* One track as HTML: {node, update(i)}; `share`: of the longest track's time. */
lanes.draw = (track, picked, share, title, unfold) => {
  const { now, run } = track;
  const { height, pitch, paths, many } = run ? lanes.train(track, picked) : lanes.serve(track);
  const every = Math.ceil(12 / pitch);
  const name = (stage) => (title && many === 1 ? title : many === 1 ? "GPU" : stage % every && stage < many - 1 ? "" : [kit.h("span", { class: "lane-word", text: "stage " }), String(stage)]);
  const names = kit.h("div", { class: "lane-names" }, paths && Array.from({ length: many }, (_, stage) => kit.h("span", { style: { height: `${pitch}px` } }, name(stage))));
  const line = kit.h("i", { class: "lane-cursor" });
  const flag = kit.h("output", { class: "lane-flag" });
  const svg = kit.s("svg", { viewBox: `0 0 ${lanes.WIDE} ${height}`, preserveAspectRatio: "none", width: "100%", height, "aria-hidden": "true" }, paths);
  const ends = [kit.h("span", { class: "lane-end", text: "0" }), kit.h("span", { class: "lane-end lane-last", text: words.duration(track.end) })];
  const field = kit.h("div", { class: "lane-field", style: { height: `${height}px` } }, svg, run?.fold ? lanes.fold(track, unfold) : null, run ? null : lanes.least(track), ends, line, flag);
  const sides = run ? Array.from({ length: many }, (_, stage) => lanes.side(track, stage, pitch)) : [];
  const side = kit.h("div", { class: "lane-sides" }, run ? [kit.h("span", { class: "lane-side", text: "chunks in flight" }), sides.map((one) => one.node)] : [kit.h("b", { text: words.duration(track.end) }), kit.h("span", { text: "if nothing hides" })]);
  const node = kit.h("div", { class: `track${many > 1 ? "" : " track-one"}` }, title && many > 1 ? kit.h("p", { class: "track-title", text: title }) : null, names, kit.h("div", { class: "lane-all" }, kit.h("div", { style: { width: `${100 * share}%` } }, field)), side);
  const update = (i) => {
    const x = 100 * track.x(i);
    kit.set(line, { style: { left: `${x}%` } });
    kit.set(ends[0], { class: `lane-end${x < 4 ? " lane-under" : ""}` });
    kit.set(ends[1], { class: `lane-end lane-last${x > 72 ? " lane-under" : ""}` });
    kit.set(flag, { text: words.duration(track.seconds(i)), class: `lane-flag${x > 80 ? " lane-left" : ""}`, style: { left: `${x}%` } });
    if (run) { const moment = track.moment(i); sides.forEach((one, stage) => one.update(tracks.at(track, stage, moment).held)); }
  };
  return { node, field, update, now };
};

/* Chunks that a stage keeps now, of the most it ever does. */
lanes.side = (track, stage, pitch) => {
  const peak = tracks.peak(track, stage);
  const [bar, text] = [kit.h("i"), kit.h("span")];
  const node = kit.h("p", { style: { height: `${pitch}px` } }, kit.h("span", { class: "lane-bar" }, bar), pitch > 12 ? text : null);
  return { node, update: (held) => { kit.set(bar, { style: { width: `${(100 * held) / peak}%` } }); kit.text(text, `${held} of ${peak}`); } };
};

lanes.fold = (track, unfold) => {
  const { fold } = track.run;
  const text = `${words.int(fold.rounds)} rounds alike`;
  const may = 2 * track.now.layout.pp * track.run.chunks * track.now.layout.micro_batches <= runs.MOST_OPS;
  const place = { left: `${100 * track.x_of(fold.at, false)}%`, width: `${100 * (track.x_of(fold.at, true) - track.x_of(fold.at, false))}%` };
  return kit.h(may ? "button" : "span", { type: may ? "button" : false, class: "lane-fold", style: place, "aria-label": may ? `${text}: unfold` : false, on: may ? { click: unfold } : {} }, kit.h("span", { text }));
};

/* Where the step ends if everything hides behind the slowest. */
lanes.least = ({ now, end }) => {
  const x = (100 * now.bound.seconds) / end;
  return x > 97 ? null : kit.h("i", { class: "lane-least", title: `at least ${words.duration(now.bound.seconds)}`, style: { left: `${x}%` } });
};
