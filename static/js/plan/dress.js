/* A track and a place -> the drawing above: activations as they are now, links on which something travels, what is read. */
const dress = {};

/* The activations of now, in the stacks: made once a drawing. */
dress.stacks = (drawing) => {
  const found = [];
  for (const peak of drawing.querySelectorAll(".st-activations")) {
    const stage = Number(peak.closest("[data-stage]")?.dataset.stage || 0);
    const [y, height] = [Number(peak.getAttribute("y")), Number(peak.getAttribute("height"))];
    const rect = kit.s("rect", { class: "st-now", x: peak.getAttribute("x"), width: peak.getAttribute("width"), height: 0 });
    peak.after(rect);
    found.push({ stage, rect, bottom: y + height, height });
  }
  for (const text of drawing.querySelectorAll("[data-now]")) found.push({ stage: Number(text.closest("[data-stage]")?.dataset.stage || 0), text });
  return found;
};

dress.train = (track, i, parts) => {
  const moment = track.moment(i);
  for (const { stage, rect, text, bottom, height } of parts.stacks) {
    const bytes = tracks.saved(track, stage, tracks.at(track, stage, moment).held);
    const most = track.now.plan.ranks[stage].activations_bytes;
    const high = rect && most ? (height * bytes) / most : 0;
    if (rect) kit.set(rect, { y: bottom - high, height: high });
    else kit.text(text, text.dataset.now === "number" ? words.gb(bytes) : "at the cursor");
  }
  const sends = new Set(tracks.sends(track, moment).map(([, from, to]) => `${from} ${to}`));
  for (const { link, from, to } of parts.links) {
    link.classList.toggle("sends", sends.has(`${from} ${to}`));
    link.classList.toggle("sends-back", sends.has(`${to} ${from}`));
  }
  const busy = (stage) => Boolean(tracks.at(track, stage, moment).op);
  for (const { packet, axis, stage } of parts.fans) packet.classList.toggle("on", busy(stage) && !["dp", "edp"].includes(axis));
  for (const { band } of parts.bands) band.classList.toggle("band-on", busy(0) && !["dp", "edp"].includes(words.role(band.dataset.axis)));
};

/* In the middle of a line of the fan: seen while its ranks meet. */
dress.packet = (line, stage) => {
  const middle = (a, b) => (Number(line.getAttribute(a)) + Number(line.getAttribute(b))) / 2;
  const packet = kit.s("circle", { class: "packet", cx: middle("x1", "x2"), cy: middle("y1", "y2"), r: 2 });
  line.after(packet);
  return { packet, stage, axis: /line-(\w+)/.exec(line.getAttribute("class"))[1] };
};

dress.READS = { cache: ["st-cache", "st-copy"], weights: ["st-weights"], experts: ["st-experts"] };
dress.serve = (track, i, parts) => {
  const slot = track.slots[i];
  for (const { band } of parts.bands) band.classList.toggle("band-on", slot?.axis === band.dataset.axis);
  for (const { link, from } of parts.links) link.classList.toggle("sends", slot?.axis === "pp" && slot.stage === from);
  for (const { packet, axis, stage } of parts.fans) packet.classList.toggle("on", slot?.stage === stage && words.role(slot.axis) === axis);
  const lit = dress.READS[slot && !slot.axis ? slot.what : ""] || [];
  for (const { part, stage, name } of parts.reads) part.classList.toggle("st-read", lit.includes(name) && slot.stage === stage);
};

/* Nothing of the drawing follows a cursor any more. */
dress.off = (drawing) => {
  for (const old of drawing.querySelectorAll(".packet, .st-now")) old.remove();
  for (const text of drawing.querySelectorAll("[data-now]")) kit.text(text, "");
  const lit = ["sends", "sends-back", "band-on", "st-read"];
  for (const one of drawing.querySelectorAll(lit.map((name) => `.${name}`).join())) one.classList.remove(...lit);
};

/* What of a drawing follows the cursor. */
dress.parts = (drawing, train) => {
  const stage = (node) => Number(node.closest("[data-stage]")?.dataset.stage || 0);
  const all = (query, make) => [...drawing.querySelectorAll(query)].map(make);
  return {
    stacks: train ? dress.stacks(drawing) : [],
    links: all(".box-send", (link) => ({ link, from: Number(link.dataset.from), to: Number(link.dataset.to) })),
    bands: all(".band", (band) => ({ band })),
    fans: all(".ln", (line) => dress.packet(line, stage(line))),
    reads: train ? [] : Object.values(dress.READS).flat().flatMap((name) => all(`rect.${name}`, (part) => ({ part, stage: stage(part), name }))),
  };
};
dress.move = (track, i, parts) => (track.run ? dress.train : dress.serve)(track, i, parts);
